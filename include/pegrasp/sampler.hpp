// SPDX-License-Identifier: Apache-2.0
// How the samples of a problem are drawn, made ready once: who draws them, here or on a device, needs nothing else of
// the problem.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "pegrasp/problem.hpp"

namespace pegrasp {

class Sampler {
 public:
  // Keeps nothing of the problem.
  explicit Sampler(const Problem& problem);
  // The same over other base parameters than base_parameters() of the problem.
  Sampler(const Problem& problem, std::span<const double> base_parameters);
  // The same of some cells of a problem whose cells are grasps: they count from 0, and draw as they do in the problem.
  Sampler(const Problem& problem, GraspRange grasps);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  std::size_t parameters() const;  // of a sample: as base_parameters() has
  std::size_t values() const;      // sampled columns
  int samples_per_cell() const;

  // Sample number cell * samples_per_cell() + sample, as draw_sample(). Depends on (seed, cell, sample) alone.
  // Allocates nothing. Throws std::runtime_error when no draw of a tripod's loads holds the centre of mass.
  int draw(std::size_t number, std::span<double> parameters, std::span<double> values) const;
  int draw(int cell, int sample, std::span<double> parameters, std::span<double> values) const;
  // Throws that error where the kernels' draw_sample() returned such a number.
  void check(int redrawn) const;

 private:
  friend struct SamplePlan;  // gives the kernels the plain arrays to draw from
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pegrasp
