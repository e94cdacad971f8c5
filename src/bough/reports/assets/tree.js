// The diagram of the tree: nodes can be folded, and the arrow keys move between them.
const nodes = facts.nodes;
const childrenOf = (node) => (nodes.n[node] ? Array.from({ length: nodes.n[node] }, (_, i) => nodes.first[node] + i) : []);
const shareOf = (node) => (nodes.weight[0] ? nodes.weight[node] / nodes.weight[0] : 0);
function pathTo(node) {
  const path = [node];
  while (path[0]) path.unshift(nodes.parent[path[0]]);
  return path;
}

const view = { open: new Set(), selected: 0, walked: new Set(), across: null, zoom: 1, places: new Map() };
const SIZES = {
  down: { width: 138, height: 66, gap: 12, step: 118 },
  across: { width: 150, height: 44, gap: 9, step: 268 },
  close: { width: 140, height: 24, gap: 4, step: 250 },
};

function openHeaviest(most) {
  view.open.clear();
  let leaves = 1;
  const frontier = [0];
  while (frontier.length) {
    frontier.sort((a, b) => nodes.weight[b] - nodes.weight[a] || a - b);
    const node = frontier.shift();
    if (nodes.n[node] && leaves + nodes.n[node] - 1 <= most) {
      view.open.add(node);
      leaves += nodes.n[node] - 1;
      frontier.push(...childrenOf(node));
    }
  }
  if (nodes.n[0]) view.open.add(0);
}

// The layout of Reingold and Tilford (1981): each parent is centred above its children, nodes of a level have at
// least the distance 1, and subtrees are as close as that allows. A contour holds the extent of a subtree by level.
function placed() {
  const order = [];
  const depth = new Map([[0, 0]]);
  const pending = [0];
  while (pending.length) {
    const node = pending.pop();
    order.push(node);
    if (!view.open.has(node)) continue;
    const below = childrenOf(node);
    for (const child of below) depth.set(child, depth.get(node) + 1);
    pending.push(...below.reverse());
  }
  const offset = new Map([[0, 0]]);
  const contours = new Map();
  for (const node of [...order].reverse()) {
    const all = { left: [], right: [] };
    const shifts = (view.open.has(node) ? childrenOf(node) : []).map((child, i) => {
      const own = contours.get(child);
      contours.delete(child);
      let shift = 0;
      own.left.forEach((left, d) => { if (i && d < all.right.length) shift = Math.max(shift, all.right[d] + 1 - left); });
      own.left.forEach((left, d) => {
        all.left[d] = d < all.left.length ? Math.min(all.left[d], left + shift) : left + shift;
        all.right[d] = d < all.right.length ? Math.max(all.right[d], own.right[d] + shift) : own.right[d] + shift;
      });
      return shift;
    });
    const middle = shifts.length ? (shifts[0] + shifts[shifts.length - 1]) / 2 : 0;
    shifts.forEach((shift, i) => offset.set(nodes.first[node] + i, shift - middle));
    contours.set(node, { left: [0, ...all.left.map((x) => x - middle)], right: [0, ...all.right.map((x) => x - middle)] });
  }
  const whole = contours.get(0);
  const place = new Map([[0, -Math.min(...whole.left)]]);
  for (const node of order) if (node) place.set(node, place.get(nodes.parent[node]) + offset.get(node));
  const leaves = order.filter((node) => !view.open.has(node)).length;
  return { order, place, depth, leaves, breadth: Math.max(...whole.right) - Math.min(...whole.left) + 1 };
}

function classBar(node, x, y, width, height) {
  const group = svg("g", {});
  const stats = nodes.stats[nodes.answered_by[node]];
  if (isClass) {
    const total = stats.reduce((a, b) => a + b, 0) || 1;
    let left = x;
    stats.forEach((weight, code) => {
      const part = (width * weight) / total;
      if (part > 0) group.append(styled(svg("rect", { x: left, y, width: part, height }), { fill: colourOf(code) }));
      left += part;
    });
    return group;
  }
  const shape = facts.given && facts.given.bars && facts.given.bars[node];
  if (shape && shape.some(Boolean)) {
    const most = Math.max(...shape);
    const step = width / shape.length;
    shape.forEach((count, i) => {
      const tall = (count / most) * (height + 8);
      if (count) group.append(styled(svg("rect", { x: x + i * step, y: y + height - tall, width: step - 0.8, height: tall }), { fill: answerColour(node) }));
    });
  } else {
    group.append(styled(svg("rect", { x, y: y + height / 2 - 1.5, width, height: 3, rx: 1.5 }), { fill: "var(--line)" }));
    group.append(styled(svg("circle", { cx: x + level(nodes.value[node]) * width, cy: y + height / 2, r: 4.5 }), { fill: "var(--high)" }));
  }
  return group;
}

