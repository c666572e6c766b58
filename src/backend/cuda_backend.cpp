// SPDX-License-Identifier: Apache-2.0
// Batches on a CUDA device, in pieces; scenes that ran out of capacity are re-run with more room.
#include "backend/cuda_backend.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/kernels.hpp"
#include "backend/run_to_end.hpp"
#include "backend/sparse_groups.hpp"
#include "launch/cuda_runner.hpp"
#include "model/model.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t bodies_at_once = std::size_t{1} << 20;  // sparse road

class CudaBackend final : public Backend {
 public:
  CudaBackend(Arithmetic arithmetic, int device, CudaShape shape)
      : arithmetic_(arithmetic), index_(device), shape_(shape), device_(cuda_device(device).detail) {}

  std::string name() const override { return "cuda"; }
  std::string device() const override { return device_; }
  std::string shape() const override { return lay_; }

  bool run(const Model& model, const StepOptions& options, std::span<const double> parameters,
           std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) override {
    if (options.road == Road::sparse) return run_sparse(model, options, parameters, outcomes, final_poses, stop);
    check_listed(model);
    const std::unique_ptr<CudaRunner> runner = make_cuda_runner(model.view(), arithmetic_, index_, shape_);
    const std::size_t stride = static_cast<std::size_t>(model.layout().size());
    const std::size_t poses = static_cast<std::size_t>(model.layout().pose_size() * model.layout().body_count);
    const std::size_t at_once = runner->most_scenes();
    const std::size_t pieces = (outcomes.size() + at_once - 1) / at_once;
    const auto part = [&](std::size_t piece) -> Piece {
      const std::size_t first = piece * at_once;
      const std::size_t count = std::min(at_once, outcomes.size() - first);
      return {static_cast<int>(piece % CudaRunner::lanes), parameters.subspan(first * stride, count * stride),
              outcomes.subspan(first, count), final_poses.subspan(first * poses, count * poses)};
    };
    const Capacity capacity = first_capacity(model, options);
    std::size_t begun = 0;
    for (std::size_t ended = 0; ended < pieces; ++ended) {
      // The next piece is copied and queued while this one is computed.
      for (; begun < std::min(pieces, ended + CudaRunner::lanes) && !(stop && stop->load()); ++begun) {
        const Piece next = part(begun);
        runner->start(next.lane, options, capacity, next.parameters, {}, next.outcomes, next.final_poses);
      }
      if (begun <= ended) return false;
      finish_piece(*runner, options, capacity, part(ended));
    }
    lay_ = runner->shape();
    return !(stop && stop->load());
  }

 private:
  bool run_sparse(const Model& model, const StepOptions& options, std::span<const double> parameters,
                  std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) {
    const auto scenes = make_cuda_sparse(model, options, arithmetic_, index_);
    lay_ = scenes->shape();
    const auto group = std::min(bodies_at_once / static_cast<std::size_t>(model.layout().body_count) + 1,
                                static_cast<std::size_t>(scenes->most_scenes()));
    return run_sparse_groups(*scenes, model, {0, outcomes.size(), group}, parameters, outcomes, final_poses, stop);
  }

  struct Piece {
    int lane;
    std::span<const double> parameters;
    std::span<SceneOutcome> outcomes;
    std::span<double> final_poses;
  };

  // Waits for a piece, and runs its scenes that ran out of capacity again.
  static void finish_piece(CudaRunner& runner, const StepOptions& options, Capacity capacity, const Piece& piece) {
    runner.finish(piece.lane, piece.outcomes, piece.final_poses);
    while (capacity.contacts < largest_contact_capacity) {
      std::vector<int> full;
      int demand = 0;
      for (std::size_t i = 0; i < piece.outcomes.size(); ++i) {
        if (!(piece.outcomes[i].status & status_capacity)) continue;
        full.push_back(static_cast<int>(i));
        demand = std::max(demand, piece.outcomes[i].contacts_demand);
      }
      if (full.empty()) return;
      capacity = grown(capacity, demand);
      runner.start(piece.lane, options, capacity, piece.parameters, full, piece.outcomes, piece.final_poses);
      runner.finish(piece.lane, piece.outcomes, piece.final_poses);
    }
  }

  Arithmetic arithmetic_;
  int index_;
  CudaShape shape_;
  std::string device_, lay_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(Arithmetic arithmetic, int device, CudaShape shape) {
  return std::make_unique<CudaBackend>(arithmetic, device, shape);
}

}  // namespace pegrasp
