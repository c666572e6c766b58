#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Submits one map as a Slurm array job of independent parts, and a job that joins the parts when all are done:
#   scripts/map_slurm.sh PARTS PROBLEM.toml [options of pegrasp map]
# A part that is requeued or submitted again continues where it stopped. One that ends with exit code 75 (a full disk,
# say) is requeued by itself, RETRIES times at most.
#   PART_OPTIONS  of sbatch for a part, for example "--cpus-per-task=8 --time=2:00:00" or "--gpus=1"
#   JOIN_OPTIONS  of sbatch for the join, whose memory does not grow with the map, for example "--time=1:00:00"
#                 (docs/how-to/sweep-on-many-machines.md)
#   RETRIES       times that a part is requeued by itself (3)
#   PEGRASP       the program (build/pegrasp, or pegrasp from the path)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
task=${1:-}
if [ "$task" = --part ] || [ "$task" = --join ]; then
  here=$2 PEGRASP=$3  # Slurm runs a copy of this script, with an environment of its own
  cd "$4"
  shift 4
fi
source "$here/map_parts.sh"

case $task in
  --part)
    parts=$1
    shift
    retries=$1
    shift
    # In the background, so that a signal reaches it at once.
    (simulate_part "${SLURM_ARRAY_TASK_ID:?not in an array job}" "$parts" "$@") &
    part=$!
    trap 'kill -TERM "$part" 2>/dev/null' TERM INT
    code=0
    wait "$part" || code=$?
    while kill -0 "$part" 2>/dev/null; do code=0; wait "$part" || code=$?; done
    if [ "$code" = 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$retries" ]; then
      scontrol requeue "$SLURM_JOB_ID" && sleep 60  # which Slurm ends
    fi
    exit "$code"
    ;;
  --join)
    join_parts "$@"
    exit
    ;;
esac
usage_unless_called "$@"
if ! command -v sbatch >/dev/null; then
  echo "sbatch is not there: this is for a Slurm cluster; see docs/how-to/sweep-on-many-machines.md for others" >&2
  exit 2
fi
out=$(out_of "${@:2}")
mkdir -p -- "$out"
logs=${out//%/%%}  # sbatch has its own meaning for %
# shellcheck disable=SC2086  # options are several words
array=$(sbatch --parsable --requeue --job-name=pegrasp-map --array="1-$1" --output="$logs/slurm-%A_%a.log" \
  ${PART_OPTIONS:-} "$here/map_slurm.sh" --part "$here" "$PEGRASP" "$PWD" \
  "$1" "${RETRIES:-3}" "${@:2}")
# shellcheck disable=SC2086
if ! join=$(sbatch --parsable --job-name=pegrasp-merge --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes \
  --output="$logs/slurm-merge.log" ${JOIN_OPTIONS:-} "$here/map_slurm.sh" --join "$here" "$PEGRASP" "$PWD" "$@"); then
  echo "array job ${array%%;*} is submitted, the join is not: scancel ${array%%;*}," \
    "or when it is done, $PEGRASP merge $out" >&2
  exit 1
fi
echo "array job ${array%%;*} simulates $1 parts, job ${join%%;*} joins them in $out"
