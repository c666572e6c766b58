// SPDX-License-Identifier: Apache-2.0
// pegrasp_queue_replay models how busy a queue keeps the teams of a GPU. It measures the processor time of every trial
// of a map on a CPU and deals the trials out to as many teams as a device holds at once, as the kernels of the
// per-scene strategy do: a team that has finished a trial takes the next. It does so with one queue, and with the
// trials cut as they reach a device: into chunks (src/map/) and these into pieces (src/backend/), each a launch with a
// queue of its own. Two ways without a queue are compared: equal shares, and rounds that wait for their slowest trial.
// This is not a measurement of a GPU: there teams also wait for each other in a warp and for memory, and copies,
// sampling and the host take time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <queue>
#include <span>

#include "bench/origin.hpp"
#include "kernels/launch/cuda/cuda_runner.hpp"
#include "pegrasp/map.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/simulation.hpp"
#include "src/backend/piece_size.hpp"
#include "src/map/chunk_size.hpp"

namespace {

using namespace pegrasp;

struct Trials {
  std::vector<double> seconds;
  std::vector<char> success;
};

constexpr int runs = 3;

double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Trials measure(const Problem& problem, const StepOptions& options) {
  const std::shared_ptr<const Model> model = compile_model(problem.scene);
  const Sampler sampler(problem);
  const int trials = problem.grid.cells() * problem.samples;
  std::vector<double> parameters(sampler.parameters()), values(sampler.values());
  Trials out;
  for (int i = 0; i < trials; ++i) {
    sampler.draw(static_cast<std::size_t>(i), parameters, values);
    double least = 1e300;  // of some runs: others use the machine, too
    for (int run = 0; run < runs; ++run) {
      Simulation simulation(model, options, parameters);
      const double begin = thread_seconds();
      simulation.run();
      least = std::min(least, thread_seconds() - begin);
      if (run == 0) out.success.push_back(static_cast<char>(simulation.outcome().success));
    }
    out.seconds.push_back(least);
  }
  return out;
}

double busy(const std::vector<double>& work, std::size_t teams, double end) {
  return std::accumulate(work.begin(), work.end(), 0.0) / (static_cast<double>(teams) * end);
}

// A launch is a queue of scenes. Its blocks of teams take a place on a multiprocessor as it becomes free, and a block
// keeps its place until all its teams have found the queue empty.
class Device {
 public:
  Device(std::size_t teams, std::size_t teams_a_block)
      : free_at_(teams / teams_a_block, 0.0), in_block_(teams_a_block) {}

  // Runs scenes as one launch, given to the device at `released` and after all launches before it. Returns when the
  // last scene ends.
  double launch(std::span<const double> work, double released) {
    const std::size_t blocks = std::min(free_at_.size(), (work.size() + in_block_ - 1) / in_block_);
    std::sort(free_at_.begin(), free_at_.end());
    using Team = std::pair<double, std::size_t>;  // when it takes the next scene, and its block
    std::priority_queue<Team, std::vector<Team>, std::greater<>> teams;
    for (std::size_t block = 0; block < blocks; ++block) {
      free_at_[block] = std::max(free_at_[block], released);
      for (std::size_t i = 0; i < in_block_; ++i) teams.emplace(free_at_[block], block);
    }
    double end = released;
    for (const double w : work) {
      const auto [begin, block] = teams.top();
      teams.pop();
      teams.emplace(begin + w, block);
      free_at_[block] = std::max(free_at_[block], begin + w);
      end = std::max(end, begin + w);
    }
    return end;
  }

  std::size_t teams() const { return free_at_.size() * in_block_; }

