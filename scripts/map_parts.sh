# SPDX-License-Identifier: Apache-2.0
# Sourced by map_mpi.sh and map_slurm.sh: one part of a map, and the join.
if [ -z "${PEGRASP:-}" ]; then
  PEGRASP=$(dirname "${BASH_SOURCE[0]}")/../build/pegrasp
  [ -x "$PEGRASP" ] || PEGRASP=pegrasp
fi

# The output folder that the words of a pegrasp map command ask for.
out_of() {
  local problem=$1 out=
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --out) out=${2:-} ;;
      --out=*) out=${1#--out=} ;;
    esac
    shift
  done
  problem=${problem##*/}
  echo "${out:-out/${problem%.*}}"
}

# simulate_part I N PROBLEM [options]: goes on with what is there.
simulate_part() {
  local index=$1 count=$2 begun=part-$1-of-$2.samples resume=()
  shift 2
  [ "$count" != 1 ] || begun=samples.journal  # one part of one is the whole map, which writes itself
  [ ! -e "$(out_of "$@")/$begun" ] || resume=(--resume)
  exec "$PEGRASP" map "$@" --shard "$index/$count" ${resume[@]+"${resume[@]}"}
}

join_parts() {
  local out
  out=$(out_of "$@")
  # Of one part of one there is nothing to join.
  [ -n "$(compgen -G "$out/part-*-of-*.samples")" ] || return 0
  local merge=("$PEGRASP" merge "$out") word
  for word in "$@"; do
    case $word in --quiet | --json | --no-plot) merge+=("$word") ;; esac
  done
  "${merge[@]}"
}
