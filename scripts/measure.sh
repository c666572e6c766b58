#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks on this machine (leave it alone meanwhile; some minutes), keeps the results in
# bench/results/HARDWARE/ and fills the tables of README.md and docs/performance.md with them.
#   scripts/measure.sh [FOLDER]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
name=$(echo "${processor:-unknown}" | tr '[:upper:]' '[:lower:]' | tr -cs '[:alnum:]' '-' | sed 's/-$//')
out=${1:-bench/results/$name-$(nproc)-cores}
mkdir -p "$out"

# A folder of its own: demo.sh builds no benchmarks in build/, and what a cache holds stays.
build build-bench Release -DPEGRASP_BUILD_TESTS=OFF -DPEGRASP_BUILD_BENCH=ON
bench=build-bench/pegrasp_bench
"$bench" --json "$out/bench.json" --csv "$out/bench.csv"
# Iterations and unresolved scenes of each solver need few scenes; the times are of one run.
for solver in newton aj nncg pgs jacobi; do
  for few in gear_step:441 stack_10:4 pile_20:2; do
    [ "$solver ${few%:*}" = "jacobi pile_20" ] && continue  # more than some minutes
    "$bench" "${few%:*}" --solver "$solver" --scenes "${few#*:}" --threads 1 --repeat 1 --json "$out/solver_${solver}_${few%:*}.json" >/dev/null
  done
done
for ((threads = 1; threads <= $(nproc); threads *= 2)); do
  "$bench" gear_map --scenes 25200 --threads "$threads" --json "$out/scaling_gear_map_$threads.json" >/dev/null
  "$bench" pile_20 --threads "$threads" --json "$out/scaling_pile_20_$threads.json" >/dev/null
done
scripts/lint_ptx.py >"$out/lint_ptx.txt"
scripts/update_tables.py "$out"
