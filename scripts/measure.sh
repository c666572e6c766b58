#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks on this machine, writes bench/results/MACHINE.csv (or FILE) and fills the tables of the pages from
# it. It takes some minutes, in which the machine should do nothing else.
#   scripts/measure.sh [FILE]
set -euo pipefail
case ${1:-} in -*) sed -n '3,5s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
out=$(realpath -m "${1:-/}")
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
name=$(echo "${processor:-unknown}" | tr '[:upper:]' '[:lower:]' | tr -cs '[:alnum:]' '-' | sed 's/-$//')
[ $# -gt 0 ] || out=bench/results/$name-$(nproc)-cores.csv

# A folder of its own: scripts/demo.sh builds no benchmarks in build/, and what a cache holds stays.
build build-bench Release -DPEGRASP_BUILD_TESTS=OFF -DPEGRASP_BUILD_BENCH=ON -DPEGRASP_BUILD_STUDIES=ON
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# measure TABLE [BENCHMARK] [OPTION...]: adds the rows of one run of pegrasp_bench to the table.
measure() {
  local table=$1
  shift
  build-bench/pegrasp_bench --csv "$scratch/one.csv" "$@" >"$scratch/log" || { cat "$scratch/log"; return 1; }
  [ "$table" != measured ] || cat "$scratch/log"
  [ -s "$scratch/all.csv" ] || sed -n '1s/^/table,/p' "$scratch/one.csv" >"$scratch/all.csv"
  sed "1d; s/^/$table,/" "$scratch/one.csv" >>"$scratch/all.csv"
}

measure measured
# Iterations and unresolved scenes of each solver need few scenes; the times are of one run.
for solver in newton aj nncg pgs jacobi; do
  for few in gear_step:441 stack_10:4 pile_20:2; do
    [ "$solver ${few%:*}" = "jacobi pile_20" ] && continue  # takes more than some minutes
    measure solvers "${few%:*}" --solver "$solver" --scenes "${few#*:}" --threads 1 --repeat 1
  done
done
for ((threads = 1; threads <= $(nproc); threads *= 2)); do
  measure scaling gear_map --scenes 25200 --threads "$threads"
  measure scaling pile_20 --threads "$threads"
done
# Large scenes, with each strategy.
for strategy in per-scene batched; do
  measure large pour_200 --solver aj --strategy "$strategy" --scenes 1 --threads 1
  measure large pour_200 --solver aj --strategy "$strategy" --scenes 8 --threads 1
done
measure large pour_10000
measure large pour_2000_3d
mv "$scratch/all.csv" "$out"
scripts/update_tables.py "$out"
