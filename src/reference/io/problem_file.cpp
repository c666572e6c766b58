// SPDX-License-Identifier: Apache-2.0
#include "src/reference/io/problem_file.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "pegrasp/map.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/version.hpp"
#include "src/formats/hdf5_file.hpp"
#include "src/formats/hdf5_trial.hpp"
#include "src/reference/io/fclib_layout.hpp"
#include "src/reference/io/hdf5_vectors.hpp"
#include "src/reference/io/sparse_layout.hpp"

namespace pegrasp::reference {
namespace {

using mcp::Vector;

constexpr const char* format_name = "pegrasp-problems-1";

constexpr int kind_count = static_cast<int>(VariableKind::inequality) + 1;

Vector sized(const Hdf5Input& input, const std::string& name, Vector all, Eigen::Index size) {
  if (all.size() != size) {
    input.fail(name, "has " + std::to_string(all.size()) + " elements, not " + std::to_string(size));
  }
  return all;
}

std::vector<FormulatedStep::QuadraticTerm> read_quadratic(const Hdf5Input& input, const std::string& group,
                                                          Eigen::Index n) {
  std::vector<FormulatedStep::QuadraticTerm> terms;
  if (!input.has(group)) return terms;
  const std::vector<std::int32_t> row = input.integers(group + "/row");
  const std::vector<std::int32_t> i = input.integers(group + "/i");
  const std::vector<std::int32_t> j = input.integers(group + "/j");
  const Vector value = input.reals(group + "/value");
  const auto count = static_cast<std::size_t>(value.size());
  if (row.size() != count || i.size() != count || j.size() != count) {
    input.fail(group, "row, i, j and value differ in length");
  }
  terms.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (const std::int32_t index : {row[k], i[k], j[k]}) {
      if (index < 0 || index >= n) {
        input.fail(group, "term " + std::to_string(k) + " names variable " + std::to_string(index) + ", outside 0 .. " +
                              std::to_string(n - 1));
      }
    }
    terms.push_back({row[k], i[k], j[k], value[static_cast<Eigen::Index>(k)]});
  }
  return terms;
}

// The linear problem that a quadratic one starts from, when the file has it.
std::shared_ptr<const StoredLinearisation> read_linearisation(const Hdf5Input& input, const std::string& group,
                                                              Eigen::Index n);

StoredMcp read_mcp(const Hdf5Input& input, const std::string& group) {
  StoredMcp stored;
  stored.q = input.reals(group + "/q");
  const Eigen::Index n = stored.q.size();
  stored.lower = sized(input, group + "/lower", input.reals_or_infinite(group + "/lower"), n);
  stored.upper = sized(input, group + "/upper", input.reals_or_infinite(group + "/upper"), n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!(stored.lower[i] <= stored.upper[i]) || stored.lower[i] == mcp::infinity ||
        stored.upper[i] == -mcp::infinity) {
      input.fail(group, "bounds of variable " + std::to_string(i) + " leave no value");
    }
  }
  stored.start = input.has(group + "/start") ? sized(input, group + "/start", input.reals(group + "/start"), n)
                                             : Vector(Vector::Zero(n));
  stored.m = read_matrix(input, group + "/M", n, n);
  stored.m.makeCompressed();
  stored.quadratic = read_quadratic(input, group + "/quadratic", n);
  stored.linearised = read_linearisation(input, group + "/linearised", n);
  if (!input.has(group + "/kinds")) return stored;
  const std::vector<std::int32_t> kinds = input.integers(group + "/kinds");
  if (static_cast<Eigen::Index>(kinds.size()) != n) input.fail(group + "/kinds", "is not as long as q");
  for (const std::int32_t kind : kinds) {
    if (kind < 0 || kind >= kind_count) {
      input.fail(group + "/kinds", std::to_string(kind) + " is no kind of variable");
    }
    stored.kinds.push_back(static_cast<VariableKind>(kind));
  }
  return stored;
}

std::shared_ptr<const StoredLinearisation> read_linearisation(const Hdf5Input& input, const std::string& group,
                                                              Eigen::Index n) {
  if (!input.has(group)) return nullptr;
  for (const char* part : {"/quadratic", "/linearised"}) {
    if (input.has(group + part)) input.fail(group + part, "does not belong in a linear problem");
  }
  StoredMcp problem = read_mcp(input, group);
  mcp::SparseMatrix back = read_matrix(input, group + "/back", n, problem.q.size());
  back.makeCompressed();
  return std::make_shared<const StoredLinearisation>(StoredLinearisation{std::move(problem), std::move(back)});
}

