// The results of the laws, and the differences to another state of the project.

function drawLaws(main) {
  const laws = model.laws;
  const bar = h("div", { class: "bar" }, h("h2", {}, "Laws"));
  if (!laws) {
    main.replaceChildren(bar, h("p", { class: "empty" }, model.missing ? "There are no results: the generated code cannot be used." : "The laws were not checked for this page."));
    return;
  }
  const broken = laws.rows.reduce((sum, row) => sum + row.broken.length, 0);
  const checked = laws.rows.reduce((sum, row) => sum + row.checked.length, 0);
  const names = Object.keys(laws.texts);
  bar.append(h("span", { class: broken ? "bad" : "good", role: "status" }, broken
    ? `✗ ${broken} of ${checked} checks fail` : `✓ all ${checked.toLocaleString("en")} checks hold`),
  h("span", { class: "soft" }, `on ${plural(laws.objects, "drawn object")}, seed ${laws.seed}; \`holdall laws\` draws more, and checks L6 and L11`));
  main.replaceChildren(bar, h("div", { class: "pad" },
    laws.broken.map(brokenLaw),
    h("table", { id: "laws" },
      h("thead", {}, h("tr", {}, ["kind", "from", "to"].map((name) => h("th", { scope: "col" }, name)),
        names.map((law) => h("th", { scope: "col", class: "mark" }, h("abbr", { title: laws.texts[law] }, law))))),
      h("tbody", {}, laws.rows.map((row) => h("tr", {},
        h("th", { scope: "row" }, row.kind), h("td", { class: "code" }, row.from), h("td", { class: "code" }, row.to),
        names.map((law) => {
          const [sign, word, tone] = row.broken.includes(law) ? ["✗", "broken", "bad"] : row.checked.includes(law) ? ["✓", "holds", "good"] : ["–", "not checked", "soft"];
          return h("td", { class: `mark ${tone}` }, h("span", { aria: { hidden: "true" } }, sign), h("span", { class: "unseen" }, word));
        }))))),
    h("h3", {}, "The laws"),
    h("dl", { id: "law-texts" }, names.map((law) => [h("dt", {}, h("strong", {}, law)), h("dd", {}, laws.texts[law])]))));
}

function brokenLaw(item) {
  return h("div", { class: "card bad" },
    h("h3", { class: "bad" }, `${item.kind} ${item.from} → ${item.to} breaks ${item.law}: ${model.laws.texts[item.law]}`),
    h("p", {}, item.claim), h("pre", { class: "text", tabindex: "0", aria: { label: "Differences" } }, item.differences.join("\n")),
    h("details", {}, h("summary", {}, `The object, of ${item.version}`), h("pre", { class: "text" }, JSON.stringify(item.object, null, 2))),
    h("p", { class: "where" }, item.command));
}

const SIGNS = { added: "+", removed: "−", changed: "~", renamed: "→" };

function changeText(item) {
  const values = item.before && item.after ? `: ${item.before} → ${item.after}` : item.before || item.after ? `: ${item.before ?? item.after}` : "";
  return [h("span", { class: "sign", aria: { hidden: "true" } }, SIGNS[item.change]), `${item.subject} `, h("code", {}, item.where), ` ${item.change}${values}`];
}

function drawChanges(main) {
  const found = model.changes;
  const bar = h("div", { class: "bar" }, h("h2", {}, "Differences"));
  if (!found) {
    main.replaceChildren(bar, h("p", { class: "empty" }, "Run `holdall explore --against REF` to compare with another git revision."));
    return;
  }
  const groups = Object.entries(found.groups).filter(([, items]) => items.length);
  const count = groups.reduce((sum, [, items]) => sum + items.length, 0);
  bar.append(h("span", { role: "status" }, count ? `${plural(count, "difference")} since ${found.revision}` : `No differences since ${found.revision}`));
  main.replaceChildren(bar, h("div", { class: "pad" },
    groups.map(([name, items]) => [h("h3", {}, name), h("ul", { class: "changes" }, items.map((item) => h("li", {}, changeText(item), " ", laneLink(name, item))))]),
    found.schemas.length > 0 && [h("h3", {}, "Schemas"), h("ul", { class: "changes" }, found.schemas.map((text) => h("li", {}, text)))],
    found.stored.length > 0 && [h("h3", {}, "Stored objects"), h("ul", { class: "changes" }, found.stored.map((text) => h("li", {}, text)))],
    found.hooks.length > 0 && [h("h3", {}, "Hooks"), h("ul", { class: "changes" }, found.hooks.map((text) => h("li", {}, text)))]));
}

/** Return a link to the lane that a difference is about; nothing for what is gone. */
function laneLink(name, change) {
  if (!change.of) return null;
  const [version, type, property] = change.of;
  for (const item of kinds.filter((other) => other.group.package === name)) {
    const lane = item.lanes.find((other) => {
      const cell = other.cells[version];
      return typeof cell === "object" && cell.some(([, index]) => item.group.properties[index].type === type && item.group.properties[index].name === property);
    });
    if (lane) {
      return h("button", { type: "button", class: "link", onclick: () => go({ tab: "properties", kind: item.key, lane: lane.path, q: "", fates: "" }),
        aria: { label: `Show ${lane.path} of ${item.kind.name}` } }, "show");
    }
  }
  return null;
}
