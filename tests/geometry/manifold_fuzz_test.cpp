// SPDX-License-Identifier: Apache-2.0
// Contacts and their rows on random pairs that touch, nearly touch or overlap a little: a contact's gap changes as its
// row says, psi(q + d nu) - psi(q - d nu) = 2 d G nu, at the start and at the end pose; a single contact's gap is at
// most the pair's distance; rows keep momentum; biases say what the step must reach.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/step/run_scene.hpp"
#include "pegrasp/simulation.hpp"
#include "src/model/model.hpp"
#include "tests/geometry/kernel_part.hpp"
#include "tests/geometry/oracle.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp {
namespace {

using strict::Frame;
using strict::V2;

struct Counts {
  long pairs = 0;
  long contacts = 0;
  long doubles = 0;   // manifolds of two contacts
  long compared = 0;  // contacts whose features were the same on either side of the difference
  double worst = 0.0;
};

// Two free bodies, one part each, in a workspace of their own.
class PairScene {
 public:
  PairScene(const ConvexPart& a, const Pose& pose_a, const ConvexPart& b, const Pose& pose_b) {
    SceneSpec scene;
    const Pose poses[] = {pose_a, pose_b};
    for (int i = 0; i < 2; ++i) {
      BodySpec body;
      body.name = i == 0 ? "a" : "b";
      body.planar().parts = {i == 0 ? a : b};
      body.mass = 1.0 + i;
      body.planar().inertia = 0.3 + i;
      body.planar().pose = poses[i];
      body.friction = 0.5;
      scene.bodies.push_back(body);
    }
    model_ = compile_model(scene);
    parameters_ = scene_parameters(scene);
    StepOptions options;
    options.h = 1e-3;
    options_ = derive_options(options, scene);
    view_ = model_->view();
    const Capacity capacity = first_capacity(*model_, options_);
    arena_.resize(strict::bind_scene(s, view_, capacity, nullptr) / sizeof(double) + 2);
    strict::bind_scene(s, view_, capacity, reinterpret_cast<unsigned char*>(arena_.data()));
    s.parameters = parameters_.data();
    strict::begin_scene(team_, s);
    strict::appear(team_, s, 0.0);
  }

  // Rows of pass 0 for bodies that move with nu (2, 3).
  void linearise(const double* nu) {
    for (int i = 0; i < 6; ++i) s.twist[i] = nu[i];
    strict::find_pairs(team_, s, options_);
    strict::predict(team_, s, options_);
    s.tally->pass = s.tally->contacts_later = 0;
    strict::choose_modes(team_, s, options_);
    strict::make_rows(team_, s, options_);
  }
  // The same at the end pose of that motion.
  void linearise_again() {
    s.tally->pass = s.tally->contacts_later = 1;
    strict::choose_modes(team_, s, options_);
    strict::make_rows(team_, s, options_);
  }

  // The manifold of the near pair when the bodies have gone from `pose` (2, 3) with nu for a time d.
  strict::Manifold manifold(const double* pose, const double* nu, double d) const {
    Frame frame[2];
    for (int i = 0; i < 2; ++i) {
      frame[i] = strict::make_frame(pose[3 * i] + d * nu[3 * i], pose[3 * i + 1] + d * nu[3 * i + 1],
                                    pose[3 * i + 2] + d * nu[3 * i + 2]);
    }
    const NearPair& pair = s.pairs[0];
    return strict::mode_manifold(strict::pair_geometry(view_, pair, frame[pair.body_a], frame[pair.body_b]), pair.mode,
                                 strict::flat_sine(s, pair, options_.h));
  }
  double h() const { return options_.h; }
  // Distance of the centres [m] when the pair's mode is one of two arcs; else large.
  double length_of_arcs(const strict::Contact& c) const {
    const NearPair& pair = s.pairs[0];
    if (strict::mode_type(pair.mode) != strict::mode_arcs) return 1e300;
    return c.gap + strict::part_view(view_, pair.part_a).cr[strict::mode_i(pair.mode)] +
           strict::part_view(view_, pair.part_b).cr[strict::mode_j(pair.mode)];
  }

