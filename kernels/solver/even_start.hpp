// SPDX-License-Identifier: Apache-2.0
// Which of its solutions a step is solved for. A face that rests on four corners or more carries one load in many ways, and where it slides
// the way decides how strongly it resists a turn: the step has many solutions, with velocities of their own. The multipliers of Newton's
// method keep what they start from as far as the rows leave it open. So solves start from the evenest of the ways that carry the force and
// the moments of the last impulses: least squares, as on a bed of equal springs, which does not pull. No trace of older contacts is left.
#pragma once

#include "contact/make_rows.hpp"
#include "solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Impulses of a face's contacts in its plane: normal force and its moments, forces along two tangents and the moment of friction, about an
// origin in the plane.
struct FaceLoad {
  double normal = 0.0, x = 0.0, y = 0.0;
  double along_1 = 0.0, along_2 = 0.0, turn = 0.0;
};

// The contacts of a face that carry it: those of a mask, and their moments about their middle.
struct Bed {
  V3 t1, t2, origin;  // axes in the plane; the first contact
  std::uint64_t carrying;
  int count;
  double middle_x, middle_y, xx, xy, yy;

  PEGRASP_HD double x(const Contact& c) const { return dot(t1, c.p - origin); }
  PEGRASP_HD double y(const Contact& c) const { return dot(t2, c.p - origin); }
  PEGRASP_HD bool carries(int i) const { return ((carrying >> i) & 1u) != 0; }
  PEGRASP_HD double determinant() const { return xx * yy - xy * xy; }
};

PEGRASP_HD inline void measure_bed(const Contact* contacts, int all, Bed& bed) {
  bed.count = 0;
  bed.middle_x = bed.middle_y = bed.xx = bed.xy = bed.yy = 0.0;
  for (int i = 0; i < all; ++i) {
    if (!bed.carries(i)) continue;
    ++bed.count;
    bed.middle_x += bed.x(contacts[i]);
    bed.middle_y += bed.y(contacts[i]);
  }
  bed.middle_x /= bed.count;
  bed.middle_y /= bed.count;
  for (int i = 0; i < all; ++i) {
    if (!bed.carries(i)) continue;
    const double x = bed.x(contacts[i]) - bed.middle_x;
    const double y = bed.y(contacts[i]) - bed.middle_y;
    bed.xx += x * x;
    bed.xy += x * y;
    bed.yy += y * y;
  }
}

// Whether the bed holds a moment about every axis in its plane.
PEGRASP_HD inline bool is_wide(const Bed& bed) {
  constexpr double thin = 1e-6;  // of the square of the moments' sum: along a line
  const double spread = bed.xx + bed.yy;
  return bed.count >= 3 && bed.determinant() > thin * spread * spread;
}

// What contact i carries: force / count + slope . (place - middle).
struct EvenNormal {
  double level, slope_x, slope_y;
  PEGRASP_HD double at(const Bed& bed, const Contact& c) const {
    return level + slope_x * (bed.x(c) - bed.middle_x) + slope_y * (bed.y(c) - bed.middle_y);
  }
};
PEGRASP_HD inline EvenNormal even_normal(const Bed& bed, const FaceLoad& load) {
  const double x = load.x - bed.middle_x * load.normal;
  const double y = load.y - bed.middle_y * load.normal;
  const double inverse = 1.0 / bed.determinant();
  return {load.normal / bed.count, inverse * (bed.yy * x - bed.xy * y), inverse * (bed.xx * y - bed.xy * x)};
}

PEGRASP_HD inline FaceLoad load_of(const SceneView& s, const NearPair& pair, const Bed& bed) {
  FaceLoad out;
  for (int i = pair.first_contact; i < pair.first_contact + pair.contact_count; ++i) {
    const Real* p = s.p + s.blocks[i].first_row;
    const double x = bed.x(s.contacts[i]);
    const double y = bed.y(s.contacts[i]);
    out.normal += static_cast<double>(p[0]);
    out.x += static_cast<double>(p[0]) * x;
    out.y += static_cast<double>(p[0]) * y;
    if (s.blocks[i].row_count < 3) continue;
    out.along_1 += static_cast<double>(p[1]);
    out.along_2 += static_cast<double>(p[2]);
    out.turn += x * static_cast<double>(p[2]) - y * static_cast<double>(p[1]);
  }
  return out;
}

// Whether the contacts of a pair are the corners of one face, and enough of them to leave the load open.
PEGRASP_HD inline bool is_open(const SceneView& s, const NearPair& pair) {
  constexpr double alike = 1.0 - 1e-12;  // cosine
  constexpr int most = 64;               // bits of a mask
  if (pair.contact_count < 4 || pair.contact_count > most) return false;
  const V3 n = s.contacts[pair.first_contact].n;
  for (int i = pair.first_contact; i < pair.first_contact + pair.contact_count; ++i) {
    if (!(dot(n, s.contacts[i].n) > alike)) return false;
  }
  return true;
}

PEGRASP_HD inline void spread(const SceneView& s, const NearPair& pair, const Bed& bed, const FaceLoad& load) {
  const EvenNormal normal = even_normal(bed, load);
  const double turn = load.turn - bed.middle_x * load.along_2 + bed.middle_y * load.along_1;
  const double twist = turn / (bed.xx + bed.yy);
  for (int i = 0; i < pair.contact_count; ++i) {
    const Contact& c = s.contacts[pair.first_contact + i];
    const Block& block = s.blocks[pair.first_contact + i];
    Real* p = s.p + block.first_row;
    const bool carries = bed.carries(i);
    p[0] = carries ? static_cast<Real>(normal.at(bed, c)) : Real(0);
    if (block.row_count < 3) continue;
    p[1] = carries ? static_cast<Real>(load.along_1 / bed.count - twist * (bed.y(c) - bed.middle_y)) : Real(0);
    p[2] = carries ? static_cast<Real>(load.along_2 / bed.count + twist * (bed.x(c) - bed.middle_x)) : Real(0);
  }
}

// Spreads the impulses of the pair's contacts evenly over those that need not pull: the one that would pull most is left out, until none does.
PEGRASP_HD inline void even_out(const SceneView& s, const NearPair& pair) {
  if (!is_open(s, pair)) return;
  const Contact* contacts = s.contacts + pair.first_contact;
  Bed bed{};
  bed.t1 = any_across(contacts[0].n);
  bed.t2 = cross(contacts[0].n, bed.t1);
  bed.origin = contacts[0].p;
  bed.carrying = ~std::uint64_t{0};
  const FaceLoad load = load_of(s, pair, bed);
  for (int left = pair.contact_count; left >= 3; --left) {
    measure_bed(contacts, pair.contact_count, bed);
    if (!is_wide(bed)) return;
    const EvenNormal normal = even_normal(bed, load);
    int pulls = -1;
    double most = 0.0;
    for (int i = 0; i < pair.contact_count; ++i) {
      if (!bed.carries(i) || !(normal.at(bed, contacts[i]) < most)) continue;
      most = normal.at(bed, contacts[i]);
      pulls = i;
    }
    if (pulls < 0) {
      spread(s, pair, bed, load);
      return;
    }
    bed.carrying &= ~(std::uint64_t{1} << pulls);
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
