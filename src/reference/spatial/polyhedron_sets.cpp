// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/polyhedron_sets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/reference/spatial/facets.hpp"

namespace pegrasp::reference::spatial {
namespace {

Vector3 vertex_at(const PlacedSolid& p, int v) { return p.vertices.col(v); }
Vector3 head(const PlacedSolid& p, int e) { return p.vertices.col(p.edge(e).head); }
int vertex_count(const PlacedSolid& p) { return static_cast<int>(p.vertices.cols()); }
int edge_count(const PlacedSolid& p) { return static_cast<int>(p.solid->edges.size()); }
int face_count(const PlacedSolid& p) { return static_cast<int>(p.solid->faces.size()); }
double height(const PlacedSolid& p, int f, const Vector3& x) { return p.normals.col(f).dot(x) - p.offsets[f]; }
// Whether x lies in p, up to a rounding [m].
bool holds(const PlacedSolid& p, const Vector3& x, double rounding) {
  for (int f = 0; f < face_count(p); ++f) {
    if (height(p, f, x) > rounding) return false;
  }
  return true;
}
bool ends_in(const SolidEdge& e, int v) { return e.tail == v || e.head == v; }

// Algorithm 3.
double distance_to_segment(const Vector3& x, const Vector3& from, const Vector3& to) {
  const Vector3 along = to - from;
  const double length2 = along.squaredNorm();
  const double t = length2 > 0.0 ? std::clamp((x - from).dot(along) / length2, 0.0, 1.0) : 0.0;
  return (x - from - t * along).norm();
}
double distance_to_edge(const Vector3& x, const PlacedSolid& p, int e) {
  return distance_to_segment(x, p.tail(e), head(p, e));
}

// Algorithm 7: the nearest points of two segments.
std::pair<Vector3, Vector3> nearest_points(const PlacedSolid& a, int i, const PlacedSolid& b, int j) {
  const Vector3 d = a.along(i), e = b.along(j), r = a.tail(i) - b.tail(j);
  const double dd = d.squaredNorm(), ee = e.squaredNorm(), de = d.dot(e), dr = d.dot(r), er = e.dot(r);
  const double sine2 = dd * ee - de * de;
  double s = sine2 > 0.0 ? std::clamp((de * er - dr * ee) / sine2, 0.0, 1.0) : 0.0;
  double t = (de * s + er) / ee;
  if (t < 0.0 || t > 1.0) {
    t = std::clamp(t, 0.0, 1.0);
    s = std::clamp((de * t - dr) / dd, 0.0, 1.0);
  }
  return {a.tail(i) + s * d, b.tail(j) + t * e};
}

// How far the faces beside an edge lean away from n, the less of both: (3.2), (3.5).
double lean(const PlacedSolid& p, int e, const Vector3& n) {
  const Vector3 unit = p.along(e).normalized();
  const Vector3 left = p.normals.col(p.edge(e).left), right = p.normals.col(p.edge(e).right);
  return std::min(-n.dot(left.cross(unit)), -n.dot(unit.cross(right)));
}

class Pair {
 public:
  Pair(const PlacedSolid& a, const PlacedSolid& b, double eps, const ContactRules& rules)
      : a_(a), b_(b), eps_(eps), rules_(rules), depth_(rules.feasible_depth_ratio * eps) {
    if (!rules.keep_overlaps) return;
    const double s = best_separation(a, b).value();
    if (s <= rounding()) deepest_ = eps - std::min(s, 0.0);
    if (s >= 0.0) return;
    inside_ = eps - s;
    depth_ = std::max(depth_, inside_);
  }

  SolidConstraints find() {
    const bool peg = rules_.sets == ContactSets::peg_one || rules_.sets == ContactSets::peg_several;
    for (const bool vertex_on_a : {false, true}) peg ? vertices_of(vertex_on_a) : near_faces(vertex_on_a);
    edges_at_edges();
    return std::move(found_);
  }

 private:
  const PlacedSolid& vertex_part(bool vertex_on_a) const { return vertex_on_a ? a_ : b_; }
  const PlacedSolid& face_part(bool vertex_on_a) const { return vertex_on_a ? b_ : a_; }
  const SolidContact& at(int i) const { return found_.contacts[static_cast<std::size_t>(i)]; }
  double psi(int i) const { return place_of(at(i), a_, b_).gap; }

