// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pegrasp/problem.hpp"

namespace pegrasp {

// A result that could not be written, for want of space or of a permission: what is simulated is in the journal.
class WriteError : public InputError {
 public:
  using InputError::InputError;
};

// A file in the making: opened under another name in the same folder at once, so that a place that cannot be written is
// reported before the work; commit() writes it, forces it to the disk and moves it into place. Without a commit nothing stays.
// All throw WriteError: one line that names the file, the reason and a remedy.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  void commit(std::string_view text);
  // In two steps, for files that are to appear together: all but the move, and the move.
  void write(std::string_view text);
  void show();
  // The first step piece by piece, anywhere in the file, as often as needed; then its end.
  void write_at(std::uint64_t place, std::string_view bytes);
  void resize(std::uint64_t size);  // zeros where nothing was written
  void finish();

 private:
  [[noreturn]] void fail(int error);

  std::filesystem::path path_, temporary_;
  int handle_ = -1;
};

// The text (or any bytes) as a file, in one go.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

// Removes what killed processes left of these files in the folder: NAME.PID.tmp, or NAME.PID.tmp.png of the plot script.
// Only while no other process may be writing them.
void remove_unfinished(const std::filesystem::path& folder, const std::vector<std::string>& names);

// What a person can do about a file that cannot be written, by errno: "free some space there or choose another place".
std::string write_remedy(int error);

}  // namespace pegrasp
