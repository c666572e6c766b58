// SPDX-License-Identifier: Apache-2.0
// pegrasp run --formulation: a scene, stepped as the sources write it.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/version.hpp"
#include "src/cli/common.hpp"
#include "src/cli/reference_commands.hpp"
#include "src/cli/scene_job.hpp"
#include "src/cli/scene_watch.hpp"
#include "src/cli/terminal.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/metrics/overlap.hpp"
#include "src/metrics/spatial_overlap.hpp"
#include "src/reference/reference.hpp"

namespace pegrasp::cli {
namespace {

using namespace reference;

// In the order of formulation_sets.
constexpr ContactSets sets_named[] = {ContactSets::peg_one,      ContactSets::peg_several,     ContactSets::lnc,
                                      ContactSets::standard_all, ContactSets::standard_single, ContactSets::lnc};

// What the thesis leaves open: in pours of polygons a small depth lets go of vertices that then get stuck
// (bench/studies/thesis/README.md); in 3D the depth of contact model peg-features overlaps less.
double feasible_depth(const FormulationWords& words, bool spatial) {
  return words.feasible_depth_ratio.value_or(spatial ? 0.05 : 1.0);
}

FormulationChoice choice_of(const FormulationWords& words, bool spatial) {
  // Bodies in 3D that lie in each other, as steps without a solution leave them, make problems of thousands of unknowns
  // and of no solution, which would be sought for minutes.
  constexpr std::int64_t pivots_in_space = 5000;
  FormulationChoice choice;
  choice.formulation.form = words.formulation == "lcp"    ? Form::lcp
                            : words.formulation == "mlcp" ? Form::mixed
                            : words.formulation == "qp"   ? Form::convex
                                                          : Form::quadratic;
  choice.formulation.scheme = words.scheme == "anitescu-potra" ? Scheme::anitescu_potra : Scheme::stewart_trinkle;
  choice.formulation.directions = words.directions;
  if (words.sets == "egan") choice.formulation.set_rows = SetRows::egan;  // LNC's sets, in his rows
  const auto found = std::find(formulation_sets.begin(), formulation_sets.end(), words.sets);
  choice.rules.sets = sets_named[found - formulation_sets.begin()];
  choice.rules.feasible_depth_ratio = feasible_depth(words, spatial);
  if (spatial) choice.max_pivots = pivots_in_space;
  return choice;
}

// What differs between the dimensions: overlaps relative to the area, or volume, of all that moves, and the poses.
class PlanarView {
 public:
  explicit PlanarView(const FormulationRun& run) : run_(run), whole_(total_dynamic_area(run.scene())) {}
  double overlap() const {
    return whole_ > 0.0 ? total_overlap_area(run_.scene(), run_.poses(), run_.present()) / whole_ : 0.0;
  }
  void append(std::ostream& out, std::size_t b) const {
    append_planar_state(out, run_.steps(), run_.time(), b, run_.poses()[b], run_.velocities()[b]);
  }

 private:
  const FormulationRun& run_;
  double whole_;  // [m^2]
};

class SpatialView {
 public:
  explicit SpatialView(const SpatialFormulationRun& run) : run_(run), overlap_(run.scene()) {}
  double overlap() const {
    std::vector<SpatialPose> poses;
    for (int b = 0; b < static_cast<int>(run_.present().size()); ++b) poses.push_back(run_.pose(b));
    const double whole = overlap_.dynamic_volume();
    return whole > 0.0 ? overlap_.total(poses, run_.present()) / whole : 0.0;
  }
  void append(std::ostream& out, std::size_t b) const {
    const int body = static_cast<int>(b);
    append_spatial_state(out, run_.steps(), run_.time(), b, run_.pose(body), run_.velocity(body));
  }

 private:
  const SpatialFormulationRun& run_;
  SpatialOverlap overlap_;
};

// More than one linearisation leaves of bodies that turn, in parts of the area, or volume, of all that moves: sets that
// let bodies through have solutions, too (bench/studies/thesis/README.md).
constexpr double overlap_shown = 1e-3;

// Sums over the steps, and what is written of them.
class Account {
 public:
  void see(const FormulatedScene& run, double overlap) {
    const FormulatedStepReport& step = run.last();
    overlaps_.push_back(overlap);
    overlapping_ += overlap > overlap_shown ? 1 : 0;
    milliseconds_.push_back(1e3 * step.seconds);
    contacts_ += step.contacts;
    contacts_max_ = std::max(contacts_max_, step.contacts);
    unknowns_max_ = std::max(unknowns_max_, step.unknowns);
    traps_ += step.traps;
    trapped_steps_ += step.traps > 0 ? 1 : 0;
    unresolved_ += step.status == mcp::Status::solved ? 0 : 1;
    infeasible_ += step.status == mcp::Status::infeasible ? 1 : 0;
    pivot_limit_ += step.status == mcp::Status::pivot_limit ? 1 : 0;
    residual_max_ = std::max(residual_max_, step.residual);
  }
  int unresolved() const { return unresolved_; }

