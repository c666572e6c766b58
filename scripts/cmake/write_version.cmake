# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT from src/version.hpp.in; an unchanged file keeps its time stamp. A release tarball has no git.
set(GIT "")
find_program(git git)
if(git AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${git} describe --always --tags --dirty
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE GIT
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${SOURCE_DIR}/src/version.hpp.in ${OUTPUT} @ONLY)
