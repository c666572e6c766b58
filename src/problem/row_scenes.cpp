// SPDX-License-Identifier: Apache-2.0
// Rows whose columns are keys. Most keys take a number that differs from trial to trial; of others each combination of
// values is a scene of its own.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "src/formats/number_table.hpp"
#include "src/problem/axis_cells.hpp"
#include "src/problem/given_rows.hpp"
#include "src/problem/overrides.hpp"
#include "src/text/printable.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t most_row_scenes = 1000;
constexpr double most_numbers_of_rows = 5e7;  // of all scenes: each has the numbers of the rows

// What reading says of a column.
struct ColumnError {
  std::size_t column;
  std::string message;
};

std::optional<ColumnError> column_error(const InputError& error, const NumberTable& rows) {
  const std::string text = error.what();
  for (std::size_t k = 0; k < rows.names.size(); ++k) {
    const std::string& column = rows.names[k];
    const std::string set = ": --set " + printable(column);
    const std::size_t at = text.find(set);
    if (at == std::string::npos || !is_key_column(column)) continue;
    std::size_t from = at + set.size();
    if (text.compare(from, 2, " (") == 0) from = text.find("): ", from) + 1;
    if (text.compare(from, 2, ": ") != 0) continue;  // a longer key
    return ColumnError{k, text.substr(from + 2)};
  }
  return std::nullopt;
}

[[noreturn]] void fail_of_column(const NumberTable& rows, const std::string& column, const std::string& message) {
  throw InputError(printable(rows.file.string()) + ": " + (rows.text ? "line 1, " : "") + "column \"" +
                   printable(column) + "\": " + message);
}

class RowScenes {
 public:
  RowScenes(const Node& document, ReadContext& context, const NumberTable& rows, const ReadDocument& read)
      : document_(document), context_(context), rows_(rows), read_(read) {}

  Problem run(Node& resolved) {
    for (;;) {
      try {
        Problem problem = read_(with_columns(0), columns_, resolved);
        return columns_.empty() ? std::move(problem) : with_scenes(resolved);
      } catch (const InputError& error) {
        const std::optional<ColumnError> wrong = column_error(error, rows_);
        if (!wrong) throw;
        const std::string& name = rows_.names[wrong->column];
        if (is_of_scene(wrong->column)) throw InputError(place_in(rows_, 0, wrong->column) + ": " + wrong->message);
        if (wrong->message.compare(0, 7, "must be") != 0) fail_of_column(rows_, name, wrong->message);
        if (is_shared_key(name)) {
          fail_of_column(rows_, name,
                         "takes no number that differs from trial to trial; leave the column out, and set the key for "
                         "all trials");
        }
        columns_.push_back(wrong->column);
      }
    }
  }

 private:
  bool is_of_scene(std::size_t column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
  }

  // The document with the columns that are keys: with distributions, and with the numbers of a row for scenes.
  Node with_columns(std::size_t row) const {
    Node out = document_;
    for (std::size_t k = 0; k < rows_.names.size(); ++k) {
      const std::string& column = rows_.names[k];
      if (!is_key_column(column)) continue;
      Node value;
      if (is_of_scene(k)) {
        const double number = rows_.columns[k][row];
        const bool whole = number == std::floor(number) && std::fabs(number) < 1e15;
        value = whole ? Node::of(static_cast<std::int64_t>(number)) : Node::of(number);
      } else {
        value.set("distribution", Node::of("given"));
        value.set("column", Node::of(column));
      }
      apply_override(out, {column, write_value(value)}, context_.origin);
    }
    return out;
  }

  // The columns are known. A row of each combination, and the combination of each row.
  void find_combinations() {
    std::map<std::vector<double>, int> known;
    std::vector<double> values(columns_.size());
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      for (std::size_t k = 0; k < columns_.size(); ++k) values[k] = rows_.columns[columns_[k]][row];
      const auto [found, is_new] = known.emplace(values, static_cast<int>(known.size()));
      if (is_new) row_of_.push_back(row);
      combination_.push_back(found->second);
      if (row_of_.size() <= most_row_scenes) continue;
      fail_of_column(rows_, rows_.names[columns_.front()],
                     "makes a scene of its own of each value, and there are more than " +
                         std::to_string(most_row_scenes) + " scenes; round the numbers, or divide the file");
    }
    const double numbers = static_cast<double>(row_of_.size()) * static_cast<double>(rows_.rows()) *
                           static_cast<double>(rows_.names.size() - columns_.size());
    if (numbers <= most_numbers_of_rows) return;
    fail_of_column(rows_, rows_.names[columns_.front()],
                   "makes " + std::to_string(row_of_.size()) + " scenes, which are too many for " +
                       std::to_string(rows_.rows()) + " rows; divide the file");
  }

  Problem with_scenes(Node& resolved) {
    find_combinations();
    AxisTable table;
    for (std::size_t i = 0; i < row_of_.size(); ++i) table.axis.numbers.push_back(static_cast<double>(i));
    std::vector<AxisTable> tables{std::move(table)};
    const ReadAt read_at = [this](const std::vector<std::size_t>& at) {
      AxisReading out;
      try {
        out.problem = read_(with_columns(row_of_[at[0]]), columns_, out.resolved);
      } catch (const InputError& error) {
        const std::optional<ColumnError> wrong = column_error(error, rows_);
        if (!wrong || !is_of_scene(wrong->column)) throw;
        throw InputError(place_in(rows_, row_of_[at[0]], wrong->column) + ": " + wrong->message);
      }
      return out;
    };
    ListedCells apart;
    apart.apart = true;
    Problem problem = with_axes(context_, tables, read_at, document_, resolved, &apart);
    AxisGroups by_row{problem.groups->problems, {}, true};
    for (const int combination : combination_)
      by_row.group.push_back(problem.groups->group[static_cast<std::size_t>(combination)]);
    problem.groups = std::make_shared<const AxisGroups>(std::move(by_row));
    return problem;
  }

  const Node& document_;
  ReadContext& context_;
  const NumberTable& rows_;
  const ReadDocument& read_;
  std::vector<std::size_t> columns_;  // of keys that make scenes
  std::vector<std::size_t> row_of_;   // of each combination the first row
  std::vector<int> combination_;      // of each row
};

}  // namespace

Problem read_with_rows(const Node& document, ReadContext& context, const NumberTable& rows, const ReadDocument& read,
                       Node& resolved) {
  return RowScenes(document, context, rows, read).run(resolved);
}

}  // namespace pegrasp
