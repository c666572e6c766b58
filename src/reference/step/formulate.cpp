// SPDX-License-Identifier: Apache-2.0
// One step as a complementarity problem. Equation numbers are the thesis' (Williams) unless said otherwise; misprints
// that are corrected here are listed in bench/studies/thesis/formulations.md. Unknowns and rows, in order:
//
//   nu     M nu - G_b p_b - G_n p_n - G_f p_f - ... = M nu^l + p_ext                        (2.30), (4.41)
//   p_b    G_b' nu + psi_b / h + d psi_b / dt = 0                                           (2.28), (4.42)
//   p_n    g >= 0  _|_  p_n >= 0,   g the largest gap of its set over h, at the step's end  (4.8), (4.14)
//   c      g_k - psi_k / h >= 0  _|_  c_k = g_k - g_{k-1} >= 0                              (4.10), (4.44)
//   p_f    G_f' nu + E s >= 0  _|_  p_f >= 0,    mu p_n - E' p_f >= 0  _|_  s >= 0           (2.21), (4.48), (4.49)
//          Form::convex:  g - mu s + Delta  in the row of p_n                                  (Hart 16)
//     or   mu p_n v + p_f s = 0,   (mu p_n)^2 - p_f' p_f >= 0  _|_  s >= 0                   (4.37) to (4.40)
//   p_s    the same at support points, with the known bound h mu_s lambda_ns                (Berard 3.25 to 3.27)
//   p_m    w = row' nu + bias + C p_m;  w >= 0 at -bound, w <= 0 at bound, else w = 0
//
// The row of nu is the thesis' times -1: without friction the matrix is then positive semidefinite, and stays so when a
// solver adds to its diagonal.
#include "src/reference/step/formulate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include "src/reference/step/assembly.hpp"
#include "src/reference/step/layout.hpp"

