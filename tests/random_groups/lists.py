"""Judging the elements of a list: some assignment of owners explains all that is seen of it.

Where nobody can tell which element is which, an early one may have taken what only a later one
explains. So the owners are searched through, the likeliest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tests.random_groups.draw import GUESSABLE, key_of
from tests.random_groups.elements import Element, claims
from tests.random_groups.model import ABSENT, Face, Kind, Property, Type, known_by
from tests.random_groups.truth import Node, Row, Value, absorb, clone, fingerprint, show
from tests.random_groups.values import (
    UNSEEN,
    Wrong,
    align,
    all_nodes,
    alternatives,
    content,
    is_doubtful,
    short,
    types_of,
    without_empty,
)

if TYPE_CHECKING:
    from tests.random_groups.judge import Judge

Found = tuple[Value, int | None]
Ways = list[tuple[int | None, Value, Value]]
ATTEMPTS = 200


@dataclass
class Elements:
    """The elements of a list as the source shows them, their owners, and what the goal shows."""

    judge: Judge
    kind: Kind
    items: list[Value]
    owners: list[Value]
    got: Any
    from_: Face
    to: Face | None
    place: str
    attempts: int = 0
    by_value: bool = field(init=False)
    first: Kind | None = None  # of lists of which the source shows the first

    def __post_init__(self) -> None:
        assert self.kind.item
        self.inner: Kind = self.kind.item
        self.from_ = known_by(self.kind, self.judge.source, self.from_)
        self.court, self.source = self.judge.court, self.judge.source
        self.names = self.judge.names
        self.by_value = self.inner.bend() is not None and self.from_.bent
        if self.inner.name == "list" and self.inner.bent and self.from_.bent:
            self.first = self.inner.item
        self.before = [self.element(item, at) for at, item in enumerate(self.owners)]
        self.after = [self.element(item, -1 - at) for at, item in enumerate(self.items)]
        self.claims = claims(
            self.before,
            self.after,
            keyed=bool(self.from_.keys),
            strict=self.from_.strict,
            by_value=self.by_value,
        )
        self.certain = {claim.own for claim in self.claims if claim.certain}

    def judged(self, at: int = 0, used: frozenset[int | None] = frozenset()) -> list[Value]:
        """Judge the elements from a place on; `used` are the owners of those before it."""
        if at == len(self.items):
            self.bury(used)
            return []
        claim = self.claims[at]
        first: Wrong | None = None
        for value, owner in self.fitting(at, used):
            if not claim.certain and claim.owners():
                # Or it is new, and what it hides is made of what it shows.
                owners = [self.owners[was] for was in claim.owners()]
                shown = [self.shown_by(at, owner) for owner in owners]
                self.put_in_doubt(value, [*owners, *shown, self.fresh(at)], at)
            try:
                return [value, *self.judged(at + 1, used | {owner})]
            except Wrong as error:
                first = first or error
                self.attempts += 1
                if self.attempts > ATTEMPTS:
                    break
        assert first is not None
        raise first

    def seen(self, at: int) -> Any:
        """Return what the goal shows at a place."""
        return UNSEEN if self.got is UNSEEN else self.got[at]

    def ways(self, at: int, used: frozenset[int | None]) -> Ways:
        """Return the owners that an element may have, the likeliest first, and what each has lost.

        Then those that hide something: whoever takes one that hides nothing leaves the others over.
        """
        claim = self.claims[at]
        found: Ways = []
        own = claim.own if claim.certain or claim.own in claim.equals else None
        for was in sorted(claim.owners(), key=lambda was: was != own and not self.hides(was)):
            if was not in used and (claim.certain or was not in self.certain):
                owner = self.owners[was]
                found.append((was, owner, ABSENT))
                found += [(was, one, ABSENT) for one in alternatives(owner)]
        rows = [(was, one) for was, one, _ in found if isinstance(one, Row) and one.items]
        if not claim.certain or any(is_doubtful(one) for _, one, _ in found):
            # Of what is not seen, the likeliest is that an element that looks new hides nothing.
            is_new = self.seen(at) is UNSEEN and claim.own is None and not claim.equals
            found.insert(0 if is_new else len(found), (None, ABSENT, ABSENT))
        if not claim.certain and self.first is not None:
            # What the first hides is beside the list, what comes behind it is kept with the list.
            found += [(was, self.headless(row), row.items[0]) for was, row in rows]
        if not claim.certain and self.inner.name == "table":
            # One that replaced another in its place may have the order of that one.
            owners = [self.owners[was] for was in claim.owners()]
            found += [(None, ordered(owner), ABSENT) for owner in owners if isinstance(owner, Row)]
        return found

    def fitting(self, at: int, used: frozenset[int | None]) -> Iterator[Found]:
        """Yield an element by each owner that fits: exactly, then with what is in doubt."""
        ways = self.ways(at, used)
        if not ways:
            raise Wrong("value", f"{self.place}/{at}: nothing fits {short(self.seen(at))}")
        first: Wrong | None = None
        fits: set[int] = set()
        before = self.court.lost
        for lenient in (False, True) if self.judge.is_lenient else (False,):
            for number, (owner, was, lost) in enumerate(ways):
                if number in fits:
                    continue
                self.court.lost = Counter(before)
                was_lenient, self.judge.is_lenient = self.judge.is_lenient, lenient
                try:
                    found = self.owned(at, owner, was)
                    if self.first is not None:
                        self.judge.bury(self.first, lost, self.from_, f"{self.place}/{at}")
                except Wrong as error:
                    if first is None or error.rule == "vanished":
                        first = error
                    continue
                finally:
                    self.judge.is_lenient = was_lenient
                fits.add(number)
                yield found
        self.court.lost = before
        if not fits:
            assert first is not None
            raise first

    def owned(self, at: int, owner: int | None, was: Value) -> Found:
        """Judge an element as that of an owner."""
        kind, from_, crds = self.inner, self.from_, self.court.crds
        cur, got, place = self.items[at], self.seen(at), f"{self.place}/{at}"
        lost, item = Counter(self.court.lost), cur
        shown = show(kind, cur, self.source, from_, crds)
        is_own = getattr(was, "id", -1) == getattr(cur, "id", -1)
        if self.by_value or not is_own:
            # What the source does not show is the owner's, or there is none.
            item = absorb(kind, was, shown, self.source, from_, crds)
            if item is was:
                item = clone(was)
            align(item, cur)
        made: Value
        if isinstance(was, Node) and not self.by_value:
            seen = self.judge.as_object(kind, item, got, self.to, place)
            made = self.judge.object(item, was, seen, place)
        else:
            made = self.judge.value(kind, item, was, got, from_, self.to, place)
        if not is_own and content(made) == content(self.fresh(at)):
            owner = None  # nothing but what is shown, so nothing was taken from anybody
            self.court.lost = lost
        return made, owner

    def fresh(self, at: int) -> Value:
        """Return an element as nothing but what the source shows says it."""
        return self.shown_by(at, ABSENT)

    def shown_by(self, at: int, owner: Value) -> Value:
        """Return an element with what an owner hides, if it is that one."""
        way = (self.source, self.from_, self.court.crds)
        return absorb(self.inner, owner, show(self.inner, self.items[at], *way), *way)

    def headless(self, row: Row) -> Row:
        """Return a list as an owner of which nobody knows what the first hides."""
        assert self.first
        first, way = row.items[0], (self.source, self.from_, self.court.crds)
        bare = absorb(self.first, ABSENT, show(self.first, first, *way), *way)
        align(bare, first)
        return Row([bare, *row.items[1:]], row.id, row.doubtful, row.others)

    def put_in_doubt(self, value: Value, owners: list[Value], at: int) -> None:
        """Mark the objects in an element whose hidden part may be another's and was not seen."""
        others = [node for owner in owners for node in all_nodes(owner)]
        is_bent = self.to is not None and self.inner.bend() is not None and self.to.bent
        is_unseen = is_bent or self.seen(at) is UNSEEN
        if isinstance(value, Row) and is_unseen:
            value.doubtful = True
            value.others = with_others([owner for owner in owners if isinstance(owner, Row)])
        for node in all_nodes(value):
            if is_unseen or self.leaves_unseen(node.type):
                alike = [other for other in others if other.type is node.type]
                node.doubtful, node.others = True, with_others(alike)

    def leaves_unseen(self, type: Type) -> bool:
        """Tell whether an object may have a part that neither version shows."""
        versions = (self.source, self.judge.goal)
        return bool(type.keeping or type.free) or any(
            not any(shows_whole(item, version) for version in versions)
            or any(self.leaves_unseen(inner) for inner in types_of(item.kind))
            for item in type.properties
        )

    def bury(self, used: frozenset[int | None]) -> None:
        """Demand reports of owners that nobody has; what can be told must not be lost.

        So is the rest of a list whose first element may be one of the new ones, edited.
        """
        left = [at for at in range(len(self.owners)) if at not in used]
        new = len(self.items) - len(used - {None})
        is_edited = self.first is not None and new > sum(not self.has_rest(at) for at in left)
        for at, item in enumerate(self.owners):
            if at in used or any(
                at in claim.owners() and self.seen(now) is UNSEEN
                for now, claim in enumerate(self.claims)
            ):
                continue
            place = f"{self.place}/{at} as it was"
            if self.is_told_apart(at) and self.hides(at) and not is_doubtful(item):
                raise Wrong("lost", f"{place}: who has it now can be told")
            self.judge.bury(self.inner, item, self.from_, place)
            if is_edited and self.has_rest(at) and not is_doubtful(item):
                self.court.lose(self.names, place)

    def has_rest(self, at: int) -> bool:
        """Tell whether an owner is a list with more than the first element, which is shown."""
        owner = self.owners[at]
        return isinstance(owner, Row) and len(owner.items) > 1

    def is_told_apart(self, at: int) -> bool:
        """Tell whether as many elements look like an owner as before.

        Undeclared members may have been pruned, so they have to be as many without these, too.
        """
        owner = self.before[at]
        for look in ("shows", "declared"):
            looks = getattr(owner, look) or owner.shows
            counts = [
                sum((getattr(one, look) or one.shows) == looks for one in elements)
                for elements in (self.before, self.after)
            ]
            if counts[0] > counts[1]:
                return False
        return True

    def hides(self, at: int) -> bool:
        """Tell whether the source hides something of an owner."""
        value = self.owners[at]
        shown = show(self.inner, value, self.source, self.from_, self.court.crds)
        bare = absorb(self.inner, ABSENT, shown, self.source, self.from_, self.court.crds)
        return bool(content(without_empty(bare, value)) != content(value))

    def element(self, item: Value, otherwise: int) -> Element:
        """Return what is known of an element at the source's version."""
        inner, face, crds = self.inner, self.from_, self.court.crds
        shown = show(inner, item, self.source, face, crds)
        guess = None
        if (self.first or inner).name == "obj" and isinstance(shown, dict):
            names = [key for key in GUESSABLE if isinstance(shown.get(key), str | int)]
            guess = f"{names[0]}={shown[names[0]]}" if names else None
        declared = ""
        plain = without_extras(item)
        if plain is not item or self.by_value:
            # Of what is kept beside a list, all versions' defaults say the same as nothing.
            declared = fingerprint(inner, plain, self.source, face, crds, far=self.by_value)
        return Element(
            item.id if isinstance(item, Node | Row) else otherwise,
            fingerprint(inner, item, self.source, face, crds),
            key_of(self.kind, item, self.source, face, crds) if face.keys else None,
            guess,
            declared,
        )


