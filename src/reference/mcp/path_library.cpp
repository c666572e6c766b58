// SPDX-License-Identifier: Apache-2.0
// Declarations after PATH's documentation (Ferris and Munson, and the comments of the headers that come with the
// library); matrices are by columns and count from one.
#include "src/reference/mcp/path_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace pegrasp::mcp {
namespace {

constexpr double path_infinity = 1e20;

extern "C" {

struct PathMcp;      // opaque
struct PathOptions;  // opaque

struct PathMcpInterface {
  void* data;
  void (*problem_size)(void* data, int* n, int* nonzeros);
  void (*bounds)(void* data, int n, double* x, double* lower, double* upper);
  // Both return the number of domain violations.
  int (*function)(void* data, int n, double* x, double* f);
  int (*jacobian)(void* data, int n, double* x, int want_function, double* f, int* nonzeros, int* column, int* length,
                  int* row, double* value);
  int (*hessian)(void* data, int n, double* x, double* multipliers, int* nonzeros, int* column, int* length, int* row,
                 double* value);
  void (*start)(void* data);
  void (*finish)(void* data, double* x);
  void (*variable_name)(void* data, int index, char* buffer, int size);
  void (*constraint_name)(void* data, int index, char* buffer, int size);
  void (*basis)(void* data, int n, int* basis);
};

struct PathOutputInterface {
  void* data;
  void (*print)(void* data, int mode, char* text);
  void (*flush)(void* data, int mode);
};

struct PathInformation {
  double residual, distance, steplength, total_time, basis_time, maximum_distance;
  int major_iterations, minor_iterations, crash_iterations, function_evaluations, jacobian_evaluations, gradient_steps,
      restarts;
  int generate_output, generated_output;
  int forward, backtrace, gradient;
  int use_start, use_basics, used_start, used_basics;
  int reserved[32];  // in case a later version has more
};

}  // extern "C"

enum Termination : int {
  path_solved = 1,
  path_no_progress,
  path_major_limit,
  path_minor_limit,
  path_time_limit,
  path_user_interrupt,
  path_bound_error,
  path_domain_error,
  path_infeasible,
  path_error,
  path_reduced,  // some versions leave it out: the next is then 11
  path_license_error,
};

constexpr int output_everything = 7;  // log, status, listing

std::mutex& path_mutex() {
  static std::mutex mutex;
  return mutex;
}

// What the callbacks need, and what happened in them. Exceptions must not pass through PATH's frames.
struct Call {
  const Problem* problem = nullptr;
  const Vector* start = nullptr;
  int nonzeros = 0;
  Vector x, f;
  SparseMatrix jacobian;
  int evaluations = 0, jacobians = 0;
  bool too_many_nonzeros = false;
  std::exception_ptr exception;

