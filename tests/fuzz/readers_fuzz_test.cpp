// SPDX-License-Identifier: Apache-2.0
// Damaged files of every kind that pegrasp reads: each is read, or refused by the reader's own error in one line. The
// undamaged files are in tests/fuzz/seeds; a part of a map is made here, because only this version's can be read, and
// grasps in HDF5 are those of the CSV file.
// PEGRASP_FUZZ_RUNS gives the number of inputs for each kind, PEGRASP_FUZZ_SEED another seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>

#include "pegrasp/grasps.hpp"
#include "pegrasp/map.hpp"
#include "src/decide/stored_map.hpp"
#include "src/formats/hdf5_file.hpp"
#include "src/formats/number_table.hpp"
#include "src/formats/urdf_file.hpp"
#include "src/map/journal.hpp"
#include "tests/damage.hpp"
#include "tests/fuzz/text_readers.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

struct Reader {
  const char* name;
  std::vector<std::string> seeds;  // files of tests/fuzz/seeds
  int runs;                        // by default
  std::function<void(const std::string& bytes, const std::filesystem::path& folder)> read;
  std::function<std::string(const std::filesystem::path& folder)> make = nullptr;  // makes a seed in place of files
};

std::string grasps_in_hdf5(const std::filesystem::path&) {
  GraspSet set = read_grasps(test::source_file("tests/fuzz/seeds/grasps.csv"), GraspFormat::csv);
  set.format = GraspFormat::acronym;
  return write_grasps(set);
}

std::string table_in_hdf5(const std::filesystem::path&) {
  Hdf5File file;
  const double speed[] = {0.1, 0.2, 0.3};
  const std::int32_t mass[] = {1, 2, 3};
  file.write("speed", {3}, speed);
  file.write("body.puck.mass_kg", {3}, mass);
  const SparseImage& image = file.finish();
  std::string bytes(image.size(), '\0');
  image.for_each_page([&](std::uint64_t place, std::string_view page) { bytes.replace(place, page.size(), page); });
  return bytes;
}

std::string part_of_a_map(const std::filesystem::path& folder);
std::string result_of_a_map(const std::filesystem::path& folder);

