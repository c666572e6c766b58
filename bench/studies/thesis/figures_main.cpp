// SPDX-License-Identifier: Apache-2.0
// pegrasp_thesis_figures repeats figures and claims of the theses with the reference simulator, as tables and as JSON.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/origin.hpp"
#include "bench/studies/thesis/figures.hpp"

namespace {

using namespace pegrasp;

void print(const bench::Study& study, const bench::StudyTable& table) {
  const auto row = [](const std::vector<std::string>& cells) {
    std::cout << '|';
    for (const std::string& cell : cells) std::cout << ' ' << cell.substr(cell.rfind('>') == 0 ? 1 : 0) << " |";
    std::cout << '\n';
  };
  std::cout << study.name << ": " << study.about << "\n\n";
  row(table.head);
  row(std::vector<std::string>(table.head.size(), "---"));
  for (const auto& cells : table.rows) row(cells);
  std::cout << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> asked;
  std::string file, examples = "examples";
  bool list = false;
  CLI::App app{"Repeats figures and claims of the theses on complementarity problems. Times are processor time."};
  app.add_option("--study", asked, "studies to run (all)");
  app.add_option("--json", file, "write the tables to this file too");
  app.add_option("--examples", examples, "folder of the example problems");
  app.add_flag("--list", list, "name the studies and stop");
  CLI11_PARSE(app, argc, argv);
  try {
    const std::vector<bench::Study> studies = bench::studies(examples);
    for (const std::string& name : asked) {
      if (std::any_of(studies.begin(), studies.end(), [&](const auto& study) { return study.name == name; })) continue;
      std::cerr << "pegrasp_thesis_figures: no study '" << name << "'; --list names them\n";
      return 2;
    }
    nlohmann::ordered_json json = bench::origin();
    for (const bench::Study& study : studies) {
      if (list) std::printf("%-16s %s\n", study.name.c_str(), study.about.c_str());
      if (list || (!asked.empty() && std::find(asked.begin(), asked.end(), study.name) == asked.end())) continue;
      const bench::StudyTable table = study.run();
      print(study, table);
      json["studies"][study.name] = {{"head", table.head}, {"rows", table.rows}};
    }
    if (!file.empty() && !list) {
      std::ofstream out(file);
      out << json.dump(1) << '\n';
      if (!out) throw std::runtime_error("cannot write " + file);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_thesis_figures: " << error.what() << '\n';
    return 2;
  }
}
