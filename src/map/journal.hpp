// SPDX-License-Identifier: Apache-2.0
// The journal of a running map: what is done survives Ctrl-C and kill -9.
//
// A binary file: a header that names the problem (a hash of all that decides results), then one record a chunk of samples,
// each with its own checksum. A torn or damaged tail is dropped; the chunks before it count. Numbers are stored as this
// machine holds them: a journal is read by the build that wrote it, which the hash makes sure of.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "pegrasp/map.hpp"

namespace pegrasp {

// Hash of everything that a sample's result depends on: the resolved problem, the version of the engine, the fallback
// and, where arithmetic is fast, the backend (strict is the same on all).
std::uint64_t problem_hash(const Problem& problem, const std::string& backend, Fallback fallback = Fallback::none);

struct JournalShape {
  std::size_t samples = 0;  // in all
  std::size_t values = 0;   // numbers a sample
  std::size_t poses = 0;    // pose numbers a sample
};

class Journal {
 public:
  // Opens `path`. With resume, records of the same problem are read into `map` (its arrays sized already); otherwise, or
  // when there is none, a new journal is begun. Throws InputError for a folder that cannot be written, a journal that
  // another process holds open, or, when resuming, for a journal of another problem.
  Journal(const std::filesystem::path& path, std::uint64_t hash, const JournalShape& shape, bool resume,
          SuccessMap& map);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  std::size_t done() const { return done_; }  // samples, from the first on
  bool locked() const { return locked_; }     // false where the file system has no locks
  // Appends samples [first, first + count) of the map. Throws InputError when the disk is full.
  void append(const SuccessMap& map, std::size_t first, std::size_t count);
  // Forces what was appended to the disk.
  void sync();

 private:
  void open();
  bool is_still_there() const;
  void begin(std::uint64_t hash);
  // False when not even the header was finished: there is nothing to resume.
  bool read(std::uint64_t hash, SuccessMap& map);
  std::vector<unsigned char> pack(const SuccessMap& map, std::size_t first, std::size_t count) const;
  void unpack(const std::vector<unsigned char>& bytes, SuccessMap& map, std::size_t first, std::size_t count) const;

  std::filesystem::path path_;
  JournalShape shape_;
  std::FILE* file_ = nullptr;
  std::size_t done_ = 0;
  bool locked_ = false;
};

}  // namespace pegrasp
