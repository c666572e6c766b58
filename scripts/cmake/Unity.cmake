# SPDX-License-Identifier: Apache-2.0
# With -DCMAKE_UNITY_BUILD=ON (scripts/demo.sh, scripts/build.sh) the files of a group are compiled together, which reads the
# headers once: two thirds less processor time. Without it every file is compiled by itself, which suits development
# better. A group's files share their unnamed namespaces; the files for bodies in 3D have groups of their own, as they
# use the names of their twins in 2D. Kernels, files with definitions of their own, and those named here are in no group.
set(pegrasp_compiled_alone /src/model/joint_model.cpp)  # has a refuse() as compile_model.cpp and solid_model.cpp do

function(pegrasp_unity_groups target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    if(NOT source MATCHES "/src/([a-z]+)/(reference/|[a-z]+/)?([a-z_0-9]+)\\.cpp$")
      continue()
    endif()
    string(REPLACE "${PROJECT_SOURCE_DIR}" "" path "${source}")
    if(path IN_LIST pegrasp_compiled_alone)
      continue()
    endif()
    set(group ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_3})
    if(group MATCHES "^(text|machine|scene|sampling|backend)$")
      set(group base)
    endif()
    if(group MATCHES "^(model|problem|formats|metrics)$" AND name MATCHES "solid|spatial")
      set(group solids)
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
