// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/facets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "src/reference/spatial/cylinder.hpp"
#include "src/reference/spatial/round_axis.hpp"
#include "src/reference/spatial/smooth.hpp"

namespace pegrasp::reference::spatial {
namespace {

// Two edges closer to parallel than this (sine) have no common normal to speak of: their faces say it better.
constexpr double parallel_sine = 1e-7;
// Two facets whose normals are this close [rad] make the same contacts.
constexpr double same_direction = 1e-3;

// Overlap, relative to the reach, at which edges beyond it are looked at, too.
constexpr double doubt = 1e-4;

// A facet that comes later in the order, except a face of a, is chosen only if it separates by this much more than the
// chosen one, relative to the smaller part.
constexpr double tie = 2e-8;
double level_of(const PlacedSolid& a, const PlacedSolid& b) {
  return tie * 2.0 * std::min(a.solid->size, b.solid->size);
}
bool both_polyhedra(const PlacedSolid& a, const PlacedSolid& b) {
  return a.solid->polyhedron() && b.solid->polyhedron();
}
// Round facets tie with each other alone.
struct Ties {
  double flat, round;
  FacetKind free = FacetKind::face_of_a;  // need not separate by more
  // By how much a facet has to separate more than the chosen one.
  double over(const Facet& chosen, const Facet& facet) const {
    if (facet.kind == free) return 0.0;
    if (facet.kind == FacetKind::round) return chosen.kind == FacetKind::round ? round : 0.0;
    return flat;
  }
};
Ties ties_of(const PlacedSolid& a, const PlacedSolid& b) {
  constexpr double share = 1e-9;
  if (with_curved(a, b)) {
    // cores of spheres and capsules have no size to speak of
    const PlacedSolid& p = curved_is_b(a, b) ? a : b;
    const PlacedSolid& c = curved_is_b(a, b) ? b : a;
    const double of_c = with_smooth(a, b) ? 0.0 : level_of(c, c);
    return {p.solid->faces.size() > 1 ? level_of(a, b) : of_c, 0.0,
            curved_is_b(a, b) ? FacetKind::face_of_a : FacetKind::face_of_b};
  }
  return {both_polyhedra(a, b) ? level_of(a, b) : 0.0, share * (a.solid->radius + b.solid->radius)};
}

// s of a facet at a pose. `surface`: both bodies have surface where it would touch.
struct FacetSeparation {
  double s = nothing_separates;
  bool surface = true;
};

FacetSeparation face_separation(const PlacedSolid& p, int f, const PlacedSolid& q) {
  const Vector3 n = p.normals.col(f);
  const Support support = q.support(-n);
  const double far = support.value - level_of(p, q);  // of vertices that are as far, one on the surface is enough
  bool surface = q.vertex_on_surface(support.vertex, -n);
  for (int v = 0; v < static_cast<int>(q.vertices.cols()) && !surface; ++v) {
    surface = -n.dot(q.vertices.col(v)) >= far && q.vertex_on_surface(v, -n);
  }
  return {-support.value - p.offsets[f] - q.solid->radius, surface && !p.face(f).covered};
}

// Whether the arc between the normals of a's edge crosses the arc of -b's edge: the ends of each arc lie on two sides
// of the other's great circle, and the arcs meet on one side of the sphere.
bool arcs_cross(const PlacedSolid& a, int i, const PlacedSolid& b, int j) {
  const Vector3 along_a = a.along(i);
  const Vector3 along_b = b.along(j);
  const double b_left = -along_a.dot(b.normals.col(b.edge(j).left));
  const double b_right = -along_a.dot(b.normals.col(b.edge(j).right));
  const double a_left = along_b.dot(a.normals.col(a.edge(i).left));
  const double a_right = along_b.dot(a.normals.col(a.edge(i).right));
  return b_left * b_right < 0.0 && a_left * a_right < 0.0 && b_left * a_right > 0.0;
}

// Whether the box of each edge, along the axes of a, comes within `reach` of the other part's.
bool edges_within(const PlacedSolid& a, int i, const PlacedSolid& b, int j, double reach) {
  if (reach == everywhere) return true;
  const auto near = [&](const PlacedSolid& p, const SolidEdge& edge, const PlacedSolid& q) {
    const Eigen::Matrix3Xd part = a.at.axes.transpose() * q.vertices;
    const Vector3 tail = a.at.axes.transpose() * p.vertices.col(edge.tail);
    const Vector3 head = a.at.axes.transpose() * p.vertices.col(edge.head);
    const Vector3 over = tail.cwiseMin(head) - part.rowwise().maxCoeff();
    const Vector3 under = part.rowwise().minCoeff() - tail.cwiseMax(head);
    return over.maxCoeff() <= reach && under.maxCoeff() <= reach;
  };
  return near(a, a.edge(i), b) && near(b, b.edge(j), a);
}

FacetSeparation edge_separation(const PlacedSolid& a, int i, const PlacedSolid& b, int j, bool facet) {
  const Vector3 n = common_normal(a, i, b, j);
  if (n.isZero(0.0)) return {};
  if (!facet) return {-b.support(-n).value - a.support(n).value, true};
  return {n.dot(b.tail(j) - a.tail(i)), a.edge_on_surface(i, n) && b.edge_on_surface(j, -n)};
}

// Of facets that are equally good, up to a tie, the first counts. The order is therefore part of the rule: faces of a,
// faces of b, edges (round ones: round_pairs).
template <class F>
void for_each_face(const PlacedSolid& a, const PlacedSolid& b, const F& f) {
  if (!b.solid->half_space()) {
    for (int i = 0; i < static_cast<int>(a.solid->faces.size()); ++i) f(Facet{FacetKind::face_of_a, i, 0});
  }
  if (a.solid->half_space()) return;
  for (int i = 0; i < static_cast<int>(b.solid->faces.size()); ++i) f(Facet{FacetKind::face_of_b, i, 0});
}
template <class F>
void for_each_edge_pair(const PlacedSolid& a, const PlacedSolid& b, const F& f) {
  for (int j = 0; j < static_cast<int>(b.solid->edges.size()); ++j) {
    for (int i = 0; i < static_cast<int>(a.solid->edges.size()); ++i) f(i, j);
  }
}

// The pairs of edges of which one may belong to a capsule, the more parallel ones first. Edges that meet in a vertex
// are equally close along the same axis; the edge along which the capsule lies makes the contacts.
std::vector<std::array<int, 2>> round_pairs(const PlacedSolid& a, const PlacedSolid& b) {
  struct Pair {
    std::array<int, 2> edges;
    double parallel;
  };
  std::vector<Pair> all;
  for_each_edge_pair(a, b, [&](int i, int j) {
    const double lengths2 = a.along(i).squaredNorm() * b.along(j).squaredNorm();
    const double along = a.along(i).dot(b.along(j));
    all.push_back({{i, j}, lengths2 > 0.0 ? along * along / lengths2 : 0.0});
  });
  std::stable_sort(all.begin(), all.end(), [](const Pair& x, const Pair& y) { return x.parallel > y.parallel; });
  std::vector<std::array<int, 2>> out;
  for (const Pair& pair : all) out.push_back(pair.edges);
  return out;
}

FacetSeparation face_separation(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b) {
  return facet.kind == FacetKind::face_of_a ? face_separation(a, facet.i, b) : face_separation(b, facet.i, a);
}

double score(double s0, double s1) {
  if (s1 >= 0.0) return 2.0 + s1;
  return s0 > 0.0 ? s0 / (s0 - s1) : -1.0;
}

bool directed_otherwise(const Facet& one, const Facet& other, const PlacedSolid& a, const PlacedSolid& b) {
  if (one == other) return false;
  return (facet_normal(one, a, b) - facet_normal(other, a, b)).norm() > same_direction;
}

// An axis n of another pose, carried along with the polyhedron as a face's normal is.
double carried(const Vector3& n, const PlacedSolid& a_there, const PlacedSolid& b_there, const PlacedSolid& a,
               const PlacedSolid& b) {
  const PlacedSolid& there = a.solid->round() ? b_there : a_there;
  const PlacedSolid& here = a.solid->round() ? b : a;
  return separation_along(here.at.axes * (there.at.axes.transpose() * n), a, b);
}

// A facet at the start and at the end.
struct Candidate {
  Facet facet;
  double s0 = nothing_separates, s1 = nothing_separates;
  bool there() const { return facet.kind != FacetKind::none; }
  double score() const { return spatial::score(s0, s1); }
  double begins() const { return s0 / (s0 - s1); }  // s0 < 0 <= s1: fraction of the motion
};

// By how much [m] `chosen` is ahead of another, by the rule that chose it.
double lead(const Candidate& chosen, const Candidate& other, bool overlap_at_start) {
  if (overlap_at_start) return chosen.s0 - other.s0;
  if (chosen.s1 >= 0.0) return chosen.s1 - other.s1;
  return other.s0 > 0.0 ? (chosen.score() - other.score()) * (other.s0 - other.s1) : chosen.s0 - other.s0;
}

class LatestSearch {
 public:
  LatestSearch(bool through, const Ties& ties) : through_(through), ties_(ties) {}