  // PATH stays within the bounds but for rounding; Problem::evaluate is promised to see no other points.
  bool evaluate(const double* at, int n, bool with_jacobian) {
    ++evaluations;
    jacobians += with_jacobian;
    x = Eigen::Map<const Vector>(at, n).cwiseMax(problem->lower).cwiseMin(problem->upper);
    f.resize(n);
    try {
      if (!problem->evaluate(x, f, with_jacobian ? &jacobian : nullptr)) return false;
    } catch (...) {
      exception = std::current_exception();
      return false;
    }
    if (with_jacobian) jacobian.makeCompressed();
    return f.allFinite();
  }
};

extern "C" {

void path_problem_size(void* data, int* n, int* nonzeros) {
  const Call& call = *static_cast<const Call*>(data);
  *n = static_cast<int>(call.start->size());
  *nonzeros = call.nonzeros;
}

void path_bounds(void* data, int n, double* x, double* lower, double* upper) {
  const Call& call = *static_cast<const Call*>(data);
  for (int i = 0; i < n; ++i) {
    lower[i] = std::max(call.problem->lower[i], -path_infinity);
    upper[i] = std::min(call.problem->upper[i], path_infinity);
    x[i] = (*call.start)[i];
  }
}

int path_function(void* data, int n, double* x, double* f) {
  Call& call = *static_cast<Call*>(data);
  if (!call.evaluate(x, n, false)) return 1;
  std::copy_n(call.f.data(), n, f);
  return 0;
}

int path_jacobian(void* data, int n, double* x, int want_function, double* f, int* nonzeros, int* column, int* length,
                  int* row, double* value) {
  Call& call = *static_cast<Call*>(data);
  const bool valid = call.evaluate(x, n, true);
  const int entries = static_cast<int>(call.jacobian.nonZeros());
  if (!valid || entries > call.nonzeros) {
    call.too_many_nonzeros |= valid;
    std::fill_n(column, n, 1);
    std::fill_n(length, n, 0);
    *nonzeros = 0;
    return 1;
  }
  if (want_function) std::copy_n(call.f.data(), n, f);
  for (int j = 0; j < n; ++j) {
    column[j] = call.jacobian.outerIndexPtr()[j] + 1;
    length[j] = call.jacobian.outerIndexPtr()[j + 1] - call.jacobian.outerIndexPtr()[j];
  }
  for (int k = 0; k < entries; ++k) {
    row[k] = call.jacobian.innerIndexPtr()[k] + 1;
    value[k] = call.jacobian.valuePtr()[k];
  }
  *nonzeros = entries;
  return 0;
}

void path_print(void* data, int mode, char* text) {
  if (data && (mode & 1) && text) static_cast<std::string*>(data)->append(text);
}

}  // extern "C"

// What PATH prints goes to `log` as long as this lives, with the mutex held; afterwards it is dropped. PATH may keep
// the pointer to the interface, so that is one and static.
class OutputScope {
 public:
  OutputScope(void (*set)(PathOutputInterface*), std::string* log) : set_(set) {
    interface_.data = log;
    set_(&interface_);
  }
  ~OutputScope() {
    interface_.data = nullptr;
    set_(&interface_);
  }
  OutputScope(const OutputScope&) = delete;
  OutputScope& operator=(const OutputScope&) = delete;

 private:
  static inline PathOutputInterface interface_ = {nullptr, path_print, nullptr};
  void (*set_)(PathOutputInterface*);
};

std::string option_number(const char* name, double value) {
  char text[96];
  std::snprintf(text, sizeof text, "%s %.17g", name, value);
  return text;
}

std::string option_count(const char* name, std::int64_t value) {
  return std::string(name) + ' ' + std::to_string(std::clamp<std::int64_t>(value, 0, INT_MAX));
}

std::pair<Status, const char*> meaning(int termination) {
  switch (termination) {
    case path_solved:
      return {Status::solved, "solved"};
    case path_no_progress:
      return {Status::no_progress, "no progress"};
    case path_major_limit:
      return {Status::iteration_limit, "major iteration limit"};
    case path_minor_limit:
      return {Status::pivot_limit, "cumulative minor iteration limit"};
    case path_time_limit:
      return {Status::time_limit, "time limit"};
    case path_user_interrupt:
      return {Status::no_progress, "interrupted"};
    case path_bound_error:
      return {Status::bad_input, "bound error"};
    case path_domain_error:
      return {Status::evaluation_failed, "domain error: no point at which F can be evaluated"};
    case path_infeasible:
      return {Status::no_progress, "infeasible, without a proof"};
    case path_reduced:
    case path_license_error:
      return {Status::bad_input, "licence error"};
    default:
      return {Status::no_progress, "error within the library"};
  }
}

}  // namespace

struct PathLibrary::Functions {
  std::string file, version;
  const char* (*path_version)() = nullptr;
  int (*check_license)(int n, int nonzeros) = nullptr;
  int (*license_set_string)(const char* license) = nullptr;  // not in every version
  void (*output_set_interface)(PathOutputInterface*) = nullptr;
  PathOptions* (*options_create)() = nullptr;
  void (*options_destroy)(PathOptions*) = nullptr;
  void (*options_default)(const PathOptions*) = nullptr;
  int (*options_set)(const PathOptions*, const char*) = nullptr;
  void (*add_options)(PathOptions*) = nullptr;
  PathMcp* (*mcp_create)(int n, int nonzeros) = nullptr;
  void (*mcp_destroy)(PathMcp*) = nullptr;
  void (*mcp_set_interface)(PathMcp*, PathMcpInterface*) = nullptr;
  double* (*mcp_get_x)(PathMcp*) = nullptr;
  void (*structure_constant)(PathMcp*, int) = nullptr;
  void (*data_contiguous)(PathMcp*, int) = nullptr;
  int (*path_solve)(PathMcp*, PathInformation*) = nullptr;

