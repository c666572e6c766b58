#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Python package in build-python and runs its tests there: scripts/test_python.sh [pytest arguments].
# The packages that the tests need come from PyPI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
venv=build-python/venv
python=$venv/bin/python
[ -x "$python" ] || "${PYTHON:-python3}" -m venv "$venv"
# As pyproject.toml has them, without building the package itself.
mapfile -t packages < <("$python" - <<'END'
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))
extras = project["project"]["optional-dependencies"]
wanted = {name for names in extras.values() for name in names if not name.startswith("pegrasp[")}
print("\n".join(sorted(wanted | set(project["build-system"]["requires"]) | set(project["project"]["dependencies"]))))
END
)
"$python" -m pip --quiet --disable-pip-version-check install "${packages[@]}"
PEGRASP_CUDA=${PEGRASP_CUDA:-OFF} build_target=pegrasp_python_stub build build-python Release -DPEGRASP_PYTHON=ON \
  -DPEGRASP_BUILD_TESTS=OFF -DPEGRASP_BUILD_BENCH=OFF -DPython_EXECUTABLE="$root/$python"
cmake --build build-python --target pegrasp_cli pegrasp_python
PEGRASP_CLI=$root/build-python/pegrasp PYTHONPATH=$root/build-python/python "$python" -m pytest "$@"
