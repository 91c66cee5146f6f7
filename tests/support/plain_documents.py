"""A project whose documents say their version in a member of their own: orders and bills, stored
as JSON. The first orders did not say it."""

from __future__ import annotations

import json
from typing import Any

CONFIG = """
groups:
  shop:
    version_at: {member: schemaVersion, default: v1, kind_at: type}
    sources:
      - {schemas: v1.json, version: v1, kinds: {Order: /order, Bill: /bill}}
      - {schemas: v2.json, version: v2, kinds: {Order: /order, Bill: /bill}}
      - {schemas: v3.json, version: v3, kinds: {Order: /order}}
    versions: [v1, v2, v3]
    between:
      v1 -> v2:
        Order: {total: price}
"""


def _kind(version: int | None = None, **properties: str) -> dict[str, Any]:
    declared: dict[str, Any] = {name: {"type": kind} for name, kind in properties.items()}
    if version is not None:
        declared["schemaVersion"] = {"const": version}
    seen = {"note": {"type": "string"}, "clerk": {"type": "string"}}
    if version == 3:
        del seen["clerk"]
    meta = {"type": "object", "properties": seen}
    return {"type": "object", "properties": {**declared, "metadata": meta}, "required": ["id"]}


FILES = {
    f"v{number}.json": json.dumps(kinds)
    for number, kinds in {
        1: {
            "order": _kind(id="string", total="integer", kind="string"),
            "bill": _kind(id="string", due="string"),
        },
        2: {
            "order": _kind(2, id="string", price="integer", kind="string"),
            "bill": _kind(2, id="string"),
        },
        3: {"order": _kind(3, id="string", price="integer", apiVersion="string")},
    }.items()
}
