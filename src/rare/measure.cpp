// SPDX-License-Identifier: Apache-2.0
#include "src/rare/measure.hpp"

#include <array>
#include <limits>

#include "src/text/printable.hpp"

namespace pegrasp::rare {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t planar_pose = 3, spatial_pose = 7;

struct Named {
  const char* name;
  const char* unit;
  double factor;
  bool of_grasps;  // of a part that is held
};
// By Measure::Kind, without the last.
constexpr std::array<Named, 8> measures{{{"success", "", 1.0, false},
                                         {"grip_force_n", "N", 1.0, false},
                                         {"slip_margin", "", 1.0, false},
                                         {"slip_margin_end", "", 1.0, false},
                                         {"slip_mm", "mm", margin_mm, true},
                                         {"tilt_deg", "deg", margin_deg, true},
                                         {"hold_force_n", "N", 1.0, true},
                                         {"hold_margin", "", 1.0, true}}};

[[noreturn]] void refuse_measure(const Problem& problem, const std::string& name) {
  std::string known;
  for (const Named& one : measures) {
    if (!one.of_grasps || problem.grasps.given()) known += std::string(one.name) + ", ";
  }
  throw InputError("--measure " + printable(name) + ": the problem has no such measure; it has " + known +
                   (problem.scene.spatial ? "and BODY.x_mm, BODY.y_mm or BODY.z_mm at the end"
                                          : "and BODY.x_mm, BODY.y_mm or BODY.turn_deg at the end"));
}

}  // namespace

Measure::Measure(const Problem& problem, const std::string& name) : name_(name) {
  for (std::size_t k = 0; k < measures.size(); ++k) {
    if (name != measures[k].name || (measures[k].of_grasps && !problem.grasps.given())) continue;
    kind_ = static_cast<Kind>(k);
    unit_ = measures[k].unit;
    factor_ = measures[k].factor;
    if (kind_ == Kind::margin && problem.scene.success.empty()) {
      throw InputError(
          "--measure success: the problem has no [success]; name another measure, with --below or --above");
    }
    return;
  }
  const std::size_t dot = name.rfind('.');
  const std::string body = name.substr(0, dot), number = dot == std::string::npos ? "" : name.substr(dot + 1);
  static const std::vector<std::string> planar{"x_mm", "y_mm", "turn_deg"}, spatial{"x_mm", "y_mm", "z_mm"};
  const std::vector<std::string>& numbers = problem.scene.spatial ? spatial : planar;
  kind_ = Kind::pose;
  for (std::size_t b = 0; b < problem.scene.bodies.size(); ++b) {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (problem.scene.bodies[b].name != body || numbers[k] != number) continue;
      place_ = b * (problem.scene.spatial ? spatial_pose : planar_pose) + k;
      unit_ = number == "turn_deg" ? "deg" : "mm";
      factor_ = number == "turn_deg" ? margin_deg : margin_mm;
      return;
    }
  }
  refuse_measure(problem, name);
}

void Measure::prepare(SceneSpec& scene) const {
  if (kind_ == Kind::margin) scene.measure_margin = true;
  if (kind_ == Kind::grip_force || kind_ == Kind::slip_margin || kind_ == Kind::slip_margin_end)
    scene.measure_forces = true;
}

double Measure::of(const SceneOutcome& outcome, std::span<const double> poses) const {
  switch (kind_) {
    case Kind::margin:
      return outcome.success_margin;
    case Kind::grip_force:
      return outcome.grip_force_max;
    case Kind::slip_margin:
      return outcome.slip_margin_min;
    case Kind::slip_margin_end:
      return outcome.slip_margin_end;
    case Kind::slip:
      return outcome.hold_slip_max < 0.0 ? nothing : factor_ * outcome.hold_slip_max;
    case Kind::tilt:
      return outcome.hold_tilt_max < 0.0 ? nothing : factor_ * outcome.hold_tilt_max;
    case Kind::hold_force:
      return outcome.hold_force_max;
    case Kind::hold_margin:
      return outcome.hold_margin_min;
    case Kind::pose:
      break;
  }
  return factor_ * poses[place_];
}

}  // namespace pegrasp::rare
