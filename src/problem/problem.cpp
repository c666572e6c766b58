// SPDX-License-Identifier: Apache-2.0
// From the text of a problem file to a Problem: parse, apply overrides, read section by section.
#include "pegrasp/problem.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "src/problem/axis_cells.hpp"
#include "src/problem/given_rows.hpp"
#include "src/problem/grasp_readers.hpp"
#include "src/problem/lift.hpp"
#include "src/problem/limits.hpp"
#include "src/problem/overrides.hpp"
#include "src/problem/problem_tree.hpp"
#include "src/problem/readers.hpp"
#include "src/problem/same_results.hpp"
#include "src/problem/variants.hpp"
#include "src/text/document.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t largest_file = 64u << 20;  // bytes; beyond it the file is no problem file

// Tables of commands that search (design, optimise, plan): no trial depends on them, and those commands read them.
constexpr const char* search_tables[] = {"design", "objective", "plan"};

// Removes the paths of files whose contents have a fingerprint: of tables `file`, of axes `values`. Problems are
// compared by the contents, so that a folder may be moved.
void drop_paths(Node& node) {
  if (node.find("contents") != nullptr) {
    std::erase_if(node.members,
                  [](const Member& member) { return member.first == "file" || member.first == "values"; });
  }
  for (Member& member : node.members) drop_paths(member.second);
  for (Node& item : node.items) drop_paths(item);
}

// Lists the parameters that a grid cell moves: coordinates of the bodies that follow the grid, each with its factor.
void bind_grid(const SceneSpec& scene, const std::vector<Vec2>& factor, Grid& grid) {
  const ParameterLayout layout = parameter_layout(scene);
  for (std::size_t body = 0; body < factor.size(); ++body) {
    const int pose = layout.pose(static_cast<int>(body));
    const auto slot = [&](const std::string& axis) {
      if (axis == "yaw_deg") return layout.yaw(static_cast<int>(body));
      return axis == "x_mm" ? pose : pose + 1;
    };
    if (factor[body].x != 0.0) {
      grid.x_target.push_back(slot(grid.x_name));
      grid.x_factor.push_back(factor[body].x);
    }
    if (factor[body].y != 0.0) {
      grid.y_target.push_back(slot(grid.y_name));
      grid.y_factor.push_back(factor[body].y);
    }
  }
}

// When a cell has enough samples. Written only where it is asked for, as `forces` is.
void read_until(Section& map, Problem& problem) {
  const Node* const node = map.raw("until");
  if (node == nullptr) return;
  Section section(map.context(), node, map.at("until"), keys::until);
  if (section.has("half_width"))
    problem.until.half_width = section.number("half_width", quantity::number, {}, Range{0.0, 0.5, true});
  if (section.has("decided")) {
    problem.until.decided = section.number("decided", quantity::number, {}, Range{0.0, 1.0, true});
    if (problem.until.decided == 1.0) section.fail("decided", "must be less than 1: no count of trials shows 1");
  }
  if (!problem.until.any()) map.fail("until", "says nothing; give half_width, or decided, or both");
  map.put("until", section.finish(false));
}

