// The picture of a graph: nodes in layers, regions of loops and branches as boxes inside of boxes.
"use strict";
const Picture = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const LETTER = 7.3, HEIGHT = 36, GAP_X = 16, GAP_Y = 26, PAD = 12, HEAD = 24, WIDEST = 1100;

  function element(name, attributes, parent, text) {
    const made = document.createElementNS(NS, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }

  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const simple = type => type.replace(/\?\d+/g, "?").replace(/\[\]/g, "");

  // The label of a node: constants among its operands are written into it.
  function label(node, constants) {
    if (node.op === "param") return node.results[0].slice(1);
    const fixed = node.operands.map(value => constants.get(value));
    const shown = fixed.some(one => one !== undefined)
      ? " " + fixed.map(one => (one === undefined ? "·" : short(one, 12))).join(", ") : "";
    const attr = node.attr ? " " + node.attr : "";
    return short(node.op + shown + attr, 34);
  }

  // Sizes and places of the nodes of one region, relative to its corner.
  function layout(items, sizes, before) {
    const level = new Map(), rows = [];
    for (const node of items) {
      let row = 0;
      for (const other of before.get(node.id) || []) if (level.has(other)) row = Math.max(row, level.get(other) + 1);
      if (node.op === "yield" || node.op === "return") row = Math.max(row, rows.length);
      level.set(node.id, row);
      (rows[row] = rows[row] || []).push(node);
    }
    const placed = new Map();
    let y = 0, width = 0;
    const lines = [];
    for (const row of rows) {
      let line = [], wide = 0;
      for (const node of row || []) {
        const w = sizes.get(node.id).w;
        if (line.length && wide + w > WIDEST) { lines.push(line); line = []; wide = 0; }
        line.push(node); wide += w + GAP_X;
      }
      if (line.length) lines.push(line);
    }
    for (const line of lines) {
      const wide = line.reduce((sum, node) => sum + sizes.get(node.id).w, 0) + GAP_X * (line.length - 1);
      width = Math.max(width, wide);
    }
    for (const line of lines) {
      const wish = node => {
        const xs = (before.get(node.id) || []).filter(id => placed.has(id)).map(id => placed.get(id).x + placed.get(id).w / 2);
        return xs.length ? xs.reduce((a, b) => a + b, 0) / xs.length : width / 2;
      };
      const sorted = line.map(node => [wish(node), node]).sort((a, b) => a[0] - b[0]);
      const total = line.reduce((sum, node) => sum + sizes.get(node.id).w, 0) + GAP_X * (line.length - 1);
      let x = 0, height = 0;
      let slack = width - total;
      for (const [wanted, node] of sorted) {
        const size = sizes.get(node.id);
        const shift = Math.max(0, Math.min(slack, wanted - size.w / 2 - x));
        x += shift; slack -= shift;
        placed.set(node.id, { x, y, w: size.w, h: size.h });
        x += size.w + GAP_X;
        height = Math.max(height, size.h);
      }
      y += height + GAP_Y;
    }
    return { placed, w: Math.max(width, 40), h: Math.max(y - GAP_Y, HEIGHT) };
  }

  function draw(host, nodes, heat) {
    const byId = new Map(nodes.map(node => [node.id, node]));
    const definer = new Map(), constants = new Map(), children = new Map();
    for (const node of nodes) {
      for (const value of node.results) definer.set(scope(node) + value, node.id);
      for (const [value] of node.carries || []) definer.set(scope(node) + value, node.id);
      if (node.op === "const") constants.set(node.results[0], node.attr);
    }
    // Functions of one module have names of their own: a value belongs to the function that its line is in.
    function scope(node) { return functionOf(node.line) + ":"; }
    function functionOf(line) { let found = 0; for (const one of draw.heads) if (one <= line) found = one; return found; }
    const shown = nodes.filter(node => node.op !== "const");
    for (const node of shown) {
      const key = node.parent === null ? "top" + functionOf(node.line) : node.parent + ":" + node.part;
      if (!children.has(key)) children.set(key, []);
      children.get(key).push(node);
    }
    const chain = node => { const found = [node.id]; for (let at = node; at.parent !== null; at = byId.get(at.parent)) found.push(at.parent); return found; };
    const edges = [], before = new Map();
    for (const node of shown) {
      const tos = chain(node);
      for (const value of new Set(node.operands)) {
        const from = byId.get(definer.get(scope(node) + value));
        if (!from || from.op === "const") continue;
        const froms = chain(from);
        const common = tos.find(id => froms.includes(id));
        edges.push([from.id, node.id, common !== undefined && froms[0] === common]);
        // The two that stand beside each other in one region decide about layers.
        const a = common === undefined ? froms[froms.length - 1] : froms[froms.indexOf(common) - 1];
        const b = common === undefined ? tos[tos.length - 1] : tos[tos.indexOf(common) - 1];
        if (a !== undefined && b !== undefined && a !== b) before.set(b, [...(before.get(b) || []), a]);
      }
    }
    const sizes = new Map(), inner = new Map();
    const PARTS = { while: ["test", "body"], cond: ["then", "else"], try: ["body"] };
    function measure(node) {
      const parts = PARTS[node.op] && node.id >= 0 ? PARTS[node.op] : null;
      const text = label(node, constants), type = short(simple(node.type), 34);
      if (!parts) return sizes.set(node.id, { w: Math.max(54, Math.max(text.length, type.length * 0.88) * LETTER + 18), h: type ? HEIGHT : 26, text, type });
      const regions = [];
      let w = text.length * LETTER + 2 * PAD, h = HEAD + PAD, x = PAD;
      parts.forEach((name, part) => {
        const items = children.get(node.id + ":" + part) || [];
        if (!items.length || (node.op === "while" && part === 0 && items.length === 1)) return;
        items.forEach(measure);
        const laid = layout(items, sizes, before);
        regions.push({ name, laid, x, y: HEAD + 18 });
        x += laid.w + 3 * PAD;
        h = Math.max(h, HEAD + 18 + laid.h + 2 * PAD);
      });
      w = Math.max(w, x, type.length * 6.6 + text.length * LETTER + 3 * PAD);
      sizes.set(node.id, { w, h, text, type });
      inner.set(node.id, regions);
    }
    const at = new Map();
    const groups = new Map();
    const svg = element("svg", { role: "img", "aria-label": "The operations of the graph and what flows between them" });
    // Boxes of regions lie at the bottom, what flows above them, and operations on top.
    const boxes = element("g", {}, svg), paths = element("g", {}, svg), leaves = element("g", {}, svg);
    function put(node, x, y) {
      const size = sizes.get(node.id);
      at.set(node.id, { x, y, w: size.w, h: size.h });
      const end = /^(param|yield|return)$/.test(node.op);
      const regions = inner.get(node.id);
      const group = element("g", { class: (regions ? "box" : "leaf") + (end ? " end" : ""), "data-node": node.id }, regions ? boxes : leaves);
      groups.set(node.id, group);
      element("rect", { x, y, width: size.w, height: size.h, rx: regions ? 9 : end ? 13 : 6 }, group);
      const share = heat(node.id);
      if (share > 0.005 && !regions) element("rect", { class: "warm", x: x + 1, y: y + size.h - 4, width: Math.max(2, (size.w - 2) * share), height: 3, rx: 1.5 }, group);
      const middle = x + size.w / 2;
      if (regions) {
        element("text", { x: x + PAD, y: y + 17 }, group, size.text);
        element("text", { class: "type", x: x + PAD + size.text.length * LETTER + 10, y: y + 17 }, group, size.type);
        for (const region of regions) {
          element("rect", { class: "part", x: x + region.x - 6, y: y + region.y - 15, width: region.laid.w + 12, height: region.laid.h + 24, rx: 6 }, group);
          element("text", { class: "type", x: x + region.x, y: y + region.y - 4 }, group, region.name);
          for (const [id, place] of region.laid.placed) put(byId.get(id), x + region.x + place.x, y + region.y + 4 + place.y);
        }
      } else {
        element("text", { x: middle, y: y + (size.type ? 15 : 17), "text-anchor": "middle" }, group, size.text);
        if (size.type) element("text", { class: "type", x: middle, y: y + 28, "text-anchor": "middle" }, group, size.type);
      }
    }
    let down = 10, wide = 0;
    for (const head of draw.heads) {
      const items = children.get("top" + head) || [];
      items.forEach(measure);
      const laid = layout(items, sizes, before);
      for (const [id, place] of laid.placed) put(byId.get(id), 10 + place.x, down + place.y);
      down += laid.h + 40; wide = Math.max(wide, laid.w);
    }
    const lines = [];
    for (const [from, to, inside] of edges) {
      const a = at.get(from), b = at.get(to);
      if (!a || !b) continue;
      // Carries of a loop enter its region from above.
      const x1 = a.x + a.w / 2, y1 = inside ? a.y + HEAD : a.y + a.h, x2 = b.x + b.w / 2, y2 = b.y;
      const bend = Math.max(14, Math.abs(y2 - y1) / 2.4);
      const d = `M${x1.toFixed(1)} ${y1.toFixed(1)}C${x1.toFixed(1)} ${(y1 + bend).toFixed(1)} ${x2.toFixed(1)} ${(y2 - bend).toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`;
      lines.push({ from, to, path: element("path", { d, class: Math.abs(y2 - y1) > 160 ? "far" : "" }, paths) });
    }
    const width = wide + 20, height = down;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    host.replaceChildren(svg);
    return { svg, groups, lines, width, height, places: at };
  }
  return { draw };
})();
