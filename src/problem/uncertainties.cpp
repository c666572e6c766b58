// SPDX-License-Identifier: Apache-2.0
#include "src/problem/uncertainties.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/sampling/philox.hpp"
#include "src/formats/number_table.hpp"
#include "src/problem/given_rows.hpp"
#include "src/sampling/distributions.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

std::vector<std::string> names_of(const std::vector<UncertainParameter>& parameters, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(parameters[i].name);
  return names;
}

int slot_index(const SceneSpec& scene, const ParameterLayout& layout, const TargetSlot& slot) {
  switch (slot.kind) {
    case TargetSlot::Kind::mass:
      return layout.mass(slot.index);
    case TargetSlot::Kind::inertia:
      return layout.inertia(slot.index) + slot.index2;
    case TargetSlot::Kind::drop_time:
      return layout.drop_time(slot.index);
    case TargetSlot::Kind::pose:
      return layout.pose(slot.index) + slot.index2;
    case TargetSlot::Kind::velocity:
      return layout.velocity(slot.index) + slot.index2;
    case TargetSlot::Kind::actuator:
      return layout.actuator(slot.index) + slot.index2;
    case TargetSlot::Kind::support:
      return layout.support(support_point(scene, slot.index)) + slot.index2;  // component of three points of four
    case TargetSlot::Kind::tilt:
      return layout.tilt(slot.index) + slot.index2;
    case TargetSlot::Kind::centre:
      return layout.centre(slot.index) + slot.index2;
    case TargetSlot::Kind::gravity_tilt:  // those of SceneChanges
      return layout.size() + slot.index;
    case TargetSlot::Kind::scale:
      return layout.size() + 2 + 3 * slot.index + slot.index2;
    case TargetSlot::Kind::oscillation:
      return layout.oscillation(oscillation_block(scene, slot.index)) + slot.index2;
    case TargetSlot::Kind::friction:
      break;
  }
  const int pair = friction_slot(scene, slot.index, slot.index2);
  if (pair < 0) throw std::logic_error("an uncertain friction of two bodies that never touch");
  return layout.friction(pair);
}

const Unit* find_unit(const std::string& suffix) {
  for (const Quantity* q :
       {&quantity::length, &quantity::duration, &quantity::mass, &quantity::inertia, &quantity::angle, &quantity::speed,
        &quantity::angular_speed, &quantity::force, &quantity::torque, &quantity::stiffness,
        &quantity::rotary_stiffness, &quantity::damping, &quantity::rotary_damping, &quantity::frequency,
        &quantity::acceleration, &quantity::angular_acceleration, &quantity::phase}) {
    for (const Unit& unit : q->units) {
      if (suffix == unit.suffix) return &unit;
    }
  }
  return suffix == "1" ? &quantity::number.units.front() : nullptr;
}

// Column number `column` of a table in SI.
void fill_from(Distribution& d, DistributionKind kind, std::shared_ptr<const NumberTable> table, std::size_t column,
               const Unit& unit) {
  d = Distribution{};
  d.kind = kind;
  d.values = table->columns[column];
  for (double& value : d.values) value = unit.to_si(value);
  d.table = std::move(table);
  d.column = column;
}

// The range of every number, because each is somebody's trial.
void check_column(const Distribution& d, const std::string& path, double base, double factor, const Unit& unit,
                  const Range& range) {
  for (std::size_t k = 0; k < d.values.size(); ++k) {
    const double value = base + factor * d.values[k];
    const bool low_ok = range.low_open ? value > range.low : value >= range.low;
    if (low_ok && value <= range.high && std::fabs(value) <= no_bound) continue;
    throw InputError(place_in(*d.table, k, d.column) + ": " + write_real(d.table->columns[d.column][k]) +
                     " is out of range: " + printable(path) + " " +
                     range_text(range, unit, !(std::fabs(value) <= no_bound)) + "; correct the row");
  }
}

}  // namespace

Distribution Uncertainties::read_measured(Section& section, const Quantity& number) {
  const std::filesystem::path file = section.file("file");
  std::shared_ptr<const NumberTable>& table = measurements_[file];
  if (!table) table = read_number_table(file, "measurement");
  section.check_contents(table->fingerprint);
  const std::string column = section.text("column", {});
  const auto found = std::find(table->names.begin(), table->names.end(), column);
  if (found == table->names.end()) {
    section.fail("column", "\"" + printable(column) + "\" is not in " + printable(file.string()) +
                               suggestion(column, table->names));
  }
  Distribution d;
  fill_from(d, DistributionKind::measured, table, static_cast<std::size_t>(found - table->names.begin()),
            number.units.front());
  // by the contents, so that the file may be moved
  d.group_stream = stream_of("measured." + table->fingerprint);
  return d;
}

