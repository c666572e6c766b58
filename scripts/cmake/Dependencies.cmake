# SPDX-License-Identifier: Apache-2.0
# All from the system's package manager (scripts/install_deps.sh). Header-only ones are no dependency of projects that
# link pegrasp.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)

# Random123 is headers without a package file.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
mark_as_advanced(RANDOM123_INCLUDE_DIR)
if(NOT RANDOM123_INCLUDE_DIR)
  message(FATAL_ERROR "Random123/philox.h not found: install librandom123-dev, or set RANDOM123_INCLUDE_DIR")
endif()
add_library(pegrasp_random123 INTERFACE)
target_include_directories(pegrasp_random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})

# HDF5 and toml++: shared libraries, except in prebuilt binaries.
find_package(tomlplusplus REQUIRED)
set(pegrasp_toml tomlplusplus::tomlplusplus)
if(PEGRASP_PREBUILT)
  add_library(pegrasp_toml_headers INTERFACE)
  target_compile_definitions(pegrasp_toml_headers INTERFACE TOML_HEADER_ONLY=1)
  set(pegrasp_toml $<BUILD_INTERFACE:pegrasp_toml_headers>)
endif()

# TinyXML-2 reads URDF. Debian has no static library of it, so prebuilt binaries do without it and refuse URDF files
# with a message.
if(PEGRASP_PREBUILT)
  set(pegrasp_xml)
else()
  find_package(tinyxml2 QUIET)
  if(NOT tinyxml2_FOUND)
    message(FATAL_ERROR "TinyXML-2 not found, which reads URDF: install libtinyxml2-dev, or set tinyxml2_DIR")
  endif()
  set(pegrasp_xml tinyxml2::tinyxml2)
endif()

set(PegraspHdf5_STATIC ${PEGRASP_PREBUILT})
find_package(PegraspHdf5 REQUIRED)
