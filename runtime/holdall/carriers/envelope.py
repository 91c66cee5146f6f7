"""The envelope: the bags of one compartment with the facts they need to find their way back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from holdall import json as _json
from holdall.errors import DecodeError
from holdall.pointer import join
from holdall.types import JsonValue, is_json_object, json_kind

FORMAT: Final = 1
DEFAULT_BUDGET: Final = 64 * 1024

Carrier: TypeAlias = Literal["annotation", "field", "none"]
Compartment: TypeAlias = Literal["spec", "status"]
Entry: TypeAlias = tuple[str, str, str]
"""Address of the object, origin version and key of one bag entry."""
Bag: TypeAlias = "dict[str, dict[str, JsonValue]]"
Bags: TypeAlias = "dict[str, Bag]"
"""Bags by the address of their object."""

COMPARTMENTS: Final[tuple[Compartment, ...]] = ("spec", "status")
EARLIER_STATES: Final = frozenset(
    {"metadata absent", "metadata null", "annotations null", "annotations {}"}
)
_MEMBERS: Final = frozenset({"v", "group", "kind", "version", "bags", "before", "kept", "omitted"})


@dataclass(frozen=True, slots=True)
class Envelope:
    """How the bags of one kind travel in its API documents; made once per kind.

    `group` is "" for plain documents. `budget` limits the bytes of all annotations that carry
    bags; the field carrier has no limit.
    """

    carrier: Carrier
    group: str
    kind: str
    budget: int = DEFAULT_BUDGET


@dataclass(frozen=True, slots=True)
class Contents:
    """What one envelope holds.

    `before` is the state of metadata that removing the carrier has to restore, "" for the plain
    one; `kept` is the value whose place the carrier took, as a tuple of none or one; `omitted`
    counts the entries that were over budget.
    JSON: `{"v": 1, "group": …, "kind": …, "version": …, "bags": {address: bag}}`.
    """

    group: str
    kind: str
    version: str
    bags: Bags
    before: str = ""
    kept: tuple[JsonValue, ...] = field(default=())
    omitted: int = 0

    def write(self) -> dict[str, JsonValue]:
        """Return the JSON of the envelope; values are shared with it."""
        members: dict[str, Any] = {
            "v": FORMAT,
            "group": self.group,
            "kind": self.kind,
            "version": self.version,
            "bags": self.bags,
        }
        if self.before:
            members["before"] = self.before
        if self.kept:
            members["kept"] = self.kept[0]
        if self.omitted:
            members["omitted"] = self.omitted
        return members

    @classmethod
    def read(cls, value: JsonValue) -> Contents:
        """Return what an envelope holds. Raises DecodeError with a path if it is none of ours."""
        members = _object(value, "")
        form = members.get("v")
        if type(form) is not int or form != FORMAT:
            raise DecodeError(f"expected an envelope of format {FORMAT}", "/v")
        for name in sorted(members.keys() - _MEMBERS):
            raise DecodeError("unknown member of an envelope", f"/{name}")
        before = members.get("before", "")
        if type(before) is not str or (before and before not in EARLIER_STATES):
            raise DecodeError("unknown earlier state of metadata", "/before")
        omitted = members.get("omitted", 0)
        if type(omitted) is not int:
            raise DecodeError(f"expected integer, found {json_kind(omitted)}", "/omitted")
        return cls(
            _string(members, "group"),
            _string(members, "kind"),
            _string(members, "version"),
            _read_bags(members.get("bags")),
            before,
            (members["kept"],) if "kept" in members else (),
            omitted,
        )

    def without(self, omitted: list[Entry]) -> Contents:
        """Return the envelope with some entries left out and counted."""
        out = frozenset(omitted)
        bags: Bags = {}
        for address, origin, key, value in entries_of(self.bags):
            if (address, origin, key) not in out:
                bags.setdefault(address, {}).setdefault(origin, {})[key] = value
        return replace(self, bags=bags, omitted=len(out))


def entries_of(bags: Bags) -> Iterator[tuple[str, str, str, JsonValue]]:
    """Yield address, origin, key and value of all entries, in order."""
    for address, bag in bags.items():
        for origin, entries in bag.items():
            for key, value in entries.items():
                yield address, origin, key, value


def largest_first(bags: Bags) -> list[Entry]:
    """Return all entries by the size of their JSON, largest first, then by name."""
    sized = sorted(
        (-len(_json.canonical(value)), (address, origin, key))
        for address, origin, key, value in entries_of(bags)
    )
    return [entry for _, entry in sized]


def _read_bags(value: JsonValue) -> Bags:
    bags: Bags = {}
    for address, bag in _object(value, "/bags").items():
        path = join("/bags", address)
        bags[address] = {
            origin: _object(entries, join(path, origin))
            for origin, entries in _object(bag, path).items()
        }
    return bags


def _object(value: JsonValue, path: str) -> dict[str, JsonValue]:
    if not is_json_object(value):
        raise DecodeError(f"expected object, found {json_kind(value)}", path)
    return value


def _string(members: dict[str, JsonValue], name: str) -> str:
    value = members.get(name)
    if type(value) is not str:
        raise DecodeError(f"expected string, found {json_kind(value)}", f"/{name}")
    return value
