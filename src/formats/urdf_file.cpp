// SPDX-License-Identifier: Apache-2.0
#include "src/formats/urdf_file.hpp"

#ifdef PEGRASP_HAVE_TINYXML2
#include <tinyxml2.h>
#endif

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "pegrasp/shapes.hpp"
#include "src/geometry/placement.hpp"
#include "src/text/printable.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {

#ifndef PEGRASP_HAVE_TINYXML2

bool reads_urdf() { return false; }

UrdfRobot read_urdf(const std::string&, const std::string& place) {
  throw ShapeError(place +
                   ": this pegrasp was built without TinyXML-2 and reads no URDF: install libtinyxml2-dev and build " +
                   "it without PEGRASP_PREBUILT");
}

#else

bool reads_urdf() { return true; }

namespace {

using tinyxml2::XMLElement;

// Loops over the bodies of a scene compare their names.
constexpr std::size_t most_links = 4096;

constexpr const char* expand_it = ", a language for writing URDF: expand the file first, xacro FILE.xacro > FILE.urdf";

// The turn of roll, pitch and yaw [rad]: turns about the fixed axes x, y and z, in this order, as URDF defines them.
Quaternion turn_of(Vec3 rpy) {
  return normalised(turn_by({0.0, 0.0, rpy.z}) * turn_by({0.0, rpy.y, 0.0}) * turn_by({rpy.x, 0.0, 0.0}));
}

class Reader {
 public:
  Reader(const XMLElement& robot, std::string place) : robot_(robot), place_(std::move(place)) {}

  UrdfRobot read() {
    if (const char* name = robot_.Attribute("name")) out_.name = name;
    for (const XMLElement* e = robot_.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string tag = e->Name();
      if (tag.rfind("xacro:", 0) == 0) fail(*e, std::string("is xacro") + expand_it);
      if (tag == "link") read_link(*e);
    }
    if (out_.links.size() > most_links) {
      fail(robot_, "has " + std::to_string(out_.links.size()) + " links, and " + std::to_string(most_links) +
                       " are the most: divide the robot");
    }
    for (const XMLElement* e = robot_.FirstChildElement("joint"); e != nullptr; e = e->NextSiblingElement("joint")) {
      read_joint(*e);
    }
    if (out_.links.empty()) fail(robot_, "has no links: add <link name=\"...\">");
    check_names();
    find_leaders();
    find_root();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& problem) const {
    throw ShapeError(printable_line(place_ + ":" + std::to_string(line) + ": " + problem));
  }
  [[noreturn]] void fail(const XMLElement& e, const std::string& problem) const {
    fail(e.GetLineNum(), owner_ + "<" + std::string(e.Name()) + "> " + problem);
  }

  static std::string shown(const std::string& text) { return printable(text.substr(0, 60)); }

  // Unknown elements are extensions of other programs and are skipped. An element that looks like a misspelt known one
  // is refused, because it would be skipped silently.
  void check_children(const XMLElement& e, const std::vector<std::string>& known) const {
    for (const XMLElement* child = e.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      const std::string tag = child->Name();
      if (tag.rfind("xacro:", 0) == 0) fail(*child, std::string("is xacro") + expand_it);
      if (std::find(known.begin(), known.end(), tag) != known.end()) continue;
      for (const std::string& word : known) {
        if (edit_distance(tag, word) <= 2) fail(*child, "is unknown; did you mean <" + word + ">?");
      }
    }
  }

  // The child element of this name, which may occur once; null where there is none.
  const XMLElement* child(const XMLElement& e, const char* tag) const {
    const XMLElement* found = e.FirstChildElement(tag);
    if (found != nullptr && found->NextSiblingElement(tag) != nullptr) {
      fail(*found->NextSiblingElement(tag), "stands twice: keep one of them");
    }
    return found;
  }
  const XMLElement& needed(const XMLElement& e, const char* tag) const {
    const XMLElement* found = child(e, tag);
    if (found == nullptr) fail(e, std::string("has no <") + tag + ">: add it");
    return *found;
  }

