// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace pegrasp {

// Calls write(temporary) and then moves the temporary file, in the same folder, to `path`. When anything fails the temporary
// is removed and InputError is thrown: one line that names the file and the reason.
void replace_file(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write);

// The text as a file: written, forced to the disk, moved into place.
void write_file_atomically(const std::filesystem::path& path, const std::string& text);

}  // namespace pegrasp
