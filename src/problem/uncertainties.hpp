// SPDX-License-Identifier: Apache-2.0
// The uncertain values of a problem file: [uncertain.NAME] tables, [group.NAME] tables that several of them share, and
// distributions written in place of a number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pegrasp/problem.hpp"
#include "src/problem/section.hpp"

namespace pegrasp {

// A quantity of the scene that an uncertain parameter drives. It becomes parameter slots once the scene is complete.
struct TargetSlot {
  enum class Kind {
    mass,
    inertia,
    drop_time,
    pose,
    velocity,
    friction,
    actuator,
    support,
    tilt,
    centre,
    gravity_tilt,
    scale,
    oscillation
  };
  Kind kind = Kind::mass;
  int index = 0;   // body, actuator, first body of a friction pair, angle, or place in SceneChanges::scales
  int index2 = 0;  // second body of the pair, or component of the block (pose 0..2, actuator 0..5, support 0..11, ...)
};

class Uncertainties {
 public:
  // Columns of these rows take the place of the distributions of parameters with their names, but for those that make
  // scenes. Before read().
  void give(std::shared_ptr<const NumberTable> rows, const std::vector<std::size_t>& of_scenes) {
    rows_ = std::move(rows);
    if (rows_) taken_.assign(rows_->names.size(), 0);
    for (const std::size_t column : of_scenes) taken_[column] = 1;
  }

  // Reads the tables `uncertain` and `group` (null when absent); stores their resolved form.
  void read(ReadContext& context, const Node* uncertain, const Node* group, Node& resolved_uncertain,
            Node& resolved_group);

  // Reads a value that is no plain number: the name of an [uncertain.NAME], { distribution = ... }, or
  // { nominal = number, plus = "NAME", factor = number }. `name` is given to a parameter that has none.
  Value read_value(ReadContext& context, const Node& node, const std::string& path, const std::string& name,
                   const Quantity& quantity, const Unit& unit, const Range& range, Node& resolved);

  // Reads a number, which gives a constant distribution, or { distribution = ... }. The result is in SI.
  Distribution read_distribution(ReadContext& context, const Node& node, const std::string& path,
                                 const Quantity& quantity, const Unit& unit, const Range& range, Node& resolved);

  // Makes the parameter of the value, if it has one, drive a slot: slot = (add ? slot : 0) + scale * factor * draw.
  void bind(ReadContext& context, const Value& value, const std::string& path, const TargetSlot& slot,
            double scale = 1.0);

  // Actuators that bodies have made so far are to stand behind those of the file: what drives them is kept until it is
  // known where they stand.
  void set_actuators_aside() {
    for (Binding& binding : bindings_) binding.aside = binding.slot.kind == TargetSlot::Kind::actuator;
  }
  // The first of them is number `first` of the finished scene.
  void place_actuators(int first) {
    for (Binding& binding : bindings_) binding.slot.index += binding.aside ? first : 0;
  }

  // Says that something beside the parameter slots depends on the value.
  void use(const Value& value) {
    if (value.parameter >= 0) used_.push_back(value.parameter);
  }

  // Checks that every named parameter and every column of the rows is used and that the streams differ. Returns the
  // parameters, with the slots that they drive in the finished scene.
  std::vector<UncertainParameter> finish(ReadContext& context, const SceneSpec& scene, const Node* uncertain);

  // Registers the random stream of a name and the `count - 1` streams after it. Throws InputError when two names share
  // a stream.
  std::uint32_t claim_stream(ReadContext& context, const std::string& name, std::uint32_t count = 1);

 private:
  struct Binding {
    int parameter = 0;
    TargetSlot slot;
    double scale = 1.0;
    std::string path;
    bool aside = false;
  };
  struct SharedGroup {
    std::string name;
    std::vector<std::string> names;
    std::vector<double> weights;
    int chosen = -1;  // -1: any
    bool used = false;
  };

  Distribution read_parameters(Section& section, DistributionKind kind, const Quantity& number);
  Distribution read_table(Section& section, const Unit& unit);
  Distribution read_measured(Section& section, const Quantity& number);
  Distribution read_given(Section& section, const Quantity& number);
  // The parameter takes the numbers of its column, if the rows have one.
  void take_column(UncertainParameter& parameter, const Unit& unit);
  void check_columns() const;
  Distribution read_groups(Section& section, DistributionKind kind, const Quantity& number);
  void read_shared_group(ReadContext& context, const std::string& name, const Node& node, Node& resolved);
  void check_range(ReadContext& context, const Node& node, const std::string& path, const Distribution& distribution,
                   double base, double factor, const Unit& unit, const Range& range) const;

  std::vector<UncertainParameter> parameters_;
  std::vector<Binding> bindings_;
  std::vector<int> used_;
  std::vector<SharedGroup> groups_;
  std::size_t named_count_ = 0;
  std::vector<std::pair<std::uint32_t, std::string>> streams_;
  std::shared_ptr<const NumberTable> rows_;
  std::vector<char> taken_;  // (columns of the rows)
  std::map<std::filesystem::path, std::shared_ptr<const NumberTable>> measurements_;
};

}  // namespace pegrasp
