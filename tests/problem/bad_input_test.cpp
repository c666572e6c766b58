// SPDX-License-Identifier: Apache-2.0
// Bad problem files: every key wrong in type, range and spelling; each answered by one line that names file and key.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>

#include "pegrasp/problem.hpp"
#include "src/text/document.hpp"
#include "src/text/suggest.hpp"
#include "src/text/units.hpp"
#include "tests/problem/same_problem.hpp"

namespace pegrasp {
namespace {

// The message of the InputError that reading the text throws; empty when it is accepted.
std::string refusal(const std::string& text, const std::vector<Override>& overrides = {}) {
  return test::refusal([&] { parse_problem(text, "bad.toml", overrides); });
}

void expect_one_line(const std::string& message) {
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message.rfind("bad.toml:", 0), 0u) << message;
}

// Calls `visit` with every (table, position of a member) below the node.
void for_each_member(Node& node, const std::function<void(Node&, std::size_t)>& visit) {
  for (std::size_t i = 0; i < node.members.size(); ++i) visit(node, i);
  for (auto& member : node.members) for_each_member(member.second, visit);
  for (Node& item : node.items) for_each_member(item, visit);
}

// The same with the member's path as messages have it: "body[0].part[1].order".
void for_each_path(Node& node, const std::string& path,
                   const std::function<void(Node&, std::size_t, const std::string&)>& visit) {
  const auto below = [&](std::size_t i) { return (path.empty() ? "" : path + ".") + node.members[i].first; };
  for (std::size_t i = 0; i < node.members.size(); ++i) visit(node, i, below(i));
  for (std::size_t i = 0; i < node.members.size(); ++i) for_each_path(node.members[i].second, below(i), visit);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    for_each_path(node.items[i], path + "[" + std::to_string(i) + "]", visit);
  }
}

// What a refusal may name when this member is gone: its key, in any unit; a name that it gave or used (a part, an
// uncertain parameter); or the key that is asked for in its place.
std::set<std::string> may_be_named(const Member& member) {
  std::set<std::string> names{key_base(member.first)};
  const std::function<void(const Node&)> add_texts = [&](const Node& node) {
    if (node.type == Node::Type::text && !node.text.empty()) names.insert(node.text);
    for (const Node& item : node.items) add_texts(item);
    for (const Member& inner : node.members) add_texts(inner.second);
  };
  add_texts(member.second);
  const std::pair<const char*, const char*> instead[] = {
      {"count", "step"},   {"mirror_of", "shape"}, {"points", "radius"},      {"kind", "mass"},
      {"rotary", "speed"}, {"rotary", "position"}, {"shared_group", "group"}, {"variants", "part"}};
  for (const auto& [gone, wanted] : instead) {
    if (key_base(member.first) == gone) names.insert(wanted);
  }
  return names;
}

// Names that the author of a file chooses; another spelling of them is another name, not a mistake.
bool is_free_name(const std::string& key) {
  for (const char* name : {"level", "surface", "contact", "placement", "low", "high", "sharp", "wide", "off"}) {
    if (key == name) return true;
  }
  return false;
}

// In 2D and in 3D.
struct EveryKey : testing::TestWithParam<const char*> {
  // headers as the resolved problem has them, so that every default is a key of its own too
  Node tree =
      parse_toml(load_problem(test::source_file(std::string("tests/problem/") + GetParam())).resolved_toml, GetParam());
};
INSTANTIATE_TEST_SUITE_P(Files, EveryKey, testing::Values("every_key.toml", "every_key_3d.toml"),
                         [](const auto& file) { return file.index == 0 ? "Plane" : "Space"; });

