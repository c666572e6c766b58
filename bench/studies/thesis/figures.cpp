// SPDX-License-Identifier: Apache-2.0
// W = Williams' thesis, B = Berard's.
#include "bench/studies/thesis/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "bench/quantile.hpp"
#include "src/metrics/overlap.hpp"
#include "src/reference/mcp/thread_time.hpp"
#include "src/reference/planar/polygon_step.hpp"
#include "tests/reference/problems/contact_sets.hpp"
#include "tests/reference/study_steps.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::bench {
namespace {

using namespace reference;
using namespace reference::test;

constexpr double h = 0.01;
constexpr double pi = std::numbers::pi;
constexpr std::array<Form, 2> linear_forms{Form::lcp, Form::mixed};

std::string text(const char* format, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}
std::string text(Eigen::Index value) { return std::to_string(value); }

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

Formulation formulation_of(Form form, int directions) {
  Formulation formulation;
  formulation.form = form;
  formulation.directions = directions;
  return formulation;
}

// The costs of one way to solve some steps: problems built beforehand, the fastest of three runs of each.
struct Timing {
  Eigen::Index n = 0;
  int solved = 0;
  std::vector<double> microseconds, pivots;
};

template <class Solve>
void time_solve(Timing& timing, Eigen::Index n, Solve solve) {
  double fastest = mcp::infinity;
  bool solved = false;
  std::int64_t pivots = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double begin = mcp::thread_seconds();
    const mcp::Result result = solve(pivots = 0);
    fastest = std::min(fastest, mcp::thread_seconds() - begin);
    pivots += result.statistics.pivots;
    solved = result.status == mcp::Status::solved;
  }
  timing.n = n;
  timing.solved += solved ? 1 : 0;
  timing.microseconds.push_back(1e6 * fastest);
  timing.pivots.push_back(static_cast<double>(pivots));
}

void add_row(StudyTable& table, const std::string& what, const std::string& form, const std::string& directions,
             const Timing& t) {
  table.rows.push_back({what, form, directions, text(t.n),
                        std::to_string(t.solved) + " of " + std::to_string(t.microseconds.size()),
                        text("%.0f", median(t.pivots)), text("%.0f", median(t.microseconds))});
}

// B figure 5.12.
StudyTable direction_times() {
  StudyTable table{{"steps", "form", ">directions", ">n", ">solved", ">pivots", ">µs"}, {}};
  constexpr int count = 60;
  const auto run = [&](const std::string& what, const auto& make) {
    std::vector<StepProblem> steps;
    scenes::Random random(31);
    for (int k = 0; k < count; ++k) steps.push_back(make(random));
    for (const Form form : linear_forms) {
      for (const int directions : {4, 6, 8, 12, 16, 24, 32, 64}) {
        Timing timing;
        for (const StepProblem& step : steps) {
          const FormulatedStep f = formulate(step, formulation_of(form, directions));
          time_solve(timing, f.start.size(), [&](std::int64_t&) { return mcp::solve(f.problem, f.start); });
        }
        add_row(table, what, test::name(form), std::to_string(directions), timing);
      }
    }
    Timing cold;
    for (const StepProblem& step : steps) {
      const FormulatedStep f = formulate(step, formulation_of(Form::quadratic, 8));
      time_solve(cold, f.start.size(), [&](std::int64_t&) { return mcp::solve(f.problem, f.start); });
    }
    add_row(table, what, "quadratic, cold", "", cold);
    for (const int directions : {4, 8}) {
      Timing warm;
      for (const StepProblem& step : steps) {
        const FormulatedStep f = formulate(step, formulation_of(Form::quadratic, 8));
        const FormulatedStep p = formulate(step, formulation_of(Form::mixed, directions));
        time_solve(warm, f.start.size(), [&](std::int64_t& pivots) {
          const mcp::Result first = mcp::solve(p.problem, p.start);
          pivots = first.statistics.pivots;
          return mcp::solve(f.problem, f.write(p.read(first.x)));
        });
      }
      add_row(table, what, "quadratic, after the pyramid", std::to_string(directions), warm);
    }
  };
  const auto speeds = [](scenes::Random& random) {
    return std::array<double, 3>{random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-6.0, 6.0)};
  };
  run("disc on a tripod, 2.5D", [&](scenes::Random& random) {
    const auto v = speeds(random);
    return tripod_disc(h, random.uniform(0.0, 2.0), {v[0], v[1], v[2]});
  });
  for (const int contacts : {3, 4}) {
    run("block in 3D, " + std::to_string(contacts) + " contacts", [&](scenes::Random& random) {
      const auto v = speeds(random);
      return spatial_block(h, {v[0], v[1], 0.0, 0.0, 0.0, v[2]}, contacts);
    });
  }
  return table;
}

// Where the disc of a tripod ends that begins with this twist.
std::array<double, 3> slide(const Formulation& formulation) {
  constexpr double step = 0.002;
  std::array<double, 3> q{};
  std::vector<double> v{0.3, 0.15, 8.0};
  for (int k = 0; k < 500; ++k) {
    const Vector next = solve_step(tripod_disc(step, q[2], v), formulation).solution.velocity;
    for (std::size_t i = 0; i < 3; ++i) {
      v[i] = next[static_cast<Eigen::Index>(i)];
      q[i] += step * v[i];
    }
    if (next.norm() < 1e-9) break;
  }
  return q;
}

