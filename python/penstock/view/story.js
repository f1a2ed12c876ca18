// Sentences about packets, events and places.
const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const packetText = (p) => {
  const number = columns.sequence[p] !== NONE ? columns.sequence[p] : columns.acknowledgement[p];
  const name = `${model.packetKinds[columns.packetKind[p]]}${number === NONE ? "" : ` ${number}`}`;
  const whose = model.flows[flow[firstOf[p]]];
  return `${name}${whose === undefined ? "" : ` of ${whose}`}`;
};
const packetFacts = (p) => `${plural(columns.size[p], "byte")}${columns.retransmission[p] ? ", a retransmission" : ""}`;
const placeText = (number) => `${isLink(number) ? "link" : "node"} ${model.places[number]}`;
const sections = {
  queue: "queue discipline", scheduler: "scheduler", policer: "policer", marker: "marker", shaper: "shaper",
  impairment: "impairment", pcn: "PCN meter",
};
// The component that decided: the queue of the packet's class, else the port's, else the scheduler that has the queues.
const decider = (n) => {
  const section = (model.causes[cause[n]] || {}).section;
  if (!section || !isLink(place[n])) return "";
  const port = portOf(place[n]);
  const found = [`${section} ${model.classes[service[n]]}`, section, section === "queue" ? "scheduler" : ""].find((key) => port[key]);
  return found ? ` Its ${sections[found.split(" ")[0]]} is ${port[found]}.` : "";
};
const colours = ["0 (green)", "1 (yellow)", "2 (red)"];
// The last cell of a frame has the frame's kind: places tell cells from packets.
const ofCells = new Set();
for (let n = 0; n < count; n += 1) {
  if (packet[n] !== NONE && model.packetKinds[columns.packetKind[packet[n]]] === "cell") ofCells.add(place[n]);
}
const unitAt = (number) => (ofCells.has(number) ? "cell" : "packet");
const hasQueues = (number) => Object.keys(portOf(number)).some((key) => key === "scheduler" || key.startsWith("queue "));
const decision = (n) => {
  const at = decidedOf(n), held = columns.decidedQueue[at], precedence = columns.precedence[at];
  const verb = kind[n] === KIND.drop ? "dropped" : "marked", why = (model.causes[cause[n]] || { why: "" }).why;
  const whole = held !== NONE && hasQueues(place[n]) ? "all queues of its port" : "its queue";
  const queued = held === NONE ? "" : ` At that instant ${whole} held ${plural(held, unitAt(place[n]))}.`;
  const colour = precedence && precedence !== 255 ? ` Drop precedence: ${colours[precedence] || precedence}.` : "";
  return `${verb} ${packetText(packet[n])} (${packetFacts(packet[n])})${why ? ` ${why}` : ""}.${queued}${decider(n)}${colour}`;
};
const what = (n) => {
  const whose = model.flows[flow[n]] || "a flow", reason = model.causes[cause[n]];
  switch (model.kinds[kind[n]]) {
    case "drop": case "mark": return decision(n);
    case "send": return `sent ${packetText(packet[n])} (${packetFacts(packet[n])}).`;
    case "accept": return `accepted ${packetText(packet[n])} into its queue.`;
    case "transmit": return `began to transmit ${packetText(packet[n])} (${packetFacts(packet[n])}).`;
    case "receive": return `received ${packetText(packet[n])}.`;
    case "duplicate": return `duplicated ${packetText(packet[n])}.`;
    case "window": return `set the congestion window of ${whose} to ${windowOf(n)} segments.`;
    case "timer": return `had a timer of ${whose} expire${reason ? ` (${reason.name})` : ""}.`;
    default: return model.kinds[kind[n]];
  }
};
const sentence = (n) => {
  const where = placeText(place[n]);
  return `At ${timeText(n)} s, ${where} ${what(n)}`;
};
const shortText = (n) => {
  const name = model.kinds[kind[n]], reason = model.causes[cause[n]];
  const whom = packet[n] === NONE ? model.flows[flow[n]] || "" : packetText(packet[n]);
  const more = name === "window" ? ` ${windowOf(n)}` : reason ? ` (${reason.name})` : "";
  return `${name}${more} at ${model.places[place[n]]}${whom ? `: ${whom}` : ""}`;
};
const linkFacts = (number) => {
  const [start, stop, rate, delay] = model.network.links[number - nodeCount], port = portOf(number);
  const parts = Object.entries(port).map(([section, text]) => [section.startsWith("queue ") ? section.replace("queue", "class") : sections[section], text]);
  return [["from", model.places[start]], ["to", model.places[stop]], ["rate", rate], ["delay", delay], ...parts];
};
const nodeFacts = (number) => {
  const ends = model.network.links.map(([start], link) => [start, link]).filter(([start]) => start === number);
  return [["links from here", ends.map(([, link]) => model.places[nodeCount + link]).slice(0, 12).join(", ") || "none"]];
};
