// SPDX-License-Identifier: Apache-2.0
// An HDF5 file with datasets and attributes of plain arrays. Every failure is a std::runtime_error, or std::bad_alloc.
//
// The HDF5 library writes into memory (sparse_image.hpp) and never to a disk, because it crashes the program at exit
// when a disk fills up under a file that it has open. It does not see the contents of long arrays: it reserves their
// place in the file, and the caller writes them there.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/formats/sparse_image.hpp"

namespace pegrasp {

class Hdf5File {
 public:
  Hdf5File();
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  void group(const std::string& name);
  // Writes a row-major array of the given shape. Names are paths from the root.
  void write(const std::string& name, const std::vector<hsize_t>& shape, const double* data);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const std::int32_t* data);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const std::int64_t* data);
  // Reserves space for an array of numbers in the byte order of this machine. Returns its offset in the file [bytes].
  enum class Number { int32, int64, float64 };
  std::uint64_t reserve(const std::string& name, const std::vector<hsize_t>& shape, Number number);
  void text(const std::string& name, const std::string& text);                 // a dataset of one text of fixed length
  void texts(const std::string& name, const std::vector<std::string>& texts);  // as many, each as long as the longest
  // Reserves space for as many, each with so many bytes and a zero.
  std::uint64_t reserve_texts(const std::string& name, hsize_t count, std::size_t longest);
  void attribute(const std::string& object, const std::string& name, const std::string& text);
  void attribute(const std::string& object, const std::string& name, double value);
  void attribute(const std::string& object, const std::string& name, std::int64_t value);
  void attribute(const std::string& object, const std::string& name, std::uint64_t value);
  void attribute(const std::string& object, const std::string& name, const std::vector<std::string>& texts);

  // Makes datasets of one dimension the scales (H5DS) of arrays: the first of the arrays' first dimension, and so on.
  // At most once for a scale.
  void scales(const std::vector<std::string>& scales, const std::vector<std::string>& arrays);

  // Closes the file, once, and returns its contents, with zeros in the reserved space.
  const SparseImage& finish();
  std::string bytes();  // the same as one string

 private:
  void dataset(const std::string& name, const std::vector<hsize_t>& shape, hid_t type, const void* data);
  void list(const std::string& object, const std::string& name, hid_t type, hsize_t count, const void* data);
  void scalar(const std::string& object, const std::string& name, hid_t type, const void* data);

  SparseImage image_;
  hid_t file_ = -1;
};

}  // namespace pegrasp
