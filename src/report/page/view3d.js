// SPDX-License-Identifier: Apache-2.0
// A spatial scene by three.js. Lengths are in m, z is up. Pictures are drawn when something changes.

const noWebGL = "This browser has no WebGL, which pictures of scenes in 3D need. Switch on its hardware acceleration, " +
  "or open the page in another one. All other parts of the page work.";

// Asked once, and on a canvas of its own: three.js would write to the console.
let webGLFound = null;
function hasWebGL() {
  if (webGLFound === null) {
    const canvas = document.createElement("canvas");
    webGLFound = Boolean(canvas.getContext("webgl2") || canvas.getContext("webgl"));
  }
  return webGLFound;
}

function polyhedronMesh(part, colour) {
  const geometry = new THREE.BufferGeometry();
  const corners = [];
  const vertex = (index) => part.vertices.slice(3 * index, 3 * index + 3);
  for (const face of part.faces) {
    for (let k = 1; k + 1 < face.length; ++k) {
      corners.push(...vertex(face[0]), ...vertex(face[k]), ...vertex(face[k + 1]));
    }
  }
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
  geometry.computeVertexNormals();
  const mesh = new THREE.Mesh(geometry, solidMaterial(colour));
  mesh.add(new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 20),
                                  new THREE.LineBasicMaterial({color: 0x222222})));
  return mesh;
}

function solidMaterial(colour) {
  return new THREE.MeshStandardMaterial({color: colour, roughness: 0.8, metalness: 0.0, side: THREE.DoubleSide,
                                         polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1});
}

function roundMesh(part, colour) {
  const group = new THREE.Group();
  const ends = part.ends.map((end) => new THREE.Vector3(...end));
  for (const end of ends) {
    const ball = new THREE.Mesh(new THREE.SphereBufferGeometry(part.radius, 32, 24), solidMaterial(colour));
    ball.position.copy(end);
    group.add(ball);
  }
  if (ends.length === 2) {
    const along = ends[1].clone().sub(ends[0]);
    const tube = new THREE.Mesh(new THREE.CylinderBufferGeometry(part.radius, part.radius, along.length(), 32, 1, true),
                                solidMaterial(colour));
    tube.position.copy(ends[0]).add(ends[1]).multiplyScalar(0.5);
    tube.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
    group.add(tube);
  }
  return group;
}

// A half-space is drawn as a piece of its plane.
function planeMesh(part, colour, size) {
  const normal = new THREE.Vector3(...part.normal);
  const material = new THREE.MeshStandardMaterial({color: colour, roughness: 1, transparent: true, opacity: 0.45,
                                                   side: THREE.DoubleSide, depthWrite: false});
  const mesh = new THREE.Mesh(new THREE.PlaneBufferGeometry(size, size), material);
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  mesh.position.copy(normal).multiplyScalar(part.offset);
  return mesh;
}

