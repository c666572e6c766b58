// SPDX-License-Identifier: Apache-2.0
// Problem files: what is written is read back to the bit; files that fclib wrote are read; damage is reported, not
// crashed on.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "pegrasp/map.hpp"
#include "src/reference/io/friction_mcp.hpp"
#include "src/reference/io/hdf5_vectors.hpp"
#include "src/reference/io/problem_file.hpp"
#include "tests/files.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/reference/io_samples.hpp"
#include "tests/results/synthetic_map.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define PEGRASP_LEAKS_ARE_SEEN  // gcc
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PEGRASP_LEAKS_ARE_SEEN  // clang
#endif
#endif
#if defined(PEGRASP_LEAKS_ARE_SEEN)
// HDF5 1.10 does not give back all it took when a damaged file makes it fail: not ours to mend.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

namespace pegrasp {
namespace {

using namespace reference;
using test::Folder;
using test::same_bits;
using test::sparse;

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

// Numbers that text formats lose: no two zeros alike, the smallest number, infinities.
StoredProblem awkward_mcp() {
  StoredMcp mcp;
  Eigen::MatrixXd m(3, 3);
  m << 2.0, 0.0, -1.0 / 3.0, 0.0, std::numeric_limits<double>::denorm_min(), 0.0, 1.0 / 3.0, 0.0, 1e300;
  mcp.m = sparse(m);
  mcp.q = Eigen::Vector3d(-0.0, 0.1, -1e-300);
  mcp.lower = Eigen::Vector3d(0.0, -mcp::infinity, -1e20);
  mcp.upper = Eigen::Vector3d(mcp::infinity, 0.5, 1e20);
  mcp.start = Eigen::Vector3d(1.0 / 7.0, -0.0, 3.0);
  mcp.quadratic = {{2, 0, 1, -1.0 / 3.0}, {0, 2, 2, 0.7}};
  mcp.kinds = {VariableKind::velocity, VariableKind::normal, VariableKind::slip};
  StoredMcp linear;
  linear.m = sparse(Eigen::Matrix2d::Identity() / 3.0);
  linear.q = Eigen::Vector2d(-0.0, 0.7);
  linear.lower = linear.start = Eigen::Vector2d(0.0, -0.0);
  linear.upper = Eigen::Vector2d(mcp::infinity, 2.0);
  linear.kinds = {VariableKind::normal, VariableKind::friction};
  Eigen::MatrixXd back(3, 2);
  back << 1.0, 0.0, 0.0, -1.0 / 3.0, 0.0, 0.0;
  mcp.linearised = std::make_shared<const StoredLinearisation>(StoredLinearisation{linear, sparse(back)});
  StoredProblem problem;
  problem.name = "awkward µ";
  problem.family = "made up";
  problem.scene = "none";
  problem.formulation = "quadratic";
  problem.step = 17;
  problem.h = 1.0 / 300.0;
  problem.content = mcp;
  return problem;
}

StoredProblem friction(int dimension, bool with_start) {
  StoredProblem problem;
  FrictionProblem content = test::random_friction(dimension, 3, 5);
  if (with_start) content.start = mcp::Vector::LinSpaced(content.q.size(), -0.3, 0.4);
  problem.name = "contacts " + std::to_string(dimension);
  problem.content = content;
  return problem;
}

void expect_same(const StoredMcp& one, const StoredMcp& other) {
  EXPECT_TRUE(same_bits(one.m, other.m));
  for (const auto part : {&StoredMcp::q, &StoredMcp::lower, &StoredMcp::upper, &StoredMcp::start}) {
    EXPECT_TRUE(same_bits(one.*part, other.*part));
  }
  EXPECT_EQ(one.kinds, other.kinds);
  ASSERT_EQ(one.quadratic.size(), other.quadratic.size());
  for (std::size_t k = 0; k < one.quadratic.size(); ++k) {
    EXPECT_EQ(one.quadratic[k].row, other.quadratic[k].row);
    EXPECT_EQ(one.quadratic[k].i, other.quadratic[k].i);
    EXPECT_EQ(one.quadratic[k].j, other.quadratic[k].j);
    EXPECT_EQ(one.quadratic[k].value, other.quadratic[k].value);
  }
  ASSERT_EQ(one.linearised == nullptr, other.linearised == nullptr);
  if (one.linearised == nullptr) return;
  expect_same(one.linearised->problem, other.linearised->problem);
  EXPECT_TRUE(same_bits(one.linearised->back, other.linearised->back));
}

void expect_same(const StoredProblem& a, const StoredProblem& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.family, b.family);
  EXPECT_EQ(a.scene, b.scene);
  EXPECT_EQ(a.formulation, b.formulation);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.h, b.h);
  ASSERT_EQ(a.content.index(), b.content.index());
  if (const auto* one = std::get_if<FrictionProblem>(&a.content)) {
    const auto& other = std::get<FrictionProblem>(b.content);
    EXPECT_EQ(one->dimension, other.dimension);
    EXPECT_TRUE(same_bits(one->w, other.w));
    EXPECT_TRUE(same_bits(one->q, other.q));
    EXPECT_TRUE(same_bits(one->mu, other.mu));
    EXPECT_TRUE(same_bits(one->start, other.start));
    return;
  }
  expect_same(std::get<StoredMcp>(a.content), std::get<StoredMcp>(b.content));
}

