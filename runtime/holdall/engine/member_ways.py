"""The way of one document through its converters: their shared state, and errors."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar
from weakref import ref

from holdall.engine.uncertain import OtherCode, Reason, noting
from holdall.errors import ValueProblem
from holdall.objects.shapes import objects_within
from holdall.objects.view_type import EVERYWHERE
from holdall.text.pointer import Pointers

P = ParamSpec("P")
T = TypeVar("T")
Uncertain: TypeAlias = tuple[str, str, str, Reason]
"""JSON Pointer of an object, origin and key of an entry, and why it is not used."""

_Wholes: TypeAlias = "dict[int, tuple[Any, Any]]"
_LAST: Final[ContextVar[ref[Way] | None]] = ContextVar("last", default=None)
"""The way that last took something out of an object, which may be converted alone."""


class Way:
    """The shared state of converters for one document.

    `thorough` are the lineages of types whose objects may have bags that came with them: there
    nothing is passed over because its converter changes nothing. `bags` are those of objects that
    have one now. `copies` are the originals of objects that a move had to copy, or a union to be
    opened, by the identity of the copy. `wholes` are those from which a move took something, those
    of the `outer` way included if the object converts alone.
    The document `is_fresh` if it came without bags: all that is kept in one was shown on this way,
    so nobody has to judge whether it still agrees with what is shown.
    The hook of `unhooked` does not run: it asks what is made without it.
    """

    __slots__ = ("__weakref__", "bags", "copies", "is_fresh", "thorough", "wholes")

    unhooked: Any = None
    outer: _Wholes = {}  # noqa: RUF012 - never changed

    def __init__(self, thorough: AbstractSet[int] = EVERYWHERE, is_fresh: bool = False) -> None:
        self.thorough = thorough
        self.is_fresh = is_fresh
        self.bags = {*thorough}
        self.copies: dict[int, tuple[Any, Any]] = {}
        self.wholes: _Wholes = {}

    def take_from(self, whole: Any) -> Any:
        """Return a copy of an object from which a move can take something."""
        copied = whole.copy()
        self.copies[id(copied)] = self.wholes[id(copied)] = copied, whole
        _LAST.set(ref(self))
        return copied

    def go_on(self) -> None:
        """Become the last way that took something out, if it did: others may have run meanwhile."""
        if self.wholes:
            _LAST.set(ref(self))

    def whole(self, members: Any) -> Any:
        """Return an object as it was before a move took something out of it."""
        found = self.wholes.get(id(members)) or self.outer.get(id(members))
        return members if found is None else found[1]

    def runs_hook(self, members: Any) -> bool:
        """Return whether an object's hook runs."""
        if self.unhooked is None:
            return True
        return members is not self.unhooked and (
            id(members) not in self.copies or self.copies[id(members)][1] is not self.unhooked
        )

    def look_into(self, lineages: AbstractSet[int]) -> None:
        """Add lineages of objects that may have bags from the document."""
        self.thorough = lineages
        self.bags |= lineages


class _WayAlone(Way):
    """The way of an object that is converted alone."""

    __slots__ = ("outer", "unhooked")

    # Not by way of that of `Way`, because many values are converted alone.
    def __init__(self, unhooked: Any, outer: _Wholes, is_fresh: bool) -> None:
        self.thorough, self.is_fresh = EVERYWHERE, is_fresh
        self.bags, self.copies, self.wholes = set(), {}, {}
        self.unhooked, self.outer = unhooked, outer


def by_itself(convert: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Run a conversion of a document, perhaps in the hook of another one, whose way is the last one
    again afterwards."""
    last = _LAST.get()
    try:
        return convert(*arguments, **named)
    finally:
        if _LAST.get() is not last:
            _LAST.set(last)


def crossed(
    source: Any, destination: Any, members: Any, *, hooked: bool = True, is_judged: bool = True
) -> Any:
    """Return the members of a separate object, converted by the edge of two types.

    Without `hooked` its own hook does not run, but those of nested objects do. Unless `is_judged`,
    entries beyond the edge stay unchanged.
    """
    crossing: Any = source.crossings_[destination]
    if crossing.hook_names is None:
        crossing.load_hooks()
    if crossing.touched is not None and crossing.touched.isdisjoint(members):
        return members
    last = _LAST.get()
    outer = None if last is None else last()
    wholes = Way.outer if outer is None else outer.wholes
    way = _WayAlone(None if hooked else members, wholes, not is_judged)
    try:
        return crossing.convert(members, way)
    finally:  # as `by_itself` does
        if way.wholes:
            _LAST.set(last)


def converted_noting(
    convert: Callable[[Any, Way], Any], members: Any, way: Way, other: OtherCode
) -> tuple[Any, list[Uncertain]]:
    """Return a converted root, and the kept values that cannot be used, list elements one by one.

    Values that are only converted for comparison are not in the root, and are not reported.
    """
    made, noted = noting(lambda: convert(members, way), other)
    found: list[Uncertain] = []
    roots = Pointers(members), Pointers(made)
    for (_, below, origin, key), (holder, count, why) in noted.items():
        places = [_place_in(root, holder, way) for root in roots]
        paths = [f"{place}{below}" for place in places if place is not None]
        found.extend((path, origin, key, why) for path in paths[:1] for _ in range(count))
    return made, found


def relocated(error: ValueProblem, view: Any, copied: Any, way: Way) -> ValueProblem:
    """Return an error about a copy of a view's members as one about the view, or a nested one."""
    path = place_of(getattr(error.source, "members_", None), copied, way)
    for place, found in objects_within(view):
        if place == path:
            error.source = found
            break
    return error


def place_of(culprit: Any, root: Any, way: Way) -> str | None:
    """Return where an object is in a source, by identity; None for nowhere."""
    return _place_in(Pointers(root), culprit, way)


def _place_in(places: Pointers, culprit: Any, way: Way) -> str | None:
    while id(culprit) in way.copies:
        culprit = way.copies[id(culprit)][1]
    return None if culprit is None else places.pointer_to(culprit)