Distribution Uncertainties::read_given(Section& section, const Quantity& number) {
  const std::string column = section.text("column", {});
  if (!rows_) {
    section.fail("distribution", "\"given\" is for problems whose trials a file gives; name it in map.samples_from");
  }
  const auto found = std::find(rows_->names.begin(), rows_->names.end(), column);
  if (found == rows_->names.end()) {
    section.fail("column", "\"" + printable(column) + "\" is not in " + printable(rows_->file.string()) +
                               suggestion(column, rows_->names));
  }
  const auto at = static_cast<std::size_t>(found - rows_->names.begin());
  taken_[at] = 1;
  Distribution d;
  fill_from(d, DistributionKind::given, rows_, at, number.units.front());
  return d;
}

void Uncertainties::take_column(UncertainParameter& parameter, const Unit& unit) {
  parameter.unit_factor = unit.factor;
  parameter.unit_divides = unit.divide;
  if (!rows_) return;
  for (std::size_t k = 0; k < rows_->names.size(); ++k) {
    if (rows_->names[k] != parameter.name || is_key_column(rows_->names[k])) continue;
    fill_from(parameter.distribution, DistributionKind::given, rows_, k, unit);
    taken_[k] = 1;
  }
}

void Uncertainties::check_columns() const {
  std::vector<std::string> known;
  for (const UncertainParameter& parameter : parameters_) known.push_back(parameter.name);
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    if (taken_[k] != 0) continue;
    const std::string hint = suggestion(rows_->names[k], known);
    throw InputError(printable(rows_->file.string()) + ": " + (rows_->text ? "line 1, " : "") + "column \"" +
                     printable(rows_->names[k]) +
                     "\": is neither the name of an uncertain parameter nor a key that "
                     "applies, as in --set" +
                     (hint.empty() ? "; leave the column out" : hint));
  }
}

std::uint32_t Uncertainties::claim_stream(ReadContext& context, const std::string& name, std::uint32_t count) {
  const std::uint32_t first = stream_of(name);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t stream = first + i;
    for (const auto& [taken, owner] : streams_) {
      if (taken == stream || stream == 0) {
        context.fail(nullptr, name,
                     "has the same random stream as " + printable(owner) + " by chance; rename one of them");
      }
    }
    streams_.emplace_back(stream, name);
  }
  return first;
}

void Uncertainties::check_range(ReadContext& context, const Node& node, const std::string& path,
                                const Distribution& distribution, double base, double factor, const Unit& unit,
                                const Range& range) const {
  if (distribution.table) {
    check_column(distribution, path, base, factor, unit, range);
    return;
  }
  const DrawBounds bounds = draw_bounds(distribution);
  double low = base + factor * (factor < 0.0 ? bounds.high : bounds.low);
  const double high = base + factor * (factor < 0.0 ? bounds.low : bounds.high);
  const bool low_open = factor < 0.0 ? false : bounds.low_open;
  const bool bounded_below = range.low > -no_bound;
  const bool bounded_above = range.high < no_bound;
  const bool low_ok = !bounded_below || low > range.low || (low == range.low && (low_open || !range.low_open));
  const bool high_ok = !bounded_above || high <= range.high;
  if (low_ok && high_ok) return;
  const bool unbounded = distribution.kind == DistributionKind::normal;
  context.fail(&node, path,
               "can be drawn out of range: it " + range_text(range, unit) +
                   (unbounded ? "; use truncated_normal or log_normal" : "; narrow the distribution"));
}

