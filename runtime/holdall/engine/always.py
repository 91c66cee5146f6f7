"""Members that one version always has: a hook that fills them in where an object lacks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeAlias

from typing_extensions import override

from holdall.engine.edges import Converter, Crossing
from holdall.engine.failures import hook_failure
from holdall.engine.hooks import BAG_PREFIX, BagView, Claims, SharedHook
from holdall.engine.hops import Path
from holdall.engine.made_objects import is_emptied_within, is_made, make, unmake
from holdall.engine.member_ways import Way
from holdall.engine.residues import Difference, read_differences
from holdall.engine.surroundings import known_of_object
from holdall.errors import DecodeError
from holdall.objects.bag import BAG_MEMBER, RESIDUE_PREFIX, PropertyBag
from holdall.objects.shapes import shape_of
from holdall.objects.stored_forms import unrecorded
from holdall.objects.tolerance import is_tolerated
from holdall.objects.views import SOURCE
from holdall.text import json as _json
from holdall.text.pointer import unescape
from holdall.types import JsonValue, Members

UNKNOWN: Final = object()


class Given(str):
    """A fact of the object that `Always` fills in: `object:namespace` or `object:name`.

    If it is unknown, only the objects around it are filled in.
    """

    __slots__ = ()


Filled: TypeAlias = Mapping[str, "JsonValue | Given"]


class Always(SharedHook):
    """Members that the `newer` or the `older` version always has, by path.

    A path begins at the object that the hook is for. If there is nothing or null at a path, the
    object gets the value given here, or a fact for `Given`, and the objects that lead to it. What
    is filled in does not count as an edit: it is removed before the object is converted back, and
    what was absent before is not filled in again when the object returns.
    """

    def __init__(self, *, older: Filled | None = None, newer: Filled | None = None) -> None:
        self.older, self.newer = _steps(older or {}), _steps(newer or {})

    @override
    def assign_properties_to(self, source: Any, destination: Any, bag: BagView) -> None:
        """Never called: the converter itself fills in and removes."""

    @override
    def assign_properties_from(self, source: Any, destination: Any, bag: BagView) -> None:
        """Never called: the converter itself fills in and removes."""

    @override
    def claims_to(self) -> Claims:
        return _claims(self.older, self.newer)

    @override
    def claims_from(self) -> Claims:
        return _claims(self.newer, self.older)


def given(value: JsonValue | Given) -> Any:
    """Return the value to fill in, `UNKNOWN` for an unknown fact."""
    return known_of_object().get(value, UNKNOWN) if isinstance(value, Given) else value


Steps: TypeAlias = list[tuple[Path, Any]]


def _steps(values: Filled) -> Steps:
    return [(tuple(map(unescape, path.split("/"))), value) for path, value in values.items()]


def _claims(left: Steps, entered: Steps) -> Claims:
    reads, writes = (list(dict.fromkeys(path[0] for path, _ in one)) for one in (left, entered))
    keys = [f"{BAG_PREFIX}{_LEAVING}", f"{BAG_PREFIX}{_ENTERING}"]
    return Claims(reads=(*reads, *keys), writes=(*writes, *keys))


_LEAVING: Final = f"{RESIDUE_PREFIX}$left"
"""What the source lacked of the members that its version always has."""
_ENTERING: Final = f"{RESIDUE_PREFIX}$filled"
"""What was filled in at the destination, except objects with a mark."""


def sides(parts: Sequence[Always], direction: str) -> tuple[Steps, Steps]:
    """Return what hooks fill in at the source and at the destination."""
    older = [step for part in parts for step in part.older]
    newer = [step for part in parts for step in part.newer]
    return (older, newer) if direction == "to" else (newer, older)


def asks(crossing: Crossing) -> bool:
    """Return whether facts of the converted object are filled in."""
    return any(isinstance(value, Given) for steps in crossing.always for _, value in steps)


def filling(crossing: Crossing, act: Converter) -> Converter:
    """Return a converter that removes what was filled in, converts, and fills in."""
    leaving, entering = crossing.always
    ends = {path[:end] for path, _ in leaving for end in range(1, len(path) + 1)}
    names = [frozenset(path[0] for path, _ in steps) for steps in (leaving, entering)]
    arrival = crossing.destination
    left = {
        path: is_emptied_within(holders, path, arrival, 0)
        for path, holders in _objects(crossing.source_type, leaving)
    }
    objects = {path for path, _ in _objects(crossing.destination_type, entering)}

    def convert(old: Members, way: Way) -> Members:
        if crossing.bound is None or not way.runs_hook(old):
            unfilled: Members = act(old, way)
            return unfilled
        bag = old.get(BAG_MEMBER)
        waiting = {} if bag is None else bag.get(arrival, {})
        aside: list[str] = []
        filled = _read(crossing, waiting, _ENTERING, names[0], old, aside)
        missed = _read(crossing, waiting, _LEAVING, names[1], old, aside)
        marked = [path for path in left if is_made(_found(old, path), arrival)]
        source = old
        if filled or marked:
            source = old.copy()
            way.copies[id(source)] = way.wholes[id(source)] = source, old
            _take_back(source, [one for one in filled if tuple(one["at"]) in ends], way)
            for *above, name in marked:
                holder = _holder(source, above, way)
                _holder(holder, [name], way)
                unmake(holder, name, arrival, is_of_others=left[*above, name])
        made: Members = act(source, way)
        kept = {}
        if leaving and (gaps := _gaps(old, leaving)):
            kept[_LEAVING] = list(gaps.values())
        if entering and (gaps := _without(_gaps(made, entering), missed)):
            found = [gap for gap in gaps.values() if not _put(made, gap, objects, crossing, way)]
            if found:
                kept[_ENTERING] = found
        _keep(crossing, made, kept, aside)
        if kept:
            way.bags.add(crossing.lineage)
        return made

    return convert


def _objects(cls: Any, steps: Steps) -> Iterator[tuple[Path, list[Any]]]:
    """Yield paths to objects that can have bags, outer ones last, with the types on the path."""
    found: dict[Path, list[Any]] = {}
    for path, value in steps:
        holders, holder = [], cls
        for end, name in enumerate(path if value == {} else path[:-1], 1):
            member = shape_of(holder).members.get(name)
            held = None if member is None else member.value.type
            if held is None or held.FORM != "object":
                break
            holders.append(holder)
            found[path[:end]], holder = [*holders], held
    return iter(sorted(found.items(), key=lambda one: -len(one[0])))


def _read(
    crossing: Crossing,
    waiting: Mapping[str, Any],
    key: str,
    names: frozenset[str],
    old: Members,
    aside: list[str],
) -> list[Difference]:
    """Return what is kept; what cannot be used is set aside if that is tolerated."""
    if key not in waiting:
        return []
    try:
        found = read_differences(waiting[key], names)
        if not all("was" in one for one in found):
            raise DecodeError("expected the value that was filled in, {at, was}")
        return found
    except DecodeError as error:
        view = crossing.source_type.view_(old, SOURCE)
        if not is_tolerated(view, crossing.destination, key, str(error)):
            raise hook_failure(error, crossing.hook_class, view) from error
        aside.append(key)
        return []


def _keep(crossing: Crossing, made: Members, kept: Members, aside: list[str]) -> None:
    """Replace what was used in an object's bag by the new differences."""
    bag = made.get(BAG_MEMBER)
    if bag is None and not kept:
        return
    bag = PropertyBag.own(bag or {})  # it may be the source's
    for key in aside:
        bag.set_aside(crossing.source, crossing.destination, key)
    for key in (_LEAVING, _ENTERING):
        bag.drop(crossing.destination, key)
        bag.drop(crossing.source, key)
        if key in kept:
            bag.put(crossing.source, key, kept[key])
    if bag:
        made[BAG_MEMBER] = bag
    else:
        made.pop(BAG_MEMBER, None)


