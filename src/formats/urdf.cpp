// SPDX-License-Identifier: Apache-2.0
#include "src/formats/urdf.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>

#include "pegrasp/shapes.hpp"
#include "src/formats/find_package.hpp"
#include "src/formats/mesh_file.hpp"
#include "src/formats/urdf_file.hpp"
#include "src/geometry/placement.hpp"
#include "src/text/printable.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

constexpr double pi = 3.14159265358979323846;

// The limit of a servo that has none [N | N m].
constexpr double no_limit = 1e9;

// By which limits of joints that mimic others are often rounded [m | rad].
constexpr double limit_rounding = 1e-3;

std::string in_words(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// The inertia tensor I turned by q: R I R^T, element by element.
InertiaTensor turned(Quaternion q, const InertiaTensor& i) {
  const Vec3 columns[3] = {{i.xx, i.xy, i.xz}, {i.xy, i.yy, i.yz}, {i.xz, i.yz, i.zz}};
  const Vec3 axes[3] = {turned(q, Vec3{1.0, 0.0, 0.0}), turned(q, Vec3{0.0, 1.0, 0.0}), turned(q, Vec3{0.0, 0.0, 1.0})};
  // world row r of R: the r-th components of the axes
  const auto row = [&](int r) {
    const auto of = [&](Vec3 v) { return r == 0 ? v.x : r == 1 ? v.y : v.z; };
    return Vec3{of(axes[0]), of(axes[1]), of(axes[2])};
  };
  const auto element = [&](int r, int c) {
    const Vec3 right = row(c);
    const Vec3 product{dot(columns[0], right), dot(columns[1], right), dot(columns[2], right)};
    return dot(row(r), product);
  };
  return {element(0, 0), element(1, 1), element(2, 2), element(0, 1), element(0, 2), element(1, 2)};
}

void add_inertia(InertiaTensor& sum, const InertiaTensor& i, double mass, Vec3 c) {
  sum.xx += i.xx + mass * (c.y * c.y + c.z * c.z);
  sum.yy += i.yy + mass * (c.x * c.x + c.z * c.z);
  sum.zz += i.zz + mass * (c.x * c.x + c.y * c.y);
  sum.xy += i.xy - mass * c.x * c.y;
  sum.xz += i.xz - mass * c.x * c.z;
  sum.yz += i.yz - mass * c.y * c.z;
}

// A regular prism about z, whose corners lie on the cylinder that it stands for.
Polyhedron prism(double radius, double height, int sides, const SpatialPose& pose) {
  std::vector<Vec3> points;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * pi * (k + 0.5) / sides;
    for (const double z : {-0.5 * height, 0.5 * height}) {
      points.push_back(transformed(pose, {radius * std::cos(angle), radius * std::sin(angle), z}));
    }
  }
  return make_polyhedron(points);
}

