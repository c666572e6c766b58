// SPDX-License-Identifier: Apache-2.0
// pegrasp_simd_lanes: what it would bring to solve several scenes at once in the lanes of vector instructions. It takes the step
// problems of gear trials, solves each with AJ as the engine does, and in groups of as many as a vector has lanes, one scene a
// lane, padded to the largest of the group. Prints a line for each number of lanes: time an iteration and lane, iterations that
// lanes go through idle, and what comes out of both. The problems, the iterations and the impulses are compared.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <vector>

#include "bench/cases.hpp"
#include "kernels/base/team.hpp"
#include "kernels/scene/scene.hpp"
#include "kernels/step/run_scene.hpp"
#include "src/model/model.hpp"

namespace {

using namespace pegrasp;
using strict::Block;
using strict::dof;
using strict::Row;
using strict::SceneView;

constexpr int rows_a_block = 2;

// One step problem, as numbers: contacts and other blocks of up to two rows on `bodies` bodies.
struct Problem {
  int bodies = 0;
  std::vector<Block> blocks;
  std::vector<Row> rows;  // two a block; the second zeros where the block has one
  std::vector<double> free;
};

struct alignas(16) Chunk {
  unsigned char bytes[16];
};

// Step problems of the benchmark's scenes `step` steps after their beginning: pass 0 of the step that comes.
std::vector<Problem> capture(const bench::Case& batch, int step) {
  const Model model(batch.scene);
  const ModelView view = model.view();
  const Capacity capacity = first_capacity(model, batch.options);
  SceneView s{};
  std::vector<Chunk> arena(strict::bind_scene(s, view, capacity, nullptr) / sizeof(Chunk) + 1);
  strict::bind_scene(s, view, capacity, reinterpret_cast<unsigned char*>(arena.data()));
  std::vector<Problem> problems;
  for (int scene = 0; scene < batch.scene_count; ++scene) {
    s.parameters =
        batch.parameters.data() + static_cast<std::size_t>(scene) * static_cast<std::size_t>(view.parameter_count);
    SerialTeam team;
    strict::begin_scene(team, s);
    bool fine = true;
    for (int k = 0; k < step && fine && !strict::scene_over(s, batch.options); ++k) {
      fine = strict::advance_scene(team, s, batch.options);
    }
    if (!fine) continue;
    s.tally->pass = 0;
    s.tally->time0 = s.tally->step * batch.options.h;
    strict::find_pairs(team, s, batch.options);
    strict::predict(team, s, batch.options);
    strict::choose_modes(team, s, batch.options);
    strict::make_rows(team, s, batch.options);
    Problem problem;
    problem.bodies = view.body_count;
    problem.free.assign(s.free_twist, s.free_twist + dof * view.body_count);
    for (int k = 0; k < s.tally->block_count; ++k) {
      Block block = s.blocks[k];
      if (block.row_count > rows_a_block || block.alternative_count > 0) continue;
      const int from = block.first_row;
      block.first_row = static_cast<int>(problem.rows.size());
      for (int i = 0; i < rows_a_block; ++i) {
        Row row = i < block.row_count ? s.rows[from + i] : Row{};
        if (i >= block.row_count) {
          row.body_a = s.rows[from].body_a;
          row.body_b = s.rows[from].body_b;
        }
        problem.rows.push_back(row);
      }
      problem.blocks.push_back(block);
    }
    if (!problem.blocks.empty()) problems.push_back(std::move(problem));
  }
  return problems;
}

template <int Lanes>
struct Wide {
  typedef double type __attribute__((vector_size(8 * Lanes)));
  typedef long long mask __attribute__((vector_size(8 * Lanes)));
};
template <>
struct Wide<1> {
  typedef double type;
};

template <class V>
V larger(V a, V b) {
  return a > b ? a : b;
}
template <class V>
V smaller(V a, V b) {
  return a < b ? a : b;
}

// Row i of a group of problems. Where a lane has no such row, zeros and a scale of one: its impulse stays zero.
template <class V>
struct WideRow {
  V ja[dof], jb[dof], wa[dof], wb[dof], bias, compliance, inverse_scale, scale;
};

template <int Lanes>
struct Group {
  using V = typename Wide<Lanes>::type;
  int blocks = 0, bodies = 0;
  std::vector<WideRow<V>> rows;
  std::vector<V> bound, is_contact, free;
  std::vector<int> body_a, body_b;  // (blocks, Lanes)
};

template <class V>
void set_lane(V& v, int lane, double x) {
  reinterpret_cast<double*>(&v)[lane] = x;
}
template <class V>
double get_lane(const V& v, int lane) {
  return reinterpret_cast<const double*>(&v)[lane];
}

template <int Lanes>
Group<Lanes> make_group(const Problem* problems) {
  using V = typename Wide<Lanes>::type;
  Group<Lanes> g;
  g.bodies = problems[0].bodies;
  for (int lane = 0; lane < Lanes; ++lane)
    g.blocks = std::max(g.blocks, static_cast<int>(problems[lane].blocks.size()));
  const auto blocks = static_cast<std::size_t>(g.blocks);
  g.rows.assign(rows_a_block * blocks, WideRow<V>{});
  g.bound.assign(blocks, V{});
  g.is_contact.assign(blocks, V{});
  g.free.assign(static_cast<std::size_t>(dof * g.bodies), V{});
  g.body_a.assign(blocks * Lanes, 0);
  g.body_b.assign(blocks * Lanes, 0);
  for (int lane = 0; lane < Lanes; ++lane) {
    const Problem& p = problems[lane];
    for (std::size_t i = 0; i < p.free.size(); ++i) set_lane(g.free[i], lane, p.free[i]);
    for (std::size_t k = 0; k < blocks; ++k) {
      const bool there = k < p.blocks.size();
      set_lane(g.bound[k], lane, there ? p.blocks[k].bound : 0.0);
      set_lane(g.is_contact[k], lane, there && p.blocks[k].kind == strict::block_contact ? 1.0 : 0.0);
      for (std::size_t i = 0; i < rows_a_block; ++i) {
        WideRow<V>& row = g.rows[rows_a_block * k + i];
        const Row from = there ? p.rows[rows_a_block * k + i] : Row{};
        for (int c = 0; c < dof; ++c) {
          set_lane(row.ja[c], lane, from.ja[c]);
          set_lane(row.jb[c], lane, from.jb[c]);
          set_lane(row.wa[c], lane, from.wa[c]);
          set_lane(row.wb[c], lane, from.wb[c]);
        }
        set_lane(row.bias, lane, from.bias);
        set_lane(row.compliance, lane, from.compliance);
        set_lane(row.scale, lane, from.scale);
        set_lane(row.inverse_scale, lane, from.scale > 0.0 ? 1.0 / from.scale : 0.0);
      }
      g.body_a[k * Lanes + static_cast<std::size_t>(lane)] = there ? p.rows[rows_a_block * k].body_a : 0;
      g.body_b[k * Lanes + static_cast<std::size_t>(lane)] = there ? p.rows[rows_a_block * k].body_b : 0;
    }
  }
  return g;
}

struct Solved {
  std::vector<double> p;  // (Lanes, rows) of each lane when it had converged
  std::vector<int> iterations;
};

// AJ from rest. A lane that has converged goes on with the others; what it had then is kept.
template <int Lanes>
Solved solve(const Group<Lanes>& g, double tolerance, int most) {
  using V = typename Wide<Lanes>::type;
  const std::size_t rows = g.rows.size();
  const std::size_t blocks = static_cast<std::size_t>(g.blocks);
  const auto bodies = static_cast<std::size_t>(g.bodies);
  std::vector<V> p(rows), q(rows), y(rows), v = g.free, vq(v.size()), vy = g.free;
  Solved out{std::vector<double>(rows * Lanes), std::vector<int>(Lanes, 0)};
  double theta[Lanes];
  std::fill(theta, theta + Lanes, 1.0);
  int left = Lanes;
  const auto gather = [&](const std::vector<V>& from, const int* body, int c) {
    V x{};
    for (int lane = 0; lane < Lanes; ++lane) {
      set_lane(x, lane, get_lane(from[static_cast<std::size_t>(dof * body[lane] + c)], lane));
    }
    return x;
  };
  for (int iteration = 1; left > 0 && iteration <= most; ++iteration) {
    V largest{}, climb{};
    for (std::size_t k = 0; k < blocks; ++k) {
      const int* a = &g.body_a[k * Lanes];
      const int* b = &g.body_b[k * Lanes];
      V x[rows_a_block];
      V va[dof], vb[dof];
      for (int c = 0; c < dof; ++c) {
        va[c] = gather(vy, a, c);
        vb[c] = gather(vy, b, c);
      }
      for (std::size_t i = 0; i < rows_a_block; ++i) {
        const WideRow<V>& row = g.rows[rows_a_block * k + i];
        V w = row.bias + row.compliance * y[rows_a_block * k + i];
        for (int c = 0; c < dof; ++c) w += row.ja[c] * va[c] + row.jb[c] * vb[c];
        x[i] = y[rows_a_block * k + i] - w * row.inverse_scale;
      }
      // contact: x0 >= 0, |x1| <= bound x0; others: a row within bound, or two within a disc
      const V contact = g.is_contact[k];
      const V zero{};
      const V normal = larger(x[0], zero);
      const V radius = contact * (g.bound[k] * normal) + (1.0 - contact) * g.bound[k];
      V length{};
      for (int lane = 0; lane < Lanes; ++lane) {
        set_lane(length, lane,
                 std::sqrt(get_lane(x[0], lane) * get_lane(x[0], lane) + get_lane(x[1], lane) * get_lane(x[1], lane)));
      }
      const V shrink = length > radius ? radius / larger(length, zero + 1e-300) : zero + 1.0;
      const V clamped = larger(smaller(x[1], radius), -radius);
      x[0] = contact * normal + (1.0 - contact) * (x[0] * shrink);
      x[1] = contact * clamped + (1.0 - contact) * (x[1] * shrink);
      for (std::size_t i = 0; i < rows_a_block; ++i) {
        const std::size_t r = rows_a_block * k + i;
        q[r] = x[i];
        const V d = x[i] - y[r];
        largest = larger(largest, larger(d, -d) * g.rows[r].scale);
        climb += g.rows[r].scale * (y[r] - x[i]) * (x[i] - p[r]);
      }
    }
    for (std::size_t i = 0; i < dof * bodies; ++i) vq[i] = g.free[i];
    for (std::size_t r = 0; r < rows; ++r) {
      const int* a = &g.body_a[r / rows_a_block * Lanes];
      const int* b = &g.body_b[r / rows_a_block * Lanes];
      for (int c = 0; c < dof; ++c) {
        const V fa = g.rows[r].wa[c] * q[r];
        const V fb = g.rows[r].wb[c] * q[r];
        for (int lane = 0; lane < Lanes; ++lane) {
          V& ta = vq[static_cast<std::size_t>(dof * a[lane] + c)];
          set_lane(ta, lane, get_lane(ta, lane) + get_lane(fa, lane));
          V& tb = vq[static_cast<std::size_t>(dof * b[lane] + c)];
          set_lane(tb, lane, get_lane(tb, lane) + get_lane(fb, lane));
        }
      }
    }
    V beta{};
    for (int lane = 0; lane < Lanes; ++lane) {
      if (out.iterations[static_cast<std::size_t>(lane)] == 0 && get_lane(largest, lane) <= tolerance) {
        out.iterations[static_cast<std::size_t>(lane)] = iteration;
        for (std::size_t r = 0; r < rows; ++r) out.p[static_cast<std::size_t>(lane) * rows + r] = get_lane(q[r], lane);
        --left;
      }
      if (get_lane(climb, lane) > 0.0) {
        theta[lane] = 1.0;
      } else {
        const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta[lane] * theta[lane]));
        set_lane(beta, lane, (theta[lane] - 1.0) / next);
        theta[lane] = next;
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      y[r] = q[r] + beta * (q[r] - p[r]);
      p[r] = q[r];
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      vy[i] = vq[i] + beta * (vq[i] - v[i]);
      v[i] = vq[i];
    }
  }
  for (int& iterations : out.iterations) {
    if (iterations == 0) iterations = most;
  }
  return out;
}