TEST(ProblemFile, RoundTripsToTheBit) {
  Folder folder;
  const std::filesystem::path file = folder.path() / "p.h5";
  const std::vector<StoredProblem> all{awkward_mcp(), friction(2, false), friction(3, true)};
  write_bytes(file, problem_file_bytes(all));
  const std::vector<StoredProblem> back = load_problems(file);
  ASSERT_EQ(back.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) expect_same(all[k], back[k]);
  for (const StoredProblem& one : all) {
    write_bytes(file, problem_file_bytes({one}));
    const std::vector<StoredProblem> alone = load_problems(file);
    ASSERT_EQ(alone.size(), 1u);
    expect_same(one, alone.front());
  }
}

TEST(ProblemFile, CompositionStopsWhenAsked) {
  std::atomic<bool> stop{false};
  EXPECT_EQ(problem_file_bytes({friction(2, false)}, &stop).size(), problem_file_bytes({friction(2, false)}).size());
  stop = true;
  EXPECT_THROW(problem_file_bytes({friction(2, false)}, &stop), Interrupted);
  EXPECT_THROW(problem_file_bytes({friction(2, false), friction(3, true)}, &stop), Interrupted);
}

TEST(ProblemFile, OneFrictionProblemIsAnFclibFile) {
  Folder folder;
  const std::filesystem::path file = folder.path() / "p.h5";
  write_bytes(file, problem_file_bytes({friction(3, true)}));
  const reference::Hdf5Input input(file);
  // What fclib_read_local() and fclib_read_guesses() open.
  for (const char* name :
       {"/fclib_local/spacedim", "/fclib_local/W/nzmax", "/fclib_local/W/m", "/fclib_local/W/n", "/fclib_local/W/nz",
        "/fclib_local/W/p", "/fclib_local/W/i", "/fclib_local/W/x", "/fclib_local/vectors/q", "/fclib_local/vectors/mu",
        "/fclib_local/info/title", "/guesses/number_of_guesses", "/guesses/1/u", "/guesses/1/r"}) {
    EXPECT_TRUE(input.has(name)) << name;
  }
  EXPECT_EQ(input.integer("/fclib_local/spacedim"), 3);
}

// Files written by fclib itself (FrictionContactLibrary f894f34): one W in its three storages.
TEST(ProblemFile, ReadsWhatFclibWrote) {
  const auto at = [](int i, int j) {
    if ((i == 1 && j == 5) || (i == 5 && j == 1)) return -0.125;
    if (i == j) return 2.0 + 0.25 * i;
    return i % 3 == j % 3 ? 0.5 : 0.0;
  };
  const Eigen::MatrixXd expected = Eigen::MatrixXd::NullaryExpr(
      6, 6, [&](Eigen::Index i, Eigen::Index j) { return at(static_cast<int>(i), static_cast<int>(j)); });
  for (const char* name : {"triplet", "columns", "rows"}) {
    SCOPED_TRACE(name);
    const auto all = load_problems(test::source_file("tests/data/fclib/" + std::string(name) + ".h5"));
    ASSERT_EQ(all.size(), 1u);
    const auto& problem = std::get<FrictionProblem>(all.front().content);
    EXPECT_EQ(problem.dimension, 3);
    EXPECT_EQ(Eigen::MatrixXd(problem.w), expected);
    EXPECT_EQ(problem.q, (mcp::Vector(6) << -1, 0.25, -0.5, -0.75, 2, 0.125).finished());
    EXPECT_EQ(problem.mu, Eigen::Vector2d(0.5, 0.3));
    EXPECT_EQ(all.front().name, name == std::string("rows") ? "rows" : "two contacts");
    if (name == std::string("columns")) {
      EXPECT_EQ(problem.start, (mcp::Vector(6) << 0.5, 0, 0, 0.25, 0, 0).finished());
    } else {
      EXPECT_EQ(problem.start.size(), 0);
    }
  }
}

