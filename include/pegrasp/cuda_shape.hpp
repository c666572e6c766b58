// SPDX-License-Identifier: Apache-2.0
// How scenes lie on a CUDA device. Plain data.
#pragma once

namespace pegrasp {

// Results do not depend on it, only the time they take.
struct CudaShape {
  enum class Memory { automatic, global, shared };  // shared: as far as the shared memory of a block allows
  int team_size = 0;                                // lanes that share a scene, of cuda_team_sizes(); 0: automatic
  Memory workspaces = Memory::automatic;            // of the scenes
  Memory model = Memory::automatic;                 // shapes and topology; shared: a copy in every block
};

}  // namespace pegrasp
