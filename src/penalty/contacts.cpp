// SPDX-License-Identifier: Apache-2.0
#include "src/penalty/contacts.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/model/model.hpp"
#include "src/penalty/impact.hpp"
#include "src/penalty/overlap.hpp"

namespace pegrasp {
namespace {

// Rounds over all pairs that meet: each stops its own bodies, and sets others in motion. Stacks of so many bodies are
// stopped to the threshold; of higher ones the springs do the rest.
constexpr int most_rounds = 100;

// Two bodies that may touch.
struct BodyPair {
  int a = 0, b = 0;
  int first_parts = 0, last_parts = 0;  // of the list of pairs of parts
  bool moves = false;                   // one of them answers to forces
};

// What is remembered of a pair from step to step.
struct PairState {
  bool rests = false;  // has overlapped since the last step or longer
  double sum = 0.0;    // I of (2) [m]
  Vec3 stuck;          // how far friction's spring is drawn [m]
};

// What a step finds of a pair at its beginning.
struct PairStep {
  std::vector<PartOverlap> overlaps;
  double depth = 0.0;   // the deepest point's [m]
  bool fresh = false;   // did not rest before
  double normal = 0.0;  // sum of the normal forces [N]
  Vec3 slip;            // mean of the points, by their force [m/s]
};

class DrumwrightContacts final : public PenaltyContacts {
 public:
  DrumwrightContacts(const Model& model, const StepOptions& options)
      : view_(model.view()),
        law_(options.penalty),
        deepest_(options.contact == ContactModel::penalty_deepest),
        shapes_(penalty_shapes(view_)),
        placed_(shapes_.size()) {
    for (int k = 0; k < view_.body_pair_count; ++k) {
      BodyPair pair{view_.body_pair_a[k], view_.body_pair_b[k], view_.body_pair_first_part[k],
                    view_.body_pair_first_part[k + 1], false};
      pair.moves = view_.body_node[pair.a] >= 0 || view_.body_node[pair.b] >= 0;
      pairs_.push_back(pair);
    }
    mass_.resize(pairs_.size());
    friction_.resize(pairs_.size());
  }

  void begin(const double* parameters) override {
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      mass_[k] = 0.0;
      for (const int body : {pairs_[k].a, pairs_[k].b}) {
        if (view_.body_node[body] >= 0) mass_[k] += parameters[view_.at.mass + body];
      }
      friction_[k] = parameters[view_.at.friction + static_cast<int>(k)];
    }
    states_.assign(pairs_.size(), {});
    steps_.assign(pairs_.size(), {});
    contacts_.clear();
  }

  double place(std::span<const PenaltyMotion> bodies) override {
    place_parts(bodies);
    double deepest = 0.0;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      find(k, bodies, steps_[k].overlaps);
      steps_[k].depth = 0.0;
      for (const PartOverlap& overlap : steps_[k].overlaps) {
        steps_[k].depth = std::max(steps_[k].depth, overlap.points[0].depth);
      }
      deepest = std::max(deepest, steps_[k].depth);
    }
    return deepest;
  }

