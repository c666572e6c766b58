// SPDX-License-Identifier: Apache-2.0
// pegrasp run: one scene, watched step by step, by the very code that the map runs.
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>

#include "pegrasp/map.hpp"
#include "pegrasp/simulation.hpp"
#include "src/cli/common.hpp"
#include "src/cli/scene_job.hpp"
#include "src/cli/scene_watch.hpp"
#include "src/formats/atomic_file.hpp"

namespace pegrasp::cli {
namespace {

struct RunArguments {
  SceneChoice scene;
  std::string trajectory;
  bool json = false;
};

void print_text(const nlohmann::ordered_json& report) {
  for (const auto& [key, value] : report.items()) {
    if (value.is_object()) {
      for (const auto& [inner, number] : value.items()) std::cout << key << '.' << inner << ": " << number << '\n';
    } else {
      std::cout << key << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
    }
  }
}

// Where a trajectory goes, opened before the simulation so that a bad place is reported at once. A file is written whole or
// not at all; what is no regular file (/dev/stdout, a pipe) is written to as it stands.
class TrajectoryFile {
 public:
  explicit TrajectoryFile(const std::filesystem::path& path) : path_(path) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path, ignored);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
      file_.emplace(path);
    } else {
      stream_.open(path, std::ios::binary);
      if (!stream_) fail();
    }
  }
  void write(const std::string& text) {
    if (file_) {
      file_->commit(text);
    } else if (!(stream_ << text) || !stream_.flush()) {
      fail();
    }
  }

 private:
  [[noreturn]] void fail() const {
    const int error = errno;
    throw InputError(path_.string() + ": cannot be written: " +
                     std::error_code(error, std::generic_category()).message() + "; " + write_remedy(error));
  }

  std::filesystem::path path_;
  std::optional<AtomicFile> file_;
  std::ofstream stream_;
};

int run(const RunArguments& arguments) {
  const SceneJob job = arguments.scene.make();
  Simulation simulation(job.model, job.options, job.parameters, job.arithmetic);
  SceneWatch watch(job.scene, simulation);
  std::ostringstream trajectory;
  const bool keep = !arguments.trajectory.empty();
  std::optional<TrajectoryFile> file;
  if (keep) file.emplace(arguments.trajectory);
  if (keep) trajectory << "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
  install_stop_signals();
  double wall = 0.0;
  while (true) {
    const auto begin = std::chrono::steady_clock::now();
    const bool more = simulation.step();
    wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!more) break;
    watch.see(simulation);
    if (keep) append_state(trajectory, job.scene, simulation);
    if (stop_requested().load())
      throw Interrupted("stopped at t = " + shortest(simulation.time()) + " s; nothing written");
  }
  if (keep) file->write(trajectory.str());
  const nlohmann::ordered_json report = watch.report(simulation, job.options, job.arithmetic, wall);
  if (arguments.json) {
    std::cout << report.dump(2) << '\n';
  } else {
    print_text(report);
  }
  finish_output();
  return simulation.outcome().status == status_ok ? exit_done : exit_unaccepted;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<RunArguments>();
  auto* run_app = app.add_subcommand("run", "simulate one scene (peg-scene-1 JSON), or one sample of a problem");
  arguments->scene.add(*run_app);
  run_app->add_option("--trajectory", arguments->trajectory, "write the state after every step to this CSV file")
      ->check(not_empty());
  run_app->add_flag("--json", arguments->json, "print one JSON object");
  run_app->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli
