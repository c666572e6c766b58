// SPDX-License-Identifier: Apache-2.0
// Grasps of a file that are not kept: of a CSV file it is known where every so many of them begin, and they are read
// again from there.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "pegrasp/error.hpp"
#include "src/formats/mesh_file.hpp"
#include "src/grasps/grasp_formats.hpp"
#include "src/text/document.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t grasps_a_piece = 256;
constexpr std::size_t bytes_a_read = std::size_t{1} << 18;
constexpr std::size_t largest = std::size_t{256} << 20;  // file [bytes], as of all parts

// fingerprint() of what was added.
class RunningFingerprint {
 public:
  explicit RunningFingerprint(std::uint64_t from = 0xcbf29ce484222325u) : hash_(from) {}
  void add(std::string_view bytes) {
    for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  std::uint64_t number() const { return hash_; }
  std::string text() const {
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash_));
    return out;
  }

 private:
  std::uint64_t hash_;
};

// The place of a grasp's line in the file, its number, and the fingerprint of all before it.
struct Mark {
  std::size_t place = 0;
  int line = 0;
  std::uint64_t before = 0;
};

// A CSV file of grasps.
class GraspTable {
 public:
  GraspTable(const std::filesystem::path& file, std::string origin)
      : origin_(std::move(origin)), file_(file, largest), csv_(origin_) {
    std::string text;  // from `done` on; lines that are whole are read
    RunningFingerprint all;
    std::size_t hashed = 0;  // of the file
    for (std::size_t done = 0; count_ <= most_grasps;) {
      const std::size_t from = done + text.size(), more = std::min(bytes_a_read, file_.size() - from);
      text += file_.read_at(from, more);
      const std::size_t last = std::string_view(text).substr(from - done).rfind('\n');
      if (more > 0 && last == std::string_view::npos) continue;
      const std::size_t whole = more == 0 ? text.size() : from - done + last + 1;
      csv_.read(std::string_view(text).substr(0, whole), [&](Grasp&, std::size_t place) {
        if (count_++ % grasps_a_piece == 0) {
          all.add(std::string_view(text).substr(hashed - done, done + place - hashed));
          hashed = done + place;
          marks_.push_back({hashed, csv_.line(), all.number()});
        }
        return count_ <= most_grasps;
      });
      all.add(std::string_view(text).substr(hashed - done, done + whole - hashed));
      hashed = done += whole;
      text.erase(0, whole);
      if (more == 0) break;
    }
    csv_.finish();
    marks_.push_back({hashed, csv_.line(), all.number()});
    contents = all.text();
  }

  std::size_t size() const { return count_; }

  // visit(grasp, line)
  template <class Visit>
  void for_each(std::size_t first, std::size_t count, const Visit& visit) const {
    for (std::size_t piece = first / grasps_a_piece; piece * grasps_a_piece < first + count; ++piece) {
      const Mark &begin = marks_[piece], &end = marks_[piece + 1];
      const std::string text = file_.read_at(begin.place, end.place - begin.place);
      RunningFingerprint now(begin.before);
      now.add(text);
      if (now.number() != end.before)
        throw InputError(origin_ + ": has changed since it was first read; leave it as it is, and run this again");
      std::size_t number = piece * grasps_a_piece;
      GraspCsv csv = csv_.behind(begin.line - 1, number);
      csv.read(text, [&](const Grasp& grasp, std::size_t) {
        if (number >= first) visit(grasp, csv.line());
        return ++number < first + count;
      });
    }
  }

  std::string contents;

 private:
  std::string origin_;
  OpenFile file_;
  GraspCsv csv_;
  std::size_t count_ = 0;
  std::vector<Mark> marks_;  // of grasps 0, grasps_a_piece, ..., and of the end of the file
};

}  // namespace

struct GraspFile::Impl {
  std::filesystem::path file;
  GraspSet about;
  std::string contents;
  std::vector<Grasp> kept;
  std::optional<GraspTable> table;
};

GraspFile::GraspFile(const std::filesystem::path& file, GraspFormat format) : impl_(std::make_unique<Impl>()) {
  impl_->file = file;
  const std::string origin = printable(file.string());
  if (format != GraspFormat::csv) {
    impl_->about = read_grasps(file, format);
    impl_->kept = std::move(impl_->about.grasps);
    impl_->about.grasps = {};
    impl_->contents = fingerprint(read_part_file(file));
    return;
  }
  impl_->about.format = format;
  try {
    impl_->table.emplace(file, origin);
    impl_->contents = impl_->table->contents;
    if (size() == 0) throw InputError(origin + ": holds no grasp; give at least one");
    if (size() > most_grasps) throw InputError(origin + ": holds more than a million grasps; divide the file");
    check_ids([this](const VisitGrasp& visit) { for_each(visit); }, origin);
  } catch (const ReadError& error) {
    throw InputError(origin + ": " + error.what());
  }
}
GraspFile::~GraspFile() = default;

std::size_t GraspFile::size() const { return impl_->table ? impl_->table->size() : impl_->kept.size(); }
const GraspSet& GraspFile::about() const { return impl_->about; }
const std::string& GraspFile::contents() const { return impl_->contents; }

void GraspFile::for_each(std::size_t first, std::size_t count, const VisitGrasp& visit) const {
  if (!impl_->table) {
    std::for_each_n(impl_->kept.begin() + static_cast<std::ptrdiff_t>(first), count, visit);
    return;
  }
  try {
    impl_->table->for_each(first, count, [&visit](const Grasp& grasp, int) { visit(grasp); });
  } catch (const ReadError& error) {
    throw InputError(printable(impl_->file.string()) + ": " + error.what());
  }
}

Grasp GraspFile::grasp(std::size_t index) const {
  Grasp found;
  for_each(index, 1, [&found](const Grasp& grasp) { found = grasp; });
  return found;
}

}  // namespace pegrasp
