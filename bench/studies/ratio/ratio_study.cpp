// SPDX-License-Identifier: Apache-2.0
// Hart's four scenes with contact model ratio: the mean infeasibility over the step and its slope, and what is left at
// rest; and the time of the metric's linear program. Prints tables in Markdown.
//
//   pegrasp_ratio_study [balance2|pyramid1|dice3|setup6|program]... [--samples N] [--scenes FOLDER]
//
// --samples: of a scene, 10 as a rule. --scenes: where the problem files are, examples/ratio as a rule.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iterator>
#include <string>
#include <vector>

#include "tests/scenes/random.hpp"
#include "tests/scenes/ratio_scenes.hpp"

namespace pegrasp::ratio {
namespace {

void study(const std::string& folder, const std::string& name, int samples) {
  const Problem problem = load_problem(folder + "/" + name + ".toml");
  std::printf(
      "\n| %s, gamma | h [ms] | mean infeasibility | largest | at rest | samples that rest | unsolved steps | most "
      "contacts | a step [ms] |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      name.c_str());
  double slope[2];
  for (const double gamma : {1.0, 0.0}) {
    std::vector<double> means;
    for (const double h : scenes::ratio_steps) {
      const scenes::RatioCourse all = scenes::ratio_course(problem, h, gamma, samples);
      means.push_back(all.mean);
      std::printf("| %g | %g | %.2e | %.1e | %.1e | %d of %d | %d | %d | %.2f |\n", gamma, 1e3 * h, all.mean, all.most,
                  all.at_rest, all.rests, samples, all.unresolved, all.contacts, 1e3 * all.seconds);
      std::fflush(stdout);
    }
    slope[gamma > 0.0 ? 0 : 1] = scenes::ratio_slope(means);
  }
  std::printf("\nSlopes of %s: %.2f with gamma = 1, %.2f with gamma = 0\n", name.c_str(), slope[0], slope[1]);
}

// Planes that touch a ball, and a centre a little off its middle.
GrowingPolytope random_polytope(scenes::Random& random, int facets, Vec3 middle) {
  GrowingPolytope out;
  out.centre = middle + Vec3{random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)};
  while (static_cast<int>(out.planes.size()) < facets) {
    const Vec3 n{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
    if (!(length(n) > 0.1 && length(n) < 1.0)) continue;
    const Vec3 unit = (1.0 / length(n)) * n;
    out.planes.push_back({unit, dot(unit, middle) + 0.5});
  }
  return out;
}

void program() {
  constexpr int pairs = 2000;
  std::printf("\n| facets of a body | one linear program [us] | inequalities looked at |\n|---:|---:|---:|\n");
  for (const int facets : {50, 100, 200, 400, 800}) {
    scenes::Random random(5);
    std::vector<GrowingPolytope> all;
    for (int k = 0; k < 20; ++k) all.push_back(random_polytope(random, facets, {0.9 * (k % 2), 0.0, 0.0}));
    const std::clock_t begin = std::clock();
    long long tested = 0;
    for (int k = 0; k < pairs; ++k) {
      tested += ratio_metric_3d(all[static_cast<std::size_t>(2 * (k % 10))],
                                all[static_cast<std::size_t>(2 * (k / 10 % 10) + 1)])
                    .tested;
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("| %d | %.1f | %lld |\n", facets, 1e6 * seconds / pairs, tested / pairs);
  }
}

}  // namespace
}  // namespace pegrasp::ratio

int main(int argc, char** argv) {
  std::vector<std::string> names;
  std::string folder = "examples/ratio";
  int samples = 10;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--samples" && i + 1 < argc) {
      samples = std::max(1, std::atoi(argv[++i]));
    } else if (word == "--scenes" && i + 1 < argc) {
      folder = argv[++i];
    } else {
      names.push_back(word);
    }
  }
  if (names.empty()) {
    names.assign(std::begin(pegrasp::scenes::ratio_scenes), std::end(pegrasp::scenes::ratio_scenes));
    names.push_back("program");
  }
  try {
    for (const std::string& name : names) {
      if (name == "program") {
        pegrasp::ratio::program();
      } else {
        pegrasp::ratio::study(folder, name, samples);
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
