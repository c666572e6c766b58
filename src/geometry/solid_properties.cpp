// SPDX-License-Identifier: Apache-2.0
// Volume, centroid and inertia of a polyhedron, and principal axes of an inertia.
//
// By the divergence theorem the integral over the solid is the sum over the signed tetrahedra (0, a, b, c), one for
// each triangle of the faces. With d = det(a, b, c) and s = a + b + c,
//   volume = d/6,   first moment = d/24 s,   second moments = d/120 (a a^T + b b^T + c c^T + s s^T).
// Moments are taken about the mean of the vertices first and then about the centroid, so that no large numbers are
// subtracted.
#include <array>
#include <cmath>

#include "pegrasp/polyhedron.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

// Off-diagonal elements below this fraction of the largest element count as zero. Rounding leaves a few times 1e-16,
// times the distance from the origin in body sizes. An axis is wrong by at most this fraction over the relative gap of
// the moments.
constexpr double negligible = 1e-12;
// The sweeps converge quadratically, in about five. The bound ends the loop for elements that are not numbers.
constexpr int largest_sweep_count = 30;

Vec3 sum(Vec3 a, Vec3 b, Vec3 c) { return a + (b + c); }

// Calls visit(a, b, c) for the triangles of all faces, relative to the origin.
template <class Visit>
void for_each_triangle(const Polyhedron& polyhedron, Vec3 origin, const Visit& visit) {
  for (const PolyhedronFace& face : polyhedron.faces) {
    const auto arm = [&](std::size_t k) {
      return polyhedron.vertices[static_cast<std::size_t>(face.vertices[k])] - origin;
    };
    for (std::size_t k = 1; k + 1 < face.vertices.size(); ++k) visit(arm(0), arm(k), arm(k + 1));
  }
}

// One Jacobi rotation: turns the axes i and j so that the element between them becomes zero. The turn is multiplied
// into a quaternion by half angles, cos^2(x/2) = (1 + cos x)/2. Because |x| <= 45 degrees, neither root loses digits.
struct Diagonaliser {
  double matrix[3][3];
  Quaternion turn;

  void rotate(int i, int j) {
    const int k = 3 - i - j;
    const double ratio = (matrix[j][j] - matrix[i][i]) / (2.0 * matrix[i][j]);
    const double tangent = (ratio < 0.0 ? -1.0 : 1.0) / (std::fabs(ratio) + std::sqrt(1.0 + ratio * ratio));
    const double c = 1.0 / std::sqrt(1.0 + tangent * tangent);
    const double s = tangent * c;
    const double between = matrix[i][j];
    matrix[i][i] -= tangent * between;
    matrix[j][j] += tangent * between;
    matrix[i][j] = matrix[j][i] = 0.0;
    const double ik = c * matrix[i][k] - s * matrix[j][k];
    const double jk = s * matrix[i][k] + c * matrix[j][k];
    matrix[i][k] = matrix[k][i] = ik;
    matrix[j][k] = matrix[k][j] = jk;
    // New axis i = c e_i - s e_j: a turn by -x about e_i cross e_j, which is e_k for (0, 1), (1, 2), and -e_1 for (0,
    // 2).
    const double half_cosine = std::sqrt(0.5 * (1.0 + c));
    const double half_sine = (i == 0 && j == 2 ? 1.0 : -1.0) * s / (2.0 * half_cosine);
    const Quaternion q = turn;
    const Vec3 axis{k == 0 ? half_sine : 0.0, k == 1 ? half_sine : 0.0, k == 2 ? half_sine : 0.0};
    turn = {q.w * half_cosine - q.x * axis.x - q.y * axis.y - q.z * axis.z,
            q.w * axis.x + q.x * half_cosine + q.y * axis.z - q.z * axis.y,
            q.w * axis.y + q.y * half_cosine + q.z * axis.x - q.x * axis.z,
            q.w * axis.z + q.z * half_cosine + q.x * axis.y - q.y * axis.x};
  }
};

}  // namespace

SolidProperties solid_properties(const Polyhedron& polyhedron) {
  Vec3 origin;
  for (const Vec3& v : polyhedron.vertices) origin = origin + v;
  origin = (1.0 / static_cast<double>(polyhedron.vertices.size())) * origin;
  double sixfold = 0.0;
  Vec3 first;  // times 24
  for_each_triangle(polyhedron, origin, [&](Vec3 a, Vec3 b, Vec3 c) {
    const double d = dot(a, cross(b, c));
    sixfold += d;
    first = first + d * sum(a, b, c);
  });
  SolidProperties result;
  result.volume = sixfold / 6.0;
  result.centroid = origin + (1.0 / (4.0 * sixfold)) * first;
  InertiaTensor m;  // second moments times 120
  for_each_triangle(polyhedron, result.centroid, [&](Vec3 a, Vec3 b, Vec3 c) {
    const double d = dot(a, cross(b, c));
    const Vec3 s = sum(a, b, c);
    m.xx += d * (a.x * a.x + b.x * b.x + c.x * c.x + s.x * s.x);
    m.yy += d * (a.y * a.y + b.y * b.y + c.y * c.y + s.y * s.y);
    m.zz += d * (a.z * a.z + b.z * b.z + c.z * c.z + s.z * s.z);
    m.xy += d * (a.x * a.y + b.x * b.y + c.x * c.y + s.x * s.y);
    m.xz += d * (a.x * a.z + b.x * b.z + c.x * c.z + s.x * s.z);
    m.yz += d * (a.y * a.z + b.y * b.z + c.y * c.z + s.y * s.z);
  });
  result.inertia = {(m.yy + m.zz) / 120.0, (m.xx + m.zz) / 120.0, (m.xx + m.yy) / 120.0,
                    -m.xy / 120.0,         -m.xz / 120.0,         -m.yz / 120.0};
  return result;
}

PrincipalAxes principal_axes(const InertiaTensor& inertia) {
  const InertiaTensor& t = inertia;
  Diagonaliser jacobi{{{t.xx, t.xy, t.xz}, {t.xy, t.yy, t.yz}, {t.xz, t.yz, t.zz}}, {}};
  double largest = 0.0;
  for (const auto& row : jacobi.matrix) {
    for (const double element : row) largest = std::fmax(largest, std::fabs(element));
  }
  bool turned = true;
  for (int sweep = 0; turned && sweep < largest_sweep_count; ++sweep) {
    turned = false;
    for (const auto& [i, j] : {std::array{0, 1}, std::array{0, 2}, std::array{1, 2}}) {
      if (!(std::fabs(jacobi.matrix[i][j]) > negligible * largest)) continue;
      jacobi.rotate(i, j);
      turned = true;
    }
  }
  const Quaternion q = jacobi.turn;
  const double size = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  const double sign = q.w < 0.0 ? -size : size;
  return {{jacobi.matrix[0][0], jacobi.matrix[1][1], jacobi.matrix[2][2]},
          {q.w / sign, q.x / sign + 0.0, q.y / sign + 0.0, q.z / sign + 0.0}};  // no -0
}

CentredPolyhedron centred(const Polyhedron& polyhedron) {
  const Vec3 centroid = solid_properties(polyhedron).centroid;
  const Vec3 shift{-centroid.x, -centroid.y, -centroid.z};
  return {moved(polyhedron, {shift, {}}), shift};
}

}  // namespace pegrasp
