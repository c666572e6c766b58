// SPDX-License-Identifier: Apache-2.0
// pegrasp identify as a child process: refusals, and the same bytes by any threads and after a stop.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/child.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;
using test::Child;
using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;

// A puck that slides from 1 m/s without end, in steps of h [ms].
std::string sliding(double h) {
  return "[simulation]\nduration_s = 0.2\nh_ms = " + std::to_string(h) + R"(
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = 1000
support = { radius_mm = 7, friction = 0.1 }
[[body.part]]
shape = "disc"
radius_mm = 10
)";
}
const char* const wall = R"([[body]]
name = "wall"
kind = "fixed"
x_mm = 2000
[[body.part]]
shape = "disc"
radius_mm = 10
)";

// As friction mu moves it: x = t - mu g t^2 / 2, every 20 ms.
std::string seen(double mu) {
  std::string out = "time,body,x,y,theta\n";
  for (int k = 0; k <= 10; ++k) {
    const double t = 0.02 * k;
    out += std::to_string(t) + ",puck," + std::to_string(t - 0.5 * mu * 9.81 * t * t) + ",0,0\n";
  }
  return out;
}

std::string written(const Folder& folder, const char* name, const std::string& text) {
  std::ofstream(folder.path() / name) << text;
  return (folder.path() / name).string();
}

struct Refusal {
  const char* name;
  std::vector<std::string> words;  // FILE and TRACK stand for the two files
  std::string problem, track;
  std::vector<std::string> said;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class RefusedIdentify : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedIdentify, SaysWhyInOneLineAndWritesNothing) {
  const Refusal& refusal = GetParam();
  const Folder folder;
  const std::string file = written(folder, "puck.toml", refusal.problem);
  const std::string track = written(folder, "track.csv", refusal.track);
  const fs::path out = folder.path() / "out";
  std::vector<std::string> words{"identify", "--out", out.string(), "--no-plot"};
  for (const std::string& word : refusal.words) words.push_back(word == "FILE" ? file : word == "TRACK" ? track : word);
  const Finished done = pegrasp_run(folder, words);
  EXPECT_EQ(done.code, 2) << done.out << done.err;
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  for (const std::string& part : refusal.said) EXPECT_NE(done.err.find(part), std::string::npos) << done.err;
  EXPECT_FALSE(fs::exists(out));
}

std::vector<std::string> fit(const std::string& key, const std::vector<std::string>& more = {}) {
  std::vector<std::string> out{"FILE", "--data", "TRACK", "--fit", key};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}
const std::string friction = "body.puck.support.friction";
const std::string puck = sliding(10.0), good = seen(0.3);

