// SPDX-License-Identifier: Apache-2.0
// Reads contacts and rows out of a scene wherever an attempt at a step is taken, and adds them up over the step. A
// worker that nobody watches has none of it.
//
// An attempt that begins the step replaces all that its bodies have reported before: an island that had to begin again,
// since it met another, tells the step from its start.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/launch/cpu/row_loads.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Poses of all bodies at one time, kept aside.
class PosesAside {
 public:
  explicit PosesAside(const SceneView& s)
      : bodies_(s.model->body_count),
        pose_(static_cast<std::size_t>(pose_size * bodies_)),
        frame_(static_cast<std::size_t>(frame_size * bodies_)) {
    take(s, [](int) { return true; });
  }
  // The start poses of the scene, for bodies of which which(body) holds.
  template <class Which>
  void take(const SceneView& s, const Which& which) {
    copy(s.pose, s.start_frame, which);
  }
  template <class Which>
  void take(const PosesAside& other, const Which& which) {
    copy(other.pose_.data(), other.frame_.data(), which);
  }
  // The scene with these poses in place of its own.
  SceneView in(const SceneView& s) {
    SceneView view = s;
    view.pose = pose_.data();
    view.start_frame = frame_.data();
    return view;
  }

 private:
  template <class Which>
  void copy(const double* pose, const double* frame, const Which& which) {
    for (int body = 0; body < bodies_; ++body) {
      if (!which(body)) continue;
      std::copy_n(pose + pose_size * body, pose_size, pose_.data() + pose_size * body);
      std::copy_n(frame + frame_size * body, frame_size, frame_.data() + frame_size * body);
    }
  }

  int bodies_;
  std::vector<double> pose_, frame_;
};

struct LeavesPoses {
  void operator()(const SceneView&) const {}
};

class StepWatch {
 public:
  // Before a step.
  StepWatch(const SceneView& s, const StepOptions& options)
      : options_(options), begin_(s), now_(s), acts_(static_cast<std::size_t>(s.model->body_count)) {}

  // An attempt of h [s] was taken: the arrays of the scene are those of it, its poses the end poses. Its impulses act
  // for SceneView::last_kick, which is the duration of what is reported. begins: the step
  // begins with it. moved(body): whether it moved the body. place: sets the poses, at the attempt's beginning, of
  // kinematic bodies that it did not move.
  template <class Moved, class Place = LeavesPoses>
  void see(const SceneView& s, double h, bool begins, const Moved& moved, const Place& place = {}) {
    if (begins) {
      std::erase_if(items_, [&](const Item& item) { return moved(item.owner); });
      now_.take(begin_, moved);
    }
    for (int body = 0; body < s.model->body_count; ++body) {
      if (moved(body)) acts(body) = s.last_kick[body] + (begins ? 0.0 : acts(body));
    }
    for (Item& item : items_) item.last = item.last && !moved(item.owner);
    now_.take(s, [&](int body) { return !moved(body); });
    const SceneView before = now_.in(s);
    place(before);
    std::map<Key, int> seen;
    for (int k = 0; k < s.tally->block_count; ++k) {
      const Block& block = s.blocks[k];
      if (block.row_count == 0) continue;
      const Row& row = s.rows[block.first_row];
      const int owner = is_dynamic(s, row.body_a) ? row.body_a : row.body_b;
      if (!is_dynamic(s, owner) || !moved(owner)) continue;
      if (block.kind == block_contact) {
        items_.push_back(contact_item(before, s, block, owner, h));
        std::get<3>(items_.back().key) = seen[items_.back().key]++;
      } else {
        items_.push_back(load_item(before, s, block, owner, s.last_kick[owner]));
      }
    }
    for (int k = 0; k < s.model->actuator_count; ++k) see_motor(before, k, h, moved);
    now_.take(s, moved);
  }