  double appl(const SolidContact& c) const {
    if (c.edges) return applicability(a_, c.i, b_, c.j, place_of(c, a_, b_).normal);
    return applicability(vertex_part(c.vertex_on_a), c.i, face_part(c.vertex_on_a).normals.col(c.j));
  }
  // APPL and FEAS of algorithms 9, 12 and 13.
  bool forceful(const SolidContact& c) const {
    if (appl(c) < rules_.applicable_sine) return false;
    const double gap = place_of(c, a_, b_).gap;
    if (c.edges) return gap > -depth_;
    const PlacedSolid& p = face_part(c.vertex_on_a);
    const Vector3 x = vertex_at(vertex_part(c.vertex_on_a), c.i);
    const double beyond = distance_to_face(p, c.j, x - gap * p.normals.col(c.j));
    return gap > -depth_ - rules_.feasible_slope * beyond;
  }

  double rounding() const { return 1e-6 * eps_; }
  bool near_face(const PlacedSolid& p, int f, const Vector3& x) const {
    const double apart = distance_to_face(p, f, x);
    return apart <= eps_ || (apart <= inside_ && holds(p, x, rounding()));
  }
  bool near_edges(const Vector3& on_a, const Vector3& on_b) const {
    const double apart = (on_a - on_b).norm();
    return apart <= eps_ || (apart <= inside_ && holds(b_, on_a, rounding()) && holds(a_, on_b, rounding()));
  }

  static SolidContact vertex_face(bool vertex_on_a, int v, int f) { return {false, vertex_on_a, v, f, false}; }
  int contact(const SolidContact& wanted) {
    const auto place = std::find(found_.contacts.begin(), found_.contacts.end(), wanted);
    if (place != found_.contacts.end()) return static_cast<int>(place - found_.contacts.begin());
    found_.contacts.push_back(wanted);
    return static_cast<int>(found_.contacts.size()) - 1;
  }
  // Of edge e of the part with the face and edge k of the other, along n, which is outward from the former.
  int edges(bool vertex_on_a, int e, int k, const Vector3& n) {
    SolidContact c{true, true, vertex_on_a ? k : e, vertex_on_a ? e : k, false};
    const double along = place_of(c, a_, b_).normal.dot(n);
    c.flipped = vertex_on_a ? along > 0.0 : along < 0.0;
    return contact(c);
  }

  // C-split (algorithm 9), with one carrier the one with the largest gap of those that may carry.
  std::vector<int> carriers(const std::vector<int>& all) const {
    std::vector<int> found;
    for (const int i : all) {
      if (forceful(at(i))) found.push_back(i);
    }
    const auto best = [&](const std::vector<int>& list, const auto& value) {
      return *std::max_element(list.begin(), list.end(), [&](int i, int j) { return value(i) < value(j); });
    };
    if (found.empty() && !rules_.drop_without_carrier) found = {best(all, [&](int i) { return appl(at(i)); })};
    if (rules_.sets == ContactSets::peg_one && found.size() > 1) found = {best(found, [&](int i) { return psi(i); })};
    return found;
  }
  void inter(const std::vector<int>& all) {
    InterContact set{carriers(all), {}};
    if (set.carriers.empty()) return;
    for (const int i : all) {
      if (std::find(set.carriers.begin(), set.carriers.end(), i) == set.carriers.end()) set.masks.push_back(i);
    }
    found_.inter.push_back(std::move(set));
  }
  void cross(int c, int d) {
    CrossContact set{{c}, {d}, carriers({c, d})};
    if (!set.carriers.empty()) found_.cross.push_back(std::move(set));
  }

  // With keep_overlaps: a vertex that lies in the other part, in line with one of its sides as where boxes are flush,
  // is on top of that side, whose row would hold it across and let it sink. Sides through which the vertex's own part
  // reaches are not where the two meet.
  void leave_sides_out(const Vector3& x, const PlacedSolid& own, const PlacedSolid& other,
                       std::vector<int>& near) const {
    if (!(deepest_ >= 0.0) || near.size() < 2 || !holds(other, x, rounding())) return;
    std::vector<int> facing;
    for (const int f : near) {
      double least = 0.0;
      for (int v = 0; v < vertex_count(own); ++v) least = std::min(least, height(other, f, vertex_at(own, v)));
      if (least >= -deepest_) facing.push_back(f);
    }
    if (!facing.empty()) near = std::move(facing);
  }

