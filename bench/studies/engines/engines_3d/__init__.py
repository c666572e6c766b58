# SPDX-License-Identifier: Apache-2.0
"""Other engines for compare_engines_3d.py. Each module sets a scene up in one engine, as exactly as the engine
allows."""
