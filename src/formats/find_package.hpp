// SPDX-License-Identifier: Apache-2.0
// Where the files are that a URDF names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace pegrasp {

// A file of a ROS package, "PACKAGE/path". It is looked for in a folder of that name, or one whose package.xml has that
// name, which is above `from` or beside a folder above it; then in and below ROS_PACKAGE_PATH, GZ_SIM_RESOURCE_PATH and
// GAZEBO_MODEL_PATH; then in AMENT_PREFIX_PATH and CMAKE_PREFIX_PATH (PREFIX/share); then below the four folders above.
std::optional<std::filesystem::path> find_in_package(const std::string& path, const std::filesystem::path& from);

// A file by its path from the folder `from` or, if it is not there, from a folder above it. A path that is nowhere is
// returned as it is from `from`.
std::filesystem::path find_beside(const std::string& path, const std::filesystem::path& from);

}  // namespace pegrasp
