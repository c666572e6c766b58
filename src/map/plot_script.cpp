// SPDX-License-Identifier: Apache-2.0
#include "src/map/plot_script.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "src/formats/atomic_file.hpp"

namespace pegrasp {
namespace {

// The plotting script: beside the sources, or where `install` put it.
std::filesystem::path find_script(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::filesystem::path> places{std::filesystem::path(PEGRASP_SCRIPT_DIR)};
  if (!error) places.push_back(self.parent_path().parent_path() / "share" / "pegrasp" / "scripts");
  for (const std::filesystem::path& place : places) {
    if (std::filesystem::exists(place / name, error)) return place / name;
  }
  return {};
}

constexpr int could_not_run = 127;
constexpr int could_not_write = 74;  // CANNOT_WRITE of the scripts

// Runs a program without a shell; what it says is kept. Exit code, or could_not_run.
int run_program(const std::vector<std::string>& words, std::string& said) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return could_not_run;
  std::vector<char*> arguments;  // made before the fork: other threads may hold the allocator's lock
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return could_not_run;
  }
  if (child == 0) {
    std::signal(SIGINT, SIG_IGN);    // Ctrl-C reaches the whole group; a picture that was begun is finished
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
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return {};
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

std::string draw_by_script(const std::string& script, const std::filesystem::path& source,
                           const std::filesystem::path& target, const std::string& packages) {
  const std::filesystem::path program = find_script(script);
  if (program.empty()) return script + " was not found";
  // Debian's own interpreter has Debian's matplotlib; another python3 on the PATH may not. The first that could be run
  // says why.
  std::string reason;
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    std::string said;
    const int code = run_program({python, program.string(), source.string(), target.string()}, said);
    if (code == 0) return {};
    if (code == could_not_run || !reason.empty()) continue;
    reason = last_line(said);
    if (code == could_not_write) {
      throw WriteError(target.string() + ": cannot be written: " + reason +
                       "; free some space there, change its permissions or choose another place");
    }
    if (reason.empty()) reason = program.string() + " ended with code " + std::to_string(code);
  }
  return reason.empty() ? "python3 was not found; install " + packages : reason;
}

}  // namespace pegrasp
