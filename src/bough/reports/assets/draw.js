// Functions that create elements. Texts are inserted as text, never as markup.
const facts = JSON.parse(document.getElementById("facts").textContent);
const isClass = facts.task === "classification";
const SVG = "http://www.w3.org/2000/svg";

// Text that runs from right to left is isolated, so that it does not change the order of the words around it.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+(?:[\s\d.,_-]+[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)*/g;
const isolated = (text) => (typeof text === "string" ? text.replace(RIGHT_TO_LEFT, "\u2068$&\u2069") : text);

function add(parent, made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of [children].flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) made.append(isolated(child));
  }
  if (parent) parent.append(made);
  return made;
}
const el = (tag, attributes, ...children) => add(null, document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => add(null, document.createElementNS(SVG, tag), attributes, children);

// The content security policy forbids style attributes but allows styles set through the object model.
function styled(element, styles) {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value);
  return element;
}

// Numbers as the print-outs write them: digits before the point are never rounded, and grouped from 10,000 on.
function figure(value, digits = 4, decimals) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4 && decimals === undefined)) return value.toExponential(digits - 1);
  const places = decimals === undefined ? decimalsOf([value], digits) : decimals;
  return value.toLocaleString("en-US", { useGrouping: size >= 9999.5, minimumFractionDigits: places, maximumFractionDigits: places });
}
// The number of decimals with which all numbers of a column are written.
function decimalsOf(values, digits = 4) {
  const known = values.filter((value) => Number.isFinite(value)).map(Math.abs);
  const greatest = Math.max(0, ...known);
  if (greatest === 0 || known.every(Number.isInteger)) return 0;
  const most = Math.min(Math.max(digits - 1 - Math.floor(Math.log10(greatest)), 0), 20);
  return Math.max(...known.map((value) => (value.toFixed(most).split(".")[1] || "").replace(/0+$/, "").length));
}
function figures(values, digits = 4) {
  const decimals = decimalsOf(values, digits);
  return values.map((value) => figure(value, digits, decimals));
}
// The weight of the predicted class of a node and of all its cases, such as "45 of 46".
function rightOf(node) {
  const stats = facts.nodes.stats[node];
  return `${figure(stats[facts.nodes.value[node]])} of ${figure(stats.reduce((a, b) => a + b, 0))}`;
}
const percent = (share) => (share === null || share === undefined ? "–" : (100 * share).toFixed(1) + "%");
const cut = (text, most) => (text.length <= most ? text : text.slice(0, most - 1) + "…");
// Long names often differ at their end only, so the end is kept.
const cutMiddle = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 11)}…${text.slice(-10)}`);
const plural = (n, one, many) => `${figure(n)} ${n === 1 ? one : many || one + "s"}`;

// The classes of the largest weight have their own colours; the others share one.
const colourOf = (() => {
  if (!isClass) return () => "var(--c0)";
  const weights = facts.nodes ? facts.nodes.stats[0] : facts.classes.map(() => 1);
  const order = weights.map((weight, code) => [weight, code]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  const own = order.length <= 8 ? order.map((pair) => pair[1]).sort((a, b) => a - b) : order.slice(0, 7).map((pair) => pair[1]);
  return (code) => (own.includes(code) ? `var(--c${own.indexOf(code)})` : "var(--other)");
})();

// Numbers are coloured on a scale from pale to strong.
const [least, greatest] = isClass || !facts.nodes
  ? [0, 1]
  : facts.nodes.value.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
const level = (value) => (greatest > least ? (value - least) / (greatest - least) : 0.5);
const shade = (share) => `color-mix(in oklab, var(--high) ${(100 * share).toFixed(1)}%, var(--low))`;
const answerColour = (node) => (isClass ? colourOf(facts.nodes.value[node]) : shade(level(facts.nodes.value[node])));

function table(head, rows, options = {}) {
  const cells = (row, tag) =>
    row.map((cell, place) => {
      const numeric = (options.numbers || []).includes(place);
      const label = tag === "td" && typeof head[place] === "string" ? head[place] : null;
      return el(tag, { class: numeric ? "number" : null, scope: tag === "th" ? "col" : null, "data-label": label }, cell);
    });
  return el(
    "table",
    { "aria-label": options.label },
    el("thead", {}, el("tr", {}, cells(head, "th"))),
    el("tbody", {}, rows.map((row) => el("tr", {}, cells(row, "td")))),
  );
}
