// SPDX-License-Identifier: Apache-2.0
// Reads plain arrays from HDF5 files of any origin. Missing, damaged or out-of-range data throw InputError, which names
// the file, the object and the remedy. No memory is allocated for sizes that the file cannot hold.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pegrasp {

class Hdf5Input {
 public:
  // What messages say: which file to name instead, and where its layout is described.
  struct Advice {
    std::string file, layout;
  };
  Hdf5Input(std::filesystem::path file, Advice advice);
  ~Hdf5Input();
  Hdf5Input(const Hdf5Input&) = delete;
  Hdf5Input& operator=(const Hdf5Input&) = delete;

  // Names are paths from the root, "/fclib_local/W/m".
  bool has(const std::string& name) const;
  std::vector<std::string> names_in_root() const;  // in the order of their names
  bool is_group(const std::string& name) const;

  // Datasets. Integers of any width that fit 32 bits, reals of any width that are no NaN.
  std::vector<std::size_t> shape(const std::string& name) const;
  std::vector<std::int32_t> integers(const std::string& name) const;
  std::int32_t integer(const std::string& name) const;       // exactly one
  std::vector<double> reals(const std::string& name) const;  // finite, unless `infinite` ones are allowed
  std::vector<double> reals_or_infinite(const std::string& name) const;
  double real(const std::string& name) const;  // exactly one, finite
  // Of fixed length, as fclib's are: HDF5 1.10 never returns from reading a damaged heap of texts of variable length.
  std::optional<std::string> text(const std::string& name) const;  // nothing where there is no such dataset

  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

 private:
  class Dataset;
  std::vector<double> numbers(const std::string& name) const;

  std::filesystem::path path_;
  Advice advice_;
  hid_t file_ = -1;
};

}  // namespace pegrasp
