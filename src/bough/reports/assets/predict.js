// The form that predicts a case: the values entered are routed down the tree as by the model.
// A value is a number or the code of a level; null is missing, and so is a level unknown to the tree (-1).
function branchOf([column, cut, below, codes, branches, turned], value) {
  if (value === null || value === undefined || Number.isNaN(value)) return -1;
  if (facts.columns[column].scale !== "numeric" && value < 0) return -1;
  let branch;
  if (cut !== null) {
    const at = cut === "inf" ? Infinity : cut === "-inf" ? -Infinity : cut;
    branch = value > at || (value === at && !below) ? 1 : 0;
  } else {
    const place = codes.indexOf(value);
    branch = place < 0 ? -1 : branches[place];
  }
  return turned && branch >= 0 ? 1 - branch : branch;
}

function walk(row) {
  let node = 0;
  while (nodes.n[node]) {
    let branch = -1;
    // The primary split comes first, then the surrogates.
    for (const split of facts.walk[node]) {
      branch = branchOf(split, row[split[0]]);
      if (branch >= 0) break;
    }
    const next = branch < 0 ? nodes.missing_to[node] : nodes.first[node] + branch;
    if (next < 0) break;
    node = next;
  }
  return node;
}

// The condition of a node in words that are true of the row: between the printed number and the cut, the cut is shown.
function conditionFor(node, row) {
  const words = nodes.condition[node], [column, cut, below] = facts.walk[nodes.parent[node]][0];
  const end = words.lastIndexOf(" ") + 1, printed = Number(words.slice(end)), value = row[column];
  if (facts.columns[column].scale !== "numeric" || typeof cut !== "number" || value === null || Number.isNaN(printed)) return words;
  const first = (at) => value < at || (below && value === at);
  return first(printed) === first(cut) ? words : words.slice(0, end) + cut;
}

function predictSection() {
  if (!facts.walk || !nodes.n[0]) return null;
  const used = [...new Set(facts.walk.flat().map((split) => split[0]))].sort((a, b) => a - b);
  if (used.length > 60) return null;
  const inputs = new Map();
  const form = el("form", { class: "ask", onsubmit: (event) => event.preventDefault(), oninput: () => answer() });
  for (const place of used) {
    const column = facts.columns[place];
    const few = column.scale !== "numeric" && column.n_levels <= column.levels.length;
    const input = few
      ? el("select", {}, el("option", { value: "" }, "missing"), column.levels.map((words, code) => el("option", { value: code }, cut(words, 60))))
      : el("input", { type: "number", step: "any", placeholder: "missing", disabled: column.scale !== "numeric" });
    inputs.set(place, input);
    form.append(el("label", {}, el("span", { title: column.short }, column.short), input));
  }
  const said = el("div", { role: "status", "aria-live": "polite" }, el("span", { class: "soft" }, "No values are entered yet."));
  function answer() {
    const row = {};
    for (const [place, input] of inputs) row[place] = input.value === "" ? null : Number(input.value);
    const node = walk(row);
    view.walked = new Set(pathTo(node));
    select(node, false);
    said.replaceChildren(
      el("div", { class: "big" }, styled(el("span", { class: "dot" }), { background: answerColour(node) }), " ", nodes.answer[node]),
      el("div", { class: "soft" }, `${sureWords(node)}; node ${node}`),
      el("ol", { class: "path" }, pathTo(node).slice(1).map((each) => el("li", {}, conditionFor(each, row)))),
    );
  }
  return section("ask", "Predict a case", "Enter the known values of a case; empty fields are missing values. Its path is highlighted in the tree.", form, el("h3", {}, "Prediction"), said);
}
