// SPDX-License-Identifier: Apache-2.0
#include "src/metrics/solid_overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "src/geometry/angle.hpp"
#include "src/metrics/solid_distance.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/metrics/solids.hpp"

namespace pegrasp {
namespace {

using namespace test;

SpatialPose at(double x, double y, double z) { return {{x, y, z}, {}}; }

// Both ways round must agree.
double overlap(const ConvexSolid& a, const SpatialPose& pose_a, const ConvexSolid& b, const SpatialPose& pose_b) {
  const double volume = intersection_volume(a, pose_a, b, pose_b);
  const double other = intersection_volume(b, pose_b, a, pose_a);
  EXPECT_NEAR(volume, other, 1e-14 * std::min(solid_volume(a), solid_volume(b)) + 1e-6 * volume);
  return volume;
}

TEST(SolidVolume, OfKnownSolids) {
  EXPECT_DOUBLE_EQ(solid_volume(box_solid(1.0, 2.0, 3.0)), 48.0);
  EXPECT_NEAR(solid_volume(tetrahedron({0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3})), 1.0, 1e-15);
  EXPECT_NEAR(solid_volume(regular_tetrahedron(true)), 8.0 / 3.0, 1e-15);
  EXPECT_NEAR(solid_volume(regular_tetrahedron(false)), 8.0 / 3.0, 1e-15);
  EXPECT_EQ(solid_volume({}), 0.0);
}

TEST(SolidVolume, OfASmallSolidFarFromItsFrame) {
  ConvexSolid box = box_solid(0x1p-20, 0x1p-20, 0x1p-20);
  for (Vec3& vertex : box.vertices) vertex = vertex + Vec3{1024.0, -512.0, 256.0};
  EXPECT_DOUBLE_EQ(solid_volume(box), 0x1p-57);
}

TEST(SolidCheck, SaysWhatIsWrong) {
  ConvexSolid open = unit_cube();
  open.faces.pop_back();
  EXPECT_THROW(solid_volume(open), std::invalid_argument);
  ConvexSolid inside_out = unit_cube();
  for (std::vector<int>& face : inside_out.faces) std::reverse(face.begin(), face.end());
  EXPECT_THROW(solid_volume(inside_out), std::invalid_argument);
  ConvexSolid one_face_turned = unit_cube();
  std::reverse(one_face_turned.faces[2].begin(), one_face_turned.faces[2].end());
  EXPECT_THROW(solid_volume(one_face_turned), std::invalid_argument);
  ConvexSolid dented = unit_cube();
  dented.vertices[0] = {0.1, 0.1, 0.1};
  EXPECT_THROW(solid_volume(dented), std::invalid_argument);
  ConvexSolid warped = unit_cube();
  warped.vertices[0].x -= 1e-6;
  EXPECT_THROW(solid_volume(warped), std::invalid_argument);
  ConvexSolid no_such_vertex = unit_cube();
  no_such_vertex.faces[0][0] = 8;
  EXPECT_THROW(solid_volume(no_such_vertex), std::invalid_argument);
  ConvexSolid not_finite = unit_cube();
  not_finite.vertices[3].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(solid_volume(not_finite), std::invalid_argument);
  const SpatialPose no_turn{{}, {0.0, 0.0, 0.0, 0.0}};
  EXPECT_THROW(intersection_volume(unit_cube(), no_turn, unit_cube(), {}), std::invalid_argument);
}

TEST(SolidOverlap, OfBoxesAtOffsets) {
  const ConvexSolid a = box_solid(1.0, 0.5, 0.75);
  const ConvexSolid b = box_solid(0.25, 2.0, 0.5);
  EXPECT_NEAR(overlap(a, at(5, 5, 5), b, at(5, 5, 5)), 0.5, 1e-15);
  EXPECT_NEAR(overlap(a, at(5, 5, 5), a, at(6, 5.5, 5.5)), 1.0 * 0.5 * 1.0, 1e-15);  // half, half, a third off
  EXPECT_NEAR(overlap(a, at(5, 5, 5), a, at(6, 5, 5)), 1.5, 1e-15);                  // half of it
  EXPECT_NEAR(overlap(a, at(5, 5, 5), b, at(6, 5, 5)), 0.25, 1e-15);
  EXPECT_NEAR(overlap(a, at(5, 5, 5), b, at(6, 7, 5.75)), 0.25 * 0.5 * 0.5, 1e-15);
  EXPECT_NEAR(overlap(a, at(0.3, 0, 0), a, at(0, 0.2, -0.1)), 1.7 * 0.8 * 1.4, 1e-14);
}

TEST(SolidOverlap, OfIdenticalSolids) {
  for (const double angle : {0.0, 0.3, 1.0, 2.5}) {
    const SpatialPose pose{{3.0, -2.0, 1.0}, turn_about({1.0, 2.0, -0.5}, angle)};
    EXPECT_NEAR(overlap(unit_cube(), pose, unit_cube(), pose), 1.0, 1e-14) << angle;
    EXPECT_NEAR(overlap(regular_tetrahedron(true), pose, regular_tetrahedron(true), pose), 8.0 / 3.0, 1e-14) << angle;
  }
  // turned into itself, so that all faces coincide but for rounding
  for (int quarter = 0; quarter < 8; ++quarter) {
    const SpatialPose pose{{}, turn_about({0, 0, 1}, 0.5 * pi * quarter)};
    EXPECT_NEAR(overlap(unit_cube(), pose, unit_cube(), {}), 1.0, 1e-14) << quarter;
    const SpatialPose third{{}, turn_about({1, 1, 1}, 2.0 * pi / 3.0 * quarter)};
    EXPECT_NEAR(overlap(unit_cube(), third, unit_cube(), {}), 1.0, 1e-14) << quarter;
  }
}

TEST(SolidOverlap, OfASolidInAnother) {
  const ConvexSolid large = box_solid(50.0, 50.0, 50.0);
  const ConvexSolid small = box_solid(0.01, 0.02, 0.03);
  scenes::Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const SpatialPose pose = random_pose(random, 49.0);
    EXPECT_NEAR(overlap(large, {}, small, pose), 4.8e-5, 1e-12 * 4.8e-5) << trial;
  }
  // with a face, and with a corner, in common
  EXPECT_NEAR(overlap(unit_cube(), {}, box_solid(0.25, 0.25, 0.25), at(0.25, 0, 0)), 0.125, 1e-16);
  EXPECT_NEAR(overlap(unit_cube(), {}, box_solid(0.25, 0.25, 0.25), at(0.25, 0.25, -0.25)), 0.125, 1e-16);
}

TEST(SolidOverlap, OfTouchingAndDisjointSolids) {
  const ConvexSolid cube = unit_cube();
  EXPECT_EQ(overlap(cube, {}, cube, at(1, 0, 0)), 0.0);
  EXPECT_EQ(overlap(cube, {}, cube, at(1, 0.3, 0.2)), 0.0);
  EXPECT_EQ(overlap(cube, {}, cube, at(1, 1, 0)), 0.0);
  EXPECT_EQ(overlap(cube, {}, cube, at(1, 1, -1)), 0.0);
  EXPECT_EQ(overlap(cube, {}, cube, at(2, 0, 0)), 0.0);
  EXPECT_EQ(overlap(cube, at(1e6, 0, 0), cube, at(-1e6, 0, 0)), 0.0);
  EXPECT_EQ(overlap(cube, {}, ConvexSolid{}, {}), 0.0);
  scenes::Random random(6);
  for (int trial = 0; trial < 300; ++trial) {  // turned together: touching but for rounding
    const SpatialPose motion = random_pose(random, 1.0);
    const SpatialPose beside = moved(motion, at(1, random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9)));
    EXPECT_LT(overlap(cube, motion, cube, beside), 1e-15) << trial;
    EXPECT_LT(overlap(cube, motion, cube, moved(motion, at(1, 1, 0.5))), 1e-15) << trial;
    EXPECT_EQ(overlap(cube, motion, cube, moved(motion, at(1.001, 0.2, 0.1))), 0.0) << trial;
  }
}

