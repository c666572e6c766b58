// SPDX-License-Identifier: Apache-2.0
// Two checks of an attempt that its end pose does not show: whether parts went through each other on the way, and
// whether the step made energy.
#include <algorithm>
#include <cmath>

#include "src/reference/common/residual.hpp"
#include "src/reference/spatial/attempt.hpp"
#include "src/reference/spatial/round_axis.hpp"

namespace pegrasp::reference::spatial {
namespace {

// The sum of the sizes of all impulses [N s].
double total_impulse(const StepSolution& solution) {
  double sum = 0.0;
  for (const double p : solution.normal) sum += std::abs(p);
  for (const auto& tangent : solution.tangent) {
    for (const double p : tangent) sum += std::abs(p);
  }
  for (const double p : solution.motor) sum += std::abs(p);
  for (const double p : solution.bilateral) sum += std::abs(p);
  return sum;
}

}  // namespace

// The least separation [m] of a pair at risk on the way, if the parts overlapped so deeply that they may have gone
// through each other, else a huge number. Sampled poses are half of both inradii apart, and farther apart only where
// the parts are separated.
double SpatialAttempt::on_the_way(const NearPair& pair) const {
  constexpr double deep = 0.5, stride = 0.5;  // of both inradii together
  constexpr int most = 1000;                  // poses
  constexpr double none = 1e300;
  const auto body_a = static_cast<std::size_t>(pair.parts.body_a);
  const auto body_b = static_cast<std::size_t>(pair.parts.body_b);
  const PlacedSolid& a = start_parts_[static_cast<std::size_t>(pair.parts.part_a)];
  const PlacedSolid& b = start_parts_[static_cast<std::size_t>(pair.parts.part_b)];
  if (a.solid->half_space() || b.solid->half_space()) return none;  // it has no far side
  if (a.solid->round() && b.solid->round()) {
    return least_on_straight_way(a, b, end_parts_[static_cast<std::size_t>(pair.parts.part_a)],
                                 end_parts_[static_cast<std::size_t>(pair.parts.part_b)]);
  }
  const double thick = a.solid->inradius + b.solid->inradius;
  const double way = options_.h * (fastest_point(numbers_, pair.parts.body_a, out_.end.velocity[body_a]) +
                                   fastest_point(numbers_, pair.parts.body_b, out_.end.velocity[body_b]));
  const auto placed_at = [&](int part, std::size_t body, double t) {
    const Twist6& v = out_.end.velocity[body];
    const Turn turn = exponential(t * options_.h * v.angular) * start_.turn[body];
    return scene_.place(
        part, frame_of(numbers_, static_cast<int>(body), start_.position[body] + t * options_.h * v.linear, turn));
  };
  double lowest = none;
  for (double gone = 0.0; gone < way;) {
    const double t = gone / way;
    const double s =
        best_separation(placed_at(pair.parts.part_a, body_a, t), placed_at(pair.parts.part_b, body_b, t)).value();
    lowest = std::min(lowest, s);
    gone += std::max({stride * thick, way / most, s});
  }
  return lowest < -deep * thick ? lowest : none;
}

// Whether the rounds that find the middle of the step have converged, and the free turn keeps its energy.
bool SpatialAttempt::turns_as_it_should(int body) const {
  constexpr double most = 0.01;  // of the energy, and of the angular velocity
  const auto b = static_cast<std::size_t>(body);
  const Vector3& w = middle_[b].spin;
  const Matrix3 r = (exponential(0.5 * options_.h * w) * start_.turn[b]).toRotationMatrix();
  const Vector3 again = (r * numbers_.inertia(body) * r.transpose()).ldlt().solve(start_.momentum[b]);
  if ((again - w).norm() > most * w.norm()) return false;
  const double before = spin_energy(numbers_, body, start_.turn[b], start_.momentum[b]);
  const double after = spin_energy(numbers_, body, exponential(options_.h * w) * start_.turn[b], start_.momentum[b]);
  return std::abs(after - before) <= most * before;
}

// The work [J] that kinematic bodies put into the step through contacts and joints, and what undoing an overlap puts
// in. An impulse p on a body that moves with v along the row of p takes the work p v from it, v being the mean of its
// velocities before and in this step: what is pressed against it gains and loses that while it slows down.
double SpatialAttempt::work_of_kinematic_bodies() const {
  const StepProblem& step = rows_.problem;
  double work = 0.0;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    work += rows_.contact_carry[i].work(solution_.normal[i]);
    for (std::size_t k = 0; k < solution_.tangent[i].size(); ++k) {
      work += rows_.tangent_carry[i][k].work(solution_.tangent[i][k]);
    }
    if (i >= contacts_.size()) continue;
    const NearPair& pair = pairs_[static_cast<std::size_t>(contacts_[i].pair)];
    work += std::max(0.0, pair.target - pair.start) / options_.h * solution_.normal[i];
  }
  for (std::size_t i = 0; i < step.bilaterals.size(); ++i) {
    work += rows_.bilateral_carry[i].work(solution_.bilateral[i]);
  }
  return work;
}

