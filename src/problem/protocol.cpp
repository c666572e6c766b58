// SPDX-License-Identifier: Apache-2.0
#include "src/problem/protocol.hpp"

#include <algorithm>
#include <system_error>

#include "src/formats/mesh_file.hpp"
#include "src/geometry/vectors.hpp"
#include "src/machine/share.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t most_phases = 100;
constexpr const char* protocol_ending = ".toml";

Vec3 vector_of(Section& section, const std::string& base, const Quantity& quantity) {
  if (!section.has(base, quantity)) {
    for (const Unit& unit : quantity.units) section.raw(unit_key(base, unit));
    return {};
  }
  const std::vector<double> v = section.numbers(base, quantity, 3, 3);
  return {v[0], v[1], v[2]};
}

ProtocolPhase read_phase(ReadContext& context, const Node& node, std::size_t index, std::vector<Node>& resolved) {
  Section section(context, &node, "protocol.phase[" + std::to_string(index) + "]", keys::protocol_phase);
  ProtocolPhase phase;
  phase.name = section.text("name", {});
  if (!is_name(phase.name)) section.fail("name", name_rule);
  phase.time = section.number("time", quantity::long_duration, {}, positive);
  phase.move = vector_of(section, "move", quantity::length);
  phase.turn = vector_of(section, "turn", quantity::angle);
  if (!(length(phase.turn) < 3.1415)) {
    section.fail("turn_deg", "turns by half a turn or more; divide it among several phases");
  }
  phase.pull = vector_of(section, "pull_weights", quantity::number);
  phase.force = vector_of(section, "pull", quantity::force);
  static const std::vector<std::string> frames{"gripper", "world"};
  phase.world = section.choice("along", frames, 0) == 1;
  phase.close = section.boolean("close", false);
  resolved.push_back(section.finish(true));
  return phase;
}

// Folders of the protocols that come with the program.
std::vector<std::filesystem::path> protocol_folders() {
  std::vector<std::filesystem::path> folders = share_folders();
  for (std::filesystem::path& folder : folders) folder /= "protocols";
  return folders;
}

Node load_protocol(const std::filesystem::path& file) {
  const std::string origin = printable(file.string());
  try {
    Node root = parse_toml(read_part_file(file), origin);
    mark_given_by(root, origin);
    const Node* table = root.find("protocol");
    if (table == nullptr || root.members.size() != 1) {
      throw InputError(origin + ": must hold the table [protocol] and nothing else; copy one that comes with pegrasp");
    }
    return *table;
  } catch (const ShapeError& error) {
    throw InputError(error.what());
  }
}

}  // namespace

double Protocol::begin_of(std::size_t phase) const {
  double time = 0.0;
  for (std::size_t k = 0; k < phase; ++k) time += phases[k].time;
  return time;
}

double Protocol::duration() const { return begin_of(phases.size()); }

std::size_t Protocol::closing() const {
  const auto at = std::find_if(phases.begin(), phases.end(), [](const ProtocolPhase& phase) { return phase.close; });
  return static_cast<std::size_t>(at - phases.begin());
}

Protocol read_protocol(ReadContext& context, const Node& node, Node& resolved) {
  Section section(context, &node, "protocol", keys::protocol);
  Protocol out;
  out.name = section.text("name", {});
  if (!is_name(out.name)) section.fail("name", name_rule);
  out.version = static_cast<int>(section.integer("version", {}, 1, 1'000'000));
  section.text("about", "");
  out.gravity = section.boolean("gravity", false);
  out.slip = section.number("slip", quantity::length, {}, positive);
  out.tilt = section.number("tilt", quantity::angle, 180.0, positive);
  out.touching = section.number("touching", quantity::duration, 50.0, positive);
  std::vector<Node> phases;
  const Node* list = section.raw("phase");
  for (const Node* item : table_list(context, list, "protocol.phase")) {
    out.phases.push_back(read_phase(context, *item, out.phases.size(), phases));
  }
  if (out.phases.empty()) section.fail("phase", "is missing; add [[protocol.phase]] with a name and time_s");
  if (out.phases.size() > most_phases) section.fail("phase", "has more than 100 phases; join some");
  const auto closing =
      std::count_if(out.phases.begin(), out.phases.end(), [](const ProtocolPhase& phase) { return phase.close; });
  if (closing != 1) section.fail("phase", "must have one phase with close = true; give it to the phase that closes");
  if (out.closing() + 1 == out.phases.size()) {
    section.fail("phase", "ends with the phase that closes, so that nothing would be held; add another");
  }
  Node all = Node::list(std::move(phases));
  all.expanded = true;
  section.put("phase", std::move(all));
  resolved = section.finish(true);
  return out;
}

Node find_protocol(const std::string& name, const std::filesystem::path& folder) {
  if (name.find_first_of("./") != std::string::npos) return load_protocol(folder / name);
  std::vector<std::string> known;
  std::error_code error;
  for (const std::filesystem::path& place : protocol_folders()) {
    const std::filesystem::path file = place / (name + protocol_ending);
    if (std::filesystem::exists(file, error)) return load_protocol(file);
    for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
      if (entry.path().extension() == protocol_ending) known.push_back(entry.path().stem().string());
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw InputError("there is no protocol \"" + printable(name) + "\"" + suggestion(name, known) +
                   "; give one that comes with pegrasp, or the path of a file");
}

}  // namespace pegrasp
