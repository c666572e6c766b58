// SPDX-License-Identifier: Apache-2.0
// Problems whose cells are grasps: where the gripper starts, how its pose errs, and what comes of good and bad grasps.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/map.hpp"
#include "pegrasp/parameters.hpp"
#include "pegrasp/sampler.hpp"
#include "src/geometry/placement.hpp"
#include "tests/files.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;

// A block of 40 x 60 x 30 mm and the hand of examples/evaluate/, with these lines of [grasps].
std::string problem_text(const std::string& grasps, const std::string& more = "") {
  return "dim = 3\n[map]\nsamples = 4\n"
         "[[body]]\nname = \"part\"\nmass_kg = 0.2\nfriction = 0.5\n[[body.part]]\nshape = \"box\"\nsize_mm = [40, 60, "
         "30]\n"
         "[[urdf]]\nfile = \"" +
         test::source_file("examples/evaluate/hand.urdf") +
         "\"\nbase = \"kinematic\"\nfriction = 0.5\n[grasps]\npart = \"part\"\ngripper = \"palm\"\n" + grasps + "\n" +
         more;
}

// A file of grasps that goes when the test ends.
class WrittenGrasps {
 public:
  WrittenGrasps(const std::string& name, const std::string& rows)
      : path_(fs::path(testing::TempDir()) / (std::to_string(getpid()) + "_" + name)) {
    std::ofstream(path_) << "id,x_m,y_m,z_m,qw,qx,qy,qz,opening_m\n" << rows;
  }
  ~WrittenGrasps() { fs::remove(path_); }
  std::string key() const { return "file = \"" + path_.string() + "\"\n"; }

 private:
  fs::path path_;
};

// From above, closing along x, with the tips 25 mm below the top; 50 mm beside the block; with the palm in the block.
constexpr const char* three_grasps =
    "good,0,0,0.09,0,1,0,0,0.08\n"
    "beside,0.2,0,0.09,0,1,0,0,0.08\n"
    "inside,0,0,0.02,0,1,0,0,0.08\n";

std::vector<double> parameters_of(const Problem& problem, int cell, int sample) {
  const Sampler sampler(problem);
  std::vector<double> parameters(sampler.parameters()), values(sampler.values());
  sampler.draw(cell, sample, parameters, values);
  return parameters;
}

int body_index(const Problem& problem, const std::string& name) {
  for (std::size_t b = 0; b < problem.scene.bodies.size(); ++b) {
    if (problem.scene.bodies[b].name == name) return static_cast<int>(b);
  }
  return -1;
}

