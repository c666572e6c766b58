# SPDX-License-Identifier: Apache-2.0
# libFuzzer's target for the readers (tests/fuzz/fuzz_readers.cpp), with the sources that it needs compiled for it
# alone, in groups as those of Unity.cmake. Only with clang and its libFuzzer: scripts/fuzz.sh.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "PEGRASP_FUZZ needs clang: add -DCMAKE_CXX_COMPILER=clang++")
endif()
set(pegrasp_fuzz_sources)
foreach(folder text machine geometry scene sampling formats grasps problem model)
  file(GLOB sources CONFIGURE_DEPENDS src/${folder}/*.cpp)
  list(APPEND pegrasp_fuzz_sources ${sources})
endforeach()
list(APPEND pegrasp_fuzz_sources src/backend/derive_options.cpp)
add_executable(pegrasp_fuzz_readers EXCLUDE_FROM_ALL tests/fuzz/fuzz_readers.cpp ${pegrasp_fuzz_sources})
add_dependencies(pegrasp_fuzz_readers pegrasp_version)
target_include_directories(pegrasp_fuzz_readers PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/include
                                                        ${pegrasp_generated_include})
target_link_libraries(pegrasp_fuzz_readers PRIVATE Threads::Threads pegrasp::hdf5 ${pegrasp_toml} ${pegrasp_xml}
                                                   nlohmann_json::nlohmann_json pegrasp_random123 Eigen3::Eigen
                                                   ${CMAKE_DL_LIBS})
set(pegrasp_fuzz_sanitizers -fsanitize=fuzzer,address,undefined)
target_compile_options(pegrasp_fuzz_readers PRIVATE ${pegrasp_fuzz_sanitizers} -fno-sanitize-recover=all
                                                    -ffp-contract=off)
target_link_options(pegrasp_fuzz_readers PRIVATE ${pegrasp_fuzz_sanitizers})
set_target_properties(pegrasp_fuzz_readers PROPERTIES UNITY_BUILD ON)
pegrasp_unity_groups(pegrasp_fuzz_readers ${pegrasp_fuzz_sources})
