// SPDX-License-Identifier: Apache-2.0
// Modes and contacts of random pairs with spheres, capsules and half-spaces, against distances found by search.
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "kernels/spatial/manifold.hpp"
#include "src/model/model.hpp"
#include "src/reference/spatial/facets.hpp"
#include "src/reference/spatial/touch.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/geometry/gjk.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp {
namespace {

using spatial::cross;
using spatial::dot;
using spatial::Frame;
using spatial::norm;
using spatial::V3;

// A part at a pose, as the oracle sees it: points of the core, triangles and outward planes of its faces.
struct Placed {
  SolidKind kind;
  double radius;
  std::vector<V3> points;
  std::vector<std::array<V3, 3>> triangles;
  std::vector<std::pair<V3, double>> planes;
  std::vector<V3> edges;  // directions
};

V3 from(Vec3 v) { return {v.x, v.y, v.z}; }

Placed placed(const SolidPart& part, const Frame& frame) {
  Placed result{part.kind, part.radius, {}, {}, {}, {}};
  for (const Vec3& v : part.shape.vertices) result.points.push_back(transform(frame, from(v)));
  for (const PolyhedronFace& face : part.shape.faces) {
    const V3 n = rotate(frame, from(face.normal));
    result.planes.emplace_back(n, face.offset + dot(n, frame.origin));
    for (std::size_t k = 1; k + 1 < face.vertices.size(); ++k) {
      const auto at = [&](std::size_t i) { return result.points[static_cast<std::size_t>(face.vertices[i])]; };
      result.triangles.push_back({at(0), at(k), at(k + 1)});
    }
  }
  for (const PolyhedronEdge& e : part.shape.edges) {
    result.edges.push_back(result.points[static_cast<std::size_t>(e.head)] -
                           result.points[static_cast<std::size_t>(e.tail)]);
  }
  return result;
}

double to_segment(V3 x, V3 tail, V3 head) {
  const V3 along = head - tail;
  const double t = std::clamp(dot(x - tail, along) / dot(along, along), 0.0, 1.0);
  return norm(x - tail - t * along);
}

double to_triangle(V3 x, const std::array<V3, 3>& t) {
  const V3 n = cross(t[1] - t[0], t[2] - t[0]);
  bool over = true;
  double nearest = 1e300;
  for (std::size_t k = 0; k < 3; ++k) {
    const V3 tail = t[k], head = t[(k + 1) % 3];
    over = over && dot(cross(head - tail, x - tail), n) >= 0.0;
    nearest = std::min(nearest, to_segment(x, tail, head));
  }
  return over ? std::fabs(dot(n, x - t[0])) / norm(n) : nearest;
}

double to_core(V3 x, const Placed& p) {
  if (p.kind == SolidKind::sphere) return norm(x - p.points[0]);
  if (p.kind == SolidKind::capsule) return to_segment(x, p.points[0], p.points[1]);
  bool inside = true;
  for (const auto& [n, offset] : p.planes) inside = inside && dot(n, x) <= offset;
  if (inside) return 0.0;
  double nearest = 1e300;
  for (const auto& triangle : p.triangles) nearest = std::min(nearest, to_triangle(x, triangle));
  return nearest;
}

std::vector<Vec3> points_of(const Placed& p) {
  std::vector<Vec3> points;
  for (const V3& x : p.points) points.push_back({x.x, x.y, x.z});
  return points;
}

// Distance of a point or a segment from a core: what a pair of points and an axis prove; else by search: it is convex
// along the segment, so that thirds find it.
double core_distance(const Placed& thin, const Placed& other) {
  const gjk::Bounds bounds = gjk::distance(points_of(thin), points_of(other));
  if (bounds.lower > 1e-6 && bounds.upper - bounds.lower <= 1e-12) return bounds.upper;
  if (thin.kind == SolidKind::sphere) return to_core(thin.points[0], other);
  const auto at = [&](double t) { return to_core((1.0 - t) * thin.points[0] + t * thin.points[1], other); };
  double low = 0.0, high = 1.0;
  for (int round = 0; round < 120; ++round) {
    const double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
    (at(left) <= at(right) ? high : low) = at(left) <= at(right) ? right : left;
  }
  return std::min({at(low), at(0.0), at(1.0)});
}

double along_axis(const Placed& a, const Placed& b, V3 n) {
  double low = 1e300, high = -1e300;
  for (const V3 x : a.points) high = std::max(high, dot(n, x));
  for (const V3 x : b.points) low = std::min(low, dot(n, x));
  return low - high;
}

// Separation of the parts: distance less radii, or minus the depth.
double oracle_separation(const Placed& a, const Placed& b) {
  const double radii = a.radius + b.radius;
  for (const Placed* plane : {&a, &b}) {
    if (plane->kind != SolidKind::half_space) continue;
    const Placed& other = plane == &a ? b : a;
    double lowest = 1e300;
    for (const V3 x : other.points) lowest = std::min(lowest, dot(plane->planes[0].first, x));
    return lowest - plane->planes[0].second - radii;
  }
  const bool a_thin = a.kind != SolidKind::polyhedron;
  const double distance = a_thin ? core_distance(a, b) : core_distance(b, a);
  if (distance > 1e-12) return distance - radii;
  // The cores are in each other: the largest of the axes of their faces and of pairs of edges.
  double most = -1e300;
  for (const auto& [n, offset] : a.planes) most = std::max(most, along_axis(a, b, n));
  for (const auto& [n, offset] : b.planes) most = std::max(most, along_axis(a, b, -n));
  for (const V3 u : a.edges) {
    for (const V3 v : b.edges) {
      const V3 n = cross(u, v);
      if (!(norm(n) > 1e-9 * norm(u) * norm(v))) continue;
      most = std::max({most, along_axis(a, b, (1.0 / norm(n)) * n), along_axis(a, b, (-1.0 / norm(n)) * n)});
    }
  }
  // two round cores that touch: no facet but round ones
  return (most > -1e300 && (!a.planes.empty() || !b.planes.empty()) ? std::min(most, 0.0) : 0.0) - radii;
}

struct Draw {
  scenes::Random& random;
  bool lattice;        // coordinates of a coarse grid, quarter turns: parallel and coinciding features
  bool leans = false;  // and all but parallel ones

