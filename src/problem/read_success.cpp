// SPDX-License-Identifier: Apache-2.0
// Reader of [success]: a tree of predicates, flattened to a postfix program in the order of the file. One key of a
// table names its predicate: all, any, not, gap_below_mm, pose_within, speed_below_mm_s, displacement_below_mm, held,
// touching, contact_force_n.
#include <algorithm>
#include <limits>
#include <utility>

#include "src/problem/readers.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

constexpr int deepest_nesting = 32;

class SuccessReader {
 public:
  SuccessReader(ReadContext& context, const SceneSpec& scene, std::vector<Predicate>& program)
      : context_(context), scene_(scene), program_(program) {}

  Node read(const Node& node, const std::string& path, int depth, bool expanded) {
    Section section(context_, &node, path, keys::predicate);
    if (depth > deepest_nesting) section.fail("", "is nested more than 32 deep; flatten the predicate");
    static const std::vector<std::string> words{"all",
                                                "any",
                                                "not",
                                                "gap_below_mm",
                                                "gap_below_m",
                                                "pose_within",
                                                "held",
                                                "speed_below_mm_s",
                                                "speed_below_m_s",
                                                "displacement_below_mm",
                                                "displacement_below_m",
                                                "touching",
                                                "contact_force_n"};
    std::string word;
    for (const std::string& candidate : words) {
      if (!section.has(candidate)) continue;
      if (!word.empty())
        section.fail(candidate, "stands beside \"" + word + "\"; combine the two in all = [{...}, {...}]");
      word = candidate;
    }
    if (word.empty()) {
      section.fail("",
                   "holds no predicate; give one of all, any, not, gap_below_mm, pose_within, held, speed_below_mm_s, "
                   "displacement_below_mm, touching, contact_force_n");
    }
    if (word == "all" || word == "any") {
      read_list(section, word, depth);
    } else if (word == "not") {
      Node inner = read(*section.raw("not"), section.at("not"), depth + 1, false);
      section.put("not", std::move(inner));
      Predicate negate;
      negate.kind = PredicateKind::negate;
      negate.count = 1;
      program_.push_back(negate);
    } else if (word == "pose_within") {
      read_pose(section);
    } else if (word == "held") {
      read_held(section);
    } else if (word.starts_with("gap")) {
      read_gap(section);
    } else if (word.starts_with("speed")) {
      read_speed(section);
    } else if (word == "touching" || word == "contact_force_n") {
      read_force(section, word == "touching");
    } else {
      Predicate leaf;
      leaf.kind = PredicateKind::displacement_below;
      leaf.value = section.number("displacement_below", quantity::length, {}, positive);
      leaf.body = body(section, "of", {});
      program_.push_back(leaf);
    }
    return section.finish(expanded);
  }

 private:
  void read_list(Section& section, const std::string& word, int depth) {
    const Node* list = section.raw(word);
    if (list->type != Node::Type::array || list->items.empty()) {
      section.fail(word, "must be a list of predicates; write " + word + " = [{...}, {...}]");
    }
    std::vector<Node> resolved;
    for (const Node& item : list->items) {
      resolved.push_back(read(item, section.at(word) + "[" + std::to_string(resolved.size()) + "]", depth + 1, false));
    }
    Predicate combine;
    combine.kind = word == "all" ? PredicateKind::all : PredicateKind::any;
    combine.count = static_cast<int>(resolved.size());
    section.put(word, Node::list(std::move(resolved)));
    program_.push_back(combine);
  }

  void read_gap(Section& section) {
    Predicate leaf;
    leaf.kind = PredicateKind::gap_below;
    leaf.value = section.number("gap_below", quantity::length, {}, not_negative);
    leaf.part_b = part(section, "of");
    leaf.part_a = part(section, "from");
    if (leaf.part_a == leaf.part_b) section.fail("of", "and from are the same part; name two parts");
    const Node* side = section.raw("side");
    if (scene_.spatial) {
      if (side != nullptr) section.fail("side", "is for planar problems so far; remove it");
    } else if (side == nullptr) {
      section.put("side", Node::list({Node::of(0.0), Node::of(0.0)}));
    } else {
      const Vec2 v = section.point("side", quantity::number, {});
      leaf.side = v.x == 0.0 && v.y == 0.0 ? v : section.direction("side", {});
    }
    program_.push_back(leaf);
  }

