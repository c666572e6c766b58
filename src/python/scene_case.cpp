// SPDX-License-Identifier: Apache-2.0
#include "src/python/scene_case.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

#include "pegrasp/error.hpp"
#include "pegrasp/parameters.hpp"
#include "src/cli/common.hpp"

namespace pegrasp::python {
namespace {

using Names = std::vector<std::string>;

void add_names(Names& names, const std::string& of, const Names& fields) {
  for (const std::string& field : fields) names.push_back(of + "." + field);
}

void add_for_bodies(Names& names, const SceneSpec& scene, const Names& fields) {
  for (const BodySpec& body : scene.bodies) add_names(names, body.name, fields);
}

// Pairs in the order of their slots.
void add_frictions(Names& names, const SceneSpec& scene) {
  const int n = static_cast<int>(scene.bodies.size());
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      if (!may_touch(scene, a, b)) continue;
      names.push_back(scene.bodies[static_cast<std::size_t>(a)].name + "/" +
                      scene.bodies[static_cast<std::size_t>(b)].name + ".friction");
    }
  }
}

// Of support points, or of support spheres.
void add_supports(Names& names, const SceneSpec& scene, const Names& fields) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (support_point(scene, static_cast<int>(b)) < 0) continue;
    for (int point = 1; point <= 3; ++point)
      add_names(names, scene.bodies[b].name + ".support_" + std::to_string(point), fields);
  }
}

}  // namespace

SceneCase make_case(const std::vector<std::string>& words, const std::map<std::string, std::string>& texts) {
  SceneCase made;
  std::ostringstream says;
  std::atomic<bool> stop{false};
  cli::Console console{says, says, stop, false, {}, texts};
  const cli::ConsoleScope scope(console);
  made.ending = cli::guarded([&]() -> cli::Ending {
    CLI::App app;
    cli::SceneChoice choice;
    choice.add(app);
    try {
      app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
      return {cli::exit_bad_input, error.what()};
    }
    made.job = std::make_shared<const cli::SceneJob>(choice.make());
    return {};
  });
  made.says = says.str();
  return made;
}

std::vector<std::string> parameter_names(const SceneSpec& scene) {
  const ParameterLayout layout = parameter_layout(scene);
  const bool spatial = layout.spatial;
  Names names;
  const auto bodies = [&](const Names& fields) { add_for_bodies(names, scene, fields); };
  bodies({"mass"});
  bodies(spatial ? Names{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"} : Names{"inertia"});
  bodies({"drop_time"});
  bodies(spatial ? Names{"x", "y", "z", "qw", "qx", "qy", "qz"} : Names{"x", "y", "theta"});
  bodies(spatial ? Names{"vx", "vy", "vz", "wx", "wy", "wz"} : Names{"vx", "vy", "omega"});
  if (layout.friction_count > 0) add_frictions(names, scene);
  for (const ActuatorSpec& actuator : scene.actuators)
    add_names(names, actuator.name, {"target", "limit", "stiffness", "damping", "target_y", "target_z"});
  if (!spatial) {
    add_supports(names, scene, {"x", "y", "load", "friction"});
    return names;
  }
  bodies({"tilt_x", "tilt_y", "tilt_z"});
  bodies({"centre_x", "centre_y", "centre_z"});
  bodies({"yaw"});
  add_supports(names, scene, {"x", "y", "z"});
  return names;
}

}  // namespace pegrasp::python
