// SPDX-License-Identifier: Apache-2.0
// A planar scene as SVG. Lengths are in mm, y is up.

// The outline of a chain of corners: edges tangent to the corners' arcs.
function chainPath(corners) {
  const mm = corners.map((corner) => corner.map((value) => 1000 * value));
  if (mm.length === 1) {
    const [x, y, r] = mm[0];
    return `M ${x - r} ${y} A ${r} ${r} 0 1 1 ${x + r} ${y} A ${r} ${r} 0 1 1 ${x - r} ${y} Z`;
  }
  const normals = mm.map(([x, y, r], i) => {
    const [nextX, nextY, nextR] = mm[(i + 1) % mm.length];
    const length = Math.hypot(nextX - x, nextY - y) || 1;
    const along = Math.max(-1, Math.min(1, (r - nextR) / length));
    const across = Math.sqrt(1 - along * along);
    const dx = (nextX - x) / length;
    const dy = (nextY - y) / length;
    return [along * dx + across * dy, along * dy - across * dx];
  });
  let path = "";
  mm.forEach(([x, y, r], i) => {
    const before = normals[(i + mm.length - 1) % mm.length];
    const after = normals[i];
    path += `${i === 0 ? "M" : "L"} ${x + r * before[0]} ${y + r * before[1]} `;
    if (r > 0) {
      const turn = Math.atan2(before[0] * after[1] - before[1] * after[0], before[0] * after[0] + before[1] * after[1]);
      const large = turn < -1e-9 || turn > Math.PI ? 1 : 0;
      path += `A ${r} ${r} 0 ${large} 1 ${x + r * after[0]} ${y + r * after[1]} `;
    }
  });
  return path + "Z";
}

function halfPlanePath(part, size) {
  const [nx, ny] = part.normal;
  const at = [1000 * part.offset * nx, 1000 * part.offset * ny];
  const corner = (along, down) => `${at[0] - along * ny - down * nx} ${at[1] + along * nx - down * ny}`;
  return `M ${corner(-size, 0)} L ${corner(-size, size)} L ${corner(size, size)} L ${corner(size, 0)} Z`;
}

class View2D {
  constructor(scene, decoded, label, glyphs) {
    this.scene = scene;
    this.decoded = decoded;
    this.options = {forces: true, names: true, joints: true};
    const {low, high} = extentOf(scene, decoded.tracks, glyphs.flatMap((glyph) => glyph.lines.flat()));
    const pad = 0.12 * Math.max(high[0] - low[0], high[1] - low[1]);
    this.home = [low[0] - pad, low[1] - pad, high[0] - low[0] + 2 * pad, high[1] - low[1] + 2 * pad];
    this.size = 1000 * Math.max(this.home[2], this.home[3]);
    this.largest = largestForce(decoded.forces);
    this.svg = drawing("svg", {class: "view", role: "img", "aria-label": label, tabindex: 0});
    this.world = drawing("g", {transform: "scale(1,-1)"});
    this.svg.append(this.world);
    this.addGrid();
    this.bodies = scene.bodies.map((body, b) => this.addBody(body, b));
    this.joints = scene.joints.map((joint) => this.addJoint(joint));
    this.glyphs = drawing("g");
    this.marks = drawing("g", {class: "marks"});
    this.names = scene.bodies.map((body) => drawing("text", {class: "name", "font-size": 0.03 * this.size}, body.name));
    this.svg.append(...this.names);
    this.world.append(this.glyphs, this.marks);
    this.node = this.svg;
    for (const glyph of glyphs) this.addLines(glyph.lines, glyph.label);
    this.setCamera("fit");
    this.listen();
  }

