// SPDX-License-Identifier: Apache-2.0
// The grasps of one object in the layout that GraspGen trains on: { "object": { "file", "scale" }, "grasps": {
// "transforms", "object_in_gripper" } }. "confidence" beside them is an addition of ours.
#include <cmath>
#include <nlohmann/json.hpp>

#include "pegrasp/error.hpp"
#include "src/formats/json_guard.hpp"
#include "src/grasps/grasp_formats.hpp"
#include "src/text/document.hpp"

namespace pegrasp {
namespace {

using Json = nlohmann::json;

class GraspGenReader {
 public:
  explicit GraspGenReader(const std::string& origin) : origin_(origin) {}

  GraspSet read(const Json& root) {
    if (!root.is_object() || !root.contains("grasps") || !root["grasps"].is_object()) {
      fail("grasps", "is missing; give a file with \"grasps\": { \"transforms\": [...] }");
    }
    GraspSet set;
    if (root.contains("object") && root["object"].is_object()) {
      const Json& object = root["object"];
      if (object.contains("file") && object["file"].is_string()) set.object_file = object["file"].get<std::string>();
      if (object.contains("scale")) {
        set.object_scale = number(object["scale"], "object.scale");
        if (!(*set.object_scale > 0.0)) fail("object.scale", "must be above 0; correct it");
      }
    }
    const Json& grasps = root["grasps"];
    if (!grasps.contains("transforms") || !grasps["transforms"].is_array()) {
      fail("grasps.transforms", "is missing; give a list of 4 x 4 matrices");
    }
    for (const Json& matrix : grasps["transforms"]) {
      const std::string path = "grasps.transforms[" + std::to_string(set.grasps.size()) + "]";
      Grasp grasp;
      grasp.id = "grasp_" + std::to_string(set.grasps.size());
      set_matrix(grasp, numbers(matrix, path), origin_ + ": " + path);
      set.grasps.push_back(std::move(grasp));
      if (set.grasps.size() > most_grasps) break;
    }
    for (const char* key : {"object_in_gripper", "confidence"}) {
      if (grasps.contains(key)) set_confidence(grasps[key], std::string("grasps.") + key, set);
    }
    return set;
  }

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& what) const {
    throw InputError(origin_ + ": " + path + ": " + what);
  }
  double number(const Json& value, const std::string& path) const {
    if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
    const double x = value.is_number() ? value.get<double>() : std::nan("");
    if (!std::isfinite(x)) fail(path, "must be a finite number; correct it");
    return x;
  }
  std::array<double, 16> numbers(const Json& matrix, const std::string& path) const {
    std::array<double, 16> out{};
    bool fits = matrix.is_array() && matrix.size() == 4;
    for (std::size_t i = 0; i < 4 && fits; ++i) {
      fits = matrix[i].is_array() && matrix[i].size() == 4;
      for (std::size_t j = 0; j < 4 && fits; ++j) out[4 * i + j] = number(matrix[i][j], path);
    }
    if (!fits) fail(path, "must be four lists of four numbers");
    return out;
  }
  void set_confidence(const Json& list, const std::string& path, GraspSet& set) const {
    if (!list.is_array() || list.size() != set.grasps.size()) {
      fail(path, "must be a list with one entry for each of the " + std::to_string(set.grasps.size()) + " transforms");
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::optional<double>& own = set.grasps[i].confidence;
      own.reset();
      if (!list[i].is_null()) own = number(list[i], path + "[" + std::to_string(i) + "]");
    }
  }

  const std::string& origin_;
};

// JSON's -0 is an integer, which has no sign.
std::string json_digits(double value) { return value == 0.0 && std::signbit(value) ? "-0.0" : digits_of(value); }

}  // namespace

GraspSet read_graspgen(const std::string& text, const std::string& origin) {
  JsonGuard guard(origin);
  Json root;
  try {
    root = Json::parse(text, std::ref(guard));
  } catch (const Json::exception& error) {
    throw InputError(origin + ": is no JSON: " + printable(error.what()));
  }
  return GraspGenReader(origin).read(root);
}

void write_graspgen(const GraspSet& about, const ForEachGrasp& grasps, const PutText& put) {
  put("{\n  \"object\": {\"file\": " + Json(about.object_file).dump(-1, ' ', false, Json::error_handler_t::replace) +
      ", \"scale\": " + json_digits(about.object_scale.value_or(1.0)) + "},\n  \"grasps\": {\n    \"transforms\": [");
  bool known = false;
  // Calls text_of for each grasp, and puts its text behind what parts it from the one before.
  const auto list = [&](const char* first, const char* next, const auto& text_of) {
    const char* before = first;
    grasps([&](const Grasp& grasp) {
      put(before + text_of(grasp));
      before = next;
    });
  };
  list("\n", ",\n", [&known](const Grasp& grasp) {
    known = known || grasp.confidence.has_value();
    const std::array<double, 16> m = matrix_of(grasp);
    std::string out = "      [";
    for (std::size_t i = 0; i < 4; ++i) {
      out += i > 0 ? ", [" : "[";
      for (std::size_t j = 0; j < 4; ++j) out += (j > 0 ? ", " : "") + json_digits(m[4 * i + j]);
      out += "]";
    }
    return out + "]";
  });
  put("\n    ]");
  if (known) {
    put(",\n    \"object_in_gripper\": [");
    list("", ", ", [](const Grasp& g) { return std::string(g.confidence.value_or(0.0) >= 0.5 ? "true" : "false"); });
    put("],\n    \"confidence\": [");
    list("", ", ", [](const Grasp& g) { return g.confidence ? json_digits(*g.confidence) : std::string("null"); });
    put("]");
  }
  put("\n  }\n}\n");
}

}  // namespace pegrasp
