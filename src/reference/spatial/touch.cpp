// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/touch.hpp"

#include <algorithm>
#include <cmath>

#include "src/reference/spatial/cylinder_touch.hpp"
#include "src/reference/spatial/round_axis.hpp"
#include "src/reference/spatial/smooth.hpp"

namespace pegrasp::reference::spatial {
namespace {

// A key holds the kind of the facet, and then the vertex of the part that lies on the face, or the side of the face
// that cuts behind it.
enum KeyKind : int { of_vertex = 0, of_cut, of_edge, of_edge_end, of_patch, of_patch_end, of_overlap, of_overlap_end };
constexpr int of_side = 100;  // more, of a superellipsoid's: numbers of its other contacts are below

struct OutlinePoint {
  Vector3 x;
  FeatureKey key;
};
using Outline = std::vector<OutlinePoint>;

// A capsule that leans by less than this (sine) on a face or along an edge touches at both ends, whatever the exact
// angle. With contacts that come and go with the angle, passes would not agree.
constexpr double round_lean = 0.5;
// Round edges closer to parallel than this (sine) touch at the ends of a patch. Over the patch their distance changes
// by this share of both radii.
constexpr double patch_sine = 0.15;
constexpr double patch_depth = 1e-3;

// The face at a vertex that faces d most squarely, without covered faces; -1 if there is none.
int squarest_face(const PlacedSolid& q, int vertex, const Vector3& d) {
  int best = -1;
  for (int f = 0; f < static_cast<int>(q.solid->faces.size()); ++f) {
    const std::vector<int>& loop = q.face(f).loop;
    if (q.face(f).covered || std::find(loop.begin(), loop.end(), vertex) == loop.end()) continue;
    if (best < 0 || q.normals.col(f).dot(d) > q.normals.col(best).dot(d)) best = f;
  }
  return best;
}

// The edge at a vertex that lies most nearly across d. Its lean is a sine.
int flattest_edge(const PlacedSolid& q, int vertex, const Vector3& d, double& lean) {
  int best = -1;
  lean = 2.0;
  for (int e = 0; e < static_cast<int>(q.solid->edges.size()); ++e) {
    if (q.edge(e).tail != vertex && q.edge(e).head != vertex) continue;
    const Vector3 along = q.along(e);
    if (along.isZero(0.0)) continue;  // a sphere's
    const double sine = std::abs(along.dot(d)) / along.norm();
    if (sine < lean) {
      lean = sine;
      best = e;
    }
  }
  return best;
}

bool nearly_parallel(double cosine, double flat_sine) {
  return cosine > 0.0 && 1.0 - cosine * cosine < flat_sine * flat_sine;
}

// The feature of q that lies flat on a face with the outward normal n: a face, an edge or the support vertex.
Outline resting_feature(const PlacedSolid& q, const Vector3& n, double flat_sine) {
  const int vertex = q.support(-n).vertex;
  std::vector<int> corners{vertex};
  const int face = squarest_face(q, vertex, -n);
  double lean = 0.0;
  const int edge = flattest_edge(q, vertex, -n, lean);
  if (face >= 0 && nearly_parallel(-n.dot(q.normals.col(face)), flat_sine)) {
    corners = q.face(face).loop;
  } else if (edge >= 0 && lean < (q.solid->round() ? round_lean : flat_sine)) {
    corners = {q.edge(edge).tail, q.edge(edge).head};
  }
  Outline out;
  for (const int v : corners) out.push_back({q.vertices.col(v), {0, of_vertex, v, 0}});
  return out;
}

// The part of a polygon or of a segment with n . x <= offset. `side`: which side of the face cuts.
Outline clipped(const Outline& from, const Vector3& n, double offset, int side) {
  Outline out;
  const std::size_t edges = from.size() == 2 ? 1 : from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const OutlinePoint& here = from[i];
    const double s = n.dot(here.x) - offset;
    if (s <= 0.0) out.push_back(here);
    if (i >= edges) continue;
    const OutlinePoint& next = from[(i + 1) % from.size()];
    const double t = n.dot(next.x) - offset;
    if ((s <= 0.0) == (t <= 0.0)) continue;
    // A cut behind a vertex, or behind another cut.
    const FeatureKey key{0, of_cut, side, 2 * here.key[2] + (here.key[1] == of_vertex ? 0 : 1)};
    out.push_back({here.x + s / (s - t) * (next.x - here.x), key});
  }
  return out;
}

struct Touching {
  const PlacedSolid& a;
  const PlacedSolid& b;
  double flat_sine, slack;
  std::vector<ContactPoint> out;

