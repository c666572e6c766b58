// SPDX-License-Identifier: Apache-2.0
// Protocols: what a gripper does with a part that it is to hold, as data. Phases follow each other; each moves the
// gripper, closes its fingers or pulls the part.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/problem/readers.hpp"

namespace pegrasp {

struct ProtocolPhase {
  std::string name;
  double time = 0.0;   // that it lasts [s]
  Vec3 move;           // of the gripper within the phase [m]
  Vec3 turn;           // rotation vector [rad], about the gripper's origin
  bool world = false;  // move, turn and pull are along the axes of the world; false: of the gripper
  bool close = false;  // the fingers close from its beginning on
  Vec3 pull;           // on the part, all the while: in multiples of its weight on earth,
  Vec3 force;          // and in newtons
};

struct Protocol {
  std::string name;
  int version = 1;
  bool gravity = false;  // false: the scene has none, and pulls stand for the part's weight
  std::vector<ProtocolPhase> phases;
  // Success: from the end of the phase that closes on, the part slips and tilts by no more, as the gripper sees it, and
  // fingers touch it for at least so long up to the end.
  double slip = 0.0;      // [m]
  double tilt = 0.0;      // [rad]
  double touching = 0.0;  // [s]

  double duration() const;      // [s]
  std::size_t closing() const;  // the phase that closes
  double begin_of(std::size_t phase) const;
};

// Reads a table [protocol]; stores its resolved form, with which a problem needs no other file.
Protocol read_protocol(ReadContext& context, const Node& node, Node& resolved);

// The table [protocol] of a protocol of the program (by its name), or of a file (by a path with a point or a slash).
// Throws InputError.
Node find_protocol(const std::string& name, const std::filesystem::path& folder);

}  // namespace pegrasp
