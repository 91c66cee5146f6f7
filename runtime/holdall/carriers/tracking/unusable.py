"""Tracked values that cannot be used, kept under a special key until their version returns.

Every reader passes on keys that are not versions. Source: docs/declared.md, "Tracking";
docs/bags.md, "Entries that cannot be used".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from typing_extensions import override

from holdall.carriers.reports import Report
from holdall.carriers.tracking.entries import SECTIONS, Entry, EntryPlace, Section, Sections
from holdall.carriers.tracking.placing import Placed
from holdall.errors import ConversionError
from holdall.objects.bag import BAG_MEMBER
from holdall.objects.tolerance import Tolerance, Unused, searched
from holdall.plan.tracking import CHANGED_VALUES
from holdall.text import json as _json
from holdall.text.json_path import format_path, segments_of
from holdall.types import JsonValue, Members

_UNUSED: Final = "unused:"
Refused: TypeAlias = "list[tuple[EntryPlace, str]]"
"""Entries that cannot be used, by their place in the sections, with their problems."""
Made = TypeVar("Made")
Crossed: TypeAlias = "tuple[Made, Sections, Report]"


class Refusing(Tolerance):
    """While it is active, wrong placed entries are set aside together.

    One by one, each would need a conversion of the whole object.
    """

    def __init__(self, placed: Placed, version: str) -> None:
        super().__init__()
        self._placed, self._version = placed, version
        self._wrong: dict[tuple[int, str], tuple[Members, str]] = {}

    @override
    def accepts(self, holder: Any, origin: str, key: str, reason: str) -> bool:
        entry = self._placed.get(holder.members_, key)
        inside, text = "", reason
        if reason.startswith("/"):
            inside, _, text = reason.partition(": ")
        if entry is None or not self._placed.refuses(
            entry, wrong_value(self._version, entry, text, inside)
        ):
            return False
        self._wrong[id(holder.members_), key] = holder.members_, origin
        return True

    def drop(self) -> bool:
        """Take the entries out of the bags of their objects; return whether there are any."""
        for (_, key), (members, origin) in self._wrong.items():
            members[BAG_MEMBER].drop(origin, key)
        return bool(self._wrong)


def wrong_value(version: str, entry: Entry, text: str, inside: str = "") -> str:
    """Return the message about a wrong tracked value; `inside` is a JSON Pointer into it."""
    path = format_path([*entry.path, *segments_of(inside)])
    return f'tracked value for "{version}" at {path}: {text}'


def keep_unused(sections: Sections, section: Section, version: str, entry: JsonValue) -> None:
    """Keep an entry for a version where nothing searches for it."""
    sections.lists[section].setdefault(f"{_UNUSED}{version}", []).append(entry)


def cross_without_unusable(
    cross: Callable[[Sections, Refused], Crossed[Made]],
    sections: Sections,
    entered: Collection[str],
) -> Crossed[Made]:
    """Return what `cross` returns, without entries for the versions `entered` that make it fail.

    `cross` returns those that it knows it cannot use, and keeps them; others are found by trial.
    """
    places = [place for place, _ in sections.places() if place[1] in entered]
    refused: Refused = []

    def cross_with(accepted: Sequence[EntryPlace]) -> tuple[Crossed[Made], Refused]:
        nonlocal refused
        kept: dict[tuple[Section, str], list[EntryPlace]] = {}
        for place in sorted(accepted):
            kept.setdefault(place[:2], []).append(place)
        found: Refused = []
        try:
            crossed = cross(_without(sections, {*places} - {*accepted}), found)
        finally:
            refused = [(kept[place[:2]][place[2]], text) for place, text in found]
        return crossed, refused

    try:
        crossed, unusable = cross_with(places)
    except Exception as error:  # noqa: BLE001 - raised again if no entry is at fault
        known = dict(refused)
        rest = [place for place in places if place not in known]
        (crossed, found), others = searched(rest, cross_with, error)
        unusable = [*known.items(), *found]
        for place, cause in others:
            text = cause.rule if isinstance(cause, ConversionError) else type(cause).__name__
            unusable.append((place, text))
    crossed[2].extend(_unused(sections, place, text) for place, text in unusable)
    return crossed


def _unused(sections: Sections, place: EntryPlace, reason: str) -> Unused:
    section, version, index = place
    entry: Any = sections.lists[section][version][index]
    name = entry.get("jsonPath") if isinstance(entry, dict) else None
    at = f"/status/{CHANGED_VALUES}/{section}/{version}/{index}"
    return Unused(at, version, str(name or ""), reason)


def settle(sections: Sections, ranks: Mapping[str, int], version: str) -> None:
    """Put back entries that are usable again now that the object has `version`.

    An entry written for the same property meanwhile has replaced the old one. Versions get the
    order in which single steps write them, because entries may come from two carriers.
    """
    for section in SECTIONS:
        lists = sections.lists[section]
        if not lists:
            continue
        for key in [key for key in lists if key.startswith(_UNUSED)]:
            rank = ranks.get(key.removeprefix(_UNUSED), ranks[version])
            if rank > ranks[version] if section == "upgrades" else rank < ranks[version]:
                fresh = lists.get(key.removeprefix(_UNUSED), [])
                written = set(map(_name_of, fresh))
                waiting = [entry for entry in lists.pop(key) if _name_of(entry) not in written]
                lists[key.removeprefix(_UNUSED)] = [*waiting, *fresh]
        if len(lists) > 1:
            way = -1 if section == "upgrades" else 1
            order = {key: way * ranks[key] for key in lists if key in ranks}
            first = -len(ranks)
            sections.lists[section] = {
                key: lists[key] for key in sorted(lists, key=lambda key: order.get(key, first))
            }


def _name_of(entry: Any) -> bytes:
    members = entry if isinstance(entry, dict) else {}
    return _json.canonical([members.get(name) for name in ("root", "jsonPath", "fieldName")])


def _without(sections: Sections, unwanted: Collection[EntryPlace]) -> Sections:
    kept = Sections(rest=sections.rest, paths=sections.paths)
    for place, entry in sections.places():
        section, version, _ = place
        key = f"{_UNUSED}{version}" if place in unwanted else version
        kept.lists[section].setdefault(key, []).append(entry)
    return kept
