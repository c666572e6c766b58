// SPDX-License-Identifier: Apache-2.0
// Values as one string of bytes: equal exactly where all values are.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

namespace pegrasp {

class ValueBytes {
 public:
  template <class... T>
  void add(const T&... values) {
    (add_one(values), ...);
  }
  const std::string& text() const { return text_; }

 private:
  void add_one(const std::string& value) {
    add_one(value.size());
    text_ += value;
  }
  template <class T>
  void add_one(const std::vector<T>& values) {
    add_one(values.size());
    for (const T& value : values) add_one(value);
  }
  template <class T>
  void add_one(const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string text_;
};

}  // namespace pegrasp
