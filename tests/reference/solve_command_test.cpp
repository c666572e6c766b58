// SPDX-License-Identifier: Apache-2.0
// pegrasp dump and pegrasp solve: what a scene's steps become, that solvers agree on them, what is refused and how.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pegrasp/version.hpp"
#include "src/reference/reference.hpp"
#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

const std::string stack = source_file("examples/scenes/stack.json");

std::string path_in(const Folder& folder, const std::string& name) { return (folder.path() / name).string(); }

int lines(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

TEST(CliDump, FormsOfOneStepAreWritten) {
  Folder folder;
  for (const std::string form : {"lcp", "mixed", "quadratic", "fclib"}) {
    SCOPED_TRACE(form);
    const std::string file = path_in(folder, form + ".h5");
    const Finished done =
        pegrasp_run(folder, {"dump", stack, "--steps", "100:102", "--h", "0.01", "--form", form, "--out", file});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.out.find("3 problems (pair-modes, " + form + ")"), std::string::npos) << done.out;
    const auto problems = reference::load_problems(file);
    ASSERT_EQ(problems.size(), 3u);
    for (int k = 0; k < 3; ++k) {
      const reference::StoredProblem& problem = problems[static_cast<std::size_t>(k)];
      EXPECT_EQ(problem.step, 100 + k);
      EXPECT_EQ(problem.h, 0.01);
      EXPECT_EQ(problem.content.index(), form == "fclib" ? 1u : 0u);
      if (const auto* mcp = std::get_if<reference::StoredMcp>(&problem.content)) {
        EXPECT_EQ(mcp->quadratic.empty(), form != "quadratic");
        EXPECT_EQ(mcp->linearised == nullptr, form != "quadratic");
        EXPECT_EQ(static_cast<Eigen::Index>(mcp->kinds.size()), mcp->q.size());
      }
    }
  }
}

// Whichever way the step is written, whichever solver is asked: the same steps are solved.
TEST(CliSolve, SolversAgreeOnTheStepsOfAStack) {
  Folder folder;
  const std::string mixed = path_in(folder, "mixed.h5");
  const std::string local = path_in(folder, "local.h5");
  ASSERT_EQ(pegrasp_run(folder, {"dump", stack, "--steps", "95:102", "--h", "0.01", "--out", mixed}).code, 0);
  ASSERT_EQ(
      pegrasp_run(folder, {"dump", stack, "--steps", "95:102", "--h", "0.01", "--form", "fclib", "--out", local}).code,
      0);
  const std::string out = path_in(folder, "out");
  const Finished done =
      pegrasp_run(folder, {"solve", mixed, local, "--solver", "path,lemke,nncg", "--out", out, "--json", "--no-plot"});
  EXPECT_EQ(done.code, 0) << done.err;
  const nlohmann::json report = nlohmann::json::parse(done.out);
  const int problems = report["problems"];
  EXPECT_GE(problems, 8);
  EXPECT_EQ(report["open"], 0);
  EXPECT_EQ(report["version"], version::number);
  EXPECT_EQ(report["git"], version::git);
  EXPECT_EQ(report["solvers"]["path"]["solved"], problems);
  EXPECT_LE(report["solvers"]["path"]["residual_max"], 1e-6);
  EXPECT_GT(report["solvers"]["nncg"]["solved"], 0);
  EXPECT_EQ(report["solvers"]["nncg"]["not_applicable"], problems / 2);  // the mixed ones have zero diagonals
  EXPECT_EQ(content(out + "/summary.json"), done.out);
  const std::string solves = content(out + "/solves.csv");
  EXPECT_EQ(solves.rfind("file,problem,solver,outcome,residual,seconds,iterations,message\n", 0), 0u);
  EXPECT_EQ(lines(solves), 1 + 3 * problems);
  const std::string profile = content(out + "/profile.csv");
  EXPECT_EQ(profile.rfind("tau,path,lemke,nncg\n1,", 0), 0u);
  EXPECT_FALSE(std::filesystem::exists(out + "/profile.png"));
}

TEST(CliSolve, FclibFilesOfOthersAreSolvedAndAPictureIsDrawn) {
  Folder folder;
  const std::string out = path_in(folder, "out");
  const Finished done = pegrasp_run(
      folder, {"solve", source_file("tests/data/fclib/columns.h5"), source_file("tests/data/fclib/global.h5"),
               "--solver", "path,pgs,aj", "--tolerance", "1e-9", "--out", out});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out.rfind("2 problems, tolerance 1e-09\n", 0), 0u) << done.out;
  EXPECT_EQ(lines(done.out), 6) << done.out;
  if (done.err.empty()) {
    EXPECT_EQ(content(out + "/profile.png").substr(1, 3), "PNG");
  } else {
    EXPECT_EQ(done.err.rfind("pegrasp: no profile.png: ", 0), 0u) << done.err;
  }
}