Distribution Uncertainties::read_parameters(Section& section, DistributionKind kind, const Quantity& number) {
  Distribution d;
  d.kind = kind;
  const auto ordered = [&] {
    if (!(d.low < d.high)) section.fail("high", "must be greater than low; swap or widen the bounds");
  };
  switch (kind) {
    case DistributionKind::constant:
      d.mean = section.number("value", number, {});
      break;
    case DistributionKind::uniform:
      d.low = section.number("low", number, {});
      d.high = section.number("high", number, {});
      ordered();
      break;
    case DistributionKind::normal:
      d.mean = section.number("mean", number, {});
      d.sd = section.number("sd", number, {}, positive);
      break;
    case DistributionKind::truncated_normal: {
      d.mean = section.number("mean", number, {});
      d.sd = section.number("sd", number, {}, positive);
      d.low = section.number("low", number, {});
      d.high = section.number("high", number, {});
      ordered();
      const double inside = normal_probability(d.mean, d.sd, d.low, d.high);
      if (!(inside > 1e-6)) {
        section.fail("high", "the bounds hold less than a millionth of the normal distribution; widen them");
      }
      break;
    }
    case DistributionKind::log_normal:
      d.mean = log_of_median(section.number("median", number, {}, positive));
      d.sd = section.number("log_sd", quantity::number, {}, Range{0.0, 20.0, true});
      break;
    case DistributionKind::choice: {
      d.values = section.numbers("values", number, 1, 100000);
      d.weights = section.numbers("weights", quantity::number, d.values.size(), d.values.size(), not_negative,
                                  std::vector<double>(d.values.size(), 1.0));
      double total = 0.0;
      for (const double weight : d.weights) total += weight;
      if (!(total > 0.0)) section.fail("weights", "are all zero; give at least one of them a positive weight");
      break;
    }
    case DistributionKind::measured:
      return read_measured(section, number);
    case DistributionKind::given:
      return read_given(section, number);
    case DistributionKind::mixture:
      break;
  }
  return d;
}

Distribution Uncertainties::read_groups(Section& section, DistributionKind kind, const Quantity& number) {
  const Node* node = section.raw("groups");
  if (node == nullptr) section.fail("", "\"groups\" is missing; add groups = { low = { ... }, high = { ... } }");
  if (node->type != Node::Type::table || node->members.empty()) {
    section.fail("groups", "must be a table of named groups; write groups = { low = { ... }, high = { ... } }");
  }
  std::vector<std::string> names;
  Distribution mixture;
  mixture.kind = DistributionKind::mixture;
  Node resolved;
  for (const auto& [name, member] : node->members) {
    if (!is_name(name)) section.context().fail(&member, section.at("groups") + "." + name, name_rule);
    if (name == "any") section.fail("groups", "\"any\" stands for all groups together; rename that group");
    Section group(section.context(), &member, section.at("groups") + "." + name, keys::group_member);
    mixture.components.push_back(read_parameters(group, kind, number));
    mixture.weights.push_back(group.number("weight", quantity::number, 1.0, positive));
    names.push_back(name);
    resolved.set(name, group.finish(false));
  }
  section.put("groups", std::move(resolved));

  int chosen = -1;
  if (section.has("shared_group")) {
    const std::string shared = section.text("shared_group", {});
    std::vector<std::string> known;
    for (const SharedGroup& group : groups_) known.push_back(group.name);
    const auto found = std::find(known.begin(), known.end(), shared);
    if (found == known.end()) {
      section.fail("shared_group", "there is no [group." + printable(shared) + "]" + suggestion(shared, known));
    }
    SharedGroup& group = groups_[static_cast<std::size_t>(found - known.begin())];
    group.used = true;
    // components in the order of the shared group, so that one draw picks the same name everywhere
    std::vector<Distribution> components;
    for (const std::string& name : group.names) {
      const auto at = std::find(names.begin(), names.end(), name);
      if (at == names.end())
        section.fail("groups", "lacks the group \"" + printable(name) + "\" of the shared group; add it");
      components.push_back(mixture.components[static_cast<std::size_t>(at - names.begin())]);
    }
    if (names.size() != group.names.size()) {
      section.fail("groups", "has groups that the shared group does not name; remove them");
    }
    mixture.components = std::move(components);
    mixture.weights = group.weights;
    mixture.group_stream = stream_of("group." + group.name);
    mixture.groups = group.names;
    mixture.shared_group = group.name;
    chosen = group.chosen;
  } else {
    mixture.groups = names;
    std::vector<std::string> choices = names;
    choices.emplace_back("any");
    const int choice = section.choice("group", choices, {});
    chosen = choice == static_cast<int>(names.size()) ? -1 : choice;
  }
  if (chosen < 0) return mixture;
  return mixture.components[static_cast<std::size_t>(chosen)];
}