const Refusal refusals[] = {
    {"NoProblem", {"no.toml", "--data", "TRACK", "--fit", friction}, puck, good, {"no.toml: no such file"}},
    {"NoTrack", {"FILE", "--data", "no.csv", "--fit", friction}, puck, good, {"no.csv: no such file"}},
    {"NoData", {"FILE", "--fit", friction}, puck, good, {"--data is required"}},
    {"NoFit", {"FILE", "--data", "TRACK"}, puck, good, {"--fit is required"}},
    {"UnknownKey", fit("body.puck.grip:0:1"), puck, good, {"puck.toml: body.puck.grip: the problem has no number"}},
    {"KeyOfAWord", fit("body.puck.name"), puck, good, {"puck.toml: body.puck.name: the problem has no number"}},
    {"KeyOfTheStep", fit("simulation.h_ms"), puck, good, {"puck.toml: --fit simulation.h_ms: is no parameter"}},
    {"KeyOfTheTime", fit("simulation.duration_s"), puck, good, {"--fit simulation.duration_s: is no parameter"}},
    {"KeyOfAShape", fit("body.puck.part.0.radius_mm"), puck, good, {"--fit body.puck.part.0.radius_mm: is no"}},
    {"OnAGpu", fit(friction, {"--backend", "cuda"}), puck, good, {"--backend cuda", "on the host's cores"}},
    {"EmptyKey", fit(":0:1"), puck, good, {"--fit :0:1: names no key"}},
    {"LowAboveHigh", fit(friction + ":1:0"), puck, good, {"low is not below high"}},
    {"OneBound", fit(friction + ":1"), puck, good, {"write KEY:low:high"}},
    {"BoundOfNaN", fit(friction + ":nan:1"), puck, good, {"\"nan\" is no number"}},
    {"OutsideBounds", fit(friction + ":0.2:1"), puck, good, {"0.1, is not within 0.2 to 1"}},
    {"KeyTwice", fit(friction, {"--fit", friction}), puck, good, {"two parameters are called " + friction}},
    {"UnknownBody", fit(friction), puck, "time,body,x,y\n0,cup,0,0\n", {"track.csv: line 2", "no body \"cup\""}},
    {"FixedBody", fit(friction), puck + wall, "time,body,x,y\n0,wall,0,0\n", {"track.csv: line 2", "not dynamic"}},
    {"NaNInTrack", fit(friction), puck, "time,x,y\n0,0,0\n0.02,nan,0\n", {"track.csv: line 3: \"nan\" in column x"}},
    {"EmptyTrack", fit(friction), puck, "", {"track.csv: has no row"}},
    {"NoRow", fit(friction), puck, "time,x,y\n", {"track.csv: has no row"}},
    {"TimesBack",
     fit(friction),
     puck,
     "time,x,y\n0,0,0\n0.04,0,0\n0.02,0,0\n",
     {"track.csv: line 4: time 0.02 of body \"puck\" does not come after 0.04", "sort the rows"}},
    {"TimeTwice", fit(friction), puck, "time,x,y\n0,0,0\n0.04,0,0\n0.04,1,0\n", {"track.csv: line 4"}},
    {"HalfAStep",
     fit(friction),
     puck,
     "time,x,y\n0,0,0\n0.025,0,0\n0.05,0,0\n",
     {"track.csv: line 3: time 0.025 is 2.5 steps of 10 ms", "simulation.h_ms = 8.333333333"}},
    {"StepTooLong",
     fit(friction, {"--set", "simulation.h_ms=50"}),
     puck,
     good,
     {"track.csv: line 3: time 0.02 is 0.4 steps of 50 ms", "simulation.h_ms = 20,"}},
    {"UnknownMethod", fit(friction, {"--method", "filter"}), puck, good, {"--method filter: is none"}},
    {"WindowOfNothing", fit(friction, {"--method", "window:"}), puck, good, {"--method window:: is none"}},
    {"ShortWindow", fit(friction, {"--method", "window:2"}), puck, good, {"3 times or more"}},
    {"LongWindow", fit(friction, {"--method", "window:12"}), puck, good, {"the 11 of this track at most"}},
    {"GapInAWindow",
     fit(friction, {"--method", "window:3"}),
     puck,
     "time,x,y\n0,0,0\n0.02,0.01,0\n0.06,0.02,0\n0.08,0.03,0\n",
     {"no row of some body at 0.040000 s", "--method batch"}},
    {"NoDynamicBody", fit("body.wall.x_mm"), wall, good, {"puck.toml:1: body: there is no dynamic body"}},
    {"NoNoise", fit(friction, {"--noise-mm", "0"}), puck, good, {"--noise-mm: 0 must be a number above 0"}},
};
INSTANTIATE_TEST_SUITE_P(Cases, RefusedIdentify, testing::ValuesIn(refusals),
                         [](const auto& info) { return std::string(info.param.name); });

