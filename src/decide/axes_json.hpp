// SPDX-License-Identifier: Apache-2.0
// The axes of a map, as the JSON files of decisions have them.
#pragma once

#include <nlohmann/json.hpp>

#include "src/decide/stored_map.hpp"

namespace pegrasp::decide {

inline nlohmann::ordered_json axis_value(const Axis& axis, std::size_t value) {
  if (axis.categorical) return axis.texts[value];
  return axis.numbers[value];
}

// The names of the axes, and all that a picture needs of them.
inline void put_axes(const StoredMap& map, nlohmann::ordered_json& out) {
  using Json = nlohmann::ordered_json;
  Json names = Json::array(), values = Json::array(), about = Json::array();
  for (const Axis& axis : map.axes) {
    names.push_back(axis.name);
    Json list = Json::array();
    for (std::size_t i = 0; i < axis.size(); ++i) list.push_back(axis_value(axis, i));
    values.push_back(std::move(list));
    about.push_back({{"unit", axis.unit}, {"label", axis.label}, {"log", axis.logarithmic}});
  }
  out["axes"] = std::move(names);
  out["values"] = std::move(values);
  out["about_axes"] = std::move(about);
}

// The place of a cell: a key for each axis.
inline void put_place(const StoredMap& map, std::size_t cell, nlohmann::ordered_json& out) {
  const std::vector<std::size_t> place = place_on(map.axes, cell);
  for (std::size_t k = 0; k < place.size(); ++k) out[map.axes[k].name] = axis_value(map.axes[k], place[k]);
}

}  // namespace pegrasp::decide
