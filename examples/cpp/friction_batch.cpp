// SPDX-License-Identifier: Apache-2.0
// How much friction keeps a box on a stack that lands there with a sideways speed? 1,000 copies of a scene with
// friction from 0 to 0.999, as one batch.
//   friction_batch [SCENE.json]    default: examples/scenes/stack.json
#include <cstddef>
#include <cstdio>
#include <exception>

#include "pegrasp/pegrasp.hpp"

namespace {

constexpr int copies = 1000;
constexpr double duration = 3.0;        // [s] the last box has landed after 0.7 s
constexpr double sideways_speed = 0.3;  // [m/s] of the top box

// Every box still lies on the one before it: its centre is higher by nearly the height of a box.
bool stands(const pegrasp::SceneBatch& batch, std::size_t copy) {
  constexpr double least_rise = 0.9;  // [m]; boxes are 1 m high
  for (int box = 1; box < batch.layout().body_count; ++box) {
    if (batch.pose(copy, box).y - batch.pose(copy, box - 1).y < least_rise) return false;
  }
  return true;
}

int run(const char* file_name) {
  const pegrasp::SceneFile file = pegrasp::load_scene_json(file_name);
  pegrasp::SceneBatch batch(file.scene, copies, {.duration = duration});
  for (std::size_t k = 0; k < copies; ++k) {
    batch.set_friction(k, 0.001 * static_cast<double>(k));
    batch.set_velocity(k, batch.body("box9"), pegrasp::Twist{sideways_speed, 0.0, 0.0});
  }
  const auto backend = pegrasp::make_backend(pegrasp::BackendKind::automatic, batch.arithmetic());
  batch.run(*backend);

  int standing = 0, unresolved = 0;
  double least_friction = 1.0;
  for (std::size_t k = 0; k < copies; ++k) {
    if (!batch.resolved(k)) {
      ++unresolved;
    } else if (stands(batch, k)) {
      if (standing++ == 0) least_friction = 0.001 * static_cast<double>(k);
    }
  }
  std::printf("%d of %d stacks stand, %d are unresolved; the least friction that holds one is %.3f\n", standing, copies,
              unresolved, least_friction);
  const pegrasp::Pose top = batch.pose(500, batch.body("box9"));
  std::printf("with friction 0.5 the top box ends at x = %.3f m, y = %.3f m\n", top.x, top.y);
  return standing > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "examples/scenes/stack.json");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "friction_batch: %s\n", error.what());
    return 2;
  }
}
