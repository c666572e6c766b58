// SPDX-License-Identifier: Apache-2.0
#include "src/model/solid_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "src/geometry/placement.hpp"
#include "src/model/keyframe_ways.hpp"
#include "src/model/solid_internal_edges.hpp"

namespace pegrasp {
namespace {

constexpr int most_features = 1 << 13;  // packed modes give 14 bits to a face or an edge, keys 13 to a vertex
constexpr int cylinder_contacts = 22;   // of a cap on another: points of both rims, and where they cross
constexpr int smooth_contacts = 1, flat_side_contacts = 67;  // kernels/spatial/smooth_sides.hpp
// A cap on a face: eleven points of its rim and, beside one for each side, which the face's part has places for, where
// the rim leaves that side again.
constexpr int cap_contacts = 11;
constexpr int most_corners = 32;  // of a face: clipping two faces has capacity for 64 (kernels/spatial/manifold.hpp)

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// Radius of a ball inside the part, about the mean of its vertices: the least distance it must move to pass through
// itself.
double inner_radius(const SolidPart& part) {
  constexpr double unbounded = 1e300;  // [m]
  if (part.kind == SolidKind::half_space) return unbounded;
  if (part.kind == SolidKind::cylinder) {
    return std::min(part.radius, 0.5 * length(part.shape.vertices[1] - part.shape.vertices[0]));
  }
  if (part.kind == SolidKind::superellipsoid) {
    const std::vector<PolyhedronFace>& axes = part.shape.faces;
    return std::min({axes[0].offset, axes[1].offset, axes[2].offset});
  }
  if (part.kind != SolidKind::polyhedron) return part.radius;
  const Polyhedron& shape = part.shape;
  Vec3 middle;
  for (const Vec3& v : shape.vertices) middle = {middle.x + v.x, middle.y + v.y, middle.z + v.z};
  const double n = static_cast<double>(shape.vertices.size());
  middle = {middle.x / n, middle.y / n, middle.z / n};
  double radius = length({1e300, 0.0, 0.0});
  for (const PolyhedronFace& f : shape.faces) {
    radius = std::min(radius, f.offset - (f.normal.x * middle.x + f.normal.y * middle.y + f.normal.z * middle.z));
  }
  return radius;
}

// Whether a superellipsoid may have more than one contact: of an ellipsoid, where both radii of curvature at the end of
// an axis are large.
bool is_flat_somewhere(const SolidPart& part) {
  constexpr double from = 4.0;  // as in is_flat() there
  const std::vector<PolyhedronFace>& axes = part.shape.faces;
  const double a = axes[0].offset, b = axes[1].offset, c = axes[2].offset;
  const double squares = a * a + b * b + c * c;
  const double radii = std::max({(squares - a * a) / a, (squares - b * b) / b, (squares - c * c) / c});
  return part.order > 2 || radii > 0.999 * from * std::max({a, b, c});
}

// Checks a result of make_ellipsoid().
void check_smooth_part(const SolidPart& part, const std::string& name) {
  const Polyhedron& shape = part.shape;
  bool good = shape.vertices.size() == 1 && shape.edges.empty() && shape.faces.size() == 3 && part.radius == 0.0 &&
              part.order >= 2 && part.order <= 16 && std::isfinite(length(shape.vertices[0]));
  for (std::size_t k = 0; good && k < 3; ++k) {
    const PolyhedronFace& axis = shape.faces[k];
    good = axis.offset > 0.0 && std::isfinite(axis.offset) && std::fabs(length(axis.normal) - 1.0) < 1e-6 &&
           std::fabs(dot(axis.normal, shape.faces[(k + 1) % 3].normal)) < 1e-6;
  }
  if (!good) refuse(name + "is no ellipsoid; make it with make_ellipsoid()");
}

// Checks the results of make_sphere(), make_capsule(), make_cylinder() and make_half_space().
void check_simple_part(const BodySpec& body, const SolidPart& part, const std::string& name) {
  const Polyhedron& shape = part.shape;
  if (part.kind == SolidKind::half_space) {
    if (body.kind == BodyKind::dynamic) refuse(name + "a half-space has no mass; make the body fixed or kinematic");
    const bool one = shape.vertices.empty() && shape.edges.empty() && shape.faces.size() == 1;
    if (!one || part.radius != 0.0 || !std::isfinite(shape.faces[0].offset) ||
        !(std::fabs(length(shape.faces[0].normal) - 1.0) < 1e-6)) {
      refuse(name + "is no half-space; make it with make_half_space()");
    }
    return;
  }
  const bool sphere = part.kind == SolidKind::sphere;
  const bool cylinder = part.kind == SolidKind::cylinder;
  bool good = shape.faces.size() == (cylinder ? 2u : 0u) && shape.vertices.size() == (sphere ? 1u : 2u) &&
              shape.edges.size() == (sphere ? 0u : 1u) && part.radius > 0.0 && std::isfinite(part.radius);
  for (const Vec3& v : shape.vertices) good = good && std::isfinite(length(v));
  if (!sphere) good = good && shape.edges[0].tail == 0 && shape.edges[0].head == 1;
  for (const PolyhedronFace& face : shape.faces) good = good && std::fabs(length(face.normal) - 1.0) < 1e-6;
  if (good) return;
  refuse(name + "is no " +
         (sphere     ? "sphere; make it with make_sphere()"
          : cylinder ? "cylinder; make it with make_cylinder()"
                     : "capsule; make it with make_capsule()"));
}

void check_part(const BodySpec& body, const SolidPart& part) {
  const std::string name = "body \"" + body.name + "\", part \"" + part.name + "\": ";
  if (part.support_sphere && (part.kind != SolidKind::sphere || body.kind != BodyKind::dynamic)) {
    refuse(name + "support spheres are spheres of dynamic bodies; set support_sphere to false");
  }
  if (part.support_spheres_only && part.kind != SolidKind::half_space) {
    refuse(name + "only a half-space is for support spheres alone; set support_spheres_only to false");
  }
  if (part.kind == SolidKind::superellipsoid) {
    check_smooth_part(part, name);
    return;
  }
  if (part.kind != SolidKind::polyhedron) {
    check_simple_part(body, part, name);
    return;
  }
  const Polyhedron& shape = part.shape;
  if (part.radius != 0.0) refuse(name + "polyhedra are not rounded so far: set the radius to 0");
  if (shape.faces.size() < 4) refuse(name + "has no volume; make it with make_polyhedron()");
  if (std::max({shape.vertices.size(), shape.faces.size(), shape.edges.size()}) >= most_features - 1) {
    refuse(name + "has more than " + std::to_string(most_features - 2) + " edges; use a coarser mesh");
  }
  for (const PolyhedronFace& face : shape.faces) {
    if (face.vertices.size() <= most_corners) continue;
    refuse(name + "a face has " + std::to_string(face.vertices.size()) + " corners, and " +
           std::to_string(most_corners) + " are the most; use a coarser mesh, or divide the part");
  }
}

}  // namespace

void check_solid_body(const BodySpec& body) {
  const std::string name = "body \"" + body.name + "\": ";
  const SpatialBody& space = body.spatial();
  const Vec3 at = space.pose.position, v = space.velocity.velocity, w = space.velocity.angular;
  const Quaternion q = space.pose.turn;
  for (const double value : {at.x, at.y, at.z, v.x, v.y, v.z, w.x, w.y, w.z, q.w, q.x, q.y, q.z}) {
    if (!std::isfinite(value)) refuse(name + "pose and velocity must be finite numbers");
  }
  const double turn = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (!(std::fabs(turn - 1.0) < 1e-6)) refuse(name + "the quaternion is not of unit length");
  if (body.slide_axis && body.kind != BodyKind::dynamic) refuse(name + "only a dynamic body can slide along an axis");
  for (std::size_t k = 1; k < space.motion.size(); ++k) {
    if (!(space.motion[k].time > space.motion[k - 1].time)) refuse(name + "keyframe times must increase");
  }
  if (body.kind != BodyKind::dynamic) return;
  if (!(body.mass > 0.0) || !std::isfinite(body.mass)) refuse(name + "the mass of a dynamic body must be positive");
  if (!body.turns) return;
  const InertiaTensor& i = space.inertia;
  const double minor = i.xx * i.yy - i.xy * i.xy;
  const double all =
      i.xx * (i.yy * i.zz - i.yz * i.yz) - i.xy * (i.xy * i.zz - i.yz * i.xz) + i.xz * (i.xy * i.yz - i.yy * i.xz);
  if (!(i.xx > 0.0) || !(minor > 0.0) || !(all > 0.0) || !std::isfinite(all)) {
    refuse(name +
           "its inertia (of the masses of its parts, unless inertia_kg_m2, inertia_diag in scene files, gives it) must "
           "be positive definite and of finite numbers: give moments above 0, or parts of less extreme lengths");
  }
}

namespace {

// Shift, turn, and the rotation vector to the next keyframe's turn.
void add_keyframe(const SpatialPose& at, const Quaternion* next, std::vector<double>& out) {
  const Vec3 by = next != nullptr ? turn_vector(*next * conjugate(at.turn)) : Vec3{};
  const Quaternion& q = at.turn;
  out.insert(out.end(), {at.position.x, at.position.y, at.position.z, q.w, q.x, q.y, q.z, by.x, by.y, by.z});
}

}  // namespace

void add_solid_motion(const BodySpec& body, ModelArrays& out) {
  const std::vector<SpatialKeyframe>& motion = body.spatial().motion;
  const Quaternion back = conjugate(normalised(body.spatial().pose.turn));
  std::vector<Vec3> places;
  out.body_motion_in.push_back(motion.empty() ? -1 : body.spatial().motion_in);
  for (std::size_t k = 0; k < motion.size(); ++k) {
    places.push_back(motion[k].pose.position);
    const auto turn = [&](std::size_t i) { return normalised(motion[i].pose.turn) * back; };
    const auto own = [&](std::size_t i) { return normalised(motion[i].own.turn); };
    const bool last = k + 1 == motion.size();
    const Quaternion next = last ? Quaternion{} : turn(k + 1), next_own = last ? Quaternion{} : own(k + 1);
    out.keyframe_time.push_back(motion[k].time);
    add_keyframe({motion[k].pose.position - body.spatial().pose.position, turn(k)}, last ? nullptr : &next,
                 out.keyframe_pose);
    add_keyframe({motion[k].own.position, own(k)}, last ? nullptr : &next_own, out.keyframe_own);
  }
  add_ways(places, out.keyframe_way);
}

void add_pulls(const SceneSpec& scene, ModelArrays& out) {
  const int bodies = static_cast<int>(scene.bodies.size());
  for (const BodySpec& body : scene.bodies) {
    const int along = body.spatial().motion_in;
    if (along < -1 || along >= bodies) refuse("body \"" + body.name + "\": motion_in is no body of the scene");
    if (along >= 0 && body.kind != BodyKind::kinematic) {
      refuse("body \"" + body.name + "\": motion_in is for kinematic bodies without max_force");
    }
  }
  for (const Pull& pull : scene.pulls) {
    if (pull.body < 0 || pull.body >= bodies || pull.in < -1 || pull.in >= bodies) {
      refuse("a pull names a body that is not there");
    }
    const std::string name = "the pull on body \"" + scene.bodies[static_cast<std::size_t>(pull.body)].name + "\": ";
    if (scene.bodies[static_cast<std::size_t>(pull.body)].kind != BodyKind::dynamic) {
      refuse(name + "the body is not dynamic, so that nothing can pull it");
    }
    if (pull.program.empty()) refuse(name + "its program has no keys");
    out.pull_body.push_back(pull.body);
    out.pull_in.push_back(pull.in);
    out.pull_force.push_back(pull.force ? 1 : 0);
    out.pull_first_key.push_back(static_cast<int>(out.pull_time.size()));
    for (const PullKey& key : pull.program) {
      if (!std::isfinite(key.time) || !std::isfinite(key.value.x + key.value.y + key.value.z)) {
        refuse(name + "times and values must be finite numbers");
      }
      if (&key != &pull.program.front() && !(key.time > out.pull_time.back())) refuse(name + "times must increase");
      out.pull_time.push_back(key.time);
      out.pull_value.insert(out.pull_value.end(), {key.value.x, key.value.y, key.value.z});
    }
  }
  out.pull_first_key.push_back(static_cast<int>(out.pull_time.size()));
}

void add_watch(const SceneSpec& scene, ModelArrays& out) {
  out.body_holds.assign(scene.bodies.size(), 0);
  out.watch = scene.watch;
  if (scene.watch.part < 0) return;
  const int bodies = static_cast<int>(scene.bodies.size());
  const auto is_body = [bodies](int body) { return body >= 0 && body < bodies; };
  if (!is_body(scene.watch.part) || !is_body(scene.watch.base)) refuse("what is watched is no body of the scene");
  if (scene.bodies[static_cast<std::size_t>(scene.watch.part)].kind != BodyKind::dynamic) {
    refuse("body \"" + scene.bodies[static_cast<std::size_t>(scene.watch.part)].name +
           "\": a part whose hold is measured must be dynamic");
  }
  if (!scene.measure_forces) refuse("a part whose hold is measured needs measure_forces");
  for (const int body : scene.watch.bodies) {
    if (!is_body(body)) refuse("what holds the part is no body of the scene");
    out.body_holds[static_cast<std::size_t>(body)] = 1;
  }
}

void add_solids(const BodySpec& body, int index, ModelArrays& out) {
  const BodyExtent within = extent(body);
  const double farthest = std::max(within.radius, body.spatial().support_spheres_within > 0.0
                                                      ? body.spatial().support_spheres_within + length(within.middle)
                                                      : 0.0);
  bool unbounded = false;
  for (const SolidPart& part : body.spatial().parts) check_part(body, part);
  const std::vector<PartBox> boxes = part_boxes(body.spatial().parts);
  for (std::size_t k = 0; k < body.spatial().parts.size(); ++k) {
    const SolidPart& part = body.spatial().parts[k];
    const Polyhedron& shape = part.shape;
    const SolidInternalEdges internal_edges = solid_internal_edges(body.spatial().parts, boxes, k);
    out.part_body.push_back(index);
    out.part_first_corner.push_back(0);
    out.part_first_edge.push_back(0);
    out.part_first_vertex.push_back(static_cast<int>(out.vertex.size() / 3));
    out.part_first_face.push_back(static_cast<int>(out.face_offset.size()));
    out.part_first_ridge.push_back(static_cast<int>(out.ridge.size() / 4));
    out.part_inradius.push_back(inner_radius(part));
    const bool half_space = part.kind == SolidKind::half_space;
    const Vec3 n = half_space ? shape.faces[0].normal : Vec3{};
    const double offset = half_space ? shape.faces[0].offset : 0.0;
    Vec3 low = half_space ? Vec3{offset * n.x, offset * n.y, offset * n.z} : shape.vertices[0], high = low;
    double radius = 0.0;
    for (const Vec3& v : shape.vertices) {
      out.vertex.insert(out.vertex.end(), {v.x, v.y, v.z});
      low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
      high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
    }
    const Vec3 middle{0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
    for (const Vec3& v : shape.vertices)
      radius = std::max(radius, length({v.x - middle.x, v.y - middle.y, v.z - middle.z}));
    out.part_centre.insert(out.part_centre.end(), {middle.x, middle.y});
    const bool cylinder = part.kind == SolidKind::cylinder;
    const bool smooth = part.kind == SolidKind::superellipsoid;
    if (cylinder || smooth) {
      const Vec3 reach = round_reach(part);
      low = low - reach;
      high = high + reach;
    }
    out.part_radius.push_back(half_space ? -1.0
                              : cylinder ? std::hypot(radius, part.radius)
                              : smooth   ? bounding_radius(part) - length(middle)
                                         : radius + part.radius);
    out.part_round.push_back(part.radius);
    out.part_support_sphere.push_back(part.support_sphere         ? out.support_sphere_count++
                                      : part.support_spheres_only ? support_spheres_only
                                                                  : no_support_sphere);
    unbounded = unbounded || half_space;
    out.part_box.insert(out.part_box.end(), {low.x, low.y, low.z, high.x, high.y, high.z});
    std::size_t widest = 0;
    for (const PolyhedronFace& face : shape.faces) {
      out.face_normal.insert(out.face_normal.end(), {face.normal.x, face.normal.y, face.normal.z});
      out.face_offset.push_back(face.offset);
      out.face_first_corner.push_back(static_cast<int>(out.face_corner.size()));
      out.face_corner.insert(out.face_corner.end(), face.vertices.begin(), face.vertices.end());
      widest = std::max(widest, face.vertices.size());
    }
    if (cylinder) widest = cylinder_contacts;
    if (smooth) widest = is_flat_somewhere(part) ? flat_side_contacts : smooth_contacts;
    // of a capsule the ends of its edge, of a sphere its point
    out.part_widest.push_back(static_cast<int>(half_space || widest > 0 ? widest : shape.vertices.size()));
    const std::size_t first_face = out.face_use.size();
    out.face_use.insert(out.face_use.end(), internal_edges.face_use.begin(), internal_edges.face_use.end());
    if (smooth) out.face_use[first_face] = part.order;
    for (const std::vector<Vec3>& directions : internal_edges.vertex) {
      out.vertex_first_internal_edge.push_back(static_cast<int>(out.vertex_internal_edge.size() / 3));
      for (const Vec3& w : directions) out.vertex_internal_edge.insert(out.vertex_internal_edge.end(), {w.x, w.y, w.z});
    }
    for (const std::vector<Vec3>& directions : internal_edges.edge) {
      out.ridge_first_internal_edge.push_back(static_cast<int>(out.ridge_internal_edge.size() / 3));
      for (const Vec3& w : directions) out.ridge_internal_edge.insert(out.ridge_internal_edge.end(), {w.x, w.y, w.z});
    }
    for (const PolyhedronEdge& e : shape.edges) out.ridge.insert(out.ridge.end(), {e.tail, e.head, e.left, e.right});
  }
  out.body_radius.push_back(farthest);
  out.body_middle.insert(out.body_middle.end(), {within.middle.x, within.middle.y, within.middle.z});
  out.body_unbounded.push_back(unbounded ? 1 : 0);
}

void end_solids(ModelArrays& out) {
  out.vertex_first_internal_edge.push_back(static_cast<int>(out.vertex_internal_edge.size() / 3));
  out.ridge_first_internal_edge.push_back(static_cast<int>(out.ridge_internal_edge.size() / 3));
  out.part_first_vertex.push_back(static_cast<int>(out.vertex.size() / 3));
  out.part_first_face.push_back(static_cast<int>(out.face_offset.size()));
  out.part_first_ridge.push_back(static_cast<int>(out.ridge.size() / 4));
  out.face_first_corner.push_back(static_cast<int>(out.face_corner.size()));
  const auto is_cylinder = [&](std::size_t part) {
    return out.part_first_face[part + 1] - out.part_first_face[part] == 2;
  };
  int widest = 0;
  for (std::size_t k = 0; k < out.part_widest.size(); ++k) {
    if (!is_cylinder(k)) widest = std::max(widest, out.part_widest[k]);
  }
  for (std::size_t k = 0; k < out.part_widest.size(); ++k) {
    if (is_cylinder(k)) out.part_widest[k] = std::max(cylinder_contacts, cap_contacts + widest);
  }
}

int most_solid_contacts(const ModelView& m) {
  int most = 0;
  for (int k = 0; k < m.part_pair_count; ++k)
    most += m.part_widest[m.part_pair_a[k]] + m.part_widest[m.part_pair_b[k]] + 1;
  return most;
}

}  // namespace pegrasp
