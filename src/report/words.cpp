// SPDX-License-Identifier: Apache-2.0
#include "src/report/words.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pegrasp/names.hpp"
#include "src/decide/numbers.hpp"

namespace pegrasp::report {
namespace {

std::string number(double value) { return decide::text_of("%.6g", value); }
std::string mm(double length) { return number(1e3 * length) + " mm"; }
std::string degrees(double angle) { return number(angle * 180.0 / std::numbers::pi) + " degrees"; }

std::string quoted(const std::string& name) { return "\u201c" + name + "\u201d"; }

std::string body_text(const SceneSpec& scene, int body) {
  if (body < 0) return "the world";
  const std::string& name = scene.bodies[static_cast<std::size_t>(body)].name;
  return name.empty() ? "body " + std::to_string(body) : quoted(name);
}

std::string part_text(const SceneSpec& scene, int part) {
  for (const BodySpec& body : scene.bodies) {
    const std::vector<std::string> parts = part_names(body);
    if (part < static_cast<int>(parts.size())) return quoted(body.name + "." + parts[static_cast<std::size_t>(part)]);
    part -= static_cast<int>(parts.size());
  }
  return "a part";
}

std::string list_text(const std::vector<std::string>& words, const std::string& last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " " + last + " " : ", ";
    out += words[i];
  }
  return out;
}

std::string pose_text(const SceneSpec& scene, const Predicate& p) {
  constexpr double unbounded = 1e299;
  std::vector<std::string> bounds;
  const auto add = [&](const char* name, double low, double high, double factor, const char* unit) {
    if (low < -unbounded && high > unbounded) return;
    std::string text = name;
    if (low > -unbounded) text += " at least " + number(factor * low) + " " + unit;
    if (high < unbounded)
      text += std::string(low > -unbounded ? " and" : "") + " at most " + number(factor * high) + " " + unit;
    bounds.push_back(text);
  };
  add("x", p.low.x, p.high.x, 1e3, "mm");
  add("y", p.low.y, p.high.y, 1e3, "mm");
  add("z", p.low_z, p.high_z, 1e3, "mm");
  if (!scene.spatial) add("theta", p.low.theta, p.high.theta, 180.0 / std::numbers::pi, "degrees");
  if (p.value > 0.0) bounds.back() += " but for multiples of " + degrees(p.value);
  if (p.tilt < unbounded) bounds.push_back("turned by at most " + degrees(p.tilt));
  return body_text(scene, p.body) + (p.body_b >= 0 ? ", seen from " + body_text(scene, p.body_b) + "," : "") + " has " +
         list_text(bounds, "and");
}

std::string lasting(const Predicate& p) { return p.duration > 0.0 ? " for " + number(p.duration) + " s" : ""; }

std::string leaf_text(const SceneSpec& scene, const Predicate& p) {
  const std::string other = p.body_b >= 0 ? " by " + body_text(scene, p.body_b) : "";
  switch (p.kind) {
    case PredicateKind::gap_below:
      return part_text(scene, p.part_a) + " and " + part_text(scene, p.part_b) + " are at most " + mm(p.value) +
             " apart" + (p.side.x != 0.0 || p.side.y != 0.0 ? " on the given side" : "");
    case PredicateKind::pose_within:
      return pose_text(scene, p) + lasting(p);
    case PredicateKind::speed_below:
      return body_text(scene, p.body) + " is slower than " + number(1e3 * p.value) + " mm/s" + lasting(p);
    case PredicateKind::displacement_below:
      return body_text(scene, p.body) + " ends within " + mm(p.value) + " of where it started";
    case PredicateKind::held:
      return body_text(scene, p.body) + " is held" + other + " from " + number(p.since) +
             " s on: it moves by at most " + mm(p.value) +
             (p.tilt < 1e299 ? " and turns by at most " + degrees(p.tilt) : "");
    case PredicateKind::touching:
      return body_text(scene, p.body) + " is touched" + other + lasting(p);
    case PredicateKind::contact_force:
      return body_text(scene, p.body) + " is pressed" + other + " with at least " + number(p.value) + " N" +
             (p.most < 1e299 ? " and at most " + number(p.most) + " N" : "") +
             (p.count != 0 ? " from " + number(p.since) + " s on" : lasting(p));
    case PredicateKind::all:
    case PredicateKind::any:
    case PredicateKind::negate:
      break;
  }
  return {};
}

// A kind of distribution, with its numbers in the unit of the draw.
std::string distribution_text(const Distribution& d, const std::string& unit) {
  const std::string in = unit == "1" || unit.empty() ? "" : " " + unit;
  const auto between = [&] { return "between " + number(d.low) + " and " + number(d.high) + in; };
  switch (d.kind) {
    case DistributionKind::constant:
      return "is " + number(d.mean) + in;
    case DistributionKind::uniform:
      return "is uniform " + between();
    case DistributionKind::normal:
      return "is normal with mean " + number(d.mean) + " and standard deviation " + number(d.sd) + in;
    case DistributionKind::truncated_normal:
      return "is normal with mean " + number(d.mean) + " and standard deviation " + number(d.sd) + in + ", " +
             between();
    case DistributionKind::log_normal:
      return "is log-normal: its logarithm has mean " + number(d.mean) + " and standard deviation " + number(d.sd);
    case DistributionKind::choice:
      return "is one of " + std::to_string(d.values.size()) + " values";
    case DistributionKind::measured:
      return "is one of " + std::to_string(d.values.size()) + " measured values";
    case DistributionKind::given:
      return "is given for each sample by a file";
    case DistributionKind::mixture:
      break;
  }
  return "is drawn from one of " + std::to_string(d.components.size()) + " groups";
}

std::string body_words(const BodySpec& body) {
  const std::size_t parts = part_names(body).size();
  std::string out = quoted(body.name) + " (";
  switch (body.kind) {
    case BodyKind::dynamic:
      out += "moves freely, " + number(1e3 * body.mass) + " g";
      break;
    case BodyKind::fixed:
      out += "fixed";
      break;
    case BodyKind::kinematic:
      out += "moves as prescribed";
      break;
  }
  return out + ", " + std::to_string(parts) + (parts == 1 ? " part)" : " parts)");
}

void add_scene(const SceneSpec& scene, std::vector<std::string>& out) {
  constexpr std::size_t most = 12;  // that are named
  std::vector<std::string> bodies;
  for (const BodySpec& body : scene.bodies) {
    if (bodies.size() < most) bodies.push_back(body_words(body));
  }
  if (scene.bodies.size() > most) bodies.push_back(std::to_string(scene.bodies.size() - most) + " more");
  out.push_back(std::string(scene.spatial ? "The scene is in 3D" : "The scene is in a plane") + ". Its bodies are " +
                list_text(bodies, "and") + ".");
  std::vector<std::string> joints, springs;
  for (const JointSpec& joint : scene.joints) {
    const std::string of = body_text(scene, joint.body_b), in = body_text(scene, joint.body_a);
    if (is_spring(joint)) {
      springs.push_back(quoted(joint.name) + " (between " + in + " and " + of + ")");
    } else {
      joints.push_back(quoted(joint.name) + " (" + name_of(joint.kind) + ", " + of + " in " + in + ")");
    }
  }
  for (auto& [what, list] : {std::pair{"joints", &joints}, std::pair{"springs", &springs}}) {
    if (list->empty()) continue;
    const std::size_t count = list->size();
    if (count > most) {
      list->resize(most);
      list->push_back(std::to_string(count - most) + " more");
    }
    out.push_back(std::string("Its ") + what + " are " + list_text(*list, "and") + ".");
  }
}

void add_axes(const Problem& problem, std::vector<std::string>& out) {
  if (problem.grasps.given()) {
    out.push_back("A cell is one of " + std::to_string(problem.grasps.size()) + " grasps.");
  } else {
    std::vector<std::string> axes;
    for (const Axis& axis : axes_of(problem)) {
      const std::string unit = axis.unit == "1" || axis.categorical ? "" : " " + axis.unit;
      axes.push_back((axis.label.empty() ? axis.name : axis.label) + " (" +
                     (axis.size() == 1 ? axis.texts.front() + unit
                                       : std::to_string(axis.size()) + " values from " + axis.texts.front() + " to " +
                                             axis.texts.back() + unit) +
                     ")");
    }
    out.push_back("The map moves " + list_text(axes, "and") + ".");
  }
  out.push_back(std::string("Each cell has ") + (problem.until.any() ? "at most " : "") +
                std::to_string(problem.samples) + " samples, drawn from seed " + std::to_string(problem.seed) + ".");
}

}  // namespace

