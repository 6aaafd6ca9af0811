// Walks through the steps of the picture. Everything that it shows is in #data; the
// page works without it.
(() => {
  "use strict";
  const get = id => document.getElementById(id);
  const { threads, rows, files, file } = JSON.parse(get("data").textContent);
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
    if (r.var && r.value !== undefined && !r.buffers) {
      const old = now.get(r.var);
      if (r.writes || !old || old.value !== r.value) now.set(r.var, { value: r.value, row: r.writes ? i : old ? old.row : -1 });
    }
    state.push(new Map(now));
  });

  // The parts of a line of C, C++, Rust or assembler, as far as one line shows them; returns
  // whether a comment goes on in the next one.
  const words = new Set(("alignas alignof and asm async atomic auto await bool break case catch char class co_await co_return const constexpr continue crate decltype default delete do " +
    "double dyn else enum explicit export extern false final float fn for friend goto if impl in inline int let long loop match mod move mut mutable namespace new noexcept nullptr operator override " +
    "private protected pub public ref register restrict return self short signed sizeof static static_assert struct super switch template this thread_local throw trait true try typedef typename union " +
    "unsafe unsigned use using virtual void volatile where while _Atomic _Bool _Noreturn _Static_assert _Thread_local size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t " +
    "uintptr_t intptr_t pthread_t u8 u16 u32 u64 usize i8 i16 i32 i64 isize").split(" "));
  const part = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])+'|\b(?:0[xX][\da-fA-F]+|\d[\w.]*)|[A-Za-z_]\w*/g;
  function highlight(to, line, comment, name) {
    const put = (text, kind) => { if (text) to.append(kind ? element("span", text, kind) : text); };
    if (comment) {
      const end = line.indexOf("*/");
      if (end < 0) { put(line, "com"); return true; }
      put(line.slice(0, end + 2), "com");
      line = line.slice(end + 2);
    }
    const assembler = /\.(s|S|asm)$/.test(name || "");
    if (!assembler && /^\s*#/.test(line)) { put(line, "pre"); return false; }
    let from = 0, open = false;
    for (const m of line.matchAll(part)) {
      const t = m[0], c = t[0];
      const kind = t.startsWith("//") || t.startsWith("/*") ? "com" : c === '"' || c === "'" ? "str" : c >= "0" && c <= "9" ? "num" : words.has(t) && !assembler ? "key" : "";
      put(line.slice(from, m.index), "");
      put(t, kind);
      from = m.index + t.length;
      open = t.startsWith("/*") && !t.endsWith("*/");
    }
    put(line.slice(from), "");
    return open;
  }

  function source(row) {
    const pre = get("source"), f = files[row.file];
    pre.replaceChildren();
    pre.hidden = !f;
    if (!f) return;
    let comment = false;
    f.lines.forEach((line, i) => {
      const n = f.first + i;
      const missed = f.missed && f.missed.includes(n);
      const e = element("span", "", (n === row.line ? "now" : "") + (missed ? " missed" : ""));
      if (missed) e.title = "no interleaving ran this line";
      e.append(element("span", String(n).padStart(4) + (missed ? " ! " : "   "), "number"));
      comment = highlight(e, line.replace(/\t/g, "    "), comment, row.file);
      pre.append(e);
    });
    const here = pre.querySelector(".now");
    if (here) {
      const line = here.getBoundingClientRect().height || 1;
      const above = Math.round((here.offsetTop - pre.offsetTop - pre.clientHeight / 2) / line);
      pre.scrollTop = above > 0 ? above * line + parseFloat(getComputedStyle(pre).paddingTop) : 0;
    }
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
      line(element("th", name), element("td", v.value + by + (changed ? " (was " + old.value + ")" : ""), changed ? "changed" : ""));
    }
    const buffers = new Map(); // by thread: what its stores would write
    for (let k = 0; k <= i; k++) {
      const r = rows[k], owner = threads[r.t].replace(/'s stores$/, "");
      if (r.buffers) buffers.set(owner + " " + r.var, [threads[r.t], r.var, r.value]);
      if (r.flushes) for (const [key, b] of buffers) if (b[1] === r.var && b[0].startsWith(owner)) buffers.delete(key);
    }
    for (const [who, name, value] of buffers.values()) line(element("th", who + "'s store buffer"), element("td", name + " = " + value + ", not in memory yet", "changed"));
    const held = new Map();
    for (let k = 0; k <= i; k++) held.set(rows[k].t, rows[k].held || []);
    for (const [t, locks] of [...held].sort((a, b) => a[0] - b[0])) if (locks.length) line(element("th", threads[t] + " holds"), element("td", locks.join(", ")));
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
    get("debug").textContent = file ? `landgo debug --at ${r.turn} ${file}` : "";
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

  function differs() {
    for (let k = 1; k <= rows.length; k++) if (rows[(at + k) % rows.length].differs) return (at + k) % rows.length;
    return at;
  }

  const keys = { d: differs, j: () => at + 1, ArrowRight: () => at + 1, ArrowDown: () => at + 1, k: () => at - 1, ArrowLeft: () => at - 1, ArrowUp: () => at - 1, w: writer, c: cause, Home: () => 0, End: () => rows.length - 1 };
  addEventListener("keydown", e => {
    if (e.ctrlKey || e.altKey || e.metaKey || !keys[e.key] || e.target.tagName === "INPUT") return;
    e.preventDefault();
    show(keys[e.key]());
  });
  get("back").onclick = () => show(at - 1);
  get("next").onclick = () => show(at + 1);
  get("who").onclick = () => show(writer());
  get("cause").onclick = () => show(cause());
  if (get("differs")) get("differs").onclick = () => show(differs());
  document.querySelectorAll("button.to").forEach(b => { b.hidden = false; b.onclick = () => show(Number(b.dataset.row)); });
  get("hb").onchange = e => get("lanes").classList.toggle("nohb", !e.target.checked);
  groups.forEach((g, i) => (g.onclick = () => show(i)));
  document.querySelector("nav").hidden = false;
  const asked = parseInt(location.hash.slice(1), 10);
  if (asked > 0) show(asked - 1); else if (rows.length) show(rows.length - 1, true);
})();
