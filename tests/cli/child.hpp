// SPDX-License-Identifier: Apache-2.0
// The built command line as a child process.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/places.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp::test {

struct ChildOptions {
  std::string out_to;      // where standard output goes; empty: a file, read back
  rlim_t file_limit = 0;   // no file may grow over this many bytes; 0: no limit
  bool own_group = false;  // as a terminal starts it: signals may be sent to it and its children together
};

// What is left of a finished child.
struct Finished {
  int code = -1;  // exit code; -1 when a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

class Child {
 public:
  // Starts `pegrasp arguments...`; output is kept in files of `folder`.
  Child(const Folder& folder, const std::vector<std::string>& arguments, const ChildOptions& options = {})
      : out_(options.out_to.empty() ? (folder.path() / ".out").string() : options.out_to),
        err_(folder.path() / ".err"),
        read_out_(options.out_to.empty()) {
    std::vector<std::string> words{program()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> raw;
    for (std::string& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (options.own_group) ::setpgid(0, 0);
    ::dup2(::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    ::dup2(::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    if (options.file_limit > 0) {
      const rlimit limit{options.file_limit, options.file_limit};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ::execv(raw[0], raw.data());
    ::_exit(127);
  }

  void send(int signal) const { ::kill(pid_, signal); }

  void send_group(int signal) const { ::kill(-pid_, signal); }

  // True while it runs.
  bool running() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
  }

  // Waits until the program has a handler for `signal` (a slow start is no reason to be killed by it) or has ended.
  void wait_until_it_catches(int signal) const {
    while (running() && !catches(signal)) ::usleep(1'000);
  }

  Finished wait() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    Finished done;
    if (WIFEXITED(status)) done.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) done.signal = WTERMSIG(status);
    if (read_out_) done.out = content(out_);
    done.err = content(err_);
    return done;
  }

 private:
  // The kernel's mask of caught signals; the test's own program, before it becomes pegrasp, catches none.
  bool catches(int signal) const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string word; status >> word;) {
      if (word != "SigCgt:") continue;
      unsigned long long mask = 0;
      status >> std::hex >> mask;
      return (mask >> (signal - 1) & 1) != 0;
    }
    return false;
  }

  std::string out_, err_;
  bool read_out_;
  pid_t pid_ = -1;
};

inline Finished pegrasp_run(const Folder& folder, const std::vector<std::string>& arguments,
                            const ChildOptions& options = {}) {
  return Child(folder, arguments, options).wait();
}

}  // namespace pegrasp::test