TEST_P(EveryKey, MisspeltIsRefusedWithTheRightSpelling) {
  int count = 0;
  for_each_member(tree, [&](Node& table, std::size_t i) {
    const std::string key = table.members[i].first;
    if (is_free_name(key) || key.size() < 3) return;
    table.members[i].first.insert(key.size() / 2, "q");
    const std::string message = refusal(write_toml(tree));
    table.members[i].first = key;
    ++count;
    expect_one_line(message);
    EXPECT_NE(message.find("did you mean"), std::string::npos) << key << " -> " << message;
    // in any unit: "vy_mq_s" may have been meant as either
    EXPECT_NE(message.find("did you mean \"" + key_base(key)), std::string::npos) << key << " -> " << message;
  });
  EXPECT_GT(count, 150);
}

TEST_P(EveryKey, WrongTypeIsRefusedByName) {
  int count = 0;
  for_each_path(tree, "", [&](Node& table, std::size_t i, const std::string& path) {
    const std::string key = table.members[i].first;
    const Node value = table.members[i].second;
    for (const Node& wrong :
         {Node::of(true), Node::list({Node::of(true)}), Node::of("no such name"), Node::of(-7.25)}) {
      if (wrong.type == value.type) continue;
      // texts that may be anything, numbers where a number may stand
      if (wrong.type == Node::Type::text && (key == "title" || key == "name")) continue;
      if (wrong.type == Node::Type::boolean && key == "follows_grid") continue;
      if (wrong.type == Node::Type::real &&
          (value.is_number() || value.type == Node::Type::table || value.type == Node::Type::text))
        continue;
      table.members[i].second = wrong;
      const std::string message = refusal(write_toml(tree));
      table.members[i].second = value;
      ++count;
      EXPECT_NE(message, "") << path << " = " << write_value(wrong);
      expect_one_line(message);
      EXPECT_NE(message.find(": " + path), std::string::npos)
          << path << " = " << write_value(wrong) << " -> " << message;
    }
  });
  EXPECT_GT(count, 500);
}

TEST_P(EveryKey, NumbersThatAreNotFiniteOrHugeAreRefused) {
  int count = 0;
  const std::function<void(Node&, const std::string&)> visit = [&](Node& node, const std::string& path) {
    for (auto& [key, member] : node.members) visit(member, path + "." + key);
    for (Node& item : node.items) visit(item, path + "[]");
    if (!node.is_number()) return;
    const Node value = node;
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), 1e300, -1e300}) {
      node = Node::of(wrong);
      const std::string message = refusal(write_toml(tree));
      ++count;
      EXPECT_NE(message, "") << path << " = " << wrong;
      expect_one_line(message);
    }
    node = value;
  };
  visit(tree, "");
  EXPECT_GT(count, 500);
}

TEST_P(EveryKey, RemovedIsAcceptedOrNamedInTheRefusal) {
  int refused = 0;
  for_each_path(tree, "", [&](Node& table, std::size_t i, const std::string& path) {
    const auto member = table.members[i];
    table.members.erase(table.members.begin() + static_cast<std::ptrdiff_t>(i));
    const std::string message = refusal(write_toml(tree));
    table.members.insert(table.members.begin() + static_cast<std::ptrdiff_t>(i), member);
    if (message.empty()) return;
    ++refused;
    expect_one_line(message);
    const std::set<std::string> names = may_be_named(member);
    const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      for (std::size_t at = message.find(name); at != std::string::npos; at = message.find(name, at + 1)) {
        const char before = message[at - 1];  // "bad.toml" comes first
        if (before == ' ' || before == '.' || before == '"' || before == '[') return true;
      }
      return false;
    });
    EXPECT_TRUE(named) << path << " -> " << message;
  });
  EXPECT_GT(refused, 50);
}

// A change to the gear and what the answer must contain.
struct BadValue {
  const char* key;
  const char* value;
  const char* expected;
};

class GearWith : public testing::TestWithParam<BadValue> {};

