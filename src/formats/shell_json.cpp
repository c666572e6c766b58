// SPDX-License-Identifier: Apache-2.0
#include "src/formats/shell_json.hpp"

namespace pegrasp {

std::optional<CompliantShell> read_shell(const JsonCursor& owner) {
  if (!owner.has("shell")) return std::nullopt;
  const JsonCursor place = owner.at("shell");
  place.expect_object({"thickness", "stiffness", "damping", "tangential_stiffness", "tangential_damping"});
  CompliantShell shell;
  shell.thickness = place.at("thickness").positive();
  shell.stiffness = place.at("stiffness").positive();
  if (place.has("damping")) shell.damping = place.at("damping").not_negative();
  if (place.has("tangential_stiffness")) shell.tangential_stiffness = place.at("tangential_stiffness").not_negative();
  if (place.has("tangential_damping")) shell.tangential_damping = place.at("tangential_damping").not_negative();
  if (shell.tangential_damping > 0.0 && !(shell.tangential_stiffness > 0.0)) {
    place.at("tangential_damping")
        .fail("is of a shell that is rigid along its surface: give \"tangential_stiffness\" too, or drop it");
  }
  return shell;
}

nlohmann::json write_shell(const CompliantShell& shell) {
  return {{"thickness", shell.thickness},
          {"stiffness", shell.stiffness},
          {"damping", shell.damping},
          {"tangential_stiffness", shell.tangential_stiffness},
          {"tangential_damping", shell.tangential_damping}};
}

}  // namespace pegrasp
