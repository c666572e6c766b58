// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>

#include "pegrasp/map.hpp"
#include "pegrasp/version.hpp"
#include "src/cli/common.hpp"
#include "src/cli/map_job.hpp"
#include "src/cli/map_output.hpp"
#include "src/cli/reference_commands.hpp"
#include "src/cli/shard.hpp"
#include "src/cli/terminal.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

constexpr int most_devices = 1023;
constexpr int most_threads = 1024;  // more is a slip of the keyboard: each brings a workspace

// What a part has to say: there is no map yet.
void tell_part(const SuccessMap& map, const MapArguments& arguments, const MapOptions& options) {
  const std::filesystem::path file = part_path(options.out, options.shard);
  if (arguments.output.json) {
    const nlohmann::ordered_json reported = {{"part", options.shard.index},
                                             {"parts", options.shard.count},
                                             {"first_trial", map.held.first},
                                             {"trials", map.held.count},
                                             {"trials_resumed", map.resumed},
                                             {"file", file.string()},
                                             {"simulating_s", map.timing.simulating},
                                             {"device", map.device},
                                             {"version", version::number},
                                             {"git", version::git}};
    console().out << reported.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  } else if (arguments.output.talks()) {
    console().print("part        %d of %d: %zu trials, %.2f s on %s\n", options.shard.index, options.shard.count,
                    map.held.count, map.timing.simulating, map.device.c_str());
    console().print("written to  %s; pegrasp merge %s joins the parts\n", printable(file.string()).c_str(),
                    printable(options.out.string()).c_str());
  }
  finish_output();
}

int simulate_and_write(const MapArguments& arguments, const Shard& shard, const std::function<Problem()>& load,
                       const std::filesystem::path& out) {
  const auto begin_reading = std::chrono::steady_clock::now();
  const Problem problem = load();
  tell_warnings(problem.scene);
  tell_plain_draws(problem);
  // A scene that cannot be simulated is reported before anything is made.
  compile(arguments.file, problem.scene, problem.options, problem.arithmetic);
  if (problem.until.any() && arguments.step_check_asked) {
    throw InputError(
        "--step-check: goes with a fixed number of samples; leave it out, or leave out --until (map.until)");
  }
  const double reading = seconds_since(begin_reading);
  const std::unique_ptr<Backend> backend =
      backend_named(arguments.backend, problem.arithmetic, arguments.threads, arguments.device);
  install_stop_signals();
  const bool talks = arguments.output.talks();
  std::error_code ignored;
  const bool journal_there = std::filesystem::exists(journal_path(out, shard), ignored);
  if (talks && journal_there && !arguments.resume) {
    const std::string what =
        shard.count > 1 ? journal_path(out, shard).string() : "an interrupted run in " + out.string();
    console().err << "pegrasp: " << printable_line(what) << " is overwritten (--resume would continue it)\n";
  }
  if (talks && !journal_there && arguments.resume) {
    console().err << "pegrasp: nothing to resume in " << printable(out.string()) << "; starting at the first trial\n";
  }
  ProgressBar bar(talks);
  MapOptions options;
  options.out = out;
  options.shard = shard;
  options.resume = arguments.resume;
  options.fallback = arguments.fallback == "reference" ? Fallback::reference : Fallback::none;
  options.reference = reference_engine();
  options.counts_only = arguments.counts_only;
  options.step_check = arguments.no_step_check || arguments.counts_only ? 0.0 : arguments.step_check;
  options.threads = arguments.threads;
  options.stop = &stop_requested();
  options.progress = [&bar](std::size_t done, std::size_t total) { bar.update(done, total); };
  SuccessMap map;
  try {
    map = run_map(problem, *backend, options);
  } catch (const Interrupted& stopped) {
    bar.finish();
    throw Interrupted(std::string(stopped.what()) + "; to continue, repeat the command with --resume");
  }
  bar.finish();
  if (shard.count > 1) {
    tell_part(map, arguments, options);
    return exit_done;
  }
  map.timing.reading = reading;
  write_and_tell(map, problem, out, arguments.output);
  return exit_done;
}

}  // namespace

int run_map_job(const MapArguments& arguments, const std::function<Problem()>& load) {
  const std::filesystem::path out = arguments.out.empty()
                                        ? std::filesystem::path("out") / std::filesystem::path(arguments.file).stem()
                                        : std::filesystem::path(arguments.out);
  std::string by;
  const Shard shard = chosen_shard(arguments.shard, &by);
  if (!by.empty() && !arguments.output.quiet) console().err << "pegrasp: " << printable_line(by) << '\n';
  try {
    return simulate_and_write(arguments, shard, load, out);
  } catch (const WriteError& error) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(journal_path(out, shard), ignored)) throw;
    throw WriteError(std::string(error.what()) + "; then repeat the command with --resume to continue", error.passes());
  }
}

void add_map_options(CLI::App& app, MapArguments& arguments) {
  app.add_option("--out", arguments.out, "output folder (default: out/<name of the problem file>)")->check(not_empty());
  arguments.options.add_map(app);
  app.add_option("--backend", arguments.backend, "where to simulate: auto, cpu or cuda")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "CPU threads; 0: all cores that the process may use")
      ->check(whole_number(0, most_threads))
      ->capture_default_str();
  app.add_option("--device", arguments.device, "number of the CUDA device, from 0 (default: the first)")
      ->check(whole_number(0, most_devices));
  app.add_option("--fallback", arguments.fallback,
                 "none leaves unresolved trials unresolved; reference simulates them again with the exact, slow solver")
      ->check(one_of({"none", "reference"}))
      ->capture_default_str();
  auto* share =
      app.add_option("--step-check", arguments.step_check,
                     "share of the trials, at least 200, that are simulated again at half the step and from a cold "
                     "start, to state the step error; it takes about three times its share of the time, so that maps "
                     "of a few hundred trials take up to four times as long")
          ->check(share_of_all())
          ->each([&arguments](const std::string&) { arguments.step_check_asked = true; })
          ->type_name("SHARE")
          ->capture_default_str();
  app.add_flag("--no-step-check", arguments.no_step_check, "simulate no trial again, and state no step error")
      ->excludes(share);
  app.add_flag("--counts-only", arguments.counts_only,
               "keep the counts of each cell and no single trial, so that memory and files do not grow with the "
               "samples; without a step check")
      ->excludes(share);
  app.add_flag("--resume", arguments.resume, "continue an interrupted run of the same problem");
  app.add_option(
         "--shard", arguments.shard,
         "simulate only the I-th of N parts of the trials, which pegrasp merge joins; auto: by the task number of "
         "Slurm, Kubernetes, AWS Batch, PBS or MPI in the environment")
      ->type_name("I/N");
  arguments.output.add(app);
}

void add_map_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<MapArguments>();
  auto* map =
      app.add_subcommand("map", "simulate every trial of a problem's grid and write the map of success probabilities");
  map->add_option("problem", arguments->file, "problem file (TOML, docs/reference/problem-file.md)")->required();
  add_map_options(*map, *arguments);
  arguments->options.add_until(*map);
  arguments->options.add_refine(*map);
  arguments->options.add_rows(*map);
  map->callback([arguments, &exit_code] {
    exit_code = run_map_job(*arguments, [&] { return read_problem(arguments->file, arguments->options.overrides()); });
  });
}

}  // namespace pegrasp::cli
