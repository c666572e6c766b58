// SPDX-License-Identifier: Apache-2.0
// The runner of the last model. A map hands over its samples chunk by chunk: what the device needs for a model
// (streams, memory there and pinned memory here, the model) is made once and not for every chunk.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "kernels/launch/cuda/cuda_runner.hpp"
#include "kernels/launch/cuda/model_image.hpp"

namespace pegrasp {

// The view's arrays outlive the runner.
using MakeRunner = std::function<std::unique_ptr<CudaRunner>(const ModelView& model)>;

class KeptRunner {
 public:
  explicit KeptRunner(MakeRunner make) : make_(std::move(make)) {}

  // use(runner) returns whether nothing is under way any more. What was stopped or has thrown is not used again.
  template <class Use>
  bool with(const ModelView& model, const Use& use) {
    auto image = std::make_unique<ModelImage>(model);
    std::unique_ptr<Kept> kept = std::move(kept_);
    if (kept == nullptr || !kept->image->same_as(*image)) {
      kept.reset();  // before the new one, which may need its memory
      kept = std::make_unique<Kept>();
      kept->image = std::move(image);
      kept->runner = make_(kept->image->view());
    }
    const bool ended = use(*kept->runner);
    if (ended) kept_ = std::move(kept);
    return ended;
  }

  // Gives the device its memory back.
  void forget() { kept_.reset(); }

 private:
  struct Kept {
    std::unique_ptr<ModelImage> image;
    std::unique_ptr<CudaRunner> runner;
  };

  MakeRunner make_;
  std::unique_ptr<Kept> kept_;
};

}  // namespace pegrasp
