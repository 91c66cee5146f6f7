// One object at every version: what a client sees there, what is in its bag, what an edit changes.

const objectsView = { pasted: [], raw: false, metadata: false, edit: null };

const allObjects = () => [...model.objects, ...objectsView.pasted];

function drawObjects(main) {
  const objects = allObjects();
  const chosen = objects[Number(state.object)] ?? objects[0];
  main.replaceChildren(objectBar(objects, chosen));
  if (!chosen) {
    main.append(h("p", { class: "empty" }, model.missing ? "There are no results: the generated code cannot be used." : "There are no objects. Paste one."));
    return;
  }
  const edit = objectsView.edit ?? chosen.edits?.[Number(state.edit)] ?? null;
  const shownEdit = state.edit === "" && !objectsView.edit ? null : edit;
  const fields = linksOf(chosen);
  const views = Object.entries(chosen.views).map(([version, view]) => objectView(chosen, version, view, fields, shownEdit));
  main.append(
    h("div", { class: "columns", id: "views", onclick: linkFields, tabindex: "0", role: "region", aria: { label: "The object at every version" } }, views),
    fieldTable(chosen, fields));
}

function objectBar(objects, chosen) {
  const label = (item) => `${item.title} (${item.where})`;
  const groups = new Map();
  for (const [index, item] of objects.entries()) {
    const name = `${item.kind}, ${item.group}`;
    groups.set(name, [...(groups.get(name) ?? []), h("option", { value: String(index), selected: item === chosen }, label(item))]);
  }
  const edits = chosen?.edits ?? [];
  return h("div", { class: "bar" },
    h("h2", {}, "Objects"),
    h("label", {}, h("span", { class: "unseen" }, "Object"),
      h("select", { id: "object", onchange: (event) => { objectsView.edit = null; go({ object: event.target.value, edit: "" }); } },
        [...groups].map(([name, options]) => h("optgroup", { label: name }, options)))),
    edits.length > 0 && h("label", {}, "An edit ",
      h("select", { id: "edit", onchange: (event) => { objectsView.edit = null; go({ edit: event.target.value }); } },
        h("option", { value: "" }, "none"),
        edits.map((edit, index) => h("option", { value: String(index), selected: state.edit === String(index) },
          `at ${edit.version}: ${edit.path} = ${short(edit.after)}`)))),
    h("button", { type: "button", id: "paste", class: "main", onclick: () => askForObject() }, "Paste an object…"),
    h("span", { class: "soft" }, "Each column is what a client of that version sees."),
    checkbox("metadata", "Metadata"),
    checkbox("raw", "The bag where it travels"),
  );
}

function checkbox(name, label) {
  return h("label", {}, h("input", {
    type: "checkbox", id: name, checked: objectsView[name],
    onchange: (event) => { objectsView[name] = event.target.checked; drawMain(); byId(name).focus(); },
  }), label);
}

function short(value) {
  const text = JSON.stringify(value) ?? "";
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** Return the fields that change, and by version and place where they come from. */
function linksOf(object) {
  const links = { byVersion: {}, fields: new Map() };
  for (const [version, view] of Object.entries(object.views)) {
    const places = (links.byVersion[version] = new Map());
    for (const [path, shown, kept, fate, lost] of view.fields ?? []) {
      if (!links.fields.has(path)) links.fields.set(path, {});
      links.fields.get(path)[version] = { shown, kept, fate, lost };
      for (const place of shown) places.set(place, { from: path, fate });
    }
  }
  return links;
}

const FATE_WORDS = [["lost", "lost"], ["claimed by", "hook"], ["stash", "bag"], ["pulled", "bag"], ["stays in the bag", "bag"], ["moved", "moved"], ["renamed", "renamed"], ["converted", "converted"]];
const fateOfText = (text) => FATE_WORDS.find(([word]) => text.includes(word))?.[1] ?? "copied";

function objectView(object, version, view, links, edit) {
  const isSource = version === object.version;
  const title = h("header", {}, h("h3", {}, version), h("span", {},
    isSource && h("span", { class: "tag solid" }, "as given"),
    edit?.version === version && h("span", { class: "tag" }, "edited here"),
    live && !view.error && h("button", { type: "button", class: "quiet", data: { version }, onclick: () => askForEdit(object, version) }, "Edit…")));
  if (view.error) return h("section", { class: "view", aria: { label: version } }, title, h("p", { class: "fault" }, view.error));
  const changes = new Map((edit?.changes?.[version] ?? []).map(([path, before, after]) => [path, { before, after }]));
  const lines = [];
  const document_ = objectsView.raw ? view.document : withoutCarriers(view.document);
  drawTree(lines, document_, "", 0, { version, isSource, links, changes });
  for (const [path, change] of changes) {
    if (!change.before.length) lines.push(() => lineOf(`${path}: `, h("ins", {}, short(change.after[0])), path, 0, { class: "edited" }));
  }
  const tree = h("ul", { class: "tree" });
  queueMicrotask(() => appendInPortions(tree, lines));
  const entries = view.bag;
  const bag = h("ul");
  const held = h("div", { class: entries.length ? "held" : "held nothing" },
    h("h4", {}, entries.length ? `In the bag (${entries.length})` : "The bag is empty"),
    bag);
  queueMicrotask(() => appendInPortions(bag, entries.map((entry) => () => h("li", {},
    h("code", {}, `${entry.origin} ${entry.path === "/" ? "" : entry.path}/${entry.property}: ${short(entry.value)}`),
    h("span", { class: "why" }, ` ${plural(entry.size, "byte")}; ${entry.why}`)))));
  const same = view.back.length === 0;
  return h("section", { class: isSource ? "view source" : "view", data: { version }, aria: { label: `A client of ${version} sees` } }, title, tree, held,
    !isSource && h("p", { class: same ? "verdict good" : "verdict bad" },
      same ? `✓ Back at ${object.version} it is the same object` : `✗ Back at ${object.version} it differs: ${view.back.map(([path]) => path || "/").join(", ")}`));
}

/** Return what a client sees of an object: everything but the bag and its empty containers. */
function withoutCarriers(value, isTop = true) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const found = {};
  for (const [name, item] of Object.entries(value)) {
    if (model.carriers.includes(name)) continue;
    if (isTop && name === "metadata" && item?.annotations) {
      const metadata = { ...item, annotations: withoutCarriers(item.annotations, false) };
      if (!Object.keys(metadata.annotations).length && Object.keys(item.annotations).length) delete metadata.annotations;
      found[name] = metadata;
    } else found[name] = isTop && name === "status" ? withoutCarriers(item, false) : item;
  }
  return found;
}

