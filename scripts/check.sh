#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that CI runs, stage by stage, on this machine; .ci/run is this script and nothing more.
#   scripts/check.sh              all stages
#   scripts/check.sh asan ptx     some
#   scripts/check.sh --list       their names
# A stage writes to build-check/STAGE.log; the end of it is shown, or much of it when the stage fails. A failure does
# not stop the others. CHECK_BUDGET [s] (900): stages marked optional are not begun after this time. Without an nvcc
# that is new enough the stages cuda and ptx are skipped, which is no failure; CHECK_STRICT=1, for a machine that ought
# to have it, makes a failure of every stage that was skipped or not run.
set -uo pipefail
"$(dirname "${BASH_SOURCE[0]}")/install_deps.sh" --dev || exit 1
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
export PEGRASP_WERROR=ON

stages=(format tidy readme python wheel cuda ptx install fuzz clang-asan tsan clang asan)
optional=" wheel fuzz clang-asan tsan clang asan "
describe() {
  case $1 in
    format) echo "clang-format changes nothing; no class has two definitions; folders and lines hold what they may" ;;
    tidy) echo "clang-tidy finds nothing in include/, kernels/ and src/" ;;
    readme) echo "the README's commands in a clean copy, gcc Release: scripts/demo.sh (2 samples a cell), all tests" ;;
    python) echo "the Python package, with packages from PyPI in build-python; its tests" ;;
    wheel) echo "pip install in a clean virtual environment, the gear map in three lines; a wheel of 3.12 if there" ;;
    asan) echo "gcc Debug, AddressSanitizer and UndefinedBehaviorSanitizer, without long tests and stored hashes" ;;
    fuzz) echo "libFuzzer with clang's sanitizers on the readers of text and meshes, 6 s for each kind" ;;
    clang) echo "clang RelWithDebInfo, all tests" ;;
    cuda) echo "nvcc compile, warnings as errors, teams of 8; tests of backends and of the command line" ;;
    ptx) echo "strict PTX without fma, no kernel spills" ;;
    install) echo "install, find_package, build and run a consumer" ;;
    tsan) echo "gcc ThreadSanitizer, teams on threads and the loops of the batched strategy" ;;
    clang-asan) echo "clang Debug, the same sanitizers and tests as asan" ;;
  esac
}

# Sanitizers make the tests some twenty times slower. Suites of long simulations, named ...Long..., and all scenes whose
# bits are stored therefore run without them.
long_tests='Long'
unsanitized='Long|Golden/StoredBits'

preset() {  # preset NAME [ctest arguments]
  local name=$1
  shift
  cmake --preset "$name" && cmake --build --preset "$name" && ctest --preset "$name" --no-tests=error --timeout 900 "$@"
}

stage_format() { scripts/format.sh --check && scripts/lint_names.py && scripts/lint_rooms.py && scripts/lint_lines.py; }

# Files in groups, so that each header is read some ten times and not a hundred. Fast arithmetic is the same code.
stage_tidy() {
  cmake --preset tidy || return 1
  python3 -c 'import json
for entry in json.load(open("build-tidy/compile_commands.json")): print(entry["file"])' |
    grep -v '_fast\.cpp$' | xargs -d '\n' -n 1 -P "$jobs" clang-tidy --quiet -p build-tidy 2>&1 |
        grep -v 'warnings\? generated'
  local result=("${PIPESTATUS[@]}")
  [ "${result[2]}" = 0 ] && echo "clang-tidy: passed"
}

# The files of a fresh clone: tracked files only, with the changes that are not committed yet.
stage_readme() {
  local copy commit
  copy=$(mktemp -d) || return 1
  commit=$(git stash create)
  git archive "${commit:-HEAD}" | tar -x -C "$copy" || return 1
  (
    cd "$copy" || exit 1
    export PEGRASP_CUDA=${PEGRASP_CUDA:-OFF}  # the stage cuda compiles the device code
    scripts/demo.sh --samples 2 --quiet && test -s out/gear/map.csv && test -s out/gear/map.png &&
        scripts/test.sh --timeout 900
  )
  local result=$?
  rm -rf "$copy"
  return $result
}

# The objects are those of the stage readme; a compiler cache has them.
stage_python() { scripts/test_python.sh --durations=5; }

