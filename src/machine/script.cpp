// SPDX-License-Identifier: Apache-2.0
#include "src/machine/script.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "src/machine/share.hpp"

namespace pegrasp {

std::filesystem::path find_script(const std::string& name) {
  return find_shared(std::filesystem::path("scripts") / name);
}

std::filesystem::path find_shared(const std::filesystem::path& name) {
  std::error_code error;
  for (const std::filesystem::path& folder : share_folders()) {
    if (std::filesystem::exists(folder / name, error)) return folder / name;
  }
  return {};
}

int run_program(const std::vector<std::string>& words, std::string& said, OnInterrupt interrupt) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return could_not_run;
  std::vector<char*> arguments;  // made before the fork: other threads may hold the allocator's lock
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  // Ctrl-C reaches the whole group. This program waits for the other, and then does what is to be done.
  const bool waits = interrupt == OnInterrupt::ends;
  const auto before = waits ? std::signal(SIGINT, SIG_IGN) : SIG_ERR;
  const pid_t child = ::fork();
  if (child < 0) {
    if (before != SIG_ERR) std::signal(SIGINT, before);
    ::close(ends[0]);
    ::close(ends[1]);
    return could_not_run;
  }
  if (child == 0) {
    std::signal(SIGINT, waits ? SIG_DFL : SIG_IGN);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(could_not_run);
    ::dup2(ends[1], STDOUT_FILENO);  // our own standard output may be a JSON object
    ::dup2(ends[1], STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(could_not_run);
  }
  ::close(ends[1]);
  std::array<char, 4096> buffer{};
  for (ssize_t n = 1; n != 0;) {
    n = ::read(ends[0], buffer.data(), buffer.size());
    if (n < 0 && errno != EINTR) break;
    if (n > 0) said.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (before != SIG_ERR) std::signal(SIGINT, before);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGINT ? interrupted : 128;
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return {};
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace pegrasp