  void add(const Facet& facet, const FacetSeparation& start, const FacetSeparation& end) {
    const Candidate candidate{facet, start.s, end.s};
    if (!start.surface || !end.surface) {
      add_internal_edge(start.s, end.s);
      return;
    }
    all_.push_back(candidate);
    out_.s0_max = std::max(out_.s0_max, start.s);
    if (start.s > at_start_.s0 + ties_.over(at_start_.facet, facet)) at_start_ = candidate;
    if (through_ && start.s < 0.0 && end.s >= 0.0) {
      if (!other_first_.there() || candidate.begins() < other_first_.begins()) other_first_ = candidate;
      if (!other_best_.there() || candidate.s1 > other_best_.s1) other_best_ = candidate;
      return;
    }
    best_ = std::max(best_, candidate.score());
    const double ahead = candidate.score() - (chosen_.there() ? chosen_.score() : -1.0);
    // of a fraction of the motion: in the distance that the pair comes nearer in it
    if (ahead > 0.0 && ahead * (end.s >= 0.0 ? 1.0 : start.s - end.s) > ties_.over(chosen_.facet, facet))
      chosen_ = candidate;
  }

  void add_far_internal_edge(double s0, double s1) { far_.push_back({{}, s0, s1}); }

  LatestFacet finish(const PlacedSolid& a1, const PlacedSolid& b1, double reach) {
    if (std::max(out_.s0_max, out_.internal_edge0) < -doubt * reach) {
      for (const Candidate& internal_edge : far_) add_internal_edge(internal_edge.s0, internal_edge.s1);
    }
    for (const Candidate& other : {other_first_, other_best_}) {
      if (!other.there() || !(other.score() > best_) || !(other.begins() <= best_)) continue;
      best_ = other.score();
      chosen_ = other;
    }
    const bool overlap = out_.s0_max <= ties_.flat;
    if (overlap) chosen_ = at_start_;
    out_.facet = chosen_.facet;
    out_.s0 = chosen_.s0;
    out_.s1 = chosen_.s1;
    for (const Candidate& other : all_) {
      if (!chosen_.there() || other.s0 == nothing_separates || other.s1 == nothing_separates) continue;
      const double ahead = std::abs(lead(chosen_, other, overlap));
      if (ahead < out_.lead && directed_otherwise(other.facet, chosen_.facet, a1, b1)) out_.lead = ahead;
    }
    return out_;
  }

