// SPDX-License-Identifier: Apache-2.0
// A problem is read at each value of each axis, and every combination that this does not tell. Where values change
// parameters and distributions alone, each axis others than the others, combinations are composed of them; some of
// these are read all the same, and must agree.
#include "src/problem/axis_cells.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <filesystem>
#include <future>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "pegrasp/simulation.hpp"
#include "src/formats/csv.hpp"
#include "src/machine/cores.hpp"
#include "src/problem/limits.hpp"
#include "src/problem/overrides.hpp"
#include "src/problem/same_results.hpp"
#include "src/text/bytes.hpp"
#include "src/text/units.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t readings_at_once = 64;
constexpr std::size_t most_groups = 10'000;
constexpr double most_values = 5e7;  // numbers of all groups' tables

using Place = std::vector<std::size_t>;  // of each axis which value

std::string bytes_of(const Distribution& d) {
  ValueBytes out;
  out.add(d.kind, d.mean, d.sd, d.low, d.high, d.values, d.weights, d.group_stream, d.groups, d.shared_group, d.column);
  for (const Distribution& one : d.components) out.add(bytes_of(one));
  return out.text();
}

std::string bytes_of(const UncertainParameter& u) {
  ValueBytes out;
  out.add(u.name, u.unit, bytes_of(u.distribution), u.target, u.scale, u.add, u.stream);
  return out.text();
}

std::vector<std::string> bytes_of(const std::vector<UncertainParameter>& all) {
  std::vector<std::string> out;
  for (const UncertainParameter& one : all) out.push_back(bytes_of(one));
  return out;
}

// What a sampler takes of a problem besides base parameters and uncertain numbers.
std::string bytes_of_rest(const Problem& problem, const std::vector<double>& parameters) {
  ValueBytes out;
  out.add(problem.grid.x_target, problem.grid.y_target, problem.grid.x_factor, problem.grid.y_factor);
  for (const UncertainTripod& t : problem.tripods) {
    out.add(t.name, t.body, bytes_of(t.radius), bytes_of(t.turn), t.gravity, t.stream);
    for (const Distribution& load : t.load) out.add(bytes_of(load));
  }
  for (const Correlation& c : problem.correlations) out.add(c.of, c.root);
  for (const JointOffset& o : problem.joint_offsets)
    out.add(o.joint, o.parameter, o.nominal, o.factor, o.moved, o.as_described, o.entry);
  if (!problem.joint_offsets.empty()) out.add(parameters);  // whose frames follow poses
  for (const BodyScale& scale : problem.changes.scales)
    out.add(scale.body, scale.mass, scale.inertia, scale.centre[0], scale.centre[1], scale.centre[2]);
  if (problem.changes.any()) out.add(problem.changes.tilts);
  return out.text();
}

// Calls work(i) for all i < count on all cores. What the first i throws that throws is thrown.
template <class Work>
void for_each_in_parallel(std::size_t count, const Work& work) {
  std::vector<std::exception_ptr> wrong(count);
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        wrong[i] = std::current_exception();
      }
    }
  };
  std::vector<std::future<void>> helpers;
  const std::size_t team = std::min<std::size_t>(count, static_cast<std::size_t>(available_cores()));
  for (std::size_t k = 1; k < team; ++k)
    helpers.push_back(std::async(std::launch::async | std::launch::deferred, loop));
  loop();
  for (std::future<void>& helper : helpers) helper.get();
  for (const std::exception_ptr& one : wrong)
    if (one) std::rethrow_exception(one);
}

class AxisCells {
 public:
  AxisCells(ReadContext& context, std::vector<AxisTable>& tables, const ReadAt& read, const Node& given, Node& resolved,
            const ListedCells* list)
      : context_(context),
        tables_(tables),
        read_(read),
        given_(given),
        resolved_(resolved),
        list_(list != nullptr && !list->apart ? list : nullptr),
        apart_(list != nullptr && list->apart) {
    for (const AxisTable& table : tables) {
      sizes_.push_back(table.axis.size());
      count_ *= table.axis.size();
    }
  }

  Problem run() {
    read_first();
    if (list_ == nullptr) {
      combinations_.resize(count_);
      known_.assign(count_, 0);
    }
    find_composable();
    if (list_ == nullptr) {
      Place fixed(tables_.size(), 0);
      do {
        read_all_of(fixed);
      } while (next(fixed, [this](std::size_t axis) { return !composable_[axis]; }));
    } else {
      read_list();
    }
    Problem problem = std::move(first_);
    for (AxisTable& table : tables_) {
      if (apart_) continue;
      name_by_files(table);
      problem.axes.push_back(table.axis);
    }
    if (list_ != nullptr) list_->put_into(problem);
    problem.groups = grouped(problem);
    return problem;
  }

