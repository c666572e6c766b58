// SPDX-License-Identifier: Apache-2.0
#include "src/map/plot_script.hpp"

#include "src/formats/atomic_file.hpp"
#include "src/machine/script.hpp"
#include "src/text/printable.hpp"

namespace pegrasp {

std::string draw_by_script(const std::string& script, const std::filesystem::path& source,
                           const std::filesystem::path& target, const std::string& packages) {
  const std::filesystem::path program = find_script(script);
  if (program.empty()) return script + " was not found";
  // Debian's own interpreter has Debian's matplotlib; another python3 on the PATH may not. The first that could be run
  // says why.
  std::string reason;
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    std::string said;
    const int code =
        run_program({python, program.string(), source.string(), target.string()}, said, OnInterrupt::finishes);
    if (code == 0) return {};
    if (code == could_not_run || !reason.empty()) continue;
    reason = last_line(said);
    if (code == could_not_write) {
      throw WriteError(printable(target.string()) + ": cannot be written: " + reason +
                           "; free some space there, change its permissions or choose another place",
                       reason.find("No space left") != std::string::npos);
    }
    if (reason.empty()) reason = program.string() + " ended with code " + std::to_string(code);
  }
  return reason.empty() ? "python3 was not found; install " + packages : reason;
}

}  // namespace pegrasp