// M = diag(2, 2, 1/2), a floor and a wall, the turn held at v_3 = -0.2: what is left is a particle of mass 2.
TEST(ProblemFile, GlobalFormIsBroughtToLocalForm) {
  const auto all = load_problems(test::source_file("tests/data/fclib/global.h5"));
  ASSERT_EQ(all.size(), 1u);
  const auto& problem = std::get<FrictionProblem>(all.front().content);
  EXPECT_EQ(problem.dimension, 2);
  Eigen::MatrixXd h(3, 4);  // columns: normal and tangent of each contact
  h << 0, 1, 1, 0, 1, 0, 0, 1, 0, 0.1, 0, -0.1;
  const Eigen::Vector3d free(-0.25, -0.5, -0.2);  // M^-1 f, the turn at its rate
  Eigen::Matrix3d held = Eigen::Vector3d(0.5, 0.5, 0.0).asDiagonal();
  EXPECT_LT((Eigen::MatrixXd(problem.w) - h.transpose() * held * h).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((problem.q - (h.transpose() * free + Eigen::Vector4d(0, 0, 0.01, 0))).cwiseAbs().maxCoeff(), 1e-14);
}

// Files from before linearisations were stored have none, and are read all the same.
TEST(ProblemFile, LinearisationsAreOptional) {
  Folder folder;
  const std::filesystem::path file = folder.path() / "p.h5";
  write_bytes(file, problem_file_bytes({awkward_mcp()}));
  const hid_t handle = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(handle, "/mcp/linearised", H5P_DEFAULT);
  H5Fclose(handle);
  StoredProblem expected = awkward_mcp();
  std::get<StoredMcp>(expected.content).linearised = nullptr;
  expect_same(expected, load_problems(file).front());
}

// --- damage ---------------------------------------------------------------------------------------------------------

// A file of one problem with one thing changed by `damage`, and what is said about it.
std::string refusal_of(const Folder& folder, const StoredProblem& problem, const std::function<void(hid_t)>& damage) {
  const std::filesystem::path file = folder.path() / "bad.h5";
  write_bytes(file, problem_file_bytes({problem}));
  const hid_t handle = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  damage(handle);
  H5Fclose(handle);
  return test::refusal([&] { load_problems(file); });
}

void replace_integers(hid_t file, const char* name, const std::vector<int>& values) {
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
  const hsize_t count = values.size();
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(set);
  H5Sclose(space);
}
void replace_reals(hid_t file, const char* name, const std::vector<double>& values) {
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
  const hsize_t count = values.size();
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(set);
  H5Sclose(space);
}

// A stored problem, what damages its file, and what is said of it.
struct Damage {
  const char* says;
  StoredProblem problem;
  std::function<void(hid_t)> damage;
};

void expect_refusals(const std::vector<Damage>& cases) {
  Folder folder;
  for (const Damage& one : cases) {
    const std::string said = refusal_of(folder, one.problem, one.damage);
    EXPECT_NE(said.find(one.says), std::string::npos) << "expected: " << one.says << "\nsaid: " << said;
    EXPECT_NE(said.find("bad.h5"), std::string::npos);
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

TEST(ProblemFile, DamagedFrictionProblemsAreReportedByFileAndObject) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refusals({
      {"/fclib_local/vectors/q: is missing", friction(2, false),
       [](hid_t f) { H5Ldelete(f, "/fclib_local/vectors/q", H5P_DEFAULT); }},
      {"/fclib_local/W: is missing", friction(2, false), [](hid_t f) { H5Ldelete(f, "/fclib_local/W", H5P_DEFAULT); }},
      {"/fclib_local/spacedim: 4 is neither", friction(2, false),
       [](hid_t f) { replace_integers(f, "/fclib_local/spacedim", {4}); }},
      {"/fclib_local/spacedim: must hold one integer, not 2", friction(2, false),
       [](hid_t f) {
         replace_integers(f, "/fclib_local/spacedim", {2, 2});
       }},
      {"/fclib_local: 4 rows are not divisible", friction(2, false),
       [](hid_t f) {
         replace_reals(f, "/fclib_local/vectors/q", {1, 2, 3, 4});
         replace_integers(f, "/fclib_local/spacedim", {3});
         replace_integers(f, "/fclib_local/W/m", {4});
         replace_integers(f, "/fclib_local/W/n", {4});
         replace_integers(f, "/fclib_local/W/nz", {0});
       }},
      {"/fclib_local/vectors/mu: has 1 elements, not 3", friction(2, false),
       [](hid_t f) { replace_reals(f, "/fclib_local/vectors/mu", {0.5}); }},
      {"/fclib_local/vectors/mu: a coefficient of friction is below zero", friction(2, false),
       [](hid_t f) {
         replace_reals(f, "/fclib_local/vectors/mu", {0.5, -0.1, 0.2});
       }},
      {"/fclib_local/vectors/q: element 1 is not finite", friction(2, false),
       [nan](hid_t f) {
         replace_reals(f, "/fclib_local/vectors/q", {0, nan, 0, 0, 0, 0});
       }},
      {"/fclib_local/W: is 6 by 2000000000", friction(2, false),
       [](hid_t f) { replace_integers(f, "/fclib_local/W/n", {2000000000}); }},
      {"/fclib_local/W/nz: -3 is no storage", friction(2, false),
       [](hid_t f) { replace_integers(f, "/fclib_local/W/nz", {-3}); }},
      {"/fclib_local/W/p: has fewer elements than nz says", friction(2, false),
       [](hid_t f) { replace_integers(f, "/fclib_local/W/nz", {1000000000}); }},
      {"/fclib_local/W/p: must not fall, as it does after element 1", friction(2, false),
       [](hid_t f) {
         replace_integers(f, "/fclib_local/W/p", {0, 12, 6, 18, 24, 30, 36});
       }},
      {"/fclib_local/W/p: must begin with 0", friction(2, false),
       [](hid_t f) {
         replace_integers(f, "/fclib_local/W/p", {-5, 6, 12, 18, 24, 30, 36});
       }},
      {"/fclib_local/W/i: has fewer elements", friction(2, false),
       [](hid_t f) {
         replace_integers(f, "/fclib_local/W/p", {0, 6, 12, 18, 24, 30, 37});
       }},
      {"/fclib_local/W/p: has 2 pointers, not 7", friction(2, false),
       [](hid_t f) {
         replace_integers(f, "/fclib_local/W/p", {0, 6});
       }},
      {"/fclib_local/W/i: element 3 is 6, outside 0 .. 5", friction(2, false),
       [](hid_t f) {
         std::vector<int> index;
         for (int k = 0; k < 36; ++k) index.push_back(k == 3 ? 6 : k % 6);
         replace_integers(f, "/fclib_local/W/i", index);
       }},
  });
}

TEST(ProblemFile, DamagedMcpsAreReportedByFileAndObject) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refusals({
      {"/mcp: bounds of variable 0 leave no value", awkward_mcp(),
       [](hid_t f) {
         replace_reals(f, "/mcp/lower", {2e20, 0, 0}), replace_reals(f, "/mcp/upper", {1, 1, 1});
       }},
      {"/mcp/lower: element 2 is not a number", awkward_mcp(),
       [nan](hid_t f) {
         replace_reals(f, "/mcp/lower", {0, 0, nan});
       }},
      {"/mcp/quadratic: term 0 names variable 9", awkward_mcp(),
       [](hid_t f) {
         replace_integers(f, "/mcp/quadratic/i", {9, 0});
       }},
      {"/mcp/quadratic: row, i, j and value differ", awkward_mcp(),
       [](hid_t f) { replace_integers(f, "/mcp/quadratic/j", {1}); }},
      {"/mcp/linearised/back: is 3 by 5, where the vectors ask for 3 by 2", awkward_mcp(),
       [](hid_t f) { replace_integers(f, "/mcp/linearised/back/n", {5}); }},
      {"/mcp/linearised/lower: has 1 elements, not 2", awkward_mcp(),
       [](hid_t f) { replace_reals(f, "/mcp/linearised/lower", {0.0}); }},
      {"/mcp/linearised/quadratic: does not belong in a linear problem", awkward_mcp(),
       [](hid_t f) { H5Lcreate_hard(f, "/mcp/quadratic", f, "/mcp/linearised/quadratic", H5P_DEFAULT, H5P_DEFAULT); }},
      {"/mcp/kinds: 77 is no kind", awkward_mcp(),
       [](hid_t f) {
         replace_integers(f, "/mcp/kinds", {0, 77, 0});
       }},
      {"/mcp/q: must hold numbers", awkward_mcp(),
       [](hid_t f) {
         H5Ldelete(f, "/mcp/q", H5P_DEFAULT);
         const hid_t space = H5Screate(H5S_SCALAR);
         const hid_t set = H5Dcreate2(f, "/mcp/q", H5T_C_S1, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
         H5Dwrite(set, H5T_C_S1, H5S_ALL, H5S_ALL, H5P_DEFAULT, "x");
         H5Dclose(set);
         H5Sclose(space);
       }},
      {"holds no problem", awkward_mcp(), [](hid_t f) { H5Ldelete(f, "/mcp", H5P_DEFAULT); }},
  });
}

// A dataset that claims terabytes, without a byte behind it.
TEST(ProblemFile, SizesAreBelievedOnlyWhereTheFileHasRoom) {
  Folder folder;
  for (const bool in_chunks : {false, true}) {
    const std::string said = refusal_of(folder, friction(2, false), [in_chunks](hid_t f) {
      H5Ldelete(f, "/fclib_local/vectors/q", H5P_DEFAULT);
      const hsize_t count = hsize_t{1} << 42;
      const hsize_t chunk = 1024;
      const hid_t space = H5Screate_simple(1, &count, nullptr);
      const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_alloc_time(layout, H5D_ALLOC_TIME_LATE);
      if (in_chunks) H5Pset_chunk(layout, 1, &chunk);
      H5Dclose(H5Dcreate2(f, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
      H5Pclose(layout);
      H5Sclose(space);
    });
    EXPECT_NE(said.find("/fclib_local/vectors/q: should hold 4398046511104 elements"), std::string::npos) << said;
  }
}

TEST(ProblemFile, WhatIsNoHdf5FileIsReported) {
  Folder folder;
  const auto said = [](const std::filesystem::path& file) { return test::refusal([&] { load_problems(file); }); };
  EXPECT_NE(said(folder.path() / "none.h5").find("no such file"), std::string::npos);
  EXPECT_NE(said(folder.path()).find("is no file"), std::string::npos);
  const std::filesystem::path text = folder.path() / "text.h5";
  write_bytes(text, "not at all");
  EXPECT_NE(said(text).find("is no HDF5 file"), std::string::npos);
  write_bytes(text, "");
  EXPECT_NE(said(text).find("is no HDF5 file"), std::string::npos);
}

// Whatever happens to the bytes: a set of problems or one line, never a crash.
TEST(ProblemFile, DamagedBytesNeverCrash) {
  Folder folder;
  const std::filesystem::path file = folder.path() / "f.h5";
  std::vector<std::string> originals{problem_file_bytes({awkward_mcp(), friction(3, true)}),
                                     problem_file_bytes({friction(2, false)})};
  for (const char* name : {"triplet", "columns", "rows", "global"}) {
    originals.push_back(test::content(test::source_file("tests/data/fclib/" + std::string(name) + ".h5")));
  }
  std::mt19937_64 random(test::fuzz_seed(20));
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = originals[random() % originals.size()];
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    const std::uint64_t flips = random() % 4;
    for (std::uint64_t k = 0; k < flips && !bytes.empty(); ++k) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 4 == 0 ? 0xff : random());
    }
    write_bytes(file, bytes);
    const std::string said = test::refusal([&] { load_problems(file); });
    refused += said.empty() ? 0 : 1;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace pegrasp
