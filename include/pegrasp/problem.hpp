// SPDX-License-Identifier: Apache-2.0
// A problem: a scene, what is uncertain about it, the grid of the map, what success means, how to simulate.
// Read from TOML (docs/reference/problem-file.md). Everything here is resolved: units are SI, every default is there.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/distribution.hpp"
#include "pegrasp/error.hpp"
#include "pegrasp/grasps.hpp"
#include "pegrasp/options.hpp"
#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

// One uncertain number. Its draw is added to or written over every target slot of the parameter vector.
struct UncertainParameter {
  std::string name;
  std::string unit;  // of the draw, as written to results ("1", "m", "rad", "kg", "N", ...)
  Distribution distribution;
  std::vector<int> target;    // indices into the parameter vector
  std::vector<double> scale;  // one per target: slot = (add ? slot : 0) + scale * draw
  bool add = false;
  std::uint32_t stream = 0;   // random stream: a hash of the name, so that adding a parameter changes no other's draws
  double unit_factor = 1.0;   // a draw is a number of the file times this,
  bool unit_divides = false;  // or divided by it
};

// Uncertain parameters that depend on each other: a Gaussian copula over their own distributions, whose inverse
// distribution functions are taken at Phi(root z) with independent standard normal z.
struct Correlation {
  std::vector<int> of;       // indices of uncertain parameters
  std::vector<double> root;  // (of, of) lower triangle by rows, each of length 1: root root^T is the correlation matrix
};

// How the uncertain numbers of a cell are drawn. sobol: a cell has sobol_replicates independently scrambled Sobol'
// sequences of equal length; sample k is point k / sobol_replicates of sequence k % sobol_replicates.
enum class Sampling : int { random = 0, sobol };
inline constexpr int sobol_replicates = 16;

// Columns of numbers from a file, as they are there, in its units.
struct NumberTable {
  std::filesystem::path file;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::string fingerprint;  // of the file's contents
  bool text = true;         // row k is line k + 2
  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
};

// An uncertain support tripod of one body: three points on a circle about the centre of mass, turned together by
// `turn`. `load` are the relative normal loads of the points; statics (sum of load_i r_i = 0) then fixes the angles
// between them, equal loads giving 120 degrees. Loads that no tripod holding the centre of mass can carry (one exceeds
// the sum of the other two) are redrawn and counted.
struct UncertainTripod {
  std::string name;
  int body = 0;
  Distribution radius;               // [m]
  Distribution turn;                 // [rad]
  std::array<Distribution, 3> load;  // [1], relative
  std::string radius_key, turn_key;  // of the problem file, "radius_mm"
  double gravity = 9.81;             // [m/s^2]: the points share the weight of the sampled mass
  std::uint32_t stream = 0;          // of the radius; turn and loads follow with stream + 1 .. stream + 4
};

// The error of the pose in which a gripper is placed: three shifts [m] and a rotation vector [rad], drawn together.
struct UncertainPose {
  std::string name;
  int body = -1;    // the gripper's base; -1: there is no error
  bool own = true;  // along the axes of that body as the cell places it; false: along `axes`
  Quaternion axes;  // of the part
  Vec3 lever;       // [m], axes of the body: a turn keeps the point that far from its origin, to first order
  std::array<double, 6> mean{};
  std::array<double, 36> root{};  // error = mean + root z with independent standard normal z; lower triangle, by rows
  std::vector<double> offsets;    // or one of these errors (count, 6) ...
  std::vector<double> weights;    // ... drawn with these weights; those that are missing are 1
  std::uint32_t stream = 0;       // of the first number; the others follow
};

// A joint that does not start where the scene describes its bodies: the bodies beyond it start moved along it, or
// turned about it, by nominal + factor * draw.
struct JointOffset {
  int joint = 0;         // revolute or prismatic
  int parameter = -1;    // index of an uncertain parameter; -1: there is no draw
  double nominal = 0.0;  // [m | rad]
  double factor = 1.0;
  std::vector<int> moved;     // bodies: the joint's second one and those that hang on it
  bool as_described = false;  // the joint's first body carries them, from where the scene describes it
  int entry = 0;              // of the problem file's list
};

// A body whose size differs from trial to trial: by factors along the axes of its frame, about its origin. What the
// problem derives from the dimensions of its parts follows: the mass, where a density gives it, the inertia, and
// components of the centre of mass.
struct BodyScale {
  int body = 0;
  std::array<double, 3> factor{1.0, 1.0, 1.0};  // typical ones; in 2D the last is 1
  bool mass = false, inertia = false;           // whether they follow
  std::array<bool, 3> centre{};
};

