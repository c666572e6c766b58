// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>

#include "pegrasp/version.hpp"
#include "src/cli/common.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/formats/convexify.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

struct ConvexifyArguments {
  std::string mesh, out;
  ConvexifyOptions options;
  double scale = 1.0;
  bool json = false;
};

// mug.stl -> mug_parts.obj, in the current folder.
std::filesystem::path default_name(const std::filesystem::path& mesh) { return mesh.stem().string() + "_parts.obj"; }

void divide_mesh(const ConvexifyArguments& arguments) {
  const std::filesystem::path out =
      arguments.out.empty() ? default_name(arguments.mesh) : std::filesystem::path(arguments.out);
  std::error_code ignored;
  if (std::filesystem::equivalent(out, arguments.mesh, ignored)) {
    throw InputError("--out: is the mesh itself; choose another name");
  }
  AtomicFile file(out);  // a place that cannot be written is reported before the work starts
  const Convexified result = convexify(arguments.mesh, arguments.options);
  file.commit(result.obj);
  if (!arguments.json) {
    console().out << printable(arguments.mesh) << ": " << convexify_text(result, arguments.scale) << '\n'
                  << "written to " << printable(out.string()) << '\n';
    return;
  }
  const double s = arguments.scale;
  const nlohmann::ordered_json report = {{"mesh", arguments.mesh},
                                         {"out", out.string()},
                                         {"parts", result.parts},
                                         {"volume_before_m3", s * s * s * result.volume_before},
                                         {"volume_after_m3", s * s * s * result.volume_after},
                                         {"mesh_to_parts_m", s * result.mesh_to_parts},
                                         {"parts_to_mesh_m", s * result.parts_to_mesh},
                                         {"cached", result.cached},
                                         {"version", version::number},
                                         {"git", version::git}};
  console().out << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

}  // namespace

void add_convexify_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ConvexifyArguments>();
  auto* command = app.add_subcommand(
      "convexify", "divide a mesh into convex parts by CoACD (pip install coacd); write them as OBJ, and what changed");
  command->add_option("mesh", arguments->mesh, "mesh (.obj, .stl, .poly)")->required();
  command->add_option("--out", arguments->out, "file for the parts; MESH_parts.obj in the current folder by default")
      ->check(not_empty());
  command
      ->add_option("--threshold", arguments->options.threshold,
                   "concavity at which the division ends, 0.01 to 1 (0.05): smaller values make more parts")
      ->check(CLI::Range(least_threshold, 1.0));
  command->add_option("--max-parts", arguments->options.most_parts, "number of parts at most")
      ->check(whole_number(1, 10'000));
  command->add_option("--scale", arguments->scale, "metres for each unit of the mesh, for the report (1)")
      ->check(positive());
  command->add_flag("--json", arguments->json, "report as JSON");
  command->callback([arguments, &exit_code] {
    divide_mesh(*arguments);
    finish_output();
    exit_code = exit_done;
  });
}

}  // namespace pegrasp::cli
