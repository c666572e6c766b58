// SPDX-License-Identifier: Apache-2.0
#include "src/optimise/field.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "src/decide/numbers.hpp"

namespace pegrasp::optimise {
namespace {

using Place = std::array<double, 2>;
using Matrix = std::array<std::array<double, 2>, 2>;

Place times(const Matrix& m, const Place& x) {
  return {m[0][0] * x[0] + m[0][1] * x[1], m[1][0] * x[0] + m[1][1] * x[1]};
}

double length_of(const Place& x) { return std::sqrt(x[0] * x[0] + x[1] * x[1]); }

// A step along v = F x by its series to fourth order, which is exact enough where F t is small.
Place followed(const Matrix& field, Place x, double t) {
  constexpr int parts = 16;
  const double h = t / parts;
  for (int i = 0; i < parts; ++i) {
    Place term = x;
    for (int k = 1; k <= 4; ++k) {
      term = times(field, term);
      for (std::size_t c = 0; c < 2; ++c) x[c] += (term[c] *= h / k);
    }
  }
  return x;
}

Place place_of(const Simulation& simulation, int body, bool spatial) {
  if (!spatial) return {simulation.pose(body).x, simulation.pose(body).y};
  const SpatialPose pose = simulation.spatial_pose(body);
  return {pose.position.x, pose.position.y};
}

// The places of one trial at each record and a period before it, on the straight line of the nearest step.
struct Track {
  std::vector<Place> now, before;
  std::size_t steps = 0, free_steps = 0;  // after the first record
  Place last{};
  double last_time = -1.0;
};

void follow(Track& track, const Simulation& simulation, const FieldSettings& settings, int body, bool spatial,
            double half) {
  const Place place = place_of(simulation, body, spatial);
  const double time = simulation.time();
  // A step that ends at most half a step before a record counts as the nearest: the last one may end so.
  const auto put = [&](std::vector<Place>& places, double early) {
    for (;;) {
      const double at = settings.record_every * static_cast<double>(places.size() + 1) - early;
      if (at > time + half) return;
      const double along = track.last_time < 0.0 ? 0.0 : (at - time) / (time - track.last_time);
      places.push_back({place[0] + along * (place[0] - track.last[0]), place[1] + along * (place[1] - track.last[1])});
    }
  };
  if (!track.now.empty() && settings.separation_weight > 0.0) {
    ++track.steps;
    const std::vector<BodyLoad>& loads = simulation.contents().bodies;
    if (static_cast<std::size_t>(body) >= loads.size() || !(loads[static_cast<std::size_t>(body)].normal_impulse > 0.0))
      ++track.free_steps;
  }
  put(track.before, settings.period);
  put(track.now, 0.0);
  track.last = place;
  track.last_time = time;
}

FieldTrack judged(const Track& track, const FieldSettings& settings, const Place& start) {
  FieldTrack out;
  Place wanted = start, last = start;
  double turned = 0.0, speed = 0.0;
  const std::size_t records = track.now.size();
  for (std::size_t k = 0; k < records; ++k) {
    const Place &now = track.now[k], &before = track.before[k];
    const Place target = times(settings.field, {0.5 * (now[0] + before[0]), 0.5 * (now[1] + before[1])});
    out.velocity_error += length_of(
        {(now[0] - before[0]) / settings.period - target[0], (now[1] - before[1]) / settings.period - target[1]});
    speed += length_of(target);
    wanted = followed(settings.field, wanted, settings.record_every);
    out.radius_error += std::fabs(length_of(now) - length_of(wanted));
    turned += std::atan2(last[0] * now[1] - last[1] * now[0], last[0] * now[0] + last[1] * now[1]);
    last = now;
  }
  const auto count = static_cast<double>(records);
  out.relative_error = out.velocity_error / speed;
  out.velocity_error /= count;
  out.radius_error /= count;
  out.rate = turned / (count * settings.record_every);
  if (track.steps > 0) out.free_share = static_cast<double>(track.free_steps) / static_cast<double>(track.steps);
  return out;
}

}  // namespace

std::vector<std::string> FieldObjective::columns() const {
  std::vector<std::string> out{"objective", "velocity_error_mm_s", "radius_error_mm", "free_share"};
  for (std::size_t i = 1; i <= settings_.starts.size(); ++i) {
    out.push_back("rate_" + std::to_string(i) + "_rad_s");
    out.push_back("relative_error_" + std::to_string(i));
  }
  return out;
}

std::vector<double> FieldObjective::at(const RowEvaluator& rows, const Row& point, Backend& backend,
                                       const RowOptions& options, std::string& why) const {
  std::vector<double> out(columns().size(), std::numeric_limits<double>::quiet_NaN());
  out[0] = std::numeric_limits<double>::infinity();
  std::vector<Row> from;
  for (const Place& start : settings_.starts) {
    from.push_back(point);
    from.back().set.push_back({"body." + settings_.body + ".x_mm", decide::shortest_text(1e3 * start[0])});
    from.back().set.push_back({"body." + settings_.body + ".y_mm", decide::shortest_text(1e3 * start[1])});
  }
  const Problem& problem = rows.problem();
  const double half = 0.5 * problem.options.h;
  std::vector<Track> tracks(from.size());
  RowOptions watched = options;
  watched.nominal = true;
  watched.record_free_steps = settings_.separation_weight > 0.0;  // makes contact forces known
  watched.watch = [&](std::size_t row, std::size_t trial, const Simulation& simulation) {
    if (trial == 0) follow(tracks[row], simulation, settings_, body_, problem.scene.spatial, half);
  };
  const std::vector<RowResult> results = rows.evaluate(from, backend, watched);
  const auto records = static_cast<std::size_t>(std::floor(problem.options.duration / settings_.record_every + 1e-6));
  double velocity = 0.0, radius = 0.0, free = 0.0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const RowResult& result = results[i];
    if (!result.refused.empty()) {
      why = result.refused;
      return out;
    }
    if (result.outcomes[0].status != status_ok || tracks[i].now.size() < records || records == 0) {
      why = "a trial from start " + std::to_string(i + 1) + " is unresolved, or ends before simulation.duration_s";
      return out;
    }
    const FieldTrack track = judged(tracks[i], settings_, settings_.starts[i]);
    velocity += track.velocity_error;
    radius += track.radius_error;
    free += track.free_share;
    out[4 + 2 * i] = track.rate;
    out[5 + 2 * i] = track.relative_error;
  }
  const auto count = static_cast<double>(results.size());
  out[1] = 1e3 * velocity / count;
  out[2] = 1e3 * radius / count;
  out[3] = free / count;
  out[0] = out[1] + settings_.radius_weight * out[2] + settings_.separation_weight * out[3];
  return out;
}

}  // namespace pegrasp::optimise
