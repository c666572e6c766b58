# SPDX-License-Identifier: Apache-2.0
# Read by ctest, after the list of each program's tests: gives every test its labels. Each test is in the lane "fast" or in
# the lane "slow"; besides, those of the reference simulator are labelled "reference", those with generated input "fuzz".
# The lane "fast" takes at most a minute on two cores and has tests of every folder; what takes more than a second is slow:
# suites named ...Long..., the stored hashes but two, the program pegrasp_kernel_tests (which the lane does not build), and the tests below, which scripts/update_lanes.py writes from the times
# of a run of all tests.
set(pegrasp_slow_suites "Long|^Golden")
set(pegrasp_fast_all_the_same "^Golden/StoredBits.AreTheResults/(gear|spatial_lift)$")
set(pegrasp_slow_tests
)

foreach(program pegrasp_tests pegrasp_kernel_tests pegrasp_reference_tests)
  foreach(test IN LISTS ${program}_TESTS)
    set(labels fast)
    if(program STREQUAL "pegrasp_kernel_tests" OR test IN_LIST pegrasp_slow_tests
       OR (test MATCHES "${pegrasp_slow_suites}" AND NOT test MATCHES "${pegrasp_fast_all_the_same}"))
      set(labels slow)
    endif()
    if(test MATCHES "Fuzz")
      list(APPEND labels fuzz)
    endif()
    if(program STREQUAL "pegrasp_reference_tests")
      list(APPEND labels reference)
    endif()
    set_tests_properties(${test} PROPERTIES LABELS "${labels}")
  endforeach()
endforeach()
