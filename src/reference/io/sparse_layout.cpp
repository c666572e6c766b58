// SPDX-License-Identifier: Apache-2.0
#include "src/reference/io/sparse_layout.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

namespace pegrasp::reference {
namespace {

constexpr std::int32_t by_columns = -1;
constexpr std::int32_t by_rows = -2;

// Triplets from the pointers of a compressed storage: p (lines + 1), rising from 0.
std::vector<Eigen::Triplet<double>> unpack(const Hdf5Input& input, const std::string& group, Eigen::Index lines,
                                           Eigen::Index across, bool lines_are_columns) {
  const std::vector<std::int32_t> p = input.integers(group + "/p");
  if (static_cast<Eigen::Index>(p.size()) != lines + 1) {
    input.fail(group + "/p", "has " + std::to_string(p.size()) + " pointers, not " + std::to_string(lines + 1));
  }
  const std::vector<std::int32_t> index = input.integers(group + "/i");
  const mcp::Vector x = input.reals(group + "/x");
  if (p.front() != 0) input.fail(group + "/p", "must begin with 0");
  for (std::size_t k = 0; k + 1 < p.size(); ++k) {
    if (p[k + 1] < p[k]) input.fail(group + "/p", "must not fall, as it does after element " + std::to_string(k));
  }
  const auto used = static_cast<std::size_t>(p.back());
  if (used > index.size()) input.fail(group + "/i", "has fewer elements than p speaks of");
  if (used > static_cast<std::size_t>(x.size())) input.fail(group + "/x", "has fewer elements than p speaks of");
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(used);
  for (std::size_t line = 0; line + 1 < p.size(); ++line) {
    for (auto k = static_cast<std::size_t>(p[line]); k < static_cast<std::size_t>(p[line + 1]); ++k) {
      if (index[k] < 0 || index[k] >= across) {
        input.fail(group + "/i", "element " + std::to_string(k) + " is " + std::to_string(index[k]) +
                                     ", outside 0 .. " + std::to_string(across - 1));
      }
      const int here = static_cast<int>(line);
      const double value = x[static_cast<Eigen::Index>(k)];
      entries.emplace_back(lines_are_columns ? index[k] : here, lines_are_columns ? here : index[k], value);
    }
  }
  return entries;
}

std::vector<Eigen::Triplet<double>> triplets(const Hdf5Input& input, const std::string& group, std::int32_t count,
                                             Eigen::Index rows, Eigen::Index columns) {
  const std::vector<std::int32_t> row = input.integers(group + "/p");
  const std::vector<std::int32_t> column = input.integers(group + "/i");
  const mcp::Vector x = input.reals(group + "/x");
  const auto used = static_cast<std::size_t>(count);
  if (row.size() < used) input.fail(group + "/p", "has fewer elements than nz says");
  if (column.size() < used) input.fail(group + "/i", "has fewer elements than nz says");
  if (static_cast<std::size_t>(x.size()) < used) input.fail(group + "/x", "has fewer elements than nz says");
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(used);
  for (std::size_t k = 0; k < used; ++k) {
    if (row[k] < 0 || row[k] >= rows) input.fail(group + "/p", "element " + std::to_string(k) + " is no row");
    if (column[k] < 0 || column[k] >= columns)
      input.fail(group + "/i", "element " + std::to_string(k) + " is no column");
    entries.emplace_back(row[k], column[k], x[static_cast<Eigen::Index>(k)]);
  }
  return entries;
}

}  // namespace

mcp::SparseMatrix read_matrix(const Hdf5Input& input, const std::string& group, Eigen::Index rows,
                              Eigen::Index columns) {
  if (!input.is_group(group)) input.fail(group, "is missing: the file is incomplete or of another layout");
  const std::int32_t m = input.integer(group + "/m");
  const std::int32_t n = input.integer(group + "/n");
  const std::int32_t nz = input.integer(group + "/nz");
  if (m != rows || n != columns) {
    input.fail(group, "is " + std::to_string(m) + " by " + std::to_string(n) + ", where the vectors ask for " +
                          std::to_string(rows) + " by " + std::to_string(columns));
  }
  if (nz < by_rows) {
    input.fail(group + "/nz", std::to_string(nz) + " is no storage: a count of triplets, -1 (columns) or -2 (rows)");
  }
  mcp::SparseMatrix matrix(rows, columns);
  const std::vector<Eigen::Triplet<double>> entries = nz >= 0
                                                          ? triplets(input, group, nz, rows, columns)
                                                          : unpack(input, group, nz == by_columns ? columns : rows,
                                                                   nz == by_columns ? rows : columns, nz == by_columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void write_integer(Hdf5File& file, const std::string& name, std::int32_t value) { file.write(name, {1}, &value); }

void write_vector(Hdf5File& file, const std::string& name, const mcp::Vector& vector) {
  file.write(name, {static_cast<hsize_t>(vector.size())}, vector.data());
}

void write_matrix(Hdf5File& file, const std::string& group, const mcp::SparseMatrix& matrix) {
  mcp::SparseMatrix packed = matrix;
  packed.makeCompressed();
  if (packed.nonZeros() > std::numeric_limits<std::int32_t>::max()) {
    throw std::runtime_error(group + " has more entries than fclib's layout can count");
  }
  const auto entries = static_cast<hsize_t>(packed.nonZeros());
  file.group(group);
  write_integer(file, group + "/nzmax", static_cast<std::int32_t>(packed.nonZeros()));
  write_integer(file, group + "/m", static_cast<std::int32_t>(packed.rows()));
  write_integer(file, group + "/n", static_cast<std::int32_t>(packed.cols()));
  write_integer(file, group + "/nz", by_columns);
  file.write(group + "/p", {static_cast<hsize_t>(packed.cols()) + 1}, packed.outerIndexPtr());
  file.write(group + "/i", {entries}, packed.innerIndexPtr());
  file.write(group + "/x", {entries}, packed.valuePtr());
}

}  // namespace pegrasp::reference
