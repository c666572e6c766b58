#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One map as a Slurm array job of independent parts, and a job that joins them when all are done:
#   scripts/map_slurm.sh PARTS PROBLEM.toml [options of pegrasp map]
# A part that is requeued, or submitted again, goes on where it stopped. Resources are Slurm's own variables, for
# example SBATCH_PARTITION, SBATCH_TIMELIMIT, SBATCH_GPUS, SBATCH_CPUS_PER_TASK; a GPU that Slurm gives to a part alone is its device 0.
#   PEGRASP   the program (build/pegrasp, or pegrasp from the path)
set -euo pipefail
# Slurm runs a copy of the script from its spool: where it came from is handed on.
export PEGRASP_SCRIPTS=${PEGRASP_SCRIPTS:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)}
source "$PEGRASP_SCRIPTS/map_parts.sh"

case ${1:-} in
  --part)
    shift
    parts=$1
    shift
    simulate_part "${SLURM_ARRAY_TASK_ID:?not in an array job}" "$parts" "$@"
    exit
    ;;
  --join)
    shift
    join_parts "$@"
    exit
    ;;
esac
[ $# -ge 2 ] && [[ $1 =~ ^[1-9][0-9]*$ ]] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
parts=$1
shift
command -v sbatch >/dev/null || { echo "sbatch is not there: this is for a Slurm cluster; see docs/scale.md for others" >&2; exit 2; }
mkdir -p "$(out_of "$@")"
log=$(out_of "$@")/slurm-%A_%a.log
array=$(sbatch --parsable --requeue --job-name=pegrasp-map --array="1-$parts" --output="$log" "$PEGRASP_SCRIPTS/map_slurm.sh" --part "$parts" "$@")
join=$(sbatch --parsable --job-name=pegrasp-merge --dependency="afterok:${array%%;*}" --output="$(out_of "$@")/slurm-merge.log" \
  "$PEGRASP_SCRIPTS/map_slurm.sh" --join "$@")
echo "array job ${array%%;*} simulates $parts parts, job ${join%%;*} joins them in $(out_of "$@")"
