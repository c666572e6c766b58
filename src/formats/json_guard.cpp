// SPDX-License-Identifier: Apache-2.0
#include "src/formats/json_guard.hpp"

#include "pegrasp/problem.hpp"
#include "src/text/document.hpp"

namespace pegrasp {

bool JsonGuard::operator()(int, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
  using Event = nlohmann::json::parse_event_t;
  switch (event) {
    case Event::object_start:
      open(false);
      break;
    case Event::array_start:
      open(true);
      break;
    case Event::object_end:
    case Event::array_end:
      open_.pop_back();
      break;
    case Event::value:
      next_item();
      break;
    case Event::key: {
      Open& object = open_.back();
      object.key = parsed.get<std::string>();
      if (object.keys.insert(object.key).second) break;
      throw InputError(origin_ + ": " + printable(path()) + ": is given twice: drop one of them");
    }
  }
  return true;
}

void JsonGuard::open(bool list) {
  constexpr std::size_t deepest = 64;  // a scene needs 6
  if (open_.size() >= deepest) {
    throw InputError(origin_ + ": its JSON nests lists and objects more than " + std::to_string(deepest) +
                     " deep: nothing in a scene file is");
  }
  next_item();
  open_.push_back({list, 0, {}, {}});
}

void JsonGuard::next_item() {
  if (!open_.empty() && open_.back().list) ++open_.back().items;
}

std::string JsonGuard::path() const {
  std::string text;
  for (const Open& place : open_) {
    if (place.list) {
      text += "[" + std::to_string(place.items - 1) + "]";
    } else {
      text += (text.empty() ? "" : ".") + place.key;
    }
  }
  return text;
}

}  // namespace pegrasp
