// SPDX-License-Identifier: Apache-2.0
// Modes of a million pairs of polyhedra against two oracles that share no line with kernels/: all axes by brute force,
// which gives the depth of pairs that overlap and the best facet of those that do not, and the distance after Gilbert,
// Johnson and Keerthi, with its certificate.
#define PEGRASP_SPATIAL
#include "kernels/spatial/modes.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include "src/model/model.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/geometry/gjk.hpp"
#include "tests/geometry/polyhedron_pairs.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp {
namespace {

// --- the oracle of axes
// ------------------------------------------------------------------------------------------------

// A polyhedron at a pose.
struct Placed {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;
  std::vector<std::array<Vec3, 2>> edges;  // tail, and what it takes to the head
};

Placed place(const Polyhedron& shape, const SpatialPose& pose) {
  Placed placed;
  for (const Vec3& x : shape.vertices) placed.points.push_back(test::in_world(pose, x));
  for (const PolyhedronFace& f : shape.faces) placed.normals.push_back(test::turned(pose.turn, f.normal));
  for (const PolyhedronEdge& e : shape.edges) {
    placed.edges.push_back({placed.points[e.tail], placed.points[e.head] - placed.points[e.tail]});
  }
  return placed;
}

// What the axes say: `all` separates most of all axes, so that it is minus the depth where it is negative; `facet` most
// of those that are normals of the obstacle's facets. Axes across edges that are nearly parallel are in neither, as
// kernels leave these out, but in `parallel`.
struct Axes {
  double all = -1e300;
  double facet = -1e300;
  double parallel = -1e300;
};

struct Span {
  double low = 1e300, high = -1e300;
};
Span span(const std::vector<Vec3>& points, Vec3 n) {
  Span s;
  for (const Vec3& p : points) {
    const double x = dot(n, p);
    s.low = std::min(s.low, x);
    s.high = std::max(s.high, x);
  }
  return s;
}

constexpr double touching = 2e-9;  // [m] edges this near to both supporting planes make a facet

void try_edges(const Placed& a, const std::array<Vec3, 2>& ea, const Placed& b, const std::array<Vec3, 2>& eb,
               Axes& axes) {
  const Vec3 across = cross(ea[1], eb[1]);
  const double sine2 = dot(across, across) / (dot(ea[1], ea[1]) * dot(eb[1], eb[1]));
  if (!(sine2 > 1e-28)) return;
  const Vec3 n = (1.0 / length(across)) * across;
  const Span sa = span(a.points, n), sb = span(b.points, n);
  const double own = dot(n, eb[0] - ea[0]);
  const bool is_parallel = sine2 < 4.0 * spatial::parallel_sine * spatial::parallel_sine;
  for (const double s : {sb.low - sa.high, sa.low - sb.high}) {
    if (is_parallel) {
      axes.parallel = std::max(axes.parallel, s);
      continue;
    }
    axes.all = std::max(axes.all, s);
    if (std::fabs(std::fabs(own) - std::fabs(s)) <= touching) axes.facet = std::max(axes.facet, s);
  }
}

Axes axes_of(const Placed& a, const Placed& b) {
  Axes axes;
  for (const Vec3& n : a.normals) axes.all = std::max(axes.all, span(b.points, n).low - span(a.points, n).high);
  for (const Vec3& n : b.normals) axes.all = std::max(axes.all, span(a.points, n).low - span(b.points, n).high);
  axes.facet = axes.all;
  for (const auto& ea : a.edges) {
    for (const auto& eb : b.edges) try_edges(a, ea, b, eb, axes);
  }
  return axes;
}

// --- a pair, as the kernels and as the oracles see it
// -------------------------------------------------------------------

ConvexSolid solid(const Polyhedron& shape) {
  ConvexSolid result{shape.vertices, {}};
  for (const PolyhedronFace& face : shape.faces) result.faces.push_back(face.vertices);
  return result;
}

spatial::Frame frame(const SpatialPose& pose) {
  spatial::Frame f{};
  f.origin = {pose.position.x, pose.position.y, pose.position.z};
  spatial::matrix_of({pose.turn.w, pose.turn.x, pose.turn.y, pose.turn.z}, f.row);
  return f;
}

std::shared_ptr<const Model> model_of(const pairs::Pair& pair) {
  SceneSpec scene = scenes::scene_3d("pair");
  for (const Polyhedron* part : {&pair.a, &pair.b}) {
    BodySpec body;
    body.form = SpatialBody{};
    body.name = "body" + std::to_string(scene.bodies.size());
    body.spatial().parts.push_back({body.name, *part});
    body.spatial().inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    scene.bodies.push_back(body);
  }
  return compile_model(scene);
}

struct Tally {
  long pairs = 0, overlapping = 0, touching = 0, facets = 0, edges = 0, uncertified = 0, wrong = 0, parallel = 0;
  double worst_depth = 0.0, worst_facet = 0.0, worst_above = 0.0, worst_parallel = 0.0;
  std::string first;