TEST(CliSolve, OpenProblemsAreTheExitCode) {
  Folder folder;
  const Finished done =
      pegrasp_run(folder, {"solve", source_file("tests/data/fclib/rows.h5"), "--solver", "pgs", "--max-iterations", "1",
                           "--tolerance", "1e-12", "--no-plot", "--quiet", "--out", path_in(folder, "out")});
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(content(path_in(folder, "out/profile.csv")), "tau,pgs\n1,0\n");
}

// Joints are rows of the problems, and their impulses variables.
TEST(CliDump, JointsIn2D) {
  Folder folder;
  const std::string file = path_in(folder, "crank.h5");
  const Finished dumped =
      pegrasp_run(folder, {"dump", source_file("examples/scenes/slider_crank.json"), "--steps", "1:5", "--out", file});
  ASSERT_EQ(dumped.code, 0) << dumped.err;
  const Finished solved = pegrasp_run(folder, {"solve", file, "--no-plot", "--quiet", "--out", path_in(folder, "out")});
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_NE(content(path_in(folder, "out/solves.csv")).find("solved"), std::string::npos);
}

// A block that rests on the ground in 3D: in every form its normal impulses carry its weight for half of the step
// before and half of this one.
TEST(CliDump, ABlockAtRestIn3D) {
  Folder folder;
  const std::string scene = path_in(folder, "block.json");
  std::ofstream(scene) << R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, -10], "t_end": 1, "friction": 0.3,
      "bodies": [{"name": "ground", "static": true, "half_space": {"normal": [0, 0, 1], "offset": 0}},
                 {"name": "block", "mass": 2, "inertia_diag": [0.01, 0.01, 0.01], "position": [0, 0, 0.1],
                  "vertices": [[-0.1, -0.1, -0.1], [0.1, -0.1, -0.1], [-0.1, 0.1, -0.1], [0.1, 0.1, -0.1],
                               [-0.1, -0.1, 0.1], [0.1, -0.1, 0.1], [-0.1, 0.1, 0.1], [0.1, 0.1, 0.1]]}]})";
  for (const std::string form : {"lcp", "mixed", "quadratic", "fclib"}) {
    SCOPED_TRACE(form);
    const std::string file = path_in(folder, form + ".h5");
    const Finished done =
        pegrasp_run(folder, {"dump", scene, "--steps", "5:6", "--h", "0.01", "--form", form, "--out", file});
    ASSERT_EQ(done.code, 0) << done.err;
    for (const reference::StoredProblem& problem : reference::load_problems(file)) {
      double normal = 0.0;
      if (const auto* stored = std::get_if<reference::StoredMcp>(&problem.content)) {
        const mcp::Result result = mcp::solve(to_problem(*stored), stored->start);
        ASSERT_EQ(result.status, mcp::Status::solved) << result.message;
        for (std::size_t k = 0; k < stored->kinds.size(); ++k) {
          if (stored->kinds[k] == reference::VariableKind::normal) normal += result.x[static_cast<Eigen::Index>(k)];
        }
      } else {
        const auto& friction = std::get<reference::FrictionProblem>(problem.content);
        EXPECT_EQ(friction.dimension, 3);
        EXPECT_EQ(friction.contacts(), 4);
        continue;
      }
      EXPECT_NEAR(normal, 2.0 * 10.0 * 0.01, 1e-6);
    }
    const Finished solved = pegrasp_run(
        folder, {"solve", file, "--solver", "path,fischer-newton", "--no-plot", "--out", path_in(folder, "out")});
    EXPECT_EQ(solved.code, 0) << solved.out << solved.err;
  }
}

