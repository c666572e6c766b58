// SPDX-License-Identifier: Apache-2.0
// A stand-in for PATH's library with the same C interface, so that the loader is tested where there is no PATH. Solves
// by Newton's method on a scaled natural map, which does for small well-behaved problems; without its licence string
// "fake" it refuses more than 20 variables. The option "fake_termination 9" makes every solve end with that code.
#include <Eigen/LU>
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Vector = Eigen::VectorXd;

struct Interface {
  void* data;
  void (*problem_size)(void*, int*, int*);
  void (*bounds)(void*, int, double*, double*, double*);
  int (*function)(void*, int, double*, double*);
  int (*jacobian)(void*, int, double*, int, double*, int*, int*, int*, int*, double*);
  int (*hessian)(void*, int, double*, double*, int*, int*, int*, int*, double*);
  void (*start)(void*);
  void (*finish)(void*, double*);
  void (*names[2])(void*, int, char*, int);
  void (*basis)(void*, int, int*);
};

struct Output {
  void* data;
  void (*print)(void*, int, char*);
  void (*flush)(void*, int);
};

struct Information {
  double residual, distance, steplength, total_time, basis_time, maximum_distance;
  int majors, minors, crashes, functions, jacobians, gradients, restarts, generate_output, generated_output;
  int forward, backtrace, gradient, use_start, use_basics, used_start, used_basics;
};

struct Mcp {
  Interface interface;
  Vector x;
};

struct Settings {
  double tolerance = 1e-6;
  int majors = 500;
  int termination = 0;
};

Output output = {};
std::string license;
Settings settings;

void print(std::string text) {
  if (output.print) output.print(output.data, 1, text.data());
}

int newton(Mcp& mcp, Information& information) {
  const Interface& call = mcp.interface;
  int n = 0, capacity = 0;
  call.problem_size(call.data, &n, &capacity);
  Vector lower = Vector::Constant(n, -1e20), upper = Vector::Constant(n, 1e20), f(n);
  mcp.x = Vector::Zero(n);
  call.bounds(call.data, n, mcp.x.data(), lower.data(), upper.data());
  std::vector<int> column(static_cast<std::size_t>(n)), length = column, row(static_cast<std::size_t>(capacity));
  std::vector<double> value(static_cast<std::size_t>(capacity));
  for (; information.majors <= settings.majors; ++information.majors) {
    int nonzeros = capacity;
    ++information.jacobians;
    if (call.jacobian(call.data, n, mcp.x.data(), 1, f.data(), &nonzeros, column.data(), length.data(), row.data(),
                      value.data()))
      return 8;  // domain error
    Eigen::MatrixXd map = Eigen::MatrixXd::Zero(n, n);
    for (int j = 0; j < n; ++j)
      for (int k = column[static_cast<std::size_t>(j)] - 1, last = k + length[static_cast<std::size_t>(j)]; k < last;
           ++k)
        map(row[static_cast<std::size_t>(k)] - 1, j) = value[static_cast<std::size_t>(k)];
    Vector natural(n);
    information.residual = (mcp.x - (mcp.x - f).cwiseMax(lower).cwiseMin(upper)).norm();
    if (information.residual <= settings.tolerance) return 1;
    for (int i = 0; i < n; ++i) {
      const double step = f[i] / (map(i, i) > 0.0 ? map(i, i) : 1.0);
      const double moved = mcp.x[i] - step, kept = std::clamp(moved, lower[i], upper[i]);
      natural[i] = mcp.x[i] - kept;
      if (moved != kept) map.row(i) = Vector::Unit(n, i).transpose();
    }
    mcp.x = (mcp.x - map.partialPivLu().solve(natural)).cwiseMax(lower).cwiseMin(upper);
    ++information.minors;
    if (!mcp.x.allFinite()) return 2;
  }
  return 3;
}

}  // namespace

extern "C" {

const char* Path_Version() { return "Fake path 0.0"; }
int Path_CheckLicense(int n, int) { return n <= 20 || license == "fake"; }
int License_SetString(const char* text) {
  license = text;
  return 0;
}
void Output_SetInterface(Output* to) { output = *to; }
void* Options_Create() { return new Settings; }
void Options_Destroy(void* options) { delete static_cast<Settings*>(options); }
void Path_AddOptions(void*) {}
void Options_Default(const void*) { settings = {}; }
int Options_Set(const void*, const char* line) {
  const std::string text = line;
  const std::size_t space = text.find(' ');
  const std::string name = text.substr(0, space), value = space == std::string::npos ? "" : text.substr(space + 1);
  if (name == "convergence_tolerance")
    settings.tolerance = std::atof(value.c_str());
  else if (name == "major_iteration_limit")
    settings.majors = std::atoi(value.c_str());
  else if (name == "fake_termination")
    settings.termination = std::atoi(value.c_str());
  else
    return name == "cumulative_iteration_limit" || name == "time_limit" ? 0 : 2;
  return 0;
}
Mcp* MCP_Create(int, int) { return new Mcp; }
void MCP_Destroy(Mcp* mcp) { delete mcp; }
void MCP_SetInterface(Mcp* mcp, Interface* interface) { mcp->interface = *interface; }
double* MCP_GetX(Mcp* mcp) { return mcp->x.data(); }
void MCP_Jacobian_Structure_Constant(Mcp*, int) {}
void MCP_Jacobian_Data_Contiguous(Mcp*, int) {}
int Path_Solve(Mcp* mcp, Information* information) {
  if (information->generate_output) print("Fake path solves\n");
  const int termination = newton(*mcp, *information);
  return settings.termination ? settings.termination : termination;
}
}