std::vector<Reader> with_text_readers(std::vector<Reader> others) {
  std::vector<Reader> all;
  for (const fuzz::TextReader& text : fuzz::text_readers())
    all.push_back({text.name, text.seeds, text.runs, text.read});
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

const std::vector<Reader>& readers() {
  using std::string;
  using Folder = std::filesystem::path;
  static const std::vector<Reader> all = with_text_readers({
      {"GraspHdf5",
       {},
       300,
       [](const string& bytes, const Folder& folder) {
         const auto read = [&folder](const string& text) {
           return read_grasps(test::written(folder / "fuzz.h5", text), GraspFormat::acronym);
         };
         fuzz::expect_grasps(read(bytes), read);
       },
       grasps_in_hdf5},
      {"Table",
       {"rows.csv"},
       600,
       [](const string& bytes, const Folder& folder) {
         const auto table = read_number_table(test::written(folder / "fuzz.rows", bytes), "trial");
         ASSERT_EQ(table->columns.size(), table->names.size());
         for (const std::vector<double>& column : table->columns) {
           ASSERT_EQ(column.size(), table->rows());
           ASSERT_TRUE(std::all_of(column.begin(), column.end(), [](double x) { return std::isfinite(x); }));
         }
       },
       table_in_hdf5},
      {"Part",
       {},
       300,
       [](const string& bytes, const Folder& folder) {
         JournalReader reader(test::written(folder / "part-1-of-2.samples", bytes));
         std::size_t rows = 0;
         const std::size_t count = reader.read([&](const SampleBlock& block) { rows += block.outcomes.size(); });
         ASSERT_EQ(rows, count);
         reader.read_reruns();
       },
       part_of_a_map},
      {"Result",
       {},
       60,
       [](const string& bytes, const Folder& folder) {
         test::written(folder / "map.h5", bytes);
         const decide::StoredMap map = decide::read_stored_map(folder, decide::Trials::all);
         ASSERT_EQ(map.success.size(), map.cell.size());
       },
       result_of_a_map},
  });
  return all;
}

// A part of a map of the fake backend.
std::string part_of_a_map(const std::filesystem::path& folder) {
  test::FakeBackend backend;
  MapOptions options;
  options.out = folder / "map";
  options.shard = {1, 2};
  options.chunk = 5;
  run_map(test::nine_cells(), backend, options);
  return test::content(part_path(options.out, options.shard));
}

// What pegrasp explain, best and compare read.
std::string result_of_a_map(const std::filesystem::path& folder) {
  test::FakeBackend backend;
  MapOptions options;
  options.out = folder / "result";
  options.chunk = 5;
  SuccessMap map = run_map(test::nine_cells(), backend, options);
  write_map(map, test::nine_cells(), options.out);
  finish_map(map, test::nine_cells(), options.out);
  return test::content(options.out / "map.h5");
}

// Damage of any bytes, beside that of lines and numbers.
void damage_bytes(std::string& bytes, const std::string& other, std::mt19937_64& random) {
  if (bytes.empty()) return;
  const auto place = [&](const std::string& text) { return static_cast<std::size_t>(random() % (text.size() + 1)); };
  switch (random() % 6) {
    case 0:
      bytes.resize(place(bytes));
      break;
    case 1:
      bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
      break;
    case 2: {  // a number of four bytes that is awkward
      static const std::uint32_t awkward[] = {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x7fc00000u, 0x7f7fffffu};
      const std::uint32_t value = awkward[random() % std::size(awkward)];
      if (bytes.size() >= 4) bytes.replace(random() % (bytes.size() - 3), 4, reinterpret_cast<const char*>(&value), 4);
      break;
    }
    case 3: {  // a piece of another file of the kind
      const std::size_t from = place(other);
      bytes.insert(place(bytes), other.substr(from, random() % 60));
      break;
    }
    case 4: {  // a piece again
      const std::size_t from = place(bytes);
      bytes.insert(place(bytes), bytes.substr(from, random() % 200));
      break;
    }
    default:
      test::damage(bytes, random);
  }
  constexpr std::size_t longest = 200'000;
  if (bytes.size() > longest) bytes.resize(longest);
}

class ReaderFuzzLong : public testing::TestWithParam<std::size_t> {};

TEST_P(ReaderFuzzLong, ReadsOrRefuses) {
  const Reader& reader = readers()[GetParam()];
  if (std::string(reader.name) == "Urdf" && !reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  const test::Folder folder;
  std::vector<std::string> seeds;
  for (const std::string& file : reader.seeds)
    seeds.push_back(test::content(test::source_file("tests/fuzz/seeds/" + file)));
  if (reader.make != nullptr) seeds.push_back(reader.make(folder.path()));
  test::written(folder.path() / "box.obj", test::content(test::source_file("tests/fuzz/seeds/box.obj")));
  for (const std::string& seed : seeds) EXPECT_NO_THROW(reader.read(seed, folder.path())) << reader.name;
  const char* const asked = std::getenv("PEGRASP_FUZZ_RUNS");
  const int runs = asked == nullptr ? reader.runs : std::atoi(asked);
  std::mt19937_64 random(test::fuzz_seed(20261127));
  int accepted = 0;
  for (int run = 0; run < runs; ++run) {
    std::string bytes = seeds[random() % seeds.size()];
    for (auto n = 1 + random() % 4; n > 0; --n) damage_bytes(bytes, seeds[random() % seeds.size()], random);
    std::string said;
    try {
      reader.read(bytes, folder.path());
      ++accepted;
    } catch (const InputError& error) {
      said = error.what();
    } catch (const ShapeError& error) {
      said = error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    if (said.find('\n') != std::string::npos || said.find('\x1b') != std::string::npos) ADD_FAILURE() << said;
    if (!HasFailure()) continue;
    const auto kept = std::filesystem::temp_directory_path() / ("pegrasp_fuzz_" + std::string(reader.name));
    test::written(kept, bytes);
    FAIL() << reader.name << ", run " << run << ": the input is kept as " << kept;
  }
  std::cout << "[ ACCEPTED ] " << accepted << " of " << runs << " of " << reader.name << "\n";
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReaderFuzzLong, testing::Range<std::size_t>(0, readers().size()),
                         [](const auto& parameter) { return std::string(readers()[parameter.param].name); });

}  // namespace
}  // namespace pegrasp
