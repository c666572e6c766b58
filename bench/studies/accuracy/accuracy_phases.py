# SPDX-License-Identifier: Apache-2.0
"""The phases of motion of accuracy_study.py: scenes for `pegrasp run`, and how they move by a formula or, where none is
known, by a Runge-Kutta method. Each function returns the error of a phase for a step h [s], in SI units."""
import csv
import json
import math
import pathlib
import subprocess
import sys

GRAVITY = 9.81
FINE = 20000  # steps of the Runge-Kutta method
SLIDES = [(speed, mu) for speed in (0.5, 1.0, 1.3, 2.0) for mu in (0.2, 0.35, 0.5)]
# Asked of slides [m], by step [s].
SLIDE_BOUND = {0.01: 2e-4, 0.005: 5e-5}
# Of what sticks [m/s].
CREEP_BOUND = {0.01: 1e-6, 0.005: 1e-6, 0.0025: 1e-6, 0.00125: 1e-6}

# Runs


class Runner:
    """Runs scenes and problems in a folder of their own."""

    def __init__(self, program, folder):
        self.program = program.resolve()
        self.folder = pathlib.Path(folder)
        self.count = 0

    def simulate(self, scene, h, seconds):
        """The rows of the trajectory, one dictionary of numbers for each step and body. scene: the object of a scene
        file, or the text of a problem file. The step h is made a little smaller where `seconds` is no multiple."""
        problem = isinstance(scene, str)
        file = self.folder / ("problem.toml" if problem else "scene.json")
        file.write_text(scene if problem else json.dumps(scene))
        states = self.folder / "states.csv"
        command = [str(self.program), "run", str(file), "--h", repr(h), "--t-end", repr(seconds), "--json",
                   "--trajectory", str(states)]
        if problem:
            command += ["--cell", "0", "--sample", "0"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.count += 1
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr or done.stdout}")
        with open(states, newline="") as source:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(source)]

    def end(self, scene, h, seconds, body=0):
        """The last row of a body."""
        return [row for row in self.simulate(scene, h, seconds) if row["body"] == body][-1]


def turn_of(row):
    """The angle about z [rad], within half a turn."""
    return 2 * math.atan2(row["qz"], row["qw"])


def whole_turns(angle):
    return math.remainder(angle, 2 * math.pi)


def integrate(state, seconds, rate):
    """The state after `seconds`, by the classical Runge-Kutta method. rate: state -> its derivative."""
    h = seconds / FINE

    def moved(by, factor):
        return [x + factor * d for x, d in zip(state, by)]

    for _ in range(FINE):
        a = rate(state)
        b = rate(moved(a, h / 2))
        c = rate(moved(b, h / 2))
        d = rate(moved(c, h))
        state = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(state, a, b, c, d)]
    return state


# Scenes


def scene(dim, bodies, mu=0.0, slope=0.0, **more):
    """A scene whose weight leans by `slope` [rad] towards +x from down, which is -y in 2D and -z in 3D."""
    along, down = GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope)
    gravity = [along, down] if dim == 2 else [along, 0, down]
    return {"format": "peg-scene-1", "dim": dim, "gravity": gravity, "friction": mu, "bodies": bodies, **more}


def floor(dim):
    """The solid below the origin."""
    part = {"half_plane": {"normal": [0, 1], "offset": 0}} if dim == 2 else {
        "half_space": {"normal": [0, 0, 1], "offset": 0}}
    return {"name": "floor", "static": True, "parts": [part]}