// What differs between the scenes of trials besides their parameters, so that each trial has a model of its own. Its
// numbers stand behind the parameters of the scene, and are drawn as these are: two angles by which gravity is tilted
// [rad], then three factors for each of `scales`.
struct SceneChanges {
  bool tilts = false;
  std::array<double, 2> tilt{};  // about x and y, or in 2D an angle and 0
  std::vector<BodyScale> scales;
  bool any() const { return tilts || !scales.empty(); }
};

// The grasps of a problem, each of which is a cell.
struct GraspCells {
  std::filesystem::path file;
  std::shared_ptr<const GraspFile> list;  // null: the problem has a grid
  std::vector<int> slot;                  // parameters that a grasp sets ...
  std::function<void(const Grasp& grasp, std::vector<double>& values)> append_values;  // ... to those that it appends
  UncertainPose error;
  int part = -1;
  std::vector<int> gripper;  // bodies, the base first
  bool given() const { return list != nullptr; }
  std::size_t size() const { return given() ? list->size() : 0; }
  // (count, slot) of grasps first, first + 1, ...
  std::vector<double> values(std::size_t first, std::size_t count) const;
};

// Some grasps of a problem, one after another.
struct GraspRange {
  std::size_t first = 0, count = 0;
};

struct Grid {
  std::string x_name = "x_mm";  // as results call the axes; in 3D "y_mm", and y "yaw_deg", too; "grasp": its number
  std::string y_name = "y_mm";
  std::vector<double> x;                   // [m], cell centres
  std::vector<double> y;                   // [m | rad]
  std::vector<int> x_target, y_target;     // parameter slots to which the cell's x, y are added ...
  std::vector<double> x_factor, y_factor;  // ... times these, one per target
  bool given = true;                       // false: there is [[axis]] alone, and one cell here
  int cells() const { return static_cast<int>(x.size() * y.size()); }
  // cell = iy * x.size() + ix
};

// An axis of a map: x, y or yaw of the grid, or keys that the file moves by [[axis]].
struct Axis {
  std::string name;                // of its column
  std::string label;               // for pictures; empty: the name
  std::string unit = "1";          // "mm", "N", "1" without one
  bool logarithmic = false;        // for pictures
  bool categorical = false;        // its values are texts or truth values
  std::vector<double> numbers;     // its values, in that unit; of a categorical axis 0, 1, 2, ...
  std::vector<std::string> texts;  // the same as the file has them
  std::size_t size() const { return numbers.size(); }
};

// Parameters that cells set, besides the grid: those of cell c are row c / cells_each.
struct CellParameters {
  std::vector<int> slot;
  std::vector<double> value;   // (rows, slot)
  std::size_t cells_each = 1;  // that share a row, one after another
};

struct Problem;

// What [[axis]] makes of the problem: its combinations of values, the first axis varies fastest, each with the cells of
// the grid; or columns of Problem::rows, whose keys take no number that differs from trial to trial. Combinations that
// differ in parameters alone are one group, which shares model, options and distributions; of rows each is its own.
struct AxisGroups {
  std::vector<std::shared_ptr<const Problem>> problems;  // without [[axis]]; of the cells of their group alone
  std::vector<int> group;                                // of each combination
  bool by_row = false;                                   // of each row of Problem::rows instead
};

// A body that is one of several sets of parts, as chance will have it in each trial.
struct BodyVariants {
  std::string body;
  std::vector<std::string> names;
  Distribution chosen;       // a choice of 0, 1, 2, ...
  std::uint32_t stream = 0;  // of its own, so that variants change no other draws
};

// The problem at each combination of variants of these bodies, the first body varies fastest.
struct Variants {
  std::vector<BodyVariants> bodies;
  std::vector<std::shared_ptr<const Problem>> problems;  // without variants
};

// When the samples of a cell suffice: as soon as one of these holds, or at Problem::samples. 0: not asked for.
struct Until {
  double half_width = 0.0;  // the interval of its probability of success is no wider than twice this
  double decided = 0.0;     // the interval lies on one side of this threshold
  bool any() const { return half_width > 0.0 || decided > 0.0; }
};

// Where a map is steep, cells are added between its own, level by level: each level halves the distances along axes on
// which neighbours' rates of success differ by more than `difference`, or their intervals lie on both sides of
// `threshold`.
struct Refine {
  static constexpr int most_levels = 10;
  int levels = 0;  // 0: nothing is added
  double difference = 0.25;
  double threshold = 0.0;              // 0: there is none
  int cells = 0;                       // that are added, at most; 0: as many as the map has, and at least 100
  std::vector<std::string> axes = {};  // names of those along which the map is refined; none: all that have numbers
};