namespace pegrasp::reference {
namespace {

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

void check_vector(const SparseVector& g, Eigen::Index size) {
  require(g.size() == size, "a gradient is not as long as the velocity: size it to StepProblem::velocity");
}

void check_contacts(const std::vector<int>& list, std::size_t count) {
  for (const int i : list) {
    require(i >= 0 && static_cast<std::size_t>(i) < count, "a constraint names a contact that is not there");
  }
}

void check(const StepProblem& step, const Formulation& formulation) {
  const Eigen::Index v = step.velocity.size();
  require(step.h > 0.0 && std::isfinite(step.h), "the step h must be positive");
  require(step.mass.rows() == v && step.mass.cols() == v && step.external.size() == v,
          "mass, velocity and external impulse must be of one size");
  require(formulation.scheme != Scheme::quasistatic || formulation.form != Form::lcp,
          "the quasistatic scheme has no form lcp, which eliminates the velocities by the masses; choose mixed");
  require(formulation.directions >= 3, "a friction pyramid needs at least 3 directions");
  const std::size_t count = step.contacts.size();
  for (const Contact& contact : step.contacts) {
    check_vector(contact.normal, v);
    check_vector(push_of(contact), v);
    require(contact.tangents.size() <= 2, "a contact has at most 2 tangents");
    require(contact.tangent_rate.empty() || contact.tangent_rate.size() == contact.tangents.size(),
            "a contact's tangent_rate must be empty or match its tangents");
    for (const SparseVector& t : contact.tangents) check_vector(t, v);
  }
  if (formulation.form == Form::convex) {
    require(step.inter.empty() && step.cross.empty(), "Form::convex takes unilateral contacts only; choose mixed");
    require(formulation.relaxation.empty() || formulation.relaxation.size() == count,
            "a relaxation has one number for each contact");
  }
  check_contacts(step.unilateral, count);
  for (const InterContact& inter : step.inter) {
    require(!inter.carriers.empty(), "an I-constraint needs a contact that may carry force (thesis, 4.2.2)");
    check_contacts(inter.carriers, count);
    check_contacts(inter.masks, count);
  }
  for (const CrossContact& cross : step.cross) {
    require(!cross.a.empty() || !cross.b.empty(), "an X-constraint needs a contact");
    check_contacts(cross.a, count);
    check_contacts(cross.b, count);
    check_contacts(cross.carriers, count);
  }
  for (const SupportPoint& point : step.supports) {
    require(point.bound >= 0.0, "the bound of a support point must not be negative");
    require(point.tangents.size() <= 2, "a support point has at most 2 tangents");
    for (const SparseVector& t : point.tangents) check_vector(t, v);
  }
  for (const Motor& motor : step.motors) {
    require(motor.bound >= 0.0 && motor.compliance >= 0.0, "a motor's bound and compliance must not be negative");
    require(motor.mates == 0, "motors that share a bound have no complementarity problem here");
    check_vector(motor.row, v);
    check_vector(push_of(motor), v);
  }
  for (const Bilateral& bilateral : step.bilaterals) {
    check_vector(bilateral.row, v);
    check_vector(push_of(bilateral), v);
  }
}

// Anitescu-Potra, velocity level: a set of which one gap is open constrains nothing; of a closed one only the members
// on top count, since max psi changes at the rate of those. An extension: the method knows plain contacts only.
bool keep_closed(const StepProblem& step, double closed_gap, ConstraintSet& set) {
  double top = -mcp::infinity;
  for (const std::vector<int>* list : {&set.carriers, &set.masks}) {
    for (const int i : *list) top = std::max(top, step.contacts[static_cast<std::size_t>(i)].gap);
  }
  if (top > closed_gap) return false;
  const auto below = [&](int i) { return step.contacts[static_cast<std::size_t>(i)].gap < top - closed_gap; };
  std::erase_if(set.carriers, below);
  std::erase_if(set.masks, below);
  return !set.carriers.empty();
}

std::vector<ConstraintSet> constraint_sets(const StepProblem& step, const Formulation& formulation) {
  std::vector<ConstraintSet> sets;
  const bool literal = formulation.set_rows == SetRows::literal;
  const auto add = [&](ConstraintSet set) {
    if (formulation.scheme == Scheme::anitescu_potra && !keep_closed(step, formulation.closed_gap, set)) return;
    set.literal = literal && (set.cross || set.carriers.size() > 1);
    set.egan = formulation.set_rows == SetRows::egan && set.carriers.size() + set.masks.size() > 1;
    sets.push_back(std::move(set));
  };
  for (const int i : step.unilateral) {
    ConstraintSet set;
    set.carriers = {i};
    add(std::move(set));
  }
  for (const InterContact& inter : step.inter) {
    ConstraintSet set;
    set.carriers = inter.carriers;
    set.masks = inter.masks;
    add(std::move(set));
  }
  for (const CrossContact& cross : step.cross) {
    std::vector<int> all = cross.a;
    all.insert(all.end(), cross.b.begin(), cross.b.end());
    ConstraintSet set;
    set.cross = true;
    for (const int i : all) {
      const bool carries =
          cross.carriers.empty() || std::find(cross.carriers.begin(), cross.carriers.end(), i) != cross.carriers.end();
      (carries || literal ? set.carriers : set.masks).push_back(i);
    }
    require(!set.carriers.empty(), "an X-constraint's carriers must be among its contacts");
    add(std::move(set));
  }
  return sets;
}

// Unit vectors of the pyramid: (tangents, n_d). In 2D +t and -t (2.22).
Eigen::MatrixXd pyramid(std::size_t tangent_count, int directions) {
  if (tangent_count == 1) return Eigen::RowVector2d(1.0, -1.0);
  Eigen::MatrixXd d(2, directions);
  for (int k = 0; k < directions; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / directions;
    d(0, k) = std::cos(angle);
    d(1, k) = std::sin(angle);
  }
  return d;
}

class Builder {
 public:
  Builder(const StepProblem& step, const Formulation& formulation) : step_(step) { layout_.formulation = formulation; }

  FormulatedStep build(Layout& layout) {
    motion();
    bilaterals();
    sets();
    friction();
    motors();
    layout_.count = rows_.size();
    layout = layout_;
    return rows_.finish();
  }

