// SPDX-License-Identifier: Apache-2.0
// Elimination of a sparse matrix with a dof x dof block for every two bodies that touch, for islands of any size: the
// multifrontal method (Duff and Reid 1983). elimination.hpp does the same for a few dozen bodies.
//
// Bodies are ordered once while pairs stand, always one with the fewest neighbours left (minimum degree). Bodies that
// follow each other with the same neighbours form a front: a small dense matrix of its own bodies and those that come
// later. A front takes in the originals of its own bodies and what its children leave, eliminates its own bodies, and
// leaves the rest to its parent. So all work is in dense products.
//
// Every sum has one order, which depends on the graph alone. Vector instructions work on columns side by side and
// never across a sum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "kernels/launch/cpu/dense_product.hpp"
#include "kernels/solver/elimination.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

class Fronts {
 public:
  // Begins the graph of so many nodes, none of which touch.
  void begin(int nodes) {
    const auto count = static_cast<std::size_t>(nodes);
    if (around_.size() < count) around_.resize(count);
    for (std::size_t i = 0; i < count; ++i) around_[i].clear();
    nodes_ = nodes;
  }
  // Two nodes touch. May be said again.
  void link(int a, int b) {
    around_[at(a)].push_back(b);
    around_[at(b)].push_back(a);
  }
  // After the last link.
  void order() {
    for (int i = 0; i < nodes_; ++i) {
      std::vector<int>& list = around_[at(i)];
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    choose_order();
    follow_tree();
    make_fronts();
  }

  // Solves matrix x = right; x replaces the right-hand side, node by node. originals(node): calls add_to for what the
  // matrix has in the rows and columns of the node, but not in those of nodes that are eliminated before (comes_later).
  // False when a pivot vanishes.
  template <class Originals>
  bool solve(Real stiffness, Real* x, const Originals& originals) {
    left_.clear();
    leftover_.clear();
    kept_.clear();
    for (Front& front : fronts_) {
      gather(front, x, originals);
      if (!eliminate_own(front, stiffness)) return false;
      leave(front);
    }
    for (std::size_t i = fronts_.size(); i-- > 0;) substitute_back(fronts_[i], x);
    return true;
  }

  // Within originals(): whether the node is eliminated after the one at hand.
  bool comes_later(int node, int than) const { return place_[at(node)] > place_[at(than)]; }
  // Within originals(): adds w g^T to the block of two nodes, one of which is the one at hand.
  void add_to(int row, int column, const Real* w, const Real* g) {
    const int r = local_[at(place_[at(row)])];
    const int c = local_[at(place_[at(column)])];
    Real* out = block(r, c);
    const std::ptrdiff_t stride = c < own_ ? panel_width_ : rest_width_;
    for (int i = 0; i < dof; ++i) {
      for (int j = 0; j < dof; ++j) out[stride * i + j] += w[i] * g[j];
    }
  }

 private:
  // Own bodies have the places first .. first + own - 1; members: these, then later places, increasing.
  struct Front {
    int first, own, count, members, children;
    std::size_t kept;  // its own rows, once eliminated
  };
  // What a front leaves to its parent.
  struct Leftover {
    const int* members;
    int count;
    std::ptrdiff_t width;
    std::size_t values;
  };

  static constexpr int most_own = 48 / dof;  // more: a panel would be updated too often column by column
  static constexpr int padding = 2;          // zero blocks that a body may get to be of its parent's front

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::ptrdiff_t width_of_rest(int later) { return padded_width(dof * later + 1); }

  // Minimum degree, the first of equals; afterwards around_ holds the neighbours that come later.
  void choose_order() {
    std::set<std::pair<int, int>> left;
    for (int i = 0; i < nodes_; ++i) left.insert({static_cast<int>(around_[at(i)].size()), i});
    order_.clear();
    while (!left.empty()) {
      const int next = left.begin()->second;
      left.erase(left.begin());
      order_.push_back(next);
      const std::vector<int>& later = around_[at(next)];
      for (const int node : later) {
        std::vector<int>& list = around_[at(node)];
        left.erase({static_cast<int>(list.size()), node});
        merged_.clear();
        std::set_union(list.begin(), list.end(), later.begin(), later.end(), std::back_inserter(merged_));
        std::erase_if(merged_, [&](int other) { return other == node || other == next; });
        list.assign(merged_.begin(), merged_.end());
        left.insert({static_cast<int>(list.size()), node});
      }
    }
  }

  // Renumbers the order so that every subtree of the elimination tree is in one piece.
  void follow_tree() {
    const std::size_t count = at(nodes_);
    place_.resize(count);
    parent_.assign(count, -1);
    first_child_.assign(count, -1);
    next_child_.assign(count, -1);
    for (int k = 0; k < nodes_; ++k) place_[at(order_[at(k)])] = k;
    for (int k = nodes_ - 1; k >= 0; --k) {  // so that children are listed in increasing order
      for (const int node : around_[at(order_[at(k)])]) {
        const int place = place_[at(node)];
        if (parent_[at(k)] < 0 || place < parent_[at(k)]) parent_[at(k)] = place;
      }
      if (parent_[at(k)] < 0) continue;
      next_child_[at(k)] = first_child_[at(parent_[at(k)])];
      first_child_[at(parent_[at(k)])] = k;
    }
    std::vector<int>& post = merged_;
    post.clear();
    for (int root = 0; root < nodes_; ++root) {
      if (parent_[at(root)] >= 0) continue;
      for (int k = root; k >= 0;) {
        while (first_child_[at(k)] >= 0) k = first_child_[at(k)];
        while (true) {
          post.push_back(order_[at(k)]);
          if (k == root) {
            k = -1;
            break;
          }
          if (next_child_[at(k)] >= 0) {
            k = next_child_[at(k)];
            break;
          }
          k = parent_[at(k)];
        }
      }
    }
    order_.assign(post.begin(), post.end());
    for (int k = 0; k < nodes_; ++k) place_[at(order_[at(k)])] = k;
  }

  void make_fronts() {
    members_.clear();
    fronts_.clear();
    front_of_.resize(at(nodes_));
    for (int k = 0; k < nodes_;) {
      const int first = k;
      while (k + 1 < nodes_ && k + 1 - first < most_own && joins_next(k)) ++k;
      const std::vector<int>& later = around_[at(order_[at(k)])];
      ++k;
      Front front{first, k - first, k - first + static_cast<int>(later.size()), static_cast<int>(members_.size()),
                  0,     0};
      for (int i = first; i < k; ++i) {
        members_.push_back(i);
        front_of_[at(i)] = static_cast<int>(fronts_.size());
      }
      for (const int node : later) members_.push_back(place_[at(node)]);
      std::sort(members_.begin() + front.members + front.own, members_.end());
      fronts_.push_back(front);
    }
    for (const Front& front : fronts_) {
      if (front.count > front.own) {
        ++fronts_[at(front_of_[at(members_[at(front.members + front.own)])])].children;
      }
    }
    local_.resize(at(nodes_));
  }

  // Whether place k + 1 is the parent of k, with nearly the same later neighbours.
  bool joins_next(int k) const {
    const std::vector<int>& own = around_[at(order_[at(k)])];
    const int next = order_[at(k + 1)];
    if (std::find(own.begin(), own.end(), next) == own.end()) return false;
    return static_cast<int>(around_[at(next)].size()) + 1 - static_cast<int>(own.size()) <= padding;
  }

  Real* block(int row, int column) {
    return column < own_ ? panel_.data() + panel_width_ * dof * row + dof * column
                         : rest_.data() + rest_width_ * dof * row + dof * (column - own_);
  }

  // The front's matrix: originals of its own nodes, and what its children left. Right-hand sides follow the last
  // column.
  template <class Originals>
  void gather(const Front& front, const Real* x, const Originals& originals) {
    own_ = front.own;
    count_ = front.count;
    panel_width_ = padded_width(dof * own_);
    rest_width_ = width_of_rest(count_ - own_);
    panel_.assign(static_cast<std::size_t>(dof * count_ * panel_width_), Real(0));
    rest_.assign(static_cast<std::size_t>(dof * count_ * rest_width_), Real(0));
    const int* members = members_.data() + front.members;
    for (int i = 0; i < count_; ++i) local_[at(members[i])] = i;
    for (int i = 0; i < own_; ++i) {
      const int node = order_[at(front.first + i)];
      for (int k = 0; k < dof; ++k) {
        panel_[static_cast<std::size_t>(panel_width_ * (dof * i + k) + dof * i + k)] = 1;
        right(dof * i + k) = x[dof * node + k];
      }
      originals(node);
    }
    for (std::size_t i = leftover_.size() - at(front.children); i < leftover_.size(); ++i) take_in(leftover_[i]);
    if (front.children > 0) left_.resize(leftover_[leftover_.size() - at(front.children)].values);
    leftover_.resize(leftover_.size() - at(front.children));
  }

  Real& right(int row) { return rest_[static_cast<std::size_t>(rest_width_ * row + dof * (count_ - own_))]; }

  void take_in(const Leftover& from) {
    for (int i = 0; i < from.count; ++i) {
      const int r = local_[at(from.members[i])];
      const Real* const row = left_.data() + from.values + from.width * dof * i;
      for (int j = 0; j < from.count; ++j) {
        const int c = local_[at(from.members[j])];
        Real* const to = block(r, c);
        const std::ptrdiff_t stride = c < own_ ? panel_width_ : rest_width_;
        for (int a = 0; a < dof; ++a) {
          for (int k = 0; k < dof; ++k) to[stride * a + k] += row[from.width * a + dof * j + k];
        }
      }
      for (int a = 0; a < dof; ++a) right(dof * r + a) += row[from.width * a + dof * from.count];
    }
  }

  // Pivots are sought within a body's block only, and inverted as in elimination.hpp.
  static bool invert_pivot(Real* pivot, Real stiffness) {
    if constexpr (dof == 6) {
      if (stiffness < stiffest_halves) return invert_by_halves(pivot);
    }
    return invert(pivot);
  }

  bool eliminate_own(const Front& front, Real stiffness) {
    const int own_rows = dof * front.own;
    const int rows = dof * front.count;
    for (int c = 0; c < front.own; ++c) {
      Real pivot[dof * dof];
      Real* const diagonal = block(c, c);
      for (int i = 0; i < dof; ++i) std::copy_n(diagonal + panel_width_ * i, dof, pivot + dof * i);
      if (!invert_pivot(pivot, stiffness)) return false;
      for (int i = 0; i < dof; ++i) std::copy_n(pivot + dof * i, dof, diagonal + panel_width_ * i);
      const int next = dof * (c + 1);
      for (int r = next; r < rows; ++r) {
        Real* const row = panel_.data() + panel_width_ * r + dof * c;
        Real f[dof];
        for (int j = 0; j < dof; ++j) {
          f[j] = row[0] * pivot[j];
          for (int k = 1; k < dof; ++k) f[j] += row[k] * pivot[dof * k + j];
        }
        std::copy_n(f, dof, row);
      }
      if (c + 1 == front.own) break;
      // Of the rows of c only what is right of its pivot: columns that are done stay as they are.
      Real right_of[dof * padded_width(dof * most_own)] = {};
      for (int k = 0; k < dof; ++k) {
        const Real* const from = panel_.data() + panel_width_ * (dof * c + k);
        std::copy(from + next, from + own_rows, right_of + panel_width_ * k + next);
      }
      subtract_dense_product(rows - next, dof, panel_.data() + panel_width_ * next + dof * c, panel_width_, right_of,
                             panel_.data() + panel_width_ * next, panel_width_);
      subtract_dense_product(own_rows - next, dof, panel_.data() + panel_width_ * next + dof * c, panel_width_,
                             rest_.data() + rest_width_ * dof * c, rest_.data() + rest_width_ * next, rest_width_);
    }
    subtract_dense_product(rows - own_rows, own_rows, panel_.data() + panel_width_ * own_rows, panel_width_,
                           rest_.data(), rest_.data() + rest_width_ * own_rows, rest_width_);
    return true;
  }

  // Keeps the front's own rows for the way back, and leaves the others to its parent.
  void leave(Front& front) {
    front.kept = kept_.size();
    const std::ptrdiff_t own_rows = dof * front.own;
    kept_.insert(kept_.end(), panel_.begin(), panel_.begin() + panel_width_ * own_rows);
    kept_.insert(kept_.end(), rest_.begin(), rest_.begin() + rest_width_ * own_rows);
    const int later = front.count - front.own;
    if (later == 0) return;
    leftover_.push_back({members_.data() + front.members + front.own, later, rest_width_, left_.size()});
    left_.insert(left_.end(), rest_.begin() + rest_width_ * own_rows, rest_.end());
  }

  void substitute_back(const Front& front, Real* x) const {
    const std::ptrdiff_t panel_width = padded_width(dof * front.own);
    const int later = front.count - front.own;
    const std::ptrdiff_t rest_width = width_of_rest(later);
    const Real* const panel = kept_.data() + front.kept;
    const Real* const rest = panel + panel_width * dof * front.own;
    const int* const members = members_.data() + front.members;
    for (int c = front.own - 1; c >= 0; --c) {
      Real sum[dof];
      for (int i = 0; i < dof; ++i) {
        const Real* const row = rest + rest_width * (dof * c + i);
        sum[i] = row[dof * later];
        for (int j = 0; j < later; ++j) {
          const Real* const known = x + dof * order_[at(members[front.own + j])];
          for (int k = 0; k < dof; ++k) sum[i] -= row[dof * j + k] * known[k];
        }
        const Real* const own = panel + panel_width * (dof * c + i);
        for (int j = c + 1; j < front.own; ++j) {
          const Real* const known = x + dof * order_[at(members[j])];
          for (int k = 0; k < dof; ++k) sum[i] -= own[dof * j + k] * known[k];
        }
      }
      Real* const out = x + dof * order_[at(members[c])];
      for (int i = 0; i < dof; ++i) {
        const Real* const inverse = panel + panel_width * (dof * c + i) + dof * c;
        out[i] = inverse[0] * sum[0];
        for (int k = 1; k < dof; ++k) out[i] += inverse[k] * sum[k];
      }
    }
  }

  int nodes_ = 0;
  std::vector<std::vector<int>> around_;  // neighbours of a node; once ordered, those that come later
  std::vector<int> order_, place_;        // node at a place, and back
  std::vector<int> parent_, first_child_, next_child_, merged_;
  std::vector<int> members_, front_of_;
  std::vector<Front> fronts_;
  // The front at hand: columns of its own nodes, and the rest with the right-hand side.
  int own_ = 0, count_ = 0;
  std::ptrdiff_t panel_width_ = 0, rest_width_ = 0;
  std::vector<Real> panel_, rest_;
  std::vector<int> local_;  // of a place in the front at hand
  std::vector<Real> kept_, left_;
  std::vector<Leftover> leftover_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
