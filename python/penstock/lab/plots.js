"use strict";
// Cards of metrics and the panel over time: numbers as tables, and as plots once the plotting library is there.
const Plots = (() => {
  const model = JSON.parse(document.getElementById("model").textContent);
  const root = document.documentElement, library = document.getElementById("plotly");
  const cards = document.querySelector("[data-cards]");
  const scales = {
    "bit/s": [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]],
    s: [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]],
    1: [[1, ""]],
  };
  const make = (tag, text, attributes = {}) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const scaleOf = (unit, values) => {
    const most = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs)), known = scales[unit] || [[1, unit]];
    return known.find(([size]) => most >= size) || (most === 0 ? known[known.length > 1 ? known.length - 2 : 0] : known.at(-1));
  };
  const halfOf = (row) => (row.low === null ? null : (row.high - row.low) / 2);
  const digits = (value) => {
    if (value === 0) return "0";
    const size = Math.floor(Math.log10(Math.abs(value)));
    return size < -4 ? value.toExponential(2) : value.toLocaleString("en", { maximumFractionDigits: Math.max(0, 3 - size) });
  };
  const shown = (row, scale) => {
    if (!row || row.mean === null) return "none";
    const half = halfOf(row), mean = row.mean / scale;
    if (half === null || half === 0) return digits(mean);
    // Unequal sides, of a share near 0 or 1: the bounds, as in the tables of `penstock run`.
    if (Math.max(row.high - row.mean, row.mean - row.low) > 1.1 * halfOf(row)) {
      const bound = (value) => (value / scale).toLocaleString("en", { maximumSignificantDigits: 3 });
      return `${bound(row.mean)} (${bound(row.low)} to ${bound(row.high)})`;
    }
    // Two digits of a half-width that begins with 1 or 2, one of others.
    const size = Math.floor(Math.log10(half / scale)), lead = half / scale / 10 ** size;
    const places = Math.min(9, Math.max(0, (lead < 2.95) - size));
    const fixed = (value) => value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
    return `${fixed(mean)} ± ${fixed(half / scale)}`;
  };
  const look = () => {
    const of = (name) => getComputedStyle(root).getPropertyValue(name).trim();
    const axis = { gridcolor: of("--line"), linecolor: of("--faint"), zerolinecolor: of("--faint"), automargin: true };
    const font = { color: of("--text"), family: getComputedStyle(document.body).fontFamily, size: 12 };
    const back = of("--page");
    return { axis, now: of("--accent"), whole: {
      font, paper_bgcolor: back, plot_bgcolor: back, hoverlabel: { bgcolor: of("--card"), font }, hovermode: "closest",
      margin: { l: 8, r: 12, t: 6, b: 30 }, showlegend: false } };
  };
  const plain = { responsive: false, displaylogo: false, displayModeBar: false };
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  // Labels that all rows of a card share stand in its head; a flow's own name has that of its group in it.
  const namesOf = (rows) => {
    const keys = [...new Set(rows.flatMap((row) => Object.keys(row.labels)))];
    const differ = keys.filter((key) => rows.some((row) => row.labels[key] !== rows[0].labels[key]));
    const common = keys.filter((key) => !differ.includes(key)).map((key) => rows[0].labels[key]);
    const names = rows.map((row) => {
      const parts = differ.filter((key) => key in row.labels).map((key) => (/^\d/.test(row.labels[key]) ? `${key} ${row.labels[key]}` : row.labels[key]));
      return parts.filter((part, at) => !parts.some((other, there) => there > at && other.startsWith(`${part}[`))).join(" ") || "all";
    });
    return rows.length === 1 ? { common: "", names: [common.join(" ") || "whole network"] } : { common: common.join(" "), names };
  };
  const keyOf = (row) => JSON.stringify([row.metric, row.unit, row.labels]);
  const colourOf = (number, own) => (number === 0 ? own : model.colours[((number - 1) % 5) + 1]);
  let shownNow = [], waiting = [], frame = 0;

  // A setting is {name, metrics, panel}: first what is shown now, then what is pinned.
  const cardOf = (title, unit) => {
    const name = `${title} ${unit}`;
    let card = [...cards.children].find((each) => each.dataset.name === name);
    if (card) return card;
    card = make("section", undefined, { class: "card", "data-name": name, "data-metric": title });
    const head = make("div", undefined, { class: "head" });
    head.append(make("h3", title), make("span", "", { class: "unit" }));
    head.firstChild.append(make("small", ""));
    const doc = (model.metrics[title] || "").replace(/`/g, "");
    const scroll = make("div", undefined, { class: "scroll", role: "region", tabindex: "0", "aria-label": `Numbers of ${title}` });
    card.append(head, make("div", undefined, { class: "canvas", "aria-hidden": "true" }), scroll, make("p", "", { class: "zeros" }));
    if (doc) card.append(make("p", doc, { class: "hint", title: doc }));
    cards.append(card);
    return card;
  };
  const table = (rows, names, settings, scale, colours) => {
    const made = make("table"), head = make("tr"), body = make("tbody");
    head.append(make("th", "of", { scope: "col" }));
    settings.forEach((setting, number) => {
      const cell = make("th", undefined, { scope: "col", class: "number" });
      const dot = make("i"), mark = make("span", number ? `pin ${number}` : "now", { title: setting.name });
      dot.style.cssText = `background:${colours[number]};width:.6rem;height:.6rem;border-radius:50%;display:inline-block;margin-right:.35rem`;
      cell.append(dot, mark);
      head.append(cell);
    });
    for (const [at, row] of rows.entries()) {
      const line = make("tr");
      line.append(make("th", names[at], { scope: "row" }));
      for (const setting of settings) line.append(make("td", shown(setting.found.get(keyOf(row)), scale), { class: "number" }));
      body.append(line);
    }
    const top = make("thead");
    top.append(head);
    made.append(make("caption", "Means with 95 % confidence intervals", { class: "unseen" }), top, body);
    return made;
  };
  const heightOf = (rows, settings) => 48 + Math.min(24, rows.length) * (16 + 10 * settings.length);
  const draw = (card, rows, names, settings, scale, colours, shape) => {
    const some = rows.slice(0, 24), count = settings.length;
    const traces = settings.map((setting, number) => {
      const own = some.map((row) => setting.found.get(keyOf(row)));
      return {
        type: "scatter", mode: "markers", cliponaxis: false, name: escaped(setting.name), hovertemplate: "%{x:.5g}<extra>%{fullData.name}</extra>",
        x: own.map((row) => (row && row.mean !== null ? row.mean / scale : null)),
        y: some.map((_, at) => at + (count === 1 ? 0 : (number / (count - 1) - 0.5) * 0.5)),
        marker: { color: colours[number], size: number ? 7 : 9, symbol: ["circle", "square", "diamond", "triangle-up", "x"][number % 5] },
        error_x: {
          type: "data", symmetric: false, thickness: 2, width: 5, color: colours[number],
          array: own.map((row) => (row && row.low !== null ? (row.high - row.mean) / scale : 0)),
          arrayminus: own.map((row) => (row && row.low !== null ? (row.mean - row.low) / scale : 0)),
        },
      };
    });
    const layout = {
      ...shape.whole, height: heightOf(rows, settings),
      xaxis: { ...shape.axis, rangemode: "tozero", nticks: 6 },
      yaxis: {
        ...shape.axis, range: [some.length - 0.4, -0.6], fixedrange: true, zeroline: false, showgrid: false,
        tickvals: some.map((_, at) => at), ticktext: some.map((_, at) => escaped(cut(names[at], 22))),
      },
    };
    Plotly.react(card.querySelector(".canvas"), traces, layout, plain);
  };
  const panel = (settings, colours, shape) => {
    const canvas = document.querySelector("[data-panel-canvas]"), now = settings[0].panel;
    if (!now) return;
    const traces = [];
    settings.forEach((setting, number) => {
      if (!setting.panel || setting.panel.label !== now.label) return;
      setting.panel.lines.forEach((line, at) => traces.push({
        type: "scatter", mode: "lines", name: escaped(number ? `${line.name}, ${setting.name}` : line.name), x: line.x, y: line.y,
        line: { width: number ? 1.2 : 1.6, color: setting.panel.lines.length > 1 && !number ? model.colours[at % 6] : colours[number], shape: "hv" },
        opacity: number ? 0.75 : 1,
      }));
    });
    const layout = {
      ...shape.whole, height: 250, margin: { l: 8, r: 12, t: 10, b: 42 },
      showlegend: traces.length > 1, legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 },
      xaxis: { ...shape.axis, title: { text: "time (s)" } },
      yaxis: { ...shape.axis, title: { text: now.unit }, rangemode: "tozero" },
    };
    Plotly.react(canvas, traces.reverse(), layout, plain);
  };
  // Numbers appear at once; plots follow in the next frame, one redraw for all changes until then.
  const show = (settings) => {
    shownNow = settings;
    waiting = [];
    const shape = look(), colours = settings.map((_, number) => colourOf(number, shape.now));
    for (const setting of settings) setting.found = new Map(setting.metrics.map((row) => [keyOf(row), row]));
    const groups = new Map();
    for (const row of settings[0].metrics) {
      const name = `${row.metric} ${row.unit}`;
      groups.set(name, [...(groups.get(name) || []), row]);
    }
    for (const card of [...cards.children]) if (!groups.has(card.dataset.name)) card.remove();
    for (const all of groups.values()) {
      // What is zero in every setting is only named: causes of drops that there are none of, for example.
      const isZero = (row) => settings.every((setting) => setting.found.get(keyOf(row))?.mean === 0);
      const few = all.length < 4 || all.filter(isZero).length < 2, every = namesOf(all);
      const kept = all.map((row, at) => [row, every.names[at]]).filter(([row]) => few || !isZero(row));
      const rows = kept.map(([row]) => row), names = kept.map(([, name]) => name), { common } = every;
      const card = cardOf(all[0].metric, all[0].unit);
      const own = settings.flatMap((setting) => rows.map((row) => setting.found.get(keyOf(row))?.mean ?? NaN));
      const [scale, unit] = scaleOf(all[0].unit, own);
      card.querySelector(".unit").textContent = unit;
      card.querySelector("h3 small").textContent = common;
      const zeros = all.map((row, at) => [row, every.names[at]]).filter(([row]) => !rows.includes(row)).map(([, name]) => name);
      card.querySelector(".zeros").textContent = zeros.length ? `${rows.length ? "" : "All "}0: ${zeros.join(", ")}` : "";
      card.querySelector(".canvas").hidden = card.querySelector(".scroll").hidden = !rows.length;
      card.querySelector(".scroll").replaceChildren(table(rows, names, settings, scale, colours));
      // The height that the plot will have, so that cards do not move when it is drawn.
      card.querySelector(".canvas").style.minHeight = `${heightOf(rows, settings)}px`;
      if (rows.length) waiting.push(() => draw(card, rows, names, settings, scale, colours, shape));
    }
    waiting.push(() => panel(settings, colours, shape));
    if (window.Plotly) frame ||= requestAnimationFrame(() => { frame = 0; for (const plot of waiting) plot(); });
  };
  const again = () => { if (shownNow.length) show(shownNow); };
  const resized = new ResizeObserver(() => {
    if (window.Plotly) for (const canvas of document.querySelectorAll(".js-plotly-plot")) if (canvas.offsetParent) Plotly.Plots.resize(canvas);
  });
  resized.observe(document.getElementById("results"));
  library.addEventListener("load", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  return { make, show, again, colourOf: (number) => colourOf(number, look().now), model };
})();
