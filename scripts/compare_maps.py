#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two runs of one map trial by trial: how many outcomes differ, and how far apart the parts end.

    build/pegrasp map examples/lift/lift.toml --out out/a
    build/pegrasp map examples/lift/lift.toml --out out/b --set simulation.tolerance_m_s=1e-8
    scripts/compare_maps.py out/a out/b

This shows how much the outcomes depend on settings that should not matter.
"""
import argparse
import pathlib
import sys

import h5py
import numpy as np


def read(folder):
    path = pathlib.Path(folder) / "map.h5"
    try:
        with h5py.File(path) as file:
            table = file["samples_table"]
            return {key: table[key][:] for key in
                    ("cell", "sample", "success", "status", "final_pose", "iterations", "substeps_rejected")}
    except (OSError, KeyError) as error:
        sys.exit(f"compare_maps.py: {path}: {error}; give the output folders of two pegrasp map runs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs=2, metavar="FOLDER", help="output folder of a map")
    runs = [read(folder) for folder in parser.parse_args().folders]
    one, other = runs
    if any(not np.array_equal(one[key], other[key]) for key in ("cell", "sample")):
        sys.exit("compare_maps.py: the runs have other trials; give the same grid, samples and shard")
    for folder, run in zip(parser.parse_args().folders, runs):
        print(f"{folder}: {run['success'].sum()} of {len(run['cell'])} succeed, {(run['status'] != 0).sum()} with a "
              f"status bit, "
              f"{run['substeps_rejected'].sum()} attempts rejected, {run['iterations'].sum()} iterations")
    differ = (one["success"] != other["success"]).sum()
    print(f"outcomes alike: {len(one['cell']) - differ} of {len(one['cell'])} ({differ / len(one['cell']):.2%} differ)")
    places = 3 if one["final_pose"].shape[-1] == 7 else 2
    apart = np.linalg.norm(one["final_pose"][..., :places] - other["final_pose"][..., :places], axis=-1).max(axis=1)
    median, most = np.percentile(apart, [50, 90])
    print(f"the body farthest from itself at the end: median {median:.1e} m, 90 % {most:.1e} m")


if __name__ == "__main__":
    main()
