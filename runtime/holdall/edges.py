"""What every converter of a type edge does beside assigning properties: nulls, extras, the bag."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from holdall import json as _json
from holdall.bag import RESERVED, OpenBag, PropertyBag
from holdall.objects import StorageObject, new
from holdall.shapes import members_of, shape_of

D = TypeVar("D", bound=StorageObject)
D_contra = TypeVar("D_contra", contravariant=True)
O = TypeVar("O", bound=StorageObject)  # noqa: E741 - the older side
Hook = Callable[[Any, Any], None]


def _no_hooks() -> None:
    """Stand in for the loading of hooks where there is no scheme."""


@dataclass(frozen=True, slots=True)
class HookNames:
    """The names of one direction that belong to its hook: bag keys it reads, extras it claims.

    An extra that the hook only reads or only writes is not carried over: it waits in the bag, as
    a property without partner does. One that it reads and writes is carried, for it to change.
    """

    keys: frozenset[str] = frozenset()
    extras: frozenset[str] = frozenset()


class Crossing:
    """One direction of a type edge; `opposite` is the other.

    `stashed` are the properties without a partner, `left` those that moves or a hook take care
    of; the others have the partner `renamed` names, or one of their own name. `hook` runs the
    bound hook, or is None; until the hooks are loaded it loads them.
    """

    __slots__ = (
        "_left",
        "_renamed",
        "_stashed",
        "destination",
        "destination_type",
        "hook",
        "hook_names",
        "load_hooks",
        "opposite",
        "source",
        "source_type",
    )

    def __init__(
        self,
        source: tuple[str, type[StorageObject]],
        destination: tuple[str, type[StorageObject]],
        renamed: Mapping[str, str],
        stashed: frozenset[str],
        left: frozenset[str],
    ) -> None:
        self.source, self.source_type = source
        self.destination, self.destination_type = destination
        self._renamed = renamed
        self._stashed = stashed
        self._left = left
        self.hook: Hook | None = None
        self.hook_names: HookNames | None = None
        self.opposite = self
        self.load_hooks: Callable[[], None] = _no_hooks

    @property
    def source_members(self) -> frozenset[str]:
        """The wire names that the source's type declares."""
        return members_of(self.source_type)

    @property
    def destination_members(self) -> frozenset[str]:
        """The wire names that the destination's type declares."""
        return members_of(self.destination_type)

    def open(self, source: StorageObject, destination: StorageObject) -> OpenBag:
        """Return a clone of the source's bag without entries that the live source supersedes."""
        stored = source.property_bag
        bag = OpenBag() if stored is None else OpenBag(_json.copy(dict(stored)))
        bag.source, bag.destination = source, destination
        destination.extra_ = {}
        if bag:
            bag.drop_all(self.source, self.source_members)
        return bag

    def close(self, bag: OpenBag) -> PropertyBag | None:
        """Carry nulls and extras over, settle the bag, and return it; none if it is empty.

        All properties must be assigned and stashed before.
        """
        if bag.source.extra_:
            self._carry_extras(bag)
        if not bag:
            return None
        if self.destination in bag:
            self._return_extras(bag)
            bag.drop_all(self.destination, self.destination_members - self._of_hook().keys)
        return PropertyBag(bag) if bag else None

    def carry(self, source: StorageObject, destination: StorageObject) -> None:
        """Carry extras and bag over for a type whose properties all have partners."""
        destination.property_bag = self.close(self.open(source, destination))

    def _carry_extras(self, bag: OpenBag) -> None:
        source, destination = bag.source, bag.destination
        extras = destination.extra_
        for name, value in source.extra_.items():
            if name in self.source_members:
                if getattr(source, shape_of(type(source)).attributes[name]) is not None:
                    continue  # set after reading: the value wins over the null that was read
                if name in self._stashed:
                    bag.put(self.source, name, None)
                elif name not in self._left:
                    extras.setdefault(self._renamed.get(name, name), None)
            elif name in self.destination_members or name in self._of_hook().extras:
                bag.put(self.source, name, _json.copy(value))
            else:
                extras[name] = _json.copy(value)

    def _of_hook(self) -> HookNames:
        """Return the names that belong to the hook; they are known once the hooks are loaded."""
        if self.hook_names is None:
            self.load_hooks()
        return self.hook_names or HookNames()

    def _return_extras(self, bag: OpenBag) -> None:
        # Only what this edge would have stashed comes back: other entries are foreign.
        stashed = self.source_members | self.opposite._of_hook().extras
        stashed -= self.destination_members | self._of_hook().keys | RESERVED
        for name in list(bag.get(self.destination, ())):
            if name in stashed:
                value = bag.take(self.destination, name)
                bag.destination.extra_.setdefault(name, value)


