// SPDX-License-Identifier: Apache-2.0
// What reruns say about a map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp {

class StepCheckCounter {
 public:
  // reruns: of the whole map.
  StepCheckCounter(const Problem& problem, std::size_t reruns);
  // Reruns k, k + 1, ..., in order.
  void add(std::size_t k, std::span<const Rerun> reruns);
  // Fills map.step_check, once the map's cells and totals are counted; without reruns it leaves none.
  void finish(const Problem& problem, SuccessMap& map);

 private:
  void add(std::size_t trial, const Rerun& rerun);

  std::size_t reruns_, trials_;
  int samples_;
  std::uint64_t seed_;
  StepCheck check_;
  OutcomeChanges cold_;
};

// What a map's user is warned of, in one line; empty where the step does no harm that the samples show.
std::string step_check_warning(const StepCheck& check);

}  // namespace pegrasp
