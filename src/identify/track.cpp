// SPDX-License-Identifier: Apache-2.0
#include "src/identify/track.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "src/decide/numbers.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::identify {
namespace {

using Cells = std::vector<std::string>;

// Without blanks and quotes at its ends.
std::string trimmed(const std::string& cell) {
  const char* const ends = " \t\r\"";
  const std::size_t first = cell.find_first_not_of(ends);
  return first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(ends) - first + 1);
}

Cells cells_of(std::string line) {
  Cells out;
  std::string cell;
  for (const char c : line + ",") {
    if (c == ',') {
      out.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += c;
    }
  }
  return out;
}

struct Reader {
  const std::string& name;
  const Problem& problem;
  std::size_t line = 0;
  Cells columns;

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(printable(name) + ": line " + std::to_string(line) + ": " + what);
  }

  std::size_t column(const char* wanted) const {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), wanted) - columns.begin());
  }

  double number(const Cells& row, std::size_t at) const {
    double out = 0.0;
    const std::string& cell = row[at];
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), out);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(out))
      fail("\"" + printable(cell) + "\" in column " + columns[at] + " is no finite number");
    return out;
  }

  std::size_t body(const Cells& row, std::size_t at) const {
    const SceneSpec& scene = problem.scene;
    std::size_t found = scene.bodies.size(), dynamic = 0;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (at < row.size() ? scene.bodies[b].name == row[at] : scene.bodies[b].kind == BodyKind::dynamic) found = b;
      if (scene.bodies[b].kind == BodyKind::dynamic) ++dynamic;
    }
    if (at < row.size() && found == scene.bodies.size())
      fail("the problem has no body \"" + printable(row[at]) + "\"; correct the name");
    if (at >= row.size() && dynamic != 1) fail("the problem has several bodies; add a column body with their names");
    if (scene.bodies[found].kind != BodyKind::dynamic)
      fail("body \"" + printable(row[at]) + "\" is not dynamic; leave its rows out");
    return found;
  }

  void check_order(std::map<std::size_t, double>& last, std::size_t body, double time) const {
    const auto [before, first] = last.insert({body, time});
    if (!first && !(time > before->second))
      fail("time " + decide::shortest_text(time) + " of body \"" + printable(problem.scene.bodies[body].name) +
           "\" does not come after " + decide::shortest_text(before->second) +
           ", of its row before; sort the rows by time, one for each");
    before->second = time;
  }
};

// A row's time, and its line in the file.
struct Moment {
  double time = 0.0;
  std::size_t line = 0;
};

[[noreturn]] void fail_at(const Moment& at, const std::string& name, const std::string& what) {
  throw InputError(printable(name) + ": line " + std::to_string(at.line) + ": time " + decide::shortest_text(at.time) +
                   " is " + what);
}

// Of sorted times that are rounded: the least distance says too little about the last time, so that steps are counted
// from time to time, by the mean of distances of one step.
double steps_of(const std::vector<double>& sorted, double least) {
  double sum = 0.0, single = 0.0, steps = 0.0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double apart = sorted[i] - sorted[i - 1];
    if (apart < 0.5 * least || apart > 1.5 * least) continue;
    sum += apart;
    ++single;
  }
  for (std::size_t i = 1; i < sorted.size(); ++i) steps += std::round((sorted[i] - sorted[i - 1]) * single / sum);
  return steps;
}

