// SPDX-License-Identifier: Apache-2.0
// Which facet a pair of parts gets in a pass of an attempt (attempt_frame.hpp).
#pragma once

#include "src/reference/common/attempt_frame.hpp"

namespace pegrasp::reference {

// Of the facets that are not violated at the start that which separates most if both bodies go on as in the last step,
// where they then stay apart: what rests on others does not come to all facets to which its free motion leads.
template <class Dimension>
void AttemptFrame<Dimension>::expect(NearPair& pair) const {
  const std::optional<Placed> a = expected_part(pair.parts.part_a);
  const std::optional<Placed> b = expected_part(pair.parts.part_b);
  if (!a || !b) return;
  const double least = -options_.penetration_tolerance - pair.shell.thickness;
  const auto last = Dimension::last_to_separate(start_part(pair.parts.part_a), start_part(pair.parts.part_b), *a, *b,
                                                [least](const Facet&, double s0) { return s0 >= least; });
  if (last.facet == Facet{} || !(last.s >= least)) return;
  pair.facet = last.facet;
  pair.lead = last.lead;
}

// The facet that is violated latest from the start pose to the current end pose.
template <class Dimension>
void AttemptFrame<Dimension>::choose(NearPair& pair) const {
  const int a = pair.parts.part_a;
  const int b = pair.parts.part_b;
  const auto latest =
      Dimension::latest_facet(start_part(a), start_part(b), end_part(a), end_part(b), pair.risk, pair.eps);
  pair.start = std::max(latest.s0_max, latest.internal_edge0);
  pair.facet = latest.facet;
  pair.lead = latest.lead;
  if (pass_ > 0) leave_latest_out_of_reach(pair, latest.internal_edge0);
  if (pass_ == 0 && !pair.risk && latest.s0 > options_.penetration_tolerance && latest.s1 < 0.0) expect(pair);
  pair.end_facet = pair.facet;
  pair.end_lead = pair.lead;
  pair.end = std::max(latest.s1, latest.internal_edge1);
  pair.near = pair.start <= pair.eps;
  pair.target = std::min(-pair.shell.thickness, pair.start + recovery_);
  if (fresh_) {
    pair.apart = true;
    pair.overlapped = false;
  }
  if (!Dimension::kept_by_internal_edge(latest.s1, latest.internal_edge1, options_.penetration_tolerance) &&
      !came_through_sibling(pair, latest.s1, latest.internal_edge1)) {
    pair.apart = false;
  }
  if (!pair.near || latest.s1 >= 0.0 || !leave_hidden_facet(pair, true, pair.facet, pair.lead)) return;
  pair.end_facet = pair.facet;
  pair.end_lead = pair.lead;
  // Where the parts do not lie over each other yet, the first solve leaves the pair alone.
  if (!pair.overlapped && !Dimension::touch_of(pair.facet, start_part(a), start_part(b), 0.0).over) pair.apart = true;
}

// The parts near `other` that may hide part `own` from it. Where `other` is not dynamic they have to be near `own`, of
// its body, or jointed to that.
template <class Dimension>
std::vector<int> AttemptFrame<Dimension>::beside(int own, int other) const {
  const auto near = [this](int x, int y) {
    return std::any_of(pairs_.begin(), pairs_.end(), [x, y](const NearPair& pair) {
      return (pair.parts.part_a == x && pair.parts.part_b == y) || (pair.parts.part_a == y && pair.parts.part_b == x);
    });
  };
  const int body = scene_.part_body(own);
  const auto belongs = [&](int part) {
    const int owner = scene_.part_body(part);
    if (owner == body) return true;
    if (scene_.body(owner).dynamic() && near(part, own)) return true;
    return std::any_of(scene_.spec().joints.begin(), scene_.spec().joints.end(), [&](const JointSpec& joint) {
      return (joint.body_a == body && joint.body_b == owner) || (joint.body_a == owner && joint.body_b == body);
    });
  };
  const bool any = scene_.body(scene_.part_body(other)).dynamic();
  std::vector<int> out;
  for (const NearPair& pair : pairs_) {
    if (pair.parts.part_a != other && pair.parts.part_b != other) continue;
    const int part = pair.parts.part_a == other ? pair.parts.part_b : pair.parts.part_a;
    if (part != own && (any || belongs(part))) out.push_back(part);
  }
  return out;
}

template <class Dimension>
template <class Vector>
bool AttemptFrame<Dimension>::covered_by(const std::vector<int>& parts, const std::vector<Placed>& at,
                                         const TouchedSurface<Vector>& surface) const {
  const double slack = flush_slack * options_.penetration_tolerance;
  return std::all_of(surface.segments.begin(), surface.segments.end(), [&](const std::pair<Vector, Vector>& segment) {
    std::vector<CoveredSpan> spans;
    for (const int part : parts) {
      const Placed& placed = at[static_cast<std::size_t>(part)];
      if (!Dimension::reaches_beyond(placed, segment.first, surface.out, slack)) continue;
      spans.push_back(Dimension::covered_span(placed, segment.first, segment.second, slack));
    }
    return cover_all(spans);
  });
}

// Whether other parts cover all that the facet touches of one of the two parts, at the start and at the end.
template <class Dimension>
bool AttemptFrame<Dimension>::hidden(const NearPair& pair, const Facet& facet) const {
  const double around = flush_around * options_.penetration_tolerance;
  const auto a = static_cast<std::size_t>(pair.parts.part_a);
  const auto b = static_cast<std::size_t>(pair.parts.part_b);
  const std::array<std::vector<int>, 2> others{beside(pair.parts.part_a, pair.parts.part_b),
                                               beside(pair.parts.part_b, pair.parts.part_a)};
  std::array<bool, 2> covered{!others[0].empty(), !others[1].empty()};
  for (const std::vector<Placed>* at : {&start_parts_, &end_parts_}) {
    if (!covered[0] && !covered[1]) return false;
    const auto touch = Dimension::touch_of(facet, (*at)[a], (*at)[b], around);
    for (const std::size_t side : {0u, 1u}) {
      covered[side] = covered[side] && covered_by(others[side], *at, touch.on[side]);
    }
  }
  return covered[0] || covered[1];
}

// Replaces a facet that is hidden by the best one that is not, if one separates the parts at the start.
template <class Dimension>
bool AttemptFrame<Dimension>::leave_hidden_facet(const NearPair& pair, bool along_motion, Facet& facet,
                                                 double& lead) const {
  if (facet == Facet{} || !hidden(pair, facet)) return false;
  const auto counts = [&](const Facet& other, double s0) {
    return s0 >= -options_.reject_depth - pair.shell.thickness && !hidden(pair, other);
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
  if (found == Facet{}) return false;
  facet = found;
  lead = found_lead;
  return true;
}

template <class Dimension>
void AttemptFrame<Dimension>::choose_facets() {
  for (NearPair& pair : pairs_) {
    if (fresh_ || (pair.risk && !pair.settled)) {
      choose(pair);
    } else {
      pair.facet = pair.end_facet;
      pair.lead = pair.end_lead;
    }
  }
  fresh_ = false;
}

}  // namespace pegrasp::reference
