// SPDX-License-Identifier: Apache-2.0
// A sparse file in memory: pages for the ranges that were written, and zeros between them. The HDF5 library writes into
// it through a file driver.
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
  // Where memory runs out during a write, the whole image is dropped and marked as lost.
  void write(std::uint64_t place, std::string_view bytes) noexcept;
  bool lost() const { return lost_; }
  void read(std::uint64_t place, char* to, std::size_t count) const;
  void clear();
  void resize(std::uint64_t size) { size_ = size; }
  std::uint64_t size() const { return size_; }
  // Calls f(offset, bytes) for every page in order; no page reaches beyond the size.
  void for_each_page(const std::function<void(std::uint64_t, std::string_view)>& f) const;

 private:
  std::map<std::uint64_t, std::vector<char>> pages_;  // by number
  std::uint64_t size_ = 0;
  bool lost_ = false;
};

// Makes files that are opened with these access properties live in the image, which must outlive them. False when the
// library refuses.
bool live_in(hid_t file_access, SparseImage& image);

}  // namespace pegrasp