 private:
  void add_internal_edge(double s0, double s1) {
    out_.internal_edge0 = std::max(out_.internal_edge0, s0);
    if (!through_ || s0 >= 0.0) out_.internal_edge1 = std::max(out_.internal_edge1, s1);
  }

  bool through_;
  Ties ties_;
  LatestFacet out_;
  Candidate at_start_;     // largest s0, or one that ties with it
  Candidate chosen_;       // largest score, likewise
  Candidate other_first_;  // through: of those that hold only at the end, the first to begin
  Candidate other_best_;   // and the one that holds most
  double best_ = -1.0;
  std::vector<Candidate> all_, far_;
};

// A face of a pair with a cylinder.
FacetSeparation face_beside_cylinder(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b) {
  const bool of_a = facet.kind == FacetKind::face_of_a;
  const PlacedSolid& p = of_a ? a : b;
  const PlacedSolid& q = of_a ? b : a;
  const Vector3 n = p.normals.col(facet.i);
  const double s = n.dot(farthest_point_of(q, -n)) - p.offsets[facet.i];
  return {s, q.solid->polyhedron() ? face_separation(p, facet.i, q).surface : !p.face(facet.i).covered};
}

template <class F>
void for_each_beside_cylinder(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1,
                              const PlacedSolid& b1, const F& f) {
  for (const Facet& facet : cylinder_facets(a0, b0)) {
    if (facet.kind == FacetKind::face_of_a || facet.kind == FacetKind::face_of_b) {
      f(facet, face_beside_cylinder(facet, a0, b0), face_beside_cylinder(facet, a1, b1));
      continue;
    }
    const CurvedPeak start = curved_peak(facet, a0, b0);
    const CurvedPeak end = curved_peak(facet, a1, b1);
    if (!start.there && !end.there) continue;
    const Matrix3 on = curved_is_b(a0, b0) ? Matrix3(a1.at.axes * a0.at.axes.transpose())
                                           : Matrix3(b1.at.axes * b0.at.axes.transpose());
    const Vector3 n0 = start.there ? start.n : Vector3(on.transpose() * end.n);
    const Vector3 n1 = end.there ? end.n : Vector3(on * start.n);
    f(facet, FacetSeparation{separation_of_all(n0, a0, b0), !start.there || curved_on_surface(facet, n0, a0, b0)},
      FacetSeparation{separation_of_all(n1, a1, b1), !end.there || curved_on_surface(facet, n1, a1, b1)});
  }
}

// Calls f(facet, start, end) for all facets with their separations at both placements.
template <class F>
void for_each_facet(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1, const PlacedSolid& b1,
                    const F& f) {
  if (with_curved(a0, b0)) {
    for_each_beside_cylinder(a0, b0, a1, b1, f);
    return;
  }
  for_each_face(a0, b0,
                [&](const Facet& facet) { f(facet, face_separation(facet, a0, b0), face_separation(facet, a1, b1)); });
  if (both_polyhedra(a0, b0)) {
    for_each_edge_pair(a0, b0, [&](int i, int j) {
      const bool at_start = arcs_cross(a0, i, b0, j);
      const bool at_end = arcs_cross(a1, i, b1, j);
      if (!at_start && !at_end) return;
      f(Facet{FacetKind::edges, i, j}, edge_separation(a0, i, b0, j, at_start), edge_separation(a1, i, b1, j, at_end));
    });
  } else if (!a0.solid->half_space() && !b0.solid->half_space()) {
    const bool faces = !a0.solid->round() || !b0.solid->round();
    for (const auto& [i, j] : round_pairs(a0, b0)) {
      const RoundAxis start = round_axis(a0, i, b0, j);
      const RoundAxis end = round_axis(a1, i, b1, j);
      if (!start.facet && !end.facet) continue;
      f(Facet{FacetKind::round, i, j},
        FacetSeparation{start.facet || !faces ? start.s : carried(end.n, a1, b1, a0, b0),
                        !start.facet || on_surface(start, a0, i, b0, j)},
        FacetSeparation{end.facet || !faces ? end.s : carried(start.n, a0, b0, a1, b1),
                        !end.facet || on_surface(end, a1, i, b1, j)});
    }
  }
}

}  // namespace

Vector3 common_normal(const PlacedSolid& a, int i, const PlacedSolid& b, int j) {
  const Vector3 along_a = a.along(i);
  const Vector3 along_b = b.along(j);
  const Vector3 n = along_a.cross(along_b);
  const double length = n.norm();
  if (!(length > parallel_sine * along_a.norm() * along_b.norm())) return Vector3::Zero();
  const Vector3 outward = a.normals.col(a.edge(i).left) + a.normals.col(a.edge(i).right);
  return (n.dot(outward) < 0.0 ? -1.0 : 1.0) / length * n;
}

Vector3 facet_normal(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b) {
  switch (facet.kind) {
    case FacetKind::face_of_a:
      return a.normals.col(facet.i);
    case FacetKind::face_of_b:
      return -b.normals.col(facet.i);
    case FacetKind::edges:
      return common_normal(a, facet.i, b, facet.j);
    case FacetKind::round:
      return round_axis(a, facet.i, b, facet.j).n;
    case FacetKind::curved_edge:
    case FacetKind::curved_vertex:
      return curved_peak(facet, a, b).n;
    case FacetKind::none:
      break;
  }
  return Vector3::Zero();
}

PairSeparation best_separation(const PlacedSolid& a, const PlacedSolid& b, double reach) {
  PairSeparation best;
  double far_internal_edge = nothing_separates;
  double chosen = nothing_separates;
  std::vector<Candidate> all;
  const auto look_at = [&](const Facet& facet, const FacetSeparation& at) {
    if (!at.surface) {
      best.internal_edge = std::max(best.internal_edge, at.s);
      return;
    }
    all.push_back({facet, at.s, at.s});
    best.s = std::max(best.s, at.s);
    if (at.s > chosen + ties_of(a, b).over(best.facet, facet)) {
      chosen = at.s;
      best.facet = facet;
    }
  };
  if (with_curved(a, b)) {
    for_each_beside_cylinder(
        a, b, a, b, [&](const Facet& facet, const FacetSeparation& at, const FacetSeparation&) { look_at(facet, at); });
  } else {
    for_each_face(a, b, [&](const Facet& facet) { look_at(facet, face_separation(facet, a, b)); });
  }
  if (both_polyhedra(a, b)) {
    for_each_edge_pair(a, b, [&](int i, int j) {
      if (!arcs_cross(a, i, b, j)) return;
      const FacetSeparation at = edge_separation(a, i, b, j, true);
      if (at.s == nothing_separates) return;
      if (!at.surface && !edges_within(a, i, b, j, reach)) {
        far_internal_edge = std::max(far_internal_edge, at.s);
      } else {
        look_at({FacetKind::edges, i, j}, at);
      }
    });
    if (best.value() < -doubt * reach) best.internal_edge = std::max(best.internal_edge, far_internal_edge);
  } else if (!a.solid->half_space() && !b.solid->half_space() && !with_curved(a, b)) {
    for (const auto& [i, j] : round_pairs(a, b)) {
      const RoundAxis axis = round_axis(a, i, b, j);
      if (axis.facet) look_at({FacetKind::round, i, j}, {axis.s, on_surface(axis, a, i, b, j)});
    }
  }
  for (const Candidate& other : all) {
    const double ahead = std::abs(chosen - other.s0);
    if (ahead < best.lead && directed_otherwise(other.facet, best.facet, a, b)) best.lead = ahead;
  }
  return best;
}

bool within_reach(const PlacedSolid& a, const PlacedSolid& b, double eps) {
  if (a.solid->half_space() || b.solid->half_space()) return best_separation(a, b).value() <= eps;
  const double reach = eps + a.solid->outer() + b.solid->outer();
  const Vector3 over = a.vertices.rowwise().minCoeff() - b.vertices.rowwise().maxCoeff();
  const Vector3 under = b.vertices.rowwise().minCoeff() - a.vertices.rowwise().maxCoeff();
  return over.maxCoeff() <= reach && under.maxCoeff() <= reach;
}

LatestFacet latest_facet(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1, const PlacedSolid& b1,
                         bool through, double reach, const FacetFilter& counts) {
  LatestSearch search(through, ties_of(a0, b0));
  for_each_facet(a0, b0, a1, b1, [&](const Facet& facet, const FacetSeparation& start, const FacetSeparation& end) {
    const bool internal_edge = !start.surface || !end.surface;
    const auto far = [&] {
      return !edges_within(a0, facet.i, b0, facet.j, reach) && !edges_within(a1, facet.i, b1, facet.j, reach);
    };
    if (internal_edge && facet.kind == FacetKind::edges && far()) {
      search.add_far_internal_edge(start.s, end.s);
    } else if (internal_edge || !counts || counts(facet, start.s)) {
      search.add(facet, start, end);
    }
  });
  return search.finish(a1, b1, reach);
}

ChosenFacet last_to_separate(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1, const PlacedSolid& b1,
                             const FacetFilter& counts) {
  const Ties ties = ties_of(a0, b0);
  Candidate best;
  std::vector<Candidate> all;
  for_each_facet(a0, b0, a1, b1, [&](const Facet& facet, const FacetSeparation& start, const FacetSeparation& end) {
    if (!start.surface || !end.surface || !counts(facet, start.s)) return;
    all.push_back({facet, start.s, end.s});
    if (end.s > best.s1 + ties.over(best.facet, facet)) best = all.back();
  });
  ChosenFacet out;
  for (const Candidate& other : all) {
    const double ahead = std::abs(best.s1 - other.s1);
    if (ahead < out.lead && directed_otherwise(other.facet, best.facet, a1, b1)) out.lead = ahead;
  }
  out.facet = best.facet;
  out.s = best.s1;
  return out;
}

}  // namespace pegrasp::reference::spatial
