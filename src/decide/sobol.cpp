// SPDX-License-Identifier: Apache-2.0
#include "src/decide/sobol.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernels/sampling/philox.hpp"

namespace pegrasp::decide {
namespace {

// Rows are dealt to groups in turn; replicates are halves of the groups, whose sums are made once.
constexpr std::size_t most_groups = 50;
constexpr std::size_t most_bins = 64, most_pair_bins = 40, most_three_bins = 16, fewest_three_bins = 4;
constexpr std::size_t most_names = 10000;  // of a nominal factor that get a bin each
constexpr double rows_a_bin = 20.0;        // at least, on average, of one factor ...
constexpr double rows_a_shared_bin = 5.0;  // ... and of several, where narrow bins find sharp borders
constexpr double most_chance = 0.02;       // that chance may add to a total index (standard deviation)
constexpr double most_numbers = 1.2e7;     // in the sums of all groups and all pairs, or all threes
constexpr double tail = 0.025;             // on either side of an interval

// Count, sum and sum of squares of the results in a bin.
struct Sums {
  double count = 0.0, sum = 0.0, squares = 0.0;
};

// The bins of one factor, or of some together, by group. The last factor's bins follow each other.
struct Table {
  std::vector<std::size_t> factors;
  std::vector<std::size_t> counts;  // bins of each
  std::size_t bins = 1;             // their product
  std::vector<Sums> sums;           // (groups, bins)
};

// Variance between the bins less what chance alone makes it: of a bin with n rows of variance s^2 its mean varies by
// s^2 / n.
double variance_between(std::span<const Sums> bins) {
  double rows = 0.0, sum = 0.0, within = 0.0, freedom = 0.0;
  for (const Sums& bin : bins) {
    rows += bin.count;
    sum += bin.sum;
    if (bin.count < 2.0) continue;
    within += bin.squares - bin.sum * bin.sum / bin.count;
    freedom += bin.count - 1.0;
  }
  if (rows == 0.0) return 0.0;
  const double mean = sum / rows, pooled = freedom > 0.0 ? within / freedom : 0.0;
  double between = 0.0, chance = 0.0;
  for (const Sums& bin : bins) {
    if (bin.count == 0.0) continue;
    const double apart = bin.sum / bin.count - mean;
    between += bin.count * apart * apart;
    const double own = bin.count < 2.0 ? pooled : (bin.squares - bin.sum * bin.sum / bin.count) / (bin.count - 1.0);
    chance += (1.0 - bin.count / rows) * own;
  }
  return (between - chance) / rows;
}

double variance_of(const Sums& all) {
  return all.count > 1.0 ? (all.squares - all.sum * all.sum / all.count) / (all.count - 1.0) : 0.0;
}

// The bins of those factors of a table that `kept` has as bits; all others are summed over.
std::vector<Sums> marginal(std::span<const Sums> bins, const std::vector<std::size_t>& counts, unsigned kept) {
  std::size_t size = 1;
  for (std::size_t k = 0; k < counts.size(); ++k) size *= (kept >> k & 1u) != 0 ? counts[k] : 1;
  std::vector<Sums> out(size);
  for (std::size_t b = 0; b < bins.size(); ++b) {
    std::size_t rest = b, to = 0, stride = 1;
    for (std::size_t k = counts.size(); k-- > 0;) {
      const std::size_t at = rest % counts[k];
      rest /= counts[k];
      if ((kept >> k & 1u) == 0) continue;
      to += stride * at;
      stride *= counts[k];
    }
    out[to].count += bins[b].count;
    out[to].sum += bins[b].sum;
    out[to].squares += bins[b].squares;
  }
  return out;
}

// What the factors of a table explain only together: what all explain, less what fewer of them do, by inclusion and
// exclusion. Of one factor: what it explains.
double interaction(std::span<const Sums> bins, const std::vector<std::size_t>& counts) {
  const unsigned all = (1u << counts.size()) - 1u;
  double out = variance_between(bins);
  for (unsigned kept = 1; kept < all; ++kept) {
    const double part = variance_between(marginal(bins, counts, kept));
    out += (counts.size() - static_cast<std::size_t>(std::popcount(kept))) % 2 == 0 ? part : -part;
  }
  return out;
}

// Everything that a replicate needs: a table for each factor, each pair and, where they are not too many, each three.
class Tables {
 public:
  Tables(const std::vector<Factor>& factors, std::span<const double> result)
      : factors_(factors.size()), result_(result), groups_(std::min(most_groups, result.size())) {
    const auto n = static_cast<double>(factors_);
    bins = bins_for(1, most_bins, n);
    pair_bins = bins_for(2, most_pair_bins, n * (n - 1.0) / 2.0);
    const std::size_t three_bins = bins_for(3, most_three_bins, n * (n - 1.0) * (n - 2.0) / 6.0);
    std::vector<Bins> fine, coarse, coarsest;
    for (const Factor& factor : factors) {
      fine.push_back(bins_of(factor.values, factor.nominal ? most_names : bins));
      coarse.push_back(bins_of(factor.values, pair_bins));
      coarsest.push_back(bins_of(factor.values, three_bins));
    }
    for (std::size_t i = 0; i < factors_; ++i) add(fine, {i});
    for (std::size_t i = 0; i < factors_; ++i)
      for (std::size_t j = i + 1; j < factors_; ++j) add(coarse, {i, j});
    threes = three_bins >= fewest_three_bins;
    for (std::size_t i = 0; threes && i < factors_; ++i)
      for (std::size_t j = i + 1; j < factors_; ++j)
        for (std::size_t k = j + 1; k < factors_; ++k) add(coarsest, {i, j, k});
  }

