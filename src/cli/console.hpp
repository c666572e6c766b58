// SPDX-License-Identifier: Apache-2.0
// Where a command's words go, what stops it and whom it tells how far it is. A program that calls commands in threads
// of its own gives each call a console.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>

namespace pegrasp::cli {

struct Console {
  std::ostream& out;
  std::ostream& err;
  std::atomic<bool>& stop;  // a command that sees it set ends as by Ctrl-C
  // That of the process: its standard output may be a terminal, and SIGINT and SIGTERM set `stop`.
  bool of_process = false;
  // Called now and then: how many are done, of how many, and what is counted. From any thread, one call at a time.
  std::function<void(std::size_t done, std::size_t total, const std::string& what)> progress = {};
  // Texts of problems and scenes that are in memory, by the names by which commands are given them.
  std::map<std::string, std::string> texts = {};

  // As std::printf.
  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...) const;
};

// Of the calling thread: that of the process, or that of its innermost ConsoleScope.
Console& console();

class ConsoleScope {
 public:
  explicit ConsoleScope(Console& used);
  ~ConsoleScope();
  ConsoleScope(const ConsoleScope&) = delete;
  ConsoleScope& operator=(const ConsoleScope&) = delete;

 private:
  Console* before_;
};

}  // namespace pegrasp::cli