  // Face f of a, or of b, carries; false when nothing of the other part that is flat on it lies above it.
  bool face(FacetKind kind, int f) {
    const bool of_a = kind == FacetKind::face_of_a;
    const PlacedSolid& p = of_a ? a : b;
    const PlacedSolid& q = of_a ? b : a;
    const Vector3 n = p.normals.col(f);
    Outline outline = resting_feature(q, n, flat_sine);
    if (outline.size() > 1) {
      const std::vector<int>& loop = p.face(f).loop;
      for (std::size_t k = 0; k < loop.size(); ++k) {
        const Vector3 tail = p.vertices.col(loop[(k + loop.size() - 1) % loop.size()]);
        const Vector3 head = p.vertices.col(loop[k]);
        const Vector3 outward = (head - tail).cross(n).normalized();
        outline = clipped(outline, outward, outward.dot(tail) + slack, static_cast<int>(k));
      }
    }
    for (const OutlinePoint& point : outline) add(kind, f, point);
    return !outline.empty();
  }

  void vertex(FacetKind kind, int f) {
    const bool of_a = kind == FacetKind::face_of_a;
    const PlacedSolid& q = of_a ? b : a;
    const int v = q.support(-(of_a ? a : b).normals.col(f)).vertex;
    add(kind, f, {q.vertices.col(v), {0, of_vertex, v, 0}});
  }

  void edges(int i, int j) {
    const Vector3 n = common_normal(a, i, b, j);
    if (n.isZero(0.0)) {  // they have become parallel: the face beside a's edge that b lies over
      const Vector3 to_b = b.at.origin - a.at.origin;
      const SolidEdge& edge = a.edge(i);
      const bool left = a.normals.col(edge.left).dot(to_b) >= a.normals.col(edge.right).dot(to_b);
      const int f = left ? edge.left : edge.right;
      if (!face(FacetKind::face_of_a, f)) vertex(FacetKind::face_of_a, f);
      return;
    }
    const Vector3 along_a = a.along(i);
    const Vector3 along_b = b.along(j);
    const Vector3 d = b.tail(j) - a.tail(i);
    const double gap = n.dot(d);
    const double aa = along_a.squaredNorm();
    const double bb = along_b.squaredNorm();
    const double ab = along_a.dot(along_b);
    const double across = aa * bb - ab * ab;  // (|a| |b| sine)^2
    const auto point = [&](double t, KeyKind key, int end) {
      out.push_back({b.tail(j) + t * along_b, n, gap, {static_cast<int>(FacetKind::edges), key + end, i, j}});
    };
    if (across < flat_sine * flat_sine * aa * bb) {
      const double from = d.dot(along_a) / aa;  // of b's edge, as fractions of a's
      const double to = (d + along_b).dot(along_a) / aa;
      const double low = std::max(0.0, std::min(from, to));
      const double high = std::min(1.0, std::max(from, to));
      if (low < high) {
        point((low - from) / (to - from), of_edge, 0);
        point((high - from) / (to - from), of_edge, 1);
        return;
      }
    }
    point(std::clamp((d.dot(along_a) * ab - d.dot(along_b) * aa) / across, 0.0, 1.0), of_edge, 0);
    // What lies over a face beside one of the edges, where that is nearly flat, keeps the parts from rocking onto it.
    const int beside_a = flat_face(a, i, n, flat_sine);
    if (beside_a >= 0 && face(FacetKind::face_of_a, beside_a)) return;
    const int beside_b = flat_face(b, j, -n, flat_sine);
    if (beside_b >= 0) face(FacetKind::face_of_b, beside_b);
  }

  void round(int i, int j) {
    const RoundAxis axis = round_axis(a, i, b, j);
    const Vector3 u = a.along(i);
    const Vector3 v = b.along(j);
    const double sine = u.isZero(0.0) || v.isZero(0.0) ? 1.0 : u.cross(v).norm() / (u.norm() * v.norm());
    if (!(sine < patch_sine) || !patch(axis, i, j, sine)) {
      add_round(axis, i, j, axis.closest.on_a, axis.closest.on_b, true, of_edge);
    }
    // What of a capsule lies over a face beside a polyhedron's edge keeps it from rocking onto that.
    if (!a.solid->round() && !v.isZero(0.0)) {
      lay_on(FacetKind::face_of_a, flat_face(a, i, axis.n, round_lean), v);
    } else if (!b.solid->round() && !u.isZero(0.0)) {
      lay_on(FacetKind::face_of_b, flat_face(b, j, -axis.n, round_lean), u);
    }
  }

