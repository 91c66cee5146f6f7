// The properties of a kind as lanes through its versions.

// Of many lanes only those in view are drawn; a printout has all.

const ROW_HEIGHT = 34;
const MANY = 250;
const MARGIN = 4;
const lanesView = { key: "", rows: new Map(), closed: new Set(), order: [], places: new Map(), found: [], entry: -1, drawsAll: false };

function drawProperties(main) {
  const item = chosenKind();
  if (!item) {
    main.replaceChildren(h("p", { class: "empty" }, "The project has no kinds."));
    return;
  }
  if (lanesView.key !== item.key) {
    lanesView.rows.clear();
    lanesView.closed.clear();
  }
  lanesView.key = item.key;
  for (const lane of item.lanes) lane.depth = lane.parent === null ? 0 : item.lanes[lane.parent].depth + 1;
  const columns = item.versions.map((_, index) => `${index ? "minmax(80px, .7fr) " : ""}minmax(118px, 1fr)`);
  const least = 236 + item.versions.length * 198 - 80;
  const body = h("div", { class: "body", id: "rows", role: "rowgroup" });
  const grid = h(
    "div",
    {
      class: "lanes",
      role: "treegrid",
      id: "lanes",
      aria: { label: `Properties of ${item.kind.name} through its versions`, rowcount: item.lanes.length + 1 },
      vars: { "--columns": `236px ${columns.join(" ")}`, "--least": `${least}px` },
      onclick: laneClicked,
      onkeydown: laneKey,
    },
    laneHeads(item),
    body,
  );
  const none = h("p", { class: "empty", id: "no-lanes", hidden: true }, "No property found. ",
    h("button", { type: "button", class: "link", onclick: () => go({ q: "", fates: "" }) }, "Show all"));
  main.replaceChildren(laneBar(item), h("div", { class: "scroller", id: "scroller", onscroll: drawRows }, grid, none));
  filterLanes();
  const chosen = item.lanes.findIndex((lane) => lane.path === state.lane);
  if (chosen >= 0) bringIntoSight(chosen);
}

function laneBar(item) {
  const counts = countFates(item.lanes);
  const search = h("input", {
    type: "search", id: "search", placeholder: "Search properties", value: state.q,
    aria: { label: "Search the properties of all kinds", keyshortcuts: "/" },
    oninput: (event) => go({ q: event.target.value }, { step: false }),
  });
  const chip = (name, label, count, mark) =>
    h("button", {
      type: "button", class: "chip", data: mark ? { fate: name, filter: name } : { filter: name },
      aria: { pressed: String(isFiltered(name)) }, onclick: () => toggleFate(name),
    }, mark && h("i", { class: "line", aria: { hidden: "true" } }), label, h("b", {}, String(count)));
  const known = Object.keys(FATES).filter((fate) => counts[fate]);
  const differing = item.lanes.filter((lane) => changesOf(item.group, lane).length).length;
  return h("div", { class: "bar", role: "search" },
    h("h2", {}, item.kind.name), search,
    chip("changes", "Changes only", item.telling, false),
    known.map((fate) => chip(fate, FATES[fate], counts[fate], true)),
    differing > 0 && chip("differs", `Since ${model.changes.revision}`, differing, false),
    h("span", { class: "soft", id: "shown", role: "status" }),
  );
}

function countFates(lanes) {
  const counts = {};
  for (const lane of lanes) for (const fate of lane.fates) counts[fate] = (counts[fate] ?? 0) + 1;
  return counts;
}

const isFiltered = (name) => state.fates.split(",").includes(name);

function toggleFate(name) {
  const chosen = new Set(state.fates.split(",").filter(Boolean));
  chosen.has(name) ? chosen.delete(name) : chosen.add(name);
  go({ fates: [...chosen].join(",") }, { step: false });
}