function spoken(node) {
  const sure = isClass ? `, ${rightOf(node)} of this class` : "";
  const below = nodes.n[node] ? `; split ${nodes.question[node]}` : "; a leaf";
  return `${nodes.condition[node]}: ${nodes.answer[node]}, ${plural(nodes.cases[node], "case")}${sure}${below}`;
}

function card(node, size, box) {
  const { x, y } = box;
  const inner = nodes.n[node] > 0;
  const open = view.open.has(node);
  const group = svg("g", {
    class: view.walked.has(node) ? "node walked" : "node",
    role: "treeitem",
    tabindex: node === view.selected ? 0 : -1,
    "aria-level": pathTo(node).length,
    "aria-expanded": inner ? String(open) : null,
    "aria-selected": String(node === view.selected),
    "aria-label": spoken(node),
    "data-node": node,
    onclick: () => select(node),
    ondblclick: () => toggle(node),
  });
  group.append(svg("title", {}, `node ${node}: ${nodes.condition[node]}`));
  group.append(svg("rect", { class: "box", x, y, width: size.width, height: size.height, rx: size === SIZES.close ? 6 : 9 }));
  group.append(styled(svg("rect", { x: x + 1, y: y + 7, width: 4, height: size.height - 14, rx: 2 }), { fill: answerColour(node) }));
  const room = Math.floor((size.width - 30 - 6.6 * figure(nodes.cases[node]).length) / 7.8);
  const text = (dx, dy, attributes, words) => group.append(svg("text", { x: x + dx, y: y + dy, ...attributes }, words));
  if (size === SIZES.close) {
    text(11, 16.5, { "font-size": 11.5, "font-weight": 600 }, cut(nodes.answer[node], 9));
    text(size.width - 8, 16.5, { class: "soft", "text-anchor": "end", "font-size": 10.5 }, figure(nodes.cases[node]));
    group.append(classBar(node, x + size.width - 84, y + 8, 38, 8));
    return group;
  }
  text(12, 18, { "font-size": 13, "font-weight": 600 }, cut(nodes.answer[node], room));
  text(size.width - 9, 18, { class: "soft", "text-anchor": "end", "font-size": 11 }, figure(nodes.cases[node]));
  group.append(classBar(node, x + 12, y + 27, size.width - 21, 8));
  if (inner && size === SIZES.down) {
    text(12, 54, { "font-size": 11.5 }, cut(nodes.split_on[node] + " ?", 17));
  } else if (size === SIZES.down) {
    text(12, 54, { class: "soft", "font-size": 11 }, isClass ? `${rightOf(node)} (${percent(nodes.sure[node])})` : "± " + figure(nodes.sure[node], 3));
  }
  return group;
}

function foldButton(node, x, y) {
  const open = view.open.has(node);
  const hidden = open ? "" : "+";
  const group = svg("g", { class: "node fold", "data-fold": node, "aria-hidden": "true", onclick: (event) => { event.stopPropagation(); toggle(node); } });
  group.append(svg("circle", { cx: x, cy: y, r: 8.5 }), svg("text", { x, y: y + 4, "text-anchor": "middle", "font-size": 12 }, hidden || "−"));
  return group;
}

function edge(node, size, from, to) {
  const across = size !== SIZES.down;
  const [x0, y0] = across ? [from.x + size.width, from.y + size.height / 2] : [from.x + size.width / 2, from.y + size.height];
  const [x1, y1] = across ? [to.x, to.y + size.height / 2] : [to.x + size.width / 2, to.y];
  const bend = across ? 60 : 34;
  const d = across
    ? `M${x0},${y0} C${x0 + bend},${y0} ${x0 + bend - 20},${y1} ${x0 + bend + 26},${y1} L${x1},${y1}`
    : `M${x0},${y0} C${x0},${y0 + bend} ${x1},${y1 - bend} ${x1},${y1}`;
  const walked = view.walked.has(node);
  const path = svg("path", { class: walked ? "edge walked" : "edge", d, "stroke-width": (1.4 + (size === SIZES.close ? 6 : 11) * shareOf(node)).toFixed(2) });
  const words = svg(
    "text",
    across ? { class: "halo", x: x1 - 6, y: y1 + 4, "text-anchor": "end", "font-size": 11 } : { class: "halo", x: x1, y: y1 - 8, "text-anchor": "middle", "font-size": 11.5 },
    cut(nodes.edge[node], across ? 19 : 22),
  );
  return [path, words];
}

