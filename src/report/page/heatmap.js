// SPDX-License-Identifier: Apache-2.0
// The map: a heat map for two axes, a curve for one, a heat map for each combination of the others beyond two.

const svgWidth = 640;

function axisTitle(axis) {
  if (axis.label) return axis.label;
  const end = "_" + axis.unit.toLowerCase().replace(/[ /]/g, "_");  // x_mm
  if (axis.name.endsWith(end)) return `${axis.name.slice(0, -end.length)} [${axis.unit}]`;
  return axis.name + unitBrackets(axis.unit);
}

function cellWords(map, cell) {
  let rest = cell;
  return map.axes.map((axis) => {
    const value = axis.values[rest % axis.values.length];
    rest = Math.floor(rest / axis.values.length);
    const text = typeof value === "number" ? shortNumber(value, 6) + unitText(axis.unit) : value;
    return `${axisTitle(axis).replace(/ \[.*\]$/, "")} ${text}`;
  }).join(", ");
}

function cellText(map, cell) {
  const c = map.cells;
  const p = c.p[cell] === null ? "no resolved sample" : `p = ${c.p[cell].toFixed(3)}`;
  const step = c.rerun.length === 0 ? "the step was not checked"
    : c.rerun[cell] === 0 ? "no trial of this cell was checked at half the step"
    : `at half the step ${c.flipped[cell]} of ${c.rerun[cell]} trials change`;
  return `Cell ${cell}, ${cellWords(map, cell)}: ${p}, 95 % interval ${c.low[cell].toFixed(3)} to ` +
    `${c.high[cell].toFixed(3)}; ${c.successes[cell]} of ${c.samples[cell]} samples succeed, ` +
    `${c.unresolved[cell]} unresolved; ${step}`;
}

function cellColour(map, cell) {
  return map.cells.p[cell] === null ? "#ffffff" : viridisAt(map.cells.p[cell]);
}

// Ticks: at most `most` of the places of a list, evenly.
function tickPlaces(count, most) {
  const stride = Math.max(1, Math.ceil(count / most));
  return Array.from({length: count}, (unused, i) => i).filter((i) => i % stride === 0);
}

function tickText(axis, i) {
  const value = axis.values[i];
  return typeof value === "number" ? shortNumber(value) : String(value);
}

class MapView {
  constructor(map, choose) {
    this.map = map;
    this.choose = choose;
    this.nodes = [];
    const hint = "Point at a cell, or move with the arrow keys; click it, or press Enter, to see its trials.";
    this.readout = element("p", {class: "readout", "aria-live": "polite"}, hint);
    const pictures = map.axes.length === 1 ? [this.curve()] : this.multiples();
    this.node = element("div", {class: "map"}, element("div", {class: "multiples"}, ...pictures), this.scale(),
                        this.readout);
    if (this.nodes[0]) this.nodes[0].setAttribute("tabindex", 0);
  }

  // What stands for a cell reacts to the pointer and the keyboard.
  wire(node, cell) {
    this.nodes[cell] = node;
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", -1);
    node.setAttribute("aria-label", cellText(this.map, cell));
    node.dataset.cell = cell;
    node.append(drawing("title", {}, cellText(this.map, cell)));
    node.addEventListener("pointerenter", () => (this.readout.textContent = cellText(this.map, cell)));
    node.addEventListener("pointerleave", () => this.chosen !== undefined && this.frame(this.chosen));
    node.addEventListener("focus", () => (this.readout.textContent = cellText(this.map, cell)));
    node.addEventListener("click", () => this.pick(cell));
    node.addEventListener("keydown", (event) => this.key(event, cell));
  }

  pick(cell) {
    this.focusOn(cell);
    this.frame(cell);
    this.choose(cell);
  }

  // Its frame then lies above its neighbours.
  raise(cell) {
    this.nodes[cell].parentNode.append(this.nodes[cell]);
  }

  // Marks the cell whose trials are shown.
  frame(cell) {
    for (const node of this.nodes) node.classList.remove("chosen");
    this.chosen = cell;
    if (document.activeElement !== this.nodes[cell]) this.raise(cell);  // moving it would take the focus from it
    this.nodes[cell].classList.add("chosen");
    this.readout.textContent = cellText(this.map, cell);
  }

  focusOn(cell) {
    for (const node of this.nodes) node.setAttribute("tabindex", -1);
    this.nodes[cell].setAttribute("tabindex", 0);
    this.raise(cell);
    this.nodes[cell].focus({preventScroll: true});
  }

  key(event, cell) {
    const columns = this.map.axes[0].values.length;
    const rows = this.map.axes.length > 1 ? this.map.axes[1].values.length : 1;
    const x = cell % columns;
    const y = Math.floor(cell / columns) % rows;
    const plane = columns * rows;
    const moves = {
      ArrowLeft: x > 0 ? -1 : 0, ArrowRight: x + 1 < columns ? 1 : 0, ArrowDown: y > 0 ? -columns : 0,
      ArrowUp: y + 1 < rows ? columns : 0, PageUp: cell + plane < this.nodes.length ? plane : 0,
      PageDown: cell >= plane ? -plane : 0,
    };
    if (event.key === "Enter" || event.key === " ") this.pick(cell);
    else if (event.key in moves) this.focusOn(cell + moves[event.key]);
    else return;
    event.preventDefault();
  }

