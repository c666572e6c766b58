#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Divides a closed mesh into nearly convex parts, by CoACD: convexify.py mesh.obj parts.obj threshold most_parts seed

The mesh has triangles alone; the parts come as one object each. Says in one line why, and writes nothing, when that
fails. Exit code 69: CoACD is not there; 74: the parts could not be written.
"""

import os
import signal
import sys

NOT_THERE = 69
CANNOT_WRITE = 74


def read(file):
    vertices, triangles = [], []
    for line in file:
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            triangles.append([int(word) - 1 for word in words[1:4]])
    return vertices, triangles


def write(file, parts):
    first = 1
    for number, (vertices, triangles) in enumerate(parts, 1):
        file.write(f"o part_{number}\n")
        file.writelines("v %.9g %.9g %.9g\n" % tuple(vertex) for vertex in vertices)
        file.writelines("f %d %d %d\n" % tuple(first + int(corner) for corner in triangle) for triangle in triangles)
        first += len(vertices)


def main():
    if len(sys.argv) != 6:
        sys.exit("usage: convexify.py mesh.obj parts.obj threshold most_parts seed")
    source, target, threshold, most_parts, seed = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # CoACD takes minutes in which Python would not hear Ctrl-C
    try:
        import coacd
        import numpy as np
    except ImportError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        sys.exit(NOT_THERE)
    try:
        with open(source, encoding="ascii") as file:
            vertices, triangles = read(file)
        if hasattr(coacd, "set_log_level"):
            coacd.set_log_level("error")
        mesh = coacd.Mesh(np.array(vertices, dtype=np.double), np.array(triangles, dtype=np.int32))
        parts = coacd.run_coacd(mesh, threshold=float(threshold), max_convex_hull=int(most_parts), seed=int(seed))
    except Exception as error:
        sys.exit("CoACD: " + (" ".join(str(error).split()) or type(error).__name__))
    try:
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            write(file, parts)
    except OSError as error:
        print(error.strerror, file=sys.stderr)
        sys.exit(CANNOT_WRITE)


if __name__ == "__main__":
    main()
