// SPDX-License-Identifier: Apache-2.0
#include "src/rare/measure_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pegrasp/error.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/text/passing_error.hpp"

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

// Opens the file for one run alone; null where a run that held it has removed it meanwhile.
std::FILE* locked_file(const std::filesystem::path& path) {
  const int handle = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, result_mode);
  std::FILE* const file = handle < 0 ? nullptr : ::fdopen(handle, "r+b");
  if (file == nullptr) {
    const int error = errno;
    if (handle >= 0) ::close(handle);
    fail_to_write(path, error);
  }
  struct stat mine {};
  struct stat named {};
  // Where locks are not supported we go without.
  if (::flock(handle, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    std::fclose(file);
    throw PassingError(path.string() +
                       ": another run is writing into this folder; wait for it or choose another --out");
  }
  if (::fstat(handle, &mine) != 0 || !S_ISREG(mine.st_mode)) {
    std::fclose(file);
    throw InputError(path.string() + ": is no file; remove it, or choose another --out");
  }
  if (::stat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino && mine.st_dev == named.st_dev) return file;
  std::fclose(file);
  return nullptr;
}

}  // namespace

MeasureLog::MeasureLog(const std::filesystem::path& path, std::uint64_t hash, bool resume) : path_(path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  for (int again = 0; again < 10 && file_ == nullptr; ++again) file_ = locked_file(path);
  if (file_ == nullptr) fail_to_write(path, EBUSY);
  try {
    if (resume) read(hash);
    const std::uint64_t wanted[2] = {mark, hash};
    std::rewind(file_);
    if (::ftruncate(::fileno(file_), 0) != 0 || std::fwrite(wanted, sizeof wanted, 1, file_) != 1)
      fail_to_write(path, errno);
    append(known_);
  } catch (...) {
    std::fclose(file_);
    throw;
  }
}

// What an earlier run of the same kind has kept.
void MeasureLog::read(std::uint64_t hash) {
  std::uint64_t found[2] = {0, 0};
  if (std::fread(found, sizeof found, 1, file_) != 1) return;
  if (found[1] != hash) {
    throw InputError(path_.string() +
                     ": belongs to another problem, version or set of options; leave out --resume, or choose another "
                     "--out");
  }
  Record record{};
  while (std::fread(&record, sizeof record, 1, file_) == 1) {
    const Trial trial{record.distance, (record.flags & 1u) != 0, (record.flags & 2u) != 0};
    if (record_of(trial).check != record.check) break;
    known_.push_back(trial);
  }
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
