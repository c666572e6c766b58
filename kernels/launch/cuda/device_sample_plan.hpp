// SPDX-License-Identifier: Apache-2.0
// A sample plan copied to the device.
#pragma once

#include <cstddef>

#include "kernels/launch/cuda/device_buffer.hpp"
#include "kernels/launch/cuda/sample_plan_image.hpp"

namespace pegrasp {

class DeviceSamplePlan {
 public:
  explicit DeviceSamplePlan(const SamplePlanView& plan)
      : reals_(upload(plan.reals, static_cast<std::size_t>(plan.real_count))),
        slots_(upload(plan.slots, static_cast<std::size_t>(plan.slot_count))) {
    const SamplePlanImage image(plan, reals_.as<double>(), slots_.as<int>());
    distributions_ = upload(image.distributions.data(), image.distributions.size());
    numbers_ = upload(image.numbers.data(), image.numbers.size());
    tripods_ = upload(image.tripods.data(), image.tripods.size());
    joint_offsets_ = upload(image.joint_offsets.data(), image.joint_offsets.size());
    view_ = image.view;
    view_.distributions = distributions_.as<DistributionView>();
    view_.numbers = numbers_.as<NumberView>();
    view_.tripods = tripods_.as<TripodView>();
    view_.joint_offsets = joint_offsets_.as<JointOffsetView>();
    // Copies from pageable memory may still be under way, and streams that do not wait for them are about to read.
    cuda_check(cudaDeviceSynchronize(), "copy the sample plan");
  }

  const SamplePlanView& view() const { return view_; }

 private:
  DeviceBuffer reals_, slots_, distributions_, numbers_, tripods_, joint_offsets_;
  SamplePlanView view_{};
};

}  // namespace pegrasp
