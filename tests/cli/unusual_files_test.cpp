// SPDX-License-Identifier: Apache-2.0
// Pipes, folders, links and names that a terminal would obey, as arguments of the command line.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "pegrasp/version.hpp"
#include "src/formats/urdf_file.hpp"
#include "tests/cli/child.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::written;

struct CliFiles : testing::Test {
  Folder folder;

  void expect_refusal(const std::vector<std::string>& words, const std::string& said) {
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 2) << words[0];
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_NE(done.err.find(said), std::string::npos) << done.err;
  }
};

TEST_F(CliFiles, WhatIsNoFileIsNotWaitedFor) {
  const std::string pipe = (folder.path() / "pipe.toml").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const char* command : {"run", "check", "map", "merge"}) {
    std::vector<std::string> words{command, "/dev/zero"};
    if (words[0] == "map" || words[0] == "merge")
      words.insert(words.end(), {"--out", (folder.path() / "out").string()});
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 2) << command << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  }
  expect_refusal({"merge", pipe, "--out", (folder.path() / "out").string()}, "is no file, but a pipe");
  expect_refusal({"check", folder.path().string()}, "is a directory");
  expect_refusal({"check", "/proc/self/mem"}, "cannot be read beyond byte 0");
  std::filesystem::create_directory(folder.path() / "mesh.obj");
  const auto problem = written(folder.path() / "p.toml",
                               "dim = 3\n[simulation]\nduration_s = 1\n[[body]]\nname = \"a\"\nmass_kg = "
                               "1\n[[body.part]]\nshape = \"mesh\"\nfile = \"mesh.obj\"\n");
  expect_refusal({"check", problem.string()}, "mesh.obj: is a directory: name a file");
  std::filesystem::remove(folder.path() / "mesh.obj");
  ASSERT_EQ(::mkfifo((folder.path() / "mesh.obj").c_str(), 0600), 0);
  expect_refusal({"check", problem.string()}, "mesh.obj: is a pipe: name a file");
}

TEST_F(CliFiles, AProblemMayComeThroughAPipe) {
  const std::string pipe = (folder.path() / "pipe.toml").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // The reader opens a pipe without waiting for a writer, so that the writer must be there first, as in check <(...).
  const int handle = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(handle, 0);
  std::thread writer([&] {
    const std::string text = test::content(test::source_file("examples/gear/gear.toml"));
    EXPECT_EQ(::write(handle, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::usleep(200'000);
    ::close(handle);
  });
  const Finished done = pegrasp_run(folder, {"check", pipe});
  writer.join();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("# size: "), std::string::npos);
}

TEST_F(CliFiles, NamesAreShownNotObeyed) {
  const auto scene = written(folder.path() / "s.json", R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, -9.81],
    "t_end": 0.02, "name": "a\u001b[2Jb", "bodies": [{"name": "\u202eball", "mass": 1, "sphere": {"radius": 0.1}},
    {"name": "ground\u009b", "static": true, "half_space": {"normal": [0, 0, 1], "offset": -0.1}}]})");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", scene.string()}, {"run", scene.string(), "--step", "1"}}) {
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.out.find('\x1b'), std::string::npos) << done.out;
    EXPECT_EQ(done.out.find("\u202e"), std::string::npos) << done.out;
    EXPECT_EQ(done.out.find("\u009b"), std::string::npos) << done.out;
  }
  // names of files and options
  const std::string odd = (folder.path() / "a\x1b[2J\nb\xff.toml").string();
  expect_refusal({"check", odd}, "a\\x1b[2J\\x0ab\\xff.toml: no such file");
  expect_refusal({"check", test::source_file("examples/gear/gear.toml"), "--\x1b[2J"}, "\\x1b[2J");
  expect_refusal({"run", scene.string(), "--set", "x\x1b=1"}, "\\x1b");
}