void write_mcp(Hdf5File& file, const std::string& group, const StoredMcp& stored) {
  file.group(group);
  write_matrix(file, group + "/M", stored.m);
  write_vector(file, group + "/q", stored.q);
  write_vector(file, group + "/lower", stored.lower);
  write_vector(file, group + "/upper", stored.upper);
  write_vector(file, group + "/start", stored.start);
  if (!stored.kinds.empty()) {
    std::vector<std::int32_t> kinds;
    for (const VariableKind kind : stored.kinds) kinds.push_back(static_cast<std::int32_t>(kind));
    file.write(group + "/kinds", {kinds.size()}, kinds.data());
  }
  if (stored.linearised != nullptr) {
    write_mcp(file, group + "/linearised", stored.linearised->problem);
    write_matrix(file, group + "/linearised/back", stored.linearised->back);
  }
  if (stored.quadratic.empty()) return;
  std::vector<std::int32_t> row, i, j;
  std::vector<double> value;
  for (const FormulatedStep::QuadraticTerm& term : stored.quadratic) {
    row.push_back(term.row);
    i.push_back(term.i);
    j.push_back(term.j);
    value.push_back(term.value);
  }
  file.group(group + "/quadratic");
  file.write(group + "/quadratic/row", {row.size()}, row.data());
  file.write(group + "/quadratic/i", {i.size()}, i.data());
  file.write(group + "/quadratic/j", {j.size()}, j.data());
  file.write(group + "/quadratic/value", {value.size()}, value.data());
}

bool holds_problem(const Hdf5Input& input, const std::string& at) {
  return holds_fclib(input, at) || input.is_group(at + "/mcp");
}

StoredProblem read_problem(const Hdf5Input& input, const std::string& at, const std::string& default_name) {
  StoredProblem problem;
  if (input.is_group(at + "/mcp")) {
    problem.content = read_mcp(input, at + "/mcp");
  } else {
    problem = read_fclib(input, at);
  }
  const std::string about = at + "/about/";
  const auto text = [&](const char* key) { return input.text(about + key); };
  if (const auto name = text("name")) problem.name = *name;
  if (problem.name.empty()) problem.name = default_name;
  problem.family = text("family").value_or("");
  problem.scene = text("scene").value_or("");
  problem.formulation = text("formulation").value_or("");
  if (input.has(about + "step")) problem.step = input.integer(about + "step");
  if (input.has(about + "h_s")) problem.h = input.real(about + "h_s");
  return problem;
}

void write_problem(Hdf5File& file, const std::string& at, const StoredProblem& problem) {
  if (const auto* friction = std::get_if<FrictionProblem>(&problem.content)) {
    std::string description = problem.scene;
    if (problem.step >= 0) description += ", step " + std::to_string(problem.step);
    write_fclib(file, at, *friction, problem.name, description);
  } else {
    write_mcp(file, at + "/mcp", std::get<StoredMcp>(problem.content));
  }
  const std::string about = at + "/about";
  file.group(about);
  const auto note = [&](const char* key, const std::string& text) {
    if (!text.empty()) file.text(about + "/" + key, text);
  };
  note("name", problem.name);
  note("family", problem.family);
  note("scene", problem.scene);
  note("formulation", problem.formulation);
  if (problem.step >= 0) write_integer(file, about + "/step", problem.step);
  if (problem.h != 0.0) file.write(about + "/h_s", {1}, &problem.h);
}

// Zeros in front, so that groups in the order of their names are in the order of the problems.
std::string group_name(std::size_t index, std::size_t count) {
  const std::string number = std::to_string(index);
  const std::size_t digits = std::max<std::size_t>(6, std::to_string(count - 1).size());
  return "/problem_" + std::string(digits - number.size(), '0') + number;
}

std::vector<StoredProblem> problems_in(const std::filesystem::path& file) {
  const Hdf5Input input(file);
  std::vector<StoredProblem> problems;
  if (holds_problem(input, "")) problems.push_back(read_problem(input, "", file.stem().string()));
  for (const std::string& name : input.names_in_root()) {
    const std::string at = "/" + name;
    if (input.is_group(at) && holds_problem(input, at)) problems.push_back(read_problem(input, at, name));
  }
  if (problems.empty()) {
    throw InputError(
        file.string() +
        ": holds no problem: neither fclib_local, fclib_global nor mcp, at its root or one group below it");
  }
  return problems;
}

}  // namespace

std::vector<StoredProblem> load_problems(const std::filesystem::path& file) {
  try_reading(file, [&file] { problems_in(file); });
  return problems_in(file);
}

std::string problem_file_bytes(const std::vector<StoredProblem>& problems, const std::atomic<bool>* stop) {
  const auto stop_if_asked = [stop] {
    if (stop != nullptr && stop->load()) throw Interrupted("stopped while the file was composed; nothing written");
  };
  Hdf5File file;
  file.attribute("/", "format", std::string(format_name));
  file.attribute("/", "version", std::string(version::number));
  file.attribute("/", "git", std::string(version::git));
  if (problems.size() == 1) {
    stop_if_asked();
    write_problem(file, "", problems.front());
    return file.bytes();
  }
  for (std::size_t k = 0; k < problems.size(); ++k) {
    stop_if_asked();
    const std::string at = group_name(k, problems.size());
    file.group(at);
    write_problem(file, at, problems[k]);
  }
  std::string bytes = file.bytes();
  stop_if_asked();  // before anything lies on the disk
  return bytes;
}

}  // namespace pegrasp::reference
