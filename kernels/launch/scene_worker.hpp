// SPDX-License-Identifier: Apache-2.0
// One CPU thread's workspace: it owns an arena and steps one scene at a time. Built once per arithmetic.
#pragma once

#include <atomic>
#include <memory>

#include "kernels/model/model.hpp"
#include "kernels/scene/scene.hpp"
#include "pegrasp/options.hpp"
#include "pegrasp/step_report.hpp"

namespace pegrasp {

class SceneWorker {
 public:
  virtual ~SceneWorker() = default;
  // A whole scene, from its parameters to its outcome. Where `stop` is found set, between steps or within one, it goes
  // no further, and what is written is of no use.
  virtual void run(const double* parameters, SceneOutcome* outcome, double* final_pose,
                   const std::atomic<bool>* stop = nullptr) = 0;
  // The same in steps: begin() once, advance() until it returns false (the scene is over).
  virtual void begin(const double* parameters) = 0;
  virtual bool advance() = 0;
  // Has advance() look at `stop` (null: at nothing) while it works. What a step that was stopped leaves is of no use.
  virtual void heed(const std::atomic<bool>* stop) = 0;
  // Has advance() add these wrenches, to which it comes back whenever it is called; null: none.
  virtual void push(const SetWrenches* wrenches) = 0;
  // Has advance() write there the contacts and rows of every step; null: no longer.
  virtual void watch(StepContents* contents) = 0;
  virtual bool success() const = 0;
  virtual double success_margin() const = 0;
  virtual const SceneTally& tally() const = 0;
  virtual const double* pose() const = 0;          // (bodies, 3; in 3D 7)
  virtual const double* twist() const = 0;         // (bodies, 3; in 3D 6) in the middle of the last (sub)step
  virtual const double* last_h() const = 0;        // (bodies) length of that [s]; 0 before the first
  virtual const double* acceleration() const = 0;  // (bodies, 3; in 3D 6) mean where that began
  virtual const double* last_spin() const = 0;     // in 3D (bodies, 3) in that one itself; in 2D not to be asked for
  virtual const double* velocity() const = 0;      // (bodies, 3; in 3D 6) at the time that the scene has come to
  // What the tally's explained_work lacks of that time [J].
  virtual double work_to_now() const = 0;
  virtual const int* present() const = 0;  // (bodies)
  // What a joint has come to.
  virtual double joint_slide(int joint) const = 0;
  virtual double joint_turn(int joint) const = 0;
  virtual double joint_apart(int joint) const = 0;
};

// The model's arrays must outlive the worker.
std::unique_ptr<SceneWorker> make_strict_worker(const ModelView& model, const StepOptions& options, Capacity capacity);
std::unique_ptr<SceneWorker> make_spatial_worker(const ModelView& model, const StepOptions& options, Capacity capacity);
std::unique_ptr<SceneWorker> make_fast_worker(const ModelView& model, const StepOptions& options, Capacity capacity);
std::unique_ptr<SceneWorker> make_spatial_fast_worker(const ModelView& model, const StepOptions& options,
                                                      Capacity capacity);

// Bytes of a workspace of strict arithmetic, in 2D and in 3D, and whichever the model is.
std::size_t strict_scene_bytes(const ModelView& model, Capacity capacity);
std::size_t spatial_scene_bytes(const ModelView& model, Capacity capacity);
inline std::size_t scene_bytes(const ModelView& model, Capacity capacity) {
  return model.spatial != 0 ? spatial_scene_bytes(model, capacity) : strict_scene_bytes(model, capacity);
}

}  // namespace pegrasp
