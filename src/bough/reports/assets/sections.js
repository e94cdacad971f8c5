// The sections of the page. A section whose facts are missing is left out.
function section(id, name, lead, ...parts) {
  return el("section", { id, "aria-labelledby": id + "-name" }, el("h2", { id: id + "-name" }, name), typeof lead === "string" ? el("p", { class: "soft" }, lead) : lead, parts);
}

function treeSection() {
  view.canvas = el("div", { class: "canvas" });
  view.status = el("span", { class: "soft", role: "status" });
  view.details = el("div", { class: "details", role: "region", "aria-label": "selected node", "aria-live": "polite", tabindex: 0 });
  const button = (words, action, title) => el("button", { type: "button", title, onclick: () => { action(); drawTree(); } }, words);
  const deeper = () => {
    for (const node of [...view.order]) if (nodes.n[node]) view.open.add(node);
  };
  const legend = isClass
    ? el("div", { class: "legend" }, facts.classes.slice(0, 12).map((label, code) => el("span", {}, styled(el("span", { class: "dot" }), { background: colourOf(code) }), label)), facts.classes.length > 12 ? el("span", { class: "soft" }, `and ${facts.classes.length - 12} more classes`) : null)
    : el("div", { class: "legend" }, el("span", {}, styled(el("span", { class: "dot" }), { background: "var(--low)" }), figure(least)), el("span", {}, styled(el("span", { class: "dot" }), { background: "var(--high)" }), figure(greatest)));
  const fit = (least = 0.15) => { view.zoom = Math.min(1.15, Math.max(least, (view.canvas.clientWidth - 4) / view.size[0])); };
  const tools = el(
    "div",
    { class: "bar-of-tools" },
    button("Unfold a level", deeper, "Show the children of all visible nodes"),
    button("Unfold all", () => nodes.n.forEach((n, node) => n && view.open.add(node)), "Show every node"),
    button("Fold", () => openHeaviest(8), "Show only the top of the tree"),
    button("Rotate", () => { view.across = !isAcross(view.breadth); drawTree(); fit(); }, "Switch between top-down and left-to-right"),
    button("Fit", () => fit(), "Fit the width"),
    el("button", { type: "button", "aria-label": "Zoom out", onclick: () => { view.zoom = Math.max(0.15, view.zoom / 1.25); drawTree(); } }, "−"),
    el("button", { type: "button", "aria-label": "Zoom in", onclick: () => { view.zoom = Math.min(3, view.zoom * 1.25); drawTree(); } }, "+"),
    view.status,
    el("span", { class: "push" }),
    legend,
  );
  view.fit = fit;
  return section("tree", "Tree", rootOnlyPart() || "Click a node for its statistics; double-click it, or press its round button, to fold it. Arrow keys move between nodes.", tools, el("div", { class: "split" }, view.canvas, view.details));
}

// Why pruning left only the root, the errors of the larger trees, and what helps.
function rootOnlyPart() {
  const found = facts.root_only;
  if (!found) return null;
  const path = found.path
    ? [el("h3", {}, "Errors of the trees that pruning chose from, as fractions of the root's"), el("div", { class: "scroll" }, table(found.columns, found.path.map((row) => row.map((cell) => figure(cell))), { numbers: [0, 1, 2, 3], label: "errors of the pruned trees" }))]
    : null;
  return el("div", { id: "root-only" }, el("p", { class: "note" }, found.reason), path, el("h3", {}, "What may help"), el("ul", {}, found.helpful.map((each) => el("li", {}, each))));
}

function lossTable(labels, matrix) {
  const rows = matrix.map((row, code) => [labels[code], ...row.map((cost) => figure(cost))]);
  return styled(el("div", { class: "scroll" }, table(["true \\ answer", ...labels], rows, { numbers: labels.map((_, place) => place + 1), label: "costs of errors" })), { "max-width": `${12 + 8 * labels.length}rem` });
}

