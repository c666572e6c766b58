// SPDX-License-Identifier: Apache-2.0
// dev
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "reference/simulate/reference_simulation.hpp"
#include "runs.hpp"
#include "scenes/basic.hpp"
#include "scenes/gear_trials.hpp"
#include "scenes/polygon_box.hpp"

namespace pegrasp::reference {
namespace {

TEST(Dev, Pile) {
  for (double mu : {0.0, 0.3}) {
    SceneSpec scene = scenes::polygon_box(1, mu, 6);
    StepOptions options = derive_options(test::steps_of(0.005, 2.0), scene);
    ReferenceSimulation ref(scene, options, scene_parameters(scene));
    Simulation sim(compile_model(scene), options, scene_parameters(scene));
    double worst = 0;
    int steps = 0;
    double rres = 0, mres = 0;
    std::vector<double> diffs;
    for (;; ++steps) {
      std::vector<Pose> poses;
      std::vector<Twist> vel;
      for (int b = 0; b < (int)scene.bodies.size(); ++b) {
        poses.push_back(sim.pose(b));
        vel.push_back(sim.velocity(b));
      }
      ref.set_state(steps, poses, vel);
      if (!sim.step()) break;
      if (!ref.step()) break;
      double d = 0;
      for (int b = 0; b < (int)scene.bodies.size(); ++b) {
        auto u = sim.velocity(b), v = ref.velocity(b);
        d = std::max({d, std::abs(u.vx - v.vx), std::abs(u.vy - v.vy), std::abs(u.omega - v.omega)});
      }
      if (d > 1e-6)
        std::cerr << "step " << steps << " diff " << d << " contacts " << sim.contact_count() << " "
                  << ref.contact_count() << " res " << sim.last_residual() << " " << ref.last_residual() << "\n";
      diffs.push_back(d);
      worst = std::max(worst, d);
      rres = std::max(rres, ref.last_residual());
      mres = std::max(mres, sim.last_residual());
    }
    std::sort(diffs.begin(), diffs.end());
    std::cerr << "mu " << mu << " steps " << steps << " worst " << worst << " 99% " << diffs[diffs.size() * 99 / 100]
              << " res " << rres << " " << mres << "\n";
  }
}
TEST(Dev, Gear) {
  Problem problem = load_problem(std::string(PEGRASP_SOURCE_DIR) + "/examples/gear/gear.toml");
  auto base = scene_parameters(problem.scene);
  auto model = compile_model(problem.scene);
  auto options = derive_options(problem.options, problem.scene);
  auto scene = std::make_shared<ReferenceScene>(problem.scene);
  int different = 0;
  int n = std::getenv("DEVN") ? atoi(std::getenv("DEVN")) : 20;
  double tr = 0, te = 0, ts = 0;
  long long solves = 0, steps = 0, unresolved = 0;
  for (int k = 0; k < n; ++k) {
    int cell = (k * 441) / n;
    std::vector<double> p(base.size()), v(sampled_columns(problem).size());
    draw_sample(problem, base, cell, k % 30, p, v);
    auto t0 = std::chrono::steady_clock::now();
    Simulation sim(model, options, p);
    sim.run();
    auto t1 = std::chrono::steady_clock::now();
    ReferenceSimulation ref(scene, options, p);
    ref.run();
    auto t2 = std::chrono::steady_clock::now();
    te += std::chrono::duration<double>(t1 - t0).count();
    tr += std::chrono::duration<double>(t2 - t1).count();
    ts += ref.solver_seconds();
    auto a = sim.outcome(), b = ref.outcome();
    solves += b.solves;
    steps += b.steps;
    unresolved += b.status != 0;
    if (a.success != b.success || a.status != b.status) {
      ++different;
      std::cerr << "cell " << cell << " sample " << k % 30 << " engine " << a.success << " st " << a.status << " steps "
                << a.steps << " res " << a.residual_max << " | ref " << b.success << " st " << b.status << " steps "
                << b.steps << " res " << b.residual_max << " depth " << b.penetration_max << "\n";
    }
  }
  std::cerr << n << " trials, different " << different << " unresolved " << unresolved << " times engine " << te
            << " ref " << tr << " solver " << ts << " solves " << solves << " steps " << steps << "\n";
}

}  // namespace
}  // namespace pegrasp::reference
