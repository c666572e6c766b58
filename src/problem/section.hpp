// SPDX-License-Identifier: Apache-2.0
// Reading one table of the problem file. The reader asks for every key by name; the value is checked for type and
// range, converted to SI and written, default or not, into the resolved table. finish() refuses the keys that nobody
// asked for, because they do not apply.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "src/problem/keys.hpp"
#include "src/text/document.hpp"
#include "src/text/units.hpp"

namespace pegrasp {

// Allowed values of a number, in SI. A bound of +-no_bound means that there is no bound.
inline constexpr double no_bound = 1e12;
struct Range {
  double low = -no_bound;
  double high = no_bound;
  bool low_open = false;
};
inline constexpr std::size_t any_count = static_cast<std::size_t>(-1);
inline constexpr Range any_number{};
inline constexpr Range positive{0.0, no_bound, true};
inline constexpr Range not_negative{0.0, no_bound, false};

// The value of a key that takes a number or an uncertain value.
struct Value {
  double nominal = 0.0;  // SI; the centre of the distribution when uncertain
  int parameter = -1;    // index of the uncertain parameter that drives it, or -1
  double factor = 1.0;   // value = (add ? nominal : 0) + factor * draw
  bool add = false;
};

class Uncertainties;

// State that all sections of one file share.
struct ReadContext {
  std::string origin;                      // file name for messages
  Uncertainties* uncertainties = nullptr;  // knows the named parameters
  std::filesystem::path folder;            // relative paths in the file start here
  // Throws InputError "origin:line: path: message" in one line.
  [[noreturn]] void fail(const Node* node, const std::string& path, const std::string& message) const;
};

class Section {
 public:
  // node: the table, or null when absent (then everything takes its default). Throws InputError when it is no table or
  // holds a key that is not among `keys`.
  Section(ReadContext& context, const Node* node, std::string path, const KeyList& keys);

  bool present() const { return node_ != nullptr; }
  bool has(const std::string& base, const Quantity& quantity) const;
  bool has(const std::string& key) const { return node_ != nullptr && node_->find(key) != nullptr; }
  const std::string& path() const { return path_; }
  ReadContext& context() { return context_; }

  // In the functions below a fallback is in the quantity's first unit; without a fallback the key is required. Results
  // are in SI.
  double number(const std::string& base, const Quantity& quantity, std::optional<double> fallback,
                const Range& range = any_number);
  // A number above 0, or "auto" (the default), which gives 0: derived from the scene.
  double number_or_auto(const std::string& base, const Quantity& quantity);
  // A whole number, or "auto" (the default), which gives automatic_value.
  std::int64_t integer_or_auto(const std::string& key, std::int64_t low, std::int64_t high,
                               std::int64_t automatic_value = 0);
  // A number or something uncertain (see Uncertainties).
  Value value(const std::string& base, const Quantity& quantity, std::optional<double> fallback,
              const Range& range = any_number);
  std::int64_t integer(const std::string& key, std::optional<std::int64_t> fallback, std::int64_t low,
                       std::int64_t high);
  bool boolean(const std::string& key, bool fallback);
  std::string text(const std::string& key, std::optional<std::string> fallback);
  // Position of the text among `names`.
  int choice(const std::string& key, const std::vector<std::string>& names, std::optional<int> fallback);
  std::vector<double> numbers(const std::string& base, const Quantity& quantity, std::size_t low_count,
                              std::size_t high_count, const Range& range = any_number,
                              const std::vector<double>& fallback = {});
  Vec2 point(const std::string& base, const Quantity& quantity, std::optional<Vec2> fallback);
  // A vector scaled to unit length.
  Vec2 direction(const std::string& key, std::optional<Vec2> fallback);
  std::vector<std::vector<double>> rows(const std::string& base, const Quantity& quantity, std::size_t columns,
                                        std::size_t low_count, std::size_t high_count = any_count);
  // The path of a file that the problem needs, absolute, as the resolved problem has it.
  std::filesystem::path file(const std::string& key);
  // Checks the fingerprint of the contents of that file. The resolved problem keeps the fingerprint, so that it refuses
  // a file that has changed since.
  void check_contents(const std::string& fingerprint);
  std::vector<std::string> texts(const std::string& key, std::size_t low_count, std::size_t high_count);

  // The raw node of a key (null when absent), marked as known: for values with a grammar of their own. The reader of
  // the value stores its resolved form with put().
  const Node* raw(const std::string& key);
  void put(const std::string& key, Node value) { resolved_.set(key, std::move(value)); }

  // Unnamed uncertain values of this table are called "label.key"; without a label, by their path.
  void set_label(std::string label) { label_ = std::move(label); }

  // The path of a key of this table, for messages, and an error there.
  std::string at(const std::string& key) const;
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;

  // Refuses keys that were not asked for and returns the resolved table. `expanded`: it is written under a [header] of
  // its own.
  Node finish(bool expanded);

 private:
  struct Found {
    const Node* node = nullptr;  // null: use the default
    const Unit* unit = nullptr;
    std::string key;
  };
  Found find_quantity(const std::string& base, const Quantity& quantity, bool required);
  const Node* find_key(const std::string& key, bool required);

  ReadContext& context_;
  const Node* node_;
  std::string path_;
  std::string label_;
  std::vector<std::string> known_;
  Node resolved_;
};

// Checks one finite number against the range and converts it to SI.
double checked_number(const ReadContext& context, const Node& node, const std::string& path, const Quantity& quantity,
                      const Unit& unit, const Range& range);

// The range in words: "must be greater than 0", "must be at least 0 and at most 1 mm". With both_bounds the words also
// name the bounds +-1e12 that every number has.
std::string range_text(const Range& range, const Unit& unit, bool both_bounds = false);

}  // namespace pegrasp
