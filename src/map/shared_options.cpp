// SPDX-License-Identifier: Apache-2.0
#include "src/map/shared_options.hpp"

#include <limits>

#include "pegrasp/names.hpp"
#include "src/map/map_options.hpp"

namespace pegrasp {

SharedOptions::SharedOptions(const Problem& problem, const SuccessMap& map)
    : contact(name_of(problem.options.contact)),
      solver(name_of(map.solver)),
      strategy(name_of(map.strategy)),
      h(problem.options.h),
      tolerance(map.tolerance),
      penetration_tolerance(map.penetration_tolerance) {
  const auto share = [](std::string& all, const std::string& one) {
    if (all != one) all = "varies";
  };
  const auto share_number = [](double& all, double one) {
    if (all != one) all = std::numeric_limits<double>::quiet_NaN();
  };
  for (std::size_t g = 0; problem.group_count() > 1 && g < problem.group_count(); ++g) {
    const Problem& own = problem.of_group(g);
    const StepOptions step = derive_options(own.options, typical_scene(own), own.arithmetic);
    share(contact, name_of(own.options.contact));
    share(solver, name_of(step.solver));
    share(strategy, name_of(step.strategy));
    share_number(h, own.options.h);
    share_number(tolerance, step.tolerance);
    share_number(penetration_tolerance, step.penetration_tolerance);
  }
}

}  // namespace pegrasp
