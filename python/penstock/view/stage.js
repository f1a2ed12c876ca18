// The drawing: nodes, links, queues and packets, with zoom and pan.
const stage = one("[data-stage]"), back = document.createElement("canvas");
const { nodes, links, labels } = model.network;
const bounds = (() => {
  const xs = nodes.map(([x]) => x), ys = nodes.map(([, y]) => y);
  for (const [, x, y] of labels) { xs.push(x); ys.push(y); }
  const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);
  return { left: least(xs), top: least(ys), right: most(xs), bottom: most(ys) };
})();
const camera = { x: 0, y: 0, scale: 1, isFitted: true };
const view = { width: 0, height: 0, hits: [], backKey: "" };
const degrees = new Uint32Array(nodeCount);
for (const [start] of links) degrees[start] += 1;
const byDegree = nodes.map((_, node) => node).sort((a, b) => degrees[b] - degrees[a] || a - b);

const prepare = (canvas, width, height) => {
  const wide = Math.round(width * devicePixelRatio), high = Math.round(height * devicePixelRatio);
  if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
  const pen = canvas.getContext("2d");
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
};
// Margins, for labels.
const OVER = 44, sideOf = (width) => Math.min(70, width * 0.09);
const fitAll = () => {
  const wide = Math.max(bounds.right - bounds.left, 1), high = Math.max(bounds.bottom - bounds.top, 1);
  camera.scale = Math.min((view.width - 2 * sideOf(view.width)) / wide, (view.height - 2 * OVER) / high, 2.6);
  camera.x = view.width / 2 - ((bounds.left + bounds.right) / 2) * camera.scale;
  camera.y = view.height / 2 - ((bounds.top + bounds.bottom) / 2) * camera.scale;
  camera.isFitted = true;
  changed = true;
};
const zoom = (factor, x = view.width / 2, y = view.height / 2) => {
  const scale = Math.min(40, Math.max(0.01, camera.scale * factor)), by = scale / camera.scale;
  camera.x = x - (x - camera.x) * by;
  camera.y = y - (y - camera.y) * by;
  camera.scale = scale;
  camera.isFitted = false;
  changed = true;
};
const pan = (dx, dy) => { camera.x += dx; camera.y += dy; camera.isFitted = false; changed = true; };
const placed = ([x, y]) => [x * camera.scale + camera.x, y * camera.scale + camera.y];
const radius = () => Math.min(9, Math.max(2.2, camera.scale * 9));

// Links with the same ends are side by side.
const lanes = new Uint32Array(linkCount), alike = new Map();
links.forEach(([start, stop], link) => {
  const ends = start * nodeCount + stop;
  lanes[link] = alike.get(ends) || 0;
  alike.set(ends, lanes[link] + 1);
});
// A link on the screen: from rim to rim, on the right of the line between its nodes, so that both directions are seen.
const lineOf = (link) => {
  const [start, stop] = links[link], [ax, ay] = placed(nodes[start]), [bx, by] = placed(nodes[stop]);
  const length = Math.hypot(bx - ax, by - ay) || 1, ux = (bx - ax) / length, uy = (by - ay) / length;
  const rim = Math.min(radius() + 1, length / 3), side = Math.min(3.5, Math.max(0.8, camera.scale * 3)) * (1 + 4 * lanes[link]);
  const x = ax + ux * rim - uy * side, y = ay + uy * rim + ux * side;
  return { x, y, ux, uy, length: length - 2 * rim };
};

