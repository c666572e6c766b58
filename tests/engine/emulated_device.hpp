// SPDX-License-Identifier: Apache-2.0
// A device without a device: what CudaRunner promises, on one thread of the CPU. Teams, each with a workspace that it
// keeps, take scenes from a queue whose order is shuffled; nothing is written before a piece is finished; memory holds
// rubbish at first.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/launch/cuda/sample_plan_image.hpp"
#include "kernels/launch/scene_worker.hpp"
#include "kernels/sampling/sample_plan.hpp"
#include "pegrasp/sampler.hpp"
#include "src/backend/cuda_backend.hpp"
#include "src/backend/kernels.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::test {

// How the device is, and what became of it; outlives its runners.
struct EmulatedDevice {
  std::size_t most_scenes = 1000;
  std::size_t fills = 1;
  int teams = 3;
  std::uint64_t seed = 1;
  int looks = 2;                                  // before a piece is ready
  std::function<void(const std::string&)> event;  // is called with what was done; may throw, as a device fails

  int made = 0, living = 0, reruns = 0, abandoned = 0, drawn = 0;
  std::vector<std::string> events;

  void tell(const std::string& what) {
    events.push_back(what);
    if (event) event(what);
  }
};

class EmulatedRunner final : public CudaRunner {
 public:
  EmulatedRunner(const ModelView& model, EmulatedDevice& device)
      : model_(model), device_(device), random_(device.seed) {
    ++device_.made;
    ++device_.living;
  }
  EmulatedRunner(const EmulatedRunner&) = delete;
  EmulatedRunner& operator=(const EmulatedRunner&) = delete;
  ~EmulatedRunner() override { --device_.living; }

  std::size_t most_scenes() const override { return device_.most_scenes; }
  std::size_t begin(Capacity, const Sampler* sampler) override {
    if (done_) throw std::logic_error("a batch on a runner that was abandoned");
    plan_ = sampler != nullptr ? std::make_unique<CopiedPlan>(SamplePlan::of(*sampler)) : nullptr;
    return device_.fills;
  }

  void start(int index, const StepOptions& options, Capacity capacity, const SceneSource& source,
             std::span<const int> order, std::span<const SceneOutcome> outcomes,
             std::span<const double> final_poses) override {
    Lane& lane = lanes_.at(static_cast<std::size_t>(index));
    if (lane.under_way || done_) throw std::logic_error("a piece into a lane that is not free");
    device_.tell("start " + std::to_string(index));
    device_.reruns += order.empty() ? 0 : 1;
    lane.under_way = true;
    lane.options = options;
    lane.capacity = capacity;
    lane.looks = device_.looks;
    lane.parameters.assign(source.given.begin(), source.given.end());
    if (source.sampler != nullptr) draw(lane, source, outcomes.size());
    lane.order.assign(order.begin(), order.end());
    lane.outcomes.assign(outcomes.begin(), outcomes.end());
    lane.poses.assign(final_poses.begin(), final_poses.end());
    if (!order.empty()) return;
    lane.order.resize(outcomes.size());
    std::iota(lane.order.begin(), lane.order.end(), 0);
    std::fill(lane.outcomes.begin(), lane.outcomes.end(), SceneOutcome{0xABABABABu, -7, -7, -7});
    std::fill(lane.poses.begin(), lane.poses.end(), -7.0);
  }

  bool ready(int index) override {
    Lane& lane = lanes_.at(static_cast<std::size_t>(index));
    device_.tell("look " + std::to_string(index));
    return lane.looks-- <= 0;
  }