  double coordinate(double reach) const {
    const double x = random.uniform(-reach, reach);
    return lattice ? 0.25 * std::round(4.0 * x) : x;
  }
  Vec3 point(double reach) const {
    const double x = coordinate(reach);
    const double y = coordinate(reach);
    return {x, y, coordinate(reach)};
  }
  SolidPart part(int kind) const {
    if (kind == 0) return make_sphere("sphere", point(0.5), lattice ? 0.25 : random.uniform(0.05, 0.5));
    if (kind == 1) {
      const Vec3 tail = point(0.7);
      Vec3 head = point(0.7);
      if (lattice) head = {tail.x + 0.5, tail.y, tail.z};
      return make_capsule("capsule", tail, head, lattice ? 0.25 : random.uniform(0.05, 0.4));
    }
    if (kind == 2) return make_half_space("plane", lattice ? Vec3{0.0, 0.0, 1.0} : point(1.0), coordinate(0.5));
    if (kind == 3 || lattice) return {"box", scenes::cuboid(0.5, 0.25, lattice ? 1.0 : random.uniform(0.02, 1.0))};
    std::vector<Vec3> points;
    for (int k = 0; k < 10; ++k) points.push_back(point(1.0));
    return {"hull", make_polyhedron(points)};
  }
  SpatialPose pose(double reach) const {
    SpatialPose pose{point(reach), {}};
    double q[4], length2 = 0.0;
    for (double& x : q) {
      x = random.uniform(-1.0, 1.0);
      length2 += x * x;
    }
    const double length = std::sqrt(length2);
    pose.turn = {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
    if (lattice) {
      const double half = std::sqrt(0.5);
      const int turn = static_cast<int>(random.uniform(0.0, 4.0));
      pose.turn = turn == 0 ? Quaternion{}
                            : Quaternion{half, turn == 1 ? half : 0.0, turn == 2 ? half : 0.0, turn == 3 ? half : 0.0};
    }
    if (leans) {  // from the grid by as little as makes no plain case
      const double lean = random.uniform(0.5, 1.0) * std::pow(10.0, -random.uniform(2.0, 12.0));
      const Quaternion q = pose.turn;
      pose.turn = {q.w - lean * q.x, q.x + lean * q.w, q.y + lean * q.z, q.z - lean * q.y};  // about x, then y
      const Quaternion r = pose.turn;
      pose.turn = {r.w - lean * r.y, r.x - lean * r.z, r.y + lean * r.w, r.z + lean * r.x};
      const double size = std::sqrt(1.0 + lean * lean) * std::sqrt(1.0 + lean * lean);
      pose.turn = {pose.turn.w / size, pose.turn.x / size, pose.turn.y / size, pose.turn.z / size};
    }
    return pose;
  }
};

Frame frame(const SpatialPose& pose) {
  Frame f{};
  f.origin = from(pose.position);
  spatial::matrix_of({pose.turn.w, pose.turn.x, pose.turn.y, pose.turn.z}, f.row);
  return f;
}

// Two parts, each on a body of its own: the first fixed, the second moving.
SceneSpec pair_scene(const SolidPart& a, const SolidPart& b) {
  SceneSpec scene = scenes::scene_3d("pair");
  scene.bodies.resize(2);
  for (BodySpec& body : scene.bodies) body.form = SpatialBody{};
  scene.bodies[0].kind = BodyKind::fixed;
  scene.bodies[0].spatial().parts = {a};
  scene.bodies[1].kind = b.kind == SolidKind::half_space ? BodyKind::fixed : BodyKind::dynamic;
  scene.bodies[1].spatial().parts = {b};
  scene.bodies[1].spatial().inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  if (b.kind == SolidKind::half_space) {
    scene.bodies[0].kind = BodyKind::dynamic;
    scene.bodies[0].spatial().inertia = scene.bodies[1].spatial().inertia;
  }
  return scene;
}

// Kinds of a pair of which one at least is no polyhedron.
std::array<int, 2> kinds(int trial) {
  const int a = trial % 5, b = trial / 5 % 5;
  if (a >= 3 && b >= 3) return {a, b - 3};
  if (a == 2 && b == 2) return {2, 4};
  return {a, b};
}

constexpr double within = 1e-9;  // [m]

// Of a separation s [m]. Cores closer than rounding tells do not know their normal: an error of it counts with the size
// of the parts.
double rounding(double s, double radii) { return 1e-9 + 1e-15 / std::max(1e-9, s + radii); }

// What the reference simulator, whose code is independent, finds for the pair.
double reference_separation(const SolidPart* part, const SpatialPose* pose) {
  const std::vector<reference::spatial::Solid> a{reference::spatial::make_solid(part[0])};
  const std::vector<reference::spatial::Solid> b{reference::spatial::make_solid(part[1])};
  const auto at = [](const SpatialPose& p) {
    return reference::spatial::Placement{reference::spatial::vector3(p.position),
                                         reference::spatial::turn(p.turn).toRotationMatrix()};
  };
  return reference::spatial::best_separation({a, 0, at(pose[0])}, {b, 0, at(pose[1])}).value();
}

struct RoundTally {
  long pairs = 0, overlapping = 0, deep = 0, round = 0, wrong = 0;
  std::string first;
};

void check_separation(scenes::Random& random, int trial, RoundTally& tally) {
  const Draw draw{random, trial / 25 % 4 >= 2, trial / 25 % 4 == 3};
  const auto [kind_a, kind_b] = kinds(trial);
  const SolidPart part[2] = {draw.part(kind_a), draw.part(kind_b)};
  const SpatialPose given[2] = {draw.pose(0.25), draw.pose(random.uniform(0.1, 1.5))};
  const Frame pose[2] = {frame(given[0]), frame(given[1])};
  const auto model = compile_model(pair_scene(part[0], part[1]));
  const ModelView view = model->view();
  const spatial::PartView a = spatial::part_view(view, 0), b = spatial::part_view(view, 1);
  const spatial::Separation best = spatial::best_separation(a, b, pose[0], pose[1], within);
  const spatial::LatestMode latest = spatial::latest_mode(a, b, pose[0], pose[1], pose[0], pose[1], false, within, 0.0);
  const double s = oracle_separation(placed(part[0], pose[0]), placed(part[1], pose[1]));
  const double near = rounding(s, part[0].radius + part[1].radius);
  ++tally.pairs;
  tally.overlapping += s < 0.0 ? 1 : 0;
  tally.deep += s < -part[0].radius - part[1].radius ? 1 : 0;
  tally.round += spatial::mode_type(best.mode) == spatial::mode_round ? 1 : 0;
  const double by_reference = reference_separation(part, given);
  if (std::fabs(best.s - s) <= near && std::fabs(latest.s0_max - s) <= near && best.mode >= 0 &&
      std::fabs(by_reference - s) <= near) {
    return;
  }
  ++tally.wrong;
  if (!tally.first.empty()) return;
  std::ostringstream text;
  text.precision(17);
  text << "trial " << trial << ", kinds " << kind_a << " and " << kind_b << ": " << best.s << ", latest "
       << latest.s0_max << ", the oracle " << s << ", the reference simulator " << by_reference;
  tally.first = text.str();
}

// Rounds of a hundred trials, in which all pairs of kinds have all ways to be drawn; each with a seed of its own.
void check_separations(std::uint64_t seed, int rounds) {
  constexpr int trials = 100;
  const int thread_count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<RoundTally> tallies(static_cast<std::size_t>(thread_count));
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      RoundTally& tally = tallies[static_cast<std::size_t>(t)];
      for (int k = t; k < rounds; k += thread_count) {
        scenes::Random random(seed * 1000000007ull + static_cast<std::uint64_t>(k));
        for (int trial = 0; trial < trials; ++trial) check_separation(random, trial, tally);
        if (tally.wrong > 0 && tally.first.find("round") == std::string::npos)
          tally.first += ", round " + std::to_string(k);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  RoundTally sum;
  for (const RoundTally& tally : tallies) {
    sum.pairs += tally.pairs;
    sum.overlapping += tally.overlapping;
    sum.deep += tally.deep;
    sum.round += tally.round;
    sum.wrong += tally.wrong;
    if (sum.first.empty()) sum.first = tally.first;
  }
  std::cout << sum.pairs << " pairs, " << sum.overlapping << " overlapping, " << sum.deep
            << " of them with their cores, " << sum.round << " with round modes\n";
  EXPECT_EQ(sum.pairs, static_cast<long>(rounds) * trials);
  EXPECT_GT(sum.overlapping, sum.pairs / 5);
  EXPECT_GT(sum.deep, sum.pairs / 40);
  EXPECT_GT(sum.round, sum.pairs / 5);
  EXPECT_EQ(sum.wrong, 0) << sum.first << ", seed " << seed;
}

TEST(RoundModesFuzz, SeparationIsThatOfASearch) { check_separations(test::fuzz_seed(20261124), 200); }

TEST(RoundModesLongFuzz, SeparationOfAMillionPairs) { check_separations(test::fuzz_seed(1), 10000); }

// Along a motion: nothing separates more than the best facet at the start or at the end, and the start's best is found.
TEST(RoundModesFuzz, LatestModeAlongAMotion) {
  const std::uint64_t seed = test::fuzz_seed(20261125);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  scenes::Random random(seed);
  int holds = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const Draw draw{random, trial / 25 % 4 >= 2, trial / 25 % 4 == 3};
    const auto [kind_a, kind_b] = kinds(trial);
    const SolidPart part[2] = {draw.part(kind_a), draw.part(kind_b)};
    const Frame a0 = frame(draw.pose(0.25)), b0 = frame(draw.pose(1.2)), b1 = frame(draw.pose(1.2));
    const auto model = compile_model(pair_scene(part[0], part[1]));
    const ModelView view = model->view();
    const spatial::PartView a = spatial::part_view(view, 0), b = spatial::part_view(view, 1);
    const spatial::LatestMode latest = spatial::latest_mode(a, b, a0, b0, a0, b1, trial % 2 == 1, within, 0.0);
    const double s0 = spatial::best_separation(a, b, a0, b0, within).s;
    const double s1 = spatial::best_separation(a, b, a0, b1, within).s;
    const double radii = part[0].radius + part[1].radius;
    ASSERT_NEAR(latest.s0_max, s0, rounding(s0, radii)) << "trial " << trial;
    ASSERT_LE(latest.s0, s0 + rounding(s0, radii)) << "trial " << trial;
    ASSERT_LE(latest.s1, s1 + rounding(s1, radii)) << "trial " << trial;
    ASSERT_GE(latest.mode, 0) << "trial " << trial;
    if (trial % 2 == 0 && s0 > 0.0 && s1 >= 0.0) {
      ASSERT_NEAR(latest.s1, s1, rounding(s1, radii)) << "trial " << trial;
      ++holds;
    }
  }
  EXPECT_GT(holds, 1000);
}

// The contacts of the best mode: on the surface of one part and a gap away from the other; the smallest gap is the
// separation, and its derivative along any motion is that of the row.
TEST(RoundModesFuzz, ContactsAndTheirDerivatives) {
  const std::uint64_t seed = test::fuzz_seed(20261126);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  scenes::Random random(seed);
  int derivatives = 0, several = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const Draw draw{random, trial / 25 % 4 >= 2, trial / 25 % 4 == 3};
    const auto [kind_a, kind_b] = kinds(trial);
    const SolidPart part[2] = {draw.part(kind_a), draw.part(kind_b)};
    const SpatialPose pose_a = draw.pose(0.25), pose_b = draw.pose(1.0);
    const auto model = compile_model(pair_scene(part[0], part[1]));
    const ModelView view = model->view();
    const spatial::PartView a = spatial::part_view(view, 0), b = spatial::part_view(view, 1);
    const Frame fa = frame(pose_a), fb = frame(pose_b);
    const spatial::Separation best = spatial::best_separation(a, b, fa, fb, within);
    std::vector<spatial::ContactPoint> contacts;
    spatial::mode_contacts({a, b, fa, fb}, best.mode, 0.05, 1e-6,
                           [&](const spatial::ContactPoint& c) { contacts.push_back(c); });
    ASSERT_FALSE(contacts.empty()) << "trial " << trial;
    ASSERT_LE(static_cast<int>(contacts.size()), view.part_widest[0] + view.part_widest[1] + 1) << "trial " << trial;
    several += contacts.size() > 1 ? 1 : 0;
    const double radii = part[0].radius + part[1].radius;
    double least = 1e300;
    for (const spatial::ContactPoint& c : contacts) {
      ASSERT_NEAR(norm(c.n), 1.0, 1e-12) << "trial " << trial;
      least = std::min(least, c.gap);
    }
    // cores that all but touch have normals made of rounding
    if (best.s <= -radii + 1e-5) continue;
    ASSERT_GE(least, best.s - 1e-7) << "trial " << trial;
    if (spatial::mode_type(best.mode) == spatial::mode_round) {
      ASSERT_NEAR(least, best.s, 1e-7) << "trial " << trial;
    }
    if (contacts.size() > 1) continue;
    ASSERT_NEAR(least, best.s, rounding(best.s, radii)) << "trial " << trial;
    const spatial::ContactPoint c = contacts[0];
    const bool on_a = spatial::mode_type(best.mode) == spatial::mode_face_b;
    const Placed pa = placed(part[0], fa), pb = placed(part[1], fb);
    const Placed& own = on_a ? pa : pb;
    if (own.kind != SolidKind::half_space) {
      ASSERT_NEAR(to_core(c.p, own), own.radius, 1e-9) << "trial " << trial;
    }
    if (draw.lattice || best.s + radii < 1e-3) continue;
    // b turns and moves a little about its origin
    const V3 v{random.uniform(-1.0, 1.0), 0.3, -0.7}, w{0.4, random.uniform(-1.0, 1.0), 0.9};
    constexpr double dt = 1e-6;
    const auto moved_s = [&](double t) {
      SpatialPose moved = pose_b;
      moved.position = {pose_b.position.x + t * v.x, pose_b.position.y + t * v.y, pose_b.position.z + t * v.z};
      const spatial::Turn turn =
          spatial::exponential(t * w) * spatial::Turn{pose_b.turn.w, pose_b.turn.x, pose_b.turn.y, pose_b.turn.z};
      moved.turn = {turn.w, turn.x, turn.y, turn.z};
      return spatial::best_separation(a, b, fa, frame(moved), within).s;
    };
    const double expected = dot(c.n, v + cross(w, c.p - fb.origin));
    // where the facet changes within dt the derivative has a step
    ASSERT_NEAR((moved_s(dt) - moved_s(-dt)) / (2.0 * dt), expected, 1e-4) << "trial " << trial;
    ++derivatives;
  }
  EXPECT_GT(derivatives, 1500);
  EXPECT_GT(several, 500);
}

// Of the contacts that were added, the one with the least gap.
struct Closest {
  double gap = 1e300;
  V3 normal{};
  void add(double g, V3 n) {
    if (g < gap) normal = n;
    gap = std::min(gap, g);
  }
};

// Pairs about to touch, or a little in each other, and a small motion: the facet of the reference simulator is that of
// the product, and so is its separation at the end; of pairs in each other the closest contact is where they are, at
// the start's separation.
TEST(RoundModesFuzz, LatestModeOfSmallMotionsAndItsContacts) {
  namespace ref = reference::spatial;
  const std::uint64_t seed = test::fuzz_seed(10);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  scenes::Random random(seed);
  const auto at = [](const SpatialPose& p) {
    return ref::Placement{ref::vector3(p.position), ref::turn(p.turn).toRotationMatrix()};
  };
  int compared = 0, round = 0, touching = 0, otherwise = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Draw draw{random, trial / 25 % 4 >= 2, trial / 25 % 4 == 3};
    const auto [kind_a, kind_b] = kinds(trial);
    const SolidPart part[2] = {draw.part(kind_a), draw.part(kind_b)};
    const double radii = part[0].radius + part[1].radius;
    const SpatialPose pose_a = draw.pose(0.25);
    SpatialPose pose_b = draw.pose(1.0);
    const auto model = compile_model(pair_scene(part[0], part[1]));
    const ModelView view = model->view();
    const spatial::PartView a = spatial::part_view(view, 0), b = spatial::part_view(view, 1);
    const Frame fa = frame(pose_a);
    const spatial::Separation first = spatial::best_separation(a, b, fa, frame(pose_b), within);
    std::vector<V3> normals;
    spatial::mode_contacts({a, b, fa, frame(pose_b)}, first.mode, 0.05, 1e-6,
                           [&](const spatial::ContactPoint& c) { normals.push_back(c.n); });
    if (first.s + radii < 1e-3 || normals.empty()) continue;  // cores that touch
    const double start = std::array{1e-3, -1e-7, -1e-5, -1e-3}[static_cast<std::size_t>(trial / 100 % 4)];
    const V3 way = (start - first.s) * normals[0];
    pose_b.position = {pose_b.position.x + way.x, pose_b.position.y + way.y, pose_b.position.z + way.z};
    SpatialPose end = pose_b;
    const double step = trial % 7 == 0 ? 0.0 : 1e-3;
    end.position.x += step * random.uniform(-1.0, 1.0);
    end.position.y += step * random.uniform(-1.0, 1.0);
    end.position.z += step * random.uniform(-1.0, 1.0);
    const spatial::Turn turned =
        spatial::exponential(step * V3{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), 0.5}) *
        spatial::Turn{pose_b.turn.w, pose_b.turn.x, pose_b.turn.y, pose_b.turn.z};
    end.turn = {turned.w, turned.x, turned.y, turned.z};
    const Frame f0 = frame(pose_b);
    const spatial::LatestMode latest = spatial::latest_mode(a, b, fa, f0, fa, frame(end), false, within, 0.0);
    const std::vector<ref::Solid> own{ref::make_solid(part[0])}, others{ref::make_solid(part[1])};
    const ref::PlacedSolid a0{own, 0, at(pose_a)}, b0{others, 0, at(pose_b)}, b1{others, 0, at(end)};
    const ref::LatestFacet facet = ref::latest_facet(a0, b0, a0, b1, false);
    if (latest.s0_max + radii < 1e-3) continue;
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", kinds " << kind_a << " and " << kind_b);
    Closest product, other;
    spatial::mode_contacts({a, b, fa, f0}, latest.mode, 0.05, 1e-6,
                           [&](const spatial::ContactPoint& c) { product.add(c.gap, c.n); });
    for (const ref::ContactPoint& c : ref::contacts_of(facet.facet, a0, b0, 0.05, 1e-6)) {
      other.add(c.gap, {c.normal.x(), c.normal.y(), c.normal.z()});
    }
    if (latest.s0_max < 0.0) {
      ++touching;
      ASSERT_NEAR(product.gap, latest.s0_max, 2e-7);
      ASSERT_NEAR(other.gap, latest.s0_max, 2e-7);
    } else {
      ASSERT_LT(std::fabs(product.gap - latest.s0_max), 5e-3);
      ASSERT_LT(std::fabs(other.gap - latest.s0_max), 5e-3);
    }
    // all but parallel segments: their own axis turns far within the motion, and another's of the same direction does
    // not
    if (draw.lattice || !(facet.lead > 1e-8)) continue;
    ++compared;
    const bool is_round = spatial::mode_type(latest.mode) == spatial::mode_round;
    round += is_round ? 1 : 0;
    if (is_round == (facet.facet.kind == ref::FacetKind::round) &&
        std::fabs(latest.s1 - facet.s1) <= 2e-9 + rounding(latest.s1, radii)) {
      continue;
    }
    // Facets of all but the same direction do not count as a tie: edges that meet in the closest vertex, say. One is as
    // good as the other at the start, and neither tells more at the end than there is.
    ++otherwise;
    ASSERT_LT(norm(product.normal - other.normal), 2e-3);
    const double s1 = ref::best_separation(a0, b1).value() + rounding(latest.s1, radii);
    ASSERT_LE(latest.s1, s1);
    ASSERT_LE(facet.s1, s1);
  }
  std::cout << compared << " compared, " << round << " of them round, " << touching << " in each other, " << otherwise
            << " with another facet of the same direction\n";
  EXPECT_LT(otherwise, 10);
  EXPECT_GT(compared, 5000);
  EXPECT_GT(round, 3000);
  EXPECT_GT(touching, 5000);
}

