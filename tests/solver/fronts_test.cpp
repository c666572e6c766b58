// SPDX-License-Identifier: Apache-2.0
// Elimination by fronts against a dense one, on random graphs, and its dense product against plain loops.
#define PEGRASP_OWN_NAMESPACE fronts_test
#include "kernels/launch/cpu/fronts.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/scenes/random.hpp"

namespace pegrasp {
namespace {

namespace kernels = PEGRASP_OWN_NAMESPACE;
constexpr int dof = kernels::dof;

// A row between two bodies: w g^T in the four blocks of the matrix that they share.
struct Link {
  int a, b;
  double w[2][dof], g[2][dof];
};

// Links of random bodies not far from each other, as in a pile, or of any two.
std::vector<Link> random_links(scenes::Random& random, int nodes, int count, int reach) {
  std::vector<Link> links;
  for (int i = 0; i < count; ++i) {
    Link link{};
    link.a = static_cast<int>(random.uniform(0.0, nodes));
    link.b = (link.a + 1 + static_cast<int>(random.uniform(0.0, reach))) % nodes;
    if (link.a == link.b) continue;
    for (int side = 0; side < 2; ++side) {
      for (int k = 0; k < dof; ++k) {
        link.g[side][k] = random.uniform(-1.0, 1.0);
        link.w[side][k] = link.g[side][k] + random.uniform(-0.1, 0.1);  // nearly symmetric, as with friction
      }
    }
    links.push_back(link);
  }
  return links;
}

void compare_with_dense(int nodes, const std::vector<Link>& links, scenes::Random& random) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(dof * nodes, dof * nodes);
  kernels::Fronts fronts;
  fronts.begin(nodes);
  for (const Link& link : links) {
    fronts.link(link.a, link.b);
    const int at[2] = {link.a, link.b};
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 2; ++c) {
        for (int i = 0; i < dof; ++i) {
          for (int j = 0; j < dof; ++j) matrix(dof * at[r] + i, dof * at[c] + j) += link.w[r][i] * link.g[c][j];
        }
      }
    }
  }
  fronts.order();
  Eigen::VectorXd right(dof * nodes);
  for (int i = 0; i < dof * nodes; ++i) right[i] = random.uniform(-1.0, 1.0);
  Eigen::VectorXd x = right;
  const auto originals = [&](int node) {
    for (const Link& link : links) {
      const int at[2] = {link.a, link.b};
      for (int side = 0; side < 2; ++side) {
        if (at[side] != node) continue;
        fronts.add_to(node, node, link.w[side], link.g[side]);
        if (!fronts.comes_later(at[1 - side], node)) continue;
        fronts.add_to(node, at[1 - side], link.w[side], link.g[1 - side]);
        fronts.add_to(at[1 - side], node, link.w[1 - side], link.g[side]);
      }
    }
  };
  for (int again = 0; again < 2; ++again) {
    x = right;
    ASSERT_TRUE(fronts.solve(1.0, x.data(), originals));
    EXPECT_LT((matrix * x - right).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + x.cwiseAbs().maxCoeff()));
  }
}

TEST(FrontsFuzz, SolveWhatADenseEliminationSolves) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    scenes::Random random(seed);
    const int nodes = 2 + static_cast<int>(random.uniform(0.0, 40.0));
    const int count = static_cast<int>(random.uniform(0.0, 4.0 * nodes));
    const int reach = seed % 3 == 0 ? nodes : 5;
    compare_with_dense(nodes, random_links(random, nodes, count, reach), random);
  }
}

// Many that touch one: eliminated first, they leave no fill. One front after the other, in a chain.
TEST(Fronts, SolveStarsAndChains) {
  scenes::Random random(7);
  std::vector<Link> star, chain;
  for (int i = 1; i < 60; ++i) {
    star.push_back(random_links(random, 2, 1, 1)[0]);
    star.back().a = 0;
    star.back().b = i;
    chain.push_back(random_links(random, 2, 1, 1)[0]);
    chain.back().a = i - 1;
    chain.back().b = i;
  }
  compare_with_dense(60, star, random);
  compare_with_dense(60, chain, random);
  compare_with_dense(5, {}, random);
}

TEST(DenseProduct, GivesTheBytesOfPlainLoops) {
  scenes::Random random(3);
  for (const int rows : {3, 6, 9, 15, 30}) {
    for (const int depth : {1, 3, 6, 48}) {
      constexpr int width = 24;
      std::vector<double> a, b, c;
      for (int i = 0; i < rows * depth; ++i) a.push_back(random.uniform(-1.0, 1.0));
      for (int i = 0; i < depth * width; ++i) b.push_back(random.uniform(-1.0, 1.0));
      for (int i = 0; i < rows * width; ++i) c.push_back(random.uniform(-1.0, 1.0));
      std::vector<double> expected = c, plain = c;
      for (int r = 0; r < rows; ++r) {
        for (int j = 0; j < width; ++j) {
          double& sum = expected[static_cast<std::size_t>(width * r + j)];
          for (int k = 0; k < depth; ++k) {
            sum -= a[static_cast<std::size_t>(depth * r + k)] * b[static_cast<std::size_t>(width * k + j)];
          }
        }
      }
      kernels::subtract_plainly({rows, depth, a.data(), depth, b.data(), plain.data(), width});
      EXPECT_EQ(std::memcmp(plain.data(), expected.data(), plain.size() * sizeof(double)), 0) << rows << " " << depth;
      kernels::subtract_dense_product(rows, depth, a.data(), depth, b.data(), c.data(), width);
      EXPECT_EQ(std::memcmp(c.data(), expected.data(), c.size() * sizeof(double)), 0) << rows << " " << depth;
    }
  }
}

}  // namespace
}  // namespace pegrasp
