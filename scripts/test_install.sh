#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into an empty prefix, builds tests/consumer against it with find_package, and runs that.
#   scripts/test_install.sh [BUILD_DIR]    without a folder, builds one (Release)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
built=${1:-build-install}
[ $# -gt 0 ] || build "$built" Release -DPEGRASP_BUILD_TESTS=OFF -DPEGRASP_BUILD_BENCH=OFF

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$built" --prefix "$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
# Out of the tree: nothing but the prefix can be found there.
cp -r tests/consumer "$scratch/consumer"
cd "$scratch/consumer"
cmake -S . -B build -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
cmake --build build
./build/consumer
./build/friction_batch "$scratch/prefix/share/pegrasp/examples/scenes/stack.json"
[ ! -e build/consumer_reference ] || ./build/consumer_reference
"$scratch/prefix/bin/pegrasp" info
# A page is made of files that are installed beside the program.
"$scratch/prefix/bin/pegrasp" replay "$scratch/prefix/share/pegrasp/examples/scenes/gear_squeeze.json" --t-end 0.1 \
  --html "$scratch/replay.html"
echo "install and consume: passed"
