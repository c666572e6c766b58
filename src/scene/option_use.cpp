// SPDX-License-Identifier: Apache-2.0
#include "src/scene/option_use.hpp"

#include <algorithm>
#include <stdexcept>

#include "pegrasp/names.hpp"

namespace pegrasp {
namespace {

template <auto Member>
bool differs(const StepOptions& options) {
  return !(options.*Member == StepOptions{}.*Member);
}
template <auto Member>
void make_usual(StepOptions& options) {
  options.*Member = StepOptions{}.*Member;
}

// derive_options() sets these for contact model ratio, and the last one to 0 or 2 for any scene.
bool passes_set(const StepOptions& options) {
  return differs<&StepOptions::max_passes>(options) &&
         !(options.contact == ContactModel::ratio && options.max_passes == 1);
}
bool levels_set(const StepOptions& options) {
  return differs<&StepOptions::max_substep_level>(options) &&
         !(options.contact == ContactModel::ratio && options.max_substep_level == 0);
}
bool landings_set(const StepOptions& options) { return options.landing_halvings > 0; }
void reset_landings(StepOptions& options) { options.landing_halvings = std::min(options.landing_halvings, 0); }

template <auto Member>
constexpr OptionUse checked(const char* key, const char* by_way, const char* usual,
                            std::optional<SolverKind> solver = {}) {
  return {key, by_way, solver, usual, differs<Member>, make_usual<Member>};
}
constexpr OptionUse filled_in(const char* key, const char* by_way, const char* usual,
                              std::optional<SolverKind> solver = {}) {
  return {key, by_way, solver, usual, nullptr, nullptr};
}

// A new key of [simulation] gets a line here, a new contact model a column (tests/scene/option_use_test.cpp).
// Columns: peg, peg-features, standard, corrective, penalty with rk4 and with semi-implicit, ratio.
constexpr std::array uses{
    filled_in("h", "yyyyyyy", ""),
    filled_in("duration", "yyyyyyy", ""),
    filled_in("contact", "yyyyyyy", ""),
    filled_in("model", "yyyyyyy", ""),
    filled_in("strategy", "yyyyyyy", ""),
    filled_in("arithmetic", "yyyyyyy", ""),
    filled_in("still_speed", "yyyyyyy", ""),
    filled_in("still_time", "yyyyyyy", ""),
    filled_in("on_unresolved", "yyyyyyy", ""),
    filled_in("length_scale", "yyyyyyy", ""),
    filled_in("shells", "yyyyyyy", ""),                 // false makes a scene with shells one for the other models
    filled_in("penetration_tolerance", "yyyyyyy", ""),  // reports of overlap ask for it
    filled_in("solver", "yyyy-my", "newton"),
    OptionUse{"max_passes", "yjjj---", {}, "5", passes_set, make_usual<&StepOptions::max_passes>},
    filled_in("max_iterations", "yyyy-my", "auto"),
    OptionUse{"max_substep_level", "yyyy---", {}, "4", levels_set, make_usual<&StepOptions::max_substep_level>},
    OptionUse{"landing_halvings", "y------", {}, "auto", landings_set, reset_landings},
    filled_in("warm_start", "yyyy-my", "true"),
    OptionUse{"load_sharing", "yyyy--y", SolverKind::newton, "true", nullptr, nullptr, "false"},
    checked<&StepOptions::look_ahead>("look_ahead", "y------", "false"),
    checked<&StepOptions::jacobi_relaxation>("jacobi_relaxation", "yyyy-my", "0.5", SolverKind::jacobi),
    filled_in("tolerance", "yyyy-my", "auto"),
    filled_in("reject_depth", "yyyy--y", "auto"),
    filled_in("detect_distance", "yyyy--y", "auto"),
    filled_in("recovery_speed", "yyyy-my", "auto"),
    checked<&StepOptions::gamma>("gamma", "------y", nullptr),
    checked<&StepOptions::spring_force>("spring_force", "s------", nullptr),
    checked<&StepOptions::penalty>("penalty", "----yy-", nullptr),
};

bool holds(OptionRead read, const SceneTraits& scene) {
  switch (read) {
    case OptionRead::always:
      return true;
    case OptionRead::with_joints:
      return scene.joints;
    case OptionRead::with_motors:
      return scene.joints || scene.motors;
    case OptionRead::with_shells:
      return scene.shells;
    case OptionRead::never:
      break;
  }
  return false;
}

std::vector<StepWay> ways_of(const StepChoices& choices) {
  std::vector<StepWay> out;
  for (const ContactModel contact : choices.contacts)
    for (const PenaltyIntegrator integrator : choices.integrators) out.push_back(step_way(contact, integrator));
  return out;
}

std::string way_name(StepWay way) {
  switch (way) {
    case StepWay::penalty_rk4:
      return "penalty and integrator rk4";
    case StepWay::penalty_semi_implicit:
      return "penalty";
    case StepWay::ratio:
      return name_of(ContactModel::ratio);
    default:  // the first of both lists are the same
      return name_of(static_cast<ContactModel>(way));
  }
}

std::string list_of(std::vector<std::string> names, const char* word) {
  std::vector<std::string> once;
  for (std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(std::move(name));
  std::string out;
  for (std::size_t i = 0; i < once.size(); ++i)
    out += (i == 0 ? "" : i + 1 == once.size() ? std::string(" ") + word + " " : std::string(", ")) + once[i];
  return out;
}

// The contact models that read it, by their names in a file.
std::string readers_of(const OptionUse& use) {
  std::vector<std::string> names;
  for (std::size_t w = 0; w < step_ways; ++w) {
    const auto way = static_cast<StepWay>(w);
    if (use.read_by(way) == OptionRead::never) continue;
    names.push_back(way == StepWay::penalty_rk4 ? "penalty" : way_name(way));
  }
  return list_of(names, "or");
}

std::string remedy(const OptionUse& use, const SceneTraits& scene, const std::string& other) {
  const char* const usual = usual_of(use, scene);
  const std::string stands = usual != nullptr ? std::string(" (or give its default, ") + usual + ")" : "";
  return "; leave it out" + stands + ", or " + other;
}

}  // namespace

const char* usual_of(const OptionUse& use, const SceneTraits& scene) {
  return !scene.spatial && use.usual_in_2d != nullptr ? use.usual_in_2d : use.usual;
}

std::span<const OptionUse> option_uses() { return uses; }

StepWay step_way(ContactModel contact, PenaltyIntegrator integrator) {
  if (contact == ContactModel::ratio) return StepWay::ratio;
  if (!is_penalty(contact)) return static_cast<StepWay>(contact);
  return integrator == PenaltyIntegrator::rk4 ? StepWay::penalty_rk4 : StepWay::penalty_semi_implicit;
}

SceneTraits traits_of(const SceneSpec& scene) {
  return {!scene.joints.empty(), !scene.actuators.empty(), has_shells(scene), scene.spatial};
}

StepChoices choices_of(const StepOptions& options) {
  return {{options.contact}, {options.penalty.integrator}, {options.solver}};
}

std::string why_unread(const OptionUse& use, const StepChoices& choices, const SceneTraits& scene) {
  const std::vector<StepWay> ways = ways_of(choices);
  if (!std::any_of(ways.begin(), ways.end(), [&](StepWay way) { return holds(use.read_by(way), scene); })) {
    std::vector<std::string> names;
    OptionRead with = OptionRead::never;
    for (const StepWay way : ways) {
      names.push_back(way_name(way));
      if (use.read_by(way) != OptionRead::never) with = use.read_by(way);
    }
    if (with == OptionRead::with_shells)
      return "has no effect where no body has a shell" + remedy(use, scene, "give a body a shell");
    std::string where = "has no effect with contact " + list_of(names, "and");
    if (with == OptionRead::with_joints) where += " where there are no joints and springs";
    if (with == OptionRead::with_motors) where += " where there are no joints, springs and motors";
    return where + remedy(use, scene, "choose contact " + readers_of(use));
  }
  const std::vector<SolverKind>& solvers = choices.solvers;
  if (!use.solver || std::find(solvers.begin(), solvers.end(), *use.solver) != solvers.end()) return {};
  std::vector<std::string> names;
  for (const SolverKind solver : solvers) names.push_back(name_of(solver));
  return "has no effect with solver " + list_of(names, "and") +
         remedy(use, scene, "choose solver " + name_of(*use.solver));
}

void reset_unread(StepOptions& options, const SceneTraits& scene) {
  const StepChoices choices = choices_of(options);
  for (const OptionUse& use : uses)
    if (use.reset != nullptr && !why_unread(use, choices, scene).empty()) use.reset(options);
}

void refuse_unread(const StepOptions& options, const SceneSpec& scene) {
  const StepChoices choices = choices_of(options);
  const SceneTraits traits = traits_of(scene);
  for (const OptionUse& use : uses) {
    if (use.is_set == nullptr || !use.is_set(options)) continue;
    const std::string why = why_unread(use, choices, traits);
    if (!why.empty()) throw std::invalid_argument(std::string(use.key) + " " + why);
  }
}

}  // namespace pegrasp
