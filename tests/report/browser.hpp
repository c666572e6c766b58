// SPDX-License-Identifier: Apache-2.0
// Pages in headless Chromium, driven by browser.py.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/files.hpp"
#include "tests/places.hpp"

namespace pegrasp::test {

inline constexpr int no_browser = 69;  // NO_BROWSER of browser.py

// What browser.py prints about the page after these steps; nothing where there is no Chromium, and a text as "failed"
// where it could not do them.
inline std::optional<nlohmann::json> browse(const std::filesystem::path& page, const std::vector<std::string>& steps) {
  const auto quoted = [](const std::string& word) {
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
  };
  const std::string said = page.string() + ".said";
  std::string command =
      "/usr/bin/python3 " + quoted(source_file("tests/report/browser.py")) + " " + quoted(page.string());
  for (const std::string& step : steps) command += " " + quoted(step);
  const int status = std::system((command + " > " + quoted(said) + " 2> " + quoted(said + ".err")).c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == no_browser) return std::nullopt;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return nlohmann::json{{"failed", content(said + ".err")}};
  return nlohmann::json::parse(content(said));
}

}  // namespace pegrasp::test
