// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "pegrasp/error.hpp"
#include "src/formats/mesh_file.hpp"
#include "src/geometry/placement.hpp"
#include "src/grasps/grasp_formats.hpp"
#include "src/text/document.hpp"

namespace pegrasp {
namespace {

// Turn that takes the axes a, b to the axes c, d; each pair is orthonormal.
Quaternion turn_of_axes(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
  const Quaternion first = [&] {  // takes a to c
    const double cosine = dot(a, c);
    if (cosine > -1.0 + 1e-12) {
      const Vec3 axis = cross(a, c);
      return normalised({1.0 + cosine, axis.x, axis.y, axis.z});
    }
    return Quaternion{0.0, b.x, b.y, b.z};  // half a turn about an axis across
  }();
  const Vec3 now = turned(first, b);
  const double sine = dot(cross(now, d), c), cosine = dot(now, d);
  const double angle = std::atan2(sine, cosine);
  return normalised(turn_by(angle * c) * first);
}

}  // namespace

const std::vector<std::string>& grasp_format_names() {
  static const std::vector<std::string> names{"csv", "isaac", "graspgen", "acronym"};
  return names;
}

std::optional<GraspFormat> format_of(const std::filesystem::path& file) {
  std::string kind = file.extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  if (kind == ".csv") return GraspFormat::csv;
  if (kind == ".yaml" || kind == ".yml") return GraspFormat::isaac;
  if (kind == ".json") return GraspFormat::graspgen;
  if (kind == ".h5" || kind == ".hdf5") return GraspFormat::acronym;
  return std::nullopt;
}

void check_ids(const ForEachGrasp& grasps, const std::string& origin) {
  // By 8 bytes of each name. Where these are the same the names are compared.
  std::vector<std::size_t> hashes;
  grasps([&hashes](const Grasp& grasp) { hashes.push_back(std::hash<std::string>()(grasp.id)); });
  std::sort(hashes.begin(), hashes.end());
  if (std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end()) return;
  std::set<std::string> seen;
  grasps([&](const Grasp& grasp) {
    if (seen.insert(grasp.id).second) return;
    throw InputError(origin + ": the grasp \"" + printable(grasp.id) + "\" is there twice; give each its own name");
  });
}

std::string digits_of(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

void check_grasp(const Grasp& grasp, const std::string& place) {
  const Vec3 p = grasp.position;
  const Quaternion q = grasp.turn;
  const double norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!std::isfinite(p.x + p.y + p.z + norm)) {
    throw InputError(place + ": has a number that is not finite; remove the grasp or correct it");
  }
  constexpr double farthest = 1e3;  // [m]
  if (!(length(p) < farthest)) {
    throw InputError(place + ": is more than a kilometre from the part; give positions in metres");
  }
  if (!(std::fabs(norm - 1.0) < 1e-2)) {
    throw InputError(place + ": its quaternion has the length " + digits_of(norm) +
                     "; give w, x, y, z of length 1, w first");
  }
}

void set_matrix(Grasp& grasp, const std::array<double, 16>& m, const std::string& place) {
  constexpr double off = 1e-3;
  const auto at = [&](std::size_t row, std::size_t column) { return m[4 * row + column]; };
  bool rigid = std::fabs(at(3, 0)) + std::fabs(at(3, 1)) + std::fabs(at(3, 2)) + std::fabs(at(3, 3) - 1.0) < off;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 3; ++k) sum += at(k, i) * at(k, j);
      rigid = rigid && std::fabs(sum - (i == j ? 1.0 : 0.0)) < off;
    }
  }
  const Vec3 x{at(0, 0), at(1, 0), at(2, 0)}, y{at(0, 1), at(1, 1), at(2, 1)}, z{at(0, 2), at(1, 2), at(2, 2)};
  rigid = rigid && dot(cross(x, y), z) > 0.0;
  if (!rigid) {
    throw InputError(place + ": is no rigid motion; give a rotation and a position, with the last row 0 0 0 1");
  }
  // Of the four ways to the quaternion that which divides by the largest number.
  const double trace[4] = {x.x + y.y + z.z, x.x - y.y - z.z, y.y - x.x - z.z, z.z - x.x - y.y};
  const auto best = std::max_element(trace, trace + 4) - trace;
  const double r = std::sqrt(1.0 + trace[best]), s = 0.5 / r;
  Quaternion q;
  if (best == 0) q = {0.5 * r, (y.z - z.y) * s, (z.x - x.z) * s, (x.y - y.x) * s};
  if (best == 1) q = {(y.z - z.y) * s, 0.5 * r, (x.y + y.x) * s, (z.x + x.z) * s};
  if (best == 2) q = {(z.x - x.z) * s, (x.y + y.x) * s, 0.5 * r, (y.z + z.y) * s};
  if (best == 3) q = {(x.y - y.x) * s, (z.x + x.z) * s, (y.z + z.y) * s, 0.5 * r};
  grasp.turn = normalised(q);
  grasp.position = {at(0, 3), at(1, 3), at(2, 3)};
  grasp.matrix.assign(m.begin(), m.end());
  check_grasp(grasp, place);
}