void read_map(ReadContext& context, Section& root, const std::shared_ptr<const NumberTable>& rows, Problem& problem) {
  Section section(context, root.raw("map"), "map", keys::map);
  problem.title = section.text("title", "");
  problem.samples = static_cast<int>(section.integer("samples", 30, 1, most_samples));
  problem.seed = static_cast<std::uint64_t>(section.integer("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  // Written only where it is asked for, so that results of other problems keep their bytes.
  if (section.has("forces")) problem.scene.measure_forces = section.boolean("forces", false);
  read_until(section, problem);
  read_refine(section, problem);
  read_sampling(section, rows, problem);
  root.put("map", section.finish(true));
}

// none: the protocol of a problem with grasps asks for a scene without gravity.
void read_gravity(ReadContext& context, Section& root, SceneSpec& scene, BodyReadings& readings, bool none) {
  if (scene.spatial) {
    Section section(context, root.raw("gravity"), "gravity", keys::spatial_gravity);
    scene.gravity.x = section.number("x", quantity::acceleration, 0.0);
    scene.gravity.y = section.number("y", quantity::acceleration, 0.0);
    scene.gravity_z = section.number("z", quantity::acceleration, none ? 0.0 : -9.81);
    if (none && (scene.gravity.x != 0.0 || scene.gravity.y != 0.0 || scene.gravity_z != 0.0)) {
      section.fail("",
                   "is there, but the protocol pulls the part by its weight instead; remove it, or set gravity = "
                   "true in a protocol of your own");
    }
    read_tilt(section, scene, readings.changes);
    root.put("gravity", section.finish(true));
    return;
  }
  Section section(context, root.raw("gravity"), "gravity", keys::gravity);
  scene.gravity.x = section.number("x", quantity::acceleration, 0.0);
  scene.gravity.y = section.number("y", quantity::acceleration, 0.0);
  readings.gravity = section.number("normal", quantity::acceleration, 9.81, not_negative);
  read_tilt(section, scene, readings.changes);
  root.put("gravity", section.finish(true));
}

// A problem with a protocol lasts as long as that.
void take_duration(ReadContext& context, Section& root, const Protocol& protocol, StepOptions& options,
                   Node& resolved) {
  const double duration = protocol.duration();
  const Node* given = root.raw("simulation");
  for (const char* key : {"duration_s", "duration_ms"}) {
    const Node* node = given == nullptr ? nullptr : given->find(key);
    if (node != nullptr && !(std::fabs(options.duration - duration) <= 1e-9 * duration)) {
      context.fail(node, std::string("simulation.") + key,
                   "is not what the protocol lasts, which is " + write_real(duration) + " s; leave it out");
    }
  }
  options.duration = duration;
  std::erase_if(resolved.members, [](const Member& member) { return member.first == "duration_ms"; });
  resolved.set("duration_s", Node::of(duration));
}

void put_list(Section& root, const std::string& key, Node list) {
  if (!list.items.empty()) root.put(key, std::move(list));
}

void check_moves(ReadContext& context, const Node* node, const SceneSpec& scene) {
  const bool moves = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                 [](const BodySpec& body) { return body.kind == BodyKind::dynamic; });
  if (moves) return;
  context.fail(node, "body", "there is no dynamic body; add [[body]] with a name, mass_kg and [[body.part]]");
}

// A penalty pushes on a body as the masses of both bodies have it, and so throws one that weighs next to nothing, as
// followers of limited force do by default.
void check_penalty_masses(ReadContext& context, const Node* bodies, const StepOptions& options) {
  if (bodies == nullptr || !is_penalty(options.contact)) return;
  for (std::size_t b = 0; b < bodies->items.size(); ++b) {
    const Node& body = bodies->items[b];
    const auto has = [&](const char* base) {
      return std::any_of(body.members.begin(), body.members.end(),
                         [&](const Member& member) { return key_base(member.first) == base; });
    };
    const Node* const limit = body.find("max_force_n");
    if (limit == nullptr || has("mass") || has("density")) continue;
    context.fail(limit, "body[" + std::to_string(b) + "].max_force_n",
                 "needs a mass with contact penalty, which throws bodies of next to no mass; give mass_kg");
  }
}

bool holds_key(const Node& node, const std::string& key) {
  const auto below = [&key](const auto& list, const auto& node_of) {
    return std::any_of(list.begin(), list.end(), [&](const auto& item) { return holds_key(node_of(item), key); });
  };
  return node.find(key) != nullptr || below(node.items, [](const Node& item) -> const Node& { return item; }) ||
         below(node.members, [](const Member& member) -> const Node& { return member.second; });
}

// Refuses keys of [simulation] that no cell and no variant of the problem reads, and gives those that others read their
// defaults here. moved: what axes make of contact, integrator and solver. shells: whether a cell or variant has any.
void settle_options(ReadContext& context, const Node* simulation, StepChoices moved, bool shells, Problem& problem) {
  const StepChoices own = choices_of(problem.options);
  if (moved.contacts.empty()) moved.contacts = own.contacts;
  if (moved.integrators.empty()) moved.integrators = own.integrators;
  if (moved.solvers.empty()) moved.solvers = own.solvers;
  SceneTraits traits = traits_of(problem.scene);
  reset_unread(problem.options, traits);
  traits.shells = traits.shells || shells;
  check_option_use(context, simulation, moved, traits, true);
}

// What counts from a time on must begin before the end.
void check_since(ReadContext& context, const Node* success, const Problem& problem) {
  for (const Predicate& p : problem.scene.success) {
    if (time_of(p) != PredicateTime::throughout) continue;
    const bool force = properties(p.kind).forces;
    if (p.since < problem.options.duration - (force ? 0.5 : 1.5) * problem.options.h) continue;
    context.fail(success, "success",
                 force ? "contact_force_n begins at the end of the trial or later; give an earlier since_s"
                       : "held begins at the end of the trial or later, so that nothing would be held; give an earlier "
                         "since_s");
  }
}

void write_resolved(Node resolved, Problem& problem) {
  problem.resolved_toml = write_toml(resolved);
  drop_paths(resolved);
  for (const char* table : search_tables)
    std::erase_if(resolved.members, [table](const Member& member) { return member.first == table; });
  // What is added to a map changes nothing in it.
  if (Node* map = resolved.find("map"))
    std::erase_if(map->members, [](const Member& member) { return member.first == "refine"; });
  problem.content_toml = write_toml(resolved);
}

SpaceSettings read_space_of(ReadContext& context, Section& root, bool spatial) {
  const Node* node = root.raw("space");
  if (node == nullptr) return {};
  Node resolved;
  const SpaceSettings space = read_space(context, node, spatial, resolved);
  root.put("space", std::move(resolved));
  return space;
}

// What does not go with [grasps].
void check_grasps(const Section& root, const Problem& problem) {
  if (root.has("grid")) root.fail("grid", "stands beside [grasps], which are the cells; remove one of them");
  if (!problem.scene.spatial) root.fail("grasps", "are for problems in 3D; set dim = 3");
  if (problem.refine.levels > 0) root.fail("grasps", "have no cells between them; leave out map.refine");
}

// The names of uncertain parameters and groups come first: every other section may refer to them. Returns the resolved
// tables that are not empty.
Node read_names(ReadContext& context, Section& root) {
  Node uncertain, group, out;
  context.uncertainties->read(context, root.raw("uncertain"), root.raw("group"), uncertain, group);
  for (auto& [key, table] : {std::pair<const char*, Node&>{"group", group}, {"uncertain", uncertain}}) {
    table.expanded = true;
    if (!table.members.empty()) out.set(key, std::move(table));
  }
  return out;
}

// What Uncertainties::give() takes.
struct GivenRows {
  std::shared_ptr<const NumberTable> rows;
  std::vector<std::size_t> of_scenes;
};

void check_grid_moves(const ReadContext& context, const Node* table, const Grid& grid) {
  if (grid.cells() <= 1 || !grid.x_target.empty() || !grid.y_target.empty()) return;
  context.fail(table, "grid", "moves no body; set follows_grid = true in the bodies that follow it");
}

// A problem without axes, and its resolved form. axes: null, or it is that of some cells of a problem that has axes,
// with these choices.
Problem read_problem(Node document, const std::string& origin, const std::filesystem::path& folder, Node& resolved,
                     const StepChoices* axes, const GivenRows& given) {
  Uncertainties uncertainties;
  uncertainties.give(given.rows, given.of_scenes);
  ReadContext context{origin, &uncertainties, folder};
  const bool shells = holds_key(document, "shell");
  choose_variants(context, document);
  Section root(context, &document, "", keys::root);
  Problem problem;
  SceneSpec& scene = problem.scene;

  scene.spatial = root.integer("dim", 2, 2, 3) == 3;
  read_map(context, root, given.rows, problem);
  scene.name = problem.title;
  const std::optional<Protocol> protocol = read_protocol_of(context, root);
  if (protocol) {
    check_grasps(root, problem);
  } else {
    problem.grid.given = axes == nullptr || root.has("grid");
    Node resolved_grid = read_grid(context, root.raw("grid"), scene.spatial, problem.grid);
    if (problem.grid.given) root.put("grid", std::move(resolved_grid));
  }
  Node resolved_simulation =
      read_simulation(context, root.raw("simulation"), scene.spatial, problem.options, problem.arithmetic, scene);
  if (protocol) take_duration(context, root, *protocol, problem.options, resolved_simulation);
  root.put("simulation", std::move(resolved_simulation));

  Node names = read_names(context, root);
  BodyReadings readings;
  read_gravity(context, root, scene, readings, protocol && !protocol->gravity);
  const SpaceSettings space = read_space_of(context, root, scene.spatial);

  put_list(root, "body", read_bodies(context, root.raw("body"), scene, readings));
  std::vector<ActuatorSpec> added;  // behind the actuators of the file: springs of pads, what resists in joints
  add_pads(context, readings, scene, added);
  GripperReadings gripper;
  if (const Node* hand = root.raw("gripper")) {
    root.put("gripper", read_gripper(context, hand, scene, readings, added, gripper));
  }
  put_list(root, "urdf", read_urdf_list(context, root.raw("urdf"), scene, added));
  put_list(root, "pad", read_pads(context, root.raw("pad"), scene, added));
  check_moves(context, root.raw("body"), scene);
  check_penalty_masses(context, root.raw("body"), problem.options);
  put_list(root, "no_contact", read_no_contact(context, root.raw("no_contact"), scene));
  const std::size_t robot_joints = scene.joints.size();
  put_list(root, "joint", read_joints(context, root.raw("joint"), scene));
  put_list(root, "coupling", read_couplings(context, root.raw("coupling"), scene));
  put_list(root, "friction", read_friction(context, root.raw("friction"), scene));
  add_gripper_friction(context, gripper, scene);
  if (!wants_shells(root.raw("simulation"))) remove_shells(scene);
  put_list(root, "actuator", read_actuators(context, root.raw("actuator"), scene));
  put_list(root, "spring", read_springs(context, root.raw("spring"), scene));
  const Node* success = root.raw("success");
  if (protocol) {
    read_grasp_cells(context, root, *protocol, {added, gripper}, success != nullptr, problem);
    compare_object_scale(document, problem);
  }
  bind_gripper_force(context, gripper, scene.actuators.size());
  uncertainties.place_actuators(static_cast<int>(scene.actuators.size()));
  scene.actuators.insert(scene.actuators.end(), added.begin(), added.end());
  put_list(root, "joint_offset", read_joint_offsets(context, root.raw("joint_offset"), problem));
  if (success != nullptr) root.put("success", read_success(context, success, scene, scene.success));
  check_since(context, success, problem);
  for (Member& table : names.members) root.put(table.first, std::move(table.second));
  if (const Node* given = root.raw("correlation")) root.put("correlation", *given);
  for (const char* table : search_tables)
    if (const Node* given = root.raw(table)) root.put(table, *given);
  resolved = root.finish(false);
  problem.uncertain = uncertainties.finish(context, scene, document.find("uncertain"));
  scale_joints_of(context, document, readings, scene);
  problem.changes = readings.changes;
  read_correlations(context, document.find("correlation"), problem);
  problem.tripods = std::move(readings.tripods);
  bind_grid(scene, readings.grid_factor, problem.grid);
  couple_bodies(context, document.find("joint"), problem, robot_joints);
  place_joint_offsets(context, document.find("joint_offset"), problem);
  if (!protocol) begin_servos(context, document.find("actuator"), problem);
  if (!protocol) check_grid_moves(context, document.find("grid"), problem.grid);
  settle_options(context, root.raw("simulation"), axes != nullptr ? *axes : StepChoices{}, shells, problem);
  if (space.lift) return lifted(context, root.raw("space"), problem, readings.gravity, space);
  return problem;
}

// choose: may be null.
Problem read_with_axes(Node document, const std::string& origin, const std::filesystem::path& folder, Node& resolved,
                       const ChooseCells& choose) {
  ReadContext context{origin, nullptr, folder};
  if (const Node* grasps = document.find("grasps"))
    context.fail(grasps, "grasps", "stands beside [[axis]], and a map has one of the two; remove one of them");
  std::vector<AxisTable> tables = read_axes(context, document, document.find("grid") != nullptr);
  std::erase_if(document.members, [](const Member& member) { return member.first == "axis"; });
  const StepChoices choices = choices_of(tables);
  const ReadAt read = [&](const std::vector<std::size_t>& at) {
    AxisReading reading;
    Node here = document;
    set_axes(here, tables, at, origin);
    reading.problem = read_problem(std::move(here), origin, folder, reading.resolved, &choices, {});
    return reading;
  };
  if (choose) {
    const ListedCells chosen = choose(tables);
    return with_axes(context, tables, read, document, resolved, &chosen);
  }
  Problem problem = with_axes(context, tables, read, document, resolved);
  const auto after_map = std::find_if(resolved.members.begin(), resolved.members.end(),
                                      [](const Member& member) { return member.first == "simulation"; });
  resolved.members.insert(after_map, {"axis", resolved_axes(tables)});
  return problem;
}

using ReadTree = std::function<Problem(Node document, Node& resolved)>;

// The problem at each combination of variants that are left to chance, and its resolved form.
Problem read_with_variants(ReadContext& context, Node document, const std::vector<VariantTable>& tables,
                           const ReadTree& read, Node& resolved) {
  const auto choose = [&tables](Node& tree, const std::function<std::string(std::size_t table)>& name) {
    for (std::size_t k = 0; k < tables.size(); ++k)
      tree.find("body")->items[tables[k].body].set("variant", Node::of(name(k)));
  };
  const auto any = [](std::size_t) { return std::string("any"); };
  choose(document, any);
  auto variants = std::make_shared<Variants>();
  Uncertainties streams;
  for (const VariantTable& table : tables) {
    BodyVariants body{table.name, table.names, {}, streams.claim_stream(context, "variant." + table.name)};
    body.chosen.kind = DistributionKind::choice;
    for (std::size_t k = 0; k < table.names.size(); ++k) body.chosen.values.push_back(static_cast<double>(k));
    body.chosen.weights = table.weights;
    variants->bodies.push_back(std::move(body));
  }
  std::vector<std::size_t> at(tables.size(), 0);
  for (bool more = true; more;) {
    Node here = document, own;
    choose(here, [&](std::size_t k) { return tables[k].names[at[k]]; });
    const Problem problem = read(here, own);
    if (variants->problems.empty()) {
      resolved = std::move(own);
    } else {
      try {
        must_have_the_same_results(*variants->problems.front(), problem);
      } catch (const InputError& error) {
        context.fail(here.find("body"), "body." + tables.front().name + ".variants", error.what());
      }
      remove_derived(resolved, own, &document);
    }
    variants->problems.push_back(std::make_shared<const Problem>(problem));
    more = false;
    for (std::size_t k = 0; k < at.size() && !more; ++k) {
      at[k] = (at[k] + 1) % tables[k].names.size();
      more = at[k] != 0;
    }
  }
  choose(resolved, any);
  Problem problem = *variants->problems.front();
  problem.variants = std::move(variants);
  return problem;
}

// A problem whose variants may be left to chance.
Problem with_variants(ReadContext& context, Node document, const ReadTree& read, Node& resolved) {
  const std::vector<VariantTable> tables = variants_left_to_chance(context, document);
  if (tables.empty()) return read(std::move(document), resolved);
  return read_with_variants(context, std::move(document), tables, read, resolved);
}

Problem parse_in(const std::string& text, const std::string& origin, const std::filesystem::path& folder,
                 const std::vector<Override>& overrides) {
  return problem_of_tree(parse_toml(text, origin), origin, folder, overrides);
}

}  // namespace

