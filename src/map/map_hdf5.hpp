// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pegrasp/map.hpp"
#include "src/formats/hdf5_file.hpp"

namespace pegrasp {

// map.h5; docs/reference/results.md lists its datasets and attributes. Samples pass through in blocks.
class MapHdf5 {
 public:
  // std::bad_alloc, or std::runtime_error, when memory runs out. The problem must outlive it.
  MapHdf5(const SuccessMap& map, const Problem& problem);

  // Bytes, and where in the file they belong; of places that are put twice the later bytes count.
  using Put = std::function<void(std::uint64_t, std::string_view)>;
  // Returns the file's size.
  std::uint64_t write(const SuccessMap& map, const Put& put);

  // A column of samples_table: rows of so many bytes, in order, from a place in the file on.
  struct Column {
    std::uint64_t place;
    std::size_t bytes;
    std::function<void(const SampleBlock&, void*)> fill;
  };
  // The same with a row for each cell, and of grasps as their file has them.
  struct CellColumn {
    std::uint64_t place;
    std::size_t bytes;
    std::function<void(std::span<const MapCell>, void*)> fill;
  };
  struct GraspColumn {
    std::uint64_t place;
    std::function<void(const Grasp&, std::string&)> append;
  };

 private:
  void put_cells(const SuccessMap& map, const Put& put) const;

  const Problem& problem_;
  Hdf5File file_;
  std::vector<CellColumn> cell_columns_;
  std::vector<GraspColumn> grasp_columns_;
  std::vector<Column> columns_;
};

}  // namespace pegrasp
