// SPDX-License-Identifier: Apache-2.0
// HDF5 files of stored problems, with their arrays as vectors.
#pragma once

#include <filesystem>
#include <utility>

#include "pegrasp_reference/mcp.hpp"
#include "src/formats/hdf5_input.hpp"

namespace pegrasp::reference {

class Hdf5Input : public pegrasp::Hdf5Input {
 public:
  explicit Hdf5Input(std::filesystem::path file)
      : pegrasp::Hdf5Input(std::move(file), {"name one that pegrasp dump or fclib wrote",
                                             "docs/reference/stored-problems.md has the layout"}) {}

  mcp::Vector reals(const std::string& name) const { return vector_of(pegrasp::Hdf5Input::reals(name)); }
  mcp::Vector reals_or_infinite(const std::string& name) const {
    return vector_of(pegrasp::Hdf5Input::reals_or_infinite(name));
  }

 private:
  static mcp::Vector vector_of(const std::vector<double>& all) {
    return mcp::Vector::Map(all.data(), static_cast<Eigen::Index>(all.size()));
  }
};

}  // namespace pegrasp::reference
