// SPDX-License-Identifier: Apache-2.0
// A particle on a plate that oscillates (Berard's thesis, chapter 5): the plate's motion, and one step of the particle
// in closed form. Independent of the simulators.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace pegrasp::plate {

using Vector3 = Eigen::Vector3d;
constexpr double gravity = 9.81;  // [m/s^2]

// Accelerations A sin(W t + C) along x, y, z [m/s^2] and about them [rad/s^2].
struct PlateMotion {
  std::string name;
  double frequency = 33.0;  // [Hz]
  std::array<double, 6> acceleration{};
  std::array<double, 6> phase{};

  double w() const { return 2.0 * std::numbers::pi * frequency; }
  Vector3 part(double t, std::size_t first, bool rate) const {
    Vector3 out;
    for (std::size_t i = 0; i < 3; ++i) {
      const double a = acceleration[first + i], angle = w() * t + phase[first + i];
      out[static_cast<Eigen::Index>(i)] = rate ? -a / w() * std::cos(angle) : -a / (w() * w()) * std::sin(angle);
    }
    return out;
  }
  Vector3 shift(double t) const { return part(t, 0, false); }
  Vector3 turn(double t) const { return part(t, 3, false); }  // rotation vector
};

inline Eigen::Matrix3d rotation(const Vector3& phi) {
  const double angle = phi.norm();
  if (angle == 0.0) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, phi / angle).toRotationMatrix();
}

// The plate in one step: its velocity, at the end of the step or the mean, and its pose at the start.
class Plate {
 public:
  // arrives: along its normal the plate always has the mean velocity, by which it arrives where its motion says.
  Plate(const PlateMotion& motion, bool end_velocity, bool arrives = false)
      : motion_(motion),
        end_velocity_(end_velocity),
        arrives_(arrives),
        place_(motion.shift(0.0)),
        axes_(rotation(motion.turn(0.0))) {}
  // Velocity and spin of the step of h [s] that begins at t [s].
  void begin(double t, double h) {
    mean_velocity_ = (motion_.shift(t + h) - place_) / h;
    const Eigen::AngleAxisd whole(rotation(motion_.turn(t + h)) * axes_.transpose());
    mean_spin_ = whole.angle() / h * whole.axis();
    if (end_velocity_) {
      velocity_ = motion_.part(t + h, 0, true);
      const double d = 1e-5;
      const Vector3 phi = motion_.turn(t + h), rate = motion_.part(t + h, 3, true);
      const Eigen::AngleAxisd spin(rotation(phi + d * rate) * rotation(phi - d * rate).transpose());
      spin_ = spin.angle() / (2.0 * d) * spin.axis();
      return;
    }
    velocity_ = mean_velocity_;
    spin_ = mean_spin_;
  }
  // The plate is where its motion says, whichever velocity it had.
  void end(double t, double h) {
    place_ = motion_.shift(t + h);
    axes_ = rotation(motion_.turn(t + h));
  }
  Vector3 normal() const { return axes_.col(2); }
  double height_of(const Vector3& x) const { return normal().dot(x - place_); }
  // Of the plate's point at x, which turns about the plate's own.
  Vector3 velocity_at(const Vector3& x) const {
    const Vector3 velocity = velocity_ + spin_.cross(x - place_);
    if (!arrives_) return velocity;
    const Vector3 mean = mean_velocity_ + mean_spin_.cross(x - place_);
    return velocity + normal().dot(mean - velocity) * normal();
  }
  // Rate of the height of a point at rest at x.
  double rate_at(const Vector3& x) const { return -normal().dot(velocity_at(x)); }

 private:
  PlateMotion motion_;
  bool end_velocity_, arrives_;
  Vector3 place_, velocity_, spin_, mean_velocity_, mean_spin_;
  Eigen::Matrix3d axes_;
};

// One step of Stewart and Trinkle's with the exact cone. A particle of unit mass: the impulses follow from the contact
// alone. Returns the new velocity; `slides` says whether it slips.
inline Vector3 closed_step(const Plate& plate, const Vector3& x, const Vector3& v, double mu, double h, bool& slides) {
  const Vector3 n = plate.normal();
  const Vector3 free = v - Vector3(0.0, 0.0, h * gravity);
  const Vector3 relative = free - plate.velocity_at(x);
  const double normal = std::fmax(0.0, -(n.dot(relative) + plate.height_of(x) / h));
  const Vector3 slip = relative - n.dot(relative) * n;
  const double most = mu * normal, size = slip.norm();
  slides = size > most;
  return free + normal * n - (slides ? Vector3(most / size * slip) : slip);
}

inline PlateMotion circle() { return {"circle", 33.0, {0, 0, 8, 0, 0, 100}, {0, 0, 1.5 * std::numbers::pi, 0, 0, 0}}; }
inline PlateMotion scaled_circle() {
  return {"scaled circle", 33.0, {0, 0, 8, 0, 0, 500}, {0, 0, 1.5 * std::numbers::pi, 0, 0, 0}};
}
inline PlateMotion centrifuge() {
  constexpr double pi = std::numbers::pi;
  return {"centrifuge", 33.0, {10, 10, 0, 100, 100, 0}, {0, 0.5 * pi, 0, 0.5 * pi, pi, 0}};
}

}  // namespace pegrasp::plate