const drawBack = () => {
  const pen = prepare(back, view.width, view.height), r = radius();
  const path = state.follow ? state.follow.links : null;
  pen.lineCap = "round";
  pen.lineJoin = "round";
  for (const isPath of [false, true]) {
    if (isPath && !path) break;
    pen.globalAlpha = isPath || !path ? 1 : 0.35;
    pen.strokeStyle = isPath ? look.ink : look.line;
    pen.lineWidth = isPath ? 3 : Math.min(2, Math.max(0.7, camera.scale * 1.5));
    pen.beginPath();
    links.forEach((_, link) => {
      if (isPath !== Boolean(path && path.has(nodeCount + link))) return;
      const { x, y, ux, uy, length } = lineOf(link);
      pen.moveTo(x, y);
      pen.lineTo(x + ux * length, y + uy * length);
    });
    pen.stroke();
  }
  pen.globalAlpha = 1;
  for (const node of byDegree) {
    const [x, y] = placed(nodes[node]);
    if (x < -20 || y < -20 || x > view.width + 20 || y > view.height + 20) continue;
    const isDim = path && !path.has(node);
    pen.globalAlpha = isDim ? 0.4 : 1;
    pen.fillStyle = degrees[node] > 1 ? look.faint : look.page;
    pen.strokeStyle = state.chosen === node ? look.ink : look.faint;
    pen.lineWidth = state.chosen === node ? 3 : 1.3;
    pen.beginPath();
    if (degrees[node] > 1) pen.rect(x - r, y - r, 2 * r, 2 * r); else pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
  pen.globalAlpha = 1;
  drawLabels(pen, r, path);
};
// Labels as there is room: groups first, then nodes by the number of their links, then rates.
const drawLabels = (pen, r, path) => {
  const taken = new Map(), cell = 40;
  const isFree = (box, isText) => {
    const [left, top, right, bottom] = box, cells = [];
    for (let x = Math.floor(left / cell); x <= Math.floor(right / cell); x += 1) {
      for (let y = Math.floor(top / cell); y <= Math.floor(bottom / cell); y += 1) cells.push(`${x} ${y}`);
    }
    const meets = (other) => left < other[2] && other[0] < right && top < other[3] && other[1] < bottom;
    if (isText && cells.some((key) => (taken.get(key) || []).some(meets))) return false;
    for (const key of cells) taken.set(key, [...(taken.get(key) || []), box]);
    return true;
  };
  for (const node of byDegree) {
    const [x, y] = placed(nodes[node]);
    if (x > -20 && y > -20 && x < view.width + 20 && y < view.height + 20) isFree([x - r, y - r, x + r, y + r], false);
  }
  const write = (text, x, y, align, colour) => {
    const width = pen.measureText(text).width, left = align === "left" ? x : align === "right" ? x - width : x - width / 2;
    if (!isFree([left - 2, y - 9, left + width + 2, y + 3], true)) return false;
    pen.textAlign = "left";
    pen.strokeStyle = look.page;
    pen.lineWidth = 3;
    pen.strokeText(text, left, y);
    pen.fillStyle = colour;
    pen.fillText(text, left, y);
    return true;
  };
  pen.font = "600 13px system-ui, sans-serif";
  for (const [text, wx, wy, side] of labels) {
    const [x, y] = placed([wx, wy]), width = pen.measureText(text).width;
    // On its side if there is room, else on the other side, above or below.
    const spots = {
      left: [x - width - 4, y + 4], right: [x + 4, y + 4],
      above: [x - r, y - r - 7], below: [x - width / 2, y + r + 14], inside: [side === "left" ? x + 24 : x - width - 24, y + 4],
      over: [x - width / 2, y - r - 22],
    };
    for (const spot of [side, "inside", "over", "below"]) {
      const [left, base] = spots[spot];
      if (left < 2 || left + width > view.width - 2) { if (camera.isFitted) continue; }
      if (write(text, left, base, "left", look.text)) break;
    }
  }
  pen.font = "11px system-ui, sans-serif";
  for (const node of byDegree) {
    const [x, y] = placed(nodes[node]), name = model.places[node], member = name.match(/\[(\d+)\]$/);
    if (x < -20 || y < -20 || x > view.width + 20 || y > view.height + 20) continue;
    const colour = path && !path.has(node) ? look.faint : look.text;
    if (write(name, x, y + r + 12, "center", colour) || camera.scale < 0.5) continue;
    if (!write(name, x, y - r - 5, "center", colour) && member) write(member[1], x, y + r + 12, "center", colour);
  }
  if (camera.scale > 0.7) links.forEach(([start, stop, rate, delay], link) => {
    const line = start < stop ? lineOf(link) : null;
    if (!line || line.length < 130) return;
    const x = line.x + (line.ux * line.length) / 2, y = line.y + (line.uy * line.length) / 2;
    write(`${rate}, ${delay}`, x, y + (Math.abs(line.uy) > 0.5 ? 0 : lanes[link] ? 16 : -12), "center", look.faint);
  });
};

const dot = (pen, x, y, size) => { pen.moveTo(x + size, y); pen.arc(x, y, size, 0, 2 * Math.PI); };
const cross = (pen, x, y, size) => {
  pen.moveTo(x - size, y - size); pen.lineTo(x + size, y + size);
  pen.moveTo(x - size, y + size); pen.lineTo(x + size, y - size);
};
const isSeen = (x, y) => x > -20 && y > -20 && x < view.width + 20 && y < view.height + 20;

const drawQueues = (pen) => {
  const wide = Math.min(7, Math.max(2.5, camera.scale * 6));
  const path = state.follow ? state.follow.links : null;
  pen.font = "600 11px system-ui, sans-serif";
  pen.textAlign = "center";
  for (let each = 0; each < queuePlace.length; each += 1) {
    const held = queueAt(each, state.now);
    if (!held) continue;
    const line = lineOf(queuePlace[each] - nodeCount);
    if (!isSeen(line.x, line.y)) continue;
    const most = Math.min(60, line.length * 0.45), long = Math.max(2, (most * held) / longestQueue);
    // Beside the line, on the side of its direction.
    const ox = -line.uy * (wide / 2 + 1), oy = line.ux * (wide / 2 + 1), x = line.x + ox, y = line.y + oy;
    pen.globalAlpha = path && !path.has(queuePlace[each]) ? 0.25 : 1;
    pen.lineCap = "butt";
    pen.lineWidth = wide;
    pen.strokeStyle = look.bar;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + line.ux * long, y + line.uy * long);
    pen.stroke();
    if (line.length > 60 && (camera.scale > 0.6 || queuePlace.length < 40)) {
      pen.fillStyle = look.text;
      pen.fillText(String(held), x + line.ux * long * 0.5 + ox * 3.2, y + line.uy * long * 0.5 + oy * 3.2 + 4);
    }
  }
  pen.globalAlpha = 1;
};
// Packets between the beginning of their transmission and their arrival; returns how many there are.
const drawPackets = (pen) => {
  const size = Math.min(4.5, Math.max(2.4, camera.scale * 4)), now = state.now, batches = new Map();
  let shown = 0;
  for (let s = above(sentTime, now) - 1; s >= 0 && sentTime[s] >= now - longest; s -= 1) {
    if (now >= arrival[s]) continue;
    const n = sent[s], isFollowed = passes(n);
    if (isFollowed) shown += 1;
    if (!isLink(place[n])) continue;
    const line = lineOf(place[n] - nodeCount), part = (now - sentTime[s]) / (arrival[s] - sentTime[s]);
    const x = line.x + line.ux * line.length * part, y = line.y + line.uy * line.length * part;
    if (!isSeen(x, y)) continue;
    const key = isFollowed ? hue(n) : `dim ${hue(n)}`;
    if (!batches.has(key)) batches.set(key, []);
    batches.get(key).push([x, y]);
    view.hits.push({ x, y, event: n, packet: packet[n] });
  }
  for (const [key, points] of batches) {
    const isDim = key.startsWith("dim ");
    pen.globalAlpha = isDim ? 0.15 : 1;
    pen.fillStyle = isDim ? key.slice(4) : key;
    pen.beginPath();
    for (const [x, y] of points) dot(pen, x, y, state.follow && !isDim ? size + 1.5 : size);
    pen.fill();
  }
  pen.globalAlpha = 1;
  return shown;
};
// Drops (crosses) and marks (rings) of the last moments, at their ports.
const drawDecisions = (pen) => {
  const span = Math.max((end - begin) / Number(pace.value) / 1.5, state.step), now = state.now;
  for (let d = above(decidedAt.time, now) - 1; d >= 0 && decidedAt.time[d] >= now - span; d -= 1) {
    const n = decidedAt[d];
    if (!isLink(place[n])) continue;
    const line = lineOf(place[n] - nodeCount), isDrop = kind[n] === KIND.drop;
    const part = isDrop && model.causes[cause[n]].name === "loss" ? 0.5 : 0;
    const x = line.x + line.ux * (4 + part * line.length), y = line.y + line.uy * (4 + part * line.length);
    if (!isSeen(x, y)) continue;
    pen.globalAlpha = passes(n) ? 1 : 0.2;
    pen.lineWidth = 2.5;
    pen.strokeStyle = isDrop ? look.drop : look.tick;
    pen.beginPath();
    if (isDrop) cross(pen, x, y, 6); else dot(pen, x, y, 6);
    pen.stroke();
    view.hits.push({ x, y, event: n, packet: packet[n], isDecision: true });
  }
  pen.globalAlpha = 1;
};
// As high as the network needs at the full width, up to most of the window.
const sizeStage = () => {
  const wide = Math.max(bounds.right - bounds.left, 1), high = bounds.bottom - bounds.top;
  const needed = (high * (stage.clientWidth - 2 * sideOf(stage.clientWidth))) / wide + 2 * OVER + 8;
  stage.style.height = `${Math.round(Math.min(Math.max(needed, 280), Math.max(280, innerHeight * 0.68)))}px`;
};
const drawStage = () => {
  sizeStage();
  view.width = stage.clientWidth;
  view.height = stage.clientHeight;
  if (camera.isFitted) fitAll();
  const followed = state.follow ? state.follow.key : "";
  const key = [view.width, view.height, camera.x, camera.y, camera.scale, look.page, devicePixelRatio, followed, state.chosen].join();
  if (key !== view.backKey) { drawBack(); view.backKey = key; }
  const pen = prepare(stage, view.width, view.height);
  pen.drawImage(back, 0, 0, view.width, view.height);
  view.hits.length = 0;
  drawQueues(pen);
  const shown = drawPackets(pen);
  drawDecisions(pen);
  return shown;
};
// What is at a point: a decision or packet, else a node, else a link.
const hit = (x, y) => {
  let best = null, least = 12;
  for (const each of view.hits) {
    const far = Math.hypot(each.x - x, each.y - y) - (each.isDecision ? 4 : 0);
    if (far < least) { least = far; best = each; }
  }
  if (best) return best;
  for (let node = 0; node < nodeCount; node += 1) {
    const [nx, ny] = placed(nodes[node]);
    if (Math.hypot(nx - x, ny - y) < radius() + 5) return { place: node };
  }
  least = 7;
  for (let link = 0; link < linkCount; link += 1) {
    const line = lineOf(link), along = (x - line.x) * line.ux + (y - line.y) * line.uy;
    const across = (y - line.y) * line.ux - (x - line.x) * line.uy;
    // Bars are on the right of their line.
    const far = Math.abs(across - 2);
    if (along >= 0 && along <= line.length && far < least) { least = far; best = { place: nodeCount + link }; }
  }
  return best;
};

