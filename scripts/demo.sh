#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed, builds the simulator, and makes the success map of the gear grasp. Arguments go to `pegrasp
# map`:
#   scripts/demo.sh                  the full map, 30 samples a cell
#   scripts/demo.sh --samples 2      a quick look
# Builds without the reference simulator, unless scripts/build.sh has built it into the same folder. BUILD_DIR (build),
# JOBS and PEGRASP_CUDA may be set in the environment. Without PEGRASP_CUDA the CUDA backend is built where nvidia-smi
# finds a GPU.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
here=$(dirname "${BASH_SOURCE[0]}")
"$here/install_deps.sh"
source "$here/environment.sh"

out=out/gear
previous=
for argument in "$@"; do
  [ "$previous" = --out ] && out=$argument
  case $argument in --out=*) out=${argument#--out=} ;; esac
  previous=$argument
done

folder=${BUILD_DIR:-build}
reference=OFF
grep -qs '^PEGRASP_REFERENCE:BOOL=ON' "$folder/CMakeCache.txt" && reference=ON
choose_cuda
build "$folder" Release -DPEGRASP_REFERENCE=$reference "${user_build[@]}" "${cuda_build[@]}"
"$folder/pegrasp" map examples/gear/gear.toml "$@"
echo
if [ -e "$out/map.png" ]; then
  echo "The map: $(realpath "$out/map.png")"
fi
echo "The numbers: $(realpath "$out/map.csv")"