 private:
  const Contact& contact(int i) const { return step_.contacts[static_cast<std::size_t>(i)]; }
  double offset(int i) const { return layout_.offset[static_cast<std::size_t>(i)]; }
  // row += factor * (psi / h at the end of the step)
  void gap(int row, int i, double factor) {
    rows_.rate(row, contact(i).normal, factor);
    rows_.constant(row, factor * offset(i));
  }

  void motion() {  // (2.30) without impulses
    layout_.velocities = static_cast<int>(step_.velocity.size());
    for (int k = 0; k < layout_.velocities; ++k) rows_.add_free(VariableKind::velocity);
    const bool balance = layout_.formulation.scheme == Scheme::quasistatic;
    const Vector momentum = balance ? step_.external : Vector(step_.mass * step_.velocity + step_.external);
    for (int k = 0; k < layout_.velocities; ++k) rows_.constant(k, -momentum[k]);
    for (int column = 0; !balance && column < step_.mass.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(step_.mass, column); it; ++it) {
        rows_.linear(static_cast<int>(it.row()), static_cast<int>(it.col()), it.value());
      }
    }
  }

  void bilaterals() {  // (2.28) over h, as in (2.34)
    layout_.bilateral = rows_.size();
    for (const Bilateral& b : step_.bilaterals) {
      const int p = rows_.add_free(VariableKind::bilateral);
      rows_.rate(p, b.row);
      rows_.constant(p, b.gap / step_.h + b.rate);
      rows_.impulse(p, push_of(b));
    }
  }

  void sets() {
    const bool with_gaps = layout_.formulation.scheme != Scheme::anitescu_potra;
    for (const Contact& c : step_.contacts) {
      layout_.offset.push_back((with_gaps ? c.gap / step_.h : 0.0) + c.rate);  // (2.31); its end, Anitescu-Potra
    }
    layout_.impulses.resize(step_.contacts.size());
    layout_.sets = constraint_sets(step_, layout_.formulation);
    for (ConstraintSet& set : layout_.sets) add_set(set);
  }

  void add_set(ConstraintSet& set) {
    if (!(set.cross && set.literal)) {
      for (const int i : set.carriers) {
        const int p = rows_.add_nonnegative(VariableKind::normal);
        rows_.impulse(p, push_of(contact(i)));
        layout_.impulses[static_cast<std::size_t>(i)].push_back(p);
        set.impulse.push_back(p);
      }
    }
    if (set.egan) {
      egan_rows(set);
      return;
    }
    const std::size_t chain_count = set.literal ? 1 : set.carriers.size();
    for (std::size_t k = 0; k < chain_count; ++k) add_chain(set, k);
    if (set.literal) {
      literal_rows(set);
    } else {
      reduced_rows(set);
    }
  }

  // (4.10) from carrier k: c_2 + ... + c_j + psi_1 - psi_j >= 0  _|_  c_j, which makes g_j = max(psi_1 .. psi_j).
  // Carriers come before masks.
  void add_chain(ConstraintSet& set, std::size_t k) {
    Chain chain;
    chain.contacts = {set.carriers[k]};
    for (std::size_t j = 0; j < set.carriers.size(); ++j) {
      if (j != k) chain.contacts.push_back(set.carriers[j]);
    }
    chain.contacts.insert(chain.contacts.end(), set.masks.begin(), set.masks.end());
    for (std::size_t j = 1; j < chain.contacts.size(); ++j) {
      chain.slack.push_back(rows_.add_nonnegative(VariableKind::mask));
      gap(chain.slack.back(), chain.contacts[0], 1.0);
      for (const int c : chain.slack) rows_.linear(chain.slack.back(), c, 1.0);
      gap(chain.slack.back(), chain.contacts[j], -1.0);
    }
    set.chains.push_back(std::move(chain));
  }

