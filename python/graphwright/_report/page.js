// The report: panels that show one another's lines, search, zoom, and tables of times, copies and retraces.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = id => document.getElementById(id);
  const make = (name, attributes = {}, text) => {
    const made = document.createElement(name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const time = s => s === null || s === undefined ? "–" : s >= 1 ? s.toPrecision(3) + " s" : s >= 1e-3 ? (s * 1e3).toPrecision(3) + " ms"
    : s >= 1e-6 ? (s * 1e6).toPrecision(3) + " µs" : (s * 1e9).toPrecision(3) + " ns";
  const longest = Math.max(0, ...Object.values(data.times.lines));
  const whole = data.times.call || 1;

  // One key for all panels: a line of the source, `file:line`; nodes know theirs.
  const lineOf = new Map(Object.entries(data.spans).map(([node, [line]]) => [Number(node), line]));
  const nodesOf = new Map();
  for (const [node, line] of lineOf) nodesOf.set(line, [...(nodesOf.get(line) || []), node]);
  const byId = new Map(data.nodes.map(node => [node.id, node]));
  for (const [line, nodes] of nodesOf) nodes.sort((a, b) => (data.times.nodes[b] || 0) - (data.times.nodes[a] || 0) || a - b);

  // An operation without loops of its own is computed in those of what takes its result: `fused` gives the line of that.
  const owners = new Set(data.loops.map(([, node]) => node));
  const users = new Map();
  for (const node of data.nodes) for (const value of node.operands) users.set(value, [...(users.get(value) || []), node]);
  function fused(line) {
    const nodes = (nodesOf.get(line) || []).map(node => byId.get(node)).filter(node => node && node.op !== "const");
    if (!nodes.length || (data.cut || []).length || nodes.some(node => owners.has(node.id))) return null;
    const seen = new Set(), todo = [...nodes];
    while (todo.length) {
      const node = todo.shift();
      if (seen.has(node.id)) continue;
      seen.add(node.id);
      const other = lineOf.get(node.id);
      if (owners.has(node.id) && other && other !== line) return other;
      for (const value of node.results) todo.push(...(users.get(value) || []));
    }
    return null;
  }
  const rows = { source: new Map(), text: new Map(), loops: new Map() };

  $("name").textContent = data.name;
  $("signature").textContent = data.signature;
  $("how").textContent = data.times.how ? "· " + data.times.how : "";
  const fact = (value, name, kind = "") => { const box = make("div", { class: "fact " + kind }); box.append(make("b", {}, value), make("span", {}, name)); $("facts").append(box); };
  fact(time(data.times.call), "a call");
  fact(String(data.nodes.filter(node => node.id >= 0).length), "operations");
  fact(String(data.transfers.length), data.transfers.length === 1 ? "copy to or from the host" : "copies to or from the host");
  fact(String(data.traces), data.traces === 1 ? "graph made" : "graphs made");
  fact(data.inputs.map(([name, type]) => `${name}: ${type}`).join(", ") || "none", "arguments", "types");
  fact(data.outputs.join(", ") || "none", "results", "types");

  function row(host, key, node, no, body, share) {
    const line = make("div", { class: "row" });
    if (no !== null) line.append(make("span", { class: "no" }, String(no)));
    if (share !== null) {
      const cell = make("span", { class: "time" }, share ? time(share) : "");
      if (share) { cell.style.setProperty("--share", Math.max(2, share / longest * 100) + "%"); cell.title = (share / whole * 100).toFixed(1) + " % of a call"; }
      line.append(cell);
    }
    line.append(body);
    if (key) line.dataset.line = key;
    if (node !== null && node !== undefined) line.dataset.node = node;
    if (key && nodesOf.has(key) || node !== null && node !== undefined) { line.classList.add("linked"); }
    host.append(line);
    return line;
  }

  const hasTimes = longest > 0;
  data.files.forEach((file, number) => {
    const block = make("div", { class: "code" });
    $("source").append(make("div", { class: "file" }, file.name), block);
    let last = null;
    for (const [no, tokens] of file.lines) {
      const body = make("span", { class: "body" });
      for (const [colour, text] of tokens) body.append(colour ? make("span", { class: colour }, text) : text);
      if (!tokens.length) body.append(" ");
      if (last !== null && no > last + 1) block.append(make("div", { class: "file" }, "⋯"));
      const key = `${number}:${no}`;
      const elsewhere = hasTimes && !data.times.lines[key] ? fused(key) : null;
      const line = row(block, key, null, no, body, hasTimes ? data.times.lines[key] || 0 : null);
      if (data.copies[key]) {
        const badge = make("span", { class: "copy" }, "⇄ host");
        badge.title = data.copies[key].join("\n");
        line.append(badge);
      }
      if (elsewhere) {
        const cell = line.querySelector(".time");
        cell.append(make("span", { class: "fused" }, "in " + elsewhere.split(":")[1]));
        cell.title = `Computed in the loops of line ${elsewhere.split(":")[1]}, whose time has it`;
      }
      rows.source.set(key, line);
      last = no;
    }
  });

  function listing(host, map, lines) {
    const block = make("div", { class: "code" });
    lines.forEach(([text, node], at) => {
      const line = row(block, node === null ? null : lineOf.get(node), node, at + 1, make("span", { class: "body" }, text || " "), null);
      if (node !== null) map.set(node, [...(map.get(node) || []), line]);
    });
    host.append(block);
  }
  listing($("text"), rows.text, data.graph.map(([text, node]) => [text, node]));
  const cut = data.cut || [];
  $("graph-note").textContent = cut.includes("graph") ? "· cut: the graph is too large for a page" : "";
  $("loops-note").textContent = cut.includes("loops") ? "· cut: the rest is too large for a page" : "· of the machine code";

  // The picture is drawn when it is first seen; graphs of very many nodes are shown as text.
  let picture = null, scale = 1;
  Picture.draw.heads = data.graph.map(([text], at) => [text, at]).filter(([text]) => text.startsWith("func ")).map(([, at]) => at);
  const nodeTimes = data.times.nodes || {};
  const hottest = Math.max(1e-30, ...Object.values(nodeTimes));
  function draw() {
    picture = Picture.draw($("picture"), data.nodes, node => (nodeTimes[node] || 0) / hottest);
    fit();
  }
  function fit() {
    if (!picture) return;
    const room = $("picture");
    scale = Math.max(0.35, Math.min(1.15, (room.clientWidth - 18) / picture.width));
    zoom(1);
  }
  let letters = 12.5;
  function zoom(by) {
    if (!$("picture").hidden && picture) {
      scale = Math.max(0.08, Math.min(5, scale * by));
      picture.svg.setAttribute("width", picture.width * scale);
      picture.svg.setAttribute("height", picture.height * scale);
    }
    if ($("picture").hidden || !$("loops-panel").hidden && by !== 1) {
      letters = Math.max(6, Math.min(30, letters * by));
      for (const block of document.querySelectorAll("#text .code, #loops .code")) block.style.fontSize = letters + "px";
    }
  }

  let pinned = null;
  const marked = [];
  const mark = (element, name) => { if (element) { element.classList.add(name); marked.push([element, name]); } };
  function clear() { for (const [element, name] of marked.splice(0)) name === "span" ? element.remove() : element.classList.remove(name); }

  function underline(node) {
    const span = data.spans[node];
    const line = span && rows.source.get(span[0]);
    if (!line) return;
    const body = line.querySelector(".body"), bar = make("span", { class: "span" });
    bar.style.left = span[1] + "ch"; bar.style.width = Math.max(1, span[2] - span[1]) + "ch";
    body.append(bar);
    marked.push([bar, "span"]);
  }

  // Highlights what belongs to a line of the source or to one operation, in each panel.
  function show(what, from, name) {
    clear();
    if (!what) return;
    const nodes = what.node !== undefined ? [what.node] : nodesOf.get(what.line) || [];
    const line = what.line !== undefined ? what.line : lineOf.get(what.node);
    mark(rows.source.get(line), name);
    for (const node of nodes) {
      underline(node);
      for (const one of rows.text.get(node) || []) mark(one, name);
      for (const one of rows.loops.get(node) || []) mark(one, name);
      if (picture) {
        mark(picture.groups.get(node), name);
        for (const edge of picture.lines) if (edge.from === node || edge.to === node) mark(edge.path, "on");
      }
    }
    if (name === "pinned") {
      if (from !== "source") reveal(rows.source.get(line));
      const first = map => map.get(nodes.find(node => map.has(node)));
      if (from !== "text") reveal((first(rows.text) || [])[0]);
      if (from !== "loops") reveal((first(rows.loops) || [])[0]);
      if (from !== "picture" && picture) reveal(first(picture.groups));
    }
    tell(nodes, line);
  }
  function reveal(element) {
    const box = element && element.closest(".scroll");
    if (!box || box.hidden) return;
    const inner = element.getBoundingClientRect(), outer = box.getBoundingClientRect();
    if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3;
    if (inner.left < outer.left || inner.right > outer.right) box.scrollLeft += inner.left - outer.left - 40;
  }
  function tell(nodes, line) {
    const spent = data.times.lines[line];
    const place = line ? `line ${line.split(":")[1]}` + (spent ? ` · ${time(spent)}, ${(spent / whole * 100).toFixed(1)} % of a call` : "") : "";
    const texts = nodes.slice(0, 4).map(node => { const found = byId.get(node); return found ? (data.graph[found.line] || [""])[0].trim() : ""; });
    const more = nodes.length > 4 ? `   … ${nodes.length - 4} more` : "";
    $("status").textContent = [place, ...texts].filter(Boolean).join("   ·   ") + more || "No operation of the graph comes from here.";
  }

  function target(event) {
    const found = event.target.closest("[data-node], [data-line]");
    if (!found) return null;
    if (found.dataset.node !== undefined && Number(found.dataset.node) >= 0) return { node: Number(found.dataset.node) };
    return found.dataset.line && nodesOf.has(found.dataset.line) ? { line: found.dataset.line } : null;
  }
  for (const id of ["source", "text", "loops", "picture"]) {
    $(id).addEventListener("mouseover", event => { if (!pinned) show(target(event), id, "on"); });
    $(id).addEventListener("mouseleave", () => { if (!pinned) clear(); });
    $(id).addEventListener("click", event => {
      const wanted = target(event);
      pinned = wanted && (!pinned || pinned.node !== wanted.node || pinned.line !== wanted.line) ? wanted : null;
      show(pinned, id, "pinned");
    });
  }
  // The arrow keys go from line to line of the source that operations come from.
  const linked = [...rows.source.keys()].filter(key => nodesOf.has(key));
  $("source").addEventListener("keydown", event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !linked.length) return;
    event.preventDefault();
    const at = pinned && pinned.line ? linked.indexOf(pinned.line) + step : 0;
    pinned = { line: linked[(at + linked.length) % linked.length] };
    show(pinned, "keys", "pinned");
  });

  // Search: every panel; Enter goes on to the next.
  let hits = [], current = -1;
  function search() {
    for (const element of hits) element.classList.remove("hit");
    hits = []; current = -1;
    const text = $("search").value.trim().toLowerCase();
    if (text) {
      for (const line of document.querySelectorAll("#source .row, #text .row, #loops .row"))
        if (line.querySelector(".body").textContent.toLowerCase().includes(text)) hits.push(line);
      if (picture) for (const group of picture.groups.values()) if (group.textContent.toLowerCase().includes(text)) hits.push(group);
      for (const element of hits) element.classList.add("hit");
    }
    const seen = hits.filter(element => element.closest(".scroll:not([hidden])") && element.closest(".panel:not([hidden])"));
    hits = [...seen, ...hits.filter(element => !seen.includes(element))];
    $("hits").textContent = text ? (seen.length === 1 ? "1 hit" : `${seen.length} hits`) : "";
    next();
  }
  function next() {
    const seen = hits.filter(element => element.closest(".scroll:not([hidden])") && element.closest(".panel:not([hidden])"));
    if (seen.length) reveal(seen[current = (current + 1) % seen.length]);
  }
  $("search").addEventListener("input", search);
  $("search").addEventListener("keydown", event => { if (event.key === "Enter") next(); });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && document.activeElement !== $("search")) { event.preventDefault(); $("search").focus(); }
    if (event.key === "Escape") { pinned = null; clear(); $("search").value = ""; search(); }
  });

  function choose(isPicture) {
    $("picture").hidden = !isPicture; $("text").hidden = isPicture;
    $("show-picture").setAttribute("aria-pressed", isPicture); $("show-text").setAttribute("aria-pressed", !isPicture);
    if (isPicture && !picture) draw();
    search();
  }
  $("show-picture").onclick = () => choose(true);
  $("show-text").onclick = () => choose(false);
  $("show-loops").onclick = () => {
    const on = $("loops-panel").hidden;
    $("loops-panel").hidden = !on;
    $("show-loops").setAttribute("aria-pressed", on);
    if (on && !rows.loops.size) listing($("loops"), rows.loops, data.loops);
    fit();
    search();
  };
  $("zoom-in").onclick = () => zoom(1.25);
  $("zoom-out").onclick = () => zoom(0.8);
  $("zoom-fit").onclick = () => { letters = 12.5; zoom(1); fit(); };
  $("picture").addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = $("picture"), before = scale;
    const x = event.clientX - box.getBoundingClientRect().left + box.scrollLeft, y = event.clientY - box.getBoundingClientRect().top + box.scrollTop;
    zoom(event.deltaY < 0 ? 1.15 : 0.87);
    box.scrollLeft += x * (scale / before - 1); box.scrollTop += y * (scale / before - 1);
  }, { passive: false });

  function table(title, heads, lines, otherwise) {
    const box = make("section", { class: "table" });
    box.append(make("h2", {}, title));
    if (!lines.length) { box.append(make("p", {}, otherwise)); $("tables").append(box); return; }
    const made = make("table"), head = make("tr");
    for (const [name, kind] of heads) head.append(make("th", kind ? { class: kind } : {}, name));
    made.append(head);
    for (const cells of lines) {
      const line = make("tr");
      cells.forEach((cell, at) => {
        const box = make("td", heads[at][1] ? { class: heads[at][1] } : {});
        cell instanceof Node ? box.append(cell) : box.append(String(cell));
        line.append(box);
      });
      made.append(line);
    }
    box.append(made);
    $("tables").append(box);
  }
  const ops = Object.entries(data.times.ops);
  const bar = share => { const made = make("span", { class: "bar" }); made.style.width = (share * 160).toFixed(0) + "px"; return made; };
  if (ops.length) table("Time per operation", [["operation", ""], ["time", "r"], ["share", "r"], ["", ""]],
    ops.map(([op, s]) => [op, time(s), (s / whole * 100).toFixed(1) + " %", bar(s / ops[0][1])]), "");
  table("Copies between graph and host", [["direction", ""], ["call", ""], ["value", ""], ["type", ""], ["bytes", "r"], ["line", "r"], ["loops", "r"], ["", ""]],
    data.transfers, "None: the graph never calls the host.");
  table("Arrays of the caller, from the second call on", [["argument", ""], ["type", ""], ["bytes", "r"], ["memory", ""]],
    data.arrays || [], data.arrays ? "None: no argument is an array." : "Unknown: the arguments are types.");
  if (data.warnings.length) table("Copies that nobody asked for", [["", ""]], data.warnings.map(text => [text]), "");
  table("Retraces", [["why another graph was made", ""]], data.retraces.map(text => [text]), "None: one graph serves all calls so far.");

  const isLarge = data.nodes.length > 1500;
  choose(!isLarge);
  if (isLarge) $("graph-note").textContent += "· as text: a picture of so many operations shows nothing";
  addEventListener("resize", () => { if (picture && !$("picture").hidden) fit(); });
})();
