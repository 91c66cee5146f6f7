"""The files of a group: schemas, and what holdall.yaml declares of the versions' differences."""

from __future__ import annotations

from itertools import pairwise

from tests.random_groups.hooked import part_of, part_within
from tests.random_groups.model import (
    Group,
    Json,
    Kind,
    Property,
    Type,
    kind_schema,
    types_below,
)
from tests.random_groups.pairs import Pair, named, pairs, path_of


def files(group: Group, package: str) -> dict[str, Json]:
    """Return the files of a project by their names, holdall.yaml among them."""
    found: dict[str, Json] = {}
    sources: list[Json] = []
    if group.crds:
        for kind in group.kinds:
            found[f"{kind.lower()}.json"] = _crd(group, kind)
        sources = [{"crds": "*.json"}]
    else:
        for version in group.versions:
            found[f"{version}.json"] = {
                kind: kind_schema(group, kind, version) for kind in group.kinds
            }
            kinds = {kind: f"/{kind}" for kind in group.kinds}
            sources.append({"schemas": f"{version}.json", "version": version, "kinds": kinds})
    entry: dict[str, Json] = {"sources": sources, "versions": group.versions, "hub": group.hub}
    entry |= {"edges": group.edges} if group.edges != "chain" else {}
    entry |= {"api_group": group.api_group} if group.crds else {}
    strict = {kind: strict_lists(group, type) for kind, type in group.kinds.items()}
    carriers = {kind: {"strict": paths} for kind, paths in strict.items() if paths}
    entry |= {"carrier": carriers} if carriers else {}
    hooks = parts(group)
    if hooks:
        found["hooks.txt"] = {" ".join(key): said for key, said in hooks.items()}
    declared = between(group)
    if declared:
        entry["between"] = declared
    groups = {"things": entry}
    found["holdall.yaml"] = {"output": package, "hooks": f"{package}_hooks", "groups": groups}
    return found


def strict_lists(group: Group, type: Type) -> list[str]:
    """Return the paths of the strict lists below a type, by their names in all versions."""
    found: dict[str, None] = {}

    def walk(type: Type, version: str, above: str) -> None:
        for item in type.properties:
            face, kind = item.faces.get(version), item.kind
            if face is None:
                continue
            path = f"{above}{path_of(type, item, version)}"
            bent = kind.bend() if face.bent else None
            if face.strict and bent is None:
                found[path] = None
            while kind.item is not None and (kind is not bent or kind.name == "table"):
                path, kind = f"{path}/*", kind.item
            if kind.type is not None and kind is not bent:
                if kind.type.is_single(version):
                    walk_single(kind.type.properties[1], version, path)
                else:
                    walk(kind.type, version, f"{path}/")

    def walk_single(value: Property, version: str, path: str) -> None:
        if value.kind.type is not None:
            walk(value.kind.type, version, f"{path}/")

    for version in group.versions:
        walk(type, version, "")
    return list(found)


def _crd(group: Group, kind: str) -> Json:
    versions = []
    for version in group.versions:
        schema = kind_schema(group, kind, version)
        item = {
            "name": version,
            "served": True,
            "storage": version == group.hub,
            "schema": {"openAPIV3Schema": schema},
        }
        if "status" in schema["properties"]:
            item["subresources"] = {"status": {}}
        versions.append(item)
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group.api_group}"},
        "spec": {
            "group": group.api_group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": versions,
        },
    }


def between(group: Group) -> dict[str, Json]:
    """Return what has to be declared about the differences of the versions."""
    found: dict[str, Json] = {}
    for pair in pairs(group):
        options = _options(pair)
        if options:
            _declare(found, pair.older, pair.newer, pair.name, pair.path, options)
    for kind, root in group.kinds.items():
        for type, holder, _ in [(root, None, root), *types_below(root)]:
            for item in type.properties:
                for older, newer in _no_links(group, item):
                    name = named(kind, root, holder, older)
                    _declare(found, older, newer, name, item.faces[older].name, {"not_same": True})
                if item.apart:
                    older = [version for version in group.versions if version in item.faces][-1]
                    newer = group.versions[group.versions.index(older) + 1]
                    said = {"not_same": True} if item.apart == "not_same" else {"strategy": "stash"}
                    name = named(kind, root, holder, older)
                    _declare(found, older, newer, name, item.faces[older].name, said)
    return found


