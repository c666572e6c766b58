// SPDX-License-Identifier: Apache-2.0
// The readers and writers of the formats of grasps.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pegrasp/grasps.hpp"

namespace pegrasp {

// Reads a table of grasps some lines at a time.
class GraspCsv {
 public:
  explicit GraspCsv(std::string origin) : origin_(std::move(origin)) {}
  // Takes whole lines; the last of the file may have no end. Calls visit(grasp, where its line begins in the text)
  // until it returns false.
  using Visit = std::function<bool(Grasp& grasp, std::size_t place)>;
  void read(std::string_view text, const Visit& visit);
  void finish() const;                // at the end of the file
  int line() const { return line_; }  // read last
  // What reads on behind so many lines and grasps of the same file.
  GraspCsv behind(int line, std::size_t grasps) const;

 private:
  std::string place() const;

  std::string origin_;
  std::vector<std::string> header_;
  int line_ = 0;
  std::size_t count_ = 0;
};

GraspSet read_grasp_csv(const std::string& text, const std::string& origin);
// lines: takes the line of each grasp.
GraspSet read_isaac_grasps(const std::string& text, const std::string& origin, std::vector<int>* lines = nullptr);
GraspSet read_graspgen(const std::string& text, const std::string& origin);
GraspSet read_acronym(const std::filesystem::path& file);

// Calls its argument for all grasps in order, any number of times.
using ForEachGrasp = std::function<void(const VisitGrasp&)>;
// Takes the text of a file piece by piece, or bytes and where they belong.
using PutText = std::function<void(std::string_view)>;
using PutBytes = std::function<void(std::uint64_t place, std::string_view bytes)>;
// The file of write_grasps(), in pieces. Returns its size. about: all but the grasps.
std::uint64_t write_grasps(const GraspSet& about, const ForEachGrasp& grasps, const PutBytes& put);

void write_grasp_csv(const ForEachGrasp& grasps, const PutText& put);
void write_isaac_grasps(const GraspSet& about, const ForEachGrasp& grasps, const PutText& put);
void write_graspgen(const GraspSet& about, const ForEachGrasp& grasps, const PutText& put);
std::uint64_t write_acronym(const GraspSet& about, const ForEachGrasp& grasps, const PutBytes& put);

// That no two of these grasps have one name.
void check_ids(const ForEachGrasp& grasps, const std::string& origin);

// Whether files of the format may say the scale of the object's mesh.
bool has_object_scale(GraspFormat format);

// The line of a grasp in a text file, for messages; 0: not known.
int line_of_grasp(const std::filesystem::path& file, GraspFormat format, std::size_t index);

// The turn and the position of a matrix, which must be a rigid motion: rotation to 1e-3, last row 0 0 0 1.
void set_matrix(Grasp& grasp, const std::array<double, 16>& matrix, const std::string& place);
// The matrix of a grasp: its own, or that of its position and turn.
std::array<double, 16> matrix_of(const Grasp& grasp);
// The length of the quaternion must be 1 to 1e-2, and all numbers finite.
void check_grasp(const Grasp& grasp, const std::string& place);

// The shortest text that reads back to the same bits.
std::string digits_of(double value);

constexpr std::size_t most_grasps = 1'000'000;  // of a file

}  // namespace pegrasp
