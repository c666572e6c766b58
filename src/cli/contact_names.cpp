// SPDX-License-Identifier: Apache-2.0
#include "src/cli/contact_names.hpp"

namespace pegrasp::cli {
namespace {

std::string name_or_number(const std::string& name, int number) {
  return name.empty() ? "#" + std::to_string(number) : name;
}

// Support points are numbered body by body.
std::string supported_body(const SceneSpec& scene, int point) {
  int first = 0;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    if (scene.spatial || !scene.bodies[body].planar().support) continue;
    if (point < first + 3) return body_name(scene, static_cast<int>(body));
    first += 3;
  }
  return name_or_number("", point);
}

}  // namespace

std::string body_name(const SceneSpec& scene, int body) {
  return name_or_number(scene.bodies[static_cast<std::size_t>(body)].name, body);
}

// part: over all bodies, in order.
std::string part_name(const SceneSpec& scene, int part) {
  int first = 0;
  for (const BodySpec& body : scene.bodies) {
    const auto count = static_cast<int>(scene.spatial ? body.spatial().parts.size() : body.planar().parts.size());
    if (part < first + count) {
      const auto k = static_cast<std::size_t>(part - first);
      return name_or_number(scene.spatial ? body.spatial().parts[k].name : body.planar().parts[k].name, part - first);
    }
    first += count;
  }
  return name_or_number("", part);
}

const char* feature_name(ContactFeature feature, bool spatial) {
  switch (feature) {
    case ContactFeature::face_a:
      return spatial ? "face of first" : "edge of first";
    case ContactFeature::face_b:
      return spatial ? "face of second" : "edge of second";
    case ContactFeature::edges:
      return "two edges";
    case ContactFeature::round:
      break;
  }
  return spatial ? "round" : "two arcs";
}

const char* state_name(ContactState state) {
  switch (state) {
    case ContactState::stick:
      return "stick";
    case ContactState::slide:
      return "slide";
    case ContactState::none:
      break;
  }
  return "none";
}

RowName row_name(const SceneSpec& scene, const RowReport& row) {
  const auto index = static_cast<std::size_t>(row.index);
  switch (row.kind) {
    case RowKind::support:
      return {"support", supported_body(scene, row.index),
              "point " + std::to_string(row.index % 3) + (row.row == 0 ? " x" : " y")};
    case RowKind::motor:
      return {"motor", name_or_number(scene.actuators[index].name, row.index), std::to_string(row.row)};
    case RowKind::joint:
      return {"joint", name_or_number(scene.joints[index].name, row.index), std::to_string(row.row)};
    case RowKind::coupling: {
      const CouplingSpec& coupling = scene.couplings[index];
      const int joint = row.row == 0 ? coupling.joint : coupling.of_joint;
      return {"coupling", name_or_number(coupling.name, row.index),
              name_or_number(scene.joints[static_cast<std::size_t>(joint)].name, joint)};
    }
    case RowKind::limit:
      break;
  }
  return {"limit", name_or_number(scene.joints[index].name, row.index), row.row == 0 ? "slide" : "turn"};
}

}  // namespace pegrasp::cli
