"""The paths of printer columns and of the scale subresource, followed through a schema."""

from __future__ import annotations

import re
from typing import Final

from holdall.kubernetes.crds.access import PRESERVE
from holdall.types import JsonObject, JsonValue, get, is_json_object, members

_STEP: Final = re.compile(r"\.([A-Za-z0-9_$-]+)|(\[.*?\]|\.|\*)")


def leads_nowhere(schema: JsonObject, path: str) -> bool:
    """Tell whether a path names a property that the schema of a version surely does not have.

    Only plain steps are followed; filters, wildcards and open objects may lead anywhere, and
    metadata leads to what every object has.
    """
    at: JsonValue = schema
    for step in _STEP.finditer(path):
        name = step[1]
        if name is None or (at is schema and name in ("metadata", "apiVersion", "kind")):
            return False
        node = members(at)
        found = get(node, "properties", name)
        if found is None:
            others = node.get("additionalProperties")
            if node.get(PRESERVE) is True or others is True or node.get("type") != "object":
                return False
            if not is_json_object(others):
                return True
            found = others
        at = found
    return False
