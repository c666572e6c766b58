// SPDX-License-Identifier: Apache-2.0
// The files of a finished map, and its picture.
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>

#include "pegrasp/map.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/formats/csv.hpp"
#include "src/map/grasp_results.hpp"
#include "src/map/journal.hpp"
#include "src/map/map_hdf5.hpp"
#include "src/map/plot_script.hpp"
#include "src/map/refine.hpp"
#include "src/map/rows_csv.hpp"
#include "src/text/revision.hpp"

namespace pegrasp {

void write_map(const SuccessMap& map, const Problem& problem, const std::filesystem::path& out) {
  std::unique_ptr<AtomicFile> toml, csv, scored, rows, refined;
  const bool grasps = problem.grasps.given();
  // However little is in a file, it waits for the disk: these two while the large one is made.
  const std::launch beside = std::launch::async | std::launch::deferred;
  std::future<void> small = std::async(beside, [&] {
    toml = std::make_unique<AtomicFile>(out / "problem.toml");
    toml->write(with_version(problem.resolved_toml));
    csv = std::make_unique<AtomicFile>(out / (grasps ? "grasps.csv" : "map.csv"));
    if (grasps) {
      write_grasps_csv(map, problem, *csv);
    } else {
      csv->write(map_csv(map));
    }
    if (map.refined.levels > 0) {
      refined = std::make_unique<AtomicFile>(out / "refined.csv");
      refined->write(refined_csv(map));
    }
    if (!grasps) return;
    scored = std::make_unique<AtomicFile>(out / scored_file(problem));
    write_scored_grasps(map, problem, *scored);
  });
  AtomicFile h5(out / (grasps ? "grasps.h5" : "map.h5"));
  const std::uint64_t size = MapHdf5(map, problem).write(map, [&h5](std::uint64_t place, std::string_view bytes) {
    h5.write_at(place, bytes);
  });
  h5.resize(size);
  h5.finish();
  small.get();
  if (problem.rows) rows = write_rows_csv(map, problem, out);
  // Results without a whole journal would be of no use to a run that goes on from it.
  if (map.journal) map.journal->wait();
  h5.show();
  toml->show();
  csv->show();
  if (scored) scored->show();
  if (rows) rows->show();
  if (refined) refined->show();
  std::error_code ignored;
  for (const char* of_an_earlier_map :
       {"summary.json", "map.png", "explain.json", "explain.png", "explain.csv", "explain_curves.csv",
        "explain_failures.csv", "best.json", "best.png", "best.csv"}) {
    std::filesystem::remove(out / of_an_earlier_map, ignored);
  }
  if (!rows) std::filesystem::remove(out / "rows_out.csv", ignored);
  if (!refined) std::filesystem::remove(out / "refined.csv", ignored);
}

void finish_map(SuccessMap& map, const Problem& problem, const std::filesystem::path& out) {
  write_file_atomically(out / "summary.json", map_summary_json(map, problem) + "\n");
  std::error_code ignored;
  for (int level = 1; level <= Refine::most_levels; ++level)
    std::filesystem::remove(level_journal(out, level), ignored);
  std::filesystem::remove(journal_path(out), ignored);
  map.journal.reset();  // only now may another run use the folder
}

std::string draw_map(const std::filesystem::path& out) {
  return draw_by_script("plot_map.py", out / "map.h5", out / "map.png", "python3-matplotlib and python3-h5py");
}

}  // namespace pegrasp
