"""An object with a bag that was stored under an earlier plan, and what is known of its entries."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from holdall.carriers.additions import bag_of
from holdall.carriers.envelope import Residues
from holdall.objects.bag import BESIDE_KEY, is_mark
from holdall.objects.views import StorageObject
from holdall.plan.misfits import may_have_been_misfit
from holdall.text.json import same
from holdall.types import JsonValue

Owners: TypeAlias = "Mapping[int, tuple[StorageObject, str]]"
"""By the identity of an object's members, the object that holds it and the member's wire name."""


@dataclass(frozen=True, slots=True)
class Bagged:
    """An object with a bag, of the shape of `version`.

    `known` are the residues by address: what was kept beside what was shown of it; None if that is
    not known. `owners` lead to the objects above, into which a property may have moved.
    """

    twin: StorageObject
    version: str
    address: str
    known: Mapping[str, Residues] | None
    owners: Owners

    def was_shown(self, origin: str, key: str) -> bool:
        """Tell whether an entry is known to have been a residue."""
        return key in self._residues().get(origin, ()) or bag_of(self.twin).is_beside(origin, key)

    def may_have_hidden(self, entry: tuple[str, str, JsonValue], names: Iterable[str]) -> bool:
        """Tell whether a residue that some members show by now may have been a misfit of theirs.

        Then nobody saw it, and nobody can have deleted it. What it became is noted where it was.
        """
        origin, key, value = entry
        if bag_of(self.twin).became(origin, key, self) is not self:
            return False
        cls = type(self.twin)
        return any(may_have_been_misfit(cls, self.version, name, value) for name in names)

    def drop_outdated(
        self, origin: str, given: StorageObject, blank: StorageObject
    ) -> Iterator[Superseded]:
        """Drop what versions on the way kept where an entry, which gives an object, differs.

        It was written under a plan without those versions, which showed nothing of theirs.
        """
        bag = bag_of(self.twin)
        for other, key, value in bag_of(given).entries():
            is_theirs = bag.has(other, key) and not is_mark(key) and not self.was_shown(other, key)
            if is_theirs and not bag_of(blank).has(other, key) and not same(bag[other][key], value):
                bag.drop(other, key)
                yield Superseded(self.address, origin, other, key)

    def pass_on_residues(self, versions: Container[str]) -> None:
        """Mark the residues of versions that are not known here, for who knows them."""
        bag = bag_of(self.twin)
        for origin, keys in self._residues().items():
            for key in () if origin in versions else keys:
                if bag.has(origin, key):
                    bag.mark_beside(origin, key)

    def forget_residues(self, versions: Container[str]) -> None:
        """Take the marks away that someone left who did not know the versions that are known."""
        bag = bag_of(self.twin)
        for origin in [*bag]:
            if origin in versions:
                bag.drop(origin, BESIDE_KEY)
        self.twin.property_bag = bag or None

    def _residues(self) -> Residues:
        return {} if self.known is None else self.known.get(self.address, {})


class Superseded(NamedTuple):
    """An entry that was dropped, as its object, of the shape of `version`, says otherwise."""

    address: str
    version: str
    origin: str
    key: str