# Compiled as a user does. How long that may take is not asked here, where other work may go on.
stage_wheel() {
  local later=()
  python3.12 -c '' 2>/dev/null && later+=(python3.12)
  python3.13 -c '' 2>/dev/null && [ ${#later[@]} -gt 0 ] && later+=(python3.13)
  export WHEEL_PATIENCE=3600
  scripts/test_wheel.sh && { [ ${#later[@]} -eq 0 ] || scripts/test_wheel.sh "${later[@]}"; }
}

stage_asan() { preset debug-asan -E "$unsanitized"; }
stage_fuzz() { scripts/fuzz.sh 6; }
stage_clang() { preset clang; }
stage_clang-asan() { preset clang-asan -E "$unsanitized"; }

# Of the tests of the batched strategy in 3D only the quicker ones run here.
stage_tsan() {
  local teams='Team*:SpatialTeam*:Race*:FiberTeam*:UnorderedDevice*'
  local batched='BatchedOrder.*:SpatialBatchedOrder.ALargeI*:SpatialBatchedOrder.Other*:SpatialBatchedOrder.Isl*'
  cmake --preset tsan && cmake --build --preset tsan --target pegrasp_race_tests &&
    build-tsan/pegrasp_race_tests --gtest_filter="$teams:$batched"
}

# The host code is that of the stage readme; a compiler cache has its objects. Of the device code the build keeps the
# PTX and what ptxas says, for the stage ptx. Kernels in 3D take ptxas minutes each: of those in fast arithmetic, and of
# those that the benchmark times, only the PTX is made.
kept_ptx=$root/build-cuda/ptx
cuda_preset() {
  export KEEP_PTX_ONLY='(8_spatial_fast|smooth|phases_cuda_spatial)\.cu\.o$'
  mkdir -p "$kept_ptx" && CMAKE_CUDA_COMPILER_LAUNCHER=$root/scripts/keep_log.sh cmake --preset cuda \
    -DCMAKE_CUDA_FLAGS="-Xptxas=-v --keep --keep-dir=$kept_ptx"
}

stage_cuda() {
  have_nvcc || { echo "skipped: no nvcc of 12.3 or later"; return 0; }
  cuda_preset && cmake --build --preset cuda --target pegrasp_cli pegrasp_tests pegrasp_bench pegrasp_agree &&
    ctest --preset cuda --no-tests=error --timeout 900 -R 'Backend|Cuda|Cli' -E "$long_tests|Golden|NOT_BUILT"
}

stage_ptx() {
  have_nvcc || { echo "skipped: no nvcc of 12.3 or later"; return 0; }
  cuda_preset && cmake --build --preset cuda --target pegrasp pegrasp_bench &&
    scripts/lint_ptx.py --build build-cuda --kept "$kept_ptx"
}

stage_install() {
  if have_nvcc; then
    cuda_preset && cmake --build --preset cuda --target pegrasp pegrasp_reference pegrasp_cli &&
        scripts/test_install.sh build-cuda
  else
    scripts/test_install.sh
  fi
}

if [ "${1:-}" = --list ]; then
  for stage in "${stages[@]}"; do printf '%-11s %s\n' "$stage" "$(describe "$stage")"; done
  exit 0
fi
[ $# -gt 0 ] && stages=("$@")
for stage in "${stages[@]}"; do
  declare -F "stage_$stage" >/dev/null ||
      { echo "check.sh: no stage '$stage'; scripts/check.sh --list names them" >&2; exit 2; }
done

mkdir -p build-check
table=()
closing=()
last=
failed=0
strict=${CHECK_STRICT:-0}
left_out() { [ "$strict" = 0 ] || failed=1; }  # a stage that showed nothing
for stage in "${stages[@]}"; do
  log=build-check/$stage.log
  if [[ $# -eq 0 && $optional == *" $stage "* && $SECONDS -gt ${CHECK_BUDGET:-900} ]]; then
    table+=("$(printf '%-11s %-8s %5s' "$stage" "not run" "time")")
    left_out
    continue
  fi
  echo "== $stage: $(describe "$stage")"
  begin=$SECONDS
  if "stage_$stage" >"$log" 2>&1 </dev/null; then
    verdict=passed
    if grep -q '^skipped' "$log"; then verdict=skipped; left_out; fi
    grep -E '^[0-9]+% tests passed|findings$|^skipped|are formatted|: passed$|^[0-9]+ passed' "$log"
  else
    verdict=FAILED
    failed=1
    tail -n 150 "$log"
  fi
  line=$(grep -E '^[0-9]+% tests passed' "$log" | tail -n 1)
  if [ -n "$line" ]; then
    closing+=("$stage: $line")
    [ "$stage" = readme ] && last=$line
  fi
  table+=("$(printf '%-11s %-8s %5d s' "$stage" "$verdict" $((SECONDS - begin)))")
  echo "== $stage: $verdict after $((SECONDS - begin)) s"
done

echo
printf '%s\n' "${table[@]}"
echo "total $SECONDS s on $(nproc) cores"
[ ${#closing[@]} -gt 0 ] && printf '%s\n' "${closing[@]}"
[ "$strict" = 0 ] || [ "$failed" = 0 ] || echo "CHECK_STRICT: a stage failed, was skipped or was not run"
# The closing line of the README's own test run, once more, last.
[ -n "$last" ] && echo "$last"
exit $failed
