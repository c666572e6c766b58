// SPDX-License-Identifier: Apache-2.0
// Quick looks at a few facets never answer otherwise than a scan of all would: pairs of random parts, and a finger
// beside the gear, whose teeth have siblings.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/contact/choose_modes.hpp"
#include "pegrasp/problem.hpp"
#include "src/model/model.hpp"
#include "tests/geometry/kernel_part.hpp"
#include "tests/geometry/oracle.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

struct Looks {
  long apart = 0;     // pairs that a quick look showed to be apart
  long measured = 0;  // by a facet, as by the scan
  long left_out = 0;  // scans that left facets out
  long internal = 0;  // of these, with facets at internal edges
};

strict::Frame frame_at(const Pose& pose) { return strict::make_frame(pose.x, pose.y, pose.theta); }

// What choose_mode() asks of facets at internal edges.
bool kept_apart_by(const strict::LatestMode& latest, double give, const StepOptions& options) {
  return strict::kept_by_internal_edge(latest.s1, latest.internal_edge1, options) ||
         strict::came_through_sibling(latest.s1 + give, latest.internal_edge1 + give, options);
}

void look(const strict::PartView& a, const strict::PartView& b, const Pose& pa, const Pose& pb, const Pose& pb_after,
          Looks& looks) {
  const strict::Frame a0 = frame_at(pa), b0 = frame_at(pb), b1 = frame_at(pb_after);
  const strict::Separation start = strict::best_separation(a, b, a0, b0);
  for (const double least : {1e-4, 1e-2, 0.3}) {
    if (!strict::separated_by(a, b, a0, b0, least)) continue;
    ++looks.apart;
    EXPECT_GT(strict::separation(start), least - 1e-12);
  }
  if (start.mode != strict::mode_none) {
    EXPECT_EQ(strict::separation_by(a, b, a0, b0, start.mode), start.s);
    ++looks.measured;
  }
  StepOptions options;
  options.penetration_tolerance = 1e-7;
  const double reach = std::hypot(pb_after.x - pb.x, pb_after.y - pb.y) + std::fabs(pb_after.theta - pb.theta);
  for (const bool guarded : {false, true}) {
    strict::LatestScan all;
    all.all = true;
    all.guarded = guarded;
    strict::scan_latest(a, b, a0, b0, a0, b1, reach, all);
    const strict::LatestMode expected = strict::latest_of(all);
    strict::LatestScan some;
    some.guarded = guarded;
    strict::scan_latest(a, b, a0, b0, a0, b1, reach, some);
    looks.left_out += some.left_out1 > -1e300 ? 1 : 0;
    looks.internal += some.left_out1 > -1e300 && all.internal_edge1 > -1e300 ? 1 : 0;
    for (const double give : {0.0, 0.01}) {
      const strict::LatestMode latest = strict::latest_mode(a, b, a0, b0, a0, b1, guarded, reach, give);
      EXPECT_EQ(latest.mode, expected.mode);
      EXPECT_EQ(latest.s0, expected.s0);
      EXPECT_EQ(latest.s1, expected.s1);
      EXPECT_EQ(std::max(latest.s0_max, latest.internal_edge0), std::max(expected.s0_max, expected.internal_edge0));
      EXPECT_EQ(kept_apart_by(latest, give, options), kept_apart_by(expected, give, options));
      EXPECT_EQ(latest.internal_edge0 >= expected.s0, expected.internal_edge0 >= expected.s0);
    }
  }
}

Pose near_pose(const Pose& pose, double way, double turn, scenes::Random& random) {
  return {pose.x + random.uniform(-way, way), pose.y + random.uniform(-way, way),
          pose.theta + random.uniform(-turn, turn)};
}

TEST(QuickLooks, ChooseTheModesOfAllFacets) {
  scenes::Random random(11);
  Looks looks;
  for (int i = 0; i < 5000; ++i) {
    const ConvexPart a = oracle::random_part(random);
    const ConvexPart b = oracle::random_part(random);
    const test::KernelPart ka(a), kb(b);
    const Pose pa{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
    const Pose pb{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
    const double scale = std::pow(10.0, random.uniform(-5.0, -0.5));
    look(ka.view(), kb.view(), pa, pb, near_pose(pb, scale, scale, random), looks);
    if (HasFailure()) return;
  }
  EXPECT_GT(looks.apart, 500);
  EXPECT_GT(looks.measured, 4000);
  EXPECT_GT(looks.left_out, 500);
}

TEST(QuickLooks, ChooseTheModesOfAllFacetsBesideSiblings) {
  const Model model(load_problem(test::source_file("examples/gear/gear.toml")).scene);
  const ModelView view = model.view();
  const int finger = view.body_first_part[1];
  scenes::Random random(12);
  Looks looks;
  for (int i = 0; i < 10000; ++i) {
    const int part = static_cast<int>(random.below(static_cast<std::size_t>(view.body_first_part[1])));
    const Pose pb{random.uniform(-0.025, 0.01), random.uniform(-0.03, 0.01), 0.0};
    const Pose pa{0.0, 0.0, random.uniform(-0.5, 0.5)};
    const double scale = std::pow(10.0, random.uniform(-6.0, -2.0));
    look(strict::part_view(view, part), strict::part_view(view, finger), pa, pb, near_pose(pb, scale, 0.0, random),
         looks);
    if (HasFailure()) return;
  }
  EXPECT_GT(looks.apart, 1000);
  EXPECT_GT(looks.left_out, 1000);
  EXPECT_GT(looks.internal, 500);
}

}  // namespace
}  // namespace pegrasp