function laneHeads(item) {
  const heads = [h("div", { class: "corner", role: "columnheader" }, "property")];
  for (const [index, version] of item.kind.versions.entries()) {
    if (index) heads.push(edgeHead(item, item.versions[index - 1], version.name));
    const tags = [
      version.storage && h("span", { class: "tag solid" }, "stored"),
      version.hub && !version.storage && h("span", { class: "tag" }, "hub"),
      version.internal ? h("span", { class: "tag" }, "internal") : !version.served && h("span", { class: "tag struck" }, "not served"),
      version.deprecated && h("span", { class: "tag struck", title: version.deprecated }, "deprecated"),
    ];
    heads.push(h("div", { role: "columnheader" }, h("strong", {}, version.name), tags));
  }
  return h("div", { class: "heads", role: "rowgroup" }, h("div", { role: "row" }, heads));
}

function edgeHead(item, older, newer) {
  const place = edgeIndex(item, older, newer);
  const counts = {};
  for (const lane of place < 0 ? [] : item.lanes) {
    const fate = passageFate(item.group, lane, place);
    if (fate && !QUIET.has(fate)) counts[fate] = (counts[fate] ?? 0) + 1;
  }
  const sums = Object.keys(FATES).filter((fate) => counts[fate]);
  return h("div", { class: "edge", role: "columnheader", aria: { label: `${older} to ${newer}` } },
    h("span", { class: "sums" }, sums.map((fate) => h("span", { data: { fate } }, `${counts[fate]} ${FATES[fate]}`))));
}

const edgeIndex = (item, older, newer) => item.kind.edges.findIndex(([one, other]) => one === older && other === newer);

/** Return the most important fate on one edge: the older side's, else the newer side's. */
function passageFate(group, lane, place) {
  const pair = lane.passages[place] ?? [];
  const fates = pair.filter((index) => index !== null && index !== undefined).map((index) => group.decisions[index].fate);
  return Object.keys(FATES).find((fate) => fates.includes(fate));
}

const ABSENT = { bag: "in the bag", hook: "by hook", inside: "inside its object", "": "" };

function laneRow(item, lane, index) {
  const isQuiet = lane.fates.every((fate) => QUIET.has(fate));
  const depth = lane.depth;
  const hasInner = item.lanes[index + 1]?.parent === index;
  const name = nameOf(lane.path, lane.parent === null ? "" : item.lanes[lane.parent].path);
  const differs = changesOf(item.group, lane).length;
  const cells = [
    h("div", { role: "rowheader", vars: { "--depth": depth } },
      hasInner
        ? h("button", { type: "button", class: "twist", tabindex: "-1", aria: { label: `Members of ${name}`, expanded: "true" } }, "▼")
        : h("span", { class: "twist", aria: { hidden: "true" } }),
      h("span", { class: "name", title: lane.path }, name),
      differs > 0 && h("span", { class: "delta", title: `${plural(differs, "difference")} to ${model.changes.revision}` }, "Δ")),
  ];
  let said = "";
  let path = name;
  for (const [place, version] of item.versions.entries()) {
    const cell = lane.cells[version];
    if (place) cells.push(edgeCell(item, lane, item.versions[place - 1], version));
    if (typeof cell === "string") {
      const before = lane.cells[item.versions[place - 1]];
      cells.push(goneCell(cell, before === cell));
      continue;
    }
    const [here, property] = cell[0];
    const shows = item.group.properties[property].shows;
    const above = lane.parent === null ? "" : item.lanes[lane.parent].cells[version];
    const local = nameOf(here, typeof above === "string" ? "" : above[0][0]);
    const isSame = path === local && (said === shows || !isType(shows));
    cells.push(spotCell(here, shows, isSame ? "" : local === name && isType(shows) && said !== shows ? shows : local, cell.length));
    path = local;
    said = shows;
  }
  return h("div", {
    role: "row", class: isQuiet ? "quiet" : "", data: { index: String(index) },
    aria: { level: depth + 1, rowindex: index + 2, expanded: hasInner ? "true" : undefined, selected: "false" },
  }, cells);
}

/** Return a path without that of its holder. */
function nameOf(path, above) {
  const rest = above && path.startsWith(`${above}/`) ? path.slice(above.length + 1) : path;
  return rest.replace(/^(\*\/)+/, "");
}

/** Tell whether the lane shows a type: objects show their members instead. */
const isType = (shows) => !/^[A-Z]|[ ][A-Z]/.test(shows);

