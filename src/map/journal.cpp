// SPDX-License-Identifier: Apache-2.0
#include "map/journal.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "pegrasp/version.hpp"

namespace pegrasp {
namespace {

constexpr char magic[8] = {'p', 'e', 'g', 'j', 'r', 'n', 'l', '1'};

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

[[noreturn]] void cannot(const std::filesystem::path& path, const std::string& doing) {
  const std::string why = std::error_code(errno, std::generic_category()).message();
  throw InputError(path.string() + ": cannot " + doing + ": " + why + "; free some space or choose another --out");
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

std::uint64_t problem_hash(const Problem& problem) {
  const std::string engine = std::string(version::number) + version::git;
  return fnv1a(engine.data(), engine.size(), fnv1a(problem.resolved_toml.data(), problem.resolved_toml.size()));
}

Journal::Journal(const std::filesystem::path& path, std::uint64_t hash, const JournalShape& shape, bool resume,
                 SuccessMap& map)
    : path_(path), shape_(shape) {
  if (resume && std::filesystem::exists(path)) {
    read(hash, map);
  } else {
    begin(hash);
  }
}

Journal::~Journal() {
  if (file_) std::fclose(file_);
}

void Journal::begin(std::uint64_t hash) {
  file_ = std::fopen(path_.c_str(), "wb");
  if (!file_) cannot(path_, "write");
  Header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.hash = hash;
  header.samples = shape_.samples;
  header.values = shape_.values;
  header.poses = shape_.poses;
  if (std::fwrite(&header, sizeof header, 1, file_) != 1) cannot(path_, "write");
  sync();
}

void Journal::read(std::uint64_t hash, SuccessMap& map) {
  file_ = std::fopen(path_.c_str(), "r+b");
  if (!file_) cannot(path_, "read");
  Header header{};
  const bool whole = std::fread(&header, sizeof header, 1, file_) == 1;
  if (!whole || std::memcmp(header.magic, magic, sizeof magic) != 0 || header.hash != hash ||
      header.samples != shape_.samples || header.values != shape_.values || header.poses != shape_.poses) {
    std::fclose(file_);
    file_ = nullptr;
    throw InputError(path_.string() +
                     ": is the journal of another problem or version; run without --resume to start afresh");
  }
  long good = std::ftell(file_);
  Record record{};
  while (std::fread(&record, sizeof record, 1, file_) == 1) {
    if (record.first != done_ || record.count == 0 || record.count > shape_.samples - done_) break;
    std::vector<unsigned char> bytes(pack(map, 0, 1).size() * record.count);
    if (std::fread(bytes.data(), 1, bytes.size(), file_) != bytes.size()) break;
    if (fnv1a(bytes.data(), bytes.size()) != record.checksum) break;
    if (!unpack(bytes, map, record.first, record.count)) break;
    done_ += record.count;
    good = std::ftell(file_);
  }
  // Whatever follows the last whole record was torn off by a kill: write over it.
  std::fflush(file_);
  if (::ftruncate(::fileno(file_), good) != 0) cannot(path_, "write");
  std::fseek(file_, good, SEEK_SET);
}

std::vector<unsigned char> Journal::pack(const SuccessMap& map, std::size_t first, std::size_t count) const {
  std::vector<unsigned char> out;
  put(out, map.values.data() + first * shape_.values, count * shape_.values);
  put(out, map.outcomes.data() + first, count);
  put(out, map.final_poses.data() + first * shape_.poses, count * shape_.poses);
  put(out, map.redrawn.data() + first, count);
  return out;
}

bool Journal::unpack(const std::vector<unsigned char>& bytes, SuccessMap& map, std::size_t first,
                     std::size_t count) const {
  std::size_t at = 0;
  take(bytes, at, map.values.data() + first * shape_.values, count * shape_.values);
  take(bytes, at, map.outcomes.data() + first, count);
  take(bytes, at, map.final_poses.data() + first * shape_.poses, count * shape_.poses);
  take(bytes, at, map.redrawn.data() + first, count);
  return at == bytes.size();
}

void Journal::append(const SuccessMap& map, std::size_t first, std::size_t count) {
  const std::vector<unsigned char> bytes = pack(map, first, count);
  const Record record{first, count, fnv1a(bytes.data(), bytes.size())};
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
