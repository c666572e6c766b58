// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace pegrasp {

// The text (or any bytes) as a file: written under another name in the same folder, forced to the disk, moved into place.
// When anything fails the temporary file is removed and InputError is thrown: one line that names the file and the reason.
void write_file_atomically(const std::filesystem::path& path, const std::string& text);

}  // namespace pegrasp
