// Shared by all views: the model, the state in the address, and a function that makes elements.
// Text enters the page through `h` alone, which never reads it as markup.

const model = JSON.parse(document.getElementById("model").textContent);
const live = model.live === true;

const FATES = {
  hook: "by hook",
  bag: "in the bag",
  moved: "moved",
  renamed: "renamed",
  converted: "converted",
  copied: "copied",
  recursed: "by member",
};
const QUIET = new Set(["copied", "recursed"]);

/** Make an element: properties by name, `data`, `aria` and `vars` as groups, then children. */
function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "vars") for (const [key, item] of Object.entries(value)) element.style.setProperty(key, item);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "aria") for (const [key, item] of Object.entries(value)) item !== undefined && element.setAttribute(`aria-${key}`, item);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
  return element;
}

const byId = (id) => document.getElementById(id);
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

function announce(text) {
  byId("announcer").textContent = text;
}

// --- kinds, by a key that an address can hold ---

const kinds = model.groups.flatMap((group) =>
  group.kinds.map((kind) => ({ key: `${kind.group || group.name}/${kind.name}`, kind, group })),
);
for (const item of kinds) {
  item.versions = item.kind.versions.map((version) => version.name);
  item.lanes = item.kind.lanes;
  item.telling = item.lanes.filter((lane) => lane.fates.some((fate) => !QUIET.has(fate))).length;
}
const kindOf = (group, name) =>
  kinds.find((item) => (item.kind.group || "") === group && namesOf(item.kind).includes(name));

function namesOf(kind) {
  return [kind.name, ...Object.values(kind.names)];
}

// --- differences, by property ---

const changed = new Map();
for (const [name, items] of Object.entries(model.changes?.groups ?? {})) {
  for (const item of items) {
    if (!item.of) continue;
    const key = JSON.stringify([name, ...item.of]);
    changed.set(key, [...(changed.get(key) ?? []), item]);
  }
}

/** Return the differences of all properties of a lane. */
function changesOf(group, lane) {
  if (!changed.size) return [];
  return Object.values(lane.cells).flatMap((cell) =>
    typeof cell === "string" ? [] : cell.flatMap(([, index]) => {
      const item = group.properties[index];
      return changed.get(JSON.stringify([group.package, item.version, item.type, item.name])) ?? [];
    }),
  );
}

/** Return everything that a search looks through, once for each lane. */
function textOf(group, lane) {
  if (lane.text === undefined) {
    const words = [lane.path, ...lane.fates.map((fate) => FATES[fate])];
    for (const cell of Object.values(lane.cells)) {
      if (typeof cell === "string") continue;
      for (const [path, index] of cell) words.push(path, group.properties[index].shows, group.properties[index].doc ?? "");
    }
    for (const index of lane.passages.flat()) {
      if (index !== null) words.push(group.decisions[index].reason);
    }
    lane.text = words.join("\n").toLowerCase();
  }
  return lane.text;
}

/** Prepare the texts for searches while the page is idle. */
function prepareSearch(waiting = kinds.flatMap((item) => item.lanes.map((lane) => [item.group, lane]))) {
  for (const [group, lane] of waiting.splice(0, 200)) textOf(group, lane);
  if (waiting.length) setTimeout(prepareSearch, 20, waiting);
}

// --- the state, in the address: views can be linked, and the back button works ---

const DEFAULTS = { tab: "properties", kind: kinds[0]?.key ?? "", q: "", fates: "", lane: "", object: "0", edit: "" };
const state = { ...DEFAULTS };
const listeners = [];

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(DEFAULTS)) state[name] = given.get(name) ?? DEFAULTS[name];
  if (!kinds.some((item) => item.key === state.kind)) state.kind = DEFAULTS.kind;
}

/** Change the state, and draw what changed. The back button undoes a step, but not a refinement. */
function go(change, { step = true } = {}) {
  const before = { ...state };
  Object.assign(state, change);
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) if (value !== DEFAULTS[name]) said.set(name, value);
  const address = `#${said}`;
  if (address !== location.hash) history[step ? "pushState" : "replaceState"](null, "", address);
  for (const listener of listeners) listener(before);
}

addEventListener("popstate", () => {
  const before = { ...state };
  readAddress();
  for (const listener of listeners) listener(before);
});

const chosenKind = () => kinds.find((item) => item.key === state.kind);

// --- long lists: the beginning at once, more as it scrolls into view ---

const AT_ONCE = 80;
const reveals = new WeakMap();
const sight = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) reveals.get(entry.target)?.();
}, { rootMargin: "900px" });

/** Append some of the elements, and a button that appends more when pressed or almost in view. */
function appendInPortions(list, makers, tag = "li") {
  const rest = makers.slice(AT_ONCE);
  list.append(...makers.slice(0, AT_ONCE).map((make) => make()));
  if (!rest.length) return;
  const more = h("button", { type: "button", class: "link", onclick: () => reveal() }, `Show ${plural(rest.length, "more line")}`);
  const last = h(tag, { class: "more" }, tag === "tr" ? h("td", { colspan: "9" }, more) : more);
  const reveal = (isAll) => {
    reveals.delete(last);
    sight.unobserve(last);
    last.remove();
    if (isAll) list.append(...rest.map((make) => make()));
    else appendInPortions(list, rest, tag);
  };
  reveals.set(last, reveal);
  list.append(last);
  sight.observe(last);
}

addEventListener("beforeprint", () => {
  for (const last of document.querySelectorAll(".more")) reveals.get(last)?.(true);
});

// --- dialogs ---

function showDialog(title, ...content) {
  const dialog = byId("dialog");
  dialog.replaceChildren(h("h2", { id: "dialog-title" }, title), ...content.flat());
  dialog.showModal();
  return dialog;
}

function closing(text = "Close") {
  return h("button", { type: "button", onclick: () => byId("dialog").close() }, text);
}
