// SPDX-License-Identifier: Apache-2.0
// A parser callback that refuses what the parser takes: an object with the same key twice (it would keep the last one without
// a word), and nesting so deep that the recursions over what was read (dump, copy) would overflow the stack.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace pegrasp {

class JsonGuard {
 public:
  explicit JsonGuard(std::string origin) : origin_(std::move(origin)) {}
  // Throws InputError, one line. Keeps every value.
  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed);

 private:
  // An object or a list that is open.
  struct Open {
    bool list = false;
    int items = 0;
    std::string key;
    std::set<std::string> keys;
  };
  void open(bool list);
  void next_item();
  std::string path() const;

  std::string origin_;
  std::vector<Open> open_;
};

}  // namespace pegrasp