  void meet(std::span<PenaltyMotion> bodies, std::span<const PenaltyInertia> inertias) override {
    contacts_.clear();
    std::vector<int> hit_by(bodies.size(), none);  // the pair that has hit the body, or `several`
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      steps_[k].fresh = !steps_[k].overlaps.empty() && !states_[k].rests;
    }
    for (int round = 0; round < most_rounds; ++round) {
      bool any = false;
      for (std::size_t k = 0; k < pairs_.size(); ++k) {
        if (!steps_[k].overlaps.empty()) any = stop_pair(k, bodies, inertias, hit_by) || any;
      }
      if (!any) break;
    }
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      if (steps_[k].overlaps.empty()) {
        states_[k] = {};
      } else {
        states_[k].rests = true;
      }
    }
  }

  void loads(std::span<const PenaltyMotion> bodies, std::span<PenaltyLoad> loads, bool begins, double time) override {
    if (!begins) place_parts(bodies);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      if (!states_[k].rests) continue;
      if (!begins) find(k, bodies, scratch_);
      push_pair(k, begins ? steps_[k].overlaps : scratch_, bodies, loads, begins, time);
    }
  }

  void keep(double h) override {
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      PairState& state = states_[k];
      const PairStep& step = steps_[k];
      if (!state.rests) continue;
      state.sum = law_.lambda * state.sum + step.depth;
      if (!(step.normal > 0.0) || !(length(step.slip) < law_.still_speed)) {
        state.stuck = {};
        continue;
      }
      state.stuck = state.stuck + h * step.slip;
      const double drawn = law_.stiffness * mass_[k] * length(state.stuck), most = friction_[k] * step.normal;
      if (drawn > most) state.stuck = (most / drawn) * state.stuck;
    }
  }

  const std::vector<PenaltyContact>& contacts() const override { return contacts_; }

 private:
  static constexpr int none = -1, several = -2;

  struct Pusher {  // a point with its force
    const PartOverlap* overlap;
    const OverlapPoint* point;
    double force;
  };

  void place_parts(std::span<const PenaltyMotion> bodies) {
    for (std::size_t part = 0; part < shapes_.size(); ++part) {
      const PenaltyMotion& body = bodies[static_cast<std::size_t>(view_.part_body[part])];
      if (body.present) place_part(shapes_[part], body, placed_[part]);
    }
  }

  // The overlaps of pair k, of the parts as they are placed.
  void find(std::size_t k, std::span<const PenaltyMotion> bodies, std::vector<PartOverlap>& out) {
    const BodyPair& pair = pairs_[k];
    std::size_t count = 0;
    const bool there = pair.moves && bodies[static_cast<std::size_t>(pair.a)].present &&
                       bodies[static_cast<std::size_t>(pair.b)].present;
    for (int i = pair.first_parts; there && i < pair.last_parts; ++i) {
      if (out.size() == count) out.emplace_back();
      PartOverlap& overlap = out[count];
      overlap.part_a = view_.part_pair_a[i];
      overlap.part_b = view_.part_pair_b[i];
      if (!find_overlap(placed_[static_cast<std::size_t>(overlap.part_a)],
                        placed_[static_cast<std::size_t>(overlap.part_b)], overlap))
        continue;
      if (deepest_) overlap.points.resize(1);
      ++count;
    }
    out.resize(count);
    if (!deepest_ || count < 2) return;
    const auto deeper = [](const PartOverlap& x, const PartOverlap& y) {
      return x.points[0].depth < y.points[0].depth;
    };
    out.assign(1, PartOverlap(*std::max_element(out.begin(), out.end(), deeper)));
  }

  // Stops a pair that comes together, if it may be hit. Returns whether it did.
  bool stop_pair(std::size_t k, std::span<PenaltyMotion> bodies, std::span<const PenaltyInertia> inertias,
                 std::vector<int>& hit_by) {
    const auto a = static_cast<std::size_t>(pairs_[k].a), b = static_cast<std::size_t>(pairs_[k].b);
    const auto by_third = [&](std::size_t body) { return hit_by[body] != none && hit_by[body] != static_cast<int>(k); };
    if (!steps_[k].fresh && !by_third(a) && !by_third(b)) return false;
    bool any = false;
    for (const PartOverlap& overlap : steps_[k].overlaps) {
      Vec3 middle;
      for (const OverlapPoint& point : overlap.points) middle = middle + point.at;
      middle = (1.0 / static_cast<double>(overlap.points.size())) * middle;
      const Vec3 apart = velocity_at(bodies[b], middle) - velocity_at(bodies[a], middle);
      if (!(dot(apart, overlap.normal) < -law_.impact_speed)) continue;
      const Vec3 impulse =
          meeting_impulse(bodies[a], inertias[a], bodies[b], inertias[b], middle, overlap.normal, friction_[k]);
      push(bodies[a], inertias[a], middle, -impulse);
      push(bodies[b], inertias[b], middle, impulse);
      any = true;
      PenaltyContact contact = contact_at(k, overlap, {middle, overlap.points[0].depth});
      contact.normal_impulse = dot(impulse, overlap.normal);
      contact.tangential_impulse = impulse - contact.normal_impulse * overlap.normal;
      contacts_.push_back(contact);
    }
    if (!any) return false;
    for (const std::size_t body : {a, b}) {
      hit_by[body] = hit_by[body] == none || hit_by[body] == static_cast<int>(k) ? static_cast<int>(k) : several;
    }
    return true;
  }

  PenaltyContact contact_at(std::size_t k, const PartOverlap& overlap, const OverlapPoint& point) const {
    PenaltyContact contact;
    contact.body_a = pairs_[k].a;
    contact.body_b = pairs_[k].b;
    contact.part_a = overlap.part_a;
    contact.part_b = overlap.part_b;
    contact.face_of_b = overlap.face_of_b;
    contact.point = point.at;
    contact.normal = overlap.normal;
    contact.depth = point.depth;
    contact.friction = friction_[k];
    return contact;
  }

  Vec3 slip_at(std::size_t k, const PartOverlap& overlap, Vec3 x, std::span<const PenaltyMotion> bodies,
               double& parting) const {
    const Vec3 apart = velocity_at(bodies[static_cast<std::size_t>(pairs_[k].b)], x) -
                       velocity_at(bodies[static_cast<std::size_t>(pairs_[k].a)], x);
    parting = dot(apart, overlap.normal);
    return apart - parting * overlap.normal;
  }

  // The forces of a pair, (3).
  void push_pair(std::size_t k, const std::vector<PartOverlap>& overlaps, std::span<const PenaltyMotion> bodies,
                 std::span<PenaltyLoad> loads, bool begins, double time) {
    pushers_.clear();
    double all = 0.0;
    for (const PartOverlap& overlap : overlaps) {
      for (const OverlapPoint& point : overlap.points) {
        double parting = 0.0;
        slip_at(k, overlap, point.at, bodies, parting);
        const double force =
            mass_[k] * (law_.stiffness * point.depth - law_.damping * parting + law_.integral * states_[k].sum);
        if (!(force > 0.0)) continue;
        pushers_.push_back({&overlap, &point, force});
        all += force;
      }
    }
    const double r = static_cast<double>(pushers_.size());
    Vec3 slips;
    for (Pusher& pusher : pushers_) {
      const double share = pusher.force / all;
      pusher.force /= r;
      double parting = 0.0;
      const Vec3 slip = slip_at(k, *pusher.overlap, pusher.point->at, bodies, parting);
      slips = slips + share * slip;
      const double most = friction_[k] * pusher.force;
      const bool slides = length(slip) >= law_.still_speed;
      const Vec3 rubbed = most > 0.0 ? friction_force(k, *pusher.overlap, slip, share, most, slides) : Vec3{};
      const Vec3 force = pusher.force * pusher.overlap->normal + rubbed;
      add(loads[static_cast<std::size_t>(pairs_[k].a)], bodies[static_cast<std::size_t>(pairs_[k].a)], pusher.point->at,
          -force);
      add(loads[static_cast<std::size_t>(pairs_[k].b)], bodies[static_cast<std::size_t>(pairs_[k].b)], pusher.point->at,
          force);
      if (!begins) continue;
      PenaltyContact contact = contact_at(k, *pusher.overlap, *pusher.point);
      contact.normal_impulse = time * pusher.force;
      contact.tangential_impulse = time * rubbed;
      contact.slip = slip;
      contact.slides = slides;
      contacts_.push_back(contact);
    }
    if (!begins) return;
    steps_[k].normal = pushers_.empty() ? 0.0 : all / r;
    steps_[k].slip = slips;
  }

  // On b, at a point that has this share of the pair's force; `most` [N]: at most.
  Vec3 friction_force(std::size_t k, const PartOverlap& overlap, Vec3 slip, double share, double most,
                      bool slides) const {
    if (slides) return (-most / length(slip)) * slip;
    const Vec3 stuck = states_[k].stuck - dot(states_[k].stuck, overlap.normal) * overlap.normal;
    const Vec3 wanted = (-share * mass_[k] * law_.stiffness) * stuck - (most / law_.still_speed) * slip;
    const double size = length(wanted);
    return size > most ? (most / size) * wanted : wanted;
  }

  static void add(PenaltyLoad& load, const PenaltyMotion& body, Vec3 x, Vec3 force) {
    load.force = load.force + force;
    load.torque = load.torque + cross(x - body.centre, force);
  }

  ModelView view_;
  PenaltyOptions law_;
  bool deepest_;
  std::vector<PenaltyShape> shapes_;
  std::vector<PlacedPart> placed_;
  std::vector<BodyPair> pairs_;
  std::vector<double> mass_, friction_;  // (pairs) together [kg]; coefficient
  std::vector<PairState> states_;
  std::vector<PairStep> steps_;
  std::vector<PartOverlap> scratch_;
  std::vector<Pusher> pushers_;
  std::vector<PenaltyContact> contacts_;
};

}  // namespace

std::unique_ptr<PenaltyContacts> make_penalty_contacts(const Model& model, const StepOptions& options) {
  return std::make_unique<DrumwrightContacts>(model, options);
}

}  // namespace pegrasp
