// SPDX-License-Identifier: Apache-2.0
#include "src/map/fallback.hpp"

#include <algorithm>

#include "pegrasp/names.hpp"

namespace pegrasp {

ReferenceFallback::ReferenceFallback(const ReferenceEngine* engine, const SceneSpec& scene, const StepOptions& options,
                                     int threads)
    : options_(options), threads_(threads) {
  if (engine == nullptr) {
    throw InputError("--fallback reference: this program was built without the reference simulator; " +
                     std::string(how_to_get_the_reference));
  }
  if (options.contact == ContactModel::peg) {
    trials_ = engine->prepare(scene);
    return;
  }
  throw InputError("--fallback reference: it has pair modes alone, not contact model " + name_of(options.contact) +
                   "; leave it out, or give --contact peg");
}

bool ReferenceFallback::run(const Sampler& sampler, const NumberOf& number_of, SuccessMap& map,
                            const std::vector<std::size_t>& rows, const std::atomic<bool>* stop) const {
  if (rows.empty()) return true;
  const std::size_t stride = sampler.parameters();
  const std::size_t poses = map.poses();
  std::vector<double> parameters(rows.size() * stride);
  std::vector<double> values(sampler.values());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sampler.draw(number_of(rows[i]), {parameters.data() + i * stride, stride}, values);
  }
  std::vector<SceneOutcome> outcomes(rows.size());
  std::vector<double> final_poses(rows.size() * poses);
  if (!trials_->run(options_, parameters, outcomes, final_poses, threads_, stop)) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    map.by_reference[row] = outcomes[i].status == status_ok ? resolved_by_reference : left_by_reference;
    if (outcomes[i].status != status_ok) continue;
    map.outcomes[row] = outcomes[i];
    const double* from = final_poses.data() + i * poses;
    std::copy(from, from + poses, map.final_poses.data() + row * poses);
  }
  return true;
}

}  // namespace pegrasp
