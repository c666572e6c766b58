#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a trial that pegrasp replay or pegrasp show has simulated: draw_replay.py trial.json trial.png

The ending .mp4 makes a film of all frames, by ffmpeg. Says in one line why, and leaves no picture, when that fails.
Exit code 74: the picture could not be written.
"""

import json
import os
import shutil
import subprocess
import sys
import textwrap

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.colors import to_rgb
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
except ImportError as error:
    sys.exit(f"{error}; install python3-matplotlib and python3-numpy")

CANNOT_WRITE = 74  # exit code, by which src/map/plot_script.cpp tells a full disk from a missing library
# Okabe and Ito's colours, which the colour-blind can tell apart: of dynamic bodies, and of arrows by MarkKind.
BODIES = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#cc79a7", "#d55e00", "#0072b2"]
MARKS = ["#555555", "#0072b2", "#d55e00", "#009e73", "#8b3a8b", "#444444", "#b00020", "#6b6b00"]
ARROW = 0.2       # length of the largest force, by the size of the picture
INCHES = (6.4, 4.8)
DOTS = 130        # an inch; pixels are even numbers, as films need them


def plain(text):
    """$ is a dollar, not the start of a formula."""
    return text.replace("$", r"\$")


def colours_of(scene):
    dynamic = 0
    for body in scene["bodies"]:
        if body["kind"] == "dynamic":
            yield BODIES[dynamic % len(BODIES)]
            dynamic += 1
        else:
            yield "#bbbbbb" if body["kind"] == "fixed" else "#8a929c"


def outline(corners):
    """Points of the outline of a chain of corners, arcs in small steps."""
    corners = np.asarray(corners, float)
    if len(corners) == 1:
        turn = np.linspace(0, 2 * np.pi, 64, endpoint=False)
        return corners[0, :2] + corners[0, 2] * np.stack([np.cos(turn), np.sin(turn)], 1)
    way = np.roll(corners, -1, 0) - corners
    length = np.hypot(way[:, 0], way[:, 1])
    along = np.clip(-way[:, 2] / length, -1, 1)
    # The outward normal of the edge that is tangent to both arcs.
    angles = np.arctan2(way[:, 1], way[:, 0]) - np.pi / 2 + np.arcsin(along)
    points = []
    for k, (x, y, r) in enumerate(corners):
        turn = (angles[k] - angles[k - 1] + 1e-9) % (2 * np.pi)
        for angle in np.linspace(angles[k - 1], angles[k - 1] + turn, max(2, int(turn / 0.1))) if r > 0 else [0.0]:
            points.append((x + r * np.cos(angle), y + r * np.sin(angle)))
    return np.array(points)


def turned(quaternion, points):
    w, x, y, z = quaternion
    matrix = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                       [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                       [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    return np.asarray(points, float) @ matrix.T


def placed(pose, points):
    points = np.asarray(points, float)
    if len(pose) == 7:
        return turned(pose[3:], points) + pose[:3]
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return points[:, :2] @ np.array([[c, s], [-s, c]]) + pose[:2]


def ball_points(part):
    """Rings around the ends of a sphere or capsule: (rings, points, 3)."""
    ends = np.asarray(part["ends"], float)
    axis = ends[-1] - ends[0]
    axis = axis / np.linalg.norm(axis) if len(ends) == 2 else np.array([0.0, 0.0, 1.0])
    other = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
    other /= np.linalg.norm(other)
    third = np.cross(axis, other)
    turn = np.linspace(0, 2 * np.pi, 24)
    rings = []
    for height in np.linspace(-np.pi / 2, np.pi / 2, 14):
        centre = ends[0] if height < 0 else ends[-1]
        ring = np.outer(np.cos(turn), other) + np.outer(np.sin(turn), third)
        rings.append(centre + part["radius"] * (np.cos(height) * ring + np.sin(height) * axis))
    return np.array(rings)


def faces_of(part):
    """Polygons of a solid, in its body's frame; none of a half-space."""
    if "vertices" in part:
        vertices = np.asarray(part["vertices"], float).reshape(-1, 3)
        return [vertices[face] for face in part["faces"]]
    if "ends" in part:
        rings = ball_points(part)
        return [np.array([rings[i, j], rings[i, j + 1], rings[i + 1, j + 1], rings[i + 1, j]])
                for i in range(len(rings) - 1) for j in range(rings.shape[1] - 1)]
    return []