TEST_F(CliFiles, JournalsDoNotFollowLinks) {
  const std::string gear = test::source_file("examples/gear/gear.toml");
  const auto out = folder.path() / "out";
  std::filesystem::create_directory(out);
  written(folder.path() / "precious", "precious");
  std::filesystem::create_symlink(folder.path() / "precious", out / "samples.journal");
  const Finished done = pegrasp_run(folder, {"map", gear, "--samples", "1", "--out", out.string(), "--no-plot"});
  EXPECT_EQ(done.code, 2) << done.out;
  EXPECT_NE(done.err.find("is a symbolic link"), std::string::npos) << done.err;
  EXPECT_EQ(test::content(folder.path() / "precious"), "precious");
}

TEST_F(CliFiles, HullsOfARobotsMeshes) {
  if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  written(folder.path() / "l.obj", test::l_shape_obj());
  written(folder.path() / "r.urdf",
          R"(<robot name="r"><link name="base"/><joint name="j" type="continuous"><parent link="base"/>
    <child link="l"/><axis xyz="0 0 1"/></joint><link name="l"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1"/>
    </inertial><collision><geometry><mesh filename="l.obj"/></geometry></collision></link></robot>)");
  const auto problem =
      written(folder.path() / "p.toml", "dim = 3\n[simulation]\nduration_s = 1\n[[urdf]]\nfile = \"r.urdf\"\n");
  expect_refusal({"check", problem.string()}, "hull = true");
  const Finished done = pegrasp_run(folder, {"check", problem.string(), "--urdf-hull"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("hull = true\n"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("\"l\" is the convex hull of the mesh"), std::string::npos) << done.out;
  std::vector<std::string> words{"run", problem.string(), "--urdf-hull", "--cell", "0", "--sample", "0"};
  const Finished run = pegrasp_run(folder, words);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("meshes: "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("cm^3 added, surface moved outwards"), std::string::npos) << run.out;
  words.emplace_back("--json");
  EXPECT_EQ(nlohmann::json::parse(pegrasp_run(folder, words).out)["meshes"].size(), 1u);
}

// A stand-in for CoACD, which cuts a mesh at x = 1.
struct CliConvexify : CliFiles {
  void SetUp() override {
    std::filesystem::create_directory(folder.path() / "packages");
    written(folder.path() / "packages" / "coacd.py", R"(import numpy as np

class Mesh:
    def __init__(self, vertices, indices):
        self.vertices, self.indices = vertices, indices

def box(low, high):
    vertices = np.array([[(low, high)[k >> j & 1][j] for j in range(3)] for k in range(8)])
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return vertices, np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])

def run_coacd(mesh, threshold=0.05, max_convex_hull=-1, seed=None):
    assert mesh.indices.shape == (20, 3) and seed == 0, (mesh.indices.shape, seed)
    with open("CALLS", "a") as calls:
        calls.write(f"{threshold} {max_convex_hull}\n")
    return [box((0, 0, 0), (1, 2, 1)), box((1, 0, 0), (2, 1, 1))]
)");
    std::string module = test::content(folder.path() / "packages" / "coacd.py");
    module.replace(module.find("CALLS"), 5, (folder.path() / "calls").string());
    written(folder.path() / "packages" / "coacd.py", module);
    written(folder.path() / "l.obj", test::l_shape_obj());
    ::setenv("PYTHONPATH", (folder.path() / "packages").c_str(), 1);
    ::setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1);
    if (std::system("python3 -c 'import numpy, coacd' 2>&- || /usr/bin/python3 -c 'import numpy, coacd' 2>&-") != 0)
      GTEST_SKIP() << "python3 has no numpy";
  }
  void TearDown() override {
    ::unsetenv("PYTHONPATH");
    ::unsetenv("XDG_CACHE_HOME");
  }
  std::string path(const char* name) const { return (folder.path() / name).string(); }
};

