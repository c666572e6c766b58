// SPDX-License-Identifier: Apache-2.0
// Problems whose jointed bodies start at poses that vary, without weight, so that all stay where they start.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pegrasp::test {

struct VaryingProblem {
  std::string name, text;
};

inline std::string head(bool spatial, const std::string& grid = {}) {
  return (spatial ? "dim = 3\n" : std::string()) + "[map]\nsamples = 3\n" + grid +
         (spatial ? "[gravity]\nz_m_s2 = 0\n" : "") + "[simulation]\nduration_s = 0.05\n";
}

// more: further keys, one a line.
inline std::string box(bool spatial, const std::string& name, const std::string& more) {
  return "[[body]]\nname = \"" + name + "\"\nmass_kg = 1\n" + more + "[[body.part]]\nshape = \"box\"\n" +
         (spatial ? "size_mm = [20, 20, 20]\n" : "width_mm = 20\nheight_mm = 20\n");
}

inline std::string joint(const std::string& kind, const std::string& between, const std::string& more) {
  return "[[joint]]\nkind = \"" + kind + "\"\nbetween = [" + between + "]\n" + more;
}

inline std::string stays(const std::string& body) {
  return "[success]\ndisplacement_below_mm = 0.001\nof = \"" + body + "\"\n";
}

inline std::string joint_offset(const std::string& joint, const std::string& key) {
  return "[[joint_offset]]\njoint = \"" + joint + "\"\n" + key +
         " = { distribution = \"uniform\", low = -4, high = 9 }\n";
}

// Hands whose joints start beside where the scene describes them.
inline std::vector<VaryingProblem> offset_problems() {
  const std::string grid_2d = "[grid]\nx_mm = [-5, 0, 5]\ny_mm = [0, 7]\n";
  const std::string yaw = "[grid]\nx_mm = [-5, 0, 5]\nyaw_deg = [0, 40]\n";
  const std::string turn = "turn_deg = { distribution = \"normal\", mean = 10, sd = 20 }\nfollows_grid = true\n";
  const std::string turn_x = "turn_x_deg = { distribution = \"normal\", mean = 10, sd = 20 }\nfollows_grid = true\n";
  std::vector<VaryingProblem> out;
  for (const bool varies : {false, true}) {
    out.push_back({varies ? "PlaneOffsetsOfAMovedHand" : "PlaneOffsets",
                   head(false, varies ? grid_2d : std::string()) +
                       box(false, "palm", varies ? turn : "turn_deg = 10\n") + box(false, "finger", "x_mm = 40\n") +
                       box(false, "tip", "x_mm = 80\n") +
                       joint("fixed", "\"world\", \"palm\"", "anchor_mm = [0, 0]\n") +
                       joint("revolute", "\"palm\", \"finger\"", "anchor_mm = [20, 0]\n") +
                       joint("prismatic", "\"finger\", \"tip\"", "anchor_mm = [60, 0]\naxis = [3, 4]\n") +
                       joint_offset("joint_3", "offset_mm") + joint_offset("joint_2", "offset_deg") + stays("tip")});
    out.push_back({varies ? "SpaceOffsetsOfAMovedHand" : "SpaceOffsets",
                   head(true, varies ? yaw : std::string()) + box(true, "palm", varies ? turn_x : "turn_x_deg = 10\n") +
                       box(true, "finger", "x_mm = 40\nturn_y_deg = 20\n") + box(true, "tip", "x_mm = 80\n") +
                       joint("fixed", "\"world\", \"palm\"", "anchor_mm = [0, 0, 0]\n") +
                       joint("revolute", "\"palm\", \"finger\"", "anchor_mm = [20, 0, 5]\naxis = [1, 2, 2]\n") +
                       joint("prismatic", "\"finger\", \"tip\"", "anchor_mm = [60, 0, 0]\naxis = [0, 3, 4]\n") +
                       joint_offset("joint_3", "offset_mm") + joint_offset("joint_2", "offset_deg") + stays("tip")});
  }
  return out;
}