TEST(SolidOverlap, OfTurnedSolids) {
  const ConvexSolid cube = unit_cube();
  const double octagon = 2.0 * (std::sqrt(2.0) - 1.0);
  EXPECT_NEAR(overlap(cube, {}, cube, {{}, turn_about({0, 0, 1}, 0.25 * pi)}), octagon, 1e-15);
  EXPECT_NEAR(overlap(cube, {}, cube, {{0, 0, 0.75}, turn_about({0, 0, 1}, 0.25 * pi)}), 0.25 * octagon, 1e-15);
  // half a turn about a diagonal: a double pyramid over a hexagon
  EXPECT_NEAR(overlap(cube, {}, cube, {{}, turn_about({1, 1, 1}, pi)}), 0.75, 1e-15);
  // Kepler's star: the two tetrahedra in a cube share an octahedron
  const ConvexSolid even = regular_tetrahedron(true);
  EXPECT_NEAR(overlap(even, {}, regular_tetrahedron(false), {}), 4.0 / 3.0, 1e-14);
  EXPECT_NEAR(overlap(even, {}, even, {{}, turn_about({0, 0, 1}, 0.5 * pi)}), 4.0 / 3.0, 1e-14);
  // a corner cut off by a cube's face across the diagonal
  const ConvexSolid corner = tetrahedron({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  EXPECT_NEAR(overlap(corner, {}, box_solid(5, 5, 5), at(0, 0, -4.5)), (1.0 - 0.125) / 6.0, 1e-15);
}

// Depths down to 1e-8 m: slabs, edges across edges, corners into faces, by their formulas.
TEST(SolidOverlap, SeesTinyDepths) {
  const ConvexSolid cube = unit_cube();
  const ConvexSolid ground = box_solid(8.0, 8.0, 8.0);  // top at 0 when it is at z = -8
  const double diagonal = 0.5 * std::sqrt(3.0);
  // the corner of the cube straight down
  const Quaternion on_corner = turn_about({1, -1, 0}, std::acos(1.0 / std::sqrt(3.0)));
  for (const double deep : {1e-2, 1e-4, 1e-6, 1e-8}) {
    EXPECT_NEAR(overlap(cube, {}, cube, at(0.25, 0.5, 1.0 - deep)), 0.375 * deep, 1e-6 * 0.375 * deep) << deep;
    EXPECT_NEAR(overlap(cube, at(0, 0, 0.5 - deep), ground, at(0, 0, -8)), deep, 1e-6 * deep) << deep;
    const double corner = 0.5 * std::sqrt(3.0) * deep * deep * deep;
    EXPECT_NEAR(overlap(cube, {{0.3, 0.1, diagonal - deep}, on_corner}, ground, at(0, 0, -8)), corner, 1e-6 * corner)
        << deep;
    EXPECT_NEAR(overlap(cube, at(0.1, 0.2, 0.3), cube, at(1.1 - deep, 1.2 - deep, 1.3 - deep)), deep * deep * deep,
                1e-6 * deep * deep * deep)
        << deep;
    // one cube stands on an edge along x, the other hangs from an edge along y
    const double top = std::sqrt(0.5);
    const SpatialPose lower{{}, turn_about({1, 0, 0}, 0.25 * pi)};
    const SpatialPose upper{{0.1, -0.05, 2.0 * top - deep}, turn_about({0, 1, 0}, 0.25 * pi)};
    const double edges = 2.0 / 3.0 * deep * deep * deep;
    EXPECT_NEAR(overlap(cube, lower, cube, upper), edges, 1e-6 * edges) << deep;
    // all of it turned together: a slab's depth is now the difference of turned coordinates
    const SpatialPose motion{{0.2, -0.4, 0.3}, turn_about({1, 2, 3}, 0.7)};
    const SpatialPose on_top = moved(motion, at(0.25, 0.5, 1.0 - deep));
    EXPECT_NEAR(overlap(cube, motion, cube, on_top), 0.375 * deep, (1e-6 * deep + 1e-15) * 0.375) << deep;
    EXPECT_NEAR(overlap(cube, moved(motion, lower), cube, moved(motion, upper)), edges, (1e-6 + 1e-14 / deep) * edges)
        << deep;
  }
}

TEST(SolidOverlap, IsTheSameAfterACommonMotion) {
  const std::uint64_t seed = fuzz_seed(7);
  scenes::Random random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    const ConvexSolid a = random_solid(random, 4 + static_cast<int>(random.below(6)));
    const ConvexSolid b = random_solid(random, 4 + static_cast<int>(random.below(6)));
    const SpatialPose pose_a = random_pose(random, 0.2);
    const SpatialPose pose_b = random_pose(random, 0.2);
    const SpatialPose motion = random_pose(random, 1.0);
    ASSERT_NEAR(overlap(a, pose_a, b, pose_b), overlap(a, moved(motion, pose_a), b, moved(motion, pose_b)), 1e-15)
        << "seed " << seed << " trial " << trial;
  }
}

// The parts on the two sides of a plane overlap anything as much as the whole does. Planes through vertices and along
// faces, where sorting by sign is most at risk, are among them; so are parts of parts.
TEST(SolidOverlap, OfPartsAddsUp) {
  const std::uint64_t seed = fuzz_seed(8);
  scenes::Random random(seed);
  for (int trial = 0; trial < 1000; ++trial) {
    const ConvexSolid a = random.below(2) == 0 ? random_solid(random, 4 + static_cast<int>(random.below(8)))
                                               : box_solid(0.25, 0.5, 0.375);
    const ConvexSolid b = random.below(2) == 0 ? random_solid(random, 4 + static_cast<int>(random.below(8))) : a;
    const SpatialPose pose_a = random_pose(random, 0.2);
    const SpatialPose pose_b = random.below(4) == 0 ? pose_a : random_pose(random, 0.2);
    const double whole = overlap(a, pose_a, b, pose_b);
    std::vector<ConvexSolid> parts{a};
    for (int cut = 0; cut < 4; ++cut) {
      const Vec3 through =
          random.below(2) == 0 ? a.vertices[random.below(a.vertices.size())] : random_point(random, 0.1);
      Vec3 normal = random_direction(random);
      if (random.below(3) == 0) {
        const std::vector<FacePlane> planes = face_planes(a, {});
        normal = planes[random.below(planes.size())].normal;
      }
      std::vector<ConvexSolid> halves;
      for (const ConvexSolid& part : parts) {
        halves.push_back(cut_solid(part, normal, dot(normal, through)));
        halves.push_back(cut_solid(part, -2.0 * normal, -2.0 * dot(normal, through)));
        ASSERT_NEAR(solid_volume(halves[halves.size() - 2]) + solid_volume(halves.back()), solid_volume(part), 1e-15)
            << "seed " << seed << " trial " << trial;
      }
      parts = std::move(halves);
    }
    double sum = 0.0;
    for (const ConvexSolid& part : parts) sum += overlap(part, pose_a, b, pose_b);
    ASSERT_NEAR(sum, whole, 1e-14) << "seed " << seed << " trial " << trial;
  }
}

// Volume of a set of half-spaces from its corners alone, without clipping: every three planes meet in a point, those
// inside all others (or on them: more than three may meet) are the corners; each plane's corners, sorted around their
// middle, are its face.
double volume_by_corners(const std::vector<FacePlane>& planes) {
  std::vector<std::vector<Vec3>> corners(planes.size());
  std::vector<Vec3> all;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    for (std::size_t j = i + 1; j < planes.size(); ++j) {
      for (std::size_t k = j + 1; k < planes.size(); ++k) {
        const Vec3 jk = cross(planes[j].normal, planes[k].normal);
        const double det = dot(planes[i].normal, jk);
        if (std::abs(det) < 1e-9) continue;
        const Vec3 ki = cross(planes[k].normal, planes[i].normal);
        const Vec3 ij = cross(planes[i].normal, planes[j].normal);
        const Vec3 sum = planes[i].offset * jk + planes[j].offset * ki + planes[k].offset * ij;
        const Vec3 corner = (1.0 / det) * sum;
        bool in = true;
        for (std::size_t p = 0; p < planes.size() && in; ++p) {
          in = p == i || p == j || p == k || dot(planes[p].normal, corner) <= planes[p].offset + 1e-13;
        }
        if (!in) continue;
        for (const std::size_t plane : {i, j, k}) corners[plane].push_back(corner);
        all.push_back(corner);
      }
    }
  }
  if (all.empty()) return 0.0;
  const Vec3 origin = all[0];
  double volume = 0.0;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    if (corners[i].size() < 3) continue;
    Vec3 middle;
    for (const Vec3& corner : corners[i]) middle = middle + (1.0 / static_cast<double>(corners[i].size())) * corner;
    const Vec3 u = unit(corners[i][0] - middle);
    const Vec3 v = cross(planes[i].normal, u);
    const auto angle = [&](Vec3 p) { return std::atan2(dot(v, p - middle), dot(u, p - middle)); };
    std::sort(corners[i].begin(), corners[i].end(), [&](Vec3 p, Vec3 q) { return angle(p) < angle(q); });
    double area = 0.0;
    for (std::size_t k = 0; k < corners[i].size(); ++k) {
      const Vec3 p = corners[i][k] - middle;
      const Vec3 q = corners[i][(k + 1) % corners[i].size()] - middle;
      area += 0.5 * dot(planes[i].normal, cross(p, q));
    }
    volume += area * (planes[i].offset - dot(planes[i].normal, origin)) / 3.0;
  }
  return volume;
}

