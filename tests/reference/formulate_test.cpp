// SPDX-License-Identifier: Apache-2.0
// Formulations assessed by solutions known beforehand: their residual must vanish, that of wrong ones must not.
#include "src/reference/step/formulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/reference/steps.hpp"

namespace pegrasp::reference {
namespace {

using namespace test;

constexpr double h = 0.01;
constexpr double rounding = 1e-13;

long count(const FormulatedStep& f, VariableKind kind) { return std::count(f.kinds.begin(), f.kinds.end(), kind); }

// At rest each corner carries half of m g h.
TEST(Formulate, BlockAtRestCarriesItsWeight) {
  const StepProblem step = block_on_ground(2.0, 0.2, 0.05, h, 0.0, 0.5);
  const double share = 2.0 * gravity * h / 2.0;
  const StepSolution rest{Vector::Zero(3), {share, share}, {{0.0}, {0.0}}, {}, {}, {}};
  StepSolution light = rest;
  light.normal[0] *= 0.9;
  for (const Form form : all_forms) {
    const FormulatedStep f = formulate(step, {form});
    EXPECT_LT(residual(f, rest), rounding) << name(form);
    EXPECT_GT(residual(f, light), 1e-3) << name(form);
    const StepSolution back = f.read(f.write(rest));
    EXPECT_LT(back.velocity.norm(), rounding);
    EXPECT_EQ(back.normal, rest.normal);
  }
}

// Sliding: dv = -mu g h, friction mu p_n against the motion; the load moves to the leading corner by mu b / a.
TEST(Formulate, BlockSlidesAgainstFriction) {
  const double mu = 0.3, a = 0.2, b = 0.05, mass = 2.0;
  const StepProblem step = block_on_ground(mass, a, b, h, 1.0, mu);
  const double weight = mass * gravity * h;
  const double leading = 0.5 * weight * (1.0 + mu * b / a);
  const double trailing = weight - leading;
  const StepSolution sliding{
      vector({1.0 - mu * gravity * h, 0.0, 0.0}), {trailing, leading}, {{-mu * trailing}, {-mu * leading}}, {}, {}, {}};
  StepSolution backwards = sliding;
  for (auto& t : backwards.tangent) t[0] = -t[0];
  for (const Form form : all_forms) {
    const FormulatedStep f = formulate(step, {form});
    EXPECT_LT(residual(f, sliding), rounding) << name(form);
    EXPECT_GT(residual(f, backwards), 1e-3) << name(form);
    const StepSolution back = f.read(f.write(sliding));
    EXPECT_NEAR(back.tangent[1][0], -mu * leading, rounding);
    EXPECT_NEAR(back.velocity[0], sliding.velocity[0], rounding);
  }
}

// Slow enough to stop within the step: the impulse is what stops it, less than mu p_n.
TEST(Formulate, BlockSticks) {
  const double speed = 0.01, mass = 2.0;
  const StepProblem step = block_on_ground(mass, 0.2, 0.05, h, speed, 0.3);
  const double weight = mass * gravity * h;
  const double moment = mass * speed * 0.05 / 0.2;  // of the friction, taken up by the corners
  const StepSolution stuck{Vector::Zero(3),
                           {0.5 * (weight - moment), 0.5 * (weight + moment)},
                           {{-0.5 * mass * speed}, {-0.5 * mass * speed}},
                           {},
                           {},
                           {}};
  for (const Form form : all_forms) EXPECT_LT(residual(formulate(step, {form}), stuck), rounding) << name(form);
}

// A fall onto the ground ends at it: nu = -gap / h, impulse m (v_free - nu).
TEST(Formulate, ImpactEndsAtTheGround) {
  StepProblem step = planar_body(1.0, 1.0, h, {0.0, -3.0, 0.0});
  step.contacts = {ground_contact(0.0, -0.1, 0.02, 0.0)};
  step.unilateral = {0};
  const double end = -0.02 / h;
  const StepSolution impact{vector({0.0, end, 0.0}), {end + 3.0 + gravity * h}, {{0.0}}, {}, {}, {}};
  for (const Form form : all_forms) EXPECT_LT(residual(formulate(step, {form}), impact), rounding) << name(form);
}

// Anitescu-Potra does not see an open contact; a closed one stops the approach and does not undo overlap.
TEST(Formulate, AnitescuPotra) {
  StepProblem step = planar_body(1.0, 1.0, h, {0.0, -3.0, 0.0});
  step.contacts = {ground_contact(0.0, -0.1, 0.02, 0.3), ground_contact(0.0, -0.1, -0.001, 0.3)};
  step.unilateral = {0};
  const Formulation open{Form::mixed, Scheme::anitescu_potra};
  const FormulatedStep nothing = formulate(step, open);
  EXPECT_EQ(nothing.kinds.size(), 3u);
  EXPECT_LT(residual(nothing, nothing.start), rounding);

  step.unilateral = {1};
  const StepSolution stop{Vector::Zero(3), {0.0, 3.0 + gravity * h}, {{0.0}, {0.0}}, {}, {}, {}};
  EXPECT_LT(residual(formulate(step, open), stop), rounding);
  EXPECT_GT(residual(formulate(step, {Form::mixed}), stop), 0.05);  // Stewart-Trinkle asks for 0.001 / h upwards
}

// A pendulum hangs straight down from a pin: the pin carries m (g h + ...), and the swing is that of a step with
// theta'' L: v = omega L along x, m L^2 + I.
TEST(Formulate, PendulumStep) {
  const double mass = 1.5, length = 0.4, inertia = 0.02;
  StepProblem step = planar_body(mass, inertia, h, {0.0, 0.0, 0.0});
  step.external[2] = 0.003;  // a kick [N m s]
  // Pin at (0, L) from the centre of mass: its velocity is (vx - omega L, vy).
  step.bilaterals = {{sparse({1.0, 0.0, -length}), 0.0, 0.0}, {sparse({0.0, 1.0, 0.0}), 0.0, 0.0}};
  const double omega = 0.003 / (inertia + mass * length * length);
  const StepSolution swing{vector({omega * length, 0.0, omega}),       {}, {}, {}, {},
                           {mass * omega * length, mass * gravity * h}};
  for (const Form form : all_forms) {
    const FormulatedStep f = formulate(step, {form});
    EXPECT_EQ(f.kinds.size(), form == Form::lcp ? 0u : 5u);
    EXPECT_LT(residual(f, swing), rounding) << name(form);
    const StepSolution back = f.read(f.write(swing));
    EXPECT_NEAR(back.bilateral[1], mass * gravity * h, 1e-12) << name(form);
    EXPECT_NEAR(back.velocity[2], omega, 1e-12) << name(form);
  }
}

// Joints that say the same twice: no elimination, but the mixed form stands.
TEST(Formulate, RedundantJoints) {
  StepProblem step = planar_body(1.0, 1.0, h, {0.0, 0.0, 0.0});
  step.bilaterals = {{sparse({1.0, 0.3, 0.0}), 0.0, 0.0}, {sparse({2.0, 0.6, 0.0}), 0.0, 0.0}};
  EXPECT_THROW(formulate(step, {Form::lcp}), std::invalid_argument);
  EXPECT_EQ(formulate(step, {Form::mixed}).kinds.size(), 5u);
}

// A servo that cannot reach its speed pushes with all it has; one that can, with what it takes.
TEST(Formulate, MotorSaturates) {
  StepProblem step = planar_body(2.0, 1.0, h, {0.0, 0.0, 0.0});
  step.external.setZero();
  step.motors = {{sparse({1.0, 0.0, 0.0}), -0.5, 0.0, 0.3}};  // towards 0.5 m/s, which takes 1 N s
  const StepSolution saturated{vector({0.15, 0.0, 0.0}), {}, {}, {}, {0.3}, {}};
  for (const Form form : all_forms) EXPECT_LT(residual(formulate(step, {form}), saturated), rounding);
  step.motors[0].bound = 5.0;
  const StepSolution reached{vector({0.5, 0.0, 0.0}), {}, {}, {}, {1.0}, {}};
  for (const Form form : all_forms) EXPECT_LT(residual(formulate(step, {form}), reached), rounding);
  step.motors[0].compliance = 0.5;  // v - 0.5 + 0.5 p = 0 and 2 v = p
  const StepSolution soft{vector({0.25, 0.0, 0.0}), {}, {}, {}, {0.5}, {}};
  for (const Form form : all_forms) EXPECT_LT(residual(formulate(step, {form}), soft), rounding);
}

// A carrier and a mask, (4.14), at the corner of a quadrant x <= 0, y <= 0: a particle above it is held by the top; one
// that falls beside it, behind the top's line but with the side open, goes by.
TEST(Formulate, OneCarrierIsTheMaxRule) {
  const std::vector<std::array<double, 2>> quadrant{{0.0, 1.0}, {1.0, 0.0}};
  for (const Form form : all_forms) {
    StepProblem above = particle(1.0, h, {-0.1, 0.01}, {0.0, -2.0}, quadrant);
    above.inter = {{{0}, {1}}};
    const StepSolution held{vector({0.0, -1.0}), {1.0, 0.0}, {{0.0}, {0.0}}, {}, {}, {}};
    EXPECT_LT(residual(formulate(above, {form}), held), rounding) << name(form);

    StepProblem beside = particle(1.0, h, {0.1, -0.5}, {0.0, -2.0}, quadrant);
    beside.inter = {{{0}, {1}}};
    const StepSolution free{vector({0.0, -2.0}), {0.0, 0.0}, {{0.0}, {0.0}}, {}, {}, {}};
    EXPECT_LT(residual(formulate(beside, {form}), free), rounding) << name(form);
    beside.inter.clear();
    beside.unilateral = {0, 1};
    EXPECT_GT(residual(formulate(beside, {form}), free), 1.0) << name(form);  // the trap
  }
}

// Several carriers: force on the one that is on top, in the reduced rows as in the thesis' own; sets of both kinds
// with the sizes that the equations give.
TEST(Formulate, SeveralCarriers) {
  const std::vector<std::array<double, 2>> quadrant{{0.0, 1.0}, {1.0, 0.0}};
  for (const SetRows rows : {SetRows::reduced, SetRows::literal}) {
    Formulation mixed;
    mixed.set_rows = rows;
    StepProblem step = particle(1.0, h, {-0.1, 0.01}, {0.0, -2.0}, quadrant);
    step.inter = {{{0, 1}, {}}};
    const StepSolution held{vector({0.0, -1.0}), {1.0, 0.0}, {{0.0}, {0.0}}, {}, {}, {}};
    const FormulatedStep f = formulate(step, mixed);
    EXPECT_LT(residual(f, held), rounding);
    EXPECT_EQ(f.kinds.size(), rows == SetRows::reduced ? 2u + 2 + 2 : 2u + 2 + 1 + 2 + 1);

    // Against the side: x = 0.01 moving left at 2, well below the top.
    step = particle(1.0, h, {0.01, -0.5}, {-2.0, 0.0}, quadrant);
    step.inter = {{{0, 1}, {}}};
    const StepSolution side{vector({-1.0, 0.0}), {0.0, 1.0}, {{0.0}, {0.0}}, {}, {}, {}};
    EXPECT_LT(residual(formulate(step, mixed), side), rounding);
    // Force on the line that is already violated is none of the model's solutions.
    const StepSolution wrong{vector({-1.0, 0.0}), {1.0, 0.0}, {{0.0}, {0.0}}, {}, {}, {}};
    EXPECT_GT(residual(formulate(step, mixed), wrong), 0.1);

    // Inside, with no force: (4.11) forbids it.
    step = particle(1.0, h, {-0.1, -0.05}, {0.0, 0.0}, quadrant);
    step.inter = {{{0, 1}, {}}};
    const StepSolution inside{vector({0.0, 0.0}), {0.0, 0.0}, {{0.0}, {0.0}}, {}, {}, {}};
    EXPECT_GT(residual(formulate(step, mixed), inside), 0.1);
  }
}

// With a mask on top the reduced rows let the highest carrier push, as (4.14) does; (4.13) to the letter has no force
// there.
TEST(Formulate, MaskOnTop) {
  const std::vector<std::array<double, 2>> lines{{0.0, 1.0}, {1.0, 0.0}, {-1.0, 0.0}};
  StepProblem step = particle(1.0, h, {-0.5, -1.0}, {0.0, 0.0}, lines);
  step.contacts[2].gap = -0.02;  // the mask; the carriers' gaps are -1 and -0.5
  step.inter = {{{0, 1}, {2}}};
  // The mask's gap ends at 0 with v_x = -2, where carrier 1, far from its own line, holds the particle back. (Leaving
  // freely at -5 is a solution too.)
  step.velocity = vector({-5.0, 0.0});
  const StepSolution pushed{vector({-2.0, 0.0}), {0.0, 3.0, 0.0}, {{0.0}, {0.0}, {0.0}}, {}, {}, {}};
  Formulation mixed;
  EXPECT_LT(residual(formulate(step, mixed), pushed), rounding);
  mixed.set_rows = SetRows::literal;
  EXPECT_GT(residual(formulate(step, mixed), pushed), 0.1);
}

// X(C_a, C_b) (4.15): at least one of two gaps, with force on the one on top; literally, without force.
TEST(Formulate, CrossConstraint) {
  const std::vector<std::array<double, 2>> lines{{0.0, 1.0}, {1.0, 0.0}};
  StepProblem step = particle(1.0, h, {-0.1, 0.01}, {0.0, -2.0}, lines);
  step.cross = {{{0}, {1}, {}}};
  const StepSolution held{vector({0.0, -1.0}), {1.0, 0.0}, {{0.0}, {0.0}}, {}, {}, {}};
  EXPECT_LT(residual(formulate(step, {Form::mixed}), held), rounding);
  Formulation literal;
  literal.set_rows = SetRows::literal;
  const FormulatedStep without_force = formulate(step, literal);
  EXPECT_EQ(count(without_force, VariableKind::normal), 0);
  EXPECT_EQ(without_force.kinds.size(), 2u + 1 + 1);
  // With a U-constraint to supply it the literal form has the same solution.
  step.unilateral = {0};
  EXPECT_LT(residual(formulate(step, literal), held), rounding);
}

// A contact that carries in two sets, of which one is open: a solution comes back in with its impulse in the closed
// one.
TEST(Formulate, ImpulseGoesToTheClosedSet) {
  StepProblem step = particle(1.0, h, {0.5, 0.01}, {0.0, -2.0}, {{0.0, 1.0}, {1.0, 0.0}, {-1.0, 0.0}});
  step.inter = {{{0}, {1}}};      // open: the particle is right of line 1
  step.cross = {{{0}, {2}, {}}};  // closed by line 0, for line 2 is far behind
  const StepSolution held{vector({0.0, -1.0}), {1.0, 0.0, 0.0}, {{0.0}, {0.0}, {0.0}}, {}, {}, {}};
  for (const Form form : all_forms) EXPECT_LT(residual(formulate(step, {form}), held), rounding) << name(form);
}

// Sizes (4.52) to (4.55), 3 a body in 2D: n_u contacts, of which n_s are in I-constraints of two contacts each.
TEST(Formulate, SizesAreTheThesis) {
  const int n_b = 2, n_d = 2;
  for (int n_u = 2; n_u <= 8; ++n_u) {
    for (int n_s = 0; n_s <= n_u; n_s += 2) {
      StepProblem step = planar_body(1.0, 1.0, h, {0.0, 0.0, 0.0});
      for (int i = 0; i < n_u; ++i) step.contacts.push_back(ground_contact(0.1 * i, -0.1, 0.0, 0.5));
      step.bilaterals = {{sparse({1.0, 0.0, 0.0}), 0.0, 0.0}, {sparse({0.0, 0.0, 1.0}), 0.0, 0.0}};
      for (int i = 0; i < n_s; i += 2) step.inter.push_back({{i}, {i + 1}});
      for (int i = n_s; i < n_u; ++i) step.unilateral.push_back(i);
      const int half = n_s / 2;
      const int formula = 3 + n_b + (n_u - n_s) + (n_u - n_s) * n_d + (n_u - n_s) + n_s + half * n_d + half;  // (4.53)
      EXPECT_EQ(static_cast<int>(formulate(step, {Form::mixed}).kinds.size()), formula) << n_u << " " << n_s;
      EXPECT_EQ(static_cast<int>(formulate(step, {Form::lcp}).kinds.size()), formula - 3 - n_b);
      EXPECT_EQ(static_cast<int>(formulate(step, {Form::quadratic}).kinds.size()),
                formula - (n_u - n_s + half) * (n_d - 1));  // one tangential unknown instead of two
      if (n_s == 0) {
        EXPECT_EQ(formula, 3 + n_b + n_u + n_u * n_d + n_u);  // (4.52)
      }
      if (n_s == 2) {
        EXPECT_EQ(formula, 3 + n_b + (n_u - 2) * (2 + n_d) + 2 + n_d + 1);  // (4.54)
      }
      if (n_s == n_u) {
        EXPECT_EQ(formula, 3 + n_b + n_s + half * n_d + half);  // (4.55)
      }
    }
  }
}

// Berard's tripod in 3D: 12 + 3 d unknowns (5.2.4): 6 velocities, 3 normals, 3 d directions, 3 slips.
TEST(Formulate, SpatialTripodHasTheSizeOfBerard) {
  StepProblem step;
  step.h = h;
  step.mass = diagonal({1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  step.velocity = Vector::Zero(6);
  step.external = vector({0.0, 0.0, -gravity * h, 0.0, 0.0, 0.0});
  for (int i = 0; i < 3; ++i) {
    Contact c;
    c.normal = sparse({0.0, 0.0, 1.0, 0.1 * i, 0.2, 0.0});
    c.tangents = {sparse({1.0, 0.0, 0.0, 0.0, 0.0, 0.1}), sparse({0.0, 1.0, 0.0, 0.0, 0.0, 0.2})};
    c.mu = 0.4;
    step.contacts.push_back(c);
    step.unilateral.push_back(i);
  }
  for (const int d : {4, 8, 32}) {
    Formulation mixed;
    mixed.directions = d;
    EXPECT_EQ(static_cast<int>(formulate(step, mixed).kinds.size()), 12 + 3 * d);
  }
  EXPECT_EQ(formulate(step, {Form::quadratic}).kinds.size(), 6u + 3 + 3 * 3);
}

// Derivatives of the quadratic form against differences, at a point of no special kind.
TEST(Formulate, QuadraticJacobian) {
  StepProblem step = block_on_ground(2.0, 0.2, 0.05, h, 1.0, 0.3);
  step.contacts[0].tangent_rate = {0.2};
  step.contacts[0].rate = 0.1;
  step.inter = {{{0, 1}, {}}};  // contact 0 and 1 carry in two sets each: products of different impulses
  step.supports = {{{sparse({1.0, 0.0, 0.1}), sparse({0.0, 1.0, -0.2})}, 0.05}};
  const FormulatedStep f = formulate(step, {Form::quadratic});
  const Eigen::Index n = f.start.size();
  mcp::Vector x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = 0.3 + 0.1 * static_cast<double>((i * 7) % 5);
  mcp::Vector value, ahead, behind;
  mcp::SparseMatrix jacobian;
  ASSERT_TRUE(f.problem.evaluate(x, value, &jacobian));
  EXPECT_FALSE(f.problem.linear);
  const double small = 1e-6;
  for (Eigen::Index j = 0; j < n; ++j) {
    mcp::Vector shifted = x;
    shifted[j] += small;
    f.problem.evaluate(shifted, ahead, nullptr);
    shifted[j] -= 2.0 * small;
    f.problem.evaluate(shifted, behind, nullptr);
    const mcp::Vector difference = (ahead - behind) / (2.0 * small);
    EXPECT_LT((difference - mcp::Vector(jacobian.col(j))).lpNorm<Eigen::Infinity>(), 1e-8) << j;
  }
}

TEST(Formulate, SaysWhatIsWrong) {
  StepProblem step = block_on_ground(2.0, 0.2, 0.05, h, 1.0, 0.3);
  step.unilateral = {2};
  EXPECT_THROW(formulate(step, {}), std::invalid_argument);
  step.unilateral = {};
  step.inter = {{{}, {0, 1}}};
  EXPECT_THROW(formulate(step, {}), std::invalid_argument);
  step.inter = {};
  step.h = 0.0;
  EXPECT_THROW(formulate(step, {}), std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp::reference
