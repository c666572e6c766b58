#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed, builds, and makes the success map of the gear grasp. Arguments go to `pegrasp map`:
#   scripts/demo.sh                  the full map, 30 samples a cell
#   scripts/demo.sh --samples 2      a quick look
set -euo pipefail
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

build "${BUILD_DIR:-build}" Release -DPEGRASP_BUILD_TESTS=OFF -DPEGRASP_BUILD_BENCH=OFF
"${BUILD_DIR:-build}/pegrasp" map examples/gear/gear.toml "$@"
echo
if [ -e "$out/map.png" ]; then
  echo "The map: $(realpath "$out/map.png")"
fi
echo "The numbers: $(realpath "$out/map.csv")"
