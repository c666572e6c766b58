// SPDX-License-Identifier: Apache-2.0
// How an attempt ends (attempt_frame.hpp). It is accepted, or gets another pass; what of it
// is taken where nothing solved it (hold_still.hpp).
#pragma once

#include <limits>

#include "src/reference/common/attempt_frame.hpp"

namespace pegrasp::reference {

template <class Dimension>
void AttemptFrame<Dimension>::note_pushes(const StepProblem& step) {
  out_.pushes.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const bool pushes = contacts_[i].shell.layer == Layer::shell
                            ? solution_.normal[i] > 0.0
                            : pairs_[static_cast<std::size_t>(contacts_[i].pair)].carries;
    if (!pushes) continue;
    double squares = 0.0;
    for (const double p : solution_.tangent[i]) squares += p * p;
    out_.pushes.push_back({contacts_[i].body_a, contacts_[i].body_b, std::max(0.0, solution_.normal[i]),
                           std::sqrt(squares), step.contacts[i].mu});
  }
}

template <class Dimension>
void AttemptFrame<Dimension>::mark_carrying_pairs() {
  for (NearPair& pair : pairs_) pair.carries = false;
  double least = 0.0;
  if (Dimension::no_impulse > 0.0) {
    for (std::size_t i = 0; i < contacts_.size(); ++i) least = std::max(least, solution_.normal[i]);
    least *= Dimension::no_impulse;
  }
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (!(solution_.normal[i] > least)) continue;
    NearPair& pair = pairs_[static_cast<std::size_t>(contacts_[i].pair)];
    pair.carries = pair.carries || contacts_[i].shell.layer != Layer::shell;
    if (pair.lead <= options_.penetration_tolerance) out_.tie = true;
  }
}

// A body that a solve made faster than its margin allowed for may reach a pair that was not listed. Then the margins
// grow and the pairs are listed again.
template <class Dimension>
void AttemptFrame<Dimension>::check_margins() {
  out_.outran = false;
  for (int body = 0; body < scene_.body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (margin_of(body, out_.end.velocity[b]) - margin_[b] > options_.detect_distance) out_.outran = true;
  }
  if (!out_.outran) return;
  for (int body = 0; body < scene_.body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    margin_[b] = std::max(margin_[b], margin_of(body, out_.end.velocity[b]));
  }
  list_pairs();
}

// How far [m] a pair with a shell ends from where the forces of its contacts say. What is soft hardly moves by it: that
// counts by the share of the motion in what answers an impulse.
template <class Dimension>
double AttemptFrame<Dimension>::shell_error(const NearPair& pair) const {
  if (forces_at_start(options_.spring_force, options_.h)) return 0.0;
  const StepProblem& step = *rows_of_pass_;
  const Vector inverse = step.mass.diagonal().cwiseInverse();
  double said = 0.0;  // deepest that a force says
  double back = 0.0;  // to where a shell that does not push may have come back
  double share = 0.0;
  bool pushes = false, any = false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (&pairs_[static_cast<std::size_t>(contacts_[i].pair)] != &pair || contacts_[i].shell.layer != Layer::shell)
      continue;
    const Contact& row = step.contacts[i];
    const double moves = Vector(row.normal).cwiseProduct(inverse).dot(Vector(push_of(row)));
    if (moves > 0.0) share = std::max(share, moves / (moves + row.compliance));
    if (solution_.normal[i] > 0.0) {
      const double depth = options_.h * (row.lack + row.compliance * solution_.normal[i]);
      said = pushes ? std::max(said, depth) : depth;
      pushes = true;
    }
    back = std::max(back, options_.h * row.lack);
    any = true;
  }
  if (!any) return pair.apart ? 0.0 : std::max(0.0, -pair.end);
  const double beyond = -pair.end - (pushes ? std::max(said, back) : back);
  return share * std::max(beyond, pushes ? std::max(0.0, said + pair.end) : 0.0);
}

