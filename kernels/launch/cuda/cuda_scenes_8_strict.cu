// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cuda/cuda_scenes_impl.hpp"

namespace pegrasp {

const SceneKernels scenes_8_strict = strict::scene_kernels<8>();

}  // namespace pegrasp
