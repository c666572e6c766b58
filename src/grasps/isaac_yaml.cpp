// SPDX-License-Identifier: Apache-2.0
// isaac_grasp files, format version 1.0:
// https://nvidia-isaac-ros.github.io/concepts/manipulation/isaac_grasp.html
#include <cmath>

#include "pegrasp/error.hpp"
#include "src/formats/yaml_text.hpp"
#include "src/grasps/grasp_formats.hpp"

namespace pegrasp {
namespace {

class IsaacReader {
 public:
  explicit IsaacReader(const std::string& origin) : origin_(origin) {}

  GraspSet read(const Node& root, std::vector<int>* lines) {
    if (root.type != Node::Type::table || text_of(root, "format") != "isaac_grasp") {
      fail(root, "format", "must be isaac_grasp; give an isaac_grasp file, or another --format");
    }
    const Node* version = root.find("format_version");
    if (version == nullptr ||
        !(version->is_number() ? version->number() == 1.0 : text_of(root, "format_version") == "1.0")) {
      fail(version == nullptr ? root : *version, "format_version", "must be 1.0, the one that is known");
    }
    GraspSet set;
    // The documentation of Isaac Sim calls them otherwise than that of Isaac ROS.
    for (const char* key : {"object_frame", "object_frame_link"}) {
      if (set.object_frame.empty()) set.object_frame = text_of(root, key);
    }
    for (const char* key : {"gripper_frame", "gripper_frame_link"}) {
      if (set.gripper_frame.empty()) set.gripper_frame = text_of(root, key);
    }
    const Node* grasps = root.find("grasps");
    if (grasps == nullptr || grasps->type != Node::Type::table) {
      fail(grasps == nullptr ? root : *grasps, "grasps", "must be a mapping of named grasps; write them below it");
    }
    for (const Member& member : grasps->members) {
      set.grasps.push_back(grasp_of(member.first, member.second));
      if (lines != nullptr) lines->push_back(member.second.line);
    }
    return set;
  }

 private:
  [[noreturn]] void fail(const Node& node, const std::string& path, const std::string& what) const {
    const std::string line = node.line > 0 ? ":" + std::to_string(node.line) : "";
    throw InputError(origin_ + line + ": " + printable(path) + ": " + what);
  }

  static std::string text_of(const Node& table, const std::string& key) {
    const Node* node = table.find(key);
    return node != nullptr && node->type == Node::Type::text ? node->text : std::string();
  }

  double number(const Node& node, const std::string& path) const {
    if (node.is_number() && std::isfinite(node.number())) return node.number();
    fail(node, path, "must be a finite number; correct it");
  }
  const Node& need(const Node& table, const std::string& key, const std::string& path) const {
    const Node* node = table.find(key);
    if (node == nullptr) fail(table, path, "\"" + key + "\" is missing; add it");
    return *node;
  }
  Vec3 vector(const Node& node, const std::string& path) const {
    if (node.type != Node::Type::array || node.items.size() != 3) fail(node, path, "must be a list of three numbers");
    return {number(node.items[0], path), number(node.items[1], path), number(node.items[2], path)};
  }

  std::vector<GraspJoint> joints(const Node& grasp, const std::string& key, const std::string& path) const {
    std::vector<GraspJoint> out;
    const Node* node = grasp.find(key);
    if (node == nullptr || node->type == Node::Type::other) return out;
    if (node->type != Node::Type::table) fail(*node, path + "." + key, "must be a mapping of joints to coordinates");
    for (const auto& [name, value] : node->members) {
      out.push_back({name, number(value, path + "." + key + "." + name)});
    }
    return out;
  }

  Grasp grasp_of(const std::string& name, const Node& node) const {
    const std::string path = "grasps." + name;
    if (node.type != Node::Type::table) fail(node, path, "must be a mapping with position and orientation");
    Grasp grasp;
    grasp.id = name;
    grasp.position = vector(need(node, "position", path), path + ".position");
    const Node& turn = need(node, "orientation", path);
    if (turn.type != Node::Type::table) fail(turn, path + ".orientation", "must be { w: ..., xyz: [...] }");
    const Vec3 v = vector(need(turn, "xyz", path + ".orientation"), path + ".orientation.xyz");
    grasp.turn = {number(need(turn, "w", path + ".orientation"), path + ".orientation.w"), v.x, v.y, v.z};
    if (const Node* confidence = node.find("confidence"); confidence != nullptr) {
      grasp.confidence = number(*confidence, path + ".confidence");
    }
    grasp.joints = joints(node, "cspace_position", path);
    grasp.open_joints = joints(node, "pregrasp_cspace_position", path);
    check_grasp(grasp, origin_ + (node.line > 0 ? ":" + std::to_string(node.line) : "") + ": " + printable(path));
    return grasp;
  }

  const std::string& origin_;
};

void write_joints(std::string& out, const char* key, const std::vector<GraspJoint>& joints) {
  if (joints.empty()) return;
  out += std::string("    ") + key + ":\n";
  for (const GraspJoint& joint : joints) {
    out += "      " + yaml_text(joint.name) + ": " + yaml_number(joint.value) + "\n";
  }
}

}  // namespace

GraspSet read_isaac_grasps(const std::string& text, const std::string& origin, std::vector<int>* lines) {
  return IsaacReader(origin).read(parse_yaml(text, origin), lines);
}

void write_isaac_grasps(const GraspSet& about, const ForEachGrasp& grasps, const PutText& put) {
  std::string out = "format: isaac_grasp\nformat_version: 1.0\n\n";
  if (!about.object_frame.empty()) out += "object_frame: " + yaml_text(about.object_frame) + "\n";
  if (!about.gripper_frame.empty()) out += "gripper_frame: " + yaml_text(about.gripper_frame) + "\n";
  put(out + "\ngrasps:\n");
  grasps([&put](const Grasp& grasp) {
    const Vec3 p = grasp.position;
    const Quaternion q = grasp.turn;
    const auto list = [](double a, double b, double c) {
      return "[" + yaml_number(a) + ", " + yaml_number(b) + ", " + yaml_number(c) + "]";
    };
    std::string own = "  " + yaml_text(grasp.id) + ":\n";
    if (grasp.confidence) own += "    confidence: " + yaml_number(*grasp.confidence) + "\n";
    own += "    position: " + list(p.x, p.y, p.z) + "\n";
    own += "    orientation: {w: " + yaml_number(q.w) + ", xyz: " + list(q.x, q.y, q.z) + "}\n";
    write_joints(own, "cspace_position", grasp.joints);
    write_joints(own, "pregrasp_cspace_position", grasp.open_joints);
    put(own);
  });
}

}  // namespace pegrasp
