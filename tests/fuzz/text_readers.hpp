// SPDX-License-Identifier: Apache-2.0
// The readers of text and meshes, each with all that what it read goes through before a scene is simulated. Shared by
// the tests (readers_fuzz_test.cpp) and the target of libFuzzer (fuzz_readers.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/grasps.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/shapes.hpp"
#include "src/formats/mesh_file.hpp"
#include "src/formats/mesh_pieces.hpp"
#include "src/formats/urdf.hpp"
#include "src/formats/urdf_file.hpp"
#include "src/model/model.hpp"

namespace pegrasp::fuzz {

// What was read is not what it may be. No reader throws it.
class BrokenPromise : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};
inline void expect(bool holds, const char* what) {
  if (!holds) throw BrokenPromise(what);
}

inline std::filesystem::path written_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

// A scene whose numbers are not finite, as of a sphere of 1e-308 m, which has no inertia, is refused by its model.
inline void expect_finite(const SceneSpec& scene) {
  const std::vector<double> parameters = scene_parameters(scene);
  if (std::all_of(parameters.begin(), parameters.end(), [](double x) { return std::isfinite(x); })) return;
  try {
    compile_model(scene);
  } catch (const std::invalid_argument&) {
    return;
  }
  throw BrokenPromise("a scene whose numbers are not finite has a model");
}

// All that a mesh goes through once its bytes are there.
inline void read_mesh(const MeshText& text) {
  for (const MeshPiece& piece : closed_pieces(text, "fuzz", mesh_tolerance)) {
    if (piece.vertices.size() < 4 || piece.faces.size() < 4) continue;
    for (const Polyhedron& part : divided(polyhedron_of_mesh(piece.vertices, piece.faces))) {
      expect(std::isfinite(solid_properties(part).volume), "a part has a volume");
    }
  }
  for (const MeshPiece& piece : hull_pieces(text, "fuzz", mesh_tolerance)) {
    expect(hull_of_mesh(piece.vertices).faces.size() >= 4u, "a hull has four faces");
  }
}

// What was read can be placed, and is read back the same once it is written.
inline void expect_grasps(const GraspSet& set, const std::function<GraspSet(const std::string&)>& read) {
  for (const Grasp& grasp : set.grasps) {
    const SpatialPose pose = gripper_pose(grasp, usual_frames(set.format, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}));
    const Quaternion q = pose.turn;
    expect(std::isfinite(pose.position.x + pose.position.y + pose.position.z), "a grasp has a place");
    expect(std::fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-12, "a turn has length 1");
  }
  const std::string written = write_grasps(set);
  const GraspSet back = read(written);
  expect(back.grasps.size() == set.grasps.size(), "as many grasps are read back");
  for (std::size_t i = 0; i < set.grasps.size(); ++i) {
    expect(back.grasps[i].id == set.grasps[i].id, "names are read back");
    expect(back.grasps[i].joints == set.grasps[i].joints, "joints are read back");
    expect(back.grasps[i].confidence == set.grasps[i].confidence, "confidences are read back");
  }
  expect(write_grasps(back) == written, "what is read back is written the same");
}

inline void read_grasp_text(const std::string& bytes, GraspFormat format) {
  const auto read = [format](const std::string& text) { return parse_grasps(text, "fuzz", format); };
  expect_grasps(read(bytes), read);
}

// A CSV file that is read in pieces has the same grasps, and they are the same when they are asked for again.
inline void read_grasp_csv_file(const std::string& bytes, const std::filesystem::path& folder) {
  const GraspFile file(written_file(folder / "fuzz_grasps.csv", bytes), GraspFormat::csv);
  const GraspSet set = parse_grasps(bytes, "fuzz", GraspFormat::csv);
  expect(file.size() == set.grasps.size(), "a file has as many grasps as its text");
  std::size_t number = 0;
  file.for_each([&](const Grasp& grasp) {
    const Grasp& other = set.grasps[number++];
    expect(grasp.id == other.id && grasp.position.x == other.position.x && grasp.joints == other.joints,
           "a grasp of a file is that of its text");
  });
  expect(number == set.grasps.size(), "all grasps are handed out");
}

struct TextReader {
  const char* name;
  std::vector<std::string> seeds;  // files of tests/fuzz/seeds
  int runs;                        // of the tests, by default
  // folder: with box.obj, where files may be written.
  std::function<void(const std::string& bytes, const std::filesystem::path& folder)> read;
};

inline const std::vector<TextReader>& text_readers() {
  using std::string;
  using Folder = std::filesystem::path;
  static const std::vector<TextReader> all{
      {"Toml",
       {"planar.toml", "spatial.toml"},
       500,
       [](const string& bytes, const Folder&) { expect_finite(parse_problem(bytes, "fuzz.toml").scene); }},
      {"Json",
       {"scene.json", "planar.json"},
       500,
       [](const string& bytes, const Folder&) { expect_finite(parse_scene_json(bytes, "fuzz.json").scene); }},
      {"Urdf",
       {"hand.urdf"},
       300,
       [](const string& bytes, const Folder& folder) {
         SceneSpec scene;
         scene.spatial = true;
         add_urdf(scene, written_file(folder / "fuzz.urdf", bytes), {});
         expect_finite(scene);
       }},
      {"Obj", {"box.obj"}, 1000, [](const string& bytes, const Folder&) { read_mesh(read_obj(bytes, "fuzz.obj")); }},
      {"Stl",
       {"tetrahedron.stl", "tetrahedron_binary.stl"},
       1000,
       [](const string& bytes, const Folder&) { read_mesh(read_stl(bytes, "fuzz.stl")); }},
      {"Poly",
       {"tetrahedron.poly"},
       1000,
       [](const string& bytes, const Folder&) { read_mesh(read_poly(bytes, "fuzz.poly")); }},
      {"GraspCsv",
       {"grasps.csv"},
       1000,
       [](const string& bytes, const Folder& folder) {
         read_grasp_text(bytes, GraspFormat::csv);
         read_grasp_csv_file(bytes, folder);
       }},
      {"GraspYaml",
       {"grasps.yaml"},
       1000,
       [](const string& bytes, const Folder&) { read_grasp_text(bytes, GraspFormat::isaac); }},
      {"GraspJson", {"grasps.json"}, 1000, [](const string& bytes, const Folder&) {
         read_grasp_text(bytes, GraspFormat::graspgen);
       }}};
  return all;
}

}  // namespace pegrasp::fuzz
