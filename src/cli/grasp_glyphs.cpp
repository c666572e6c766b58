// SPDX-License-Identifier: Apache-2.0
#include "src/cli/grasp_glyphs.hpp"

#include <algorithm>
#include <array>

#include "src/geometry/placement.hpp"
#include "src/text/document.hpp"

namespace pegrasp::cli {
namespace {

constexpr std::size_t most_glyphs = 500;  // of many grasps every k-th is drawn

SpatialPose pose_of(const Simulation& simulation, int body) { return simulation.spatial_pose(body); }

// Unit axes of the gripper, in the frame of its base.
struct GripperAxes {
  Vec3 approach{0.0, 0.0, 1.0}, closing{1.0, 0.0, 0.0};
};

// As the resolved problem has them.
GripperAxes axes_of_gripper(const Problem& problem) {
  GripperAxes axes;
  const Node root = parse_toml(problem.resolved_toml, "problem.toml");
  const Node* grasps = root.find("grasps");
  const auto read = [grasps](const char* key, Vec3& axis) {
    const Node* list = grasps == nullptr ? nullptr : grasps->find(key);
    if (list == nullptr || list->items.size() != 3) return;
    const Vec3 given{list->items[0].number(), list->items[1].number(), list->items[2].number()};
    axis = 1.0 / length(given) * given;
  };
  read("approach", axes.approach);
  read("closing", axes.closing);
  return axes;
}

// How far the gripper reaches along its axes, from the base.
struct Reach {
  double back = 0.0, front = 0.0, half_width = 0.0;  // [m]
};

Reach reach_of(const GraspCells& grasps, const GripperAxes& axes, const SceneSpec& scene,
               const Simulation& simulation) {
  const SpatialPose base = pose_of(simulation, grasps.gripper.front());
  Reach reach;
  for (const int member : grasps.gripper) {
    const SpatialPose pose = inverse(base) * pose_of(simulation, member);
    for (const SolidPart& part : scene.bodies[static_cast<std::size_t>(member)].spatial().parts) {
      for (const Vec3& vertex : part.shape.vertices) {
        const Vec3 at = transformed(pose, vertex);
        reach.back = std::min(reach.back, dot(at, axes.approach));
        reach.front = std::max(reach.front, dot(at, axes.approach));
        reach.half_width = std::max(reach.half_width, std::fabs(dot(at, axes.closing)));
      }
    }
  }
  return reach;
}

report::Json stroke(const SpatialPose& pose, Vec3 a, Vec3 b) {
  const Vec3 from = transformed(pose, a), to = transformed(pose, b);
  return {{from.x, from.y, from.z}, {to.x, to.y, to.z}};
}

// A fork: the stem from the palm, and two tines to the tips.
report::Json fork_lines(const SpatialPose& pose, const GripperAxes& axes, const Reach& reach, double half_opening) {
  const double middle = 0.5 * (std::max(reach.back, 0.0) + reach.front);
  const Vec3 palm = reach.back * axes.approach, root = middle * axes.approach, tip = reach.front * axes.approach;
  const Vec3 side = half_opening * axes.closing;
  return {stroke(pose, palm, root), stroke(pose, root - side, root + side), stroke(pose, root - side, tip - side),
          stroke(pose, root + side, tip + side)};
}

}  // namespace

report::Json grasp_list(const Problem& problem) {
  report::Json out = report::Json::array();
  const GripperAxes axes = axes_of_gripper(problem);
  const GraspFile& grasps = *problem.grasps.list;
  const Vec3 approach = usual_frames(grasps.about().format, axes.approach, axes.closing).file_approach;
  grasps.for_each([&](const Grasp& grasp) {
    const Vec3& at = grasp.position;
    const Vec3 along = turned(normalised(grasp.turn), approach);
    report::Json numbers{{"x", "mm", 1e3 * at.x},
                         {"y", "mm", 1e3 * at.y},
                         {"z", "mm", 1e3 * at.z},
                         {"approach along x", "1", along.x},
                         {"approach along y", "1", along.y},
                         {"approach along z", "1", along.z}};
    if (grasp.opening) numbers.push_back({"opening", "mm", 1e3 * *grasp.opening});
    if (grasp.confidence) numbers.push_back({"confidence in the file", "1", *grasp.confidence});
    out.push_back({{"id", grasp.id}, {"numbers", std::move(numbers)}});
  });
  return out;
}

void hide_gripper(const Problem& problem, report::Recording& recording) {
  if (!problem.grasps.given()) return;
  for (const int body : problem.grasps.gripper) recording.tracks[static_cast<std::size_t>(body)].clear();
}

report::Json grasp_glyphs(const Problem& problem, const SceneJob& job) {
  report::Json out = report::Json::array();
  const GraspCells& grasps = problem.grasps;
  if (!grasps.given() || grasps.gripper.empty()) return out;
  const GripperAxes axes = axes_of_gripper(problem);
  const std::size_t stride = (grasps.size() + most_glyphs - 1) / most_glyphs;
  for (std::size_t g = 0; g < grasps.size(); g += stride) {
    std::vector<double> parameters = job.parameters;
    const std::vector<double> values = grasps.values(g, 1);
    for (std::size_t k = 0; k < grasps.slot.size(); ++k) {
      parameters[static_cast<std::size_t>(grasps.slot[k])] = values[k];
    }
    const Simulation simulation(job.model, job.options, parameters, job.arithmetic);
    const Reach reach = reach_of(grasps, axes, job.scene, simulation);
    const Grasp grasp = grasps.list->grasp(g);
    const double half = grasp.opening ? 0.5 * *grasp.opening : 0.8 * reach.half_width;
    out.push_back({{"label", "grasp " + grasp.id},
                   {"lines", fork_lines(pose_of(simulation, grasps.gripper.front()), axes, reach, half)}});
  }
  return out;
}

}  // namespace pegrasp::cli
