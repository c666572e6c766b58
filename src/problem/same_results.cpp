// SPDX-License-Identifier: Apache-2.0
#include "src/problem/same_results.hpp"

#include <string>
#include <vector>

namespace pegrasp {

void must_have_the_same_results(const Problem& a, const Problem& b) {
  const auto refuse = [](const std::string& what) {
    throw InputError(what + ", and the results of a map have the same in all cells; make maps of their own");
  };
  std::vector<std::string> bodies[2], sampled[2];
  const Problem* const both[2] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    for (const BodySpec& body : both[i]->scene.bodies) bodies[i].push_back(body.name);
    for (const SampledColumn& column : sampled_columns(*both[i])) sampled[i].push_back(column.name + " " + column.unit);
    for (const GroupColumn& column : group_columns(*both[i])) {
      sampled[i].push_back(column.name);
      sampled[i].insert(sampled[i].end(), column.groups.begin(), column.groups.end());
    }
  }
  if (bodies[0] != bodies[1]) refuse("the problem has other bodies there");
  if (sampled[0] != sampled[1]) refuse("other numbers are uncertain there");
  if (a.scene.measure_forces != b.scene.measure_forces) refuse("forces are measured in some cells only");
}

void remove_derived(Node& resolved, const Node& other, const Node* given) {
  if (resolved.type == Node::Type::table && other.type == Node::Type::table) {
    const auto given_here = [given](const std::string& key) -> const Node* {
      if (given == nullptr || given->type != Node::Type::table) return nullptr;
      return given->find(key);
    };
    std::erase_if(resolved.members, [&](const Member& member) {
      if (given_here(member.first) != nullptr || member.first == "contents") return false;
      const Node* there = other.find(member.first);
      return there == nullptr || write_value(*there) != write_value(member.second);
    });
    for (Member& member : resolved.members) {
      const Node* there = other.find(member.first);
      if (there != nullptr) remove_derived(member.second, *there, given_here(member.first));
    }
    return;
  }
  if (resolved.type != Node::Type::array || resolved.items.size() != other.items.size()) return;
  const bool has_items =
      given != nullptr && given->type == Node::Type::array && given->items.size() == resolved.items.size();
  for (std::size_t i = 0; has_items && i < resolved.items.size(); ++i)
    remove_derived(resolved.items[i], other.items[i], &given->items[i]);
}

}  // namespace pegrasp
