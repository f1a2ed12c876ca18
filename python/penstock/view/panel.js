// Beside the drawing: what is followed or chosen, events around now, totals, and the legend.
const chosenTitle = one("[data-chosen-title]"), facts = one("[data-facts]"), list = one("[data-events]");
const told = one("[data-told]"), legend = one("[data-legend]"), unfollow = one("[data-unfollow]");
const SHOWN = 40;

const setFacts = (title, pairs) => {
  chosenTitle.textContent = title;
  facts.replaceChildren(...pairs.flatMap(([name, value]) => {
    const row = document.createElement("div");
    row.append(
      Object.assign(document.createElement("dt"), { textContent: name }),
      Object.assign(document.createElement("dd"), { textContent: value }),
    );
    return [row];
  }));
};
const tell = (n) => {
  told.textContent = sentence(n);
  told.dataset.kind = model.kinds[kind[n]];
};
// The events of the list: all of a packet, else those around now.
const listed = () => {
  if (state.follow && state.follow.packet !== undefined) {
    const found = [];
    for (let n = firstOf[state.follow.packet]; n !== NONE && found.length < 500; n = nextOf[n]) found.push(n);
    return found;
  }
  const found = [], middle = state.event !== null && time[state.event] === state.now ? state.event + 1 : above(time, state.now);
  for (let n = middle - 1, tries = 0; n >= 0 && found.length < SHOWN / 2 && tries < 20000; n -= 1, tries += 1) if (passes(n)) found.unshift(n);
  const before = found.length;
  for (let n = middle, tries = 0; n < count && found.length < before + SHOWN / 2 && tries < 20000; n += 1, tries += 1) if (passes(n)) found.push(n);
  return found;
};
let listKey = "";
const drawList = () => {
  const events = listed(), current = state.event !== null && time[state.event] === state.now
    ? state.event : events[above(events.map((n) => time[n]), state.now) - 1];
  const key = `${events[0]} ${events.length} ${events[events.length - 1]} ${followed()}`;
  if (key !== listKey) {
    listKey = key;
    list.replaceChildren(...events.map((n) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.dataset.event = n;
      button.dataset.kind = model.kinds[kind[n]];
      button.append(
        Object.assign(document.createElement("span"), { className: "when", textContent: `${timeText(n)} s` }),
        ` ${shortText(n)}`,
      );
      item.append(button);
      return item;
    }));
    if (!events.length) list.append(Object.assign(document.createElement("li"), { textContent: "No event." }));
  }
  for (const button of list.querySelectorAll("button")) {
    const is = Number(button.dataset.event) === current;
    if (is === button.hasAttribute("aria-current")) continue;
    if (is) {
      button.setAttribute("aria-current", "true");
      const box = list.parentElement, row = button.parentElement;
      if (row.offsetTop < box.scrollTop || row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) {
        box.scrollTop = row.offsetTop - box.clientHeight / 2;
      }
    } else button.removeAttribute("aria-current");
  }
};
list.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  setPlaying(false);
  visit(Number(button.dataset.event));
});
const showChosen = () => {
  const { follow, chosen } = state;
  unfollow.hidden = !follow && chosen === null;
  if (follow && follow.packet !== undefined) {
    const p = follow.packet, whose = model.flows[flow[firstOf[p]]] || "none";
    const number = columns.sequence[p], ack = columns.acknowledgement[p];
    setFacts(`Packet: ${packetText(p)}`, [
      ["flow", whose], ["size", packetFacts(p)],
      ...(number === NONE ? [] : [["sequence number", number]]), ...(ack === NONE ? [] : [["acknowledges up to", ack]]),
    ]);
  } else if (follow) setFacts(`Flows: ${follow.name}`, [["flows", follow.count]]);
  else if (chosen !== null) {
    setFacts(isLink(chosen) ? `Link ${model.places[chosen]}` : `Node ${model.places[chosen]}`, isLink(chosen) ? linkFacts(chosen) : nodeFacts(chosen));
  } else setFacts("All flows", [["flows", model.flows.length], ["packets", packets], ["nodes", nodeCount], ["links", linkCount]]);
};

// Totals until now, which grow with the time and start over when it goes back.
const tally = { upTo: 0, sent: null, marked: null, dropped: null };
const restart = () => {
  tally.upTo = 0;
  for (const name of ["sent", "marked", "dropped"]) tally[name] = new Uint32Array(model.places.length + 1);
};
const tallyUntil = (at) => {
  const upTo = above(time, at);
  if (upTo < tally.upTo) restart();
  for (let n = tally.upTo; n < upTo; n += 1) {
    if (!passes(n)) continue;
    if (kind[n] === KIND.transmit) tally.sent[place[n]] += 1;
    else if (kind[n] === KIND.mark) tally.marked[place[n]] += 1;
    else if (kind[n] === KIND.drop) tally.dropped[place[n]] += 1;
  }
  tally.upTo = upTo;
};
const body = one("[data-links]");
const rows = model.queues.slice(0, 1000).map((name) => {
  const row = body.insertRow(), head = Object.assign(document.createElement("th"), { scope: "row", textContent: name });
  row.append(head);
  return [0, 1, 2, 3].map(() => Object.assign(row.insertCell(), { className: "number" }));
});
const drawTotals = () => {
  tallyUntil(state.now);
  rows.forEach((cells, number) => {
    const at = queuePlace[number];
    const values = [queueAt(number, state.now), tally.sent[at], tally.marked[at], tally.dropped[at]];
    values.forEach((value, n) => { if (cells[n].textContent !== String(value)) cells[n].textContent = String(value); });
  });
};

// The legend; a click follows the flows of one colour, if colours tell flows.
const drawLegend = () => {
  const { names, flowsOf } = scheme(), shown = names.slice(0, 12);
  const items = shown.map((name, number) => {
    const item = document.createElement("li"), sample = document.createElement("span");
    sample.className = "sample";
    sample.style.background = palette(number);
    if (flowsOf) {
      const button = Object.assign(document.createElement("button"), { type: "button" });
      button.append(sample, name);
      button.setAttribute("aria-pressed", String(Boolean(state.follow && state.follow.name === name)));
      button.addEventListener("click", () => {
        const is = state.follow && state.follow.name === name;
        followFlows(is ? null : name, is ? [] : flowsOf(number));
      });
      item.append(button);
    } else item.append(sample, name);
    return item;
  });
  const more = names.length - shown.length;
  if (more > 0) items.push(Object.assign(document.createElement("li"), { textContent: `and ${more} more; colours repeat` }));
  legend.replaceChildren(...items);
};
