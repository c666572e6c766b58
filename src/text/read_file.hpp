// SPDX-License-Identifier: Apache-2.0
// Whole files, or an error. A stream that breaks off is never taken for the whole file, and what is no file is not
// waited for.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace pegrasp {

// Why a file cannot be read, and a remedy, in one line without the name of the file.
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Pipes { refused, read };

// The bytes of a file of at most `most` bytes. Folders, devices and sockets are refused; so are pipes, unless the
// caller takes them (`pegrasp check <(...)`). Throws ReadError.
std::string read_file(const std::filesystem::path& file, std::size_t most, Pipes pipes = Pipes::refused);

// A file that is read piece by piece. Throws ReadError, as read_file().
class OpenFile {
 public:
  OpenFile(const std::filesystem::path& file, std::size_t most);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  std::size_t size() const { return size_; }  // when it was opened
  // All of these bytes: a file that has become shorter is an error.
  std::string read_at(std::size_t place, std::size_t count) const;

 private:
  int handle_;
  std::size_t size_ = 0;
};

// Whether it is a file, or a link to one. Throws ReadError for folders, pipes, devices and sockets, and where there is
// nothing. For files that a library opens.
void expect_file(const std::filesystem::path& file);

// Reads up to the given number of bytes, as ::read() does: 0 at the end, -1 with errno on failure.
using ReadSome = std::function<ssize_t(char*, std::size_t)>;
// Everything up to the end. `size` is the number of bytes that there must be; any_size: it is not known.
inline constexpr std::size_t any_size = static_cast<std::size_t>(-1);
std::string read_all(const ReadSome& read, std::size_t size, std::size_t most);

}  // namespace pegrasp
