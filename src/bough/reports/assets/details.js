// What is known of one node: the way to it, its figures, what else it could have asked, how steady it is.
function showDetails(node) {
  view.details.replaceChildren(...nodeDetails(node));
}

function nodeDetails(node) {
  const path = pathTo(node);
  const parts = [
    el("div", { class: "soft" }, node ? `Node ${node}, depth ${path.length - 1}` : "Node 0, the root: all cases"),
    el("div", { class: "big" }, styled(el("span", { class: "dot" }), { background: answerColour(node) }), " ", nodes.answer[node]),
    el("div", { class: "soft" }, sureWords(node)),
  ];
  if (node) parts.push(el("h3", {}, "The way here"), el("ol", { class: "path" }, path.slice(1).map((each) => el("li", {}, nodes.condition[each]))));
  parts.push(el("h3", {}, "Cases"), isClass ? classTable(node) : numberTable(node));
  if (nodes.n[node]) parts.push(...askedParts(node));
  else parts.push(el("p", { class: "soft" }, "A leaf: it asks nothing more."));
  return parts;
}

function sureWords(node) {
  if (nodes.answered_by[node] !== node) return `no cases of its own: answers as node ${nodes.answered_by[node]}`;
  const cases = `${plural(nodes.cases[node], "case")} (${percent(nodes.cases[node] / nodes.cases[0])} of all)`;
  return isClass ? `${cases}, ${percent(nodes.sure[node])} of them so` : `${cases}, deviation ${figure(nodes.sure[node])}`;
}

function classTable(node) {
  const given = facts.given && !facts.given.learned ? facts.given.stats[node] : null;
  const stats = nodes.stats[node];
  const sum = (weights) => weights.reduce((a, b) => a + b, 0);
  const order = stats.map((weight, code) => code).filter((code) => stats[code] || (given && given[code]));
  order.sort((a, b) => stats[b] - stats[a] || a - b);
  const shown = order.slice(0, 12);
  const total = sum(stats) || 1;
  const rows = shown.map((code) => [
    [styled(el("span", { class: "dot" }), { background: colourOf(code) }), " ", facts.classes[code]],
    figure(stats[code]),
    percent(stats[code] / total),
    ...(given ? [figure(given[code]), percent(given[code] / (sum(given) || 1))] : []),
  ]);
  const head = ["class", "learned", "share", ...(given ? ["table", "share"] : [])];
  const parts = [table(head, rows, { numbers: [1, 2, 3, 4], label: "classes of this node" })];
  if (order.length > shown.length) parts.push(el("p", { class: "soft" }, `and ${order.length - shown.length} classes more`));
  return el("div", {}, parts);
}

function numberTable(node) {
  const given = facts.given;
  const rows = [["cases", figure(nodes.cases[node])], ["answer", nodes.answer[node]], ["deviation", figure(nodes.sure[node])]];
  if (given && !given.learned) rows.push(["cases in the table", figure(given.cases[node])], ["mean in the table", figure(given.stats[node][0])]);
  const parts = [table(["figure", "value"], rows, { numbers: [1], label: "figures of this node" })];
  if (given && given.bars && given.bars[node].some(Boolean)) {
    parts.push(bars(given.bars[node], { width: 320, height: 60, label: `numbers in node ${node}`, colour: "var(--c0)" }));
    parts.push(el("div", { class: "soft" }, `${facts.target} from ${figure(given.bounds[0])} to ${figure(given.bounds[1])}`));
  }
  return el("div", {}, parts);
}

function askedParts(node) {
  const to = nodes.missing_to[node];
  const spare = facts.walk && facts.walk[node].length > 1 ? "goes where the first surrogate that can say sends it, else " : "";
  const missing = spare + (to < 0 ? "stays here" : `${spare ? "" : "goes "}to node ${to} (${nodes.edge[to]})`);
  const parts = [
    el("h3", {}, "Asks"),
    el("p", {}, el("strong", {}, nodes.question[node]), el("br"), el("span", { class: "soft" }, `gain ${figure(nodes.gain[node])}; a row with a missing value ${missing}`)),
  ];
  const rivals = facts.rivals && facts.rivals[node];
  if (rivals && rivals.length) {
    const best = rivals[0][2] || 1;
    parts.push(el("h3", {}, "What else it could ask"), el("p", { class: "soft" }, facts.given.learned ? "The best split of each column." : "The best split of each column, on the table given."));
    const close = new Set((facts.stability && facts.stability.ties[node]) || []);
    const rows = rivals.map(([column, words, value, asked]) => [
      [words, asked ? [" ", el("span", { class: "tag" }, "asked")] : close.has(column) ? [" ", el("span", { class: "tag warn" }, "near tie")] : null],
      figure(value, 3),
      meter("", value / best, ""),
    ]);
    const made = table(["split", "value", ""], rows, { numbers: [1], label: "candidate splits of this node" });
    for (const each of made.querySelectorAll(".meter")) styled(each, { "grid-template-columns": "0 52px 0", gap: "0" });
    parts.push(made);
  }
  const spares = (name, lead, heads, stored) => {
    if (!stored || !stored.length) return;
    const rows = stored.map(([words, value, adjusted]) => [words, figure(value, 3), ...(heads.length > 2 ? [figure(adjusted, 3)] : [])]);
    parts.push(el("h3", {}, name), el("p", { class: "soft" }, lead), table(heads, rows, { numbers: [1, 2], label: name.toLowerCase() }));
  };
  if (!rivals || !rivals.length) spares("Competitors", "The best splits of other columns, as the tree was grown.", ["split", "value"], facts.competitors[node]);
  spares("Surrogates", "Asked in turn where the value is missing.", ["split", "agreement", "adjusted"], facts.surrogates[node]);
  if (facts.stability && facts.stability.returns[node] !== null) parts.push(...steadyParts(node));
  return parts;
}

function steadyParts(node) {
  const cuts = facts.stability.cuts[node];
  const words = `In ${percent(facts.stability.returns[node])} of ${facts.stability.draws} trees from the table drawn anew, this place asks the same column`;
  return [
    el("h3", {}, "How steady"),
    el("p", {}, words + (cuts ? `, half of them at a cut from ${figure(cuts[1])} to ${figure(cuts[3])}.` : ".")),
  ];
}
