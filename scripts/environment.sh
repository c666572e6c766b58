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

# Whether there is an nvcc that is new enough, as scripts/cmake/Cuda.cmake looks for one.
have_nvcc() {
  local nvcc release
  for nvcc in ${CUDACXX:-nvcc ${CUDA_PATH:+$CUDA_PATH/bin/nvcc} /usr/local/cuda/bin/nvcc}; do
    release=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    if [ -n "$release" ] && [ "$(printf '%s\n' 12.3 "$release" | sort -V | head -n 1)" = 12.3 ]; then return 0; fi
  done
  return 1
}

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
