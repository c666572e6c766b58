// SPDX-License-Identifier: Apache-2.0
// Samples drawn on the device: one thread each, into the parameters that the scenes' kernel reads.
#pragma once

#include <cuda_runtime.h>

#include "kernels/sampling/draw_sample.hpp"

namespace pegrasp {

// Samples first ... first + count - 1. plan: its pointers lead to device memory. parameters: (count, parameter_count);
// values: (count, column_count); redrawn: (count), as draw_sample() returns it.
cudaError_t launch_samples(const SamplePlanView& plan, unsigned long long first, int samples_per_cell, int count,
                           double* parameters, double* values, int* redrawn, cudaStream_t stream);

}  // namespace pegrasp
