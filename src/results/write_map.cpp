// SPDX-License-Identifier: Apache-2.0
// The files of a finished map, and its picture.
#include <string>

#include "pegrasp/map.hpp"
#include "results/atomic_file.hpp"
#include "results/csv.hpp"
#include "results/map_hdf5.hpp"
#include "results/plot_script.hpp"

namespace pegrasp {

void write_map(const SuccessMap& map, const Problem& problem, const std::filesystem::path& out) {
  write_file_atomically(out / "map.h5", map_hdf5(map, problem));
  write_file_atomically(out / "problem.toml", problem.resolved_toml);
  write_file_atomically(out / "map.csv", map_csv(map));
  std::error_code ignored;
  for (const char* of_an_earlier_map : {"summary.json", "map.png"}) {
    std::filesystem::remove(out / of_an_earlier_map, ignored);
  }
}

void finish_map(SuccessMap& map, const Problem& problem, const std::filesystem::path& out) {
  write_file_atomically(out / "summary.json", map_summary_json(map, problem) + "\n");
  std::error_code ignored;
  std::filesystem::remove(journal_path(out), ignored);
  map.journal.reset();  // only now may another run use the folder
}

std::string draw_map(const std::filesystem::path& out) {
  return draw_by_script("plot_map.py", out / "map.h5", out / "map.png", "python3-matplotlib and python3-h5py");
}

}  // namespace pegrasp
