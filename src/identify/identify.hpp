// SPDX-License-Identifier: Apache-2.0
// Parameters of a problem by the motion that was seen (Berard's thesis, chapter 7).
//
// A trial is a function of its start and its parameters, so that the constraints of the thesis' (7.6-7.9) are met by
// whatever is simulated, and least squares over those few numbers remain.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pegrasp/error.hpp"
#include "pegrasp/evaluate_rows.hpp"
#include "src/identify/track.hpp"

namespace pegrasp::identify {

enum class Method { batch, window, particles };

struct IdentifyOptions {
  Method method = Method::batch;
  std::size_t window = 20;  // records of each, of the method `window`
  std::size_t particles = 1000;
  double walk = 0.01;  // standard deviation of a step of the particles' parameters, in units of the keys
  std::uint64_t seed = 1;
  double noise = 1e-3;           // standard deviation of x and y [m]
  double turn_noise = 0.0175;    // of theta [rad]
  std::filesystem::path folder;  // of the journal
  bool resume = false;
  int threads = 0;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t total)> progress;
};

// What is known at a time: of each body of the track its pose, and each parameter with its standard deviation.
struct Estimate {
  std::size_t record = 0;
  std::vector<double> poses;  // (bodies of the track, 3): x, y [m], turn [rad]
  std::vector<double> values, sd;
};

struct IdentifyResult {
  std::vector<double> values, sd;    // of the parameters: at the minimum; of windows and particles means over time
  std::vector<double> sd_over_time;  // of windows and particles: of their values
  std::vector<Estimate> estimates;
  double objective = 0.0;       // batch: sum of (seen - simulated)^2 by noise^2
  double sum_of_squares = 0.0;  // batch: of x and y alone [m^2]
  std::size_t numbers = 0;      // seen
  int iterations = 0;
  std::size_t trials = 0, resumed = 0;
  std::string device;
};

// No trial can follow the track: the journal is of no use to anybody.
class Unfit : public InputError {
 public:
  using InputError::InputError;
};

// Fits the last `fitted` parameters of the rows; the others keep their start. Throws InputError, one line, for what
// cannot be fitted (Unfit after trials), Interrupted when stopped. The journal stays in the folder: whoever writes the
// results removes it.
IdentifyResult identify(const RowEvaluator& rows, std::size_t fitted, const Track& track, Backend& backend,
                        const IdentifyOptions& options);

std::string estimate_csv(const RowEvaluator& rows, std::size_t fitted, const Track& track,
                         const IdentifyResult& result);
std::string identify_text(const RowEvaluator& rows, std::size_t fitted, const IdentifyOptions& options,
                          const IdentifyResult& result);
std::string identify_json(const RowEvaluator& rows, std::size_t fitted, const Track& track,
                          const IdentifyOptions& options, const IdentifyResult& result);

}  // namespace pegrasp::identify