  std::string text(const XMLElement& e, const char* attribute) const {
    const char* value = e.Attribute(attribute);
    if (value == nullptr || *value == 0) fail(e, std::string("has no ") + attribute + "=\"...\": add it");
    const std::string found = value;
    if (found.find("${") != std::string::npos || found.find("$(") != std::string::npos) {
      fail(e, std::string(attribute) + "=\"" + shown(found) + "\" is left over from xacro" + expand_it);
    }
    return found;
  }
  // Points and slashes are usual in URDF. Where a name stands in a path, it is quoted.
  std::string name(const XMLElement& e) const {
    const std::string value = text(e, "name");
    const auto unfit = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::any_of(value.begin(), value.end(), unfit)) {
      fail(e, "name=\"" + shown(value) + "\" has control characters: take them out");
    }
    return value;
  }

  std::vector<double> numbers(const XMLElement& e, const char* attribute, std::size_t count) const {
    const std::string value = text(e, attribute);
    std::vector<double> out;
    const char* at = value.data();
    const char* end = at + value.size();
    while (true) {
      while (at != end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
      if (at == end) break;
      if (*at == '+') ++at;
      double number = 0.0;
      const auto [after, error] = std::from_chars(at, end, number);
      const bool parted = after == end || *after == ' ' || *after == '\t' || *after == '\n' || *after == '\r';
      constexpr double largest = 1e12;  // as in problem files
      if (error != std::errc() || !parted || !(std::fabs(number) <= largest)) {
        fail(e,
             std::string(attribute) + "=\"" + shown(value) + "\" holds what is no number: write numbers such as 0.25");
      }
      out.push_back(number);
      at = after;
    }
    if (out.size() != count) {
      fail(e, std::string(attribute) + "=\"" + shown(value) + "\" must be " + std::to_string(count) +
                  (count == 1 ? " number" : " numbers"));
    }
    return out;
  }
  double number(const XMLElement& e, const char* attribute) const { return numbers(e, attribute, 1)[0]; }
  double number_or(const XMLElement& e, const char* attribute, double otherwise) const {
    return e.Attribute(attribute) == nullptr ? otherwise : number(e, attribute);
  }
  double positive(const XMLElement& e, const char* attribute) const {
    const double value = number(e, attribute);
    if (!(value > 0.0)) fail(e, std::string(attribute) + " must be greater than 0");
    return value;
  }
  double not_negative(const XMLElement& e, const char* attribute) const {
    const double value = number_or(e, attribute, 0.0);
    if (!(value >= 0.0)) fail(e, std::string(attribute) + " must not be negative");
    return value;
  }
  Vec3 vector(const XMLElement& e, const char* attribute) const {
    const std::vector<double> v = numbers(e, attribute, 3);
    return {v[0], v[1], v[2]};
  }

  SpatialPose origin(const XMLElement& e) const {
    SpatialPose pose;
    const XMLElement* found = child(e, "origin");
    if (found == nullptr) return pose;
    if (found->Attribute("xyz") != nullptr) pose.position = vector(*found, "xyz");
    if (found->Attribute("rpy") != nullptr) pose.turn = turn_of(vector(*found, "rpy"));
    return pose;
  }

  UrdfShape shape(const XMLElement& collision) const {
    check_children(collision, {"origin", "geometry", "verbose"});
    UrdfShape out;
    out.line = collision.GetLineNum();
    out.pose = origin(collision);
    const XMLElement& geometry = needed(collision, "geometry");
    const XMLElement* e = geometry.FirstChildElement();
    if (e == nullptr) fail(geometry, "is empty: add <box>, <cylinder>, <sphere>, <capsule> or <mesh>");
    if (e->NextSiblingElement() != nullptr)
      fail(*e->NextSiblingElement(), "is a second shape: add another <collision>");
    const std::string kind = e->Name();
    if (kind.starts_with("xacro:")) fail(*e, std::string("is xacro") + expand_it);
    if (kind == "box") {
      out.kind = UrdfShape::Kind::box;
      out.size = vector(*e, "size");
      if (!(std::min({out.size.x, out.size.y, out.size.z}) > 0.0))
        fail(*e, "size must be greater than 0 along each axis");
    } else if (kind == "cylinder" || kind == "capsule") {
      out.kind = kind == "capsule" ? UrdfShape::Kind::capsule : UrdfShape::Kind::cylinder;
      out.radius = positive(*e, "radius");
      out.length = positive(*e, "length");
    } else if (kind == "sphere") {
      out.kind = UrdfShape::Kind::sphere;
      out.radius = positive(*e, "radius");
    } else if (kind == "mesh") {
      out.kind = UrdfShape::Kind::mesh;
      out.file = text(*e, "filename");
      out.size = e->Attribute("scale") == nullptr ? Vec3{1.0, 1.0, 1.0} : vector(*e, "scale");
    } else {
      fail(*e, "is no shape known here: use box, cylinder, sphere, capsule or mesh");
    }
    return out;
  }

  void read_inertial(const XMLElement& e, UrdfLink& link) const {
    check_children(e, {"origin", "mass", "inertia"});
    link.centre = origin(e);
    const XMLElement& mass = needed(e, "mass");
    link.mass = not_negative(mass, "value");
    const XMLElement* inertia = child(e, "inertia");
    if (inertia == nullptr) return;
    link.inertia = {number(*inertia, "ixx"),         number(*inertia, "iyy"),         number(*inertia, "izz"),
                    number_or(*inertia, "ixy", 0.0), number_or(*inertia, "ixz", 0.0), number_or(*inertia, "iyz", 0.0)};
    link.inertia_line = inertia->GetLineNum();
  }

  void read_link(const XMLElement& e) {
    UrdfLink link;
    owner_.clear();
    link.name = name(e);
    link.line = e.GetLineNum();
    owner_ = "link \"" + printable(link.name) + "\": ";
    check_children(e, {"inertial", "visual", "collision", "contact", "sensor", "material"});
    if (!link_index_.emplace(link.name, static_cast<int>(out_.links.size())).second) {
      fail(e, "has the name of another link: give each its own");
    }
    if (const XMLElement* inertial = child(e, "inertial")) read_inertial(*inertial, link);
    constexpr std::size_t most_shapes = 10'000;
    for (const XMLElement* c = e.FirstChildElement("collision"); c != nullptr; c = c->NextSiblingElement("collision")) {
      if (link.shapes.size() == most_shapes) {
        fail(*c, "is number " + std::to_string(most_shapes + 1) + " of its link, at most " +
                     std::to_string(most_shapes) + " are taken: use fewer shapes");
      }
      link.shapes.push_back(shape(*c));
    }
    out_.links.push_back(std::move(link));
    owner_.clear();
  }

  int link_of(const XMLElement& joint, const char* tag) const {
    const XMLElement& e = needed(joint, tag);
    const std::string link = text(e, "link");
    const auto found = link_index_.find(link);
    if (found != link_index_.end()) return found->second;
    std::vector<std::string> names;
    for (const UrdfLink& other : out_.links) names.push_back(other.name);
    fail(e, "there is no link \"" + shown(link) + "\"" + suggestion(link, names));
  }

  void read_limit(const XMLElement& e, UrdfJoint& joint, bool continuous) const {
    const XMLElement* limit = child(e, "limit");
    if (joint.kind == UrdfJoint::Kind::fixed) return;
    if (limit != nullptr) {
      joint.effort = not_negative(*limit, "effort");
      joint.speed = not_negative(*limit, "velocity");
    }
    if (continuous) return;
    if (limit == nullptr || (limit->Attribute("lower") == nullptr && limit->Attribute("upper") == nullptr)) {
      fail(e, "has no <limit lower=\"...\" upper=\"...\">: add it" +
                  std::string(joint.kind == UrdfJoint::Kind::revolute ? ", or make the type continuous" : ""));
    }
    joint.limited = true;
    joint.low = number_or(*limit, "lower", 0.0);
    joint.high = number_or(*limit, "upper", 0.0);
    if (!(joint.low <= joint.high)) fail(*limit, "has its lower limit above the upper one: swap the two");
  }

  void read_joint(const XMLElement& e) {
    UrdfJoint joint;
    owner_.clear();
    joint.name = name(e);
    joint.line = e.GetLineNum();
    owner_ = "joint \"" + printable(joint.name) + "\": ";
    check_children(e, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration",
                       "safety_controller", "hardwareInterface"});
    const std::string type = text(e, "type");
    const bool continuous = type == "continuous";
    if (type == "revolute" || continuous) {
      joint.kind = UrdfJoint::Kind::revolute;
    } else if (type == "prismatic") {
      joint.kind = UrdfJoint::Kind::prismatic;
    } else if (type != "fixed") {
      fail(e, "type=\"" + shown(type) + "\" is not simulated: use fixed, revolute, continuous or prismatic" +
                  (type == "floating" || type == "planar" ? ", or leave the base of the robot free" : ""));
    }
    joint.parent = link_of(e, "parent");
    joint.child = link_of(e, "child");
    joint.origin = origin(e);
    if (const XMLElement* axis = child(e, "axis")) joint.axis = vector(*axis, "xyz");
    const double size = length(joint.axis);
    if (joint.kind != UrdfJoint::Kind::fixed) {
      if (!(size > 0.0)) fail(e, "has an axis without direction: give one such as xyz=\"0 0 1\"");
      joint.axis = (1.0 / size) * joint.axis;
    }
    read_limit(e, joint, continuous);
    if (const XMLElement* mimic = child(e, "mimic"); mimic != nullptr && joint.kind != UrdfJoint::Kind::fixed) {
      leaders_.push_back(text(*mimic, "joint"));
      joint.mimic = UrdfMimic{static_cast<int>(leaders_.size()) - 1, number_or(*mimic, "multiplier", 1.0),
                              number_or(*mimic, "offset", 0.0), mimic->GetLineNum()};
    }
    if (const XMLElement* dynamics = child(e, "dynamics")) {
      joint.damping = not_negative(*dynamics, "damping");
      joint.friction = not_negative(*dynamics, "friction");
    }
    out_.joints.push_back(std::move(joint));
    owner_.clear();
  }

