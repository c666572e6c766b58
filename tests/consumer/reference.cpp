// SPDX-License-Identifier: Apache-2.0
// 0 <= x, 2 x - 4 >= 0, one of them an equation: x = 2. Uses what is installed, nothing else.
#include <cmath>
#include <cstdio>
#include <utility>

#include "pegrasp_reference/mcp.hpp"

int main() {
  pegrasp::mcp::SparseMatrix m(1, 1);
  m.insert(0, 0) = 2.0;
  const pegrasp::mcp::Problem problem = pegrasp::mcp::lcp(std::move(m), pegrasp::mcp::Vector::Constant(1, -4.0));
  const pegrasp::mcp::Result result = pegrasp::mcp::solve(problem, pegrasp::mcp::Vector::Zero(1));
  std::printf("MCP solver: %s, x = %.6f\n", pegrasp::mcp::status_name(result.status), result.x[0]);
  return result.status == pegrasp::mcp::Status::solved && std::abs(result.x[0] - 2.0) < 1e-9 ? 0 : 1;
}
