#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed, builds, runs every test on all cores.
# Arguments go to ctest (scripts/test.sh -R Gear). BUILD_DIR (build-test), BUILD_TYPE (Release, as demo.sh builds: the
# compiler cache serves both), JOBS, PEGRASP_CUDA (AUTO) and PEGRASP_WERROR (OFF) may be set in the environment.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
"$here/install_deps.sh"
source "$here/environment.sh"

build "${BUILD_DIR:-build-test}" "${BUILD_TYPE:-Release}" -DPEGRASP_BUILD_TESTS=ON -DPEGRASP_BUILD_BENCH=OFF
ctest --test-dir "${BUILD_DIR:-build-test}" --output-on-failure --no-tests=error "$@"