// The tree is drawn top-down as long as it can be read without horizontal scrolling.
function isAcross(breadth) {
  if (view.across !== null) return view.across;
  const room = view.canvas.clientWidth || 900;
  return breadth * (SIZES.down.width + SIZES.down.gap) * 0.62 > room;
}

function drawTree() {
  const { order, place, depth, leaves, breadth } = placed();
  const across = isAcross(breadth);
  view.breadth = breadth;
  const size = across ? (leaves > 60 ? SIZES.close : SIZES.across) : SIZES.down;
  const along = (across ? size.height : size.width) + size.gap;
  const boxes = new Map();
  for (const node of order) {
    const [a, b] = [24 + place.get(node) * along, 16 + depth.get(node) * size.step];
    boxes.set(node, across ? { x: b, y: a } : { x: a, y: b });
  }
  const deepest = Math.max(...order.map((node) => depth.get(node)));
  const extent = [48 + breadth * along - size.gap, deepest * size.step + (across ? size.width : size.height) + 36];
  const [width, height] = across ? [extent[1], extent[0]] : extent;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width: width * view.zoom,
    height: height * view.zoom,
    role: "tree",
    "aria-label": facts.headline,
    onkeydown: pressed,
  });
  const [lines, words, cards] = [svg("g", {}), svg("g", { "aria-hidden": "true" }), svg("g", { role: "presentation" })];
  for (const node of order) {
    if (node) {
      const [path, label] = edge(node, size, boxes.get(nodes.parent[node]), boxes.get(node));
      lines.append(path);
      words.append(label);
    }
    const box = boxes.get(node);
    cards.append(card(node, size, box));
    if (across && view.open.has(node)) {
      words.append(svg("text", { class: "halo soft", x: box.x + size.width + 14, y: box.y + size.height / 2 - 8, "font-size": 11 }, cut(nodes.split_on[node] + " ?", 22)));
    }
    if (nodes.n[node]) cards.append(foldButton(node, across ? box.x + size.width : box.x + size.width / 2, across ? box.y + size.height / 2 : box.y + size.height));
  }
  picture.append(lines, words, cards);
  view.canvas.replaceChildren(picture);
  view.order = order;
  view.size = [width, height];
  const hiddenLeaves = facts.rules.length - order.filter((node) => !nodes.n[node]).length;
  view.status.textContent = `${order.length} of ${nodes.parent.length} nodes shown` + (hiddenLeaves ? `, ${plural(hiddenLeaves, "leaf", "leaves")} folded away` : "");
}

function toggle(node) {
  if (!nodes.n[node]) return;
  if (view.open.has(node)) {
    view.open.delete(node);
    if (pathTo(view.selected).includes(node)) view.selected = node;
  } else view.open.add(node);
  drawTree();
  focusOn(node);
}

function reveal(node) {
  for (const above of pathTo(node).slice(0, -1)) view.open.add(above);
}

function select(node, focus = true) {
  view.selected = node;
  reveal(node);
  drawTree();
  showDetails(node);
  markRule(node);
  if (focus) focusOn(node);
}

function focusOn(node) {
  const found = view.canvas.querySelector(`[data-node="${node}"]`);
  if (!found) return;
  found.focus({ preventScroll: true });
  const [inside, outside] = [found.getBoundingClientRect(), view.canvas.getBoundingClientRect()];
  if (inside.left < outside.left || inside.right > outside.right || inside.top < outside.top || inside.bottom > outside.bottom) {
    view.canvas.scrollLeft += inside.left + inside.width / 2 - outside.left - outside.width / 2;
    view.canvas.scrollTop += inside.top + inside.height / 2 - outside.top - outside.height / 2;
  }
}

function pressed(event) {
  const node = view.selected;
  const place = view.order.indexOf(node);
  const moves = {
    ArrowDown: () => view.order[Math.min(place + 1, view.order.length - 1)],
    ArrowUp: () => view.order[Math.max(place - 1, 0)],
    Home: () => 0,
    End: () => view.order[view.order.length - 1],
    ArrowLeft: () => (view.open.has(node) ? (toggle(node), null) : node ? nodes.parent[node] : null),
    ArrowRight: () => (!nodes.n[node] ? null : view.open.has(node) ? nodes.first[node] : (toggle(node), null)),
    Enter: () => (toggle(node), null),
    " ": () => (toggle(node), null),
  };
  if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const next = moves[event.key]();
  if (next !== null && next !== undefined) select(next);
}
