// SPDX-License-Identifier: Apache-2.0
// Islands of a step: bodies in a row, some of them coupled, in one linearisation or in another.
#include "src/reference/validate/step_islands.hpp"

#include <gtest/gtest.h>

#include "src/reference/common/residual.hpp"

namespace pegrasp::reference {
namespace {

constexpr int bodies = 5, of_body = 2;

SparseVector row(std::initializer_list<int> coupled) {
  SparseVector out(bodies * of_body);
  double sign = 1.0;
  for (const int body : coupled) {
    out.coeffRef(body * of_body) = sign;
    sign = -1.0;
  }
  return out;
}

StepProblem step_of(const std::vector<std::pair<int, int>>& contacts) {
  StepProblem step;
  step.h = 0.01;
  step.mass.resize(bodies * of_body, bodies * of_body);
  step.mass.setIdentity();
  step.velocity = Vector::LinSpaced(bodies * of_body, -1.0, 1.0);
  step.external = Vector::Zero(bodies * of_body);
  for (const auto& [a, b] : contacts) {
    Contact contact;
    contact.normal = a == b ? row({a}) : row({a, b});
    step.unilateral.push_back(static_cast<int>(step.contacts.size()));
    step.contacts.push_back(contact);
  }
  return step;
}

std::vector<int> body_of() {
  std::vector<int> out;
  for (int k = 0; k < bodies * of_body; ++k) out.push_back(k / of_body);
  return out;
}

std::vector<std::vector<int>> members(const std::vector<std::vector<char>>& islands) {
  std::vector<std::vector<int>> out;
  for (const std::vector<char>& island : islands) {
    out.emplace_back();
    for (int body = 0; body < bodies; ++body) {
      const auto k = static_cast<std::size_t>(body * of_body);
      EXPECT_EQ(island[k], island[k + 1]);
      if (island[k] != 0) out.back().push_back(body);
    }
  }
  return out;
}

TEST(StepIslands, CoupledInAnyLinearisation) {
  const StepProblem first = step_of({{4, 1}, {0, 0}});
  StepProblem second = step_of({{3, 4}});
  const StepProblem* const passes[] = {&first, &second};
  EXPECT_EQ(members(islands_of(std::span(passes, 1), body_of())),
            (std::vector<std::vector<int>>{{0}, {1, 4}, {2}, {3}}));
  EXPECT_EQ(members(islands_of(passes, body_of())), (std::vector<std::vector<int>>{{0}, {1, 3, 4}, {2}}));
  Bilateral joint;
  joint.row = row({0, 2});
  second.bilaterals.push_back(joint);
  EXPECT_EQ(members(islands_of(passes, body_of())), (std::vector<std::vector<int>>{{0, 2}, {1, 3, 4}}));
}

// Residuals of the whole are the largest of the islands', whose rows are those of the whole, each in one of them.
TEST(StepIslands, RowsGoWithTheirIsland) {
  StepProblem step = step_of({{0, 1}, {2, 2}, {1, 0}, {3, 3}});
  Bilateral joint;
  joint.row = row({3, 4});
  Motor motor;
  motor.row = row({3});
  motor.bound = 1.0;
  step.bilaterals.push_back(joint);
  step.motors.push_back(motor);
  StepSolution solution;
  solution.normal = {0.1, 0.2, 0.3, 0.4};
  solution.tangent.resize(4);
  solution.bilateral = {0.5};
  solution.motor = {0.6};
  const StepProblem* const passes[] = {&step};
  const std::vector<std::vector<char>> islands = islands_of(passes, body_of());
  ASSERT_EQ(members(islands), (std::vector<std::vector<int>>{{0, 1}, {2}, {3, 4}}));
  double largest = 0.0;
  Vector velocity = Vector::Zero(bodies * of_body);
  const std::vector<std::vector<double>> normals{{0.1, 0.3}, {0.2}, {0.4}};
  for (std::size_t k = 0; k < islands.size(); ++k) {
    const IslandStep island = step_of_island(step, solution, islands[k]);
    EXPECT_EQ(island.solution.normal, normals[k]);
    EXPECT_EQ(island.rows.unilateral.size(), normals[k].size());
    EXPECT_EQ(island.rows.bilaterals.size(), k == 2 ? 1u : 0u);
    EXPECT_EQ(island.solution.motor.size(), k == 2 ? 1u : 0u);
    largest = std::max(largest, natural_map_residual(island.rows, island.solution, body_of()));
    const Vector own = velocity_of_impulses(island.rows, island.solution);
    for (Eigen::Index i = 0; i < own.size(); ++i) {
      if (islands[k][static_cast<std::size_t>(i)] != 0) velocity[i] = own[i];
    }
  }
  EXPECT_DOUBLE_EQ(largest, natural_map_residual(step, solution, body_of()));
  EXPECT_TRUE(velocity.isApprox(velocity_of_impulses(step, solution), 1e-15));
}

}  // namespace
}  // namespace pegrasp::reference
