// Sections of models that are not one tree: errors against trees, rules as a table, partial dependence.
function errorsSection() {
  const series = facts.curves_of_errors;
  if (!series || !series.length) return null;
  const all = series.flatMap((each) => each.error);
  const last = Math.max(...series.map((each) => each.trees[each.trees.length - 1]));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = 0.05 * (high - low || Math.abs(high) || 1);
  const chart = frame("Error against the number of trees", "trees", "error", [1, Math.max(last, 2), Math.max(0, low - room), high + room]);
  series.forEach((each, place) => drawCurve(chart, each.trees, each.error, `var(--c${place})`));
  const legend = el("div", { class: "legend" }, series.map((each, place) => el("span", {}, styled(el("span", { class: "dot" }), { background: `var(--c${place})` }), `${each.rows}: ${figure(each.error[each.error.length - 1])} after ${plural(each.trees[each.trees.length - 1], "tree")}`)));
  return section("errors", "Error against trees", "The error after each tree. A curve that still falls at its end says that more trees may help; one that rises, that there are too many.", legend, chart.picture);
}

function rulesListSection() {
  const rules = facts.rules_listed;
  if (!rules) return null;
  const rows = rules.map(([premise, answer, cases, confidence], place) => [`R${place + 1}`, premise, answer, cases, confidence]);
  if (facts.rules_default) rows.push(["", "no rule applies", facts.rules_default, "", ""]);
  return section("rules", "Rules", `${plural(rules.length, "rule")}, in their order.`, el("div", { class: "scroll" }, table(["", "if", "then", "cases", facts.rules_measure || (isClass ? "confidence" : "deviation")], rows, { numbers: [3, 4], label: "rules" })));
}

function dependenceSection() {
  const found = facts.dependence;
  if (!found || !found.length) return null;
  const lead = "The mean prediction over a sample of the rows if the column had this value in all of them and the other columns stayed as they are.";
  const several = isClass && facts.classes.length > 2;
  const legend = several
    ? el("div", { class: "legend" }, facts.classes.slice(0, 8).map((label, code) => el("span", {}, styled(el("span", { class: "dot" }), { background: colourOf(code) }), label)))
    : null;
  return section("dependence", "Partial dependence", lead, legend, el("div", { class: "flow" }, found.map(dependenceChart)));
}

function dependenceChart(found) {
  const column = facts.columns[found.column];
  // Of two classes the second is shown.
  const shown = !isClass ? [0] : facts.classes.length === 2 ? [1] : found.means.map((_, code) => code).slice(0, 8);
  const name = isClass ? (facts.classes.length === 2 ? `probability of ${facts.classes[1]}` : "probability") : facts.target;
  const head = el("h3", {}, column.short);
  const all = shown.flatMap((code) => found.means[code]);
  if (found.is_number) {
    const [low, high] = isClass ? [0, 1] : [Math.min(...all), Math.max(...all)];
    const chart = frame(`${name} by ${column.short}`, cut(column.short, 40), cut(name, 40), [found.values[0], found.values[found.values.length - 1], low, high]);
    shown.forEach((code) => drawCurve(chart, found.values, found.means[code], colourOf(code)));
    return el("div", {}, head, chart.picture);
  }
  const most = isClass ? 1 : Math.max(...all.map(Math.abs)) || 1;
  const decimals = decimalsOf(all, 3);
  const written = (mean) => figure(mean, 3, decimals);
  const rows = found.words.map((word, place) => shown.map((code) => meter(shown.length > 1 ? `${word}: ${facts.classes[code]}` : word, Math.abs(found.means[code][place]) / most, written(found.means[code][place]), colourOf(code))));
  return el("div", {}, head, el("p", { class: "soft" }, name), meters(rows));
}
