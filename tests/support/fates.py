"""Checks that fates are true: what they say is held against the conversion itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from typing import Any

from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.carriers.reports import Lost
from holdall.explain.audit import audit
from holdall.explain.fates import FieldFate, fates
from holdall.objects.bag import MARKS, RESIDUE_PREFIX
from holdall.scheme.scheme import Scheme
from holdall.text.json import copy, same
from holdall.text.pointer import escape, split, step

KEPT = ("copied", "renamed", "moved", "extra")
NOWHERE = ("dropped", "claimed by a hook", "left to its default", "unmade")
MISSING = object()


def check_fates(scheme: Scheme, document: Any, to: str) -> list[FieldFate]:
    """Return the fates of an object after holding each against the converted object."""
    found = fates(document, scheme, to)
    assert found == fates(copy(document), scheme, to)
    report: list[Any] = []
    converted = scheme.convert(document, to=to, report=report)
    shown = without_carriers(converted)

    # Every leaf of the object has one fate, and so have all entries of its bags.
    entries = set(entries_of(document))
    bagged = [item for item in found if "$propertyBag" in split(item.path)]
    assert set(map(entry_of, bagged)) == entries
    leaves = dict(leaves_of(without_carriers(document)))
    fields = [item.path for item in found if item not in bagged]
    assert sorted(fields) == sorted(leaves)

    waiting = set(entries_of(converted))
    lost = {(item.path, item.origin, item.key) for item in report if isinstance(item, Lost)}
    for item in found:
        where = f"{item.path} -> {to}: {item}"
        if item not in bagged:
            assert same(item.value, leaves[item.path]), where
        for pointer in item.shown:
            value = at(shown, pointer)
            assert value is not MISSING, where
            if all(step.fate in KEPT and not step.hooks for step in item.steps):
                assert same(value, item.value), where
        for entry in item.waiting:
            assert (wild(entry.path), entry.origin, entry.key) in waiting, where
            assert (entry.path, entry.origin, entry.key) not in lost, where
        if not item.shown and not item.waiting:
            assert item.lost or item.steps[-1].fate in NOWHERE, where
        assert not (item.lost and item.waiting), where
        assert bool(item.lost) <= bool(lost), where
    assert bool(lost) == any(item.lost for item in found)
    # Nothing waits that no field went to, except that a hook may remember an absence.
    told = {(wild(e.path), e.origin, e.key) for item in found for e in item.waiting}
    assert told <= waiting
    assert all(key.startswith(RESIDUE_PREFIX) for _, _, key in waiting - told)
    return found


def entries_of(document: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the object, origin and key of every entry in an object's bags but holdall's marks."""
    for found in audit(document):
        if found.property and found.property not in MARKS:
            yield wild(found.path), found.origin, found.property


def wild(path: str) -> str:
    """Return a path with the elements of lists left open: carriers name them in their own way."""
    return re.sub(r"/(\[[^/]*\]|[0-9]+)(?=/|$)", "/*", path)


def entry_of(item: FieldFate) -> tuple[str, str, str]:
    """Return the entry that a field of a bag is: its object, origin and key."""
    names = split(item.path)
    depth = names.index("$propertyBag")
    path = "".join(f"/{escape(name)}" for name in names[:depth])
    return wild(path), names[depth + 1], names[depth + 2]


def leaves_of(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of a document that holds no other one, with its JSON Pointer."""
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from leaves_of(item, f"{path}/{escape(name)}")
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves_of(item, f"{path}/{index}")
    else:
        yield path, value


def at(value: Any, pointer: str) -> Any:
    """Return the value at a JSON Pointer, MISSING if there is none."""
    return reduce(lambda found, name: step(found, name, MISSING), split(pointer), value)


def without_carriers(document: Any) -> Any:
    """Return a document without what holdall put into it, as far as that can be seen."""
    document = copy(document)
    document.pop("$propertyBag", None)
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(annotations, dict):
        gone = [annotations.pop(key, None) for key in (SPEC_ANNOTATION, STATUS_ANNOTATION)]
        if any(gone) and not annotations:
            del metadata["annotations"]
            if not metadata:
                del document["metadata"]
    return document
