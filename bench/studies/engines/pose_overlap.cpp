// SPDX-License-Identifier: Apache-2.0
// pegrasp_pose_overlap measures poured bodies that another engine moved, by the measures of pegrasp_pour_study: exact
// volumes of intersection after every step, bodies that left the box, gaps at rest. With --bodies it prints the bodies,
// from which the other engine begins.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/quantile.hpp"
#include "bench/studies/pours/pours.hpp"
#include "src/metrics/spatial_overlap.hpp"

namespace {

using namespace pegrasp;

nlohmann::ordered_json numbers(Vec3 v) { return {v.x, v.y, v.z}; }

// Other engines are given nothing else.
void must_be_plain(const SceneSpec& scene) {
  const auto plain = [](const BodySpec& body) {
    return body.kind != BodyKind::kinematic && body.spatial().parts.size() == 1 &&
           !body.spatial().parts[0].shape.faces.empty() && body.spatial().parts[0].kind == SolidKind::polyhedron;
  };
  const auto rubs = [](const FrictionPair& pair) { return pair.torsion > 0.0 || pair.rolling > 0.0; };
  if (scene.joints.empty() && scene.actuators.empty() && scene.ignored_pairs.empty() && scene.gravity.x == 0.0 &&
      scene.gravity.y == 0.0 && std::none_of(scene.friction.begin(), scene.friction.end(), rubs) &&
      std::all_of(scene.bodies.begin(), scene.bodies.end(), plain)) {
    return;
  }
  throw std::invalid_argument(
      "takes free and fixed bodies of one polyhedron each, with gravity along z, without joints, motors, ignored "
      "pairs, "
      "torsional and rolling friction");
}

// Vertices about the centre of mass; mass and inertia as pegrasp has them.
nlohmann::ordered_json bodies_of(const SceneSpec& scene) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const BodySpec& body : scene.bodies) {
    nlohmann::ordered_json one;
    one["name"] = body.name;
    one["fixed"] = body.kind != BodyKind::dynamic;
    const Polyhedron& shape = body.spatial().parts.at(0).shape;
    for (const Vec3& vertex : shape.vertices) one["vertices"].push_back(numbers(vertex));
    for (const PolyhedronFace& face : shape.faces) one["faces"].push_back(face.vertices);
    one["mass"] = body.mass;
    const InertiaTensor& i = body.spatial().inertia;
    one["inertia_xx_yy_zz_xy_xz_yz"] = {i.xx, i.yy, i.zz, i.xy, i.xz, i.yz};
    one["position"] = numbers(body.spatial().pose.position);
    const Quaternion q = body.spatial().pose.turn;
    one["quaternion_wxyz"] = {q.w, q.x, q.y, q.z};
    one["velocity"] = numbers(body.spatial().velocity.velocity);
    one["angular_velocity"] = numbers(body.spatial().velocity.angular);
    one["friction"] = body.friction;
    one["drop_time"] = body.drop_time;
    all.push_back(one);
  }
  return all;
}

// A row of the file: step, body, position, quaternion (w first), as float64 in the machine's byte order. A body without
// a row in a step is not present in it.
using Row = std::array<double, 9>;

class PoseFile {
 public:
  explicit PoseFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw std::runtime_error(path + ": cannot be read");
  }
  bool next(Row& row) {
    file_.read(reinterpret_cast<char*>(row.data()), sizeof(Row));
    if (file_.gcount() != 0 && file_.gcount() != sizeof(Row))
      throw std::runtime_error(path_ + ": ends within a row; a row is nine numbers of eight bytes");
    return file_.gcount() != 0;
  }

 private:
  std::string path_;
  std::ifstream file_;
};

class PoseMeter {
 public:
  PoseMeter(const bench::Pour& pour, const SceneSpec& scene, int every)
      : pour_(pour), scene_(scene), overlap_(scene), every_(every) {
    for (const BodySpec& body : scene.bodies) poses_.push_back(body.spatial().pose);
    clear();
  }

  nlohmann::ordered_json read(PoseFile file) {
    Row row{};
    double step = -1.0;
    while (file.next(row)) {
      if (row[0] != step && step >= 0.0) measure_step();
      step = row[0];
      if (!(row[1] >= 0.0) || !(row[1] < static_cast<double>(poses_.size())))
        throw std::runtime_error("a row names a body that does not exist");
      const auto body = static_cast<std::size_t>(row[1]);
      if (!std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); })) {
        inside_ = false;  // a body without a finite pose counts as outside
        continue;
      }
      poses_[body] = {{row[2], row[3], row[4]}, {row[5], row[6], row[7], row[8]}};
      present_[body] = true;
    }
    if (step < 0.0) throw std::runtime_error("no rows");
    const std::vector<bool> last = present_;
    measure_step();
    nlohmann::ordered_json out;
    out["steps"] = steps_;
    out["overlap_max"] = *std::max_element(overlaps_.begin(), overlaps_.end());
    out["overlap_median"] = bench::quantile(overlaps_, 0.5);
    out["inside"] = inside_;
    out["gap_at_rest_m"] = bench::gap_at_rest(scene_, pour_, poses_, last);
    return out;
  }

 private:
  void clear() {
    present_.clear();
    for (const BodySpec& body : scene_.bodies) present_.push_back(body.kind != BodyKind::dynamic);
  }
  void measure_step() {
    for (const SpatialPose& pose : poses_) inside_ = inside_ && bench::in_the_box(pour_, pose.position);
    if (steps_++ % every_ == 0) overlaps_.push_back(overlap_.total(poses_, present_) / overlap_.dynamic_volume());
    clear();
  }

  const bench::Pour& pour_;
  const SceneSpec& scene_;
  SpatialOverlap overlap_;
  int every_;
  std::vector<SpatialPose> poses_;
  std::vector<bool> present_;
  std::vector<double> overlaps_;
  int steps_ = 0;
  bool inside_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Overlap, bodies that left the box and gaps at rest of poured bodies that another engine moved"};
  std::string name = "hulls";
  std::string poses, file;
  double friction = 0.3;
  std::uint64_t seed = 1;
  int every = 1;
  bool bodies = false;
  app.add_option("pour", name, "hulls, needles, plates, tetrahedra, forty, 2000")->capture_default_str();
  app.add_option("--scene", file, "a scene file (peg-scene-1, in 3D) in place of a pour")->check(CLI::ExistingFile);
  app.add_option("--seed", seed, "of the pour")->capture_default_str();
  app.add_option("--friction", friction, "coefficient")->capture_default_str();
  app.add_option("--overlap-every", every, "measure the overlap after every Nth step")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  auto* say = app.add_flag("--bodies", bodies, "print the bodies, and the duration, as JSON");
  app.add_option("--poses", poses, "rows of nine float64: step, body, x, y, z, qw, qx, qy, qz")->excludes(say);
  CLI11_PARSE(app, argc, argv);
  try {
    if (!bodies && poses.empty()) throw std::invalid_argument("give --bodies or --poses FILE");
    const bench::Subject subject = file.empty() ? bench::named_subject(name) : bench::given_subject(file);
    const bench::Pour& pour = subject.pour;
    const SceneSpec scene = subject.scene(seed, friction);
    must_be_plain(scene);
    nlohmann::ordered_json out;
    if (bodies) {
      out["duration_s"] = pour.duration;
      out["gravity"] = {0.0, 0.0, scene.gravity_z};
      out["bodies"] = bodies_of(scene);
    } else {
      out = PoseMeter(pour, scene, every).read(PoseFile(poses));
    }
    std::cout << out.dump() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_pose_overlap: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
