// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <sstream>
#include <string>

#include "pegrasp/listed_cells.hpp"
#include "pegrasp/simulation.hpp"
#include "src/cli/common.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {

namespace {

// What trials draw besides parameters: variants of bodies, and what gives each a scene of its own.
std::string scenes_lines(const Problem& problem) {
  std::string out;
  if (problem.variants) {
    for (const BodyVariants& body : problem.variants->bodies) {
      out += "# variants of " + printable(body.body) + ", one drawn for each trial:";
      double sum = 0.0;
      for (const double weight : body.chosen.weights) sum += weight;
      for (std::size_t k = 0; k < body.names.size(); ++k) {
        out += (k > 0 ? ", " : " ") + printable(body.names[k]) + " (" + shortest(100.0 * body.chosen.weights[k] / sum) +
               " %)";
      }
      out += '\n';
    }
  }
  const SceneChanges& changes = problem.changes;
  for (const BodyScale& scale : changes.scales) {
    out +=
        "# scale of " + printable(problem.scene.bodies[static_cast<std::size_t>(scale.body)].name) + ": varies about";
    for (std::size_t k = 0; k < (problem.scene.spatial ? 3 : 2); ++k) out += " " + shortest(scale.factor[k]);
    out += '\n';
  }
  if (changes.tilts) out += "# the direction of gravity varies\n";
  if (changes.any())
    out += "# so each trial has a model of its own, and is simulated on the CPU whatever --backend says\n";
  return out;
}

// A line for each axis, and one that says how many scenes they make.
std::string axes_lines(const Problem& problem) {
  if (problem.axes.empty()) return {};
  std::string out;
  for (const Axis& axis : axes_of(problem)) {
    out += "# axis " + printable(axis.name) + (axis.unit == "1" ? "" : " [" + axis.unit + "]") + ": ";
    constexpr std::size_t most = 6;
    for (std::size_t i = 0; i < axis.size(); ++i) {
      if (axis.size() > most && i == most - 1) {
        out += ", ..., " + printable(axis.texts.back());
        break;
      }
      out += (i > 0 ? ", " : "") + printable(axis.texts[i]);
    }
    out += " (" + std::to_string(axis.size()) + ")\n";
  }
  const std::size_t groups = problem.group_count();
  return out + "# the axes make " + std::to_string(groups) +
         (groups == 1 ? " group of cells, which share a model and distributions\n"
                      : " groups of cells that share a model and distributions\n");
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  struct Arguments {
    std::string file;
    ProblemOptions options;
  };
  auto arguments = std::make_shared<Arguments>();
  auto* check = app.add_subcommand(
      "check", "check a problem file; print it with all defaults filled in, and the memory that it needs");
  check->add_option("problem", arguments->file, "problem file (TOML)")->required();
  arguments->options.add_map(*check);
  arguments->options.add_until(*check);
  arguments->options.add_refine(*check);
  arguments->options.add_rows(*check);
  check->callback([arguments, &exit_code] {
    const Problem problem = read_problem(arguments->file, arguments->options.overrides());
    tell_warnings(problem.scene);
    tell_plain_draws(problem);
    if (problem.refine.levels > 0) refined_axes(problem);
    const SceneSpec scene = scene_of_trial(problem, base_parameters(problem)).scene;  // of typical sizes
    const auto [model, options] = compile(arguments->file, scene, problem.options, problem.arithmetic);
    const CapacityReport need = capacity(*model, options);
    // Only pair modes have a bound; other models make as many contacts as features come near.
    const bool bounded = options.contact == ContactModel::peg;
    const std::string bound = bounded ? " (bound " + std::to_string(need.contact_bound) + ")" : "";
    std::istringstream lines(problem.resolved_toml);
    for (std::string line; std::getline(lines, line);) console().out << printable_line(line) << '\n';
    console().out << "\n# " << problem.cells() << " cells, " << problem.samples << " samples per cell, "
                  << (problem.until.any() ? "at most " : "")
                  << static_cast<long long>(problem.cells()) * problem.samples << " trials\n"
                  << axes_lines(problem) << scenes_lines(problem) << "# tolerance " << shortest(1e3 * options.tolerance)
                  << " mm/s, accepted overlap " << shortest(1e3 * options.penetration_tolerance)
                  << " mm, a step is too deep beyond " << shortest(1e3 * options.reject_depth) << " mm\n"
                  << "# size: " << need.bodies << " bodies, " << need.parts << " parts, " << need.corners
                  << " corners, " << need.candidate_pairs << " candidate pairs, capacity for " << need.contact_capacity
                  << " contacts" << bound << ", " << need.bytes_per_scene << " bytes per scene\n";
    for (const BodySpec& body : problem.scene.bodies) {
      for (const Remark& remark : body.remarks) console().out << "# " << printable_line(remark.text) << '\n';
    }
    finish_output();
    exit_code = exit_done;
  });
}

}  // namespace pegrasp::cli
