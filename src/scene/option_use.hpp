// SPDX-License-Identifier: Apache-2.0
// Which options a contact model and a solver read: one table, by which problem files, scene files and the C++ interface
// refuse what would have no effect.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/options.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

// The ways in which scenes are stepped, as far as they read options of their own: the columns of the table.
enum class StepWay : int { peg = 0, peg_features, standard, corrective, penalty_rk4, penalty_semi_implicit, ratio };
inline constexpr std::size_t step_ways = 7;
StepWay step_way(ContactModel contact, PenaltyIntegrator integrator);

// Whether a way reads an option, or in which scenes.
enum class OptionRead : char {
  never = '-',
  always = 'y',
  with_joints = 'j',  // springs among them
  with_motors = 'm',  // or joints
  with_shells = 's',
};

struct OptionUse {
  const char* key;                   // of [simulation], without unit; in StepOptions its name is the same
  const char* by_way;                // step_ways letters, each an OptionRead
  std::optional<SolverKind> solver;  // the only one that reads it
  // The value that a resolved problem has where nobody gives one, as TOML: it may stand where it has no effect. Null: a
  // resolved problem has the key where it is given or read.
  const char* usual;
  // Of options that the C++ interface refuses: whether it differs from its default, and how it gets that. Null: options
  // that derive_options() fills in, so that it cannot know who did.
  bool (*is_set)(const StepOptions& options);
  void (*reset)(StepOptions& options);
  const char* usual_in_2d = nullptr;  // where it is another there

  OptionRead read_by(StepWay way) const { return static_cast<OptionRead>(by_way[static_cast<int>(way)]); }
};
std::span<const OptionUse> option_uses();

// What of a scene decides which options count, and their defaults.
struct SceneTraits {
  bool joints = false, motors = false, shells = false, spatial = false;
};
SceneTraits traits_of(const SceneSpec& scene);

// The contact models, integrators and solvers of a problem: more than one of each where an axis moves the key.
struct StepChoices {
  std::vector<ContactModel> contacts;
  std::vector<PenaltyIntegrator> integrators;
  std::vector<SolverKind> solvers;
};
StepChoices choices_of(const StepOptions& options);

// The value of OptionUse::usual in the scene.
const char* usual_of(const OptionUse& use, const SceneTraits& scene);

// Why the option has no effect with any of the choices, and what to do, in one line that begins with "has no effect";
// empty where it has one.
std::string why_unread(const OptionUse& use, const StepChoices& choices, const SceneTraits& scene);

// Gives options that have no effect their default values.
void reset_unread(StepOptions& options, const SceneTraits& scene);

// Throws std::invalid_argument, one line, for an option that is set and has no effect.
void refuse_unread(const StepOptions& options, const SceneSpec& scene);

}  // namespace pegrasp
