// SPDX-License-Identifier: Apache-2.0
// Counts of cells as bytes: the totals, then each cell, 8 bytes, 24 more with forces and 64 more where it is a grasp.
// Numbers are as this machine holds them, as all of a journal.
#include <cmath>
#include <cstring>
#include <type_traits>

#include "src/map/cells.hpp"
#include "src/map/totals.hpp"

namespace pegrasp {
namespace {

struct CountedForces {
  double grip_force_max, slip_margin_min, slip_margin_end;
};

// Number of the first cell, and of the first that no sample of the range lies in.
struct CellRange {
  std::size_t first, end;
};
CellRange cells_of(const SampleRange& range, std::size_t a_cell) {
  if (range.count == 0) return {0, 0};
  return {range.first / a_cell, (range.end() - 1) / a_cell + 1};
}

std::size_t bytes_a_cell(bool forces, bool grasps) {
  return 2 * sizeof(int) + (forces ? sizeof(CountedForces) : 0) + (grasps ? sizeof(GraspMeasures) : 0);
}

template <class T>
void put_counted(std::vector<unsigned char>& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* const from = reinterpret_cast<const unsigned char*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

template <class T>
T take_counted(std::span<const unsigned char>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

void add_measures(GraspMeasures& to, const GraspMeasures& more) {
  for (std::size_t k = 0; k < grasp_failure_count; ++k) to.failures[k] += more.failures[k];
  to.slip += more.slip;
  to.tilt += more.tilt;
  to.drop_time += more.drop_time;
  to.margin_min = std::fmin(to.margin_min, more.margin_min);
  to.force_max = std::fmax(to.force_max, more.force_max);
}

}  // namespace

std::size_t counts_bytes(const Problem& problem, const SampleRange& range) {
  const CellRange cells = cells_of(range, static_cast<std::size_t>(problem.samples));
  return sizeof(MapTotals) +
         (cells.end - cells.first) * bytes_a_cell(problem.scene.measure_forces, problem.grasps.given());
}

void CellCounter::counts(const SampleRange& range,
                         const std::function<void(std::span<const unsigned char>)>& take) const {
  constexpr std::size_t piece = std::size_t{1} << 16;
  const CellRange cells = cells_of(range, static_cast<std::size_t>(budget_));
  std::vector<unsigned char> bytes;
  put_counted(bytes, totals_);
  for (std::size_t c = cells.first; c < cells.end; ++c) {
    const MapCell& cell = cells_[c];
    put_counted(bytes, cell.successes);
    put_counted(bytes, cell.unresolved);
    if (forces_) put_counted(bytes, CountedForces{cell.grip_force_max, cell.slip_margin_min, cell.slip_margin_end});
    if (grasps_) put_counted(bytes, cell.grasp);
    if (bytes.size() < piece) continue;
    take(bytes);
    bytes.clear();
  }
  take(bytes);
}

void CellCounter::add_counts(const SampleRange& range, std::span<const unsigned char> counts) {
  const CellRange cells = cells_of(range, static_cast<std::size_t>(budget_));
  pegrasp::add_totals(totals_, take_counted<MapTotals>(counts));
  for (std::size_t c = cells.first; c < cells.end; ++c) {
    MapCell& cell = cells_[c];
    cell.successes += take_counted<int>(counts);
    cell.unresolved += take_counted<int>(counts);
    if (forces_) {
      const auto forces = take_counted<CountedForces>(counts);
      cell.grip_force_max = std::fmax(cell.grip_force_max, forces.grip_force_max);
      cell.slip_margin_min = std::fmin(cell.slip_margin_min, forces.slip_margin_min);
      cell.slip_margin_end = std::fmin(cell.slip_margin_end, forces.slip_margin_end);
    }
    if (grasps_) add_measures(cell.grasp, take_counted<GraspMeasures>(counts));
  }
}

}  // namespace pegrasp
