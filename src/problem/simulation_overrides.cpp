// SPDX-License-Identifier: Apache-2.0
#include "src/problem/simulation_overrides.hpp"
#include "src/problem/overrides.hpp"

#include <algorithm>

#include "src/problem/readers.hpp"

namespace pegrasp {

void override_simulation(const std::vector<Override>& overrides, const std::string& origin, StepOptions& options,
                         Arithmetic& arithmetic, SceneSpec& scene) {
  if (overrides.empty()) return;
  const std::string file = printable(origin);
  Node document;
  for (const Override& change : overrides) {
    apply_override(document, change, file);
    if (document.members.size() == 1 && document.find("simulation") != nullptr) continue;
    throw InputError(file + ": --set " + printable(change.key) +
                     ": is for problem files; a scene file takes simulation.KEY=VALUE alone");
  }
  const Node* section = document.find("simulation");
  const auto given = [section](const std::string& base) {
    return std::any_of(section->members.begin(), section->members.end(),
                       [&](const Member& member) { return key_base(member.first) == base; });
  };
  ReadContext context{file, nullptr, {}};
  StepOptions read;
  SceneSpec changed;
  read_simulation(context, section, true, read, arithmetic, changed);
  if (!given("load_sharing")) read.load_sharing = options.load_sharing;  // on by default in problems alone
  if (!given("look_ahead")) read.look_ahead = options.look_ahead;
  if (!given("duration")) read.duration = options.duration;
  if (given("length_scale")) scene.length_scale = changed.length_scale;
  if (given("model")) scene.model = changed.model;
  check_option_use(context, section, choices_of(read), traits_of(scene), false);
  if (!wants_shells(section)) remove_shells(scene);
  reset_unread(read, traits_of(scene));
  options = read;
}

}  // namespace pegrasp