std::string success_words(const SceneSpec& scene) {
  std::vector<std::string> stack;
  for (const Predicate& p : scene.success) {
    const auto taken = [&](const std::string& last) {
      const std::size_t count = std::min(static_cast<std::size_t>(std::max(p.count, 0)), stack.size());
      const std::vector<std::string> words(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
      stack.resize(stack.size() - count);
      return count > 1 && !stack.empty() ? "(" + list_text(words, last) + ")" : list_text(words, last);
    };
    switch (p.kind) {
      case PredicateKind::all:
        stack.push_back(taken("and"));
        break;
      case PredicateKind::any:
        stack.push_back(taken("or"));
        break;
      case PredicateKind::negate:
        if (!stack.empty()) stack.back() = "it is not true that " + stack.back();
        break;
      case PredicateKind::gap_below:
      case PredicateKind::pose_within:
      case PredicateKind::speed_below:
      case PredicateKind::displacement_below:
      case PredicateKind::held:
      case PredicateKind::touching:
      case PredicateKind::contact_force:
        stack.push_back(leaf_text(scene, p));
        break;
    }
  }
  return list_text(stack, "and");
}

std::vector<std::string> problem_words(const Problem& problem) {
  std::vector<std::string> out;
  add_scene(problem.scene, out);
  if (!problem.scene.success.empty()) out.push_back("A trial succeeds if " + success_words(problem.scene) + ".");
  for (const UncertainParameter& one : problem.uncertain) {
    out.push_back(quoted(one.name) + " " + distribution_text(one.distribution, one.unit) + ".");
  }
  for (const UncertainTripod& tripod : problem.tripods) {
    out.push_back(body_text(problem.scene, tripod.body) + " rests on three points, which are drawn.");
  }
  if (problem.grasps.error.body >= 0) out.push_back("The gripper\u2019s pose has an error, which is drawn.");
  add_axes(problem, out);
  out.push_back("The simulation has steps of " + number(1e3 * problem.options.h) + " ms for at most " +
                number(problem.options.duration) + " s, contact model " + name_of(problem.options.contact) +
                " and solver " + name_of(problem.options.solver) + ", in " + name_of(problem.arithmetic) +
                " arithmetic.");
  return out;
}

}  // namespace pegrasp::report