  // Lines behind the bodies at a round distance, so that motion shows.
  addGrid() {
    const rough = this.size / 8;
    const power = 10 ** Math.floor(Math.log10(rough));
    const spacing = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
    const middle = [this.home[0] + this.home[2] / 2, this.home[1] + this.home[3] / 2];
    const [cx, cy] = middle.map((value) => spacing * Math.round((1000 * value) / spacing));
    const reach = 40 * spacing;
    let path = "";
    for (let k = -40; k <= 40; ++k) {
      path += `M ${cx + k * spacing} ${cy - reach} v ${2 * reach} M ${cx - reach} ${cy + k * spacing} h ${2 * reach} `;
    }
    this.world.append(drawing("path", {d: path, class: "paper"}));
    this.scaleWords = `Lines of the grid are ${shortNumber(spacing)} mm apart.`;
  }

  addBody(body, b) {
    const paths = body.parts.map((part) => drawing("path", {
      d: part.corners ? chainPath(part.corners) : halfPlanePath(part, 20 * this.size),
      fill: bodyColour(this.scene, b), class: "part",
    }));
    const group = drawing("g", {class: "body"}, drawing("title", {}, bodyName(this.scene, b)), ...paths);
    this.world.append(group);
    return group;
  }

  addJoint(joint) {
    const r = 0.008 * this.size;
    const coils = [1, -1, 1, -1, 1, -1].map((y, i) => `L ${0.2 + 0.12 * i} ${y}`).join(" ");
    const shapes = {
      spring: () => drawing("path", {d: `M 0 0 L 0.14 0 ${coils} L 0.86 0 L 1 0`, class: "spring"}),
      prismatic: () => drawing("path", {
        d: `M ${-3 * r} 0 L ${3 * r} 0 M ${-3 * r} ${-r} L ${3 * r} ${-r}`, class: "joint",
      }),
    };
    const shape = (shapes[joint.kind] || (() => drawing("circle", {r, class: "joint"})))();
    const kind = joint.kind === "spring" ? "spring" : `${joint.kind} joint`;
    shape.append(drawing("title", {}, `${kind} ${joint.name}`));
    this.world.append(shape);
    return shape;
  }

  show(step) {
    let present = 0;
    this.scene.bodies.forEach((body, b) => {
      const pose = poseAt(this.decoded.tracks[b], step, false);
      this.bodies[b].setAttribute("visibility", pose ? "visible" : "hidden");
      this.names[b].setAttribute("visibility", pose && this.options.names ? "visible" : "hidden");
      if (!pose) return;
      ++present;
      const degrees = (pose[2] * 180) / Math.PI;
      this.bodies[b].setAttribute("transform", `translate(${1000 * pose[0]} ${1000 * pose[1]}) rotate(${degrees})`);
      const at = this.namePlace(body, pose);
      this.names[b].setAttribute("x", 1000 * at[0]);
      this.names[b].setAttribute("y", -1000 * at[1]);
    });
    this.scene.joints.forEach((joint, k) => this.placeJoint(joint, this.joints[k], step));
    const marks = this.options.forces ? marksAt(this.decoded.forces, step) : [];
    this.marks.replaceChildren(...marks.map((mark) => this.arrow(mark)));
    return {present, marks: marks.length};
  }

  placeJoint(joint, node, step) {
    const pose = poseAt(this.decoded.tracks[joint.body], step, false);
    node.setAttribute("visibility", pose && this.options.joints ? "visible" : "hidden");
    if (!pose) return;
    const [x, y] = placed(pose, joint.point, false);
    if (joint.kind === "spring") {
      const from = springStart(this.decoded.tracks, joint, step, false);
      if (!from) return node.setAttribute("visibility", "hidden");
      const [dx, dy] = [x - from[0], y - from[1]];
      const along = (Math.atan2(dy, dx) * 180) / Math.PI;
      node.setAttribute("transform", `translate(${1000 * from[0]} ${1000 * from[1]}) rotate(${along}) ` +
        `scale(${1000 * Math.hypot(dx, dy)} ${0.01 * this.size})`);
      return;
    }
    const degrees = ((pose[2] + Math.atan2(joint.axis[1], joint.axis[0])) * 180) / Math.PI;
    node.setAttribute("transform", `translate(${1000 * x} ${1000 * y}) rotate(${degrees})`);
  }

