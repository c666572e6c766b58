// SPDX-License-Identifier: Apache-2.0
// How a batch is cut for a device that computes one piece while another is copied.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pegrasp {

// Fewer pieces leave copies at the beginning and the end that nothing hides.
constexpr std::size_t wanted_pieces = 4;

// fills: scenes that the device holds at once; a smaller piece would leave a part of it idle. most: that memory has
// capacity for.
constexpr std::size_t scenes_a_piece(std::size_t scenes, std::size_t fills, std::size_t most) {
  const std::size_t share = (scenes + wanted_pieces - 1) / wanted_pieces;
  return std::max<std::size_t>(1, std::min(std::max(share, fills), most));
}

}  // namespace pegrasp