  explicit Functions(const std::string& name) : file(name) {
    // dlopen() looks for a name without a slash in the system's folders; a file that is here is what is meant.
    const std::string at = name.find('/') == std::string::npos && std::filesystem::exists(name) ? "./" + name : name;
    const std::lock_guard lock(path_mutex());
    void* handle = dlopen(at.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* reason = dlerror();
      throw std::runtime_error("PATH cannot be loaded: " + std::string(reason ? reason : name) +
                               " (docs/reference/stored-problems.md says where to get it)");
    }
    std::string missing;
    const auto load = [&](auto& function, const char* symbol, bool required = true) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
      if (!function && required && missing.empty()) missing = symbol;
    };
    load(path_version, "Path_Version");
    load(check_license, "Path_CheckLicense");
    load(license_set_string, "License_SetString", false);
    load(output_set_interface, "Output_SetInterface");
    load(options_create, "Options_Create");
    load(options_destroy, "Options_Destroy");
    load(options_default, "Options_Default");
    load(options_set, "Options_Set");
    load(add_options, "Path_AddOptions");
    load(mcp_create, "MCP_Create");
    load(mcp_destroy, "MCP_Destroy");
    load(mcp_set_interface, "MCP_SetInterface");
    load(mcp_get_x, "MCP_GetX");
    load(structure_constant, "MCP_Jacobian_Structure_Constant");
    load(data_contiguous, "MCP_Jacobian_Data_Contiguous");
    load(path_solve, "Path_Solve");
    if (!missing.empty()) {
      dlclose(handle);
      throw std::runtime_error(name + " is not the PATH library: it has no " + missing +
                               " (wanted: libpath47.so, libpath50.so or later)");
    }
    version = path_version();
  }

  struct OptionsDeleter {
    const Functions* functions;
    void operator()(PathOptions* options) const { functions->options_destroy(options); }
  };
  struct McpDeleter {
    const Functions* functions;
    void operator()(PathMcp* mcp) const { functions->mcp_destroy(mcp); }
  };

  // With the mutex held. The reason when an option is refused.
  std::optional<std::string> set_options(PathOptions* interface, const Options& options,
                                         const PathSettings& settings) const {
    std::vector<std::string> lines = {
        // PATH stops by the norm of the Fischer function, which is at least 2 - sqrt(2) of the natural residual.
        option_number("convergence_tolerance", 0.5 * options.tolerance),
        option_count("major_iteration_limit", options.max_majors),
        option_count("cumulative_iteration_limit", options.max_pivots),
        option_number("time_limit", std::min(options.time_limit_s, 1e9)),
    };
    lines.insert(lines.end(), settings.options.begin(), settings.options.end());
    for (const std::string& line : lines)
      if (options_set(interface, line.c_str()) != 0) return "PATH does not take the option \"" + line + '"';
    return std::nullopt;
  }

  // With the mutex held. The termination code, x and statistics.
  int run(Call& call, const PathSettings& settings, PathInformation& information, Vector& x) const {
    const int n = static_cast<int>(x.size());
    PathMcpInterface interface = {&call,   path_problem_size, path_bounds, path_function, path_jacobian, nullptr,
                                  nullptr, nullptr,           nullptr,     nullptr,       nullptr};
    const std::unique_ptr<PathMcp, McpDeleter> mcp(mcp_create(n, call.nonzeros), {this});
    mcp_set_interface(mcp.get(), &interface);
    structure_constant(mcp.get(), call.problem->linear);
    data_contiguous(mcp.get(), 1);
    information = {};
    information.generate_output = settings.log ? output_everything : 0;
    information.use_start = 1;
    const int termination = path_solve(mcp.get(), &information);
    const double* found = mcp_get_x(mcp.get());
    if (found && information.function_evaluations + information.jacobian_evaluations > 0)
      x = Eigen::Map<const Vector>(found, n).cwiseMax(call.problem->lower).cwiseMin(call.problem->upper);
    return termination;
  }
};

