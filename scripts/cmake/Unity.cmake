# SPDX-License-Identifier: Apache-2.0
# With -DCMAKE_UNITY_BUILD=ON (scripts/demo.sh, scripts/build.sh) the files of a group are compiled together, which
# reads the headers once: two thirds less processor time. Without it every file is compiled by itself, which suits
# development better. A group's files share their unnamed namespaces; the files for bodies in 3D have groups of their
# own, as they use the names of their twins in 2D. No group has kernels, files with compile definitions, and the files
# named here, which define a name that another file of their group has.
set(pegrasp_compiled_alone
    /src/model/joint_model.cpp
    /src/reference/mcp/scaling.cpp
    /src/reference/planar/outline.cpp
    /src/reference/spatial/round_axis.cpp
    /src/reference/validate/spatial_lockstep.cpp
    /src/reference/validate/trajectories.cpp)

function(pegrasp_unity_groups target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    if(NOT source MATCHES "/src/([a-z]+)/(([a-z]+)/)?([a-z_0-9]+)\\.cpp$")
      continue()
    endif()
    set(folder ${CMAKE_MATCH_1}_${CMAKE_MATCH_3})
    set(group ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_4})
    string(REPLACE "${PROJECT_SOURCE_DIR}" "" path "${source}")
    if(path IN_LIST pegrasp_compiled_alone)
      continue()
    endif()
    if(folder MATCHES "reference")
      set(group ${folder})
    endif()
    if(group MATCHES "^(text|machine|scene|sampling|backend)$")
      set(group base)
    endif()
    if(group MATCHES "^(map|decide|rare|report|rows|design|plan)$")
      set(group results)
    endif()
    if(group MATCHES "^(model|problem|formats|metrics)$" AND name MATCHES "solid|spatial")
      set(group solids)
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
