"use strict";
(async () => {
  const one = (selector) => document.querySelector(selector);
  const root = document.documentElement, model = JSON.parse(one("#model").textContent);
  const kinds = { Uint8: Uint8Array, Uint32: Uint32Array, Float32: Float32Array, Float64: Float64Array };
  const unpack = async ({ type, data }) => {
    const letters = atob(data), bytes = new Uint8Array(letters.length);
    for (let n = 0; n < bytes.length; n += 1) bytes[n] = letters.charCodeAt(n);
    const whole = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new kinds[type](await new Response(whole).arrayBuffer());
  };
  const columns = {};
  for (const [name, column] of Object.entries(model.arrays)) columns[name] = await unpack(column);
  model.arrays = null;
  const { kind, flow, pair, pairPlace, travel, window: windows } = columns;
  const count = kind.length, begin = model.begin;
  const time = new Float64Array(count);
  for (let n = 0, ticks = 0; n < count; n += 1) { ticks += columns.delta[n]; time[n] = begin + ticks * model.unit; }
  const end = Math.max(time[count - 1], begin + model.unit);
  const KIND = Object.fromEntries(model.kinds.map((name, number) => [name, number]));
  const windowOf = new Uint32Array(windows.length);
  for (let n = 0, w = 0; n < count; n += 1) if (kind[n] === KIND.window) { windowOf[w] = n; w += 1; }
  const longest = travel.reduce((most, each) => Math.max(most, each), 0);
  const samples = columns.queueTime ? columns.queueTime.length : 0;

  // The first of sorted values that is above one.
  const above = (values, value) => {
    let low = 0, high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle] <= value) low = middle + 1; else high = middle;
    }
    return low;
  };
  const queueAt = (link, at) => {
    if (!samples) return 0;
    return columns.queue[link * samples + Math.max(0, above(columns.queueTime, at) - 1)];
  };

  // What is shown: an instant, flows, a link, a span.
  let now = begin, playing = false, last = 0, wanted = null, link = 0, span = 1;
  const passes = (n) => wanted === null || wanted[flow[n]] === 1;
  const slider = one("#slider"), told = one("[data-told]"), output = one("[data-now]");
  const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
  const flows = one("[data-flow]"), groups = new Map();
  model.flows.forEach((name, number) => {
    const group = name.replace(/\[\d+\]$/, "");
    groups.set(group, [...(groups.get(group) || []), number]);
  });
  const chosen = [];
  for (const [group, members] of groups) {
    chosen.push(members);
    flows.append(option(String(chosen.length - 1), members.length > 1 ? `${group} (${members.length})` : model.flows[members[0]]));
    if (members.length > 1) for (const member of members.slice(0, 500)) {
      chosen.push([member]);
      flows.append(option(String(chosen.length - 1), model.flows[member]));
    }
  }
  flows.addEventListener("change", () => {
    wanted = null;
    if (flows.value !== "") {
      wanted = new Uint8Array(model.flows.length + 1);
      for (const number of chosen[Number(flows.value)]) wanted[number] = 1;
    }
    restart();
  });

  // Counts until now, which go on with the time and begin anew when it goes back.
  const placeOf = new Map(model.places.map((place, number) => [place.name, number]));
  const linkPlace = model.queues.map((name) => placeOf.get(name));
  const tally = { upTo: 0, sent: null, marked: null, dropped: null };
  const restart = () => {
    tally.upTo = 0;
    for (const name of ["sent", "marked", "dropped"]) tally[name] = new Uint32Array(model.places.length);
    changed = true;
  };
  const tallyUntil = (at) => {
    const upTo = above(time, at);
    if (upTo < tally.upTo) restart();
    for (let n = tally.upTo; n < upTo; n += 1) {
      if (!passes(n)) continue;
      const place = pairPlace[pair[n]];
      if (kind[n] === KIND.transmit) tally.sent[place] += 1;
      else if (kind[n] === KIND.mark) tally.marked[place] += 1;
      else if (kind[n] === KIND.drop) tally.dropped[place] += 1;
    }
    tally.upTo = upTo;
  };
  let changed = true;
  restart();
  // First is shown the link that drops most, else the one with the longest queue.
  tallyUntil(end);
  const weight = model.queues.map((_, number) => {
    let most = 0;
    for (let n = 0; n < samples; n += 1) most = Math.max(most, columns.queue[number * samples + n]);
    return tally.dropped[linkPlace[number]] * 1e6 + most;
  });
  link = Math.max(0, weight.indexOf(Math.max(...weight)));
  const links = one("[data-link]"), body = one("[data-links]");
  const rows = model.queues.slice(0, 500).map((name, number) => {
    links.append(option(String(number), name));
    const row = body.insertRow(), head = document.createElement("th");
    head.scope = "row";
    head.textContent = name;
    row.append(head);
    return [0, 1, 2, 3].map(() => Object.assign(row.insertCell(), { className: "number" }));
  });
  links.value = String(link);
  links.addEventListener("change", () => { link = Number(links.value); changed = true; });
  one("[data-span]").addEventListener("change", (event) => { span = Number(event.target.value); changed = true; });

  // Colours.
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  let look = {};
  const relook = () => {
    look = Object.fromEntries(["text", "faint", "line", "page", "drop", "tick", "ink"].map((name) => [name, css(`--${name}`)]));
    look.dark = getComputedStyle(root).colorScheme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    changed = true;
  };
  const hue = (number) => `hsl(${(number * 137.5 + 210) % 360} 75% ${look.dark ? 65 : 38}%)`;
  const themes = ["system", "light", "dark"], colours = one("[data-theme-button]");
  colours.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme || "system") + 1) % themes.length];
    if (next === "system") delete root.dataset.theme; else root.dataset.theme = next;
    colours.textContent = `Colours: ${next}`;
    relook();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", relook);

  // The topology: packets on their way, and queues.
  const stage = one("[data-stage]"), drawing = one(".stage svg");
  const fit = (canvas, width, height) => {
    const wide = Math.round(width * devicePixelRatio), high = Math.round(height * devicePixelRatio);
    if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
    const pen = canvas.getContext("2d");
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, width, height);
    return pen;
  };
  const ways = model.places.map(({ ends }) => {
    if (!ends || ends.length < 2) return null;
    const [[ax, ay], [bx, by]] = ends, length = Math.hypot(bx - ax, by - ay) || 1;
    const ux = (bx - ax) / length, uy = (by - ay) / length, rim = Math.abs(ux) > 0.5 ? 62 : 20;
    // Packets keep to the right, so that both directions are seen.
    const side = 6, sx = -uy * side, sy = ux * side;
    return { x: ax + ux * rim + sx, y: ay + uy * rim + sy, dx: bx - ax - 2 * ux * rim, dy: by - ay - 2 * uy * rim, sx, sy };
  });
  const drawStage = () => {
    if (!drawing) return 0;
    const box = drawing.getBoundingClientRect(), view = drawing.viewBox.baseVal;
    const pen = fit(stage, box.width, box.height);
    pen.scale(box.width / view.width, box.height / view.height);
    let shown = 0;
    for (let n = above(time, now) - 1; n >= 0 && time[n] >= now - longest; n -= 1) {
      if (kind[n] !== KIND.transmit || !passes(n)) continue;
      const takes = travel[pair[n]], way = ways[pairPlace[pair[n]]];
      if (!way || !takes || now - time[n] >= takes) continue;
      const part = (now - time[n]) / takes;
      pen.fillStyle = hue(flow[n]);
      pen.beginPath();
      pen.arc(way.x + part * way.dx, way.y + part * way.dy, 3.5, 0, 2 * Math.PI);
      pen.fill();
      shown += 1;
    }
    const most = new Map();
    linkPlace.forEach((place, number) => {
      const way = ways[place];
      if (!way) return;
      const name = `${way.x} ${way.y} ${way.dx} ${way.dy}`, held = queueAt(number, now);
      if (held > (most.get(name)?.held || 0)) most.set(name, { held, way });
    });
    pen.font = "11px sans-serif";
    for (const { held, way } of most.values()) {
      const high = Math.min(30, 4 + 6 * Math.log2(1 + held)), x = way.x + 3 * way.sx, y = way.y + 3 * way.sy;
      pen.fillStyle = look.ink;
      pen.fillRect(x, y - high / 2, 6, high);
      pen.fillText(String(held), x + 9, y + 4);
    }
    return shown;
  };

  // Over time: three panels that share their time.
  const chart = one("[data-chart]"), still = document.createElement("canvas");
  const LEFT = 56, RIGHT = 12, PANEL = [[24, 120], [172, 120], [320, 64]];
  let from = begin, to = end;
  const round = (value) => Number(value.toPrecision(4));
  const drawStill = (width, height) => {
    const pen = fit(still, width, height), wide = width - LEFT - RIGHT;
    const x = (at) => LEFT + ((at - from) / (to - from)) * wide;
    pen.font = "12px system-ui, sans-serif";
    const panel = (number, title, most) => {
      const [top, high] = PANEL[number];
      pen.strokeStyle = look.line;
      pen.strokeRect(LEFT, top, wide, high);
      pen.fillStyle = look.text;
      pen.textAlign = "left";
      pen.fillText(title, LEFT, top - 6);
      pen.fillStyle = look.faint;
      pen.textAlign = "right";
      if (most > 0) { pen.fillText(String(round(most)), LEFT - 5, top + 10); pen.fillText("0", LEFT - 5, top + high); }
      return (value) => top + high - (most > 0 ? value / most : 0) * (high - 4);
    };
    const line = (points, colour) => {
      pen.strokeStyle = colour;
      pen.lineWidth = 1.4;
      pen.beginPath();
      let before = null;
      for (const [at, up] of points) {
        if (before === null) pen.moveTo(at, up); else { pen.lineTo(at, before); pen.lineTo(at, up); }
        before = up;
      }
      if (before !== null) pen.lineTo(LEFT + wide, before);
      pen.stroke();
      pen.lineWidth = 1;
    };
    const clipped = (number, draw) => {
      const [top, high] = PANEL[number];
      pen.save();
      pen.beginPath();
      pen.rect(LEFT, top, wide, high);
      pen.clip();
      draw();
      pen.restore();
    };
    if (samples && model.queues.length) {
      const first = Math.max(0, above(columns.queueTime, from) - 1), stop = above(columns.queueTime, to);
      let most = 1;
      for (let n = first; n < stop; n += 1) most = Math.max(most, columns.queue[link * samples + n]);
      const y = panel(0, `queue of ${model.queues[link]} (packets)`, most), points = [];
      for (let n = first; n < stop; n += 1) points.push([x(columns.queueTime[n]), y(columns.queue[link * samples + n])]);
      clipped(0, () => line(points, look.ink));
    } else panel(0, "no link has a queue here", 0);

    const lines = new Map();
    let most = 1, others = new Set();
    for (let w = 0; w < windowOf.length; w += 1) {
      const n = windowOf[w];
      if (time[n] > to) break;
      if (!passes(n)) continue;
      if (!lines.has(flow[n])) {
        if (lines.size === 12) { others.add(flow[n]); continue; }
        lines.set(flow[n], []);
      }
      const points = lines.get(flow[n]);
      if (time[n] < from) points.length = 0; else most = Math.max(most, windows[w]);
      points.push([Math.max(LEFT, x(time[n])), windows[w]]);
    }
    const more = others.size ? `, the first 12 of ${12 + others.size} flows` : "";
    const y = panel(1, lines.size ? `congestion windows (segments)${more}` : "no congestion window here", lines.size ? most : 0);
    clipped(1, () => {
      for (const [number, points] of lines) line(points.map(([at, value]) => [at, y(value)]), hue(number));
    });

    const drops = new Uint32Array(Math.ceil(wide) + 1), marks = new Uint32Array(Math.ceil(wide) + 1);
    let total = [0, 0];
    for (let n = Math.max(0, above(time, from) - 1); n < count && time[n] <= to; n += 1) {
      if ((kind[n] !== KIND.drop && kind[n] !== KIND.mark) || time[n] < from || !passes(n)) continue;
      const at = Math.floor(x(time[n]) - LEFT), isDrop = kind[n] === KIND.drop;
      (isDrop ? drops : marks)[at] += 1;
      total[isDrop ? 0 : 1] += 1;
    }
    const highest = Math.max(drops.reduce((a, b) => Math.max(a, b), 0), marks.reduce((a, b) => Math.max(a, b), 0));
    panel(2, `${total[0]} drops (up) and ${total[1]} marks (down) of all links`, 0);
    const [top, high] = PANEL[2], middle = top + high / 2;
    for (let n = 0; n < drops.length; n += 1) {
      pen.fillStyle = look.drop;
      if (drops[n]) pen.fillRect(LEFT + n, middle, 1.5, -Math.max(3, (drops[n] / highest) * (high / 2 - 2)));
      pen.fillStyle = look.tick;
      if (marks[n]) pen.fillRect(LEFT + n, middle, 1.5, Math.max(3, (marks[n] / highest) * (high / 2 - 2)));
    }
    pen.fillStyle = look.faint;
    for (let n = 0; n <= 4; n += 1) {
      pen.textAlign = ["left", "center", "center", "center", "right"][n];
      pen.fillText(`${round(from + ((to - from) * n) / 4)} s`, LEFT + (wide * n) / 4, top + high + 16);
    }
  };
  const drawChart = () => {
    const width = chart.clientWidth, height = chart.clientHeight, wide = (end - begin) / span;
    const start = Math.min(Math.max(begin, now - wide / 2), end - wide);
    if (start !== from || start + wide !== to) { from = start; to = start + wide; changed = true; }
    if (changed || still.width !== Math.round(width * devicePixelRatio)) drawStill(width, height);
    const pen = fit(chart, width, height), x = LEFT + ((now - from) / (to - from)) * (width - LEFT - RIGHT);
    pen.drawImage(still, 0, 0, width, height);
    pen.strokeStyle = look.text;
    pen.beginPath();
    pen.moveTo(x, 12);
    pen.lineTo(x, 388);
    pen.stroke();
  };
  const instant = (event) => {
    const box = chart.getBoundingClientRect();
    const part = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    go(from + Math.min(1, Math.max(0, part)) * (to - from));
  };
  chart.addEventListener("pointerdown", instant);
  chart.addEventListener("pointermove", (event) => { if (event.buttons) instant(event); });

  // Time.
  let drawn = null, tabled = 0;
  const go = (at) => { now = Math.min(end, Math.max(begin, at)); };
  const pace = one("[data-pace]"), play = one("[data-play]");
  const setPlaying = (is) => {
    playing = is;
    play.textContent = is ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(is));
  };
  play.addEventListener("click", () => { if (!playing && now >= end) go(begin); setPlaying(!playing); });
  slider.addEventListener("input", () => { setPlaying(false); go(begin + (Number(slider.value) / 1e5) * (end - begin)); });
  // A browser's own steps of a slider without steps are too small to be seen.
  slider.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    go(now + (by * (to - from)) / 200);
  });
  const name = (n) => [model.kinds[kind[n]], model.places[pairPlace[pair[n]]].name, model.flows[flow[n]] || ""].join(" ").trim();
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => {
      setPlaying(false);
      const by = Number(button.dataset.step);
      let n = by > 0 ? above(time, now) : above(time, now) - 1;
      while (n >= 0 && n < count && (!passes(n) || (by < 0 && time[n] >= now))) n += by;
      if (n < 0 || n >= count) { told.textContent = "There is no other event."; return; }
      go(time[n]);
      let same = 0;
      for (let m = n + by; m >= 0 && m < count && time[m] === time[n]; m += by) same += passes(m);
      told.textContent = `${time[n].toFixed(9)} s: ${name(n)}${same ? ` and ${same} more` : ""}`;
    });
  }
  const table = () => {
    tallyUntil(now);
    rows.forEach((cells, number) => {
      const place = linkPlace[number];
      const values = [queueAt(number, now), tally.sent[place], tally.marked[place], tally.dropped[place]];
      values.forEach((value, n) => { cells[n].textContent = String(value); });
    });
  };
  const frame = (stamp) => {
    if (playing) {
      go(now + (((stamp - last) / 1000) * (end - begin)) / Number(pace.value));
      if (now >= end) setPlaying(false);
    }
    last = stamp;
    if (now !== drawn || changed) {
      const shown = drawStage();
      drawChart();
      slider.value = String(((now - begin) / (end - begin)) * 1e5);
      output.textContent = `${now.toFixed(6)} s, ${shown} on their way`;
      slider.setAttribute("aria-valuetext", `${now.toFixed(6)} s`);
      if (changed || !playing || stamp - tabled > 200) { table(); tabled = stamp; }
      changed = false;
      drawn = now;
      root.dataset.drawn = String(Number(root.dataset.drawn || 0) + 1);
    }
    requestAnimationFrame(frame);
  };
  addEventListener("resize", () => { changed = true; });
  relook();
  restart();
  requestAnimationFrame(frame);
  root.dataset.ready = "yes";
})();