function costsSection() {
  const costs = facts.costs;
  if (!costs) return null;
  const parts = facts.classes.length <= 12 ? lossTable(facts.classes, costs.matrix) : null;
  return section("costs", "Costs of errors", costs.words, parts, el("p", { class: "soft" }, "The tree predicts the class of least expected cost. Each node and rule shows the expected cost per case of every answer."));
}

function performanceSection() {
  const found = facts.judged;
  if (!found) return null;
  const rows = found.measures.map(([name, value, error, baseline], place) => {
    const cell = (number) => (number === null ? "" : figure(number, 4, found.decimals[place]));
    return [name, value === null ? "infinite" : cell(value), error === null ? "" : "± " + cell(error), cell(baseline)];
  });
  const parts = [el("div", { class: "scroll" }, table(["measure", "value", "standard error", "baseline"], rows, { numbers: [1, 2, 3], label: "measures" }))];
  if (found.confusion) parts.push(el("div", {}, el("h3", {}, "Confusion matrix"), confusionTable(found.confusion)));
  if (found.numbers) parts.push(el("div", {}, el("h3", {}, "Observed against predicted"), numbersChart(found.numbers)));
  const body = [(found.notes || []).map((note) => el("p", { class: "note" }, note)), el("div", { class: "flow roomy" }, parts)];
  if (found.curves && found.curves.length) body.push(curvesPart(found.curves));
  return section("judged", "Performance", `Evaluated on ${plural(found.n_rows, "row")} ${found.rows}. The baseline is a constant prediction, the best for these rows.`, body);
}

