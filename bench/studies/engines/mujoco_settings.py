# SPDX-License-Identifier: Apache-2.0
"""What "tuned" means for MuJoCo, in the plane (compare_mujoco.py) and in space (compare_engines_space.py)."""


def stiff_contact(h, damping=1.0, impedance=(0.99, 0.999, 0.0001)):
    """Attributes of a geom: contacts as stiff as the step allows."""
    return f'solref="{2.0 * h:.17g} {damping:.17g}" solimp="{" ".join(f"{x:.17g}" for x in impedance)}"'


# attributes of the option element
PRECISE_SOLVER = 'cone="elliptic" impratio="10" iterations="100" tolerance="1e-10" solver="Newton"'
