// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/shell_rows.hpp"

#include <algorithm>

namespace pegrasp::reference::spatial {
namespace {

double contact_time(const StepView& view, const PairContact& c) {
  const auto last = [&](int body) { return view.start.last[static_cast<std::size_t>(body)]; };
  return acting_time(view.numbers.scene().body(c.body_a).dynamic(), last(c.body_a),
                     view.numbers.scene().body(c.body_b).dynamic(), last(c.body_b), view.h);
}

double deflection_along(const PairContact& c, const Vector3& direction) {
  return c.shell.deflection.empty() ? 0.0 : direction.dot(Vector3::Map(c.shell.deflection.data()));
}

}  // namespace

void put_shell_under(const StepView& view, const PairContact& c, double depth, std::span<const Vector3> directions,
                     Contact& out) {
  const bool given = forces_at_start(view.spring_force, view.h);
  const double acts = contact_time(view, c);
  const ShellLaw& law = c.shell.law;
  const SpringRow normal = spring_row(law.normal, depth, acts, view.h, out.normal.dot(push_of(out)), given);
  out.rate += normal.lack;
  out.lack = normal.lack;
  out.compliance = normal.compliance;
  if (law.tangential.rigid()) return;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const double before = -deflection_along(c, directions[k]);
    SpringRow tangent = spring_row(law.tangential, before, acts, view.h, out.tangents[k].squaredNorm(), given);
    if (!given) tangent.lack -= before / view.h;  // the slip of the step alone is in the row
    out.tangent_rate[k] += tangent.lack;
    out.tangent_lack.push_back(tangent.lack);
    out.tangent_compliance = std::max(out.tangent_compliance, tangent.compliance);
  }
}

std::vector<double> deflected(const StepView& view, const PairContact& c, const Contact& row,
                              std::span<const Vector3> directions, std::span<const double> p, const Vector& nu) {
  Vector3 sum = Vector3::Zero();
  const double acts = contact_time(view, c);
  const bool springs = !c.shell.law.tangential.rigid() && row.mu > 0.0 && acts > 0.0;
  for (std::size_t k = 0; springs && k < directions.size(); ++k) {
    const double slip = row.tangents[k].dot(nu) + row.tangent_rate[k] - row.tangent_lack[k];
    sum -= deflection_after(c.shell.law.tangential, -deflection_along(c, directions[k]), acts, view.h, p[k], -slip,
                            forces_at_start(view.spring_force, view.h)) *
           directions[k];
  }
  return {sum.x(), sum.y(), sum.z()};
}

}  // namespace pegrasp::reference::spatial
