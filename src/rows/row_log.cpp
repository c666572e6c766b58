// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/row_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "src/decide/numbers.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/map/journal.hpp"
#include "src/text/printable.hpp"

namespace pegrasp {
namespace {

constexpr std::uint64_t log_mark = 0x70656772'6f777331;  // of such files
// Trials of one batch, about: what a kill loses, at most.
constexpr std::size_t most_trials_cpu = 2048, most_trials_device = 65536;

std::uint64_t hash_bytes(const void* bytes, std::size_t count, std::uint64_t hash = 0xcbf29ce484222325u) {
  const auto* const at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ at[i]) * 0x100000001b3u;
  return hash;
}

std::uint64_t hash_text(const std::string& text, std::uint64_t hash) {
  return hash_bytes(text.data(), text.size(), hash_bytes("", 1, hash));
}

struct Known {
  std::uint64_t row = 0;
  std::vector<double> numbers;
};

// The journal: a header of three words, then for each row its hash, its numbers and a checksum. A torn end is dropped.
class RowJournal {
 public:
  RowJournal(std::filesystem::path path, std::uint64_t hash, std::size_t width, bool resume)
      : path_(std::move(path)), width_(width) {
    const int handle = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, result_mode);
    file_ = handle < 0 ? nullptr : ::fdopen(handle, "r+b");
    if (file_ == nullptr) fail(errno);
    if (::flock(handle, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      std::fclose(file_);
      throw InputError(printable(path_.string()) + ": another run is writing it; wait for it, or choose another --out");
    }
    const std::uint64_t header[3] = {log_mark, hash, width};
    if (resume) read(header);
    if (::ftruncate(handle, 0) != 0 || std::fseek(file_, 0, SEEK_SET) != 0) fail(errno);
    write(header, sizeof header);
    for (const Known& one : known_) append(one);
  }
  ~RowJournal() { std::fclose(file_); }
  RowJournal(const RowJournal&) = delete;
  RowJournal& operator=(const RowJournal&) = delete;

  // The next row of the earlier run, if it is this one; else what is left of that run does not count.
  const Known* recall(std::uint64_t row) {
    if (next_ >= known_.size()) return nullptr;
    if (known_[next_].row == row) return &known_[next_++];
    known_.resize(next_);
    return nullptr;
  }

  void append(const Known& one) {
    const std::uint64_t check = check_of(one);
    write(&one.row, sizeof one.row);
    write(one.numbers.data(), sizeof(double) * width_);
    write(&check, sizeof check);
    if (std::fflush(file_) != 0) fail(errno);
  }

  const std::filesystem::path& path() const { return path_; }
  std::size_t left() const { return known_.size() - next_; }

 private:
  std::uint64_t check_of(const Known& one) const {
    return hash_bytes(one.numbers.data(), sizeof(double) * width_, one.row ^ log_mark);
  }

  void read(const std::uint64_t (&wanted)[3]) {
    std::uint64_t found[3] = {0, 0, 0};
    if (std::fread(found, sizeof found, 1, file_) != 1) return;
    if (std::memcmp(found, wanted, sizeof found) != 0) {
      std::fclose(file_);
      throw InputError(printable(path_.string()) +
                       ": belongs to another problem, version or set of options; leave out --resume, or choose another "
                       "--out");
    }
    for (;;) {
      Known one{0, std::vector<double>(width_)};
      std::uint64_t check = 0;
      const bool whole = std::fread(&one.row, sizeof one.row, 1, file_) == 1 &&
                         std::fread(one.numbers.data(), sizeof(double), width_, file_) == width_ &&
                         std::fread(&check, sizeof check, 1, file_) == 1;
      if (!whole || check != check_of(one)) return;
      known_.push_back(std::move(one));
    }
  }

  void write(const void* bytes, std::size_t count) {
    if (count > 0 && std::fwrite(bytes, count, 1, file_) != 1) fail(errno);
  }

  [[noreturn]] void fail(int error) const {
    throw WriteError(
        printable(path_.string()) + ": cannot be written: " + std::strerror(error) + "; " + write_remedy(error),
        may_pass(error));
  }

  std::filesystem::path path_;
  std::size_t width_;
  std::FILE* file_ = nullptr;
  std::vector<Known> known_;
  std::size_t next_ = 0;
};

std::filesystem::path made(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw InputError(printable(folder.string()) + ": cannot make the output folder: " +
                     (error ? error.message() : "a file of that name is in the way") + "; choose another --out");
  }
  return folder / "evaluations.journal";
}

}  // namespace

struct RowLog::Impl {
  struct Entry {
    std::string note;
    std::vector<double> values, numbers;
  };

