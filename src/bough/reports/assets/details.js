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

// The linear models of the node: the intercept and the coefficient of each term, drawn by its effect.
function modelParts(node) {
  const models = facts.models && facts.models.by_node[node];
  if (!models) return [];
  const lead = nodes.n[node] ? "This node would predict by the model if it were a leaf." : "The leaf predicts by the intercept and the coefficients times these values; a condition counts as 1 where it holds.";
  const odds = !isClass ? "" : models.length > 1 ? " The class of the greatest score is predicted." : ` The sum is the log-odds of ${facts.classes[1]}.`;
  const parts = [el("h3", {}, isClass ? "Logistic model" : "Linear model"), el("p", { class: "soft" }, lead + odds)];
  models.forEach((model, score) => {
    if (models.length > 1) parts.push(el("h4", {}, facts.classes[score]));
    parts.push(termTable(model));
  });
  return [...parts, ...residualCharts(node)];
}

const termName = (words) => words.replace(/^[^a-zA-Z]*[×] |^\S+ if /, "");

function termTable([intercept, terms]) {
  const known = terms.every((term) => term[5] !== null);
  const size = (term) => (known ? term[5] : Math.abs(term[1]));
  const most = Math.max(...terms.map(size), 1e-300);
  const rows = [["intercept", figure(intercept), ""], ...terms.map((term) => [termName(term[4]), figure(term[1]), signedBar((Math.sign(term[1]) * size(term)) / most)])];
  return table(["term", "coefficient", known ? "effect of one standard deviation" : ""], rows, { numbers: [1], label: "linear model of this node" });
}

// A bar from the middle to the left or right.
function signedBar(share) {
  const [width, height] = [110, 12];
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const long = (Math.abs(share) * width) / 2;
  picture.append(
    svg("line", { class: "axis", x1: width / 2, x2: width / 2, y1: 0, y2: height }),
    styled(svg("rect", { x: share < 0 ? width / 2 - long : width / 2, y: 2, width: Math.max(long, 0.5), height: height - 4 }), { fill: share < 0 ? "var(--c1)" : "var(--c0)" }),
  );
  return picture;
}

// What the other terms leave of the target, against the column of a term, with the line of the term.
function residualCharts(node) {
  const drawn = facts.models.residuals[node];
  if (!drawn || !drawn.length) return [];
  const terms = facts.models.by_node[node][0][1];
  const charts = drawn.map(([place, xs, ys]) => {
    const [, coefficient, , , words] = terms[place];
    const name = termName(words);
    const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
    const chart = frame(`Partial residuals of ${name}`, cut(name, 40), "partial residual", [x0, x1, Math.min(...ys), Math.max(...ys)]);
    xs.forEach((x, i) => chart.picture.append(styled(svg("circle", { cx: chart.x(x), cy: chart.y(ys[i]), r: 2 }), { fill: "var(--other)" })));
    drawCurve(chart, [x0, x1], [coefficient * x0, coefficient * x1], "var(--c0)");
    return chart.picture;
  });
  return [el("h3", {}, "Partial residuals"), el("p", { class: "soft" }, "The target less all other terms of the model, for a sample of the rows of this leaf. The line is the term."), ...charts];
}

function scoreOf([intercept, terms], row) {
  return terms.reduce((sum, [column, coefficient, substitute, codes, , , bounds]) => {
    const value = row[column];
    const missing = value === null || value === undefined || Number.isNaN(value) || (codes.length && value < 0);
    return sum + coefficient * (missing ? substitute : codes.length ? Number(codes.includes(value)) : bounds ? Math.min(Math.max(value, bounds[0]), bounds[1]) : value);
  }, intercept);
}

// The prediction of a node for a row by its linear models, as [text, code of the class]; null if it has none.
function modelAnswer(node, row) {
  const models = facts.models && facts.models.by_node[nodes.answered_by[node]];
  if (!models) return null;
  const sums = models.map((model) => scoreOf(model, row));
  if (!isClass) return [figure(sums[0]), null];
  const scores = sums.length > 1 ? sums : [0, sums[0]];
  const most = Math.max(...scores), shares = scores.map((score) => Math.exp(score - most));
  const code = scores.indexOf(most);
  return [`${facts.classes[code]}, probability ${figure(shares[code] / shares.reduce((a, b) => a + b, 0), 3)}`, code];
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
  const costWords = costs ? figures(shown.map((code) => costs[code]), 4) : null;
  const rows = shown.map((code, place) => [
    [styled(el("span", { class: "dot" }), { background: colourOf(code) }), "\u00a0", facts.classes[code]],
    figure(stats[code]),
    percent(scaled[code] / total),
    ...(costs ? [costWords[place]] : []),
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
  const whole = nodes.whole_question[node];
  const parts = [
    el("h3", {}, "Split"),
    el("p", {}, el("strong", {}, nodes.question[node]), el("br"), el("span", { class: "soft" }, `gain ${figure(nodes.gain[node])}; a row with a missing value ${missing}`)),
    whole ? el("details", {}, el("summary", {}, "All levels"), el("p", {}, whole)) : null,
  ].filter(Boolean);
  const rivals = facts.rivals && facts.rivals[node];
  if (rivals && rivals.length) {
    const best = rivals[0][2] || 1;
    parts.push(el("h3", {}, "Best split of each column"), el("p", { class: "soft" }, facts.given.learned ? "Computed from the training set." : "Computed from the table given."));
    const close = new Set((facts.stability && facts.stability.ties[node]) || []);
    const values = figures(rivals.map((rival) => rival[2]), 3);
    const rows = rivals.map(([column, words, value, chosen, same], place) => [
      [words, chosen ? [" ", el("span", { class: "tag" }, same ? "chosen" : "column chosen, other split")] : close.has(column) ? [" ", el("span", { class: "tag warn" }, "near tie")] : null],
      values[place],
      meter("", value / best, ""),
    ]);
    const made = table(["split", "value", ""], rows, { numbers: [1], label: "candidate splits of this node" });
    for (const each of made.querySelectorAll(".meter")) styled(each, { "grid-template-columns": "0 52px 0", gap: "0" });
    parts.push(made);
  }
  const alternatives = (name, lead, heads, stored) => {
    if (!stored || !stored.length) return;
    const [values, adjusted] = [1, 2].map((place) => figures(stored.map((each) => each[place]), 3));
    const rows = stored.map(([words], place) => [words, values[place], ...(heads.length > 2 ? [adjusted[place]] : [])]);
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