def _gaps(members: Members, steps: Steps) -> dict[Path, Difference]:
    """Return what to fill in, by path, objects before their contents."""
    found: dict[Path, Difference] = {}
    for path, value in steps:
        holder: Any = members
        for end, name in enumerate(path, 1):
            inner = holder.get(name)
            if inner is None:
                was = inner = {} if end < len(path) else given(value)
                if was is not UNKNOWN:
                    gap = {"at": list(path[:end]), "was": _json.copy(was)}
                    found.setdefault(path[:end], {**gap, "is": None} if name in holder else gap)
            elif type(inner) is not dict:
                break
            holder = inner
    return found


def _without(gaps: dict[Path, Difference], missed: list[Difference]) -> dict[Path, Difference]:
    """Return the gaps, absent or null, that were not there, and the objects around them."""
    for one in reversed(missed):
        path = tuple(one["at"])
        gap = gaps.get(path)
        is_as_kept = gap is not None and ("is" in one) == ("is" in gap)
        if is_as_kept and not any(other[:-1][: len(path)] == path for other in gaps):
            del gaps[path]
    return gaps


def _put(
    members: Members, gap: Difference, objects: AbstractSet[Path], crossing: Crossing, way: Way
) -> bool:
    """Fill in; return whether that is an object with a mark of absence."""
    *above, name = gap["at"]
    holder = _holder(members, above, None)
    if gap["was"] == {} and tuple(gap["at"]) in objects:
        make(holder, name, crossing.source, way)
        return True
    holder[name] = _json.copy(gap["was"])
    return False


def _take_back(members: Members, filled: list[Difference], way: Way) -> None:
    """Remove what was filled in and is unchanged."""
    for one in reversed(filled):
        *above, name = one["at"]
        holder = _found(members, above)
        if type(holder) is dict and name in holder and _is(holder[name], one["was"]):
            own = _holder(members, above, way)
            if "is" in one:
                own[name] = None
            else:
                del own[name]


def _is(value: Any, filled: Any) -> bool:
    return _json.equal(unrecorded(value), filled)


def _found(members: Members, path: Sequence[str]) -> Any:
    """Return the value at a path, None if there is none."""
    found: Any = members
    for name in path:
        found = found.get(name) if type(found) is dict else None
    return found


def _holder(members: Members, path: Sequence[str], way: Way | None) -> Members:
    """Return the object at a path, after copying it and the objects around it."""
    for name in path:
        shared = members[name]
        members[name] = shared.copy()
        members = members[name]
        if way is not None:
            way.copies[id(members)] = members, shared
    return members
