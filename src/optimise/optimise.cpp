// SPDX-License-Identifier: Apache-2.0
#include "src/optimise/optimise.hpp"

#include <cmath>

#include "pegrasp/map.hpp"
#include "pegrasp/row_log.hpp"
#include "src/decide/numbers.hpp"
#include "src/optimise/objective.hpp"

namespace pegrasp::optimise {
namespace {

SimplexOptions simplex_options(const RowEvaluator& rows, const OptimiseOptions& options) {
  SimplexOptions out;
  for (const DesignParameter& one : rows.parameters()) {
    out.start.push_back(one.start);
    out.scale.push_back(one.scale);
    out.low.push_back(one.low);
    out.high.push_back(one.high);
  }
  out.tolerance = options.tolerance;
  out.restarts = options.restarts;
  out.evaluations = options.evaluations > 0 ? options.evaluations : 100 * static_cast<int>(out.start.size());
  return out;
}

}  // namespace

OptimiseResult optimise(const RowEvaluator& rows, Backend& backend, const OptimiseOptions& options) {
  if (rows.parameters().empty())
    throw InputError(rows.origin() + ": design: is missing; add [[design]] with the key of a parameter to choose");
  const std::unique_ptr<Objective> objective = read_objective(rows);
  const SimplexOptions simplex = simplex_options(rows, options);
  const std::size_t most = static_cast<std::size_t>(simplex.evaluations);
  // Neither the number of evaluations nor the tolerance decides a point's numbers: a search may go on.
  RowLog log(rows, backend, {options.folder, options.resume, "optimise", objective->columns()});
  OptimiseResult result;
  RowOptions trials;
  trials.threads = options.threads;
  trials.stop = options.stop;
  const auto values_at = [&](std::span<const std::vector<double>> points, const std::string& kind) {
    std::vector<double> values;
    for (const std::vector<double>& point : points) {
      if (options.stop && options.stop->load()) throw Interrupted("stopped");
      std::string why;
      const std::vector<double> numbers = log.keep(
          {point}, [&] { return objective->at(rows, {point}, backend, trials, why); }, kind);
      if (log.size() == 1) {
        result.first = numbers;
        if (std::isinf(numbers[0])) {
          if (why.empty()) objective->at(rows, {point}, backend, trials, why);
          throw InputError(why + " (at the start of [[design]])");
        }
      }
      if (result.best.empty() || numbers[0] < result.best[0]) result.best = numbers;
      values.push_back(numbers[0]);
      result.values.push_back(numbers[0]);
      if (options.progress) options.progress(log.size(), std::max(most, log.size()));
    }
    return values;
  };
  result.search = nelder_mead(simplex, values_at);
  result.objective = objective->kind();
  result.columns = objective->columns();
  result.evaluations_csv = log.csv();
  result.optimum_toml = rows.toml_at({result.search.best});
  result.resumed = log.resumed();
  result.device = backend.device();
  return result;
}

}  // namespace pegrasp::optimise
