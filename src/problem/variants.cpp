// SPDX-License-Identifier: Apache-2.0
#include "src/problem/variants.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/problem/limits.hpp"
#include "src/problem/overrides.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/suggest.hpp"
#include "src/text/units.hpp"

namespace pegrasp {
namespace {

constexpr const char* by_chance = "any";

// Keys of a variant that are none of the body, and keys of the body that no variant has.
bool is_own(const std::string& key) { return key == "name" || key == "weight"; }
constexpr std::array<std::string_view, 5> of_the_body{"kind", "variant", "variants", "pad", "motion"};

// The keys that a variant may have, and those that it may not, which are told apart by check_keys().
KeyList keys_of_variants(const Node& document) {
  const Node* const dim = document.find("dim");
  KeyList out = dim != nullptr && dim->is_number() && dim->number() == 3.0 ? keys::spatial_body : keys::body;
  out.emplace_back("weight");
  return out;
}

// Calls visit(index, body, path) for every body of the document that has variants.
template <class Document, class Visit>
void for_each_body(Document& document, const Visit& visit) {
  auto* const bodies = document.find("body");
  if (bodies == nullptr || bodies->type != Node::Type::array) return;
  for (std::size_t i = 0; i < bodies->items.size(); ++i) {
    auto& body = bodies->items[i];
    if (body.type != Node::Type::table || body.find("variants") == nullptr) continue;
    visit(i, body, "body[" + std::to_string(i) + "]");
  }
}

void check_keys(ReadContext& context, const Node& body, const Node& variant, const std::string& path) {
  for (const Member& member : variant.members) {
    if (is_own(member.first)) continue;
    const std::string at = path + "." + printable(member.first);
    if (std::find(of_the_body.begin(), of_the_body.end(), member.first) != of_the_body.end())
      context.fail(&member.second, at, "is a key of the body, the same for all of its variants; move it there");
    for (const Member& other : body.members) {
      if (key_base(other.first) != key_base(member.first)) continue;
      context.fail(&member.second, at,
                   "is given by the body, too; give it there for all variants, or in each of them and not there");
    }
  }
}

// Names and weights of a body's variants, which are all checked.
VariantTable read_table(ReadContext& context, const Node& document, std::size_t index, const std::string& path) {
  const Node& body = document.find("body")->items[index];
  const KeyList known = keys_of_variants(document);
  VariantTable out;
  out.body = index;
  if (const Node* name = body.find("name"); name != nullptr) out.name = name->text;
  const Node& list = *body.find("variants");
  if (list.type != Node::Type::array || list.items.empty())
    context.fail(&list, path + ".variants", "must be a list of tables; write [[body.variants]]");
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    const Node& one = list.items[k];
    const std::string at = path + ".variants[" + std::to_string(k) + "]";
    if (one.type != Node::Type::table) context.fail(&one, at, "must be a table; write [[body.variants]]");
    [[maybe_unused]] const Section checked(context, &one, at, known);
    const Node* const name = one.find("name");
    const bool named = name != nullptr && name->type == Node::Type::text && is_name(name->text);
    if (!named) context.fail(name != nullptr ? name : &one, at + ".name", name_rule);
    if (name->text == by_chance)
      context.fail(name, at + ".name", "\"any\" stands for all variants; choose another name");
    if (std::find(out.names.begin(), out.names.end(), name->text) != out.names.end())
      context.fail(name, at + ".name", "is the name of another variant; give each its own");
    out.names.push_back(name->text);
    if (one.find("part") == nullptr) context.fail(&one, at, "has no parts; add [[body.variants.part]] with a shape");
    const Node* const weight = one.find("weight");
    const Unit& bare = quantity::number.units.front();
    out.weights.push_back(weight == nullptr ? 1.0
                                            : checked_number(context, *weight, at + ".weight", quantity::number, bare,
                                                             Range{0.0, no_bound, true}));
    check_keys(context, body, one, at);
  }
  return out;
}

// Position of the chosen variant; that of several left to chance is the first.
std::size_t chosen_of(ReadContext& context, const VariantTable& table, const Node& body, const std::string& path) {
  const Node* const choice = body.find("variant");
  if (choice == nullptr) return 0;
  if (choice->type != Node::Type::text)
    context.fail(choice, path + ".variant", std::string("must be the name of a variant, got ") + type_name(*choice));
  if (choice->text == by_chance) return 0;
  const auto found = std::find(table.names.begin(), table.names.end(), choice->text);
  if (found == table.names.end()) {
    context.fail(choice, path + ".variant",
                 "there is no variant \"" + printable(choice->text) + "\"" + suggestion(choice->text, table.names));
  }
  return static_cast<std::size_t>(found - table.names.begin());
}

// Whether an axis moves the key.
bool is_on_axis(const Node& document, const std::string& place) {
  const Node* const axes = document.find("axis");
  if (axes == nullptr) return false;
  const auto moves = [&](const Node* key) {
    return key != nullptr && key->type == Node::Type::text && place_of_key(document, key->text) == place;
  };
  return std::any_of(axes->items.begin(), axes->items.end(), [&](const Node& axis) {
    const Node* const keys = axis.find("keys");
    if (moves(axis.find("key"))) return true;
    return keys != nullptr &&
           std::any_of(keys->items.begin(), keys->items.end(), [&](const Node& k) { return moves(&k); });
  });
}

}  // namespace