  // Of a step that has ended.
  StepContents contents(const SceneView& s) const {
    StepContents all;
    std::map<Key, std::size_t> place;
    std::vector<int> contact_owner, load_owner;
    for (const Item& item : items_) {
      if (item.last && item.is_contact) all.contacts.push_back(item.contact);
      if (item.last) all.rows.insert(all.rows.end(), item.rows.begin(), item.rows.end());
      const std::size_t next = item.is_contact ? all.step_contacts.size() : all.loads.size();
      const auto [found, fresh] = place.try_emplace(item.key, next);
      if (item.is_contact) {
        if (fresh) all.step_contacts.emplace_back();
        add_contact(all.step_contacts[found->second], item.contact);
        contact_owner.resize(all.step_contacts.size(), item.owner);
      } else {
        if (fresh) all.loads.emplace_back();
        add_load(all.loads[found->second], item.load);
        load_owner.resize(all.loads.size(), item.owner);
      }
    }
    // Of the step, also where the constraint was there in some of the substeps alone.
    for (std::size_t k = 0; k < contact_owner.size(); ++k) all.step_contacts[k].duration = acts(contact_owner[k]);
    for (std::size_t k = 0; k < load_owner.size(); ++k) all.loads[k].duration = acts(load_owner[k]);
    all.bodies.resize(static_cast<std::size_t>(s.model->body_count));
    add_to_bodies(all);
    return all;
  }

 private:
  // What tells a constraint of a substep from others. Contacts: parts, feature, and how many of these came before it;
  // others: -1, kind, index, row.
  using Key = std::tuple<int, int, int, int>;
  struct Item {
    Key key;
    int owner = 0;  // a dynamic body of it
    bool is_contact = false;
    bool last = true;  // of the last attempt of its owner
    ContactReport contact;
    LoadReport load;
    std::vector<RowReport> rows;
  };

  static constexpr int directions = is_spatial ? 3 : 2;

  static ContactFeature feature_of(int key) {
    const int type = mode_type(key) & 3;  // bits above tell keys of one feature pair apart
    constexpr int planar_arcs = 2;        // mode_arcs, a name that 3D does not have
    if (!is_spatial && type == planar_arcs) return ContactFeature::round;
    return static_cast<ContactFeature>(type);
  }

  // The first `count` numbers of a row's Jacobian on its second body, from `first` on.
  static Vec3 direction(const Row& row, int first) {
    Vec3 d{static_cast<double>(row.jb[first]), static_cast<double>(row.jb[first + 1]), 0.0};
    if (is_spatial) d.z = static_cast<double>(row.jb[first + directions - 1]);
    return d;
  }

