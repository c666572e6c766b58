// SPDX-License-Identifier: Apache-2.0
#include "src/cli/decision_output.hpp"

#include <ostream>
#include <system_error>

#include "pegrasp/error.hpp"
#include "src/cli/common.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/map/plot_script.hpp"
#include "src/text/revision.hpp"

namespace pegrasp::cli {

void DecisionOutput::add(CLI::App& app, const std::string& name, const std::string& default_folder) {
  app.add_option("--out", out, "output folder (default: " + default_folder + ")")->check(not_empty());
  app.add_flag("--no-plot", no_plot, "do not draw " + name + ".png");
  app.add_flag("--quiet", quiet, "print nothing but errors");
  app.add_flag("--json", json, "print " + name + ".json, one JSON object");
}

void write_decision(const Decision& decision, const std::filesystem::path& folder, const DecisionOutput& output) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw InputError(folder.string() + ": cannot make the output folder: " +
                     (error ? error.message() : "a file of that name is in the way") + "; choose another --out");
  }
  const std::filesystem::path source = folder / (decision.name + ".json");
  const std::filesystem::path picture = folder / (decision.name + ".png");
  std::filesystem::remove(picture, error);  // of an earlier run: it must not outlive its numbers
  for (const auto& [name, content] : decision.files) write_file_atomically(folder / name, content);
  write_file_atomically(source, decision.json);
  const std::string no_picture =
      output.no_plot ? "not asked for"
                     : draw_by_script("plot_decision.py", source, picture, "python3-matplotlib and python3-numpy");
  if (output.json) {
    console().out << decision.json;
  } else if (!output.quiet) {
    std::string names;
    for (const auto& [name, content] : decision.files) names += name + ", ";
    console().out << decision.text << "made by     " << version_text() << "\nwritten to  " << folder.string() << " ("
                  << names << decision.name << ".json" << (no_picture.empty() ? ", " + decision.name + ".png" : "")
                  << ")\n";
  }
  finish_output();
  if (!output.no_plot && !no_picture.empty())
    console().err << "pegrasp: no " << decision.name << ".png: " << no_picture << '\n';
}

}  // namespace pegrasp::cli
