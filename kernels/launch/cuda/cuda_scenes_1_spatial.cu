// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_SPATIAL
#include "kernels/launch/cuda/cuda_scenes_impl.hpp"

namespace pegrasp {

const SceneKernels scenes_1_spatial = spatial::scene_kernels<1>();

}  // namespace pegrasp