Polyhedron box(Vec3 size, const SpatialPose& pose) {
  std::vector<Vec3> points;
  for (int k = 0; k < 8; ++k) {
    points.push_back(transformed(
        pose, {(k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y, (k & 4 ? 0.5 : -0.5) * size.z}));
  }
  return make_polyhedron(points);
}

double least_moment(const InertiaTensor& inertia) {
  const Vec3 moments = principal_axes(inertia).moments;
  return std::min({moments.x, moments.y, moments.z});
}
double largest_moment(const InertiaTensor& inertia) {
  const Vec3 moments = principal_axes(inertia).moments;
  return std::max({moments.x, moments.y, moments.z});
}

class Assembly {
 public:
  Assembly(SceneSpec& scene, const std::filesystem::path& file, const UrdfPlacement& placement)
      : scene_(scene), file_(file), place_(printable(file.string())), placement_(placement) {}

  UrdfParts add() {
    const std::string text = read_part_file(file_);
    out_.fingerprint = fingerprint(text);
    out_.first_body = static_cast<int>(scene_.bodies.size());
    robot_ = read_urdf(text, place_);
    start_.assign(robot_.joints.size(), 0.0);
    number_of_.assign(robot_.joints.size(), -1);
    read_starts();
    order_links();
    for (const int link : order_) place_link(link);
    finish_bodies();
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) add_joint(j);
    add_couplings();
    if (!placement_.self_contact) ignore_each_other();
    return std::move(out_);
  }

 private:
  // The place of a link: its body, and the pose of its frame in the frame of the body.
  struct Place {
    int body = -1;
    SpatialPose pose;
  };
  // Sums over the links of a body that were added so far.
  struct Sum {
    double mass = 0.0;
    Vec3 moment;            // mass times centre
    InertiaTensor inertia;  // about the body's origin
    int link = 0;           // the nearest to the base
    std::set<std::string> part_names;
  };

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw ShapeError(printable_line(place_ + ":" + std::to_string(line) + ": " + what));
  }
  [[noreturn]] void fail(const std::string& what) const { throw ShapeError(printable_line(place_ + ": " + what)); }

  const UrdfLink& link(int i) const { return robot_.links[static_cast<std::size_t>(i)]; }
  const UrdfJoint& joint(int j) const { return robot_.joints[static_cast<std::size_t>(j)]; }
  Place& place_of(int link) { return places_[static_cast<std::size_t>(link)]; }
  std::string prefixed(const std::string& name) const {
    return placement_.prefix.empty() ? name : placement_.prefix + "_" + name;
  }

  void read_starts() {
    std::vector<std::string> names;
    for (const UrdfJoint& joint : robot_.joints) names.push_back(joint.name);
    for (const auto& [name, value, kind] : placement_.joints) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) fail("there is no joint \"" + printable(name) + "\"" + suggestion(name, names));
      const auto index = static_cast<std::size_t>(found - names.begin());
      const UrdfJoint& joint = robot_.joints[index];
      if (joint.kind == UrdfJoint::Kind::fixed) fail("joint \"" + name + "\" is fixed: it has no place at the start");
      const bool turns = joint.kind == UrdfJoint::Kind::revolute;
      if (kind != UrdfStart::Kind::any && turns != (kind == UrdfStart::Kind::turn)) {
        fail("joint \"" + name + "\" " + (turns ? "turns: give an angle" : "slides: give a length"));
      }
      // At the start the simulation knows a turn only up to whole turns, so that it must lie within half a turn.
      if (turns && !(std::fabs(value) < pi)) {
        fail("joint \"" + name + "\" cannot start at " + in_words(value) + " rad: give an angle within half a turn");
      }
      start_[index] = value;
    }
    for (std::size_t j = 0; j < start_.size(); ++j) start_joint(j, names);
    followers_remarks_.assign(robot_.joints.size(), {});
    for (std::size_t j = 0; j < start_.size(); ++j) free_follower(j);
    check_starts();
  }

  // A joint that the placement leaves open begins at 0, or at the limit that is nearest to 0; one that mimics another
  // begins where that one asks for.
  void start_joint(std::size_t j, const std::vector<std::string>& names) {
    const UrdfJoint& joint = robot_.joints[j];
    const auto given = [&](const UrdfStart& start) { return start.joint == names[j]; };
    if (std::any_of(placement_.joints.begin(), placement_.joints.end(), given)) return;
    if (joint.limited) start_[j] = std::clamp(0.0, joint.low, joint.high);
  }

  // Where a joint starts that mimics others: where those ask for.
  double followed(std::size_t j) const {
    const std::optional<UrdfMimic>& mimic = robot_.joints[j].mimic;
    return mimic ? mimic->factor * followed(static_cast<std::size_t>(mimic->joint)) + mimic->offset : start_[j];
  }

  // From where to where a joint goes: one that mimics another as far as that takes it.
  std::optional<JointRange> travel(const UrdfJoint& joint) const {
    if (joint.mimic) {
      if (const std::optional<JointRange> leader = travel(this->joint(joint.mimic->joint))) {
        const double a = joint.mimic->factor * leader->low + joint.mimic->offset;
        const double b = joint.mimic->factor * leader->high + joint.mimic->offset;
        return JointRange{std::min(a, b), std::max(a, b)};
      }
    }
    return joint.limited ? std::optional(JointRange{joint.low, joint.high}) : std::nullopt;
  }

  // Limits of a joint that would hold back the one that it mimics are widened.
  void free_follower(std::size_t j) {
    UrdfJoint& joint = robot_.joints[j];
    if (!joint.mimic || !joint.limited) return;
    const auto [low, high] = *travel(joint);
    if (low < joint.low - limit_rounding || high > joint.high + limit_rounding) {
      followers_remarks_[j] = place_ + ":" + std::to_string(joint.line) + ": joint \"" + joint.name +
                              "\" mimics joint \"" + this->joint(joint.mimic->joint).name + "\", which takes it from " +
                              in_words(low) + " to " + in_words(high) + ", beyond its limits " + in_words(joint.low) +
                              " to " + in_words(joint.high) +
                              ": it follows, and the limits are widened to that; correct them";
    }
    joint.low = std::min(joint.low, low);
    joint.high = std::max(joint.high, high);
  }

  void check_starts() {
    const std::vector<double> chosen = start_;
    for (std::size_t j = 0; j < start_.size(); ++j) {
      UrdfJoint& joint = robot_.joints[j];
      const bool placed = std::any_of(placement_.joints.begin(), placement_.joints.end(),
                                      [&](const UrdfStart& start) { return start.joint == joint.name; });
      if (joint.mimic) start_[j] = followed(j);
      if (joint.mimic && placed && std::fabs(chosen[j] - start_[j]) > 1e-9) {
        fail("joint \"" + joint.name + "\" mimics joint \"" + this->joint(joint.mimic->joint).name +
             "\", which puts it at " + in_words(start_[j]) + " at the start, not at " + in_words(chosen[j]) +
             ": place that joint only");
      }
      if (!joint.limited || (start_[j] >= joint.low && start_[j] <= joint.high)) continue;
      if (joint.mimic && start_[j] >= joint.low - limit_rounding && start_[j] <= joint.high + limit_rounding) {
        joint.low = std::min(joint.low, start_[j]);
        joint.high = std::max(joint.high, start_[j]);
        continue;
      }
      fail("joint \"" + joint.name + "\" starts at " + in_words(start_[j]) + ", outside of its limits " +
           in_words(joint.low) + " to " + in_words(joint.high) + ": give " +
           (joint.mimic ? "the joint that it mimics" : "it") + " another place at the start");
    }
  }

  // Orders the links from the base outwards.
  void order_links() {
    std::vector<std::vector<int>> below(robot_.links.size());
    above_.assign(robot_.links.size(), -1);
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      below[static_cast<std::size_t>(robot_.joints[j].parent)].push_back(static_cast<int>(j));
      above_[static_cast<std::size_t>(robot_.joints[j].child)] = static_cast<int>(j);
    }
    order_ = {robot_.root};
    for (std::size_t k = 0; k < order_.size(); ++k) {
      for (const int j : below[static_cast<std::size_t>(order_[k])]) order_.push_back(joint(j).child);
    }
    places_.resize(robot_.links.size());
  }

  BodySpec& body_of(int link) { return scene_.bodies[static_cast<std::size_t>(place_of(link).body)]; }

  void place_link(int index) {
    const int up = above_[static_cast<std::size_t>(index)];
    Place& place = place_of(index);
    if (up >= 0 && joint(up).kind == UrdfJoint::Kind::fixed) {
      const Place& parent = place_of(joint(up).parent);
      place = {parent.body, parent.pose * joint(up).origin};
    } else {
      start_body(index, up);
    }
    const UrdfLink& link = this->link(index);
    if (link.mass > 0.0 && body_of(index).kind == BodyKind::dynamic &&
        least_moment(link.inertia) < -1e-9 * largest_moment(link.inertia)) {
      fail(link.inertia_line, "link \"" + link.name + "\": <inertia> has a negative moment about one of its axes: " +
                                  "correct it, in kg m^2 about the centre of mass");
    }
    Sum& sum = sums_[static_cast<std::size_t>(place.body - out_.first_body)];
    const Vec3 centre = transformed(place.pose, link.centre.position);
    sum.mass += link.mass;
    sum.moment = sum.moment + link.mass * centre;
    if (link.mass > 0.0) {
      add_inertia(sum.inertia, turned(place.pose.turn * link.centre.turn, link.inertia), link.mass, centre);
    }
    for (std::size_t k = 0; k < link.shapes.size(); ++k) {
      add_shape(link, link.shapes[k], link.shapes.size() == 1 ? link.name : link.name + "_" + std::to_string(k + 1),
                place.pose, scene_.bodies[static_cast<std::size_t>(place.body)], sum);
    }
  }

  void start_body(int index, int up) {
    BodySpec body;
    body.form = SpatialBody{};
    body.name = prefixed(link(index).name);
    for (const BodySpec& other : scene_.bodies) {
      if (other.name == body.name) {
        fail("body \"" + body.name + "\" is in the scene already: give this robot a name, which goes before its own");
      }
    }
    body.friction = placement_.friction;
    if (up < 0) {
      body.kind = placement_.base;
      body.spatial().motion = placement_.motion;
      body.spatial().pose = placement_.motion.empty() ? placement_.pose : placement_.motion.front().pose;
    } else {
      const UrdfJoint& joint = this->joint(up);
      const double q = start_[static_cast<std::size_t>(up)];
      const SpatialPose moved = joint.kind == UrdfJoint::Kind::revolute ? SpatialPose{{}, turn_by(q * joint.axis)}
                                                                        : SpatialPose{q * joint.axis, {}};
      body.spatial().pose = body_of(joint.parent).spatial().pose * place_of(joint.parent).pose * joint.origin * moved;
    }
    place_of(index) = {static_cast<int>(scene_.bodies.size()), {}};
    scene_.bodies.push_back(std::move(body));
    sums_.emplace_back();
    sums_.back().link = index;
  }

  // The file of a mesh, by its path from the URDF or by its package.
  std::filesystem::path mesh_file(const UrdfLink& link, const UrdfShape& shape) const {
    const std::string what = "link \"" + link.name + "\": mesh \"" + printable(shape.file) + "\" ";
    const std::filesystem::path folder = file_.parent_path();
    const std::size_t scheme = shape.file.find("://");
    if (scheme == std::string::npos) return find_beside(shape.file, folder);
    const std::string kind = shape.file.substr(0, scheme);
    const std::string path = shape.file.substr(scheme + 3);
    if (kind == "file") return path;
    if (kind != "package" && kind != "model") fail(shape.line, what + "cannot be fetched: give the path of a file");
    if (const auto found = find_in_package(path, folder)) return *found;
    fail(shape.line, what + "is not there: no folder above this file holds " + printable(path) +
                         ", nor do the folders of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH; put the package's folder " +
                         "there, or write the path from this file on");
  }

  std::string free_name(std::string name, Sum& sum) const {
    while (!sum.part_names.insert(name).second) name += "_";
    return name;
  }

  void add_shape(const UrdfLink& link, const UrdfShape& shape, const std::string& name, const SpatialPose& frame,
                 BodySpec& body, Sum& sum) {
    const SpatialPose pose = frame * shape.pose;
    std::vector<SolidPart>& parts = body.spatial().parts;
    try {
      switch (shape.kind) {
        case UrdfShape::Kind::box:
          parts.push_back({free_name(name, sum), box(shape.size, pose)});
          break;
        case UrdfShape::Kind::cylinder:
          if (placement_.exact_cylinders) {
            parts.push_back(make_cylinder(free_name(name, sum), transformed(pose, {0.0, 0.0, -0.5 * shape.length}),
                                          transformed(pose, {0.0, 0.0, 0.5 * shape.length}), shape.radius));
            break;
          }
          parts.push_back({free_name(name, sum), prism(shape.radius, shape.length, placement_.cylinder_sides, pose)});
          break;
        case UrdfShape::Kind::sphere:
          parts.push_back(make_sphere(free_name(name, sum), pose.position, shape.radius));
          break;
        case UrdfShape::Kind::capsule:
          parts.push_back(make_capsule(free_name(name, sum), transformed(pose, {0.0, 0.0, -0.5 * shape.length}),
                                       transformed(pose, {0.0, 0.0, 0.5 * shape.length}), shape.radius));
          break;
        case UrdfShape::Kind::mesh: {
          const std::filesystem::path file = mesh_file(link, shape);
          MeshPlacement mesh;
          mesh.scale = shape.size;
          mesh.pose = pose;
          mesh.hull = placement_.hull;
          if (placement_.convexify) mesh.convexify = ConvexifyOptions{};
          std::string pieces;
          for (SolidPart& part : load_mesh(file, name, mesh, &body.remarks, &pieces)) {
            part.name = free_name(part.name, sum);
            parts.push_back(std::move(part));
          }
          out_.fingerprint = fingerprint(read_part_file(file) + pieces, out_.fingerprint);
          break;
        }
      }
    } catch (const ShapeError& error) {
      const std::string what = error.what();
      const std::string here = place_ + ":";
      if (what.rfind(here, 0) == 0) throw;
      fail(shape.line, "link \"" + link.name + "\": collision: " + what);
    }
  }

  void finish_bodies() {
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const Sum& sum = sums_[k];
      BodySpec& body = scene_.bodies[static_cast<std::size_t>(out_.first_body) + k];
      const UrdfLink& link = this->link(sum.link);
      if (body.kind != BodyKind::dynamic) continue;
      if (!(sum.mass > 0.0)) {
        fail(link.line, "link \"" + link.name +
                            "\" moves and has no mass: give it <inertial> with a mass and an inertia, " +
                            "or make the joint that holds it fixed, so that it is one body with its parent");
      }
      body.mass = sum.mass;
      body.spatial().centre = (1.0 / sum.mass) * sum.moment;
      body.spatial().inertia = sum.inertia;
      add_inertia(body.spatial().inertia, {}, -sum.mass, body.spatial().centre);
      // The inertia of points that lie on a line, or in one point, is zero but for rounding.
      constexpr double rounding = 1e-9;
      const double most = largest_moment(body.spatial().inertia);
      if (most > 0.0 && least_moment(body.spatial().inertia) > rounding * most) continue;
      fail(link.inertia_line > 0 ? link.inertia_line : link.line,
           "link \"" + link.name +
               "\" moves and has no inertia, nor have the links that are fixed to it: <inertia> is " +
               "not positive definite; correct it, in kg m^2 about the centre of mass, or make the joint that holds "
               "the link fixed");
    }
  }

  // A joint that mimics another becomes a coupling.
  void add_couplings() {
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const std::optional<UrdfMimic>& mimic = robot_.joints[j].mimic;
      if (!mimic) continue;
      const int leader = number_of_[static_cast<std::size_t>(mimic->joint)];
      scene_.couplings.push_back(
          {prefixed(robot_.joints[j].name) + "_mimic", number_of_[j], leader, mimic->factor, mimic->offset});
    }
  }

  void add_joint(std::size_t index) {
    const UrdfJoint& joint = robot_.joints[index];
    if (joint.kind == UrdfJoint::Kind::fixed) return;
    const Place& parent = place_of(joint.parent);
    const Place& child = place_of(joint.child);
    const SpatialPose axis{{}, turn_of_z_to(joint.axis)};
    const bool turns = joint.kind == UrdfJoint::Kind::revolute;
    JointSpec spec;
    spec.name = prefixed(joint.name);
    for (const JointSpec& other : scene_.joints) {
      if (other.name == spec.name) {
        fail("joint \"" + spec.name + "\" is in the scene already: give this robot a name, which goes before its own");
      }
    }
    spec.kind = turns ? JointKind::revolute : JointKind::prismatic;
    spec.body_a = parent.body;
    spec.body_b = child.body;
    spec.frames = SpatialFrames{parent.pose * joint.origin * axis, axis};
    if (joint.limited) (turns ? spec.turn : spec.slide) = JointRange{joint.low, joint.high};
    if (!followers_remarks_[index].empty()) {
      scene_.bodies[static_cast<std::size_t>(child.body)].remarks.push_back({true, followers_remarks_[index]});
    }
    spec.most_force = joint.effort;
    spec.most_speed = joint.speed;
    const int number = static_cast<int>(scene_.joints.size());
    number_of_[index] = number;
    scene_.joints.push_back(spec);
    // Damping becomes a position servo without stiffness, and friction a velocity servo that keeps the joint still with
    // at most the friction force.
    ActuatorSpec actuator;
    actuator.rotary = turns;
    actuator.joint = number;
    if (joint.damping > 0.0) {
      actuator.name = spec.name + "_damping";
      actuator.kind = ActuatorKind::position_servo;
      actuator.limit = no_limit;
      actuator.damping = joint.damping;
      out_.actuators.push_back(actuator);
    }
    if (joint.friction > 0.0) {
      actuator.name = spec.name + "_friction";
      actuator.kind = ActuatorKind::velocity_servo;
      actuator.limit = joint.friction;
      actuator.damping = 0.0;
      out_.actuators.push_back(actuator);
    }
  }

  void ignore_each_other() {
    const int count = static_cast<int>(scene_.bodies.size());
    for (int a = out_.first_body; a < count; ++a) {
      for (int b = a + 1; b < count; ++b) scene_.ignored_pairs.push_back({a, b});
    }
  }

  SceneSpec& scene_;
  const std::filesystem::path& file_;
  const std::string place_;  // its name in messages
  const UrdfPlacement& placement_;
  UrdfRobot robot_;
  UrdfParts out_;
  std::vector<double> start_;                   // of joints
  std::vector<std::string> followers_remarks_;  // of joints
  std::vector<int> number_of_;                  // (joints of the file) in the scene; -1: fixed
  std::vector<int> above_;                      // the joint that each link is the child of
  std::vector<int> order_;
  std::vector<Place> places_;  // of links
  std::vector<Sum> sums_;      // of the robot's bodies
};

}  // namespace

UrdfParts add_urdf(SceneSpec& scene, const std::filesystem::path& file, const UrdfPlacement& placement) {
  return Assembly(scene, file, placement).add();
}

}  // namespace pegrasp