struct Problem {
  std::string title;
  SceneSpec scene;
  StepOptions options;
  Grid grid;
  GraspCells grasps;
  std::vector<Axis> axes;                    // of [[axis]]
  std::shared_ptr<const AxisGroups> groups;  // of these; null without them
  CellParameters cell_parameters;
  std::shared_ptr<const Variants> variants;  // null: no body's parts are left to chance
  SceneChanges changes;
  std::vector<UncertainParameter> uncertain;
  std::vector<UncertainTripod> tripods;
  std::vector<JointOffset> joint_offsets;
  std::vector<Correlation> correlations;
  Sampling sampling = Sampling::random;
  std::shared_ptr<const NumberTable> rows;  // sample k of every cell takes the numbers of row k; null: all are drawn
  int samples = 30;                         // a cell; with `until` at most
  Until until;
  Refine refine;
  // Cells that are not those of grid and axes: cell i is at x[i], y[i] of the grid, its combination of values is entry
  // i of the groups, and its draws are those of cell first_cell + i.
  bool listed = false;
  int first_cell = 0;
  std::uint64_t seed = 1;
  Arithmetic arithmetic = Arithmetic::strict;
  std::string resolved_toml;  // the problem with every default written out
  std::string content_toml;   // the same without the paths of files, whose contents it names; empty: resolved_toml

  // The cell number counts along x of the grid first, then along y, then along the axes in their order.
  int cells() const {
    if (listed) return static_cast<int>(grid.x.size());
    return grid.cells() * (groups && !groups->by_row ? static_cast<int>(groups->group.size()) : 1);
  }
  // Groups of trials that share a problem: by the cell, the row, and the variants drawn. Without axes, scenes by rows
  // and variants there is one, of the problem itself.
  std::size_t group_count() const;
  std::size_t group_of(int cell, int sample) const;
  const Problem& of_group(std::size_t group) const;
  const Problem& of_trial(int cell, int sample) const { return of_group(group_of(cell, sample)); }
};

// All axes of a map in their order, the grid's first: their sizes multiply to the number of cells.
std::vector<Axis> axes_of(const Problem& problem);
// Which value a cell has on each of these.
std::vector<std::size_t> place_on(const std::vector<Axis>& axes, std::size_t cell);

// One --set key=value: a dotted path into the TOML document and a TOML value.
struct Override {
  std::string key;
  std::string value;
};

// Throws InputError. origin: file name used in messages.
Problem load_problem(const std::filesystem::path& file, const std::vector<Override>& overrides = {});
Problem parse_problem(const std::string& text, const std::string& origin, const std::vector<Override>& overrides = {});

// Names and units of the sampled numbers, in the order in which draw() returns them.
struct SampledColumn {
  std::string name;
  std::string unit;
};
std::vector<SampledColumn> sampled_columns(const Problem& problem);

// What draws groups, where that is left to chance ("any"): a column for each sampled number that
// has groups, NAME.group, one for each shared group, group.NAME, and one for each body with variants, BODY.variant.
struct GroupColumn {
  std::string name;
  std::vector<std::string> groups;
};
std::vector<GroupColumn> group_columns(const Problem& problem);
// (count) which of the groups of a column samples draw, from `first` on; they are numbered cell by cell.
std::vector<std::int32_t> drawn_groups(const Problem& problem, std::size_t column, std::size_t first,
                                       std::size_t count);

// How many uncertain numbers of a problem with Sampling::sobol have no dimension of the sequence left and are drawn as
// with Sampling::random.
int numbers_beyond_sobol(const Problem& problem);

// Which of the variants of a body a trial draws, from 0.
std::size_t drawn_variant(const BodyVariants& body, std::uint64_t seed, int cell, int sample);

// What the draws of a problem begin from: the parameters of its scene, and the numbers of its changes.
std::vector<double> base_parameters(const Problem& problem);

// The scene of one trial and its parameters, from what is drawn for it. Without changes they are those of the problem.
struct TrialScene {
  SceneSpec scene;
  std::vector<double> parameters;  // size layout.size()
};
TrialScene scene_of_trial(const Problem& problem, std::span<const double> drawn);

// What is drawn for one sample (as base_parameters()), and the sampled numbers. Depends on (seed, cell, sample) alone:
// Philox counters. parameters: overwritten; values: one per sampled column. Returns the number of tripods redrawn.
// Makes a Sampler (pegrasp/sampler.hpp) for it: who draws many keeps one. Where a problem has [[axis]] or variants it
// takes that of the trial, Problem::of_trial().
int draw_sample(const Problem& problem, std::span<const double> base_parameters, int cell, int sample,
                std::span<double> parameters, std::span<double> values);

}  // namespace pegrasp
