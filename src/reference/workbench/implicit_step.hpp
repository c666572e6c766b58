// SPDX-License-Identifier: Apache-2.0
// One step of two smooth convex bodies in the plane as Berard's thesis writes it for implicit surfaces, (3.76) to
// (3.83): the closest points of the bodies at the end of the step are unknowns of the complementarity problem, beside
// velocities and impulses. Nothing is linearised or divided into polygons: an oracle for steps of smooth parts.
//
//   M (nu - nu_0) = W_n p_n + W_t p_t + p_app
//   a_1 - a_2 + l_1 grad f(a_1) = 0
//   grad f(a_1) + l_2 grad g(a_2) = 0
//   mu p_n (W_t' nu) + p_t s = 0
//   0 <= l_1  _|_  -f(a_1) >= 0
//   0 <= l_2  _|_  -g(a_2) >= 0
//   0 <= p_n  _|_   f(a_2) >= 0
//   0 <= s    _|_   (mu p_n)^2 - p_t^2 >= 0
//
// (3.83) is printed with f(a_1) and g(a_2), without the signs of (3.78) and (3.79). f and g are zero on the surfaces:
// of a superellipse f = (|x/a|^n + |y/b|^n)^(1/n) - 1 in the axes of the body at the end of the step, of a half-plane
// g = n . x - d. W_n and W_t are those at the end, with arms to a_1 and a_2.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::reference {

struct SmoothShape {
  double semi_x = 1.0, semi_y = 1.0;  // [m] of a superellipse about the body's origin
  double order = 2.0;                 // n >= 2; 2: an ellipse
  bool half_plane = false;            // y <= 0 of the body
};

struct SmoothBody {
  SmoothShape shape;
  bool moves = true;
  double mass = 1.0, inertia = 1.0;                    // [kg], [kg m^2]
  Eigen::Vector3d pose = Eigen::Vector3d::Zero();      // x, y, theta
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  // of a body that does not move: prescribed
  Eigen::Vector3d force = Eigen::Vector3d::Zero();     // [N], [N m]
};

// The first body is not a half-plane.
struct ImplicitStep {
  std::array<SmoothBody, 2> body;
  double mu = 0.0, h = 0.01;
};

struct ImplicitSolution {
  mcp::Status status = mcp::Status::no_progress;
  double residual = 0.0;
  int unknowns = 0;
  std::array<Eigen::Vector3d, 2> velocity;
  std::array<Eigen::Vector2d, 2> point;                    // a_1, a_2 at the end of the step [m]
  double l1 = 0.0, l2 = 0.0, normal = 0.0, tangent = 0.0;  // [N s]: p_n, p_t
  double slip = 0.0;                                       // s
  // How far apart the bodies are there, by separation() [m].
  double gap = 0.0;
};

ImplicitSolution solve_implicit(const ImplicitStep& step, mcp::Workspace* workspace = nullptr);

// Takes the velocities, and the poses on by h.
void advance(ImplicitStep& step, const ImplicitSolution& solution);
double kinetic_energy(const ImplicitStep& step);  // [J]

// How far convex bodies are apart at their poses: the largest distance of two parallel lines between them, or minus
// the least by which one must move [m]. By their support functions, sampled and refined: independent of the above.
double separation(const SmoothBody& a, const SmoothBody& b);

}  // namespace pegrasp::reference
