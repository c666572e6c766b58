// SPDX-License-Identifier: Apache-2.0
#include "src/optimise/objective.hpp"

#include <cmath>
#include <limits>

#include "src/optimise/field.hpp"
#include "src/problem/readers.hpp"

namespace pegrasp::optimise {
namespace {

const KeyList objective_keys{"kind",           "of",       "body",          "field_per_s",
                             "record_every_s", "period_s", "radius_weight", "separation_weight",
                             "starts_mm"};

// The share of failures, or its upper bound.
class SuccessObjective : public Objective {
 public:
  explicit SuccessObjective(bool lower) : lower_(lower) {}
  std::string kind() const override { return "success"; }
  std::vector<std::string> columns() const override {
    return {"objective", "p", "ci_low", "ci_high", "trials", "unresolved"};
  }
  std::vector<double> at(const RowEvaluator& rows, const Row& point, Backend& backend, const RowOptions& options,
                         std::string& why) const override {
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    const RowResult result = rows.evaluate({&point, 1}, backend, options)[0];
    if (!result.refused.empty()) {
      why = result.refused;
      return {std::numeric_limits<double>::infinity(), nothing, nothing, nothing, nothing, nothing};
    }
    const double p = std::isnan(result.p) ? 0.0 : result.p;
    return {1.0 - (lower_ ? result.interval.low : p),
            result.p,
            result.interval.low,
            result.interval.high,
            static_cast<double>(result.trials()),
            static_cast<double>(result.unresolved)};
  }

 private:
  bool lower_;
};

// Of the first body that oscillates [s]; 0: there is none.
double period_of(const Node& document) {
  const Node* const bodies = document.find("body");
  if (bodies == nullptr) return 0.0;
  for (const Node& body : bodies->items) {
    const Node* const oscillation = body.find("oscillation");
    const Node* const frequency = oscillation == nullptr ? nullptr : oscillation->find("frequency_hz");
    if (frequency != nullptr && frequency->is_number() && frequency->number() > 0.0) return 1.0 / frequency->number();
  }
  return 0.0;
}

FieldSettings read_field(Section& section, const Node& document, const Problem& problem, int& body) {
  FieldSettings out;
  const SceneSpec& scene = problem.scene;
  out.body = section.text("body", {});
  body = find_body(section.context(), section.raw("body"), section.at("body"), scene, out.body);
  if (scene.bodies[static_cast<std::size_t>(body)].kind != BodyKind::dynamic)
    section.fail("body", "is not dynamic; name the body that is to follow the field");
  const std::vector<std::vector<double>> field = section.rows("field_per_s", quantity::number, 2, 2, 2);
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 2; ++c) out.field[r][c] = field[r][c];
  const double duration = problem.options.duration;
  out.record_every = section.number("record_every_s", quantity::number, 0.25, positive);
  if (out.record_every > duration)
    section.fail("record_every_s",
                 "is longer than simulation.duration_s, so that nothing is recorded; make it smaller");
  const double period = period_of(document);
  if (period == 0.0 && !section.has("period_s"))
    section.fail("period_s", "is missing, and no body oscillates; give the time over which velocities are means");
  out.period = section.number("period_s", quantity::number, period, Range{0.0, out.record_every, true});
  if (out.period > out.record_every) section.fail("record_every_s", "must not be less than the period of the plate");
  out.radius_weight = section.number("radius_weight", quantity::number, 1.0, not_negative);
  out.separation_weight = section.number("separation_weight", quantity::number, 0.0, not_negative);
  for (const std::vector<double>& start : section.rows("starts_mm", quantity::number, 2, 1, 10'000))
    out.starts.push_back({1e-3 * start[0], 1e-3 * start[1]});
  return out;
}

}  // namespace

std::unique_ptr<Objective> read_objective(const RowEvaluator& rows) {
  const Node document = parse_toml(rows.document(), rows.origin());
  ReadContext context{rows.origin(), nullptr, {}};
  const Node* const node = document.find("objective");
  if (node == nullptr) {
    throw InputError(rows.origin() + ": objective: is missing; add [objective] with kind = \"success\" or \"field\"");
  }
  Section section(context, node, "objective", objective_keys);
  const int kind = section.choice("kind", {"success", "field"}, {});
  if (kind == 0) {
    const bool lower = section.choice("of", {"p", "lower"}, 1) == 1;
    section.finish(true);
    if (rows.problem().scene.success.empty())
      section.fail("kind", "\"success\" needs [success], which says when a trial succeeds");
    return std::make_unique<SuccessObjective>(lower);
  }
  int body = 0;
  FieldSettings settings = read_field(section, document, rows.problem(), body);
  section.finish(true);
  return std::make_unique<FieldObjective>(std::move(settings), body);
}

}  // namespace pegrasp::optimise
