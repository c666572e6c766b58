// SPDX-License-Identifier: Apache-2.0
// Broad phase of the batched strategy: sort and sweep. Margins, boxes and the pairs that are left out are those of
// broad_phase/find_pairs.hpp, and so is the order of the pairs; only the search differs.
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/batch/batch_view.hpp"
#include "kernels/scene/candidates.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Unsigned integers in the order of the doubles (no NaN).
PEGRASP_HD inline std::uint64_t ordered_bits(double x) {
  const std::uint64_t bits = bits_of(x);
  const std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

// Whether both bodies take part in the round.
PEGRASP_HD inline bool pair_live(const BatchView& b, int scene, const NearPair& pair) {
  return b.live[scene * b.bodies + pair.body_a] != 0 && b.live[scene * b.bodies + pair.body_b] != 0;
}

// Whether a part is swept: its body is present and takes part in the round. Other parts meet nothing.
PEGRASP_HD inline bool sweeps(const BatchView& b, int scene, int part) {
  const int body = b.model->part_body[part];
  return b.scene[scene].present[body] != 0 && b.live[scene * b.bodies + body] != 0;
}
// The box of a part for the sweep (empty where it is not swept) and its sort key, the low end along x.
PEGRASP_HD inline void sweep_box(const BatchView& b, int scene, int part) {
  const SceneView& s = b.scene[scene];
  double* box = s.box + box_size * part;
  if (sweeps(b, scene, part)) {
    part_box(s, part, box);
  } else {
    empty_box(box);
  }
  b.sweep_key[scene * b.parts + part] = ordered_bits(box[0]);
  b.sweep_part[scene * b.parts + part] = part;
}

// How many parts later in the order begin, along x, before the one at place i ends.
PEGRASP_HD inline int swept_by(const BatchView& b, int scene, int i) {
  const SceneView& s = b.scene[scene];
  const int* order = b.sweep_part + scene * b.parts;
  if (b.course[scene].list == 0 || !sweeps(b, scene, order[i])) return 0;
  const double end = s.box[box_size * order[i] + box_size / 2];
  int first = i + 1, last = b.parts;
  while (first < last) {
    const int middle = first + (last - first) / 2;
    if (s.box[box_size * order[middle]] <= end) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first - (i + 1);
}

// A part as wide as the scene sweeps over all others. Its sweep is cut into pieces, so that no item of a loop goes
// through all of them. The number of pieces per part is limited, so that there are not many more pieces than parts;
// where all parts sweep over all others the pieces are longer.
constexpr int swept_a_piece = 64;
constexpr int most_sweep_pieces = 16;

PEGRASP_HD inline int sweep_pieces(int swept) {
  const int pieces = (swept + swept_a_piece - 1) / swept_a_piece;
  return pieces < most_sweep_pieces ? pieces : most_sweep_pieces;
}
// Where piece k of a sweep begins, which is where piece k - 1 ends.
PEGRASP_HD inline int sweep_piece_begin(int swept, int k) {
  return static_cast<int>(static_cast<std::int64_t>(swept) * k / sweep_pieces(swept));
}

// Calls f(scene, part_a, part_b), part_a < part_b, for the parts of a piece whose boxes meet that of the part which
// sweeps over them.
template <class F>
PEGRASP_HD inline void sweep_piece(const BatchView& b, int piece, const F& f) {
  const int at = scene_of(b.sweep_first, b.scenes * b.parts, piece);
  const int scene = at / b.parts;
  const int i = at % b.parts;
  const SceneView& s = b.scene[scene];
  const int* order = b.sweep_part + scene * b.parts;
  const int part = order[i];
  const double* box = s.box + box_size * part;
  const int k = piece - b.sweep_first[at];
  const int end = i + 1 + sweep_piece_begin(b.swept[at], k + 1);
  for (int j = i + 1 + sweep_piece_begin(b.swept[at], k); j < end; ++j) {
    const int other = order[j];
    // The box of a half-plane has no end and would meet even the empty box of a part that is not swept.
    if (!sweeps(b, scene, other) || !boxes_meet(box, s.box + box_size * other)) continue;
    const int part_a = part < other ? part : other;
    const int part_b = part < other ? other : part;
    int slot = -1;
    const int body_a = s.model->part_body[part_a];
    const int body_b = s.model->part_body[part_b];
    if (body_a == body_b || !parts_may_touch(s, part_a, part_b) || !may_touch(*s.model, body_a, body_b, slot)) continue;
    f(scene, part_a, part_b);
  }
}

// Where the newly listed pairs of a scene begin among all.
PEGRASP_HD inline int first_swept(const BatchView& b, int scene) { return b.meets[b.sweep_first[scene * b.parts]]; }

// Sort key of a pair: the order of find_pairs, by bodies, then by parts.
PEGRASP_HD inline std::uint64_t pair_key(const BatchView& b, int scene, int part_a, int part_b) {
  const ModelView& m = *b.model;
  const auto wide = [](int x) { return static_cast<std::uint64_t>(x); };
  const int a = m.part_body[part_a];
  const int c = m.part_body[part_b];
  const int parts_b = m.body_first_part[c + 1] - m.body_first_part[c];
  const int which = (part_a - m.body_first_part[a]) * parts_b + (part_b - m.body_first_part[c]);
  return ((wide(scene) * wide(b.bodies) + wide(a)) * wide(b.bodies) + wide(c)) * wide(b.widest) + wide(which);
}

// Fills a near pair from its sort key.
PEGRASP_HD inline void pair_from_key(const BatchView& b, std::uint64_t key, NearPair& pair) {
  const ModelView& m = *b.model;
  const auto split = [&key](int base) {
    const std::uint64_t rest = key % static_cast<std::uint64_t>(base);
    key /= static_cast<std::uint64_t>(base);
    return static_cast<int>(rest);
  };
  const int which = split(b.widest);
  pair.body_b = split(b.bodies);
  pair.body_a = split(b.bodies);
  const SceneView& s = b.scene[static_cast<int>(key)];
  const int parts_b = m.body_first_part[pair.body_b + 1] - m.body_first_part[pair.body_b];
  pair.part_a = m.body_first_part[pair.body_a] + which / parts_b;
  pair.part_b = m.body_first_part[pair.body_b] + which % parts_b;
  may_touch(m, pair.body_a, pair.body_b, pair.slot);
  pair.eps = s.margin[pair.body_a] + s.margin[pair.body_b];
}

// Whether pair x comes before pair y in the order of near pairs and of kept impulses. x, y: NearPair or WarmContact.
template <class X, class Y>
PEGRASP_HD inline bool pair_before(const ModelView& m, const X& x, const Y& y) {
  const int first[4] = {m.part_body[x.part_a], m.part_body[x.part_b], x.part_a, x.part_b};
  const int second[4] = {m.part_body[y.part_a], m.part_body[y.part_b], y.part_a, y.part_b};
  for (int i = 0; i < 4; ++i) {
    if (first[i] != second[i]) return first[i] < second[i];
  }
  return false;
}

// The first of list[begin .. end) that does not come before x.
template <class Entry, class X>
PEGRASP_HD inline int place_of_pair(const ModelView& m, const Entry* list, int begin, int end, const X& x) {
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (pair_before(m, list[middle], x)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// Where the kept impulses of a pair are in their list.
struct WarmRange {
  int first, last;
};
PEGRASP_HD inline WarmRange warm_range(const SceneView& s, const NearPair& pair) {
  const WarmContact* list = s.warm[s.tally->warm_parity];
  const int count = s.tally->warm_count[s.tally->warm_parity];
  const int first = place_of_pair(*s.model, list, 0, count, pair);
  int last = first;
  while (last < count && list[last].part_a == pair.part_a && list[last].part_b == pair.part_b) ++last;
  return {first, last};
}

// The body with which the shares of two bodies are added up: one that moves.
PEGRASP_HD inline int owner_of(const SceneView& s, int body_a, int body_b) {
  return body_a >= 0 && is_dynamic(s, body_a) ? body_a : body_b;
}

// The body, numbered over the batch, with which a pair is added up.
template <class Pair>
PEGRASP_HD inline int owner_of_parts(const BatchView& b, int scene, const Pair& x) {
  const ModelView& m = *b.model;
  return scene * b.bodies + owner_of(b.scene[scene], m.part_body[x.part_a], m.part_body[x.part_b]);
}

// Sweeps the boxes of the scenes that ask for a list: afterwards b.pair_key holds the keys of their pairs, scene by
// scene and in order.
template <class Device, class Buffers>
void sweep_for_pairs(Device& device, BatchView& b, Buffers& buffers) {
  const BatchView before = b;
  device.for_each(b.scenes * b.parts, [=] PEGRASP_HD(int i) {
    const int scene = i / before.parts;
    if (before.course[scene].list != 0) sweep_box(before, scene, i % before.parts);
  });
  device.sort_within(b.scenes, b.parts, b.sweep_key, b.sweep_part);
  device.for_each(b.scenes * b.parts, [=] PEGRASP_HD(int i) {
    before.swept[i] = swept_by(before, i / before.parts, i % before.parts);
    before.sweep_first[i] = sweep_pieces(before.swept[i]);
  });
  const int pieces = device.scan(b.sweep_first, b.scenes * b.parts);
  b.meets = buffers.meets.capacity(pieces + 1);
  const BatchView ordered = b;
  device.for_each(pieces, [=] PEGRASP_HD(int piece) {
    int count = 0;
    sweep_piece(ordered, piece, [&count](int, int, int) { ++count; });
    ordered.meets[piece] = count;
  });
  const int found = device.scan(b.meets, pieces);
  b.pair_key = buffers.pair_key.capacity(found);
  const BatchView swept = b;
  device.for_each(pieces, [=] PEGRASP_HD(int piece) {
    int at = swept.meets[piece];
    sweep_piece(swept, piece, [&](int scene, int part_a, int part_b) {
      swept.pair_key[at++] = pair_key(swept, scene, part_a, part_b);
    });
  });
  device.sort(b.pair_key, found);
}

// Lists the near pairs of every part of every scene, in their order.
template <class Device, class Buffers>
void list_pairs_of_parts(Device& device, BatchView& b, Buffers& buffers, int pairs) {
  b.pair_of_part = buffers.pair_of_part.capacity(2 * pairs);
  int* const part = buffers.pair_owner.capacity(2 * pairs);
  const BatchView listed = b;
  device.for_each(2 * pairs, [=] PEGRASP_HD(int i) {
    const NearPair& pair = listed.pairs[i / 2];
    part[i] =
        scene_of(listed.pair_first, listed.scenes, i / 2) * listed.parts + (i % 2 == 0 ? pair.part_a : pair.part_b);
  });
  device.group(part, 2 * pairs, b.scenes * b.parts, b.part_first_pair, b.pair_of_part);
  device.for_each(2 * pairs, [=] PEGRASP_HD(int i) { listed.pair_of_part[i] /= 2; });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    SceneView& s = listed.scene[scene];
    s.part_first_pair = listed.part_first_pair + scene * listed.parts;
    s.pair_of_part = listed.pair_of_part;
    s.pairs_before = listed.pair_first[scene];
  });
}

// Lists the near pairs of scenes that ask for it; the others keep theirs. Two buffers take turns as b.pairs.
template <class Device, class Buffers>
void list_near_pairs(Device& device, BatchView& b, Buffers& buffers) {
  const BatchView before = b;
  // Later passes of the scenes at hand: the pairs stay as they are.
  const bool changed = device.any(b.scenes, [=] PEGRASP_HD(int scene) {
    const Course& c = before.course[scene];
    return c.list != 0 || (c.active == 0 && before.pair_first[scene + 1] > before.pair_first[scene]);
  });
  if (!changed) return;
  sweep_for_pairs(device, b, buffers);
  const BatchView swept = b;
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    const Course& c = swept.course[scene];
    const int kept = swept.pair_first[scene + 1] - swept.pair_first[scene];
    const int listed = first_swept(swept, scene + 1) - first_swept(swept, scene);
    swept.pair_count[scene] = c.list != 0 ? listed : (c.active != 0 ? kept : 0);
  });
  const int pairs = device.scan(b.pair_count, b.scenes);
  NearPair* const old = b.pairs;
  b.pairs = buffers.pairs[buffers.turn = 1 - buffers.turn].capacity(pairs);
  b.pair_fresh = buffers.pair_fresh.capacity(pairs);
  const BatchView after = b;
  device.for_each(pairs, [=] PEGRASP_HD(int i) {
    const int scene = scene_of(after.pair_count, after.scenes, i);
    const int place = i - after.pair_count[scene];
    after.pair_fresh[i] = 0;
    if (after.course[scene].list == 0) {
      after.pairs[i] = old[after.pair_first[scene] + place];
      return;
    }
    NearPair& pair = after.pairs[i];
    pair = NearPair{};
    pair_from_key(after, after.pair_key[first_swept(after, scene) + place], pair);
    // An island whose attempt goes on without a new list keeps what it knows of its pairs.
    const int owner = owner_of_parts(after, scene, pair);
    if (after.course[scene].attempt_begun == 0 && after.step[after.step_island[owner]].list == 0) {
      const int end = after.pair_first[scene + 1];
      const int was = place_of_pair(*after.model, old, after.pair_first[scene], end, pair);
      if (was < end && old[was].part_a == pair.part_a && old[was].part_b == pair.part_b) {
        pair = old[was];
        return;
      }
    }
    after.pair_fresh[i] = 1;
  });
  device.for_each(b.scenes + 1, [=] PEGRASP_HD(int i) { after.pair_first[i] = after.pair_count[i]; });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    SceneView& s = after.scene[scene];
    s.pairs = after.pairs + after.pair_first[scene];
    s.tally->pair_count = after.pair_first[scene + 1] - after.pair_first[scene];
  });
  list_pairs_of_parts(device, b, buffers, pairs);
  b.owned_pair = buffers.owned_pair.capacity(pairs);
  int* const owner = buffers.pair_owner.capacity(pairs);
  const BatchView listed = b;
  device.for_each(pairs, [=] PEGRASP_HD(int i) {
    owner[i] = owner_of_parts(listed, scene_of(listed.pair_first, listed.scenes, i), listed.pairs[i]);
  });
  device.group(owner, pairs, b.scenes * b.bodies, b.owned_first, b.owned_pair);
  buffers.pair_total = pairs;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