// A capsule's core across a box's edge, touching it but for rounding: the way between the closest points is made of
// rounding, the common normal is not. All three find what separates them.
TEST(RoundModesFuzz, ACoreThatTouchesAnEdgeButForRounding) {
  const std::uint64_t seed = test::fuzz_seed(20261128);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  scenes::Random random(seed);
  constexpr double radius = 0.25, half = 0.5;
  for (int trial = 0; trial < 2000; ++trial) {
    const double angle = random.uniform(0.1, 1.4), lean = std::pow(10.0, -random.uniform(0.0, 7.0));
    const double gap = random.uniform(-1.0, 1.0) * std::pow(10.0, -random.uniform(8.0, 17.0));
    const V3 n{std::cos(angle), std::sin(angle), 0.0};
    const V3 across{-n.y, n.x, lean};
    const V3 middle = V3{half, half, random.uniform(-0.3, 0.3)} + gap * n;
    const V3 along = (0.4 / norm(across)) * across;
    const V3 tail = middle - random.uniform(0.5, 1.0) * along, head = middle + along;
    SolidPart part[2] = {{"box", scenes::cuboid(half, half, half)},
                         make_capsule("capsule", {tail.x, tail.y, tail.z}, {head.x, head.y, head.z}, radius)};
    if (trial % 2 == 1) std::swap(part[0], part[1]);
    const SpatialPose place = Draw{random, false}.pose(0.5);
    const SpatialPose given[2] = {place, place};
    const Frame pose = frame(place);
    const auto model = compile_model(pair_scene(part[0], part[1]));
    const ModelView view = model->view();
    const spatial::PartView a = spatial::part_view(view, 0), b = spatial::part_view(view, 1);
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", gap " << gap << ", lean " << lean);
    ASSERT_NEAR(spatial::best_separation(a, b, pose, pose, within).s, gap - radius, 1e-9);
    ASSERT_NEAR(spatial::latest_mode(a, b, pose, pose, pose, pose, false, within, 0.0).s0_max, gap - radius, 1e-9);
    ASSERT_NEAR(reference_separation(part, given), gap - radius, 1e-9);
  }
}