void choose_variants(ReadContext& context, Node& document) {
  for_each_body(document, [&](std::size_t index, Node& body, const std::string& path) {
    const VariantTable table = read_table(context, document, index, path);
    const Node chosen = body.find("variants")->items[chosen_of(context, table, body, path)];
    for (const Member& member : chosen.members)
      if (!is_own(member.first)) body.set(member.first, member.second);
  });
}

std::vector<VariantTable> variants_left_to_chance(ReadContext& context, const Node& document) {
  std::vector<VariantTable> out;
  std::size_t combinations = 1;
  for_each_body(document, [&](std::size_t index, const Node& body, const std::string& path) {
    VariantTable table = read_table(context, document, index, path);
    chosen_of(context, table, body, path);
    const Node* const choice = body.find("variant");
    if (choice != nullptr && choice->text != by_chance) return;
    if (table.names.size() < 2 || is_on_axis(document, "body." + std::to_string(index) + ".variant")) return;
    combinations *= table.names.size();
    if (combinations > most_variants) {
      context.fail(
          &body, path + ".variants",
          "makes more than " + std::to_string(most_variants) + " combinations with other bodies; make it fewer");
    }
    out.push_back(std::move(table));
  });
  return out;
}

void read_variants(Section& section, const std::function<Node(const Node* list, const std::string& path)>& read_parts) {
  const Node* const list = section.raw("variants");
  const Node* const choice = section.raw("variant");
  if (list == nullptr) {
    if (choice != nullptr) section.fail("variant", "is for a body with variants; add [[body.variants]], or remove it");
    return;
  }
  Node resolved = *list;
  for (std::size_t k = 0; k < resolved.items.size(); ++k) {
    Node& one = resolved.items[k];
    if (one.find("weight") == nullptr) one.set("weight", Node::of(1.0));
    one.set("part",
            read_parts(list->items[k].find("part"), section.at("variants") + "[" + std::to_string(k) + "].part"));
    one.expanded = true;
  }
  resolved.expanded = true;
  section.put("variant", choice != nullptr ? *choice : Node::of(by_chance));
  section.put("variants", std::move(resolved));
}

void drop_keys_of_variants(Node& body) {
  const Node* const list = body.find("variants");
  if (list == nullptr) return;
  std::vector<std::string> given;
  for (const Node& one : list->items)
    for (const Member& member : one.members)
      if (!is_own(member.first)) given.push_back(key_base(member.first));
  std::erase_if(body.members, [&](const Member& member) {
    return std::find(given.begin(), given.end(), key_base(member.first)) != given.end();
  });
}

}  // namespace pegrasp