 private:
  // Two edges along each other: the ends of the patch about their closest points, along the axis; and where their
  // overlap extends beyond the patch, its end, along the direction there. Returns false if the edges do not overlap.
  bool patch(const RoundAxis& axis, int i, int j, double sine) {
    const Vector3 u = a.along(i);
    const Vector3 v = b.along(j);
    const double a0 = axis.closest.on_a;
    const double b0 = axis.closest.on_b;
    const double rate = u.squaredNorm() / u.dot(v);  // fractions of b's edge beside one of a's
    const double b_low = rate > 0.0 ? 0.0 : 1.0;     // b's end on the side of a's tail
    const double low = std::max(-a0, (b_low - b0) / rate);
    const double high = std::min(1.0 - a0, (1.0 - b_low - b0) / rate);
    if (!(low < high)) return false;
    const double half = std::sqrt(2.0 * patch_depth) * (a.solid->radius + b.solid->radius) / u.norm();
    for (const int end : {0, 1}) {
      const double outer = end == 0 ? low : high;
      const bool all = std::abs(outer) * sine <= half;
      const double step = all ? outer : (end == 0 ? -half : half) / sine;
      add_round(axis, i, j, a0 + step, b0 + step * rate, false, of_patch + end);
      if (all) continue;
      const double a_end = end == 0 ? 0.0 : 1.0;
      const double b_end = end == 0 ? b_low : 1.0 - b_low;
      const Vector3 between = b.tail(j) - a.tail(i);
      if (outer == a_end - a0) {  // a's edge ends here
        const double on_b = std::clamp((a_end * u - between).dot(v) / v.squaredNorm(), 0.0, 1.0);
        add_round(axis, i, j, a_end, on_b, true, of_overlap + end);
      } else {
        const double on_a = std::clamp((between + b_end * v).dot(u) / u.squaredNorm(), 0.0, 1.0);
        add_round(axis, i, j, on_a, b_end, true, of_overlap + end);
      }
      out.back().role = Role::core_alone;
    }
    return true;
  }

  // The contact between the points at these fractions of the edges, along the line between them where that has a
  // direction, else along the axis of the facet.
  void add_round(const RoundAxis& axis, int i, int j, double on_a, double on_b, bool own_way, int key) {
    constexpr double least_cosine = 0.5;
    const Vector3 x = b.tail(j) + on_b * b.along(j);
    const Vector3 way = x - a.tail(i) - on_a * a.along(i);
    const bool own = own_way && axis.along_points && way.dot(axis.n) > least_cosine * way.norm();
    const Vector3 n = own ? Vector3(way.normalized()) : axis.n;
    const double gap = n.dot(way) - a.solid->radius - b.solid->radius;
    out.push_back({x - b.solid->radius * n,
                   n,
                   gap,
                   {static_cast<int>(FacetKind::round), key, i, j},
                   b.solid->radius,
                   a.solid->radius});
  }
  void lay_on(FacetKind kind, int f, const Vector3& along) {
    if (f < 0) return;
    const Vector3 n = (kind == FacetKind::face_of_a ? a : b).normals.col(f);
    if (std::abs(along.dot(n)) < round_lean * along.norm()) face(kind, f);
  }
  void add(FacetKind kind, int f, const OutlinePoint& point) {
    const bool of_a = kind == FacetKind::face_of_a;
    const PlacedSolid& p = of_a ? a : b;
    const double radius = (of_a ? b : a).solid->radius;
    const Vector3 n = p.normals.col(f);
    FeatureKey key = point.key;
    key[0] = static_cast<int>(kind);
    out.push_back({point.x - radius * n, of_a ? n : Vector3(-n), n.dot(point.x) - p.offsets[f] - radius, key, radius,
                   p.solid->radius});
  }
  static int flat_face(const PlacedSolid& p, int e, const Vector3& n, double flat) {
    const int left = p.edge(e).left;
    const int right = p.edge(e).right;
    const int f = p.normals.col(left).dot(n) >= p.normals.col(right).dot(n) ? left : right;
    return nearly_parallel(p.normals.col(f).dot(n), flat) ? f : -1;
  }
};

// Where a line or a rim touches: the springs of a shell are those of a face or a cap beside it where that lies flat,
// else the line's own.
void choose_springs(const Facet& facet, double flat_sine, std::vector<ContactPoint>& points) {
  if (facet.kind != FacetKind::round && facet.kind != FacetKind::curved_edge && facet.kind != FacetKind::curved_vertex)
    return;
  const auto own = [](const ContactPoint& c) { return c.key[0] == static_cast<int>(FacetKind::round); };
  const auto line = std::find_if(points.rbegin(), points.rend(), own);
  if (line == points.rend()) return;
  const Vector3 n = line->normal;
  const bool flat = std::any_of(points.begin(), points.end(), [&](const ContactPoint& c) {
    return !own(c) && c.role == Role::both && 1.0 - std::pow(n.dot(c.normal), 2) < flat_sine * flat_sine;
  });
  for (ContactPoint& c : points) {
    if (own(c) == flat) c.role = Role::core_alone;
  }
}

// The springs under a superellipsoid's side that lies flat on a face, in place of the first contact: at the corners of
// what counts as flat of it as far as that is over the face. Of a cap the octagon of its rim's points counts. The face
// may also be one beside the line or the vertex that touches.
void add_side_springs(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double flat_sine, double slack,
                      std::vector<ContactPoint>& points) {
  const bool on_face = facet.kind == FacetKind::face_of_a || facet.kind == FacetKind::face_of_b;
  const bool c_is_b = curved_is_b(a, b);
  const PlacedSolid& p = c_is_b ? a : b;
  if (points.empty() || p.solid->smooth) return;
  const ContactPoint first = points.front();
  int f = on_face ? facet.i : -1;
  double most = 0.0;
  for (int k = 0; k < static_cast<int>(p.normals.cols()) && !on_face; ++k) {
    const double facing = p.normals.col(k).dot(c_is_b ? first.normal : Vector3(-first.normal));
    if (!(facing > most) || p.face(k).covered) continue;
    most = facing;
    f = k;
  }
  if (f < 0 || (!on_face && !nearly_parallel(most, flat_sine))) return;
  const Vector3 n = p.normals.col(f);
  const Vector3 on_c = on_face || c_is_b ? first.position : Vector3(first.position - first.gap * first.normal);
  Outline side;
  for (const Vector3& x : smooth_body(c_is_b ? b : a).side_corners(-n, on_c, flat_sine, slack))
    side.push_back({x, {0, of_vertex, static_cast<int>(side.size()), 0}});
  std::vector<Vector3> face;
  if (p.solid->cylinder) {
    face = octagon_of_cap(p, f);
  } else {
    for (const int v : p.face(f).loop) face.push_back(p.vertices.col(v));
  }
  for (std::size_t k = 0; k < face.size(); ++k) {
    const Vector3 tail = face[(k + face.size() - 1) % face.size()];
    const Vector3 outward = (face[k] - tail).cross(n).normalized();
    side = clipped(side, outward, outward.dot(tail) + slack, static_cast<int>(k));
  }
  if (side.empty()) return;
  points.front().role = Role::core_alone;
  for (const OutlinePoint& corner : side) {
    ContactPoint spring = points.front();
    spring.position = corner.x;
    spring.normal = c_is_b ? n : Vector3(-n);
    spring.gap = n.dot(corner.x) - p.offsets[f];
    spring.key = {static_cast<int>(c_is_b ? FacetKind::face_of_a : FacetKind::face_of_b), of_side + corner.key[1],
                  corner.key[2], corner.key[3]};
    spring.round = spring.round_other = 0.0;
    spring.role = Role::spring_alone;
    points.push_back(spring);
  }
}

}  // namespace

