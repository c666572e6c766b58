// SPDX-License-Identifier: Apache-2.0
// A backend that simulates nothing: what it answers is a function of each scene's parameters alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

#include "pegrasp/map.hpp"
#include "src/text/document.hpp"
#include "tests/places.hpp"

namespace pegrasp::test {

class FakeBackend final : public Backend {
 public:
  std::string name() const override { return "fake"; }
  std::string device() const override { return "no device"; }

  bool run(const Model&, const StepOptions&, std::span<const double> parameters, std::span<SceneOutcome> outcomes,
           std::span<double> final_poses, const std::atomic<bool>*) override {
    ++calls;
    if (calls == fails_at) throw std::runtime_error("the device fell off the bus");
    const std::size_t stride = parameters.size() / outcomes.size();
    const std::size_t poses = final_poses.size() / outcomes.size();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      std::uint64_t hash = 1469598103934665603ull;
      for (std::size_t k = 0; k < stride; ++k) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &parameters[i * stride + k], sizeof bits);
        hash = (hash ^ bits) * 1099511628211ull;
        hash ^= hash >> 29;
      }
      SceneOutcome o;
      o.status = hash % 7 == 0 ? status_not_converged : status_ok;
      o.success = hash % 3 == 0 ? 1 : 0;
      o.steps = static_cast<int>(hash % 100);
      o.time = 0.005 * o.steps;
      o.residual_max = 1e-9 * static_cast<double>(hash % 1000);
      outcomes[i] = o;
      for (std::size_t k = 0; k < poses; ++k) final_poses[i * poses + k] = parameters[i * stride + k] + 1.0;
    }
    scenes += outcomes.size();
    if (calls == stops_at) stop.store(true);
    return true;
  }

  int calls = 0;
  int fails_at = 0;  // this call throws
  int stops_at = 0;  // during this call the user asks to stop
  std::size_t scenes = 0;
  std::atomic<bool> stop{false};
};

// Three by three cells of the gear, seven samples each.
inline Problem nine_cells(std::vector<Override> more = {}) {
  more.insert(more.begin(), {{"map.samples", "7"}, {"grid.x_mm", "[-5, 0, 5]"}, {"grid.y_mm", "[-16, -12, -8]"}});
  return load_problem(test::source_file("examples/gear/gear.toml"), more);
}

}  // namespace pegrasp::test
