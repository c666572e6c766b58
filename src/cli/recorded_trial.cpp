// SPDX-License-Identifier: Apache-2.0
#include "src/cli/recorded_trial.hpp"

#include "pegrasp/map.hpp"
#include "pegrasp/version.hpp"
#include "src/report/encode.hpp"
#include "src/text/revision.hpp"

namespace pegrasp::cli {

report::Recording record(const SceneJob& job, int force_frames, StepProgress* progress) {
  Simulation simulation(job.model, job.options, job.parameters, job.arithmetic);
  report::Recorder recorder(job.scene, simulation, job.options.h, force_frames);
  simulation.heed(&stop_requested());
  while (simulation.step()) {
    if (stop_requested().load()) break;
    recorder.see(simulation);
    if (progress != nullptr) progress->see(simulation);
  }
  if (progress != nullptr) progress->finish();
  if (stop_requested().load()) {
    throw Interrupted("stopped at t = " + shortest(simulation.time()) + " s; nothing written");
  }
  return recorder.finish(simulation);
}

report::Recording record_start(const SceneJob& job) {
  Simulation simulation(job.model, job.options, job.parameters, job.arithmetic);
  return report::Recorder(job.scene, simulation, job.options.h, 0).finish(simulation);
}

report::Json page_data(const std::string& kind, const std::string& title) {
  return {{"kind", kind},
          {"title", title.empty() ? "Scene" : title},
          {"version", version::number},
          {"git", version::git},
          {"made_by", version_text()},
          {"scenes", report::Json::array()},
          {"trials", report::Json::array()},
          {"glyphs", report::Json::array()}};
}

void add_trial(report::Json& data, std::size_t scene, const report::Recording& recording, const std::string& label,
               const std::string& command) {
  report::Json trial{{"scene", scene}, {"label", label}, {"command", command}};
  trial.update(report::encoded(recording));
  data["trials"].push_back(std::move(trial));
}

report::Json replay_data(const SceneJob& job, const report::Recording& recording, const std::string& label,
                         const std::string& command) {
  report::Json data = page_data("replay", job.scene.name);
  data["scenes"].push_back(report::drawing_of(job.scene));
  add_trial(data, 0, recording, label, command);
  if (job.scene.success.empty()) data["trials"][0]["success"] = nullptr;
  return data;
}

}  // namespace pegrasp::cli
