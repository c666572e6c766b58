#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the whole box-of-polygons experiment of Williams' thesis (5.2.3): 10 seeds, h = 1 to 16 ms, friction 0 and 0.25.
# Prints a table. Fails if a step is unresolved, or if a polygon leaves the box or overlaps by too much. Takes some
# minutes.
#   bench/studies/thesis/polygon_box.sh [BUILD_FOLDER]    default: build-test, which scripts/test.sh makes
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=${1:-$root/build-test}
[ -x "$build/pegrasp_tests" ] || {
  echo "no $build/pegrasp_tests: run scripts/test.sh first, or give the build folder" >&2
  exit 2
}
cd "$root"
exec "$build/pegrasp_tests" --gtest_also_run_disabled_tests --gtest_filter=LongPolygonBox.DISABLED_TheWholeTable
