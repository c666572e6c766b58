// SPDX-License-Identifier: Apache-2.0
// What the page shows: a report of a map or of grasps, the replay of a trial, or a scene at its start.

// The trials of a cell that were recorded, with a button for each, above the player.
class CellTrials {
  constructor(data, player) {
    this.data = data;
    this.player = player;
    this.buttons = element("div", {class: "trials", role: "group", "aria-label": "Trials of the cell"});
    this.note = element("p");
    this.node = element("div", {}, this.note, this.buttons);
  }

  // begin: whether the first of them plays at once.
  show(cell, begin) {
    const found = this.data.trials.map((trial, index) => ({trial, index})).filter(
        ({trial}) => trial.cell === cell && trial.sample !== undefined);
    this.node.dataset.cell = cell;
    const words = this.data.grasps ? `grasp ${this.data.grasps[cell].id}` : `cell ${cell}`;
    this.note.textContent = found.length > 0 ? `Recorded trials of ${words}:`
      : `No trial of ${words} was recorded. Replay one with: ${this.data.replay.replace("{cell}", cell)}`;
    this.buttons.replaceChildren(...found.map(({trial, index}) => element(
        "button", {type: "button", onclick: () => this.play(index)}, trial.role)));
    this.player.node.hidden = found.length === 0;
    if (found.length > 0) this.play(found[0].index, begin);
  }

  play(index, begin = true) {
    this.player.show(index);
    if (begin && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.toggle();
    [...this.buttons.children].forEach((button) => button.setAttribute(
        "aria-pressed", button.textContent === this.data.trials[index].role));
  }
}

function reportPage(data, main) {
  const player = new Player(data);
  const trials = new CellTrials(data, player);
  const choose = (cell) => trials.show(cell, true);
  const map = data.grasps ? graspsSection(data, choose) : null;
  const view = data.grasps ? null : new MapView(data.map, choose);
  main.append(element("div", {class: "columns"}, map || section("The map", view.node),
                      section("Trials", trials.node, player.node)),
              data.grasps ? graspNumbersSection(data, choose) : "", problemSection(data), explainSection(data), totalsSection(data), reproduceSection(data));
  const first = data.trials.find((trial) => trial.sample !== undefined);
  const wanted = new URLSearchParams(location.hash.slice(1)).get("cell");
  const cell = wanted !== null ? Number(wanted) : data.opens_with;
  if (first && cell !== null && cell < data.map.cells.samples.length) {
    if (view) view.frame(cell);
    trials.show(cell, false);
  }
}

function replayPage(data, main) {
  const player = new Player(data);
  main.append(player.node);
  player.show(0);
}

function showPage(data, main) {
  const player = new Player(data);
  player.show(0);
  player.node.classList.add("still");
  main.append(player.node);
  if (data.glyphs.length > 0) {
    main.append(element("p", {}, `${data.glyphs.length} grasps: the tines of a fork lie where the fingers are, its ` +
                                 "stem comes from the palm."));
  }
  main.append(table("Bodies", ["body", "kind", "parts"], data.scenes[0].bodies.map(
      (body, b) => [bodyName(data.scenes[0], b), body.kind, String(body.parts.length)])));
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("page");
  main.replaceChildren(element("h1", {}, data.title), element("p", {class: "made"}, `Made by ${data.made_by}.`));
  const pages = {report: reportPage, replay: replayPage, show: showPage};
  pages[data.kind](data, main);
  const licence = document.getElementById("licence");
  licence.hidden = licence.querySelector("pre").textContent === "";
  document.documentElement.dataset.ready = "yes";
}

start();
