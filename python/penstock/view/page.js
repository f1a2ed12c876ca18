// State, controls and the loop.
let changed = true;
const state = { now: begin, follow: null, chosen: null, event: null, link: 0, span: 1, colour: "", step: 0 };
const slider = one("#slider"), output = one("[data-now]"), pace = one("[data-pace]"), play = one("[data-play]");
decidedAt.time = Float64Array.from(decidedAt, (n) => time[n]);
state.step = (end - begin) / 2000;
let playing = false, look = {};
const followed = () => (state.follow ? state.follow.key : "");
const passes = (n) => {
  const { follow } = state;
  if (!follow) return true;
  return follow.packet === undefined ? follow.wanted[flow[n]] === 1 : packet[n] === follow.packet;
};
// Events of the followed flows, or of the flow of the followed packet.
const isOfFlow = (n) => {
  const one = state.follow && state.follow.packet;
  return typeof one === "number" ? flow[n] === flow[firstOf[one]] : passes(n);
};

// Colours of packets; black is the text's in the dark, and the last, a yellow, is too faint on paper.
const palette = (number) => {
  const colour = model.colours[number % (model.colours.length - 1)];
  return colour === "#000000" ? look.text : colour;
};
const schemes = {
  group: { label: "group of flows", names: groupNames, of: (n) => groupOf[flow[n]], flowsOf: (number) => groups.get(groupNames[number]) },
  flow: { label: "flow", names: model.flows, of: (n) => flow[n], flowsOf: (number) => [number] },
  class: { label: "class", names: model.classes, of: (n) => service[n] },
  kind: { label: "kind of packet", names: model.packetKinds, of: (n) => (packet[n] === NONE ? 0 : columns.packetKind[packet[n]]) },
};
{
  const present = [...new Set(columns.packetKind)].sort((a, b) => a - b), at = new Map(present.map((each, number) => [each, number]));
  schemes.kind.names = present.map((each) => model.packetKinds[each]);
  schemes.kind.of = (n) => (packet[n] === NONE ? 0 : at.get(columns.packetKind[packet[n]]));
}
const scheme = () => schemes[state.colour];
const hue = (n) => palette(scheme().of(n));

const theme = () => {
  const of = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  look = {
    page: of("--page"), text: of("--text"), faint: of("--faint"), line: of("--line"), ink: of("--ink"),
    bar: of("--bar"), drop: of("--drop"), tick: of("--tick"),
  };
  changed = true;
  drawLegend();
};

const go = (instant) => { state.now = Math.min(end, Math.max(begin, instant)); };
const setPlaying = (is) => {
  playing = is;
  play.textContent = is ? "Pause" : "Play";
  play.setAttribute("aria-pressed", String(is));
};
const visit = (n) => {
  state.event = n;
  go(time[n]);
  tell(n);
  changed = true;
};
const isDecision = (n) => kind[n] === KIND.drop || kind[n] === KIND.mark;
// The next event that counts, from the current one or from now; from the beginning, the first.
const step = (by, only = () => true) => {
  setPlaying(false);
  const isAt = state.event !== null && time[state.event] === state.now;
  let n = isAt ? state.event + by : above(time, state.now) - (by < 0 ? 1 : 0);
  if (!isAt && by > 0 && state.now === begin) n = 0;
  while (n >= 0 && n < count && !(passes(n) && only(n))) n += by;
  if (n < 0 || n >= count) {
    told.textContent = `This page has no ${by > 0 ? "later" : "earlier"} ${only === isDecision ? "drop or mark" : "event"}.`;
    return;
  }
  visit(n);
};

const choose = (found) => {
  state.chosen = null;
  if (!found) state.follow = null;
  else if (found.place !== undefined) {
    state.follow = null;
    state.chosen = found.place;
    const link = queueOf.get(found.place);
    if (link !== undefined) { state.link = link; linkChoice.value = String(link); }
  } else {
    followPacket(found.packet);
    if (found.isDecision) visit(found.event); else tell(found.event);
  }
  refollow();
};
const refollow = () => {
  restart();
  showChosen();
  drawLegend();
  const chosen = chosenFlows.findIndex(([name]) => state.follow && name === state.follow.name);
  flowChoice.value = chosen < 0 ? "" : String(chosen);
  changed = true;
};
const followPacket = (p) => {
  const links = new Set();
  for (let n = firstOf[p]; n !== NONE; n = nextOf[n]) {
    links.add(place[n]);
    if (isLink(place[n])) for (const node of model.network.links[place[n] - nodeCount].slice(0, 2)) links.add(node);
  }
  state.follow = { key: `packet ${p}`, packet: p, links };
};
const followFlows = (name, members) => {
  state.chosen = null;
  state.follow = null;
  if (name !== null) {
    const wanted = new Uint8Array(model.flows.length + 1), path = new Set();
    for (const member of members) wanted[member] = 1;
    for (let n = 0; n < count; n += 1) {
      if (wanted[flow[n]] !== 1 || path.has(place[n])) continue;
      path.add(place[n]);
      if (isLink(place[n])) for (const node of model.network.links[place[n] - nodeCount].slice(0, 2)) path.add(node);
    }
    state.follow = { key: `flows ${name}`, name, wanted, links: path, count: members.length };
  }
  refollow();
};

