// SPDX-License-Identifier: Apache-2.0
// The processor and the time of a measurement, for the heads of reports.
#pragma once

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>

namespace pegrasp::bench {

inline std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

inline std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm broken{};
  gmtime_r(&now, &broken);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &broken);
  return text.data();
}

}  // namespace pegrasp::bench
