"""Residues of two-way hooks, after a version was added between the two of their edge.

A hook searches for residue under the version at the other end of its edge. So residue is kept under
the current version there, if that has the same members as the version of origin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from holdall.carriers.bagged import Bagged, bag_of
from holdall.carriers.edge_ways import EdgeWays, Twin, hook_of
from holdall.carriers.reports import Dropped
from holdall.engine.residues import make, places, read_differences
from holdall.errors import DecodeError
from holdall.objects.bag import RESIDUE_PREFIX
from holdall.objects.shapes import holders_of, members_of
from holdall.objects.tolerance import Unused
from holdall.text.json import copy
from holdall.types import JsonValue, Members


def use_own_residues(held: Bagged) -> Iterator[Dropped]:
    """Use residues of the object's own version, which no hook has used on the way."""
    bag = bag_of(held.twin)
    for key, value in [*bag.get(held.version, {}).items()]:
        if key.startswith(RESIDUE_PREFIX):
            bag.drop(held.version, key)
            held.twin.property_bag = bag or None
            if not _gives_back(held, value):
                yield held.says_otherwise(held.version, key)


def place_residues(ways: EdgeWays, held: Bagged) -> Iterator[Unused]:
    """Move residues of hooks to where hooks search for them; report those that no hook will use."""
    bag = bag_of(held.twin)
    for origin, key, value in [*bag.entries()]:
        if not key.startswith(RESIDUE_PREFIX) or origin == held.version or origin not in ways.rank:
            continue
        found = ways.to(type(held.twin), held.version, origin)
        nears = [way for way in found if _finds(way[1], way[0], key)]
        if any(_is_judged(ways, held, way, key) for way in nears):
            continue
        if nears:
            yield held.set_aside(origin, key, "nothing has what its hook made of it any more")
            continue
        heir = next(filter(None, (_heir(way, key) for way in found)), None)
        hooked = [
            way[0] for way in found if any(_finds(it, way[0], key) for it in way[0].crossings_)
        ]
        if heir is not None and not hooked and not bag.has(heir.VERSION, key):
            bag.drop(origin, key)
            bag.put(heir.VERSION, key, value)
        elif found and not hooked:
            yield Unused(held.address, origin, key, "no hook looks for it any more")
        elif any(_finds(peer, cls, key) for cls in hooked for peer in ways.towards.get(cls, ())):
            # Once it is on that side, the hook drops what was kept before.
            yield held.set_aside(origin, key, "its hook is on the other side of its version by now")


def _gives_back(held: Bagged, value: JsonValue) -> bool:
    """Apply kept differences to the object, if it is unchanged since they were kept."""
    twin, names = held.twin, frozenset(members_of(type(held.twin)))
    members = {name: item for name, item in twin.settled_().items() if name in names}
    try:
        found = read_differences(value, names)
    except DecodeError:
        return False
    paths = places(members, found)
    if None in paths:
        return False
    made: Members = copy(members)
    for path, difference in zip(paths, found, strict=True):
        make(made, path or (), difference)
    changed = frozenset(difference["at"][0] for difference in found)
    twin.replace_(changed, {name: made[name] for name in changed if name in made})
    return True


def _is_judged(ways: EdgeWays, held: Bagged, way: Sequence[Twin], key: str) -> bool:
    """Return whether a hook on the first edge of a way sees what it had made when it kept a value.

    If no member of that comes from the object or its bag, the hook would take it for deleted.
    """
    steps = [step for step in way[1].crossings_[way[0]].two_way if step.key == key]
    names = [name for step in steps for name in step.reads if name in members_of(way[1])]
    return not names or any(ways.brings(way[1:], name, bag_of(held.twin)) for name in names)


def _finds(left: Twin, entered: Twin, key: str) -> bool:
    """Return whether a hook from one type to another searches for this residue there."""
    return entered in left.crossings_ and key in hook_of((left, entered)).keys


def _heir(way: Sequence[Twin], key: str) -> Twin | None:
    """Return the type on an entry's way whose hook can use it, if it has the same members."""
    for index, (entered, left) in enumerate(pairwise(way)):
        if _finds(left, entered, key):
            names = hook_of((left, entered)).writes
            steps = pairwise(way[: index + 1])
            is_same = all(_is_same(cls, peer, name) for cls, peer in steps for name in names)
            return entered if is_same else None
    return None


def _is_same(cls: Twin, peer: Twin, name: str) -> bool:
    """Return whether a member has the same shape in both types, without objects in it."""
    crossing = cls.crossings_[peer]
    if name not in members_of(cls) or crossing.partner(name) != name or (name,) in crossing.hops:
        return False
    return name not in holders_of(cls) and name not in crossing.hook_names.reads
