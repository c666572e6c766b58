// SPDX-License-Identifier: Apache-2.0
#include "src/backend/finish_in_double.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "pegrasp/sampler.hpp"
#include "src/model/model.hpp"

namespace pegrasp {
namespace {

class FinishingInDouble final : public Backend {
 public:
  FinishingInDouble(std::unique_ptr<Backend> fast, std::function<std::unique_ptr<Backend>()> make_strict)
      : fast_(std::move(fast)), make_strict_(std::move(make_strict)) {}

  std::string name() const override { return fast_->name(); }
  std::string device() const override { return fast_->device(); }
  Arithmetic arithmetic() const override { return fast_->arithmetic(); }
  std::string shape() const override { return fast_->shape(); }

  bool run(const Model& model, const StepOptions& options, std::span<const double> parameters,
           std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) override {
    if (!fast_->run(model, options, parameters, outcomes, final_poses, stop)) return false;
    const std::size_t stride = static_cast<std::size_t>(model.layout().size());
    const auto copy = [&](std::size_t row, std::span<double> to) {
      std::copy_n(parameters.data() + row * stride, stride, to.begin());
    };
    return finish(model, options, copy, outcomes, final_poses, stop);
  }

  bool run_samples(const Model& model, const StepOptions& options, SampleJob& job,
                   const std::atomic<bool>* stop) override {
    if (!fast_->run_samples(model, options, job, stop)) return false;
    std::vector<double> values(job.sampler.values());
    const auto draw = [&](std::size_t row, std::span<double> to) { job.sampler.draw(job.first + row, to, values); };
    return finish(model, options, draw, job.outcomes, job.final_poses, stop);
  }

  bool run_each(const std::function<OwnScene(std::size_t)>& make, std::span<SceneOutcome> outcomes,
                std::span<double> final_poses, const std::atomic<bool>* stop) override {
    if (!fast_->run_each(make, outcomes, final_poses, stop)) return false;
    const std::vector<std::size_t> rows = rows_to_finish(outcomes);
    if (rows.empty()) return true;
    std::vector<SceneOutcome> found(rows.size());
    std::vector<double> places(rows.size() * (final_poses.size() / outcomes.size()));
    const auto again = [&](std::size_t i) { return make(rows[i]); };
    if (!strict().run_each(again, found, places, stop)) return false;
    put(rows, found, places, outcomes, final_poses);
    return true;
  }

 private:
  static std::vector<std::size_t> rows_to_finish(std::span<const SceneOutcome> outcomes) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < outcomes.size(); ++row) {
      if ((outcomes[row].status & status_single_precision) != 0) rows.push_back(row);
    }
    return rows;
  }

  Backend& strict() {
    if (strict_ == nullptr) strict_ = make_strict_();
    return *strict_;
  }

  static void put(const std::vector<std::size_t>& rows, const std::vector<SceneOutcome>& found,
                  const std::vector<double>& places, std::span<SceneOutcome> outcomes, std::span<double> final_poses) {
    const std::size_t poses = places.size() / rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      outcomes[rows[i]] = found[i];
      outcomes[rows[i]].in_double = 1;
      std::copy_n(places.data() + i * poses, poses, final_poses.data() + rows[i] * poses);
    }
  }

  // parameters_of(row, to): writes the parameters of a scene.
  template <class ParametersOf>
  bool finish(const Model& model, const StepOptions& options, const ParametersOf& parameters_of,
              std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) {
    const std::vector<std::size_t> rows = rows_to_finish(outcomes);
    if (rows.empty()) return true;
    const std::size_t stride = static_cast<std::size_t>(model.layout().size());
    const std::size_t poses = static_cast<std::size_t>(model.layout().pose_size() * model.layout().body_count);
    std::vector<double> parameters(rows.size() * stride), places(rows.size() * poses);
    std::vector<SceneOutcome> found(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      parameters_of(rows[i], std::span(parameters).subspan(i * stride, stride));
    if (!strict().run(model, options, parameters, found, places, stop)) return false;
    put(rows, found, places, outcomes, final_poses);
    return true;
  }

  std::unique_ptr<Backend> fast_, strict_;
  std::function<std::unique_ptr<Backend>()> make_strict_;
};

}  // namespace

std::unique_ptr<Backend> finishing_in_double(std::unique_ptr<Backend> fast,
                                             std::function<std::unique_ptr<Backend>()> make_strict) {
  return std::make_unique<FinishingInDouble>(std::move(fast), std::move(make_strict));
}

}  // namespace pegrasp