class View3D {
  constructor(scene, decoded, label, glyphs) {
    this.scene = scene;
    this.decoded = decoded;
    this.options = {forces: true, names: true, joints: true};
    this.largest = largestForce(decoded.forces);
    const {low, high} = extentOf(scene, decoded.tracks, glyphs.flatMap((glyph) => glyph.lines.flat()));
    this.middle = new THREE.Vector3(...low.map((value, i) => (value + high[i]) / 2));
    this.size = Math.max(Math.hypot(...high.map((value, i) => value - low[i])), 1e-6);
    this.canvas = element("canvas", {role: "img", "aria-label": label, tabindex: 0});
    this.overlay = element("div", {class: "names", "aria-hidden": "true"});
    this.node = element("div", {class: "view space"}, this.canvas, this.overlay);
    this.makeWorld();
    for (const glyph of glyphs) this.addLines(glyph.lines, glyph.label);
    try {
      if (!hasWebGL()) throw new Error(noWebGL);
      this.renderer = new THREE.WebGLRenderer({canvas: this.canvas, antialias: true, preserveDrawingBuffer: true});
    } catch (error) {
      this.node.replaceChildren(element("p", {role: "alert", class: "warning"}, noWebGL));
      return;
    }
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setClearColor(0xffffff);
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01 * this.size, 60 * this.size);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, this.canvas);
    this.controls.enableKeys = false;  // arrow keys belong to the slider and the map
    this.controls.addEventListener("change", () => this.draw());
    this.canvas.addEventListener("keydown", (event) => this.turnBy(event));
    this.setCamera("corner");
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.node);
  }

  makeWorld() {
    this.world = new THREE.Scene();
    this.world.add(new THREE.HemisphereLight(0xffffff, 0x8888aa, 0.75));
    const sun = new THREE.DirectionalLight(0xffffff, 0.55);
    sun.position.set(0.5, -0.8, 1.5);
    this.world.add(sun);
    this.bodies = this.scene.bodies.map((body, b) => {
      const group = new THREE.Group();
      group.name = bodyName(this.scene, b);
      const colour = bodyColour(this.scene, b);
      for (const part of body.parts) {
        if (part.vertices) group.add(polyhedronMesh(part, colour));
        else if (part.ends) group.add(roundMesh(part, colour));
        else group.add(planeMesh(part, colour, 2.5 * this.size));
      }
      this.world.add(group);
      return group;
    });
    this.joints = this.scene.joints.map((joint) => {
      if (joint.kind === "spring") {
        const line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({color: 0x000000}));
        line.frustumCulled = false;
        this.world.add(line);
        return line;
      }
      const axis = new THREE.ArrowHelper(new THREE.Vector3(0, 0, 1), new THREE.Vector3(), 0.08 * this.size, 0x000000,
                                         0.02 * this.size, 0.01 * this.size);
      this.world.add(axis);
      return axis;
    });
    this.arrows = new THREE.Group();
    this.world.add(this.arrows);
    this.shapes = {dot: new THREE.SphereBufferGeometry(1, 16, 12), head: new THREE.ConeBufferGeometry(1, 1, 16),
                   shaft: new THREE.CylinderBufferGeometry(1, 1, 1, 12)};
    this.markMaterials = {};
    for (const [kind, color] of Object.entries(markColours)) {
      this.markMaterials[kind] = new THREE.MeshBasicMaterial({color, depthTest: false, transparent: true});
    }
    this.labels = this.scene.bodies.map((body, b) => element("span", {}, bodyName(this.scene, b)));
    this.overlay.append(...this.labels);
  }

  show(step) {
    let present = 0;
    this.scene.bodies.forEach((body, b) => {
      const pose = poseAt(this.decoded.tracks[b], step, true);
      this.bodies[b].visible = Boolean(pose);
      if (!pose) return;
      ++present;
      this.bodies[b].position.set(pose[0], pose[1], pose[2]);
      this.bodies[b].quaternion.set(pose[4], pose[5], pose[6], pose[3]);
    });
    this.scene.joints.forEach((joint, k) => {
      const pose = poseAt(this.decoded.tracks[joint.body], step, true);
      const shown = pose && this.options.joints && joint.kind !== "fixed";
      this.joints[k].visible = Boolean(shown);
      if (!shown) return;
      if (joint.kind === "spring") {
        const from = springStart(this.decoded.tracks, joint, step, true);
        this.joints[k].visible = Boolean(from);
        const ends = [from || joint.from, placed(pose, joint.point, true)];
        this.joints[k].geometry.setFromPoints(ends.map((end) => new THREE.Vector3(...end)));
        return;
      }
      const turn = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
      this.joints[k].position.set(...placed(pose, joint.point, true));
      this.joints[k].setDirection(new THREE.Vector3(...joint.axis).normalize().applyQuaternion(turn));
    });
    const marks = this.options.forces ? marksAt(this.decoded.forces, step) : [];
    this.arrows.remove(...this.arrows.children);
    for (const mark of marks) this.arrows.add(this.arrow(mark));
    this.draw();
    return {present, marks: marks.length};
  }

  arrow(mark) {
    const force = new THREE.Vector3(...mark.force);
    const length = this.largest > 0 ? (0.2 * this.size * force.length()) / this.largest : 0;
    const thick = 0.003 * this.size;
    const group = new THREE.Group();
    group.position.set(...mark.point);
    if (length < 2 * thick) {
      group.add(this.markMesh(this.shapes.dot, mark, thick, thick, 0));
      return group;
    }
    const head = Math.min(8 * thick, 0.5 * length);
    group.add(this.markMesh(this.shapes.shaft, mark, thick, length - head, 0.5 * (length - head)),
              this.markMesh(this.shapes.head, mark, 2.5 * thick, head, length - 0.5 * head));
    group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), force.normalize());
    return group;
  }

  // A piece of an arrow along y; arrows are seen through bodies.
  markMesh(shape, mark, radius, length, place) {
    const mesh = new THREE.Mesh(shape, this.markMaterials[mark.kind]);
    mesh.scale.set(radius, length, radius);
    mesh.position.y = place;
    mesh.renderOrder = 2;
    return mesh;
  }

  // Lines of the world that do not move: [[x, y, z], [x, y, z]], in m.
  addLines(lines, label, colour = 0x222222) {
    const points = lines.flat().map((point) => new THREE.Vector3(...point));
    const glyph = new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points),
                                         new THREE.LineBasicMaterial({color: colour}));
    glyph.name = label;
    this.world.add(glyph);
  }

  cameras() {
    return this.camera ? ["corner", "front", "side", "top", "closer", "farther"] : [];
  }

  setCamera(name) {
    if (!this.camera) return;
    const directions = {corner: [0.9, -1.5, 0.8], front: [0, -1, 0.02], side: [1, 0, 0.02], top: [0, -0.02, 1]};
    if (directions[name]) {
      this.controls.target.copy(this.middle);
      const away = new THREE.Vector3(...directions[name]).normalize().multiplyScalar(1.7 * this.size);
      this.camera.position.copy(this.middle).add(away);
    } else {
      const factor = name === "closer" ? 0.8 : 1.25;
      this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    }
    this.controls.update();
    this.draw();
  }

  // Arrow keys turn the camera about what it looks at.
  turnBy(event) {
    const turns = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]};
    const turn = turns[event.key];
    if (!turn) return;
    event.preventDefault();
    const away = this.camera.position.clone().sub(this.controls.target);
    const r = away.length();
    const azimuth = Math.atan2(away.y, away.x) + turn[0];
    const polar = Math.min(Math.max(Math.acos(away.z / r) + turn[1], 0.02), Math.PI - 0.02);
    away.set(Math.sin(polar) * Math.cos(azimuth), Math.sin(polar) * Math.sin(azimuth), Math.cos(polar));
    this.camera.position.copy(this.controls.target).add(away.multiplyScalar(r));
    this.controls.update();
    this.draw();
  }

  resize() {
    const width = Math.max(this.node.clientWidth, 10);
    const height = Math.max(this.node.clientHeight, 10);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  draw() {
    if (!this.renderer) return;
    this.renderer.render(this.world, this.camera);
    const width = this.node.clientWidth;
    const height = this.node.clientHeight;
    this.labels.forEach((label, b) => {
      const points = outlinePoints(this.scene.bodies[b]);
      const centre = new THREE.Box3().setFromPoints(points.map((point) => new THREE.Vector3(...point)));
      const at = points.length > 0 ? centre.getCenter(new THREE.Vector3()) : new THREE.Vector3();
      at.applyQuaternion(this.bodies[b].quaternion).add(this.bodies[b].position).project(this.camera);
      label.hidden = !this.options.names || !this.bodies[b].visible || Math.abs(at.z) > 1;
      label.style.left = `${((at.x + 1) * width) / 2}px`;
      label.style.top = `${((1 - at.y) * height) / 2}px`;
    });
  }

  release() {
    if (this.watcher) this.watcher.disconnect();
    if (this.renderer) {
      this.controls.dispose();
      this.renderer.dispose();
      this.renderer.forceContextLoss();
    }
  }
}

// glyphs: {label, lines} for each drawing of lines that does not move.
function makeView(scene, decoded, label, glyphs) {
  return scene.spatial ? new View3D(scene, decoded, label, glyphs) : new View2D(scene, decoded, label, glyphs);
}