PathLibrary::PathLibrary(const std::string& file) : functions_(std::make_unique<Functions>(file)) {}
PathLibrary::~PathLibrary() = default;
PathLibrary::PathLibrary(PathLibrary&&) noexcept = default;
PathLibrary& PathLibrary::operator=(PathLibrary&&) noexcept = default;

const std::string& PathLibrary::version() const { return functions_->version; }

Result PathLibrary::solve(const Problem& problem, const Vector& start, const Options& options,
                          const PathSettings& settings) const {
  Result result;
  const auto end = [&](Status status, std::string message) {
    result.status = status;
    result.message = std::move(message);
    return result;
  };
  const Eigen::Index n = start.size();
  if (problem.lower.size() != n || problem.upper.size() != n || !problem.evaluate)
    return end(Status::bad_input, "the start and the bounds have different sizes, or there is no F");
  if (!(problem.lower.array() <= problem.upper.array()).all() || !start.allFinite())
    return end(Status::bad_input, "a lower bound above the upper one, or a start that is not finite");
  result.x = start.cwiseMax(problem.lower).cwiseMin(problem.upper);

  // One evaluation tells how many entries the Jacobian has; PATH wants an upper bound beforehand.
  Call call;
  call.problem = &problem;
  const Vector projected = result.x;
  call.start = &projected;
  const bool valid = call.evaluate(projected.data(), static_cast<int>(n), true);
  if (call.exception) std::rethrow_exception(call.exception);
  if (!valid) return end(Status::evaluation_failed, "F cannot be evaluated at the start");
  result.residual = natural_residual(projected, call.f, problem.lower, problem.upper);
  if (n == 0) return end(Status::solved, "");
  const std::int64_t all = static_cast<std::int64_t>(n) * n, now = call.jacobian.nonZeros();
  if (n > INT_MAX || now > INT_MAX) return end(Status::bad_input, "PATH counts with 32 bits: the problem is too large");
  // A nonlinear problem's pattern may grow, which shows in the callback; then once more with capacity for all.
  call.nonzeros = static_cast<int>(std::max<std::int64_t>(now, 1));

  int termination = path_error;
  PathInformation information = {};
  {
    const std::lock_guard lock(path_mutex());
    const Functions& path = *functions_;
    const OutputScope output(path.output_set_interface, settings.log);
    if (!settings.license.empty() && path.license_set_string) path.license_set_string(settings.license.c_str());
    const std::unique_ptr<PathOptions, Functions::OptionsDeleter> interface(path.options_create(), {&path});
    path.add_options(interface.get());
    path.options_default(interface.get());
    if (const auto refused = path.set_options(interface.get(), options, settings))
      return end(Status::bad_input, *refused);
    while (true) {
      if (!path.check_license(static_cast<int>(n), call.nonzeros))
        return end(Status::bad_input, "PATH's licence does not allow " + std::to_string(n) + " variables and " +
                                          std::to_string(call.nonzeros) +
                                          " nonzeros: set PATH_LICENSE_STRING (without one: 300 and 2000)");
      termination = path.run(call, settings, information, result.x);
      if (call.exception) std::rethrow_exception(call.exception);
      if (!call.too_many_nonzeros || call.nonzeros >= all) break;
      call.too_many_nonzeros = false;
      call.nonzeros = static_cast<int>(std::min<std::int64_t>(all, INT_MAX));
    }
  }

  result.statistics.majors = information.major_iterations;
  result.statistics.pivots = information.minor_iterations;
  result.statistics.function_evaluations = call.evaluations;
  result.statistics.jacobian_evaluations = call.jacobians;
  result.statistics.restarts = information.restarts;
  result.statistics.gradient_steps = information.gradient_steps;
  result.statistics.seconds = information.total_time;
  Vector f = Vector::Zero(n);
  result.residual =
      problem.evaluate(result.x, f, nullptr) ? natural_residual(result.x, f, problem.lower, problem.upper) : infinity;
  auto [status, message] = meaning(termination);
  if (status == Status::solved && !(result.residual <= options.tolerance))
    return end(Status::no_progress, "PATH says solved; " + option_number("the natural residual is", result.residual));
  return end(status, status == Status::solved ? "" : "PATH: " + std::string(message));
}

}  // namespace pegrasp::mcp
