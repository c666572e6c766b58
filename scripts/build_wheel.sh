#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of the Python package into dist/: scripts/build_wheel.sh [interpreter] [pip wheel arguments]. A wheel
# of CPython 3.11 is for that; one of 3.12 or later is for all later ones too. Without CUDA unless
# PEGRASP_CUDA=ON, with which it still loads where there is no driver.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
python=${1:-python3}
shift || true
begin=$SECONDS
"$python" -m venv build-wheel/venv
build-wheel/venv/bin/pip --quiet install --upgrade pip
SKBUILD_CMAKE_DEFINE="PEGRASP_CUDA=${PEGRASP_CUDA:-OFF}" \
  build-wheel/venv/bin/pip wheel --no-deps --wheel-dir dist . "$@"
echo "built in $((SECONDS - begin)) s on $(nproc) cores: $(ls -t dist/pegrasp-*.whl | head -n 1)"