std::vector<Vector3> resting_points(const PlacedSolid& q, const Vector3& n, double flat_sine) {
  std::vector<Vector3> out;
  for (const OutlinePoint& point : resting_feature(q, n, flat_sine)) out.push_back(point.x);
  return out;
}

std::vector<ContactPoint> contacts_of(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double flat_sine,
                                      double slack, const EarlierRims& rims) {
  if (with_curved(a, b)) {
    std::vector<ContactPoint> out = cylinder_contacts(facet, a, b, flat_sine, slack, rims);
    choose_springs(facet, flat_sine, out);
    if (with_smooth(a, b)) add_side_springs(facet, a, b, flat_sine, slack, out);
    return out;
  }
  Touching touching{a, b, flat_sine, slack, {}};
  if (facet.kind == FacetKind::edges) {
    touching.edges(facet.i, facet.j);
  } else if (facet.kind == FacetKind::round) {
    touching.round(facet.i, facet.j);
  } else if (facet.kind != FacetKind::none && !touching.face(facet.kind, facet.i)) {
    touching.vertex(facet.kind, facet.i);
  }
  choose_springs(facet, flat_sine, touching.out);
  return touching.out;
}

FaceRegion region_on_face(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double flat_sine) {
  const bool of_a = facet.kind == FacetKind::face_of_a;
  Touching touching{a, b, flat_sine, 0.0, {}};
  FaceRegion out;
  out.over = touching.face(facet.kind, facet.i);
  if (!out.over) touching.vertex(facet.kind, facet.i);
  out.points = touching.out;
  for (const OutlinePoint& point : resting_feature(of_a ? b : a, (of_a ? a : b).normals.col(facet.i), flat_sine)) {
    out.resting.push_back(point.x);
  }
  return out;
}

}  // namespace pegrasp::reference::spatial
