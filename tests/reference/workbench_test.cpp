// SPDX-License-Identifier: Apache-2.0
// Whole scenes stepped as the sources write it: closed forms of free flight and rest, Egan's rows against LNC's,
// counted traps, corrected joints, and the command `run --formulation`.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "pegrasp/simulation.hpp"
#include "src/metrics/overlap.hpp"
#include "src/reference/workbench/formulation_run.hpp"
#include "src/reference/workbench/joint_correction.hpp"
#include "tests/cli/child.hpp"
#include "tests/reference/study_steps.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp {
namespace {

using namespace reference;
using reference::test::crossing_poses;
using reference::test::crossing_scene;

FormulationChoice peg(Form form = Form::mixed) {
  FormulationChoice choice;
  choice.formulation.form = form;
  return choice;
}

FormulationRun run_of(const SceneSpec& scene, double h, double duration, const FormulationChoice& choice) {
  return {scene, scene_parameters(scene), derive_options(pegrasp::test::steps_of(h, duration), scene), choice};
}

// A square of side 0.2 m over a floor, both with friction `mu`.
SceneSpec block_on_floor(double mu, double height, double speed) {
  SceneSpec scene;
  BodySpec floor;
  floor.name = "floor";
  floor.kind = BodyKind::fixed;
  floor.planar().parts = {make_polygon("floor", {{-2.0, -0.1}, {2.0, -0.1}, {2.0, 0.0}, {-2.0, 0.0}})};
  BodySpec block;
  block.name = "block";
  block.planar().parts = {make_polygon("block", {{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}})};
  block.mass = 2.0;
  block.planar().inertia = 2.0 * 0.04 / 6.0;
  block.planar().pose = {0.0, 0.1 + height, 0.0};
  block.planar().velocity = {speed, 0.0, 0.0};
  floor.friction = block.friction = mu;
  scene.bodies = {floor, block};
  scene.gravity = {0.0, -9.81};
  return scene;
}

TEST(FormulationRun, FallsAsTheStepsAddUp) {
  const SceneSpec scene = block_on_floor(0.3, 1.0, 0.5);
  for (const Form form : {Form::lcp, Form::mixed, Form::quadratic}) {
    FormulationRun run = run_of(scene, 0.01, 0.2, peg(form));
    while (run.step()) {
      const double n = run.steps();
      EXPECT_NEAR(run.poses()[1].y, 1.1 - 9.81 * 1e-4 * n * (n + 1.0) / 2.0, 1e-12);
      EXPECT_NEAR(run.poses()[1].x, 0.5 * run.time(), 1e-12);
    }
    EXPECT_EQ(run.steps(), 20);
  }
}

// It stops after v^2 / (2 mu g), by mu g h less in every step.
TEST(FormulationRun, SlidesToRestByCoulombsLaw) {
  constexpr double mu = 0.3, h = 0.005, speed = 0.5;
  const SceneSpec scene = block_on_floor(mu, 0.0, speed);
  for (const Form form : {Form::lcp, Form::mixed, Form::quadratic}) {
    FormulationRun run = run_of(scene, h, 0.3, peg(form));
    double v = speed, x = 0.0;
    while (run.step()) {
      v = std::max(0.0, v - mu * 9.81 * h);
      x += h * v;
      ASSERT_EQ(run.last().status, mcp::Status::solved);
      EXPECT_NEAR(run.velocities()[1].vx, v, 1e-8);
      EXPECT_NEAR(run.poses()[1].x, x, 1e-8);
      EXPECT_NEAR(run.poses()[1].y, 0.1, 1e-9);
    }
  }
}

// Anitescu and Potra's scheme sees a contact when it overlaps: the block keeps the depth, at most h v, at which a step
// first found it.
TEST(FormulationRun, AnitescuAndPotraHoldWhatFell) {
  constexpr double h = 0.005, g = 9.81;
  for (const bool half_plane : {false, true}) {
    SceneSpec scene = block_on_floor(0.3, 0.5, 0.0);
    if (half_plane) scene.bodies[0].planar().parts = {make_half_plane("floor", {0.0, 1.0}, 0.0)};
    for (const ContactSets sets : {ContactSets::peg_one, ContactSets::peg_several, ContactSets::lnc,
                                   ContactSets::standard_all, ContactSets::standard_single}) {
      for (const Form form : {Form::lcp, Form::mixed, Form::quadratic}) {
        FormulationChoice choice = peg(form);
        choice.formulation.scheme = Scheme::anitescu_potra;
        choice.rules.sets = sets;
        FormulationRun run = run_of(scene, h, 0.6, choice);
        double y = 0.6, v = 0.0;
        while (run.step()) {
          const bool held = y <= 0.1;
          v = held ? 0.0 : v - g * h;
          y += h * v;
          EXPECT_GE(y, 0.1 - h * std::sqrt(2.0 * g * 0.5) - g * h * h);
          ASSERT_EQ(run.last().status, mcp::Status::solved);
          ASSERT_NEAR(run.poses()[1].y, y, 1e-9) << static_cast<int>(sets) << " at " << run.time();
          ASSERT_NEAR(run.velocities()[1].vy, v, 1e-8);
          EXPECT_NEAR(run.poses()[1].theta, 0.0, 1e-9);
        }
        EXPECT_EQ(v, 0.0);
      }
    }
  }
}

// Boxes whose sides are in line: a corner is on the top and on the side of the box below. The lower one rests on the
// floor, the upper one on the lower one; each keeps at most what a step from rest lets it sink.
TEST(FormulationRun, AnitescuAndPotraHoldFlushBoxes) {
  constexpr double h = 0.005, g = 9.81;
  for (const double narrower : {0.0, 0.01}) {  // [m] the upper one, on either side
    SceneSpec scene = block_on_floor(0.3, 0.0, 0.0);
    BodySpec upper = scene.bodies[1];
    upper.name = "upper";
    upper.planar().pose.y = 0.3;
    const double x = 0.1 - narrower;
    upper.planar().parts = {make_polygon("upper", {{-x, -0.1}, {x, -0.1}, {x, 0.1}, {-x, 0.1}})};
    scene.bodies.push_back(upper);
    for (const ContactSets sets : {ContactSets::peg_one, ContactSets::peg_several, ContactSets::lnc,
                                   ContactSets::standard_all, ContactSets::standard_single}) {
      FormulationChoice choice = peg();
      choice.formulation.scheme = Scheme::anitescu_potra;
      choice.rules.sets = sets;
      FormulationRun run = run_of(scene, h, 0.5, choice);
      while (run.step()) ASSERT_EQ(run.last().status, mcp::Status::solved);
      EXPECT_NEAR(run.poses()[1].y, 0.1, 1.01 * g * h * h) << static_cast<int>(sets) << ", " << narrower;
      EXPECT_NEAR(run.poses()[2].y, 0.3, 2.01 * g * h * h) << static_cast<int>(sets) << ", " << narrower;
      EXPECT_NEAR(run.poses()[2].x, 0.0, 1e-9);
    }
  }
}

TEST(FormulationRun, SaysWhatItCannotStep) {
  SceneSpec scene = block_on_floor(0.3, 0.0, 0.0);
  scene.model = MotionModel::quasistatic;
  EXPECT_THROW(run_of(scene, 0.01, 0.1, peg()), std::invalid_argument);
  scene = block_on_floor(0.3, 0.0, 0.0);
  SpringSpec spring;
  spring.name = "band";
  spring.body_b = 1;
  spring.point_b = {1.0, 1.0, 0.0};
  add_spring(scene, spring);
  try {
    run_of(scene, 0.01, 0.1, peg());
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("this one has a spring (band);"), std::string::npos) << error.what();
  }
}