  void add(const Tally& other) {
    pairs += other.pairs;
    overlapping += other.overlapping;
    touching += other.touching;
    facets += other.facets;
    edges += other.edges;
    uncertified += other.uncertified;
    parallel += other.parallel;
    wrong += other.wrong;
    worst_depth = std::max(worst_depth, other.worst_depth);
    worst_facet = std::max(worst_facet, other.worst_facet);
    worst_above = std::max(worst_above, other.worst_above);
    worst_parallel = std::max(worst_parallel, other.worst_parallel);
    if (first.empty()) first = other.first;
  }
};

// Of separations [m]: bodies are up to 3.5 m long, and the normals of edges that are nearly parallel lose seven digits.
constexpr double rounding = 4e-9;
constexpr double certain = 1e-11;  // [m] between a point's distance and an axis' one
constexpr double everywhere = 1e300;
constexpr double centimetres = 0.02;  // [m] a reach as steps have it

class PairCheck {
 public:
  PairCheck(std::uint64_t seed, Tally& tally) : seed_(seed), random_(seed), tally_(tally) {
    pair_.a = pairs::draw_shape(random_, pairs::below(random_, pairs::shape_kinds));
    pair_.b = pairs::draw_shape(random_, pairs::below(random_, pairs::shape_kinds));
    model_ = model_of(pair_);
    view_ = model_->view();
    a_ = spatial::part_view(view_, 0);
    b_ = spatial::part_view(view_, 1);
    for (const Polyhedron* shape : {&pair_.a, &pair_.b}) {
      for (const Vec3& x : shape->vertices) size_ = std::max(size_, 2.0 * length(x));
    }
  }

  // Placings take turns, from the one numbered `first`.
  void run(long first, int poses) {
    for (int k = 0; k < poses; ++k) {
      const SpatialPose at_a = test::random_pose(random_, 0.5);
      const int kind = static_cast<int>((first + k) % pairs::placing_kinds);
      SpatialPose at_b = pairs::nearly(random_, pairs::draw_pose(random_, pair_, at_a, kind));
      if (kind != pairs::same_pose && random_.below(2) == 0) at_b = almost_touching(at_a, at_b);
      place_ = "placing " + std::to_string(kind) + ", pose " + std::to_string(k);
      check(at_a, at_b);
    }
  }

 private:
  // Moved along the axis that separates most, so that a gap or a depth of 1e-15 to 0.1 m is left.
  SpatialPose almost_touching(const SpatialPose& at_a, const SpatialPose& at_b) {
    const AxisGap gap = largest_separation(solid(pair_.a), at_a, solid(pair_.b), at_b);
    const double left = pairs::power_of_ten(random_, -15.0, -1.0) * (random_.below(2) == 0 ? 1.0 : -1.0);
    return {at_b.position + (left - gap.separation) * gap.direction, at_b.turn};
  }

