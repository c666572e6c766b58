// SPDX-License-Identifier: Apache-2.0
// pegrasp identify: parameters of a problem by the motion that was seen.
#include "src/identify/identify.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/console.hpp"
#include "src/cli/decision_output.hpp"
#include "src/cli/search_commands.hpp"
#include "src/cli/terminal.hpp"
#include "src/text/printable.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp::cli {
namespace {

struct IdentifyArguments {
  std::string file, data, method = "batch", backend = "auto";
  std::vector<std::string> fit;
  double noise_mm = 1.0, noise_deg = 1.0;
  int threads = 0, particles = 1000;
  identify::IdentifyOptions identify;
  ProblemOptions options;
  DecisionOutput output;
};

double bound_of(const std::string& word, const std::string& all) {
  std::size_t used = 0;
  double out = 0.0;
  try {
    out = std::stod(word, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != word.size() || !std::isfinite(out))
    throw InputError("--fit " + printable(all) + ": \"" + printable(word) + "\" is no number; write KEY:low:high");
  return out;
}

// KEY or KEY:low:high.
DesignParameter fit_of(const std::string& text) {
  DesignParameter out;
  const std::size_t first = text.find(':');
  out.name = text.substr(0, first);
  if (out.name.empty()) throw InputError("--fit " + printable(text) + ": names no key; write KEY or KEY:low:high");
  out.keys = {out.name};
  out.start = std::numeric_limits<double>::quiet_NaN();
  out.scale = 1.0;  // of no use here
  if (first == std::string::npos) return out;
  const std::size_t second = text.find(':', first + 1);
  if (second == std::string::npos) throw InputError("--fit " + printable(text) + ": has one bound; write KEY:low:high");
  out.low = bound_of(text.substr(first + 1, second - first - 1), text);
  out.high = bound_of(text.substr(second + 1), text);
  if (!(out.low < out.high)) throw InputError("--fit " + printable(text) + ": low is not below high");
  return out;
}

void read_method(IdentifyArguments& arguments) {
  using identify::Method;
  const std::string& word = arguments.method;
  if (word == "batch") return;
  if (word == "particles") {
    arguments.identify.method = Method::particles;
    return;
  }
  if (word.rfind("window:", 0) == 0 && word.size() > 7 && word.size() < 16 &&
      word.find_first_not_of("0123456789", 7) == std::string::npos) {
    arguments.identify.method = Method::window;
    arguments.identify.window = static_cast<std::size_t>(std::stol(word.substr(7)));
    return;
  }
  throw InputError("--method " + printable(word) +
                   ": is none; choose batch, window:K (K times, 3 or more) or particles");
}

std::string data_of(const std::string& name) {
  const auto text = console().texts.find(name);
  if (text != console().texts.end()) return text->second;
  try {
    return read_file(name, 64u << 20, Pipes::read);
  } catch (const ReadError& error) {
    throw InputError(printable(name) + ": " + error.what());
  }
}

int run_identify(IdentifyArguments& arguments) {
  read_method(arguments);
  std::vector<DesignParameter> fitted;
  for (const std::string& one : arguments.fit) fitted.push_back(fit_of(one));
  const RowEvaluator rows = read_rows(arguments.file, arguments.options.overrides(), fitted);
  tell_warnings(rows.problem().scene);
  compile(arguments.file, rows.problem().scene, rows.problem().options, rows.problem().arithmetic);
  const identify::Track track = identify::read_track(data_of(arguments.data), arguments.data, rows.problem());
  const std::filesystem::path out =
      arguments.output.out.empty()
          ? std::filesystem::path("out") / (std::filesystem::path(arguments.file).stem().string() + "-estimate")
          : std::filesystem::path(arguments.output.out);
  const std::unique_ptr<Backend> backend =
      following_backend(arguments.backend, "identify", rows.problem().arithmetic, arguments.threads);
  install_stop_signals();
  std::error_code error;
  identify::IdentifyOptions options = arguments.identify;
  options.noise = 1e-3 * arguments.noise_mm;
  options.turn_noise = arguments.noise_deg * 3.14159265358979323846 / 180.0;
  options.particles = static_cast<std::size_t>(arguments.particles);
  options.seed = rows.problem().seed;
  options.folder = out;
  options.threads = arguments.threads;
  options.stop = &stop_requested();
  if (!arguments.output.quiet && !options.resume) warn_of_interrupted_run(out);
  ProgressBar bar(!arguments.output.quiet && !arguments.output.json,
                  options.method == identify::Method::particles ? "times" : "fits");
  options.progress = [&bar](std::size_t done, std::size_t total) { bar.update(done, total); };
  identify::IdentifyResult result;
  try {
    result = identify::identify(rows, fitted.size(), track, *backend, options);
  } catch (const Interrupted& stopped) {
    bar.finish();
    throw Interrupted(std::string(stopped.what()) + "; to continue, repeat the command with --resume");
  } catch (const identify::Unfit&) {
    bar.finish();
    std::filesystem::remove(out / "evaluations.journal", error);
    std::filesystem::remove(out, error);  // unless there is something in it
    throw;
  }
  bar.finish();
  Decision decision{"estimate",
                    identify::identify_text(rows, fitted.size(), options, result),
                    identify::identify_json(rows, fitted.size(), track, options, result),
                    {{"estimate.csv", identify::estimate_csv(rows, fitted.size(), track, result)}}};
  write_decision(decision, out, arguments.output);
  std::filesystem::remove(out / "evaluations.journal", error);
  return exit_done;
}

}  // namespace

void add_identify_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<IdentifyArguments>();
  auto* identify = app.add_subcommand("identify", "find keys of a problem by the motion of bodies that was seen");
  identify->add_option("problem", arguments->file, "problem file in 2D")->required();
  identify->add_option("--data", arguments->data, "CSV file with columns time [s], body, x, y [m], theta [rad]")
      ->required();
  identify
      ->add_option("--fit", arguments->fit,
                   "a key as of --set, with or without bounds: KEY or KEY:low:high; repeatable")
      ->required();
  identify
      ->add_option("--method", arguments->method,
                   "batch: least squares over all times; window:K: over the last K times, and the state there; "
                   "particles: a filter")
      ->capture_default_str();
  identify->add_option("--noise-mm", arguments->noise_mm, "standard deviation of what is seen of x and y [mm]")
      ->check(positive())
      ->capture_default_str();
  identify->add_option("--noise-deg", arguments->noise_deg, "standard deviation of what is seen of theta [degrees]")
      ->check(positive())
      ->capture_default_str();
  identify->add_option("--particles", arguments->particles, "number of particles")
      ->check(whole_number(2, 1'000'000))
      ->capture_default_str();
  identify
      ->add_option("--walk", arguments->identify.walk,
                   "standard deviation by which particles change each key from time to time, in its unit")
      ->check(positive())
      ->capture_default_str();
  arguments->options.add_map(*identify);
  identify
      ->add_option("--backend", arguments->backend,
                   "where to simulate: auto or cpu; trials are followed step by step, so cuda is refused")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  identify->add_option("--threads", arguments->threads, "CPU threads; 0: all cores that the process may use")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  identify->add_flag("--resume", arguments->identify.resume, "continue an interrupted run of the same command");
  arguments->output.add(*identify, "estimate", "out/<name of the problem file>-estimate");
  identify->callback([arguments, &exit_code] { exit_code = run_identify(*arguments); });
}

}  // namespace pegrasp::cli