  // h: of the attempt [s].
  Item contact_item(const SceneView& before, const SceneView& s, const Block& block, int owner, double h) const {
    const Contact& c = s.contacts[block.owner];
    Item item;
    item.owner = owner;
    item.is_contact = true;
    ContactReport& out = item.contact;
    out.body_a = c.body_a;
    out.body_b = c.body_b;
    out.part_a = s.pairs[c.pair].part_a;
    out.part_b = s.pairs[c.pair].part_b;
    item.key = {out.part_a, out.part_b, c.key, 0};
    out.feature = feature_of(c.key);
    out.point = public_vector(c.at);
    out.normal = public_vector(c.push);
    out.gap = c.gap;
    out.friction = c.mu;
    out.normal_impulse = row_impulse(s, block.first_row);
    out.duration = s.last_kick[owner];
    double bounded = 0.0;
    for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
      const double p = row_impulse(s, i);
      const int at = i - block.first_row;
      if (at > 0) bounded += p * p;
      if (at > 0 && at < directions)
        out.tangential_impulse = sum_of(out.tangential_impulse, times(p, direction(s.rows[i], 0)));
      if constexpr (is_spatial) {
        if (at >= directions) out.moment = sum_of(out.moment, times(p, direction(s.rows[i], directions)));
      }
      out.turn_a = sum_of(out.turn_a, push_of_row(before, s, i, 0).turn);
      out.turn_b = sum_of(out.turn_b, push_of_row(before, s, i, 1).turn);
    }
    out.impulse = sum_of(times(out.normal_impulse, out.normal), out.tangential_impulse);
    out.slip = slip_of(before, c, h);
    if (block.row_count > 1) {
      const Vec3 solved = solved_slip(s, block);
      if (inner(solved, solved) < inner(out.slip, out.slip)) out.slip = solved;
    }
    if (!(out.normal_impulse > 0.0)) return item;
    const double most = out.friction * out.normal_impulse;
    const bool slides = inner(out.slip, out.slip) > 4.0 * options_.tolerance * options_.tolerance;
    out.state = slides ? ContactState::slide : ContactState::stick;
    if (most > 0.0) out.margin = std::max(0.0, 1.0 - square_root(bounded) / most);
    return item;
  }

  // The mean slip of the material points over an attempt of h [s], which rows of friction ask for: seen from a body
  // that turns or is accelerated. Models that linearise contacts once ask for the velocity at the start.
  Vec3 slip_of(const SceneView& before, const Contact& c, double h) const {
    V slip;
    if (linearises_anew(options_) && h > 0.0) {
      slip = (1.0 / h) * slip_of_attempt(before, c, h);
    } else {
      slip = point_velocity(before.nu, c.body_b, c.p - position(before.pose, c.body_b)) -
             point_velocity(before.nu, c.body_a, c.p - position(before.pose, c.body_a));
    }
    return public_vector(slip - dot(c.push, slip) * c.push);
  }

  // The slip that the rows of friction leave. Of a contact that sticks it is none but the solver's residual; that of
  // the motion has besides what the last linearisation gets wrong. Of one that slides in 3D the rows have a bias across
  // it.
  static Vec3 solved_slip(const SceneView& s, const Block& block) {
    Vec3 slip;
    for (int i = block.first_row + 1; i < block.first_row + directions; ++i) {
      const Row& row = s.rows[i];
      double speed = static_cast<double>(row.bias) + static_cast<double>(row.compliance) * row_impulse(s, i);
      for (int k = 0; k < dof; ++k) {
        speed += static_cast<double>(row.ja[k]) * s.nu[dof * row.body_a + k] +
                 static_cast<double>(row.jb[k]) * s.nu[dof * row.body_b + k];
      }
      slip = sum_of(slip, times(speed, direction(row, 0)));
    }
    return slip;
  }

  double& acts(int body) { return acts_[static_cast<std::size_t>(body)]; }
  double acts(int body) const { return acts_[static_cast<std::size_t>(body)]; }

  static Item load_item(const SceneView& before, const SceneView& s, const Block& block, int owner, double h) {
    Item item;
    item.owner = owner;
    LoadReport& load = item.load;
    load.index = block.owner;
    load.duration = h;
    switch (block.kind) {
      case block_disc:
        load.kind = RowKind::support;
        load.point = support_place(before, block.owner);
        break;
      case block_clamp:
        load.kind = RowKind::motor;
        break;
      case block_limit:
        load.kind = RowKind::limit;
        load.index = block.owner / 2;
        load.row = block.owner % 2;
        break;
      case block_coupling:
        load.kind = RowKind::coupling;
        load.index = block.owner / 2;
        load.row = block.owner % 2;
        break;
      case block_contact:  // an item of its own (contact_item)
      case block_joint:
        load.kind = RowKind::joint;
        break;
    }
    const Row& first = s.rows[block.first_row];
    const bool alone = first.body_a == first.body_b;
    load.body_a = alone ? -1 : first.body_a;
    load.body_b = first.body_b;
    Push on_b;
    for (int i = 0; i < block.row_count; ++i) {
      const int row = block.first_row + i;
      RowReport report;
      report.kind = load.kind;
      report.index = load.index;
      report.row = block.kind == block_limit || block.kind == block_coupling ? load.row : i;
      report.bound = static_cast<double>(block.bound);
      report.duration = h;
      report.impulse = row_impulse(s, row);
      item.rows.push_back(report);
      add_push(on_b, push_of_row(before, s, row, alone ? 0 : 1));
      if (!alone) load.turn_a = sum_of(load.turn_a, push_of_row(before, s, row, 0).turn);
    }
    place_load(before, load, on_b);
    item.key = {-1, static_cast<int>(load.kind), load.index, load.row};
    return item;
  }

  // Says where a load acts, and its moment there.
  static void place_load(const SceneView& before, LoadReport& load, const Push& on_b) {
    const ModelView& m = *before.model;
    const Vec3 centre = centre_of(before, load.body_b);
    int joint = load.index;
    if (load.kind == RowKind::motor) joint = m.actuator_joint[load.index];
    if (load.kind == RowKind::coupling) joint = coupling_joint(m, load.index, load.row);
    if (load.kind != RowKind::support) {
      load.point = joint < 0 ? centre : public_vector(start_joint(before, joint).x_b);
    }
    load.impulse = on_b.force;
    load.turn_b = on_b.turn;
    const Vec3 arm = sum_of(load.point, times(-1.0, centre));
    load.moment = sum_of(on_b.turn, times(-1.0, crossed(arm, on_b.force)));
  }

  template <class Moved>
  void see_motor(const SceneView& before, int k, double h, const Moved& moved) {
    const ModelView& m = *before.model;
    if (is_servo(m, k)) return;
    const int joint = m.actuator_joint[k];
    const int b = joint < 0 ? m.actuator_body[k] : m.joint_body_b[joint];
    const int a = joint < 0 ? -1 : m.joint_body_a[joint];
    const int owner = a >= 0 && !is_dynamic(before, b) ? a : b;
    if (!is_dynamic(before, owner) || !moved(owner) || !before.present[b]) return;
    if (a >= 0 && !before.present[a]) return;
    const double last = 2.0 * before.last_kick[owner] - h;
    Item item;
    item.owner = owner;
    item.load.kind = RowKind::motor;
    item.load.index = k;
    item.load.body_a = a;
    item.load.body_b = b;
    if (a >= 0) item.load.turn_a = push_of_motor(before, k, false, last, h).turn;
    place_load(before, item.load, push_of_motor(before, k, true, last, h));
    item.key = {-1, static_cast<int>(RowKind::motor), k, 0};
    items_.push_back(item);
  }

  // Adds a contact of a substep to that of the step, whose duration is that of the substeps so far.
  static void add_contact(ContactReport& to, const ContactReport& more) {
    ContactReport sum = more;
    sum.normal_impulse += to.normal_impulse;
    sum.tangential_impulse = sum_of(to.tangential_impulse, more.tangential_impulse);
    sum.impulse = sum_of(to.impulse, more.impulse);
    sum.moment = sum_of(to.moment, more.moment);
    sum.turn_a = sum_of(to.turn_a, more.turn_a);
    sum.turn_b = sum_of(to.turn_b, more.turn_b);
    sum.duration = to.duration + more.duration;
    sum.slip = times(1.0 / sum.duration, sum_of(times(to.duration, to.slip), times(more.duration, more.slip)));
    sum.state = std::max(to.state, more.state);
    sum.margin = std::min(to.margin, more.margin);
    to = sum;
  }
  static void add_load(LoadReport& to, const LoadReport& more) {
    LoadReport sum = more;
    sum.impulse = sum_of(to.impulse, more.impulse);
    sum.moment = sum_of(to.moment, more.moment);
    sum.turn_a = sum_of(to.turn_a, more.turn_a);
    sum.turn_b = sum_of(to.turn_b, more.turn_b);
    to = sum;
  }

  static void add_to_bodies(StepContents& all) {
    for (const ContactReport& c : all.step_contacts) {
      BodyLoad& a = all.bodies[static_cast<std::size_t>(c.body_a)];
      BodyLoad& b = all.bodies[static_cast<std::size_t>(c.body_b)];
      a.contact_impulse = sum_of(a.contact_impulse, times(-1.0, c.impulse));
      b.contact_impulse = sum_of(b.contact_impulse, c.impulse);
      a.contact_turn = sum_of(a.contact_turn, c.turn_a);
      b.contact_turn = sum_of(b.contact_turn, c.turn_b);
      a.normal_impulse += c.normal_impulse;
      b.normal_impulse += c.normal_impulse;
      a.duration = std::max(a.duration, c.duration);
      b.duration = std::max(b.duration, c.duration);
    }
    for (const LoadReport& load : all.loads) {
      BodyLoad& b = all.bodies[static_cast<std::size_t>(load.body_b)];
      b.constraint_impulse = sum_of(b.constraint_impulse, load.impulse);
      b.constraint_turn = sum_of(b.constraint_turn, load.turn_b);
      b.duration = std::max(b.duration, load.duration);
      if (load.body_a < 0) continue;
      BodyLoad& a = all.bodies[static_cast<std::size_t>(load.body_a)];
      a.constraint_impulse = sum_of(a.constraint_impulse, times(-1.0, load.impulse));
      a.constraint_turn = sum_of(a.constraint_turn, load.turn_a);
      a.duration = std::max(a.duration, load.duration);
    }
  }

  StepOptions options_;
  PosesAside begin_, now_;    // at the step's beginning; before the next attempt of each body
  std::vector<double> acts_;  // (bodies) the time for which the step's impulses act so far [s]
  std::vector<Item> items_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
