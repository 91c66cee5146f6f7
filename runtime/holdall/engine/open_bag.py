"""The bag of an object during the crossing of an edge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from holdall.errors import BagError, DecodeError, HoldallError
from holdall.objects.bag import BAG_MEMBER, PropertyBag, WaitingBag
from holdall.objects.bag_forms import Form
from holdall.objects.shapes import wrong_members
from holdall.objects.tolerance import is_tolerated
from holdall.objects.views import SOURCE, StorageObject
from holdall.plan.misfits import fits_of, misfit
from holdall.text.pointer import join
from holdall.types import JsonValue, Members

NO_ENTRY: Final = object()
"""Stands for an entry that was refused."""


class Ends(Protocol):
    """One direction of an edge: see `holdall.engine.edges.Crossing`."""

    source: str
    source_type: type[StorageObject]
    destination: str
    destination_type: type[StorageObject]
    renamed: Mapping[str, str]
    stashed: frozenset[str]
    left: frozenset[str]
    apart: frozenset[str]
    plain: frozenset[str]

    def wrong_kinds(self, bag: Mapping[str, Any]) -> list[tuple[str, DecodeError]]: ...

    def settle(self, bag: PropertyBag, old: Any, new: Any) -> None: ...


class OpenBag(PropertyBag):
    """The bag of an object during one conversion: values are stashed and pulled.

    `old` and `new` are the members of both objects, whose views are made when needed. `nulls` are
    the properties that are looked at one by one and null in the source, unless these come back by
    themselves.
    """

    __slots__ = ("_destination", "_source", "crossing", "new", "nulls", "old")

    crossing: Ends
    nulls: frozenset[str]
    new: Members
    old: Members
    _source: Any
    _destination: Any

    @property
    def source(self) -> Any:
        """The object that is converted."""
        if self._source is None:
            self._source = self.crossing.source_type.view_(self.old, SOURCE)
        return self._source

    @property
    def destination(self) -> Any:
        """The object that it becomes."""
        if self._destination is None:
            self._destination = self.crossing.destination_type.view_(self.new)
        return self._destination

    def is_null(self, name: str) -> bool:
        """Return whether a property of the source that has no value is an explicit null."""
        return name in self.old

    def leave_null(self, name: str) -> None:
        """Do not keep the null of a source property, which comes back by itself."""
        self.nulls -= {name}
        self.drop(self.crossing.source, name)

    def carry_nulls(self) -> None:
        """Make null what is null in the source; idempotent."""
        crossing = self.crossing
        for name in sorted(self.nulls):  # the same order in all processes
            if name in crossing.stashed:
                self.put(crossing.source, name, None)
            elif name not in crossing.left:
                self.new.setdefault(crossing.renamed.get(name, name), None)

    def pull_checked(self, origin: str, key: str, form: Form) -> Any:
        """Remove an entry and return it, as `checked` does.

        A null entry is recorded for the property `key` of the destination.
        """
        value = self.checked(origin, key, form)
        if value is NO_ENTRY:
            return value
        if value is None:
            self.destination.extra_[key] = None
        self.take(origin, key)
        return value

    def checked(self, origin: str, key: str, form: Form) -> Any:
        """Return an entry read by its form, None for null, `NO_ENTRY` if it was refused.

        It is refused if it does not fit the declared type of its property, at any depth. Entries
        marked as unfit pass, and so do those that have not reached their version yet.
        """
        stored = self[origin][key]
        wrong = None if self.is_unfit(origin, key) else self._wrong(origin, key, form, stored)
        if wrong is None:
            try:
                return None if stored is None else form.read(stored)
            except DecodeError as error:
                wrong = error
        self.refuse(origin, key, wrong)
        return NO_ENTRY

    def _wrong(self, origin: str, key: str, form: Form, stored: JsonValue) -> DecodeError | None:
        wrong = misfit(self.crossing.destination_type, origin, key, stored)
        # People may edit tracked values; other values of twins are not checked.
        is_tracked = type(self.old.get(BAG_MEMBER)) is WaitingBag
        if stored is not None and (wrong or is_tracked):
            try:
                form.read(stored, False)
            except DecodeError as error:
                return wrong if wrong is not None and wrong.path > error.path else error
        return wrong

    def refuse_all(self, wrong: Iterable[tuple[str, HoldallError]]) -> None:
        """Set entries of the destination aside, each with what is wrong, as `refuse` does."""
        for key, error in wrong:
            self.refuse(self.crossing.destination, key, error)

    def refuse(self, origin: str, key: str, error: HoldallError) -> None:
        """Set aside an entry that cannot be used, as if it did not exist.

        Unless that is tolerated, raises BagError with the entry and its object.
        """
        path, text = "", str(error)
        if isinstance(error, DecodeError):
            path, text = self._located(origin, key, error)
        if not is_tolerated(self.source, origin, key, f"{path}: {text}" if path else text):
            text = f"bag entry {origin}/{key}{path}: {text}"
            raise BagError(text, self.source, (origin, key)) from error
        self.set_aside(self.crossing.source, origin, key)

    def _located(self, origin: str, key: str, error: DecodeError) -> tuple[str, str]:
        """Return where in an entry something is wrong, and what; `error` may name no element."""
        for version, cls in (
            (self.crossing.source, self.crossing.source_type),
            (self.crossing.destination, self.crossing.destination_type),
        ):
            if version == origin:
                for path, text in wrong_members(cls, {key: self[origin][key]}):
                    return path.removeprefix(join("", key)), text
        return error.path, error.message


def mark_misfits(bag: PropertyBag, origin: str, cls: type) -> None:
    """Mark the kept values of a type's object that do not fit their declared types."""
    fits = fits_of(cls, origin)
    for key, value in [*bag[origin].items()]:
        if key in fits:
            fit = fits[key]
            if type(value) in fit.kinds or fit.passes(value):
                continue
        if misfit(cls, origin, key, value):
            bag.mark_unfit(origin, key)
