// SPDX-License-Identifier: Apache-2.0
// Drumwright's experiments with penalty contact (figures 7 to 15 of the paper), beside `peg`. Prints tables in
// Markdown.
//
//   pegrasp_penalty_study [cube|pushes|pile|robots]... [--csv FOLDER] [--robots FOLDER]
//
// --csv: writes the courses of cube and pushes there, for plot_penalty.py. --robots: where the scene files are.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pegrasp/names.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/scenes/penalty_scenes.hpp"

namespace pegrasp::penalty {
namespace {

constexpr ContactModel models[] = {ContactModel::penalty_deepest, ContactModel::penalty, ContactModel::peg};

StepOptions options_of(ContactModel contact, double h, double duration,
                       PenaltyIntegrator integrator = PenaltyIntegrator::rk4) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  options.contact = contact;
  options.penalty.integrator = integrator;
  return options;
}

// Processor time so far [s].
double seconds_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A run, step by step.
struct Course {
  std::vector<double> energy, depth, height;  // [J], the deepest overlap [m], of body 1's middle [m]
  double seconds_a_step = 0.0;
  int unresolved = 0;
};

Course run(const SceneSpec& scene, const StepOptions& options) {
  const std::vector<double> parameters = scene_parameters(scene);
  Simulation simulation(compile_model(scene), derive_options(options, scene), parameters);
  Course course;
  double seconds = 0.0;
  for (;;) {
    const double begin = seconds_now();
    if (!simulation.step()) break;
    seconds += seconds_now() - begin;
    course.energy.push_back(simulation.energy().kinetic);
    course.depth.push_back(simulation.last_penetration());
    course.height.push_back(simulation.spatial_pose(1).position.z);
  }
  course.seconds_a_step = seconds / static_cast<double>(std::max<std::size_t>(1, course.energy.size()));
  course.unresolved = simulation.outcome().unresolved_steps;
  return course;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

// The mean energy of the 20 steps up to `end`: the deepest point alone makes a cube rattle.
double energy_at(const Course& course, std::size_t end) {
  double sum = 0.0;
  for (std::size_t k = end - 20; k < end; ++k) sum += course.energy[k] / 20.0;
  return sum;
}

void write_course(const std::string& folder, const std::string& name, const Course& course) {
  if (folder.empty()) return;
  std::ofstream file(folder + "/" + name + ".csv");
  file << "step,energy_J,depth_m\n";
  for (std::size_t k = 0; k < course.energy.size(); ++k) {
    file << k + 1 << ',' << course.energy[k] << ',' << course.depth[k] << '\n';
  }
}

// A, figures 7 to 9.
void cube(const std::string& csv) {
  constexpr int turns = 10;
  std::printf(
      "\n| friction | model | mean depth [m] | depth after 3,000 steps [m] | energy then [J] | after 6,000 [J] |\n"
      "|---:|---|---:|---:|---:|---:|\n");
  for (const double friction : {0.0, 0.3}) {
    for (const ContactModel model : {ContactModel::penalty_deepest, ContactModel::penalty}) {
      scenes::Random random(1);
      double depth = 0.0, last_depth = 0.0, early = 0.0, late = 0.0;
      for (int k = 0; k < turns; ++k) {
        const SceneSpec scene = scenes::cube_in_plane(1.0, 0.2, friction, scenes::random_turn(random));
        const Course course = run(scene, options_of(model, 1e-3, 6.0));
        depth += mean({course.depth.begin(), course.depth.begin() + 3000}) / turns;
        last_depth += course.depth[2999] / turns;
        early += energy_at(course, 3000) / turns;
        late += energy_at(course, 6000) / turns;
        if (k == 0 && friction == 0.0) write_course(csv, "cube_" + name_of(model), course);
      }
      std::printf("| %.1f | `%s` | %.4f | %.4f | %.1e | %.1e |\n", friction, name_of(model).c_str(), depth, last_depth,
                  early, late);
    }
  }
}

// B, figures 10 to 12.
void pushes(const std::string& csv) {
  constexpr int seeds = 5;
  std::printf(
      "\n| model | mean depth, deepest point [m] | middle of the bottom [m] | energy at the end of the rests [J] | "
      "4 s after the last [J] | a step [us] |\n|---|---:|---:|---:|---:|---:|\n");
  for (const ContactModel model : models) {
    double depth = 0.0, middle = 0.0, rests = 0.0, late = 0.0, seconds = 0.0;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Course course =
          run(scenes::pushed_cube(static_cast<std::uint64_t>(seed), 0.3, 1e-3), options_of(model, 1e-3, 14.0));
      depth += mean({course.depth.begin(), course.depth.begin() + 10000}) / seeds;
      middle += (0.5 - mean({course.height.begin(), course.height.begin() + 10000})) / seeds;
      for (std::size_t k = 1000; k <= 10000; k += 1000) rests += energy_at(course, k) / (10.0 * seeds);
      late += energy_at(course, 14000) / seeds;
      seconds += course.seconds_a_step / seeds;
      if (seed == 1) write_course(csv, "pushes_" + name_of(model), course);
    }
    std::printf("| `%s` | %.1e | %.1e | %.1e | %.1e | %.0f |\n", name_of(model).c_str(), depth, middle, rests, late,
                1e6 * seconds);
  }
}

// C, figure 13.
void pile(const std::string&) {
  std::printf(
      "\n| model, h | energy after 10 s [J] | deepest overlap then [m] | farthest from the middle, of 0.6 [m] | lowest "
      "middle "
      "[m] | a step [us] |\n|---|---:|---:|---:|---:|---:|\n");
  for (const ContactModel model : models) {
    const double h = model == ContactModel::peg ? 2e-3 : 1e-4;
    const SceneSpec scene = scenes::penalty_pile(1, 0.3);
    const StepOptions options = derive_options(options_of(model, h, 10.0, PenaltyIntegrator::semi_implicit), scene);
    const std::vector<double> parameters = scene_parameters(scene);
    Simulation simulation(compile_model(scene), options, parameters);
    const double begin = seconds_now();
    simulation.run();
    const double seconds = seconds_now() - begin;
    double farthest = 0.0, lowest = 1e300;
    for (int body = scenes::pile_walls; body < static_cast<int>(scene.bodies.size()); ++body) {
      const Vec3 at = simulation.spatial_pose(body).position;
      farthest = std::max({farthest, std::fabs(at.x), std::fabs(at.y)});
      lowest = std::min(lowest, at.z);
    }
    std::printf("| `%s`, %g ms | %.1e | %.1e | %.2f | %.2f | %.0f |\n", name_of(model).c_str(), 1e3 * h,
                simulation.energy().kinetic, simulation.last_penetration(), farthest, lowest,
                1e6 * seconds / simulation.outcome().steps);
  }
}

// D, figures 14 and 15: 2,500 steps of 1 ms. The gains go by the masses of the links that touch: with the paper's the
// wheels would sink under the robots.
struct RobotCourse {
  double seconds = 0.0, depth = 0.0;  // [s] of processor time, [m] mean of the steps' deepest overlaps
  int steps = 0, contacts = 0;        // at most
};

// watch() is called after each step.
template <class Simulated, class Watch>
RobotCourse drive(Simulated& simulation, const Watch& watch) {
  RobotCourse course;
  for (;;) {
    const double begin = seconds_now();
    if (!simulation.step()) break;
    course.seconds += seconds_now() - begin;
    course.depth += simulation.last_penetration();
    ++course.steps;
    watch();
  }
  course.contacts = simulation.outcome().contacts_max;
  course.depth /= std::max(1, course.steps);
  return course;
}

// joints: how far they come apart, in words.
void print_robot(const std::string& name, const SceneSpec& scene, const std::string& model, const RobotCourse& course,
                 const std::string& joints, Vec3 from, Vec3 to) {
  std::printf("| %s | %zu | %zu | %s | %.0f | %.2f | %d | %.1e | %s | %.2f |\n", name.c_str(), scene.bodies.size(),
              scene.joints.size(), model.c_str(), 1e6 * course.seconds / course.steps, course.seconds, course.contacts,
              course.depth, joints.c_str(), std::hypot(to.x - from.x, to.y - from.y));
}

void drive_robot(const std::string& name, const SceneSpec& scene, ContactModel model) {
  StepOptions asked = options_of(model, 1e-3, 2.5, PenaltyIntegrator::semi_implicit);
  asked.penalty.stiffness *= 50.0;
  asked.penalty.integral *= 50.0;
  asked.penalty.damping *= 4.0;
  Simulation simulation(compile_model(scene), derive_options(asked, scene), scene_parameters(scene));
  const Vec3 from = simulation.spatial_pose(1).position;
  double apart = 0.0;
  const RobotCourse course = drive(simulation, [&] {
    for (int joint = 0; joint < static_cast<int>(scene.joints.size()); ++joint)
      apart = std::max(apart, simulation.joint_apart(joint));
  });
  char joints[32];
  std::snprintf(joints, sizeof joints, "%.1e", apart);
  print_robot(name, scene, "`" + name_of(model) + "`", course, joints, from, simulation.spatial_pose(1).position);
}

// By the reference simulator, which solves a complementarity problem exactly in every pass, as the paper's LCP does.
void drive_reference(const std::string& name, const SceneSpec& scene) {
  const StepOptions options = derive_options(options_of(ContactModel::peg, 1e-3, 2.5), scene);
  const std::vector<double> parameters = scene_parameters(scene);
  reference::spatial::SpatialSimulation simulation(std::make_shared<const reference::spatial::SpatialScene>(scene),
                                                   options, parameters);
  const Vec3 from = simulation.pose(1).position;
  const RobotCourse course = drive(simulation, [] {});
  print_robot(name, scene, "reference", course, "", from, simulation.pose(1).position);
}

void robots(const std::string& folder) {
  std::printf(
      "\n| robot | bodies | joints | model | a step [us] | 2,500 steps [s] | contacts at most | mean depth [m] | "
      "joints apart [m] | base went [m] |\n|---|---:|---:|---|---:|---:|---:|---:|---:|---:|\n");
  for (const std::string name : {"mobile", "humanoid"}) {
    const SceneSpec scene = load_scene_json(folder + "/" + name + ".json").scene;
    for (const ContactModel model : {ContactModel::penalty, ContactModel::peg}) drive_robot(name, scene, model);
    drive_reference(name, scene);
  }
}

}  // namespace
}  // namespace pegrasp::penalty

int main(int argc, char** argv) {
  std::set<std::string> chosen;
  std::string csv, folder = "bench/studies/penalty";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--csv" && i + 1 < argc) {
      csv = argv[++i];
    } else if (word == "--robots" && i + 1 < argc) {
      folder = argv[++i];
    } else if (word == "cube" || word == "pushes" || word == "pile" || word == "robots") {
      chosen.insert(word);
    } else {
      std::fprintf(stderr, "%s: is none of cube, pushes, pile, robots, --csv FOLDER and --robots FOLDER\n", argv[i]);
      return 2;
    }
  }
  const auto wanted = [&](const char* name) { return chosen.empty() || chosen.count(name) > 0; };
  if (wanted("cube")) pegrasp::penalty::cube(csv);
  if (wanted("pushes")) pegrasp::penalty::pushes(csv);
  if (wanted("pile")) pegrasp::penalty::pile(csv);
  if (wanted("robots")) pegrasp::penalty::robots(folder);
  return 0;
}
