"""Tracked values that cannot be used: kept under a key of their own, for the version to come back.

A key that is not a version is passed on by everyone. Source: declared versions, section 5.4;
property-conversion contract, section 5.10.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeVar

from holdall.carriers.reports import Report
from holdall.carriers.tracking.entries import SECTIONS, EntryPlace, Sections
from holdall.errors import ConversionError
from holdall.objects.tolerance import Unused, searched
from holdall.plan.tracking import CHANGED_VALUES
from holdall.text import json as _json

_UNUSED: Final = "unused:"
Made = TypeVar("Made")


def cross_without_unusable(
    cross: Callable[[Sections], tuple[Made, Sections, Report]],
    sections: Sections,
    entered: Collection[str],
) -> tuple[Made, Sections, Report]:
    """Return what `cross` returns, without entries for the versions `entered` that make it fail."""
    entries = {place: entry for place, entry in sections.places() if place[1] in entered}

    def cross_with(accepted: Sequence[EntryPlace]) -> tuple[Made, Sections, Report]:
        return cross(_without(sections, entries.keys() - accepted))

    try:
        return cross_with([*entries])
    except Exception as error:  # noqa: BLE001 - raised again if no entry is at fault
        crossed, refused = searched([*entries], cross_with, error)
    for place, cause in refused:
        section, version, index = place
        entry: Any = entries[place]
        name = entry.get("jsonPath") if isinstance(entry, dict) else None
        at = f"/status/{CHANGED_VALUES}/{section}/{version}/{index}"
        reason = cause.rule if isinstance(cause, ConversionError) else type(cause).__name__
        crossed[2].append(Unused(at, version, str(name or ""), reason))
    return crossed


def settle(sections: Sections, ranks: Mapping[str, int], version: str) -> None:
    """Put entries back that are of use again now that the object is of `version`.

    One that was written for the same property meanwhile has taken its place. Versions get the order
    in which single steps write them, for entries of one may have been read from two carriers.
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
    kept = Sections(rest=sections.rest)
    for place, entry in sections.places():
        section, version, _ = place
        key = f"{_UNUSED}{version}" if place in unwanted else version
        kept.lists[section].setdefault(key, []).append(entry)
    return kept