/** Return a stop of a lane; it has a text if the name, the place or the type is new. */
function spotCell(path, shows, text, count) {
  const heard = h("span", { class: "unseen" }, `${path}, ${shows}`);
  const mark = text || count > 1
    ? h("span", { class: "station", aria: { hidden: "true" } }, text, count > 1 && ` +${count - 1}`)
    : h("i", { class: "dot" });
  return h("div", { role: "gridcell", class: "cell spot", title: `${path}: ${shows}` }, h("i", { class: "line plain" }), mark, heard);
}

function goneCell(where, isAgain) {
  return h("div", { role: "gridcell", class: "cell gone", data: { fate: where || "copied" } },
    h("i", { class: "line" }), h("span", { class: isAgain ? "unseen" : "label" }, ABSENT[where]));
}

function edgeCell(item, lane, older, newer) {
  const place = edgeIndex(item, older, newer);
  const fate = place < 0 ? undefined : passageFate(item.group, lane, place);
  const both = [older, newer].map((version) => lane.cells[version]);
  const away = both.every((cell) => typeof cell === "string") ? both[0] : "";
  const shown = fate ?? (away || "copied");
  const isTold = fate && !QUIET.has(fate) && fate !== "bag";
  return h("div", { role: "gridcell", class: fate ? "cell edge" : "cell edge away", data: { fate: shown } }, h("i", { class: "line" }),
    h("span", { class: isTold ? "label" : "unseen" }, FATES[fate] ?? ""));
}

// --- which lanes are shown ---

function laneFilter() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = state.fates.split(",").filter((name) => FATES[name]);
  const onlyChanges = isFiltered("changes");
  const onlyDiffering = isFiltered("differs");
  return (group, lane) =>
    (!onlyChanges || lane.fates.some((fate) => !QUIET.has(fate))) &&
    (!onlyDiffering || changesOf(group, lane).length > 0) &&
    (!chosen.length || chosen.some((fate) => lane.fates.includes(fate))) &&
    (!words.length || words.every((word) => textOf(group, lane).includes(word)));
}

function filterLanes() {
  const item = chosenKind();
  const takes = laneFilter();
  const shown = item.lanes.map((lane) => takes(item.group, lane));
  const count = shown.filter(Boolean).length;
  const context = new Array(item.lanes.length).fill(false);
  for (let index = item.lanes.length - 1; index >= 0; index--) {
    const parent = item.lanes[index].parent;
    if (parent !== null && (shown[index] || context[index])) context[parent] = true;
  }
  lanesView.found = shown;
  lanesView.order = item.lanes.flatMap((lane, index) => ((shown[index] || context[index]) && !isFolded(item, lane) ? [index] : []));
  lanesView.places = new Map(lanesView.order.map((index, place) => [index, place]));
  byId("no-lanes").hidden = count > 0;
  byId("shown").textContent = count === item.lanes.length ? plural(count, "property").replace("propertys", "properties")
    : `${count.toLocaleString("en")} of ${item.lanes.length.toLocaleString("en")} properties`;
  for (const button of document.querySelectorAll(".chip")) button.setAttribute("aria-pressed", String(isFiltered(button.dataset.filter)));
  markLane();
}

function isFolded(item, lane) {
  for (let above = lane.parent; above !== null; above = item.lanes[above].parent) {
    if (lanesView.closed.has(above)) return true;
  }
  return false;
}

function fold(index, isClosed) {
  isClosed ? lanesView.closed.add(index) : lanesView.closed.delete(index);
  filterLanes();
  focusRow(index);
}

/** Mark the chosen lane; its row, or the first one, gets the keyboard focus. */
function markLane() {
  const chosen = chosenKind().lanes.findIndex((lane) => lane.path === state.lane);
  lanesView.entry = lanesView.places.has(chosen) ? chosen : lanesView.order[0] ?? -1;
  drawRows();
}