std::array<double, 16> matrix_of(const Grasp& grasp) {
  if (!grasp.matrix.empty()) {
    std::array<double, 16> given{};
    std::copy_n(grasp.matrix.begin(), given.size(), given.begin());
    return given;
  }
  const Quaternion q = normalised(grasp.turn);
  const Vec3 x = turned(q, {1.0, 0.0, 0.0}), y = turned(q, {0.0, 1.0, 0.0}), z = turned(q, {0.0, 0.0, 1.0});
  const Vec3 p = grasp.position;
  return {x.x, y.x, z.x, p.x, x.y, y.y, z.y, p.y, x.z, y.z, z.z, p.z, 0.0, 0.0, 0.0, 1.0};
}

GraspSet parse_grasps(const std::string& text, const std::string& origin, GraspFormat format) {
  GraspSet set;
  switch (format) {
    case GraspFormat::csv:
      set = read_grasp_csv(text, origin);
      break;
    case GraspFormat::isaac:
      set = read_isaac_grasps(text, origin);
      break;
    case GraspFormat::graspgen:
      set = read_graspgen(text, origin);
      break;
    case GraspFormat::acronym:
      throw InputError(origin + ": an HDF5 file of grasps is read from the disk alone; name a file");
  }
  set.format = format;
  set.grasps.shrink_to_fit();
  if (set.grasps.empty()) throw InputError(origin + ": holds no grasp; give at least one");
  if (set.grasps.size() > most_grasps) throw InputError(origin + ": holds more than a million grasps; divide the file");
  check_ids([&set](const VisitGrasp& visit) { std::for_each(set.grasps.begin(), set.grasps.end(), visit); }, origin);
  return set;
}

GraspSet read_grasps(const std::filesystem::path& file, GraspFormat format) {
  const std::string origin = printable(file.string());
  if (format != GraspFormat::acronym) {
    try {
      return parse_grasps(read_part_file(file), origin, format);
    } catch (const ShapeError& error) {
      throw InputError(error.what());
    }
  }
  GraspSet set = read_acronym(file);
  set.format = format;
  if (set.grasps.empty()) throw InputError(origin + ": holds no grasp; give at least one");
  return set;
}

bool has_object_scale(GraspFormat format) {
  switch (format) {
    case GraspFormat::csv:
    case GraspFormat::isaac:
      return false;
    case GraspFormat::graspgen:
    case GraspFormat::acronym:
      break;
  }
  return true;
}

int line_of_grasp(const std::filesystem::path& file, GraspFormat format, std::size_t index) {
  std::vector<int> lines;
  const std::string origin = printable(file.string());
  if (format == GraspFormat::csv) {
    GraspCsv csv(origin);
    csv.read(read_part_file(file), [&](Grasp&, std::size_t) {
      lines.push_back(csv.line());
      return true;
    });
  }
  if (format == GraspFormat::isaac) read_isaac_grasps(read_part_file(file), origin, &lines);
  return index < lines.size() ? lines[index] : 0;
}

std::string write_grasps(const GraspSet& set) {
  std::string out;
  const auto grasps = [&set](const VisitGrasp& visit) { std::for_each(set.grasps.begin(), set.grasps.end(), visit); };
  const auto put = [&out](std::uint64_t place, std::string_view bytes) {
    if (out.size() < place + bytes.size()) out.resize(place + bytes.size(), '\0');
    out.replace(place, bytes.size(), bytes);
  };
  out.resize(write_grasps(set, grasps, put), '\0');
  return out;
}

std::uint64_t write_grasps(const GraspSet& about, const ForEachGrasp& grasps, const PutBytes& put) {
  if (about.format == GraspFormat::acronym) return write_acronym(about, grasps, put);
  // One piece for many grasps.
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::uint64_t written = 0;
  std::string waiting;
  const auto flush = [&] {
    put(written, waiting);
    written += waiting.size();
    waiting.clear();
  };
  const auto put_text = [&](std::string_view text) {
    waiting += text;
    if (waiting.size() > piece) flush();
  };
  switch (about.format) {
    case GraspFormat::csv:
      write_grasp_csv(grasps, put_text);
      break;
    case GraspFormat::isaac:
      write_isaac_grasps(about, grasps, put_text);
      break;
    case GraspFormat::graspgen:
      write_graspgen(about, grasps, put_text);
      break;
    case GraspFormat::acronym:
      break;
  }
  flush();
  return written;
}

GraspFrames usual_frames(GraspFormat format, Vec3 approach, Vec3 closing) {
  GraspFrames frames;
  frames.approach = approach;
  frames.closing = closing;
  switch (format) {
    case GraspFormat::csv:
    case GraspFormat::isaac:
      frames.file_approach = approach;
      frames.file_closing = closing;
      break;
    case GraspFormat::graspgen:
    case GraspFormat::acronym:
      break;
  }
  return frames;
}

SpatialPose gripper_pose(const Grasp& grasp, const GraspFrames& frames) {
  SpatialPose file{grasp.position, normalised(grasp.turn)};
  const bool same =
      length(frames.approach - frames.file_approach) == 0.0 && length(frames.closing - frames.file_closing) == 0.0;
  const bool offset = length(frames.origin) != 0.0;
  if (same && !offset) return file;
  // The frame of the poses in the gripper's own.
  const Quaternion turn =
      same ? Quaternion{} : turn_of_axes(frames.file_approach, frames.file_closing, frames.approach, frames.closing);
  return file * inverse(SpatialPose{frames.origin, turn});
}

}  // namespace pegrasp
