// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pegrasp/error.hpp"

namespace pegrasp {

// Nothing is wrong with the input: the same command may go well later, when another run has ended, say.
class PassingError : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace pegrasp