def ordered(row: Row) -> Row:
    """Return the keys of a table in their order, and nothing else."""
    keys = [(item.type, item.type.properties[0].id, item) for item in row.items]
    return Row([Node(type, {id: item.values[id]}) for type, id, item in keys if id in item.values])


def without_extras(value: Value) -> Value:
    """Return a value without undeclared members at any depth; itself if it has none."""
    if isinstance(value, Node):
        values = {id: without_extras(one) for id, one in value.values.items()}
        is_same = not value.extras and all(values[id] is value.values[id] for id in values)
        return value if is_same else replace(value, values=values, extras={})
    if isinstance(value, Row):
        items = [without_extras(one) for one in value.items]
        is_same = all(one is other for one, other in zip(items, value.items, strict=True))
        return value if is_same else replace(value, items=items)
    return value


def with_others(owners: list[Any]) -> list[Any]:
    """Return owners with all that they may have been taken for in conversions before."""
    doubted = [other for owner in owners for other in owner.others]
    return list({id(owner): owner for owner in (*owners, *doubted)}.values())


def shows_whole(item: Property, version: str) -> bool:
    """Tell whether a version shows a property, and not in a form that leaves something out."""
    face = item.faces.get(version)
    part = item.kind.bend()
    return face is not None and (part is None or part.name == "enum" or not face.bent)
