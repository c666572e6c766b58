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
constexpr double matrix_rounding = 1e-12;  // by which written matrices may be off

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
    read_matrix();
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

  std::vector<std::vector<double>> read_rows() {
    const std::string size = std::to_string(count());
    const auto wrong = [&] {
      section_.fail("matrix", "must be " + size + " rows of " + size + " numbers; correct it");
    };
    const Node* const node = section_.raw("matrix");
    if (node == nullptr || node->type != Node::Type::array || node->items.size() != count()) wrong();
    std::vector<std::vector<double>> rows;
    for (const Node& row : node->items) {
      if (row.type != Node::Type::array || row.items.size() != count()) wrong();
      rows.emplace_back();
      for (const Node& number : row.items) {
        rows.back().push_back(checked_number(section_.context(), number, section_.at("matrix"), quantity::number,
                                             quantity::number.units.front(), Range{-1.0, 1.0}));
      }
    }
    return rows;
  }

  void read_matrix() {
    const std::vector<std::vector<double>> rows = read_rows();
    out_.root.assign(count() * count(), 0.0);
    for (std::size_t i = 0; i < count(); ++i) {
      for (std::size_t j = 0; j < count(); ++j) {
        const std::string at = "entry [" + std::to_string(i) + "][" + std::to_string(j) + "] ";
        const bool diagonal = i == j;
        if (diagonal && std::fabs(rows[i][j] - 1.0) > matrix_rounding) {
          section_.fail("matrix", at + "must be 1; give correlations, not covariances");
        }
        if (std::fabs(rows[i][j] - rows[j][i]) > matrix_rounding) {
          section_.fail("matrix", at + "is not that of [" + std::to_string(j) + "][" + std::to_string(i) +
                                      "]; a correlation matrix is symmetric");
        }
        entry(i, j) = rows[i][j];
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
    section_.fail("matrix",
                  "is not positive semidefinite: nothing depends on each other like that; bring the "
                  "correlations of \"" +
                      printable(name) + "\" nearer to 0");
  }

  Section section_;
  Problem& problem_;
  Correlation out_;
};

}  // namespace

void read_correlations(ReadContext& context, const Node* node, Problem& problem) {
  int i = 0;
  for (const Node* one : table_list(context, node, "correlation")) {
    CorrelationReader(context, *one, "correlation[" + std::to_string(i++) + "]", problem).read();
  }
}

}  // namespace pegrasp
