#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stores the hashes of today's results in tests/determinism/golden.hpp. Run it after a change that is meant to change
# results, and say in the commit why they change.
#   scripts/update_golden.sh [BUILD_DIR]     default: build-test (in build/ demo.sh builds no tests)
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build-test}
golden=tests/determinism/golden.hpp

if [[ ! -f $build/CMakeCache.txt ]]; then
  cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release
fi
cmake --build "$build" --target pegrasp_tests --parallel
lines=$(PEGRASP_PRINT_GOLDEN=1 "$build/pegrasp_tests" --gtest_filter='Golden/StoredBits.AreTheResults/*' |
  sed -n 's/^golden://p')
[[ -n $lines ]] || { echo "update_golden.sh: the tests printed no hashes" >&2; exit 1; }

{
  sed '/golden_hashes\[\] = {/q' "$golden"
  echo "$lines"
  echo "};"
  echo
  echo "}  // namespace pegrasp::test"
} > "$golden.new"
if cmp -s "$golden.new" "$golden"; then
  rm "$golden.new"
  echo "update_golden.sh: nothing changed"
else
  mv "$golden.new" "$golden"
  echo "update_golden.sh: wrote $golden; build and test again"
fi