 private:
  // A combination: of which model, with which base parameters and which distributions.
  struct Combination {
    int model = -1;
    int draws = 0;
    std::vector<double> parameters;
  };
  struct ModelClass {
    Problem problem;
    std::shared_ptr<const Model> model;
    StepOptions step;
    std::vector<double> parameters;
    std::string rest;
  };
  struct Raw {
    AxisReading reading;
    std::shared_ptr<const Model> model;
    StepOptions step;
  };

  // Where a combination is kept: of all in the order of the cells, of listed ones as they come.
  std::size_t number(const Place& at) {
    if (list_ != nullptr) {
      const auto [found, is_new] = numbers_.emplace(at, combinations_.size());
      if (is_new) {
        combinations_.emplace_back();
        known_.push_back(0);
      }
      return found->second;
    }
    std::size_t out = 0;
    for (std::size_t k = at.size(); k-- > 0;) out = out * sizes_[k] + at[k];
    return out;
  }

  // The next place along the axes of `along`, the first fastest. False at the end.
  template <class Along>
  bool next(Place& at, const Along& along) const {
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (!along(k)) continue;
      if (++at[k] < sizes_[k]) return true;
      at[k] = 0;
    }
    return false;
  }

  [[noreturn]] void fail_at(const Place& at, const std::string& what, bool axes_too) const {
    if (apart_) throw InputError(what);
    throw InputError(axes_too ? what + " (at " + axes_text(tables_, at) + " of [[axis]])" : what);
  }

  Raw read_one(const Place& at, bool name_axes) const {
    try {
      Raw raw{read_(at), nullptr, {}};
      const Problem& problem = raw.reading.problem;
      raw.model = compile_model(problem.scene);
      raw.step = derive_options(problem.options, problem.scene, problem.arithmetic);
      return raw;
    } catch (const InputError& error) {
      bool named = name_axes;
      for (const AxisTable& table : tables_) {
        for (const std::string& key : table.keys)
          named = named || std::string(error.what()).find(key.substr(key.rfind('.') + 1)) != std::string::npos;
      }
      fail_at(at, error.what(), named);
    } catch (const std::invalid_argument& error) {
      fail_at(at, context_.origin + ": " + error.what(), true);
    }
  }

  void read_first() {
    Raw raw = read_one(Place(tables_.size(), 0), false);
    resolved_ = raw.reading.resolved;
    first_ = raw.reading.problem;
    const double cells = static_cast<double>(first_.grid.cells()) * static_cast<double>(count_);
    if (cells > most_cells && list_ == nullptr && !apart_)
      context_.fail(tables_.back().node, "axis",
                    "with the grid there are more than ten million cells; make it coarser");
    find_files(Place(tables_.size(), 0), raw.reading.resolved);
    place_raw(Place(tables_.size(), 0), raw, first_combination_);
  }

  // Writes into the axes the places of the files that they name, as the reader found them, and their fingerprints.
  void find_files(const Place& at, const Node& resolved) {
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      AxisTable& table = tables_[k];
      if (!table.axis.categorical || table.keys.size() != 1) continue;
      const Node* owner = nullptr;
      const Node* value = find_value(resolved, table.keys.front(), &owner);
      const Node* contents = value == nullptr || owner == nullptr ? nullptr : owner->find("contents");
      if (contents == nullptr || owner->find("file") != value) continue;
      const std::size_t v = at[k];
      if (table.contents.empty()) table.contents.resize(table.axis.size());
      std::string& known = table.contents[v];
      if (!known.empty() && known != contents->text) {
        context_.fail(table.node, "axis",
                      "contents: " + printable(value->text) +
                          " has changed since this problem was resolved; remove contents to take it as it is");
      }
      known = contents->text;
      table.files.resize(table.axis.size());
      table.files[v] = value->text;
    }
  }

  // Reads some combinations in parallel, and places them in order.
  void read_places(const std::vector<Place>& places, std::vector<Combination>& out) {
    out.resize(places.size());
    for (std::size_t first = 0; first < places.size(); first += readings_at_once) {
      const std::size_t count = std::min(readings_at_once, places.size() - first);
      std::vector<Raw> raw(count);
      for_each_in_parallel(count, [&](std::size_t i) { raw[i] = read_one(places[first + i], true); });
      for (std::size_t i = 0; i < count; ++i) {
        remove_derived(resolved_, raw[i].reading.resolved, &given_);
        find_files(places[first + i], raw[i].reading.resolved);
        place_raw(places[first + i], raw[i], out[first + i]);
      }
    }
  }

  void place_raw(const Place& at, Raw& raw, Combination& out) {
    Problem& problem = raw.reading.problem;
    try {
      must_have_the_same_results(first_, problem);
    } catch (const InputError& error) {
      fail_at(at, context_.origin + ": axis: " + error.what(), true);
    }
    out.parameters = base_parameters(problem);
    const std::string rest = bytes_of_rest(problem, out.parameters);
    out.draws = draws_number(problem.uncertain);
    for (std::size_t m = 0; m < models_.size() && out.model < 0 && !apart_; ++m) {
      const ModelClass& other = models_[m];
      if (other.rest == rest && other.step == raw.step && other.problem.options == problem.options &&
          same_model(*other.model, *raw.model))
        out.model = static_cast<int>(m);
    }
    if (out.model >= 0) return;
    out.model = static_cast<int>(models_.size());
    if (models_.size() == most_groups) too_many_scenes();
    problem.resolved_toml.clear();
    problem.content_toml.clear();
    models_.push_back({std::move(problem), raw.model, raw.step, out.parameters, rest});
  }

  int draws_number(const std::vector<UncertainParameter>& uncertain) {
    std::vector<std::string> bytes = bytes_of(uncertain);
    const auto [found, is_new] = draws_by_bytes_.emplace(bytes, static_cast<int>(draws_.size()));
    if (!is_new) return found->second;
    draws_.push_back(uncertain);
    drawn_bytes_.push_back(std::move(bytes));
    return found->second;
  }

  // An axis is composable if along it, from the first combination on, parameters and distributions change alone.
  void find_composable() {
    composable_.assign(tables_.size(), 1);
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      std::vector<Place> row;
      for (std::size_t v = 1; v < sizes_[k]; ++v) {
        row.emplace_back(tables_.size(), 0);
        row.back()[k] = v;
      }
      std::vector<Combination> read;
      read_places(row, read);
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (read[i].model != first_combination_.model) composable_[k] = 0;
        keep(row[i], std::move(read[i]));
      }
    }
    keep(Place(tables_.size(), 0), first_combination_);
  }

  void keep(const Place& at, Combination combination) {
    combinations_[number(at)] = std::move(combination);
    known_[number(at)] = 1;
  }

  void read_missing(const std::vector<Place>& places) {
    std::vector<Place> missing;
    for (const Place& at : places)
      if (known_[number(at)] == 0) missing.push_back(at);
    std::vector<Combination> read;
    read_places(missing, read);
    for (std::size_t i = 0; i < missing.size(); ++i) keep(missing[i], std::move(read[i]));
  }

  // All combinations with the values that `fixed` has on the axes that are not composable.
  void read_all_of(const Place& fixed) {
    std::vector<Place> rows{fixed}, all{fixed}, checks;
    std::size_t longest = 1;
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      if (!composable_[k]) continue;
      longest = std::max(longest, sizes_[k]);
      for (std::size_t v = 1; v < sizes_[k]; ++v) {
        rows.push_back(fixed);
        rows.back()[k] = v;
      }
    }
    for (Place at = fixed; next(at, [this](std::size_t axis) { return composable_[axis] != 0; });) all.push_back(at);
    for (std::size_t i = 0; i < longest; ++i) {
      Place along = fixed, across = fixed;
      for (std::size_t k = 0; k < tables_.size(); ++k) {
        if (!composable_[k]) continue;
        along[k] = across[k] = i * (sizes_[k] - 1) / std::max<std::size_t>(1, longest - 1);
        if (k % 2 == 1) across[k] = sizes_[k] - 1 - across[k];
      }
      checks.push_back(along);
      checks.push_back(across);
    }
    read_rows(fixed, all, rows, checks);
  }

  void read_rows(const Place& fixed, const std::vector<Place>& all, const std::vector<Place>& rows,
                 const std::vector<Place>& checks) {
    read_missing(rows);
    if (all.size() > rows.size() + checks.size() && compose(fixed, all, rows, checks)) return;
    read_missing(all);
  }

  // The combinations of the list, by their values on the axes that are not composable.
  void read_list() {
    std::map<Place, std::vector<Place>> lists;
    for (const Place& at : std::set<Place>(list_->at.begin(), list_->at.end())) {
      Place fixed = at;
      for (std::size_t k = 0; k < at.size(); ++k)
        if (composable_[k]) fixed[k] = 0;
      lists[fixed].push_back(at);
    }
    for (const auto& [fixed, all] : lists) {
      std::vector<Place> rows{fixed}, checks;
      std::size_t longest = 1;
      for (std::size_t k = 0; k < tables_.size(); ++k) {
        std::set<std::size_t> values;
        for (const Place& at : all)
          if (composable_[k] && at[k] != 0) values.insert(at[k]);
        longest = std::max(longest, values.size());
        for (const std::size_t v : values) {
          rows.push_back(fixed);
          rows.back()[k] = v;
        }
      }
      const std::size_t most = std::min(all.size(), 2 * longest);
      for (std::size_t i = 0; i < most; ++i) checks.push_back(all[i * all.size() / most]);
      read_rows(fixed, all, rows, checks);
    }
  }

  // Composes combinations that are not read of those in `rows`. False where that is not possible, or not right.
  bool compose(const Place& fixed, const std::vector<Place>& all, const std::vector<Place>& rows,
               const std::vector<Place>& checks) {
    const Combination base = combinations_[number(fixed)];
    Owners owners;
    if (!find_owners(fixed, base, rows, owners)) return false;
    std::vector<Combination> read;
    read_places(checks, read);
    for (std::size_t i = 0; i < checks.size(); ++i) {
      const Combination made = composed(checks[i], fixed, base, owners);
      if (read[i].model != made.model || read[i].draws != made.draws || read[i].parameters != made.parameters)
        return false;
    }
    for (const Place& at : all)
      if (known_[number(at)] == 0) keep(at, composed(at, fixed, base, owners));
    return true;
  }

  // The axis along which each parameter, and each uncertain number, changes; -1: none.
  struct Owners {
    std::vector<int> parameter, drawn;
  };

  // False where something changes along two axes, or the model along one.
  bool find_owners(const Place& fixed, const Combination& base, const std::vector<Place>& rows, Owners& owners) {
    owners.parameter.assign(base.parameters.size(), -1);
    owners.drawn.assign(drawn_bytes_[static_cast<std::size_t>(base.draws)].size(), -1);
    for (const Place& at : rows) {
      const Combination& row = combinations_[number(at)];
      if (row.model != base.model) return false;
      const auto differs = std::mismatch(at.begin(), at.end(), fixed.begin()).first;
      const auto axis = static_cast<int>(differs - at.begin());
      const auto claim = [axis](int& owner) { return owner < 0 || owner == axis ? (owner = axis, true) : false; };
      for (std::size_t s = 0; s < owners.parameter.size(); ++s)
        if (row.parameters[s] != base.parameters[s] && !claim(owners.parameter[s])) return false;
      for (std::size_t u = 0; u < owners.drawn.size(); ++u) {
        const auto bytes = [&](int draws) { return drawn_bytes_[static_cast<std::size_t>(draws)][u]; };
        if (bytes(row.draws) != bytes(base.draws) && !claim(owners.drawn[u])) return false;
      }
    }
    return true;
  }

  Combination composed(const Place& at, const Place& fixed, const Combination& base, const Owners& owners) {
    const auto row_of = [&](int axis) -> const Combination& {
      Place place = fixed;
      place[static_cast<std::size_t>(axis)] = at[static_cast<std::size_t>(axis)];
      return combinations_[number(place)];
    };
    std::vector<const Combination*> rows;
    for (std::size_t k = 0; k < at.size(); ++k) rows.push_back(&row_of(static_cast<int>(k)));
    Combination out = base;
    for (std::size_t s = 0; s < owners.parameter.size(); ++s) {
      if (owners.parameter[s] < 0) continue;
      out.parameters[s] = rows[static_cast<std::size_t>(owners.parameter[s])]->parameters[s];
    }
    const bool drawn = std::any_of(owners.drawn.begin(), owners.drawn.end(), [](int owner) { return owner >= 0; });
    if (!drawn) return out;
    std::vector<UncertainParameter> uncertain = draws_[static_cast<std::size_t>(base.draws)];
    for (std::size_t u = 0; u < owners.drawn.size(); ++u) {
      if (owners.drawn[u] < 0) continue;
      const Combination& row = *rows[static_cast<std::size_t>(owners.drawn[u])];
      uncertain[u] = draws_[static_cast<std::size_t>(row.draws)][u];
    }
    out.draws = draws_number(uncertain);
    return out;
  }

  // The combinations in the order in which the groups have them.
  std::vector<const Combination*> in_order() {
    std::vector<const Combination*> out;
    if (list_ == nullptr) {
      for (const Combination& one : combinations_) out.push_back(&one);
    } else {
      for (const Place& at : list_->at) out.push_back(&combinations_[number(at)]);
    }
    return out;
  }

  std::shared_ptr<const AxisGroups> grouped(const Problem& problem) {
    AxisGroups out;
    const std::vector<const Combination*> all = in_order();
    std::map<std::pair<int, int>, std::vector<std::size_t>> groups;  // by model and distributions
    for (std::size_t c = 0; c < all.size(); ++c) groups[{all[c]->model, all[c]->draws}].push_back(c);
    if (groups.size() > most_groups) too_many_scenes();
    out.group.assign(all.size(), 0);
    double values = 0.0;
    for (const auto& [key, members] : groups) {
      for (const std::size_t c : members) out.group[c] = static_cast<int>(out.problems.size());
      const ModelClass& model = models_[static_cast<std::size_t>(key.first)];
      auto of_group = std::make_shared<Problem>(model.problem);
      of_group->uncertain = draws_[static_cast<std::size_t>(key.second)];
      of_group->samples = problem.samples;
      of_group->cell_parameters = parameters_of(members, all, model, problem);
      values += static_cast<double>(of_group->cell_parameters.value.size());
      if (list_ != nullptr) {
        list_->put_into(*of_group);
        values += static_cast<double>(list_->x.size() + list_->y.size());
      }
      if (values > most_values) too_many_scenes();
      out.problems.push_back(std::move(of_group));
    }
    return std::make_shared<const AxisGroups>(std::move(out));
  }

  static CellParameters parameters_of(const std::vector<std::size_t>& members,
                                      const std::vector<const Combination*>& all, const ModelClass& model,
                                      const Problem& problem) {
    CellParameters out;
    const std::vector<double>& base = model.parameters;
    bool all_the_same = true;
    for (std::size_t s = 0; s < base.size(); ++s) {
      const double first = all[members.front()]->parameters[s];
      bool set = false;
      for (const std::size_t c : members) {
        set = set || all[c]->parameters[s] != base[s];
        all_the_same = all_the_same && all[c]->parameters[s] == first;
      }
      if (set) out.slot.push_back(static_cast<int>(s));
    }
    const std::size_t grid = problem.listed ? 1 : static_cast<std::size_t>(problem.grid.cells());
    out.cells_each = all_the_same ? grid * all.size() : grid;
    const std::size_t rows = all_the_same ? 1 : all.size(), width = out.slot.size();
    for (std::size_t row = 0; row < rows; ++row)
      for (const int slot : out.slot) out.value.push_back(base[static_cast<std::size_t>(slot)]);
    for (const std::size_t c : members) {
      const std::size_t row = all_the_same ? 0 : c;
      for (std::size_t i = 0; i < width; ++i)
        out.value[row * width + i] = all[c]->parameters[static_cast<std::size_t>(out.slot[i])];
    }
    return out;
  }

  [[noreturn]] void too_many_scenes() const {
    context_.fail(tables_.back().node, "axis",
                  "makes more than " + std::to_string(most_groups) + " different scenes; make it coarser");
  }

  ReadContext& context_;
  std::vector<AxisTable>& tables_;
  const ReadAt& read_;
  const Node& given_;
  Node& resolved_;
  const ListedCells* list_;  // null: all combinations
  bool apart_;
  std::vector<std::size_t> sizes_;  // of the axes
  std::size_t count_ = 1;
  Problem first_;  // at the first values
  Combination first_combination_;
  std::deque<Combination> combinations_;
  std::vector<char> known_;
  std::map<Place, std::size_t> numbers_;  // of listed ones
  std::vector<char> composable_;          // axes
  std::vector<ModelClass> models_;
  std::vector<std::vector<UncertainParameter>> draws_;  // that differ
  std::vector<std::vector<std::string>> drawn_bytes_;   // of these, number by number
  std::map<std::vector<std::string>, int> draws_by_bytes_;
};

}  // namespace

Problem with_axes(ReadContext& context, std::vector<AxisTable>& tables, const ReadAt& read, const Node& given,
                  Node& resolved, const ListedCells* list) {
  return AxisCells(context, tables, read, given, resolved, list).run();
}

}  // namespace pegrasp
