#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs all checks that need a GPU: every test, of which those that step batches of scenes use the GPU (batches, splits
# and orders, capacity, non-finite scenes, gear outcomes, a map against single runs, golden hashes); CPU and GPU
# compared bit by bit, at the end of scenes and on their way, in 2D and 3D; benchmarks; every example in every launch
# shape (teams of 1 to 128 lanes, workspaces in global and in shared memory) and in batches that are split and
# shuffled, with the speed of each shape; the outcomes that fast arithmetic changes, trial by trial, and its speed;
# large scenes with both strategies; compute-sanitizer, if it is installed and runs. Tests that follow one scene step by
# step (analytic tests, scenes of the theses, agreement of solvers) and tests that count host allocations use the CPU
# here too.
#   scripts/gpu_gate.sh OUTDIR                        builds for sm_90 first (CUDA_ARCHITECTURES changes that)
#   scripts/gpu_gate.sh OUTDIR --prebuilt WHERE       uses the binaries of the preset prebuilt-gate, built elsewhere
#                                                     from the same sources: a folder, or an archive of
#                                                     scripts/pack_gate.sh
#   scripts/gpu_gate.sh OUTDIR --backend cpu --quick  tests the gate itself on a machine without a GPU
# --stages tests,maps,scenes,bench,shapes,fast,batched,sanitize runs some of them. --stage-limit SECONDS cuts each off
# (by default half an hour to two hours). --budget SECONDS is for all of them together. --quick does little of
# everything. Writes gate.json, bench.json and bench.csv to OUTDIR as it goes. Prints a short table last, with what was
# not shown: a scene that this build cannot read, HDF5 without h5py, a sanitizer that is missing or too slow.
# Exit code 0: nothing failed; 1: something did; 2: bad arguments; 3: no device.
set -euo pipefail
usage() { sed -n '3,20s/^# \{0,1\}//p' "$0" >&2; exit 2; }

out= prebuilt= backend=cuda extra=()
while [ $# -gt 0 ]; do
  case $1 in
    --prebuilt) [ $# -ge 2 ] || usage; prebuilt=$(realpath -m "$2"); shift 2 ;;
    --stages) [ $# -ge 2 ] || usage; extra+=(--stages "$2"); shift 2 ;;
    --stage-limit) [ $# -ge 2 ] || usage; extra+=(--stage-limit "$2"); shift 2 ;;
    --budget) [ $# -ge 2 ] || usage; extra+=(--budget "$2"); shift 2 ;;
    --backend) [ $# -ge 2 ] || usage; backend=$2; shift 2 ;;
    --quick) extra+=(--quick); shift ;;
    -*) usage ;;
    *) [ -z "$out" ] || usage; out=$(realpath -m "$1"); shift ;;
  esac
done
[ -n "$out" ] || usage
case $backend in cuda | cpu) extra+=(--backend "$backend") ;; *) usage ;; esac

if [ "$backend" = cuda ] && ! ls /dev/nvidia[0-9]* /dev/dxg >/dev/null 2>&1 && ! nvidia-smi -L >/dev/null 2>&1; then
  echo "gpu_gate: no CUDA device on this machine; nothing was checked" >&2
  exit 3
fi

source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
build=${prebuilt:-$root/build-gate}
if [ -f "$build" ]; then
  unpacked=$(mktemp -d)
  trap 'rm -rf "$unpacked"' EXIT
  python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$build" "$unpacked"
  build=$unpacked
fi
if [ -z "$prebuilt" ]; then
  PEGRASP_CUDA=$([ "$backend" = cuda ] && echo ON || echo OFF) build "$build" Release \
    -DCMAKE_CUDA_ARCHITECTURES="${CUDA_ARCHITECTURES:-90-real}" -DPEGRASP_CUDA_TEAMS="1;2;8;32;128"
fi
python3 scripts/gpu_gate.py --build "$build" --out "$out" "${extra[@]}"
