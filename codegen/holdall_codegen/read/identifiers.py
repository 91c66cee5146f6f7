"""The names that a schema file gives to its parts: `$id`, `$anchor`, and `id` in draft 4.

A part with a `$id` is a resource of its own: the references inside are relative to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urldefrag, urljoin

from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object, text

_VALUES: Final = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords whose values are data, not schemas."""
_OF_NAMES: Final = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)
"""Keywords whose values are schemas by name; the names are not keywords."""


@dataclass(slots=True)
class Identifiers:
    """The resources of one document by URI, their URIs by pointer, and anchors by the pointer of
    their resource. `repeated` are names of `$dynamicAnchor` that occur twice; "" is that of
    `$recursiveAnchor`."""

    resources: dict[str, str] = field(default_factory=dict)
    uris: dict[str, str] = field(default_factory=dict)
    anchors: dict[tuple[str, str], str] = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)

    def resource_of(self, pointer: str) -> str:
        """Return the pointer of the innermost resource that has a node."""
        while pointer and pointer not in self.uris:
            pointer = pointer.rpartition("/")[0]
        return pointer

    def find(self, resource: str, address: str) -> str | None:
        """Return the pointer of the resource with an address relative to another one's."""
        return self.resources.get(urljoin(self.uris[resource], address))


def identify(value: JsonValue) -> Identifiers:
    """Return the identifiers of the parts of a schema document."""
    found = Identifiers(uris={"": ""})
    name_of_id = "id" if "draft-04" in text(value, "$schema") else "$id"
    dynamic: set[str] = set()
    for pointer, node in _objects(value):
        said = node.get(name_of_id)
        if isinstance(said, str) and not said.startswith("#"):
            uri = urldefrag(urljoin(found.uris[found.resource_of(pointer)], said)).url
            found.uris[pointer] = uri
            found.resources.setdefault(uri, pointer)
        resource = found.resource_of(pointer)
        for keyword in ("$anchor", "$dynamicAnchor", name_of_id):
            anchor = node.get(keyword)
            if not isinstance(anchor, str) or (keyword == name_of_id and anchor[:1] != "#"):
                continue
            found.anchors.setdefault((resource, anchor.removeprefix("#")), pointer)
        named = {name for name in (node.get("$dynamicAnchor"),) if isinstance(name, str)}
        named |= {""} if node.get("$recursiveAnchor") is True else set()
        found.repeated |= named & dynamic
        dynamic |= named
    return found


def _objects(value: JsonValue) -> Iterator[tuple[str, JsonObject]]:
    """Yield all objects of a document that may be schemas, outer ones first."""
    queue = deque([("", value, False)])
    while queue:
        pointer, item, has_names = queue.popleft()
        if isinstance(item, list):
            queue.extend((join(pointer, index), one, False) for index, one in enumerate(item))
        if not is_json_object(item):
            continue
        if not has_names:
            yield pointer, item
        queue.extend(
            (join(pointer, name), one, not has_names and name in _OF_NAMES)
            for name, one in item.items()
            if has_names or name not in _VALUES
        )
