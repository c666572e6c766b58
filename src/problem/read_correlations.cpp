// SPDX-License-Identifier: Apache-2.0
// Reader of [[correlation]]: parameters that depend on each other.
#include <algorithm>
#include <cmath>

#include "src/problem/given_rows.hpp"
#include "src/problem/readers.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t most_correlated = 100;
constexpr double matrix_rounding = 1e-12;   // by which written correlations may be off
constexpr double variance_rounding = 1e-6;  // relative, by which a variance may differ from the square of its sd

// Why a parameter cannot depend on others; empty: it can.
std::string unfit(const Distribution& d) {
  if (!d.components.empty()) return "draws one of several groups; choose one of them";
  if (d.kind == DistributionKind::constant) return "is constant; leave it out";
  if (d.kind == DistributionKind::measured) return "is drawn from a file, with its columns together; leave it out";
  return {};
}

class CorrelationReader {
 public:
  CorrelationReader(ReadContext& context, const Node& node, const std::string& path, Problem& problem)
      : section_(context, &node, path, keys::correlation), problem_(problem) {}

  void read() {
    read_names();
    if (section_.has("covariance")) {
      if (section_.has("matrix")) section_.fail("covariance", "stands beside matrix; leave out one of them");
      read_covariances();
    } else {
      read_correlations();
    }
    factorise();
    problem_.correlations.push_back(std::move(out_));
  }

 private:
  std::size_t count() const { return out_.of.size(); }
  double& entry(std::size_t row, std::size_t column) { return out_.root[row * count() + column]; }

