// SPDX-License-Identifier: Apache-2.0
#include "src/formats/atomic_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "src/text/printable.hpp"

namespace pegrasp {
namespace {

// Writes all bytes. Returns false on failure; errno then has the reason.
bool write_all(int handle, std::uint64_t place, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = ::pwrite(handle, bytes.data() + at, bytes.size() - at, static_cast<off_t>(place + at));
    if (written < 0 && errno == EINTR) continue;  // Ctrl-C while writing: finish the file
    if (written <= 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return true;
}

// Whether `file` is an unfinished form of the file `name`: "map.csv.4711.tmp" for "map.csv".
bool is_unfinished(const std::string& file, const std::string& name) {
  if (file.rfind(name + ".", 0) != 0) return false;
  const std::size_t dot = file.find_first_not_of("0123456789", name.size() + 1);
  if (dot == std::string::npos || dot == name.size() + 1) return false;
  const std::string end = file.substr(dot);
  return end == ".tmp" || end == ".tmp.png";
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  int error = EEXIST;
  for (int tries = 0; tries < 100 && error == EEXIST; ++tries) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number) fail(errno);
    temporary_ = path_;
    temporary_ += "." + std::to_string(number) + ".tmp";
    handle_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, result_mode);
    if (handle_ >= 0) return;
    error = errno;
  }
  temporary_.clear();
  fail(error);
}

AtomicFile::~AtomicFile() {
  if (handle_ >= 0) ::close(handle_);
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::commit(std::string_view text) {
  write(text);
  show();
}

void AtomicFile::write(std::string_view text) {
  write_at(0, text);
  finish();
}

void AtomicFile::write_at(std::uint64_t place, std::string_view bytes) {
  if (!write_all(handle_, place, bytes)) fail(errno);
}

void AtomicFile::resize(std::uint64_t size) {
  if (::ftruncate(handle_, static_cast<off_t>(size)) != 0) fail(errno);
}

void AtomicFile::finish() {
  if (::fsync(handle_) != 0) fail(errno);
  // Some network file systems report a full disk only when the file is closed.
  if (::close(std::exchange(handle_, -1)) != 0) fail(errno);
}

void AtomicFile::show() {
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) fail(error.value());
  temporary_.clear();
}

void AtomicFile::fail(int error) {
  throw WriteError(printable(path_.string()) + ": cannot be written: " +
                       std::error_code(error, std::generic_category()).message() + "; " + write_remedy(error),
                   may_pass(error));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) { AtomicFile(path).commit(text); }

void remove_unfinished(const std::filesystem::path& folder, const std::vector<std::string>& names) {
  std::error_code ignored;
  std::vector<std::filesystem::path> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    const auto of = [&file](const std::string& name) { return is_unfinished(file, name); };
    if (std::any_of(names.begin(), names.end(), of)) left.push_back(entry.path());
  }
  for (const std::filesystem::path& file : left) std::filesystem::remove(file, ignored);
}

std::string write_remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space there or choose another place";
    case EACCES:
    case EPERM:
    case EROFS:
      return "change the permissions there or choose another place";
    case ENOENT:
    case ENOTDIR:
      return "make its folder first or choose another place";
    case EISDIR:
      return "a folder is in the way: choose another name";
    default:
      return "choose another place";
  }
}

bool may_pass(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EAGAIN:
    case EBUSY:
    case EINTR:
    case ENOLCK:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case ESTALE:
    case ETIMEDOUT:
    case EREMOTEIO:
      return true;
    default:
      return false;
  }
}

}  // namespace pegrasp
