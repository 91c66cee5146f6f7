"""Converting objects that have values of a wrong JSON kind where objects or lists are declared.

A stored object that a converter refuses would make every list of its kind fail. So for API servers
such a value passes unchanged to the place of its field in the other version; everything else is
converted as usual. Source: docs/webhook.md, "Objects that nobody should have stored".

If its field has no place there, the value is kept in the bag like any other, as a stand-in. What a
conversion writes inside a value of a wrong kind, which cannot hold it, is kept in the note; so are
all such values if a hook or a function fails with their stand-ins.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Final, NamedTuple

from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.carriers.quarantine_note import Note, put_note, take_note
from holdall.carriers.reports import Report
from holdall.carriers.text import decode_annotation
from holdall.carriers.tracking.documents import annotation_key
from holdall.errors import DecodeError
from holdall.objects.bag import BAG_MEMBER, STAND_IN
from holdall.plan.tracking import CHANGED_VALUES
from holdall.review.stand_ins import (
    APART,
    Wrapping,
    fill_in,
    put_back,
    stood_for,
    take_out_of,
    unwrap,
)
from holdall.scheme.routes import Route
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, members

_BAGS: Final = (f"/{BAG_MEMBER}", f"/status/{BAG_MEMBER}")


class Quarantined(NamedTuple):
    """A converted object, and the JSON Pointers of the values of wrong kinds in its source."""

    document: JsonObject
    places: tuple[str, ...]


def convert_odd(route: Route, document: JsonObject, report: Report) -> Quarantined | None:
    """Return an object that `route.convert` refused, in the target version.

    `document` is consumed. Bag entries that cannot be used are kept. None if a value of a wrong
    kind would be lost. Raises what `route.convert` raises, and RecursionError.
    """
    if "metadata" in document:
        document["metadata"] = _json.unseal(document["metadata"])
    odd = _Odd(route, document)
    if not odd.is_odd:
        return Quarantined(route.convert(document, report, tolerant=True), ())
    try:
        found = odd.convert(report)
    except Exception:  # noqa: BLE001 - raised again unless stand-ins caused it
        found = None
    return found or odd.convert(report, take_out=True)


class _Odd:
    """An object with its note, to be converted by one route."""

    def __init__(self, route: Route, document: JsonObject) -> None:
        self._route, self._document = route, document
        self._here, self._there = route.versions[0], route.versions[-1]
        carried = _carried(route, document)
        note = take_note(document)
        self._note = note or Note(_choose_mark(document, carried), self._here, {}, {}, {}, "")
        if self._note.version != self._here:
            self._note = Note(self._note.mark, self._here, {}, {}, self._note.out, "")
        wrapping = Wrapping(self._note.mark)
        wrapping.wrap(route.twins[0], _json.copy(document))
        self.is_odd = note is not None or bool(wrapping.made)

    def convert(self, report: Report, *, take_out: bool = False) -> Quarantined | None:
        """Return the converted object with the values where they belong; None if one is lost.

        With `take_out`, converters and hooks do not see them: they are kept in the note.
        """
        note, mark, route = self._note, self._note.mark, self._route
        document = _json.copy(self._document)
        reopened = put_back(document, note.open, note.rest, mark)
        wrapping = Wrapping(mark, note.rest)
        wrapping.wrap(route.twins[0], document)
        # Live values may supersede what a bag keeps; stand-ins must not be lost this way.
        live: list[JsonValue] = []
        out = {**note.out}
        if not take_out:
            live = [*stood_for([*wrapping.made.values(), *reopened.values()], mark)]
        elif note.rest:
            return None
        else:
            document = _json.copy(self._document)
            out[self._here] = take_out_of(document, (*reopened, *wrapping.made))
        lost: Report = []
        result = route.convert(document, lost, tolerant=True)
        found = unwrap(result, mark, _left_alone(route))
        filled = fill_in(result, out.pop(self._there, {}))
        carried = _carried(route, result)
        kept = stood_for([*carried, *found.rest.values()], mark)
        if not _tally(live) <= _tally([*found.values, *kept]):
            return None
        usual = Wrapping(mark)
        usual.wrap(route.twins[-1], _json.copy(result))
        # A note may be forged: it must not change anything but values of a wrong kind.
        take_out_of(result, [path for path in filled if path not in usual.made])
        opened = {at: item for at, item in found.places.items() if usual.made.get(at) != item}
        is_named = mark.encode() in _json.encode_sorted(carried)
        new = Note(mark, self._there, found.rest, opened, out, "")
        if (found.rest or opened or out or is_named) and not put_note(result, new):
            return None
        report.extend(lost)
        return Quarantined(result, tuple(wrapping.made))


def _tally(values: list[JsonValue]) -> Counter[bytes]:
    """Return how often each value occurs, by its text."""
    return Counter(map(_json.canonical, values))


def _left_alone(route: Route) -> frozenset[str]:
    """Return the JSON Pointers of members that are not data, or that hold kept values."""
    apart = {join("", name) for name in APART}
    sections = {f"/status/{CHANGED_VALUES}"} if route.is_tracked else set()
    return frozenset(apart | sections | set(_BAGS))


def _carried(route: Route, document: JsonObject) -> list[JsonValue]:
    """Return what the carriers of a document hold, decoded."""
    within = members(document, "status")
    found = [document.get(BAG_MEMBER), within.get(BAG_MEMBER)]
    keys = [SPEC_ANNOTATION, STATUS_ANNOTATION]
    if route.is_tracked:
        found.append(within.get(CHANGED_VALUES))
        keys.append(annotation_key(route.source.rpartition("/")[0]))
    annotations = members(document, "metadata", "annotations")
    for key in keys:
        text = annotations.get(key)
        if isinstance(text, str):
            try:
                found.append(decode_annotation(text))
            except DecodeError:
                continue  # damaged carriers are left in place and not used
    return found


def _choose_mark(document: JsonObject, carried: list[JsonValue]) -> str:
    """Return a name that cannot be in a document, because it would contain its own digest."""
    data = {name: value for name, value in document.items() if name not in APART}
    text = _json.encode_sorted([data, carried])
    if STAND_IN.encode() not in text:
        return STAND_IN
    return f"{STAND_IN}:{hashlib.sha256(text).hexdigest()[:16]}"
