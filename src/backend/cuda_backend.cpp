// SPDX-License-Identifier: Apache-2.0
// Batches on a CUDA device: in pieces with the per-scene strategy, in groups with the batched one.
#include "src/backend/cuda_backend.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "kernels/launch/cuda/cuda_runner.hpp"
#include "src/backend/batched_groups.hpp"
#include "src/backend/cpu_backend.hpp"
#include "src/backend/kernels.hpp"
#include "src/backend/pieces.hpp"
#include "src/backend/run_to_end.hpp"
#include "src/model/model.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t bodies_at_once = std::size_t{1} << 20;  // batched strategy

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(DeviceMakers device)
      : device_(std::move(device.name)),
        batched_(std::move(device.batched)),
        runner_(std::move(device.runner)),
        arithmetic_(device.arithmetic) {}

  std::string name() const override { return "cuda"; }
  Arithmetic arithmetic() const override { return arithmetic_; }
  std::string device() const override { return device_; }
  std::string shape() const override { return lay_; }

  bool run(const Model& model, const StepOptions& options, std::span<const double> parameters,
           std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) override {
    if (options.strategy == Strategy::batched)
      return run_batched(model, options, parameters, outcomes, final_poses, stop);
    return run_per_scene(model, options, {parameters}, outcomes, final_poses, {}, stop);
  }

  // On the batched strategy, whose scenes are few and large, the host draws.
  bool run_samples(const Model& model, const StepOptions& options, SampleJob& job,
                   const std::atomic<bool>* stop) override {
    if (options.strategy == Strategy::batched) return Backend::run_samples(model, options, job, stop);
    return run_per_scene(model, options, {{}, &job.sampler, job.first}, job.outcomes, job.final_poses,
                         {job.values, job.redrawn}, stop);
  }

  // A device simulates scenes of one model at once. Scenes of their own are simulated by the CPU, whose strict results
  // are the same.
  bool run_each(const std::function<OwnScene(std::size_t)>& make, std::span<SceneOutcome> outcomes,
                std::span<double> final_poses, const std::atomic<bool>* stop) override {
    return make_cpu_backend(arithmetic_, 0)->run_each(make, outcomes, final_poses, stop);
  }

 private:
  bool run_per_scene(const Model& model, const StepOptions& options, const SceneSource& source,
                     std::span<SceneOutcome> outcomes, std::span<double> final_poses, const DrawnRows& drawn,
                     const std::atomic<bool>* stop) {
    check_listed(model);
    if (model.functions().any) {
      throw std::invalid_argument(
          "motion and targets that are functions are simulated on a CPU alone; choose --backend cpu");
    }
    if (is_penalty(options.contact))
      throw std::invalid_argument("contact model penalty is simulated on a CPU alone; choose --backend cpu");
    if (options.contact == ContactModel::ratio)
      throw std::invalid_argument("contact model ratio is simulated on a CPU alone; choose --backend cpu");
    return runner_.with(model.view(), [&](CudaRunner& runner) {
      const bool ended = run_pieces(runner, model, options, source, outcomes, final_poses, drawn, stop);
      lay_ = runner.shape();
      return ended;
    });
  }

  bool run_batched(const Model& model, const StepOptions& options, std::span<const double> parameters,
                   std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) {
    if (options.solver == SolverKind::island_newton)
      throw std::invalid_argument("solver island-newton runs on a CPU alone; choose --backend cpu, or solver aj");
    runner_.forget();  // groups want all of the memory
    std::unique_ptr<BatchedScenes> first = batched_(model, options);
    lay_ = first->shape();
    const auto group = std::min(bodies_at_once / static_cast<std::size_t>(model.layout().body_count) + 1,
                                static_cast<std::size_t>(first->most_scenes()));
    const auto make = [&] { return first != nullptr ? std::move(first) : batched_(model, options); };
    return run_batched_groups_that_fit(make, model, group, parameters, outcomes, final_poses, stop);
  }

  std::string device_, lay_;
  std::function<std::unique_ptr<BatchedScenes>(const Model&, const StepOptions&)> batched_;
  KeptRunner runner_;
  Arithmetic arithmetic_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(DeviceMakers device) {
  return std::make_unique<CudaBackend>(std::move(device));
}

std::unique_ptr<Backend> make_cuda_backend(Arithmetic arithmetic, int device, CudaShape shape) {
  return make_cuda_backend({cuda_device(device).detail,
                            [=](const ModelView& model) { return make_cuda_runner(model, arithmetic, device, shape); },
                            [=](const Model& model, const StepOptions& options) {
                              return make_cuda_batched(model, options, arithmetic, device);
                            },
                            arithmetic});
}

}  // namespace pegrasp