TEST(SolidOverlap, AgreesWithTheVolumeByCorners) {
  const std::uint64_t seed = fuzz_seed(9);
  scenes::Random random(seed);
  int overlapping = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const ConvexSolid a = random_solid(random, 4 + static_cast<int>(random.below(5)));
    const ConvexSolid b = random_solid(random, 4 + static_cast<int>(random.below(5)));
    const SpatialPose pose_a = random_pose(random, 0.3);
    const SpatialPose pose_b = random_pose(random, 0.3);
    std::vector<FacePlane> planes = face_planes(a, pose_a);
    for (const FacePlane& plane : face_planes(b, pose_b)) planes.push_back(plane);
    const double volume = overlap(a, pose_a, b, pose_b);
    // corners of planes that are nearly parallel are badly known, hence not 1e-15
    ASSERT_NEAR(volume, volume_by_corners(planes), 1e-11) << "seed " << seed << " trial " << trial;
    overlapping += volume > 1e-6 ? 1 : 0;
  }
  EXPECT_GT(overlapping, 300);
}

// The tetrahedra from a point inside to the faces fill a solid: overlaps of all pairs add up.
TEST(SolidOverlap, AgreesWithTheSumOverTetrahedra) {
  const std::uint64_t seed = fuzz_seed(10);
  scenes::Random random(seed);
  const auto tetrahedra = [](const ConvexSolid& solid) {
    Vec3 middle;
    for (const Vec3& v : solid.vertices) middle = middle + (1.0 / static_cast<double>(solid.vertices.size())) * v;
    std::vector<ConvexSolid> parts;
    for (const std::vector<int>& f : solid.faces) {
      for (std::size_t k = 1; k + 1 < f.size(); ++k) {
        parts.push_back(tetrahedron(middle, solid.vertices[f[0]], solid.vertices[f[k]], solid.vertices[f[k + 1]]));
      }
    }
    return parts;
  };
  for (int trial = 0; trial < 100; ++trial) {
    const ConvexSolid a =
        random.below(3) == 0 ? box_solid(0.3, 0.4, 0.2) : random_solid(random, 4 + static_cast<int>(random.below(5)));
    const ConvexSolid b = random_solid(random, 4 + static_cast<int>(random.below(5)));
    const SpatialPose pose_a = random_pose(random, 0.2);
    const SpatialPose pose_b = random_pose(random, 0.2);
    double sum = 0.0;
    for (const ConvexSolid& part_a : tetrahedra(a)) {
      for (const ConvexSolid& part_b : tetrahedra(b)) sum += intersection_volume(part_a, pose_a, part_b, pose_b);
    }
    ASSERT_NEAR(overlap(a, pose_a, b, pose_b), sum, 1e-14) << "seed " << seed << " trial " << trial;
  }
}

