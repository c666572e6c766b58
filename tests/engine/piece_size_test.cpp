// SPDX-License-Identifier: Apache-2.0
// How a batch is cut for a device.
#include "src/backend/piece_size.hpp"

#include <gtest/gtest.h>

namespace pegrasp {
namespace {

std::size_t pieces(std::size_t scenes, std::size_t fills, std::size_t most) {
  const std::size_t size = scenes_a_piece(scenes, fills, most);
  return (scenes + size - 1) / size;
}

// A chunk of a map, on a device that holds fewer scenes at once: copies of three pieces are hidden behind the fourth's
// scenes.
TEST(PieceSize, BatchesThatFillTheDeviceManyTimesAreCutIntoFour) {
  EXPECT_EQ(scenes_a_piece(65'536, 8'192, 262'144), 16'384u);
  EXPECT_EQ(pieces(100'800, 8'192, 262'144), 4u);
  EXPECT_EQ(pieces(100'801, 8'192, 262'144), 4u);
}

TEST(PieceSize, NoPieceIsTooSmallToFillTheDevice) {
  EXPECT_EQ(scenes_a_piece(65'536, 16'896, 262'144), 16'896u);
  EXPECT_EQ(scenes_a_piece(20'000, 16'896, 262'144), 16'896u);
  EXPECT_EQ(pieces(100, 16'896, 262'144), 1u);
}

TEST(PieceSize, MemoryHasTheLastWord) {
  EXPECT_EQ(scenes_a_piece(10'000'000, 16'896, 262'144), 262'144u);
  EXPECT_EQ(scenes_a_piece(1'000, 16'896, 10), 10u);
}

TEST(PieceSize, APieceHasAScene) {
  EXPECT_EQ(scenes_a_piece(0, 0, 0), 1u);
  EXPECT_EQ(scenes_a_piece(3, 1, 5), 1u);
  EXPECT_EQ(scenes_a_piece(1, 0, 5), 1u);
}

}  // namespace
}  // namespace pegrasp
