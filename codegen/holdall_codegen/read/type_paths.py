"""Where object types stand: paths such as `Kind/spec/pools/*`, and the way back from a path."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from holdall.text.pointer import escape
from holdall.text.pointer import split as split_pointer
from holdall_codegen.model import ListOf, MapOf, Ref, Type, innermost
from holdall_codegen.read.drafts import Draft


def find_paths(drafts: Mapping[str, Draft], roots: Iterable[Draft]) -> dict[str, list[str]]:
    """Return the sorted paths of each reachable draft, by id.

    What is below a draft is listed once, below the shortest of its paths (the first in
    code-point order among equals), so that recursive and widely used definitions stay finite.
    """
    paths: dict[str, list[str]] = {}
    queue = deque((root.id, escape(root.id)) for root in sorted(roots, key=lambda root: root.id))
    while queue:
        name, path = queue.popleft()
        known = paths.setdefault(name, [])
        known.append(path)
        if len(known) > 1:
            continue
        for item in sorted(drafts[name].properties, key=lambda item: item.name):
            inner, depth = innermost(item.type)
            if isinstance(inner, Ref):
                queue.append((inner.type_name, "/".join((path, escape(item.name), *"*" * depth))))
    return {name: sorted(found) for name, found in paths.items()}


def follow_path(drafts: Mapping[str, Draft], path: str) -> str | None:
    """Return the id of the draft at a path, None if there is no object type."""
    root, *steps = split_pointer("/" + path)
    draft = drafts.get(root)
    if draft is None or draft.role != "kind":
        return None
    value: Type = Ref(draft.id)
    for step in steps:
        if isinstance(value, Ref):
            declared = [item for item in drafts[value.type_name].properties if item.name == step]
            if not declared:
                return None
            value = declared[0].type
        elif isinstance(value, (ListOf, MapOf)) and step == "*":
            value = value.item if isinstance(value, ListOf) else value.value
        else:
            return None
    return value.type_name if isinstance(value, Ref) else None