TEST(SolidOverlap, AgreesWithMonteCarlo) {
  const std::uint64_t seed = fuzz_seed(11);
  scenes::Random random(seed);
  constexpr int samples = 20000;
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 half{random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5)};
    const ConvexSolid a = box_solid(half.x, half.y, half.z);
    const ConvexSolid b = random_solid(random, 5 + static_cast<int>(random.below(8)));
    const SpatialPose pose_a = random_pose(random, 0.2);
    const SpatialPose pose_b = random_pose(random, 0.2);
    const std::vector<FacePlane> planes = face_planes(b, {});
    int hits = 0;
    for (int sample = 0; sample < samples; ++sample) {
      const Vec3 p = random_point(random, 1.0);
      const Vec3 world = in_world(pose_a, {half.x * p.x, half.y * p.y, half.z * p.z});
      const Vec3 in_b = turned_back(pose_b.turn, world - pose_b.position);
      hits += height_over(planes, in_b) <= 0.0 ? 1 : 0;
    }
    const double whole = 8.0 * half.x * half.y * half.z;
    const double share = overlap(a, pose_a, b, pose_b) / whole;
    // six standard deviations, and two hits for rare ones
    const double allowed = 6.0 * std::sqrt(share * (1.0 - share) / samples) + 2.0 / samples;
    ASSERT_NEAR(static_cast<double>(hits) / samples, share, allowed) << "seed " << seed << " trial " << trial;
  }
}

