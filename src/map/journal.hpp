// SPDX-License-Identifier: Apache-2.0
// The journal of a running map, which keeps finished samples through Ctrl-C and kill -9. It is also the file in which a
// part of a map is handed on.
//
// A binary file. The header names the problem (a hash of everything that decides results) and the requested samples.
// The resolved problem follows, then one record for each chunk of samples, with a checksum of its own, then records of
// the samples that the step check simulates again. A torn or damaged tail is dropped; the chunks before it count. A
// journal that keeps counts has two places for them in place of the records, which are written by turns: one is whole
// whenever a kill comes. Numbers are stored as this machine holds them: only the build that wrote a journal reads it,
// and the hash makes sure of that.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <future>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/map.hpp"

namespace pegrasp {

// Hash of everything that a sample's result depends on: the resolved problem, the version of the engine, the fallback
// and, where arithmetic is fast, the backend (strict is the same on all).
std::uint64_t problem_hash(const Problem& problem, const std::string& backend, Fallback fallback = Fallback::none);

struct JournalShape {
  std::size_t samples = 0;  // of the map, in all
  std::size_t values = 0;   // numbers a sample
  std::size_t poses = 0;    // pose numbers a sample
  bool operator==(const JournalShape&) const = default;
};
// Bytes of one sample, the same in a record and in memory.
std::size_t sample_bytes(const JournalShape& shape);

// Which samples the step check simulates again, by their numbers k of rerun_trial().
struct JournalReruns {
  std::size_t in_all = 0;  // of the map
  SampleRange range;       // of the journal
  bool operator==(const JournalReruns&) const = default;
};

// The map and machine that a journal belongs to.
struct JournalOrigin {
  std::uint64_t hash = 0;  // problem_hash()
  JournalShape shape;
  SampleRange range;  // the samples that it is to hold
  Fallback fallback = Fallback::none;
  std::string backend, device;  // where it was begun
  std::string problem;          // resolved
  JournalReruns reruns = {};
  std::size_t counts = 0;  // bytes of the counts that it keeps in place of samples; 0: it keeps samples
  bool operator==(const JournalOrigin&) const = default;
};

class Journal {
 public:
  // Opens `path`. With resume, records of the same problem and samples are read into `map` (its arrays sized already);
  // otherwise, or when there is none, a new journal is begun. Throws InputError for a folder that cannot be written, a
  // journal that another process holds open, or, when resuming, for a journal of another problem.
  Journal(const std::filesystem::path& path, const JournalOrigin& origin, bool resume, SuccessMap& map);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  std::size_t done() const { return done_; }                // the next sample
  std::size_t reruns_done() const { return reruns_done_; }  // the next one to simulate again
  bool locked() const { return locked_; }                   // false where the file system has no locks
  // Appends samples [first, first + count) of the map, which holds them. Throws InputError when the disk is full.
  void append(const SuccessMap& map, std::size_t first, std::size_t count);
  // Appends `count` reruns of the map from number k on, once it has all samples. Throws as append() does.
  void append_reruns(const SuccessMap& map, std::size_t k, std::size_t count);
  // Of a journal that keeps counts: keeps, on the disk, those of all samples before `next`. Throws as append() does.
  // hand_out(take): calls take for the bytes, piece by piece; it is called twice.
  using TakeBytes = std::function<void(std::span<const unsigned char>)>;
  void save_counts(std::size_t next, const std::function<void(const TakeBytes&)>& hand_out);
  // What an earlier run kept; empty where there is none.
  const std::vector<unsigned char>& counts() const { return counts_; }
  // Forces what was appended to the disk.
  void sync();
  // Starts append() and sync() of a copy in the background, so that the map may change meanwhile. Until wait() the
  // journal may only be destroyed, which waits, too.
  void append_beside(const SuccessMap& map, std::size_t first, std::size_t count);
  // Waits for append_beside() and throws its exception, at every call.
  void wait();

  // Whether there is a journal with samples in it. Throws InputError for one that a run is still writing.
  static bool has_samples(const std::filesystem::path& path);

 private:
  void open();
  bool is_still_there() const;
  // Writes a record, whose bytes are the given pieces in order.
  void write_record(std::size_t first, std::size_t count, std::span<const std::span<const unsigned char>> pieces);
  void begin(const JournalOrigin& origin);
  // False when the header is incomplete, so that there is nothing to resume.
  bool read(const JournalOrigin& origin, SuccessMap& map);

  std::filesystem::path path_;
  JournalShape shape_;
  std::FILE* file_ = nullptr;
  std::size_t done_ = 0, reruns_done_ = 0;
  long records_ = 0;         // where they, or the counts, begin
  std::uint64_t saves_ = 0;  // times that counts were kept
  std::vector<unsigned char> counts_;
  bool locked_ = false;
  std::shared_future<void> appending_;
};

// A journal that is only read.
class JournalReader {
 public:
  // Throws InputError for a file that cannot be opened, is no journal, or is still being written.
  explicit JournalReader(const std::filesystem::path& path);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  const JournalOrigin& origin() const { return origin_; }
  // Passes the samples to `visit` record by record. Returns their number, counted from the first of origin().range. A
  // damaged record and all after it do not count.
  std::size_t read(const VisitBlock& visit);
  // Of a journal that keeps counts: puts them into `counts`, and returns the number of their samples; 0, and no bytes,
  // where there are none yet.
  std::size_t read_counts(std::vector<unsigned char>& counts);
  // The reruns, where read() has just found all samples; as many as are whole.
  std::vector<Rerun> read_reruns();

 private:
  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  JournalOrigin origin_;
  long records_ = 0;  // where they begin
};

}  // namespace pegrasp
