// The run: unpacked columns, indexes, and names.
const one = (selector) => document.querySelector(selector);
const root = document.documentElement, model = JSON.parse(one("#model").textContent);
const NONE = 0xffffffff;

const unpack = async ({ type, data }) => {
  const types = { Uint8: Uint8Array, Uint32: Uint32Array, Float64: Float64Array };
  const letters = atob(data), bytes = new Uint8Array(letters.length);
  for (let n = 0; n < bytes.length; n += 1) bytes[n] = letters.charCodeAt(n);
  const whole = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new types[type](await new Response(whole).arrayBuffer());
};
const columns = {};
for (const [name, column] of Object.entries(model.arrays)) columns[name] = await unpack(column);
model.arrays = null;
const { kind, cause, flow, service, place, packet, picos, window: windows } = columns;
const count = kind.length, packets = columns.packetKind.length;
const nodeCount = model.network.nodes.length, linkCount = model.network.links.length;
const KIND = Object.fromEntries(model.kinds.map((name, number) => [name, number]));

const micros = columns.micros, time = new Float64Array(count);
for (let n = 0, sum = model.begin; n < count; n += 1) {
  sum += micros[n];
  micros[n] = sum;
  time[n] = sum / 1e6 + picos[n] / 1e12;
}
const begin = time[0], end = Math.max(time[count - 1], begin + 1e-9);
// Exact, to the picosecond.
const timeText = (n) => {
  const seconds = Math.floor(micros[n] / 1e6);
  return `${seconds}.${String(micros[n] % 1e6).padStart(6, "0")}${String(picos[n]).padStart(6, "0")}`;
};

// The number of sorted values that are at most `value`, from `low` to `high`.
const above = (values, value, low = 0, high = values.length) => {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle + 1; else high = middle;
  }
  return low;
};

// Each packet's first event, and for each event the next one of its packet.
const firstOf = new Uint32Array(packets).fill(NONE), nextOf = new Uint32Array(count).fill(NONE);
for (let n = count - 1; n >= 0; n -= 1) {
  if (packet[n] === NONE) continue;
  nextOf[n] = firstOf[packet[n]];
  firstOf[packet[n]] = n;
}

// Transmissions: when each begins and when the packet arrives; if the trace ends before, as for others of its link and size.
const sent = [], usual = new Map();
for (let n = 0; n < count; n += 1) if (kind[n] === KIND.transmit) sent.push(n);
const sentTime = Float64Array.from(sent, (n) => time[n]), arrival = new Float64Array(sent.length);
const arrivesWith = (n) => {
  let next = nextOf[n];
  while (next !== NONE && kind[next] === KIND.duplicate) next = nextOf[next];
  return next;
};
let longest = 0;
for (let s = sent.length - 1; s >= 0; s -= 1) {
  const n = sent[s], next = arrivesWith(n), alike = place[n] * 65536 + columns.size[packet[n]];
  if (next !== NONE) usual.set(alike, time[next] - time[n]);
  const travel = usual.get(alike) || 0;
  arrival[s] = time[n] + travel;
  longest = Math.max(longest, travel);
}

const windowAt = new Uint32Array(windows.length), decidedAt = [];
for (let n = 0, w = 0; n < count; n += 1) {
  if (kind[n] === KIND.window) { windowAt[w] = n; w += 1; }
  if (kind[n] === KIND.drop || kind[n] === KIND.mark) decidedAt.push(n);
}
const windowOf = (n) => windows[above(windowAt, n) - 1];
const decidedOf = (n) => above(decidedAt, n) - 1;

// Queues: changes of each link, one link after another; times as differences.
const { queue, queueBegin } = columns, queueTime = columns.queueGap;
for (let q = 0, ps = 0; q < queueTime.length; q += 1) {
  ps += queueTime[q];
  queueTime[q] = begin + ps / 1e12;
}
const queueAt = (link, at) => {
  const q = above(queueTime, at + 1e-13, queueBegin[link], queueBegin[link + 1]) - 1;
  return q < queueBegin[link] ? 0 : queue[q];
};
const longestQueue = Math.max(1, queue.reduce((most, each) => Math.max(most, each), 0));

// Places are nodes, then links. Links that have events have a queue.
const isLink = (number) => number >= nodeCount && number < nodeCount + linkCount;
const placeOf = new Map(model.places.map((name, number) => [name, number]));
const queuePlace = model.queues.map((name) => placeOf.get(name));
const queueOf = new Map(queuePlace.map((number, link) => [number, link]));
const portOf = (number) => model.network.ports.kinds[model.network.ports.of[number - nodeCount]];

// Groups of flows by name.
const groups = new Map();
model.flows.forEach((name, number) => {
  const group = name.replace(/\[\d+\]$/, "");
  groups.set(group, [...(groups.get(group) || []), number]);
});
const groupNames = [...groups.keys()], groupOf = new Uint32Array(model.flows.length + 1).fill(NONE);
groupNames.forEach((name, number) => { for (const member of groups.get(name)) groupOf[member] = number; });
