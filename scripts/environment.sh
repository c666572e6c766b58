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

# For users who do not change pegrasp: what compiles in the least time. No tests, no warnings, files compiled in groups
# (scripts/cmake/Unity.cmake), and -O1 but for the kernels, which have -O3 all the same and take nearly all of a map's
# time.
user_build=(-DPEGRASP_BUILD_TESTS=OFF -DPEGRASP_BUILD_BENCH=OFF -DPEGRASP_WARNINGS=OFF -DCMAKE_UNITY_BUILD=ON
  "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG")

# Device code takes minutes to compile. Unless PEGRASP_CUDA is set, it is built only on a machine with a GPU, and only
# for the GPUs of that machine. cuda_build holds the arguments of CMake.
cuda_build=()
choose_cuda() {
  local found
  found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    grep -E '^[0-9]+\.[0-9]+$' | tr -d . | sort -u) || found=
  if [ -z "${PEGRASP_CUDA:-}" ]; then
    PEGRASP_CUDA=OFF
    if [ -n "$found" ] && have_nvcc; then PEGRASP_CUDA=ON; fi
  fi
  if [ -n "$found" ]; then
    cuda_build=("-DCMAKE_CUDA_ARCHITECTURES=$(sed 's/$/-real/' <<<"$found" | paste -sd ';')")
  fi
}

# Configures and builds: build FOLDER TYPE [cmake arguments]. Quiet unless something is wrong. $build_target: not all,
# but this.
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
  cmake --build "$folder" --target "${build_target:-all}"
}
