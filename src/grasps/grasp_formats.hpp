// SPDX-License-Identifier: Apache-2.0
// The readers and writers of the formats of grasps.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "pegrasp/grasps.hpp"

namespace pegrasp {

// lines: takes the line of each grasp.
GraspSet read_grasp_csv(const std::string& text, const std::string& origin, std::vector<int>* lines = nullptr);
GraspSet read_isaac_grasps(const std::string& text, const std::string& origin, std::vector<int>* lines = nullptr);
GraspSet read_graspgen(const std::string& text, const std::string& origin);
GraspSet read_acronym(const std::filesystem::path& file);

std::string write_grasp_csv(const GraspSet& set);
std::string write_isaac_grasps(const GraspSet& set);
std::string write_graspgen(const GraspSet& set);
std::string write_acronym(const GraspSet& set);

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
