// SPDX-License-Identifier: Apache-2.0
// Scene interchange: the peg-scene-1 JSON format (docs/reference/scene-file.md lists every key).
#pragma once

#include <filesystem>
#include <string>

#include "pegrasp/problem.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

struct SceneFile {
  SceneSpec scene;
  double t_end = 0.0;  // [s], 0 when the file does not say
};

// Planar scenes (dim 2) and scenes in 3D (dim 3). Throws InputError: one line that names the file, the key, what is
// wrong and the remedy.
// urdf_hull: robots take the convex hulls of their meshes, as if each said so.
SceneFile load_scene_json(const std::filesystem::path& file, bool urdf_hull = false);

// origin: file name used in messages.
SceneFile parse_scene_json(const std::string& text, const std::string& origin, bool urdf_hull = false);

// The scene as JSON text; read back it is the same scene, bit by bit, up to the names of single polygons. Throws
// InputError for what the format cannot hold (actuators, supports, keyframes, success predicates) or what is not
// written so far: joints, scenes in 3D.
std::string write_scene_json(const SceneSpec& scene, double t_end);

}  // namespace pegrasp
