// SPDX-License-Identifier: Apache-2.0
// How the kernels come by what a Sampler draws from.
#pragma once

namespace pegrasp {

class Sampler;
struct SamplePlanView;

struct SamplePlan {
  // The plain arrays of a sampler's plan (kernels/sampling/draw_sample.hpp); they live as long as the sampler.
  static const SamplePlanView& of(const Sampler& sampler);
};

}  // namespace pegrasp
