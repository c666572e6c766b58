// SPDX-License-Identifier: Apache-2.0
// What the commands that decide with finished maps share: where they write, what they print, how they draw.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pegrasp::cli {

struct DecisionOutput {
  bool no_plot = false, quiet = false, json = false;
  std::string out;

  // name: of the JSON file and the picture, without ending.
  void add(CLI::App& app, const std::string& name, const std::string& default_folder);
};

// Text for people, JSON for programs and for the picture, and files by name.
struct Decision {
  std::string name, text, json;
  std::vector<std::pair<std::string, std::string>> files;
};

// Writes the files and NAME.json into the folder, which it makes, draws NAME.png, and prints. Throws InputError where
// that cannot be written.
void write_decision(const Decision& decision, const std::filesystem::path& folder, const DecisionOutput& output);

}  // namespace pegrasp::cli
