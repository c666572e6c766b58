# SPDX-License-Identifier: Apache-2.0
# The Python package: build/python/pegrasp can be imported as it is (PYTHONPATH=build/python), and is what a wheel
# holds. nanobind comes from PyPI, for the interpreter that builds. CPython 3.12 and later share one module (stable
# ABI); 3.11 has its own.
if(CMAKE_VERSION VERSION_LESS 3.26)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
else()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module
               OPTIONAL_COMPONENTS Development.SABIModule)
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(nanobind CONFIG QUIET)
if(NOT nanobind_FOUND)
  message(FATAL_ERROR "PEGRASP_PYTHON=ON, but ${Python_EXECUTABLE} has no nanobind: pip install nanobind")
endif()

set(pegrasp_package ${CMAKE_CURRENT_BINARY_DIR}/python/pegrasp)
file(GLOB pegrasp_python_sources CONFIGURE_DEPENDS src/python/*.cpp)
nanobind_add_module(pegrasp_python STABLE_ABI NB_STATIC NOMINSIZE ${pegrasp_python_sources})
set_target_properties(pegrasp_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${pegrasp_package}
                                                UNITY_BUILD OFF)
target_include_directories(pegrasp_python PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(pegrasp_python PRIVATE pegrasp_commands)
# Other modules of the process may hold another pegrasp.
target_link_options(pegrasp_python PRIVATE -Wl,--exclude-libs,ALL)
pegrasp_compile_flags(pegrasp_python)

file(GLOB pegrasp_python_files CONFIGURE_DEPENDS src/python/pegrasp/*.py src/python/pegrasp/py.typed)
foreach(file IN LISTS pegrasp_python_files)
  get_filename_component(name ${file} NAME)
  configure_file(${file} ${pegrasp_package}/${name} COPYONLY)
endforeach()
foreach(script IN LISTS pegrasp_scripts)
  configure_file(scripts/${script} ${pegrasp_package}/share/pegrasp/scripts/${script} COPYONLY)
endforeach()
foreach(piece IN LISTS pegrasp_page_pieces)
  get_filename_component(name ${piece} NAME)
  configure_file(${piece} ${pegrasp_package}/share/pegrasp/page/${name} COPYONLY)
endforeach()
foreach(protocol IN LISTS pegrasp_protocols)
  get_filename_component(name ${protocol} NAME)
  configure_file(${protocol} ${pegrasp_package}/share/pegrasp/protocols/${name} COPYONLY)
endforeach()
nanobind_add_stub(pegrasp_python_stub MODULE _core OUTPUT ${pegrasp_package}/_core.pyi PYTHON_PATH ${pegrasp_package}
                  DEPENDS pegrasp_python)

install(TARGETS pegrasp_python LIBRARY DESTINATION pegrasp COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${pegrasp_package}/_core.pyi DESTINATION pegrasp COMPONENT python EXCLUDE_FROM_ALL)
install(DIRECTORY ${pegrasp_package}/share DESTINATION pegrasp COMPONENT python EXCLUDE_FROM_ALL)