// Every trial of these stays where it starts.
inline std::vector<VaryingProblem> varying_problems() {
  const std::string x = "x_mm = { distribution = \"normal\", mean = 0, sd = 5 }\n";
  const std::string grid_2d = "[grid]\nx_mm = [-5, 0, 5]\ny_mm = [0, 7]\n";
  const std::string yaw = "[grid]\nx_mm = [-5, 0, 5]\nyaw_deg = [0, 40]\n";
  const std::string at_2d = "anchor_mm = [0, 0]\n", at_3d = "anchor_mm = [0, 0, 0]\n";
  const std::string turn_2d = "turn_deg = { distribution = \"normal\", mean = 10, sd = 20 }\n";
  const std::string turn_3d = "turn_x_deg = { distribution = \"normal\", mean = 10, sd = 20 }\nturn_z_deg = 5\n";
  std::vector<VaryingProblem> out;
  out.push_back({"PlaneRail", head(false) + box(false, "jaw", x) +
                                  joint("prismatic", "\"world\", \"jaw\"", at_2d + "axis = [0, 1]\n") + stays("jaw")});
  out.push_back({"PlaneRailAlong",
                 head(false) + box(false, "jaw", x) +
                     joint("prismatic", "\"world\", \"jaw\"", at_2d + "axis = [1, 0]\nslide_mm = [-0.1, 0.1]\n") +
                     stays("jaw")});
  out.push_back({"PlaneHinge", head(false, grid_2d) + box(false, "arm", turn_2d + "follows_grid = true\n") +
                                   joint("revolute", "\"world\", \"arm\"", at_2d + "turn_deg = [-1, 1]\n") +
                                   stays("arm")});
  out.push_back({"PlaneHand", head(false, grid_2d) + box(false, "palm", turn_2d + "follows_grid = true\n") +
                                  box(false, "finger", "x_mm = 40\n") + box(false, "tip", "x_mm = 80\n") +
                                  joint("prismatic", "\"world\", \"palm\"", at_2d + "axis = [0, 1]\n") +
                                  joint("revolute", "\"palm\", \"finger\"", "anchor_mm = [20, 0]\n") +
                                  joint("fixed", "\"finger\", \"tip\"", "anchor_mm = [60, 0]\n") + stays("tip")});
  out.push_back({"PlaneBase", head(false) + "[[body]]\nname = \"base\"\nkind = \"fixed\"\n" + x + turn_2d +
                                  "[[body.part]]\nshape = \"disc\"\nradius_mm = 5\n" +
                                  box(false, "arm", "y_mm = 40\n") +
                                  joint("revolute", "\"base\", \"arm\"", "anchor_mm = [0, 20]\n") + stays("arm")});
  out.push_back({"SpaceRail", head(true, yaw) + box(true, "palm", x + turn_3d + "follows_grid = true\n") +
                                  joint("prismatic", "\"world\", \"palm\"", at_3d + "axis = [0, 0, 1]\n") +
                                  stays("palm")});
  out.push_back(
      {"SpaceBall", head(true) + box(true, "knob", x + turn_3d) +
                        joint("spherical", "\"world\", \"knob\"", at_3d + "axis = [0, 0, 1]\nswing_deg = 2\n") +
                        stays("knob")});
  out.push_back(
      {"SpaceHand",
       head(true, yaw) + box(true, "palm", turn_3d + "follows_grid = true\n") + box(true, "left", "x_mm = -40\n") +
           box(true, "right", "x_mm = 40\n") + joint("prismatic", "\"world\", \"palm\"", at_3d + "axis = [0, 0, 1]\n") +
           joint("prismatic", "\"palm\", \"left\"", "anchor_mm = [-20, 0, 0]\naxis = [1, 0, 0]\nslide_mm = [0, 1]\n") +
           joint("revolute", "\"palm\", \"right\"", "anchor_mm = [20, 0, 0]\naxis = [0, 1, 0]\nturn_deg = [-1, 1]\n") +
           stays("right")});
  out.push_back(
      {"SpaceFinger", head(true) + box(true, "palm", "") + box(true, "finger", "z_mm = 60\n" + x + turn_3d) +
                          joint("revolute", "\"palm\", \"finger\"", "anchor_mm = [0, 0, 30]\naxis = [0, 1, 0]\n") +
                          joint("fixed", "\"world\", \"palm\"", at_3d) + stays("finger")});
  for (VaryingProblem& problem : offset_problems()) out.push_back(std::move(problem));
  return out;
}

}  // namespace pegrasp::test
