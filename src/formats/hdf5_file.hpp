// SPDX-License-Identifier: Apache-2.0
// A thin owner of HDF5 handles: datasets and attributes of plain arrays. Every failure is a std::runtime_error, or std::bad_alloc.
// The library writes into memory (sparse_image.hpp) and never to a disk: it crashes the program at exit when a disk fills up under a file that
// it has open. Long arrays it does not even see: it says where in the file they belong, and whoever has them writes them there.
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
  // shape: row-major. Names are paths from the root.
  void write(const std::string& name, const std::vector<hsize_t>& shape, const double* data);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const std::int32_t* data);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const std::int64_t* data);
  // Room for an array of numbers as this machine has them; returns where in the file they begin.
  enum class Number { int32, int64, float64 };
  std::uint64_t reserve(const std::string& name, const std::vector<hsize_t>& shape, Number number);
  void text(const std::string& name, const std::string& text);  // a dataset of one text of fixed length
  void attribute(const std::string& object, const std::string& name, const std::string& text);
  void attribute(const std::string& object, const std::string& name, double value);
  void attribute(const std::string& object, const std::string& name, std::int64_t value);
  void attribute(const std::string& object, const std::string& name, std::uint64_t value);
  void attribute(const std::string& object, const std::string& name, const std::vector<std::string>& texts);

  // Ends the file, once: what belongs on a disk, zeros where room was reserved.
  const SparseImage& finish();
  std::string bytes();  // the same in one piece

 private:
  void dataset(const std::string& name, const std::vector<hsize_t>& shape, hid_t type, const void* data);
  void scalar(const std::string& object, const std::string& name, hid_t type, const void* data);

  SparseImage image_;
  hid_t file_ = -1;
};

}  // namespace pegrasp