TEST_F(CliConvexify, WritesPartsAndWhatChanged) {
  const std::vector<std::string> words{"convexify", path("l.obj"), "--out", path("parts.obj"), "--json"};
  const Finished done = pegrasp_run(folder, words);
  ASSERT_EQ(done.code, 0) << done.err;
  const nlohmann::json report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["parts"], 2);
  EXPECT_NEAR(report["volume_before_m3"].get<double>(), 3.0, 1e-9);
  EXPECT_NEAR(report["volume_after_m3"].get<double>(), 3.0, 1e-9);
  EXPECT_LT(report["mesh_to_parts_m"].get<double>(), 1e-9);
  EXPECT_LT(report["parts_to_mesh_m"].get<double>(), 1e-9);
  EXPECT_EQ(report["cached"], false);
  EXPECT_EQ(report["version"], version::number);
  EXPECT_EQ(report["git"], version::git);
  const std::string parts = test::content(path("parts.obj"));
  EXPECT_NE(parts.find("o part_2\n"), std::string::npos);
  // once more: from the cache, the same bytes
  std::filesystem::remove(path("parts.obj"));
  EXPECT_EQ(nlohmann::json::parse(pegrasp_run(folder, words).out)["cached"], true);
  EXPECT_EQ(test::content(path("parts.obj")), parts);
  EXPECT_EQ(test::content(path("calls")), "0.05 -1\n");
  // other options, another result
  EXPECT_EQ(pegrasp_run(folder, {"convexify", path("l.obj"), "--out", path("parts.obj"), "--threshold", "0.1",
                                 "--max-parts", "4"})
                .code,
            0);
  EXPECT_EQ(test::content(path("calls")), "0.05 -1\n0.1 4\n");
  expect_refusal({"convexify", path("l.obj"), "--out", path("l.obj")}, "is the mesh itself");
}

// Ctrl-C reaches both programs.
TEST_F(CliConvexify, NothingIsLeftOfOneThatIsInterrupted) {
  std::string module = test::content(path("packages/coacd.py"));
  module +=
      "import os, signal\ndef run_coacd(*words, **more):\n"
      "    os.kill(os.getppid(), signal.SIGINT)\n    os.kill(os.getpid(), signal.SIGINT)\n";
  written(folder.path() / "packages" / "coacd.py", module);
  EXPECT_NE(pegrasp_run(folder, {"convexify", path("l.obj"), "--out", path("parts.obj")}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("parts.obj")));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    EXPECT_NE(entry.path().extension(), ".in") << entry.path();
  }
}

TEST_F(CliConvexify, OfAPartOfAProblem) {
  const auto problem = written(folder.path() / "p.toml", R"(dim = 3
[simulation]
duration_s = 1
[[body]]
name = "a"
mass_kg = 1
[[body.part]]
shape = "mesh"
file = "l.obj"
scale = 0.01
convexify = true
)");
  const Finished done = pegrasp_run(folder, {"check", problem.string()});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("convexify_threshold = 0.05"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("pieces = \""), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("is divided by CoACD: 2 parts, volume 3 cm^3 became 3 cm^3"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("2 parts, 16 corners"), std::string::npos) << done.out;
  // the resolved problem refuses other parts
  std::string resolved = done.out.substr(0, done.out.find("\n# "));
  const std::size_t at = resolved.find("pieces = \"") + 10;
  resolved[at] = resolved[at] == '0' ? '1' : '0';
  expect_refusal({"check", written(folder.path() / "r.toml", resolved).string()}, "is of other parts");
}

TEST_F(CliConvexify, WithoutItThereIsALineHowToGetIt) {
  ::setenv("PYTHONPATH", "", 1);
  written(folder.path() / "packages" / "coacd.py", "raise ImportError(\"No module named 'coacd'\")\n");
  ::setenv("PYTHONPATH", (folder.path() / "packages").c_str(), 1);
  expect_refusal({"convexify", path("l.obj"), "--out", path("parts.obj")}, "pip install coacd");
  EXPECT_FALSE(std::filesystem::exists(path("parts.obj")));
}

}  // namespace
}  // namespace pegrasp