// Choices.
const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
const flowChoice = one("[data-flow]"), chosenFlows = [];
for (const [group, members] of groups) {
  const single = members.length === 1 ? model.flows[members[0]] : `${group} (${members.length})`;
  chosenFlows.push([members.length > 1 ? group : single, members]);
  flowChoice.append(option(String(chosenFlows.length - 1), single));
  if (members.length > 1) for (const member of members.slice(0, 500)) {
    chosenFlows.push([model.flows[member], [member]]);
    flowChoice.append(option(String(chosenFlows.length - 1), model.flows[member]));
  }
}
flowChoice.addEventListener("change", () => {
  if (flowChoice.value === "") followFlows(null, []);
  else followFlows(...chosenFlows[Number(flowChoice.value)]);
});
const colourChoice = one("[data-colour]");
for (const [key, { label, names }] of Object.entries(schemes)) if (names.length) colourChoice.append(option(key, label));
state.colour = groupNames.length > 1 || !model.flows.length ? "group" : "flow";
if (!schemes[state.colour].names.length) state.colour = "kind";
colourChoice.value = state.colour;
colourChoice.addEventListener("change", () => { state.colour = colourChoice.value; drawLegend(); changed = true; });
const linkChoice = one("[data-link]");
model.queues.forEach((name, number) => linkChoice.append(option(String(number), name)));
linkChoice.addEventListener("change", () => { state.link = Number(linkChoice.value); changed = true; });
one("[data-span]").addEventListener("change", (event) => { state.span = Number(event.target.value); changed = true; });
pace.addEventListener("change", () => { changed = true; });
// First shown: the link with most drops and marks, else the one with the longest queue.
{
  restart();
  tallyUntil(end);
  const weights = model.queues.map((_, number) => {
    const own = queue.subarray(queueBegin[number], queueBegin[number + 1]), at = queuePlace[number];
    return (tally.dropped[at] + tally.marked[at]) * 1e6 + own.reduce((most, each) => Math.max(most, each), 0);
  });
  state.link = weights.reduce((best, each, number) => (each > weights[best] ? number : best), 0);
  linkChoice.value = String(state.link);
  restart();
}

// Buttons and keys.
play.addEventListener("click", () => { if (!playing && state.now >= end) go(begin); setPlaying(!playing); });
slider.addEventListener("input", () => { setPlaying(false); go(begin + (Number(slider.value) / 1e5) * (end - begin)); });
// Without a step of its own, a browser moves a slider too little.
slider.addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  go(state.now + (by * (end - begin)) / state.span / 200);
});
for (const button of document.querySelectorAll("[data-step]")) {
  const by = Number(button.dataset.step), only = button.dataset.only ? isDecision : undefined;
  button.addEventListener("click", () => step(by, only));
}
for (const button of document.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => { if (button.dataset.zoom === "fit") fitAll(); else zoom(Number(button.dataset.zoom)); });
}
unfollow.addEventListener("click", () => { choose(null); one("[data-stage]").focus(); });
const followCurrent = () => {
  if (state.event !== null && packet[state.event] !== NONE) choose({ packet: packet[state.event], event: state.event });
  else told.textContent = "Go to an event of a packet first, with Next event.";
};
one("[data-follow]").addEventListener("click", followCurrent);
stage.addEventListener("keydown", (event) => {
  const keys = {
    "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: fitAll, f: fitAll,
    ArrowLeft: () => pan(40, 0), ArrowRight: () => pan(-40, 0), ArrowUp: () => pan(0, 40), ArrowDown: () => pan(0, -40),
    " ": () => play.click(), n: () => step(1), p: () => step(-1), d: () => step(1, isDecision), Enter: followCurrent,
    Escape: () => choose(null),
  };
  if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  keys[event.key]();
});
const colours3 = one("[data-theme-button]"), themes = ["system", "light", "dark"];
colours3.addEventListener("click", () => {
  const next = themes[(themes.indexOf(root.dataset.theme || "system") + 1) % themes.length];
  if (next === "system") delete root.dataset.theme; else root.dataset.theme = next;
  colours3.textContent = `Colours: ${next}`;
  theme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
addEventListener("resize", () => { changed = true; });

let last = 0, drawn = null, written = 0;
const frame = (stamp) => {
  if (playing) {
    go(state.now + (((stamp - last) / 1000) * (end - begin)) / Number(pace.value));
    if (state.now >= end) setPlaying(false);
  }
  last = stamp;
  if (state.now !== drawn || changed) {
    const isAsked = changed || !playing;
    changed = false;
    const shown = drawStage();
    drawChart();
    slider.value = String(((state.now - begin) / (end - begin)) * 1e5);
    output.textContent = `${state.now.toFixed(9)} s, ${plural(shown, "packet")} in flight`;
    slider.setAttribute("aria-valuetext", `${state.now.toFixed(9)} s`);
    // Text changes too quickly to be read while time goes by, and costs more than the drawing.
    if (isAsked || stamp - written > 250) { drawTotals(); drawList(); written = stamp; }
    drawn = state.now;
    root.dataset.drawn = String(Number(root.dataset.drawn || 0) + 1);
  }
  requestAnimationFrame(frame);
};
theme();
showChosen();
requestAnimationFrame(frame);
root.dataset.ready = "yes";
