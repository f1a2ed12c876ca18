"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Tables: sorted by a column's head, filtered by words and by chosen values.
  const keyOf = (cell) => {
    if (cell.dataset.key !== undefined) return Number(cell.dataset.key);
    return cell.firstElementChild.textContent.trim();
  };
  const isNothing = (key) => key === "" || key === "-";
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sort = (table, head) => {
    const column = head.cellIndex, body = table.tBodies[0];
    const turn = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
    const rows = [...body.rows].map((row) => [keyOf(row.cells[column]), row]);
    rows.sort(([a], [b]) => isNothing(a) - isNothing(b) || turn * compare(a, b));
    body.append(...rows.map(([, row]) => row));
  };
  for (const box of all("[data-table]")) {
    const table = box.querySelector("table"), words = box.querySelector("[data-filter]");
    const choices = all("[data-choice]", box), count = box.querySelector("[data-count]");
    const rows = [...table.tBodies[0].rows].map((row) => [row, ""]);
    const filter = () => {
      for (const each of rows) each[1] ||= each[0].textContent.toLowerCase();
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const [row, text] of rows) {
        const fits = wanted.every((word) => text.includes(word)) && choices.every((choice) => {
          const cell = row.cells[Number(choice.dataset.choice)];
          return !choice.value || cell.firstElementChild.textContent.trim() === choice.value;
        });
        row.hidden = !fits;
        shown += fits;
      }
      count.textContent = shown === rows.length ? "" : `${shown} of ${rows.length} rows`;
    };
    if (rows.length < 4) box.querySelector(".controls").hidden = true;
    words.addEventListener("input", filter);
    for (const choice of choices) choice.addEventListener("change", filter);
    for (const head of table.tHead.rows[0].cells) {
      head.querySelector("button").addEventListener("click", () => sort(table, head));
    }
  }

  // Colours: those of the system, or light, or dark.
  const root = document.documentElement, colours = document.querySelector("[data-theme-button]");
  const themes = ["system", "light", "dark"];
  const look = () => {
    const of = (name) => getComputedStyle(root).getPropertyValue(name).trim();
    const axis = { gridcolor: of("--line"), linecolor: of("--faint"), zerolinecolor: of("--faint") };
    const font = { color: of("--text"), family: getComputedStyle(document.body).fontFamily, size: 13 };
    const back = of("--page");
    return { font, axis, back, hover: { bgcolor: of("--card"), font } };
  };
  const drawn = [];
  const recolour = () => {
    const { font, axis, back, hover } = look();
    for (const canvas of drawn) {
      const change = { font, paper_bgcolor: back, plot_bgcolor: back, hoverlabel: hover };
      for (const which of ["xaxis", "yaxis"]) {
        for (const [name, value] of Object.entries(axis)) change[`${which}.${name}`] = value;
      }
      Plotly.relayout(canvas, change);
      const inked = canvas.data.map((trace, n) => n).filter((n) => canvas.data[n].meta === "ink");
      if (inked.length) Plotly.restyle(canvas, { "marker.color": font.color }, inked);
    }
  };
  colours.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme || "system") + 1) % themes.length];
    if (next === "system") delete root.dataset.theme; else root.dataset.theme = next;
    colours.textContent = `Colours: ${next}`;
    recolour();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);

  // Plots: drawn without a script until someone uses one, since the library takes a second to be read.
  const plain = (text) => {
    const holder = document.createElement("textarea");
    holder.innerHTML = text;
    return holder.value;
  };
  const steer = (canvas, told) => {
    let line = 0, point = -1;
    const shown = () => canvas.data.map((trace, n) => n).filter((n) => {
      return canvas.data[n].visible !== false && canvas.data[n].visible !== "legendonly";
    });
    const tell = () => {
      const trace = canvas.data[line], across = canvas.layout.xaxis, up = canvas.layout.yaxis;
      const name = (axis, value) => {
        const at = axis.tickvals ? axis.tickvals.indexOf(value) : -1;
        return at < 0 ? Number(value.toPrecision(6)) : plain(axis.ticktext[at]);
      };
      told.textContent = `${plain(trace.name)}: ${name(up, trace.y[point])} at ${name(across, trace.x[point])}`;
      Plotly.Fx.hover(canvas, [{ curveNumber: line, pointNumber: point }]);
    };
    canvas.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
      const step = steps[event.key];
      if (!step || event.target !== canvas) return;
      event.preventDefault();
      const lines = shown();
      if (!lines.length) return;
      const at = Math.max(0, lines.indexOf(line));
      line = lines[(at + step[0] + lines.length) % lines.length];
      const points = canvas.data[line].x.length;
      point = step[0] ? Math.min(Math.max(point, 0), points - 1) : (Math.max(point + step[1], -1) + points) % points;
      tell();
    });
  };
  const readLibrary = () => {
    const kept = document.getElementById("plotly");
    if (!kept) return;
    const script = document.createElement("script");
    script.textContent = kept.textContent;
    kept.remove();
    document.head.append(script);
  };
  const draw = (figure) => {
    if (figure.dataset.drawn) return;
    figure.dataset.drawn = "yes";
    readLibrary();
    const canvas = figure.querySelector(".canvas"), told = figure.querySelector("[data-told]");
    canvas.replaceChildren();
    const { traces, layout, views } = JSON.parse(figure.querySelector("[data-figure]").textContent);
    const { font, axis, back, hover } = look();
    const whole = {
      ...layout, font, paper_bgcolor: back, plot_bgcolor: back, hoverlabel: hover, hovermode: "closest",
      margin: { l: 10, r: 15, t: 20, b: 45 },
      xaxis: { automargin: true, ...axis, ...layout.xaxis }, yaxis: { automargin: true, ...axis, ...layout.yaxis },
    };
    for (const trace of traces) if (trace.meta === "ink") trace.marker.color = font.color;
    Plotly.newPlot(canvas, traces, whole, { responsive: true, displaylogo: false, displayModeBar: false });
    drawn.push(canvas);
    steer(canvas, told);
    const choice = figure.querySelector("[data-view]");
    if (choice) {
      choice.addEventListener("change", () => {
        const view = views[Number(choice.value)], first = traces.map((trace, n) => {
          if (!view.traces.includes(n)) return false;
          return String(trace.name).startsWith("null model") ? "legendonly" : true;
        });
        told.textContent = "";
        Plotly.update(canvas, { visible: first }, { "xaxis.title.text": view.across, "xaxis.autorange": true });
      });
    }
  };
  for (const figure of all("figure.plot")) {
    figure.addEventListener("focusin", () => draw(figure));
    figure.addEventListener("pointerdown", () => draw(figure));
  }
  root.dataset.ready = "yes";

  // Paper: everything is opened, in the colours of paper.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const each of closed) each.open = true;
    recolour();
  });
  addEventListener("afterprint", () => {
    for (const each of closed) each.open = false;
    recolour();
  });
})();
