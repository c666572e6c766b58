// SPDX-License-Identifier: Apache-2.0
#include "src/design/verify.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "kernels/sampling/philox.hpp"
#include "pegrasp/map.hpp"
#include "pegrasp/parameters.hpp"
#include "pegrasp/row_log.hpp"
#include "pegrasp/sampler.hpp"
#include "src/decide/numbers.hpp"
#include "src/design/free_space.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::design {
namespace {

// Trials of a round: a design that fails often fails soon, one that does not is to fill a batch.
constexpr int first_round = 8, largest_round = 1024;
// Random trials of whose starts the geometric level takes the first. The dynamic level tries them, too. Starts of the
// grid would have every combination of the axes read, which takes longer than to seek a path.
constexpr int most_random_starts = 64;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Six digits, which a file shows in full.
double rounded(double value) { return std::strtod(decide::text_of("%.6g", value).c_str(), nullptr); }

Row drawn_row(const std::vector<DesignParameter>& parameters, std::uint64_t seed, int design) {
  Row row;
  for (const DesignParameter& one : parameters) {
    const DrawKey key{seed, static_cast<std::uint32_t>(design), 0, stream_of("design " + one.name), 0};
    const double value = rounded(one.low + (one.high - one.low) * unit_open(random_words(key).first));
    row.values.push_back(std::clamp(value, one.low, one.high));
  }
  return row;
}

// What a predicate is for the geometric level: where a body gets, that all others hold, or nothing.
enum class Role { none, place, joins };
Role role_of(PredicateKind kind) {
  switch (kind) {
    case PredicateKind::pose_within:
      return Role::place;
    case PredicateKind::all:
      return Role::joins;
    case PredicateKind::gap_below:
    case PredicateKind::speed_below:
    case PredicateKind::displacement_below:
    case PredicateKind::held:
    case PredicateKind::touching:
    case PredicateKind::contact_force:
    case PredicateKind::any:
    case PredicateKind::negate:
      break;
  }
  return Role::none;
}

// What [success] says about where a body gets: the one pose_within of a body in the world that it cannot do without.
const Predicate* goal_of(const std::vector<Predicate>& success) {
  const Predicate* goal = nullptr;
  const bool all = success.size() > 1 && role_of(success.back().kind) == Role::joins &&
                   success.back().count == static_cast<int>(success.size()) - 1;
  if (success.size() != 1 && !all) return nullptr;
  for (const Predicate& one : success) {
    if (role_of(one.kind) != Role::place || one.body_b >= 0 || one.point.x != 0.0 || one.point.y != 0.0) continue;
    if (goal != nullptr && goal->body != one.body) return nullptr;
    if (goal == nullptr) goal = &one;
  }
  return goal;
}

class Verifier {
 public:
  Verifier(const RowEvaluator& rows, Backend& backend, RowLog& log, const DesignOptions& options)
      : rows_(rows),
        backend_(backend),
        options_(options),
        grid_(rows.problem().axes.empty() ? 0 : rows.problem().cells()),
        random_(rows.problem().samples),
        log_(log) {
    if (options.levels.back() == Level::compliant) rigid_ = Level::dynamic;
  }

  DesignResult run() {
    DesignResult result;
    result.parameters = rows_.parameters();
    result.grid = grid_;
    result.random = random_;
    result.device = backend_.name();
    const int count = std::max(1, options_.designs);
    for (int i = 0; i < count; ++i) {
      result.designs.push_back(design(options_.designs == 0 ? Row{rows_.start(), {}}
                                                            : drawn_row(rows_.parameters(), rows_.problem().seed, i)));
      if (options_.progress) options_.progress(static_cast<std::size_t>(i) + 1, static_cast<std::size_t>(count));
    }
    result.resumed = log_.resumed();
    return result;
  }

