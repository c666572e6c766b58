#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs libFuzzer on the readers of text and meshes: scripts/fuzz.sh [seconds for each reader (6) [reader ...]]
# From the seeds in tests/fuzz/seeds, and what earlier runs found in build-fuzz/corpus. An input that breaks a reader is
# kept in build-fuzz/found. Skips where clang has no libFuzzer.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
seconds=${1:-6}
readers=(Toml Json Urdf Obj Stl Poly GraspCsv GraspYaml GraspJson)
[ $# -gt 1 ] && readers=("${@:2}")
declare -A seeds=([Toml]="*.toml" [Json]="scene.json planar.json" [Urdf]="*.urdf" [Obj]="*.obj" [Stl]="*.stl"
  [Poly]="*.poly"
  [GraspCsv]="grasps.csv" [GraspYaml]="*.yaml" [GraspJson]="grasps.json")

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$probe/probe.cpp"
if ! clang++ -fsanitize=fuzzer "$probe/probe.cpp" -o "$probe/probe" 2>/dev/null; then
  echo "skipped: no clang with libFuzzer; install clang and libclang-rt-dev"
  exit 0
fi

build_target=pegrasp_fuzz_readers PEGRASP_CUDA=OFF PEGRASP_WERROR=OFF build build-fuzz RelWithDebInfo \
  -DCMAKE_CXX_COMPILER=clang++ "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" -DPEGRASP_FUZZ=ON -DPEGRASP_BUILD_TESTS=OFF \
  -DPEGRASP_BUILD_BENCH=OFF
mkdir -p build-fuzz/found "$probe/folder"
cp tests/fuzz/seeds/box.obj "$probe/folder"
total=0
for reader in "${readers[@]}"; do
  [ -n "${seeds[$reader]:-}" ] || { echo "fuzz.sh: no reader '$reader'; there are ${!seeds[*]}" >&2; exit 2; }
  corpus=build-fuzz/corpus/$reader
  mkdir -p "$corpus" "$probe/$reader"
  # shellcheck disable=SC2086  # several files
  (cd tests/fuzz/seeds && cp ${seeds[$reader]} "$probe/$reader")
  log=build-fuzz/$reader.log
  if ! PEGRASP_FUZZ_READER=$reader PEGRASP_FUZZ_FOLDER=$probe/folder build-fuzz/pegrasp_fuzz_readers \
    -max_total_time="$seconds" -max_len=20000 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/found/$reader-" "$corpus" "$probe/$reader" >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "fuzz: $reader failed; the input is in build-fuzz/found"
    exit 1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  total=$((total + runs))
  echo "$reader: $runs inputs"
done
echo "fuzz: $total inputs: passed"
