// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <functional>

namespace pegrasp {

// Whether a process of its own gets through some work, with or without an exception.
bool survives(const std::function<void()>& work);

// Reads a file with the HDF5 library in a process of its own first, and throws InputError where that does not
// survive: HDF5 1.10 crashes on some damaged files and never returns from others. Files of more than 64 MiB are not
// tried, because this doubles the time.
void try_reading(const std::filesystem::path& file, const std::function<void()>& read);

// Whether these are integers or reals as machines have them. HDF5 1.10 crashes when it converts damaged layouts.
bool is_usual_number(hid_t type);

}  // namespace pegrasp
