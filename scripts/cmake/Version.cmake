# SPDX-License-Identifier: Apache-2.0
# pegrasp/version.hpp is written at build time, so that it names the commit that was built; it changes only then.
set(pegrasp_generated_include ${CMAKE_CURRENT_BINARY_DIR}/generated)
set(pegrasp_version_header ${pegrasp_generated_include}/pegrasp/version.hpp)

string(TOUPPER "${CMAKE_BUILD_TYPE}" pegrasp_build_type_upper)
set(pegrasp_flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${pegrasp_build_type_upper}} -ffp-contract=off")
if(PEGRASP_SANITIZE)
  string(APPEND pegrasp_flags " -fsanitize=${PEGRASP_SANITIZE}")
endif()
string(STRIP "${pegrasp_flags}" pegrasp_flags)
set(pegrasp_cuda_toolkit "")
if(PEGRASP_HAVE_CUDA)
  set(pegrasp_cuda_toolkit "nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
endif()

set(pegrasp_write_version
    ${CMAKE_COMMAND}
    "-DSOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}"
    "-DOUTPUT=${pegrasp_version_header}"
    "-DVERSION=${PROJECT_VERSION}"
    "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}"
    "-DFLAGS=${pegrasp_flags}"
    "-DCUDA_TOOLKIT=${pegrasp_cuda_toolkit}"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/scripts/cmake/write_version.cmake)
add_custom_target(
  pegrasp_version
  COMMAND ${pegrasp_write_version}
  BYPRODUCTS ${pegrasp_version_header}
  COMMENT "Version" VERBATIM)
# Once at configure time too, for editors and clang-tidy.
execute_process(COMMAND ${pegrasp_write_version})
