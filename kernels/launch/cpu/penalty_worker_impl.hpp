// SPDX-License-Identifier: Apache-2.0
// A loop of its own for scenes with penalty contacts: no pairs, modes and rows of contacts, and no attempt is rejected.
// Scenes begin, end, and are judged as all others are. Included by what CMake writes from penalty_worker.cpp.in only.
#pragma once

#include <utility>
#include <vector>

#include "kernels/launch/cpu/penalty_integrators.hpp"
#include "kernels/launch/cpu/penalty_reports.hpp"
#include "kernels/launch/penalty_worker.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

class PenaltyWorker final : public SceneWorker {
 public:
  PenaltyWorker(const ModelView& model, const StepOptions& options, Capacity capacity,
                std::unique_ptr<PenaltyContacts> contacts)
      : model_(model), options_(options), contacts_(std::move(contacts)) {
    SceneView measure{};
    arena_.resize(bind_scene(measure, model_, capacity, nullptr) / sizeof(Chunk) + 1);
    bind_scene(scene_, model_, capacity, reinterpret_cast<unsigned char*>(arena_.data()));
    state_.resize(static_cast<std::size_t>(model_.body_count));
  }

  void run(const double* parameters, SceneOutcome* outcome, double* final_pose,
           const std::atomic<bool>* stop) override {
    heed(stop);
    begin(parameters);
    while (!(stop != nullptr && stop->load(std::memory_order_relaxed)) && advance()) {
    }
    SerialTeam team;
    write_result(team, scene_, {outcome, final_pose});
  }
  void begin(const double* parameters) override {
    scene_.parameters = parameters;
    SerialTeam team;
    begin_scene(team, scene_);
    appear(team, scene_, 0.0);
    contacts_->begin(parameters);
    placed_ = false;
  }
  bool advance() override {
    if (scene_over(scene_, options_)) return false;
    SerialTeam team;
    const std::vector<int> before(scene_.present, scene_.present + model_.body_count);
    appear(team, scene_, step_begin(scene_, options_));
    placed_ = placed_ && std::equal(before.begin(), before.end(), scene_.present);
    begin_step(*scene_.tally);
    scene_.tally->time0 = step_begin(scene_, options_);
    const bool fine = step();
    end_step(*scene_.tally, options_, fine);
    if (fine) apply_stop_rule(team, scene_, options_);
    return fine;
  }
  void heed(const std::atomic<bool>* stop) override { stop_ = stop; }
  void push(const SetWrenches* wrenches) override { scene_.wrenches = wrenches; }
  void watch(StepContents* contents) override { contents_ = contents; }
  bool success() const override { return succeeded(scene_); }
  double success_margin() const override { return margin_of_success(scene_); }
  const SceneTally& tally() const override { return *scene_.tally; }
  const double* pose() const override { return scene_.pose; }
  const double* twist() const override { return scene_.twist; }
  const double* last_h() const override { return scene_.last_h; }
  const double* acceleration() const override { return scene_.acceleration; }
  const double* last_spin() const override { return scene_.last_spin; }
  const double* velocity() const override { return scene_.twist; }  // the springs of contacts answer to it as it is
  double work_to_now() const override { return 0.0; }
  const int* present() const override { return scene_.present; }
  double joint_slide(int joint) const override {
    return joint_coordinate(scene_, start_joint(scene_, joint), joint, free_slide, 0.0);
  }
  double joint_turn(int joint) const override { return scene_.joint_turn[joint]; }
  double joint_apart(int joint) const override { return joint_apart_by(scene_, joint); }

 private:
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };

  bool step() {
    SceneTally& t = *scene_.tally;
    if (asks_for_forces(model_)) {
      for (int body = 0; body < model_.body_count; ++body) clear_forces(scene_, body);
    }
    read_motions(scene_, state_.motions);
    if (!placed_) contacts_->place(state_.motions);
    let_meet(scene_, *contacts_, state_);
    StepWatch watch(scene_, options_);
    double work = 0.0;
    const bool finite = options_.penalty.integrator == PenaltyIntegrator::rk4
                            ? step_rk4(scene_, options_.h, *contacts_, state_, work)
                            : step_semi_implicit(scene_, options_, *contacts_, state_, stop_, work);
    if (!finite) {
      t.step_status |= status_non_finite;
      return false;
    }
    contacts_->keep(options_.h);
    add_to_sums(scene_, contacts_->contacts());
    if (contents_ != nullptr) {
      watch.see(scene_, options_.h, true, [](int) { return true; });
      *contents_ = watch.contents(scene_);
      report_contacts(contacts_->contacts(), options_.h, state_.motions, *contents_);
    }
    read_motions(scene_, state_.motions);
    t.depth = t.penetration = contacts_->place(state_.motions);
    placed_ = true;
    t.contact_count = static_cast<int>(contacts_->contacts().size());
    record_substep(t, t.residual <= options_.tolerance ? 0u : status_not_converged,
                   work + work_of_prescribed(scene_, contacts_->contacts(), state_.motions));
    t.contact_count = 0;
    return true;
  }

  ModelView model_;
  StepOptions options_;
  std::unique_ptr<PenaltyContacts> contacts_;
  std::vector<Chunk> arena_;
  SceneView scene_{};
  PenaltyState state_;
  StepContents* contents_ = nullptr;
  const std::atomic<bool>* stop_ = nullptr;
  bool placed_ = false;  // the contacts know the overlaps of where bodies are
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
