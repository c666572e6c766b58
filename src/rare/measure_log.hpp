// SPDX-License-Identifier: Apache-2.0
// What trials were found to be, in the order in which they were asked for, kept through Ctrl-C and kill -9. All else is
// a function of it, so that a run which goes on asks for the same trials and takes these.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <vector>

#include "src/rare/subset.hpp"

namespace pegrasp::rare {

class MeasureLog {
 public:
  // Opens the file, whose folder it makes; with resume what it holds is read, where it is of the same run (`hash`).
  // Throws WriteError for a file that cannot be written, PassingError for one that another run is writing, InputError
  // for one of another kind of run. While it lives no other run gets the file.
  MeasureLog(const std::filesystem::path& path, std::uint64_t hash, bool resume);
  ~MeasureLog();
  MeasureLog(const MeasureLog&) = delete;
  MeasureLog& operator=(const MeasureLog&) = delete;

  // Fills the first trials that an earlier run has left, and returns their number.
  std::size_t recall(std::span<Trial> trials);
  // Appends trials. Throws WriteError.
  void append(std::span<const Trial> trials);

 private:
  void read(std::uint64_t hash);

  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  std::vector<Trial> known_;
  std::size_t recalled_ = 0;
};

}  // namespace pegrasp::rare