  // Standard model and LNC: one vertex against all faces that are near (algorithm 6).
  void near_faces(bool vertex_on_a) {
    const PlacedSolid& p = face_part(vertex_on_a);
    const PlacedSolid& q = vertex_part(vertex_on_a);
    for (int v = 0; v < vertex_count(q); ++v) {
      const Vector3 x = vertex_at(q, v);
      std::vector<int> near;
      for (int f = 0; f < face_count(p); ++f) {
        if (near_face(p, f, x)) near.push_back(f);
      }
      if (near.empty()) continue;
      if (rules_.sets != ContactSets::standard_all) leave_sides_out(x, q, p, near);
      if (rules_.sets == ContactSets::standard_single) {
        // Beyond a rim all faces there are as far away as the rim. The face with the largest gap is the one in front.
        const auto nearer = [&](int f, int g) {
          const double difference = distance_to_face(p, f, x) - distance_to_face(p, g, x), rounding = 1e-12 * eps_;
          return std::abs(difference) > rounding ? difference < 0.0 : height(p, f, x) > height(p, g, x);
        };
        near = {*std::min_element(near.begin(), near.end(), nearer)};
      }
      std::vector<int> contacts;
      for (const int f : near) contacts.push_back(contact(vertex_face(vertex_on_a, v, f)));
      if (rules_.sets == ContactSets::lnc && contacts.size() > 1) {
        found_.inter.push_back({contacts, {}});
      } else {
        found_.unilateral.insert(found_.unilateral.end(), contacts.begin(), contacts.end());
      }
    }
  }

  // Algorithm 17 but for its last loop: vertices of one part at the vertices, edges and faces of the other.
  void vertices_of(bool vertex_on_a) {
    const PlacedSolid& p = face_part(vertex_on_a);
    const PlacedSolid& q = vertex_part(vertex_on_a);
    for (int v = 0; v < vertex_count(q); ++v) {
      const Vector3 x = vertex_at(q, v);
      bool taken = false;
      for (int i = 0; i < vertex_count(p); ++i) {
        if ((x - vertex_at(p, i)).norm() > eps_) continue;
        vertex_at_vertex(vertex_on_a, v, i);
        taken = true;
      }
      if (taken) continue;
      for (int e = 0; e < edge_count(p); ++e) {
        if (distance_to_edge(x, p, e) > eps_) continue;
        vertex_at_edge(vertex_on_a, v, e);
        taken = true;
      }
      for (int f = 0; f < face_count(p) && !taken; ++f) {
        const SolidContact c = vertex_face(vertex_on_a, v, f);
        if (near_face(p, f, x) && forceful(c)) found_.unilateral.push_back(contact(c));
      }
    }
  }

  // Algorithm 16, for one of the two vertices: (4.21) over the faces that meet in i, and (4.22) over the edges.
  void vertex_at_vertex(bool vertex_on_a, int v, int i) {
    const PlacedSolid& p = face_part(vertex_on_a);
    std::vector<int> all;
    for (int f = 0; f < face_count(p); ++f) {
      const std::vector<int>& loop = p.face(f).loop;
      if (std::find(loop.begin(), loop.end(), i) != loop.end()) all.push_back(contact(vertex_face(vertex_on_a, v, f)));
    }
    inter(all);
    for (int e = 0; e < edge_count(p); ++e) {
      if (ends_in(p.edge(e), i)) crossings(vertex_on_a, v, e);
    }
  }
  // Algorithm 15.
  void vertex_at_edge(bool vertex_on_a, int v, int e) {
    const SolidEdge& edge = face_part(vertex_on_a).edge(e);
    const int left = contact(vertex_face(vertex_on_a, v, edge.left));
    inter({left, contact(vertex_face(vertex_on_a, v, edge.right))});
    crossings(vertex_on_a, v, e);
  }
  // Algorithm 14: on the side to which an edge of v leans, either v keeps off the face there or the edges keep off each
  // other.
  void crossings(bool vertex_on_a, int v, int e) {
    const PlacedSolid& p = face_part(vertex_on_a);
    const PlacedSolid& q = vertex_part(vertex_on_a);
    const int left = contact(vertex_face(vertex_on_a, v, p.edge(e).left));
    const int right = contact(vertex_face(vertex_on_a, v, p.edge(e).right));
    const Vector3 both = p.normals.col(p.edge(e).left) + p.normals.col(p.edge(e).right);
    const Vector3 to_left = -p.along(e).cross(both).normalized();  // O_e
    for (int k = 0; k < edge_count(q); ++k) {
      if (!ends_in(q.edge(k), v)) continue;
      const Vector3 n = common_normal(p, e, q, k);
      if (n.isZero(0.0)) continue;
      if (std::max(applicability(p, e, q, k, n), applicability(p, e, q, k, -n)) < rules_.applicable_sine) continue;
      const double side = (q.edge(k).tail == v ? 1.0 : -1.0) * q.along(k).normalized().dot(to_left);
      cross(side >= 0.0 ? left : right, edges(vertex_on_a, e, k, n));
      if (std::abs(side) < std::abs(rules_.applicable_sine))
        cross(side >= 0.0 ? right : left, edges(vertex_on_a, e, k, -n));
    }
  }

