// SPDX-License-Identifier: Apache-2.0
#include "src/text/units.hpp"

#include <array>
#include <initializer_list>

namespace pegrasp {
namespace {

constexpr double radians_per_degree = 0.017453292519943295;

constexpr std::array<Unit, 1> plain{{{"", 1.0, false, "1"}}};
constexpr std::array<Unit, 2> lengths{{{"mm", 1000.0, true, "m"}, {"m", 1.0, false, "m"}}};
constexpr std::array<Unit, 2> durations{{{"ms", 1000.0, true, "s"}, {"s", 1.0, false, "s"}}};
constexpr std::array<Unit, 2> long_durations{{{"s", 1.0, false, "s"}, {"ms", 1000.0, true, "s"}}};
constexpr std::array<Unit, 2> masses{{{"kg", 1.0, false, "kg"}, {"g", 1000.0, true, "kg"}}};
constexpr std::array<Unit, 2> densities{{{"kg_per_m3", 1.0, false, "kg/m^3"}, {"g_per_cm3", 1000.0, false, "kg/m^3"}}};
constexpr std::array<Unit, 2> inertias{{{"kg_m2", 1.0, false, "kg m^2"}, {"kg_mm2", 1e6, true, "kg m^2"}}};
constexpr std::array<Unit, 2> angles{{{"deg", radians_per_degree, false, "rad"}, {"rad", 1.0, false, "rad"}}};
constexpr std::array<Unit, 2> speeds{{{"mm_s", 1000.0, true, "m/s"}, {"m_s", 1.0, false, "m/s"}}};
constexpr std::array<Unit, 2> metric_speeds{{{"m_s", 1.0, false, "m/s"}, {"mm_s", 1000.0, true, "m/s"}}};
constexpr std::array<Unit, 2> turn_rates{
    {{"rad_s", 1.0, false, "rad/s"}, {"deg_s", radians_per_degree, false, "rad/s"}}};
constexpr std::array<Unit, 1> accelerations{{{"m_s2", 1.0, false, "m/s^2"}}};
constexpr std::array<Unit, 1> angular_accelerations{{{"rad_s2", 1.0, false, "rad/s^2"}}};
constexpr std::array<Unit, 1> frequencies{{{"hz", 1.0, false, "Hz"}}};
constexpr std::array<Unit, 1> phases{{{"rad", 1.0, false, "rad"}}};
constexpr std::array<Unit, 1> forces{{{"n", 1.0, false, "N"}}};
constexpr std::array<Unit, 1> torques{{{"n_m", 1.0, false, "N m"}}};
constexpr std::array<Unit, 1> stiffnesses{{{"n_per_m", 1.0, false, "N/m"}}};
constexpr std::array<Unit, 1> rotary_stiffnesses{{{"n_m_per_rad", 1.0, false, "N m/rad"}}};
constexpr std::array<Unit, 1> dampings{{{"n_s_per_m", 1.0, false, "N s/m"}}};
constexpr std::array<Unit, 1> rotary_dampings{{{"n_m_s_per_rad", 1.0, false, "N m s/rad"}}};

}  // namespace

namespace quantity {
constinit const Quantity number{plain, "give a plain number"};
constinit const Quantity length{lengths, "give a length in the unit of the key"};
constinit const Quantity duration{durations, "give a time in the unit of the key"};
constinit const Quantity long_duration{long_durations, "give a time in the unit of the key"};
constinit const Quantity mass{masses, "give the mass in kilograms (or _g in grams)"};
constinit const Quantity density{densities, "give a density in kg/m^3 (or _g_per_cm3)"};
constinit const Quantity inertia{inertias, "give the moment of inertia about the centre of mass"};
constinit const Quantity angle{angles, "give an angle in degrees (or _rad in radians)"};
constinit const Quantity speed{speeds, "give a speed in the unit of the key"};
constinit const Quantity slow_speed{metric_speeds, "give a speed in the unit of the key"};
constinit const Quantity angular_speed{turn_rates, "give an angular speed in the unit of the key"};
constinit const Quantity acceleration{accelerations, "give an acceleration in m/s^2"};
constinit const Quantity angular_acceleration{angular_accelerations, "give an angular acceleration in rad/s^2"};
constinit const Quantity frequency{frequencies, "give a frequency in hertz"};
constinit const Quantity phase{phases, "give an angle in radians"};
constinit const Quantity force{forces, "give a force in newtons"};
constinit const Quantity torque{torques, "give a torque in newton metres"};
constinit const Quantity stiffness{stiffnesses, "give a stiffness in N/m"};
constinit const Quantity rotary_stiffness{rotary_stiffnesses, "give a stiffness in N m/rad"};
constinit const Quantity damping{dampings, "give a damping in N s/m"};
constinit const Quantity rotary_damping{rotary_dampings, "give a damping in N m s/rad"};
constinit const Quantity friction{plain, "give a coefficient of friction, 0 or more"};
}  // namespace quantity

std::string unit_key(const std::string& base, const Unit& unit) {
  return *unit.suffix == '\0' ? base : base + "_" + unit.suffix;
}

std::string key_base(const std::string& key) {
  // longest suffixes first, so that "stiffness_n_m_per_rad" is not cut at "_rad"
  for (const char* suffix : {"n_m_s_per_rad",
                             "n_m_per_rad",
                             "n_s_per_m",
                             "kg_per_m3",
                             "g_per_cm3",
                             "n_per_m",
                             "kg_mm2",
                             "kg_m2",
                             "rad_s2",
                             "m_s2",
                             "mm_s",
                             "rad_s",
                             "deg_s",
                             "m_s",
                             "n_m",
                             "deg",
                             "rad",
                             "kg",
                             "hz",
                             "mm",
                             "ms",
                             "g",
                             "m",
                             "s",
                             "n"}) {
    const std::string tail = std::string("_") + suffix;
    if (key.size() > tail.size() && key.compare(key.size() - tail.size(), tail.size(), tail) == 0) {
      return key.substr(0, key.size() - tail.size());
    }
  }
  return key;
}

std::string unit_of_key(const std::string& key) {
  const std::string base = key_base(key);
  if (base == key) return "1";
  const std::string suffix = key.substr(base.size() + 1);
  constexpr std::array<std::array<const char*, 2>, 15> others{{{"n_m_s_per_rad", "N m s/rad"},
                                                               {"n_m_per_rad", "N m/rad"},
                                                               {"n_s_per_m", "N s/m"},
                                                               {"kg_per_m3", "kg/m^3"},
                                                               {"g_per_cm3", "g/cm^3"},
                                                               {"n_per_m", "N/m"},
                                                               {"kg_mm2", "kg mm^2"},
                                                               {"kg_m2", "kg m^2"},
                                                               {"rad_s2", "rad/s^2"},
                                                               {"m_s2", "m/s^2"},
                                                               {"mm_s", "mm/s"},
                                                               {"m_s", "m/s"},
                                                               {"n_m", "N m"},
                                                               {"n", "N"},
                                                               {"hz", "Hz"}}};
  for (const auto& [written, unit] : others)
    if (suffix == written) return unit;
  if (suffix == "rad_s" || suffix == "deg_s") return suffix.substr(0, 3) + "/s";
  return suffix;
}

}  // namespace pegrasp
