// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pegrasp/simulation.hpp"
#include "pegrasp/version.hpp"
#include "src/cli/common.hpp"
#include "src/text/revision.hpp"

namespace pegrasp::cli {

void add_info_command(CLI::App& app, int& exit_code) {
  auto* info = app.add_subcommand("info", "print version, revision, compiler, build flags and the backends found");
  auto json = std::make_shared<bool>(false);
  info->add_flag("--json", *json, "print one JSON object");
  info->callback([json, &exit_code] {
    const BackendInfo cpu = backend_info(BackendKind::cpu);
    const BackendInfo cuda = backend_info(BackendKind::cuda);
    exit_code = exit_done;
    if (*json) {
      nlohmann::ordered_json out;
      out["version"] = version::number;
      out["git"] = version::git;
      out["compiler"] = version::compiler;
      out["build_type"] = version::build_type;
      out["flags"] = version::flags;
      out["cuda_toolkit"] = version::cuda_toolkit;
      for (const auto& [name, backend] : {std::pair{"cpu", cpu}, std::pair{"cuda", cuda}}) {
        out["backends"][name] = {
            {"built", backend.built}, {"available", backend.available}, {"detail", backend.detail}};
      }
      out["backends"]["cuda"]["devices"] = cuda.devices;
      console().out << out.dump(2) << '\n';
      finish_output();
      return;
    }
    const std::string toolkit = version::cuda_toolkit;
    console().out << version_text() << '\n'
                  << "built with   " << version::compiler << ", " << version::build_type << '\n'
                  << "flags        " << version::flags << '\n'
                  << "cuda toolkit " << (toolkit.empty() ? "none" : toolkit) << '\n'
                  << "backend cpu  available: " << cpu.detail << '\n'
                  << "backend cuda " << (cuda.available ? "available: " : "not available: ") << cuda.detail << '\n';
    finish_output();
  });
}

}  // namespace pegrasp::cli
