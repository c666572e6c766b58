#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What someone does who has just cloned the repository, with the times that it takes:
#   scripts/test_wheel.sh [INTERPRETER [OTHER...]]    (default: python3)
# Copies the tracked files, makes a clean virtual environment, runs `pip install '.[xarray]'` there, and makes the gear
# map in three lines. Then the same wheel must also run with each OTHER interpreter: one of CPython 3.12 or later is for
# all later ones. CCACHE_DISABLE=1 measures a machine without a warm compiler cache. WHEEL_PATIENCE [s] (180): how long
# the build and the map may take together.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
first=${1:-python3}
[ $# -gt 0 ] && shift
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
commit=$(git stash create)
mkdir "$place/copy"
git archive "${commit:-HEAD}" | tar -x -C "$place/copy"
cd "$place/copy"

three_lines='import pegrasp
ds = pegrasp.map("examples/gear/gear.toml")
print(pegrasp.__version__, pegrasp.revision, dict(ds.sizes), "success rate", round(float(ds.p.mean()), 4))'

"$first" -m venv "$place/venv"
load=$(cut -d ' ' -f 1-3 /proc/loadavg)
begin=$SECONDS
"$place/venv/bin/pip" --quiet --disable-pip-version-check wheel --no-deps --wheel-dir "$place/dist" .
wheel=$(ls "$place"/dist/*.whl)
built=$((SECONDS - begin))
"$place/venv/bin/pip" --quiet --disable-pip-version-check install "$wheel"
"$place/venv/bin/python" -c 'import sys, pegrasp; pegrasp.info(); assert "xarray" not in sys.modules'
"$place/venv/bin/pip" --quiet --disable-pip-version-check install "$wheel[xarray]"
installed=$((SECONDS - begin))
"$place/venv/bin/python" -c "$three_lines"
took=$((SECONDS - begin))
echo "$(basename "$wheel"), $(($(stat -c %s "$wheel") / 1000)) kB, on $(nproc) cores, load $load before:"
echo "  wheel built in $built s, installed with xarray after $installed s, gear map after $took s"

for other in "$@"; do
  "$other" -m venv "$place/other"
  "$place/other/bin/pip" --quiet --disable-pip-version-check install "$wheel[xarray]"
  "$place/other/bin/python" -c "$three_lines"
  echo "  also with $("$other" --version)"
  rm -rf "$place/other"
done
if [ "$took" -gt "${WHEEL_PATIENCE:-180}" ]; then
  echo "test_wheel.sh: $took s are more than ${WHEEL_PATIENCE:-180}" >&2
  exit 1
fi
echo "wheel: passed"
