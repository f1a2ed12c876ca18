"use strict";
// The left side: a slider, a choice or a switch for each parameter, made from what the server has found in the scenario.
const Controls = (() => {
  const { make } = Plots;
  const holder = document.querySelector("[data-groups]"), find = document.querySelector("[data-find]");
  const STEPS = 200;
  let ranges = {}, shape = "", options = {}, applied = {}, change = () => {}, boxes = new Map();

  const rounded = (value, whole) => (whole ? Math.round(value) : Number(value.toPrecision(3)));
  const numberOf = (text) => {
    const found = /^\s*([\d_]*\.?[\d_]+(?:e[+-]?\d+)?)\s*(?:\/\s*(\d+))?\s*(\S*)\s*$/i.exec(text);
    return found ? [Number(found[1].replace(/_/g, "")) / Number(found[2] || 1), found[3]] : null;
  };
  const written = (value, unit) => (unit ? `${value} ${value === 1 && ["packets", "bytes"].includes(unit) ? unit.slice(0, -1) : unit}` : String(value));
  const isWhole = (range) => range.whole && !range.log && range.high - range.low <= STEPS;
  const valueAt = (range, at) => {
    if (isWhole(range)) return at;
    const share = at / STEPS;
    if (share <= 0) return range.low;
    if (share >= 1) return range.high;
    return rounded(range.log ? range.low * (range.high / range.low) ** share : range.low + share * (range.high - range.low), range.whole);
  };
  const stepOf = (range, value) => {
    if (isWhole(range)) return value;
    const share = range.log ? Math.log(value / range.low) / Math.log(range.high / range.low) : (value - range.low) / (range.high - range.low);
    return Math.round(Math.min(1, Math.max(0, share || 0)) * STEPS);
  };
  // The range stays as it was first, so that a slider does not move away under the hand.
  const rangeOf = (control) => {
    const kept = ranges[control.path], now = numberOf(control.value), base = (unit) => unit.replace(/s$/, "");
    if (kept && (!now || (!now[1] && kept.unit))) return kept;
    if (kept && base(now[1]) === base(kept.unit) && now[0] >= kept.low && now[0] <= kept.high) return kept;
    return (ranges[control.path] = { low: control.low, high: control.high, unit: control.unit, log: control.log, whole: control.whole });
  };
  const idOf = (path) => `set-${path}`;

  const slider = (control, box) => {
    const input = make("input", undefined, { type: "range", id: idOf(control.path), min: 0, step: 1 });
    const value = make("input", undefined, { type: "text", class: "value", "aria-label": `${control.path}, typed`, autocomplete: "off" });
    const ends = make("div", undefined, { class: "scale" });
    ends.append(make("span", undefined, { "aria-hidden": "true" }), input, make("span", undefined, { "aria-hidden": "true" }));
    input.addEventListener("input", () => {
      const range = ranges[control.path];
      value.value = written(valueAt(range, Number(input.value)), range.unit);
      input.setAttribute("aria-valuetext", value.value);
      change.set(control.path, value.value, 90);
    });
    value.addEventListener("change", () => change.set(control.path, value.value.trim(), 0));
    box.row.append(value);
    box.element.append(ends);
    box.update = (now) => {
      const range = rangeOf(now), number = numberOf(now.value);
      input.min = isWhole(range) ? range.low : 0;
      input.max = isWhole(range) ? range.high : STEPS;
      if (document.activeElement !== input && number) input.value = stepOf(range, number[0]);
      if (document.activeElement !== value) value.value = now.value;
      input.setAttribute("aria-valuetext", now.value);
      ends.firstChild.textContent = written(rounded(range.low, range.whole), range.unit);
      ends.lastChild.textContent = written(rounded(range.high, range.whole), range.unit);
    };
  };
  const typed = (control, box) => {
    const value = make("input", undefined, { type: "text", class: "value", id: idOf(control.path), autocomplete: "off" });
    value.addEventListener("change", () => change.set(control.path, value.value.trim(), 0));
    box.row.append(value);
    box.update = (now) => { if (document.activeElement !== value) value.value = now.value; };
  };
  const choice = (control, box) => {
    const select = make("select", undefined, { id: idOf(control.path) });
    for (const each of control.choices) select.append(make("option", each.word, { title: each.doc }));
    select.addEventListener("change", () => change.set(control.path, select.value, 0));
    box.row.append(select);
    box.update = (now) => { select.value = now.value; };
  };
  const toggle = (control, box) => {
    const input = make("input", undefined, { type: "checkbox", id: idOf(control.path) });
    input.addEventListener("change", () => change.set(control.path, String(input.checked), 0));
    box.row.append(input);
    box.update = (now) => { input.checked = now.value === "true"; };
  };
  const boxOf = (path, label, doc) => {
    const element = make("div", undefined, { class: "control", "data-path": path });
    const row = make("div", undefined, { class: "row" });
    const undo = make("button", "reset", { type: "button", class: "undo", "aria-label": `Reset ${path}`, hidden: "" });
    undo.addEventListener("click", () => { change.drop(path, applied[path]?.paths); delete applied[path]; document.getElementById(idOf(path))?.focus(); });
    row.append(make("label", label, { for: idOf(path), title: path }), undo);
    element.append(row);
    const box = { element, row, undo, update: () => {}, doc };
    boxes.set(path, box);
    return box;
  };
  const finished = (box, doc) => {
    box.element.append(make("p", doc, { class: "doc", title: doc }), make("p", "", { class: "wrong", hidden: "", role: "alert" }));
    return box.element;
  };
  const controlOf = (control) => {
    const box = boxOf(control.path, control.label);
    ({ slider, number: typed, choice, switch: toggle })[control.kind](control, box);
    const about = [control.doc, control.allowed ? `Range: ${control.allowed}.` : "", control.default ? `Default: ${control.default}.` : ""];
    return finished(box, about.filter(Boolean).join(" "));
  };

  // One component of a kind: the scenario's own, and those that could stand in its place.
  const fill = (slot, select) => {
    const found = options[slot.path] || [], names = [...new Set([slot.name ?? "", ...found.map((each) => each.name)])];
    select.replaceChildren(...names.map((name) => {
      const each = found.find((option) => option.name === name);
      return make("option", name || "default", { value: name, title: each ? each.doc : "" });
    }));
    select.value = slot.name ?? "";
  };
  const slotOf = (slot, title, doc) => {
    const box = boxOf(slot.path, title);
    const select = make("select", undefined, { id: idOf(slot.path), "data-slot": slot.path });
    select.addEventListener("change", () => {
      const kept = applied[slot.path];
      if (kept && select.value === kept.name) { delete applied[slot.path]; change.drop(slot.path, kept.paths); return; }
      const found = (options[slot.path] || []).find((each) => each.name === select.value);
      if (!found) return;
      applied[slot.path] = { name: kept ? kept.name : slot.name ?? "", paths: [...new Set([...(kept ? kept.paths : []), ...found.sets.map(([path]) => path)])] };
      change.place(found.sets);
    });
    box.row.append(select);
    box.slot = slot;
    box.select = select;
    fill(slot, select);
    return finished(box, doc || slot.doc);
  };
  const partOf = (part) => {
    const made = [];
    if (part.slot) made.push(slotOf(part.slot, part.title, part.doc));
    else if (part.title && (part.controls.length || part.defaults.length)) made.push(make("h4", part.name ? `${part.title} ${part.name}` : part.title));
    made.push(...part.controls.map(controlOf));
    if (part.defaults.length) {
      const fold = make("details", undefined, { class: "defaults", "data-fold": part.defaults[0].path });
      fold.append(make("summary", `${part.defaults.length} more at ${part.defaults.length === 1 ? "its default" : "their defaults"}`), ...part.defaults.map(controlOf));
      made.push(fold);
    }
    return made;
  };
  const groupOf = (group, number) => {
    const made = make("details", undefined, { class: "group", "data-fold": group.title });
    if (number < 3 || group.title === "The run") made.open = true;
    made.append(make("summary", group.title), ...group.parts.flatMap(partOf));
    return made;
  };
  const all = (groups) => groups.flatMap((group) => group.parts.flatMap((part) => [...part.controls, ...part.defaults]));

  const show = (groups, sets) => {
    const now = JSON.stringify(groups.map((group) => [group.title, group.parts.map((part) => [part.title, part.name, part.slot && part.slot.path, part.controls.map((each) => each.path), part.defaults.map((each) => each.path)])]));
    if (now !== shape) {
      const first = shape === "", folds = new Map([...holder.querySelectorAll("[data-fold]")].map((each) => [each.dataset.fold, each.open]));
      const focus = document.activeElement?.id;
      shape = now;
      boxes = new Map();
      holder.replaceChildren(...groups.map(groupOf));
      if (!first) for (const each of holder.querySelectorAll("[data-fold]")) each.open = folds.get(each.dataset.fold) ?? each.open;
      if (focus) document.getElementById(focus)?.focus();
    }
    const moved = new Set(sets.map(([path]) => path));
    for (const control of all(groups)) boxes.get(control.path)?.update(control);
    for (const [path, box] of boxes) {
      const is = moved.has(path) || path in applied;
      box.undo.hidden = !is;
      box.element.classList.toggle("moved", is);
    }
    filter();
  };
  const offer = (found) => {
    options = found;
    for (const box of boxes.values()) if (box.slot) fill(box.slot, box.select);
  };
  const wrong = (mistakes) => {
    const lost = [];
    for (const box of boxes.values()) {
      box.element.classList.remove("is-wrong");
      box.element.querySelector(".wrong").hidden = true;
    }
    for (const mistake of mistakes) {
      const box = mistake.setting === null ? undefined : boxes.get(mistake.setting);
      if (!box) { lost.push(mistake); continue; }
      box.element.classList.add("is-wrong");
      const words = box.element.querySelector(".wrong");
      words.textContent = mistake.message;
      words.hidden = false;
    }
    return lost;
  };
  const reveal = (path) => {
    const box = boxes.get(path);
    if (!box) return;
    for (let up = box.element.parentElement; up && up !== holder; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    box.element.scrollIntoView({ block: "center" });
    document.getElementById(idOf(path))?.focus();
  };
  const filter = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [path, box] of boxes) {
      const text = `${path} ${box.element.textContent}`.toLowerCase();
      box.element.hidden = !words.every((word) => text.includes(word));
    }
    for (const fold of [...holder.querySelectorAll("details")].reverse()) {
      const some = [...fold.querySelectorAll(".control")].some((each) => !each.hidden);
      fold.hidden = words.length > 0 && !some;
      if (words.length && some) fold.open = true;
    }
  };
  find.addEventListener("input", filter);
  return { show, offer, wrong, reveal, forget: () => { ranges = {}; applied = {}; }, listen: (to) => { change = to; } };
})();
