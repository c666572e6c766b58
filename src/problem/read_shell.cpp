// SPDX-License-Identifier: Apache-2.0
// Reader of the compliant shells of bodies, parts and pads.
#include "src/problem/readers.hpp"

namespace pegrasp {

std::optional<CompliantShell> read_shell(Section& section) {
  const Node* node = section.raw("shell");
  if (node == nullptr) return std::nullopt;
  if (node->type != Node::Type::table) {
    section.fail("shell", "must be a table; write shell = { thickness_mm = 1, stiffness_n_per_m = 1e4 }");
  }
  Section keys_of(section.context(), node, section.at("shell"), keys::shell);
  CompliantShell shell;
  shell.thickness = keys_of.number("thickness", quantity::length, {}, positive);
  shell.stiffness = keys_of.number("stiffness", quantity::stiffness, {}, positive);
  shell.damping = keys_of.number("damping", quantity::damping, 0.0, not_negative);
  shell.tangential_stiffness = keys_of.number("tangential_stiffness", quantity::stiffness, 0.0, not_negative);
  shell.tangential_damping = keys_of.number("tangential_damping", quantity::damping, 0.0, not_negative);
  if (shell.tangential_damping > 0.0 && !(shell.tangential_stiffness > 0.0)) {
    keys_of.fail(
        "tangential_damping_n_s_per_m",
        "is of a shell that is rigid along its surface; give tangential_stiffness_n_per_m too, or leave it out");
  }
  section.put("shell", keys_of.finish(false));
  return shell;
}

}  // namespace pegrasp
