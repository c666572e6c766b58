// SPDX-License-Identifier: Apache-2.0
#include "src/backend/pieces.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "pegrasp/sampler.hpp"
#include "src/backend/canonical_nan.hpp"
#include "src/backend/piece_size.hpp"
#include "src/backend/run_to_end.hpp"

namespace pegrasp {
namespace {

// Between looks at a piece that is computed and at whether to stop: short beside a piece, long beside a look.
constexpr std::chrono::microseconds pause{100};

struct Piece {
  int lane;
  SceneSource source;
  std::span<SceneOutcome> outcomes;
  std::span<double> final_poses;
  DrawnRows drawn;
};

class PieceWork {
 public:
  PieceWork(CudaRunner& runner, const StepOptions& options, Capacity capacity, const std::atomic<bool>* stop)
      : runner_(runner), options_(options), first_(capacity), stop_(stop) {}

  bool stopped() const { return stop_ != nullptr && stop_->load(); }

  void start(const Piece& piece) {
    runner_.start(piece.lane, options_, first_, piece.source, {}, piece.outcomes, piece.final_poses);
  }

  // Waits for a piece, and runs its scenes that ran out of capacity again. False when it was asked to stop before.
  bool finish(const Piece& piece) {
    if (!take(piece)) return false;
    for (const int redrawn : piece.drawn.redrawn) piece.source.sampler->check(redrawn);
    for (Capacity capacity = first_; capacity.contacts < largest_contact_capacity;) {
      std::vector<int> full;
      int demand = 0;
      for (std::size_t i = 0; i < piece.outcomes.size(); ++i) {
        if (!(piece.outcomes[i].status & status_capacity)) continue;
        full.push_back(static_cast<int>(i));
        demand = std::max(demand, piece.outcomes[i].contacts_demand);
      }
      if (full.empty()) break;
      capacity = grown(capacity, demand);
      runner_.start(piece.lane, options_, capacity, piece.source, full, piece.outcomes, piece.final_poses);
      if (!take(piece)) return false;
    }
    make_canonical(piece.outcomes, piece.final_poses);
    return true;
  }

 private:
  bool take(const Piece& piece) {
    while (stop_ != nullptr && !runner_.ready(piece.lane)) {
      if (stopped()) return false;
      std::this_thread::sleep_for(pause);
    }
    runner_.finish(piece.lane, piece.outcomes, piece.final_poses, piece.drawn);
    return true;
  }

  CudaRunner& runner_;
  const StepOptions& options_;
  Capacity first_;
  const std::atomic<bool>* stop_;
};

}  // namespace

bool run_pieces(CudaRunner& runner, const Model& model, const StepOptions& options, const SceneSource& source,
                std::span<SceneOutcome> outcomes, std::span<double> final_poses, const DrawnRows& drawn,
                const std::atomic<bool>* stop) {
  const std::size_t stride = static_cast<std::size_t>(model.layout().size());
  const std::size_t poses = static_cast<std::size_t>(model.layout().pose_size() * model.layout().body_count);
  const Capacity capacity = first_capacity(model, options);
  const std::size_t fills = runner.begin(capacity, source.sampler);
  const std::size_t at_once = scenes_a_piece(outcomes.size(), fills, runner.most_scenes());
  const std::size_t pieces = (outcomes.size() + at_once - 1) / at_once;
  const auto part = [&](std::size_t piece) -> Piece {
    const std::size_t first = piece * at_once;
    const std::size_t count = std::min(at_once, outcomes.size() - first);
    Piece cut{static_cast<int>(piece % CudaRunner::lanes),
              source,
              outcomes.subspan(first, count),
              final_poses.subspan(first * poses, count * poses),
              {}};
    if (source.sampler == nullptr) {
      cut.source.given = source.given.subspan(first * stride, count * stride);
      return cut;
    }
    const std::size_t columns = source.sampler->values();
    cut.source.first += first;
    cut.drawn = {drawn.values.subspan(first * columns, count * columns), drawn.redrawn.subspan(first, count)};
    return cut;
  };
  PieceWork work(runner, options, capacity, stop);
  // Of no further use, whether it was asked to stop or has thrown: what is under way is not waited for.
  struct Abandon {
    ~Abandon() {
      if (!done) runner.abandon();
    }
    CudaRunner& runner;
    bool done = false;
  } unless{runner};
  std::size_t begun = 0;
  for (std::size_t ended = 0; ended < pieces; ++ended) {
    // The next piece is copied and queued while this one is computed.
    for (; begun < std::min(pieces, ended + CudaRunner::lanes) && !work.stopped(); ++begun) work.start(part(begun));
    if (begun <= ended || !work.finish(part(ended))) return false;
  }
  unless.done = true;
  return !work.stopped();
}

}  // namespace pegrasp
