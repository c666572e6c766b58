// SPDX-License-Identifier: Apache-2.0
#include "src/text/read_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace pegrasp {
namespace {

constexpr int longest_silence = 30'000;  // of a pipe [ms]

std::string reason(int error) { return std::error_code(error, std::generic_category()).message(); }

[[noreturn]] void fail_to_open(int error) {
  if (error == ENOENT || error == ENOTDIR) throw ReadError("no such file: check the path");
  if (error == EACCES || error == EPERM)
    throw ReadError("cannot be read (" + reason(error) + "): check its permissions");
  if (error == ENXIO) throw ReadError("is a socket or a device: name a file");
  throw ReadError("cannot be read (" + reason(error) + "): check the path");
}

std::string in_megabytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

// What the mode says it is, where that is not a file.
const char* other_kind(mode_t mode) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

class Handle {
 public:
  // Without O_NONBLOCK a pipe that nobody writes to would be waited for here.
  explicit Handle(const std::filesystem::path& file)
      : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) fail_to_open(errno);
  }
  ~Handle() {
    if (number_ >= 0) ::close(number_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  int number() const { return number_; }
  int take() { return std::exchange(number_, -1); }

 private:
  int number_;
};

ssize_t read_pipe(int handle, char* to, std::size_t count) {
  while (true) {
    pollfd wait{handle, POLLIN, 0};
    const int ready = ::poll(&wait, 1, longest_silence);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return -1;
    if (ready == 0) throw ReadError("is a pipe that has sent nothing for half a minute: name a file");
    const ssize_t got = ::read(handle, to, count);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    return got;
  }
}

}  // namespace

std::string read_all(const ReadSome& read, std::size_t size, std::size_t most) {
  std::string bytes;
  constexpr std::size_t piece = std::size_t{1} << 20;
  while (true) {
    const std::size_t before = bytes.size();
    const std::size_t wanted =
        std::clamp<std::size_t>(size == any_size ? piece : size - std::min(size, before), 1, piece);
    bytes.resize(before + wanted);
    const ssize_t got = read(bytes.data() + before, wanted);
    if (got < 0 && errno == EINTR) {
      bytes.resize(before);
      continue;
    }
    if (got < 0) {
      throw ReadError("cannot be read beyond byte " + std::to_string(before) + " (" + reason(errno) +
                      "): check the disk");
    }
    bytes.resize(before + static_cast<std::size_t>(got));
    if (bytes.size() > most)
      throw ReadError("is larger than " + in_megabytes(most) + ", the most that is read: make it smaller");
    if (got == 0) break;
  }
  if (size != any_size && bytes.size() != size) {
    throw ReadError("has " + std::to_string(size) + " bytes, of which " + std::to_string(bytes.size()) +
                    " could be read: check the disk, and that nobody is writing it");
  }
  return bytes;
}

std::string read_file(const std::filesystem::path& file, std::size_t most, Pipes pipes) {
  const Handle handle(file);
  struct stat about {};
  if (::fstat(handle.number(), &about) != 0) fail_to_open(errno);
  if (S_ISFIFO(about.st_mode) && pipes == Pipes::read) {
    return read_all([&](char* to, std::size_t count) { return read_pipe(handle.number(), to, count); }, any_size, most);
  }
  if (const char* kind = other_kind(about.st_mode)) throw ReadError(std::string("is ") + kind + ": name a file");
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size > most) throw ReadError("is larger than " + in_megabytes(most) + ", the most that is read: make it smaller");
  // Files of /proc have size 0 whatever they hold.
  return read_all([&](char* to, std::size_t count) { return ::read(handle.number(), to, count); },
                  size == 0 ? any_size : size, most);
}

OpenFile::OpenFile(const std::filesystem::path& file, std::size_t most) : handle_(-1) {
  Handle handle(file);
  struct stat about {};
  if (::fstat(handle.number(), &about) != 0) fail_to_open(errno);
  if (const char* kind = other_kind(about.st_mode)) throw ReadError(std::string("is ") + kind + ": name a file");
  size_ = static_cast<std::size_t>(about.st_size);
  if (size_ > most)
    throw ReadError("is larger than " + in_megabytes(most) + ", the most that is read: make it smaller");
  handle_ = handle.take();
}

OpenFile::~OpenFile() {
  if (handle_ >= 0) ::close(handle_);
}

std::string OpenFile::read_at(std::size_t place, std::size_t count) const {
  std::size_t at = place;
  return read_all(
      [&](char* to, std::size_t most) {
        const ssize_t got = ::pread(handle_, to, std::min(most, place + count - at), static_cast<off_t>(at));
        if (got > 0) at += static_cast<std::size_t>(got);
        return got;
      },
      count, count);
}

void expect_file(const std::filesystem::path& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) fail_to_open(errno);
  if (const char* kind = other_kind(about.st_mode)) throw ReadError(std::string("is ") + kind + ": name a file");
}

}  // namespace pegrasp
