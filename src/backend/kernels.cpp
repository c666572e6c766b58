// SPDX-License-Identifier: Apache-2.0
#include "src/backend/kernels.hpp"

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
  return choose(model, arithmetic, make_strict_worker, make_fast_worker, make_spatial_worker, make_spatial_fast_worker)(
      model.view(), options, capacity);
}

std::unique_ptr<SceneWorker> make_sparse_worker(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                                int threads) {
  return choose(model, arithmetic, make_strict_sparse_worker, make_fast_sparse_worker, make_spatial_sparse_worker,
                make_spatial_fast_sparse_worker)(model.view(), options, threads);
}

std::unique_ptr<SparseScenes> make_sparse(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                          int threads) {
  return choose(model, arithmetic, make_strict_sparse, make_fast_sparse, make_spatial_sparse, make_spatial_fast_sparse)(
      model.view(), options, threads);
}

std::unique_ptr<SparseScenes> make_cuda_sparse(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                               int device) {
  return choose(model, arithmetic, make_cuda_strict_sparse, make_cuda_fast_sparse, make_cuda_spatial_sparse,
                make_cuda_spatial_fast_sparse)(model.view(), options, device);
}

}  // namespace pegrasp
