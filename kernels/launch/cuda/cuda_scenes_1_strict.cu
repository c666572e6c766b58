// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cuda/cuda_scenes_impl.hpp"

namespace pegrasp {

const SceneKernels scenes_1_strict = strict::scene_kernels<1>();

}  // namespace pegrasp
