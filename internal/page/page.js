// Walks through the steps of the picture. Everything that it shows is in #data; the
// page works without it.
(() => {
  "use strict";
  const get = id => document.getElementById(id);
  const { threads, rows, files } = JSON.parse(get("data").textContent);
  const groups = [...document.querySelectorAll("svg .row")];
  let at = rows.length - 1;

  const element = (tag, text, name) => {
    const e = document.createElement(tag);
    e.textContent = text;
    if (name) e.className = name;
    return e;
  };

  // What each variable of the story holds after a row, and which row wrote it.
  const state = [];
  const now = new Map();
  rows.forEach((r, i) => {
    if (r.var && r.value !== undefined) {
      const old = now.get(r.var);
      if (r.writes || !old || old.value !== r.value) now.set(r.var, { value: r.value, row: r.writes ? i : old ? old.row : -1 });
    }
    state.push(new Map(now));
  });

  function source(row) {
    const pre = get("source"), f = files[row.file];
    pre.replaceChildren();
    pre.hidden = !f;
    if (!f) return;
    f.lines.forEach((line, i) => {
      const n = f.first + i;
      const e = element("span", String(n).padStart(4) + "  " + line.replace(/\t/g, "    "), n === row.line ? "now" : "");
      pre.append(e);
    });
    const here = pre.querySelector(".now");
    if (here) pre.scrollTop = here.offsetTop - pre.offsetTop - pre.clientHeight / 2;
  }

  function table(i) {
    const t = get("state"), before = i > 0 ? state[i - 1] : new Map();
    t.replaceChildren();
    t.hidden = false;
    const line = (...cells) => {
      const tr = document.createElement("tr");
      cells.forEach(c => tr.append(c));
      t.append(tr);
    };
    for (const [name, v] of state[i]) {
      const old = before.get(name), changed = old && old.value !== v.value;
      const by = v.row >= 0 ? ", by " + threads[rows[v.row].t] : "";
      line(element("th", name), element("td", v.value + (changed ? "  (was " + old.value + by + ")" : by), changed ? "changed" : ""));
    }
    const held = new Map();
    for (let k = 0; k <= i; k++) held.set(rows[k].t, rows[k].held || []);
    for (const [t, locks] of held) if (locks.length) line(element("th", threads[t] + " holds"), element("td", locks.join(", ")));
    rows.forEach((r, k) => {
      if (r.waits && k <= i) line(element("th", threads[r.t]), element("td", r.text));
    });
    let out = "";
    for (let k = 0; k <= i; k++) out += rows[k].out || "";
    if (out) line(element("th", "printed"), element("td", out));
  }

  function show(i, still) {
    at = Math.max(0, Math.min(rows.length - 1, i));
    const r = rows[at];
    groups.forEach((g, k) => {
      g.classList.toggle("on", k === at);
      g.classList.toggle("later", k > at);
      if (k === at) g.setAttribute("aria-current", "step"); else g.removeAttribute("aria-current");
    });
    source(r);
    table(at);
    get("where").textContent = `${at + 1} of ${rows.length}: ${threads[r.t]} ${r.text}` + (r.file ? `, ${r.file}:${r.line}` : "");
    if (still) return;
    groups[at]?.scrollIntoView({ block: "nearest" });
    history.replaceState(null, "", "#" + (at + 1));
  }

  // The write of what a row reads, or of what it overwrites.
  function writer() {
    const name = rows[at].var;
    for (let i = at - 1; name && i >= 0; i--) if (rows[i].var === name && rows[i].writes) return i;
    return at;
  }

  function cause() {
    for (let k = 1; k <= rows.length; k++) if (rows[(at + k) % rows.length].cause) return (at + k) % rows.length;
    return at;
  }

  const keys = { j: () => at + 1, ArrowRight: () => at + 1, ArrowDown: () => at + 1, k: () => at - 1, ArrowLeft: () => at - 1, ArrowUp: () => at - 1, w: writer, c: cause, Home: () => 0, End: () => rows.length - 1 };
  addEventListener("keydown", e => {
    if (e.ctrlKey || e.altKey || e.metaKey || !keys[e.key] || e.target.tagName === "INPUT") return;
    e.preventDefault();
    show(keys[e.key]());
  });
  get("back").onclick = () => show(at - 1);
  get("next").onclick = () => show(at + 1);
  get("who").onclick = () => show(writer());
  get("cause").onclick = () => show(cause());
  get("hb").onchange = e => get("lanes").classList.toggle("nohb", !e.target.checked);
  groups.forEach((g, i) => (g.onclick = () => show(i)));
  document.querySelector("nav").hidden = false;
  const asked = parseInt(location.hash.slice(1), 10);
  if (asked > 0) show(asked - 1); else if (rows.length) show(rows.length - 1, true);
})();
