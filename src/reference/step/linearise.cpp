// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "src/reference/step/layout.hpp"

namespace pegrasp::reference {
namespace {

// Unknowns of the same meaning stand in the same order in both forms; only the impulses of friction differ in number:
// along each of the pyramid's directions, or along each tangent.
mcp::SparseMatrix way_back(const Layout& pyramid, const Layout& cone) {
  std::vector<Eigen::Triplet<double>> entries;
  int from = 0, to = 0;
  const auto copy_until = [&](int end) {
    while (from < end) entries.emplace_back(to++, from++, 1.0);
  };
  for (std::size_t b = 0; b < cone.friction.size(); ++b) {
    const FrictionBlock& linear = pyramid.friction[b];
    const FrictionBlock& block = cone.friction[b];
    if (!block.quadratic) continue;  // the same rows in both forms
    copy_until(linear.first);
    for (Eigen::Index k = 0; k < linear.directions.cols(); ++k) {
      for (Eigen::Index t = 0; t < linear.directions.rows(); ++t) {
        if (linear.directions(t, k) == 0.0) continue;
        entries.emplace_back(block.first + static_cast<int>(t), linear.first + static_cast<int>(k),
                             linear.directions(t, k));
      }
    }
    from = linear.slip;
    to = block.slip;
  }
  copy_until(pyramid.count);
  mcp::SparseMatrix back(cone.count, pyramid.count);
  back.setFromTriplets(entries.begin(), entries.end());
  return back;
}

}  // namespace

LinearisedStep linearise(const StepProblem& step, const Formulation& formulation, const FormulatedStep& formulated) {
  if (formulation.form != Form::quadratic) {
    throw std::invalid_argument("only a step in Form::quadratic has a linearisation");
  }
  Formulation linear = formulation;
  linear.form = Form::mixed;
  LinearisedStep linearised{formulate(step, linear), {}};
  linearised.back = way_back(*linearised.step.layout, *formulated.layout);
  return linearised;
}

}  // namespace pegrasp::reference
