// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_SPATIAL
#include "kernels/launch/cuda/cuda_scenes_impl.hpp"

namespace pegrasp {

const SceneKernels scenes_128_spatial = spatial::scene_kernels<128>();

}  // namespace pegrasp
