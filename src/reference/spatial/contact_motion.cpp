// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/contact_motion.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/reference/spatial/smooth.hpp"

namespace pegrasp::reference::spatial {
namespace {

Placement placed(const Vector3& position, const Turn& turn) { return {position, turn.toRotationMatrix()}; }

// The spin of one body against another in the middle of a step, as the other is turned at the end of it.
Vector3 turn_against(const Twist6& one, const Twist6& other, double h) {
  const Vector3 spin = one.angular - other.angular;
  return spin + 0.5 * h * other.angular.cross(spin);
}

}  // namespace

ContactMotion::ContactMotion(const StepView& view, const PairContact& contact)
    : view_(view),
      contact_(contact),
      about_an_end_(view.h > 0.0 && (contact.ahead || !view.first_pass)),
      corner_(static_cast<std::size_t>(contact.body_b)),
      facet_(static_cast<std::size_t>(contact.body_a)),
      side_(1.0) {
  if (contact.at.key[0] == static_cast<int>(FacetKind::face_of_b)) {
    side_ = -1.0;
    std::swap(corner_, facet_);
  }
  core_ = contact.at.position + side_ * contact.at.round * contact.at.normal;
}

Placement ContactMotion::start(std::size_t body) const {
  return placed(view_.start.position[body], view_.start.turn[body]);
}
Placement ContactMotion::linearised(std::size_t body) const {
  return contact_.ahead ? placed(view_.ahead_position[body], view_.ahead_turn[body])
                        : placed(view_.linearised_position[body], view_.linearised_turn[body]);
}
Placement ContactMotion::end(std::size_t body) const { return placed(view_.end_position[body], view_.end_turn[body]); }

ContactPoint ContactMotion::at_start() const {
  const auto back = [&](std::size_t body, const Vector3& x) { return start(body)(linearised(body).back(x)); };
  const ContactPoint& here = contact_.at;
  const Vector3 core = back(corner_, core_);
  ContactPoint out = here;
  if (here.key[0] == static_cast<int>(FacetKind::edges)) return edges_at_start();
  const SpatialScene& scene = view_.numbers.scene();
  const bool smooth = scene.solid(contact_.parts.part_a).smooth || scene.solid(contact_.parts.part_b).smooth;
  if (smooth && runs_along_smooth(here.key)) {
    return smooth_contact(facet_of_smooth(here.key), part_at_start(contact_.parts.part_a, contact_.body_a),
                          part_at_start(contact_.parts.part_b, contact_.body_b));
  }
  if (here.key[0] == static_cast<int>(FacetKind::round)) {
    const double apart = here.round + here.round_other;
    if (apart == 0.0) {  // an edge and a rim
      out.gap = std::numeric_limits<double>::infinity();
      return out;
    }
    const Vector3 way = core - back(facet_, core_ - (here.gap + apart) * here.normal);
    if (way.norm() > 0.0) out.normal = way.normalized();
    out.gap = way.norm() - apart;
  } else {
    const Vector3 facet = linearised(facet_).axes.transpose() * here.normal;
    out.normal = start(facet_).axes * facet;
    out.gap = here.gap - side_ * facet.dot(linearised(facet_).back(core_) - start(facet_).back(core));
  }
  out.position = core - side_ * here.round * out.normal;
  return out;
}

PlacedSolid ContactMotion::part_at_start(int part, int body) const {
  const auto b = static_cast<std::size_t>(body);
  return view_.numbers.scene().place(part, frame_of(view_.numbers, body, view_.start.position[b], view_.start.turn[b]));
}

// Where the two edges cross, seen along the normal across both. Those that are nearly parallel there touch along each
// other, and push along their normal at the end.
ContactPoint ContactMotion::edges_at_start() const {
  constexpr double least = 0.5;  // sine
  ContactPoint out = contact_.at;
  const PlacedSolid a = part_at_start(contact_.parts.part_a, contact_.body_a);
  const PlacedSolid b = part_at_start(contact_.parts.part_b, contact_.body_b);
  const int i = contact_.at.key[2], j = contact_.at.key[3];
  const Vector3 along_a = a.along(i), along_b = b.along(j);
  const Vector3 across = along_a.cross(along_b);
  if (across.norm() < least * along_a.norm() * along_b.norm()) {
    out.gap = std::numeric_limits<double>::infinity();
    return out;
  }
  out.normal = (across.dot(out.normal) < 0.0 ? -1.0 : 1.0) * across.normalized();
  const Vector3 apart = b.tail(j) - a.tail(i);
  out.gap = out.normal.dot(apart);
  const Vector3 beside_a = along_a.cross(across);
  out.position = b.tail(j) - apart.dot(beside_a) / along_b.dot(beside_a) * along_b;
  return out;
}

Vector3 ContactMotion::core_at_start() const {
  return about_an_end_ ? start(corner_)(end(corner_).back(core_)) : core_;
}

Vector3 ContactMotion::slip() const {
  const Vector3 begin = core_at_start();
  const Vector3 there = about_an_end_ ? core_ : end(corner_)(start(corner_).back(core_));
  const Vector3 taken = end(facet_)(start(facet_).back(begin));
  const Vector3 turn = turn_against(view_.end_motion[corner_], view_.end_motion[facet_], view_.h);
  return side_ * ((there - taken) / view_.h + turn.cross(contact_.at.position - core_));
}

Vector3 ContactMotion::expected_slip(const std::vector<Twist6>& motion, const Vector3& place) const {
  const auto beyond = [&](int body) {
    const auto b = static_cast<std::size_t>(body);
    const Vector3 spin = motion[b].angular - view_.end_motion[b].angular;
    return Vector3(motion[b].linear - view_.end_motion[b].linear + spin.cross(place - view_.start.position[b]));
  };
  return slip() + beyond(contact_.body_b) - beyond(contact_.body_a) + slip_on_arcs(motion);
}

Vector3 ContactMotion::slip_on_arcs(const std::vector<Twist6>& motion) const {
  const Vector3 begin = core_at_start();
  const auto arc = [&](std::size_t body) {
    const Vector3 arm = begin - view_.start.position[body];
    const Vector3& seen = view_.end_motion[body].angular;
    const Vector3 more = motion[body].angular - seen;
    return Vector3(0.5 * view_.h * (seen.cross(more.cross(arm)) + more.cross(motion[body].angular.cross(arm))));
  };
  return side_ * (arc(corner_) - arc(facet_));
}

Vector3 ContactMotion::slip_before(const Vector3& normal, double last) const {
  const std::vector<Twist6>& motion = view_.start.motion;
  const auto then = [&](std::size_t body) {
    return placed(view_.start.position[body] - last * motion[body].linear,
                  exponential(-last * motion[body].angular) * view_.start.turn[body]);
  };
  const Vector3 core = core_at_start();
  const Vector3 began = then(corner_)(start(corner_).back(core));
  const Vector3 taken = start(facet_)(then(facet_).back(began));
  const Vector3 turn = turn_against(motion[corner_], motion[facet_], last);
  return side_ / last * (core - taken) - contact_.at.round * turn.cross(normal);
}

Vector3 ContactMotion::turned_on(const Vector3& slip) const {
  return view_.h * view_.end_motion[facet_].angular.cross(slip);
}

double ContactMotion::last_step() const {
  double last = std::numeric_limits<double>::infinity();
  for (const int body : {contact_.body_a, contact_.body_b}) {
    if (view_.numbers.scene().body(body).kind == BodyKind::fixed) continue;
    last = std::min(last, view_.start.last[static_cast<std::size_t>(body)]);
  }
  return last;
}

std::vector<Twist6> expected_motion(const StepView& view) {
  std::vector<Twist6> out = view.end_motion;
  for (std::size_t b = 0; view.first_pass && b < out.size(); ++b) {
    if (!view.coordinates.moves(static_cast<int>(b))) continue;
    const double kick = 0.5 * (view.start.last[b] + view.h);
    const Twist6& motion = view.start.motion[b];
    const Twist6& gain = view.start.acceleration[b];
    out[b] = {motion.linear + kick * gain.linear, motion.angular + kick * gain.angular};
  }
  return out;
}

}  // namespace pegrasp::reference::spatial