  // (4.14) for one carrier: psi_1 + c_2 + ... + c_n >= 0  _|_  p. For several each has a chain of its own, in which the
  // steps to other carriers count twice: g + (g_iota - psi_i) >= 0  _|_  p_i, g_iota the largest gap of the carriers.
  // Both summands are zero only on the carrier that is on top, and for that one the row reads g >= 0, which is (4.11).
  void reduced_rows(const ConstraintSet& set) {
    for (std::size_t k = 0; k < set.carriers.size(); ++k) {
      gap(set.impulse[k], set.carriers[k], 1.0);
      const double gives = contact(set.carriers[k]).compliance;
      if (gives > 0.0) rows_.linear(set.impulse[k], set.impulse[k], gives);
      const std::vector<int>& slack = set.chains[k].slack;
      for (std::size_t j = 0; j < slack.size(); ++j) {
        rows_.linear(set.impulse[k], slack[j], j + 1 < set.carriers.size() ? 2.0 : 1.0);
      }
    }
  }

  void literal_rows(ConstraintSet& set) {
    const auto maximum = [&](int row) {
      gap(row, set.carriers[0], 1.0);
      for (const int c : set.chains[0].slack) rows_.linear(row, c, 1.0);
    };
    for (std::size_t k = 0; k < set.impulse.size(); ++k) {
      const int d = rows_.add_nonnegative(VariableKind::several_carriers);
      set.depth.push_back(d);
      gap(d, set.carriers[k], 1.0);  // (4.12)
      rows_.linear(d, d, 1.0);
      maximum(set.impulse[k]);  // (4.13)
      rows_.linear(set.impulse[k], d, 1.0);
    }
    set.multiplier = rows_.add_nonnegative(VariableKind::inequality);
    maximum(set.multiplier);  // (4.11)
  }

  // Berard (3.6) to (3.15) with lengths over h: d - gamma + 1 becomes the largest gap, at most 1 m, and an impulse acts
  // where that and its own gap are zero. Of one carrier before masks it acts wherever the largest gap is zero, as in
  // (4.14).
  void egan_rows(ConstraintSet& set) {
    const auto [one, gamma] = EganConstants(step_.h);
    std::vector<int> all = set.carriers;
    all.insert(all.end(), set.masks.begin(), set.masks.end());
    for (std::size_t i = 0; i < all.size(); ++i) set.shortfall.push_back(rows_.add_nonnegative(VariableKind::mask));
    const int d = set.least = rows_.add_nonnegative(VariableKind::mask);
    for (std::size_t i = 0; i < all.size(); ++i) set.share.push_back(rows_.add_nonnegative(VariableKind::mask));
    rows_.constant(d, -1.0);  // (3.8)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int c = set.shortfall[i], g = set.share[i];
      gap(c, all[i], 1.0);  // (3.6), (3.7)
      rows_.linear(c, c, 1.0);
      rows_.constant(c, -one);
      rows_.linear(d, g, 1.0);
      rows_.linear(g, c, 1.0);  // (3.9), (3.10)
      rows_.linear(g, d, 1.0);
      rows_.constant(g, -gamma);
    }
    const auto largest = [&, one = one, gamma = gamma](int row) {
      rows_.linear(row, d, 1.0);
      rows_.constant(row, one - gamma);
    };
    if (set.carriers.size() == 1) return largest(set.impulse[0]);
    for (std::size_t i = 0; i < set.carriers.size(); ++i)
      set.depth.push_back(rows_.add_nonnegative(VariableKind::several_carriers));
    set.multiplier = rows_.add_nonnegative(VariableKind::inequality);
    largest(set.multiplier);  // (3.13)
    for (std::size_t i = 0; i < set.carriers.size(); ++i) {
      const int below = set.depth[i];
      gap(below, set.carriers[i], 1.0);  // (3.11), (3.12)
      rows_.linear(below, below, 1.0);
      largest(set.impulse[i]);  // (3.14), (3.15)
      rows_.linear(set.impulse[i], below, 1.0);
    }
  }

  void friction() {
    for (std::size_t i = 0; i < step_.contacts.size(); ++i) {
      const Contact& c = step_.contacts[i];
      if (c.mu > 0.0 && !c.tangents.empty() && !layout_.impulses[i].empty()) add_friction(false, static_cast<int>(i));
    }
    for (std::size_t i = 0; i < step_.supports.size(); ++i) {
      const SupportPoint& point = step_.supports[i];
      if (point.bound > 0.0 && !point.tangents.empty()) add_friction(true, static_cast<int>(i));
    }
  }

