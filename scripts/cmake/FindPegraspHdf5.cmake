# SPDX-License-Identifier: Apache-2.0
# The C interface of a serial HDF5, as the target pegrasp::hdf5. CMake's own FindHDF5 needs the C language switched on,
# which a C++ project that links pegrasp may not have, and links curl and crypto too. Installed beside
# pegraspConfig.cmake.
find_path(PEGRASP_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
if(PegraspHdf5_STATIC)
  find_library(PEGRASP_HDF5_LIBRARY NAMES libhdf5_serial.a libhdf5.a)
  set(pegrasp_hdf5_needs "")
  foreach(need sz aec z)
    find_library(PEGRASP_HDF5_${need}_LIBRARY NAMES lib${need}.a)
    mark_as_advanced(PEGRASP_HDF5_${need}_LIBRARY)
    if(PEGRASP_HDF5_${need}_LIBRARY)
      list(APPEND pegrasp_hdf5_needs ${PEGRASP_HDF5_${need}_LIBRARY})
    endif()
  endforeach()
  list(APPEND pegrasp_hdf5_needs m ${CMAKE_DL_LIBS})
else()
  find_library(PEGRASP_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
endif()
mark_as_advanced(PEGRASP_HDF5_INCLUDE_DIR PEGRASP_HDF5_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  PegraspHdf5
  REQUIRED_VARS PEGRASP_HDF5_LIBRARY PEGRASP_HDF5_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libhdf5-dev, or set PEGRASP_HDF5_LIBRARY and PEGRASP_HDF5_INCLUDE_DIR")
if(PegraspHdf5_FOUND AND NOT TARGET pegrasp::hdf5)
  add_library(pegrasp::hdf5 UNKNOWN IMPORTED)
  set_target_properties(
    pegrasp::hdf5 PROPERTIES IMPORTED_LOCATION "${PEGRASP_HDF5_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                             "${PEGRASP_HDF5_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${pegrasp_hdf5_needs}")
endif()
