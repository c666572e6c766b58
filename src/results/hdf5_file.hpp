// SPDX-License-Identifier: Apache-2.0
// A thin owner of HDF5 handles: datasets and attributes of plain arrays. Every failure is a std::runtime_error.
// The file is composed in memory and its bytes are handed out: the library crashes the program at exit when a disk fills
// up under a file that it has open.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pegrasp {

class Hdf5File {
 public:
  // Empty. expected: about how many bytes it will have, if that is known: the room for them is taken at once.
  explicit Hdf5File(std::size_t expected = 0);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  void group(const std::string& name);
  // shape: row-major. Names are paths from the root.
  void write(const std::string& name, const std::vector<hsize_t>& shape, const double* data);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const std::int32_t* data);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const std::int64_t* data);
  void text(const std::string& name, const std::string& text);  // a dataset of one text of fixed length
  void attribute(const std::string& object, const std::string& name, const std::string& text);
  void attribute(const std::string& object, const std::string& name, double value);
  void attribute(const std::string& object, const std::string& name, std::int64_t value);
  void attribute(const std::string& object, const std::string& name, std::uint64_t value);
  void attribute(const std::string& object, const std::string& name, const std::vector<std::string>& texts);
  std::string bytes();  // the whole file, as it belongs on a disk
  // The same, not copied: until the file is changed or ends.
  std::string_view image();

 private:
  void dataset(const std::string& name, const std::vector<hsize_t>& shape, hid_t type, const void* data);
  void scalar(const std::string& object, const std::string& name, hid_t type, const void* data);

  hid_t file_ = -1;
};

}  // namespace pegrasp
