#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs static binaries for scripts/gpu_gate.sh --prebuilt into one archive, for a machine with a GPU that lacks the
# development packages or the time to compile. The programs share most of their code, which the archive holds once.
#   scripts/pack_gate.sh [ARCHIVE]   by default build-prebuilt-gate/gate.tar.xz
set -euo pipefail
case ${1:-} in -*) sed -n '3,5s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
archive=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/../build-prebuilt-gate/gate.tar.xz}")
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
programs=(pegrasp pegrasp_tests pegrasp_bench pegrasp_agree)
cmake --preset prebuilt-gate
cmake --build --preset prebuilt-gate --target pegrasp_cli "${programs[@]:1}"
tar -C build-prebuilt-gate -c "${programs[@]}" share | xz --lzma2=preset=6,dict=128MiB >"$archive.unfinished"
mv "$archive.unfinished" "$archive"
ls -l "${programs[@]/#/build-prebuilt-gate/}" "$archive"