  void expect(bool right, const char* what, double is, double should) {
    if (right) return;
    ++tally_.wrong;
    if (!tally_.first.empty()) return;
    std::ostringstream text;
    text.precision(17);
    text << what << ": " << is << ", the oracle " << should << "; seed of the pair " << seed_ << ", " << place_;
    tally_.first = text.str();
  }

  // Between GJK's points and an axis, where these prove it; else as the brute-force search of features has it.
  double distance(const Placed& a, const Placed& b, double axis, const SpatialPose& at_a, const SpatialPose& at_b) {
    const gjk::Bounds bounds = gjk::distance(a.points, b.points);
    if (std::fabs(bounds.upper - std::max(bounds.lower, axis)) <= certain) return bounds.upper;
    ++tally_.uncertified;
    return solid_distance(solid(pair_.a), at_a, solid(pair_.b), at_b).distance;
  }

  void check(const SpatialPose& at_a, const SpatialPose& at_b) {
    const Placed a = place(pair_.a, at_a), b = place(pair_.b, at_b);
    const spatial::Frame fa = frame(at_a), fb = frame(at_b);
    const spatial::Separation all = spatial::best_separation(a_, b_, fa, fb, everywhere);
    const spatial::Separation near = spatial::best_separation(a_, b_, fa, fb, 1e-9);
    const spatial::Separation within_centimetres = spatial::best_separation(a_, b_, fa, fb, centimetres);
    const spatial::LatestMode latest = spatial::latest_mode(a_, b_, fa, fb, fa, fb, false, 1e-9, 0.0);
    const Axes axes = axes_of(a, b);
    ++tally_.pairs;
    tally_.edges += spatial::mode_type(all.mode) == spatial::mode_edges ? 1 : 0;
    tally_.touching += std::fabs(axes.all) < 1e-6 ? 1 : 0;
    expect(std::fabs(latest.s0_max - near.s) <= rounding || (latest.s0_max > 0.0 && near.s > 0.0),
           "latest mode at rest", latest.s0_max, near.s);
    // Ridges that lie along each other: the facet that their edges make is a sliver, and what it cuts off is left out.
    const double sliver = spatial::parallel_sine * size_;
    const bool parallel = axes.parallel > axes.all - 2.0 * sliver;
    const double missing = rounding + (parallel ? sliver : 0.0);
    const double most = std::max(axes.all, axes.parallel);
    if (most <= 0.0) {
      check_depth(all.s, most, missing);
      check_depth(near.s, most, missing);
      check_depth(within_centimetres.s, most, missing + spatial::doubt * centimetres);
      ++tally_.overlapping;
      return;
    }
    const double exact = distance(a, b, most, at_a, at_b);
    expect(axes.all <= exact + rounding, "oracle: an axis says more than the distance", axes.all, exact);
    for (const spatial::Separation& found : {all, near, within_centimetres}) {
      tally_.worst_above = std::max(tally_.worst_above, found.s - exact);
      expect(found.s <= exact + rounding, "more than the distance", found.s, exact);
    }
    tally_.parallel += near.s < -rounding ? 1 : 0;
    tally_.worst_parallel = std::max(tally_.worst_parallel, -near.s);
    expect(near.s >= -missing, "misses a gap", near.s, exact);
    expect(within_centimetres.s >= -missing - spatial::doubt * centimetres, "misses a gap", within_centimetres.s,
           exact);
    const bool facet_is_nearest = axes.facet >= exact - rounding;
    tally_.facets += facet_is_nearest ? 1 : 0;
    const double off = std::max(axes.facet - all.s, all.s - std::max(axes.facet, axes.parallel));
    tally_.worst_facet = std::max(tally_.worst_facet, parallel ? 0.0 : off);
    expect(all.s >= axes.facet - missing && all.s <= std::max(axes.facet, axes.parallel) + rounding, "best facet",
           all.s, axes.facet);
    if (facet_is_nearest && exact < centimetres)
      expect(within_centimetres.s >= exact - missing, "nearest facet", within_centimetres.s, exact);
  }