  multiples() {
    const [x, y, ...others] = this.map.axes;
    const plane = x.values.length * y.values.length;
    const count = others.reduce((product, axis) => product * axis.values.length, 1);
    return Array.from({length: count}, (unused, k) => {
      let rest = k;
      const words = others.map((axis) => {
        const value = tickText(axis, rest % axis.values.length);
        rest = Math.floor(rest / axis.values.length);
        return `${axis.label || axis.name} ${value}${unitText(axis.unit)}`;
      });
      return this.plane(x, y, k * plane, words.join(", "), count > 1 ? 0.55 : 1);
    });
  }

  plane(x, y, first, title, share) {
    const [left, bottom, top] = [64, 46, title ? 26 : 10];
    const width = share * svgWidth;
    const side = (width - left - 10) / x.values.length;
    const tall = Math.min(Math.max(side, 6 / y.values.length), (1.1 * width) / y.values.length, 40);
    const height = top + tall * y.values.length + bottom;
    const svg = drawing("svg", {viewBox: `0 0 ${width} ${height}`, class: "heat", style: `max-width:${width}px`,
                                role: "group", "aria-label": `Map of success ${title}`});
    const cells = drawing("g");
    for (let j = 0; j < y.values.length; ++j) {
      for (let i = 0; i < x.values.length; ++i) {
        const cell = first + j * x.values.length + i;
        const node = drawing("rect", {x: left + i * side, y: top + (y.values.length - 1 - j) * tall, width: side,
                                      height: tall, fill: cellColour(this.map, cell), class: "cell"});
        this.wire(node, cell);
        cells.append(node);
      }
    }
    svg.append(cells);
    if (title) svg.append(drawing("text", {x: left, y: 17, class: "subtitle"}, title));
    const floor = top + tall * y.values.length;
    for (const i of tickPlaces(x.values.length, Math.floor((width - left) / 60))) {
      svg.append(drawing("text", {x: left + (i + 0.5) * side, y: floor + 15, class: "tick middle"}, tickText(x, i)));
    }
    for (const j of tickPlaces(y.values.length, Math.max(2, Math.floor((tall * y.values.length) / 24)))) {
      svg.append(drawing("text", {x: left - 6, y: floor - (j + 0.5) * tall + 4, class: "tick end"}, tickText(y, j)));
    }
    svg.append(drawing("text", {x: (left + width) / 2, y: height - 8, class: "axis middle"}, axisTitle(x)),
               drawing("text", {transform: `translate(13 ${(top + floor) / 2}) rotate(-90)`, class: "axis middle"},
                       axisTitle(y)));
    return svg;
  }

  curve() {
    const axis = this.map.axes[0];
    const c = this.map.cells;
    const [left, top, width, height] = [54, 12, svgWidth - 70, 300];
    const svg = drawing("svg", {viewBox: `0 0 ${svgWidth} ${top + height + 52}`, class: "heat", role: "group",
                                style: `max-width:${svgWidth}px`, "aria-label": `Success against ${axisTitle(axis)}`});
    const numbers = axis.values.map((value, i) => axis.categorical ? i : axis.log ? Math.log(value) : value);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const px = (i) => left + 12 + ((width - 24) * (high > low ? (numbers[i] - low) / (high - low) : 0.5));
    const py = (p) => top + height * (1 - p);
    for (const p of [0, 0.25, 0.5, 0.75, 1]) {
      svg.append(drawing("line", {x1: left, x2: left + width, y1: py(p), y2: py(p), class: "grid"}),
                 drawing("text", {x: left - 6, y: py(p) + 4, class: "tick end"}, String(p)));
    }
    const order = numbers.map((unused, i) => i).sort((a, b) => numbers[a] - numbers[b]);
    const edge = (list, values) => list.map((i) => `${px(i)} ${py(values[i])}`).join(" L ");
    const outline = `M ${edge(order, c.low)} L ${edge([...order].reverse(), c.high)} Z`;
    svg.append(drawing("path", {d: outline, class: "band"}));
    const known = order.filter((i) => c.p[i] !== null);
    if (known.length > 1) svg.append(drawing("path", {d: `M ${edge(known, c.p)}`, class: "line"}));
    for (const i of tickPlaces(order.length, 10)) {
      svg.append(drawing("text", {x: px(i), y: top + height + 16, class: "tick middle"}, tickText(axis, i)));
    }
    for (const i of order) {
      const p = c.p[i] === null ? 0 : c.p[i];
      const node = drawing("circle", {cx: px(i), cy: py(p), r: 7, fill: cellColour(this.map, i), class: "cell point"});
      this.wire(node, i);
      svg.append(node);
    }
    svg.append(drawing("text", {x: left + width / 2, y: top + height + 42, class: "axis middle"}, axisTitle(axis)),
               drawing("text", {transform: `translate(13 ${top + height / 2}) rotate(-90)`, class: "axis middle"},
                       "probability of success"));
    return svg;
  }

  scale() {
    const bars = Array.from({length: 50}, (unused, i) => drawing(
        "rect", {x: 40 + 5 * i, y: 4, width: 5.5, height: 14, fill: viridisAt(i / 49)}));
    const texts = [0, 0.25, 0.5, 0.75, 1].map(
        (p) => drawing("text", {x: 40 + 250 * p, y: 32, class: "tick middle"}, String(p)));
    return drawing("svg", {viewBox: "0 0 480 36", class: "scale", role: "img",
                           "aria-label": "Colours from violet, probability 0, to yellow, probability 1"},
                   ...bars, ...texts, drawing("text", {x: 310, y: 16, class: "tick"}, "probability of success"));
  }
}