template <class Dimension>
bool AttemptFrame<Dimension>::accepted() {
  place_end();
  out_.depth = 0.0;
  out_.penetration = joint_error();
  double force_at_a_distance = 0.0;
  for (NearPair& pair : pairs_) {
    if (!pair.near) continue;
    measure(pair);
    out_.penetration = larger_or_nan(out_.penetration, pair.target - pair.end);
    out_.depth = larger_or_nan(out_.depth, -pair.end - pair.shell.thickness);
    if (pair.carries) force_at_a_distance = std::max(force_at_a_distance, pair.end - pair.target);
    if (pair.shell.any()) force_at_a_distance = std::max(force_at_a_distance, shell_error(pair));
    out_.risk = out_.risk || (Dimension::settles ? pair.through || pair.settled : pair.risk);
  }
  check_margins();
  return !out_.outran && out_.penetration <= Dimension::accepted_overlap * options_.penetration_tolerance &&
         force_at_a_distance <= options_.penetration_tolerance;
}

// Whether the last pass left so much that passes beyond the usual number are made.
template <class Dimension>
bool AttemptFrame<Dimension>::worth_another_pass() const {
  constexpr double share = 0.1;  // of the depth at which a step is refused
  return out_.outran || out_.penetration > share * options_.reject_depth || !(out_.residual <= options_.tolerance);
}

// How far [m] the bodies of a pair move towards each other at most within the step.
template <class Dimension>
double AttemptFrame<Dimension>::way_of(const NearPair& pair, const std::vector<Velocity>& velocity) const {
  // From rest the free motion tells nothing of the way.
  if (scene_.spec().model == MotionModel::quasistatic) return std::numeric_limits<double>::infinity();
  const auto speed = [&](int body) {
    return Dimension::fastest_point(numbers_, body, velocity[static_cast<std::size_t>(body)]);
  };
  return options_.h * (speed(pair.parts.body_a) + speed(pair.parts.body_b));
}

// After a solve a facet counts only if it is violated at the start by no more than `reject_depth` and the way of the
// free motion: a solve that failed may have thrown a body round a corner.
template <class Dimension>
double AttemptFrame<Dimension>::least_separation_at_start(const NearPair& pair) const {
  return -options_.reject_depth - pair.shell.thickness - way_of(pair, free_velocity_);
}

// Replaces a facet that does not count by the best one that does. False where none does.
template <class Dimension>
bool AttemptFrame<Dimension>::leave_facet_out_of_reach(const NearPair& pair, bool along_motion, Facet& facet,
                                                       double& lead) const {
  if (facet == Facet{}) return true;
  const double least = least_separation_at_start(pair);
  bool stays = true;
  const auto counts = [&](const Facet& other, double s0) {
    if (other == facet && s0 < least) stays = false;
    return s0 >= least;
  };
  const int a = pair.parts.part_a;
  const int b = pair.parts.part_b;
  Facet found;
  double found_lead = 0.0;
  if (along_motion) {
    const auto latest =
        Dimension::latest_facet(start_part(a), start_part(b), end_part(a), end_part(b), pair.risk, pair.eps, counts);
    found = latest.facet;
    found_lead = latest.lead;
  } else {
    const auto last = Dimension::last_to_separate(start_part(a), start_part(b), end_part(a), end_part(b), counts);
    found = last.facet;
    found_lead = last.lead;
  }
  if (stays) return true;
  if (found == Facet{}) return false;
  facet = found;
  lead = found_lead;
  return true;
}

// The same of the facet that is violated latest. Neither part of a union may have the facet that it turns over, from
// one to the other, at the start and at the end. Where none is within reach, but one at an internal edge says that the
// parts were apart at the start, that of the last end pose serves. internal_edge: the largest s of those there [m].
template <class Dimension>
void AttemptFrame<Dimension>::leave_latest_out_of_reach(NearPair& pair, double internal_edge) const {
  if (leave_facet_out_of_reach(pair, true, pair.facet, pair.lead) || fresh_ || pair.end_facet == Facet{}) return;
  if (internal_edge < least_separation_at_start(pair)) return;
  pair.facet = pair.end_facet;
  pair.lead = pair.end_lead;
}

