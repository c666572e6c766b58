// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cuda/cuda_scenes_impl.hpp"

namespace pegrasp {

const SceneKernels scenes_128_strict = strict::scene_kernels<128>();

}  // namespace pegrasp