 private:
  std::vector<double> free_at_;  // of each block's place
  std::size_t in_block_;         // teams
};

// As run_pieces() hands a batch over: with two lanes a piece waits on the device while the one before it runs, and the
// host gives the next one to a lane when the lane's last is over.
double run_batch(Device& device, std::span<const double> work, std::size_t at_once, std::size_t lanes, double begin) {
  std::vector<double> ended;
  for (std::size_t first = 0; first < work.size(); first += at_once) {
    const std::size_t piece = ended.size();
    const double released = piece < lanes ? begin : ended[piece - lanes];
    const double end = device.launch(work.subspan(first, std::min(at_once, work.size() - first)), released);
    ended.push_back(piece == 0 ? end : std::max(end, ended.back()));  // the host takes them in order
  }
  return ended.empty() ? begin : ended.back();
}

struct Chunk {
  std::size_t trials, at_once;  // at_once: of a piece
  double seconds;               // of a device whose teams are as fast as the core
};

// The model of the device, and of the map on it.
struct Setting {
  std::size_t teams, teams_a_block;
  double slower;  // a team than the core
  ChunkRule rule;
};

// Memory has capacity for a piece, whatever its size.
std::size_t piece_of(std::size_t scenes, const Device& device) {
  return scenes_a_piece(scenes, device.teams(), std::numeric_limits<std::size_t>::max());
}

// As run_map() hands a map over: a chunk begins when the last one is over.
std::vector<Chunk> by_map(const std::vector<double>& work, const Setting& setting, std::size_t lanes) {
  Device device(setting.teams, setting.teams_a_block);
  std::vector<Chunk> chunks;
  std::size_t chunk = setting.rule.first;
  double now = 0.0;
  for (std::size_t first = 0; first < work.size(); first += chunks.back().trials) {
    const std::size_t count = std::min(chunk, work.size() - first), at_once = piece_of(count, device);
    const double end = run_batch(device, std::span(work).subspan(first, count), at_once, lanes, now);
    chunks.push_back({count, at_once, end - now});
    if (count == chunk) chunk = next_chunk(chunk, setting.slower * (end - now), setting.rule);
    now = end;
  }
  return chunks;
}

double total(const std::vector<Chunk>& chunks) {
  return std::accumulate(chunks.begin(), chunks.end(), 0.0,
                         [](double sum, const Chunk& chunk) { return sum + chunk.seconds; });
}

double by_batch(const std::vector<double>& work, const Setting& setting) {
  Device device(setting.teams, setting.teams_a_block);
  return run_batch(device, work, piece_of(work.size(), device), CudaRunner::lanes, 0.0);
}

double by_queue(const std::vector<double>& work, const Setting& setting) {
  return Device(setting.teams, setting.teams_a_block).launch(work, 0.0);
}

double by_shares(const std::vector<double>& work, std::size_t teams) {
  std::vector<double> of_team(teams, 0.0);
  for (std::size_t i = 0; i < work.size(); ++i) of_team[i * teams / work.size()] += work[i];
  return *std::max_element(of_team.begin(), of_team.end());
}

double by_rounds(const std::vector<double>& work, std::size_t teams) {
  double end = 0.0;
  for (std::size_t first = 0; first < work.size(); first += teams) {
    const std::size_t last = std::min(work.size(), first + teams);
    end += *std::max_element(work.begin() + static_cast<std::ptrdiff_t>(first),
                             work.begin() + static_cast<std::ptrdiff_t>(last));
  }
  return end;
}

using Mixes = std::vector<std::pair<std::string, std::vector<double>>>;

// The trials as they are, and with more or less of an end that comes early.
Mixes mixes_of(const Trials& trials) {
  const auto chosen = [&](char success) {
    std::vector<double> out;
    for (std::size_t i = 0; i < trials.seconds.size(); ++i) {
      if (trials.success[i] == success) out.push_back(trials.seconds[i]);
    }
    return out;
  };
  std::vector<double> early = trials.seconds;
  for (std::size_t i = 0; i < early.size(); i += 2) early[i] *= 0.1;
  return {{"all trials", trials.seconds},
          {"those that succeed", chosen(1)},
          {"those that fail", chosen(0)},
          {"every second ends after a tenth of its time", early}};
}

// Prints a line of the table and returns its record.
nlohmann::ordered_json replay(const std::string& name, const std::vector<double>& work, const Setting& setting) {
  const std::vector<Chunk> chunks = by_map(work, setting, CudaRunner::lanes);
  const auto share = [&](double end) { return busy(work, setting.teams, end); };
  const double mean = std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(work.size());
  nlohmann::ordered_json row{{"name", name},
                             {"trials", work.size()},
                             {"us_a_trial", 1e6 * mean},
                             {"busy_queue", share(by_queue(work, setting))},
                             {"busy_batch", share(by_batch(work, setting))},
                             {"busy_map", share(total(chunks))},
                             {"busy_map_one_by_one", share(total(by_map(work, setting, 1)))},
                             {"busy_shares", share(by_shares(work, setting.teams))},
                             {"busy_rounds", share(by_rounds(work, setting.teams))}};
  std::printf("%-46s %9zu %12.1f", name.c_str(), work.size(), 1e6 * mean);
  for (const auto& [key, value] : row.items()) {
    if (key.starts_with("busy_")) std::printf(" %9.1f%%", 100.0 * value.get<double>());
  }
  std::printf("\n");
  for (const Chunk& chunk : chunks)
    row["map"].push_back({{"trials", chunk.trials}, {"trials_a_piece", chunk.at_once}, {"seconds", chunk.seconds}});
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"How busy a queue keeps the teams of a device, from the times of a map's trials on a CPU"};
  std::string file = "examples/gear/gear.toml", json;
  std::vector<std::string> sets;
  int samples = -1;
  Setting setting{4224, 16, 1.0, {}};
  app.add_option("problem", file, "problem file")->capture_default_str();
  app.add_option("--samples", samples, "samples a cell (map.samples)");
  app.add_option("--set", sets, "KEY=VALUE of the problem (repeatable)")->allow_extra_args(false);
  app.add_option("--teams", setting.teams, "that work at once; 4224: an H200's at 32 scenes a multiprocessor")
      ->capture_default_str();
  app.add_option("--teams-a-block", setting.teams_a_block, "of --teams; 16: blocks of 128 threads, teams of 8")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--slower", setting.slower, "a team than the core, so many times: chunks of a map follow their time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", json, "write what is printed to this file too");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<Override> overrides;
    for (const std::string& set : sets)
      overrides.push_back({set.substr(0, set.find('=')), set.substr(set.find('=') + 1)});
    if (samples > 0) overrides.push_back({"map.samples", std::to_string(samples)});
    if (setting.teams < setting.teams_a_block || setting.teams % setting.teams_a_block != 0)
      throw InputError("--teams is no multiple of --teams-a-block");
    const Problem problem = load_problem(file, overrides);
    const StepOptions options = derive_options(problem.options, problem.scene, problem.arithmetic);
    if (options.strategy != Strategy::per_scene) throw InputError(file + ": the batched strategy has no such queue");
    setting.rule = chunk_rule(true, options.strategy, problem.scene.bodies.size());
    nlohmann::ordered_json out = bench::origin();
    out["problem"] = file;
    out["set"] = sets;
    out["teams"] = setting.teams;
    out["teams_a_block"] = setting.teams_a_block;
    out["slower"] = setting.slower;
    out["pieces_on_the_device"] = CudaRunner::lanes;
    const Mixes mixes = mixes_of(measure(problem, options));
    std::printf("%-46s %9s %12s %10s %10s %10s %10s %10s %10s\n", "busy share of the time of all teams", "trials",
                "us a trial", "queue", "batch", "map", "one by one", "shares", "rounds");
    for (const auto& [name, work] : mixes) {
      if (!work.empty()) out["mixes"].push_back(replay(name, work, setting));
    }
    std::printf(
        "\nqueue: all trials in one. batch: as one call is cut (pegrasp_bench), map: as pegrasp map is cut,\n"
        "both with %d pieces on the device, of which the second starts as blocks of the first end.\n"
        "one by one: the map's pieces, each after the end of the last. A model, on costs of a CPU.\n"
        "All trials of the map:",
        CudaRunner::lanes);
    for (const auto& chunk : out["mixes"][0]["map"]) {
      std::printf(" %zu in pieces of %zu, %.4f s;", chunk["trials"].get<std::size_t>(),
                  chunk["trials_a_piece"].get<std::size_t>(), chunk["seconds"].get<double>());
    }
    std::printf("\n");
    if (!json.empty()) std::ofstream(json) << out.dump(2) << '\n';
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_queue_replay: " << error.what() << '\n';
    return 2;
  }
}
