// SPDX-License-Identifier: Apache-2.0
// The parts of a report besides map and player: the problem, what decides, totals, how to reproduce, grasps.

function problemSection(data) {
  const start = new Player(data);
  start.node.classList.add("start");
  if (data.start !== null) start.show(data.start);
  const caption = element("figcaption", {}, "The scene at the start, as the problem describes it.");
  const view = data.start === null ? "" : element("figure", {}, start.stage, start.camera, caption);
  return section("The problem", element("ul", {}, ...data.words.map((sentence) => element("li", {}, sentence))), view,
                 element("details", {}, element("summary", {}, "The resolved problem file"),
                         element("pre", {}, data.problem_toml)));
}

function indexBar(index, colour) {
  const share = (value) => 200 * Math.min(Math.max(value, 0), 1);
  const words = `${index.value.toFixed(3)}, from ${index.ci_low.toFixed(3)} to ${index.ci_high.toFixed(3)}`;
  return drawing("svg", {viewBox: "0 0 204 14", class: "bar", role: "img", "aria-label": words},
                 drawing("rect", {x: 0, y: 2, width: share(index.value), height: 10, fill: colour}),
                 drawing("line", {x1: share(index.ci_low), x2: share(index.ci_high), y1: 7, y2: 7, stroke: "#222",
                                  "stroke-width": 2}));
}

// Success against a parameter: bins of equal counts with their intervals.
function smallCurve(parameter) {
  const points = parameter.curve;
  const low = Math.min(...points.map((point) => point.mean));
  const high = Math.max(...points.map((point) => point.mean));
  const px = (value) => 34 + 150 * (high > low ? (value - low) / (high - low) : 0.5);
  const py = (p) => 84 - 72 * p;
  const svg = drawing("svg", {viewBox: "0 0 200 116", class: "small", role: "img",
                              "aria-label": `Success against ${parameter.name}: ` + points.map(
                                  (point) => `${shortNumber(point.mean)}: ${point.p.toFixed(2)}`).join(", ")});
  for (const p of [0, 1]) {
    svg.append(drawing("line", {x1: 30, x2: 190, y1: py(p), y2: py(p), class: "grid"}),
               drawing("text", {x: 26, y: py(p) + 4, class: "tick end"}, String(p)));
  }
  const edge = (list, key) => list.map((point) => `${px(point.mean)} ${py(point[key])}`).join(" L ");
  if (points.length > 0) {
    const outline = `M ${edge(points, "ci_low")} L ${edge([...points].reverse(), "ci_high")} Z`;
    svg.append(drawing("path", {d: outline, class: "band"}),
               drawing("path", {d: `M ${edge(points, "p")}`, class: "line"}),
               drawing("text", {x: 34, y: 98, class: "tick"}, shortNumber(low)),
               drawing("text", {x: 186, y: 98, class: "tick end"}, shortNumber(high)));
  }
  svg.append(drawing("text", {x: 110, y: 112, class: "tick middle"}, parameter.name + unitBrackets(parameter.unit)));
  return svg;
}

function explainSection(data) {
  const explain = data.explain;
  if (!explain) return section("What decides", element("p", {}, data.no_explain));
  const nameOf = (one) => data.grasps && one.name === "grasp" ? "which grasp" : one.name + unitBrackets(one.unit);
  const rows = explain.parameters.map((one) => [
    nameOf(one), indexBar(one.first, "#0072b2"), one.first.value.toFixed(3),
    indexBar(one.total, "#e69f00"), one.total.value.toFixed(3),
  ]);
  const parts = [
    element("p", {}, "Shares of the variance of success that a parameter explains by itself (first order) and " +
                     "with all others that it acts together with (total). Lines are 95 % intervals."),
    table("Sobol' indices", ["parameter", "first order", "", "total", ""], rows),
    element("div", {class: "multiples"}, ...explain.parameters.filter((one) => !one.nominal).slice(0, 12).map(
        smallCurve)),
  ];
  if (explain.failures.length > 0) {
    parts.push(table("Why trials fail", ["reason", "trials", "a typical one"], explain.failures.map(
        (group) => [group.words, String(group.trials), element("code", {}, group.replay)])));
  }
  return section("What decides", ...parts);
}

function totalsSection(data) {
  return section("Totals", table("Of all trials together", ["", ""], data.totals), ...data.warnings.map(
      (text) => element("p", {class: "warning"}, text)));
}

function reproduceSection(data) {
  return section("How to reproduce", element("p", {}, `Made by ${data.made_by}, seed ${data.seed}.`),
                 ...data.commands.map((command) => element("pre", {}, command)));
}

// Probability against a number of the grasps: a point with its interval for each, which plays the grasp.
function graspScatter(data, k, choose) {
  const c = data.map.cells;
  const [name, unit] = data.grasps[0].numbers[k];
  const stride = Math.ceil(data.grasps.length / 400);
  const shown = data.grasps.map((unused, i) => i).filter((i) => i % stride === 0 && c.p[i] !== null);
  const values = data.grasps.map((grasp) => grasp.numbers[k][2]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const px = (value) => 36 + (146 * (value - low)) / (high - low);
  const py = (p) => 84 - 72 * p;
  const svg = drawing("svg", {viewBox: "0 0 200 116", class: "small", role: "img",
                              "aria-label": `Probability of each grasp against ${name}`});
  for (const p of [0, 1]) {
    svg.append(drawing("line", {x1: 30, x2: 190, y1: py(p), y2: py(p), class: "grid"}),
               drawing("text", {x: 26, y: py(p) + 4, class: "tick end"}, String(p)));
  }
  for (const i of shown) {
    const at = px(values[i]);
    svg.append(drawing("line", {x1: at, x2: at, y1: py(c.low[i]), y2: py(c.high[i]), stroke: "#999"}));
  }
  for (const i of shown) {
    const words = `grasp ${data.grasps[i].id}: ${name} ${shortNumber(values[i])}${unitText(unit)}, p = ` +
      c.p[i].toFixed(3);
    const dot = drawing("circle", {cx: px(values[i]), cy: py(c.p[i]), r: 3.5, fill: viridisAt(c.p[i]), class: "dot"},
                        drawing("title", {}, words));
    dot.addEventListener("click", () => choose(i));
    svg.append(dot);
  }
  svg.append(drawing("text", {x: 34, y: 98, class: "tick"}, shortNumber(low)),
             drawing("text", {x: 186, y: 98, class: "tick end"}, shortNumber(high)),
             drawing("text", {x: 110, y: 112, class: "tick middle"}, name + unitBrackets(unit)));
  return svg;
}

// What may make one grasp better than another: the numbers in which they differ.
function graspNumbersSection(data, choose) {
  const count = Math.min(...data.grasps.map((grasp) => grasp.numbers.length));
  const differ = Array.from({length: count}, (unused, k) => k).filter((k) => {
    const values = data.grasps.map((grasp) => grasp.numbers[k][2]);
    return data.grasps.every((grasp) => grasp.numbers[k][0] === data.grasps[0].numbers[k][0]) &&
      Math.max(...values) - Math.min(...values) > 1e-6 * Math.max(1, ...values.map(Math.abs));
  });
  if (differ.length === 0) return "";
  const words = "Each point is a grasp, each line its 95 % interval. Places and directions are those of the gripper " +
    "in the frame of the part, as the file of grasps gives them. A click plays the grasp.";
  return section("How the grasps differ", element("p", {}, words),
                 element("div", {class: "multiples"}, ...differ.map((k) => graspScatter(data, k, choose))));
}

// Grasps by their probability, the best first; each plays its trials.
function graspsSection(data, choose) {
  const c = data.map.cells;
  const order = data.grasps.map((unused, i) => i).sort((a, b) => (c.p[b] ?? -1) - (c.p[a] ?? -1) || a - b);
  const rows = order.map((i) => {
    const button = element("button", {type: "button", "data-cell": i, onclick: () => choose(i)}, data.grasps[i].id);
    const p = c.p[i] === null ? "none" : c.p[i].toFixed(3);
    const bar = c.p[i] === null ? ""
      : indexBar({value: c.p[i], ci_low: c.low[i], ci_high: c.high[i]}, viridisAt(c.p[i]));
    return [button, p, bar, `${c.low[i].toFixed(3)} to ${c.high[i].toFixed(3)}`, `${c.successes[i]} of ${c.samples[i]}`,
            String(c.unresolved[i])];
  });
  return section("Grasps", table("Grasps by probability of success; choose one to see its trials",
                                 ["grasp", "p", "", "95 % interval", "successes", "unresolved"], rows));
}
