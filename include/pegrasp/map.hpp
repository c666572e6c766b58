// SPDX-License-Identifier: Apache-2.0
// The main job: simulate every sample of every cell of a problem's grid, and turn outcomes into a map of success
// probabilities with confidence intervals.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/interval.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "pegrasp/step_check.hpp"

namespace pegrasp {

// Why a resolved trial with a grasp has no success (Problem::grasps).
enum class GraspFailure : int {
  none = 0,
  in_collision,   // the gripper overlaps the part as the trial begins
  never_touched,  // the fingers never meet the part
  dropped,        // nothing of the gripper touches the part at the end
  moved,          // the part slipped or tilted too far, or whatever else the condition of success asks for
};
constexpr std::size_t grasp_failure_count = 5;
// h: step [s].
GraspFailure grasp_failure(const SceneOutcome& outcome, const HoldWatch& watch, double h);

// Of the resolved trials of one grasp; NaN where no trial has the measure.
struct GraspMeasures {
  std::array<int, grasp_failure_count> failures{};               // trials, by GraspFailure; first those with success
  double slip = 0.0, tilt = 0.0;                                 // means of the trials with success [m], [rad]
  double margin_min = std::numeric_limits<double>::quiet_NaN();  // least of these
  double force_max = std::numeric_limits<double>::quiet_NaN();   // largest of all [N]
  double drop_time = 0.0;                                        // mean of those dropped [s]
};

// Why a cell has no more samples: their number was fixed, or, of a map with Problem::until, its interval is narrow
// enough, or lies on one side of the threshold, or its samples were used up.
enum class CellEnd : int { fixed = 0, narrow, above, below, budget };

// One cell of the map. p is over resolved samples (NaN when there is none); the interval is Wilson's at 95 %, with
// Problem::until the confidence sequence's, with Sampling::sobol that of the replicates' means, with unresolved samples
// counted as failures below and as successes above.
struct MapCell {
  double x = 0.0;  // of the grid, its centre [m]
  double y = 0.0;
  int samples = 0;
  int successes = 0;
  int unresolved = 0;
  double p = 0.0;
  double ci_low = 0.0;
  double ci_high = 1.0;
  CellEnd end = CellEnd::fixed;
  // Of its resolved samples, where the scene measures forces; NaN without one.
  double grip_force_max = std::numeric_limits<double>::quiet_NaN();   // largest [N]
  double slip_margin_min = std::numeric_limits<double>::quiet_NaN();  // least
  double slip_margin_end = std::numeric_limits<double>::quiet_NaN();  // least of the last steps
  GraspMeasures grasp;                                                // where cells are grasps
};

// A cell between those of a map (Problem::refine).
struct RefinedCell {
  int level = 1;
  std::vector<double> at;  // on each axis of the map, in its unit; of a categorical axis the number of the value
  MapCell cell;
};

// The cells that were added to a map, whose numbers follow those of its own. They have no samples in it.
struct RefinedCells {
  int levels = 0;        // that were asked for; 0: none
  std::size_t left = 0;  // steep places for which no cells were left
  std::size_t trials = 0;
  double seconds = 0.0;
  std::vector<RefinedCell> cells;
};

// Where the time went [s]. run_map() fills sampling, simulating, journal and its own total; whoever reads, writes and
// draws adds the rest, before finish_map(). Phases do not overlap: what goes on beside another one (samples are
// recorded while the next are simulated, the end of the journal is written while the results are made) counts only as
// far as it was waited for. What a device draws is part of simulating.
struct MapTiming {
  double reading = 0.0;  // the problem file
  double sampling = 0.0;
  double simulating = 0.0;
  double fallback = 0.0;    // unresolved samples again, by the reference simulator
  double step_check = 0.0;  // some samples again, at half the step and from a cold start
  double journal = 0.0;
  double writing = 0.0;  // map.h5, problem.toml, map.csv
  double drawing = 0.0;  // map.png
  double total = 0.0;    // of all that and what lies between
};

class Journal;
class ReferenceEngine;

// What becomes of samples that the backend leaves unresolved.
enum class Fallback : int {
  none = 0,   // they stay unresolved
  reference,  // the reference simulator runs each again (docs/explanation/validation.md); what that resolves counts
};

// SuccessMap::by_reference.
enum FallbackResult : int {
  by_backend = 0,             // not asked
  resolved_by_reference = 1,  // outcome and poses are the reference simulator's
  left_by_reference = 2,      // unresolved there, too: outcome and poses are the backend's
};

// Some samples of a map, one after another; they are ordered cell by cell: sample k of cell c is number c * samples +
// k.
struct SampleRange {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t end() const { return first + count; }
  bool operator==(const SampleRange&) const = default;
};

// Samples that follow each other, of as many rows: as SuccessMap has them.
struct SampleBlock {
  SampleRange range;
  std::span<const double> values;
  std::span<const SceneOutcome> outcomes;
  std::span<const double> final_poses;
  std::span<const int> redrawn, by_reference;
};
using VisitBlock = std::function<void(const SampleBlock&)>;

// One part of a map's samples where several runs, on any machines, share the work: the first of `count` parts to the
// last.
struct Shard {
  int index = 1;  // 1 .. count
  int count = 1;
};

// The samples of a shard out of `total`. Sizes of the parts differ by one at most.
SampleRange shard_range(const Shard& shard, std::size_t total);
// The same of a problem's samples. With Problem::until whole cells are shared out, and a range spans the samples that
// its cells may take.
SampleRange shard_range(const Shard& shard, const Problem& problem);

// Unresolved trials by reason (StatusBit); a trial with several bits counts under each of them.
struct UnresolvedReasons {
  long long not_converged = 0, capacity = 0, non_finite = 0, too_deep = 0, infeasible = 0;
};

// What is said of all samples of a map, or of a part, together.
struct MapTotals {
  std::size_t trials = 0;
  long long successes = 0, unresolved = 0, stopped_still = 0, steps = 0, substeps = 0, substeps_rejected = 0;
  long long in_double = 0;  // with fast arithmetic: trials that were simulated in double precision
  UnresolvedReasons reasons;
  std::array<long long, grasp_failure_count> grasp_failures{};  // where cells are grasps: trials, by GraspFailure
  long long solves = 0, iterations = 0, tripods_redrawn = 0;
  long long resolved_by_reference = 0, left_by_reference = 0;
  long long above_penetration = 0;  // of the resolved trials: their overlap is not accepted
  int contacts_max = 0;
  double residual_max = 0.0;     // [m/s]
  double penetration_max = 0.0;  // [m]
};

// Everything that a finished map knows, or, before merge_parts(), one part of it.
struct SuccessMap {
  // axes_of() the problem: the cell number counts along the first one first. None: those of columns and rows.
  std::vector<Axis> axes;
  int columns = 0;  // cells along the grid's x and y: without [[axis]] cell = row * columns + column
  int rows = 0;
  int samples = 0;     // a cell; with Problem::until at most
  int replicates = 0;  // randomisations of a cell whose means its interval is from; 0: it is not
  // With Problem::until: the row of the arrays below where each cell's samples begin, and their number at the end.
  // Empty for maps with as many samples in every cell.
  std::vector<std::size_t> starts;
  // The samples that the arrays below hold: row i is sample held.first + i. All, but for a part, and none of a joined
  // map.
  SampleRange held;
  // Of a map that merge_parts() joined, whose arrays hold none: hands out all its samples, in order. Throws as
  // merge_parts() does where a part is no longer what it was.
  std::function<void(const VisitBlock&)> elsewhere;
  bool counts_only = false;    // MapOptions::counts_only: there are no samples, neither here nor elsewhere
  std::vector<MapCell> cells;  // none for a part
  RefinedCells refined;
  std::optional<MapTotals> totals;     // none for a part, or where they were not counted: map_totals() counts
  std::vector<SampledColumn> sampled;  // names and units of the sampled numbers
  std::vector<double> values;          // (held.count, sampled.size())
  std::vector<SceneOutcome> outcomes;  // (held.count)
  std::vector<double> final_poses;     // (held.count, body_names.size(), pose_columns.size())
  std::string x_name = "x_mm";         // of the grid
  std::string y_name = "y_mm";
  std::vector<std::string> body_names;
  std::vector<std::string> pose_columns;  // names with units: "x_m", "y_m", "theta_rad"
  std::size_t poses() const { return body_names.size() * pose_columns.size(); }  // numbers a sample
  std::vector<int> redrawn;       // (held.count) support tripods that were redrawn
  std::vector<int> by_reference;  // (held.count) FallbackResult
  std::size_t reruns = 0;         // samples of the whole map that the step check simulates again; 0: there is none
  SampleRange held_reruns;        // which of them, by their number k of rerun_trial(), belong to the samples held
  std::vector<Rerun> rerun;       // (held_reruns.count)
  std::optional<StepCheck> step_check;  // none for a part, or without a check
  Fallback fallback = Fallback::none;
  std::string backend;
  std::string device;
  Strategy strategy = Strategy::per_scene;  // as derived
  SolverKind solver = SolverKind::newton;
  double tolerance = 0.0;              // residual at which a solve stops [m/s], as derived
  double penetration_tolerance = 0.0;  // accepted overlap [m], as derived
  MapTiming timing;
  std::size_t resumed = 0;           // samples taken from an earlier run's journal
  std::shared_ptr<Journal> journal;  // open, so that no other run uses the folder, until finish_map() or the map's end
};

// The cell of a row of the map's samples, and which of the cell's samples it is. Not for a part.
struct TrialPlace {
  std::size_t cell = 0, sample = 0;
};
TrialPlace place_of(const SuccessMap& map, std::size_t row);

// Calls visit for all samples of the map, or of the part, in order, with so many at a time that memory does not matter.
void for_each_block(const SuccessMap& map, const VisitBlock& visit);
MapTotals map_totals(const SuccessMap& map);

struct MapOptions {
  std::filesystem::path out;                   // folder; made when it is not there
  Shard shard;                                 // of several: only this part is simulated, and kept in part_path()
  bool resume = false;                         // go on from the folder's journal
  Fallback fallback = Fallback::none;          // part of what decides results, as the problem is
  const ReferenceEngine* reference = nullptr;  // needed for Fallback::reference (pegrasp_reference/engine.hpp)
  // Share of the samples in (0, 1] that are simulated again at half the step and from a cold start, by the backend
  // alone; rerun_count() says how many. 0: none. `pegrasp map` has usual_step_check. No other result depends on it.
  double step_check = 0.0;
  // Keeps of all samples what is counted of each cell, here and in the journal: memory and files do not grow with the
  // samples. Goes neither with Problem::until nor with step_check. Cells and totals are those of a run that keeps all.
  bool counts_only = false;
  int threads = 0;  // of drawing (by the host) and fallback, 0: all that it may use. Results do not depend on it.
  const std::atomic<bool>* stop = nullptr;
  int level = 0;          // of cells that are added to the map in that folder, with a journal of their own
  std::size_t chunk = 0;  // samples between journal records; 0: by the time they take. Results do not depend on it.
  // Called after every chunk: samples done, of how many; those of the step check count each time they are simulated.
  std::function<void(std::size_t done, std::size_t total)> progress;
};

// Thrown when `stop` was set: the journal holds what is done, nothing else was written.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The journal that a running map keeps in its output folder; it is there exactly while there is something to resume.
// That of a shard of several is part_path().
std::filesystem::path journal_path(const std::filesystem::path& out, const Shard& shard = {});

// Where a shard of several keeps its samples: a journal that stays when it is complete, and that merge_parts() reads.
// It holds all that is needed, the resolved problem too, and may be moved.
std::filesystem::path part_path(const std::filesystem::path& out, const Shard& shard);

// Simulates all samples, or those of options.shard. Results do not depend on the backend's threads, on chunks or on
// interruptions. Without options.resume a journal in the folder is written over; with it and no journal there, all is
// simulated. Throws InputError for an output folder that cannot be used or that another process is writing, more
// samples than memory holds, or a journal of another problem; std::invalid_argument for a scene that cannot be
// simulated. The journal's last record may still be under way when it returns: write_map() waits for it, and throws if
// it fails.
SuccessMap run_map(const Problem& problem, Backend& backend, const MapOptions& options);

// The map of a problem and the problem, from parts that were simulated apart.
struct MergedMap {
  Problem problem;
  SuccessMap map;
};

// Reads parts: files, or folders with all parts in them. The result is what one run gives, whatever the parts' sizes,
// order or number; samples stay in the parts' files (SuccessMap::elsewhere), which must be there until the map is
// written. Throws InputError, one line, for parts of different problems, versions, fallbacks or (fast arithmetic)
// backends, parts that are missing, not finished, damaged, still being written, or that hold the same samples, each
// named with what to do about it. Where stop is set it throws Interrupted, now or as the samples are handed out.
MergedMap merge_parts(const std::vector<std::filesystem::path>& places, const std::atomic<bool>* stop = nullptr);

// Takes the folder that a merged map is about to be written into: makes it, opens its journal, and removes what a
// killed run left half written. Throws InputError for a folder that cannot be used, that another run is writing into,
// or with an interrupted run in it.
void take_folder(SuccessMap& map, const Problem& problem, const std::filesystem::path& out);

// Writes map.h5, problem.toml and map.csv into the folder, each complete or not at all, once the journal is whole;
// where cells are grasps grasps.h5, grasps.csv and the scored grasps instead of map.h5 and map.csv. It removes summary
// and picture of an earlier map. Throws InputError, one line, when the disk is full or the folder not writable.
void write_map(const SuccessMap& map, const Problem& problem, const std::filesystem::path& out);

// Draws map.png from map.h5 with scripts/plot_map.py. Returns an empty string, or one line that says why there is no
// picture (no matplotlib, say). Throws InputError, one line, when the picture could not be written: a full disk, a
// permission.
std::string draw_map(const std::filesystem::path& out);

// The last act, after write_map() and draw_map(): writes summary.json, with the times of all phases, and removes the
// journal. Until then a run that was killed goes on with what is left to write and draw. Throws as write_map() does.
void finish_map(SuccessMap& map, const Problem& problem, const std::filesystem::path& out);

// The summary as JSON text (summary.json).
std::string map_summary_json(const SuccessMap& map, const Problem& problem);

}  // namespace pegrasp
