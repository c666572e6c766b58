// SPDX-License-Identifier: Apache-2.0
#include "pegrasp_reference/engine.hpp"

#include "src/reference/batch.hpp"

namespace pegrasp {
namespace {

class Trials final : public ReferenceTrials {
 public:
  explicit Trials(const SceneSpec& scene) : scene_(scene) {}

  bool run(const StepOptions& options, std::span<const double> parameters, std::span<SceneOutcome> outcomes,
           std::span<double> final_poses, int threads, const std::atomic<bool>* stop) const override {
    return reference::run_reference(scene_, options, parameters, outcomes, final_poses, threads, stop);
  }

 private:
  reference::AnyScene scene_;
};

class Engine final : public ReferenceEngine {
 public:
  std::unique_ptr<ReferenceTrials> prepare(const SceneSpec& scene) const override {
    return std::make_unique<Trials>(scene);
  }
};

}  // namespace

std::unique_ptr<ReferenceEngine> make_reference_engine() { return std::make_unique<Engine>(); }

}  // namespace pegrasp