// A corner beside a corner: the square's lower right one is near the top and the side of the step. Far from it, and
// over the middle of the top, there is no trap.
TEST(FormulationRun, CountsTraps) {
  SceneSpec scene = block_on_floor(0.0, 0.0, 0.0);
  scene.gravity = {0.0, 0.0};
  const auto traps_at = [&](double x, double y) {
    scene.bodies[1].planar().pose = {x, y, 0.0};
    scene.bodies[1].planar().velocity = {0.1, 0.0, 0.0};
    FormulationRun run = run_of(scene, 0.01, 0.1, peg());
    run.step();
    return run.last().traps;
  };
  EXPECT_EQ(traps_at(0.0, 0.1005), 0);
  EXPECT_EQ(traps_at(0.0, 1.0), 0);
  EXPECT_GE(traps_at(2.0 - 0.1 - 0.0005, 0.1005), 1);  // its lower right corner above the floor's upper right one
}

TEST(EganRows, SolveWhatLncSolves) {
  const SceneSpec scene = crossing_scene();
  scenes::Random random(45);
  int touched = 0;
  for (int k = 0; k < 200; ++k) {
    std::vector<Pose> poses = crossing_poses(random.uniform(0.01, 0.08), random.uniform(-0.05, 0.01));
    poses[1].theta = random.uniform(-0.2, 0.2);
    const Twist twist{random.uniform(-8.0, -1.0), random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0)};
    PolygonStepOptions options;
    options.epsilon = 0.1;
    options.rules.sets = ContactSets::lnc;
    const StepProblem step = polygon_step(scene, poses, std::vector<Twist>{{}, twist}, 0.01, options);
    // Of one vertex before one corner.
    if (step.inter.size() != 1 || !step.unilateral.empty()) continue;
    Formulation lnc, egan;
    egan.set_rows = SetRows::egan;
    const SolvedStep solved = solve_step(step, egan);
    ASSERT_EQ(solved.result.status, mcp::Status::solved) << k;
    double carried = 0.0;
    for (const double p : solved.solution.normal) carried += p;
    touched += carried > 0.0 ? 1 : 0;
    // Where either edge may carry there are two motions, and the other rows lead to the other one: it solves them, too.
    const FormulatedStep rows = formulate(step, lnc);
    const mcp::Vector x = rows.write(solved.solution);
    mcp::Vector f;
    ASSERT_TRUE(rows.problem.evaluate(x, f, nullptr));
    EXPECT_LT(mcp::natural_residual(x, f, rows.problem.lower, rows.problem.upper), 1e-6) << k;
  }
  EXPECT_GT(touched, 3);
}

