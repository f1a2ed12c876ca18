// Three panels over time: a queue, congestion windows, drops and marks.
const chart = one("[data-chart]"), still = document.createElement("canvas");
const LEFT = 56, RIGHT = 12, PANEL = [[24, 120], [172, 120], [320, 64]];
const range = { from: begin, to: end, key: "" };
const round = (value) => Number(value.toPrecision(4));

const drawStill = (width, height) => {
  const pen = prepare(still, width, height), wide = width - LEFT - RIGHT, { from, to } = range;
  const x = (at) => LEFT + ((at - from) / (to - from)) * wide;
  pen.font = "12px system-ui, sans-serif";
  const panel = (number, title, most) => {
    const [top, high] = PANEL[number];
    pen.strokeStyle = look.line;
    pen.strokeRect(LEFT, top, wide, high);
    pen.fillStyle = look.text;
    pen.textAlign = "left";
    pen.fillText(title, LEFT, top - 6, wide);
    pen.fillStyle = look.faint;
    pen.textAlign = "right";
    if (most > 0) { pen.fillText(String(round(most)), LEFT - 5, top + 10); pen.fillText("0", LEFT - 5, top + high); }
    return (value) => top + high - (most > 0 ? value / most : 0) * (high - 4);
  };
  // Steps: each value lasts until the next; one vertical line for all values of a pixel.
  const steps = (number, times, values, colour, y) => {
    const [top, high] = PANEL[number];
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, top, wide, high);
    pen.clip();
    pen.strokeStyle = colour;
    pen.lineWidth = 1.4;
    pen.beginPath();
    let column = -1, low = 0, most = 0, last = null;
    const flush = (at) => {
      if (last === null) return;
      pen.lineTo(at, y(low)); pen.lineTo(at, y(most)); pen.lineTo(at, y(last));
    };
    for (let n = 0; n < times.length; n += 1) {
      const px = Math.max(LEFT, Math.round(x(times[n]))), value = values[n];
      if (px !== column) {
        flush(column);
        if (last === null) pen.moveTo(px, y(value)); else pen.lineTo(px, y(last));
        column = px; low = value; most = value;
      } else { low = Math.min(low, value); most = Math.max(most, value); }
      last = value;
    }
    flush(column);
    if (last !== null) pen.lineTo(LEFT + wide, y(last));
    pen.stroke();
    pen.restore();
    pen.lineWidth = 1;
  };
  const largest = (values) => values.reduce((a, b) => Math.max(a, b), 0);

  if (model.queues.length) {
    const low = queueBegin[state.link], high = queueBegin[state.link + 1];
    const first = Math.max(low, above(queueTime, from, low, high) - 1), stop = above(queueTime, to, low, high);
    const values = queue.subarray(first, stop), most = largest(values);
    const y = panel(0, `Queue of ${model.queues[state.link]} (${unitAt(queuePlace[state.link])}s)`, Math.max(1, most));
    steps(0, queueTime.subarray(first, stop), values, look.ink, y);
  } else panel(0, "No link has a queue here", 0);

  const lines = new Map(), others = new Set();
  let most = 1;
  for (let w = 0; w < windowAt.length; w += 1) {
    const n = windowAt[w];
    if (time[n] > to) break;
    if (!isOfFlow(n)) continue;
    if (!lines.has(flow[n])) {
      if (lines.size === 12) { others.add(flow[n]); continue; }
      lines.set(flow[n], { times: [], values: [], colour: hue(n) });
    }
    const line = lines.get(flow[n]);
    if (time[n] < from) { line.times.length = 0; line.values.length = 0; } else most = Math.max(most, windows[w]);
    line.times.push(time[n]);
    line.values.push(windows[w]);
  }
  const more = others.size ? `, the first 12 of ${12 + others.size} flows` : "";
  const title = lines.size ? `Congestion windows (segments)${more}` : "No congestion window here";
  const y = panel(1, title, lines.size ? most : 0);
  for (const { times, values, colour } of lines.values()) steps(1, times, values, colour, y);

  const drops = new Uint32Array(Math.ceil(wide) + 1), marks = new Uint32Array(Math.ceil(wide) + 1);
  const total = { drops: 0, marks: 0 };
  for (let d = above(decidedAt.time, from - 1e-12); d < decidedAt.length && decidedAt.time[d] <= to; d += 1) {
    const n = decidedAt[d];
    if (!passes(n)) continue;
    const isDrop = kind[n] === KIND.drop;
    (isDrop ? drops : marks)[Math.floor(x(time[n]) - LEFT)] += 1;
    total[isDrop ? "drops" : "marks"] += 1;
  }
  const highest = Math.max(largest(drops), largest(marks));
  panel(2, `${plural(total.drops, "drop")} (up) and ${plural(total.marks, "mark")} (down) of this page, all links`, 0);
  const [top, high] = PANEL[2], middle = top + high / 2;
  for (let n = 0; n < drops.length; n += 1) {
    pen.fillStyle = look.drop;
    if (drops[n]) pen.fillRect(LEFT + n, middle, 1.5, -Math.max(3, (drops[n] / highest) * (high / 2 - 2)));
    pen.fillStyle = look.tick;
    if (marks[n]) pen.fillRect(LEFT + n, middle, 1.5, Math.max(3, (marks[n] / highest) * (high / 2 - 2)));
  }
  pen.fillStyle = look.faint;
  const ticks = wide > 480 ? 4 : 2;
  for (let n = 0; n <= ticks; n += 1) {
    pen.textAlign = n === 0 ? "left" : n === ticks ? "right" : "center";
    pen.fillText(`${Number((from + ((to - from) * n) / ticks).toPrecision(6))} s`, LEFT + (wide * n) / ticks, top + high + 16);
  }
};
const drawChart = () => {
  const width = chart.clientWidth, height = chart.clientHeight, wide = (end - begin) / state.span;
  // Of a part, the next is shown when the time leaves it.
  if (range.to - range.from !== wide || state.now < range.from || state.now > range.to) {
    range.from = Math.min(Math.max(begin, state.now - wide / 10), end - wide);
    range.to = range.from + wide;
  }
  const key = [width, height, range.from, range.to, state.link, state.colour, look.page, devicePixelRatio, followed()].join();
  if (key !== range.key) { drawStill(width, height); range.key = key; }
  const pen = prepare(chart, width, height), x = LEFT + ((state.now - range.from) / wide) * (width - LEFT - RIGHT);
  pen.drawImage(still, 0, 0, width, height);
  pen.strokeStyle = look.text;
  pen.beginPath();
  pen.moveTo(x, 12);
  pen.lineTo(x, 388);
  pen.stroke();
};
const instant = (event) => {
  const box = chart.getBoundingClientRect(), part = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
  setPlaying(false);
  go(range.from + Math.min(1, Math.max(0, part)) * (range.to - range.from));
};
chart.addEventListener("pointerdown", instant);
chart.addEventListener("pointermove", (event) => { if (event.buttons) instant(event); });
