#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Simulates one map with several ranks, on one machine or many, and joins the parts:
#   scripts/map_mpi.sh RANKS PROBLEM.toml [options of pegrasp map]
# Rank r of n simulates part r + 1 of n (docs/how-to/sweep-on-many-machines.md). After an interruption the same command
# continues. Ranks of one machine take its GPUs by turns, unless --device or --backend cpu is given.
#   LAUNCHER  what starts the ranks, with its options (mpirun -n, or srun -n within a Slurm job); RANKS is added to it
#   PEGRASP   the program (build/pegrasp, or pegrasp from the path)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rank_of_many=
if [ "${1:-}" = --rank ]; then
  rank_of_many=yes
  PEGRASP=$2  # not every launcher hands the environment on to other machines, nor the folder
  cd "$3"
  ranks_asked=$4
  shift 4
fi
source "$here/map_parts.sh"

devices() {
  "$PEGRASP" info --json | sed -n 's/^ *"devices": \([0-9]*\).*/\1/p'
}

# simulate_rank WORD...
simulate_rank() {
  local rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:?no rank in the environment: use mpirun or srun}}}
  local ranks=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:?no number of ranks in the environment}}}
  [ "$ranks" = "$ranks_asked" ] || {
    echo "asked for $ranks_asked ranks, started as one of $ranks: name what starts them in LAUNCHER" >&2
    exit 2
  }
  local local_rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-${SLURM_LOCALID:-0}}} count
  if ! asks_for "--backend cpu" "$@" && ! asks_for --backend=cpu "$@" && [[ " $*" != *" --device"* ]]; then
    count=$(devices)
    [ "${count:-0}" -lt 2 ] || set -- "$@" --device $((local_rank % count))
  fi
  simulate_part $((rank + 1)) "$ranks" "$@"
}

if [ "$rank_of_many" ]; then
  simulate_rank "$@"
fi
usage_unless_called "$@"
ranks=$1
shift
if [ -z "${LAUNCHER:-}" ]; then
  LAUNCHER="mpirun -n"
  [ -z "${SLURM_JOB_ID:-}" ] || LAUNCHER="srun -n"
fi
if ! command -v "${LAUNCHER%% *}" >/dev/null; then
  echo "${LAUNCHER%% *} is not there: install an MPI (Debian: openmpi-bin), or name what starts ranks in LAUNCHER" >&2
  exit 2
fi
# shellcheck disable=SC2086  # LAUNCHER is several words
if ! $LAUNCHER "$ranks" "$here/map_mpi.sh" --rank "$PEGRASP" "$PWD" "$ranks" "$@"; then
  echo "not all parts are done; remove the cause shown above, then the same command continues with what is left" >&2
  exit 1
fi
join_parts "$ranks" "$@"