  void finish(int index, std::span<SceneOutcome> outcomes, std::span<double> final_poses,
              const DrawnRows& drawn) override {
    Lane& lane = lanes_.at(static_cast<std::size_t>(index));
    if (!lane.under_way || done_) throw std::logic_error("nothing is under way in the lane");
    device_.tell("finish " + std::to_string(index));
    lane.under_way = false;
    compute(lane);
    std::copy(lane.outcomes.begin(), lane.outcomes.end(), outcomes.begin());
    std::copy(lane.poses.begin(), lane.poses.end(), final_poses.begin());
    std::copy_n(lane.values.begin(), drawn.values.size(), drawn.values.begin());
    std::copy_n(lane.redrawn.begin(), drawn.redrawn.size(), drawn.redrawn.begin());
  }

  void abandon() noexcept override {
    ++device_.abandoned;
    done_ = true;
  }

  std::string shape() const override { return "emulated"; }

 private:
  struct Lane {
    bool under_way = false;
    int looks = 0;
    StepOptions options;
    Capacity capacity{};
    std::vector<double> parameters, poses, values;
    std::vector<int> order, redrawn;
    std::vector<SceneOutcome> outcomes;
  };

  // A plan in memory of its own, as a device has it.
  struct CopiedPlan {
    explicit CopiedPlan(const SamplePlanView& plan)
        : reals(plan.reals, plan.reals + plan.real_count),
          slots(plan.slots, plan.slots + plan.slot_count),
          image(plan, reals.data(), slots.data()) {
      image.view.distributions = image.distributions.data();
      image.view.numbers = image.numbers.data();
      image.view.tripods = image.tripods.data();
      image.view.joint_offsets = image.joint_offsets.data();
    }
    std::vector<double> reals;
    std::vector<int> slots;
    SamplePlanImage image;
  };

  void draw(Lane& lane, const SceneSource& source, std::size_t count) {
    ++device_.drawn;
    const SamplePlanView& plan = plan_->image.view;
    const auto samples = static_cast<std::size_t>(source.sampler->samples_per_cell());
    const auto stride = static_cast<std::size_t>(plan.parameter_count);
    const auto columns = static_cast<std::size_t>(plan.column_count);
    lane.parameters.resize(count * stride);
    lane.values.resize(count * columns);
    lane.redrawn.resize(count);
    for (std::size_t row = 0; row < count; ++row) {
      const std::size_t number = source.first + row;
      lane.redrawn[row] =
          draw_sample(plan, static_cast<std::uint32_t>(number / samples), static_cast<std::uint32_t>(number % samples),
                      &lane.parameters[row * stride], lane.values.data() + row * columns);
    }
  }

  void compute(Lane& lane) {
    std::vector<std::unique_ptr<SceneWorker>> teams;
    for (int i = 0; i < device_.teams; ++i) {
      teams.push_back(
          (model_.spatial != 0 ? make_spatial_worker : make_strict_worker)(model_, lane.options, lane.capacity));
    }
    std::vector<int> queue = lane.order;
    for (std::size_t i = queue.size(); i > 1; --i) std::swap(queue[i - 1], queue[random_.below(i)]);
    const std::size_t stride = lane.parameters.size() / lane.outcomes.size();
    const std::size_t poses = lane.poses.size() / lane.outcomes.size();
    for (const int next : queue) {
      const auto scene = static_cast<std::size_t>(next);
      teams[random_.below(teams.size())]->run(lane.parameters.data() + scene * stride, &lane.outcomes[scene],
                                              lane.poses.data() + scene * poses);
    }
  }

  ModelView model_;
  EmulatedDevice& device_;
  scenes::Random random_;
  std::unique_ptr<CopiedPlan> plan_;
  std::array<Lane, lanes> lanes_;
  bool done_ = false;
};

// The CUDA backend over it; on the batched strategy it is as without a device.
inline std::unique_ptr<Backend> make_backend_on(EmulatedDevice& device) {
  return make_cuda_backend(
      {"an emulated device",
       [&device](const ModelView& model) { return std::make_unique<EmulatedRunner>(model, device); },
       [](const Model& model, const StepOptions& options) {
         return make_batched(model, options, Arithmetic::strict, 1);
       }});
}

}  // namespace pegrasp::test