// B 5.2.3.
StudyTable pyramid_error() {
  StudyTable table{{">directions", ">error of a step [mm/s]", ">2 b / m sin(π / 2d) [mm/s]",
                    ">end of a slide off by [mm]", ">and turned by [mrad]"},
                   {}};
  constexpr double mass = 0.5, bound = 0.02;
  const std::array<double, 3> exact = slide(formulation_of(Form::quadratic, 8));
  for (const int directions : {3, 4, 6, 8, 12, 16, 24, 32, 64}) {
    double worst = 0.0;
    for (int k = 0; k < 360; ++k) {
      const double a = 2.0 * pi * k / 360.0;
      const StepProblem step = supported_particle(mass, h, bound, {std::cos(a), std::sin(a)}, {0.0, 0.0});
      const Vector v = solve_step(step, formulation_of(Form::mixed, directions)).solution.velocity;
      worst = std::max(worst, (v - step.velocity * (1.0 - bound / mass)).norm());
    }
    const std::array<double, 3> end = slide(formulation_of(Form::mixed, directions));
    table.rows.push_back({std::to_string(directions), text("%.2f", 1e3 * worst),
                          text("%.2f", 2e3 * bound / mass * std::sin(pi / (2.0 * directions))),
                          text("%.3f", 1e3 * std::hypot(end[0] - exact[0], end[1] - exact[1])),
                          text("%.2f", 1e3 * std::abs(end[2] - exact[2]))});
  }
  return table;
}

// A push from rest at any angle: how far off the motion goes, and which push is enough to move it.
StudyTable pyramid_drift_table() {
  StudyTable table{{">directions", ">motion off the push by, at most [deg]", ">asin(sin(π / d) / 2) [deg]",
                    ">moves at this part of the right push"},
                   {}};
  constexpr double bound = 0.02, push = 2.0 * bound;
  const auto moved = [&](Form form, int directions, double size, double angle) {
    const StepProblem step =
        supported_particle(1.0, h, bound, {0.0, 0.0}, {size * std::cos(angle), size * std::sin(angle)});
    return Vector(solve_step(step, formulation_of(form, directions)).solution.velocity);
  };
  const auto worst_drift = [&](Form form, int directions) {
    double worst = 0.0;
    for (int k = 0; k < 720; ++k) {
      const double a = 2.0 * pi * k / 720.0;
      const Vector v = moved(form, directions, push, a);
      worst = std::max(worst, std::abs(std::remainder(std::atan2(v[1], v[0]) - a, 2.0 * pi)));
    }
    return worst;
  };
  // Half-way between two directions, where the pyramid holds least.
  const auto least_push = [&](Form form, int directions) {
    double low = 0.0, high = 1.5 * bound;
    for (int k = 0; k < 30; ++k) {
      const double middle = 0.5 * (low + high);
      (moved(form, directions, middle, pi / directions).norm() > 1e-7 ? high : low) = middle;
    }
    return high / bound;
  };
  const double degree = 180.0 / pi;
  for (const int directions : {4, 6, 8, 12, 16, 24, 32, 64}) {
    table.rows.push_back({std::to_string(directions), text("%.2f", degree * worst_drift(Form::mixed, directions)),
                          text("%.2f", degree * pyramid_drift(push, bound, directions)),
                          text("%.3f", least_push(Form::mixed, directions))});
  }
  table.rows.push_back({"quadratic", text("%.2f", degree * worst_drift(Form::quadratic, 8)), "0.00",
                        text("%.3f", least_push(Form::quadratic, 8))});
  return table;
}