def shaded(colour, face):
    """The colour of a face in light from above and in front."""
    normal = np.cross(face[1] - face[0], face[2] - face[0])
    size = np.linalg.norm(normal)
    light = abs(normal @ [0.3, -0.5, 0.81]) / size if size > 0 else 1.0
    return np.append((0.55 + 0.45 * light) * np.array(to_rgb(colour)), 1.0)


class Picture:
    """What is the same in all frames: shapes, colours, limits."""

    def __init__(self, source):
        self.source, self.scene = source, source["scene"]
        self.spatial = self.scene["spatial"]
        self.colours = list(colours_of(self.scene))
        self.shapes = [self.shapes_of(body) for body in self.scene["bodies"]]
        self.figure = plt.figure(figsize=INCHES, dpi=DOTS)
        kind = {"projection": "3d", "computed_zorder": False} if self.spatial else {}
        self.axes = self.figure.add_subplot(**kind)
        points = self.points_of("fixed") or self.points_of(None)
        points += [np.reshape(glyph["lines"], (-1, 3)) for glyph in source.get("glyphs", [])]  # in space alone
        points = np.concatenate(points) if points else np.zeros((1, 3 if self.spatial else 2))
        self.low, self.high = points.min(0), points.max(0)
        self.size = max(float(np.linalg.norm(self.high - self.low)), 1e-6)
        self.strongest = max([float(np.linalg.norm(mark["force"])) for frame in source["frames"]
                              for mark in frame["marks"]], default=0.0)

    def points_of(self, kind):
        """Of all frames, and all bodies but those of this kind."""
        return [placed(pose, shape) for frame in self.source["frames"]
                for body, pose, shapes in zip(self.scene["bodies"], frame["poses"], self.shapes)
                if pose is not None and body["kind"] != kind for shape in shapes]

    def shapes_of(self, body):
        if self.spatial:
            return [face for part in body["parts"] for face in faces_of(part)]
        return [outline(part["corners"]) for part in body["parts"] if "corners" in part]

    def draw(self, frame):
        self.axes.clear()
        title = textwrap.fill(plain(self.source["title"]), 80)
        self.axes.set_title(f"{title}   t = {frame['time']:.3f} s", fontsize=9)
        (self.draw_spatial if self.spatial else self.draw_planar)(frame)

    def arrows(self, frame):
        for mark in frame["marks"]:
            force = np.asarray(mark["force"], float)
            share = np.linalg.norm(force) / self.strongest if self.strongest > 0 else 0.0
            if share > 0.01:
                yield np.asarray(mark["point"], float), ARROW * self.size * force / self.strongest, MARKS[mark["kind"]]

    def draw_planar(self, frame):
        pad = 0.1 * self.size
        for body, pose, shapes, colour in zip(self.scene["bodies"], frame["poses"], self.shapes, self.colours):
            if pose is None:
                continue
            for part in body["parts"]:
                if "normal" in part:
                    self.half_plane(part, pose, colour)
            for shape in shapes:
                self.axes.add_patch(Polygon(1000 * placed(pose, shape), fc=colour, ec="#222222", alpha=0.85))
            if shapes:
                points = np.concatenate([placed(pose, shape) for shape in shapes])
                middle = 500 * (points.min(0) + points.max(0))
                self.axes.text(*middle, plain(body["name"]), ha="center", va="center", fontsize=8)
        for point, arrow, colour in self.arrows(frame):
            self.axes.annotate("", 1000 * (point[:2] + arrow[:2]), 1000 * point[:2],
                               arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.5})
        self.axes.set_aspect("equal")
        self.axes.set_xlim(1000 * (self.low[0] - pad), 1000 * (self.high[0] + pad))
        self.axes.set_ylim(1000 * (self.low[1] - pad), 1000 * (self.high[1] + pad))
        self.axes.set_xlabel("x [mm]")
        self.axes.set_ylabel("y [mm]")

    def half_plane(self, part, pose, colour):
        normal = np.asarray(part["normal"], float)
        along, far = np.array([-normal[1], normal[0]]), 20 * self.size
        edge = part["offset"] * normal
        corners = [edge - far * along, edge + far * along, edge + far * (along - normal), edge - far * (along + normal)]
        self.axes.add_patch(PathPatch(Path(1000 * placed(pose, corners)), fc=colour, ec="#222222", alpha=0.85))

    def draw_spatial(self, frame):
        middle, half = 500 * (self.low + self.high), 500 * max(self.high - self.low)
        # Fixed bodies lie behind, and only what is in the picture of them; the faces of all others are sorted by depth.
        layers = {True: [], False: []}
        for body, pose, shapes, colour in zip(self.scene["bodies"], frame["poses"], self.shapes, self.colours):
            if pose is None or not shapes:
                continue
            fixed = body["kind"] == "fixed"
            faces = [1000 * placed(pose, shape) for shape in shapes]
            if fixed:
                faces = [np.clip(face, middle - half, middle + half) for face in faces]
            edge = "none" if any("ends" in part for part in body["parts"]) else "#333333"
            layers[fixed] += [(face, shaded(colour, face), edge) for face in faces]
            self.axes.text(*np.concatenate(faces).mean(0), plain(body["name"]), fontsize=7, ha="center", zorder=5,
                           bbox={"fc": "white", "ec": "none", "alpha": 0.7, "pad": 1})
        for fixed, layer in layers.items():
            if layer:
                faces, colours, edges = zip(*layer)
                self.axes.add_collection3d(Poly3DCollection(faces, facecolors=colours, edgecolors=edges, linewidths=0.4,
                                                            zorder=1 if fixed else 2))
        for glyph in self.source.get("glyphs", []):
            lines = 1000 * np.asarray(glyph["lines"])
            self.axes.add_collection3d(Line3DCollection(lines, colors="#111111", lw=1, zorder=3))
        for point, arrow, colour in self.arrows(frame):
            self.axes.quiver(*(1000 * point), *(1000 * arrow), color=colour, lw=1.5, zorder=4)
        self.axes.set_xlim(middle[0] - half, middle[0] + half)
        self.axes.set_ylim(middle[1] - half, middle[1] + half)
        self.axes.set_zlim(middle[2] - half, middle[2] + half)
        self.axes.set_box_aspect((1, 1, 1))
        self.axes.view_init(elev=22, azim=-60)
        for set_label, name in ((self.axes.set_xlabel, "x"), (self.axes.set_ylabel, "y"), (self.axes.set_zlabel, "z")):
            set_label(name + " [mm]", fontsize=8)