Distribution Uncertainties::read_table(Section& section, const Unit& unit) {
  const Unit bare[] = {{"", unit.factor, unit.divide, unit.si}};
  const Quantity number{bare, "give a plain number in the unit of the parameter"};
  static const std::vector<std::string> kinds{"constant",   "uniform", "normal",   "truncated_normal",
                                              "log_normal", "choice",  "measured", "given"};
  const auto kind = static_cast<DistributionKind>(section.choice("distribution", kinds, {}));
  if (section.has("groups") || section.has("group") || section.has("shared_group")) {
    if (kind == DistributionKind::measured || kind == DistributionKind::given) {
      section.fail("distribution", "has no groups; leave out groups, group and shared_group");
    }
    return read_groups(section, kind, number);
  }
  return read_parameters(section, kind, number);
}

void Uncertainties::read_shared_group(ReadContext& context, const std::string& name, const Node& node, Node& resolved) {
  if (!is_name(name)) context.fail(&node, "group." + name, name_rule);
  Section section(context, &node, "group." + name, keys::group);
  SharedGroup group;
  group.name = name;
  group.names = section.texts("names", 1, 1000);
  for (std::size_t i = 0; i < group.names.size(); ++i) {
    if (!is_name(group.names[i])) section.fail("names", name_rule);
    const auto begin = group.names.begin();
    if (group.names[i] == "any" || std::find(begin, begin + static_cast<std::ptrdiff_t>(i), group.names[i]) !=
                                       begin + static_cast<std::ptrdiff_t>(i)) {
      section.fail("names", "must be different names, none of them \"any\"; correct the list");
    }
  }
  group.weights = section.numbers("weights", quantity::number, group.names.size(), group.names.size(), positive,
                                  std::vector<double>(group.names.size(), 1.0));
  std::vector<std::string> choices = group.names;
  choices.emplace_back("any");
  const int choice = section.choice("choose", choices, static_cast<int>(group.names.size()));
  group.chosen = choice == static_cast<int>(group.names.size()) ? -1 : choice;
  claim_stream(context, "group." + name);
  resolved.set(name, section.finish(true));
  groups_.push_back(std::move(group));
}

void Uncertainties::read(ReadContext& context, const Node* uncertain, const Node* group, Node& resolved_uncertain,
                         Node& resolved_group) {
  for (const auto& [node, key] : {std::pair{group, "group"}, std::pair{uncertain, "uncertain"}}) {
    if (node != nullptr && node->type != Node::Type::table) {
      context.fail(
          node, key,
          std::string("must be a table of named tables, got ") + type_name(*node) + "; write [" + key + ".NAME]");
    }
  }
  if (group != nullptr) {
    for (const auto& [name, node] : group->members) read_shared_group(context, name, node, resolved_group);
  }
  if (uncertain != nullptr) {
    for (const auto& [name, node] : uncertain->members) {
      if (!is_name(name)) context.fail(&node, "uncertain." + name, name_rule);
      Section section(context, &node, "uncertain." + name, keys::uncertain);
      UncertainParameter parameter;
      parameter.name = name;
      const std::string suffix = section.text("unit", "1");
      const Unit* unit = find_unit(suffix);
      if (unit == nullptr) {
        section.fail("unit",
                     "is not a known unit; give the unit of the keys it drives, such as \"mm\", or \"1\" for none");
      }
      parameter.distribution = read_table(section, *unit);
      parameter.unit = unit->si;
      take_column(parameter, *unit);
      parameter.stream = claim_stream(context, name);
      resolved_uncertain.set(name, section.finish(true));
      parameters_.push_back(std::move(parameter));
    }
  }
  named_count_ = parameters_.size();
  for (const SharedGroup& shared : groups_) {
    if (!shared.used) {
      context.fail(group, "group." + shared.name,
                   "is used by no uncertain parameter; name it in shared_group = \"" + printable(shared.name) +
                       "\" or remove it");
    }
  }
}

Distribution Uncertainties::read_distribution(ReadContext& context, const Node& node, const std::string& path,
                                              const Quantity& quantity, const Unit& unit, const Range& range,
                                              Node& resolved) {
  if (node.type == Node::Type::table) {
    Section section(context, &node, path, keys::distribution);
    const Distribution distribution = read_table(section, unit);
    check_range(context, node, path, distribution, 0.0, 1.0, unit, range);
    resolved = section.finish(false);
    return distribution;
  }
  Distribution constant;
  constant.mean = checked_number(context, node, path, quantity, unit, range);
  resolved = node;
  return constant;
}