 private:
  DesignRecord design(const Row& row) {
    DesignRecord record;
    record.values = row.values;
    for (; record.refused_by < options_.levels.size(); ++record.refused_by)
      if (!verdict(record, options_.levels[record.refused_by], row).passed) break;
    const Level last = options_.levels.back();
    if (options_.naive && last != Level::geometric) verdict(record, last, row);
    return record;
  }

  const Verdict& verdict(DesignRecord& record, Level level, const Row& row) {
    Verdict& out = record.verdicts[static_cast<std::size_t>(level)];
    if (out.tried) return out;
    if (options_.stop && options_.stop->load()) throw Interrupted("stopped");
    const auto find = [&] {
      const Clock::time_point begin = Clock::now();
      Verdict found =
          level == Level::geometric ? geometric(row) : simulated(level == rigid_ ? without_shells(row) : row);
      return std::vector<double>{found.passed ? 1.0 : 0.0,          static_cast<double>(found.first_failing),
                                 static_cast<double>(found.trials), static_cast<double>(found.random),
                                 found.unresolved ? 1.0 : 0.0,      seconds_since(begin)};
    };
    const std::vector<double> numbers = log_.keep(row, find, level_names[static_cast<int>(level)]);
    out.tried = true;
    out.passed = numbers[0] != 0.0;
    out.first_failing = static_cast<int>(numbers[1]);
    out.trials = static_cast<int>(numbers[2]);
    out.random = static_cast<int>(numbers[3]);
    out.unresolved = numbers[4] != 0.0;
    out.seconds = numbers[5];
    return out;
  }

  static Row without_shells(Row row) {
    row.set.push_back({"simulation.shells", "false"});
    return row;
  }

  // Of a row with random trials alone.
  Row without_grid(Row row) const {
    if (grid_ > 0) row.set.push_back({"axis", "[]"});
    return row;
  }

  // Where the body is at the start of the first random trials.
  static std::vector<Pose> starts_of(const Problem& problem, int body) {
    std::vector<Pose> starts;
    const int count = std::min(problem.samples, most_random_starts);
    std::vector<Sampler> samplers;
    for (std::size_t g = 0; g < problem.group_count(); ++g) samplers.emplace_back(problem.of_group(g));
    std::vector<double> parameters, values;
    for (int i = 0; i < count; ++i) {
      const std::size_t group = problem.group_of(0, i);
      parameters.resize(samplers[group].parameters());
      values.resize(samplers[group].values());
      samplers[group].draw(0, i, parameters, values);
      const auto at = static_cast<std::size_t>(parameter_layout(problem.of_group(group).scene).pose(body));
      starts.push_back({parameters[at], parameters[at + 1], parameters[at + 2]});
    }
    return starts;
  }

  [[noreturn]] void cannot(const std::string& why) const {
    throw InputError(rows_.origin() + ": --levels geometric " + why + ", or leave the level out");
  }

  Verdict geometric(const Row& row) const {
    Verdict out;
    Problem problem;
    try {
      problem = rows_.problem_at(without_grid(row));
    } catch (const InputError&) {
      return out;  // no scene at all
    }
    const Predicate* const goal = goal_of(problem.scene.success);
    if (goal == nullptr)
      cannot("needs [success] to be, or to have in its all, one pose_within of a body in the world; write it so");
    if (problem.scene.spatial) cannot("is for planar problems; give --levels dynamic");
    if (problem.changes.any()) cannot("takes no uncertain scale and tilt; make them numbers");
    PathQuestion question;
    question.body = goal->body;
    question.low = goal->low;
    question.high = goal->high;
    question.cell = options_.cell;
    if (options_.turn_cell > 0.0) question.turn_cell = options_.turn_cell;
    question.starts = starts_of(problem, goal->body);
    std::optional<std::size_t> without;
    try {
      without = first_without_path(problem.scene, question);
    } catch (const std::invalid_argument& error) {
      cannot(std::string("cannot be used: ") + error.what());
    }
    out.passed = !without;
    out.first_failing = without ? grid_ + static_cast<int>(*without) : -1;
    out.trials = static_cast<int>(without ? *without + 1 : question.starts.size());
    return out;
  }