// Numbers the times by multiples of their least distance.
void number_records(Track& track, const std::vector<Moment>& moments, const std::string& name) {
  std::vector<double> sorted{0.0};
  for (const Moment& at : moments) sorted.push_back(at.time);
  std::sort(sorted.begin(), sorted.end());
  const double last = sorted.back();
  double least = last;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] - sorted[i - 1] > 1e-9 * last) least = std::min(least, sorted[i] - sorted[i - 1]);
  const double count = least > 0.0 ? steps_of(sorted, least) : 0.0;
  if (!(count >= 1.0) || count > 1e6)
    throw InputError(printable(name) + ": needs rows at several times, of at most a million steps between them");
  track.interval = last / count;
  const double tolerance = 0.01 + std::min(0.001 / track.interval, 0.1);  // of digits: up to 0.5 ms, here and at last
  track.records = static_cast<std::size_t>(count) + 1;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const double at = moments[i].time / track.interval;
    if (std::fabs(at - std::round(at)) > tolerance)
      fail_at(moments[i], name,
              "no multiple of " + decide::text_of("%.6g", track.interval) +
                  " s, the shortest time between rows; resample the track");
    track.observations[i].record = static_cast<std::size_t>(std::round(at));
  }
}

// Poses are known at the ends of steps: an interval is a whole number of them, and up to no row do these add up to a
// tenth of a step more or less.
void check_steps(const Track& track, const std::vector<Moment>& moments, const std::string& name, double h) {
  const double steps = std::max(1.0, std::round(track.interval / h));
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const auto record = static_cast<double>(track.observations[i].record);
    if (std::fabs(record * (track.interval / h - steps)) <= 0.1) continue;
    fail_at(moments[i], name,
            decide::text_of("%.6g", record * track.interval / h) + " steps of " + decide::text_of("%.6g", 1e3 * h) +
                " ms after the start; for whole steps set simulation.h_ms = " +
                decide::text_of("%.10g", 1e3 * track.interval / steps) + ", or resample the track");
  }
}

}  // namespace

std::size_t Track::numbers() const {
  std::size_t out = 0;
  for (const Observation& one : observations) out += one.turn_seen ? 3 : 2;
  return out;
}

bool Track::turns_seen(std::size_t body) const {
  return std::all_of(observations.begin(), observations.end(),
                     [&](const Observation& one) { return one.body != body || one.turn_seen; });
}

Track read_track(const std::string& text, const std::string& name, const Problem& problem) {
  Track out;
  Reader reader{name, problem, 0, {}};
  std::vector<Moment> moments;
  std::map<std::size_t, double> last;  // of each body
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++reader.line;
    Cells row = cells_of(line);
    if (row.size() == 1 && row[0].empty()) continue;
    if (reader.columns.empty()) {
      reader.columns = std::move(row);
      for (const char* wanted : {"time", "x", "y"})
        if (reader.column(wanted) == reader.columns.size())
          reader.fail(std::string("has no column ") + wanted + "; columns are time, body, x, y, theta");
      continue;
    }
    if (row.size() != reader.columns.size())
      reader.fail("has " + std::to_string(row.size()) + " cells, and not " + std::to_string(reader.columns.size()));
    Observation one;
    const double time = reader.number(row, reader.column("time"));
    if (time < 0.0) reader.fail("the time is below 0, where the problem starts");
    one.body = reader.body(row, reader.column("body"));
    reader.check_order(last, one.body, time);
    moments.push_back({time, reader.line});
    one.x = reader.number(row, reader.column("x"));
    one.y = reader.number(row, reader.column("y"));
    const std::size_t theta = reader.column("theta");
    one.turn_seen = theta < row.size() && !row[theta].empty();
    if (one.turn_seen) one.turn = reader.number(row, theta);
    if (std::find(out.bodies.begin(), out.bodies.end(), one.body) == out.bodies.end()) out.bodies.push_back(one.body);
    out.observations.push_back(one);
  }
  if (out.observations.empty()) throw InputError(printable(name) + ": has no row; columns are time, body, x, y, theta");
  number_records(out, moments, name);
  check_steps(out, moments, name, problem.options.h);
  std::sort(out.bodies.begin(), out.bodies.end());
  std::stable_sort(out.observations.begin(), out.observations.end(),
                   [](const Observation& a, const Observation& b) { return a.record < b.record; });
  return out;
}

}  // namespace pegrasp::identify
