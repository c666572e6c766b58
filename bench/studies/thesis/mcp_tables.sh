#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the MCP solver over its problem sets and the figures of the theses, stores the results in FOLDER and fills the
# tables of bench/studies/thesis/README.md from them. It takes half an hour on one core. Times are processor time, so
# the machine may be shared. If PEGRASP_PATH_LIBRARY names PATH's shared library (docs/reference/stored-problems.md),
# both solvers run side by side too. Options after FOLDER go to pegrasp_mcp_bench, for example --more 4; --certify-nodes
# and --contact-time-limit are set here: the few steps that need a search for a proof get minutes, more than the default
# of the solver.
#   bench/studies/thesis/mcp_tables.sh [FOLDER [OPTION...]]    default: build-bench/thesis
set -euo pipefail
case ${1:-} in -*) sed -n '3,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
out=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/../../../build-bench/thesis}")
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/environment.sh"
[ $# -eq 0 ] || shift
build build-bench Release -DPEGRASP_BUILD_TESTS=OFF -DPEGRASP_BUILD_BENCH=ON -DPEGRASP_BUILD_STUDIES=ON
mkdir -p "$out"
# Exit code 1 means that a claim of the solver is wrong; the tables show that, too.
build-bench/pegrasp_mcp_bench --certify-nodes 200000 --contact-time-limit 120 \
    --json "$out/mcp.json" "$@" >"$out/mcp.txt" ||
  [ $? -eq 1 ]
build-bench/pegrasp_thesis_figures --json "$out/figures.json" >"$out/figures.txt"
if [ -n "${PEGRASP_PATH_LIBRARY:-}" ]; then
  build-bench/pegrasp_mcp_bench --beside "$PEGRASP_PATH_LIBRARY" \
      --json "$out/mcp_beside_path.json" >"$out/mcp_beside_path.txt"
fi
bench/studies/thesis/mcp_tables.py "$out"
