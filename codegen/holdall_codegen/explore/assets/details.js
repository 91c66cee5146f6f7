// Everything about one lane: each version, and each edge with its reason and its source.

function drawDetails() {
  const pane = byId("details");
  const item = chosenKind();
  const lane = state.tab === "properties" && item?.lanes.find((other) => other.path === state.lane);
  pane.hidden = !lane;
  if (!lane) {
    pane.replaceChildren();
    return;
  }
  const steps = [];
  const said = new Set();
  for (const [place, version] of item.kind.versions.entries()) {
    if (place) steps.push(passage(item, lane, item.versions[place - 1], version.name));
    steps.push(stop(item, lane, version, said));
  }
  const links = item.kind.edges.filter(([one, other]) => item.versions.indexOf(other) - item.versions.indexOf(one) !== 1);
  pane.replaceChildren(
    h("div", { class: "head" },
      h("h2", { id: "details-title", tabindex: "-1" }, breakable(`${item.kind.name}/${lane.path}`)),
      h("button", { type: "button", class: "quiet", onclick: closeDetails, aria: { label: "Close the details", keyshortcuts: "Escape" } }, "✕")),
    h("p", {}, lane.fates.map((fate) => h("span", { class: "tag fate", data: { fate } }, FATES[fate]))),
    ...differencesOf(item, lane),
    h("ol", { class: "journey" }, steps),
    ...links.map((ends) => h("ol", { class: "journey" }, passage(item, lane, ...ends))),
  );
  pane.scrollTop = 0;
  announce(`Details of ${lane.path}: ${lane.fates.map((fate) => FATES[fate]).join(", ")}`);
}

/** Return a path that may break after its slashes. */
function breakable(path) {
  return path.split("/").flatMap((name, index) => (index ? ["/", h("wbr"), name] : [name]));
}

function closeDetails() {
  const index = chosenKind().lanes.findIndex((lane) => lane.path === state.lane);
  go({ lane: "" });
  if (lanesView.places.has(index)) focusRow(index);
}

/** Return what a version has, without docs that were `said` of another version already. */
function stop(item, lane, version, said) {
  const cell = lane.cells[version.name];
  if (typeof cell === "string") {
    const where = { bag: "It is in the bag.", hook: "A hook has it.", inside: "It is inside the object that holds it." };
    return h("li", { class: "away" }, h("i", { class: "dot" }), h("h3", { class: "soft" }, h("code", {}, version.name)),
      h("p", { class: "soft" }, where[cell] ?? "This version does not have it."));
  }
  return h("li", {}, h("i", { class: "dot" }), h("h3", {}, h("code", {}, version.name)),
    cell.map(([path, index]) => {
      const property = item.group.properties[index];
      const words = [
        property.required && "required", property.nullable && "nullable",
        "default" in property && `default ${JSON.stringify(property.default)}`,
        property.enum && `one of ${property.enum.map((value) => JSON.stringify(value)).join(", ")}`,
        property.deprecated && `deprecated: ${property.deprecated}`,
      ].filter(Boolean);
      return [
        h("p", {}, h("code", {}, path), " ", h("span", { class: "soft" }, [property.shows, ...words].join(", "))),
        property.doc && !said.has(property.doc) && said.add(property.doc) && h("p", { class: "soft" }, property.doc),
        source(property),
      ];
    }));
}

function passage(item, lane, older, newer) {
  const place = edgeIndex(item, older, newer);
  const pair = (lane.passages[place] ?? []).map((index) => (index === null ? null : item.group.decisions[index]));
  const fate = place < 0 ? undefined : passageFate(item.group, lane, place);
  const [there, back] = pair;
  if (!there && !back) {
    const isCarried = place >= 0;
    return h("li", { class: "pass", data: { fate: "bag" } }, h("i", { class: "line" }),
      h("h3", {}, `${older} → ${newer}`), h("p", { class: "soft" }, isCarried ? "It stays where it is: in the bag." : "There is no edge."));
  }
  const alike = there && back && there.reason === back.reason && there.fate === back.fate;
  const said = [there, alike ? null : back].filter(Boolean);
  const declared = said.map((decision) => decision.declared).find(Boolean);
  const hooks = [...new Set(said.filter((decision) => decision.fate === "hook" && decision.hook !== undefined).map((decision) => decision.hook))];
  return h("li", { class: "pass", data: { fate } }, h("i", { class: "line" }),
    h("h3", {}, `${older} → ${newer}: ${FATES[fate]}`),
    said.map((decision) => h("p", {}, reasonOf(decision, older, newer))),
    declared && source(declared),
    hooks.map((index) => hookOf(item.group.hooks[index])),
  );
}

function reasonOf(decision, older, newer) {
  const whole = decision.whole ? `with all of ${decision.property}: ` : "";
  const words = { stashed: `to ${decision.side === "older" ? newer : older}: goes into the bag; `, pulled: `to ${decision.side === "newer" ? newer : older}: comes out of the bag; ` };
  const partner = decision.partner && decision.partner !== decision.property ? ` (${decision.partner})` : "";
  const doubt = decision.doubtful ? "; the two share a name, but may mean different things" : "";
  return `${whole}${words[decision.plan] ?? ""}${decision.reason}${partner}${doubt}`;
}

function hookOf(hook) {
  return [
    h("p", { class: "where" }, `${hook.name}, ${hook.at}`),
    hook.sources.map((item) => h("details", {}, h("summary", {}, item.at), h("pre", { class: "text", tabindex: "0", aria: { label: item.at } }, item.text))),
  ];
}

function source(place) {
  if (!place?.at) return null;
  return [h("p", { class: "where" }, place.at), place.lines && h("pre", { class: "text", tabindex: "0", aria: { label: place.at } }, place.lines)];
}

function differencesOf(item, lane) {
  const found = changesOf(item.group, lane);
  if (!found.length) return [];
  return [h("div", { class: "card" }, h("h3", {}, `Since ${model.changes.revision}`),
    h("ul", { class: "changes" }, found.map((change) => h("li", {}, changeText(change)))))];
}