Problem problem_of_tree(Node document, const std::string& origin, const std::filesystem::path& folder,
                        const std::vector<Override>& overrides) {
  for (const Override& change : overrides) apply_override(document, change, origin);
  take_object_scale(document, folder);
  const std::shared_ptr<const NumberTable> rows = rows_of(document, folder);
  const Node* axes = document.find("axis");
  const bool none = axes != nullptr && axes->type == Node::Type::array && axes->items.empty();
  if (none) std::erase_if(document.members, [](const Member& member) { return member.first == "axis"; });
  const bool moved = axes != nullptr && !none;
  if (moved && rows) {
    throw InputError(origin + ": map.samples_from: stands beside [[axis]]; give the keys of the axes as columns of " +
                     printable(rows->file.string()) + ", or remove one of the two");
  }
  ReadContext context{origin, nullptr, folder};
  const ReadDocument read = [&](Node here, const std::vector<std::size_t>& of_scenes, Node& here_resolved) {
    return read_problem(std::move(here), origin, folder, here_resolved, nullptr, {rows, of_scenes});
  };
  const ReadTree read_all = [&](Node here, Node& resolved) {
    if (moved) return read_with_axes(std::move(here), origin, folder, resolved, nullptr);
    return rows ? read_with_rows(here, context, *rows, read, resolved) : read(std::move(here), {}, resolved);
  };
  Node resolved;
  Problem problem = with_variants(context, std::move(document), read_all, resolved);
  write_resolved(std::move(resolved), problem);
  return problem;
}

Problem listed_of_tree(Node document, const std::string& origin, const ChooseCells& choose) {
  ReadContext context{origin, nullptr, {}};
  Node resolved;
  const ReadTree read = [&](Node here, Node& own) { return read_with_axes(std::move(here), origin, {}, own, choose); };
  return with_variants(context, std::move(document), read, resolved);
}

Problem parse_problem(const std::string& text, const std::string& origin, const std::vector<Override>& overrides) {
  return parse_in(text, origin, std::filesystem::path(origin).parent_path(), overrides);
}

Problem load_problem(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  const std::string origin = printable(file.string());
  try {
    return parse_in(read_file(file, largest_file, Pipes::read), origin, file.parent_path(), overrides);
  } catch (const ReadError& error) {
    throw InputError(origin + ": " + error.what());
  }
}

}  // namespace pegrasp
