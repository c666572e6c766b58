// SPDX-License-Identifier: Apache-2.0
// The folder of a finished map: read back, and what happens when it cannot be written.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/formats/atomic_file.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/sparse_image.hpp"
#include "src/text/revision.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/has_matplotlib.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

using test::has_matplotlib;
using test::refusal;

// Runs `call` in a child process in which no file may grow over `bytes`: a full disk as a program sees it. The child
// leaves through exit(), so that the HDF5 library's own clean-up runs as well. Returns the child's exit code (77: no
// InputError; a signal: 128 + its number); `said`: the message.
int with_full_disk(rlim_t bytes, const std::filesystem::path& note, const std::function<void()>& call) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a hang is a failure as well
    const rlimit old_limit = [] {
      rlimit limit{};
      ::getrlimit(RLIMIT_FSIZE, &limit);
      return limit;
    }();
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, old_limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = refusal(call);
    ::setrlimit(RLIMIT_FSIZE, &old_limit);
    std::ofstream(note) << message;
    std::exit(message.empty() ? 77 : 2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

template <class T>
std::vector<T> read(hid_t file, const char* name, hid_t type, std::vector<hsize_t> shape) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  EXPECT_GE(set, 0) << name;
  if (set < 0) return {};
  const hid_t space = H5Dget_space(set);
  std::vector<hsize_t> found(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, found.data(), nullptr);
  EXPECT_EQ(found, shape) << name;
  std::vector<T> data(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), 0) << name;
  H5Sclose(space);
  H5Dclose(set);
  return data;
}
std::vector<double> doubles(hid_t file, const char* name, std::vector<hsize_t> shape) {
  return read<double>(file, name, H5T_NATIVE_DOUBLE, std::move(shape));
}
std::vector<std::int64_t> integers(hid_t file, const char* name, std::vector<hsize_t> shape) {
  return read<std::int64_t>(file, name, H5T_NATIVE_INT64, std::move(shape));
}

// A text attribute; several texts are joined by '|'.
std::string text_attribute(hid_t file, const char* object, const char* name) {
  const hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(attribute, 0) << object << " " << name;
  if (attribute < 0) return {};
  const hid_t type = H5Aget_type(attribute);
  const hid_t space = H5Aget_space(attribute);
  std::vector<char*> texts(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Aread(attribute, type, texts.data());
  std::string joined;
  for (const char* text : texts) joined += (joined.empty() ? "" : "|") + std::string(text);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data());
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return joined;
}

template <class T>
T number_attribute(hid_t file, const char* name, hid_t type) {
  T value{};
  const hid_t attribute = H5Aopen_by_name(file, "/", name, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(attribute, 0) << name;
  H5Aread(attribute, type, &value);
  H5Aclose(attribute);
  return value;
}

TEST(WriteMap, WritesEveryFileAndRemovesOldPictureAndAtLastTheJournal) {
  const test::Folder folder;
  SuccessMap map = test::small_map();
  const Problem problem = test::small_problem();
  std::ofstream(folder.path() / "samples.journal") << "records";
  std::ofstream(folder.path() / "map.csv") << "an older map";
  std::ofstream(folder.path() / "map.png") << "an older map";
  write_map(map, problem, folder.path());
  EXPECT_EQ(test::content(folder.path() / "samples.journal"), "records") << "there is a picture still to draw";
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "map.png"));
  finish_map(map, problem, folder.path());
  EXPECT_EQ(folder.files(), 4u);
  EXPECT_EQ(test::content(folder.path() / "map.csv"), map_csv(map));
  EXPECT_EQ(test::content(folder.path() / "problem.toml"), with_version(problem.resolved_toml));
  EXPECT_EQ(nlohmann::json::parse(test::content(folder.path() / "summary.json"))["trials"], 12);
}

