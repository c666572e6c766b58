// SPDX-License-Identifier: Apache-2.0
// Files are read whole or not at all, and what is no file is not waited for.
#include "src/text/read_file.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "tests/results/synthetic_map.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

template <class Call>
std::string refused(const Call& call) {
  try {
    call();
  } catch (const ReadError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "nothing";
}

// Gives `text` in pieces of at most `piece` bytes, and then what `end` gives: 0, or -1 with errno.
ReadSome source(const std::string& text, std::size_t piece, int end) {
  return [text, piece, end, at = std::size_t{0}](char* to, std::size_t count) mutable -> ssize_t {
    const std::size_t n = std::min({count, piece, text.size() - at});
    if (n == 0) {
      errno = end;
      return end == 0 ? 0 : -1;
    }
    std::memcpy(to, text.data() + at, n);
    at += n;
    return static_cast<ssize_t>(n);
  };
}

TEST(ReadAll, PiecesAreJoined) {
  EXPECT_EQ(read_all(source("samples = 77", 5, 0), any_size, 100), "samples = 77");
  EXPECT_EQ(read_all(source("samples = 77", 5, 0), 12, 100), "samples = 77");
  EXPECT_EQ(read_all(source("", 5, 0), 0, 100), "");
}

TEST(ReadAll, AnIncompleteReadIsAnError) {
  EXPECT_NE(refused([] { read_all(source("samples", 5, EIO), 12, 100); }).find("beyond byte 7"), std::string::npos);
  EXPECT_NE(refused([] { read_all(source("samples", 5, EIO), any_size, 100); }).find("check the disk"),
            std::string::npos);
  EXPECT_NE(refused([] { read_all(source("samples", 5, ENOMEM), any_size, 100); }).find("byte 7"), std::string::npos);
  // the end comes too early
  EXPECT_NE(refused([] { read_all(source("samples", 5, 0), 12, 100); }).find("has 12 bytes, of which 7"),
            std::string::npos);
}

TEST(ReadAll, AnInterruptionIsNone) {
  bool interrupted = false;
  const ReadSome rest = source("samples", 5, 0);
  const ReadSome read = [&, rest](char* to, std::size_t count) mutable -> ssize_t {
    if (!interrupted) {
      interrupted = true;
      errno = EINTR;
      return -1;
    }
    return rest(to, count);
  };
  EXPECT_EQ(read_all(read, any_size, 100), "samples");
}

TEST(ReadAll, NothingFillsTheMemory) {
  const ReadSome endless = [](char* to, std::size_t count) -> ssize_t {
    std::memset(to, 'x', count);
    return static_cast<ssize_t>(count);
  };
  EXPECT_NE(refused([&] { read_all(endless, any_size, 5u << 20); }).find("larger than 5 MB"), std::string::npos);
}

struct ReadFile : testing::Test {
  test::Folder folder;
  std::string refusal(const std::filesystem::path& file, Pipes pipes = Pipes::refused) {
    return refused([&] { read_file(file, 100, pipes); });
  }
};

TEST_F(ReadFile, FilesAndLinksToThem) {
  test::written(folder.path() / "a", "text");
  EXPECT_EQ(read_file(folder.path() / "a", 100), "text");
  std::filesystem::create_symlink("a", folder.path() / "link");
  EXPECT_EQ(read_file(folder.path() / "link", 100), "text");
  EXPECT_FALSE(read_file("/proc/self/status", 1u << 20).empty());  // says that it has 0 bytes
  test::written(folder.path() / "large", std::string(101, 'x'));
  EXPECT_NE(refusal(folder.path() / "large").find("larger than"), std::string::npos);
}

TEST_F(ReadFile, WhatIsNoFile) {
  EXPECT_EQ(refusal(folder.path() / "none"), "no such file: check the path");
  EXPECT_EQ(refusal(folder.path() / "none" / "below"), "no such file: check the path");
  EXPECT_EQ(refusal(folder.path()), "is a directory: name a file");
  EXPECT_EQ(refusal("/dev/zero"), "is a device: name a file");
  EXPECT_EQ(refusal("/dev/zero", Pipes::read), "is a device: name a file");
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder.path() / "pipe"), "is a pipe: name a file");  // at once: nobody writes to it
  EXPECT_EQ(refused([&] { expect_file(folder.path() / "pipe"); }), "is a pipe: name a file");
  EXPECT_EQ(refused([&] { expect_file(folder.path()); }), "is a directory: name a file");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "/tmp/pegrasp_" + std::to_string(::getpid());  // longer names do not fit
  std::strncpy(address.sun_path, name.c_str(), sizeof address.sun_path - 1);
  const int handle = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::bind(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    EXPECT_EQ(refusal(name), "is a socket or a device: name a file");
    ::unlink(name.c_str());
  }
  ::close(handle);
}

// A file whose reading fails: /proc/self/mem is a regular file, and nothing lies at its beginning.
TEST_F(ReadFile, AFailureOfTheDiskIsAnError) {
  EXPECT_NE(refusal("/proc/self/mem").find("cannot be read beyond byte 0"), std::string::npos)
      << refusal("/proc/self/mem");
}

TEST_F(ReadFile, APipeIsReadToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    for (const char* part : {"map", ".sam", "ples"}) {
      EXPECT_GT(::write(ends[1], part, std::strlen(part)), 0);
      ::usleep(2000);
    }
    ::close(ends[1]);
  });
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0]), 100, Pipes::read), "map.samples");
  writer.join();
  ::close(ends[0]);
}

}  // namespace
}  // namespace pegrasp