  void check_names() const {
    std::map<std::string, int> seen;
    for (const UrdfJoint& joint : out_.joints) {
      if (!seen.emplace(joint.name, 0).second) {
        fail(joint.line, "joint \"" + joint.name + "\": has the name of another joint: give each its own");
      }
    }
  }

  // Finds the joints that others mimic, which may stand behind those in the file.
  void find_leaders() {
    std::vector<std::string> names;
    for (const UrdfJoint& joint : out_.joints) names.push_back(joint.name);
    for (UrdfJoint& joint : out_.joints) {
      if (!joint.mimic) continue;
      const std::string& leader = leaders_[static_cast<std::size_t>(joint.mimic->joint)];
      const std::string what = "joint \"" + printable(joint.name) + "\": <mimic> ";
      const auto found = std::find(names.begin(), names.end(), leader);
      if (found == names.end()) {
        fail(joint.mimic->line,
             what + "names joint \"" + shown(leader) + "\", which is not there" + suggestion(leader, names));
      }
      joint.mimic->joint = static_cast<int>(found - names.begin());
      if (out_.joints[static_cast<std::size_t>(joint.mimic->joint)].kind == UrdfJoint::Kind::fixed) {
        fail(joint.mimic->line,
             what + "names joint \"" + shown(leader) + "\", which is fixed: make this joint fixed, too");
      }
    }
    for (const UrdfJoint& joint : out_.joints) {
      const UrdfJoint* leader = &joint;
      for (std::size_t steps = 0; leader->mimic; ++steps) {
        leader = &out_.joints[static_cast<std::size_t>(leader->mimic->joint)];
        if (leader != &joint && steps <= out_.joints.size()) continue;
        fail(joint.mimic->line, "joint \"" + printable(joint.name) +
                                    "\": <mimic> goes round in a circle: let one of the joints mimic none");
      }
    }
  }

