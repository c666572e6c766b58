# SPDX-License-Identifier: Apache-2.0
# Sourced by map_mpi.sh and map_slurm.sh: simulates one part of a map, and joins parts. WORDs are arguments of pegrasp
# map, the problem file first.
if [ -z "${PEGRASP:-}" ]; then
  PEGRASP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/pegrasp
  [ -x "$PEGRASP" ] || PEGRASP=pegrasp
fi
# An absolute path, because other machines and folders have to find it.
if ! found=$(command -v "$PEGRASP"); then
  printf '%s: no such program; build it (scripts/demo.sh) or name it in PEGRASP\n' "$PEGRASP" >&2
  exit 2
fi
case $found in /*) PEGRASP=$found ;; *) PEGRASP=$PWD/$found ;; esac

# usage_unless_called N PROBLEM ...: prints the head of the script and ends, unless N is a number of parts and PROBLEM a
# file.
usage_unless_called() {
  if [[ ! ${1:-} =~ ^[1-9][0-9]{0,8}$ ]] || [ $# -lt 2 ] || [[ $2 == -* ]]; then
    sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
    exit 2
  fi
  [ -r "$2" ] || { printf '%s: cannot be read; name a problem file\n' "$2" >&2; exit 2; }
}

# Prints the output folder that the words name.
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
  printf '%s\n' "${out:-out/${problem%.*}}"
}

# Whether a word, or a word and the next, are among the words.
asks_for() {
  local wanted=" $1 "
  shift
  [[ " $* " == *"$wanted"* ]]
}

# simulate_part I N WORD...: continues a part that exists.
simulate_part() {
  local index=$1 count=$2 more=() words=() word
  shift 2
  for word in "$@"; do
    # The join prints the report.
    [ "$count" != 1 ] && [ "$word" = --json ] || words+=("$word")
  done
  set -- "${words[@]}"
  if [ "$count" = 1 ]; then  # the whole map, which writes itself
    [ ! -e "$(out_of "$@")/samples.journal" ] || more+=(--resume)
  else
    [ ! -e "$(out_of "$@")/part-$index-of-$count.samples" ] || more+=(--resume)
    asks_for --quiet "$@" || more+=(--quiet)
  fi
  exec "$PEGRASP" map "$@" --shard "$index/$count" ${more[@]+"${more[@]}"}
}

# join_parts N WORD...: joins exactly these N parts, whatever else is in the folder.
join_parts() {
  local count=$1 out i merge word
  shift
  [ "$count" != 1 ] || return 0
  out=$(out_of "$@")
  merge=("$PEGRASP" merge --out "$out")
  for word in "$@"; do
    case $word in --quiet | --json | --no-plot) merge+=("$word") ;; esac
  done
  for ((i = 1; i <= count; ++i)); do merge+=("$out/part-$i-of-$count.samples"); done
  "${merge[@]}"
}
