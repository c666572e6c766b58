// SPDX-License-Identifier: Apache-2.0
#include "src/formats/number_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "src/formats/hdf5_input.hpp"
#include "src/formats/hdf5_trial.hpp"
#include "src/formats/mesh_file.hpp"
#include "src/text/printable.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t largest_table = std::size_t{16} << 30;  // bytes; beyond it memory would be the next to end
constexpr std::size_t most_columns = 10'000;
constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string column_text(const std::string& name) { return "column \"" + printable(name) + "\""; }

// Goes through the lines of a CSV file.
class TableParser {
 public:
  TableParser(std::string_view text, const std::string& what, NumberTable& table)
      : rest_(text), what_(what), table_(table) {}

  void parse() {
    if (rest_.substr(0, byte_order_mark.size()) == byte_order_mark) rest_.remove_prefix(byte_order_mark.size());
    if (trimmed_all(rest_).empty()) {
      fail("is empty; write a line with the names of the columns, and then a line for each " + what_);
    }
    read_names();
    const auto lines = static_cast<std::size_t>(std::count(rest_.begin(), rest_.end(), '\n')) + 1;
    for (std::vector<double>& column : table_.columns) column.reserve(lines);
    while (!trimmed_all(rest_).empty()) read_row(next_line());
    if (table_.rows() == 0) fail("has names of columns only; write a line for each " + what_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(printable(table_.file.string()) + ": " + message);
  }
  [[noreturn]] void fail_here(const std::string& message) const { fail("line " + std::to_string(line_) + message); }

  // What is left once blank lines at the end are taken off.
  static std::string_view trimmed_all(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view() : text;
  }

  std::string_view next_line() {
    ++line_;
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return line;
  }

  // A name may stand in quotes, and then hold commas.
  void read_names() {
    std::string_view line = trimmed(next_line());
    for (bool more = true; more;) {
      std::size_t end = line.find(',');
      std::string_view name = trimmed(line.substr(0, end));
      if (!line.empty() && line.front() == '"') {
        const std::size_t closing = line.find('"', 1);
        if (closing == std::string_view::npos) fail_here(": a quotation mark has no partner; close the name");
        name = line.substr(1, closing - 1);
        end = line.find(',', closing);
      }
      if (name.empty()) fail_here(": column " + std::to_string(table_.names.size() + 1) + " has no name; give it one");
      table_.names.emplace_back(name);
      more = end != std::string_view::npos;
      if (more) line = trimmed(line.substr(end + 1));
    }
    table_.columns.resize(table_.names.size());
  }

  void read_row(std::string_view line) {
    if (trimmed(line).empty()) fail_here(": is empty; remove it, or write the numbers of a " + what_);
    std::size_t k = 0;
    for (bool more = true; more; ++k) {
      const std::size_t end = line.find(',');
      if (k == table_.columns.size()) {
        fail_here(": has more numbers than there are columns (" + std::to_string(table_.columns.size()) +
                  "); remove what is too much");
      }
      table_.columns[k].push_back(number(trimmed(line.substr(0, end)), k));
      more = end != std::string_view::npos;
      if (more) line.remove_prefix(end + 1);
    }
    if (k < table_.columns.size()) {
      fail_here(", " + column_text(table_.names[k]) + ": is missing; write a number for each column");
    }
  }

  double number(std::string_view text, std::size_t column) const {
    double value = 0.0;
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size() && std::isfinite(value)) return value;
    constexpr std::size_t shown = 40;
    fail_here(", " + column_text(table_.names[column]) + ": must be a finite number, got \"" +
              printable(std::string(text.substr(0, shown))) + "\"; correct the row");
  }

  std::string_view rest_;
  const std::string& what_;
  NumberTable& table_;
  std::size_t line_ = 0;
};

void check_column_names(const NumberTable& table) {
  std::set<std::string> seen;
  for (const std::string& name : table.names) {
    if (seen.insert(name).second) continue;
    throw InputError(printable(table.file.string()) + ": " + (table.text ? "line 1: " : "") + column_text(name) +
                     " is there twice; remove one of them");
  }
  if (table.names.size() > most_columns) {
    throw InputError(printable(table.file.string()) + ": has more than " + std::to_string(most_columns) +
                     " columns; leave some out");
  }
}

void read_datasets(NumberTable& table, const std::string& what) {
  const Hdf5Input file(table.file, {"a file of columns", "docs/reference/problem-file.md"});
  for (const std::string& name : file.names_in_root()) {
    const std::string path = "/" + name;
    if (file.is_group(path)) file.fail(path, "is a group: columns are datasets at the root; move or remove it");
    if (file.shape(path).size() != 1) file.fail(path, "must have one dimension, an element for each " + what);
    table.names.push_back(name);
    table.columns.push_back(file.reals(path));
    if (table.columns.back().size() == table.rows()) continue;
    file.fail(path, "has " + std::to_string(table.columns.back().size()) + " elements and /" + table.names.front() +
                        " has " + std::to_string(table.rows()) + ": give as many of each");
  }
  if (table.rows() == 0) file.fail("/", "has no numbers: write a dataset for each column at the root");
}

}  // namespace

NumberTable parse_number_table(const std::string& text, const std::filesystem::path& file, const std::string& what) {
  NumberTable table;
  table.file = file;
  TableParser(text, what, table).parse();
  check_column_names(table);
  return table;
}

std::shared_ptr<const NumberTable> read_number_table(const std::filesystem::path& file, const std::string& what) {
  NumberTable table;
  std::string print;
  try {
    const std::string text = read_file(file, largest_table);
    print = fingerprint(text);
    table.file = file;
    table.text = std::string_view(text).substr(0, hdf5_signature.size()) != hdf5_signature;
    if (table.text) table = parse_number_table(text, file, what);
  } catch (const ReadError& error) {
    throw InputError(printable(file.string()) + ": " + error.what());
  }
  if (!table.text) {
    try_reading(file, [table, &what]() mutable { read_datasets(table, what); });
    read_datasets(table, what);
    check_column_names(table);
  }
  table.fingerprint = print;
  return std::make_shared<const NumberTable>(std::move(table));
}

std::string place_in(const NumberTable& table, std::size_t row, std::size_t column) {
  return printable(table.file.string()) + ": " + (table.text ? "line " : "element ") +
         std::to_string(table.text ? row + 2 : row) + ", " + column_text(table.names[column]);
}

}  // namespace pegrasp