const fingers = new Map();
let dragged = 0;
const at = (event) => {
  const box = stage.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
const spread = () => {
  const [[ax, ay], [bx, by]] = [...fingers.values()];
  return { x: (ax + bx) / 2, y: (ay + by) / 2, wide: Math.hypot(bx - ax, by - ay) || 1 };
};
stage.addEventListener("pointerdown", (event) => {
  stage.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, at(event));
  dragged = 0;
});
stage.addEventListener("pointermove", (event) => {
  const [x, y] = at(event);
  if (!fingers.has(event.pointerId)) {
    stage.style.cursor = hit(x, y) ? "pointer" : "grab";
    return;
  }
  const before = fingers.size > 1 ? spread() : null, [ox, oy] = fingers.get(event.pointerId);
  fingers.set(event.pointerId, [x, y]);
  if (before) {
    const after = spread();
    zoom(after.wide / before.wide, before.x, before.y);
    pan(after.x - before.x, after.y - before.y);
    dragged = 99;
  } else {
    dragged += Math.hypot(x - ox, y - oy);
    if (dragged > 4) pan(x - ox, y - oy);
  }
});
const lift = (event) => {
  if (!fingers.delete(event.pointerId) || event.type === "pointercancel") return;
  if (dragged <= 4 && !fingers.size) choose(hit(...at(event)));
};
stage.addEventListener("pointerup", lift);
stage.addEventListener("pointercancel", lift);
stage.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...at(event));
}, { passive: false });