// Where a vertex is in a face, or an edge across an edge, by less than the features' size, the overlap is a pyramid or
// a tetrahedron of one shape: its volume goes with the cube of the depth, down to 1e-8 m. In general position, so that
// all coordinates are rounded.
TEST(SolidOverlap, OfTinyDepthsGoesWithTheirCube) {
  const std::uint64_t seed = fuzz_seed(13);
  scenes::Random random(seed);
  int compared = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const ConvexSolid a = random_solid(random, 4 + static_cast<int>(random.below(7)));
    const ConvexSolid b = random_solid(random, 4 + static_cast<int>(random.below(7)));
    const SpatialPose pose_a = random_pose(random, 0.1);
    const SpatialPose pose_b = random_pose(random, 0.1);
    const AxisGap axis = largest_separation(a, pose_a, b, pose_b);
    if (axis.separation > 0.0) continue;
    const auto at_depth = [&](double deep) {
      const Vec3 out = (-axis.separation - deep) * axis.direction;
      return overlap(a, pose_a, b, {pose_b.position + out, pose_b.turn}) / (deep * deep * deep);
    };
    const double shape = at_depth(1e-5);
    // left out: features that small; very blunt corners and very sharp ones, where rounding is more of a width or a
    // depth
    if (std::abs(at_depth(1e-4) - shape) > 1e-3 * shape || shape > 1e3 || shape < 0.03) continue;
    ++compared;
    ASSERT_NEAR(at_depth(1e-6), shape, 1e-7 * shape) << "seed " << seed << " trial " << trial;
    ASSERT_NEAR(at_depth(1e-7), shape, 1e-6 * shape) << "seed " << seed << " trial " << trial;
    ASSERT_NEAR(at_depth(1e-8), shape, 1e-5 * shape) << "seed " << seed << " trial " << trial;
  }
  EXPECT_GT(compared, 200);
}

