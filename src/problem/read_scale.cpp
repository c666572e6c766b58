// SPDX-License-Identifier: Apache-2.0
// Sizes of bodies by factors, and the tilt of gravity: what gives trials scenes of their own where it is uncertain.
#include <algorithm>
#include <array>

#include "src/problem/readers.hpp"
#include "src/problem/trial_scene.hpp"
#include "src/scene/scale_body.hpp"

namespace pegrasp {
namespace {

using Kind = TargetSlot::Kind;
constexpr std::array<const char*, 3> scale_keys{"scale_x", "scale_y", "scale_z"};

bool is_certain(const Value& value) { return value.parameter < 0; }

// What the mass properties of the body follow from.
BodyScale scale_of(const Section& section, int index, const BodySpec& body) {
  BodyScale out;
  out.body = index;
  if (body.kind != BodyKind::dynamic) return out;
  out.mass = body.is_spatial() && section.has("density", quantity::density);
  out.inertia = !section.has("inertia", quantity::inertia) && !body.slide_axis && (body.is_spatial() || body.turns);
  for (std::size_t k = 0; body.is_spatial() && k < 3; ++k)
    out.centre[k] = !section.has(std::string("centre_") + "xyz"[k], quantity::length);
  return out;
}

bool has_scale(const Section& section) {
  return section.has("scale") ||
         std::any_of(scale_keys.begin(), scale_keys.end(), [&](const char* key) { return section.has(key); });
}

Vec3 vector_of(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

// Refuses joints that a scaled body cannot have.
void check_joints(ReadContext& context, const Node& document, const BodyReadings& readings, int body,
                  const SceneSpec& scene) {
  const std::string named = "body \"" + scene.bodies[static_cast<std::size_t>(body)].name + "\"";
  for (const JointSpec& joint : scene.joints) {
    if ((joint.body_a != body && joint.body_b != body) || joint.kind == JointKind::distance) continue;
    if (const Node* const offsets = document.find("joint_offset"))
      context.fail(offsets, "joint_offset",
                   "stands beside the scale of " + named + ", which a joint holds; give one of the two");
    const int other = joint.body_a == body ? joint.body_b : joint.body_a;
    const bool both = std::any_of(readings.scaled.begin(), readings.scaled.end(),
                                  [other](const BodyScale& scale) { return scale.body == other; });
    if (both)
      context.fail(document.find("joint"), "joint." + joint.name,
                   "holds two bodies with a scale, and would come apart; write the dimensions of one of them");
  }
}

}  // namespace

bool has_several_sizes(const Section& section) { return has_scale(section) || section.has("variants"); }

void read_scale(Section& section, int index, BodySpec& body, BodyReadings& readings) {
  if (!has_scale(section)) return;
  const std::size_t axes = body.is_spatial() ? 3 : 2;
  const bool uniform = section.has("scale");
  const std::string first = uniform                  ? "scale"
                            : section.has("scale_x") ? "scale_x"
                            : section.has("scale_y") ? "scale_y"
                                                     : "scale_z";
  for (const char* key : scale_keys)
    if (uniform && section.has(key))
      section.fail(key, "stands beside scale, which is for all axes; give one of the two");
  if (section.has("pad")) section.fail(first, "is for a body without a pad; put the pad on a body of its own");
  if (section.has("max_force", quantity::force))
    section.fail(first, "is for a body without max_force; write the dimensions of its parts instead");
  const std::string hindrance = hindrance_to_scale(body, uniform);
  if (!hindrance.empty()) section.fail(first, hindrance);

  BodyScale drawn = scale_of(section, index, body), certain;
  certain.body = index;
  std::array<Value, 3> values;
  values.fill(Value{1.0});
  if (uniform) {
    const Value value = section.value("scale", quantity::number, {}, positive);
    std::fill_n(values.begin(), axes, value);
  } else {
    for (std::size_t k = 0; k < axes; ++k)
      if (section.has(scale_keys[k])) values[k] = section.value(scale_keys[k], quantity::number, {}, positive);
  }
  const bool varies = !std::all_of(values.begin(), values.end(), is_certain);
  for (std::size_t k = 0; k < axes; ++k) {
    (is_certain(values[k]) ? certain : drawn).factor[k] = values[k].nominal;
    const TargetSlot slot{Kind::scale, static_cast<int>(readings.changes.scales.size()), static_cast<int>(k)};
    section.context().uncertainties->bind(section.context(), values[k], section.at(uniform ? "scale" : scale_keys[k]),
                                          slot);
  }
  scale_parts(body, vector_of(certain.factor));
  readings.scaled.push_back(certain);
  if (varies) readings.changes.scales.push_back(drawn);
}

void scale_joints_of(ReadContext& context, const Node& document, const BodyReadings& readings, SceneSpec& scene) {
  for (const BodyScale& scale : readings.scaled) {
    const std::string& name = scene.bodies[static_cast<std::size_t>(scale.body)].name;
    if (const Node* const pads = document.find("pad")) {
      for (const Node& pad : pads->items) {
        const Node* const body = pad.find("body");
        if (body != nullptr && body->text == name)
          context.fail(body, "pad", "is on body \"" + name + "\", which has a scale; put the pad on a body of its own");
      }
    }
    check_joints(context, document, readings, scale.body, scene);
    scale_joints(scene, scale.body, vector_of(scale.factor));
  }
}

void read_tilt(Section& section, SceneSpec& scene, SceneChanges& changes) {
  const std::array<const char*, 2> names = scene.spatial ? std::array{"tilt_x", "tilt_y"} : std::array{"tilt", "tilt"};
  std::array<Value, 2> values{};
  for (std::size_t k = 0; k < (scene.spatial ? 2 : 1); ++k) {
    if (!section.has(names[k], quantity::angle)) continue;
    if (scene.gravity.x == 0.0 && scene.gravity.y == 0.0 && scene.gravity_z == 0.0)
      section.fail(names[k],
                   "tilts nothing, since there is no gravity along the axes; give y_m_s2 = -9.81, or remove it");
    values[k] = section.value(names[k], quantity::angle, {}, any_number);
    section.context().uncertainties->bind(section.context(), values[k], section.at(names[k]),
                                          {Kind::gravity_tilt, static_cast<int>(k)});
    changes.tilt[k] = values[k].nominal;
    changes.tilts = changes.tilts || !is_certain(values[k]);
  }
  if (changes.tilts) return;
  tilt_gravity(scene, changes.tilt[0], changes.tilt[1]);
  changes.tilt = {};
}

}  // namespace pegrasp
