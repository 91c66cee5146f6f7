// Your own objects: converted by a live server, or explained by the plan.

function askForObject(text = "") {
  const field = h("textarea", { id: "given", spellcheck: false, aria: { label: "The object" } });
  field.value = text;
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const submit = async () => {
    try {
      fault.hidden = true;
      await takeObject(field.value);
      byId("dialog").close();
    } catch (error) {
      fault.textContent = error.message;
      fault.hidden = false;
    }
  };
  showDialog("Paste an object",
    h("p", { class: "soft" }, live
      ? "YAML or JSON, one object or several. The project's own code converts them, and nothing leaves this machine."
      : "JSON. This page shows what the plan says about each field; `holdall explore --serve` converts objects, and reads YAML, too."),
    field, fault,
    h("div", { class: "row" }, closing("Cancel"), h("button", { type: "button", class: "main", id: "show", onclick: submit }, live ? "Convert" : "Show")));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
  });
  field.focus();
}

async function takeObject(text) {
  if (!text.trim()) throw new Error("There is nothing to show: paste an object.");
  const found = live ? (await ask({ text })).objects : [planned(JSON.parse(text))];
  if (found.length === 1 && found[0].planned) {
    showPlanned(found[0]);
    return;
  }
  const first = allObjects().length;
  objectsView.pasted.push(...found);
  objectsView.edit = null;
  go({ tab: "objects", object: String(first), edit: "" });
  drawMain();
  announce(`${plural(found.length, "object")} converted`);
}

async function ask(question) {
  const answer = await fetch("/convert", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

function askForEdit(object, version) {
  const base = object.views[version].document;
  const field = h("textarea", { id: "given", spellcheck: false, aria: { label: `The object at ${version}` } });
  field.value = JSON.stringify(base, null, 2);
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const submit = async () => {
    try {
      const { changes } = await ask({ base, text: field.value });
      objectsView.edit = { version, changes };
      byId("dialog").close();
      drawMain();
      announce(`Edited at ${version}`);
    } catch (error) {
      fault.textContent = error.message;
      fault.hidden = false;
    }
  };
  showDialog(`Edit as a client of ${version}`, h("p", { class: "soft" }, "Change values to see what that changes at the other versions."), field, fault,
    h("div", { class: "row" }, closing("Cancel"), h("button", { type: "button", class: "main", id: "show", onclick: submit }, "Show the effect")));
}

// --- without a server: what the plan says about the fields of an object ---

/** Return a known object that is this one, or what the plan says about it. */
function planned(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Error("Paste an object with apiVersion and kind.");
  const [version, ...rest] = String(value.apiVersion ?? "").split("/").reverse();
  const group = rest.reverse().join("/");
  const item = kindOf(group, value.kind);
  if (!item) throw new Error(`The project has no kind ${JSON.stringify(value.kind)} in the group ${JSON.stringify(group)}.`);
  if (!item.versions.includes(version)) throw new Error(`${item.kind.name} has no version ${JSON.stringify(version)}; known: ${item.versions.join(", ")}.`);
  const text = sorted(value);
  const known = model.objects.find((object) => object.version === version && sorted(object.views[version]?.document) === text);
  return known ?? { planned: true, value, item, version };
}

function sorted(value) {
  return JSON.stringify(value, (_, item) => item && typeof item === "object" && !Array.isArray(item)
    ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1))) : item);
}

function showPlanned({ value, item, version }) {
  const places = new Map();
  for (const lane of item.lanes) {
    const cell = lane.cells[version];
    if (typeof cell !== "string") for (const [path] of cell) places.set(path, lane);
  }
  const rows = [];
  const walk = (inner, path, shown) => {
    const isList = Array.isArray(inner);
    for (const [name, held] of Object.entries(inner)) {
      const place = [path, `${path}/*`].map((above) => (above ? `${above}/${name}` : name)).find((key) => places.has(key));
      const lane = isList ? undefined : places.get(place);
      const pointer = `${shown}/${escapePointer(name)}`;
      const isHolder = held !== null && typeof held === "object" && Object.keys(held).length > 0;
      const next = isList || !lane ? (places.has(path) || path.endsWith("*") ? `${path}/*` : `${path}/${name}`) : place;
      const goesOn = isHolder && [...places.keys()].some((key) => key.startsWith(`${next}/`));
      if (goesOn) walk(held, next, pointer);
      else rows.push([pointer, lane]);
    }
  };
  walk(Object.fromEntries(Object.entries(value).filter(([name]) => name !== "apiVersion" && name !== "kind")), "", "");
  showDialog(`${item.kind.name} of ${version}, by the plan`,
    h("p", { class: "soft" }, "This page does not convert values: run `holdall explore --serve` for that."),
    h("div", { class: "scroller" }, h("table", { id: "planned" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `at ${version}`), item.versions.filter((other) => other !== version).map((other) => h("th", { scope: "col" }, other)))),
      h("tbody", {}, rows.map(([pointer, lane]) => h("tr", {}, h("th", { scope: "row", class: "code" }, pointer),
        item.versions.filter((other) => other !== version).map((other) => h("td", {}, whereAt(lane, other)))))))),
    h("div", { class: "row" }, closing()));
}

function whereAt(lane, version) {
  if (!lane) return "unknown to the schema; kept";
  const cell = lane.cells[version];
  if (typeof cell === "string") return ABSENT[cell];
  return cell.map(([path]) => path).join(", ");
}
