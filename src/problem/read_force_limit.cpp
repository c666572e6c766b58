// SPDX-License-Identifier: Apache-2.0
// max_force and max_torque of a body with prescribed motion: it follows its keyframes as far as the force takes it.
#include <stdexcept>

#include "src/problem/readers.hpp"
#include "src/scene/body_properties.hpp"

namespace pegrasp {
namespace {

using Kind = TargetSlot::Kind;

// The mass, given or by a density, and what follows from it. nullopt: neither is given.
struct GivenMass {
  Value value;
  std::string path;
  double share;  // the mass is this [1 or m^3] times the value
};
std::optional<GivenMass> read_given_mass(Section& section, const BodySpec& body) {
  const bool by_density = body.is_spatial() && section.has("density", quantity::density);
  if (by_density && section.has("mass", quantity::mass))
    section.fail("", "\"mass_kg\" is given with a density; drop one of the two");
  if (by_density) {
    const Value density = section.value("density", quantity::density, {}, positive);
    return GivenMass{density, section.at("density"), body_properties(body.spatial()).volume};
  }
  if (!section.has("mass", quantity::mass)) return {};
  return GivenMass{section.value("mass", quantity::mass, {}, positive), section.at("mass"), 1.0};
}

// Binds mass and inertia to what the mass is made from.
void bind_mass(Section& section, int index, const BodySpec& body, const GivenMass& mass, bool inertia_given) {
  ReadContext& context = section.context();
  const auto bind = [&](TargetSlot slot, double scale) {
    context.uncertainties->bind(context, mass.value, mass.path, slot, scale);
  };
  bind({Kind::mass, index}, mass.share);
  if (inertia_given || mass.value.parameter < 0) return;
  const double per_value = 1.0 / mass.value.nominal;
  if (!body.is_spatial()) {
    bind({Kind::inertia, index}, per_value * body.planar().inertia);
    return;
  }
  const InertiaTensor& i = body.spatial().inertia;
  const double each[6] = {i.xx, i.xy, i.xz, i.yy, i.yz, i.zz};
  for (int k = 0; k < 6; ++k) bind({Kind::inertia, index, k}, per_value * each[k]);
}

bool read_given_inertia(Section& section, int index, BodySpec& body) {
  if (!section.has("inertia", quantity::inertia)) return false;
  if (body.is_spatial()) {
    const std::vector<double> moments = section.numbers("inertia", quantity::inertia, 3, 3, positive);
    body.spatial().inertia = {moments[0], moments[1], moments[2], 0.0, 0.0, 0.0};
    return true;
  }
  const Value inertia = section.value("inertia", quantity::inertia, {}, positive);
  body.planar().inertia = inertia.nominal;
  section.context().uncertainties->bind(section.context(), inertia, section.at("inertia"), {Kind::inertia, index});
  return true;
}

}  // namespace

void read_force_limit(Section& section, int index, SceneSpec& scene) {
  const bool limits_force = section.has("max_force", quantity::force);
  const bool limits_torque = section.has("max_torque", quantity::torque);
  if (!limits_force && !limits_torque) return;
  const std::string key = limits_force ? "max_force_n" : "max_torque_n_m";
  BodySpec& body = scene.bodies[static_cast<std::size_t>(index)];
  if (body.kind != BodyKind::kinematic) {
    section.fail(key,
                 "is for bodies with prescribed motion; set kind = \"kinematic\", or drive the body by [[actuator]]");
  }
  if (!limits_force) section.fail(key, "stands without a limit of the force; add max_force_n");
  ReadContext& context = section.context();
  const Value force = section.value("max_force", quantity::force, {}, positive);
  std::optional<Value> torque;
  if (limits_torque) torque = section.value("max_torque", quantity::torque, {}, positive);
  const std::optional<GivenMass> mass = read_given_mass(section, body);

  const std::size_t first = scene.actuators.size();
  try {
    limit_force(scene, index,
                {force.nominal, torque ? torque->nominal : 0.0, mass ? mass->share * mass->value.nominal : 0.0});
  } catch (const std::invalid_argument& error) {
    section.fail(key, std::string("cannot be used here: ") + error.what());
  }
  const bool inertia_given = read_given_inertia(section, index, body);
  if (mass) bind_mass(section, index, body, *mass, inertia_given);
  for (std::size_t k = first; k < scene.actuators.size(); ++k) {
    const ActuatorSpec& actuator = scene.actuators[k];
    const bool own = actuator.rotary && torque;
    const double scale = own ? 1.0 : actuator.limit / force.nominal;
    context.uncertainties->bind(context, own ? *torque : force, section.at(own ? "max_torque" : "max_force"),
                                {Kind::actuator, static_cast<int>(k), ParameterLayout::actuator_limit}, scale);
  }
}

}  // namespace pegrasp