  const RowEvaluator& evaluator;
  Backend& backend;
  RowLogOptions options;
  RowJournal journal;
  std::vector<Entry> entries;
  std::size_t resumed = 0;

  Impl(const RowEvaluator& rows, Backend& device, RowLogOptions given)
      : evaluator(rows),
        backend(device),
        options(std::move(given)),
        journal(made(options.folder), hash(), options.columns.size(), options.resume) {}

  std::uint64_t hash() const {
    std::uint64_t out = problem_hash(evaluator.problem(), backend.name());
    out = hash_text(evaluator.document(), out);
    for (const DesignParameter& one : evaluator.parameters()) {
      out = hash_text(one.name, out);
      for (const std::string& key : one.keys) out = hash_text(key, out);
      const double numbers[4] = {one.start, one.scale, one.low, one.high};
      out = hash_bytes(numbers, sizeof numbers, out);
    }
    out = hash_text(options.what, out);
    for (const std::string& column : options.columns) out = hash_text(column, out);
    return out;
  }

  void enter(const Row& row, const std::string& note, const std::vector<double>& numbers) {
    entries.push_back({note, row.values, numbers});
  }

  bool take_known(const Row& row, const std::string& note, std::vector<double>& numbers) {
    const Known* const known = journal.recall(row_hash(row));
    if (known == nullptr) return false;
    numbers = known->numbers;
    enter(row, note, numbers);
    ++resumed;
    return true;
  }

  void put(const Row& row, const std::string& note, const std::vector<double>& numbers) {
    journal.append({row_hash(row), numbers});
    enter(row, note, numbers);
  }
};

RowLog::RowLog(const RowEvaluator& evaluator, Backend& backend, RowLogOptions options)
    : impl_(std::make_unique<Impl>(evaluator, backend, std::move(options))) {}
RowLog::~RowLog() = default;

std::vector<double> RowLog::evaluate(std::span<const Row> rows, const RowOptions& options, const JudgeRow& judge,
                                     const std::string& note) {
  Impl& own = *impl_;
  const std::size_t width = own.options.columns.size();
  std::vector<double> out, numbers(width);
  std::size_t first = 0;
  for (; first < rows.size() && own.take_known(rows[first], note, numbers); ++first)
    out.insert(out.end(), numbers.begin(), numbers.end());
  const Problem& problem = own.evaluator.problem();
  const auto cells = static_cast<std::size_t>(problem.cells());
  const int samples = options.nominal ? 1 : options.samples > 0 ? options.samples : problem.samples;
  const std::size_t most = own.backend.name() == "cpu" ? most_trials_cpu : most_trials_device;
  const std::size_t chunk = std::max<std::size_t>(1, most / (cells * static_cast<std::size_t>(samples)));
  while (first < rows.size()) {
    const std::span<const Row> part = rows.subspan(first, std::min(chunk, rows.size() - first));
    const std::vector<RowResult> results = own.evaluator.evaluate(part, own.backend, options);
    for (std::size_t i = 0; i < part.size(); ++i) {
      std::fill(numbers.begin(), numbers.end(), 0.0);
      judge(part[i], results[i], numbers);
      own.put(part[i], note, numbers);
      out.insert(out.end(), numbers.begin(), numbers.end());
    }
    first += part.size();
  }
  return out;
}

std::vector<double> RowLog::keep(const Row& row, const std::function<std::vector<double>()>& find,
                                 const std::string& note) {
  std::vector<double> numbers;
  if (impl_->take_known(row, note, numbers)) return numbers;
  numbers = find();
  numbers.resize(impl_->options.columns.size());
  impl_->put(row, note, numbers);
  return numbers;
}

std::size_t RowLog::size() const { return impl_->entries.size(); }
std::size_t RowLog::resumed() const { return impl_->resumed; }

std::string RowLog::csv() const {
  std::string out = "evaluation,note";
  for (const DesignParameter& one : impl_->evaluator.parameters()) out += "," + decide::csv_cell(one.name);
  for (const std::string& column : impl_->options.columns) out += "," + decide::csv_cell(column);
  out += "\n";
  for (std::size_t i = 0; i < impl_->entries.size(); ++i) {
    const Impl::Entry& one = impl_->entries[i];
    out += std::to_string(i) + "," + decide::csv_cell(one.note);
    for (const double value : one.values) out += "," + decide::shortest_text(value);
    for (const double number : one.numbers) out += "," + decide::shortest_text(number);
    out += "\n";
  }
  return out;
}

void RowLog::finish() {
  std::error_code error;
  std::filesystem::remove(impl_->journal.path(), error);
}

}  // namespace pegrasp
