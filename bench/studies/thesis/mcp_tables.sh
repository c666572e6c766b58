#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the reference solver over its problems and the studies (half an hour on one core; times are processor time, so the
# machine may be shared), keeps the results in FOLDER and fills the tables of docs/explanation/mcp-solver.md and
# docs/explanation/formulations.md with them. With PEGRASP_PATH_LIBRARY naming PATH's shared library (docs/reference/stored-problems.md) the
# two are run side by side, too. What follows FOLDER goes to pegrasp_mcp_bench, for example --more 4
# (but not --certify-nodes or --contact-time-limit, which are given here).
# Searches for proofs may take minutes each here, for the few steps that need them: the default of mcp::Options gives up
# sooner.
#   scripts/reference_tables.sh [FOLDER [OPTION...]]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
out=${1:-build-bench/reference}
[ $# -eq 0 ] || shift
build build-bench Release -DPEGRASP_BUILD_TESTS=OFF -DPEGRASP_BUILD_BENCH=ON
mkdir -p "$out"
# Ends with 1 where a claim of the solver is wrong: the tables show that, too.
build-bench/pegrasp_mcp_bench --certify-nodes 200000 --contact-time-limit 120 \
  --json "$out/reference.json" "$@" >"$out/reference.txt" || [ $? -eq 1 ]
build-bench/pegrasp_reference_studies --json "$out/reference_studies.json" >"$out/reference_studies.txt"
if [ -n "${PEGRASP_PATH_LIBRARY:-}" ]; then
  build-bench/pegrasp_mcp_bench --beside "$PEGRASP_PATH_LIBRARY" --json "$out/reference_path.json" >"$out/reference_path.txt"
fi
scripts/update_tables.py "$out"