  std::size_t groups() const { return groups_; }
  const std::vector<Table>& tables() const { return tables_; }

  // Shares of the variance: of every table, then the factors' total ones, then the rest. weights: of the groups.
  std::vector<double> indices(std::span<const double> weights) {
    const std::size_t count = tables_.size();
    std::vector<double> out(count + factors_ + 1, 0.0);
    const double variance = variance_of(all(weights));
    if (!(variance > 0.0)) return out;
    out.back() = 1.0;
    for (std::size_t t = 0; t < count; ++t) {
      out[t] = interaction(summed(tables_[t], weights), tables_[t].counts) / variance;
      for (const std::size_t i : tables_[t].factors) out[count + i] += out[t];
      out.back() -= out[t];
    }
    return out;
  }

  Sums all(std::span<const double> weights) { return marginal(summed(tables_.front(), weights), {1}, 0).front(); }

  std::size_t bins = 0, pair_bins = 0;
  bool threes = false;

 private:
  // Bins of each factor in so many tables of `together` factors: enough rows in every bin, and not too much memory.
  std::size_t bins_for(int together, std::size_t most, double tables) const {
    const double affordable = most_numbers / (3.0 * static_cast<double>(groups_) * std::max(tables, 1.0));
    const auto rows = static_cast<double>(result_.size());
    double whole = std::min(rows / (together == 1 ? rows_a_bin : rows_a_shared_bin), affordable);
    // Chance adds to the index of a table with b bins about sqrt(2 b) / rows; a total index is the sum of some of them.
    if (together > 1) {
      const double summed = std::max(1.0, tables * together / static_cast<double>(factors_));
      whole = std::min(whole, most_chance * rows * most_chance * rows / (2.0 * summed));
    }
    std::size_t each = 2;
    const auto product = [together](std::size_t side) {
      double out = 1.0;
      for (int k = 0; k < together; ++k) out *= static_cast<double>(side);
      return out;
    };
    while (each < most && product(each + 1) <= whole) ++each;
    return each;
  }

  void add(const std::vector<Bins>& bins_of_factors, const std::vector<std::size_t>& together) {
    Table table;
    table.factors = together;
    for (const std::size_t i : together) table.counts.push_back(bins_of_factors[i].count);
    for (const std::size_t one : table.counts) table.bins *= one;
    table.sums.resize(groups_ * table.bins);
    for (std::size_t r = 0; r < result_.size(); ++r) {
      std::size_t bin = 0;
      for (const std::size_t i : together) bin = bin * bins_of_factors[i].count + bins_of_factors[i].of_row[r];
      Sums& sums = table.sums[(r % groups_) * table.bins + bin];
      sums.count += 1.0;
      sums.sum += result_[r];
      sums.squares += result_[r] * result_[r];
    }
    tables_.push_back(std::move(table));
  }