  void read_pose(Section& section) {
    Predicate leaf;
    leaf.kind = PredicateKind::pose_within;
    leaf.body = body(section, "pose_within", {});
    const std::string relative = section.text("relative_to", "");
    if (!relative.empty()) {
      leaf.body_b = find_body(context_, section.raw("relative_to"), section.at("relative_to"), scene_, relative);
      if (leaf.body_b == leaf.body) section.fail("relative_to", "is the body itself; name another body");
    }
    const double wide = std::numeric_limits<double>::max();
    const auto bounds = [&](const char* base, const Quantity& quantity, double& low, double& high) {
      low = -wide;
      high = wide;
      if (!section.has(base, quantity)) {
        for (const Unit& unit : quantity.units) section.raw(unit_key(base, unit));
        return 0;
      }
      const std::vector<double> both = section.numbers(base, quantity, 2, 2);
      low = both[0];
      high = both[1];
      if (!(low <= high))
        section.fail("", std::string(base) + " must be [low, high] with low <= high; swap the bounds");
      return 1;
    };
    if (section.has("point", quantity::length)) {
      const std::size_t axes = scene_.spatial ? 3 : 2;
      const std::vector<double> at = section.numbers("point", quantity::length, axes, axes);
      leaf.point = {at[0], at[1], scene_.spatial ? at[2] : 0.0};
    }
    int given = bounds("x", quantity::length, leaf.low.x, leaf.high.x);
    given += bounds("y", quantity::length, leaf.low.y, leaf.high.y);
    if (scene_.spatial) {
      given += bounds("z", quantity::length, leaf.low_z, leaf.high_z);
      given += section.has("tilt", quantity::angle) ? 1 : 0;
      leaf.tilt = tilt(section);
      if (given == 0) section.fail("", "bounds nothing; give x_mm, y_mm or z_mm as [low, high], or tilt_deg");
    } else {
      given += bounds("turn", quantity::angle, leaf.low.theta, leaf.high.theta);
      if (given == 0) section.fail("", "bounds nothing; give x_mm, y_mm or turn_deg as [low, high]");
      read_modulo(section, leaf);
    }
    leaf.duration = section.number("for", quantity::duration, 0.0, not_negative);
    program_.push_back(leaf);
  }

  // Turns that count but for whole multiples of an angle.
  static void read_modulo(Section& section, Predicate& leaf) {
    if (!section.has("turn_modulo", quantity::angle)) return;
    leaf.value = section.number("turn_modulo", quantity::angle, {}, positive);
    if (leaf.high.theta - leaf.low.theta < leaf.value) return;
    section.fail("", "turn_modulo_deg must be wider than the bounds of turn_deg; any turn would do, so leave both out");
  }

  void read_held(Section& section) {
    Predicate leaf;
    leaf.kind = PredicateKind::held;
    leaf.body = body(section, "held", {});
    const std::string holder = section.text("in", "");
    if (!holder.empty()) {
      leaf.body_b = find_body(context_, section.raw("in"), section.at("in"), scene_, holder);
      if (leaf.body_b == leaf.body) section.fail("in", "is the body itself; name what holds it");
    }
    leaf.since = section.number("since", quantity::long_duration, 0.0, not_negative);
    leaf.value = section.number("slip", quantity::length, {}, not_negative);
    leaf.tilt = tilt(section);
    program_.push_back(leaf);
  }

  void read_speed(Section& section) {
    Predicate leaf;
    leaf.kind = PredicateKind::speed_below;
    leaf.value = section.number("speed_below", quantity::speed, {}, positive);
    leaf.body = body(section, "of", {});
    leaf.duration = section.number("for", quantity::duration, 0.0, not_negative);
    program_.push_back(leaf);
  }