def box(dim, half, position, mass=1.0, **more):
    """A box of uniform density with the half edges `half`."""
    if dim == 2:
        x, y = half
        corners = [[-x, -y], [x, -y], [x, y], [-x, y]]
        moments = [1, 1, mass * (x * x + y * y) / 3]
    else:
        x, y, z = half
        corners = [[i * x, j * y, k * z] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
        moments = [mass * (y * y + z * z) / 3, mass * (x * x + z * z) / 3, mass * (x * x + y * y) / 3]
    return {"name": "box", "mass": mass, "inertia_diag": moments, "vertices": corners, "position": position, **more}


def wheel(dim, radius, position, **more):
    """A disc in 2D, a ball in 3D, of mass 1."""
    moment = (0.5 if dim == 2 else 0.4) * radius * radius
    shape = {"disc": {"centre": [0, 0], "radius": radius}} if dim == 2 else {"sphere": {"radius": radius}}
    return {"name": "wheel", "mass": 1.0, "inertia_diag": [moment] * 3, "parts": [shape], "position": position, **more}


def vector(dim, x, up):
    return [x, up] if dim == 2 else [x, 0, up]


def flat_box(dim):
    """Half edges of a low box, and its height over the floor."""
    return ([0.1, 0.05], 0.05) if dim == 2 else ([0.1, 0.1, 0.05], 0.05)


# Phases: each returns the error for a step


def flight(runner, h, dim):
    half, _ = flat_box(dim)
    speed = [1.2, 3.0] if dim == 2 else [1.2, -0.7, 3.0]
    start = [0, 0] if dim == 2 else [0, 0, 0]
    end = runner.end(scene(dim, [box(dim, half, start, velocity=speed, angular_velocity=[0, 0, 2.5])]), h, 1.0)
    up = "y" if dim == 2 else "z"
    exact = dict(zip("xyz", speed))
    exact[up] -= GRAVITY / 2
    errors = [end[axis] - exact[axis] for axis in exact] + [whole_turns(turn_of(end) - 2.5)]
    return max(map(abs, errors + [end["v" + up] - (speed[-1] - GRAVITY)]))


def tumble(runner, h):
    """Free rotation near the middle axis: Euler's equations. The distance [rad] between two orientations."""
    half = [0.05, 0.1, 0.2]
    w = [0.1, 5.0, 0.1]
    body = box(3, half, [0, 0, 0], angular_velocity=w)
    i1, i2, i3 = body["inertia_diag"]
    end = runner.end(scene(3, [body]), h, 1.0)

    def rate(s):
        a, b, c, qw, qx, qy, qz = s
        return [(i2 - i3) / i1 * b * c, (i3 - i1) / i2 * c * a, (i1 - i2) / i3 * a * b,
                (-qx * a - qy * b - qz * c) / 2, (qw * a + qy * c - qz * b) / 2, (qw * b + qz * a - qx * c) / 2,
                (qw * c + qx * b - qy * a) / 2]

    exact = integrate(w + [1, 0, 0, 0], 1.0, rate)[3:]
    q = [end[key] for key in ("qw", "qx", "qy", "qz")]
    sign = 1 if sum(a * b for a, b in zip(q, exact)) > 0 else -1
    return 2 * math.hypot(*(a - sign * b for a, b in zip(q, exact)))


def incline(runner, h, dim):
    slope, mu, seconds = math.radians(30), 0.3, 1.0
    half, up = flat_box(dim)
    bodies = [floor(dim), box(dim, half, vector(dim, 0, up))]
    end = runner.end(scene(dim, bodies, mu, slope), h, seconds, 1)
    pull = GRAVITY * (math.sin(slope) - mu * math.cos(slope))
    return max(abs(end["x"] - pull * seconds ** 2 / 2), abs(end["vx"] - pull * seconds))


def slide(runner, h, dim):
    half, up = flat_box(dim)
    errors = []
    for speed, mu in SLIDES:
        bodies = [floor(dim), box(dim, half, vector(dim, 0, up), velocity=vector(dim, speed, 0))]
        end = runner.end(scene(dim, bodies, mu), h, speed / (mu * GRAVITY) + 0.05, 1)
        errors.append(abs(end["x"] - speed ** 2 / (2 * mu * GRAVITY)))
    return max(errors)


def slide_to_roll(runner, h, dim):
    factor = 2.0 if dim == 2 else 2.5  # r^2 m / I
    errors = []
    for speed in [0.7 + 0.093 * k for k in range(10)]:
        mu, radius, seconds = 0.2, 0.1, 1.0
        bodies = [floor(dim), wheel(dim, radius, vector(dim, 0, radius), velocity=vector(dim, speed, 0))]
        end = runner.end(scene(dim, bodies, mu), h, seconds, 1)
        until = speed / ((1 + factor) * mu * GRAVITY)
        rolls = speed * factor / (1 + factor)
        exact = speed * until - mu * GRAVITY * until ** 2 / 2 + rolls * (seconds - until)
        errors.append(abs(end["x"] - exact))
    return max(errors)


def rolling(runner, h, dim):
    slope, radius, seconds = math.radians(15), 0.1, 1.0
    factor = 0.5 if dim == 2 else 0.4
    bodies = [floor(dim), wheel(dim, radius, vector(dim, 0, radius))]
    end = runner.end(scene(dim, bodies, 0.5, slope), h, seconds, 1)
    pull = GRAVITY * math.sin(slope) / (1 + factor)
    return max(abs(end["x"] - pull * seconds ** 2 / 2), abs(end["vx"] - pull * seconds))


ROD, LET_GO = 0.5, 2.0  # length of the rod [m], angle from hanging at which it is let go [rad]


def pendulum_scene(dim):
    """A thin rod on a hinge, in the plane of x and up, and the frequency squared of its small swings."""
    half, sine, cosine = ROD / 2, math.sin(LET_GO), math.cos(LET_GO)
    place = vector(dim, half * sine, -half * cosine)
    if dim == 2:
        rod = box(2, [0.02, half], place, turn=LET_GO)
        moment = rod["inertia_diag"][2]
        axis = {}
    else:
        # The turn is about -y, so that the rod swings to +x as it does in 2D.
        rod = box(3, [0.02, 0.02, half], place, quaternion_wxyz=[math.cos(LET_GO / 2), 0, -math.sin(LET_GO / 2), 0])
        moment = rod["inertia_diag"][1]
        axis = {"axis": [0, -1, 0]}
    base = {"name": "base", "static": True, "position": vector(dim, 0, 1),
            **({"parts": [{"disc": {"centre": [0, 0], "radius": 0.01}}]} if dim == 2 else {"sphere": {"radius": 0.01}})}
    joint = {"kind": "revolute", "bodies": ["base", "box"], "anchor": vector(dim, 0, 0), **axis}
    return scene(dim, [base, rod], joints=[joint]), GRAVITY * half / (moment + half * half), moment + half * half


def pendulum(runner, h, dim):
    hanging, pull, _ = pendulum_scene(dim)
    end = runner.end(hanging, h, 2.0, 1)
    angle = math.atan2(end["x"], -end["z" if dim == 3 else "y"])
    exact = integrate([LET_GO, 0.0], 2.0, lambda s: [s[1], -pull * math.sin(s[0])])[0]
    return abs(whole_turns(angle - exact))


def pendulum_energy(runner, h):
    """The largest change of the energy within 20 s, over the energy of the swing."""
    hanging, _, moment = pendulum_scene(2)
    rows = [row for row in runner.simulate(hanging, h, 20.0) if row["body"] == 1]
    energies = [moment * row["wz"] ** 2 / 2 + GRAVITY * row["y"] for row in rows]
    start = -GRAVITY * ROD / 2 * math.cos(LET_GO)
    return max(abs(energy - start) for energy in energies) / (start + GRAVITY * ROD / 2)


def support_problem(speed, spin, turn_deg=0):
    """A disc of 100 g and 10 mm on three points of friction 0.3, 7 mm from its middle."""
    return f"""[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = {1e3 * speed}
omega_rad_s = {spin}
support = {{ radius_mm = 7, turn_deg = {turn_deg}, friction = 0.3 }}
[[body.part]]
shape = "disc"
radius_mm = 10
"""


RING, PUCK_RADIUS, SUPPORT_MU = 0.007, 0.01, 0.3


def spin_down(runner, h):
    """The angle [rad] that a spinning puck turns until it stops."""
    slowing = SUPPORT_MU * GRAVITY * RING / (PUCK_RADIUS ** 2 / 2)
    errors = []
    for spin in [40.0 + 3.7 * k for k in range(10)]:
        end = runner.end(support_problem(0, spin), h, spin / slowing + 0.05)
        errors.append(abs(whole_turns(turn_of(end) - spin ** 2 / (2 * slowing))))
    return max(errors)


def spin_and_slide(runner, h):
    """The way [m] of a puck that spins and slides, while it does both."""
    speed, spin, seconds = 0.5, 40.0, 0.12
    end = runner.end(support_problem(speed, spin), h, seconds)

    def rate(s):
        x, y, turn, vx, vy, w = s
        fx = fy = torque = 0.0
        for k in range(3):
            angle = turn + 2 * math.pi * k / 3
            rx, ry = RING * math.cos(angle), RING * math.sin(angle)
            sx, sy = vx - w * ry, vy + w * rx
            size = math.hypot(sx, sy)
            px, py = -SUPPORT_MU * GRAVITY / 3 * sx / size, -SUPPORT_MU * GRAVITY / 3 * sy / size
            fx, fy, torque = fx + px, fy + py, torque + rx * py - ry * px
        return [vx, vy, w, fx, fy, torque / (PUCK_RADIUS ** 2 / 2)]

    exact = integrate([0, 0, 0, speed, 0, spin], seconds, rate)
    return math.hypot(end["x"] - exact[0], end["y"] - exact[1])


def puck_slide(runner, h):
    errors = []
    for speed in (0.5, 1.0, 1.3, 2.0):
        stops = speed / (SUPPORT_MU * GRAVITY)
        end = runner.end(support_problem(speed, 0), h, stops + 0.05)
        errors.append(abs(end["x"] - speed * stops / 2))
    return max(errors)


def turning_table(turns, radius):
    return {"name": "table", "kinematic": True, "position": [0, 0, -0.01], "angular_velocity": [0, 0, turns],
            "vertices": [[radius * math.cos(k * math.pi / 16), radius * math.sin(k * math.pi / 16), z]
                         for k in range(32) for z in (-0.01, 0.01)]}


def turntable(runner, h):
    """The speed [m/s] at which a block creeps on a turntable, at half the speed at which it would slip."""
    mu, radius, seconds = 0.4, 0.1, 2.0
    turns = math.sqrt(mu * GRAVITY / radius) / 2
    table = turning_table(turns, 0.3)
    block = box(3, [0.002, 0.002, 0.005], [radius, 0, 0.005], 0.1, velocity=[0, radius * turns, 0],
                angular_velocity=[0, 0, turns])
    end = runner.end(scene(3, [table, block], mu), h, seconds, 1)
    c, s = math.cos(turns * seconds), math.sin(turns * seconds)
    return math.hypot(c * end["x"] + s * end["y"] - radius, c * end["y"] - s * end["x"]) / seconds


def roll_on_turntable(runner, h):
    """A ball that rolls on a turntable goes in a circle, at 2/7 of the rate at which the table turns."""
    turns, radius, seconds = 3.0, 0.05, 1.0
    x, y, vx, vy = 0.2, 0.1, 0.3, 0.2
    ball = wheel(3, radius, [x, y, radius], velocity=[vx, vy, 0],
                 angular_velocity=[(turns * x - vy) / radius, (vx + turns * y) / radius, 0])
    end = runner.end(scene(3, [turning_table(turns, 1.0), ball], 2.0), h, seconds, 1)
    rate = turns * 2 / 7
    c, s = 1 - math.cos(rate * seconds), math.sin(rate * seconds)
    return math.hypot(end["x"] - (x + (vx * s - vy * c) / rate), end["y"] - (y + (vy * s + vx * c) / rate))


def tray(runner, h):
    """The speed [m/s] at which a box creeps on a tray that turns in the plane."""
    turns, seconds, mu = 0.4, 1.0, 0.8
    board = {"name": "tray", "kinematic": True, "position": [0, 0], "angular_velocity": [0, 0, turns],
             "vertices": [[-1, -0.05], [1, -0.05], [1, 0.05], [-1, 0.05]]}
    load = box(2, [0.05, 0.05], [0.5, 0.1], velocity=[-0.1 * turns, 0.5 * turns], angular_velocity=[0, 0, turns])
    end = runner.end(scene(2, [board, load], mu), h, seconds, 1)
    c, s = math.cos(turns * seconds), math.sin(turns * seconds)
    return math.hypot(c * end["x"] + s * end["y"] - 0.5, c * end["y"] - s * end["x"] - 0.1) / seconds


def across(runner, h):
    """A block that slides across a slope curves down it."""
    slope, mu, seconds, speed = math.radians(20), 0.3, 1.0, 1.0
    half, up = flat_box(3)
    bodies = [floor(3), box(3, half, [0, 0, up], velocity=[0, speed, 0])]
    end = runner.end(scene(3, bodies, mu, slope), h, seconds, 1)

    def rate(s):
        size = math.hypot(s[2], s[3])
        rub = mu * GRAVITY * math.cos(slope) / size
        return [s[2], s[3], GRAVITY * math.sin(slope) - rub * s[2], -rub * s[3]]

    exact = integrate([0, 0, 0, speed], seconds, rate)
    return math.hypot(end["x"] - exact[0], end["y"] - exact[1])


def tipping(runner, h):
    """The angle [rad] of a box that leans over its corner."""
    x, y, lean, seconds = 0.05, 0.15, 0.1, 0.3
    arm, corner = math.hypot(x, y), math.atan2(x, y)
    turn = -(corner + lean)
    place = [-(math.cos(turn) * x + math.sin(turn) * y), -(math.sin(turn) * x - math.cos(turn) * y)]
    end = runner.end(scene(2, [floor(2), box(2, [x, y], place, turn=turn)], 2.0), h, seconds, 1)
    pull = GRAVITY * arm / ((x * x + y * y) / 3 + arm * arm)
    exact = integrate([lean, 0.0], seconds, lambda s: [s[1], pull * math.sin(s[0])])[0]
    return abs(-turn_of(end) - corner - exact)


def drop(runner, h, dim):
    """A box falls flat on the floor, loses mu times its speed of fall along it, and slides to rest."""
    half, up = flat_box(dim)
    errors = []
    for k in range(12):
        mu, speed, height = 0.3, 1.5 + 0.0083 * k, 0.05 + 0.003 * k
        fall = math.sqrt(2 * GRAVITY * height)
        after = speed - mu * fall
        bodies = [floor(dim), box(dim, half, vector(dim, 0, up + height), velocity=vector(dim, speed, 0))]
        end = runner.end(scene(dim, bodies, mu), h, fall / GRAVITY + after / (mu * GRAVITY) + 0.05, 1)
        errors.append(abs(end["x"] - (speed * fall / GRAVITY + after ** 2 / (2 * mu * GRAVITY))))
    return max(errors)


def drop_to_roll(runner, h):
    """A ball falls on the floor without spin, slides and then rolls."""
    mu, radius, seconds = 0.2, 0.1, 0.8
    errors = []
    for k in range(12):
        speed, height = 1.5 + 0.0083 * k, 0.05 + 0.003 * k
        fall, rolls = math.sqrt(2 * height / GRAVITY), 2 * speed / (7 * mu * GRAVITY)
        bodies = [floor(3), wheel(3, radius, [0, 0, radius + height], velocity=[speed, 0, 0])]
        end = runner.end(scene(3, bodies, mu), h, seconds, 1)
        exact = speed * rolls - mu * GRAVITY * (rolls ** 2 - fall ** 2) / 2 + speed * 5 / 7 * (seconds - rolls)
        errors.append(abs(end["x"] - exact))
    return max(errors)


def drop_and_stick(runner, h):
    """A box falls flat on the floor, and friction stops it at once."""
    half, up = flat_box(2)
    errors = []
    for k in range(12):
        mu, speed, height = 0.5, 0.2, 0.05 + 0.003 * k
        fall = math.sqrt(2 * height / GRAVITY)
        bodies = [floor(2), box(2, half, [0, up + height], velocity=[speed, 0])]
        end = runner.end(scene(2, bodies, mu), h, fall + 0.1, 1)
        errors.append(abs(end["x"] - speed * fall))
    return max(errors)


def over_a_dome(runner, h, dim):
    """The angle [rad] at which a wheel is that rolls down on a fixed one of twice its radius."""
    radius, start, seconds = 0.1, 0.2, 0.35
    factor, apart = (0.5 if dim == 2 else 0.4), 0.3
    dome = wheel(dim, 2 * radius, vector(dim, 0, 0), static=True)
    dome["name"] = "dome"
    place = vector(dim, apart * math.sin(start), apart * math.cos(start))
    end = runner.end(scene(dim, [dome, wheel(dim, radius, place)], 2.0), h, seconds, 1)
    pull = GRAVITY / apart / (1 + factor)
    exact = integrate([start, 0.0], seconds, lambda s: [s[1], pull * math.sin(s[0])])[0]
    return abs(math.atan2(end["x"], end["y" if dim == 2 else "z"]) - exact)


def velocity_servo(runner, h):
    """A slide is brought up to a speed by a servo with a limit, and keeps it."""
    seconds, limit = 0.6, 3.0
    errors = []
    for k in range(6):
        speed = 0.9 + 0.0071 * k
        drive = {"body": "box", "axis": [1, 0], "kind": "velocity_servo", "target": speed, "limit": limit}
        end = runner.end(scene(2, [box(2, [0.1, 0.05], [0, 0])], actuators=[drive]) | {"gravity": [0, 0]}, h, seconds)
        errors.append(abs(end["x"] - speed * (seconds - speed / limit / 2)))
    return max(errors)


def servo(runner, h, stiffness, damping):
    """A slide of 1 kg is drawn to 10 mm: a damped oscillator, while it still moves."""
    seconds, target = 0.2, 0.01
    base = {"name": "base", "static": True, "position": [0, -1],
            "vertices": [[-1, -0.1], [1, -0.1], [1, 0.1], [-1, 0.1]]}
    joint = {"name": "slide", "kind": "prismatic", "bodies": ["base", "box"], "anchor": [0, 0], "axis": [1, 0]}
    drive = {"joint": "slide", "kind": "position_servo", "target": target, "limit": 1e9, "stiffness": stiffness,
             "damping": damping}
    bodies = [base, box(2, [0.05, 0.05], [0, 0])]
    rows = runner.simulate(scene(2, bodies, joints=[joint], actuators=[drive]), h, seconds)
    decay = damping / 2
    swing = math.sqrt(stiffness - decay * decay)

    def exact(t):
        return target - target * math.exp(-decay * t) * (math.cos(swing * t) + decay / swing * math.sin(swing * t))

    return max(abs(row["x"] - exact(row["time"])) for row in rows if row["body"] == 1)


def pushed(runner, h):
    """A block sticks until a growing force overcomes friction, and then slides."""
    mu, rise, seconds = 0.3, 10.0, 0.8  # [1], [N/s], [s]
    errors = []
    for k in range(6):
        starts = 0.2943 + 0.0013 * k
        drive = {"body": "box", "axis": [1, 0], "kind": "force", "target": 0,
                 "program": [[0, mu * GRAVITY - rise * starts], [10, mu * GRAVITY + rise * (10 - starts)]]}
        bodies = [floor(2), box(2, [0.1, 0.05], [0, 0.05])]
        end = runner.end(scene(2, bodies, mu, actuators=[drive]), h, seconds, 1)
        errors.append(abs(end["x"] - rise * (seconds - starts) ** 3 / 6))
    return max(errors)


def switched(runner, h):
    """A block at rest is pushed from some time on, within a step, by three times the friction."""
    mu, seconds = 0.3, 0.5
    force = 3 * mu * GRAVITY
    errors = []
    for k in range(6):
        starts = 0.1 + 0.0013 * k
        drive = {"body": "box", "axis": [1, 0], "kind": "force", "target": 0,
                 "program": [[0, 0], [starts, 0], [starts + 1e-9, force], [10, force]]}
        bodies = [floor(2), box(2, [0.1, 0.05], [0, 0.05])]
        end = runner.end(scene(2, bodies, mu, actuators=[drive]), h, seconds, 1)
        errors.append(abs(end["x"] - (force - mu * GRAVITY) * (seconds - starts) ** 2 / 2))
    return max(errors)


# Name; unit and factor; what is asked: "exact", "order", a bound by step, or None; error.
MILLIMETRES, RADIANS, CREEP, SHARE = ("mm", 1e3), ("rad", 1), ("m/s", 1), ("of the swing", 1)


def both(phase):
    """The larger error of a phase in 2D and in 3D."""
    return lambda runner, h: max(phase(runner, h, dim) for dim in (2, 3))


PHASES = [
    ("free flight, 2D and 3D", MILLIMETRES, "exact", both(flight)),
    ("tumbling in free flight, 3D", RADIANS, "order", tumble),
    ("sliding down a slope, 2D and 3D", MILLIMETRES, "order", both(incline)),
    ("sliding across a slope, 3D", MILLIMETRES, "order", across),
    ("rolling down a slope, disc and ball", MILLIMETRES, "order", both(rolling)),
    ("rolling over a dome, disc and ball", RADIANS, "order", both(over_a_dome)),
    ("rolling on a turntable, ball", MILLIMETRES, "order", roll_on_turntable),
    ("pendulum, 2 s, 2D and 3D", RADIANS, "order", both(pendulum)),
    ("energy of the pendulum, 20 s, 2D", SHARE, "order", pendulum_energy),
    ("box tips over a corner, 2D", RADIANS, "order", tipping),
    ("puck on support points spins and slides", MILLIMETRES, "order", spin_and_slide),
    ("soft position servo", MILLIMETRES, "order", lambda r, h: servo(r, h, 400.0, 8.0)),
    ("block sticks to a turntable, 3D", CREEP, CREEP_BOUND, turntable),
    ("box sticks to a turning tray, 2D", CREEP, CREEP_BOUND, tray),
    ("slide to stop, 2D and 3D", MILLIMETRES, SLIDE_BOUND, both(slide)),
    ("slide to stop, puck on support points", MILLIMETRES, SLIDE_BOUND, puck_slide),
    ("spin-down to stop, puck on support points", RADIANS, "order", spin_down),
    ("slide to roll, disc and ball", MILLIMETRES, "order", both(slide_to_roll)),
    ("velocity servo reaches its speed", MILLIMETRES, None, velocity_servo),
    ("force grows until a block slides", MILLIMETRES, None, pushed),
    ("impact, then slide to stop, 2D and 3D", MILLIMETRES, None, both(drop)),
    ("impact, then slide to roll, ball", MILLIMETRES, None, drop_to_roll),
    ("impact that sticks, 2D", MILLIMETRES, None, drop_and_stick),
    ("force is switched on within a step", MILLIMETRES, None, switched),
    ("very stiff position servo", MILLIMETRES, None, lambda r, h: servo(r, h, 1e5, 200.0)),
]
