// SPDX-License-Identifier: Apache-2.0
// The layout of the ACRONYM data set (https://github.com/NVlabs/acronym): /grasps/transforms (N, 4, 4),
// /grasps/qualities/flex/object_in_gripper (N), /object/scale. /grasps/qualities/pegrasp/probability is ours.
#include <cmath>
#include <limits>

#include "pegrasp/error.hpp"
#include "src/formats/hdf5_file.hpp"
#include "src/formats/hdf5_input.hpp"
#include "src/formats/hdf5_trial.hpp"
#include "src/grasps/grasp_formats.hpp"
#include "src/text/document.hpp"

namespace pegrasp {
namespace {

constexpr const char* transforms_name = "/grasps/transforms";
constexpr const char* held_name = "/grasps/qualities/flex/object_in_gripper";
constexpr const char* probability_name = "/grasps/qualities/pegrasp/probability";
constexpr const char* scale_name = "/object/scale";

GraspSet read_layout(const std::filesystem::path& file) {
  const Hdf5Input input(file, {"name one in the layout of ACRONYM", "docs/reference/grasp-files.md has the layout"});
  const std::vector<std::size_t> shape = input.shape(transforms_name);
  if (shape.size() != 3 || shape[1] != 4 || shape[2] != 4) {
    input.fail(transforms_name, "must have the shape (grasps, 4, 4)");
  }
  if (shape[0] > most_grasps) input.fail(transforms_name, "holds more than a million grasps; divide the file");
  const std::vector<double> numbers = input.reals(transforms_name);
  GraspSet set;
  for (std::size_t i = 0; i < shape[0]; ++i) {
    Grasp grasp;
    grasp.id = "grasp_" + std::to_string(i);
    std::array<double, 16> matrix{};
    for (std::size_t k = 0; k < 16; ++k) matrix[k] = numbers[16 * i + k];
    set_matrix(grasp, matrix, printable(file.string()) + ": " + transforms_name + "[" + std::to_string(i) + "]");
    set.grasps.push_back(std::move(grasp));
  }
  for (const char* name : {held_name, probability_name}) {
    if (!input.has(name)) continue;
    const std::vector<double> known = input.reals_or_infinite(name);
    if (known.size() != set.grasps.size()) input.fail(name, "must have one number for each of the transforms");
    for (std::size_t i = 0; i < known.size(); ++i) {
      set.grasps[i].confidence = std::isfinite(known[i]) ? std::optional<double>(known[i]) : std::nullopt;
    }
  }
  if (input.has(scale_name)) {
    set.object_scale = input.real(scale_name);
    if (!(*set.object_scale > 0.0)) input.fail(scale_name, "must be above 0; correct it");
  }
  return set;
}

// Numbers that follow each other in the file, which are put there many at a time.
struct Piece {
  const PutBytes& put;
  std::uint64_t place;
  std::string waiting = {};

  template <class T>
  void add(const T& value) {
    waiting.append(reinterpret_cast<const char*>(&value), sizeof value);
    if (waiting.size() > (std::size_t{1} << 16)) flush();
  }
  void flush() {
    if (waiting.empty()) return;
    put(place, waiting);
    place += waiting.size();
    waiting.clear();
  }
};

}  // namespace

GraspSet read_acronym(const std::filesystem::path& file) {
  try_reading(file, [&file] { read_layout(file); });
  return read_layout(file);
}

std::uint64_t write_acronym(const GraspSet& about, const ForEachGrasp& grasps, const PutBytes& put) {
  Hdf5File file;
  hsize_t count = 0;
  bool known = false;
  grasps([&](const Grasp& grasp) {
    ++count;
    known = known || grasp.confidence.has_value();
  });
  file.group("/grasps");
  const std::uint64_t transforms = file.reserve(transforms_name, {count, 4, 4}, Hdf5File::Number::float64);
  std::uint64_t held = 0, probability = 0;
  if (known) {
    file.group("/grasps/qualities");
    file.group("/grasps/qualities/flex");
    file.group("/grasps/qualities/pegrasp");
    held = file.reserve(held_name, {count}, Hdf5File::Number::int32);
    probability = file.reserve(probability_name, {count}, Hdf5File::Number::float64);
  }
  file.group("/object");
  const double scale = about.object_scale.value_or(1.0);
  file.write(scale_name, {}, &scale);
  const SparseImage& image = file.finish();
  image.for_each_page(put);
  Piece matrices{put, transforms}, truths{put, held}, numbers{put, probability};
  grasps([&](const Grasp& grasp) {
    matrices.add(matrix_of(grasp));
    if (!known) return;
    truths.add(std::int32_t{grasp.confidence.value_or(0.0) >= 0.5 ? 1 : 0});
    // Where nothing is known stands what is no probability.
    numbers.add(grasp.confidence.value_or(std::numeric_limits<double>::infinity()));
  });
  for (Piece* piece : {&matrices, &truths, &numbers}) piece->flush();
  return image.size();
}

}  // namespace pegrasp
