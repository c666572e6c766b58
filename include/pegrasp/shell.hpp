// SPDX-License-Identifier: Apache-2.0
// Compliant shells of convex parts (Berard's thesis, 3.88-3.93): a layer under the surface that gives, on a rigid core.
#pragma once

namespace pegrasp {

// A spring and a damper at every contact point of the part: a face that lies on four corners has four of them. Where
// two shells meet they are in series: the sum of the thicknesses, and K_1 K_2 / (K_1 + K_2) of the other numbers. At
// the depth `thickness` the core is rigid. Contact model `peg` alone has shells.
struct CompliantShell {
  double thickness = 0.0;             // [m] > 0
  double stiffness = 0.0;             // [N/m] > 0
  double damping = 0.0;               // [N s/m]
  double tangential_stiffness = 0.0;  // [N/m] along the surface, up to Coulomb's bound; 0: rigid
  double tangential_damping = 0.0;    // [N s/m] 0 where the stiffness is
  bool operator==(const CompliantShell&) const = default;
};

}  // namespace pegrasp
