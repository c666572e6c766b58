// SPDX-License-Identifier: Apache-2.0
#include "src/metrics/motion_cone.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "src/geometry/placement.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

using Row = std::vector<double>;

constexpr double rounding = 1e-9;
constexpr double moves = 1e-6;  // of a unit

// max c . y with A y <= b, y >= 0, b >= 0, by the simplex method from y = 0. The columns are y, then the slacks.
double largest(std::vector<Row> table, const Row& cost) {
  const std::size_t rows = table.size(), columns = cost.size();
  std::vector<std::size_t> basic(rows);
  for (std::size_t r = 0; r < rows; ++r) basic[r] = columns + r;
  Row reduced = cost;  // of the columns at hand; the table swaps a column with the slack that takes its place
  std::vector<std::size_t> free(columns);
  for (std::size_t k = 0; k < columns; ++k) free[k] = k;
  double value = 0.0;
  const std::size_t most = 50 * (rows + columns);
  for (std::size_t pivot = 0; pivot < most; ++pivot) {
    std::size_t in = columns;
    for (std::size_t k = 0; k < columns; ++k) {
      if (reduced[k] > rounding && (in == columns || free[k] < free[in])) in = k;
    }
    if (in == columns) return value;
    std::size_t out = rows;
    for (std::size_t r = 0; r < rows; ++r) {
      if (!(table[r][in] > rounding)) continue;
      if (out == rows) {
        out = r;
        continue;
      }
      const double a = table[r][columns] * table[out][in], b = table[out][columns] * table[r][in];
      if (a < b || (a == b && basic[r] < basic[out])) out = r;
    }
    if (out == rows) return value;  // cannot be: every y has a bound
    const double p = table[out][in];
    std::swap(basic[out], free[in]);
    Row& line = table[out];
    for (double& x : line) x /= p;
    line[in] = 1.0 / p;
    for (std::size_t r = 0; r < rows; ++r) {
      if (r == out || table[r][in] == 0.0) continue;
      const double f = table[r][in];
      for (std::size_t k = 0; k <= columns; ++k) table[r][k] -= f * line[k];
      table[r][in] = -f * line[in];
    }
    const double f = reduced[in];
    value += f * line[columns];
    for (std::size_t k = 0; k < columns; ++k) reduced[k] -= f * line[k];
    reduced[in] = -f * line[in];
  }
  return value;
}

Row unit(Row row) {
  double most = 0.0;
  for (const double x : row) most = std::max(most, std::fabs(x));
  for (double& x : row) x /= most > 0.0 ? most : 1.0;
  return row;
}

// -a . (u - v) <= 0, with u, v >= 0 and d = u - v.
void add_condition(const Row& a, double sign, std::vector<Row>& table) {
  Row line;
  for (const double x : a) line.push_back(-sign * x);
  for (const double x : a) line.push_back(sign * x);
  line.push_back(0.0);
  table.push_back(std::move(line));
}

}  // namespace

bool leaves_rest_alone(const MotionCone& cone) {
  const auto n = static_cast<std::size_t>(cone.size);
  std::vector<Row> table;
  for (const Row& a : cone.not_negative) add_condition(unit(a), 1.0, table);
  for (const Row& a : cone.zero) {
    add_condition(unit(a), 1.0, table);
    add_condition(unit(a), -1.0, table);
  }
  for (std::size_t k = 0; k < 2 * n; ++k) {
    Row line(2 * n + 1, 0.0);
    line[k] = line[2 * n] = 1.0;
    table.push_back(std::move(line));
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (const double sign : {1.0, -1.0}) {
      Row cost(2 * n, 0.0);
      cost[k] = sign;
      cost[n + k] = -sign;
      if (largest(table, cost) > moves) return false;
    }
  }
  return true;
}

