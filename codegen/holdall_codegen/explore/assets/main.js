// The frame: tabs, kinds, keys, theme, and drawing when the state changes.

const TABS = {
  properties: { title: "Properties", draw: drawProperties },
  objects: { title: "Objects", draw: drawObjects, count: () => allObjects().length },
  laws: { title: "Laws", draw: drawLaws },
  changes: { title: "Differences", draw: drawChanges },
};

function drawMain() {
  TABS[state.tab].draw(byId("main"));
  drawDetails();
}

function drawTabs() {
  byId("tabs").replaceChildren(...Object.entries(TABS).map(([name, tab], index) => h("button", {
    type: "button", role: "tab", id: `tab-${name}`, tabindex: state.tab === name ? "0" : "-1",
    aria: { selected: String(state.tab === name), controls: "main", keyshortcuts: String(index + 1) },
    onclick: () => go({ tab: name }),
  }, tab.title)));
}

byId("tabs").addEventListener("keydown", (event) => {
  const names = Object.keys(TABS);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  go({ tab: names[(names.indexOf(state.tab) + step + names.length) % names.length] });
  byId(`tab-${state.tab}`).focus();
  event.preventDefault();
});

function drawKinds() {
  byId("kinds").hidden = state.tab !== "properties";
  const takes = laneFilter();
  const isFiltering = Boolean(state.q || state.fates);
  const groups = new Map();
  for (const item of kinds) {
    const name = item.kind.group || item.group.name;
    const count = isFiltering ? item.lanes.filter((lane) => takes(item.group, lane)).length : item.lanes.length;
    const button = h("button", {
      type: "button", class: count ? "" : "none", data: { kind: item.key },
      aria: { current: item.key === state.kind ? "true" : undefined },
      onclick: () => go({ kind: item.key, lane: "" }),
    }, h("span", {}, item.kind.name.split(/(?<=[a-z])(?=[A-Z])/).flatMap((word) => [word, h("wbr")])), h("span", { class: "count" }, String(count), h("span", { class: "unseen" }, isFiltering ? " found" : " properties")));
    groups.set(name, [...(groups.get(name) ?? []), h("li", {}, button)]);
  }
  byId("kinds").replaceChildren(...[...groups].flatMap(([name, items]) => [h("h2", {}, name), h("ul", {}, items)]));
}

listeners.push((before) => {
  const isChanged = (...names) => names.some((name) => before[name] !== state[name]);
  if (isChanged("tab")) drawTabs();
  if (isChanged("tab", "kind", "q", "fates")) drawKinds();
  const isSameTable = state.tab === "properties" && lanesView.key === state.kind && byId("lanes");
  if (isChanged("tab") || (isChanged("kind") && !isSameTable) || (state.tab === "objects" && isChanged("object", "edit"))) {
    drawMain();
    return;
  }
  if (state.tab !== "properties") return;
  if (isChanged("q", "fates")) {
    if (byId("search").value !== state.q) byId("search").value = state.q;
    filterLanes();
  }
  if (isChanged("lane", "kind")) {
    markLane();
    drawDetails();
  }
});

// --- theme: that of the system, unless one is chosen ---

const THEMES = { "": "Theme: system", light: "Theme: light", dark: "Theme: dark" };
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let theme = "";
try {
  theme = localStorage.getItem("holdall-theme") ?? "";
} catch { /* a page from disk may have no storage */ }

function setTheme(name) {
  theme = name in THEMES ? name : "";
  document.documentElement.dataset.theme = theme || (prefersDark.matches ? "dark" : "light");
  byId("theme").textContent = THEMES[theme];
}

prefersDark.addEventListener("change", () => setTheme(theme));
byId("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  setTheme(names[(names.indexOf(theme) + 1) % names.length]);
  try {
    localStorage.setItem("holdall-theme", theme);
  } catch { /* then it is not remembered */ }
});

// --- keys ---

const KEYS = [
  ["/", "search"], ["1 … 4", "properties, objects, laws, differences"], ["[ and ]", "previous kind, next kind"],
  ["↑ ↓", "previous property, next property"], ["← →", "fold and unfold an object"], ["Enter", "details of a property"],
  ["c", "changes only"], ["p", "paste an object"], ["Escape", "close the details, clear the search"], ["?", "these keys"],
];

function showKeys() {
  showDialog("Keys", h("dl", {}, KEYS.map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])),
    h("div", { class: "row" }, closing()));
}

byId("help").addEventListener("click", showKeys);

addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && !byId("dialog").open) {
    if (state.lane && state.tab === "properties") closeDetails();
    else if (state.q || state.fates) go({ q: "", fates: "" }, { step: false });
    return;
  }
  if (isTyping || byId("dialog").open || event.altKey || event.ctrlKey || event.metaKey) return;
  const names = Object.keys(TABS);
  if (event.key === "/") {
    if (state.tab !== "properties") go({ tab: "properties" });
    byId("search").focus();
    byId("search").select();
  } else if (names[Number(event.key) - 1]) go({ tab: names[Number(event.key) - 1] });
  else if (event.key === "[" || event.key === "]") {
    const at = kinds.findIndex((item) => item.key === state.kind) + (event.key === "]" ? 1 : -1);
    if (kinds[at]) go({ tab: "properties", kind: kinds[at].key, lane: "" });
  } else if (event.key === "c" && state.tab === "properties") toggleFate("changes");
  else if (event.key === "p") askForObject();
  else if (event.key === "?") showKeys();
  else return;
  event.preventDefault();
});

addEventListener("paste", (event) => {
  if (state.tab !== "objects" || event.target.closest("input, textarea")) return;
  askForObject(event.clipboardData.getData("text"));
  event.preventDefault();
});

// --- a live page polls for changes of the project ---

async function watch() {
  const status = byId("live");
  try {
    const found = await (await fetch("/state")).json();
    if (found.state === model.state) status.textContent = "live";
    else status.replaceChildren("The project has changed. ", h("button", { type: "button", class: "link", onclick: () => location.reload() }, "Reload"));
  } catch {
    status.textContent = "the server has stopped";
  }
  setTimeout(watch, 2000);
}

function notices() {
  const texts = [model.missing && `There are no objects and no laws on this page. ${model.missing}`,
    model.problems.length && `Mistakes in hooks: ${model.problems.join("\n")}`,
    ...model.groups.flatMap((group) => group.kinds.map((kind) => kind.cut))].filter(Boolean);
  byId("notices").replaceChildren(...texts.map((text) => h("div", { class: "notice", role: "status" }, text)));
}

byId("project").textContent = model.project;
setTheme(theme);
readAddress();
notices();
drawTabs();
drawKinds();
drawMain();
if (live) watch();
setTimeout(prepareSearch, 200);
document.documentElement.dataset.ready = "true";