  void add_friction(bool support, int index) {
    const auto i = static_cast<std::size_t>(index);
    const std::vector<SparseVector>& tangents = support ? step_.supports[i].tangents : step_.contacts[i].tangents;
    const auto rate = [&](std::size_t k) {
      const std::vector<double>& given = support ? step_.supports[i].rate : step_.contacts[i].tangent_rate;
      return given.empty() ? 0.0 : given[k];
    };
    const bool quadratic =
        layout_.formulation.form == Form::quadratic && !(layout_.formulation.linear_in_plane && tangents.size() == 1);
    const auto dimension = static_cast<Eigen::Index>(tangents.size());
    FrictionBlock block;
    block.support = support;
    block.quadratic = quadratic;
    block.index = index;
    block.directions = quadratic ? Eigen::MatrixXd::Identity(dimension, dimension)
                                 : pyramid(tangents.size(), layout_.formulation.directions);
    const auto kind = support ? VariableKind::support : VariableKind::friction;
    const auto count = static_cast<int>(block.directions.cols());
    block.first = rows_.size();
    for (int k = 0; k < count; ++k) quadratic ? rows_.add_free(kind) : rows_.add_nonnegative(kind);
    block.slip = rows_.add_nonnegative(support ? VariableKind::support_slip : VariableKind::slip);
    for (int k = 0; k < count; ++k) {
      for (std::size_t t = 0; t < tangents.size(); ++t) {
        rows_.impulse(block.first + k, tangents[t], block.directions(static_cast<Eigen::Index>(t), k));
      }
    }
    if (quadratic) {
      for (std::size_t t = 0; t < tangents.size(); ++t) quadratic_rows(block, t, tangents[t], rate(t));
      quadratic_bound(block);
    } else {
      for (int k = 0; k < count; ++k) {  // (4.48) with G_f transposed; Berard (3.26), row 3
        const int row = block.first + k;
        for (std::size_t t = 0; t < tangents.size(); ++t) {
          const double along = block.directions(static_cast<Eigen::Index>(t), k);
          rows_.rate(row, tangents[t], along);
          rows_.constant(row, along * rate(t));
        }
        for (int j = 0; !support && step_.contacts[i].tangent_compliance > 0.0 && j < count; ++j) {
          const double along = block.directions.col(k).dot(block.directions.col(j));
          rows_.linear(row, block.first + j, along * step_.contacts[i].tangent_compliance);
        }
        rows_.linear(row, block.slip, 1.0);
        rows_.linear(block.slip, row, -1.0);
      }
      if (support) {
        rows_.constant(block.slip, step_.supports[i].bound);  // Berard (3.26), row 5
      } else {
        for (const int p : layout_.impulses[i]) rows_.linear(block.slip, p, step_.contacts[i].mu);  // (4.49)
        if (layout_.formulation.form == Form::convex) relax(index, block.slip);
      }
    }
    layout_.friction.push_back(std::move(block));
  }

  // Hart (16)
  void relax(int index, int slip) {
    const auto i = static_cast<std::size_t>(index);
    const std::vector<double>& given = layout_.formulation.relaxation;
    for (const int p : layout_.impulses[i]) {
      rows_.linear(p, slip, -step_.contacts[i].mu);
      if (!given.empty()) rows_.constant(p, given[i]);
    }
  }

