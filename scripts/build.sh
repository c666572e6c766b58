#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed and builds the simulator and the reference simulator, without tests, into build/:
#   scripts/build.sh [CMAKE ARGUMENT...]     for example scripts/build.sh -DCMAKE_INSTALL_PREFIX=$HOME/pegrasp
# BUILD_DIR (build), JOBS and PEGRASP_CUDA may be set in the environment. Without PEGRASP_CUDA the CUDA backend is built
# where nvidia-smi finds a GPU.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
here=$(dirname "${BASH_SOURCE[0]}")
"$here/install_deps.sh"
source "$here/environment.sh"

choose_cuda
build "${BUILD_DIR:-build}" Release -DPEGRASP_REFERENCE=ON "${user_build[@]}" "${cuda_build[@]}" "$@"
echo "The command line: $(realpath "${BUILD_DIR:-build}/pegrasp")"
