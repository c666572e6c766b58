// SPDX-License-Identifier: Apache-2.0
// A place in a JSON document that knows its path, so that every error message names it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp {

class JsonCursor {
 public:
  // The root of a document. `origin` is the file name for messages.
  JsonCursor(const nlohmann::json& value, std::string origin) : value_(&value), origin_(std::move(origin)) {}

  // Throws InputError "origin: path: problem".
  [[noreturn]] void fail(const std::string& problem) const;

  // Fails unless this is an object whose keys are all among the known ones; the message suggests a near one.
  void expect_object(const std::vector<std::string>& known) const;
  bool has(const std::string& key) const { return value_->is_object() && value_->contains(key); }
  JsonCursor at(const std::string& key) const;             // fails when missing
  std::vector<double> semi_axes(std::size_t count) const;  // all of them > 0
  int order() const;                                       // of a superellipse or superellipsoid: 2 to 16
  std::vector<JsonCursor> items() const;                   // fails unless an array

  double number() const;  // finite
  double number_or(const std::string& key, double otherwise) const;
  double positive() const;
  double not_negative() const;
  bool boolean() const;
  std::string text() const;
  std::string name() const;  // a text that is_name()
  std::vector<double> numbers(std::size_t least, std::size_t most) const;
  Vec2 planar() const;  // [x, y] or [x, y, 0]
  const nlohmann::json& raw() const { return *value_; }
  // A path relative to the folder of the document's file.
  std::filesystem::path beside(const std::string& path) const {
    return std::filesystem::path(origin_).parent_path() / path;
  }

 private:
  JsonCursor(const nlohmann::json& value, std::string origin, std::string path)
      : value_(&value), origin_(std::move(origin)), path_(std::move(path)) {}

  const nlohmann::json* value_;
  std::string origin_;
  std::string path_;
};

}  // namespace pegrasp