  std::span<const Sums> summed(const Table& table, std::span<const double> weights) {
    scratch_.assign(table.bins, {});
    for (std::size_t g = 0; g < groups_; ++g) {
      const double weight = weights[g];
      if (weight == 0.0) continue;
      const Sums* from = table.sums.data() + g * table.bins;
      for (std::size_t b = 0; b < table.bins; ++b) {
        scratch_[b].count += weight * from[b].count;
        scratch_[b].sum += weight * from[b].sum;
        scratch_[b].squares += weight * from[b].squares;
      }
    }
    return scratch_;
  }

  std::size_t factors_;
  std::span<const double> result_;
  std::size_t groups_;
  std::vector<Table> tables_;
  std::vector<Sums> scratch_;
};

// Estimates from random halves of the groups. The estimate of a half, drawn without replacement, varies about that of
// the whole as that of the whole varies about the truth (Shao and Wu, Ann. Stat. 17, 1989). Rows drawn twice, as in the
// plain bootstrap, would look like agreement within their bin.
std::vector<std::vector<double>> halves(Tables& tables, int replicates) {
  std::vector<std::vector<double>> out;
  const std::size_t groups = tables.groups();
  std::vector<double> weights(groups);
  DrawKey key;
  key.stream = stream_of("pegrasp.explain");
  for (int k = 0; k < replicates; ++k) {
    std::fill(weights.begin(), weights.end(), 0.0);
    key.cell = static_cast<std::uint32_t>(k);
    std::size_t chosen = 0;
    for (std::size_t g = 0; g < groups; ++g) {  // each with the chance that the rest of the half needs
      key.sample = static_cast<std::uint32_t>(g);
      if (random_words(key).first % (groups - g) >= groups / 2 - chosen) continue;
      weights[g] = 1.0;
      ++chosen;
    }
    out.push_back(tables.indices(weights));
  }
  return out;
}

// The spread of the replicates, put about the estimate.
Index with_interval(double value, const std::vector<std::vector<double>>& replicates, std::size_t at) {
  if (replicates.empty()) return {value, {value, value}};
  std::vector<double> sorted;
  double mean = 0.0;
  for (const std::vector<double>& replicate : replicates) {
    sorted.push_back(replicate[at]);
    mean += replicate[at];
  }
  mean /= static_cast<double>(sorted.size());
  std::sort(sorted.begin(), sorted.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  const double low = sorted[static_cast<std::size_t>(tail * last)];
  const double high = sorted[static_cast<std::size_t>((1.0 - tail) * last + 0.999)];
  return {value, {value + low - mean, value + high - mean}};
}

}  // namespace

Bins bins_of(std::span<const double> values, std::size_t most) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::size_t distinct = values.empty() ? 0 : 1;
  for (std::size_t i = 1; i < order.size() && distinct <= most; ++i)
    distinct += values[order[i]] > values[order[i - 1]] ? 1 : 0;
  Bins out{std::vector<std::uint16_t>(values.size(), 0), 0};
  std::size_t last = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool new_value = i == 0 || values[order[i]] > values[order[i - 1]];
    const std::size_t place = i * most / order.size();
    if (new_value && (out.count == 0 || distinct <= most || place != last)) {
      ++out.count;
      last = place;
    }
    out.of_row[order[i]] = static_cast<std::uint16_t>(out.count - 1);
  }
  return out;
}

SobolIndices sobol_indices(const std::vector<Factor>& factors, std::span<const double> result, int replicates) {
  SobolIndices out;
  if (result.empty() || factors.empty()) return out;
  Tables tables(factors, result);
  const std::vector<double> ones(tables.groups(), 1.0);
  const Sums all = tables.all(ones);
  out.mean = all.sum / all.count;
  out.variance = variance_of(all);
  out.bins = tables.bins;
  out.pair_bins = tables.pair_bins;
  out.threes = tables.threes;
  const std::vector<double> values = tables.indices(ones);
  const std::vector<std::vector<double>> spread = halves(tables, replicates);
  const auto index = [&](std::size_t at) { return with_interval(values[at], spread, at); };
  const std::size_t count = tables.tables().size();
  for (std::size_t t = 0; t < count; ++t) {
    const std::vector<std::size_t>& of = tables.tables()[t].factors;
    if (of.size() == 1) out.first.push_back(index(t));
    if (of.size() == 2) out.pairs.push_back({of[0], of[1], index(t)});
  }
  for (std::size_t i = 0; i < factors.size(); ++i) out.total.push_back(index(count + i));
  out.rest = index(values.size() - 1);
  return out;
}

}  // namespace pegrasp::decide
