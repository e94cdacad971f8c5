// Charts: axes, curves, horizontal bars with names, and small histograms.
// Round numbers of an axis: multiples of 1, 2, 2.5 or 5 times a power of ten.
function ticks(low, high) {
  if (!(high > low)) return [low];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((each) => each * power >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const found = [];
  for (let k = first; k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

function frame(label, xName, yName, domain = [0, 1, 0, 1]) {
  const [x0, x1, y0, y1] = domain;
  const [xTicks, yTicks] = [ticks(x0, x1), ticks(y0, y1)];
  const widest = Math.max(...yTicks.map((value) => figure(value).length));
  const [width, height, left, bottom, top, right] = [360, 290, 30 + 6.2 * widest, 42, 10, 14];
  const x = (value) => left + ((value - x0) / (x1 - x0 || 1)) * (width - left - right);
  const y = (value) => height - bottom - ((value - y0) / (y1 - y0 || 1)) * (height - bottom - top);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, width: "100%" });
  styled(picture, { "max-width": "440px", display: "block" });
  for (const value of xTicks) {
    picture.append(
      svg("line", { class: "axis", x1: x(value), x2: x(value), y1: y(y0), y2: y(y1) }),
      svg("text", { class: "soft", x: x(value), y: height - bottom + 15, "text-anchor": "middle", "font-size": 10.5 }, figure(value)),
    );
  }
  for (const value of yTicks) {
    picture.append(
      svg("line", { class: "axis", x1: x(x0), x2: x(x1), y1: y(value), y2: y(value) }),
      svg("text", { class: "soft", x: left - 6, y: y(value) + 3.5, "text-anchor": "end", "font-size": 10.5 }, figure(value)),
    );
  }
  const middle = (top + height - bottom) / 2;
  picture.append(
    svg("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle", "font-size": 11.5 }, xName),
    svg("text", { x: 12, y: middle, "text-anchor": "middle", "font-size": 11.5, transform: `rotate(-90 12 ${middle})` }, yName),
  );
  return { picture, x, y };
}

function drawCurve(chart, xs, ys, colour) {
  const path = xs.map((value, i) => `${i ? "L" : "M"}${chart.x(value).toFixed(1)},${chart.y(ys[i]).toFixed(1)}`).join("");
  chart.picture.append(styled(svg("path", { class: "curve", d: path }), { stroke: colour }));
}
function drawChance(chart) {
  chart.picture.append(svg("line", { class: "chance", x1: chart.x(0), y1: chart.y(0), x2: chart.x(1), y2: chart.y(1) }));
}

function meter(name, share, words, colour) {
  const fill = styled(el("div", { class: "fill" }), { width: `${(100 * Math.max(0, Math.min(1, share))).toFixed(2)}%` });
  if (colour) fill.style.background = colour;
  return el("div", { class: "meter" }, el("div", { class: "name", title: name }, cutMiddle(name, 26)), el("div", { class: "track", "aria-hidden": "true" }, fill), el("div", { class: "figure" }, words));
}

// Meters below each other, whose tracks have one width, so that their lengths can be compared.
function meters(rows) {
  return el("div", { class: "meters" }, rows);
}

function bars(counts, { width = 110, height = 24, label = "", colour = "var(--c0)" } = {}) {
  const most = Math.max(...counts, 1);
  const step = width / counts.length;
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  counts.forEach((count, place) => {
    const tall = (count / most) * height;
    if (count) picture.append(styled(svg("rect", { x: place * step, y: height - Math.max(tall, 1), width: Math.max(step - 1, 0.5), height: Math.max(tall, 1) }), { fill: colour }));
  });
  return picture;
}
