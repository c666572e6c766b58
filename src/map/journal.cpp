// SPDX-License-Identifier: Apache-2.0
#include "map/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "pegrasp/version.hpp"
#include "results/atomic_file.hpp"

namespace pegrasp {
namespace {

constexpr char magic[8] = {'p', 'e', 'g', 'j', 'r', 'n', 'l', '2'};

struct Header {
  char magic[8];
  std::uint64_t hash;
  std::uint64_t samples, values, poses;
};

struct Record {
  std::uint64_t first, count, checksum;
};

std::uint64_t fnv1a(const void* data, std::size_t size, std::uint64_t hash = 1469598103934665603ull) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

// Of the record's range and its bytes.
std::uint64_t checksum(const Record& record, const std::vector<unsigned char>& bytes) {
  return fnv1a(bytes.data(), bytes.size(),
               fnv1a(&record.count, sizeof record.count, fnv1a(&record.first, sizeof record.first)));
}

[[noreturn]] void cannot(const std::filesystem::path& path, const std::string& doing) {
  const std::string remedy = write_remedy(errno);
  const std::string why = std::error_code(errno, std::generic_category()).message();
  throw WriteError(path.string() + ": cannot " + doing + ": " + why + "; " + remedy);
}

template <class T>
void put(std::vector<unsigned char>& out, const T* data, std::size_t count) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(data);
  out.insert(out.end(), bytes, bytes + count * sizeof(T));
}

template <class T>
void take(const std::vector<unsigned char>& in, std::size_t& at, T* data, std::size_t count) {
  std::memcpy(data, in.data() + at, count * sizeof(T));
  at += count * sizeof(T);
}

}  // namespace

std::uint64_t problem_hash(const Problem& problem, const std::string& backend, Fallback fallback) {
  std::string engine = std::string(version::number) + version::git;
  if (fallback == Fallback::reference) engine += "fallback";
  if (problem.arithmetic == Arithmetic::fast) engine += backend;
  return fnv1a(engine.data(), engine.size(), fnv1a(problem.resolved_toml.data(), problem.resolved_toml.size()));
}

std::filesystem::path journal_path(const std::filesystem::path& out) { return out / "samples.journal"; }

Journal::Journal(const std::filesystem::path& path, std::uint64_t hash, const JournalShape& shape, bool resume,
                 SuccessMap& map)
    : path_(path), shape_(shape) {
  try {
    open();
    for (int again = 0; again < 10 && !is_still_there(); ++again) {
      std::fclose(std::exchange(file_, nullptr));
      open();
    }
    if (!resume || !read(hash, map)) begin(hash);
  } catch (...) {
    if (file_) std::fclose(file_);
    throw;
  }
}

Journal::~Journal() {
  if (file_) std::fclose(file_);
}

void Journal::open() {
  const int handle = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (handle < 0) cannot(path_, "write");
  file_ = ::fdopen(handle, "r+b");
  if (!file_) {
    ::close(handle);
    cannot(path_, "write");
  }
  // Two runs into one folder would mix their records. Where locks are not supported we go without.
  locked_ = ::flock(handle, LOCK_EX | LOCK_NB) == 0;
  if (!locked_ && errno == EWOULDBLOCK) {
    throw InputError(path_.string() + ": another run is writing into this folder; wait for it or choose another --out");
  }
}

// False when the run that held the lock has finished, and removed the file, since it was opened here.
bool Journal::is_still_there() const {
  struct stat mine {};
  struct stat named {};
  return ::fstat(::fileno(file_), &mine) == 0 && ::stat(path_.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

void Journal::begin(std::uint64_t hash) {
  Header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.hash = hash;
  header.samples = shape_.samples;
  header.values = shape_.values;
  header.poses = shape_.poses;
  std::rewind(file_);
  if (::ftruncate(::fileno(file_), 0) != 0 || std::fwrite(&header, sizeof header, 1, file_) != 1 ||
      std::fflush(file_) != 0) {
    const int why = errno;
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);  // an empty journal helps nobody
    errno = why;
    cannot(path_, "write");
  }
  sync();
}

bool Journal::read(std::uint64_t hash, SuccessMap& map) {
  Header header{};
  if (std::fread(&header, sizeof header, 1, file_) != 1) return false;
  if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.hash != hash || header.samples != shape_.samples ||
      header.values != shape_.values || header.poses != shape_.poses) {
    throw InputError(path_.string() +
                     ": is the journal of another problem, version, --fallback or (with --fast) backend; run without "
                     "--resume to start afresh");
  }
  const std::size_t bytes_a_sample = pack(map, 0, 1).size();
  std::vector<unsigned char> bytes;
  long good = std::ftell(file_);
  Record record{};
  while (std::fread(&record, sizeof record, 1, file_) == 1) {
    if (record.first != done_ || record.count == 0 || record.count > shape_.samples - done_) break;
    bytes.resize(bytes_a_sample * record.count);
    if (std::fread(bytes.data(), 1, bytes.size(), file_) != bytes.size()) break;
    if (checksum(record, bytes) != record.checksum) break;
    unpack(bytes, map, record.first, record.count);
    done_ += record.count;
    good = std::ftell(file_);
  }
  // Whatever follows the last whole record was torn off by a kill: write over it.
  std::fseek(file_, good, SEEK_SET);
  if (::ftruncate(::fileno(file_), good) != 0) cannot(path_, "write");
  return true;
}

std::vector<unsigned char> Journal::pack(const SuccessMap& map, std::size_t first, std::size_t count) const {
  std::vector<unsigned char> out;
  put(out, map.values.data() + first * shape_.values, count * shape_.values);
  put(out, map.outcomes.data() + first, count);
  put(out, map.final_poses.data() + first * shape_.poses, count * shape_.poses);
  put(out, map.redrawn.data() + first, count);
  put(out, map.by_reference.data() + first, count);
  return out;
}

void Journal::unpack(const std::vector<unsigned char>& bytes, SuccessMap& map, std::size_t first,
                     std::size_t count) const {
  std::size_t at = 0;
  take(bytes, at, map.values.data() + first * shape_.values, count * shape_.values);
  take(bytes, at, map.outcomes.data() + first, count);
  take(bytes, at, map.final_poses.data() + first * shape_.poses, count * shape_.poses);
  take(bytes, at, map.redrawn.data() + first, count);
  take(bytes, at, map.by_reference.data() + first, count);
}

void Journal::append(const SuccessMap& map, std::size_t first, std::size_t count) {
  const std::vector<unsigned char> bytes = pack(map, first, count);
  Record record{first, count, 0};
  record.checksum = checksum(record, bytes);
  if (std::fwrite(&record, sizeof record, 1, file_) != 1 ||
      std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size() || std::fflush(file_) != 0) {
    cannot(path_, "write");
  }
  done_ = first + count;
}

void Journal::sync() {
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) cannot(path_, "write");
}

}  // namespace pegrasp
