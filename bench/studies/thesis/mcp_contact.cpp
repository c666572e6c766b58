// SPDX-License-Identifier: Apache-2.0
#include "bench/studies/thesis/mcp_contact.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "tests/reference/problems/contact_sets.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/stack.hpp"

namespace pegrasp::bench {
namespace {

using reference::Form;
using reference::test::CapturedProblem;

// Scenes and instants [s] of a class (contact model and friction) at one step size; some 300 steps over the three
// sizes.
constexpr int boxes = 8, stacks = 4;
constexpr int cold_scenes =
    1;  // of each that are also tried from a cold start in the quadratic form: seconds where it fails
constexpr double box_from = 1.0, box_every = 0.5, stack_from = 0.4, stack_every = 0.3, stack_until = 2.0;

class Contacts {
 public:
  Contacts(const McpOptions& options, const std::function<void(McpRun)>& take) : options_(options), take_(take) {}

  void run(const CapturedProblem& captured, bool cold) {
    const problems::NamedProblem problem = named(captured);
    // The forms of a step follow each other, the mixed one before the quadratic one.
    if (captured.formulation.form == Form::lcp) infeasible_ = false;
    if (!applies(options_.solver, problem)) return;
    if (captured.formulation.form != Form::quadratic) {
      take(problem, reference::test::name(captured.formulation.form), {});
      return;
    }
    if (cold) take(problem, "quadratic, cold", {});
    if (options_.solver == "path_library") return;  // solve_step() calls ours
    take(problem, "quadratic", [&](const mcp::Options& made) {
      const reference::SolvedStep solved = reference::solve_step(captured.step, captured.formulation, made);
      mcp::Result result = solved.result;
      result.statistics = solved.statistics;
      return result;
    });
  }

 private:
  void take(const problems::NamedProblem& problem, const char* form, const McpSolve& solve) {
    McpRun run = run_mcp(problem, 0, options_, solve);
    run.form = form;
    run.size = size_range(run.n);
    const bool solved = run.status == mcp::Status::solved;
    if (problem.linear) {
      infeasible_ = run.verdict == Verdict::infeasible;
      slight_ = run.slight;
    } else if (infeasible_ && !(solved && slight_)) {
      // What has no solution by a hair may have a point whose residual is within the tolerance.
      run.answer = problems::Answer::infeasible;
      run.verdict = solved ? Verdict::wrong : Verdict::infeasible;
    }
    take_(std::move(run));
  }

  const McpOptions& options_;
  const std::function<void(McpRun)>& take_;
  bool infeasible_ = false, slight_ = false;  // the mixed form of the step at hand
};

}  // namespace

std::string size_range(int n) { return n <= 60 ? "n <= 60" : n <= 150 ? "61-150" : n <= 300 ? "151-300" : "> 300"; }

problems::NamedProblem named(const CapturedProblem& captured) {
  problems::NamedProblem problem;
  problem.name = captured.name;
  problem.family = captured.family;
  problem.problem = captured.formulated.problem;
  problem.starts = {captured.formulated.start};
  if (captured.formulated.problem.linear) {
    problem.linear = problems::LinearData{captured.formulated.m, captured.formulated.q};
  }
  return problem;
}

McpOptions contact_options(const ContactOptions& contact, const McpOptions& given) {
  McpOptions options = given;
  options.repeats = 1;  // there are hundreds of each
  options.time_limit_s = contact.time_limit_s;
  return options;
}

void for_each_contact_step(const ContactOptions& contact,
                           const std::function<void(const CapturedProblem&, bool cold)>& take) {
  reference::test::CaptureOptions capture;
  capture.forms = {Form::lcp, Form::mixed, Form::quadratic};
  const auto wanted = [&](const CapturedProblem& problem) {
    if (problem.formulation.form == Form::quadratic && problem.mu == 0.0) return false;  // the mixed form once more
    const auto& names = contact.names;
    return names.empty() || std::find(names.begin(), names.end(), problem.name) != names.end();
  };
  // A scene at a time: all problems together would take gigabytes.
  for (const double h : capture.steps) {
    for (const double mu : capture.frictions) {
      const auto scene = [&](const char* what, int seed, const SceneSpec& spec, double from, double every,
                             double until) {
        std::vector<CapturedProblem> problems;
        reference::test::capture(what + (" " + std::to_string(seed)), spec, h, mu, from, every, until, capture,
                                 problems);
        const bool cold = seed <= cold_scenes * contact.more;
        for (const CapturedProblem& problem : problems) {
          if (wanted(problem)) take(problem, cold);
        }
      };
      std::cerr << "  h " << 1e3 * h << " ms, mu " << mu << std::endl;
      for (int seed = 1; seed <= boxes * contact.more; ++seed) {
        scene("box", seed, scenes::polygon_box(static_cast<std::uint64_t>(seed), mu), box_from, box_every,
              scenes::polygon_box_duration);
      }
      for (int seed = 1; seed <= stacks * contact.more; ++seed) {
        scene("stack", seed, scenes::stack(static_cast<std::uint64_t>(seed), mu), stack_from, stack_every, stack_until);
      }
    }
  }
}

void run_contacts(const ContactOptions& contact, const McpOptions& given, const std::function<void(McpRun)>& take) {
  const McpOptions options = contact_options(contact, given);
  Contacts contacts(options, take);
  for_each_contact_step(contact, [&](const CapturedProblem& captured, bool cold) { contacts.run(captured, cold); });
}

}  // namespace pegrasp::bench
