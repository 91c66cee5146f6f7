"""Objects made from structural schemas: as valid as schemas tell, the same every time."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from holdall.kubernetes.conform.subjects import Kind, Version
from holdall.kubernetes.conform.values import SECTIONS, SLOTS
from holdall.types import JsonObject, JsonValue, is_json_object

UID: Final = "0f8fad5b-d9cb-469f-a165-70867728950e"
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_MAP_KEYS: Final = "x-kubernetes-list-map-keys"
_FORMATS: Final = {
    "date-time": "2024-05-06T07:08:09Z",
    "date": "2024-05-06",
    "duration": "1h30m",
    "email": "someone@example.com",
    "hostname": "host.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "ip": "192.0.2.1",
    "cidr": "192.0.2.0/24",
    "mac": "02:00:5e:10:00:00",
    "uri": "https://example.com/x",
    "uuid": UID,
    "byte": "aG9sZGFsbA==",
}
_MAX_DEPTH: Final = 12
_MOST: Final = 1 << 20


def make_objects(kind: Kind, version: Version) -> list[JsonObject]:
    """Return objects of one version: the samples given, one with every property, and sparse ones.

    Without a schema, the samples and a bare object.
    """
    found = [obj for obj in kind.samples if obj.get("apiVersion") == kind.api_version(version)]
    if version.schema:
        found.append(make_object(kind, version))
        found.extend(make_object(kind, version, sparse=seed) for seed in (1, 2, 3))
    return [*found, make_bare(kind, version)]


def make_object(kind: Kind, version: Version, *, sparse: int = 0) -> JsonObject:
    """Return an object with every property, or with a random half of them for a seed."""
    writer = _Writer(Random(sparse) if sparse else None)
    properties = version.schema.get("properties")
    members = properties if is_json_object(properties) else {}
    obj = make_bare(kind, version)
    for name in members:
        if name not in SECTIONS and name not in SLOTS:
            obj[name] = writer.value(members[name], name, 0)
    return obj


def make_bare(kind: Kind, version: Version) -> JsonObject:
    """Return an object with nothing but apiVersion, kind and metadata."""
    metadata: JsonObject = {
        "name": "conform",
        "uid": UID,
        "resourceVersion": "7",
        "generation": 3,
        "creationTimestamp": "2024-05-06T07:08:09Z",
        "labels": {"app": "conform"},
        "annotations": {"example.com/note": "conform"},
    }
    if kind.namespaced:
        metadata["namespace"] = "default"
    return {"apiVersion": kind.api_version(version), "kind": kind.name, "metadata": metadata}


class _Writer:
    """Writes values with a number in each string, so that every one can be told apart."""

    def __init__(self, chance: Random | None) -> None:
        self._chance = chance
        self._count = 0

    def value(self, schema: JsonValue, name: str, depth: int) -> JsonValue:
        """Return a value of a schema."""
        self._count += 1
        if not is_json_object(schema):
            return f"{name}-{self._count}"
        for given in ("const", "default", "example"):
            if given in schema and not is_json_object(schema[given]):
                return schema[given]
        choices = schema.get("enum")
        if isinstance(choices, list) and choices:
            return choices[self._count % len(choices)]
        return self._of_type(schema, name, depth)

    def _of_type(self, schema: JsonObject, name: str, depth: int) -> JsonValue:
        match schema.get("type"):
            case "object":
                return self._object(schema, name, depth)
            case "array":
                return self._list(schema, name, depth)
            case "string":
                return self._string(schema, name)
            case "integer" | "number" as kind:
                return self._number(schema, whole=kind == "integer")
            case "boolean":
                return self._count % 2 == 0
        if schema.get("x-kubernetes-int-or-string"):
            return self._count
        return (
            {"free": f"{name}-{self._count}"} if schema.get(_PRESERVE) else f"{name}-{self._count}"
        )

    def _object(self, schema: JsonObject, name: str, depth: int) -> JsonObject:
        if depth > _MAX_DEPTH:
            return {}
        if schema.get("x-kubernetes-embedded-resource"):
            metadata: JsonObject = {"name": f"{name}-{self._count}"}
            return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
        properties = schema.get("properties")
        required = schema.get("required")
        if is_json_object(properties):
            needed = required if isinstance(required, list) else []
            return {
                key: self.value(item, key, depth + 1)
                for key, item in properties.items()
                if key not in SLOTS and (key in needed or self._wanted())
            }
        items = schema.get("additionalProperties")
        if is_json_object(items):
            return {f"key{n}": self.value(items, name, depth + 1) for n in self._some(schema)}
        return {"free": f"{name}-{self._count}"} if schema.get(_PRESERVE) else {}

    def _list(self, schema: JsonObject, name: str, depth: int) -> list[JsonValue]:
        if depth > _MAX_DEPTH:
            return []
        found: list[JsonValue] = []
        for _ in self._some(schema):
            item = self.value(schema.get("items"), name, depth + 1)
            if item not in found:
                found.append(item)
        keys = schema.get(_MAP_KEYS)
        if isinstance(keys, list) and keys:
            self._tell_apart(found, str(keys[0]))
        return found

    def _tell_apart(self, items: list[JsonValue], key: str) -> None:
        """Make sure that elements of a map differ in their first key where it can be chosen."""
        seen: set[Any] = set()
        for index in range(len(items) - 1, -1, -1):
            item = items[index]
            if is_json_object(item):
                value: Any = item.get(key)
                if value in seen:
                    del items[index]
                seen.add(value)

    def _string(self, schema: JsonObject, name: str) -> str:
        form = schema.get("format")
        if isinstance(form, str) and form in _FORMATS:
            return _FORMATS[form]
        text = f"{name.lower()}-{self._count}"
        least, most = schema.get("minLength"), schema.get("maxLength")
        if isinstance(least, int):
            text = text.ljust(least, "x")
        return text[-most:] if isinstance(most, int) and most > 0 else text

    def _number(self, schema: JsonObject, *, whole: bool) -> int | float:
        least, most = schema.get("minimum"), schema.get("maximum")
        low = least if isinstance(least, int | float) else 1
        high = most if isinstance(most, int | float) else max(low, 1) + _MOST
        step = schema.get("multipleOf")
        value: int | float = low + self._count % (int(high - low) + 1)
        if isinstance(step, int) and step > 0:
            value = -(-int(low) // step) * step
        return int(value) if whole else value + (0 if value + 0.5 > high else 0.5)

    def _wanted(self) -> bool:
        return self._chance is None or self._chance.random() < 0.5

    def _some(self, schema: JsonObject) -> range:
        """Return how many elements to make: two, so that a mix-up shows."""
        least = schema.get("minItems", schema.get("minProperties"))
        most = schema.get("maxItems", schema.get("maxProperties"))
        count = 2 if self._chance is None else self._chance.randrange(3)
        count = max(count, least if isinstance(least, int) else 0)
        return range(min(count, most) if isinstance(most, int) else count)