  strict::SceneView s{};

 private:
  std::shared_ptr<const Model> model_;
  std::vector<double> parameters_;
  StepOptions options_;
  ModelView view_{};
  std::vector<double> arena_;  // 8-byte aligned; the layout asks for no more
  SerialTeam team_;
};

const strict::ContactPoint* find(const strict::Manifold& m, int key) {
  for (int i = 0; i < m.count; ++i) {
    if (m.point[i].key == key) return &m.point[i];
  }
  return nullptr;
}

// `pose` (2, 3): where the scene was linearised; nu: how it moves there.
void check_rows(const PairScene& scene, const double* pose, const double* nu, const std::string& what, Counts& counts) {
  const strict::SceneView& s = scene.s;
  if (s.tally->contact_count == 2) ++counts.doubles;
  for (int k = 0; k < s.tally->contact_count; ++k) {
    ++counts.contacts;
    const strict::Contact& c = s.contacts[k];
    const strict::Row& normal = s.rows[s.blocks[k].first_row];
    const strict::Row& tangential = s.rows[s.blocks[k].first_row + 1];
    ASSERT_EQ(s.blocks[k].row_count, 2) << what;
    ASSERT_NEAR(c.n.x * c.n.x + c.n.y * c.n.y, 1.0, 1e-13) << what;
    if (c.at.x != c.p.x || c.at.y != c.p.y) continue;  // closed at the start, where it pushes (at_start.hpp)

    // Velocities: rows without their biases.
    const double rate = strict::row_velocity(normal, nu) - normal.bias;
    const double slip = strict::row_velocity(tangential, nu) - tangential.bias;
    const auto point_velocity = [&](int body) {
      const double* v = nu + 3 * body;
      const double rx = c.p.x - pose[3 * body];
      const double ry = c.p.y - pose[3 * body + 1];
      return V2{v[0] - v[2] * ry, v[1] + v[2] * rx};
    };
    const V2 relative = point_velocity(c.body_b) - point_velocity(c.body_a);
    ASSERT_NEAR(slip, strict::dot(strict::perp(c.n), relative), 1e-12) << what;
    // Slip is that of material points over the step: from the velocity at its start it differs by the turn, O(h).
    double fastest = 0.0;
    for (int i = 0; i < 6; ++i) fastest = std::fmax(fastest, std::fabs(nu[i]));
    ASSERT_LE(std::fabs(tangential.bias), 8.0 * scene.h() * fastest * fastest) << what;
    // What the step must reach: psi + h (G nu - G nu_L) = target when the row's velocity is zero.
    const double expected_bias = (c.gap - c.target) / scene.h() - (s.tally->pass > 0 ? rate : 0.0);
    ASSERT_NEAR(normal.bias, expected_bias, 1e-9 * (1.0 + std::fabs(expected_bias))) << what;

    // An impulse along a row is taken from one body and given to the other, along one line.
    for (const strict::Row* row : {&normal, &tangential}) {
      ASSERT_NEAR(row->ja[0] + row->jb[0], 0.0, 1e-15) << what;
      ASSERT_NEAR(row->ja[1] + row->jb[1], 0.0, 1e-15) << what;
      const double* qa = pose + 3 * row->body_a;
      const double* qb = pose + 3 * row->body_b;
      const double turn =
          row->ja[2] + qa[0] * row->ja[1] - qa[1] * row->ja[0] + row->jb[2] + qb[0] * row->jb[1] - qb[1] * row->jb[0];
      ASSERT_NEAR(turn, 0.0, 1e-13) << what;
    }

    constexpr double d = 1e-6;
    const strict::Manifold at_pose = scene.manifold(pose, nu, 0.0);
    const strict::ContactPoint* const here = find(at_pose, c.key);
    ASSERT_NE(here, nullptr) << what;
    ASSERT_NEAR(here->gap, c.gap, 1e-14) << what;
    const strict::Manifold later = scene.manifold(pose, nu, d);
    const strict::Manifold earlier = scene.manifold(pose, nu, -d);
    const strict::ContactPoint* const after = find(later, c.key);
    const strict::ContactPoint* const before = find(earlier, c.key);
    if (after == nullptr || before == nullptr) continue;  // another corner took over in between
    ++counts.compared;
    const double error = std::fabs((after->gap - before->gap) / (2.0 * d) - rate);
    counts.worst = std::max(counts.worst, error);
    const double bend = d * 10.0 / scene.length_of_arcs(c);  // arcs whose centres are close turn their normal fast
    ASSERT_LE(error, 1e-9 + bend * bend) << what << ": gap " << c.gap << ", row says " << rate;
  }
}

// Turns b so that one of its edges lies on an edge of a, give or take a few hundredths.
double flat_turn(scenes::Random& random, const ConvexPart& a, const Pose& pose_a, const ConvexPart& b) {
  const test::KernelPart ka(a), kb(b);
  if (ka.view().edges == 0 || kb.view().edges == 0) return random.uniform(-4.0, 4.0);
  const auto angle = [&](const strict::PartView& p) {
    const V2 n = p.normal(static_cast<int>(random.below(static_cast<std::size_t>(p.edges))));
    return std::atan2(n.y, n.x);
  };
  return pose_a.theta + angle(ka.view()) + oracle::pi - angle(kb.view()) + random.uniform(-0.06, 0.06);
}

void check_pair(std::uint64_t seed, Counts& counts) {
  scenes::Random random(seed);
  const ConvexPart a = oracle::random_part(random);
  const ConvexPart b = oracle::random_part(random);
  const Pose pa{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
  Pose pb{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
  if (random.below(2) == 0) pb.theta = flat_turn(random, a, pa, b);
  const oracle::Axis axis = oracle::best_axis(oracle::place(a, pa), oracle::place(b, pb));
  const double gap = random.below(2) == 0 ? random.uniform(-0.01, 0.0) : random.uniform(0.0, 1e-4);
  pb.x += (gap - axis.separation) * axis.normal.x;
  pb.y += (gap - axis.separation) * axis.normal.y;
  const std::string what = "seed " + std::to_string(seed) + ", " + a.name + " and " + b.name;

  // Corners that met slide past each other.
  if (oracle::signed_distance(oracle::place(a, pa), oracle::place(b, pb)) > 1e-4) return;

  double nu[6];
  for (double& v : nu) v = random.uniform(-1.0, 1.0);
  PairScene scene(a, pa, b, pb);
  scene.linearise(nu);
  ++counts.pairs;
  ASSERT_EQ(scene.s.tally->pair_count, 1) << what;
  ASSERT_GE(scene.s.tally->contact_count, 1) << what;
  check_rows(scene, scene.s.pose, nu, what + ", start", counts);
  if (testing::Test::HasFatalFailure()) return;
  // A single contact against an edge separates no more than the pair is apart.
  if (scene.s.tally->contact_count == 1 && strict::mode_type(scene.s.pairs[0].mode) != strict::mode_arcs) {
    const double exact = oracle::signed_distance(oracle::place(a, pa), oracle::place(b, pb));
    ASSERT_LE(scene.s.contacts[0].gap, exact + 1e-12) << what;
  }
  scene.linearise_again();
  check_rows(scene, scene.s.end_pose, nu, what + ", end", counts);
}

TEST(Manifold, RowsAreTheGradientsOfTheGaps) {
  const char* const given = std::getenv("PEGRASP_FUZZ_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  std::cout << "seed " << seed << " (PEGRASP_FUZZ_SEED sets another)\n";
  Counts counts;
  for (std::uint64_t i = 0; i < 40000; ++i) {
    ASSERT_NO_FATAL_FAILURE(check_pair(seed * 1000000007ull + i, counts));
  }
  std::cout << counts.contacts << " contacts of " << counts.pairs << " pairs, " << counts.doubles
            << " manifolds of two, " << counts.compared << " compared, largest error " << counts.worst << " m/s\n";
  EXPECT_GT(counts.doubles, counts.pairs / 20);
  EXPECT_GT(counts.compared, counts.contacts * 3 / 5);
}

}  // namespace
}  // namespace pegrasp