  // Names stand on the middle of their body; of a half-plane on its side of the middle of the picture.
  namePlace(body, pose) {
    const points = outlinePoints(body);
    if (points.length === 0) {
      const part = body.parts.find((one) => one.normal);
      if (!part) return pose;
      const [x, y, w, h] = this.home;
      const [nx, ny] = part.normal;
      const middle = [x + w / 2, y + h / 2];
      const shift = part.offset - (nx * (middle[0] - pose[0]) + ny * (middle[1] - pose[1])) - 0.02 * Math.max(w, h);
      return [middle[0] + shift * nx, middle[1] + shift * ny];
    }
    const xs = points.map((point) => point[0]);
    const ys = points.map((point) => point[1]);
    return placed(pose, [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2, 0], false);
  }

  arrow(mark) {
    const [x, y] = mark.point.map((value) => 1000 * value);
    const scale = this.largest > 0 ? (0.2 * this.size) / this.largest : 0;
    const [fx, fy] = mark.force.map((value) => value * scale);
    const colour = markColours[mark.kind];
    const length = Math.hypot(fx, fy);
    const group = drawing("g", {class: "mark"}, drawing("title", {}, markText(this.scene, mark)),
                          drawing("circle", {cx: x, cy: y, r: 0.006 * this.size, fill: colour}));
    if (length < 0.005 * this.size) return group;
    const head = Math.min(0.025 * this.size, 0.5 * length);
    const [ux, uy] = [fx / length, fy / length];
    const [bx, by] = [x + fx - head * ux, y + fy - head * uy];
    group.append(drawing("line", {x1: x, y1: y, x2: bx, y2: by, stroke: colour, "stroke-width": 0.007 * this.size}));
    const side = 0.45 * head;
    group.append(drawing("path", {
      d: `M ${x + fx} ${y + fy} L ${bx - side * uy} ${by + side * ux} L ${bx + side * uy} ${by - side * ux} Z`,
      fill: colour,
    }));
    return group;
  }

  // Lines of the world that do not move: [[x, y, z], [x, y, z]], in m.
  addLines(lines, label) {
    this.glyphs.append(drawing("g", {class: "glyph"}, drawing("title", {}, label), ...lines.map(
      ([a, b]) => drawing("line", {x1: 1000 * a[0], y1: 1000 * a[1], x2: 1000 * b[0], y2: 1000 * b[1]}))));
  }

  cameras() {
    return ["fit", "closer", "farther"];
  }

  setCamera(name) {
    if (name === "fit" || !this.box) {
      const [x, y, w, h] = this.home;
      this.box = [1000 * x, -1000 * (y + h), 1000 * w, 1000 * h];
    } else {
      this.zoom(name === "closer" ? 0.8 : 1.25);
    }
    this.svg.setAttribute("viewBox", this.box.join(" "));
  }

  zoom(factor, cx = this.box[0] + this.box[2] / 2, cy = this.box[1] + this.box[3] / 2) {
    const [x, y, w, h] = this.box;
    this.box = [cx + factor * (x - cx), cy + factor * (y - cy), factor * w, factor * h];
    this.svg.setAttribute("viewBox", this.box.join(" "));
  }

  listen() {
    const toWorld = (event) => {
      const matrix = this.svg.getScreenCTM().inverse();
      return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    };
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const at = toWorld(event);
      this.zoom(event.deltaY < 0 ? 0.9 : 1.1, at.x, at.y);
    }, {passive: false});
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => {
      from = toWorld(event);
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!from) return;
      const at = toWorld(event);
      this.box[0] -= at.x - from.x;
      this.box[1] -= at.y - from.y;
      this.svg.setAttribute("viewBox", this.box.join(" "));
    });
    this.svg.addEventListener("pointerup", () => (from = null));
  }

  release() {}
}
