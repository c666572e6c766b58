#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed, builds, and runs the tests on all cores:
#   scripts/test.sh                  every test
#   scripts/test.sh --fast           those with the label fast: some of every folder, a minute on two cores
#   scripts/test.sh [--fast] -R Gear other arguments go to ctest; labels (-L): fast, slow, fuzz, reference
# BUILD_DIR (build-test), BUILD_TYPE (Release), JOBS, PEGRASP_WERROR (OFF) and PEGRASP_CUDA may be set in the
# environment. Without PEGRASP_CUDA the CUDA backend is built where nvidia-smi finds a GPU.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
here=$(dirname "${BASH_SOURCE[0]}")
"$here/install_deps.sh"
source "$here/environment.sh"

lane=()
if [ "${1:-}" = --fast ]; then
  lane=(-L fast)
  build_target=pegrasp_fast_lane
  shift
fi
choose_cuda
build "${BUILD_DIR:-build-test}" "${BUILD_TYPE:-Release}" -DPEGRASP_BUILD_TESTS=ON \
    -DPEGRASP_BUILD_BENCH=OFF "${cuda_build[@]}"
if ! ctest --test-dir "${BUILD_DIR:-build-test}" --output-on-failure --no-tests=error "${lane[@]}" "$@"; then
  # A failure among thousands of lines is hard to find; one that passes alone says something too.
  printf '\nThe tests that failed, once more:\n'
  ctest --test-dir "${BUILD_DIR:-build-test}" --rerun-failed --output-on-failure --timeout 300 || true
  exit 1
fi