/** Draw the rows in view, and the one with the focus. */
function drawRows() {
  const body = byId("rows");
  const { order, places, drawsAll } = lanesView;
  const isLong = order.length > MANY && !drawsAll;
  const scroller = byId("scroller");
  const first = isLong ? Math.max(0, Math.floor(scroller.scrollTop / ROW_HEIGHT) - MARGIN) : 0;
  const last = isLong ? Math.min(order.length, first + Math.ceil(scroller.clientHeight / ROW_HEIGHT) + 2 * MARGIN) : order.length;
  const drawn = order.slice(first, last);
  const focused = Number(document.activeElement?.closest?.(".body [role=row]")?.dataset.index ?? -1);
  if (isLong && places.has(focused)) {
    if (places.get(focused) < first) drawn.unshift(focused);
    else if (places.get(focused) >= last) drawn.push(focused);
  }
  const item = chosenKind();
  const rows = drawn.map((index) => dressed(item, index));
  body.classList.toggle("long", isLong);
  body.style.height = isLong ? `${order.length * ROW_HEIGHT}px` : "";
  for (const [place, row] of rows.entries()) {
    row.style.top = isLong ? `${places.get(drawn[place]) * ROW_HEIGHT}px` : "";
  }
  const kept = new Set(rows);
  for (const row of [...body.children]) if (!kept.has(row)) row.remove();
  for (const [place, row] of rows.entries()) {
    if (body.children[place] !== row) body.insertBefore(row, body.children[place] ?? null);
  }
}

/** Return the row of a lane in its current state. */
function dressed(item, index) {
  let row = lanesView.rows.get(index);
  if (!row) lanesView.rows.set(index, (row = laneRow(item, item.lanes[index], index)));
  row.classList.toggle("context", !lanesView.found[index]);
  row.setAttribute("aria-selected", String(item.lanes[index].path === state.lane));
  row.tabIndex = index === lanesView.entry ? 0 : -1;
  const twist = row.querySelector("button.twist");
  if (twist) {
    const isClosed = lanesView.closed.has(index);
    row.setAttribute("aria-expanded", String(!isClosed));
    twist.setAttribute("aria-expanded", String(!isClosed));
    twist.classList.toggle("closed", isClosed);
  }
  return row;
}

function bringIntoSight(index) {
  const place = lanesView.places.get(index);
  if (place === undefined) return;
  const scroller = byId("scroller");
  const room = scroller.clientHeight - document.querySelector(".heads").offsetHeight - ROW_HEIGHT;
  const top = place * ROW_HEIGHT;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
  drawRows();
}

function focusRow(index) {
  lanesView.entry = index;
  bringIntoSight(index);
  lanesView.rows.get(index)?.focus({ preventScroll: true });
  drawRows();
}

addEventListener("beforeprint", () => printing(true));
addEventListener("afterprint", () => printing(false));

function printing(drawsAll) {
  lanesView.drawsAll = drawsAll;
  if (byId("rows")) drawRows();
}

function laneClicked(event) {
  const row = event.target.closest(".body [role=row]");
  if (!row) return;
  const index = Number(row.dataset.index);
  if (event.target.closest("button.twist")) {
    fold(index, !lanesView.closed.has(index));
    return;
  }
  focusRow(index);
  chooseLane(index);
}

function chooseLane(index) {
  const { path } = chosenKind().lanes[index];
  go({ lane: state.lane === path ? "" : path });
}

function laneKey(event) {
  const row = event.target.closest(".body [role=row]");
  if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
  const item = chosenKind();
  const index = Number(row.dataset.index);
  const visible = lanesView.order;
  const at = lanesView.places.get(index);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity };
  if (event.key in steps) {
    focusRow(visible[Math.max(0, Math.min(visible.length - 1, at + steps[event.key]))]);
  } else if (event.key === "ArrowRight") {
    if (lanesView.closed.has(index)) fold(index, false);
    else if (item.lanes[visible[at + 1]]?.parent === index) focusRow(visible[at + 1]);
  } else if (event.key === "ArrowLeft") {
    if (row.getAttribute("aria-expanded") === "true" && !lanesView.closed.has(index)) fold(index, true);
    else if (item.lanes[index].parent !== null) focusRow(item.lanes[index].parent);
  } else if (event.key === "Enter" || event.key === " ") chooseLane(index);
  else return;
  event.preventDefault();
}
