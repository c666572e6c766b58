// SPDX-License-Identifier: Apache-2.0
// A parser callback that refuses two things which the parser accepts: an object with the same key twice, of which the
// parser would silently keep the last, and nesting so deep that recursion over the result (dump, copy) would overflow
// the stack.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace pegrasp {

class JsonGuard {
 public:
  explicit JsonGuard(std::string origin) : origin_(std::move(origin)) {}
  // The callback. Throws InputError, one line; otherwise the parser keeps every value.
  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed);

 private:
  // An object or a list whose end the parser has not reached.
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