// Williams, figure 2.6: the error of a joint on the level of velocities drifts, corrected it stays within 1e-5.
TEST(JointCorrection, HoldsARod) {
  const SwingErrors free = swing({}, 4000, 0.002, false), held = swing({}, 4000, 0.002, true);
  EXPECT_GT(free.last, 2.0 * free.first);
  EXPECT_GT(free.last, 1e-3);
  EXPECT_TRUE(held.converged);
  EXPECT_LE(held.largest, 1e-5);
}

// The polygons of a pour overlap little, and a hundred times more where contacts cease to be feasible at a depth of
// eps / 20. Either way the first overlap above 1e-5 comes from one linearisation of a turning body: from the same state
// it falls with the square of the step.
TEST(FormulationRun, PegPoursPolygons) {
  const SceneSpec scene = scenes::polygon_box(1, 0.0);
  const double whole = total_dynamic_area(scene);
  const auto overlap = [&](const FormulationRun& run) {
    return total_overlap_area(scene, run.poses(), run.present()) / whole;
  };
  std::vector<int> first;
  for (const double depth : {1.0, 0.05}) {
    FormulationChoice choice = peg();
    choice.rules.feasible_depth_ratio = depth;
    FormulationRun run = run_of(scene, 0.01, scenes::polygon_box_duration, choice);
    double most = 0.0;
    bool found = false;
    while (most < 5e-3) {
      const double time = run.time();
      const std::vector<Pose> poses = run.poses();
      const std::vector<Twist> twists = run.velocities();
      if (!run.step()) break;
      most = std::max(most, overlap(run));
      if (found || most < 1e-5) continue;
      found = true;
      first.push_back(run.steps());
      FormulationRun halves = run_of(scene, 0.005, scenes::polygon_box_duration, choice);
      halves.set_state(time, poses, twists);
      halves.step();
      halves.step();
      EXPECT_LT(overlap(halves), 0.6 * overlap(run));
    }
    EXPECT_EQ(most < 2e-3, depth == 1.0) << most;
    EXPECT_EQ(most > 5e-3, depth < 1.0) << most;
  }
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0], first[1]);
}

using pegrasp::test::Child;
using pegrasp::test::Finished;
using pegrasp::test::Folder;
using pegrasp::test::pegrasp_run;
using pegrasp::test::source_file;

const std::string triangles = source_file("examples/scenes/triangle_drop.json");

