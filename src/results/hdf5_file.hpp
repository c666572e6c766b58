// SPDX-License-Identifier: Apache-2.0
// A thin owner of HDF5 handles: datasets and attributes of plain arrays. Every failure is a std::runtime_error.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pegrasp {

class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path);  // made anew
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  void group(const std::string& name);
  // shape: row-major. Names are paths from the root.
  void write(const std::string& name, const std::vector<hsize_t>& shape, const double* data);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const std::int32_t* data);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const std::int64_t* data);
  void attribute(const std::string& object, const std::string& name, const std::string& text);
  void attribute(const std::string& object, const std::string& name, double value);
  void attribute(const std::string& object, const std::string& name, std::int64_t value);
  void attribute(const std::string& object, const std::string& name, const std::vector<std::string>& texts);
  void close();  // flushes; throws when that fails

 private:
  void dataset(const std::string& name, const std::vector<hsize_t>& shape, hid_t type, const void* data);
  void scalar(const std::string& object, const std::string& name, hid_t type, const void* data);

  hid_t file_ = -1;
};

}  // namespace pegrasp
