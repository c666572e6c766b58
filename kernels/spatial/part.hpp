// SPDX-License-Identifier: Apache-2.0
// A convex part in 3D as the kernels see it: a core, and all that lies within a radius of it. The core is a polyhedron
// (radius 0), a point or a segment (spheres and capsules: no faces; the segment is one ridge without faces beside it),
// or a half-space (one face without vertices). Cylinders are none of these: kernels/spatial/cylinder.hpp.
#pragma once

#include "kernels/scene/scene.hpp"
#include "kernels/spatial/vector.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct PartView {
  const double* x;        // vertices, body frame
  const double* normal_;  // of faces
  const double* off;      // of faces
  const int* use;         // of faces: EdgeUse
  const int* first;       // of faces: where their corners are
  const int* corner;
  const int* ridge;  // tail, head, left face, right face
  const double* box;
  const int* vertex_first_internal_edge;
  const int* ridge_first_internal_edge;
  const double* vertex_internal_edge;
  const double* ridge_internal_edge;
  int vertices, faces, ridges;
  double radius;

  PEGRASP_HD V3 vertex(int i) const { return load3(x + 3 * i); }
  PEGRASP_HD V3 normal(int f) const { return load3(normal_ + 3 * f); }
  PEGRASP_HD int corners(int f) const { return first[f + 1] - first[f]; }
  PEGRASP_HD V3 tail(int e) const { return vertex(ridge[4 * e]); }
  PEGRASP_HD V3 head(int e) const { return vertex(ridge[4 * e + 1]); }
  PEGRASP_HD int left(int e) const { return ridge[4 * e + 2]; }
  PEGRASP_HD int right(int e) const { return ridge[4 * e + 3]; }
  PEGRASP_HD V3 low() const { return load3(box); }
  PEGRASP_HD V3 high() const { return load3(box + 3); }
};

PEGRASP_HD inline PartView part_view(const ModelView& m, int part) {
  const int v = m.part_first_vertex[part];
  const int f = m.part_first_face[part];
  const int e = m.part_first_ridge[part];
  return {m.vertex + 3 * v,
          m.face_normal + 3 * f,
          m.face_offset + f,
          m.face_use + f,
          m.face_first_corner + f,
          m.face_corner,
          m.ridge + 4 * e,
          m.part_box + 6 * part,
          m.vertex_first_internal_edge + v,
          m.ridge_first_internal_edge + e,
          m.vertex_internal_edge,
          m.ridge_internal_edge,
          m.part_first_vertex[part + 1] - v,
          m.part_first_face[part + 1] - f,
          m.part_first_ridge[part + 1] - e,
          m.part_round[part]};
}

// Of a scene, whose parameters say where support spheres are.
PEGRASP_HD inline PartView part_view(const SceneView& s, int part) {
  const ModelView& m = *s.model;
  PartView view = part_view(m, part);
  const int support_sphere = m.part_support_sphere[part];
  if (support_sphere >= 0)
    view.x = s.parameters + m.at.support_sphere + ParameterLayout::support_sphere_stride * support_sphere;
  return view;
}

// Siblings whose surface is in line with this part's may differ by rounding, by so much [rad].
constexpr double internal_edge_sliver = 1e-6;

// Whether the body has surface along the unit vector n (body frame) at a feature with these directions to siblings.
PEGRASP_HD inline bool stays_outside(const double* internal_edge, int first, int last, V3 n) {
  for (int k = first; k < last; ++k) {
    if (dot(load3(internal_edge + 3 * k), n) > internal_edge_sliver) return false;
  }
  return true;
}
PEGRASP_HD inline bool vertex_on_surface(const PartView& p, int v, V3 n) {
  return stays_outside(p.vertex_internal_edge, p.vertex_first_internal_edge[v], p.vertex_first_internal_edge[v + 1], n);
}
PEGRASP_HD inline bool ridge_on_surface(const PartView& p, int e, V3 n) {
  return stays_outside(p.ridge_internal_edge, p.ridge_first_internal_edge[e], p.ridge_first_internal_edge[e + 1], n);
}

// Whether the pair takes the ways of round parts and half-spaces (round_modes.hpp): a polyhedron has four faces
// at least.
PEGRASP_HD inline bool is_polyhedron(const PartView& p) { return p.faces >= 4; }

struct Support {
  int vertex;
  double value;  // max over the core of d . x
};

// Vertex of the core that lies farthest along d (body frame); of equals the first.
PEGRASP_HD inline Support support(const PartView& p, V3 d) {
  Support best{0, dot(p.vertex(0), d)};
  for (int i = 1; i < p.vertices; ++i) {
    const double value = dot(p.vertex(i), d);
    if (value > best.value) best = {i, value};
  }
  return best;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