namespace {

// Coordinates of bodies that move: x, y and theta, or x, y, z and about them; without turns the first ones; on a rail
// one, along it.
class Coordinates {
 public:
  Coordinates(const SceneSpec& scene, const Simulation& simulation) : scene_(scene), simulation_(simulation) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const BodySpec& body = scene.bodies[b];
      const bool moves = body.kind == BodyKind::dynamic && simulation.present(static_cast<int>(b));
      first_.push_back(moves ? size_ : -1);
      if (!moves) continue;
      const int linear = scene.spatial ? 3 : 2, angular = scene.spatial ? 3 : 1;
      size_ += body.slide_axis ? 1 : linear + (body.turns ? angular : 0);
    }
  }
  int size() const { return size_; }
  bool moves(int body) const { return body >= 0 && first_[static_cast<std::size_t>(body)] >= 0; }

  // Adds the generalised force of `force` at the point and of `couple`, or the gradient of a velocity along it.
  void add(int body, const Vec3& force, const Vec3& point, const Vec3& couple, double factor, Row& row) const {
    if (!moves(body)) return;
    const BodySpec& spec = scene_.bodies[static_cast<std::size_t>(body)];
    double* out = row.data() + first_[static_cast<std::size_t>(body)];
    if (spec.slide_axis) {
      const Vec2 u = *spec.slide_axis;
      out[0] += factor * (u.x * force.x + u.y * force.y) / std::hypot(u.x, u.y);
      return;
    }
    *out++ += factor * force.x;
    *out++ += factor * force.y;
    if (scene_.spatial) *out++ += factor * force.z;
    if (!spec.turns) return;
    const Vec3 arm = point - centre(body);
    const Vec3 moment = cross(arm, force) + couple;
    if (!scene_.spatial) {
      *out += factor * moment.z;
      return;
    }
    *out++ += factor * moment.x;
    *out++ += factor * moment.y;
    *out += factor * moment.z;
  }

  Vec3 centre(int body) const {
    if (scene_.spatial) {
      const SpatialPose at = simulation_.spatial_pose(body);
      return at.position + turned(at.turn, scene_.bodies[static_cast<std::size_t>(body)].spatial().centre);
    }
    const Pose at = simulation_.pose(body);
    return {at.x, at.y, 0.0};
  }

 private:
  const SceneSpec& scene_;
  const Simulation& simulation_;
  std::vector<int> first_;
  int size_ = 0;
};

bool is_zero(const Row& row) {
  for (const double x : row) {
    if (x != 0.0) return false;
  }
  return true;
}

std::vector<Vec3> across(const Vec3& n, bool spatial) {
  if (!spatial) return {{-n.y, n.x, 0.0}};
  const Vec3 axis = std::fabs(n.x) < 0.6 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
  const Vec3 t = cross(n, axis);
  const Vec3 unit_t = (1.0 / length(t)) * t;
  return {unit_t, cross(n, unit_t)};
}

}  // namespace

MotionCone cone_of_step(const SceneSpec& scene, const Simulation& simulation, double closed) {
  const Coordinates coordinates(scene, simulation);
  const StepContents& contents = simulation.contents();
  MotionCone out;
  out.size = coordinates.size();
  const auto empty = [&] { return Row(static_cast<std::size_t>(out.size), 0.0); };
  const auto keep = [](Row row, std::vector<Row>& list) {
    if (!is_zero(row)) list.push_back(std::move(row));
  };
  for (const ContactReport& contact : contents.contacts) {
    const bool carries = contact.normal_impulse > 0.0;
    if (!carries && contact.gap > closed) continue;
    const auto gradient = [&](const Vec3& d) {
      Row row = empty();
      coordinates.add(contact.body_a, d, contact.point, {}, -1.0, row);
      coordinates.add(contact.body_b, d, contact.point, {}, 1.0, row);
      return row;
    };
    keep(gradient(contact.normal), out.not_negative);
    if (!carries || !(contact.friction > 0.0)) continue;
    for (const Vec3& t : across(contact.normal, scene.spatial)) keep(gradient(t), out.zero);
  }
  Row applied = empty();
  for (const LoadReport& load : contents.loads) {
    if (load.kind == RowKind::motor) coordinates.add(load.body_b, load.impulse, load.point, load.moment, 1.0, applied);
  }
  for (const RowReport& report : contents.rows) {
    if (report.kind != RowKind::support || report.row != 0 || !(report.bound > 0.0)) continue;
    for (const LoadReport& load : contents.loads) {
      if (load.kind != RowKind::support || load.index != report.index) continue;
      for (const Vec3& d : {Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 1.0, 0.0}}) {
        Row row = empty();
        coordinates.add(load.body_b, d, load.point, {}, 1.0, row);
        keep(std::move(row), out.zero);
      }
    }
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!coordinates.moves(body) || follows_keyframes(scene, body)) continue;
    const double kick = contents.bodies[b].duration;
    const double mass = scene.bodies[b].mass * kick;
    const Vec3 weight{mass * scene.gravity.x, mass * scene.gravity.y, mass * scene.gravity_z};
    coordinates.add(body, weight, coordinates.centre(body), {}, 1.0, applied);
  }
  keep(std::move(applied), out.not_negative);
  return out;
}

}  // namespace pegrasp
