#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed, builds, and runs the tests on all cores:
#   scripts/test.sh                  every test
#   scripts/test.sh --fast           those with the label fast: some of every folder, a minute on two cores
#   scripts/test.sh [--fast] -R Gear other arguments go to ctest; labels (-L): fast, slow, fuzz, reference
# BUILD_DIR (build-test), BUILD_TYPE (Release), JOBS, PEGRASP_WERROR (OFF) and PEGRASP_CUDA may be set in the
# environment. Without PEGRASP_CUDA the CUDA backend is built where nvidia-smi finds a GPU. Tests that fail are run once
# more. A test passes at its second try only if it waits for a program that is not ours: an MPI, Slurm or a browser.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
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
test_dir=${BUILD_DIR:-build-test}
failed=$test_dir/Testing/Temporary/LastTestsFailed.log
rm -f "$failed"
if ! ctest --test-dir "$test_dir" --output-on-failure --no-tests=error "${lane[@]}" "$@"; then
  others='^[0-9]+:(Launchers\.|LongCluster\.ARealSlurm|.*\.Browser|.*CliReportLong)'
  # A failure among thousands of lines is hard to find; one that passes alone says something too.
  printf '\nThe tests that failed, once more:\n'
  [ -s "$failed" ] || exit 1  # ctest did not get as far as a test
  ours=$(grep -cvE "$others" "$failed" || true)
  ctest --test-dir "$test_dir" --rerun-failed --output-on-failure --timeout 300 || exit 1
  [ "$ours" = 0 ] || exit 1
  echo "Each of them waits for a program that is not ours, and passed alone."
fi
