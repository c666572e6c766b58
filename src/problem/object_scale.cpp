// SPDX-License-Identifier: Apache-2.0
// The scale of the held part's mesh and that of the object of a file of grasps.
#include <algorithm>
#include <cmath>
#include <optional>

#include "src/grasps/grasp_formats.hpp"
#include "src/problem/grasp_readers.hpp"

namespace pegrasp {
namespace {

std::string text_in(const Node& table, const std::string& key, const std::string& fallback) {
  const Node* node = table.find(key);
  return node != nullptr && node->type == Node::Type::text ? node->text : fallback;
}

// The meshes of the body that [grasps] is to hold.
std::vector<Node*> held_meshes(Node& document) {
  std::vector<Node*> meshes;
  const Node* grasps = document.find("grasps");
  Node* bodies = document.find("body");
  if (grasps == nullptr || bodies == nullptr) return meshes;
  const std::string name = text_in(*grasps, "part", "part");
  for (Node& body : bodies->items) {
    Node* parts = text_in(body, "name", {}) == name ? body.find("part") : nullptr;
    if (parts == nullptr) continue;
    for (Node& part : parts->items) {
      if (text_in(part, "shape", {}) == "mesh") meshes.push_back(&part);
    }
  }
  return meshes;
}

// What is wrong with the file is said where the grasps are read.
std::optional<double> scale_in_file(const Node& grasps, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / text_in(grasps, "file", {});
  const std::vector<std::string>& names = grasp_format_names();
  const auto named = std::find(names.begin(), names.end(), text_in(grasps, "format", {}));
  const std::optional<GraspFormat> format =
      named == names.end() ? format_of(file) : std::optional(static_cast<GraspFormat>(named - names.begin()));
  if (!format || !has_object_scale(*format)) return std::nullopt;
  try {
    return read_grasps(file, *format).object_scale;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool has_scale(const Node& mesh, double scale) {
  const auto same = [scale](const Node& node) {
    return node.is_number() && std::fabs(node.number() - scale) <= 1e-6 * scale;
  };
  const Node* given = mesh.find("scale");
  if (given == nullptr) return same(Node::of(1.0));
  return given->items.empty() ? same(*given) : std::all_of(given->items.begin(), given->items.end(), same);
}

}  // namespace

void take_object_scale(Node& document, const std::filesystem::path& folder) {
  std::vector<Node*> open = held_meshes(document);
  std::erase_if(open, [](const Node* mesh) { return mesh->find("scale") != nullptr; });
  if (open.empty()) return;
  const std::optional<double> scale = scale_in_file(*document.find("grasps"), folder);
  for (Node* mesh : open) {
    if (scale) mesh->set("scale", Node::of(*scale));
  }
}

void compare_object_scale(Node& document, Problem& problem) {
  if (!problem.grasps.given() || !problem.grasps.list->about().object_scale) return;
  const std::optional<double>& scale = problem.grasps.list->about().object_scale;
  for (const Node* mesh : held_meshes(document)) {
    if (has_scale(*mesh, *scale)) continue;
    BodySpec& part = problem.scene.bodies[static_cast<std::size_t>(problem.grasps.part)];
    part.remarks.push_back({true, printable(problem.grasps.file.string()) +
                                      ": holds grasps of an object of the scale " + digits_of(*scale) +
                                      ", but the mesh of \"" + part.name +
                                      "\" has another: leave out its scale to take that of the file"});
    return;
  }
}

}  // namespace pegrasp
