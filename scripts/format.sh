#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats every C++ and CUDA source with clang-format 14 (Debian 12's). --check changes nothing and fails when it would.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
format=$(command -v clang-format-14 || command -v clang-format) || {
  echo "clang-format not found: scripts/install_deps.sh --dev" >&2
  exit 1
}
mapfile -t files < <(git ls-files -co --exclude-standard -- '*.hpp' '*.cpp' '*.cu')
if [ "${1:-}" = --check ]; then
  "$format" --dry-run --Werror --style=file "${files[@]}"
  echo "${#files[@]} files are formatted"
else
  "$format" -i --style=file "${files[@]}"
fi