struct Line {
  double seconds = 0.0;
  long useful = 0;  // iterations that scenes needed
  long spent = 0;   // iterations of lanes
  double apart = 0.0;
};

template <int Lanes>
Line measure(const std::vector<Problem>& problems, const std::vector<Solved>& alone, double tolerance, int most,
             int repeats) {
  std::vector<Group<Lanes>> groups;
  for (std::size_t i = 0; i + Lanes <= problems.size(); i += Lanes) groups.push_back(make_group<Lanes>(&problems[i]));
  Line line;
  line.seconds = 1e300;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    long useful = 0, spent = 0;
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Solved> solved;
    for (const Group<Lanes>& group : groups) solved.push_back(solve(group, tolerance, most));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (const Solved& s : solved) {
      spent += static_cast<long>(Lanes) * *std::max_element(s.iterations.begin(), s.iterations.end());
      for (int n : s.iterations) useful += n;
    }
    if (repeat > 0) line.seconds = std::min(line.seconds, seconds);
    line.useful = useful;
    line.spent = spent;
    if (alone.empty()) continue;
    for (std::size_t g = 0; g < solved.size(); ++g) {
      const std::size_t rows = groups[g].rows.size();
      for (std::size_t lane = 0; lane < Lanes; ++lane) {
        const Solved& one = alone[g * Lanes + lane];
        for (std::size_t r = 0; r < one.p.size(); ++r) {
          line.apart = std::max(line.apart, std::fabs(one.p[r] - solved[g].p[lane * rows + r]));
        }
      }
    }
  }
  return line;
}