  // Algorithm 13, over the pairs that are near but for their ends: those are the business of vertices. The standard
  // model takes all.
  void edges_at_edges() {
    const bool all = rules_.sets == ContactSets::standard_all;
    for (int j = 0; j < edge_count(b_); ++j) {
      for (int i = 0; i < edge_count(a_); ++i) {
        const auto [on_a, on_b] = nearest_points(a_, i, b_, j);
        if (!near_edges(on_a, on_b) || (!all && an_end_is_near(i, j))) continue;
        const SolidContact c{true, true, i, j, false};
        const Vector3 n = common_normal(a_, i, b_, j);
        if (n.isZero(0.0) || applicability(a_, i, b_, j, n) < rules_.applicable_sine) continue;
        // Outward from both (3.6).
        if (n.dot(b_.normals.col(b_.edge(j).left) + b_.normals.col(b_.edge(j).right)) >= 0.0) continue;
        found_.unilateral.push_back(contact(c));
      }
    }
  }
  bool an_end_is_near(int i, int j) const {
    return distance_to_edge(b_.tail(j), a_, i) <= eps_ || distance_to_edge(head(b_, j), a_, i) <= eps_ ||
           distance_to_edge(a_.tail(i), b_, j) <= eps_ || distance_to_edge(head(a_, i), b_, j) <= eps_;
  }

  const PlacedSolid& a_;
  const PlacedSolid& b_;
  double eps_;
  const ContactRules& rules_;
  double depth_;           // [m] up to which contacts are feasible
  double inside_ = 0.0;    // [m] up to which features inside the other part are near
  double deepest_ = -1.0;  // [m] with keep_overlaps, where the parts touch: how deep they are where they meet, at most
  SolidConstraints found_;
};

}  // namespace

SolidContactAt place_of(const SolidContact& c, const PlacedSolid& a, const PlacedSolid& b) {
  SolidContactAt out;
  if (c.edges) {
    const auto [on_a, on_b] = nearest_points(a, c.i, b, c.j);
    const Vector3 n = common_normal(a, c.i, b, c.j);
    out = {on_a, on_b, c.flipped ? Vector3(-n) : n, 0.0};
    out.gap = out.normal.dot(on_b - on_a);
    return out;
  }
  const PlacedSolid& p = c.vertex_on_a ? b : a;
  const Vector3 x = vertex_at(c.vertex_on_a ? a : b, c.i);
  const Vector3 n = p.normals.col(c.j);
  const double gap = height(p, c.j, x);
  const Vector3 on_face = x - gap * n;
  return c.vertex_on_a ? SolidContactAt{x, on_face, -n, gap} : SolidContactAt{on_face, x, n, gap};
}

SolidConstraints pair_constraints(const PlacedSolid& a, const PlacedSolid& b, double eps, const ContactRules& rules) {
  return Pair(a, b, eps, rules).find();
}

double applicability(const PlacedSolid& of_vertex, int vertex, const Vector3& face_normal) {
  double least = 1.0;
  for (const SolidEdge& e : of_vertex.solid->edges) {
    if (!ends_in(e, vertex)) continue;
    const Vector3 away = vertex_at(of_vertex, e.tail == vertex ? e.head : e.tail) - vertex_at(of_vertex, vertex);
    least = std::min(least, face_normal.dot(away.normalized()));
  }
  return least;
}

double applicability(const PlacedSolid& a, int edge_a, const PlacedSolid& b, int edge_b, const Vector3& n) {
  return std::min(lean(a, edge_a, n), lean(b, edge_b, -n));
}

double distance_to_face(const PlacedSolid& p, int face, const Vector3& x) {
  const std::vector<int>& loop = p.face(face).loop;
  const Vector3 n = p.normals.col(face);
  bool over = true;
  double nearest = 1e300;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vector3 from = vertex_at(p, loop[k]), to = vertex_at(p, loop[(k + 1) % loop.size()]);
    over = over && (to - from).cross(n).dot(x - from) <= 0.0;
    nearest = std::min(nearest, distance_to_segment(x, from, to));
  }
  return over ? std::abs(height(p, face, x)) : nearest;
}

int count_traps(const PlacedSolid& a, const PlacedSolid& b, double eps) {
  int traps = 0;
  for (const auto& [q, p] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (int v = 0; v < vertex_count(*q); ++v) {
      int near = 0;
      for (int f = 0; f < face_count(*p); ++f) near += distance_to_face(*p, f, vertex_at(*q, v)) <= eps ? 1 : 0;
      traps += near > 1 ? 1 : 0;
    }
  }
  return traps;
}

}  // namespace pegrasp::reference::spatial