  // In a tree exactly one link is no child, and all others are reached from it.
  void find_root() {
    std::vector<int> above(out_.links.size(), -1);
    for (std::size_t j = 0; j < out_.joints.size(); ++j) {
      const UrdfJoint& joint = out_.joints[j];
      int& up = above[static_cast<std::size_t>(joint.child)];
      const std::string child = "\"" + out_.links[static_cast<std::size_t>(joint.child)].name + "\"";
      if (up >= 0) {
        fail(joint.line, "joint \"" + joint.name + "\": link " + child + " is the child of joint \"" +
                             out_.joints[static_cast<std::size_t>(up)].name +
                             "\" already: a URDF is a tree; close the loop with a joint of the scene instead");
      }
      up = static_cast<int>(j);
    }
    int root = -1;
    for (std::size_t i = 0; i < above.size(); ++i) {
      if (above[i] >= 0) continue;
      if (root >= 0) {
        fail(out_.links[i].line, "link \"" + out_.links[i].name + "\" hangs on no joint, and neither does \"" +
                                     out_.links[static_cast<std::size_t>(root)].name + "\": join them to one tree");
      }
      root = static_cast<int>(i);
    }
    out_.root = root;
    // A path to the root that is longer than the number of links runs in a circle.
    std::vector<bool> hangs(above.size(), false);
    if (root >= 0) hangs[static_cast<std::size_t>(root)] = true;
    for (std::size_t i = 0; i < above.size(); ++i) {
      std::vector<std::size_t> path;
      std::size_t link = i;
      while (!hangs[link] && path.size() <= above.size()) {
        path.push_back(link);
        link = static_cast<std::size_t>(out_.joints[static_cast<std::size_t>(above[link])].parent);
      }
      if (!hangs[link]) {
        const UrdfJoint& joint = out_.joints[static_cast<std::size_t>(above[link])];
        fail(joint.line, "joint \"" + joint.name +
                             "\" closes a cycle of links: a URDF is a tree; turn the joint round, " +
                             "or take it out and close the loop with a joint of the scene");
      }
      for (const std::size_t k : path) hangs[k] = true;
    }
  }

