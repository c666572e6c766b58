// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/constraint_sets.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace pegrasp::reference {
namespace {

class Pair {
 public:
  Pair(const Polygon& a, const Polygon& b, double eps, const ContactRules& rules)
      : a_(a), b_(b), eps_(eps), rules_(rules), depth_(rules.feasible_depth_ratio * eps) {
    if (!rules.keep_overlaps) return;
    const double s = std::max(separation(a, b), separation(b, a));
    if (s <= rounding()) deepest_ = eps - std::min(s, 0.0);
    if (s >= 0.0) return;
    inside_ = eps - s;
    depth_ = std::max(depth_, inside_);
  }

  PairConstraints find() {
    const bool peg = rules_.sets == ContactSets::peg_one || rules_.sets == ContactSets::peg_several;
    if (peg) {
      peg_2d();
    } else {
      for (const bool vertex_on_a : {true, false}) {
        const std::size_t count = (vertex_on_a ? a_ : b_).vertices.size();
        for (std::size_t v = 0; v < count; ++v) near_edges(vertex_on_a, static_cast<int>(v));
      }
    }
    return std::move(found_);
  }

 private:
  const Polygon& vertex_polygon(const FeaturePair& c) const { return c.vertex_on_a ? a_ : b_; }
  const Point& vertex(const FeaturePair& c) const {
    return vertex_polygon(c).vertices[static_cast<std::size_t>(c.vertex)];
  }
  const Edge& edge(const FeaturePair& c) const {
    return (c.vertex_on_a ? b_ : a_).edges[static_cast<std::size_t>(c.edge)];
  }
  double psi(const FeaturePair& c) const { return gap(vertex(c), edge(c)); }
  double appl(const FeaturePair& c) const {
    return applicability(vertex_polygon(c), static_cast<std::size_t>(c.vertex), edge(c).normal);
  }
  // APPL and FEAS of algorithms 8 and 9.
  bool forceful(const FeaturePair& c) const {
    return appl(c) >= rules_.applicable_sine && feasible(vertex(c), edge(c), depth_, rules_.feasible_slope);
  }
  // The least gap that a vertex of `other` has to the edge.
  static double separation(const Edge& edge, const Polygon& other) {
    double least = std::numeric_limits<double>::infinity();
    for (const Point& v : other.vertices) least = std::min(least, gap(v, edge));
    return least;
  }
  // The largest of these over all edges.
  static double separation(const Polygon& polygon, const Polygon& other) {
    double largest = -std::numeric_limits<double>::infinity();
    if (other.vertices.empty()) return largest;
    for (const Edge& e : polygon.edges) largest = std::max(largest, separation(e, other));
    return largest;
  }
  double rounding() const { return 1e-6 * eps_; }
  bool holds(const Polygon& polygon, const Point& v) const {
    return std::all_of(polygon.edges.begin(), polygon.edges.end(),
                       [&](const Edge& edge) { return gap(v, edge) <= rounding(); });
  }
  bool is_near(const Point& v, const Polygon& polygon, std::size_t e) const {
    const double apart = distance(v, polygon.edges[e]);
    if (apart <= eps_ || apart > inside_) return apart <= eps_;
    return holds(polygon, v);
  }
  // With keep_overlaps: a vertex that lies in the other polygon, in line with one of its sides as where boxes are
  // flush, is on top of that side, whose row would hold it across and let it sink. Sides through which the vertex's own
  // polygon reaches are not where the two meet.
  void leave_sides_out(const Point& v, const Polygon& own, const Polygon& other, std::vector<std::size_t>& near) const {
    if (!(deepest_ >= 0.0) || near.size() < 2 || !holds(other, v)) return;
    std::vector<std::size_t> facing;
    for (const std::size_t e : near)
      if (separation(other.edges[e], own) >= -deepest_) facing.push_back(e);
    if (!facing.empty()) near = std::move(facing);
  }
  const FeaturePair& at(int i) const { return found_.contacts[static_cast<std::size_t>(i)]; }

  static FeaturePair pair(bool vertex_on_a, std::size_t v, std::size_t e) {
    return {vertex_on_a, static_cast<int>(v), static_cast<int>(e)};
  }
  int contact(const FeaturePair& wanted) {
    const auto place = std::find(found_.contacts.begin(), found_.contacts.end(), wanted);
    if (place != found_.contacts.end()) return static_cast<int>(place - found_.contacts.begin());
    found_.contacts.push_back(wanted);
    return static_cast<int>(found_.contacts.size()) - 1;
  }