class TypeEdge:
    """Both directions between a storage twin and its newer peer."""

    __slots__ = ("back", "to")

    def __init__(
        self,
        older: tuple[str, type[StorageObject]],
        newer: tuple[str, type[StorageObject]],
        *,
        renamed: Mapping[str, str],
        only_older: Iterable[str],
        only_newer: Iterable[str],
        left_older: Iterable[str],
        left_newer: Iterable[str],
    ) -> None:
        back = {partner: name for name, partner in renamed.items()}
        self.to = Crossing(older, newer, renamed, frozenset(only_older), frozenset(left_older))
        self.back = Crossing(newer, older, back, frozenset(only_newer), frozenset(left_newer))
        self.to.opposite, self.back.opposite = self.back, self.to


@dataclass(frozen=True, slots=True)
class EdgeEntry:
    """An edge as its generated module registered it, with the protocol of its hook."""

    protocol: type
    older: tuple[str, type[StorageObject]]
    newer: tuple[str, type[StorageObject]]
    edge: TypeEdge
    must_claim_older: tuple[str, ...]
    must_claim_newer: tuple[str, ...]


class _Newer(Protocol[D_contra]):
    def assign_properties_to(self, destination: D_contra) -> None: ...


def converted_to(source: _Newer[D] | None, newer: type[D]) -> D | None:
    """Return `source` converted to its newer peer; None stays None."""
    if source is None:
        return None
    destination = new(newer)
    source.assign_properties_to(destination)
    return destination


def each_to(sources: list[Any] | None, newer: type[D]) -> list[D] | None:
    """Return a list of objects converted to their newer peers; None and null elements stay."""
    if sources is None:
        return None
    converted: list[Any] = []
    for source in sources:
        if source is None:
            converted.append(None)
        else:
            destination = new(newer)
            source.assign_properties_to(destination)
            converted.append(destination)
    return converted


def values_to(sources: dict[str, Any] | None, newer: type[D]) -> dict[str, D] | None:
    """Return a map of objects converted to their newer peers; None and null values stay."""
    if sources is None:
        return None
    return {key: converted_to(source, newer) for key, source in sources.items()}  # type: ignore[misc]


def converted_from(source: StorageObject | None, older: type[O]) -> O | None:
    """Return `source` converted to its older peer; None stays None."""
    if source is None:
        return None
    destination: Any = new(older)
    destination.assign_properties_from(source)
    return destination  # type: ignore[no-any-return]


def each_from(sources: list[Any] | None, older: type[O]) -> list[O] | None:
    """Return a list of objects converted to their older peers; None and null elements stay."""
    if sources is None:
        return None
    converted: list[Any] = []
    for source in sources:
        if source is None:
            converted.append(None)
        else:
            destination: Any = new(older)
            destination.assign_properties_from(source)
            converted.append(destination)
    return converted


def values_from(sources: dict[str, Any] | None, older: type[O]) -> dict[str, O] | None:
    """Return a map of objects converted to their older peers; None and null values stay."""
    if sources is None:
        return None
    return {key: converted_from(source, older) for key, source in sources.items()}  # type: ignore[misc]
