// SPDX-License-Identifier: Apache-2.0
// The backend under test: PEGRASP_TEST_BACKEND=cpu (the default) or cuda. Whatever steps scenes through a Backend asks
// here, so that one binary tests both; a Simulation is on the CPU by design.
#pragma once

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "pegrasp/simulation.hpp"

namespace pegrasp::test {

// asked: the variable's value, null where it is not set. Throws for anything else, so that a slip of the keyboard or a
// missing device fails the tests instead of testing the CPU once more.
inline BackendKind backend_named(const char* asked) {
  const std::string name = asked == nullptr ? "cpu" : asked;
  if (name == "cpu") return BackendKind::cpu;
  if (name != "cuda") throw std::runtime_error("PEGRASP_TEST_BACKEND: \"" + name + "\" is neither cpu nor cuda");
  const BackendInfo cuda = backend_info(BackendKind::cuda);
  if (!cuda.available) throw std::runtime_error("PEGRASP_TEST_BACKEND=cuda: " + cuda.detail);
  return BackendKind::cuda;
}

inline BackendKind backend_under_test() { return backend_named(std::getenv("PEGRASP_TEST_BACKEND")); }

// For `pegrasp map --backend`.
inline std::string backend_under_test_name() { return backend_under_test() == BackendKind::cuda ? "cuda" : "cpu"; }

// threads: CPU only.
inline std::unique_ptr<Backend> make_backend_under_test(int threads, Arithmetic arithmetic = Arithmetic::strict) {
  return make_backend(backend_under_test(), arithmetic, threads);
}

}  // namespace pegrasp::test
