"""WC-30 to WC-38: partial and odd objects."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from holdall.errors import DecodeError
from holdall.kubernetes.conform.listing import check, check_tries
from holdall.kubernetes.conform.specimens import make_bare
from holdall.kubernetes.conform.subjects import Kind, Version
from holdall.kubernetes.conform.trial import SUCCESS, Trial, annotations_of
from holdall.kubernetes.conform.values import (
    ABSENT,
    Path,
    compare,
    data_of,
    find_leaves,
    get,
    leaves_of,
    losses,
    pointer,
    replaced,
    schema_at,
    spread,
    with_metadata,
)
from holdall.kubernetes.conform.verdicts import NotChecked, demand
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, is_json_object

_MOST: Final = 40
_FEW: Final = 8
_KINDS: Final[dict[str, JsonValue]] = {
    "string": 4711,
    "integer": "text",
    "number": "text",
    "boolean": "text",
    "array": {"a": 1},
    "object": [1],
}


@check_tries(30, "must", "an object without spec is converted", "object")
def no_spec(trial: Trial) -> Iterator[str]:
    """Leave the spec out of every object."""
    return _all_convert(trial, partial(_each_without, trial, "spec"))


@check_tries(31, "must", "an object without status is converted", "object")
def no_status(trial: Trial) -> Iterator[str]:
    """Leave the status out of every object."""
    return _all_convert(trial, partial(_each_without, trial, "status"))


@check(
    32,
    "must",
    "a spec that is null is converted; a value of a wrong kind does not crash it, and is not lost",
)
def odd_spec(trial: Trial) -> str:
    """Null occurs in fragments of managedFields.

    No API server sends a list, a string or a number as spec or status, or instead of an object or
    list within. A reply may refuse it; if it is converted, the object must come back as it was.
    """
    refused = sent = 0
    for kind, source, target in trial.pairs():
        desired = kind.api_version(target)
        found = trial.convert({**make_bare(kind, source), "spec": None}, desired)
        spec = found.get("spec")
        demand(spec is None or spec == {}, "a spec that was null is not empty", "lossless")
    for kind, source, target in trial.pairs():
        odd_ones = [*_with_wrong_containers(trial, kind, source)]
        trial.look_ahead_and_back(kind, (odd for odd, _ in odd_ones), target)
        for odd, at in odd_ones:
            sent += 1
            trial.begin()
            if not _answers(trial, odd, kind.api_version(target)):
                refused += 1
                continue
            wrong = compare(get(odd, at), get(trial.there_and_back(kind, odd, target), at))
            text = f"{pointer(at)} of a wrong kind, by {target.name}: {wrong}"
            demand(not wrong, text, "polite")
    return f"{refused} of {sent} were refused"


@check(33, "must", "an object of apiVersion, kind and metadata is converted, and nothing is added")
def bare_objects(trial: Trial) -> None:
    """API servers convert such fragments for managedFields."""
    for kind, source, target in trial.pairs():
        found = data_of(trial.convert(make_bare(kind, source), kind.api_version(target)))
        added = {name for name, value in found.items() if value not in ({}, None)}
        text = f"{kind.name} {source.name} to {target.name}: {sorted(added)} were added"
        demand(not added, text, "lossless")


@check_tries(34, "operations", "objects without their required fields are converted", "object")
def required_fields_may_be_absent(trial: Trial) -> Iterator[str]:
    """Leave out one property at a time, at any depth."""

    def parts(kind: Kind, version: Version) -> Iterable[JsonObject]:
        full = trial.object(kind, version)
        for path in spread(_properties(full), _MOST):
            yield replaced(full, path, ABSENT)

    return _all_convert(trial, parts)


@check(35, "polite", "unknown fields do not crash it")
def unknown_fields(trial: Trial) -> None:
    """Add a field that no schema has to every object at any depth."""
    for kind, source, target in trial.pairs():
        full = trial.object(kind, source)
        places = [path for path in _properties(full) if is_json_object(get(full, path))]
        odd_ones = [
            replaced(full, (*path, "noSuchField"), {"x": [None, {}]})
            for path in [(), *spread(places, _MOST)]
        ]
        trial.look_ahead(odd_ones, kind.api_version(target))
        for odd in odd_ones:
            trial.begin()
            _answers(trial, odd, kind.api_version(target))


@check(36, "polite", "objects that their schema forbids do not crash it")
def invalid_objects(trial: Trial) -> str:
    """Put a value of a wrong type into one leaf at a time."""
    refused = sent = 0
    for kind, source, target in trial.pairs():
        full = trial.object(kind, source)
        places = find_leaves(full, source, lambda schema, _: schema.get("type") in _KINDS)
        wrong = [
            replaced(full, path, _KINDS[str(schema_at(source.schema, path).get("type"))])
            for path in spread(places, _MOST)
        ]
        trial.look_ahead(wrong, kind.api_version(target))
        for obj in wrong:
            trial.begin()
            sent += 1
            refused += not _answers(trial, obj, kind.api_version(target))
    return f"{refused} of {sent} were refused"


@check_tries(
    37,
    "lossless",
    "absent, null and empty collections stay distinct",
    "round trip",
    "no schema has a collection that may be absent or empty",
)
def empties_stay_distinct(trial: Trial) -> Iterator[str]:
    """Convert collections that are absent, null and empty to every version and back.

    Only where an API server accepts that; what full objects lose does not count here.
    """
    for kind, source, target in trial.pairs():
        full = trial.object(kind, source)
        usual = losses(full, trial.there_and_back(kind, full, target))
        cases: list[tuple[Path, object, JsonObject]] = []
        for path in spread(_collections(full), _FEW * 2):
            schema = schema_at(source.schema, path)
            states: list[object] = [[] if isinstance(get(full, path), list) else {}, ABSENT]
            if schema.get("nullable") is True:
                states.append(None)
            for state in states:
                obj = replaced(full, path, state)
                if trial.admitted(source, obj) == obj:
                    cases.append((path, state, obj))
        trial.look_ahead_and_back(kind, (obj for _, _, obj in cases), target)
        for path, state, obj in cases:
            found = losses(obj, trial.there_and_back(kind, obj, target)) - usual
            wrong = "; ".join(sorted(text for text in found if text.startswith(pointer(path))))
            name = "absent" if state is ABSENT else _json.encode(state).decode()
            yield wrong and f"{pointer(path)} that is {name}, by {target.name}: {wrong}"


@check_tries(
    38,
    "operations",
    "a bag that is damaged, foreign or of a newer toolkit is harmless",
    "damaged text",
)
def damaged_bags_are_harmless(trial: Trial) -> Iterator[str]:
    """Damage the annotations that the webhook writes in many ways."""
    if not trial.carriers():
        raise NotChecked("the webhook writes no annotation of its own for these objects")
    for kind, source, target in trial.pairs():
        there = trial.convert(trial.object(kind, source), kind.api_version(target))
        own = annotations_of(there)
        for key in own.keys() & trial.carriers():
            damaged = [
                (text, with_metadata(there, {"annotations": {**own, key: text}}))
                for text in _damaged(str(own[key]))
            ]
            trial.look_ahead((obj for _, obj in damaged), kind.api_version(source))
            for text, obj in damaged:
                if trial.is_ahead(obj, kind.api_version(source)):
                    yield ""
                    continue
                trial.begin()
                reply = trial.review([obj], kind.api_version(source))
                shown = f"{key} as {text[:40]!r}"
                answer = f"{reply.status} {reply.message[:200]}"
                yield "" if reply.status == SUCCESS else f"{shown}: {answer}"


def _damaged(text: str) -> list[str]:
    found = ["", "x", "{}", "[]", "null", text[: len(text) // 2], text + text, text[::-1]]
    found += ["\u0000\uffff", base64.b64encode(text.encode()).decode(), "9" * 5000, "[" * 5000]
    for version in (2, 99, "1", None, True):
        try:
            value = _json.decode(text)
        except DecodeError:
            break
        if is_json_object(value):
            found.append(_json.encode({**value, "v": version}).decode())
            found.append(_json.encode({**value, "version": version}).decode())
            found.append(_json.encode({**value, "kind": "Other", "futureField": version}).decode())
    return found


def _answers(trial: Trial, obj: JsonObject, desired: str) -> bool:
    """Demand a success or a refusal with a message; return whether it succeeded.

    No API server sends such objects.
    """
    if trial.is_ahead(obj, desired):
        return True
    reply = trial.review([obj], desired)
    if reply.is_refused:
        demand(reply.message, "a failure without a message", "polite")
        return False
    demand(reply.response.status == 200, f"HTTP {reply.response.status}", "polite")
    return True


def _all_convert(
    trial: Trial, make: Callable[[Kind, Version], Iterable[JsonObject]]
) -> Iterator[str]:
    """Demand that all objects are converted; a failure names the object."""
    for kind, source, target in trial.pairs():
        objects = [*make(kind, source)]
        trial.look_ahead(objects, kind.api_version(target))
        for obj in objects:
            trial.begin()
            trial.convert(obj, kind.api_version(target))
            yield ""


def _each_without(trial: Trial, section: str, kind: Kind, version: Version) -> Iterable[JsonObject]:
    for obj in trial.objects(kind, version):
        yield {name: value for name, value in obj.items() if name != section}


def _properties(obj: JsonObject) -> list[Path]:
    """Return the paths of all members of objects below spec, status and their neighbours."""
    found: dict[Path, None] = {}
    for path, _ in leaves_of(data_of(obj)):
        for end in range(1, len(path) + 1):
            if isinstance(path[end - 1], str):
                found[path[:end]] = None
    return list(found)


def _with_wrong_containers(
    trial: Trial, kind: Kind, version: Version
) -> Iterable[tuple[JsonObject, Path]]:
    """Yield objects with a value of a wrong kind where an object or a list is declared."""
    bare, full = make_bare(kind, version), trial.object(kind, version)
    for section in ("spec", "status"):
        if schema_at(version.schema, (section,)).get("type") == "object":
            sections: list[JsonValue] = [[], ["x"], "text", 5, False]
            for value in sections:
                yield {**bare, section: value}, (section,)
    for path in spread(_collections(full), _FEW):
        declared = schema_at(version.schema, path).get("type")
        if declared in ("object", "array"):
            values: list[JsonValue] = ["text", 5, [1] if declared == "object" else {"a": 1}]
            for value in values:
                yield replaced(full, path, value), path


def _collections(obj: JsonObject) -> list[Path]:
    return [path for path in _properties(obj) if isinstance(get(obj, path), list | dict)]
