"""Entries of `changedValues` and the sections that hold them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from holdall.carriers.reports import Dropped, Report
from holdall.errors import DecodeError
from holdall.text.json_path import Name, Segment, format_path, parse_path
from holdall.types import JsonValue, json_kind

Section: TypeAlias = Literal["upgrades", "downgrades"]
EntryPlace: TypeAlias = tuple[Section, str, int]
"""The section, key version and index of an entry."""
SECTIONS: Final[tuple[Section, Section]] = ("upgrades", "downgrades")
BECAME: Final[dict[Section, str]] = {"upgrades": "downgradedValue", "downgrades": "upgradedValue"}
NOTHING: Final = object()
Paths: TypeAlias = "dict[str, tuple[Segment, ...]]"
"""Parsed paths by text: a conversion may read the same entries a dozen times, to find a bad one."""


@dataclass(slots=True)  # a frozen one takes three times as long to make
class Entry:
    """A value kept for its version. `absent` says that the property was absent, `unfit` that the
    value never fitted its declared type, so that it returns unchanged.

    `became` is what the value became, `NOTHING` if that is not recorded. `guards` belong to the
    indexes of the path. `root` is where paths start: the spec, the status, or the object.
    `position` is the index in the list of a section, -1 if the entry combines several.
    """

    path: tuple[Segment, ...]
    value: JsonValue = None
    absent: bool = False
    became: Any = NOTHING
    guards: tuple[str, ...] = ()
    root: str = "spec"
    unfit: bool = False
    position: int = -1

    def write(self, section: Section) -> dict[str, JsonValue]:
        """Return the JSON of the entry in a section."""
        written: dict[str, JsonValue] = {"jsonPath": format_path(self.path)}
        if self.absent:
            written["absent"] = True
        else:
            written["value"] = self.value
        if self.became is not NOTHING:
            written[BECAME[section]] = self.became
        if self.guards:
            written["guards"] = list(self.guards)
        if self.root != "spec":
            written["root"] = self.root
        if self.unfit:
            written["unfit"] = True
        return written


def read_entries(
    values: list[JsonValue], section: Section, version: str, report: Report, paths: Paths
) -> list[Entry]:
    """Return the entries for a version; malformed ones are reported.

    `paths` is a cache of parsed paths.
    """
    entries: list[Entry] = []
    for position, value in enumerate(values):
        try:
            entries.append(read_entry(value, section, paths))
            entries[-1].position = position
        except DecodeError as error:
            place = f"/status/changedValues/{section}/{version}/{position}"
            report.append(Dropped(f"{place}: {error.message}", version, "", "it is dropped"))
    return entries


def read_entry(value: JsonValue, section: Section, paths: Paths) -> Entry:
    """Return an entry. Raises DecodeError if it is malformed."""
    if not isinstance(value, dict):
        raise DecodeError(f"an entry must be an object, not {json_kind(value)}")
    entry = Entry((), value.get("value"), became=value.get(BECAME[section], NOTHING))
    if "guards" in value:
        guards = value["guards"]
        if not isinstance(guards, list) or not all(isinstance(item, str) for item in guards):
            raise DecodeError("guards must be a list of strings")
        entry.guards = tuple(map(str, guards))
    if "root" in value:
        root = value["root"]
        if root not in ("spec", "status", "object"):
            raise DecodeError(f"root must be spec or status, not {root!r}")
        entry.root = str(root)
    entry.absent = "absent" in value and _flag(value, "absent")
    entry.unfit = "unfit" in value and _flag(value, "unfit")
    if not entry.absent and "value" not in value:
        raise DecodeError("there is no value")
    entry.path = _read_path(value, paths)
    return entry


def _flag(value: dict[str, JsonValue], name: str) -> bool:
    found = value[name]
    if type(found) is not bool:
        raise DecodeError(f"{name} must be true or false")
    return found


def _read_path(value: dict[str, JsonValue], paths: Paths) -> tuple[Segment, ...]:
    text = value.get("jsonPath")
    if text is None:
        name = value.get("fieldName")
        if isinstance(name, str) and name:
            return (Name(name),)
        raise DecodeError("there is no jsonPath")
    if not isinstance(text, str):
        raise DecodeError(f"jsonPath must be a string, not {json_kind(text)}")
    path = paths.get(text)
    if path is None:
        path = paths[text] = parse_path(text)
    if not path:
        raise DecodeError("the path names no property")
    return path


@dataclass(slots=True)
class Sections:
    """All lists of entries, as JSON, by section and key version; unknown keys are kept.

    `rest` are members of `changedValues` that are not sections. `paths` is a cache of parsed paths.
    """

    lists: dict[Section, dict[str, list[JsonValue]]] = field(
        default_factory=lambda: {"upgrades": {}, "downgrades": {}}
    )
    rest: dict[str, JsonValue] = field(default_factory=dict)
    paths: Paths = field(default_factory=dict, repr=False, compare=False)

    def take(self, section: Section, version: str) -> list[JsonValue]:
        """Remove and return the entries for a version."""
        return self.lists[section].pop(version, [])

    def copy(self) -> Sections:
        """Return a copy of the sections; their entries are shared."""
        lists: dict[Section, dict[str, list[JsonValue]]] = {
            section: {version: [*entries] for version, entries in found.items()}
            for section, found in self.lists.items()
        }
        return Sections(lists, {**self.rest}, self.paths)

    def places(self) -> Iterator[tuple[EntryPlace, JsonValue]]:
        """Yield all entries, including those for unknown versions, each with its place."""
        for section, lists in self.lists.items():
            for version, entries in lists.items():
                for index, entry in enumerate(entries):
                    yield (section, version, index), entry

    def write(self) -> dict[str, JsonValue]:
        """Return the value of `changedValues`, empty if nothing is kept."""
        written: dict[str, JsonValue] = {**self.rest}
        for section in SECTIONS:
            lists = {key: value for key, value in self.lists[section].items() if value}
            if lists:
                written[section] = {**lists}
        return written


def read_sections(value: JsonValue, into: Sections) -> list[str]:
    """Add the contents of a `changedValues` to the sections, and return what cannot be read.

    Missing and null sections are empty.
    """
    wrong: list[str] = []
    if value is None:
        return wrong
    if not isinstance(value, dict):
        return [f"it must be an object, not {json_kind(value)}"]
    for name, lists in value.items():
        section: Section | None = next((item for item in SECTIONS if item == name), None)
        if section is None:
            into.rest[name] = lists
        elif isinstance(lists, dict):
            for version, entries in lists.items():
                if isinstance(entries, list):
                    into.lists[section].setdefault(version, []).extend(entries)
                elif entries is not None:
                    wrong.append(f"{name}.{version} must be a list, not {json_kind(entries)}")
        elif lists is not None:
            wrong.append(f"{name} must be an object, not {json_kind(lists)}")
    return wrong
