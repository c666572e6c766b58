// SPDX-License-Identifier: Apache-2.0
// Elements of HTML and SVG, colours, numbers as text. Texts go in as text nodes, never as HTML.

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function drawing(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

// Okabe and Ito's colours, which the colour-blind can tell apart.
const bodyColours = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#cc79a7", "#d55e00", "#0072b2"];
const markColours = {
  idle: "#555555", sticks: "#0072b2", slides: "#d55e00", support: "#009e73", motor: "#8b3a8b", joint: "#444444",
  limit: "#b00020", coupling: "#6b6b00",
};
const markWords = {
  idle: "contact without force", sticks: "contact that sticks", slides: "contact that slides",
  support: "friction of a support", motor: "motor", joint: "joint", limit: "limit of a joint", coupling: "coupling",
};

// What moves by itself has a colour; fixed bodies are grey, those with prescribed motion dark grey.
function bodyColour(scene, index) {
  const kind = scene.bodies[index].kind;
  if (kind === "fixed") return "#bbbbbb";
  if (kind === "kinematic") return "#8a929c";
  const number = scene.bodies.slice(0, index).filter((body) => body.kind === "dynamic").length;
  return bodyColours[number % bodyColours.length];
}

function bodyName(scene, index) {
  return index < 0 ? "the world" : scene.bodies[index].name || `body ${index}`;
}

function markText(scene, mark) {
  const force = Math.hypot(...mark.force);
  return `${markWords[mark.kind]}: ${bodyName(scene, mark.a)} on ${bodyName(scene, mark.b)}, ${shortNumber(force)} N`;
}

// Viridis at eleven places, between which colours are mixed.
const viridis = [
  [68, 1, 84], [72, 36, 117], [65, 68, 135], [53, 95, 141], [42, 120, 142], [33, 145, 140], [34, 168, 132],
  [68, 191, 112], [122, 209, 81], [189, 223, 38], [253, 231, 37],
];
function viridisAt(share) {
  const place = Math.min(Math.max(share, 0), 1) * (viridis.length - 1);
  const k = Math.min(Math.floor(place), viridis.length - 2);
  return "rgb(" + viridis[k].map((value, i) => Math.round(value + (place - k) * (viridis[k + 1][i] - value))) + ")";
}

function shortNumber(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "none";
  return String(Number(Number(value).toPrecision(digits)));
}

function unitText(unit) {
  return unit && unit !== "1" ? ` ${unit}` : "";
}

function unitBrackets(unit) {
  return unit && unit !== "1" ? ` [${unit}]` : "";
}

function section(title, ...children) {
  const id = "part-" + title.toLowerCase().replace(/[^a-z]+/g, "-");
  return element("section", {"aria-labelledby": id}, element("h2", {id}, title), ...children);
}

function table(caption, heads, rows) {
  return element("table", {}, element("caption", {}, caption),
                 element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", {scope: "col"}, head)))),
                 element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(
                     (cell, i) => element(i === 0 ? "th" : "td", i === 0 ? {scope: "row"} : {}, cell))))));
}
