# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)
set(pegrasp_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pegrasp)

install(TARGETS pegrasp EXPORT pegraspTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/pegrasp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(FILES ${pegrasp_version_header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pegrasp)
if(TARGET pegrasp_reference)
  install(TARGETS pegrasp_reference EXPORT pegraspTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/pegrasp_reference DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
endif()
if(TARGET pegrasp_cli)
  install(TARGETS pegrasp_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
set(pegrasp_examples_dir ${CMAKE_INSTALL_DATADIR}/pegrasp/examples)
install(DIRECTORY examples/ DESTINATION ${pegrasp_examples_dir})
# The command line looks for these scripts here.
install(PROGRAMS scripts/plot_map.py scripts/plot_profile.py scripts/convexify.py scripts/plot_decision.py
                 scripts/draw_replay.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/pegrasp/scripts OPTIONAL)
# Pieces of pages in HTML (src/report/page.cpp) and protocols of grasps (src/problem/protocol.cpp), found beside the
# folder of the program.
install(DIRECTORY src/report/page DESTINATION ${CMAKE_INSTALL_DATADIR}/pegrasp)
install(DIRECTORY src/problem/protocols DESTINATION ${CMAKE_INSTALL_DATADIR}/pegrasp)

install(EXPORT pegraspTargets NAMESPACE pegrasp:: DESTINATION ${pegrasp_config_dir})
configure_package_config_file(scripts/cmake/pegraspConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/pegraspConfig.cmake
                              INSTALL_DESTINATION ${pegrasp_config_dir} PATH_VARS pegrasp_examples_dir)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pegraspConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pegraspConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/pegraspConfigVersion.cmake
              scripts/cmake/FindPegraspHdf5.cmake
        DESTINATION ${pegrasp_config_dir})
