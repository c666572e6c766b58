// SPDX-License-Identifier: Apache-2.0
// What pegrasp_thesis_figures shows, as claims: the pyramid's wrong direction and weak middle by closed formulas,
// slides that come nearer to Coulomb's with more directions, sizes in 3D, overlaps of LNC and of PEG.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/metrics/overlap.hpp"
#include "src/reference/planar/polygon_step.hpp"
#include "tests/reference/study_steps.hpp"

namespace pegrasp::reference {
namespace {

using namespace test;

constexpr double h = 0.01, pi = std::numbers::pi;

Formulation formulation_of(Form form, int directions) {
  Formulation formulation;
  formulation.form = form;
  formulation.directions = directions;
  return formulation;
}

SolvedStep solved(const StepProblem& step, const Formulation& formulation) {
  SolvedStep result = solve_step(step, formulation);
  EXPECT_EQ(result.result.status, mcp::Status::solved) << result.result.message;
  return result;
}

// At the push that is turned furthest, and never more: pyramid_drift().
TEST(Study, PyramidTurnsAPush) {
  constexpr double bound = 0.02, push = 0.05;
  for (const int directions : {4, 6, 8, 16}) {
    const double drift = pyramid_drift(push, bound, directions);
    const auto turned = [&](Form form, double angle) {
      const Vector v =
          solved(supported_particle(1.0, h, bound, {0.0, 0.0}, {push * std::cos(angle), push * std::sin(angle)}),
                 formulation_of(form, directions))
              .solution.velocity;
      return std::remainder(std::atan2(v[1], v[0]) - angle, 2.0 * pi);
    };
    EXPECT_NEAR(turned(Form::mixed, pi / directions - drift), drift, 1e-9) << directions;
    EXPECT_NEAR(turned(Form::quadratic, pi / directions - drift), 0.0, 1e-7) << directions;
    for (int k = 0; k < 50; ++k) EXPECT_LE(std::abs(turned(Form::mixed, 0.13 * k)), drift + 1e-9) << directions;
  }
}

// Half-way between two directions a pyramid of d of them holds cos(pi / d) of what it should.
TEST(Study, PyramidGivesWayTooEarly) {
  constexpr double bound = 0.02;
  for (const int directions : {4, 6, 8, 16}) {
    const double a = pi / directions, holds = bound * std::cos(a);
    const auto speed = [&](Form form, double push) {
      return solved(supported_particle(1.0, h, bound, {0.0, 0.0}, {push * std::cos(a), push * std::sin(a)}),
                    formulation_of(form, directions))
          .solution.velocity.norm();
    };
    EXPECT_LT(speed(Form::mixed, 0.999 * holds), 1e-9);
    EXPECT_GT(speed(Form::mixed, 1.001 * holds), 1e-6);
    EXPECT_LT(speed(Form::quadratic, 1.001 * holds), 1e-7);
  }
}

// A slide until it stands: ends nearer to Coulomb's with more directions.
TEST(Study, SlidesComeNearer) {
  const auto end = [](const Formulation& formulation) {
    Vector q = Vector::Zero(3);
    std::vector<double> v{0.3, 0.15, 8.0};
    for (int k = 0; k < 100; ++k) {
      const Vector next = solved(tripod_disc(0.005, q[2], v), formulation).solution.velocity;
      q += 0.005 * next;
      v = {next[0], next[1], next[2]};
    }
    EXPECT_LT(std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]), 1e-6);
    return q;
  };
  const Vector exact = end(formulation_of(Form::quadratic, 8));
  double last = 1.0;
  for (const int directions : {4, 16, 64}) {
    const double off = (end(formulation_of(Form::mixed, directions)) - exact).head(2).norm();
    EXPECT_LT(off, 0.5 * last) << directions;
    last = off;
  }
  EXPECT_LT(last, 1e-4);
}

TEST(Study, SizesIn3D) {
  for (int in_sets = 0; in_sets <= 8; in_sets += 2) {
    StepProblem step = spatial_block(h, std::vector<double>(6, 0.0), 8);
    step.unilateral.clear();
    for (int i = in_sets; i < 8; ++i) step.unilateral.push_back(i);
    for (int i = 0; i < in_sets; i += 2) step.inter.push_back({{i}, {i + 1}});
    for (const int directions : {4, 8}) {
      const int built = static_cast<int>(formulate(step, formulation_of(Form::mixed, directions)).start.size());
      EXPECT_EQ(built, peg_size(6, 0, 8, in_sets, directions));
      EXPECT_LE(built, standard_size(6, 0, 8, directions));
    }
  }
}

// W figure 4.4: with I-constraints alone the bodies end up one in the other; with PEG all that is left is what the
// linearised gaps miss.
TEST(Study, OverlapAfterACrossing) {
  const SceneSpec scene = crossing_scene();
  const std::vector<Pose> poses = crossing_poses(0.05, -0.05);
  const auto overlap = [&](ContactSets sets) {
    PolygonStepOptions options;
    options.epsilon = 0.1;
    options.rules.sets = sets;
    const StepProblem step = polygon_step(scene, poses, std::vector<Twist>{{}, {-12.0, 0.0, 0.0}}, h, options);
    const Vector v = solved(step, formulation_of(Form::mixed, 8)).solution.velocity;
    return total_overlap_area(
        scene, std::vector<Pose>{{}, {poses[1].x + h * v[0], poses[1].y + h * v[1], poses[1].theta + h * v[2]}},
        {true, true});
  };
  EXPECT_EQ(total_overlap_area(scene, poses, {true, true}), 0.0);
  const double missed = overlap(ContactSets::lnc);
  EXPECT_GT(missed, 5e-3);
  EXPECT_LT(overlap(ContactSets::peg_one), 0.05 * missed);
  EXPECT_LT(overlap(ContactSets::peg_several), 0.05 * missed);
}

}  // namespace
}  // namespace pegrasp::reference