function confusionTable(confusion) {
  const totals = confusion.counts.map((row) => row.reduce((a, b) => a + b, 0));
  const rows = confusion.counts.map((row, i) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, confusion.classes[i]),
      row.map((count, j) => {
        const share = totals[i] ? count / totals[i] : 0;
        const tint = `color-mix(in oklab, var(${i === j ? "--accent" : "--c1"}) ${(share * 55).toFixed(0)}%, var(--card))`;
        return styled(el("td", { title: `${percent(share)} of ${confusion.classes[i]}` }, figure(count)), { background: tint });
      }),
      el("td", {}, percent(confusion.recall[i])),
      el("td", {}, percent(confusion.precision[i])),
    ),
  );
  const head = [el("td", {}, "true \\ predicted"), confusion.classes.map((label) => el("th", { scope: "col", class: "number" }, label)), el("th", { scope: "col" }, "recall"), el("th", { scope: "col" }, "precision")];
  return el("div", { class: "scroll" }, el("table", { class: "confusion", "aria-label": "confusion matrix" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
}

function curvesPart(curves) {
  const holder = el("div", { class: "flow" });
  const lift = el("div", { class: "scroll" });
  const draw = (which) => {
    const shown = which < 0 ? curves : [curves[which]];
    const roc = frame("ROC curve: " + shown.map((each) => `${each.label} area ${each.area.toFixed(3)}`).join(", "), "false positive rate", "true positive rate");
    const gains = frame("Gains curve", "share of rows, by falling probability", "true positive rate");
    const calibration = frame("Calibration curve", "predicted probability", "observed share");
    [roc, gains, calibration].forEach(drawChance);
    for (const each of shown) {
      const colour = colourOf(each.code);
      drawCurve(roc, each.roc[0], each.roc[1], colour);
      drawCurve(gains, each.gains[0], each.gains[1], colour);
      const [predicted, observed, error] = each.calibration;
      predicted.forEach((value, i) => {
        const [x, low, high] = [calibration.x(value), Math.max(0, observed[i] - error[i]), Math.min(1, observed[i] + error[i])];
        calibration.picture.append(styled(svg("line", { x1: x, x2: x, y1: calibration.y(low), y2: calibration.y(high), "stroke-width": 1.6 }), { stroke: colour }));
        calibration.picture.append(styled(svg("circle", { cx: x, cy: calibration.y(observed[i]), r: 4 }), { fill: colour }));
      });
    }
    const lifts = shown.map((each) => [each.label, `${each.area.toFixed(3)} ± ${each.area_error.toFixed(3)}`, ...each.top.map(([, found, lift]) => `${percent(found)}, ${lift.toFixed(2)}×`)]);
    holder.replaceChildren(
      el("div", {}, el("h3", {}, "ROC"), roc.picture),
      el("div", {}, el("h3", {}, "Gains"), gains.picture),
      el("div", {}, el("h3", {}, "Calibration"), calibration.picture),
    );
    lift.replaceChildren(el("h3", {}, "True positive rate and lift among the most probable rows"), table(["class", "area under ROC", "top 10%", "top 20%", "top 50%"], lifts, { numbers: [1, 2, 3, 4], label: "gains and lift" }));
  };
  const first = curves.length === 2 ? 1 : -1;
  const choice = el("select", { "aria-label": "class of the curves", onchange: (event) => draw(Number(event.target.value)) }, el("option", { value: -1 }, "every class against the rest"), curves.map((each, i) => el("option", { value: i, selected: i === first }, cut(each.label, 40) + " against the rest")));
  draw(first);
  return el("div", {}, el("div", { class: "bar-of-tools" }, el("label", {}, "Curves of ", choice)), holder, lift);
}

function numbersChart(groups) {
  const all = groups.flatMap((group) => group.slice(0, 6));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const chart = frame("Quantiles of the observed values for each prediction", "predicted value", "observed: median, 50 % and 90 % of rows", [low, high, low, high]);
  chart.picture.append(svg("line", { class: "chance", x1: chart.x(low), y1: chart.y(low), x2: chart.x(high), y2: chart.y(high) }));
  for (const [answer, q05, q25, q50, q75, q95, rows] of groups) {
    const x = chart.x(answer);
    const line = (a, b, width, colour) => chart.picture.append(styled(svg("line", { x1: x, x2: x, y1: chart.y(a), y2: chart.y(b), "stroke-width": width, "stroke-linecap": "round" }, svg("title", {}, `${figure(answer)}: ${plural(rows, "row")}`)), { stroke: colour }));
    line(q05, q95, 1.5, "var(--soft)");
    line(q25, q75, 7, "var(--c0)");
    chart.picture.append(styled(svg("circle", { cx: x, cy: chart.y(q50), r: 3 }), { fill: "var(--card)", stroke: "var(--ink)" }));
  }
  return chart.picture;
}

function importanceSection() {
  const used = facts.columns.map((column, place) => ({ column, place })).filter(({ column }) => column.importance > 0).sort((a, b) => b.column.importance - a.column.importance);
  if (!used.length) return null;
  const most = used[0].column.importance;
  const words = ({ importance, importance_error: error }) => percent(importance) + (error ? ` ± ${percent(error)}` : "");
  const shown = used.slice(0, 25).map(({ column }) => meter(column.short, column.importance / most, words(column)));
  const rest = used.length > 25 ? el("p", { class: "soft" }, `and ${used.length - 25} more columns`) : null;
  return section("importance", "Importance", `Share of each column in ${facts.importance_of ?? "the total gain of all splits"}. A column that is correlated with another may be informative without being used.`, meters(shown), rest);
}

// The names of the levels, in the order of the bars.
const levelsOf = (column) => (column.order ? column.order.map((code) => column.levels[code]).filter((level) => level !== undefined) : column.levels);

function columnsSection() {
  const known = facts.columns.some((column) => column.missing !== undefined);
  const rows = facts.columns.slice(0, 500).map((column) => [
    el("div", { class: "long" }, column.name),
    column.scale,
    column.scale === "numeric" ? [column.range || "", column.mean ? el("div", { class: "soft" }, "mean " + column.mean) : null] : el("div", { class: "long" }, `${plural(column.n_levels, "level")}: ` + levelsOf(column).slice(0, 12).join(", ") + (column.n_levels > 12 ? ", …" : "")),
    known && column.bars && column.bars.length ? bars(column.bars, { label: `distribution of ${cut(column.short, 60)}`, colour: column.scale === "numeric" ? "var(--c0)" : "var(--c4)" }) : "",
    column.missing === undefined ? "" : column.missing ? figure(column.missing) : "0",
    ...(facts.nodes ? [figure(column.splits)] : []),
  ]);
  const more = facts.columns.length > 500 ? el("p", { class: "soft" }, `and ${facts.columns.length - 500} more columns`) : null;
  return section("columns", "Columns", `The ${facts.nodes ? "tree was grown" : "model was fitted"} from ${plural(facts.columns.length, "column")}.`, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "columns" }, table(["name", "scale", "values", "distribution", "missing", ...(facts.nodes ? ["splits"] : [])], rows, { numbers: [4, 5], label: "columns" })), more);
}