  void read_force(Section& section, bool touching) {
    Predicate leaf;
    leaf.kind = touching ? PredicateKind::touching : PredicateKind::contact_force;
    leaf.body = body(section, touching ? "touching" : "of", {});
    const std::string other = section.text("with", "");
    if (!other.empty()) {
      leaf.body_b = find_body(context_, section.raw("with"), section.at("with"), scene_, other);
      if (leaf.body_b == leaf.body) section.fail("with", "is the body itself; name another body");
    }
    if (!touching) {
      const std::vector<double> both = section.numbers("contact_force", quantity::force, 2, 2, not_negative);
      leaf.value = both[0];
      leaf.most = both[1];
      if (!(leaf.value <= leaf.most))
        section.fail("contact_force_n", "must be [low, high] with low <= high; swap the bounds");
      leaf.count = section.has("since", quantity::long_duration) ? 1 : 0;
    }
    if (leaf.count != 0) {
      leaf.since = section.number("since", quantity::long_duration, {}, not_negative);
    } else {
      leaf.duration = section.number("for", quantity::duration, 0.0, not_negative);
    }
    program_.push_back(leaf);
  }

  // In 3D no turn is larger than half a turn, so that a bound of half a turn bounds nothing. In 2D turns add up.
  double tilt(Section& section) const {
    if (!section.has("tilt", quantity::angle)) {
      for (const Unit& unit : quantity::angle.units) section.raw(unit_key("tilt", unit));
      return Predicate{}.tilt;
    }
    const double most = section.number("tilt", quantity::angle, {}, not_negative);
    return !scene_.spatial || most < 3.1415 ? most : Predicate{}.tilt;
  }

  int body(Section& section, const std::string& key, std::optional<std::string> fallback) {
    const std::string name = section.text(key, std::move(fallback));
    return find_body(context_, section.raw(key), section.at(key), scene_, name);
  }

  // The end of the name of the body that a part's name begins with: in quotes, or the longest that fits, because names
  // from a URDF may hold points.
  std::size_t body_end(const std::string& name) const {
    if (!name.empty() && name.front() == '"') {
      const std::size_t quote = name.find('"', 1);
      if (quote != std::string::npos) return quote + 1;
    }
    std::size_t end = std::min(name.find('.'), name.size());
    for (const BodySpec& body : scene_.bodies) {
      const std::size_t size = body.name.size();
      if (name.compare(0, size, body.name) == 0 && (size == name.size() || name[size] == '.'))
        end = std::max(end, size);
    }
    return end;
  }

  // Reads the name of a part: "gear.tooth_1", or the name of the body alone where it has only one part.
  int part(Section& section, const std::string& key) {
    const std::string name = section.text(key, {});
    const std::size_t end = body_end(name);
    const bool quoted = end > 1 && name.front() == '"' && name[end - 1] == '"';
    const std::string body_name = quoted ? name.substr(1, end - 2) : name.substr(0, end);
    const int index = find_body(context_, section.raw(key), section.at(key), scene_, body_name);
    const std::vector<std::string> names = part_names(scene_.bodies[static_cast<std::size_t>(index)]);
    std::string part_name = end < name.size() ? name.substr(end + 1) : "";
    if (part_name.empty() && names.size() == 1) part_name = names.front();
    if (part_name.empty()) {
      section.fail(key, "\"" + printable(body_name) + "\" has several parts; name one, such as \"" +
                            printable(body_name + "." + names.front()) + "\"");
    }
    if (std::find(names.begin(), names.end(), part_name) == names.end()) {
      section.fail(key, "body \"" + printable(body_name) + "\" has no part \"" + printable(part_name) + "\"" +
                            suggestion(part_name, names));
    }
    return part_index(scene_, body_name, part_name);
  }

  ReadContext& context_;
  const SceneSpec& scene_;
  std::vector<Predicate>& program_;
};

}  // namespace

Node read_success(ReadContext& context, const Node* node, const SceneSpec& scene, std::vector<Predicate>& program) {
  if (node == nullptr) return {};
  return SuccessReader(context, scene, program).read(*node, "success", 0, true);
}

}  // namespace pegrasp
