// SPDX-License-Identifier: Apache-2.0
// Which of the facets of a pair is chosen where they tie.
#include "kernels/contact/mode_search.hpp"

#include <gtest/gtest.h>

namespace pegrasp::PEGRASP_ARITHMETIC {
namespace {

constexpr double tie = 1e-9;
constexpr int face = 1;
constexpr int edge = 2;

LatestMode latest(double face0, double face1, double edge0, double edge1) {
  LatestScan scan;
  scan.add(face, face0, face1);
  scan.tie = tie;
  scan.add(edge, edge0, edge1);
  return latest_of(scan);
}

TEST(ModeSearch, AFaceStaysWhereAnEdgeIsNoBetterThanATie) {
  EXPECT_EQ(latest(1e-3, 1e-4, 1e-3, 1e-4 + 0.5 * tie).mode, face);
  EXPECT_EQ(latest(1e-3, 1e-4, 1e-3, 1e-4 + 2.0 * tie).mode, edge);
  // Both fail on the way, the edge's facet later: by half a tie of the way, by two.
  EXPECT_EQ(latest(1e-3, -1e-3, 1e-3 + 0.5 * tie, -1e-3 + 0.5 * tie).mode, face);
  EXPECT_EQ(latest(1e-3, -1e-3, 1e-3 + 2.0 * tie, -1e-3 + 2.0 * tie).mode, edge);
}

TEST(ModeSearch, WhatAPairIsApartIsTheLargestAllTheSame) {
  EXPECT_EQ(latest(1e-3, 1e-4, 1e-3 + 0.5 * tie, 1e-4).s0_max, 1e-3 + 0.5 * tie);
}

// At rest all of them are nothing but rounding: one is chosen, the first.
TEST(ModeSearch, APairAtRestHasAFacet) {
  EXPECT_EQ(latest(-1e-12, -1e-12, 1e-12, -1e-12).mode, face);
  EXPECT_EQ(latest(1e-12, -1e-12, -1e-12, -1e-12).mode, face);
  EXPECT_EQ(latest(-1e-3, -1e-3, 1e-12, -1e-12).mode, edge);
}

// Without ties the largest counts, by whatever.
TEST(ModeSearch, WithoutTies) {
  LatestScan scan;
  scan.add(face, 1e-3, 1e-4);
  scan.add(edge, 1e-3, 1.0000000001e-4);
  EXPECT_EQ(latest_of(scan).mode, edge);
}

}  // namespace
}  // namespace pegrasp::PEGRASP_ARITHMETIC
