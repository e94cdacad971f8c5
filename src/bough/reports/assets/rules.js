// The table of rules, which can be sorted and searched; a click on a rule selects its leaf in the tree.
const MOST_RULES = 1000;
const ruleView = { key: null, falling: true, words: "" };

function ruleText(rule) {
  return `${rule[1].join(" and ")} ${rule[2]}`.toLowerCase();
}

function rulesSection() {
  const heads = [["#", 0], ["If", 1], ["Then", 2], ["Cases", 3], ["Share", 4], [isClass ? "Confidence" : "Deviation", 5], ...(facts.costs ? [["Cost of each answer", 6]] : [])];
  ruleView.body = el("tbody", {});
  ruleView.count = el("span", { class: "soft", role: "status" });
  ruleView.heads = heads.map(([name, key]) =>
    el("th", { scope: "col", class: key > 2 ? "number" : null, "aria-sort": "none" }, el("button", { type: "button", onclick: () => sortRules(key) }, name)),
  );
  const search = el("input", {
    type: "search", id: "search", placeholder: "Search the rules", "aria-label": "Search the rules",
    oninput: (event) => { ruleView.words = event.target.value.toLowerCase(); drawRules(); },
  });
  const made = el("table", { "aria-label": "rules" }, el("thead", {}, el("tr", {}, ruleView.heads)), ruleView.body);
  drawRules();
  return section("rules", "Rules", `The tree is equivalent to ${plural(facts.rules.length, "rule")}, one for each leaf.`, el("div", { class: "bar-of-tools" }, search, ruleView.count), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "rules" }, made));
}

function sortRules(key) {
  ruleView.falling = ruleView.key === key ? !ruleView.falling : key > 2;
  ruleView.key = key;
  ruleView.heads.forEach((head, place) => head.setAttribute("aria-sort", place === key ? (ruleView.falling ? "descending" : "ascending") : "none"));
  drawRules();
}

function drawRules() {
  const wanted = ruleView.words.split(/\s+/).filter(Boolean);
  let kept = facts.rules.map((rule, place) => ({ rule, place })).filter(({ rule }) => wanted.every((word) => ruleText(rule).includes(word)));
  const key = ruleView.key;
  if (key !== null) {
    const value = ({ rule, place }) => (key === 0 ? place : key === 1 ? rule[1].join(" and ") : key === 2 && !isClass ? nodes.value[rule[0]] : rule[key]);
    const sign = ruleView.falling ? -1 : 1;
    kept.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return sign * (typeof x === "string" ? x.localeCompare(y) : (x ?? -Infinity) - (y ?? -Infinity)) || a.place - b.place;
    });
  }
  const found = kept.length;
  kept = kept.slice(0, MOST_RULES);
  ruleView.body.replaceChildren(...kept.map(ruleRow));
  ruleView.count.textContent = found === facts.rules.length && found <= MOST_RULES ? plural(found, "rule") : `${kept.length} of ${plural(facts.rules.length, "rule")}`;
  markRule(view.selected);
}

function ruleRow({ rule: [leaf, conditions, answer, cases, share, sure, , costs], place }) {
  const premise = conditions.length ? conditions.map((each, i) => [i ? el("span", { class: "and" }, "and") : null, each]) : "always";
  const go = () => { select(leaf, false); document.getElementById("tree").scrollIntoView(); focusOn(leaf); };
  return el(
    "tr",
    { class: "pick", "data-leaf": leaf, onclick: go },
    el("td", {}, el("button", { type: "button", title: `Show node ${leaf} in the tree`, onclick: (event) => { event.stopPropagation(); go(); } }, `R${place + 1}`)),
    el("td", { "data-label": "If" }, premise),
    el("td", { "data-label": "Then" }, styled(el("span", { class: "dot" }), { background: answerColour(leaf) }), " ", el("span", { class: isClass || facts.models ? null : "nowrap" }, answer)),
    el("td", { class: "number", "data-label": "Cases" }, figure(cases)),
    el("td", { class: "number", "data-label": "Share" }, percent(share)),
    el("td", { class: "number", "data-label": isClass ? "Confidence" : "Deviation" }, isClass ? (sure === null ? "–" : `${percent(sure)}${facts.class_scale ? " under the priors" : ""} (${rightOf(leaf)})`) : figure(sure)),
    costs ? el("td", { class: "number", "data-label": "Cost of each answer" }, costs) : null,
  );
}

function markRule(node) {
  if (!ruleView.body) return;
  for (const row of ruleView.body.children) row.classList.toggle("on", Number(row.dataset.leaf) === node);
}
