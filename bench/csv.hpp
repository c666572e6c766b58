// SPDX-License-Identifier: Apache-2.0
// CSV files: the format in which the programs of bench/ write their measurements.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace pegrasp::bench {

// One cell. Text is quoted where it must be, numbers have eight digits, true is 1, null is empty.
inline std::string csv_cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_float()) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.8g", value.get<double>());
    return text.data();
  }
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// `rows`: an array of objects. Columns are the keys of all rows in the order in which they first come up, and after
// them those of `origin`, which every row repeats. Keys with an array or an object are left out. Throws
// std::runtime_error when the file cannot be written.
inline void write_rows(const std::string& file, const nlohmann::ordered_json& rows,
                       const nlohmann::ordered_json& origin = nlohmann::ordered_json::object()) {
  std::vector<std::string> columns;
  const auto collect = [&](const nlohmann::ordered_json& row) {
    for (const auto& [key, value] : row.items()) {
      if (value.is_primitive() && std::find(columns.begin(), columns.end(), key) == columns.end())
        columns.push_back(key);
    }
  };
  for (const auto& row : rows) collect(row);
  collect(origin);
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ",") + column;
  text += '\n';
  for (const auto& row : rows) {
    std::string line;
    for (const std::string& column : columns) {
      if (&column != &columns.front()) line += ',';
      if (row.contains(column)) {
        line += csv_cell(row[column]);
      } else if (origin.contains(column)) {
        line += csv_cell(origin[column]);
      }
    }
    text += line + '\n';
  }
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(file + ": cannot be written");
}

}  // namespace pegrasp::bench
