# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts: goes to the repository root and prepares the build (cores, ccache when it is there).
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
root=$PWD
jobs=${JOBS:-$(nproc)}
export CTEST_PARALLEL_LEVEL=$jobs CMAKE_BUILD_PARALLEL_LEVEL=$jobs
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  # Copies of the repository share the cache: paths below the root do not count.
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
fi

# Configures and builds: build FOLDER TYPE [cmake arguments]. Quiet unless something is wrong.
build() {
  local folder=$1 type=$2 log
  shift 2
  log=$(mktemp)
  if ! cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE="$type" -DPEGRASP_CUDA="${PEGRASP_CUDA:-AUTO}" \
    -DPEGRASP_WERROR="${PEGRASP_WERROR:-OFF}" "$@" >"$log" 2>&1; then
    cat "$log"
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
  cmake --build "$folder"
}
