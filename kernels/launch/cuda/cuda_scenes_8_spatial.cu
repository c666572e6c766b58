// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_SPATIAL
#include "kernels/launch/cuda/cuda_scenes_impl.hpp"

namespace pegrasp {

const SceneKernels scenes_8_spatial = spatial::scene_kernels<8>();

}  // namespace pegrasp