// W (4.52) to (4.55); 8 directions in 3D, and the vertex pair of W 4.2 in 2D.
StudyTable sizes() {
  StudyTable table{
      {"problem", ">n_u", ">n_s", ">standard (4.52)", ">PEG (4.53)", ">PEG, mixed", ">PEG, lcp", ">PEG, quadratic"},
      {}};
  constexpr int contacts = 8, directions = 8;
  for (int in_sets = 0; in_sets <= contacts; in_sets += 2) {
    StepProblem step = spatial_block(h, std::vector<double>(6, 0.0), contacts);
    step.unilateral.clear();
    for (int i = 0; i < contacts; ++i) {
      if (i >= in_sets) step.unilateral.push_back(i);
      if (i < in_sets && i % 2 == 0) step.inter.push_back({{i}, {i + 1}});
    }
    std::vector<std::string> row{"a body in 3D, 8 directions", std::to_string(contacts), std::to_string(in_sets),
                                 std::to_string(standard_size(6, 0, contacts, directions)),
                                 std::to_string(peg_size(6, 0, contacts, in_sets, directions))};
    for (const Form form : {Form::mixed, Form::lcp, Form::quadratic}) {
      row.push_back(text(formulate(step, formulation_of(form, directions)).start.size()));
    }
    table.rows.push_back(row);
  }
  SceneSpec scene = crossing_scene();
  for (const double mu : {0.0, 0.3}) {
    for (BodySpec& body : scene.bodies) body.friction = mu;
    for (const ContactSets sets : {ContactSets::lnc, ContactSets::peg_one, ContactSets::peg_several}) {
      PolygonStepOptions options;
      options.epsilon = 0.1;
      options.rules.sets = sets;
      const StepProblem step = polygon_step(scene, crossing_poses(0.05, -0.05), std::vector<Twist>(2), h, options);
      const int n = static_cast<int>(step.contacts.size()), in_plane = mu > 0.0 ? 2 : -1;
      std::vector<std::string> row{std::string("two vertices, ") + test::name(sets) + text(", μ %g", mu),
                                   std::to_string(n), std::to_string(n)};
      // Without friction a contact has neither directions nor a slip variable: 2 + n_d and n_d + 1 are 1 and 0.
      row.push_back(std::to_string(standard_size(3, 0, n, in_plane)));
      row.push_back(std::to_string(peg_size(3, 0, n, n, in_plane)));
      for (const Form form : {Form::mixed, Form::lcp, Form::quadratic}) {
        row.push_back(text(formulate(step, formulation_of(form, 8)).start.size()));
      }
      table.rows.push_back(row);
    }
  }
  return table;
}

// W figure 4.4: overlap at the end of the step, of one crossing and of many.
StudyTable crossing() {
  StudyTable table{{"sets", ">figure 4.4: overlap [cm²]", ">speed after, before 12 [m/s]", ">many: solved",
                    ">overlap above 1 cm²", ">mean overlap [cm²]", ">largest [cm²]"},
                   {}};
  const SceneSpec scene = crossing_scene();
  const auto overlap = [&](const std::vector<Pose>& poses) {
    return 1e4 * total_overlap_area(scene, poses, {true, true});
  };
  const auto after = [&](const std::vector<Pose>& poses, const Vector& v) {
    return overlap({poses[0], {poses[1].x + h * v[0], poses[1].y + h * v[1], poses[1].theta + h * v[2]}});
  };
  for (const ContactSets sets : {ContactSets::lnc, ContactSets::peg_one, ContactSets::peg_several}) {
    PolygonStepOptions options;
    options.epsilon = 0.1;
    options.rules.sets = sets;
    const auto step_of = [&](const std::vector<Pose>& poses, const Twist& twist) {
      return solve_step(polygon_step(scene, poses, std::vector<Twist>{{}, twist}, h, options), {Form::mixed});
    };
    const std::vector<Pose> figure = crossing_poses(0.05, -0.05);
    const SolvedStep one = step_of(figure, {-12.0, 0.0, 0.0});
    int tried = 0, solved = 0, deep = 0;
    double sum = 0.0, most = 0.0;
    scenes::Random random(44);
    while (tried < 500) {
      std::vector<Pose> poses = crossing_poses(random.uniform(0.01, 0.08), random.uniform(-0.08, -0.01));
      poses[1].theta = random.uniform(-0.2, 0.2);
      const Twist twist{random.uniform(-12.0, -4.0), random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0)};
      if (overlap(poses) > 0.0) continue;
      ++tried;
      const SolvedStep step = step_of(poses, twist);
      if (step.result.status != mcp::Status::solved) continue;
      ++solved;
      const double area = after(poses, step.solution.velocity);
      deep += area > 1.0 ? 1 : 0;
      sum += area;
      most = std::max(most, area);
    }
    table.rows.push_back({test::name(sets), text("%.2f", after(figure, one.solution.velocity)),
                          text("%.2f", -one.solution.velocity[0]),
                          std::to_string(solved) + " of " + std::to_string(tried), std::to_string(deep),
                          text("%.3f", sum / std::max(solved, 1)), text("%.2f", most)});
  }
  return table;
}

}  // namespace

std::vector<Study> studies(const std::string& examples) {
  return {
      {"direction_times", "solution time against the number of friction directions (B figure 5.12)", direction_times},
      {"pyramid_error", "error of the friction pyramid against the number of directions (B 5.2.3)", pyramid_error},
      {"pyramid_drift", "wrong direction of a pushed body, by the pyramid", pyramid_drift_table},
      {"sizes", "sizes of problems (W 4.52 to 4.55)", sizes},
      {"crossing", "what LNC lets pass (W figure 4.4)", crossing},
      {"literal_peg", "where the overlaps of literal steps come from (W 5.10, WLT 21)", literal_peg},
      {"traps", "corners in standard-model traps (W 5.13, WLT 22)", traps},
      {"joint_correction", "joint error of a rod over 4000 steps (W 2.6)", joint_correction},
      {"implicit_steps", "smooth bodies with their closest points as unknowns (B 3.82, 3.83)", implicit_steps},
      {"gear_steps", "time of a step problem of the gear grasp", [examples] { return gear_step_times(examples); }},
      {"step_times", "time of a step problem against its size", [examples] { return step_times_by_size(examples); }},
  };
}

}  // namespace pegrasp::bench
