// SPDX-License-Identifier: Apache-2.0
// Sparse matrices as fclib stores them: a group with m, n, nz, nzmax, p, i, x. nz >= 0: triplets, p has the rows and i
// the columns; nz = -1: by columns, nz = -2: by rows, p has the pointers. As CSparse keeps them.
#pragma once

#include <string>

#include "src/formats/hdf5_file.hpp"
#include "src/reference/io/hdf5_vectors.hpp"

namespace pegrasp::reference {

// A matrix of a size that is known from elsewhere, so that damaged sizes cost no memory. Repeated entries are added.
mcp::SparseMatrix read_matrix(const Hdf5Input& input, const std::string& group, Eigen::Index rows,
                              Eigen::Index columns);

// By columns (nz = -1).
void write_matrix(Hdf5File& file, const std::string& group, const mcp::SparseMatrix& matrix);
void write_vector(Hdf5File& file, const std::string& name, const mcp::Vector& vector);
void write_integer(Hdf5File& file, const std::string& name, std::int32_t value);

}  // namespace pegrasp::reference