// Writing and drawing are phases like the others.
TEST(WriteMap, TheSummaryOnTheDiskIsTheOneThatIsPrinted) {
  const test::Folder folder;
  SuccessMap map = test::small_map();
  map.timing.writing = 0.75;
  finish_map(map, test::small_problem(), folder.path());
  const std::string text = test::content(folder.path() / "summary.json");
  EXPECT_EQ(text, map_summary_json(map, test::small_problem()) + "\n");
  const auto seconds = nlohmann::json::parse(text)["seconds"];
  EXPECT_EQ(seconds["writing"], 0.75);
  EXPECT_EQ(seconds["drawing"], 0.5);
}

TEST(WriteMap, Hdf5ReadsBack) {
  const test::Folder folder;
  const SuccessMap map = test::small_map();
  const Problem problem = test::small_problem();
  write_map(map, problem, folder.path());
  const hid_t file = H5Fopen((folder.path() / "map.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_EQ(doubles(file, "x_mm", {3}), (std::vector<double>{-10.0, -9.5, -9.0}));
  EXPECT_EQ(doubles(file, "y_mm", {2}), (std::vector<double>{-0.7, 7.0}));
  EXPECT_EQ(integers(file, "samples", {2, 3}), (std::vector<std::int64_t>{2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(integers(file, "successes", {2, 3}), (std::vector<std::int64_t>{1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(integers(file, "unresolved", {2, 3}), (std::vector<std::int64_t>{0, 0, 0, 0, 0, 2}));
  const std::vector<double> p = doubles(file, "p", {2, 3});
  EXPECT_EQ(p[0], 0.5);
  EXPECT_TRUE(std::isnan(p[5]));
  EXPECT_EQ(doubles(file, "ci_low", {2, 3})[0], 0.125);
  EXPECT_EQ(doubles(file, "ci_high", {2, 3})[5], 1.0);
  EXPECT_EQ(integers(file, "samples_table/cell", {12})[11], 5);
  EXPECT_EQ(integers(file, "samples_table/sample", {12})[11], 1);
  EXPECT_EQ(integers(file, "samples_table/status", {12})[11], 9);
  EXPECT_EQ(integers(file, "samples_table/success", {12})[1], 1);
  EXPECT_EQ(integers(file, "samples_table/steps", {12})[4], 104);
  EXPECT_EQ(integers(file, "samples_table/tripods_redrawn", {12})[1], 3);
  EXPECT_EQ(doubles(file, "samples_table/residual_max", {12})[2], map.outcomes[2].residual_max);
  EXPECT_EQ(doubles(file, "samples_table/sampled/mass", {12})[3], 3.1);
  EXPECT_EQ(doubles(file, "samples_table/sampled/friction", {12})[3], -2.5);
  EXPECT_EQ(doubles(file, "samples_table/final_pose", {12, 2, 3}), map.final_poses);
  EXPECT_EQ(text_attribute(file, "samples_table/sampled/mass", "unit"), "kg");
  EXPECT_EQ(text_attribute(file, "samples_table/residual_max", "unit"), "m/s");
  EXPECT_EQ(text_attribute(file, "samples_table/final_pose", "columns"), "x_m|y_m|theta_rad");
  EXPECT_EQ(text_attribute(file, "samples_table/final_pose", "units"), "m|m|rad");
  EXPECT_EQ(text_attribute(file, "samples_table/final_pose", "bodies"), "gear|finger");
  EXPECT_EQ(text_attribute(file, "/", "title"), problem.title);
  EXPECT_EQ(text_attribute(file, "/", "problem_toml"), problem.resolved_toml);
  EXPECT_LE(H5Aexists_by_name(file, "/", "device", H5P_DEFAULT), 0) << "the same bytes, wherever it was computed";
  EXPECT_EQ(text_attribute(file, "/", "arithmetic"), "strict");
  EXPECT_EQ(number_attribute<std::uint64_t>(file, "seed", H5T_NATIVE_UINT64), problem.seed);
  EXPECT_EQ(number_attribute<double>(file, "h_s", H5T_NATIVE_DOUBLE), 0.005);
  H5Fclose(file);
}

const char* const puck = R"(
[map]
samples = 200
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = { distribution = "uniform", group = "any", groups = { slow = { low = 1, high = 2 }, fast = { low = 5, high = 6, weight = 3 } } }
drop_time_s = { distribution = "uniform", group = "one", groups = { one = { low = 0, high = 1 } } }
[body.support]
radius_mm = 7
friction = "table"
loads = { distribution = "uniform", group = "any", groups = { even = { low = 1, high = 1.1 }, odd = { low = 2, high = 4 } } }
[[body.part]]
shape = "disc"
radius_mm = 10
[group.level]
names = ["low", "high"]
[uncertain.table]
distribution = "uniform"
shared_group = "level"
groups.high = { low = 0.5, high = 0.9 }
groups.low = { low = 0.1, high = 0.4 }
)";

// Samples go through in blocks: nothing is lost or moved where one ends.
// What H5DS calls attached scales: references from each dimension of an array to its axis, and back.
TEST(WriteMap, AxesAreDimensionScales) {
  const test::Folder folder;
  write_map(test::small_map(), test::small_problem(), folder.path());
  const hid_t file = H5Fopen((folder.path() / "map.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto name_of = [file](hobj_ref_t reference) {
    std::array<char, 64> name{};
    H5Rget_name(file, H5R_OBJECT, &reference, name.data(), name.size());
    return std::string(name.data());
  };
  for (const char* array : {"samples", "p", "ci_high"}) {
    std::array<hvl_t, 2> lists{};
    const hid_t attribute = H5Aopen_by_name(file, array, "DIMENSION_LIST", H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(attribute, 0) << array;
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    ASSERT_EQ(H5Sget_simple_extent_npoints(space), 2);
    ASSERT_GE(H5Aread(attribute, type, lists.data()), 0);
    EXPECT_EQ(lists[0].len, 1u);
    EXPECT_EQ(name_of(*static_cast<hobj_ref_t*>(lists[0].p)), "/y_mm");
    EXPECT_EQ(name_of(*static_cast<hobj_ref_t*>(lists[1].p)), "/x_mm");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists.data());
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
  }
  const hid_t attribute = H5Aopen_by_name(file, "x_mm", "REFERENCE_LIST", H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(attribute, 0);
  struct Use {
    hobj_ref_t array;
    int dimension, rest;
  };
  std::array<Use, 6> uses{};
  const hid_t type = H5Aget_type(attribute);
  ASSERT_EQ(H5Tget_size(type), sizeof(Use));
  ASSERT_GE(H5Aread(attribute, type, uses.data()), 0);
  EXPECT_EQ(name_of(uses[3].array), "/p");
  EXPECT_EQ(uses[3].dimension, 1);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Fclose(file);
}

TEST(WriteMap, ManySamplesReadBack) {
  constexpr std::size_t count = 150000;
  const Problem problem = parse_problem(puck, "puck.toml", {{"map.samples", std::to_string(count)}});
  ASSERT_GE(group_columns(problem).size(), 3u);
  test::FakeBackend backend;
  const test::Folder folder;
  MapOptions options;
  options.out = folder.path();
  const SuccessMap map = run_map(problem, backend, options);
  write_map(map, problem, folder.path());
  const hid_t file = H5Fopen((folder.path() / "map.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const std::vector<std::int64_t> sample = integers(file, "samples_table/sample", {count});
  const std::vector<std::int64_t> steps = integers(file, "samples_table/steps", {count});
  const std::vector<double> times = doubles(file, "samples_table/time", {count});
  bool same = true;
  for (std::size_t i = 0; i < count; ++i) {
    same = same && sample[i] == static_cast<std::int64_t>(i) && steps[i] == map.outcomes[i].steps &&
           times[i] == map.outcomes[i].time;
  }
  EXPECT_TRUE(same);
  for (std::size_t k = 0; k < map.sampled.size(); ++k) {
    const std::vector<double> values = doubles(file, ("samples_table/sampled/" + map.sampled[k].name).c_str(), {count});
    for (std::size_t i = 0; i < count; ++i) same = same && values[i] == map.values[i * map.sampled.size() + k];
  }
  EXPECT_TRUE(same);
  EXPECT_EQ(doubles(file, "samples_table/final_pose", {count, 1, 3}), map.final_poses);
  const std::vector<GroupColumn> columns = group_columns(problem);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::vector<std::int32_t> drawn = drawn_groups(problem, k, 0, count);
    const std::vector<std::int64_t> stored =
        integers(file, ("samples_table/sampled/" + columns[k].name).c_str(), {count});
    EXPECT_TRUE(std::equal(drawn.begin(), drawn.end(), stored.begin(), stored.end())) << columns[k].name;
    EXPECT_GT(std::count(drawn.begin(), drawn.end(), 1), 0) << columns[k].name;
  }
  H5Fclose(file);
}

// Groups left to chance: what was drawn agrees with the numbers, and is stored by index beside the names.
TEST(WriteMap, DrawnGroups) {
  const test::Folder folder;
  const Problem problem = parse_problem(puck, "puck.toml");
  const std::unique_ptr<Backend> backend = test::make_backend_under_test(1);
  MapOptions options;
  options.out = folder.path();
  SuccessMap map = run_map(problem, *backend, options);
  write_map(map, problem, folder.path());
  finish_map(map, problem, folder.path());

  const hid_t file = H5Fopen((folder.path() / "map.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto sampled = [file](const std::string& name) {
    return doubles(file, ("samples_table/sampled/" + name).c_str(), {200});
  };
  const auto group = [file](const std::string& name) {
    return integers(file, ("samples_table/sampled/" + name).c_str(), {200});
  };
  const auto groups = [file](const std::string& name) {
    return text_attribute(file, ("samples_table/sampled/" + name).c_str(), "groups");
  };
  EXPECT_EQ(groups("puck.vx.group"), "slow|fast");
  EXPECT_EQ(groups("table.group"), "low|high");
  EXPECT_EQ(groups("group.level"), "low|high");
  EXPECT_EQ(groups("puck.support.load1.group"), "even|odd");
  EXPECT_EQ(H5Lexists(file, "samples_table/sampled/puck.drop_time.group", H5P_DEFAULT), 0) << "nothing is drawn there";
  EXPECT_EQ(group("table.group"), group("group.level"));
  int fast = 0;
  std::array<std::vector<double>, 3> load{sampled("puck.support.load1"), sampled("puck.support.load2"),
                                          sampled("puck.support.load3")};
  std::array<std::vector<std::int64_t>, 3> odd{group("puck.support.load1.group"), group("puck.support.load2.group"),
                                               group("puck.support.load3.group")};
  for (std::size_t i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(group("puck.vx.group")[i], sampled("puck.vx")[i] > 3e-3 ? 1 : 0);
    EXPECT_EQ(group("group.level")[i], sampled("table")[i] > 0.45 ? 1 : 0);
    fast += static_cast<int>(group("puck.vx.group")[i]);
    // Loads are stored scaled to the weight; an even one is less than 0.6 of an odd one, redrawn or not.
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        const double most = odd[a][i] < odd[b][i] ? 0.6 : odd[a][i] == odd[b][i] ? 2.001 : 10.0;
        EXPECT_LT(load[a][i], most * load[b][i]);
      }
    }
  }
  EXPECT_NEAR(fast, 150, 30);
  EXPECT_GT(std::count_if(map.redrawn.begin(), map.redrawn.end(), [](int n) { return n > 0; }), 0);
  H5Fclose(file);
}

// A problem may leave nothing uncertain.
TEST(WriteMap, NothingSampled) {
  const test::Folder folder;
  SuccessMap map = test::small_map();
  map.sampled.clear();
  map.values.clear();
  EXPECT_EQ(refusal([&] { write_map(map, test::small_problem(), folder.path()); }), "");
}

TEST(WriteMap, SeedsOfAllSixtyFourBits) {
  const test::Folder folder;
  Problem problem = test::small_problem();
  problem.seed = 0xfedcba9876543210u;
  write_map(test::small_map(), problem, folder.path());
  const hid_t file = H5Fopen((folder.path() / "map.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_EQ(number_attribute<std::uint64_t>(file, "seed", H5T_NATIVE_UINT64), problem.seed);
  H5Fclose(file);
}

TEST(WriteMap, MissingFolder) {
  const test::Folder folder;
  const std::filesystem::path missing = folder.path() / "not" / "there";
  const std::string said = refusal([&] { write_map(test::small_map(), test::small_problem(), missing); });
  EXPECT_NE(said.find((missing / "map.h5").string()), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  EXPECT_EQ(folder.files(), 0u);
}

// root may write anywhere, so the folder is one in which nobody can make files.
TEST(WriteMap, UnwritableFolder) {
  const std::filesystem::path folder = "/proc/self";
  const std::string said = refusal([&] { write_map(test::small_map(), test::small_problem(), folder); });
  EXPECT_NE(said.find("/proc/self/map.h5: cannot be written: "), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
}

// At whichever byte the disk fills up: one line, no half-written file, the earlier map and the journal still there.
TEST(WriteMap, FullDisk) {
  const test::Folder folder;
  const test::Folder* out = &folder;
  const std::filesystem::path note = folder.path().string() + ".note";
  const SuccessMap map = test::small_map(40);
  const Problem problem = test::small_problem();
  std::ofstream(folder.path() / "samples.journal") << "records";
  std::ofstream(folder.path() / "map.csv") << "an older map";
  std::ofstream(folder.path() / "map.h5") << "an older map";
  for (const rlim_t bytes : {0, 1, 100, 4096, 20000, 60000, 100000}) {
    SCOPED_TRACE(bytes);
    EXPECT_EQ(with_full_disk(bytes, note, [&] { write_map(map, problem, out->path()); }), 2);
    const std::string said = test::content(note);
    EXPECT_NE(said.find("map.h5: cannot be written: File too large;"), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_EQ(folder.files(), 3u);
    EXPECT_EQ(test::content(folder.path() / "map.csv"), "an older map");
    EXPECT_EQ(test::content(folder.path() / "map.h5"), "an older map");
    EXPECT_EQ(test::content(folder.path() / "samples.journal"), "records");
  }
  std::filesystem::remove(note);
}

TEST(DrawMap, DrawsAPng) {
  if (!has_matplotlib()) GTEST_SKIP() << "no python3 with h5py and matplotlib";
  for (const int columns : {1, 3, 40}) {
    const test::Folder folder;
    write_map(test::small_map(columns), test::small_problem(), folder.path());
    EXPECT_EQ(draw_map(folder.path()), "");
    const std::string picture = test::content(folder.path() / "map.png");
    EXPECT_EQ(picture.substr(0, 4), "\x89PNG");
    EXPECT_NE(picture.find(std::string("tEXtSoftware") + '\0' + version_text()), std::string::npos);
    EXPECT_EQ(folder.files(), 4u);
  }
}

// Whatever goes wrong, no half-drawn picture stays: here a folder has the picture's name.
TEST(DrawMap, LeavesNoPartOfAPicture) {
  if (!has_matplotlib()) GTEST_SKIP() << "no python3 with h5py and matplotlib";
  const test::Folder folder;
  write_map(test::small_map(), test::small_problem(), folder.path());
  std::filesystem::create_directories(folder.path() / "map.png" / "in the way");
  const std::string said = refusal([&] { draw_map(folder.path()); });
  EXPECT_NE(said.find("map.png: cannot be written: Is a directory"), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  EXPECT_EQ(folder.files(), 4u);
}

TEST(DrawMap, SaysInOneLineWhyNot) {
  const test::Folder folder;
  const std::string said = draw_map(folder.path());
  EXPECT_NE(said, "");
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  EXPECT_EQ(folder.files(), 0u);
  if (has_matplotlib()) {
    EXPECT_NE(said.find("map.h5"), std::string::npos) << said;
  }
}

TEST(AtomicFile, FullDiskLeavesTheOldText) {
  const test::Folder folder;
  const std::filesystem::path note = folder.path().string() + ".note";
  const std::filesystem::path file = folder.path() / "text";
  write_file_atomically(file, "old");
  EXPECT_EQ(with_full_disk(1000, note, [&] { write_file_atomically(file, std::string(1001, 'x')); }), 2);
  EXPECT_NE(test::content(note).find("text: cannot be written: File too large;"), std::string::npos)
      << test::content(note);
  EXPECT_EQ(test::content(file), "old");
  EXPECT_EQ(folder.files(), 1u);
  std::filesystem::remove(note);
}

TEST(AtomicFile, APlaceThatCannotBeWrittenIsReportedBeforeTheWorkWithItsRemedy) {
  const test::Folder folder;
  const auto says = [](const std::filesystem::path& path) { return refusal([&] { const AtomicFile file(path); }); };
  EXPECT_NE(says(folder.path() / "no" / "text").find("No such file or directory; make its folder first"),
            std::string::npos);
  std::ofstream(folder.path() / "file") << "x";
  EXPECT_NE(says(folder.path() / "file" / "text").find("Not a directory; make its folder first"), std::string::npos);
  EXPECT_NE(write_remedy(EACCES).find("permissions"), std::string::npos);
  EXPECT_NE(write_remedy(ENOSPC).find("free some space"), std::string::npos);
  EXPECT_EQ(write_remedy(EIO), "choose another place");
}

TEST(AtomicFile, PieceByPiece) {
  const test::Folder folder;
  AtomicFile file(folder.path() / "text");
  file.write_at(4, "efgh");
  file.write_at(0, "abcd");
  file.write_at(2, "CDEF");
  file.resize(10);
  file.finish();
  EXPECT_EQ(folder.files(), 1u) << "under its other name";
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "text"));
  file.show();
  EXPECT_EQ(test::content(folder.path() / "text"), std::string("abCDEFgh\0\0", 10));
}

// What the HDF5 library writes lives in pages; what nobody wrote is zero, and the size is what it says.
TEST(SparseImage, HoldsWhatWasWritten) {
  SparseImage image;
  const std::string text(5000, 'x');
  image.write(1 << 20, text);
  image.write((1 << 20) + 4999, "end");
  image.resize(1 << 21);
  std::string all(1 << 21, '?');
  image.read(0, all.data(), all.size());
  EXPECT_EQ(all.substr(1 << 20, 5002), std::string(4999, 'x') + "end");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\0'), (1 << 21) - 5002);
  std::uint64_t bytes = 0, last = 0;
  image.for_each_page([&](std::uint64_t place, std::string_view page) {
    EXPECT_GE(place, last);
    last = place + page.size();
    bytes += page.size();
  });
  EXPECT_LE(last, image.size());
  EXPECT_LT(bytes, 20000u) << "no more than was written, in pages";
  EXPECT_FALSE(image.lost());
}

TEST(AtomicFile, WithoutACommitNothingStays) {
  const test::Folder folder;
  write_file_atomically(folder.path() / "text", "old");
  { const AtomicFile file(folder.path() / "text"); }
  EXPECT_EQ(test::content(folder.path() / "text"), "old");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, AFolderInTheWay) {
  const test::Folder folder;
  std::filesystem::create_directories(folder.path() / "text" / "inside");
  const std::string said = refusal([&] { write_file_atomically(folder.path() / "text", "new"); });
  EXPECT_NE(said.find("text: cannot be written: Is a directory"), std::string::npos) << said;
  EXPECT_EQ(folder.files(), 1u);
}

}  // namespace
}  // namespace pegrasp
