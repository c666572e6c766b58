// SPDX-License-Identifier: Apache-2.0
// Chooses the trials: rounds over all cells take one sample of each cell, and the last round takes cells at even
// distances.
#include "src/reference/validate/validate.hpp"

namespace pegrasp::reference {

Trial one_trial(const Problem& whole, int cell, int sample) {
  const Problem& problem = whole.of_trial(cell, sample);
  const std::vector<double> base = base_parameters(problem);
  Trial trial{cell, sample, std::vector<double>(base.size())};
  std::vector<double> values(sampled_columns(problem).size());
  draw_sample(problem, base, cell, sample, trial.parameters, values);
  return trial;
}

std::vector<Trial> spread_trials(const Problem& problem, int count) {
  const int cells = problem.cells();
  if (count > static_cast<long long>(cells) * problem.samples) {
    throw InputError("--samples " + std::to_string(count) + ": the problem has " +
                     std::to_string(static_cast<long long>(cells) * problem.samples) +
                     " trials; --set map.samples=N asks for more a cell");
  }
  std::vector<Trial> trials;
  const int rounds = count / cells;
  for (int sample = 0; sample < rounds; ++sample) {
    for (int cell = 0; cell < cells; ++cell) trials.push_back(one_trial(problem, cell, sample));
  }
  const int rest = count - rounds * cells;
  for (int i = 0; i < rest; ++i) {
    const auto cell = (2LL * i + 1) * cells / (2LL * rest);
    trials.push_back(one_trial(problem, static_cast<int>(cell), rounds));
  }
  return trials;
}

}  // namespace pegrasp::reference
