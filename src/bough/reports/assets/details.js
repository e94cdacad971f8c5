// The details of one node: the path to it, its statistics, the rival splits, and its stability.
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
  if (node) parts.push(el("h3", {}, "Path"), el("ol", { class: "path" }, path.slice(1).map((each) => el("li", {}, nodes.condition[each]))));
  parts.push(el("h3", {}, "Cases"), isClass ? classTable(node) : numberTable(node));
  parts.push(...modelParts(node));
  if (nodes.n[node]) parts.push(...splitParts(node));
  else parts.push(el("p", { class: "soft" }, "This node is a leaf."));
  parts.push(...testParts(node));
  return parts;
}

// The linear model of the node: the intercept and the coefficient of each term.
function modelParts(node) {
  const model = facts.models && facts.models[node];
  if (!model) return [];
  const [intercept, terms] = model;
  const rows = [["intercept", figure(intercept)], ...terms.map(([, coefficient, , , words]) => [words.replace(/^[^a-zA-Z]*[×] |^\S+ if /, ""), figure(coefficient)])];
  return [
    el("h3", {}, "Linear model"),
    el("p", { class: "soft" }, nodes.n[node] ? "This node would predict by the model if it were a leaf." : "The leaf predicts by the intercept and the coefficients times these values; a condition counts as 1 where it holds."),
    table(["term", "coefficient"], rows, { numbers: [1], label: "linear model of this node" }),
  ];
}

// The prediction of a node for a row: by its linear model, if it has one.
function modelValue(node, row) {
  const model = facts.models && facts.models[nodes.answered_by[node]];
  if (!model) return null;
  return model[1].reduce((sum, [column, coefficient, substitute, codes]) => {
    const value = row[column];
    const missing = value === null || value === undefined || Number.isNaN(value) || (codes.length && value < 0);
    return sum + coefficient * (missing ? substitute : codes.length ? Number(codes.includes(value)) : value);
  }, model[0]);
}

function sureWords(node) {
  if (nodes.answered_by[node] !== node) return `no training cases: predicts as node ${nodes.answered_by[node]}`;
  const cases = `${plural(nodes.cases[node], "case")} (${percent(nodes.cases[node] / nodes.cases[0])} of all)`;
  return isClass ? `${cases}, ${rightOf(node)} of this class (${percent(nodes.sure[node])}${facts.class_scale ? " under the priors" : ""})` : `${cases}, standard deviation ${figure(nodes.sure[node])}`;
}

function classTable(node) {
  const given = facts.given && !facts.given.learned ? facts.given.stats[node] : null;
  const stats = nodes.stats[node];
  const sum = (weights) => weights.reduce((a, b) => a + b, 0);
  const order = stats.map((weight, code) => code).filter((code) => stats[code] || facts.costs || (given && given[code]));
  order.sort((a, b) => stats[b] - stats[a] || a - b);
  const shown = order.slice(0, 12);
  // With priors, a case of a class counts as often as its scale says.
  const scaled = stats.map((weight, code) => weight * (facts.class_scale ? facts.class_scale[code] : 1));
  const total = sum(scaled) || 1;
  const costs = facts.costs && facts.costs.by_node[node];
  const rows = shown.map((code) => [
    [styled(el("span", { class: "dot" }), { background: colourOf(code) }), " ", facts.classes[code]],
    figure(stats[code]),
    percent(scaled[code] / total),
    ...(costs ? [figure(costs[code], 3)] : []),
    ...(given ? [figure(given[code]), percent(given[code] / (sum(given) || 1))] : []),
  ]);
  const head = ["class", "training", facts.class_scale ? "probability" : "share", ...(costs ? ["cost if predicted"] : []), ...(given ? ["table", "share"] : [])];
  const parts = [table(head, rows, { numbers: [1, 2, 3, 4, 5], label: "classes of this node" })];
  if (order.length > shown.length) parts.push(el("p", { class: "soft" }, `and ${order.length - shown.length} more classes`));
  return el("div", {}, parts);
}

