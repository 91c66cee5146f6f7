"""The slots of property bags in the schemas of a CRD: where a bag survives pruning.

Source: docs/bags.md, "Annotations".
"""

from __future__ import annotations

from holdall.kubernetes.crds.access import MAP_TYPE, PRESERVE
from holdall.objects.bag import BAG_MEMBER
from holdall.text import json
from holdall.types import JsonObject, JsonValue, members


def slot_schema() -> JsonObject:
    """Return the schema of a slot: any object, replaced as a whole."""
    return {"type": "object", PRESERVE: True, MAP_TYPE: "atomic"}


def is_slot(schema: JsonValue) -> bool:
    """Return whether a schema keeps a bag: an object without pruning."""
    node = members(schema)
    others = node.get("additionalProperties")
    return node.get("type") == "object" and (
        node.get(PRESERVE) is True or others is True or members(others).get("type") == "string"
    )


def add_slot(schema: JsonObject, *path: str) -> JsonObject:
    """Return a schema with a slot added to the object at a path of properties.

    If the object is not declared, or has a slot, returns the same schema.
    """
    copied = json.copy(schema)
    holder = copied
    for name in path:
        holder = members(holder, "properties", name)
        if not holder:
            return copied
    properties = members(holder, "properties")
    if BAG_MEMBER not in properties:
        holder["properties"] = {**properties, BAG_MEMBER: slot_schema()}
    return copied


def slot_at(schema: JsonValue, *path: str) -> JsonValue:
    """Return the schema of the slot in the object at a path, None if there is none.

    An object that keeps all unknown members needs no slot of its own.
    """
    holder = members(schema)
    for name in path:
        holder = members(holder, "properties", name)
    found = members(holder, "properties").get(BAG_MEMBER)
    if found is None and holder.get(PRESERVE) is True:
        return slot_schema()
    return found