function missingSection() {
  const missing = facts.missing;
  if (!missing) return null;
  if (!missing.columns.length) return section("missing", "Missing values", "The table has no missing values.");
  const lost = 1 - missing.complete / missing.rows;
  const shares = [...missing.columns].sort((a, b) => b[1] - a[1]).slice(0, 25).map(([place, n]) => meter(facts.columns[place].short, n / missing.rows, percent(n / missing.rows), "var(--c1)"));
  const rows = missing.patterns.map(([n, places]) => [places.length ? places.map((place) => facts.columns[place].short).join(", ") : "none", figure(n), percent(n / missing.rows)]);
  return section(
    "missing", "Missing values",
    `${figure(missing.complete)} of ${plural(missing.rows, "row")} are complete; complete-case analysis would lose ${percent(lost)}. All rows are used.`,
    el("div", { class: "flow" }, el("div", {}, el("h3", {}, "Share missing"), meters(shares)), el("div", {}, el("h3", {}, "Patterns of missing values"), table(["missing", "rows", "share"], rows, { numbers: [1, 2], label: "patterns of missing values" }))),
    missing.explanations.length ? [el("h3", {}, "Kind of missingness"), el("ul", {}, missing.explanations.map((each) => el("li", {}, each)))] : null,
    el("p", { class: "note" }, "Whether values are missing not at random cannot be determined from the table."),
  );
}

function stabilitySection() {
  const found = facts.stability;
  if (!found) return null;
  const [low, middle, high] = found.leaves;
  const inner = nodes.n.map((n, node) => node).filter((node) => nodes.n[node]).slice(0, 15);
  const returns = inner.map((node) => meter(`${node}: ${nodes.question[node]}`, found.returns[node], percent(found.returns[node])));
  const roots = found.roots.slice(0, 8).map(([name, share]) => meter(name, share, percent(share), "var(--c4)"));
  const ties = Object.keys(found.ties).length;
  const agreement = isClass
    ? `${percent(found.agreement)} of the predictions of ${found.draws} trees grown from bootstrap samples equal those of this tree.`
    : `The agreement of ${found.draws} trees grown from bootstrap samples with this tree is ${percent(found.agreement)}: 1 minus the variance of predictions among trees, divided by the variance among rows.`;
  return section(
    "stability", "Stability",
    `${agreement} They have ${low} to ${high} leaves (median ${figure(middle)}); this tree has ${facts.rules.length}.`,
    ties ? el("p", { class: "note" }, `${plural(ties, "node is a near tie", "nodes are near ties")}: the best split of another column is within ${percent(found.margin)} of the best. A slightly different sample could change the split.`) : null,
    el(
      "div", { class: "flow" },
      el("div", {}, el("h3", {}, "How often each split recurs"), meters(returns)),
      el("div", {}, el("h3", {}, "Column of the root's split"), meters(roots)),
      el("div", {}, el("h3", {}, isClass ? "Rows by share of different predictions" : "Rows by standard deviation of the predictions"), bars(found.rows[0], { width: 320, height: 90, label: "rows by variation", colour: "var(--c0)" }), el("div", { class: "soft" }, `from ${figure(found.rows[1][0])} to ${figure(found.rows[1][found.rows[1].length - 1], 3)}`)),
    ),
  );
}

function makingSection() {
  const recipe = el("details", {}, el("summary", {}, "The recipe, by which the model can be made again"), table(["entry", "value"], facts.recipe, { label: "recipe" }));
  return section("making", "How it was made", "The learner and its settings, the rows, the versions and the source.", table(["", ""], facts.making, { label: "how it was made" }), facts.recipe.length ? recipe : null);
}
