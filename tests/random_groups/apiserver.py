"""What an API server does to custom resources between conversions, after Kubernetes' documentation.

A request is pruned and defaulted by the schema of its version, converted to the storage version,
pruned by that schema, and stored. A stored object is pruned and defaulted by the storage version's
schema, converted, and pruned by the schema of the version that was asked for. Defaulting fills in
members that are absent, or null though their schema is not nullable; other nulls of schemas that
are not nullable are removed. Whole numbers are written without a fraction.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.random_groups.tokens import BAG

Schema = dict[str, Any]
PRESERVE = "x-kubernetes-preserve-unknown-fields"
_OF_EVERY_OBJECT = ("apiVersion", "kind", "metadata")


def admit(document: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """Return a document as the server has it after reading a request, or its storage."""
    found = prune_root(document, schema)
    fill(found, schema)
    drop_nulls(found, schema)
    written: dict[str, Any] = without_fractions(found)
    return written


def without_fractions(value: Any) -> Any:
    """Return a value whose whole numbers have no fraction, as Go writes floats below 1e21."""
    if isinstance(value, dict):
        return {key: without_fractions(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_fractions(item) for item in value]
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e21
    return int(Decimal(repr(value))) if is_whole else value


def prune_root(document: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """Return a document without what its schema does not declare."""
    head = {key: document[key] for key in _OF_EVERY_OBJECT if key in document}
    rest = {key: value for key, value in document.items() if key not in head}
    found: dict[str, Any] = copy.deepcopy(head) | pruned(rest, schema)
    return found


def pruned(value: Any, schema: Schema) -> Any:
    """Return a value without the members that its schema does not declare."""
    if isinstance(value, list):
        items = schema.get("items")
        return [pruned(item, items) if items else copy.deepcopy(item) for item in value]
    if not isinstance(value, dict):
        return value
    declared = schema.get("properties", {})
    others = schema.get("additionalProperties")
    found = {}
    for key, item in value.items():
        if key in declared:
            found[key] = pruned(item, declared[key])
        elif isinstance(others, dict):
            found[key] = pruned(item, others)
        elif schema.get(PRESERVE) or others is True:
            found[key] = copy.deepcopy(item)
    return found


def objects_of(value: Any, schema: Schema) -> Iterator[Any]:
    """Yield the objects in a value that have declared members, or could have some."""
    if isinstance(value, dict):
        declared, others = schema.get("properties", {}), schema.get("additionalProperties")
        if not isinstance(others, dict):
            yield value
        for key, item in value.items():
            inner = declared.get(key, others if isinstance(others, dict) else None)
            if inner is not None and key != BAG:
                yield from objects_of(item, inner)
    elif isinstance(value, list) and "items" in schema:
        for item in value:
            yield from objects_of(item, schema["items"])


def _is_wrong_null(value: Any, schema: Schema) -> bool:
    return value is None and not schema.get("nullable", False)


def fill(value: Any, schema: Schema) -> None:
    """Fill in defaults, in nested objects and elements too."""
    if isinstance(value, dict):
        declared = schema.get("properties", {})
        for key, inner in declared.items():
            if "default" in inner and (key not in value or _is_wrong_null(value[key], inner)):
                value[key] = copy.deepcopy(inner["default"])
        others = schema.get("additionalProperties")
        for key, item in value.items():
            if key in declared:
                fill(item, declared[key])
            elif isinstance(others, dict):
                fill(item, others)
    elif isinstance(value, list) and "items" in schema:
        for item in value:
            fill(item, schema["items"])


def drop_nulls(value: Any, schema: Schema) -> None:
    """Remove nulls of properties that are not nullable."""
    if isinstance(value, dict):
        declared = schema.get("properties", {})
        others = schema.get("additionalProperties")
        for key in list(value):
            inner = declared.get(key, others if isinstance(others, dict) else None)
            if inner is None:
                continue
            if _is_wrong_null(value[key], inner) and key in declared:
                del value[key]
            else:
                drop_nulls(value[key], inner)
    elif isinstance(value, list) and "items" in schema:
        for item in value:
            drop_nulls(item, schema["items"])
