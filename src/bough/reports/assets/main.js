// Assemble the page.
function themeButton() {
  const dark = () => document.documentElement.dataset.theme === "dark";
  const button = el("button", { type: "button", id: "theme", onclick: () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; say(); } });
  const say = () => { button.textContent = dark() ? "Light" : "Dark"; button.title = `Switch to the ${dark() ? "light" : "dark"} theme`; };
  say();
  return button;
}

function main() {
  const wanted = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => { document.documentElement.dataset.theme = wanted.matches ? "dark" : "light"; };
  follow();
  wanted.addEventListener("change", follow);
  if (facts.nodes) openHeaviest(facts.rules.length <= 16 ? 16 : 10);
  const parts = facts.nodes
    ? [treeSection, costsSection, performanceSection, rulesSection, importanceSection, stabilitySection, predictSection, missingSection, columnsSection, makingSection]
    : [performanceSection, errorsSection, rulesListSection, importanceSection, dependenceSection, missingSection, columnsSection, makingSection];
  const sections = parts.map((part) => part()).filter(Boolean);
  const tiles = facts.tiles.map((tile, i) => el("div", { class: i === 0 && facts.judged ? "tile first" : "tile" }, el("div", { class: "label" }, tile.label), el("div", { class: "value" }, tile.value), el("div", { class: "about" }, tile.note)));
  const links = sections.map((each) => el("a", { href: "#" + each.id }, each.querySelector("h2").textContent));
  const page = document.getElementById("page");
  page.append(
    el("header", { class: "top wide" }, el("h1", {}, facts.title), el("p", { class: "soft" }, facts.headline), facts.warnings.map((text) => el("p", { class: "warning", role: "note" }, text))),
    el("nav", { "aria-label": "sections" }, el("div", { class: "wide" }, links, el("span", { class: "push" }), themeButton())),
    el("div", { class: "wide" }, el("div", { class: "tiles" }, tiles), sections, el("footer", {}, `Created with bough ${facts.version}. This page is self-contained and makes no network requests.`)),
  );
  if (facts.nodes) showTree();
  document.documentElement.dataset.ready = "yes";
}

function showTree() {
  drawTree();
  view.fit(0.72);
  drawTree();
  showDetails(0);
  window.bough = { walk, path: pathWords, answer: (row) => nodes.answer[walk(row)], value: (row) => nodes.value[walk(row)], state: () => ({ selected: view.selected, shown: view.order.length, open: [...view.open] }) };
}
main();
