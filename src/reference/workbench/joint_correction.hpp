// SPDX-License-Identifier: Apache-2.0
// Iterative joint correction (Williams' thesis, algorithm 1): after a step, positions and velocities are moved by
// impulses along the joints' Jacobian until joints hold to a tolerance. It knows nothing of contacts, which it may open
// or violate. The product needs none: its joints hold at the end of every step.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>

namespace pegrasp::reference {

struct JointSystem {
  Eigen::MatrixXd mass;                                               // (v, v)
  std::function<Eigen::VectorXd(const Eigen::VectorXd& q)> error;     // C(q) (joint rows) [m, rad]
  std::function<Eigen::MatrixXd(const Eigen::VectorXd& q)> jacobian;  // G(q) (v, joint rows): dC/dt = G' nu
};

struct CorrectionLimits {
  double position = 1e-5;  // eps_p on |C|
  double velocity = 1e-5;  // eps_nu on |dC/dt|
  int most = 100;          // iterations of either loop
};

// q (v), nu (v) at the end of a step of h [s]; q_before: where the step began, whose Jacobian the positions are moved
// along. Returns false where a loop took `most` iterations.
inline bool correct_joints(const JointSystem& system, const Eigen::VectorXd& q_before, double h,
                           const CorrectionLimits& limits, Eigen::VectorXd& q, Eigen::VectorXd& nu) {
  const auto along = [&](const Eigen::MatrixXd& g, const Eigen::VectorXd& rate) -> Eigen::VectorXd {
    const Eigen::MatrixXd weighted = system.mass.ldlt().solve(g);
    return -weighted * (g.transpose() * weighted).ldlt().solve(rate);
  };
  const Eigen::MatrixXd g_before = system.jacobian(q_before);
  int count = 0;
  for (Eigen::VectorXd c = system.error(q); c.norm() > limits.position; c = system.error(q)) {
    if (++count > limits.most) return false;
    const Eigen::VectorXd change = along(g_before, c / h);
    q += h * change;
    nu += change;
  }
  const Eigen::MatrixXd g = system.jacobian(q);
  count = 0;
  for (Eigen::VectorXd rate = g.transpose() * nu; rate.norm() > limits.velocity; rate = g.transpose() * nu) {
    if (++count > limits.most) return false;
    nu += along(g, rate);
  }
  return true;
}

// A rod that hangs from one end and swings in the plane (figure 2.5): q = (x, y, theta) of its middle, theta = 0 to the
// right of the hinge, which is at the origin.
struct SwingingRod {
  double mass = 1.0, length = 1.0, gravity = 9.81;  // [kg], [m], [m/s^2]

  JointSystem joint() const {
    JointSystem system;
    system.mass = Eigen::Vector3d(mass, mass, mass * length * length / 12.0).asDiagonal();
    const double half = 0.5 * length;
    system.error = [half](const Eigen::VectorXd& q) -> Eigen::VectorXd {
      return Eigen::Vector2d(q[0] - half * std::cos(q[2]), q[1] - half * std::sin(q[2]));
    };
    system.jacobian = [half](const Eigen::VectorXd& q) -> Eigen::MatrixXd {
      Eigen::MatrixXd g(3, 2);
      g << 1.0, 0.0, 0.0, 1.0, half * std::sin(q[2]), -half * std::cos(q[2]);
      return g;
    };
    return system;
  }
};

struct SwingErrors {
  double first = 0.0, last = 0.0, largest = 0.0;  // largest |C| [m] of the first and last 1000 steps, and of all
  bool converged = true;
};

// The rod let go level, stepped with the joint on the level of velocities, G' nu = 0, as a step without stabilisation
// has it; with or without algorithm 1 after every step.
inline SwingErrors swing(const SwingingRod& rod, int steps, double h, bool correct,
                         const CorrectionLimits& limits = {}) {
  const JointSystem system = rod.joint();
  Eigen::VectorXd q = Eigen::Vector3d(0.5 * rod.length, 0.0, 0.0), nu = Eigen::VectorXd::Zero(3);
  SwingErrors errors;
  for (int step = 0; step < steps; ++step) {
    const Eigen::MatrixXd g = system.jacobian(q);
    const Eigen::MatrixXd weighted = system.mass.ldlt().solve(g);
    const Eigen::VectorXd free = nu + Eigen::Vector3d(0.0, -h * rod.gravity, 0.0);
    nu = free - weighted * (g.transpose() * weighted).ldlt().solve(g.transpose() * free);
    const Eigen::VectorXd before = q;
    q += h * nu;
    if (correct) errors.converged = correct_joints(system, before, h, limits, q, nu) && errors.converged;
    const double error = system.error(q).norm();
    errors.largest = std::max(errors.largest, error);
    if (step < 1000) errors.first = std::max(errors.first, error);
    if (step >= steps - 1000) errors.last = std::max(errors.last, error);
  }
  return errors;
}

}  // namespace pegrasp::reference