TEST_P(GearWith, IsRefused) {
  const std::string message =
      refusal(test::content(test::source_file("examples/gear/gear.toml")), {{GetParam().key, GetParam().value}});
  expect_one_line(message);
  EXPECT_NE(message.find(GetParam().expected), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    BadValues, GearWith,
    testing::Values(
        BadValue{"body.gear.mass_kg", "-1",
                 "--set body.gear.mass_kg: must be greater than 0, got -1; give the mass in kilograms"},
        BadValue{"body.gear.mas_kg", "1", "--set body.gear.mas_kg: is not a key known here; did you mean"},
        BadValue{"body[0].mass_kg", "-1", "--set body[0].mass_kg: must"},
        BadValue{"body.gear.part.disc", "{ shape = 'disc', radius_mm = -1 }",
                 "--set body.gear.part.disc.radius_mm: must"},
        BadValue{"body.gear.part.disc", "{ shape = 'disc' }", "\"radius_mm\" is missing"},
        BadValue{"body.gear.support.loads", "[1, 1, -3]", "--set body.gear.support.loads[2]: must be greater than 0"},
        BadValue{"body.gear.part.disc.radius_mm", "1e300", "must be greater than 0 mm and at most 1e12 mm, got 1e+300"},
        BadValue{"body.gear.mass_g", "2e12", "must be greater than 0 g and at most 1e12 g, got 2e+12"},
        BadValue{"body.gear.turn_deg", "1e13", "must lie between -1e12 and 1e12"},
        BadValue{"body.gear.mass_kg", "0", "must be greater than 0"}, BadValue{"body.gear.mass_kg", "nan", "finite"},
        BadValue{"body.gear.mass_kg", "'heavy'", "must be a number or the name of an uncertain parameter"},
        BadValue{"body.gear.mass", "1", "did you mean \"mass_kg\"?"},
        BadValue{"body.gear.mass_lb", "1", "did you mean \"mass_kg\"?"},
        BadValue{"body.geer.mass_kg", "1", "did you mean \"gear\"?"},
        BadValue{"body.gear.mass_kg.x", "1", "lies inside"}, BadValue{"body.gear..x", "1", "dotted path"},
        BadValue{"body.7.mass_kg", "1", "there is no element 7"}, BadValue{"simulation.h_ms", "0", "greater than 0"},
        BadValue{"simulation.h_ms", "1e-9", "1e8 steps"}, BadValue{"simulation.h_ms", "[", "is not a TOML value"},
        BadValue{"simulation.h_ms", "1\nx = 2", "is not a TOML value"},
        BadValue{"simulation.contact", "pegg", "did you mean \"peg\"?"},
        BadValue{"simulation.solver", "lemke", "must be one of aj, pgs, jacobi, nncg"},
        BadValue{"simulation.tolerance_m_s", "0", "greater than 0"},
        BadValue{"simulation.tolerance_m_s", "outo", "did you mean \"auto\"?"},
        BadValue{"simulation.max_iterations", "10.5", "whole number"},
        BadValue{"simulation.max_iterations", "0", "between 1 and"},
        BadValue{"simulation.max_iterations", "\"atuo\"", "did you mean \"auto\"?"},
        BadValue{"simulation.jacobi_relaxation", "1.5", "at most 1"},
        BadValue{"simulatoin.h_ms", "1", "did you mean \"simulation\"?"}, BadValue{"map.samples", "0", "between 1 and"},
        BadValue{"map.seed", "-1", "between 0 and"}, BadValue{"map.samples", "true", "whole number"},
        BadValue{"grid.x_mm", "{ from = 0, to = 1, step = 0.3 }", "does not divide"},
        BadValue{"grid.x_mm", "{ from = 1, to = 0, step = 1 }", "must not be less than from"},
        BadValue{"grid.x_mm", "{ from = 0, to = 1, step = 1e-9 }", "10000 cells"},
        BadValue{"grid.x_mm", "[1, 1]", "do not increase"}, BadValue{"grid.x_mm", "[]", "1 or more numbers"},
        BadValue{"gravity.normal_m_s2", "0", "carry the weight"},
        BadValue{"body.gear.support.loads", "[1, 1, 3]", "exceeds the sum of the other two"},
        BadValue{"body.gear.support.loads", "[1, 1]", "three relative loads"},
        BadValue{"body.gear.support.loads[2]", "{ distribution = 'uniform', low = 3, high = 9 }", "almost never"},
        BadValue{"body.gear.support.points_mm", "[[1, 1], [2, 1], [1, 2]]", "cannot stand beside points"},
        BadValue{"body.gear.support", "{ points_mm = [[1, 1], [2, 1], [1, 2]], friction = 0.1 }",
                 "does not hold the centre of mass"},
        BadValue{"body.gear.support", "{ points_mm = [[-1, 0], [1, 0], [2, 0]], friction = 0.1 }",
                 "does not hold the centre of mass"},
        BadValue{"body.gear.support", "{ points_mm = [[1, 0], [0, 1], [-1, 0], [0, -1]], friction = 0.1 }",
                 "must be a list of 3 points of 2 numbers, got 4 points"},
        BadValue{"body.gear.support.friction", "-0.1", "must not be less than 0"},
        BadValue{"body.gear.support.friction", "surface_frction", "did you mean \"surface_friction\"?"},
        BadValue{"body.gear.part.disc.radius_mm", "0", "greater than 0"},
        BadValue{"body.gear.part.tooth_1.order", "1", "between 2 and 16"},
        BadValue{"body.gear.part.tooth_1.polygon_tolerance_mm", "1e-30", "between 1e-5 and 0.2"},
        BadValue{"body.gear.part.tooth_1.centre_mm", "[0, 0]", "one way of placing"},
        BadValue{"body.gear.part.tooth_4.mirror_of", "tooth_9", "did you mean"},
        BadValue{"body.gear.part.tooth_4.name", "tooth_1", "is the name of another part"},
        BadValue{"body.right_finger.name", "gear", "is taken"},
        BadValue{"body.right_finger.name", "'a.b'", "without points"},
        BadValue{"body.right_finger.slide_axis", "[0, 0]", "zero vector"},
        BadValue{"body.right_finger.kind", "fixed", "does not apply here"},
        BadValue{"body.right_finger.kind", "dynamo", "did you mean \"dynamic\"?"},
        BadValue{"body.right_finger.motion", "[{ time_s = 0 }]", "is for kinematic bodies"},
        BadValue{"friction.0.between", "['gear', 'left_fingre']", "did you mean \"left_finger\"?"},
        BadValue{"friction.7.mu", "0.5", "there is no element 7; give an index from 0 to 1"},
        BadValue{"actuator.left_finger_actuator_2.max_force_n", "1", "did you mean \"left_finger_actuator_1\"?"},
        BadValue{"friction.0.between", "['gear', 'gear']", "same body twice"},
        BadValue{"friction.0.between", "['gear', 'right_finger']", "has its friction already"},
        BadValue{"friction.0.between", "['gear']", "list of 2 names"},
        BadValue{"no_contact", "[{ between = ['gear', 'left_finger'] }]", "can never touch"},
        BadValue{"actuator.0.body", "gripper", "there is no body \"gripper\""},
        BadValue{"actuator.0.max_force_n", "-5", "must not be less than 0"},
        BadValue{"actuator.0.kind", "force", "missing"}, BadValue{"actuator.0.axis", "[0, 0]", "zero vector"},
        BadValue{"uncertain.surface_friction.group", "lo", "did you mean \"low\"?"},
        BadValue{"uncertain.surface_friction.groups.medium.low", "-0.1", "can be drawn out of range"},
        BadValue{"uncertain.surface_friction.groups.medium.low", "0.9", "greater than low"},
        BadValue{"uncertain.surface_friction.unit", "mm", "set its unit key"},
        BadValue{"uncertain.surface_friction.unit", "furlong", "not a known unit"},
        BadValue{"uncertain.surface_friction.distribution", "gaussian", "must be one of"},
        BadValue{"uncertain.idle", "{ distribution = 'uniform', low = 0, high = 1 }", "drives nothing"},
        BadValue{"uncertain.surface_friction", "{ distribution = 'normal', mean = 0.5, sd = 0.2 }",
                 "use truncated_normal or log_normal"},
        BadValue{"uncertain.surface_friction",
                 "{ distribution = 'truncated_normal', mean = 0, sd = 0.01, low = 0.5, high = 1 }",
                 "less than a millionth"},
        BadValue{"uncertain.surface_friction", "{ distribution = 'choice', values = [0.1], weights = [0] }",
                 "all zero"},
        BadValue{"uncertain.surface_friction",
                 "{ distribution = 'uniform', shared_group = 'x', groups = { a = { low = 0, high = 1 } } }",
                 "there is no [group.x]"},
        BadValue{"success.all", "[]", "list of predicates"}, BadValue{"success.any", "[]", "stands beside"},
        BadValue{"success", "{ gap_belw_mm = 1 }", "did you mean \"gap_below_mm\"?"},
        BadValue{"success", "{}", "holds no predicate"}, BadValue{"success.all.0.from", "gear", "has several parts"},
        BadValue{"success.all.0.from", "'gear.tooth_7'", "did you mean"},
        BadValue{"success.all.0.gap_below_mm", "-1", "must not be less than 0"},
        BadValue{"success", "{ pose_within = 'gear' }", "bounds nothing"},
        BadValue{"success", "{ pose_within = 'gear', x_mm = [2, 1] }", "low <= high"},
        BadValue{"success", "{ pose_within = 'gear', x_mm = [1, 2], turn_modulo_deg = 360 }", "must be wider"},
        BadValue{"success", "{ pose_within = 'gear', turn_deg = [-90, 90], turn_modulo_deg = 180 }", "must be wider"}));

// A name that map.h5 cannot hold would lose the map after its last trial.
TEST(BadName, IsRefusedWhereverAFileGivesOne) {
  const std::string puck = "[[body]]\nmass_kg = 1\nname = ";
  const std::string disc = "\n[[body.part]]\nshape = \"disc\"\nradius_mm = 1\n";
  const std::string good = puck + "\"puck\"" + disc;
  const std::string bounds = " = { low = 1, high = 2 }";
  for (const std::string name : {"\"\"", "\"a/b\"", "\"a.b\"", "\"a\\nb\"", "\"a\\u0000b\"", "\"\\u007f\""}) {
    const std::string group = "[group." + name + "]\nnames = [\"x\"]\n";
    const std::string groups = "[uncertain.u]\ndistribution = \"uniform\"\ngroup = \"any\"\ngroups.";
    for (const std::string& text :
         {puck + name + disc, good + "name = " + name + "\n",
          good + "[[actuator]]\nbody = \"puck\"\nkind = \"force\"\nforce_n = 1\nname = " + name + "\n",
          good + "[uncertain." + name + "]\ndistribution = \"constant\"\nvalue = 1\n", good + group,
          good + groups + name + bounds + "\n", good + "[group.g]\nnames = [" + name + "]\n"}) {
      SCOPED_TRACE(text);
      const std::string message = refusal(text);
      expect_one_line(message);
      EXPECT_NE(message.find("must be a name without points, slashes and control characters"), std::string::npos)
          << message;
    }
  }
}

// Shapes that are no convex parts, named with their place in the file.
TEST(BadShape, PolygonsAreRefusedByNameAndReason) {
  const std::string head = "[[body]]\nname = \"b\"\nmass_kg = 1\n[[body.part]]\nshape = \"polygon\"\nvertices_mm = ";
  for (const char* vertices :
       {"[[0, 0], [1, 0]]", "[[0, 0], [0, 1], [1, 0]]", "[[0, 0], [1, 0], [2, 0]]", "[[0, 0], [1, 1], [1, 0], [0, 1]]",
        "[[0, 0], [4, 0], [1, 1], [0, 4]]", "[[0, 0], [0, 0], [1, 0], [0, 1]]", "[[0, 0], [1, 0], [0, 1, 2]]",
        "[[0, 0], [1, 0], 'x']", "[[0, 0], [1, 0], [nan, 1]]", "5"}) {
    const std::string message = refusal(head + vertices + "\n");
    expect_one_line(message);
    EXPECT_NE(message.find("body[0].part[0]"), std::string::npos) << message;
  }
}

TEST(BadFile, IsRefusedInOneLine) {
  const auto message_of = [](const std::filesystem::path& file) -> std::string {
    try {
      load_problem(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message_of("/no/such/file.toml").find("no such file: check the path"), std::string::npos);
  EXPECT_NE(message_of("/").find("is a directory"), std::string::npos);
  EXPECT_NE(refusal("[map\n").find("bad.toml:1: not valid TOML"), std::string::npos);
  EXPECT_NE(refusal("[/x]\n").find("bad.toml:1: not valid TOML"), std::string::npos);
  EXPECT_NE(refusal("").find("there is no dynamic body"), std::string::npos);
  EXPECT_NE(refusal("a = 1\na = 2\n").find("bad.toml:2:"), std::string::npos);
  EXPECT_NE(refusal("map = 3\n").find("must be a table"), std::string::npos);
  EXPECT_NE(refusal("body = 3\n").find("list of tables"), std::string::npos);
}

// Deep nesting of every kind, which recursion would not survive.
TEST(BadFile, DeepNestingIsRefused) {
  const auto many = [](const std::string& piece) {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += piece;
    return text;
  };
  const std::string dots = "more than 64 dots";
  EXPECT_NE(refusal("a = 1\n[" + many("a.") + "a]\n").find("bad.toml:2: a key of " + dots), std::string::npos);
  for (const std::string& key : {many("a."), many("a . "), many("1."), many("\"a\".'b'.")}) {
    EXPECT_NE(refusal(key + "a = 1\n").find(dots), std::string::npos) << key.substr(0, 20);
  }
  EXPECT_NE(refusal("t = \"\"\"\n\n\"\"\"\nx = {" + many("a.") + "a = 1}\n").find("bad.toml:4: a key of " + dots),
            std::string::npos);
  for (const std::string& value : {many("["), many("[") + many("]"), many("{a=")}) {
    EXPECT_NE(refusal("x = " + value).find("not valid TOML"), std::string::npos) << value.substr(0, 20);
  }
  // no keys
  for (const std::string& text :
       {"# " + many("a."), "x = \"" + many("a.\\\"") + "\"", "x = '" + many("a.") + "'",
        "x = '''" + many("a.\n") + "'''", "x = \"\"\"" + many("a.\"") + "\"\"\"", "x = [" + many("0.5,") + "1]"}) {
    EXPECT_EQ(refusal(text + "\n").find(dots), std::string::npos) << text.substr(0, 20);
  }
}

TEST(BadFile, MessagesNameTheLine) {
  const std::string text = "[map]\nsamples = 0\n";
  EXPECT_EQ(refusal(text).rfind("bad.toml:2: map.samples: must lie between 1 and", 0), 0u) << refusal(text);
}

TEST(Suggestion, FindsNearWordsOnly) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("Mass", "mass"), 0);
  EXPECT_EQ(suggestion("mas_kg", {"mass_kg", "x_mm"}), "; did you mean \"mass_kg\"?");
  EXPECT_EQ(suggestion("zzzzzz", {"mass_kg", "x_mm"}), "; known here: mass_kg, x_mm");
  EXPECT_EQ(suggestion("anything", {}), "");
}

}  // namespace
}  // namespace pegrasp