  // (4.37), (4.38): (mu p_n) v_t + p_t s = 0. At a support point the bound b is known and divides the row, so that it
  // is a velocity: v_t + p_t s / b = 0 (Berard 3.25).
  void quadratic_rows(const FrictionBlock& block, std::size_t t, const SparseVector& tangent, double rate) {
    const int row = block.first + static_cast<int>(t);
    const auto i = static_cast<std::size_t>(block.index);
    if (block.support) {
      rows_.rate(row, tangent);
      rows_.constant(row, rate);
      rows_.quadratic(row, row, block.slip, 1.0 / step_.supports[i].bound);
      return;
    }
    const double mu = step_.contacts[i].mu;
    for (const int p : layout_.impulses[i]) {
      for (SparseVector::InnerIterator it(tangent); it; ++it) {
        rows_.quadratic(row, p, static_cast<int>(it.index()), mu * it.value());
      }
      rows_.linear(row, p, mu * rate);
      const double gives = step_.contacts[i].tangent_compliance;
      if (gives > 0.0) rows_.quadratic(row, p, row, mu * gives);
    }
    rows_.quadratic(row, row, block.slip, 1.0);
  }

  // (4.39), (4.40): (mu p_n)^2 - p_t^2 - p_o^2 >= 0  _|_  s >= 0, over b at a support point.
  void quadratic_bound(const FrictionBlock& block) {
    const auto i = static_cast<std::size_t>(block.index);
    const double scale = block.support ? 1.0 / step_.supports[i].bound : 1.0;
    for (int k = 0; k < static_cast<int>(block.directions.cols()); ++k) {
      rows_.quadratic(block.slip, block.first + k, block.first + k, -scale);
    }
    if (block.support) {
      rows_.constant(block.slip, step_.supports[i].bound);
      return;
    }
    const double mu = step_.contacts[i].mu;
    for (const int p : layout_.impulses[i]) {
      for (const int r : layout_.impulses[i]) rows_.quadratic(block.slip, p, r, mu * mu);
    }
  }

  // A servo pushes as long as its speed is wrong, and no harder than its bound: w > 0 needs p = -bound, which is
  // where a mixed complementarity problem lets F be positive.
  void motors() {
    layout_.motor = rows_.size();
    for (const Motor& motor : step_.motors) {
      const int p = rows_.add(VariableKind::motor, -motor.bound, motor.bound);
      rows_.rate(p, motor.row);
      rows_.constant(p, motor.bias);
      rows_.linear(p, p, motor.compliance);
      rows_.impulse(p, push_of(motor));
    }
  }

  const StepProblem& step_;
  Layout layout_;
  Assembly rows_;
};

}  // namespace

FormulatedStep formulate(const StepProblem& step, const Formulation& formulation) {
  check(step, formulation);
  auto layout = std::make_shared<Layout>();
  const auto copy = std::make_shared<const StepProblem>(step);
  FormulatedStep formulated = Builder(*copy, formulation).build(*layout);
  formulated.layout = layout;
  const StepSolution free = free_solution(step);

  if (formulation.form != Form::lcp) {
    formulated.read = [copy, layout](const mcp::Vector& x) { return read_solution(*copy, *layout, x); };
    formulated.write = [copy, layout](const StepSolution& s) { return write_solution(*copy, *layout, s); };
    formulated.start = formulated.write(free);
    return formulated;
  }

  // (6.1): with nu = nu_free + M^-1 G p (6.2) in the rows of the others; joints go with the velocities (2.37).
  const int gone = layout->velocities + static_cast<int>(step.bilaterals.size());
  const Eigen::Index rest = layout->count - gone;
  auto elimination = std::make_shared<Elimination>(eliminate(formulated.m, formulated.q, gone));
  formulated.m = elimination->m;
  formulated.q = elimination->q;
  formulated.kinds.erase(formulated.kinds.begin(), formulated.kinds.begin() + gone);
  formulated.problem = make_problem(formulated.m, formulated.q, {}, mcp::Vector(formulated.problem.lower.tail(rest)),
                                    mcp::Vector(formulated.problem.upper.tail(rest)));
  formulated.read = [copy, layout, elimination](const mcp::Vector& z) {
    mcp::Vector x(elimination->back.rows() + z.size());
    x << elimination->eliminated(z), z;
    return read_solution(*copy, *layout, x);
  };
  formulated.write = [copy, layout, rest](const StepSolution& s) {
    return mcp::Vector(write_solution(*copy, *layout, s).tail(rest));
  };
  formulated.start = formulated.write(free);
  return formulated;
}

}  // namespace pegrasp::reference
