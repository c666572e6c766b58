// SPDX-License-Identifier: Apache-2.0
// A file in memory that takes no more of it than was written: pages, and zeros between them. And the HDF5 library's way into it.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

namespace pegrasp {

class SparseImage {
 public:
  // Of a write that memory has no capacity for nothing stays: the image is lost, and says so.
  void write(std::uint64_t place, std::string_view bytes) noexcept;
  bool lost() const { return lost_; }
  void read(std::uint64_t place, char* to, std::size_t count) const;
  void clear();
  void resize(std::uint64_t size) { size_ = size; }
  std::uint64_t size() const { return size_; }
  // Calls f(place, bytes) for every page in order; none reaches beyond the size.
  void for_each_page(const std::function<void(std::uint64_t, std::string_view)>& f) const;

 private:
  std::map<std::uint64_t, std::vector<char>> pages_;  // by number
  std::uint64_t size_ = 0;
  bool lost_ = false;
};

// Has files that are opened with these access properties live in the image, which outlives them. False when the library refuses.
bool live_in(hid_t file_access, SparseImage& image);

}  // namespace pegrasp