Value Uncertainties::read_value(ReadContext& context, const Node& node, const std::string& path,
                                const std::string& name, const Quantity& quantity, const Unit& unit, const Range& range,
                                Node& resolved) {
  Value value;
  const auto use = [&](const Node& at, const std::string& at_path, const std::string& wanted) {
    const std::vector<std::string> names = names_of(parameters_, named_count_);
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end()) {
      const std::string hint = suggestion(wanted, names);
      context.fail(&at, at_path,
                   "must be a number or the name of an uncertain parameter, got \"" + printable(wanted) + "\"" +
                       (hint.empty() ? std::string("; ") + quantity.remedy : hint));
    }
    value.parameter = static_cast<int>(found - names.begin());
    const UncertainParameter& parameter = parameters_[static_cast<std::size_t>(value.parameter)];
    if (parameter.unit != unit.si) {
      context.fail(&at, at_path,
                   "uncertain." + printable(wanted) + " is in " + parameter.unit + " but this is in " + unit.si +
                       "; set its unit key");
    }
  };
  if (node.type == Node::Type::text) {
    use(node, path, node.text);
    const Distribution& d = parameters_[static_cast<std::size_t>(value.parameter)].distribution;
    check_range(context, node, path, d, 0.0, 1.0, unit, range);
    value.nominal = central_value(d);
    resolved = node;
    return value;
  }
  if (node.type != Node::Type::table) {
    checked_number(context, node, path, quantity, unit, range);  // says what is wrong with it
  }
  Section section(context, &node, path, keys::value);
  if (!section.has("plus") && !section.has("nominal")) {
    UncertainParameter parameter;
    parameter.name = name;
    parameter.unit = unit.si;
    parameter.distribution = read_table(section, unit);
    take_column(parameter, unit);
    parameter.stream = claim_stream(context, name);
    check_range(context, node, path, parameter.distribution, 0.0, 1.0, unit, range);
    value.nominal = central_value(parameter.distribution);
    value.parameter = static_cast<int>(parameters_.size());
    parameters_.push_back(std::move(parameter));
  } else {
    const Unit bare[] = {{"", unit.factor, unit.divide, unit.si}};
    const Quantity number{bare, quantity.remedy};
    value.add = true;
    value.nominal = section.number("nominal", number, 0.0);
    value.factor = section.number("factor", quantity::number, 1.0);
    use(node, section.at("plus"), section.text("plus", {}));
    check_range(context, node, path, parameters_[static_cast<std::size_t>(value.parameter)].distribution, value.nominal,
                value.factor, unit, range);
  }
  resolved = section.finish(false);
  return value;
}

void Uncertainties::bind(ReadContext& context, const Value& value, const std::string& path, const TargetSlot& slot,
                         double scale) {
  if (value.parameter < 0) return;
  UncertainParameter& parameter = parameters_[static_cast<std::size_t>(value.parameter)];
  const bool first = std::none_of(bindings_.begin(), bindings_.end(),
                                  [&](const Binding& other) { return other.parameter == value.parameter; });
  if (!first && parameter.add != value.add) {
    context.fail(nullptr, path,
                 "uses \"" + printable(parameter.name) +
                     "\" as a value and elsewhere as an addition; make two uncertain parameters");
  }
  parameter.add = value.add;
  bindings_.push_back({value.parameter, slot, scale * value.factor, path});
}

std::vector<UncertainParameter> Uncertainties::finish(ReadContext& context, const SceneSpec& scene,
                                                      const Node* uncertain) {
  const ParameterLayout layout = parameter_layout(scene);
  for (const Binding& binding : bindings_) {
    UncertainParameter& parameter = parameters_[static_cast<std::size_t>(binding.parameter)];
    parameter.target.push_back(slot_index(scene, layout, binding.slot));
    parameter.scale.push_back(binding.scale);
  }
  if (rows_) check_columns();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].target.empty()) continue;
    // a column may have taken the place of its name
    if (rows_ && parameters_[i].distribution.table != rows_) continue;
    if (std::find(used_.begin(), used_.end(), static_cast<int>(i)) != used_.end()) continue;
    const Node* node = uncertain == nullptr ? nullptr : uncertain->find(parameters_[i].name);
    context.fail(
        node, "uncertain." + parameters_[i].name,
        "drives nothing; write its name where a number stands, e.g. mu = \"" + printable(parameters_[i].name) + "\"");
  }
  return std::move(parameters_);
}

}  // namespace pegrasp
