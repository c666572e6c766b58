// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/evaluate_rows.hpp"

#include <stdexcept>
#include <utility>

#include "pegrasp/map.hpp"
#include "src/problem/overrides.hpp"
#include "src/problem/problem_tree.hpp"
#include "src/rows/design_tables.hpp"
#include "src/rows/trial_batch.hpp"
#include "src/text/bytes.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t largest_problem_file = 64u << 20;  // bytes

std::string text_of_file(const std::filesystem::path& file) {
  try {
    return read_file(file, largest_problem_file, Pipes::read);
  } catch (const ReadError& error) {
    throw InputError(printable(file.string()) + ": " + error.what());
  }
}

// Counts what the trials of a row were.
void count(RowResult& result) {
  int resolved = 0;
  for (const SceneOutcome& outcome : result.outcomes) {
    if (outcome.status != status_ok) {
      ++result.unresolved;
    } else {
      ++resolved;
      result.successes += outcome.success;
    }
  }
  if (resolved > 0) result.p = static_cast<double>(result.successes) / resolved;
  const auto trials = static_cast<std::int64_t>(result.outcomes.size());
  result.interval.low = wilson_interval(result.successes, trials).low;
  result.interval.high = wilson_interval(result.successes + result.unresolved, trials).high;
}

}  // namespace

bool Row::operator==(const Row& other) const {
  if (values != other.values || set.size() != other.set.size()) return false;
  for (std::size_t k = 0; k < set.size(); ++k)
    if (set[k].key != other.set[k].key || set[k].value != other.set[k].value) return false;
  return true;
}

std::uint64_t row_hash(const Row& row) {
  ValueBytes bytes;
  bytes.add(row.values);
  for (const Override& one : row.set) bytes.add(one.key, one.value);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes.text()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::span<const double> RowResult::pose(std::size_t trial, std::size_t body) const {
  return std::span(final_poses).subspan((trial * bodies + body) * pose_size, pose_size);
}

std::span<const double> RowResult::recorded_pose(std::size_t trial, std::size_t record, std::size_t body) const {
  return std::span(recorded).subspan(((trial * records + record) * bodies + body) * pose_size, pose_size);
}

struct RowEvaluator::Impl {
  Node document;
  std::string text;  // of the document
  std::string origin;
  std::filesystem::path folder;
  std::vector<DesignParameter> parameters;
  Problem problem;

  Impl(const std::string& given, std::string name, std::filesystem::path place, const std::vector<Override>& overrides,
       const std::vector<DesignParameter>& further)
      : document(parse_toml(given, name)), origin(std::move(name)), folder(std::move(place)) {
    for (const Override& change : overrides) apply_override(document, change, origin);
    text = write_toml(document);
    ReadContext context{origin, nullptr, folder};
    parameters = read_design(context, document, further);
    problem = read({start(), {}});
  }

  std::vector<double> start() const {
    std::vector<double> out;
    for (const DesignParameter& one : parameters) out.push_back(one.start);
    return out;
  }

  Problem read(const Row& row) const {
    if (row.values.size() != parameters.size()) {
      throw std::invalid_argument("a row has " + std::to_string(row.values.size()) + " values for " +
                                  std::to_string(parameters.size()) + " parameters");
    }
    Node here = with_values(document, parameters, row.values, origin);
    for (const Override& change : row.set) apply_override(here, change, origin);
    return problem_of_tree(std::move(here), origin, folder, {});
  }

  PreparedRow prepare(const Row& row, const RowOptions& options) const {
    try {
      return prepare_row(read(row), options);
    } catch (const InputError& error) {
      return refused(error.what());
    } catch (const std::invalid_argument& error) {
      return refused(origin + ": " + error.what());
    }
  }

  static PreparedRow refused(const std::string& why) {
    PreparedRow row;
    row.result.refused = why;
    return row;
  }
};

RowEvaluator::RowEvaluator(const std::filesystem::path& file, const std::vector<Override>& overrides,
                           const std::vector<DesignParameter>& further)
    : impl_(std::make_unique<Impl>(text_of_file(file), printable(file.string()), file.parent_path(), overrides,
                                   further)) {}

RowEvaluator::RowEvaluator(const std::string& text, const std::string& origin, const std::vector<Override>& overrides,
                           const std::vector<DesignParameter>& further)
    : impl_(std::make_unique<Impl>(text, origin, std::filesystem::path(origin).parent_path(), overrides, further)) {}

RowEvaluator::~RowEvaluator() = default;
RowEvaluator::RowEvaluator(RowEvaluator&&) noexcept = default;
RowEvaluator& RowEvaluator::operator=(RowEvaluator&&) noexcept = default;

const std::vector<DesignParameter>& RowEvaluator::parameters() const { return impl_->parameters; }
std::vector<double> RowEvaluator::start() const { return impl_->start(); }
const Problem& RowEvaluator::problem() const { return impl_->problem; }
const std::string& RowEvaluator::document() const { return impl_->text; }
const std::string& RowEvaluator::origin() const { return impl_->origin; }

Problem RowEvaluator::problem_at(const Row& row) const { return impl_->read(row); }
std::string RowEvaluator::toml_at(const Row& row) const { return impl_->read(row).resolved_toml; }

std::vector<RowResult> RowEvaluator::evaluate(std::span<const Row> rows, Backend& backend,
                                              const RowOptions& options) const {
  for (const Row& row : rows) {
    if (row.values.size() != impl_->parameters.size()) throw std::invalid_argument("rows of another width");
  }
  std::vector<PreparedRow> prepared(rows.size());
  for_each_on_threads(rows.size(), options.threads, [&](std::size_t i) {
    if (options.stop && options.stop->load()) return;
    prepared[i] = impl_->prepare(rows[i], options);
    if (prepared[i].result.refused.empty() && prepared[i].problem.arithmetic != backend.arithmetic())
      throw std::invalid_argument("the backend's arithmetic is not that of the rows");
  });
  if (options.stop && options.stop->load()) throw Interrupted("stopped");
  run_trials(prepared, backend, options);
  std::vector<RowResult> out;
  for (PreparedRow& row : prepared) {
    if (row.result.refused.empty()) count(row.result);
    out.push_back(std::move(row.result));
  }
  return out;
}

}  // namespace pegrasp