void print(int lanes, const Line& line, const Line& base) {
  const double per_lane = 1e9 * line.seconds / static_cast<double>(line.spent);
  std::printf("%5d  %14.1f  %13.1f %%  %21.2f  %17.1e\n", lanes, per_lane,
              100.0 * static_cast<double>(line.spent - line.useful) / static_cast<double>(line.spent),
              base.seconds / static_cast<double>(base.useful) / (line.seconds / static_cast<double>(line.useful)),
              line.apart);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"AJ on several scenes at once, a scene a lane of a vector, against one scene at a time"};
  std::string examples = "examples";
  int scenes = 1024, step = 50, repeats = 5;
  app.add_option("--examples", examples, "folder of the example problems");
  app.add_option("--scenes", scenes, "trials of the gear map")->check(CLI::PositiveNumber);
  app.add_option("--step", step, "the step whose problem is solved")->check(CLI::NonNegativeNumber);
  app.add_option("--repeat", repeats, "timed runs; the fastest counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
#if defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2")) {
    std::cerr << "pegrasp_simd_lanes: this processor has no AVX2, which the program was built for\n";
    return 2;
  }
#endif
  try {
    const auto& cases = bench::named_cases();
    bench::CaseSettings settings;
    settings.scene_count = scenes;
    const bench::Case batch = bench::make_case(cases.front(), examples, settings, false);
    const std::vector<Problem> problems = capture(batch, step);
    constexpr int most = 4000;
    std::vector<Solved> alone;
    for (const Problem& problem : problems)
      alone.push_back(solve(make_group<1>(&problem), batch.options.tolerance, most));
    std::printf("%zu step problems of %s, tolerance %g m/s\n", problems.size(), cases.front().name,
                batch.options.tolerance);
    std::printf("lanes  ns a lane-step  idle lane-steps  faster than one scene  impulses apart [N s]\n");
    const Line base = measure<1>(problems, alone, batch.options.tolerance, most, repeats);
    print(1, base, base);
    print(2, measure<2>(problems, alone, batch.options.tolerance, most, repeats), base);
    print(4, measure<4>(problems, alone, batch.options.tolerance, most, repeats), base);
    print(8, measure<8>(problems, alone, batch.options.tolerance, most, repeats), base);
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_simd_lanes: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