TEST(CliRunFormulation, ReportsAndWritesATrajectory) {
  Folder folder;
  for (const std::string sets : {"peg", "peg-several", "lnc", "standard", "standard-single", "egan"}) {
    const std::string file = (folder.path() / (sets + ".csv")).string();
    const Finished done = pegrasp_run(folder, {"run", triangles, "--formulation", "mlcp", "--sets", sets, "--friction",
                                               "0", "--t-end", "0.2", "--trajectory", file, "--json"});
    EXPECT_EQ(done.code, 0) << sets << done.err;
    const nlohmann::json report = nlohmann::json::parse(done.out);
    EXPECT_EQ(report["sets"], sets);
    EXPECT_GT(report["steps"], 5);
    EXPECT_EQ(report["unresolved_steps"], 0);
    const nlohmann::json times = report["solve_ms"];
    EXPECT_GT(times["mean"], 0.0);
    EXPECT_GE(times["max"], times["mean"]);
    EXPECT_GE(times["max"], times["median"]);
    std::ifstream in(file);
    std::string heading;
    std::getline(in, heading);
    EXPECT_EQ(heading, "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  }
}

// Nguyen's sets, Egan's rows of them, and one facet for each vertex let a falling box with flush faces through: each of
// their steps has a solution, so that only the overlap tells.
TEST(CliRunFormulation, SaysThatBodiesOverlap) {
  Folder folder;
  for (const auto& [sets, through] : std::initializer_list<std::pair<std::string, bool>>{
           {"peg", false}, {"peg-several", false}, {"lnc", true}, {"egan", true}, {"standard-single", true}}) {
    const Finished done = pegrasp_run(folder, {"run", source_file("examples/scenes/momentum.json"), "--h", "0.01",
                                               "--t-end", "6", "--formulation", "mlcp", "--sets", sets, "--json"});
    const nlohmann::json report = nlohmann::json::parse(done.out);
    EXPECT_EQ(report["unresolved_steps"], 0) << sets;
    EXPECT_EQ(report["overlapping_steps"] > 0, through) << sets;
    EXPECT_EQ(report["status"], through ? "bodies overlap" : "ok") << sets;
  }
}

// Hulls that a step of 10 ms leaves stuck in each other make solves of seconds.
TEST(CliRunFormulationLong, StopsInsideASolve) {
  Folder folder;
  const std::string file = (folder.path() / "stack.csv").string();
  const Child child(folder, {"run", source_file("examples/scenes/polyhedron_box.json"), "--friction", "0",
                             "--formulation", "mlcp", "--h", "0.01", "--trajectory", file});
  child.wait_until_it_catches(SIGINT);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const auto begin = std::chrono::steady_clock::now();
  child.send(SIGINT);
  const Finished done = child.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(done.code, 130) << done.err;
  EXPECT_NE(done.err.find("nothing written"), std::string::npos) << done.err;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(CliRunFormulation, StepsPolyhedra) {
  Folder folder;
  for (const std::string sets : {"peg", "peg-several", "lnc", "standard", "standard-single"}) {
    const std::string file = (folder.path() / (sets + ".csv")).string();
    const Finished done =
        pegrasp_run(folder, {"run", source_file("examples/scenes/polyhedron_box.json"), "--formulation", "mlcp",
                             "--directions", "5", "--sets", sets, "--t-end", "0.1", "--trajectory", file, "--json"});
    EXPECT_EQ(done.code, 0) << sets << done.err;
    const nlohmann::json report = nlohmann::json::parse(done.out);
    EXPECT_EQ(report["directions"], 5);
    EXPECT_EQ(report["feasible_depth_ratio"], 0.05);
    EXPECT_GT(report["steps"], 5);
    std::ifstream in(file);
    std::string heading;
    std::getline(in, heading);
    EXPECT_EQ(heading, "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  }
}

TEST(CliRunFormulation, RefusesWhatItCannotDo) {
  Folder folder;
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), "run");
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find(why), std::string::npos) << done.err;
    EXPECT_EQ(done.out, "");
  };
  refused({source_file("examples/scenes/polyhedron_box.json"), "--formulation", "lcp", "--sets", "egan"},
          "planar scenes");
  refused({source_file("examples/scenes/shoulder.json"), "--formulation", "lcp"}, "motors");
  refused({source_file("examples/scenes/sphere_on_spheres.json"), "--formulation", "lcp"}, "a round part");
  refused({source_file("examples/gear/gear.toml"), "--cell", "100", "--sample", "0", "--formulation", "lcp"},
          "gear.toml: --formulation: part 'disc' is round");
  refused({triangles, "--formulation", "lcp", "--steps"}, "--steps is not for --formulation");
  refused({triangles, "--formulation", "lcp", "--solver", "pgs"}, "--solver is not for --formulation");
  refused({triangles, "--formulation", "lcp", "--strategy", "batched"}, "--strategy is not for --formulation");
  refused({triangles, "--sets", "lnc"}, "--formulation");
  refused({triangles, "--formulation", "lp"}, "mlcp");
  refused({triangles, "--formulation", "qp"}, "give --sets standard");
  refused({triangles, "--formulation", "lcp", "--feasible-depth-ratio", "0"}, "--feasible-depth-ratio");
  refused({triangles, "--feasible-depth-ratio", "1"}, "--formulation");
}

// With a small depth polygons get stuck in each other; with the default they overlap little.
TEST(CliRunFormulation, KeepsContactsFeasibleToTheDepthThatIsGiven) {
  Folder folder;
  const auto worst = [&](std::vector<std::string> words, double depth) {
    words.insert(words.begin(), {"run", source_file("examples/scenes/polygon_box.json"), "--formulation", "mlcp", "--h",
                                 "0.005", "--friction", "0", "--json"});
    const nlohmann::json report = nlohmann::json::parse(pegrasp_run(folder, words).out);
    EXPECT_EQ(report["feasible_depth_ratio"], depth);
    return report["overlap_max"].get<double>();
  };
  EXPECT_LT(worst({}, 1.0), 1e-3);
  EXPECT_GT(worst({"--feasible-depth-ratio", "0.05"}, 0.05), 1e-2);
}

}  // namespace
}  // namespace pegrasp