// The speed [m/s] that bodies with prescribed motion, the undoing of overlap and the tolerance explain.
template <class Dimension>
double AttemptFrame<Dimension>::pushing_speed() const {
  constexpr double tolerances = 10.0;
  double fastest = 0.0;
  for (int body = 0; body < scene_.body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (present_[b] == 0 || scene_.body(body).kind != BodyKind::kinematic) continue;
    fastest = std::max(fastest, Dimension::fastest_point(numbers_, body, out_.end.velocity[b]));
  }
  double undone = scene_.spec().joints.empty() ? 0.0 : options_.recovery_speed;
  if (out_.outran) undone = options_.recovery_speed;  // pairs were listed again after the last solve
  for (const PairContact& contact : contacts_) {
    if (out_.outran || !(options_.h > 0.0)) break;
    const NearPair& pair = pairs_[static_cast<std::size_t>(contact.pair)];
    undone = std::max(undone, (pair.target - pair.start) / options_.h);
  }
  return fastest + undone + tolerances * options_.tolerance;
}

template <class Dimension>
std::vector<BodyAccount> AttemptFrame<Dimension>::accounts() const {
  constexpr double nearly = 1000.0;  // tolerances: servos explain motion where their impulses nearly solve the step
  StepSolution motors = solution_;
  for (std::vector<double>* impulses : {&motors.normal, &motors.bilateral}) {
    std::fill(impulses->begin(), impulses->end(), 0.0);
  }
  for (std::vector<std::vector<double>>* impulses : {&motors.tangent, &motors.support}) {
    for (std::vector<double>& of_one : *impulses) std::fill(of_one.begin(), of_one.end(), 0.0);
  }
  const Vector driven = velocity_of_impulses(*rows_of_pass_, motors);
  std::vector<BodyAccount> out(free_velocity_.size());
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!coordinates_.moves(body)) continue;
    const auto b = static_cast<std::size_t>(body);
    BodyAccount& account = out[b];
    account.counts = true;
    account.mass = numbers_.mass(body);
    account.energy = kinetic_energy(body, out_.end.velocity[b]);
    account.speed = Dimension::fastest_point(numbers_, body, out_.end.velocity[b]);
    const bool servos = out_.residual <= nearly * options_.tolerance;
    for (const Velocity& v :
         {start_velocity_[b], free_velocity_[b], servos ? coordinates_.read(body, driven) : free_velocity_[b]}) {
      account.start_energy = std::max(account.start_energy, kinetic_energy(body, v));
      account.start_speed = std::max(account.start_speed, Dimension::fastest_point(numbers_, body, v));
    }
  }
  return out;
}

// The bodies with prescribed motion that push a body; none if a fixed one pushes too.
template <class Dimension>
std::vector<int> AttemptFrame<Dimension>::pushers(int body) const {
  std::vector<int> out;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const PairContact& contact = contacts_[i];
    if ((contact.body_a != body && contact.body_b != body) || !(solution_.normal[i] > 0.0)) continue;
    const int other = contact.body_a == body ? contact.body_b : contact.body_a;
    const BodyKind kind = scene_.body(other).kind;
    if (kind == BodyKind::fixed) return {};
    if (kind == BodyKind::kinematic) out.push_back(other);
  }
  return out;
}

// (bodies) which gain more than is explained. Where no motion obeys the step, bodies with prescribed motion explain
// none.
template <class Dimension>
std::vector<char> AttemptFrame<Dimension>::gaining(bool infeasible) const {
  return gaining_bodies(scene_.spec(), accounts(), infeasible ? 0.0 : pushing_speed());
}

template <class Dimension>
void AttemptFrame<Dimension>::hold_still() {
  if (hold_unbalanced()) {
    out_.held = true;
    return;
  }
  const std::vector<BodyAccount> bodies = accounts();
  for (const BodyAccount& body : bodies) {
    if (!std::isfinite(body.energy)) return;  // the scene ends with such a step
  }
  const SceneSpec& scene = scene_.spec();
  const std::vector<char> gains = gaining(out_.infeasible);
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (gains[static_cast<std::size_t>(body)] == 0) continue;
    const int anchor = prescribed_anchor(scene, bodies, body);
    if (anchor >= 0) {
      hold(body, {anchor});
    } else {
      hold(body, is_jointed(scene, body) ? std::vector<int>{} : pushers(body));
    }
    out_.held = true;
  }
  if (out_.held) after_hold();
}

}  // namespace pegrasp::reference