SpatialPose pose_in(const Problem& problem, const std::vector<double>& parameters, int body) {
  const double* p = parameters.data() + parameter_layout(problem.scene).pose(body);
  return {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
}

TEST(GraspCells, TheGripperStartsWhereTheGraspSays) {
  const WrittenGrasps file("cells_place.csv", "a,0.01,0.02,0.09,0,1,0,0,0.06\nb,0,0,0.09,0,0,1,0,\n");
  const Problem problem = parse_problem(problem_text(file.key()), "p.toml");
  ASSERT_EQ(problem.grid.cells(), 2);
  const int palm = body_index(problem, "palm"), left = body_index(problem, "left_finger");
  const std::vector<double> a = parameters_of(problem, 0, 0), b = parameters_of(problem, 1, 3);
  EXPECT_EQ(pose_in(problem, a, palm).position.x, 0.01);
  EXPECT_EQ(pose_in(problem, a, palm).turn.x, 1.0);
  // Fingers are where their joints place them at the described palm, which carries them along.
  EXPECT_NEAR(pose_in(problem, a, left).position.x, -0.03, 1e-15);
  EXPECT_NEAR(pose_in(problem, b, left).position.x, -0.045, 1e-15) << "without an opening the hand is open";
  EXPECT_EQ(problem.scene.bodies[static_cast<std::size_t>(left)].carried_by, palm);
}

// A finger starts beside where the grasp opens it, and the other one, whose motor it shares, as much. The second grasp
// opens the hand as far as it goes.
TEST(GraspCells, FingersStartBesideTheGraspsOpening) {
  const WrittenGrasps file("cells_offset.csv", "a,0.01,0.02,0.09,0,1,0,0,0.06\nb,0,0,0.09,0,0,1,0,\n");
  const auto offset = [](const char* high) {
    return std::string(
               "[[joint_offset]]\njoint = \"left_slide\"\noffset_mm = { distribution = \"uniform\", low = -2, ") +
           "high = " + high + " }\n";
  };
  const Problem problem = parse_problem(problem_text(file.key(), offset("0")), "p.toml");
  const int left = body_index(problem, "left_finger"), right = body_index(problem, "right_finger");
  for (int cell = 0; cell < 2; ++cell) {
    const Sampler sampler(problem);
    std::vector<double> parameters(sampler.parameters()), values(sampler.values());
    sampler.draw(cell, 1, parameters, values);
    const double at = (cell == 0 ? 0.03 : 0.045) + values[0];
    EXPECT_LT(values[0], 0.0);
    EXPECT_NEAR(pose_in(problem, parameters, left).position.x, -at, 1e-15);
    EXPECT_NEAR(pose_in(problem, parameters, right).position.x, at, 1e-15);
  }
  const std::string message = test::refusal([&] { parse_problem(problem_text(file.key(), offset("0.5")), "p.toml"); });
  EXPECT_NE(
      message.find("joint_offset[0].offset_mm: can be drawn out of range: it must be at least -30 mm and at most 0 mm"),
      std::string::npos)
      << message;
}

// An approach of 50 mm along the gripper's z begins 50 mm behind the grasp, and ends there when the fingers close.
TEST(GraspCells, AnApproachEndsAtTheGrasp) {
  const WrittenGrasps file("cells_approach.csv", "a,0,0.001,0.09,0.9238795325112867,0.3826834323650898,0,0,0.08\n");
  const std::string protocol =
      "[protocol]\nname = \"mine\"\nversion = 1\nslip_mm = 1\n"
      "[[protocol.phase]]\nname = \"come\"\ntime_s = 0.2\nmove_mm = [0, 0, 50]\n"
      "[[protocol.phase]]\nname = \"close\"\ntime_s = 0.1\nclose = true\n"
      "[[protocol.phase]]\nname = \"rest\"\ntime_s = 0.1\n";
  const Problem problem = parse_problem(problem_text(file.key(), protocol), "p.toml");
  const int palm = body_index(problem, "palm");
  std::vector<double> parameters = parameters_of(problem, 0, 0);
  // The part out of the way.
  parameters[static_cast<std::size_t>(parameter_layout(problem.scene).pose(body_index(problem, "part")))] += 10.0;
  Simulation simulation(compile_model(problem.scene),
                        derive_options(problem.options, problem.scene, problem.arithmetic), parameters);
  while (simulation.outcome().time < 0.25 && simulation.step()) {
  }
  const SpatialPose at = simulation.spatial_pose(palm);
  EXPECT_NEAR(at.position.x, 0.0, 1e-9);
  EXPECT_NEAR(at.position.y, 0.001, 1e-9);
  EXPECT_NEAR(at.position.z, 0.09, 1e-9);
  EXPECT_NEAR(at.turn.x, 0.3826834323650898, 1e-9);
}

// The draws of a pose error have the covariance that was asked for, along the gripper's axes.
TEST(GraspCells, PoseErrorsHaveTheirCovariance) {
  // Half a turn about x: the gripper's z is the world's -z.
  const WrittenGrasps file("cells_error.csv", "a,0,0,0.09,0,1,0,0,0.08\n");
  const std::string matrix =
      "[grasps.pose_error]\ncovariance = [[1e-6,0,5e-7,0,0,0],[0,4e-6,0,0,0,0],[5e-7,0,1e-6,0,0,0],"
      "[0,0,0,1e-4,0,0],[0,0,0,0,0,0],[0,0,0,0,0,4e-4]]\n";
  const Problem problem = parse_problem(problem_text(file.key(), matrix), "p.toml", {{"map.samples", "4000"}});
  const int palm = body_index(problem, "palm");
  const ParameterLayout layout = parameter_layout(problem.scene);
  const Sampler sampler(problem);
  ASSERT_EQ(sampler.values(), 6u);
  EXPECT_EQ(sampled_columns(problem)[5].name, "pose_error.turn_z");
  double xx = 0.0, xz = 0.0, yy = 0.0, rz = 0.0;
  std::vector<double> parameters(sampler.parameters()), values(6);
  for (int k = 0; k < 4000; ++k) {
    sampler.draw(0, k, parameters, values);
    const double* p = parameters.data() + layout.pose(palm);
    const double* tilt = parameters.data() + layout.tilt(palm);
    EXPECT_NEAR(p[0], values[0], 1e-15);
    EXPECT_NEAR(p[1], -values[1], 1e-15);
    EXPECT_NEAR(p[2], 0.09 - values[2], 1e-15);
    EXPECT_NEAR(tilt[2], -values[5], 1e-15);
    EXPECT_EQ(values[4], 0.0);
    xx += values[0] * values[0] / 4000;
    xz += values[0] * values[2] / 4000;
    yy += values[1] * values[1] / 4000;
    rz += values[5] * values[5] / 4000;
  }
  EXPECT_NEAR(xx, 1e-6, 0.08e-6);
  EXPECT_NEAR(xz, 5e-7, 0.08e-6);
  EXPECT_NEAR(yy, 4e-6, 0.3e-6);
  EXPECT_NEAR(rz, 4e-4, 0.3e-4);
}

TEST(GraspCells, PoseErrorsAreDrawnFromAList) {
  const WrittenGrasps file("cells_list.csv", "a,0,0,0.09,0,1,0,0,0.08\n");
  const std::string list =
      "[grasps.pose_error]\nalong = \"part\"\noffsets = [[0.001,0,0,0,0,0],[0,0.002,0,0,0,0.1]]\nweights = [1, 3]\n";
  const Problem problem = parse_problem(problem_text(file.key(), list), "p.toml");
  const Sampler sampler(problem);
  std::vector<double> parameters(sampler.parameters()), values(6);
  int second = 0;
  for (int k = 0; k < 400; ++k) {
    sampler.draw(0, k, parameters, values);
    const bool is_second = values[0] == 0.0;
    second += is_second ? 1 : 0;
    EXPECT_EQ(values[1], is_second ? 0.002 : 0.0);
    EXPECT_EQ(values[5], is_second ? 0.1 : 0.0);
  }
  EXPECT_NEAR(second, 300, 40);
}

SuccessMap map_of(const Problem& problem, const std::string& name) {
  const fs::path out = fs::path(testing::TempDir()) / (std::to_string(getpid()) + "_" + name);
  fs::remove_all(out);
  const std::unique_ptr<Backend> backend = make_backend(BackendKind::cpu, problem.arithmetic, 1);
  MapOptions options;
  options.out = out;
  options.step_check = 0.0;
  SuccessMap map = run_map(problem, *backend, options);
  write_map(map, problem, out);
  finish_map(map, problem, out);
  return map;
}

TEST(GraspCells, GoodAndBadGraspsHaveTheirReasons) {
  const WrittenGrasps file("cells_reasons.csv", three_grasps);
  const Problem problem = parse_problem(problem_text(file.key()), "p.toml", {{"map.samples", "1"}});
  const SuccessMap map = map_of(problem, "cells_reasons");
  const auto failures = [&](std::size_t cell, GraspFailure failure) {
    return map.cells[cell].grasp.failures[static_cast<std::size_t>(failure)];
  };
  EXPECT_EQ(map.cells[0].p, 1.0);
  EXPECT_LT(map.cells[0].grasp.slip, 0.005);
  EXPECT_NEAR(map.cells[0].grasp.force_max, 40.0, 8.0) << "two fingers of 20 N";
  EXPECT_EQ(failures(1, GraspFailure::never_touched), 1);
  EXPECT_EQ(failures(2, GraspFailure::in_collision), 1);
  EXPECT_EQ(map.outcomes[2].steps, 0) << "a trial that begins in collision ends there";
  EXPECT_NEAR(map.outcomes[2].start_overlap, 0.015, 1e-9);
  EXPECT_EQ(map.cells[2].unresolved, 0);
  const fs::path out = fs::path(testing::TempDir()) / (std::to_string(getpid()) + "_cells_reasons");
  const std::string csv = test::content(out / "grasps.csv");
  EXPECT_NE(csv.find("\ngood,1,1,0,1,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\ninside,1,0,0,0,"), std::string::npos) << csv;
  const GraspSet scored = read_grasps(out / "scored_grasps.csv", GraspFormat::csv);
  EXPECT_EQ(scored.grasps[0].confidence, 1.0);
  EXPECT_EQ(scored.grasps[2].confidence, 0.0);
  EXPECT_EQ(scored.grasps[1].position.x, 0.2);
  EXPECT_TRUE(fs::exists(out / "grasps.h5"));
  fs::remove_all(out);
}

// A gripper of six lines, whose frame lies between its pads and approaches along -z: its own times give way to the
// protocol's.
TEST(GraspCells, PlaceAParametricGripper) {
  const WrittenGrasps file("cells_jaw.csv", "middle,0,0,0,1,0,0,0,\n");
  const Problem problem = parse_problem(
      "dim = 3\n[[body]]\nname = \"part\"\nmass_kg = 0.2\n[[body.part]]\nshape = \"box\"\nsize_mm = [40, 60, 30]\n"
      "[gripper]\nkind = \"parallel_jaw\"\nopening_mm = 70\nfinger_mm = [10, 20, 60]\nforce_n = 20\nfriction = 0.5\n"
      "approach_mm = 50\nlift_mm = 20\n[grasps]\n" +
          file.key(),
      "p.toml", {{"map.samples", "1"}});
  EXPECT_EQ(problem.scene.watch.base, body_index(problem, "gripper"));
  const SuccessMap map = map_of(problem, "cells_jaw");
  EXPECT_EQ(map.cells[0].p, 1.0);
  EXPECT_LT(map.cells[0].grasp.slip, 0.005);
  EXPECT_GT(map.outcomes[0].touch_first, 0.0);
}

// What a resolved problem says makes the same problem.
TEST(GraspCells, TheResolvedProblemStandsAlone) {
  const WrittenGrasps file("cells_resolved.csv", three_grasps);
  const Problem problem = parse_problem(problem_text(file.key(), "[grasps.pose_error]\nsd_mm = [1, 1, 1]\n"), "p.toml");
  EXPECT_NE(problem.resolved_toml.find("[[protocol.phase]]"), std::string::npos);
  const Problem again = parse_problem(problem.resolved_toml, "resolved.toml");
  EXPECT_EQ(again.resolved_toml, problem.resolved_toml);
  EXPECT_EQ(again.options.duration, problem.options.duration);
  EXPECT_EQ(again.grasps.values(0, 3), problem.grasps.values(0, 3));
  EXPECT_EQ(parameters_of(again, 1, 2), parameters_of(problem, 1, 2));
}

// A sampler that knows some of the grasps draws what one that knows all does.
TEST(GraspCells, SomeAreDrawnAsAllAre) {
  const WrittenGrasps file("cells_some.csv", three_grasps);
  for (const char* sampling : {"random", "sobol"}) {
    const Problem problem =
        parse_problem(problem_text(file.key(), "[grasps.pose_error]\nsd_mm = [1, 1, 1]\n"), "p.toml",
                      {{"map.sampling", "\"" + std::string(sampling) + "\""}, {"map.samples", "32"}});
    const Sampler all(problem), some(problem, GraspRange{1, 2});
    std::vector<double> a(all.parameters()), b(all.parameters()), drawn_a(all.values()), drawn_b(all.values());
    for (const int cell : {1, 2}) {
      for (const int sample : {0, 3, 15}) {
        all.draw(cell, sample, a, drawn_a);
        some.draw(cell - 1, sample, b, drawn_b);
        EXPECT_EQ(a, b);
        EXPECT_EQ(drawn_a, drawn_b);
      }
    }
    EXPECT_NE(parameters_of(problem, 0, 0), parameters_of(problem, 1, 0));
  }
}

TEST(GraspCells, TheExampleHasItsUncertainties) {
  const Problem problem = load_problem(test::source_file("examples/evaluate/block.toml"));
  EXPECT_EQ(problem.grid.cells(), 22);
  std::vector<std::string> names;
  for (const SampledColumn& column : sampled_columns(problem)) names.push_back(column.name);
  for (const char* name : {"friction", "part.mass", "part.centre_x", "grasps.force", "pose_error.turn_y"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  // The motor's limit follows the force that is drawn: two fingers, and half as much for friction.
  const Sampler sampler(problem);
  std::vector<double> parameters(sampler.parameters()), values(sampler.values());
  sampler.draw(3, 7, parameters, values);
  const auto force = static_cast<std::size_t>(std::find(names.begin(), names.end(), "grasps.force") - names.begin());
  const int motor = parameter_layout(problem.scene).actuator(0) + ParameterLayout::actuator_limit;
  EXPECT_NEAR(parameters[static_cast<std::size_t>(motor)], 3.0 * values[force], 1e-12);
}

struct Refused {
  const char* name;
  const char* grasps;
  const char* more;
  const char* says;
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }
class RefusedGrasps : public testing::TestWithParam<Refused> {};

TEST_P(RefusedGrasps, SayWhatToDo) {
  const WrittenGrasps file("cells_refused.csv", three_grasps);
  const std::string text = problem_text(file.key() + GetParam().grasps, GetParam().more);
  const std::string said = test::refusal([&] { parse_problem(text, "p.toml"); });
  EXPECT_NE(said.find(GetParam().says), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
}

const Refused refused_grasps[] = {
    {"protocol", "protocol = \"lfit\"", "", "did you mean \"lift\""},
    {"protocol_file", "protocol = \"./absent.toml\"", "", "no such file"},
    {"grid", "", "[grid]\nx_mm = [0, 1]\n", "stands beside [grasps]"},
    {"gravity", "", "[gravity]\nz_m_s2 = -9.81\n", "pulls the part by its weight"},
    {"duration", "", "[simulation]\nduration_s = 9\n", "is not what the protocol lasts"},
    {"axes", "closing = [0, 0.6, 0.8]", "", "is not square to approach"},
    {"fingers", "fingers = [\"left\"]", "", "has no joint \"left\""},
    {"format", "format = \"isaac\"", "", "cells_refused.csv"},
    {"two_errors", "", "[grasps.pose_error]\nsd_mm = [1, 1, 1]\noffsets = [[0,0,0,0,0,0]]\n", "give one"},
    {"no_covariance", "",
     "[grasps.pose_error]\ncovariance = [[-1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],"
     "[0,0,0,0,0,1]]\n",
     "is no covariance"},
};
INSTANTIATE_TEST_SUITE_P(All, RefusedGrasps, testing::ValuesIn(refused_grasps),
                         [](const testing::TestParamInfo<Refused>& refused) { return refused.param.name; });

}  // namespace
}  // namespace pegrasp