// A mass that walks below 0 is refused when its particle is simulated; the other particles go on.
TEST(IdentifyCommand, GoesOnWithoutParticlesThatAreRefused) {
  const Folder folder;
  const std::string file = written(folder, "puck.toml", puck), track = written(folder, "track.csv", good);
  const fs::path out = folder.path() / "out";
  const Finished done =
      pegrasp_run(folder, {"identify", file, "--data", track, "--fit", "body.puck.mass_kg", "--method", "particles",
                           "--particles", "20", "--walk", "1", "--out", out.string(), "--no-plot", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.err;
  const std::string estimate = content(out / "estimate.csv");
  EXPECT_GT(std::count(estimate.begin(), estimate.end(), '\n'), 2);
  EXPECT_EQ(estimate.find("nan"), std::string::npos) << estimate;
}

// A friction that stops the puck within an interval, with the stop rule: the filter takes the pose where it stands.
TEST(IdentifyCommand, FollowsAPuckThatComesToRestWithinAnInterval) {
  const Folder folder;
  const std::string file = written(folder, "puck.toml", puck);
  // v = 1 - 0.5 g t is 0 at 0.2039 s, at x = 0.10194 m.
  std::string track = "time,x,y\n";
  for (const double t : {0.0, 0.4, 0.8}) {
    const double moving = std::min(t, 1.0 / 4.905);
    track += std::to_string(t) + "," + std::to_string(moving - 0.5 * 4.905 * moving * moving) + ",0\n";
  }
  const Finished done = pegrasp_run(folder, {"identify",    file,
                                             "--data",      written(folder, "track.csv", track),
                                             "--fit",       friction,
                                             "--set",       friction + "=0.5",
                                             "--set",       "simulation.still_time_ms=20",
                                             "--set",       "simulation.still_speed_mm_s=1",
                                             "--method",    "particles",
                                             "--particles", "10",
                                             "--walk",      "1e-6",
                                             "--out",       (folder.path() / "out").string(),
                                             "--no-plot",   "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const std::string table = content(folder.path() / "out" / "estimate.csv");
  const std::size_t last = table.rfind("\n0.8,puck,");
  ASSERT_NE(last, std::string::npos) << table;
  EXPECT_NEAR(std::stod(table.substr(last + 10)), 0.10194, 2e-3) << table;  // of 10 ms steps
}

struct Stopped {
  const char* method;
  int signal;
};
void PrintTo(const Stopped& one, std::ostream* out) { *out << one.method << " " << one.signal; }

class StoppedIdentifyLong : public testing::TestWithParam<Stopped> {};

TEST_P(StoppedIdentifyLong, GoesOnToTheSameBytesWhateverTheThreads) {
  const Folder folder;
  const std::string file = written(folder, "puck.toml", sliding(0.1));
  const std::string track = written(folder, "track.csv", good);
  const fs::path one = folder.path() / "one", two = folder.path() / "two";
  const auto words = [&](const fs::path& out, const char* threads, bool resume) {
    std::vector<std::string> all{
        "identify",          file,       "--data",          track,         "--fit", friction + ":0:1", "--fit",
        "body.puck.vx_mm_s", "--method", GetParam().method, "--particles", "50",    "--out",           out.string(),
        "--threads",         threads,    "--no-plot"};
    if (resume) all.emplace_back("--resume");
    return all;
  };
  const Finished whole = pegrasp_run(folder, words(one, "1", false));
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_FALSE(fs::exists(one / "evaluations.journal"));
  {
    const Child child(folder, words(two, "2", false));
    child.wait_until_it_catches(SIGINT);
    const fs::path journal = two / "evaluations.journal";
    std::error_code error;
    const auto size = [&] {
      const std::uintmax_t bytes = fs::file_size(journal, error);
      return error ? 0 : bytes;
    };
    while (child.running() && size() < 400) ::usleep(500);
    child.send(GetParam().signal);
    const Finished stopped = child.wait();
    if (GetParam().signal == SIGINT) {
      ASSERT_EQ(stopped.code, 130) << stopped.err;
      EXPECT_NE(stopped.err.find("--resume"), std::string::npos) << stopped.err;
    } else {
      ASSERT_EQ(stopped.signal, SIGKILL) << "it must not end before it is killed";
    }
    EXPECT_GT(size(), 100u);
    EXPECT_FALSE(fs::exists(two / "estimate.csv"));
  }
  const Finished other = pegrasp_run(folder, {"identify", file, "--data", track, "--fit", friction, "--method",
                                              GetParam().method, "--out", two.string(), "--no-plot", "--resume"});
  EXPECT_EQ(other.code, 2) << "it must not take the journal of another search";
  EXPECT_NE(other.err.find("belongs to another problem"), std::string::npos) << other.err;
  const Finished rest = pegrasp_run(folder, words(two, "2", true));
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(content(one / "estimate.csv"), content(two / "estimate.csv"));
  const auto but_device = [](const std::string& text) { return text.substr(0, text.find("\"device\"")); };
  const std::string found = but_device(content(one / "estimate.json"));
  EXPECT_GT(found.size(), 500u);
  EXPECT_EQ(found, but_device(content(two / "estimate.json")));
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedIdentifyLong,
                         testing::Values(Stopped{"batch", SIGINT}, Stopped{"batch", SIGKILL},
                                         Stopped{"window:5", SIGINT}, Stopped{"window:5", SIGKILL},
                                         Stopped{"particles", SIGINT}, Stopped{"particles", SIGKILL}));

// What lives on depends on what was seen, and how well: another noise must not take up the particles of this one.
TEST(IdentifyCommandLong, ParticlesOfAnotherNoiseOrTrackAreNotResumed) {
  const Folder folder;
  const std::string file = written(folder, "puck.toml", sliding(0.1));
  const std::string track = written(folder, "track.csv", good), else_where = written(folder, "b.csv", seen(0.5));
  const std::string out = (folder.path() / "out").string();
  const auto words = [&](const std::string& data, const char* noise) {
    return std::vector<std::string>{"identify",    file,        "--data",    data,      "--fit",      friction + ":0:1",
                                    "--method",    "particles", "--out",     out,       "--noise-mm", noise,
                                    "--particles", "200",       "--no-plot", "--resume"};
  };
  {
    const Child child(folder, words(track, "1"));
    child.wait_until_it_catches(SIGINT);
    std::error_code error;
    while (child.running() && (fs::file_size(out + "/evaluations.journal", error) < 400 || error)) ::usleep(500);
    child.send(SIGKILL);
    ASSERT_EQ(child.wait().signal, SIGKILL);
  }
  for (const Finished& done : {pegrasp_run(folder, words(track, "2")), pegrasp_run(folder, words(else_where, "1"))}) {
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find("belongs to another problem"), std::string::npos) << done.err;
  }
}

}  // namespace
}  // namespace pegrasp
