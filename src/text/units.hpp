// SPDX-License-Identifier: Apache-2.0
// Units of the problem file. A key is a name followed by its unit, `radius_mm`; a quantity lists the units it may be
// given in, the first one being the unit of defaults. Numbers are converted to SI once, by one operation, so that the
// same decimal always gives the same bits.
#pragma once

#include <span>
#include <string>

namespace pegrasp {

struct Unit {
  const char* suffix;  // of the key: "mm"; empty for plain numbers
  double factor;       // SI = number * factor, or
  bool divide;         // SI = number / factor (exact powers of ten: 20.75 / 1000 is the double nearest to 0.02075)
  const char* si;      // name of the SI unit: "m"

  double to_si(double number) const { return divide ? number / factor : number * factor; }
  double from_si(double number) const { return divide ? number * factor : number / factor; }
};

// The quantity that a key measures: its units, of which the first is the default, and a remedy for messages.
struct Quantity {
  std::span<const Unit> units;
  const char* remedy;  // "give the mass in kilograms"
};

namespace quantity {
extern const Quantity number, length, duration, long_duration, mass, density, inertia, angle, speed, slow_speed,
    angular_speed, acceleration, force, torque, stiffness, rotary_stiffness, damping, rotary_damping, friction,
    angular_acceleration, frequency, phase;
}

// "x_mm" for ("x", mm); "friction" for ("friction", no unit).
std::string unit_key(const std::string& base, const Unit& unit);

// The key without its unit ("h" for "h_ms"), or the whole key when it does not end in a known unit.
std::string key_base(const std::string& key);

// The unit in which the value of a key is, as people write it: "mm" of "x_mm", "N" of "force_n", "1" without one.
std::string unit_of_key(const std::string& key);

}  // namespace pegrasp