// Cores of two capsules that cross, or all but, at any angle down to parallel: what separates them is the way between
// them.
TEST(RoundModesFuzz, CapsulesWhoseCoresCross) {
  const std::uint64_t seed = test::fuzz_seed(20261129);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  scenes::Random random(seed);
  for (int trial = 0; trial < 5000; ++trial) {
    const double angle = std::pow(10.0, -random.uniform(0.0, 10.0));
    const double gap = trial % 3 == 0 ? 0.0 : std::pow(10.0, -random.uniform(3.0, 18.0));
    const double radius[2] = {random.uniform(0.001, 0.5), random.uniform(0.001, 0.5)};
    const double tail = random.uniform(0.1, 1.0), head = random.uniform(0.1, 1.0);
    const V3 along{std::cos(angle), std::sin(angle), 0.0};
    const SolidPart part[2] = {make_capsule("one", {-0.7, 0.0, 0.0}, {0.6, 0.0, 0.0}, radius[0]),
                               make_capsule("other", {-tail * along.x, -tail * along.y, gap},
                                            {head * along.x, head * along.y, gap}, radius[1])};
    const SpatialPose place = Draw{random, false}.pose(0.5);
    const SpatialPose given[2] = {place, place};
    const Frame pose = frame(place);
    const auto model = compile_model(pair_scene(part[0], part[1]));
    const ModelView view = model->view();
    const spatial::PartView a = spatial::part_view(view, 0), b = spatial::part_view(view, 1);
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", gap " << gap << ", angle " << angle);
    const double s = gap - radius[0] - radius[1];
    const spatial::Separation best = spatial::best_separation(a, b, pose, pose, within);
    ASSERT_GE(best.mode, 0);
    ASSERT_NEAR(best.s, s, 1e-9);
    ASSERT_NEAR(spatial::latest_mode(a, b, pose, pose, pose, pose, false, within, 0.0).s0_max, s, 1e-9);
    ASSERT_NEAR(reference_separation(part, given), s, 1e-9);
  }
}

}  // namespace
}  // namespace pegrasp