TEST(CliDump, BadInputIsOneLineAndLeavesNothing) {
  Folder folder;
  const std::string file = path_in(folder, "p.h5");
  const std::string limited = path_in(folder, "limited.json"), programmed = path_in(folder, "programmed.json");
  const std::string block = R"({"format": "peg-scene-1", "dim": 2, "gravity": [0, -9.81], "t_end": 1, "bodies": [
      {"name": "block", "mass": 1, "inertia_diag": [0.01, 0.01, 0.01], "vertices": [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]}], )";
  std::ofstream(limited) << block << R"("joints": [{"kind": "revolute", "bodies": ["world", "block"],
      "anchor": [0.3, 0], "turn": [-0.05, 0.1]}]})";
  std::ofstream(programmed) << block << R"("actuators": [{"body": "block", "kind": "velocity_servo", "limit": 1,
      "program": [[0, 0], [1, 1]]}]})";
  struct Case {
    std::vector<std::string> arguments;
    const char* says;
  };
  const std::vector<Case> cases{
      {{"dump", stack, "--out", file}, "--steps is required"},
      {{"dump", stack, "--steps", "0:4", "--out", file}, "--steps 0:4: is not FIRST:LAST"},
      {{"dump", stack, "--steps", "7:4", "--out", file}, "--steps 7:4: is not FIRST:LAST"},
      {{"dump", stack, "--steps", "4:x", "--out", file}, "--steps 4:x: is not FIRST:LAST"},
      {{"dump", stack, "--steps", "99999:99999", "--t-end", "0.1", "--out", file}, "the scene ends after step 20"},
      {{"dump", stack, "--steps", "1:4", "--contact", "ratio", "--out", file}, "--contact ratio: its steps are not"},
      {{"dump", stack, "--steps", "1:4", "--contact", "standard", "--out", file},
       "--contact standard: --model pair-modes writes the problems of contact model peg"},
      {{"dump", source_file("examples/scenes/polyhedron_box.json"), "--steps", "1", "--contact", "penalty", "--out",
        file},
       "--contact penalty: its steps are not"},
      {{"dump", stack, "--steps", "1", "--out", file, "--form", "lpc"}, "did you mean"},
      {{"dump", stack, "--steps", "1", "--out", path_in(folder, "none/p.h5")}, "make its folder first"},
      {{"dump", stack, "--steps", "1", "--cell", "0", "--out", file}, "a scene file holds one scene"},
      {{"dump", source_file("examples/puck/puck.toml"), "--steps", "1", "--out", file}, "--cell: must be given"},
      {{"dump", source_file("examples/puck/puck.toml"), "--cell", "0", "--sample", "0", "--steps", "1", "--model",
        "peg", "--out", file},
       "--model peg"},
      {{"dump", source_file("examples/puck/puck.toml"), "--cell", "0", "--sample", "0", "--steps", "1", "--form",
        "fclib", "--out", file},
       "have no contacts"},
      {{"dump", source_file("examples/gear/gear.toml"), "--cell", "5", "--sample", "0", "--steps", "1:100", "--form",
        "fclib", "--out", file},
       "no place for support points and motors"},
      {{"dump", source_file("examples/scenes/slider_crank.json"), "--steps", "1:4", "--model", "lnc", "--out", file},
       "takes no joints"},
      {{"dump", source_file("examples/scenes/sphere_on_spheres.json"), "--steps", "1", "--model", "peg", "--out", file},
       "is for polyhedra, and this scene has a round part"},
      {{"dump", source_file("examples/scenes/shoulder.json"), "--steps", "1:3", "--out", file},
       "motors of spherical joints"},
      {{"dump", source_file("examples/scenes/sphere_on_spheres.json"), "--steps", "5:6", "--out", file},
       "torsional or rolling friction"},
      {{"dump", limited, "--steps", "1:4", "--form", "fclib", "--out", file}, "no place for limits of joints"},
      {{"dump", programmed, "--steps", "1:4", "--model", "lnc", "--out", file}, "takes no programs"},
  };
  for (const Case& one : cases) {
    const Finished done = pegrasp_run(folder, one.arguments);
    EXPECT_EQ(done.code, 2) << one.says << done.out;
    EXPECT_NE(done.err.find(one.says), std::string::npos) << "expected: " << one.says << "\nsaid: " << done.err;
    EXPECT_EQ(lines(done.err), 1) << done.err;
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST(CliSolve, BadInputIsOneLine) {
  Folder folder;
  const std::string good = source_file("tests/data/fclib/rows.h5");
  const std::string text = path_in(folder, "text.h5");
  std::ofstream(text) << "no file of problems";
  const std::string cut = path_in(folder, "cut.h5");
  std::ofstream(cut, std::ios::binary) << content(good).substr(0, 4000);
  const std::string out = path_in(folder, "out");
  struct Case {
    std::vector<std::string> arguments;
    const char* says;
  };
  const std::vector<Case> cases{
      {{"solve", text, "--out", out}, "is no HDF5 file"},
      {{"solve", cut, "--out", out}, "cut off"},
      {{"solve", path_in(folder, "none.h5"), "--out", out}, "no such file"},
      {{"solve", good, "--out", out, "--solver", "pgs,patch"}, "did you mean"},
      {{"solve", good, "--out", out, "--solver", "pgs,pgs"}, "named twice"},
      {{"solve", good, "--out", out, "--solver", "path-library"}, "needs --path-library FILE"},
      {{"solve", good, "--out", out, "--path-library", "x.so"}, "give that as well"},
      {{"solve", good, "--out", text}, "cannot make the output folder"},
      {{"solve", good, "--out", out, "--tolerance", "0"}, "must be a number above 0"},
  };
  for (const Case& one : cases) {
    const Finished done = pegrasp_run(folder, one.arguments);
    EXPECT_EQ(done.code, 2) << one.says << done.out;
    EXPECT_NE(done.err.find(one.says), std::string::npos) << "expected: " << one.says << "\nsaid: " << done.err;
    EXPECT_EQ(lines(done.err), 1) << done.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

}  // namespace
}  // namespace pegrasp
