# SPDX-License-Identifier: Apache-2.0
"""Other engines on pours in space, for scripts/compare_engines_space.py: each module sets the scene up in one engine as exactly as it can be said there."""