def film(picture, target):
    program = shutil.which("ffmpeg")
    if program is None:
        sys.exit("ffmpeg was not found; install Debian's package ffmpeg")
    width, height = (int(inches * DOTS) for inches in INCHES)
    encoder = subprocess.Popen(
        [program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{width}x{height}", "-r",
         str(picture.source["frames_per_second"]), "-i", "-", "-pix_fmt", "yuv420p", "-f", "mp4", target],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for frame in picture.source["frames"]:
            picture.draw(frame)
            picture.figure.canvas.draw()
            encoder.stdin.write(bytes(picture.figure.canvas.buffer_rgba()))
    except BrokenPipeError:
        pass
    said = encoder.communicate()[1].decode(errors="replace").strip().splitlines()
    if encoder.returncode != 0:
        sys.exit("ffmpeg failed: " + (said[-1] if said else f"code {encoder.returncode}"))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: draw_replay.py TRIAL.json PICTURE.png")
    source, target = sys.argv[1:]
    partial = f"{target}.{os.getpid()}.tmp{os.path.splitext(target)[1]}"
    try:
        with open(source, encoding="utf-8") as file:
            picture = Picture(json.load(file))
        try:
            if target.endswith(".mp4"):
                film(picture, partial)
            else:
                picture.draw(picture.source["frames"][0])
                picture.figure.savefig(partial)
            os.replace(partial, target)
        except OSError as error:
            print(error.strerror or " ".join(str(error).split()), file=sys.stderr)
            sys.exit(CANNOT_WRITE)
    except Exception as error:
        sys.exit(f"{target}: " + (" ".join(str(error).split()) or type(error).__name__))
    finally:
        if os.path.exists(partial):
            os.remove(partial)


if __name__ == "__main__":
    main()
