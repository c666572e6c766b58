// SPDX-License-Identifier: Apache-2.0
// Pictures and films of a trial, drawn by scripts/draw_replay.py.
#pragma once

#include <filesystem>

#include "src/report/frames.hpp"

namespace pegrasp::cli {

// The ending of the target is that of a picture, or .mp4. Throws InputError, one line with what to install, where it
// cannot be drawn.
void draw_frames(const report::Json& source, const std::filesystem::path& target);

}  // namespace pegrasp::cli
