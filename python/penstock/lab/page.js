"use strict";
// What the page knows, what it asks of the server, and what it makes of the answers.
(() => {
  const { make, model } = Plots;
  const one = (selector) => document.querySelector(selector);
  const root = document.documentElement, store = `penstock-lab ${location.pathname}`;
  const said = one("[data-said]"), progress = one("[data-progress]"), results = one("#results");
  const area = one("[data-text]"), gutter = one("[data-gutter]"), marks = one("[data-marks]");
  const name = Math.random().toString(36).slice(2);
  let state = { text: model.text ?? "", disk: model.text ?? "", digest: model.digest, sets: model.sets, runs: model.runs, panel: "", pins: [] };
  try { state = { ...state, ...JSON.parse(sessionStorage.getItem(store) || "{}") }; } catch { /* what was kept is of no use */ }
  let now = { metrics: [], panel: null }, timer = 0, asking = null, copies = {}, seen = 0, groups = [], hasMistakes = false;

  const keep = () => { try { sessionStorage.setItem(store, JSON.stringify(state)); } catch { /* it is full: the page works without */ } };
  const post = (path, body, signal) => fetch(path, { method: "POST", body: JSON.stringify(body), signal });
  const short = (path) => path.split(".").slice(path.includes(".queue") || path.includes(".scheduler") ? -2 : -1).join(" ");
  const settingName = () => {
    const parts = state.sets.map(([path, value]) => `${short(path)} = ${value.length > 40 ? `${value.slice(0, 39)}…` : value}`);
    if (state.text !== state.disk) parts.unshift("edited text");
    return parts.join(", ") || "as written";
  };
  const draw = () => {
    if (!now.metrics.length) return;
    Plots.show([{ ...now, name: "now" }, ...state.pins]);
  };

  // Asking: the page waits a moment after a change; what was asked before is cancelled.
  const ask = (wait) => {
    clearTimeout(timer);
    keep();
    timer = setTimeout(run, wait);
  };
  const lines = async function* (response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n");
      rest = parts.pop();
      for (const part of parts) yield JSON.parse(part);
    }
  };
  const run = async () => {
    asking?.abort();
    const own = (asking = new AbortController());
    one("[data-cancel]").hidden = false;
    one("[data-again]").hidden = true;
    progress.removeAttribute("value");
    seen = 0;
    const begun = performance.now();
    said.textContent = "Running";
    const tick = setInterval(() => {
      const time = (performance.now() - begun) / 1000;
      if (time > 1.5 && seen < state.runs) said.textContent = `${seen} of ${state.runs} runs after ${time.toFixed(0)} s`;
    }, 500);
    try {
      const { text, sets, runs, panel } = state;
      const response = await post("look", { page: name, text, sets, runs, panel }, own.signal);
      if (!response.ok) throw new Error(await response.text());
      for await (const event of lines(response)) if (asking === own) take(event);
    } catch (error) {
      if (asking === own && error.name !== "AbortError") notice("server", "penstock lab does not answer any more; start it again. Nothing on this page is lost.");
    } finally {
      clearInterval(tick);
      if (asking === own) { one("[data-cancel]").hidden = true; asking = null; }
    }
  };
  const take = (event) => {
    ({ controls, scenario, numbers, progress: soFar, panel, options, mistakes, failed, done })[event.kind]?.(event);
  };
  const controls = (event) => {
    groups = event.groups;
    Controls.show(groups, state.sets);
    one("[data-untouched]").textContent = groups.length ? "" : "The parameters appear once the text can be read.";
    const select = one("[data-panel]"), names = event.panels;
    if (names.join() !== [...select.options].map((each) => each.value).join()) select.replaceChildren(...names.map((each) => make("option", each)));
    if (names.includes(state.panel)) select.value = state.panel;
    one("[data-over-time]").hidden = !names.length || hasMistakes && !now.panel;
    one("[data-reset]").disabled = !state.sets.length;
  };
  const scenario = (event) => {
    right();
    copies = { command: event.command, python: event.python };
    one("[data-description]").textContent = event.description;
    one("[data-command]").textContent = event.command;
    one("[data-python]").textContent = event.python;
    one("[data-repeat]").hidden = false;
    const warnings = one("[data-warnings]");
    warnings.replaceChildren(...event.warnings.map((each) => make("li", each)));
    warnings.hidden = !event.warnings.length;
    for (const button of document.querySelectorAll("[data-copy]")) button.disabled = false;
    unsaved();
  };
  const soFar = (event) => {
    seen = Math.max(seen, event.done);
    progress.max = event.of;
    progress.value = seen;
  };
  const numbers = (event) => {
    now.metrics = event.metrics;
    now.runs = event.runs;
    soFar({ done: event.runs, of: event.of });
    results.classList.remove("stale");
    one("[data-pin]").disabled = false;
    const stored = event.stored ? `, ${event.stored} from the store` : "";
    const more = event.left_out ? `; ${event.left_out} more numbers are in 'penstock run'` : "";
    said.textContent = `${event.runs} of ${event.of} run${event.of === 1 ? "" : "s"} in ${event.seconds.toFixed(2)} s${stored}${more}`;
    draw();
    root.dataset.shownRuns = event.runs;
  };
  const panel = (event) => {
    now.panel = event;
    const more = event.left_out ? `; ${event.left_out} more are left out` : "";
    one("[data-panel-said]").textContent = event.why ? event.why : `Replication 0, sampled at ${Math.max(0, ...event.lines.map((line) => line.x.length))} instants${more}.`;
    one("[data-over-time]").hidden = false;
    draw();
  };
  const options = (event) => Controls.offer(event.options);
  const done = () => { root.dataset.done = Number(root.dataset.done || 0) + 1; };
  const failed = (event) => {
    progress.value = 0;
    said.textContent = "Failed";
    const box = one("[data-mistakes]");
    box.replaceChildren(make("h3", "The runs failed"), make("pre", event.message));
    box.hidden = false;
    results.classList.add("stale");
  };

  // Mistakes: in the text, at the controls, and in one list.
  const right = () => { hasMistakes = false; Controls.wrong([]); one("[data-mistakes]").hidden = true; markLines([]); };
  const mistakes = (event) => {
    const found = event.mistakes, box = one("[data-mistakes]"), list = make("ul");
    hasMistakes = true;
    Controls.wrong(found);
    for (const each of found) {
      const item = make("li"), jump = make("button", each.text, { type: "button" });
      jump.addEventListener("click", () => (each.setting === null ? goTo(each.line || 1) : (choose("controls"), Controls.reveal(each.setting))));
      item.append(jump);
      list.append(item);
    }
    box.replaceChildren(make("h3", `${found.length} mistake${found.length === 1 ? "" : "s"}; nothing was run`), list);
    box.hidden = false;
    markLines(found.filter((each) => each.line));
    progress.value = 0;
    said.textContent = now.metrics.length ? "The numbers below are of the last sound setting" : "Nothing has run yet";
    results.classList.add("stale");
    if (found.some((each) => each.setting === null)) { if (!now.metrics.length) choose("text"); }
  };
  const markLines = (found) => {
    const rows = area.value.split("\n"), wrong = new Map();
    for (const each of found) wrong.set(each.line, [...(wrong.get(each.line) || []), each.message]);
    gutter.replaceChildren(...rows.map((_, at) => make("span", `${at + 1}\n`, wrong.has(at + 1) ? { class: "wrong" } : {})));
    marks.replaceChildren();
    for (const [line, messages] of wrong) {
      const band = make("div"), words = make("span", messages.join("; "));
      band.style.top = `${(line - 1) * 20 + 6.4}px`;
      words.style.left = `calc(${(rows[line - 1] || "").length}ch + 1.2rem)`;
      band.append(words);
      marks.append(band);
    }
    follow();
  };
  const follow = () => {
    gutter.scrollTop = area.scrollTop;
    marks.style.transform = `translate(${-area.scrollLeft}px, ${-area.scrollTop}px)`;
  };
  const goTo = (line) => {
    choose("text");
    const before = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1);
    area.focus();
    area.setSelectionRange(before, before);
    area.scrollTop = Math.max(0, (line - 6) * 20);
    follow();
  };

  // The text: edited here, saved on request, and compared with the file on disk.
  const unsaved = () => {
    const differs = state.text !== state.disk;
    one("[data-unsaved]").hidden = !differs;
    one("[data-save]").disabled = one("[data-revert]").disabled = !differs;
    one("[data-repeat-said]").hidden = !differs;
  };
  const setText = (text) => { area.value = state.text = text; Controls.forget(); markLines([]); unsaved(); };
  area.addEventListener("input", () => { state.text = area.value; markLines([]); unsaved(); Controls.forget(); one("[data-saved]").textContent = ""; ask(350); });
  area.addEventListener("scroll", follow);
  const save = async (known) => {
    const text = state.text;
    const response = await post("save", { text, known }).catch(() => null);
    const answer = response ? await response.json() : { message: "penstock lab does not answer any more." };
    if (response?.ok) {
      state.disk = text;
      state.digest = answer.digest;
      one("[data-saved]").textContent = "Saved";
      notice("disk", "");
    } else if (response?.status === 409) {
      await look();
    } else one("[data-saved]").textContent = answer.message;
    unsaved();
    keep();
  };
  const load = async () => {
    const found = await (await fetch("disk")).json();
    if (found.text === null) return;
    Object.assign(state, { disk: found.text, digest: found.digest });
    setText(found.text);
    notice("disk", "");
    ask(0);
  };
  one("[data-save]").addEventListener("click", () => save(state.digest));
  one("[data-revert]").addEventListener("click", () => { setText(state.disk); ask(0); });
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); if (state.text !== state.disk) save(state.digest); }
  });
  const look = async () => {
    if (document.hidden) return;
    const found = await fetch("disk").then((response) => response.json(), () => null);
    if (!found) { notice("server", "penstock lab does not answer any more; start it again. Nothing on this page is lost."); return; }
    notice("server", "");
    if (found.text === null) notice("disk", found.why, [["Write it again", () => save(null)]]);
    else if (found.digest !== state.digest) {
      const own = () => { state.digest = found.digest; state.disk = found.text; notice("disk", ""); unsaved(); keep(); };
      if (found.text === state.text) own();
      else if (state.text === state.disk) notice("disk", `${model.file} has changed on disk.`, [["Load it", load], ["Keep this text", own]]);
      else notice("disk", `${model.file} has changed on disk. Your text is still here.`, [["Load it", load], ["Keep this text", own], ["Save over it", () => save(null)]]);
    } else notice("disk", "");
  };
  setInterval(look, 2000);
  const notice = (kind, words, actions = []) => {
    const holder = one("[data-notices]"), there = holder.querySelector(`[data-notice=${kind}]`);
    if (there?.dataset.words === words || (!there && !words)) return;
    there?.remove();
    if (!words) return;
    const made = make("div", undefined, { class: "notice", role: "alert", "data-notice": kind, "data-words": words });
    made.append(make("span", words), ...actions.map(([label, act]) => {
      const button = make("button", label, { type: "button" });
      button.addEventListener("click", act);
      return button;
    }));
    holder.append(made);
  };

  // Settings.
  const isAt = (path, above) => path === above || path.startsWith(`${above}.`);
  const writtenOf = (path) => groups.flatMap((group) => group.parts).flatMap((part) => [...part.controls, ...part.defaults]).find((each) => each.path === path)?.written;
  Controls.listen({
    set: (path, value, wait) => {
      state.sets = state.sets.filter(([own]) => own !== path);
      const placed = state.sets.some(([own]) => path.startsWith(`${own}.`));
      if (placed || value !== writtenOf(path)) state.sets.push([path, value]);
      one("[data-reset]").disabled = !state.sets.length;
      ask(wait);
    },
    place: (sets) => {
      state.sets = [...state.sets.filter(([own]) => !sets.some(([path]) => isAt(own, path))), ...sets];
      ask(0);
    },
    drop: (path, paths = [path]) => {
      state.sets = state.sets.filter(([own]) => own !== path && !paths.some((each) => isAt(own, each)));
      ask(0);
    },
  });
  one("[data-reset]").addEventListener("click", () => { state.sets = []; Controls.forget(); ask(0); });
  const runs = one("[data-runs]");
  runs.max = model.most;
  runs.addEventListener("change", () => {
    const count = Math.min(model.most, Math.max(1, Math.round(Number(runs.value)) || state.runs));
    runs.value = state.runs = count;
    ask(0);
  });
  one("[data-panel]").addEventListener("change", (event) => { state.panel = event.target.value; ask(0); });
  one("[data-cancel]").addEventListener("click", () => {
    asking?.abort();
    asking = null;
    progress.value = seen;
    said.textContent = `Cancelled after ${seen} of ${state.runs} runs; finished runs are kept`;
    one("[data-cancel]").hidden = true;
    one("[data-again]").hidden = false;
    one("[data-again]").focus();
  });
  one("[data-again]").addEventListener("click", () => ask(0));

  // Pins: settings that stay on the plots.
  const showPins = () => {
    const holder = one("[data-pins]");
    holder.hidden = !state.pins.length;
    holder.replaceChildren(...state.pins.map((pin, number) => {
      const made = make("div", undefined, { class: "pin" }), dot = make("i");
      dot.style.background = Plots.colourOf(number + 1);
      const back = make("button", "return", { type: "button", "aria-label": `Return to pin ${number + 1}: ${pin.name}` });
      const away = make("button", "✕", { type: "button", "aria-label": `Remove pin ${number + 1}: ${pin.name}` });
      back.addEventListener("click", () => {
        Object.assign(state, { sets: pin.sets.map((each) => [...each]), runs: pin.asked });
        runs.value = pin.asked;
        Controls.forget();
        if (pin.text !== state.text) setText(pin.text);
        ask(0);
      });
      away.addEventListener("click", () => { state.pins.splice(number, 1); showPins(); draw(); keep(); one("[data-pin]").focus(); });
      made.append(dot, make("span", `pin ${number + 1}: ${pin.name}`, { title: pin.name }), back, away);
      return made;
    }));
    one("[data-pin]").title = "Keep this setting on the plots";
  };
  one("[data-pin]").addEventListener("click", () => {
    if (state.pins.length >= 4) state.pins.shift();
    state.pins.push({ name: settingName(), metrics: now.metrics, panel: now.panel, sets: state.sets, text: state.text, asked: state.runs });
    showPins();
    draw();
    keep();
  });

  // Copying.
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const kind = button.dataset.copy;
      try {
        await navigator.clipboard.writeText(copies[kind]);
        button.textContent = "Copied";
      } catch {
        one("[data-repeat]").open = true;
        getSelection().selectAllChildren(one(`[data-${kind}]`));
        button.textContent = "Selected below";
      }
      if (state.text !== state.disk) notice("copy", "It runs the file, and the text on this page is not saved.", [["Save", () => { save(state.digest); notice("copy", ""); }]]);
      setTimeout(() => { button.textContent = kind === "python" ? "Copy as Python" : "Copy as command"; }, 1500);
    });
  }

  // Tabs and colours.
  const choose = (which) => {
    for (const each of ["controls", "text"]) {
      const tab = one(`#tab-${each}`), is = each === which;
      tab.setAttribute("aria-selected", is);
      tab.tabIndex = is ? 0 : -1;
      one(`#panel-${each}`).hidden = !is;
    }
    follow();
    Plots.again();
  };
  for (const each of ["controls", "text"]) {
    one(`#tab-${each}`).addEventListener("click", () => choose(each));
    one(`#tab-${each}`).addEventListener("keydown", (event) => {
      if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
      const other = each === "text" ? "controls" : "text";
      choose(other);
      one(`#tab-${other}`).focus();
    });
  }
  const themes = ["system", "light", "dark"], colours = one("[data-theme-button]");
  colours.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme || "system") + 1) % themes.length];
    if (next === "system") delete root.dataset.theme; else root.dataset.theme = next;
    colours.textContent = `Colours: ${next}`;
    Plots.again();
    showPins();
  });

  area.value = state.text;
  runs.value = state.runs;
  markLines([]);
  unsaved();
  showPins();
  if (model.why) notice("disk", model.why);
  ask(0);
})();