  // Trials of one row from `first` on: of the grid, or random ones.
  RowResult round(const Row& row, bool grid, int first, int count) const {
    RowOptions options;
    options.stop = options_.stop;
    const Row asked = grid ? row : without_grid(row);
    if (grid) {
      options.first_cell = first;
      options.cells = count;
      options.samples = 1;
    } else {
      options.first_sample = first;
      options.samples = count;
    }
    return rows_.evaluate(std::span(&asked, 1), backend_, options).front();
  }

  Verdict simulated(const Row& row) const {
    Verdict out;
    for (const bool grid : {true, false}) {
      const int all = grid ? grid_ : random_;
      for (int done = 0; done < all;) {
        const int count = std::min(all - done, std::clamp(2 * out.trials, first_round, largest_round));
        const RowResult result = round(row, grid, done, count);
        if (!result.refused.empty()) return out;  // no scene at all
        for (const SceneOutcome& outcome : result.outcomes) {
          ++out.trials;
          out.random += grid ? 0 : 1;
          if (outcome.status == status_ok && outcome.success != 0) continue;
          out.first_failing = out.trials - 1;
          out.unresolved = outcome.status != status_ok;
          return out;
        }
        done += count;
      }
    }
    out.passed = true;
    return out;
  }

  const RowEvaluator& rows_;
  Backend& backend_;
  const DesignOptions& options_;
  int grid_, random_;
  std::optional<Level> rigid_;  // which simulates without shells
  RowLog& log_;
};

}  // namespace

std::vector<Level> levels_from(const std::string& words) {
  std::vector<Level> levels;
  for (std::size_t from = 0; from <= words.size();) {
    const std::size_t end = std::min(words.find(',', from), words.size());
    const std::string word = words.substr(from, end - from);
    from = end + 1;
    const auto* const found = std::find(std::begin(level_names), std::end(level_names), word);
    if (found == std::end(level_names))
      throw InputError("--levels: " + printable(word) + " is no level; give geometric, dynamic, compliant, or several");
    const auto level = static_cast<Level>(found - std::begin(level_names));
    if (!levels.empty() && level <= levels.back())
      throw InputError("--levels: levels go from cheap to dear; give geometric,dynamic,compliant");
    levels.push_back(level);
  }
  return levels;
}

RowLogOptions log_options(const DesignOptions& options) {
  std::string what = "design " + std::to_string(options.designs) + (options.naive ? " naive " : " ") +
                     decide::shortest_text(options.cell) + " " + decide::shortest_text(options.turn_cell);
  for (const Level level : options.levels) what += std::string(" ") + level_names[static_cast<int>(level)];
  return {options.folder, options.resume, what, {"passed", "first_failing", "trials", "random", "unresolved", "s"}};
}

DesignResult verify_designs(const RowEvaluator& rows, Backend& backend, RowLog& log, const DesignOptions& options) {
  if (options.designs > 0 && rows.parameters().empty())
    throw InputError(rows.origin() + ": design: there is none to draw; write [[design]] tables with low and high");
  for (const DesignParameter& one : rows.parameters()) {
    if (options.designs > 0 && !(std::isfinite(one.low) && std::isfinite(one.high)))
      throw InputError(rows.origin() + ": design: " + printable(one.name) + " has no low or no high; give both");
  }
  if (options.levels.back() == Level::compliant && !has_shells(rows.problem().scene))
    throw InputError(rows.origin() +
                     ": --levels compliant needs parts that have a shell; give a body one, as in shell = "
                     "{ thickness_mm = 1, stiffness_n_per_m = 1e4 }, or leave the level out");
  return Verifier(rows, backend, log, options).run();
}

}  // namespace pegrasp::design
