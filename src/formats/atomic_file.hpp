// SPDX-License-Identifier: Apache-2.0
// Files that appear complete or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pegrasp/problem.hpp"

namespace pegrasp {

// The permissions of all files of results, less those that the user's umask takes away.
inline constexpr unsigned result_mode = 0666;

// A result could not be written because space or a permission is missing. What was simulated is kept in the journal.
class WriteError : public InputError {
 public:
  explicit WriteError(const std::string& text, bool passes = false) : InputError(text), passes_(passes) {}
  // Whether the same command may go well later: a full disk may have space by then, a folder may never be writable.
  bool passes() const { return passes_; }

 private:
  bool passes_;
};

// A file that is being made. The constructor opens it under another name in the same folder, so that a place that
// cannot be written is reported before the work starts. commit() writes the file, forces it to the disk and moves it
// into place. Without commit() the destructor removes it. That other name cannot be foreseen, and nothing that has it
// already is opened. All functions throw WriteError: one line that names the file,
// the reason and a remedy.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  void commit(std::string_view text);
  // commit() in two steps, for several files that must appear together: everything but the move, and the move.
  void write(std::string_view text);
  void show();
  // The first step piece by piece: any number of writes anywhere in the file, and then its end.
  void write_at(std::uint64_t place, std::string_view bytes);
  void resize(std::uint64_t size);  // zeros where nothing was written
  void finish();

 private:
  [[noreturn]] void fail(int error);

  std::filesystem::path path_, temporary_;
  int handle_ = -1;
};

// Writes the text, or any bytes, as a file.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

// Removes the unfinished files that killed processes left in the folder: NAME.NUMBER.tmp, and NAME.NUMBER.tmp.png of
// the plot script. Must be called only while no other process can be writing them.
void remove_unfinished(const std::filesystem::path& folder, const std::vector<std::string>& names);

// A remedy for a file that cannot be written, by errno: "free some space there or choose another place".
std::string write_remedy(int error);

// Whether what failed with this errno may go well later, or on another machine: no space, a disk that does not answer.
bool may_pass(int error);

}  // namespace pegrasp
