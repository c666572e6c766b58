# SPDX-License-Identifier: Apache-2.0
# Finds nvcc, if it may and can. Sets PEGRASP_HAVE_CUDA.
set(PEGRASP_HAVE_CUDA OFF)
if(PEGRASP_CUDA STREQUAL "OFF")
  return()
endif()

# nvcc is often installed without being on the PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(pegrasp_nvcc nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(pegrasp_nvcc)
  if(pegrasp_nvcc)
    set(CMAKE_CUDA_COMPILER ${pegrasp_nvcc})
  endif()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(PEGRASP_CUDA STREQUAL "ON")
    message(FATAL_ERROR "PEGRASP_CUDA=ON, but no CUDA compiler was found: install nvcc or set CUDACXX")
  endif()
  return()
endif()

# "native" fails without a device, and CMake's own default is older than what nvcc 13 accepts.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
enable_language(CUDA)
# CMake before 3.25.2 (Debian 12 has 3.25.1) does not know how to ask nvcc for C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
find_package(CUDAToolkit REQUIRED)
set(PEGRASP_HAVE_CUDA ON)