def _no_links(group: Group, item: Property) -> list[tuple[str, str]]:
    """Return between which versions nothing is linked, though a property has one name in both.

    The hub of a star has it under another name, which only hooks know, and the forms differ.
    """
    hub = item.faces.get(group.hub)
    if group.edges != "star" or not item.hooked or hub is None:
        return []
    ends = [one for one in group.versions if one in item.faces and one != group.hub]
    return [
        (older, newer)
        for older, newer in pairwise(ends)
        if item.faces[older].name == item.faces[newer].name != hub.name
        and item.faces[older].bent != item.faces[newer].bent
    ]


def parts(group: Group) -> dict[tuple[str, str, str], list[str]]:
    """Return the parts of hooks by the versions of their edge and the older one's type."""
    found: dict[tuple[str, str, str], list[str]] = {}
    held: dict[tuple[str, str, int], list[Pair]] = {}
    for pair in pairs(group):
        if pair.is_hooked and pair.is_above and pair.above:
            held.setdefault((pair.older, pair.newer, pair.above[0].id), []).append(pair)
        elif pair.is_hooked:
            found.setdefault((pair.older, pair.newer, pair.name), []).append(part_of(pair))
    for some in held.values():
        assert some[0].above
        key = some[0].older, some[0].newer, some[0].above[2]
        found.setdefault(key, []).append(part_within(some))
    return found


def _options(pair: Pair) -> dict[str, Json]:
    type, item, older, newer = pair.type, pair.item, pair.older, pair.newer
    before, after = item.faces[older], item.faces[newer]
    options: dict[str, Json] = {}
    if before.inside != after.inside:
        options["move"] = path_of(type, item, newer)
    elif before.name != after.name:
        options["rename"] = after.name
    if pair.is_hooked:
        if pair.is_above:
            return options
        if pair.is_link:
            return options | {"strategy": "hook"}
        is_told = options or item.kind.name in ("enum", "str")
        return {} if is_told else {"strategy": "hook"}
    bend = item.kind.bend()
    if bend is not None and before.bent != after.bent:
        if bend.name == "list":
            options["wrap"] = True
        elif bend.name == "obj":
            assert bend.type
            options["reference"] = (
                bend.type.properties[0].faces[older].name
                if (older in bend.type.properties[0].faces)
                else bend.type.properties[0].faces[newer].name
            )
        elif bend.name == "table":
            options |= _keyed(bend, older)
        elif bend.name in ("span", "amount"):
            options |= _measure(bend)
        elif bend.name == "enum":
            values = bend.values
            options["values"] = (
                {new: old for old, new in values.items()} if before.bent else dict(values)
            )
    return options


def _keyed(bend: Kind, version: str) -> dict[str, Json]:
    assert bend.item and bend.item.type
    key, value, *_ = bend.item.type.properties
    names = [one.faces[version].name for one in (key, value)]
    if not bend.item.type.single:
        return {"keyed": names[0]}
    is_measured = value.kind.bent and value.kind.name in ("span", "amount")
    return {"keyed": "/".join(names)} | (_measure(value.kind) if is_measured else {})


def _measure(bend: Kind) -> dict[str, Json]:
    return {"duration" if bend.name == "span" else "unit": bend.unit}


def _declare(
    found: dict[str, Json], older: str, newer: str, type: str, path: str, options: dict[str, Json]
) -> None:
    found.setdefault(f"{older} -> {newer}", {}).setdefault(type, {})[path] = options
