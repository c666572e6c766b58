// SPDX-License-Identifier: Apache-2.0
// Recordings: the reverse of src/report/encode.cpp, and the pose of a body at any time.

// Hands out the whole numbers of a text in base 64, one at a call.
function numbersOf(text) {
  const bytes = atob(text);
  let at = 0;
  return () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes.charCodeAt(at++);
      value += (byte % 128) * scale;
      if (byte < 128) break;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
}

function decodeTrack(next, trial, spatial) {
  const lengths = spatial ? 3 : 2;
  const size = spatial ? 7 : 3;
  const track = {steps: [], poses: []};
  const count = next();
  let step = 0;
  const grid = new Array(size).fill(0);
  for (let k = 0; k < count; ++k) {
    step += next();
    for (let i = 0; i < size; ++i) grid[i] += next();
    track.steps.push(step);
    track.poses.push(grid.map((value, i) => value * (i < lengths ? trial.position_grain : trial.turn_grain)));
  }
  return track;
}

const markKinds = ["idle", "sticks", "slides", "support", "motor", "joint", "limit", "coupling"];

function decodeForces(next, trial, spatial) {
  const size = spatial ? 3 : 2;
  const frames = [];
  const before = [];
  let step = 0;
  for (let count = next(); count > 0; --count) {
    step += next();
    const marks = [];
    const markCount = next();
    for (let k = 0; k < markCount; ++k) {
      const mark = {kind: markKinds[next()], a: next(), b: next(), point: [0, 0, 0], force: [0, 0, 0]};
      before[k] = before[k] || [0, 0, 0, 0, 0, 0];
      for (let part = 0; part < 2; ++part) {
        for (let i = 0; i < size; ++i) before[k][3 * part + i] += next();
      }
      for (let i = 0; i < size; ++i) {
        mark.point[i] = before[k][i] * trial.point_grain;
        mark.force[i] = before[k][3 + i] * trial.force_grain;
      }
      marks.push(mark);
    }
    frames.push({step, marks});
  }
  return frames;
}

// A trial of the data with its numbers as they are needed: {tracks, forces}.
function decodeTrial(trial, scene) {
  const next = numbersOf(trial.numbers);
  const tracks = scene.bodies.map(() => decodeTrack(next, trial, scene.spatial));
  return {tracks, forces: decodeForces(next, trial, scene.spatial)};
}

// Index of the last step of the list that is not after the given one; -1: none.
function lastNotAfter(steps, step) {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// The pose of a body at a step, which need not be whole; null before it appears.
function poseAt(track, step, spatial) {
  const k = lastNotAfter(track.steps, step);
  if (k < 0) return null;
  const a = track.poses[k];
  if (k + 1 >= track.steps.length) return a;
  const b = track.poses[k + 1];
  const share = (step - track.steps[k]) / (track.steps[k + 1] - track.steps[k]);
  const pose = a.map((value, i) => value + share * (b[i] - value));
  if (spatial) {
    const size = Math.hypot(pose[3], pose[4], pose[5], pose[6]) || 1;
    for (let i = 3; i < 7; ++i) pose[i] /= size;
  }
  return pose;
}

// The forces to be shown at a step.
function marksAt(forces, step) {
  const k = lastNotAfter(forces.map((frame) => frame.step), step);
  return k < 0 ? [] : forces[k].marks;
}

function largestForce(forces) {
  let largest = 0;
  for (const frame of forces) for (const mark of frame.marks) largest = Math.max(largest, Math.hypot(...mark.force));
  return largest;
}

// The point of a body's frame in the world.
function placed(pose, point, spatial) {
  if (!spatial) {
    const c = Math.cos(pose[2]);
    const s = Math.sin(pose[2]);
    return [pose[0] + c * point[0] - s * point[1], pose[1] + s * point[0] + c * point[1], 0];
  }
  const [x, y, z, w, i, j, k] = pose;
  const [a, b, c] = point;
  const tx = 2 * (j * c - k * b);
  const ty = 2 * (k * a - i * c);
  const tz = 2 * (i * b - j * a);
  return [x + a + w * tx + j * tz - k * ty, y + b + w * ty + k * tx - i * tz, z + c + w * tz + i * ty - j * tx];
}

// Where the first end of a spring is, or null where its body is absent. Body -1 is the world.
function springStart(tracks, joint, step, spatial) {
  if (joint.from_body < 0) return joint.from;
  const pose = poseAt(tracks[joint.from_body], step, spatial);
  return pose ? placed(pose, joint.from, spatial) : null;
}

// Points of a body's frame that its shape reaches, planes aside.
function outlinePoints(body) {
  const points = [];
  for (const part of body.parts) {
    for (const [x, y, r] of part.corners || []) points.push([x - r, y - r, 0], [x + r, y + r, 0]);
    for (let i = 0; part.vertices && i < part.vertices.length; i += 3) points.push(part.vertices.slice(i, i + 3));
    for (const [x, y, z] of part.ends || []) {
      points.push([x - part.radius, y - part.radius, z - part.radius]);
      points.push([x + part.radius, y + part.radius, z + part.radius]);
    }
  }
  return points;
}

// The box around all bodies that move, or else all bodies, over a trial, and around more points: {low, high}.
function extentOf(scene, tracks, more = []) {
  const moving = (body) => body.kind !== "fixed" && outlinePoints(body).length > 0;
  const all = !scene.bodies.some((body, b) => moving(body) && tracks[b].poses.length > 0);
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const add = (point) => point.forEach((value, i) => {
    low[i] = Math.min(low[i], value);
    high[i] = Math.max(high[i], value);
  });
  more.forEach(add);
  scene.bodies.forEach((body, b) => {
    if (!all && !moving(body)) return;
    const points = outlinePoints(body);
    const poses = tracks[b].poses;
    const stride = Math.max(1, Math.floor(poses.length / 50));
    poses.forEach((pose, k) => {
      if (k % stride !== 0 && k !== poses.length - 1) return;
      for (const point of points) add(placed(pose, point, scene.spatial));
    });
  });
  return low[0] <= high[0] ? {low, high} : {low: [-0.1, -0.1, -0.1], high: [0.1, 0.1, 0.1]};
}
