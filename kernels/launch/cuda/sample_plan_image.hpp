// SPDX-License-Identifier: Apache-2.0
// A sample plan that is to be used elsewhere: its lists, with pointers that lead to where its numbers will be.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/sampling/draw_sample.hpp"

namespace pegrasp {

struct SamplePlanImage {
  // reals, slots: where the plan's numbers will be.
  SamplePlanImage(const SamplePlanView& plan, const double* reals, const int* slots)
      : distributions(plan.distributions, plan.distributions + plan.distribution_count),
        numbers(plan.numbers, plan.numbers + plan.number_count),
        tripods(plan.tripods, plan.tripods + plan.tripod_count),
        joint_offsets(plan.joint_offsets, plan.joint_offsets + plan.joint_offset_count),
        view(plan) {
    const auto real = [&](const double* from) { return reals + (from - plan.reals); };
    const auto move = [&](TargetsView& targets) {
      targets.slot = slots + (targets.slot - plan.slots);
      targets.factor = real(targets.factor);
    };
    for (DistributionView& one : distributions) {
      one.values = real(one.values);
      one.weights = real(one.weights);
    }
    for (NumberView& one : numbers) {
      move(one.targets);
      one.members = slots + (one.members - plan.slots);
      one.root = real(one.root);
    }
    move(view.x_targets);
    move(view.y_targets);
    view.cell_slot = slots + (plan.cell_slot - plan.slots);
    view.cell_value = real(plan.cell_value);
    view.directions = slots + (plan.directions - plan.slots);
    view.error.mean = real(plan.error.mean);
    view.error.root = real(plan.error.root);
    view.error.offsets = real(plan.error.offsets);
    view.error.weights = real(plan.error.weights);
    view.base = real(plan.base);
    view.x = real(plan.x);
    view.y = real(plan.y);
    view.reals = reals;
    view.slots = slots;
  }

  std::vector<DistributionView> distributions;
  std::vector<NumberView> numbers;
  std::vector<TripodView> tripods;
  std::vector<JointOffsetView> joint_offsets;
  // Its lists are still the plan's: whoever copies those above to their place says where that is.
  SamplePlanView view;
};

}  // namespace pegrasp