const escapePointer = (name) => String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/** Draw the members of a value as lines; `head` precedes the first one, such as the dash of a list. */
function drawTree(list, value, path, depth, context, head = "") {
  const isList = Array.isArray(value);
  const entries = isList ? value.map((item, index) => [String(index), item]) : Object.entries(value);
  for (const [name, item] of entries) {
    const place = `${path}/${escapePointer(name)}`;
    const label = head + (isList ? "- " : `${name}: `);
    const indent = head ? depth - 1 : depth;
    head = "";
    const isFolded = place === "/metadata" && !objectsView.metadata && !objectsView.raw && item !== null && typeof item === "object";
    const isHolder = item !== null && typeof item === "object" && Object.keys(item).length > 0;
    const change = context.changes.get(place);
    const known = context.isSource ? context.links.fields.get(place) && { from: place, fate: tellingOf(context.links, place) } : context.links.byVersion[context.version]?.get(place);
    const from = known?.from ?? place;
    const properties = { data: { place, from } };
    if (change) properties.class = "edited";
    const fate = known ? fateOfText(known.fate) : "copied";
    if (fate !== "copied") properties.data.fate = fate;
    const note = !context.isSource && known && fate !== "copied" ? h("span", { class: "note" }, fate === "bag" ? "out of the bag" : known.from === place ? FATES[fate] ?? fate : `${FATES[fate] ?? fate} from ${known.from}`) : null;
    const isInList = isList && isHolder && !change && !Array.isArray(item);
    const shown = isHolder && !change ? null : change ? [change.before.length > 0 && h("del", {}, short(change.before[0])), change.after.length > 0 && h("ins", {}, short(change.after[0]))] : JSON.stringify(item);
    const folded = h("span", { class: "folded" }, `${item?.name ?? ""} …`);
    if (!isInList) list.push(() => lineOf(label, isFolded ? folded : shown, place, indent, properties, note));
    if (isHolder && !isFolded && !change) drawTree(list, item, place, depth + 1, context, isInList ? "- " : "");
  }
}

function tellingOf(links, path) {
  const fates = Object.values(links.fields.get(path) ?? {}).map((item) => item.fate);
  return fates.find((fate) => fateOfText(fate) !== "copied") ?? "";
}

function lineOf(label, value, place, depth, properties, note) {
  return h("li", { ...properties, vars: { "--depth": depth } }, h("span", { class: "key" }, label), value, note);
}

/** Show where the clicked field is at all versions. */
function linkFields(event) {
  const line = event.target.closest(".tree li");
  const from = line?.dataset.from;
  for (const other of document.querySelectorAll(".tree li")) {
    other.classList.toggle("linked", from !== undefined && other.dataset.from === from);
  }
}

/** The same as a table: each field that changes, and what happens to it. */
function fieldTable(object, links) {
  if (!links.fields.size) return h("div", { class: "pad" }, h("p", { class: "soft" }, "Every field stays where it is at all versions."));
  const versions = Object.keys(object.views).filter((version) => version !== object.version);
  const body = h("tbody");
  queueMicrotask(() => appendInPortions(body, [...links.fields].map(([path, at]) => () => h("tr", {}, h("th", { scope: "row", class: "code" }, path),
    versions.map((version) => h("td", { class: at[version]?.lost ? "bad" : "" }, at[version]?.fate ?? "copied")))), "tr"));
  return h("div", { class: "pad" }, h("h3", {}, "What happens to its fields"),
    h("table", { id: "fields" }, h("caption", {}, `From ${object.version}; fields that are not listed stay where they are.`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `at ${object.version}`), versions.map((version) => h("th", { scope: "col" }, version)))),
      body));
}
