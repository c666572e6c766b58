# SPDX-License-Identifier: Apache-2.0
"""The settings that are called "tuned" of MuJoCo, in 2D (compare_mujoco_2d.py) and in 3D (compare_engines_3d.py)."""


def stiff_contact(h, damping=1.0, impedance=(0.99, 0.999, 0.0001)):
    """Attributes of a geom: contacts as stiff as the step allows."""
    return f'solref="{2.0 * h:.17g} {damping:.17g}" solimp="{" ".join(f"{x:.17g}" for x in impedance)}"'


# attributes of the option element
PRECISE_SOLVER = 'cone="elliptic" impratio="10" iterations="100" tolerance="1e-10" solver="Newton"'
