// SPDX-License-Identifier: Apache-2.0
// The smoother is the continuous correlated beta process of Goetschalckx, Poupart and Hoey (IJCAI 2011), which is local
// likelihood (Tibshirani and Hastie, JASA 82, 1987) with a conjugate prior. Its radius is that under which each trial
// is foretold best by all others.
#include "src/decide/best.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/sampling/philox.hpp"
#include "kernels/sampling/portable_math.hpp"
#include "src/decide/special.hpp"

namespace pegrasp::decide {
namespace {

constexpr std::array radii{1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
constexpr double prior = 0.5;        // Jeffreys'
constexpr double same_bound = 1e-9;  // lower bounds that differ by less are equal
constexpr std::size_t most_draws = 2000, fewest_draws = 200;
constexpr double most_work = 3e8;  // products of all draws, so that maps of many cells take seconds

constexpr std::size_t most_axes = 32;  // read_stored_map() reads no more

double kernel(double distance2, double radius) {
  const double rest = 1.0 - distance2 / (radius * radius);
  return rest > 0.0 ? rest * rest : 0.0;
}

// Calls visit(other cell, weight) for every cell that counts for one, itself among them.
template <class Visit>
void for_each_neighbour(const StoredMap& map, std::size_t cell, double radius, const Visit& visit) {
  const std::vector<std::size_t> here = place_on(map.axes, cell);
  const std::size_t axes = here.size();
  std::array<long, most_axes> low{}, high{}, at{};
  for (std::size_t k = 0; k < axes; ++k) {
    const long own = static_cast<long>(here[k]), last = static_cast<long>(map.axes[k].size()) - 1;
    const long reach = map.axes[k].categorical ? 0 : static_cast<long>(radius);
    low[k] = std::max(0L, own - reach);
    high[k] = std::min(last, own + reach);
  }
  at = low;
  while (true) {
    long other = 0, distance2 = 0;
    for (std::size_t k = axes; k-- > 0;) {
      const long apart = at[k] - static_cast<long>(here[k]);
      distance2 += apart * apart;
      other = other * static_cast<long>(map.axes[k].size()) + at[k];
    }
    const double weight = kernel(static_cast<double>(distance2), radius);
    if (weight > 0.0) visit(static_cast<std::size_t>(other), weight);
    std::size_t k = 0;
    while (k < axes && ++at[k] > high[k]) {
      at[k] = low[k];
      ++k;
    }
    if (k == axes) return;
  }
}

// Cells within a radius, about: as many as the box around has.
double cells_within(const StoredMap& map, double radius) {
  double count = 1.0;
  for (const Axis& axis : map.axes)
    if (!axis.categorical) count *= std::min(static_cast<double>(axis.size()), 2.0 * std::floor(radius) + 1.0);
  return count;
}

std::vector<SmoothCell> smoothed(const StoredMap& map, double radius) {
  std::vector<SmoothCell> cells(map.cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for_each_neighbour(map, c, radius, [&](std::size_t other, double weight) {
      const StoredCell& there = map.cells[other];
      cells[c].successes += weight * there.successes;
      cells[c].failures += weight * (there.samples - there.successes);
    });
  }
  return cells;
}

// Log likelihood of every trial, foretold by all others.
double foretold(const StoredMap& map, const std::vector<SmoothCell>& cells) {
  double sum = 0.0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const double s = map.cells[c].successes, f = map.cells[c].samples - s;
    const double rest = cells[c].successes + cells[c].failures - 1.0;
    if (s > 0.0) sum += s * portable::log((cells[c].successes - 1.0) / rest);
    if (f > 0.0) sum += f * portable::log((cells[c].failures - 1.0) / rest);
  }
  return sum;
}

double best_radius(const StoredMap& map) {
  double chosen = radii.front(), most = foretold(map, smoothed(map, chosen));
  for (const double radius : radii) {
    if (cells_within(map, radius) * static_cast<double>(map.cells.size()) > most_work) break;
    const double score = foretold(map, smoothed(map, radius));
    if (score > most) {
      most = score;
      chosen = radius;
    }
  }
  return chosen;
}

// A number with the gamma distribution of shape a >= 1/2: Marsaglia and Tsang, ACM TOMS 26 (2000).
double gamma_draw(double a, DrawKey key) {
  double boost = 1.0;
  if (a < 1.0) {
    const double u = unit_open(random_words(key).first);
    boost = portable::exp(portable::log(u) / a);
    a += 1.0;
    key.redraw += 2;
  }
  const double d = a - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const RandomWords words = random_words(key);
    key.redraw += 2;
    const double z = portable::normal_quantile(unit_open(words.first)), t = 1.0 + c * z;
    if (t <= 0.0) continue;
    const double v = t * t * t;
    if (portable::log(unit_open(words.second)) < 0.5 * z * z + d - d * v + d * portable::log(v)) return boost * d * v;
  }
}

double beta_draw(double a, double b, DrawKey key) {
  const double x = gamma_draw(a, key);
  key.redraw = 1;  // the other half of the counters
  const double y = gamma_draw(b, key);
  return x / (x + y);
}

// In steps; cells with another value on a categorical axis are far away.
long distance2_of(const StoredMap& map, const std::vector<std::size_t>& here, std::size_t other) {
  long sum = 0;
  for (std::size_t k = 0; k < here.size(); ++k) {
    const long apart = static_cast<long>(other % map.axes[k].size()) - static_cast<long>(here[k]);
    other /= map.axes[k].size();
    if (map.axes[k].categorical && apart != 0) return std::numeric_limits<long>::max();
    sum += apart * apart;
  }
  return sum;
}

// Of cells with the same lower bound the one that is farthest from a lower one and from the grid's edge: what is said
// of it holds for its surroundings, too.
std::size_t deepest(const StoredMap& map, const std::vector<SmoothCell>& cells, double low, std::size_t& equal) {
  std::vector<std::size_t> ties;
  for (std::size_t c = 0; c < cells.size(); ++c)
    if (cells[c].low >= low - same_bound) ties.push_back(c);
  equal = ties.size();
  std::size_t chosen = ties.front();
  long farthest = -1;
  for (const std::size_t c : ties) {
    const std::vector<std::size_t> here = place_on(map.axes, c);
    long nearest = std::numeric_limits<int>::max();
    for (std::size_t k = 0; k < here.size(); ++k) {
      const long own = static_cast<long>(here[k]), last = static_cast<long>(map.axes[k].size()) - 1;
      if (!map.axes[k].categorical) nearest = std::min({nearest, own + 1, last - own + 1});
    }
    nearest *= nearest;
    for (std::size_t other = 0; other < cells.size() && nearest > farthest; ++other)
      if (cells[other].low < low - same_bound) nearest = std::min(nearest, distance2_of(map, here, other));
    if (nearest > farthest) {
      farthest = nearest;
      chosen = c;
    }
  }
  return chosen;
}

// Draws all cells' probabilities together, each from its own trials alone, and smooths them as the counts were: so
// neighbours share what they have in common.
void draw_cells(const StoredMap& map, BestCell& out) {
  const std::size_t count = map.cells.size();
  std::size_t neighbours = 0;
  for (std::size_t c = 0; c < count; ++c)
    for_each_neighbour(map, c, out.radius, [&](std::size_t, double) { ++neighbours; });
  const double fits = most_work / static_cast<double>(neighbours + 20 * count);
  out.draws = fits >= static_cast<double>(most_draws)
                  ? most_draws
                  : std::max(fewest_draws, static_cast<std::size_t>(std::max(fits, 0.0)));
  std::vector<double> drawn(count), regrets;
  std::vector<std::size_t> wins(count, 0);
  DrawKey key;
  key.seed = map.seed;
  key.stream = stream_of("pegrasp.best");
  for (std::size_t k = 0; k < out.draws; ++k) {
    key.sample = static_cast<std::uint32_t>(k);
    for (std::size_t c = 0; c < count; ++c) {
      key.cell = static_cast<std::uint32_t>(c);
      const double s = map.cells[c].successes, f = map.cells[c].samples - s;
      drawn[c] = beta_draw(s + prior, f + prior, key);
    }
    std::size_t winner = 0;
    double most = -1.0, of_best = 0.0;
    for (std::size_t c = 0; c < count; ++c) {
      double sum = 0.0, weights = 0.0;
      for_each_neighbour(map, c, out.radius, [&](std::size_t other, double weight) {
        const double trials = weight * (map.cells[other].samples + 2.0 * prior);
        sum += trials * drawn[other];
        weights += trials;
      });
      const double p = sum / weights;
      if (c == out.best) of_best = p;
      if (p > most) {
        most = p;
        winner = c;
      }
    }
    ++wins[winner];
    regrets.push_back(most - of_best);
    out.regret_mean += regrets.back();
  }
  const auto draws = static_cast<double>(out.draws);
  for (std::size_t c = 0; c < count; ++c) out.cells[c].chance_best = static_cast<double>(wins[c]) / draws;
  out.regret_mean /= draws;
  std::sort(regrets.begin(), regrets.end());
  out.regret_bound = regrets[std::min(regrets.size() - 1, static_cast<std::size_t>(0.95 * draws))];
}

}  // namespace

BestCell best_cell(const StoredMap& map) {
  BestCell out;
  out.radius = best_radius(map);
  out.cells = smoothed(map, out.radius);
  double most = -1.0;
  for (SmoothCell& cell : out.cells) {
    cell.p = cell.successes / (cell.successes + cell.failures);
    cell.low = beta_quantile(cell.successes, cell.failures, 0.025);
    cell.high = beta_quantile(cell.successes, cell.failures, 0.975);
    most = std::max(most, cell.low);
  }
  out.best = deepest(map, out.cells, most, out.equal);
  draw_cells(map, out);
  return out;
}

}  // namespace pegrasp::decide
