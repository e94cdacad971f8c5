// The form that predicts a case: the values entered are routed down the tree as by the model.
// A value is a number or the code of a level; null is missing, and so is a level unknown to the tree (-1).
function branchOf([column, cut, below, codes, branches, turned], value) {
  if (value === null || value === undefined || Number.isNaN(value)) return -1;
  if (facts.columns[column].scale !== "numeric" && value < 0) return -1;
  let branch;
  if (Array.isArray(cut)) {
    branch = cut.filter((at) => value >= numberFrom(at)).length;
  } else if (cut !== null) {
    const at = numberFrom(cut);
    branch = value > at || (value === at && !below) ? 1 : 0;
  } else {
    const place = codes.indexOf(value);
    branch = place < 0 ? -1 : branches[place];
  }
  return turned && branch >= 0 ? 1 - branch : branch;
}

// JSON has no infinities: they are text.
function numberFrom(cut) {
  return cut === "inf" ? Infinity : cut === "-inf" ? -Infinity : cut;
}

// The steps of a row down the tree: each node with the branch that its split takes (-1 if the split cannot route the
// row), the surrogate that routes the row instead (0 is the first, -1 none), its branch, and the next node (-1: it stays).
function steps(row) {
  const taken = [];
  let node = 0;
  while (node >= 0 && nodes.n[node]) {
    const branches = facts.walk[node].map((split) => branchOf(split, row[split[0]]));
    // The primary split comes first, then the surrogates.
    const by = branches.findIndex((branch) => branch >= 0);
    const next = by < 0 ? nodes.missing_to[node] : nodes.first[node] + branches[by];
    taken.push({ node, routed: by === 0, surrogate: by - 1, branch: branches[by], next });
    node = next;
  }
  return taken;
}

function walk(row) {
  const last = steps(row).pop();
  return last ? (last.next < 0 ? last.node : last.next) : 0;
}

// The path of a row in the words of Tree.path_of: a condition, or that the value is missing and what was done instead.
function pathWords(row) {
  return steps(row).map(({ node, routed, surrogate, branch, next }) => {
    if (routed) return conditionFor(next, row);
    const [name, others] = facts.walk_words[node];
    // A branch for missing values alone.
    if (next >= 0 && nodes.condition[next] === `${name} is missing`) return nodes.condition[next];
    const by = surrogate >= 0 ? ` but ${others[surrogate][branch]}` : "";
    return `${name} is missing or new here${by}, ` + (next < 0 ? "so the row stays" : `so as if ${nodes.condition[next]}`);
  });
}

// A column of dates, times or durations holds numbers: days for dates, else microseconds.
const INPUT_OF_UNIT = { date: "date", datetime: "datetime-local", datetime_utc: "datetime-local", time: "time" };
const HINT_OF_UNIT = { datetime_utc: "in UTC", duration: "in seconds" };

function numberOf(text, unit) {
  if (unit === "date") return Date.parse(text + "T00:00Z") / 86400000;
  if (unit === "time") return Date.parse("1970-01-01T" + text + "Z") * 1000;
  if (unit === "datetime" || unit === "datetime_utc") return Date.parse(text + "Z") * 1000;
  return unit === "duration" ? Number(text) * 1000000 : Number(text);
}

// The condition of a node in words that are true of the row: between the printed number and the cut, the cut is shown.
function conditionFor(node, row) {
  const words = nodes.condition[node], [column, cut, below] = facts.walk[nodes.parent[node]][0], value = row[column];
  if (Array.isArray(cut)) return intervalFor(node, cut, value);
  const end = words.lastIndexOf(" ") + 1, printed = Number(words.slice(end));
  if (facts.columns[column].scale !== "numeric" || typeof cut !== "number" || value === null || Number.isNaN(printed)) return words;
  const first = (at) => value < at || (below && value === at);
  return first(printed) === first(cut) ? words : words.slice(0, end) + cut;
}

// The same for an interval, which has one or two bounds.
function intervalFor(node, cuts, value) {
  const words = nodes.condition[node].split(" "), branch = node - nodes.first[nodes.parent[node]];
  const low = cuts[branch - 1], high = cuts[branch], last = words.length - 1;
  const at = high === undefined ? last : 0;
  if (low !== undefined && value < Number(words[at])) words[at] = low;
  if (high !== undefined && value >= Number(words[last])) words[last] = high;
  return words.join(" ");
}

function predictSection() {
  if (!facts.walk || (!nodes.n[0] && !facts.models)) return null;
  const inTerms = (facts.models ? facts.models.by_node : []).filter(Boolean).flat().flatMap(([, terms]) => terms.map((term) => term[0]));
  const used = [...new Set([...facts.walk.flat().map((split) => split[0]), ...inTerms])].sort((a, b) => a - b);
  if (used.length > 60) return null;
  const inputs = new Map();
  const form = el("form", { class: "ask", onsubmit: (event) => event.preventDefault(), oninput: () => answer() });
  for (const place of used) {
    const column = facts.columns[place];
    const few = column.scale !== "numeric" && column.n_levels <= column.levels.length;
    const input = few
      ? el("select", {}, el("option", { value: "" }, "missing"), column.levels.map((words, code) => el("option", { value: code }, cut(words, 60))))
      : el("input", { type: INPUT_OF_UNIT[column.unit] || "number", step: column.unit === "date" ? null : "any", placeholder: "missing", disabled: column.scale !== "numeric" });
    input.title = HINT_OF_UNIT[column.unit] || "";
    inputs.set(place, input);
    form.append(el("label", {}, el("span", { title: column.short }, column.short), input));
  }
  const said = el("div", { role: "status", "aria-live": "polite" }, el("span", { class: "soft" }, "No values are entered yet."));
  function answer() {
    const row = {};
    for (const [place, input] of inputs) row[place] = input.value === "" ? null : numberOf(input.value, facts.columns[place].unit);
    const node = walk(row);
    view.walked = new Set(pathTo(node));
    select(node, false);
    const byModel = modelAnswer(node, row);
    const colour = byModel && byModel[1] !== null ? colourOf(byModel[1]) : answerColour(node);
    said.replaceChildren(
      el("div", { class: "big" }, styled(el("span", { class: "dot" }), { background: colour }), " ", byModel === null ? nodes.answer[node] : byModel[0]),
      el("div", { class: "soft" }, `${sureWords(node)}; node ${node}`),
      el("ol", { class: "path" }, pathWords(row).map((words) => el("li", {}, words))),
    );
  }
  return section("ask", "Predict a case", "Enter the known values of a case; empty fields are missing values. Its path is highlighted in the tree.", form, el("h3", {}, "Prediction"), said);
}
