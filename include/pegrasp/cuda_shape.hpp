// SPDX-License-Identifier: Apache-2.0
// How scenes lie on a CUDA device. Plain data.
#pragma once

namespace pegrasp {

// Results do not depend on it, only the time they take.
struct CudaShape {
  // shared: as far as the shared memory of a block allows. interleaved, of workspaces in 2D and teams of one lane: the
  // same word of a warp's scenes side by side, as far as a workspace has no more than 40 KiB. Else: global.
  enum class Memory { automatic, global, shared, interleaved };
  int team_size = 0;                      // lanes that share a scene, of cuda_team_sizes(); 0: automatic
  Memory workspaces = Memory::automatic;  // of the scenes
  Memory model = Memory::automatic;       // shapes and topology; shared: a copy in every block
};

}  // namespace pegrasp
