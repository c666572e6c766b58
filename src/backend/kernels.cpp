// SPDX-License-Identifier: Apache-2.0
#include "src/backend/kernels.hpp"

#include <stdexcept>

#include "kernels/launch/penalty_worker.hpp"
#include "src/penalty/contacts.hpp"

namespace pegrasp {
namespace {

// Of four functions that make the same thing.
template <class Make>
Make choose(const Model& model, Arithmetic arithmetic, Make strict, Make fast, Make spatial, Make spatial_fast) {
  if (model.layout().spatial) return arithmetic == Arithmetic::strict ? spatial : spatial_fast;
  return arithmetic == Arithmetic::strict ? strict : fast;
}

}  // namespace

std::unique_ptr<SceneWorker> make_worker(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                         const Capacity& capacity) {
  if (is_penalty(options.contact)) {
    if (!model.layout().spatial || arithmetic != Arithmetic::strict)
      throw std::invalid_argument("contact model penalty is for scenes in 3D, in strict arithmetic");
    return make_spatial_penalty_worker(model.view(), options, capacity, make_penalty_contacts(model, options));
  }
  return choose(model, arithmetic, make_strict_worker, make_fast_worker, make_spatial_worker, make_spatial_fast_worker)(
      model.view(), options, capacity);
}

std::unique_ptr<SceneWorker> make_batched_worker(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                                 int threads) {
  return choose(model, arithmetic, make_strict_batched_worker, make_fast_batched_worker, make_spatial_batched_worker,
                make_spatial_fast_batched_worker)(model.view(), options, threads);
}

std::unique_ptr<BatchedScenes> make_batched(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                            int threads) {
  return choose(model, arithmetic, make_strict_batched, make_fast_batched, make_spatial_batched,
                make_spatial_fast_batched)(model.view(), options, threads);
}

std::unique_ptr<BatchedScenes> make_cuda_batched(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                                 int device) {
  const ModelView& view = model.view();
  if (view.spatial != 0 && view.smooth_solids != 0) return make_cuda_spatial_smooth_batched(view, options, device);
  if (view.spatial == 0 && view.curve_count > 0) return make_cuda_smooth_batched(view, options, device);
  return choose(model, arithmetic, make_cuda_strict_batched, make_cuda_fast_batched, make_cuda_spatial_batched,
                make_cuda_spatial_fast_batched)(view, options, device);
}

}  // namespace pegrasp
