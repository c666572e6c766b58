// SPDX-License-Identifier: Apache-2.0
// Compliant shells in peg-scene-1 files.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "pegrasp/shell.hpp"
#include "src/formats/json_cursor.hpp"

namespace pegrasp {

// The "shell" of a body or a part, where it has one, in SI units. Throws InputError that names the place.
std::optional<CompliantShell> read_shell(const JsonCursor& owner);
nlohmann::json write_shell(const CompliantShell& shell);

}  // namespace pegrasp