// Whether the step gave the scene energy that nothing put in. It is measured against the kinetic energy of the free
// motion, so that rounding does not refuse a scene at rest. What kinematic bodies did counts as put in, and so does
// what undoes an overlap; motors of a given force are part of the free motion, and what motors do comes before
// contacts: those take energy from the motion that they find. The free motion may have no energy (servos move it from
// rest, bodies without weight have hit each other). So a scene may gain what impulses do along the velocities that the
// solver's tolerance leaves, with joints or motors those of the joints' tolerance too, and a part of what servos turn
// over. A scene without joints is also checked along the motion that its bodies really make; it may be lifted by a hair
// of its bodies' radius.
bool SpatialAttempt::gains_energy() const {
  constexpr double most = 0.01, most_in_all = 0.0025, hair = 2e-4;
  const StepProblem& step = rows_.problem;
  const Vector free = step.velocity + step.external;
  const Vector after = velocity_of_impulses(step, solution_);
  Vector before = Vector::Zero(after.size());
  double gain = 0.0, lift = 0.0;
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!coordinates_.moves(body)) continue;
    if (!turns_as_it_should(body)) return true;
    const auto b = static_cast<std::size_t>(body);
    coordinates_.write(body, start_.velocity[b], before);
    const double mass = numbers_.mass(body);
    const Twist6& end = out_.end.velocity[b];
    const Vector3 pulled = numbers_.pulled_speed(body, view_.time, start_.last[b], options_.h);
    lift += hair * mass * (scene_.gravity(body).norm() + numbers_.pulled_by(body, view_.time).norm()) *
            scene_.body(body).radius;
    gain +=
        0.5 * mass * (end.linear.squaredNorm() - start_.velocity[b].linear.squaredNorm()) +
        spin_energy(numbers_, body, out_.end.turn[b], out_.end.momentum[b]) -
        spin_energy(numbers_, body, start_.turn[b], start_.momentum[b]) -
        0.25 * (start_.last[b] + options_.h) * mass * scene_.gravity(body).dot(start_.velocity[b].linear + end.linear) -
        0.5 * mass * pulled.dot(start_.velocity[b].linear + end.linear);
  }
  double by_others = work_of_kinematic_bodies();
  Vector with_motors = free;
  double from_start = by_others;
  double slack = 0.0;
  // What compliant shells give back counts as put in.
  const auto by_shell = [&](double p, const SparseVector& push) {
    const double work = p * 0.5 * push.dot(free + after);
    by_others += work;
    from_start += p * 0.5 * push.dot(before + after);
    slack += most * std::abs(work);
  };
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const Contact& contact = step.contacts[i];
    if (contact.compliance > 0.0) by_shell(solution_.normal[i], push_of(contact));
    for (std::size_t k = 0; contact.tangent_compliance > 0.0 && k < contact.tangents.size(); ++k) {
      if (contact.mu > 0.0) by_shell(solution_.tangent[i][k], contact.tangents[k]);
    }
  }
  for (std::size_t i = 0; i < step.motors.size(); ++i) {
    const double p = solution_.motor[i];
    const SparseVector& push = push_of(step.motors[i]);
    with_motors += p * push;
    slack += most * std::abs(p * 0.5 * push.dot(free + after));
    from_start += p * 0.5 * push.dot(before + after);
  }
  const double kinetic = 0.5 * free.squaredNorm();
  const bool jointed = !scene_.spec().joints.empty();
  const bool driven = jointed || !scene_.spec().actuators.empty();
  const double off = options_.tolerance + (driven ? options_.penetration_tolerance / options_.h : 0.0);
  slack += off * total_impulse(solution_);
  if (0.5 * (after - with_motors).dot(after + with_motors) - by_others > most * kinetic + slack) return true;
  return !jointed && gain - from_start > std::max(lift, most_in_all * kinetic) + slack;
}

}  // namespace pegrasp::reference::spatial