  // Standard model and LNC: one vertex against all edges that are near.
  void near_edges(bool vertex_on_a, int v) {
    const auto index = static_cast<std::size_t>(v);
    const Point& p = (vertex_on_a ? a_ : b_).vertices[index];
    const Polygon& other = vertex_on_a ? b_ : a_;
    const std::vector<Edge>& edges = other.edges;
    std::vector<std::size_t> near;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (is_near(p, other, e)) near.push_back(e);
    }
    if (near.empty()) return;
    if (rules_.sets != ContactSets::standard_all) leave_sides_out(p, vertex_on_a ? a_ : b_, other, near);
    if (rules_.sets == ContactSets::standard_single) {
      // Beyond a corner both edges are as far away as the corner. The edge with the larger gap is the one in front.
      const auto nearer = [&](std::size_t e, std::size_t f) {
        const double difference = distance(p, edges[e]) - distance(p, edges[f]);
        const double rounding = 1e-12 * eps_;
        if (difference < -rounding || difference > rounding) return difference < 0.0;
        return gap(p, edges[e]) > gap(p, edges[f]);
      };
      near = {*std::min_element(near.begin(), near.end(), nearer)};
    }
    std::vector<int> contacts;
    for (const std::size_t e : near) contacts.push_back(contact(pair(vertex_on_a, index, e)));
    if (rules_.sets == ContactSets::lnc && contacts.size() > 1) {
      found_.inter.push_back({contacts, {}});
    } else {
      found_.unilateral.insert(found_.unilateral.end(), contacts.begin(), contacts.end());
    }
  }

  // Algorithm 11. A vertex that is near a vertex of the other polygon meets only the edges next to that vertex: the
  // flag `collision`.
  void peg_2d() {
    std::vector<bool> collision_a(a_.vertices.size()), collision_b(b_.vertices.size());
    for (std::size_t i = 0; i < a_.vertices.size(); ++i) {
      for (std::size_t j = 0; j < b_.vertices.size(); ++j) {
        if ((a_.vertices[i] - b_.vertices[j]).norm() > eps_) continue;
        vertex_vertex(i, j);
        collision_a[i] = collision_b[j] = true;
      }
    }
    vertex_edge(true, collision_a);
    vertex_edge(false, collision_b);
  }

  // Algorithm 8.
  void vertex_edge(bool vertex_on_a, const std::vector<bool>& collision) {
    const std::vector<Point>& vertices = (vertex_on_a ? a_ : b_).vertices;
    const Polygon& other = vertex_on_a ? b_ : a_;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      if (collision[v]) continue;
      for (std::size_t e = 0; e < other.edges.size(); ++e) {
        if (!is_near(vertices[v], other, e)) continue;
        const FeaturePair c = pair(vertex_on_a, v, e);
        if (forceful(c)) found_.unilateral.push_back(contact(c));
      }
    }
  }

  // Algorithm 10: edges 1 lead to the vertex, edges 2 away from it.
  void vertex_vertex(std::size_t i, std::size_t j) {
    const int c1 = contact(pair(true, i, b_.previous(j)));
    const int c2 = contact(pair(true, i, j));
    const int c3 = contact(pair(false, j, a_.previous(i)));
    const int c4 = contact(pair(false, j, i));
    inter(c1, c2);
    inter(c3, c4);
    cross(c1, c4);
    cross(c2, c3);
  }

  // C-split (algorithm 9). With one carrier it is the one with the largest gap among those that may carry: the edge in
  // front.
  std::vector<int> carriers(int c, int d) const {
    std::vector<int> found;
    for (const int i : {c, d}) {
      if (forceful(at(i))) found.push_back(i);
    }
    if (found.empty() && !rules_.drop_without_carrier) found = {appl(at(c)) >= appl(at(d)) ? c : d};
    if (rules_.sets == ContactSets::peg_one && found.size() > 1) found = {psi(at(c)) >= psi(at(d)) ? c : d};
    return found;
  }

  void inter(int c, int d) {
    InterContact set{carriers(c, d), {}};
    if (set.carriers.empty()) return;
    for (const int i : {c, d}) {
      if (std::find(set.carriers.begin(), set.carriers.end(), i) == set.carriers.end()) set.masks.push_back(i);
    }
    found_.inter.push_back(std::move(set));
  }

  void cross(int c, int d) {
    CrossContact set{{c}, {d}, carriers(c, d)};
    if (!set.carriers.empty()) found_.cross.push_back(std::move(set));
  }

  const Polygon& a_;
  const Polygon& b_;
  double eps_;
  const ContactRules& rules_;
  double depth_;         // [m] up to which contacts are feasible
  double inside_ = 0.0;  // [m] up to which a vertex inside the other polygon is near an edge
  double deepest_ =
      -1.0;  // [m] with keep_overlaps, where the polygons touch: how deep they are where they meet, at most
  PairConstraints found_;
};

}  // namespace

PairConstraints pair_constraints(const Polygon& a, const Polygon& b, double eps, const ContactRules& rules) {
  return Pair(a, b, eps, rules).find();
}

}  // namespace pegrasp::reference
