// SPDX-License-Identifier: Apache-2.0
#include "src/formats/json_cursor.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "pegrasp/problem.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/printable.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

// A value in a form for one-line messages: short and printable.
std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  constexpr std::size_t longest = 40;
  if (text.size() > longest) {
    std::size_t end = longest;  // not within a character of UTF-8
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
    text = text.substr(0, end) + "...";
  }
  return printable(text);
}

std::string shown_key(const std::string& key) {
  const std::string text = shown(nlohmann::json(key));
  return text.size() >= 2 && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

void JsonCursor::fail(const std::string& problem) const {
  throw InputError(printable_line(origin_ + ": " + (path_.empty() ? "" : path_ + ": ") + problem));
}

void JsonCursor::expect_object(const std::vector<std::string>& known) const {
  if (!value_->is_object()) fail("must be an object {...}, got " + shown(*value_) + ": write it in braces");
  for (const auto& [key, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    fail("unknown key \"" + shown_key(key) + "\"" + suggestion(key, known));
  }
}

JsonCursor JsonCursor::at(const std::string& key) const {
  if (!has(key)) fail("key \"" + key + "\" is missing: add it");
  return JsonCursor(value_->at(key), origin_, path_.empty() ? key : path_ + "." + key);
}

std::vector<JsonCursor> JsonCursor::items() const {
  if (!value_->is_array()) fail("must be a list [...], got " + shown(*value_) + ": write it in brackets");
  std::vector<JsonCursor> result;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    result.push_back(JsonCursor((*value_)[i], origin_, path_ + "[" + std::to_string(i) + "]"));
  }
  return result;
}

double JsonCursor::number() const {
  if (!value_->is_number()) {
    const bool quoted =
        value_->is_string() && nlohmann::json::parse(value_->get<std::string>(), nullptr, false).is_number();
    fail("must be a number, got " + shown(*value_) +
         (quoted ? ": write it without quotes" : ": give one, in SI units"));
  }
  const double result = value_->get<double>();
  if (!std::isfinite(result)) fail("must be a finite number, got " + shown(*value_) + ": correct it");
  // The bound keeps squares and products of numbers of the file from overflowing.
  if (std::fabs(result) > 1e100) fail("is too large, got " + shown(*value_) + ": use SI units");
  return result;
}

double JsonCursor::number_or(const std::string& key, double otherwise) const {
  return has(key) ? at(key).number() : otherwise;
}

double JsonCursor::positive() const {
  const double result = number();
  if (!(result > 0.0)) fail("must be > 0, got " + shown(*value_) + ": give a number above 0, in SI units");
  return result;
}

double JsonCursor::not_negative() const {
  const double result = number();
  if (!(result >= 0.0)) fail("must be >= 0, got " + shown(*value_) + ": give 0, or a number above it, in SI units");
  return result;
}

bool JsonCursor::boolean() const {
  if (!value_->is_boolean())
    fail("must be true or false, got " + shown(*value_) + ": write one of them, without quotes");
  return value_->get<bool>();
}

std::string JsonCursor::text() const {
  if (!value_->is_string()) fail("must be a string, got " + shown(*value_) + ": put it in quotes");
  return value_->get<std::string>();
}

std::string JsonCursor::name() const {
  std::string result = text();
  if (!is_name(result)) fail(name_rule);
  return result;
}

std::vector<double> JsonCursor::numbers(std::size_t least, std::size_t most) const {
  const std::vector<JsonCursor> list = items();
  if (list.size() < least || list.size() > most) {
    std::ostringstream problem;
    problem << "must hold " << least;
    if (most != least) problem << " to " << most;
    problem << " numbers, got " << list.size() << ": correct the list";
    fail(problem.str());
  }
  std::vector<double> result;
  for (const JsonCursor& item : list) result.push_back(item.number());
  return result;
}

std::vector<double> JsonCursor::semi_axes(std::size_t count) const {
  const std::vector<double> axes = numbers(count, count);
  if (!std::all_of(axes.begin(), axes.end(), [](double axis) { return axis > 0.0; })) {
    fail("must be > 0, got " + shown(*value_) + ": give " + std::to_string(count) + " lengths in metres");
  }
  return axes;
}

int JsonCursor::order() const {
  const double order = number();
  if (!(order >= 2.0 && order <= 16.0) || order != std::floor(order)) {
    fail("must be a whole number from 2 to 16, got " + shown(*value_) + ": give one, 4 for the teeth of a gear");
  }
  return static_cast<int>(order);
}

Vec2 JsonCursor::planar() const {
  const std::vector<double> v = numbers(2, 3);
  if (v.size() == 3 && v[2] != 0.0)
    fail("must have z = 0 in a planar scene, got " + shown(*value_) + ": set z to 0, or \"dim\" to 3");
  return {v[0], v[1]};
}

}  // namespace pegrasp
