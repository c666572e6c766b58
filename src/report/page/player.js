// SPDX-License-Identifier: Apache-2.0
// Plays trials: picture, slider over time, speed, forces, camera, and the command that replays the trial.

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2];

class Player {
  constructor(data) {
    this.data = data;
    this.step = 0;
    this.options = {forces: true, names: true, joints: true};
    this.stage = element("div", {class: "stage"});
    this.heading = element("h3", {"aria-live": "polite"}, "No trial is chosen");
    this.button = element("button", {type: "button", onclick: () => this.toggle()}, "Play");
    this.slider = element("input", {type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time",
                                    oninput: () => this.seek(Number(this.slider.value)),
                                    onkeydown: (event) => this.slide(event)});
    this.clock = element("output", {class: "clock"}, "");
    this.speed = element("select", {"aria-label": "Speed"}, ...speeds.map(
        (speed) => element("option", {value: speed}, `${speed} × real time`)));
    this.boxes = element("div", {class: "boxes"});
    this.camera = element("div", {class: "camera", role: "group", "aria-label": "Camera"});
    this.about = element("p", {class: "about"});
    this.forces = element("p", {class: "forces"});
    this.command = element("code");
    this.node = element("div", {class: "player"}, this.heading, this.stage,
                        element("div", {class: "controls"}, this.button, this.slider, this.clock, this.speed),
                        element("div", {class: "controls"}, this.boxes, this.camera), this.legend(), this.forces,
                        this.about,
                        element("p", {class: "command"}, "Replay: ", this.command));
    for (const [key, text] of [["forces", "forces"], ["names", "names"], ["joints", "joints"]]) {
      const box = element("input", {type: "checkbox", checked: "", onchange: () => {
        this.options[key] = box.checked;
        this.refresh();
      }});
      this.boxes.append(element("label", {}, box, " " + text));
    }
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== " " || ["BUTTON", "SELECT", "INPUT"].includes(event.target.tagName)) return;
      event.preventDefault();
      this.toggle();
    });
  }

  legend() {
    const entries = ["sticks", "slides", "support", "motor", "joint", "limit"].map((kind) => element(
        "span", {}, element("i", {style: `background:${markColours[kind]}`, "aria-hidden": "true"}), markWords[kind]));
    return element("p", {class: "legend"}, "Arrows are forces: ", ...entries);
  }

  show(index) {
    const trial = this.data.trials[index];
    const scene = this.data.scenes[trial.scene];
    this.pause();
    if (this.view) this.view.release();
    this.index = index;
    this.trial = trial;
    this.decoded = decodeTrial(trial, scene);
    this.scene = scene;
    const glyphs = trial.steps === 0 ? this.data.glyphs : [];  // grasps, in a scene at its start
    this.view = makeView(scene, this.decoded, `Picture of ${trial.label}`, glyphs);
    this.view.options = this.options;
    this.stage.replaceChildren(this.view.node);
    if (this.view.resize && this.view.renderer) this.view.resize();
    this.camera.replaceChildren(...this.view.cameras().map((name) => element(
        "button", {type: "button", onclick: () => this.view.setCamera(name)}, name)));
    this.heading.textContent = trial.label;
    this.slider.max = trial.steps;
    this.speed.value = this.usualSpeed();
    this.about.textContent = this.words();
    this.command.textContent = trial.command;
    this.seek(0);
  }

  // The quickest speed at which the trial lasts two seconds at least.
  usualSpeed() {
    const duration = this.trial.steps * this.trial.h;
    const slow = speeds.filter((speed) => duration / speed >= 2);
    return slow.length > 0 ? Math.min(1, Math.max(...slow)) : speeds[0];
  }

  words() {
    const trial = this.trial;
    const result = trial.status !== "ok" ? `It is unresolved (${trial.status}).`
      : trial.success === null ? ""
      : trial.success ? "It succeeds." : "It fails.";
    const every = trial.force_stride > 1 ? ` Of ${trial.force_stride} steps one has forces.` : "";
    return `${result} ${trial.steps} steps of ${shortNumber(1000 * trial.h)} ms. ` +
      `The picture differs from the simulation by at most ${shortNumber(1e6 * trial.position_error, 2)} µm and ` +
      `${shortNumber(1000 * trial.angle_error, 2)} mrad.${every} ${this.view.scaleWords || ""}`;
  }

  seek(step) {
    this.step = Math.min(Math.max(step, 0), this.trial.steps);
    this.slider.value = this.step;
    this.refresh();
  }

  refresh() {
    if (!this.trial) return;
    const shown = this.view.show(this.step);
    const time = `${(this.step * this.trial.h).toFixed(3)} s`;
    this.clock.textContent = `${time} of ${(this.trial.steps * this.trial.h).toFixed(3)} s`;
    this.slider.setAttribute("aria-valuetext", time);
    this.forces.textContent = this.forceWords();
    Object.assign(this.node.dataset, {trial: this.index, step: this.step.toFixed(3), bodies: shown.present,
                                      marks: shown.marks});
  }

  forceWords() {
    const marks = marksAt(this.decoded.forces, this.step);
    if (marks.length === 0) return "No contact or other force at this time.";
    const large = [...marks].sort((a, b) => Math.hypot(...b.force) - Math.hypot(...a.force)).slice(0, 3);
    const rest = marks.length > 3 ? `; ${marks.length - 3} more` : "";
    return "Largest forces: " + large.map((mark) => markText(this.scene, mark)).join("; ") + rest + ".";
  }

  // Left and right go by one step, page up and down by a tenth.
  slide(event) {
    const ways = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 0.1 * this.trial.steps,
                  PageDown: -0.1 * this.trial.steps};
    if (event.key === " ") this.toggle();
    else if (event.key in ways) this.seek(Math.floor(this.step) + ways[event.key]);
    else return;
    event.preventDefault();
  }

  toggle() {
    if (!this.trial) return;
    if (this.playing) {
      this.pause();
      return;
    }
    if (this.step >= this.trial.steps) this.seek(0);
    this.button.textContent = "Pause";
    let before = performance.now();
    const go = (now) => {
      const passed = ((now - before) / 1000) * Number(this.speed.value);
      before = now;
      this.seek(this.step + passed / this.trial.h);
      if (this.step < this.trial.steps) this.playing = requestAnimationFrame(go);
      else this.pause();
    };
    this.playing = requestAnimationFrame(go);
  }

  pause() {
    if (this.playing) cancelAnimationFrame(this.playing);
    this.playing = null;
    this.button.textContent = "Play";
  }
}