  void check_depth(double s, double most, double missing) {
    if (missing < 1e-7) tally_.worst_depth = std::max(tally_.worst_depth, std::fabs(s - most));
    if (s < most - rounding) {
      ++tally_.parallel;
      tally_.worst_parallel = std::max(tally_.worst_parallel, most - s);
    }
    expect(s <= most + rounding && s >= most - missing, "depth", s, most);
  }

  std::uint64_t seed_;
  scenes::Random random_;
  Tally& tally_;
  pairs::Pair pair_;
  std::shared_ptr<const Model> model_;
  ModelView view_;
  spatial::PartView a_, b_;
  double size_ = 0.0;  // [m] of the larger
  std::string place_;
};

Tally check_pairs(std::uint64_t seed, long count, int poses) {
  const int thread_count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<Tally> tallies(static_cast<std::size_t>(thread_count));
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      for (long i = t; i < count; i += thread_count) {
        PairCheck check(seed * 1000000007ull + static_cast<std::uint64_t>(i), tallies[static_cast<std::size_t>(t)]);
        check.run(i * poses, poses);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Tally sum;
  for (const Tally& tally : tallies) sum.add(tally);
  std::cout << sum.pairs << " pairs: " << sum.overlapping << " overlapping, " << sum.touching
            << " within 1e-6 m of touching, " << sum.edges << " with modes of edges; largest error of a depth "
            << sum.worst_depth << " m, of a facet " << sum.worst_facet << " m, excess over a distance "
            << sum.worst_above << " m; " << sum.facets << " with a facet nearest, " << sum.uncertified
            << " without GJK's certificate; " << sum.parallel << " overlap less than their modes say, by up to "
            << sum.worst_parallel << " m: edges nearly parallel\n";
  return sum;
}

void expect_all_right(const Tally& sum, long pairs) {
  EXPECT_EQ(sum.pairs, pairs);
  EXPECT_GT(sum.overlapping, pairs / 4);
  EXPECT_GT(sum.touching, pairs / 10);
  EXPECT_GT(sum.edges, pairs / 10);
  EXPECT_GT(sum.facets, pairs / 10);
  EXPECT_LT(sum.uncertified, pairs / 20);
  EXPECT_EQ(sum.wrong, 0) << sum.first;
}

// Ridges of two cubes that cross at their middles, askew by very little: the edges say how far apart they are, their
// faces that the ends of the ridges are beside each other.
TEST(SpatialModes, OfRidgesAlmostAlongEachOther) {
  const pairs::Pair cubes{scenes::cuboid(0.5, 0.5, 0.5), scenes::cuboid(0.5, 0.5, 0.5)};
  const auto model = model_of(cubes);
  const ModelView view = model->view();
  const Quaternion on_edge = test::turn_about({1, 0, 0}, 0.25 * std::acos(-1.0));
  for (const double askew : {1e-2, 1e-4, 1e-5, 1e-6, 3e-7}) {
    const double gap = 0.1 * askew;
    const SpatialPose lower{{}, on_edge};
    const SpatialPose upper{{0.0, 0.0, std::sqrt(2.0) + gap},
                            test::turn_after(test::turn_about({0, 0, 1}, askew), on_edge)};
    const spatial::Separation found = spatial::best_separation(spatial::part_view(view, 0), spatial::part_view(view, 1),
                                                               frame(lower), frame(upper), centimetres);
    EXPECT_NEAR(found.s, gap, 1e-9) << askew;
  }
}

TEST(SpatialModesFuzz, AgreeWithAxesAndDistances) {
  constexpr long pairs = 1000;
  constexpr int poses = 10;
  expect_all_right(check_pairs(test::fuzz_seed(20261123), pairs, poses), pairs * poses);
}

TEST(SpatialModesLongFuzz, AgreeWithAxesAndDistancesOnAMillionPairs) {
  constexpr long pairs = 1000000;  // each of fresh shapes, in one pose
  expect_all_right(check_pairs(test::fuzz_seed(1), pairs, 1), pairs);
}

}  // namespace
}  // namespace pegrasp
