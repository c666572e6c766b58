#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One map by several ranks, on one machine or many, and then joined:
#   scripts/map_mpi.sh RANKS PROBLEM.toml [options of pegrasp map]
# Rank r of n simulates part r + 1 of n (docs/scale.md). What was interrupted goes on with the same command. With
# --backend cuda each rank of a machine takes a device of its own, by turns.
#   LAUNCHER  what starts the ranks (mpirun -n RANKS, or srun -n RANKS within a Slurm job); RANKS is added to it
#   PEGRASP   the program (build/pegrasp, or pegrasp from the path)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/map_parts.sh"

if [ "${1:-}" = --rank ]; then
  shift
  rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:?no rank in the environment: start this by mpirun or srun}}}
  ranks=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:?}}}
  local_rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-${SLURM_LOCALID:-0}}}
  device=()
  case " $* " in
    *" --backend cuda "* | *" --backend=cuda "*)
      devices=$(nvidia-smi -L | wc -l)
      device=(--device $((local_rank % devices)))
      ;;
  esac
  simulate_part $((rank + 1)) "$ranks" "$@" "${device[@]}"
  exit
fi

[ $# -ge 2 ] && [[ $1 =~ ^[1-9][0-9]*$ ]] || { sed -n '3,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
ranks=$1
shift
if [ -z "${LAUNCHER:-}" ]; then
  LAUNCHER="mpirun -n"
  [ -z "${SLURM_JOB_ID:-}" ] || LAUNCHER="srun -n"
fi
command -v "${LAUNCHER%% *}" >/dev/null || { echo "${LAUNCHER%% *} is not there: install an MPI (Debian: openmpi-bin), or name what starts ranks in LAUNCHER" >&2; exit 2; }
$LAUNCHER "$ranks" "$here/map_mpi.sh" --rank "$@" || { echo "not all parts are done; the same command goes on with what is left" >&2; exit 1; }
join_parts "$@"
