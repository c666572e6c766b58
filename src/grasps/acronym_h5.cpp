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

}  // namespace

GraspSet read_acronym(const std::filesystem::path& file) {
  try_reading(file, [&file] { read_layout(file); });
  return read_layout(file);
}

std::string write_acronym(const GraspSet& set) {
  Hdf5File file;
  std::vector<double> transforms, probability;
  std::vector<std::int32_t> held;
  bool known = false;
  for (const Grasp& grasp : set.grasps) {
    const std::array<double, 16> matrix = matrix_of(grasp);
    transforms.insert(transforms.end(), matrix.begin(), matrix.end());
    held.push_back(grasp.confidence.value_or(0.0) >= 0.5 ? 1 : 0);
    // Where nothing is known stands what is no probability.
    probability.push_back(grasp.confidence.value_or(std::numeric_limits<double>::infinity()));
    known = known || grasp.confidence.has_value();
  }
  const hsize_t count = set.grasps.size();
  file.group("/grasps");
  file.write(transforms_name, {count, 4, 4}, transforms.data());
  if (known) {
    file.group("/grasps/qualities");
    file.group("/grasps/qualities/flex");
    file.group("/grasps/qualities/pegrasp");
    file.write(held_name, {count}, held.data());
    file.write(probability_name, {count}, probability.data());
  }
  file.group("/object");
  const double scale = set.object_scale.value_or(1.0);
  file.write(scale_name, {}, &scale);
  return file.bytes();
}

}  // namespace pegrasp