  nlohmann::ordered_json report(const FormulatedScene& run, const FormulationWords& words,
                                const StepOptions& options) const {
    nlohmann::ordered_json out;
    out["scene"] = run.scene().name;
    out["formulation"] = words.formulation;
    out["scheme"] = words.scheme;
    out["sets"] = words.sets;
    out["directions"] = words.directions;
    out["feasible_depth_ratio"] = feasible_depth(words, run.scene().spatial);
    out["h_s"] = options.h;
    out["steps"] = run.steps();
    out["time_s"] = run.time();
    out["unresolved_steps"] = unresolved_;
    out["infeasible_steps"] = infeasible_;    // of these: shown to have no solution
    out["pivot_limit_steps"] = pivot_limit_;  // of these: given up at the limit of pivots
    out["finite"] = run.finite();
    out["overlapping_steps"] = overlapping_;  // steps that end with more than overlap_shown
    out["status"] = status(run.finite());
    out["overlap_median"] = quantile(overlaps_, 0.5);
    out["overlap_max"] = quantile(overlaps_, 1.0);
    out["residual_max"] = residual_max_;
    const double steps = std::max(1, run.steps());
    out["contacts_mean"] = contacts_ / steps;
    out["contacts_max"] = contacts_max_;
    out["traps_mean"] = traps_ / steps;
    out["steps_with_traps"] = trapped_steps_;
    out["unknowns_max"] = unknowns_max_;
    const double spent = std::accumulate(milliseconds_.begin(), milliseconds_.end(), 0.0);
    out["solve_ms"] = {
        {"mean", spent / steps}, {"median", quantile(milliseconds_, 0.5)}, {"max", quantile(milliseconds_, 1.0)}};
    out["version"] = version::number;
    out["git"] = version::git;
    return out;
  }

 private:
  std::string status(bool finite) const {
    if (!finite) return "not finite";
    if (unresolved_ > 0) return overlapping_ > 0 ? "not solved, and bodies overlap" : "not solved";
    return overlapping_ > 0 ? "bodies overlap" : "ok";
  }
  static double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  }

  std::vector<double> overlaps_, milliseconds_;
  double contacts_ = 0.0, traps_ = 0.0, residual_max_ = 0.0;
  int contacts_max_ = 0, unknowns_max_ = 0, trapped_steps_ = 0, unresolved_ = 0, infeasible_ = 0, pivot_limit_ = 0;
  int overlapping_ = 0;
};

template <class Run, class View>
int step_all(const SceneChoice& scene, const SceneJob& job, const FormulationWords& words,
             const std::string& trajectory, bool json,
             const std::function<void(const nlohmann::ordered_json&)>& print) {
  // Bodies that lie in each other, as steps without a solution leave them, make problems of thousands of unknowns
  // without a solution, and Egan's rows degenerate ones: these would be sought for minutes.
  constexpr std::int64_t most_pivots = 5000;  // of all paths of a solve, and of each search for a proof
  FormulationChoice choice = choice_of(words, job.scene.spatial);
  choice.max_pivots = most_pivots;
  std::optional<Run> run;
  const auto refusing = [&](const auto& what) {
    try {
      return what();
    } catch (const std::invalid_argument& error) {
      throw InputError(scene.file + ": --formulation: " + error.what());
    }
  };
  refusing([&] { run.emplace(job.scene, job.parameters, job.options, choice); });
  const View view(*run);
  std::optional<AtomicFile> file;
  std::ostringstream table;
  table << trajectory_heading << '\n';
  if (!trajectory.empty()) file.emplace(trajectory);
  install_stop_signals();
  Account account;
  const auto total = static_cast<std::size_t>(job.options.duration / job.options.h + 0.5);
  ProgressBar bar(!json, "steps");
  run->heed(&stop_requested());
  // Redundant joints have no form lcp.
  for (double begin = 0.0; refusing([&] { return run->step(); }); begin = run->time()) {
    if (stop_requested().load()) {  // which may have ended the solve
      bar.finish();
      throw Interrupted("stopped at t = " + shortest(begin) + " s; nothing written");
    }
    account.see(*run, view.overlap());
    for (std::size_t b = 0; file && b < run->present().size(); ++b) {
      if (run->present()[b]) view.append(table, b);
    }
    bar.update(static_cast<std::size_t>(run->steps()), total);
  }
  bar.finish();
  if (file) file->commit(table.str());
  print(account.report(*run, words, job.options));
  finish_output();
  return account.unresolved() == 0 && run->finite() ? exit_done : exit_unaccepted;
}

}  // namespace

int run_formulation(const SceneChoice& scene, const FormulationWords& words, const std::string& trajectory, bool json,
                    const std::function<void(const nlohmann::ordered_json&)>& print) {
  if (words.formulation == "qp" && words.sets.rfind("standard", 0) != 0)
    throw InputError("--formulation qp: takes unilateral contacts only; give --sets standard");
  const SceneJob job = scene.make();
  return job.scene.spatial ? step_all<SpatialFormulationRun, SpatialView>(scene, job, words, trajectory, json, print)
                           : step_all<FormulationRun, PlanarView>(scene, job, words, trajectory, json, print);
}

}  // namespace pegrasp::cli
