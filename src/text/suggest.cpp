// SPDX-License-Identifier: Apache-2.0
#include "src/text/suggest.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "src/text/document.hpp"
#include "src/text/units.hpp"

namespace pegrasp {
namespace {

// Names that keys, options and choices had in earlier versions, and those that they have.
constexpr std::array<std::pair<const char*, const char*>, 7> renamed{{
    {"road", "strategy"},
    {"fused", "per-scene"},
    {"sparse", "batched"},
    {"even_loads", "load_sharing"},
    {"feet", "support_spheres"},
    {"feet_alone", "support_spheres_only"},
    {"feet_within", "support_spheres_within"},
}};

// The candidate that `word` was renamed to, with the dashes of an option and the unit of a key; empty for others.
std::string new_name(const std::string& word, const std::vector<std::string>& candidates) {
  const std::size_t dashes = word.rfind("--", 0) == 0 ? 2 : 0;
  const std::string base = key_base(word.substr(dashes));
  for (const auto& [old, current] : renamed) {
    if (base != old) continue;
    const std::string name = word.substr(0, dashes) + current + word.substr(dashes + base.size());
    if (std::find(candidates.begin(), candidates.end(), name) != candidates.end()) return name;
  }
  return "";
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string no_such_shape(const std::string& word, const std::string& hull) {
  if (word != "cone" && word != "pyramid") return "";
  return "\"" + word + "\" is no shape here; give its corners, of a round rim 16 or so, to " + hull +
         ", or take a \"cylinder\" if it is blunt";
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  const std::string cut = word.substr(0, 64);  // a longer word resembles nothing
  if (const std::string current = new_name(cut, candidates); !current.empty()) {
    return "; did you mean \"" + current + "\"?";
  }
  const std::string* best = nullptr;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    int distance = edit_distance(cut, candidate);
    // a key whose unit was forgotten or is wrong ("mass", "mass_lb") is the same key
    const std::string base = key_base(candidate);
    if (base != candidate) distance = std::min(distance, 1 + edit_distance(cut, base));
    if (base != candidate && cut.compare(0, base.size() + 1, base + "_") == 0) distance = std::min(distance, 2);
    if (best == nullptr || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  const int limit = std::max(2, static_cast<int>(cut.size()) / 3);
  if (best_distance <= limit) return "; did you mean \"" + printable(*best) + "\"?";
  std::string out = "; known here: ";
  for (std::size_t i = 0; i < candidates.size() && i < 24; ++i) out += (i > 0 ? ", " : "") + printable(candidates[i]);
  if (candidates.size() > 24) out += ", ...";
  return out;
}

}  // namespace pegrasp