  const XMLElement& robot_;
  std::string place_;
  std::string owner_;
  UrdfRobot out_;
  std::map<std::string, int> link_index_;
  std::vector<std::string> leaders_;  // names of the joints that others mimic; UrdfMimic::joint counts them at first
};

// The library takes time that grows with the square of the number of attributes of an element. No element of a URDF has
// more than six.
void refuse_many_attributes(const std::string& text, const std::string& place) {
  constexpr int most = 200;
  int count = 0;
  char quote = 0;
  bool in_tag = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (text.compare(at, 4, "<!--") == 0) {
      at = std::min(text.find("-->", at), text.size() - 1);
    } else if (text.compare(at, 9, "<![CDATA[") == 0) {
      at = std::min(text.find("]]>", at), text.size() - 1);
    } else if (in_tag && (c == '"' || c == '\'')) {
      quote = c;
      if (++count <= most) continue;
      const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
      throw ShapeError(place + ":" + std::to_string(line) + ": an element has more than " + std::to_string(most) +
                       " attributes: no element of a URDF has so many; correct the file");
    } else if (c == '<' || c == '>') {
      in_tag = c == '<';
      count = 0;
    }
  }
}

}  // namespace

UrdfRobot read_urdf(const std::string& text, const std::string& place) {
  refuse_many_attributes(text, place);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw ShapeError(place + ":1: is in UTF-16: save it in UTF-8");
  }
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    const std::string line = std::to_string(std::max(document.ErrorLineNum(), 1));
    if (document.ErrorID() == tinyxml2::XML_ERROR_PARSING_DECLARATION) {
      throw ShapeError(place + ":" + line +
                       ": <?xml ...?> must be complete, and the first thing in the file: move it " +
                       "there, or take it out");
    }
    throw ShapeError(place + ":" + line + ": is not valid XML (" +
                     tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID()) + "): correct it near this line");
  }
  const XMLElement* robot = document.RootElement();
  if (robot == nullptr || std::string(robot->Name()) != "robot") {
    throw ShapeError(place + ": is no URDF: its outermost element must be <robot>, not <" +
                     (robot == nullptr ? std::string() : printable(std::string(robot->Name()).substr(0, 40))) + ">");
  }
  return Reader(*robot, place).read();
}

#endif

}  // namespace pegrasp