// A cube against itself turned and shifted by a few units in the last place: signs of heights are chance.
TEST(SolidOverlap, IsSteadyWhereSignsAreRounding) {
  const std::uint64_t seed = fuzz_seed(12);
  scenes::Random random(seed);
  for (int trial = 0; trial < 5000; ++trial) {
    const ConvexSolid solid =
        trial % 2 == 0 ? unit_cube() : random_solid(random, 4 + static_cast<int>(random.below(8)));
    const SpatialPose pose = random_pose(random, 0.5);
    const SpatialPose shift{random_point(random, 4e-16),
                            turn_about(random_direction(random), random.uniform(0, 4e-16))};
    ASSERT_NEAR(overlap(solid, pose, solid, moved(shift, pose)), solid_volume(solid), 1e-14)
        << "seed " << seed << " trial " << trial;
  }
}

TEST(SolidCut, KeepsTheSideBelow) {
  EXPECT_NEAR(solid_volume(cut_solid(unit_cube(), {0, 0, 2}, 0.5)), 0.75, 1e-15);
  EXPECT_NEAR(solid_volume(cut_solid(unit_cube(), {1, 1, 1}, -1.0)), 0.125 / 6.0, 1e-16);
  EXPECT_NEAR(solid_volume(cut_solid(unit_cube(), {1, 1, 0}, 0.0)), 0.5, 1e-16);  // through two edges
  EXPECT_EQ(cut_solid(unit_cube(), {0, 0, 1}, 0.5).faces, unit_cube().faces);
  EXPECT_TRUE(cut_solid(unit_cube(), {0, 0, 1}, -0.5).faces.empty());
  EXPECT_TRUE(cut_solid(unit_cube(), {0, 0, 1}, -2.0).vertices.empty());
  EXPECT_TRUE(cut_solid({}, {0, 0, 1}, 0.0).vertices.empty());
  EXPECT_THROW(cut_solid(unit_cube(), {0, 0, 0}, 0.0), std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp
