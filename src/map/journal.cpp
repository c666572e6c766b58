// SPDX-License-Identifier: Apache-2.0
#include "src/map/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <type_traits>
#include <utility>

#include "pegrasp/version.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/machine/memory.hpp"
#include "src/map/totals.hpp"
#include "src/text/passing_error.hpp"
#include "src/text/printable.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp {
namespace {

constexpr char magic[8] = {'p', 'e', 'g', 'j', 'r', 'n', 'l', '5'};

// Followed by backend, device and problem, `text` bytes of which each ends with a zero.
struct Header {
  char magic[8];
  std::uint64_t hash;
  std::uint64_t samples, values, poses;
  std::uint64_t first, count;
  std::uint64_t fallback;
  std::uint64_t reruns, first_rerun, rerun_count;  // JournalReruns
  std::uint64_t counts;                            // JournalOrigin's
  std::uint64_t text;
  std::uint64_t checksum;  // of all that and the text
};

// What is longer is damage, and would ask for memory without end.
constexpr std::uint64_t longest_text = std::uint64_t{64} << 20, longest_record = std::uint64_t{4} << 30;
constexpr std::uint64_t largest_count = std::uint64_t{1} << 56;  // of a header: sums of two are numbers, too

struct Record {
  std::uint64_t first, count, checksum;
};

std::uint64_t fnv1a(const void* data, std::size_t size, std::uint64_t hash = 1469598103934665603ull) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

using Bytes = std::span<const unsigned char>;

// Of the record's range and its bytes.
std::uint64_t checksum(const Record& record, std::span<const Bytes> pieces) {
  std::uint64_t hash = fnv1a(&record.count, sizeof record.count, fnv1a(&record.first, sizeof record.first));
  for (const Bytes& piece : pieces) hash = fnv1a(piece.data(), piece.size(), hash);
  return hash;
}

// Closes what is no file, such as a pipe, which would be waited for, and says so.
void refuse_no_file(const std::filesystem::path& path, int handle) {
  struct stat about {};
  if (::fstat(handle, &about) == 0 && S_ISREG(about.st_mode)) return;
  ::close(handle);
  throw InputError(printable(path.string()) + ": is no file, but a pipe, a folder or a device; name another place");
}

// Null, with errno, where it cannot be opened.
std::FILE* open_to_read(const std::filesystem::path& path) {
  const int handle = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (handle < 0) return nullptr;
  refuse_no_file(path, handle);
  return ::fdopen(handle, "rb");
}

// fread(), which tells a file that has ended from one that cannot be read.
bool read_whole(std::FILE* file, void* to, std::size_t size) {
  if (size == 0 || std::fread(to, size, 1, file) == 1) return true;
  if (std::ferror(file) == 0) return false;
  throw ReadError("cannot be read (" + std::error_code(errno, std::generic_category()).message() + "); check the disk");
}

// How much of the file is left. What a damaged file says of its length is not believed, or it could ask for any memory.
std::size_t bytes_left(std::FILE* file) {
  struct stat about {};
  const long at = std::ftell(file);
  if (at < 0 || ::fstat(::fileno(file), &about) != 0 || about.st_size < at) return 0;
  return static_cast<std::size_t>(about.st_size - at);
}

// Calls what reads; its ReadError gets the name of the file.
template <class Call>
auto reading(const std::filesystem::path& path, const Call& call) {
  try {
    return call();
  } catch (const ReadError& error) {
    throw PassingError(printable(path.string()) + ": " + error.what());
  }
}

[[noreturn]] void cannot(const std::filesystem::path& path, const std::string& doing) {
  const int error = errno;
  const std::string why = std::error_code(error, std::generic_category()).message();
  throw WriteError(printable(path.string()) + ": cannot " + doing + ": " + why + "; " + write_remedy(error),
                   may_pass(error));
}

template <class T>
Bytes bytes_of(const T* data, std::size_t count) {
  return {reinterpret_cast<const unsigned char*>(data), count * sizeof(T)};
}

std::string packed_text(const JournalOrigin& origin) {
  return origin.backend + '\0' + origin.device + '\0' + origin.problem + '\0';
}

std::uint64_t checksum(Header header, const std::string& text) {
  header.checksum = 0;
  return fnv1a(text.data(), text.size(), fnv1a(&header, sizeof header));
}

// False where the file does not begin with a whole header.
bool read_header(std::FILE* file, JournalOrigin& origin, bool& damaged) {
  Header header{};
  damaged = false;
  if (!read_whole(file, &header, sizeof header)) return false;
  damaged = std::memcmp(header.magic, magic, sizeof magic) != 0 || header.text > longest_text;
  if (damaged) return true;
  if (header.text > bytes_left(file)) return false;
  std::string text(header.text, '\0');
  if (!read_whole(file, text.data(), text.size())) return false;
  const std::size_t backend = text.find('\0'),
                    device = backend + 1 < text.size() ? text.find('\0', backend + 1) : backend;
  const std::uint64_t largest = std::max({header.samples, header.values, header.poses, header.first, header.count,
                                          header.reruns, header.first_rerun, header.rerun_count, header.counts});
  damaged = checksum(header, text) != header.checksum || largest > largest_count ||
            header.fallback > static_cast<std::uint64_t>(Fallback::reference) || device == std::string::npos ||
            device == backend;
  if (damaged) return true;
  origin = {header.hash,
            {header.samples, header.values, header.poses},
            {header.first, header.count},
            static_cast<Fallback>(header.fallback),
            text.substr(0, backend),
            text.substr(backend + 1, device - backend - 1),
            text.substr(device + 1, text.size() - device - 2),
            {header.reruns, {header.first_rerun, header.rerun_count}},
            header.counts};
  return true;
}

// Some samples' bytes, where the map has them.
std::array<Bytes, 5> pieces_of(const JournalShape& shape, const SuccessMap& map, std::size_t first, std::size_t count) {
  const std::size_t row = first - map.held.first;
  return {bytes_of(map.values.data() + row * shape.values, count * shape.values),
          bytes_of(map.outcomes.data() + row, count),
          bytes_of(map.final_poses.data() + row * shape.poses, count * shape.poses),
          bytes_of(map.redrawn.data() + row, count), bytes_of(map.by_reference.data() + row, count)};
}

// Hands out a record's samples in blocks: its arrays follow each other in `bytes`.
class UnpackedBlock {
 public:
  void hand_out(const JournalShape& shape, const Record& record, const std::vector<unsigned char>& bytes,
                const VisitBlock& visit) {
    for (std::size_t row = 0; row < record.count; row += rows_a_block) {
      const std::size_t count = std::min<std::size_t>(rows_a_block, record.count - row);
      std::size_t array = 0;
      const auto take = [&](auto& out, std::size_t a_row) {
        using T = typename std::remove_reference_t<decltype(out)>::value_type;
        out.resize(count * a_row);
        if (a_row > 0) std::memcpy(out.data(), bytes.data() + array + row * a_row * sizeof(T), out.size() * sizeof(T));
        array += record.count * a_row * sizeof(T);
      };
      take(values_, shape.values);
      take(outcomes_, 1);
      take(final_poses_, shape.poses);
      take(redrawn_, 1);
      take(by_reference_, 1);
      visit({{record.first + row, count}, values_, outcomes_, final_poses_, redrawn_, by_reference_});
    }
  }

 private:
  std::vector<double> values_, final_poses_;
  std::vector<SceneOutcome> outcomes_;
  std::vector<int> redrawn_, by_reference_;
};

// Into the map's arrays, which grow where they have no capacity for it.
void put_rows(const SampleBlock& block, SuccessMap& map) {
  const auto row = static_cast<std::ptrdiff_t>(block.range.first - map.held.first);
  const auto put = [row, &block](const auto& from, auto& to) {
    const auto a_row = static_cast<std::ptrdiff_t>(from.size() / block.range.count);
    const std::size_t end = static_cast<std::size_t>(row * a_row) + from.size();
    if (to.size() < end) to.resize(end);
    std::copy(from.begin(), from.end(), to.begin() + row * a_row);
  };
  put(block.values, map.values);
  put(block.outcomes, map.outcomes);
  put(block.final_poses, map.final_poses);
  put(block.redrawn, map.redrawn);
  put(block.by_reference, map.by_reference);
}

// Reads the record where the file stands: of `next` and those that follow it, up to `end`. False, with the file
// standing where it stood, for one that is torn, damaged or another.
bool read_record(std::FILE* file, std::size_t next, std::size_t end, std::size_t bytes_each, Record& record,
                 std::vector<unsigned char>& bytes) {
  const long good = std::ftell(file);
  const auto is_whole = [&] {
    if (!read_whole(file, &record, sizeof record)) return false;
    if (record.first != next || record.count == 0 || record.count > end - next) return false;
    if (record.count > std::min<std::uint64_t>(longest_record, bytes_left(file)) / bytes_each) return false;
    bytes.resize(bytes_each * record.count);
    if (!read_whole(file, bytes.data(), bytes.size())) return false;
    const std::array<Bytes, 1> whole{bytes};
    return checksum(record, whole) == record.checksum;
  };
  if (is_whole()) return true;
  std::fseek(file, good, SEEK_SET);
  return false;
}

// Hands out the records from where the file stands; visit may be empty. Returns the sample that is next; the file
// stands after the last whole record then.
std::size_t read_records(std::FILE* file, const JournalShape& shape, const SampleRange& range,
                         const VisitBlock& visit) {
  std::vector<unsigned char> bytes;
  UnpackedBlock block;
  std::size_t next = range.first;
  Record record{};
  while (read_record(file, next, range.end(), sample_bytes(shape), record, bytes)) {
    if (visit) block.hand_out(shape, record, bytes, visit);
    next += record.count;
  }
  return next;
}

// The same of the records of reruns, which follow those of all samples.
std::vector<Rerun> read_rerun_records(std::FILE* file, const SampleRange& range) {
  std::vector<unsigned char> bytes;
  std::vector<Rerun> reruns;
  Record record{};
  while (read_record(file, range.first + reruns.size(), range.end(), sizeof(Rerun), record, bytes)) {
    const std::size_t before = reruns.size();
    reruns.resize(before + record.count);
    std::memcpy(reruns.data() + before, bytes.data(), bytes.size());
  }
  return reruns;
}

// Counts that were kept: those of all samples before `record.first`, the record.count-th that were.
struct KeptCounts {
  Record record{};
  std::vector<unsigned char> bytes;  // none: there are none
};

// The newest of the two, which follow each other from `at` on; what is torn or damaged does not count.
KeptCounts read_kept_counts(std::FILE* file, long at, std::size_t bytes_each, const SampleRange& range) {
  KeptCounts newest;
  for (int slot = 0; slot < 2; ++slot) {
    KeptCounts kept;
    const long place = at + slot * static_cast<long>(sizeof(Record) + bytes_each);
    if (std::fseek(file, place, SEEK_SET) != 0 || !read_whole(file, &kept.record, sizeof kept.record)) break;
    if (bytes_each > bytes_left(file)) break;
    kept.bytes.resize(bytes_each);
    if (!read_whole(file, kept.bytes.data(), bytes_each)) break;
    const std::array<Bytes, 1> whole{kept.bytes};
    const bool good = checksum(kept.record, whole) == kept.record.checksum && kept.record.first >= range.first &&
                      kept.record.first <= range.end();
    if (good && (newest.bytes.empty() || kept.record.count > newest.record.count)) newest = std::move(kept);
  }
  return newest;
}

}  // namespace

std::uint64_t problem_hash(const Problem& problem, const std::string& backend, Fallback fallback) {
  std::string engine = std::string(version::number) + version::git;
  if (fallback == Fallback::reference) engine += "fallback";
  if (problem.arithmetic == Arithmetic::fast) engine += backend;
  const std::string& text = problem.content_toml.empty() ? problem.resolved_toml : problem.content_toml;
  return fnv1a(engine.data(), engine.size(), fnv1a(text.data(), text.size()));
}

std::size_t sample_bytes(const JournalShape& shape) {
  return sizeof(SceneOutcome) + sizeof(double) * (shape.values + shape.poses) + 2 * sizeof(int);
}

std::filesystem::path journal_path(const std::filesystem::path& out, const Shard& shard) {
  return shard.count > 1 ? part_path(out, shard) : out / "samples.journal";
}

std::filesystem::path part_path(const std::filesystem::path& out, const Shard& shard) {
  return out / ("part-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count) + ".samples");
}

Journal::Journal(const std::filesystem::path& path, const JournalOrigin& origin, bool resume, SuccessMap& map)
    : path_(path), shape_(origin.shape), done_(origin.range.first), reruns_done_(origin.reruns.range.first) {
  try {
    open();
    for (int again = 0; again < 10 && !is_still_there(); ++again) {
      std::fclose(std::exchange(file_, nullptr));
      open();
    }
    if (!resume || !reading(path_, [&] { return read(origin, map); })) begin(origin);
  } catch (...) {
    if (file_) std::fclose(file_);
    throw;
  }
}

Journal::~Journal() {
  if (appending_.valid()) appending_.wait();
  if (file_) std::fclose(file_);
}

void Journal::open() {
  const int handle = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, result_mode);
  if (handle < 0 && errno == ELOOP) {
    throw WriteError(printable(path_.string()) + ": is a symbolic link, through which nothing is written; remove it");
  }
  if (handle < 0) cannot(path_, "write");
  refuse_no_file(path_, handle);
  file_ = ::fdopen(handle, "r+b");
  if (!file_) {
    ::close(handle);
    cannot(path_, "write");
  }
  // Two runs into one folder would mix their records. Where locks are not supported we go without.
  locked_ = ::flock(handle, LOCK_EX | LOCK_NB) == 0;
  if (!locked_ && errno == EWOULDBLOCK) {
    throw PassingError(printable(path_.string()) +
                       ": another run is writing into this folder; wait for it or choose another --out");
  }
}

