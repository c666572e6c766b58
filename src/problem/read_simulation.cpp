// SPDX-License-Identifier: Apache-2.0
// Readers of [simulation] and [grid].
#include <cmath>

#include "pegrasp/names.hpp"
#include "src/problem/readers.hpp"

namespace pegrasp {
namespace {

constexpr double most_cells_per_axis = 10000.0;

// Reads one axis of the grid: { from, to, step } or { from, to, count } or a list of centres.
std::vector<double> read_axis(Section& section, const std::string& base, const Quantity& quantity) {
  if (!section.has(base, quantity)) {
    section.numbers(base, quantity, 1, 1, any_number, {0.0});
    return {0.0};
  }
  for (const Unit& unit : quantity.units) {
    const std::string key = unit_key(base, unit);
    const Node* node = section.raw(key);
    if (node == nullptr || node->type != Node::Type::table) continue;
    if (section.has(unit_key(base, quantity.units[0])) && section.has(unit_key(base, quantity.units[1]))) {
      section.fail(key, "is given in two units; keep one of them");
    }
    Section axis(section.context(), node, section.at(key), keys::axis);
    const double from = axis.number("from", quantity::number, {});
    const double to = axis.number("to", quantity::number, {});
    if (!(to >= from)) axis.fail("to", "must not be less than from; swap the two");
    double intervals = 0.0;
    if (axis.has("count")) {
      if (axis.has("step")) axis.fail("step", "stands beside count; give one of the two");
      intervals = static_cast<double>(axis.integer("count", {}, 1, static_cast<std::int64_t>(most_cells_per_axis)) - 1);
      if (intervals == 0.0 && to != from) axis.fail("count", "of 1 needs from = to; give 2 or more");
    } else {
      const double step = axis.number("step", quantity::number, {}, positive);
      intervals = std::round((to - from) / step);
      if (!(intervals < most_cells_per_axis)) axis.fail("step", "makes more than 10000 cells on this axis; enlarge it");
      if (!(std::abs((to - from) - intervals * step) <= 1e-9 * (to - from))) {
        axis.fail("step", "does not divide the range from .. to; choose a step that does");
      }
    }
    std::vector<double> centres;
    for (double i = 0.0; i <= intervals; i += 1.0) {
      // symmetric in from and to, so that a symmetric grid has exactly mirrored centres
      const double centre = intervals == 0.0 ? from : (from * (intervals - i) + to * i) / intervals;
      centres.push_back(unit.to_si(centre));
    }
    section.put(key, axis.finish(false));
    return centres;
  }
  const std::vector<double> centres = section.numbers(base, quantity, 1, static_cast<std::size_t>(most_cells_per_axis));
  for (std::size_t i = 1; i < centres.size(); ++i) {
    if (!(centres[i] > centres[i - 1])) section.fail("", "has " + base + " centres that do not increase; sort them");
  }
  return centres;
}

MotionModel read_model(Section& section) {
  if (section.text("model", {}) == "geometric") {
    section.fail(
        "model",
        "\"geometric\" moves nothing in time: it asks whether a way exists, as pegrasp design --levels geometric "
        "does; choose dynamic or quasistatic");
  }
  return static_cast<MotionModel>(section.choice("model", motion_model_names(), 0));
}

// [simulation.penalty], the law of penalty contacts. A resolved problem has it where it is given or used.
void read_penalty(Section& simulation, const StepOptions& options, PenaltyOptions& out) {
  const Node* node = simulation.raw("penalty");
  if (node == nullptr && !is_penalty(options.contact)) return;
  Section section(simulation.context(), node, simulation.at("penalty"), keys::penalty);
  out.integrator = static_cast<PenaltyIntegrator>(section.choice("integrator", penalty_integrator_names(), 0));
  out.lambda = section.number("lambda", quantity::number, 0.85, Range{0.0, 0.999999});
  out.stiffness = section.number("proportional", quantity::number, 100.0, positive);
  out.damping = section.number("derivative", quantity::number, 50.0, not_negative);
  out.integral = section.number("integral", quantity::number, 2.0, not_negative);
  out.still_speed = section.number("still_speed", quantity::speed, 10.0, positive);
  out.impact_speed = section.number("impact_speed", quantity::speed, 0.001, not_negative);
  simulation.put("penalty", section.finish(true));
}

}  // namespace

Node read_grid(ReadContext& context, const Node* node, bool spatial, Grid& grid) {
  Section section(context, node, "grid", keys::grid);
  if (section.has("yaw", quantity::angle)) {
    if (!spatial) section.fail("yaw_deg", "is for problems in 3D; set dim = 3, or use x_mm and y_mm");
    const bool along_y = section.has("y", quantity::length);
    if (along_y && section.has("x", quantity::length)) {
      section.fail("yaw_deg", "is a third axis; a map has two, so give x_mm or y_mm beside it");
    }
    grid.x = read_axis(section, along_y ? "y" : "x", quantity::length);
    grid.x_name = along_y ? "y_mm" : "x_mm";
    grid.y = read_axis(section, "yaw", quantity::angle);
    grid.y_name = "yaw_deg";
  } else {
    grid.x = read_axis(section, "x", quantity::length);
    grid.y = read_axis(section, "y", quantity::length);
  }
  if (static_cast<double>(grid.x.size()) * static_cast<double>(grid.y.size()) > 1e7) {
    section.fail("", "has more than ten million cells; make it coarser");
  }
  return section.finish(true);
}

Node read_simulation(ReadContext& context, const Node* node, bool spatial, StepOptions& options, Arithmetic& arithmetic,
                     SceneSpec& scene) {
  Section section(context, node, "simulation", keys::simulation);
  options.h = section.number("h", quantity::duration, 5.0, Range{0.0, 1.0, true});
  options.duration = section.number("duration", quantity::long_duration, 1.0, Range{0.0, 1e5, true});
  if (options.duration / options.h > 1e8)
    section.fail("h_ms", "makes more than 1e8 steps; lengthen h or shorten duration");
  options.contact = static_cast<ContactModel>(section.choice("contact", contact_names(), 0));
  options.solver =
      static_cast<SolverKind>(section.choice("solver", solver_names(), static_cast<int>(StepOptions{}.solver)));
  options.strategy = static_cast<Strategy>(section.choice("strategy", strategy_names(), 0));
  arithmetic = static_cast<Arithmetic>(section.choice("arithmetic", arithmetic_names(), 0));
  options.still_speed = section.number("still_speed", quantity::speed, 0.1, positive);
  options.still_time = section.number("still_time", quantity::duration, 0.0, Range{0.0, 1e5});
  options.max_passes = static_cast<int>(section.integer("max_passes", 5, 1, 100));
  options.max_iterations = static_cast<int>(section.integer_or_auto("max_iterations", 1, 10'000'000));
  options.max_substep_level = static_cast<int>(section.integer("max_substep_level", 4, 0, 12));
  options.landing_halvings = static_cast<int>(section.integer_or_auto("landing_halvings", 0, 12, -1));
  options.on_unresolved = static_cast<OnUnresolved>(section.choice("on_unresolved", on_unresolved_names(), 0));
  options.warm_start = section.boolean("warm_start", true);
  options.load_sharing = section.boolean("load_sharing", spatial);
  if (options.load_sharing && !spatial) section.fail("load_sharing", "is for problems with dim = 3; leave it out");
  options.look_ahead = section.boolean("look_ahead", false);
  if (options.look_ahead && !spatial) section.fail("look_ahead", "is for problems with dim = 3; leave it out");
  options.tolerance = section.number_or_auto("tolerance", quantity::slow_speed);
  options.penetration_tolerance = section.number_or_auto("penetration_tolerance", quantity::length);
  options.reject_depth = section.number_or_auto("reject_depth", quantity::length);
  options.detect_distance = section.number_or_auto("detect_distance", quantity::length);
  options.recovery_speed = section.number_or_auto("recovery_speed", quantity::slow_speed);
  options.jacobi_relaxation = section.number("jacobi_relaxation", quantity::number, 0.5, Range{0.0, 1.0, true});
  scene.length_scale = section.number_or_auto("length_scale", quantity::length);
  if (section.has("model")) scene.model = read_model(section);
  if (section.has("spring_force"))
    options.spring_force = static_cast<SpringForce>(section.choice("spring_force", spring_force_names(), 0));
  if (section.has("shells")) section.boolean("shells", true);  // wants_shells() asks for it, when bodies are read
  read_penalty(section, options, options.penalty);
  if (section.has("gamma") || options.contact == ContactModel::ratio)
    options.gamma = section.number("gamma", quantity::number, 1.0, Range{0.0, 1.0});
  return section.finish(true);
}

void check_option_use(ReadContext& context, const Node* simulation, const StepChoices& choices,
                      const SceneTraits& scene, bool defaults) {
  if (simulation == nullptr) return;
  for (const auto& [key, node] : simulation->members) {
    const std::string base = key_base(key);
    for (const OptionUse& use : option_uses()) {
      if (base != use.key) continue;
      const std::string given = node.type == Node::Type::text ? node.text : write_value(node);
      const char* const usual = usual_of(use, scene);
      if (defaults && usual != nullptr && given == usual) break;
      const std::string why = why_unread(use, choices, scene);
      if (!why.empty()) context.fail(&node, "simulation." + key, why);
    }
  }
}

bool wants_shells(const Node* simulation) {
  const Node* const given = simulation == nullptr ? nullptr : simulation->find("shells");
  return given == nullptr || given->type != Node::Type::boolean || given->boolean;
}

}  // namespace pegrasp
