// SPDX-License-Identifier: Apache-2.0
// The PATH solver of Ferris, Munson and Dirkse, from a shared library that the user has: a second opinion on the
// results of solve(), through the same Problem and Result. No part of PATH belongs to this project;
// docs/reference/stored-problems.md says where to get it.
//
// The C interface is that of PATH 4.7 to 5.2 (libpath47.so, libpath50.so, libpath52.so).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {

struct PathSettings {
  std::string license;               // PATH's licence string; empty: PATH reads the environment's PATH_LICENSE_STRING
  std::vector<std::string> options;  // as the lines of a path.opt: "crash_method none"; they override what solve() sets
  std::string* log = nullptr;        // what PATH prints is appended
};

class PathLibrary {
 public:
  // Throws std::runtime_error, one line, if the file is missing or is not PATH. A loaded library stays loaded: PATH
  // brings libraries with threads of their own, which do not survive being unloaded.
  explicit PathLibrary(const std::string& file);
  ~PathLibrary();
  PathLibrary(PathLibrary&&) noexcept;
  PathLibrary& operator=(PathLibrary&&) noexcept;

  const std::string& version() const;  // "Path 5.2.01"

  // PATH uses only the options tolerance, max_majors, max_pivots and time_limit_s. Solved has the same meaning as for
  // solve(): the natural residual, measured here. A problem over the size that the licence allows (without one: 300
  // variables, 2000 nonzeros) is bad_input. PATH's own "infeasible" is no_progress, because it proves nothing. Any
  // number of threads may call; they take turns, because PATH has global state.
  Result solve(const Problem& problem, const Vector& start, const Options& options = {},
               const PathSettings& settings = {}) const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace pegrasp::mcp
