// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace pegrasp {

// Bad input. what() is one line: file, key, what is wrong, the remedy ("did you mean ...?").
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pegrasp