// False when the run that held the lock has finished, and removed the file, since it was opened here.
bool Journal::is_still_there() const {
  struct stat mine {};
  struct stat named {};
  return ::fstat(::fileno(file_), &mine) == 0 && ::stat(path_.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

void Journal::begin(const JournalOrigin& origin) {
  const std::string text = packed_text(origin);
  Header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.hash = origin.hash;
  header.samples = shape_.samples;
  header.values = shape_.values;
  header.poses = shape_.poses;
  header.first = origin.range.first;
  header.count = origin.range.count;
  header.fallback = static_cast<std::uint64_t>(origin.fallback);
  header.reruns = origin.reruns.in_all;
  header.first_rerun = origin.reruns.range.first;
  header.rerun_count = origin.reruns.range.count;
  header.counts = origin.counts;
  header.text = text.size();
  header.checksum = checksum(header, text);
  std::rewind(file_);
  if (::ftruncate(::fileno(file_), 0) != 0 || std::fwrite(&header, sizeof header, 1, file_) != 1 ||
      std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0) {
    const int why = errno;
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);  // an empty journal helps nobody
    errno = why;
    cannot(path_, "write");
  }
  records_ = std::ftell(file_);
  sync();
}

bool Journal::read(const JournalOrigin& origin, SuccessMap& map) {
  JournalOrigin there;
  bool damaged = false;
  if (!read_header(file_, there, damaged)) return false;
  if (damaged || there.hash != origin.hash || there.shape != shape_ || there.range.first != origin.range.first ||
      there.range.count != origin.range.count || there.reruns != origin.reruns || there.counts != origin.counts) {
    throw InputError(
        printable(path_.string()) +
        ": is the journal of another problem, version, --shard, --fallback, --step-check, --counts-only or (with "
        "--fast) backend; delete it, or run without --resume, to start afresh");
  }
  records_ = std::ftell(file_);
  if (origin.counts > 0) {
    KeptCounts kept = read_kept_counts(file_, records_, origin.counts, origin.range);
    if (kept.bytes.empty()) return true;
    done_ = kept.record.first;
    saves_ = kept.record.count;
    counts_ = std::move(kept.bytes);
    return true;
  }
  done_ = read_records(file_, shape_, origin.range, [&map](const SampleBlock& block) { put_rows(block, map); });
  if (done_ == origin.range.end()) {
    const std::vector<Rerun> reruns = read_rerun_records(file_, origin.reruns.range);
    std::copy(reruns.begin(), reruns.end(), map.rerun.begin());
    reruns_done_ += reruns.size();
  }
  // Whatever follows the last whole record was torn off by a kill: write over it.
  if (::ftruncate(::fileno(file_), std::ftell(file_)) != 0) cannot(path_, "write");
  return true;
}

void Journal::append(const SuccessMap& map, std::size_t first, std::size_t count) {
  write_record(first, count, pieces_of(shape_, map, first, count));
  done_ = first + count;
}

void Journal::append_reruns(const SuccessMap& map, std::size_t k, std::size_t count) {
  const std::array<Bytes, 1> whole{bytes_of(map.rerun.data() + (k - map.held_reruns.first), count)};
  write_record(k, count, whole);
  reruns_done_ = k + count;
}

void Journal::write_record(std::size_t first, std::size_t count, std::span<const Bytes> pieces) {
  Record record{first, count, 0};
  record.checksum = checksum(record, pieces);
  bool written = std::fwrite(&record, sizeof record, 1, file_) == 1;
  for (const Bytes& piece : pieces) {
    written = written && std::fwrite(piece.data(), 1, piece.size(), file_) == piece.size();
  }
  if (!written || std::fflush(file_) != 0) cannot(path_, "write");
}

void Journal::save_counts(std::size_t next, const std::function<void(const TakeBytes&)>& hand_out) {
  Record record{next, saves_ + 1, 0};
  record.checksum = checksum(record, {});
  std::size_t size = 0;
  hand_out([&](Bytes piece) {
    record.checksum = fnv1a(piece.data(), piece.size(), record.checksum);
    size += piece.size();
  });
  const long place = records_ + static_cast<long>(saves_ % 2) * static_cast<long>(sizeof(Record) + size);
  ++saves_;
  bool written = std::fseek(file_, place, SEEK_SET) == 0 && std::fwrite(&record, sizeof record, 1, file_) == 1;
  hand_out(
      [&](Bytes piece) { written = written && std::fwrite(piece.data(), 1, piece.size(), file_) == piece.size(); });
  if (!written) cannot(path_, "write");
  sync();
  done_ = next;
}

void Journal::sync() {
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) cannot(path_, "write");
}

