// SPDX-License-Identifier: Apache-2.0
// A search that is stopped anywhere goes on to the same bytes.
#include "pegrasp/row_log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/files.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

const char* const flight = R"(
[simulation]
h_ms = 10
duration_s = 0.1
[[body]]
name = "disc"
mass_kg = 0.1
vx_mm_s = 100
support = { radius_mm = 5, friction = 0 }
[[body.part]]
shape = "disc"
radius_mm = 10
[[design]]
key = "body.disc.vx_mm_s"
scale = 10
)";

const std::filesystem::path folder =
    std::filesystem::path(testing::TempDir()) / ("row_log_" + std::to_string(getpid()));

void clear_folder() {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
}

class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Five batches of two rows each; the speed of each is half of where the disc came to before [mm], and 50 more.
// judged: rows that may be judged before the search is stopped.
struct Search {
  std::string csv;
  std::size_t resumed = 0, judged = 0;
  Search(bool resume, std::size_t most, const std::string& what = "search") {
    const RowEvaluator rows(flight, "flight.toml");
    const auto backend = test::make_backend_under_test(1);
    RowLog log(rows, *backend, {folder, resume, what, {"x_mm", "trials"}});
    double speed = 100.0;
    for (int k = 0; k < 5; ++k) {
      const std::vector<Row> some{{{speed}}, {{speed + 1.0}}};
      const auto judge = [&](const Row&, const RowResult& result, std::span<double> numbers) {
        if (judged == most) throw Stopped("stopped");
        ++judged;
        numbers[0] = 1e3 * result.pose(0, 0)[0];
        numbers[1] = static_cast<double>(result.trials());
      };
      RowOptions options;
      options.samples = 1;
      const std::vector<double> found = log.evaluate(some, options, judge, k == 0 ? "start" : "step");
      EXPECT_NEAR(found[0], 0.1 * speed, 1e-9 * speed);
      speed = 0.5 * found[2] + 50.0;
    }
    resumed = log.resumed();
    csv = log.csv();
    log.finish();
  }
};

TEST(RowLog, ResumesToTheSameBytesFromAnyRow) {
  clear_folder();
  const Search whole(false, 100);
  EXPECT_EQ(whole.judged, 10u);
  EXPECT_FALSE(std::filesystem::exists(folder / "evaluations.journal"));
  EXPECT_EQ(whole.csv.substr(0, whole.csv.find('\n')), "evaluation,note,body.disc.vx_mm_s,x_mm,trials");
  for (std::size_t stop = 0; stop < 10; ++stop) {
    EXPECT_THROW(Search(false, stop), Stopped);
    const Search rest(true, 100);
    EXPECT_EQ(rest.csv, whole.csv) << stop;
    EXPECT_EQ(rest.resumed, stop);
    EXPECT_EQ(rest.judged, 10 - stop);
  }
}

TEST(RowLog, DropsATornEnd) {
  clear_folder();
  const Search whole(false, 100);
  EXPECT_THROW(Search(false, 7), Stopped);
  const std::filesystem::path journal = folder / "evaluations.journal";
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 3);
  const Search rest(true, 100);
  EXPECT_EQ(rest.csv, whole.csv);
  EXPECT_EQ(rest.resumed, 6u);
}

TEST(RowLog, RefusesAnotherSearchsJournal) {
  clear_folder();
  EXPECT_THROW(Search(false, 3), Stopped);
  const std::string why = test::refusal([] { Search(true, 100, "other search"); });
  EXPECT_NE(why.find("belongs to another problem"), std::string::npos) << why;
  EXPECT_EQ(Search(false, 100).resumed, 0u);  // without resume it is written over
}

TEST(RowLog, RefusesAFolderThatIsAFile) {
  clear_folder();
  std::ofstream(folder.string()) << "in the way";
  EXPECT_NE(test::refusal([] { Search(false, 100); }).find("choose another --out"), std::string::npos);
  clear_folder();
}

}  // namespace
}  // namespace pegrasp
