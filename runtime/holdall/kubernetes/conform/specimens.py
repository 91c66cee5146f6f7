"""Objects of a kind: those given, and those drawn from its schema, the same for the same seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

from holdall.kubernetes.conform.drawing import CannotDraw, Writer
from holdall.kubernetes.conform.rules import words_of
from holdall.kubernetes.conform.subjects import NAME, Kind, Version
from holdall.kubernetes.conform.validity import defaulted, flaws
from holdall.kubernetes.conform.values import leaves_of, schema_at, with_metadata
from holdall.types import JsonObject, is_json_object

UID: Final = "0f8fad5b-d9cb-469f-a165-70867728950e"
_SPARSE: Final = 3


@dataclass(frozen=True, slots=True)
class Specimens:
    """The objects of one version, fullest first, and why parts of its schema are in none."""

    objects: tuple[JsonObject, ...]
    left_out: dict[str, str]


@cache
def draw_objects(kind: Kind, version: Version, seed: int) -> Specimens:
    """Return objects with as much as fits together, then some with a random half of it.

    An API server accepts each unchanged: defaults are filled in.
    """
    found: list[JsonObject] = []
    left_out: dict[str, str] = {}
    shown: set[tuple[str, ...]] = set()
    for number, (sparse, backwards) in enumerate(
        [(False, False), (False, True), *[(True, False)] * _SPARSE]
    ):
        chance = Random(f"{seed} {kind.api_version(version)} {kind.name} {number}")
        writer = Writer(chance, sparse=sparse, backwards=backwards)
        try:
            obj = _draw(kind, version, writer)
        except CannotDraw as error:
            left_out.setdefault("", str(error))
            continue
        left_out.update(writer.left_out)
        paths = (path for path, _ in leaves_of(obj))
        places = {tuple(step for step in path if isinstance(step, str)) for path in paths}
        if obj not in found and (sparse or not places <= shown):
            found.append(obj)
        shown |= places
    if found:
        left_out.pop("", None)
    return Specimens(tuple(found), left_out)


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


def _draw(kind: Kind, version: Version, writer: Writer) -> JsonObject:
    """Return a valid object. Raises CannotDraw."""
    named = schema_at(version.schema, ("metadata", "name"))
    # A plain name first, then those that the schema mentions.
    names = ["conform"] if not named else [str(writer.value(named, "conform"))]
    names += [word for word in words_of(version.schema) if NAME.fullmatch(word)]
    reason = ""
    for name in names:
        bare = with_metadata(make_bare(kind, version), {"name": name})
        try:
            obj = defaulted(writer.object(version.schema, bare), version.schema)
        except CannotDraw as error:
            reason = str(error)
            continue
        flaw = next(flaws(obj, version.schema), None)
        if flaw is None and is_json_object(obj):
            return obj
        reason = str(flaw)
    raise CannotDraw(reason)
