// SPDX-License-Identifier: Apache-2.0
#include "results/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "pegrasp/problem.hpp"

namespace pegrasp {
namespace {

std::string last_error() { return std::error_code(errno, std::generic_category()).message(); }

void write_all(const std::filesystem::path& file, const std::string& text) {
  const int handle = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (handle < 0) throw InputError(last_error());
  std::size_t at = 0;
  bool fine = true;
  while (fine && at < text.size()) {
    const ssize_t written = ::write(handle, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;  // Ctrl-C while writing: finish the file
    fine = written > 0;
    if (fine) at += static_cast<std::size_t>(written);
  }
  fine = fine && ::fsync(handle) == 0;
  const std::string why = fine ? "" : last_error();
  // Some network file systems tell of a full disk only here.
  if (::close(handle) != 0 && fine) throw InputError(last_error());
  if (!fine) throw InputError(why);
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path temporary = path;
  temporary += "." + std::to_string(::getpid()) + ".tmp";
  try {
    write_all(temporary, text);
    std::filesystem::rename(temporary, path);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    const auto* system = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    const std::string why = system ? system->code().message() : error.what();
    throw InputError(path.string() + ": cannot be written: " + why + "; free some space there or choose another place");
  }
}

}  // namespace pegrasp