function numberTable(node) {
  const given = facts.given;
  const rows = [["cases", figure(nodes.cases[node])], ["prediction", nodes.answer[node]], ["standard deviation", figure(nodes.sure[node])]];
  if (given && !given.learned) rows.push(["cases in the table", figure(given.cases[node])], ["mean in the table", figure(given.stats[node][0])]);
  const parts = [table(["statistic", "value"], rows, { numbers: [1], label: "statistics of this node" })];
  if (given && given.bars && given.bars[node].some(Boolean)) {
    parts.push(bars(given.bars[node], { width: 320, height: 60, label: `histogram of node ${node}`, colour: "var(--c0)" }));
    parts.push(el("div", { class: "soft" }, `${facts.target} from ${figure(given.bounds[0])} to ${figure(given.bounds[1])}`));
  }
  return el("div", {}, parts);
}

function splitParts(node) {
  const to = nodes.missing_to[node];
  const surrogate = facts.walk && facts.walk[node].length > 1 ? "follows the first surrogate whose value is known, otherwise " : "";
  const missing = surrogate + (to < 0 ? "stays in this node" : `goes to node ${to} (${nodes.edge[to]})`);
  const parts = [
    el("h3", {}, "Split"),
    el("p", {}, el("strong", {}, nodes.question[node]), el("br"), el("span", { class: "soft" }, `gain ${figure(nodes.gain[node])}; a row with a missing value ${missing}`)),
  ];
  const rivals = facts.rivals && facts.rivals[node];
  if (rivals && rivals.length) {
    const best = rivals[0][2] || 1;
    parts.push(el("h3", {}, "Best split of each column"), el("p", { class: "soft" }, facts.given.learned ? "Computed from the training set." : "Computed from the table given."));
    const close = new Set((facts.stability && facts.stability.ties[node]) || []);
    const rows = rivals.map(([column, words, value, chosen]) => [
      [words, chosen ? [" ", el("span", { class: "tag" }, "chosen")] : close.has(column) ? [" ", el("span", { class: "tag warn" }, "near tie")] : null],
      figure(value, 3),
      meter("", value / best, ""),
    ]);
    const made = table(["split", "value", ""], rows, { numbers: [1], label: "candidate splits of this node" });
    for (const each of made.querySelectorAll(".meter")) styled(each, { "grid-template-columns": "0 52px 0", gap: "0" });
    parts.push(made);
  }
  const alternatives = (name, lead, heads, stored) => {
    if (!stored || !stored.length) return;
    const rows = stored.map(([words, value, adjusted]) => [words, figure(value, 3), ...(heads.length > 2 ? [figure(adjusted, 3)] : [])]);
    parts.push(el("h3", {}, name), el("p", { class: "soft" }, lead), table(heads, rows, { numbers: [1, 2], label: name.toLowerCase() }));
  };
  if (!rivals || !rivals.length) alternatives("Competitors", "The best splits on other columns, recorded when the tree was grown.", ["split", "value"], facts.competitors[node]);
  alternatives("Surrogates", "Used in this order where the value is missing.", ["split", "agreement", "adjusted"], facts.surrogates[node]);
  if (facts.stability && facts.stability.returns[node] !== null) parts.push(...stabilityParts(node));
  return parts;
}

// The adjusted p-values of the columns: what was chosen, and what nearly was.
function testParts(node) {
  const tests = facts.tests && facts.tests[node];
  if (!tests || !tests.length) return [];
  const chosen = nodes.column[node];
  const rows = tests.map(([column, p]) => [[facts.columns[column].short, column === chosen ? [" ", el("span", { class: "tag" }, "chosen")] : null], p]);
  return [
    el("h3", {}, "Tests of the columns"),
    el("p", { class: "soft" }, "The p-value of the test of each column, adjusted as the learner does it, as computed when the tree was grown."),
    table(["column", "adjusted p-value"], rows, { numbers: [1], label: "tests of the columns" }),
  ];
}

function stabilityParts(node) {
  const cuts = facts.stability.cuts[node];
  const words = `This split is on the same column in ${percent(facts.stability.returns[node])} of ${facts.stability.draws} bootstrap samples`;
  return [
    el("h3", {}, "Stability"),
    el("p", {}, words + (cuts ? `; the quartiles of its threshold are ${cuts[0]} and ${cuts[1]}.` : ".")),
  ];
}
