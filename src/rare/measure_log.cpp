// SPDX-License-Identifier: Apache-2.0
#include "src/rare/measure_log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pegrasp/error.hpp"
#include "src/formats/atomic_file.hpp"

namespace pegrasp::rare {
namespace {

constexpr std::uint64_t mark = 0x70656772'61726531;  // of such files

// A trial in the file; `check` tells one that was torn.
struct Record {
  double distance;
  std::uint32_t flags, check;
};

Record record_of(const Trial& trial) {
  Record record{trial.distance, (trial.possible ? 1u : 0u) | (trial.resolved ? 2u : 0u), 0};
  std::uint64_t bits = 0;
  std::memcpy(&bits, &record.distance, sizeof bits);
  record.check = static_cast<std::uint32_t>((bits ^ bits >> 32) * 2654435761u) + record.flags + 1u;
  return record;
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error) {
  throw WriteError(
      path.string() + ": cannot be written: " + std::strerror(error) + "; make room, or choose another --out",
      error == ENOSPC || error == EIO);
}

}  // namespace

MeasureLog::MeasureLog(const std::filesystem::path& path, std::uint64_t hash, bool resume) : path_(path) {
  const std::uint64_t wanted[2] = {mark, hash};
  if (std::FILE* const old = resume ? std::fopen(path.c_str(), "rb") : nullptr) {
    std::uint64_t found[2] = {0, 0};
    const bool whole = std::fread(found, sizeof found, 1, old) == 1;
    Record record{};
    while (whole && found[1] == hash && std::fread(&record, sizeof record, 1, old) == 1) {
      const Trial trial{record.distance, (record.flags & 1u) != 0, (record.flags & 2u) != 0};
      if (record_of(trial).check != record.check) break;
      known_.push_back(trial);
    }
    std::fclose(old);
    if (whole && found[1] != hash) {
      throw InputError(path.string() +
                       ": belongs to another problem, version or set of options; leave out --resume, or choose another "
                       "--out");
    }
  }
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  file_ = std::fopen(path.c_str(), "wb");
  if (file_ == nullptr || std::fwrite(wanted, sizeof wanted, 1, file_) != 1) fail_to_write(path, errno);
  append(known_);
}

MeasureLog::~MeasureLog() {
  if (file_ != nullptr) std::fclose(file_);
}

std::size_t MeasureLog::recall(std::span<Trial> trials) {
  const std::size_t count = std::min(trials.size(), known_.size() - recalled_);
  std::copy_n(known_.begin() + static_cast<std::ptrdiff_t>(recalled_), count, trials.begin());
  recalled_ += count;
  return count;
}

void MeasureLog::append(std::span<const Trial> trials) {
  std::vector<Record> records;
  for (const Trial& trial : trials) records.push_back(record_of(trial));
  if (std::fwrite(records.data(), sizeof(Record), records.size(), file_) != records.size() || std::fflush(file_) != 0)
    fail_to_write(path_, errno);
}

}  // namespace pegrasp::rare
