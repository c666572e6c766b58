#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building, testing and plotting need, on Debian 12 (or a relative of it). Quick when all is there.
#   scripts/install_deps.sh          compiler, CMake, libraries, Python's plotting packages, three.js for pages
#   scripts/install_deps.sh --dev    and clang, clang-format, clang-tidy, an MPI, Slurm, a browser and ffmpeg, for
#                                    scripts/check.sh
set -euo pipefail

packages=(g++ cmake ninja-build ccache git ca-certificates
  libcli11-dev libeigen3-dev libgtest-dev libhdf5-dev librandom123-dev libtinyxml2-dev libtomlplusplus-dev
  nlohmann-json3-dev zlib1g-dev
  python3 python3-dev python3-h5py python3-matplotlib python3-numpy python3-venv libjs-three)
[ "${1:-}" = --dev ] && packages+=(clang libclang-rt-dev clang-format clang-tidy openmpi-bin
  munge slurm-client slurmctld slurmd chromium ffmpeg)

if ! command -v dpkg-query >/dev/null; then
  echo "install_deps.sh knows Debian and its relatives only; install the equivalents of: ${packages[*]}" >&2
  exit 1
fi
missing=()
for package in "${packages[@]}"; do
  case $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null || true) in
    ii* | hi*) ;;
    *) missing+=("$package") ;;
  esac
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing: ${missing[*]}. Run this script as root, or install sudo." >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 \
    --no-install-recommends install)
"${as_root[@]}" apt-get -qq update
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "${install[@]}" "${missing[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  echo "apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
