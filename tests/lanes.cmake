# SPDX-License-Identifier: Apache-2.0
# Read by ctest, after the lists of tests of all programs: gives every test its labels. Each test is "fast" or "slow". Besides,
# those of the reference simulator are labelled "reference", and those with generated input "fuzz". The fast tests take at
# most a minute on two cores, and are from every folder. Slow is what takes more than a second: suites named ...Long..., the
# stored hashes but two, the program pegrasp_kernel_tests (which scripts/test.sh --fast does not build), and the tests listed
# below, which scripts/update_lanes.py writes from the times of a run of all tests.
set(pegrasp_slow_suites "Long|^Golden")
set(pegrasp_fast_all_the_same "^Golden/StoredBits.AreTheResults/(gear|spatial_lift)$")
set(pegrasp_slow_tests
)

foreach(program pegrasp_tests pegrasp_kernel_tests pegrasp_reference_tests)
  foreach(test IN LISTS ${program}_TESTS)
    set(labels fast)
    list(FIND pegrasp_slow_tests "${test}" listed)  # ctest sets no policies: IN_LIST is not known
    if(program STREQUAL "pegrasp_kernel_tests" OR NOT listed EQUAL -1
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
