// SPDX-License-Identifier: Apache-2.0
#include "src/machine/share.hpp"

#include <dlfcn.h>

#include <system_error>

namespace pegrasp {

std::vector<std::filesystem::path> share_folders() {
  const std::filesystem::path own = std::filesystem::path("share") / "pegrasp";
  std::vector<std::filesystem::path> folders;
  // Of a program this names the file as it was called, which says little; of a library where it was found.
  Dl_info library{};
  const bool known = ::dladdr(reinterpret_cast<const void*>(&share_folders), &library) != 0;
  if (known && library.dli_fname != nullptr && *library.dli_fname == '/' &&
      std::filesystem::path(library.dli_fname).extension() == ".so") {
    folders.push_back(std::filesystem::path(library.dli_fname).parent_path() / own);
  }
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return folders;
  folders.push_back(self.parent_path().parent_path() / own);
  folders.push_back(self.parent_path() / own);
  return folders;
}

}  // namespace pegrasp