  void read_names() {
    std::vector<std::string> known;
    for (const UncertainParameter& parameter : problem_.uncertain) known.push_back(parameter.name);
    const std::string prefix = "uncertain.";
    for (std::string name : section_.texts("of", 2, most_correlated)) {
      if (name.compare(0, prefix.size(), prefix) == 0) name.erase(0, prefix.size());
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end()) {
        section_.fail("of", "there is no uncertain parameter \"" + printable(name) + "\"" + suggestion(name, known));
      }
      const int index = static_cast<int>(found - known.begin());
      const auto has = [index](const Correlation& other) {
        return std::find(other.of.begin(), other.of.end(), index) != other.of.end();
      };
      if (has(out_) || std::any_of(problem_.correlations.begin(), problem_.correlations.end(), has)) {
        section_.fail("of", "\"" + printable(name) + "\" is named twice; put all that depends on it into one matrix");
      }
      const std::string why = unfit(problem_.uncertain[static_cast<std::size_t>(index)].distribution);
      if (!why.empty()) section_.fail("of", "\"" + printable(name) + "\" " + why);
      out_.of.push_back(index);
    }
  }

  // A symmetric matrix. symmetric_to: by which entry [i][j] may differ from [j][i].
  template <class Tolerance>
  std::vector<std::vector<double>> read_rows(const char* key, Range range, Tolerance&& symmetric_to) {
    key_ = key;
    const std::string size = std::to_string(count());
    const auto wrong = [&] { section_.fail(key, "must be " + size + " rows of " + size + " numbers; correct it"); };
    const Node* const node = section_.raw(key);
    if (node == nullptr || node->type != Node::Type::array || node->items.size() != count()) wrong();
    std::vector<std::vector<double>> rows;
    for (const Node& row : node->items) {
      if (row.type != Node::Type::array || row.items.size() != count()) wrong();
      rows.emplace_back();
      for (const Node& number : row.items) {
        rows.back().push_back(checked_number(section_.context(), number, section_.at(key), quantity::number,
                                             quantity::number.units.front(), range));
      }
    }
    for (std::size_t i = 0; i < count(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (std::fabs(rows[i][j] - rows[j][i]) <= symmetric_to(rows, i, j)) continue;
        section_.fail(key, at(j, i) + "is not that of [" + std::to_string(i) + "][" + std::to_string(j) +
                               "]; such a matrix is symmetric");
      }
    }
    return rows;
  }

  static std::string at(std::size_t i, std::size_t j) {
    return "entry [" + std::to_string(i) + "][" + std::to_string(j) + "] ";
  }

  void read_correlations() {
    const auto rows = read_rows("matrix", Range{-1.0, 1.0}, [](const auto&...) { return matrix_rounding; });
    out_.root.assign(count() * count(), 0.0);
    for (std::size_t i = 0; i < count(); ++i) {
      if (std::fabs(rows[i][i] - 1.0) > matrix_rounding) {
        section_.fail("matrix", at(i, i) + "must be 1; covariances go by the key covariance");
      }
      for (std::size_t j = 0; j < count(); ++j) entry(i, j) = rows[i][j];
    }
  }

  // The variance of a normal parameter in the square of the unit of its distribution.
  double variance(std::size_t i) {
    const UncertainParameter& parameter = problem_.uncertain[static_cast<std::size_t>(out_.of[i])];
    if (parameter.distribution.kind != DistributionKind::normal) {
      section_.fail("covariance", "\"" + printable(parameter.name) +
                                      "\" is not normal, and its covariances say nothing certain; give matrix, with "
                                      "correlations");
    }
    const double factor = parameter.unit_divides ? 1.0 / parameter.unit_factor : parameter.unit_factor;
    const double sd = parameter.distribution.sd / factor;
    return sd * sd;
  }

  // Covariances of normal parameters, whose variances their distributions give too.
  void read_covariances() {
    const auto rounding = [](const std::vector<std::vector<double>>& rows, std::size_t i, std::size_t j) {
      return matrix_rounding * (std::fabs(rows[i][j]) + std::fabs(rows[j][i]));
    };
    const auto rows = read_rows("covariance", Range{}, rounding);
    out_.root.assign(count() * count(), 0.0);
    for (std::size_t i = 0; i < count(); ++i) {
      const double expected = variance(i);
      if (!(std::fabs(rows[i][i] - expected) <= variance_rounding * expected)) {
        section_.fail("covariance", at(i, i) + "must be " + write_real(expected) + ", the square of the sd of \"" +
                                        printable(problem_.uncertain[static_cast<std::size_t>(out_.of[i])].name) +
                                        "\"; correct one of them");
      }
    }
    for (std::size_t i = 0; i < count(); ++i) {
      for (std::size_t j = 0; j < count(); ++j) {
        const double r = i == j ? 1.0 : rows[i][j] / std::sqrt(rows[i][i] * rows[j][j]);
        if (std::fabs(r) > 1.0 + matrix_rounding) refuse(std::max(i, j));
        entry(i, j) = std::clamp(r, -1.0, 1.0);
      }
    }
  }

  // Cholesky's method in place, for matrices that may be singular. Rows end with length 1.
  void factorise() {
    for (std::size_t j = 0; j < count(); ++j) {
      double pivot = entry(j, j);
      for (std::size_t k = 0; k < j; ++k) pivot -= entry(j, k) * entry(j, k);
      if (pivot < -matrix_rounding) refuse(j);
      const double root = pivot > matrix_rounding ? std::sqrt(pivot) : 0.0;
      for (std::size_t i = j + 1; i < count(); ++i) {
        double sum = entry(i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= entry(i, k) * entry(j, k);
        if (root == 0.0 && std::fabs(sum) > std::sqrt(matrix_rounding)) refuse(i);
        entry(i, j) = root > 0.0 ? sum / root : 0.0;
      }
      entry(j, j) = root;
      for (std::size_t i = 0; i < j; ++i) entry(i, j) = 0.0;
      double square = 0.0;
      for (std::size_t k = 0; k <= j; ++k) square += entry(j, k) * entry(j, k);
      for (std::size_t k = 0; k <= j; ++k) entry(j, k) /= std::sqrt(square);
    }
  }

  [[noreturn]] void refuse(std::size_t row) {
    const std::string& name = problem_.uncertain[static_cast<std::size_t>(out_.of[row])].name;
    section_.fail(key_,
                  "is not positive semidefinite: nothing depends on each other like that; bring the "
                  "correlations of \"" +
                      printable(name) + "\" nearer to 0");
  }

  Section section_;
  Problem& problem_;
  Correlation out_;
  const char* key_ = "matrix";  // that holds the matrix
};

}  // namespace

void read_correlations(ReadContext& context, const Node* node, Problem& problem) {
  int i = 0;
  for (const Node* one : table_list(context, node, "correlation")) {
    CorrelationReader(context, *one, "correlation[" + std::to_string(i++) + "]", problem).read();
  }
}

}  // namespace pegrasp
