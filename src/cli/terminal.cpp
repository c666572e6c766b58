// SPDX-License-Identifier: Apache-2.0
#include "src/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

namespace pegrasp::cli {
namespace {

constexpr int bar_width = 30;

// 256-colour codes from dark (p = 0) to bright (p = 1), close to the picture's colour map.
constexpr std::array<int, 9> palette{53, 54, 60, 66, 72, 71, 77, 149, 226};
// Without colour: the denser, the more likely.
constexpr std::array<const char*, 9> shades{"  ", "..", "::", "--", "==", "++", "**", "##", "@@"};

std::size_t shade(double p) {
  const double index = std::round(p * static_cast<double>(palette.size() - 1));
  return static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(palette.size() - 1)));
}

std::string block(std::size_t index, bool colour) {
  return colour ? "\033[48;5;" + std::to_string(palette[index]) + "m  \033[0m" : shades[index];
}

std::string clock_text(double seconds) {
  char text[32];
  const long whole = static_cast<long>(seconds + 0.5);
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  }
  return text;
}

constexpr int label_width = 9;

const MapCell& cell_at(const SuccessMap& map, int column, int row) {
  return map
      .cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(map.columns) + static_cast<std::size_t>(column)];
}

// p over the resolved samples of a block of merge x merge cells, fewer at the map's end; NaN without any.
double merged_p(const SuccessMap& map, int column, int row, int merge) {
  int successes = 0;
  int resolved = 0;
  for (int j = row; j < std::min(row + merge, map.rows); ++j) {
    for (int i = column; i < std::min(column + merge, map.columns); ++i) {
      const MapCell& cell = cell_at(map, i, j);
      successes += cell.successes;
      resolved += cell.samples - cell.unresolved;
    }
  }
  return resolved > 0 ? static_cast<double>(successes) / resolved : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

ProgressBar::ProgressBar(bool enabled, std::string what, double quiet)
    : console_(console()),
      enabled_(enabled && console_.of_process && isatty(STDERR_FILENO) != 0),
      what_(std::move(what)),
      quiet_(quiet) {}

void ProgressBar::update(std::size_t done, std::size_t total) {
  if (console_.progress) console_.progress(done, total, what_);
  const auto now = std::chrono::steady_clock::now();
  const bool again = done < done_;  // another count begins
  done_ = done;
  if (!started_ || again) {
    started_ = true;
    first_ = done;
    begin_ = now;
    last_ = now - std::chrono::seconds(1);
  }
  if (!enabled_ || total == 0) return;
  if (done < total && now - last_ < std::chrono::milliseconds(100)) return;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  if (!drawn_ && elapsed < quiet_) return;
  last_ = now;
  drawn_ = true;
  const double rate = elapsed > 0.0 ? static_cast<double>(done - first_) / elapsed : 0.0;
  const int filled = static_cast<int>(bar_width * static_cast<double>(done) / static_cast<double>(total));
  std::string bar(static_cast<std::size_t>(filled), '#');
  bar.resize(bar_width, '.');
  const std::string left =
      rate > 0.0 ? clock_text(static_cast<double>(total - done) / rate) + " left" : std::string("...");
  std::fprintf(stderr, "\r[%s] %3d %%  %zu / %zu %s  %.*f %s/s  %s   ", bar.c_str(),
               static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total)), done, total,
               what_.c_str(), rate < 10.0 ? 1 : 0, rate, what_.c_str(), left.c_str());
  std::fflush(stderr);
}

void ProgressBar::finish() {
  if (drawn_) std::fprintf(stderr, "\n");
  drawn_ = false;
}

bool stdout_is_terminal() { return console().of_process && isatty(STDOUT_FILENO) != 0; }

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  return no_colour == nullptr || *no_colour == '\0';
}

int terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string heat_block(double p, bool colour) { return std::isnan(p) ? std::string("??") : block(shade(p), colour); }

std::string heat_legend(bool colour) {
  std::string text = "  p = 0 ";
  for (std::size_t i = 0; i < palette.size(); ++i) text += block(i, colour);
  return text + " 1";
}

std::string heat_map(const SuccessMap& map, bool colour, int width) {
  const int capacity = std::max(1, (width - label_width) / 2);
  const int merge =
      (map.columns + capacity - 1) / capacity;  // cells a block along x and along y: the map keeps its shape
  std::string text;
  for (int row = (map.rows - 1) / merge * merge; row >= 0; row -= merge) {
    const int last_row = std::min(row + merge, map.rows) - 1;
    const double y = 0.5 * (cell_at(map, 0, row).y + cell_at(map, 0, last_row).y);
    char label[32];
    std::snprintf(label, sizeof label, "%8.4g ", 1e3 * y);
    text += label;
    for (int column = 0; column < map.columns; column += merge) {
      const double p = merged_p(map, column, row, merge);
      text += heat_block(p, colour);
    }
    text += '\n';
  }
  text += "  y [mm]  x " + std::to_string(std::lround(1e3 * map.cells.front().x)) + " .. " +
          std::to_string(std::lround(1e3 * map.cells.back().x)) + " mm," + heat_legend(colour) + '\n';
  const std::string side = std::to_string(merge);
  return merge == 1 ? text : text + "  " + side + " x " + side + " cells per block; map.csv has every cell\n";
}

}  // namespace pegrasp::cli