void Journal::append_beside(const SuccessMap& map, std::size_t first, std::size_t count) {
  wait();
  std::vector<unsigned char> copy;
  copy.reserve(count * sample_bytes(shape_));
  want_huge_pages(copy.data(), copy.capacity());
  for (const Bytes& piece : pieces_of(shape_, map, first, count)) copy.insert(copy.end(), piece.begin(), piece.end());
  // Without a policy: where the machine gives no more threads, wait() does it.
  appending_ = std::async([this, first, count, copy = std::move(copy)] {
    const std::array<Bytes, 1> whole{copy};
    write_record(first, count, whole);
    done_ = first + count;
    sync();
  });
}

void Journal::wait() {
  if (appending_.valid()) appending_.get();
}

bool Journal::has_samples(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return false;
  std::FILE* const file = open_to_read(path);
  if (!file) return true;  // who knows
  const bool taken = ::flock(::fileno(file), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  JournalOrigin origin;
  bool damaged = false;
  const auto holds_some = [&] {
    if (!read_header(file, origin, damaged)) return false;
    if (damaged) return true;
    if (origin.counts > 0) {
      return read_kept_counts(file, std::ftell(file), origin.counts, origin.range).record.first > origin.range.first;
    }
    return read_records(file, origin.shape, origin.range, {}) > origin.range.first;
  };
  bool some = false;
  try {
    some = reading(path, holds_some);
  } catch (...) {
    std::fclose(file);
    throw;
  }
  std::fclose(file);
  if (taken) {
    throw PassingError(printable(path.string()) +
                       ": another run is writing into this folder; wait for it or choose another --out");
  }
  return some;
}

JournalReader::JournalReader(const std::filesystem::path& path) : path_(path), file_(open_to_read(path)) {
  try {
    if (!file_) {
      throw InputError(printable(path.string()) + ": cannot be read: " +
                       std::error_code(errno, std::generic_category()).message() + "; name a part that is there");
    }
    // Shared: readers do not disturb each other.
    if (::flock(::fileno(file_), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw PassingError(printable(path.string()) + ": a run is still writing it; wait for it");
    }
    bool damaged = false;
    if (!reading(path, [&] { return read_header(file_, origin_, damaged); }) || damaged) {
      throw InputError(printable(path.string()) +
                       ": is damaged, or not a part of a map of this version; leave it out and simulate it again");
    }
    records_ = std::ftell(file_);
  } catch (...) {
    if (file_) std::fclose(file_);
    throw;
  }
}

JournalReader::~JournalReader() { std::fclose(file_); }

std::size_t JournalReader::read(const VisitBlock& visit) {
  std::fseek(file_, records_, SEEK_SET);
  return reading(path_, [&] { return read_records(file_, origin_.shape, origin_.range, visit); }) - origin_.range.first;
}

std::size_t JournalReader::read_counts(std::vector<unsigned char>& counts) {
  KeptCounts kept = reading(path_, [&] { return read_kept_counts(file_, records_, origin_.counts, origin_.range); });
  counts = std::move(kept.bytes);
  return counts.empty() ? 0 : kept.record.first - origin_.range.first;
}

std::vector<Rerun> JournalReader::read_reruns() {
  return reading(path_, [&] { return read_rerun_records(file_, origin_.reruns.range); });
}

}  // namespace pegrasp
