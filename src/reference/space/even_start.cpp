// SPDX-License-Identifier: Apache-2.0
#include "reference/space/even_start.hpp"

#include <algorithm>

namespace pegrasp::reference::space {
namespace {

// The contacts of one pair as a face: columns (x, y), and what they carry.
struct Face {
  Eigen::MatrixXd place;    // (2, contacts), about the first
  Eigen::VectorXd normal;   // (contacts)
  Eigen::VectorXd tangent;  // (2 contacts)
};

Eigen::MatrixXd loads_of(const Eigen::MatrixXd& place) {
  Eigen::MatrixXd out(3, place.cols());
  out.row(0).setOnes();
  out.bottomRows(2) = place;
  return out;
}

Eigen::MatrixXd frictions_of(const Eigen::MatrixXd& place) {
  Eigen::MatrixXd out(3, 2 * place.cols());
  for (Eigen::Index k = 0; k < place.cols(); ++k) {
    out.col(2 * k) = Vector3(1.0, 0.0, -place(1, k));
    out.col(2 * k + 1) = Vector3(0.0, 1.0, place(0, k));
  }
  return out;
}

bool along_a_line(const Eigen::MatrixXd& place) {
  const Eigen::MatrixXd about = place.colwise() - place.rowwise().mean();
  const Eigen::Matrix2d spread = about * about.transpose();
  return !(spread.determinant() > 1e-6 * spread.trace() * spread.trace());
}

void even_out(Face& face) {
  const Vector3 load = loads_of(face.place) * face.normal;
  const Vector3 friction = frictions_of(face.place) * face.tangent;
  std::vector<Eigen::Index> carrying(static_cast<std::size_t>(face.normal.size()));
  for (std::size_t k = 0; k < carrying.size(); ++k) carrying[k] = static_cast<Eigen::Index>(k);
  while (carrying.size() >= 3) {
    const Eigen::MatrixXd place = face.place(Eigen::all, carrying);
    if (along_a_line(place)) return;
    const Eigen::VectorXd even = loads_of(place).completeOrthogonalDecomposition().solve(load);
    Eigen::Index pulls = 0;
    if (even.minCoeff(&pulls) < 0.0) {
      carrying.erase(carrying.begin() + pulls);
      continue;
    }
    const Eigen::VectorXd along = frictions_of(place).completeOrthogonalDecomposition().solve(friction);
    face.normal.setZero();
    face.tangent.setZero();
    for (std::size_t k = 0; k < carrying.size(); ++k) {
      const auto from = static_cast<Eigen::Index>(k);
      face.normal[carrying[k]] = even[from];
      face.tangent.segment<2>(2 * carrying[k]) = along.segment<2>(2 * from);
    }
    return;
  }
}

bool of_one_face(const std::vector<PairContact>& contacts, std::size_t first, std::size_t end) {
  return std::all_of(contacts.begin() + static_cast<std::ptrdiff_t>(first),
                     contacts.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const PairContact& c) { return c.at.normal.dot(contacts[first].at.normal) > 1.0 - 1e-12; });
}

}  // namespace

void even_out(const std::vector<PairContact>& contacts, StepSolution& start) {
  for (std::size_t first = 0, end = 0; first < contacts.size(); first = end) {
    while (end < contacts.size() && contacts[end].pair == contacts[first].pair) ++end;
    if (end - first < 4 || !of_one_face(contacts, first, end)) continue;
    const auto count = static_cast<Eigen::Index>(end - first);
    const Vector3& n = contacts[first].at.normal;
    const Vector3 t = n.unitOrthogonal(), o = n.cross(t);
    Face face{Eigen::MatrixXd(2, count), Eigen::VectorXd(count), Eigen::VectorXd(2 * count)};
    for (Eigen::Index k = 0; k < count; ++k) {
      const std::size_t i = first + static_cast<std::size_t>(k);
      const Vector3 r = contacts[i].at.position - contacts[first].at.position;
      face.place.col(k) << r.dot(t), r.dot(o);
      face.normal[k] = start.normal[i];
      face.tangent.segment<2>(2 * k) << start.tangent[i][0], start.tangent[i][1];
    }
    even_out(face);
    for (Eigen::Index k = 0; k < count; ++k) {
      const std::size_t i = first + static_cast<std::size_t>(k);
      start.normal[i] = face.normal[k];
      start.tangent[i] = {face.tangent[2 * k], face.tangent[2 * k + 1]};
    }
  }
}

}  // namespace pegrasp::reference::space
