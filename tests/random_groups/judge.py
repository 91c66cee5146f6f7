"""Judging a conversion: is everything where it belongs, or was its loss reported?

The judge walks over what the destination shows, beside the truth as the source's client left it and
the truth as it was when the source's version was made (its elements are the owners of what is
hidden). It returns the truth as it stands after the conversion, or raises Wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from tests.random_groups.draw import GUESSABLE, key_of
from tests.random_groups.elements import Element, claims
from tests.random_groups.model import ABSENT, Face, Json, Kind, Property, Type
from tests.random_groups.tool import Reported
from tests.random_groups.truth import (
    Node,
    Row,
    Value,
    absorb,
    clone,
    fingerprint,
    holds_moved,
    members,
    same,
    show,
    show_node,
    text,
    unknown,
)

Found = tuple[Value, int | None]
Ways = list[tuple[int | None, Value]]
UNSEEN: Any = type("Unseen", (), {"__repr__": lambda self: "UNSEEN"})()


class Wrong(Exception):
    """Something is not where it belongs; `rule` is the short name of what was broken."""

    def __init__(self, rule: str, text: str) -> None:
        super().__init__(f"{rule}: {text}")
        self.rule = rule


@dataclass
class Court:
    """What holds for a whole sequence: what was reported, and what was lost so far."""

    crds: bool
    told: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    checks: int = 0

    def hear(self, report: list[Reported]) -> None:
        """Take note of a report."""
        self.told.update(item.key for item in report)

    def lose(self, names: set[str], where: str) -> None:
        """Demand that a report told of one more loss of a property."""
        names = names or {""}
        name = min(names)
        self.lost[name] += 1
        if sum(self.told[one] for one in names) < self.lost[name]:
            raise Wrong("vanished", f"{where}: {name} is gone, and no report tells of it")


@dataclass
class Judge:
    """Judges one conversion, from a version to another."""

    court: Court
    source: str
    goal: str
    is_lenient: bool = True  # towards what was put in doubt before

    def object(self, cur: Node, was: Node | None, got: Any, where: str) -> Node:
        """Judge an object; `was` is the owner of its hidden part, `got` what the goal shows."""
        if got is not UNSEEN and not isinstance(got, dict):
            raise Wrong("value", f"{where}: an object is {got!r}")
        crds, type = self.court.crds, cur.type
        given = UNSEEN if got is UNSEEN else members(type, got, self.goal)
        found = Node(type, {}, {}, cur.id)
        if was is not None:
            found.doubtful, found.others = was.doubtful, was.others
        for item in type.properties:
            from_, to = item.faces.get(self.source), item.faces.get(self.goal)
            here = UNSEEN if given is UNSEEN or to is None else given.get(item.id, ABSENT)
            name = item.faces[self.goal].name if to else min(item.names())
            place = f"{where}/{name}"
            if from_ is None:
                value = ABSENT if was is None else was.values.get(item.id, ABSENT)
                if here is not UNSEEN:
                    in_doubt = was is not None and was.doubtful
                    value = self.hidden(type, item, value, here, given, place, in_doubt)
            else:
                value = cur.values.get(item.id, ABSENT)
                old = ABSENT if was is None else was.values.get(item.id, ABSENT)
                if (
                    here == {}
                    and value in (ABSENT, None)
                    and holds_moved(type, item, given, self.goal)
                ):
                    here = value
                value = self.value(item.kind, value, old, here, from_, to, place)
            if value is not ABSENT:
                found.values[item.id] = value
        shown_here = not crds or self.source in type.keeping
        owner = cur if shown_here else was
        found.extras = dict(owner.extras) if owner else {}
        if got is not UNSEEN:
            shown_there = not crds or self.goal in type.keeping
            expected = found.extras if shown_there else {}
            extras = unknown(type, got, self.goal)
            if found.doubtful and not shown_here and not extras:
                found.extras = expected = {}
            self.equal(expected, extras, f"{where} unknown members")
        return found

    def hidden(
        self,
        type: Type,
        item: Property,
        value: Value,
        here: Json,
        given: dict[int, Json],
        place: str,
        in_doubt: bool,
    ) -> Value:
        """Judge what the source hid and the goal shows; return it as it stands now.

        If it was put away in doubt, whatever is in it must have been in it, or may be gone.
        """
        to = item.faces[self.goal]
        if here == {} and value in (ABSENT, None) and holds_moved(type, item, given, self.goal):
            here = value
        expected = show(item.kind, value, self.goal, to, self.court.crds)
        if self.is_lenient and (in_doubt or is_doubtful(value)) and not same(expected, here):
            known = words(expected).union(*map(words, doubts(value, self.goal, self.court.crds)))
            if here is ABSENT and any(self.court.told[name] for name in item.names()):
                return ABSENT
            if here is not ABSENT and words(here) <= known:
                return absorb(item.kind, value, here, self.goal, to, self.court.crds)
        self.equal(expected, here, place)
        return value

    def equal(self, expected: Json, got: Json, place: str) -> None:
        """Demand that a value is exactly as expected."""
        self.court.checks += 1
        if got is not UNSEEN and not same(expected, got):
            rule = "gone" if got is ABSENT else "stranger" if expected is ABSENT else "value"
            raise Wrong(rule, f"{place}: expected {short(expected)}, found {short(got)}")

    def value(
        self, kind: Kind, cur: Value, was: Value, got: Any, from_: Face, to: Face | None, place: str
    ) -> Value:
        """Judge a value that the source showed; return it as it stands now."""
        if kind.bent and from_.bent:
            # Whoever reads the document knows what it shows, and what its owner hid.
            shown = show(kind, cur, self.source, from_, self.court.crds)
            made = absorb(kind, was, shown, self.source, from_, self.court.crds)
            made = clone(made) if made is was else made
            align(made, cur)
            cur = made
        if cur is ABSENT or cur is None:
            self.equal(cur, got, place)
            self.bury(kind, was, from_, place)
            return cur
        if to is None:
            got = UNSEEN
        if kind.name == "obj" and not (kind.bent and from_.bent):
            assert isinstance(cur, Node)
            got = self.as_object(kind, cur, got, to, place)
            return self.known(cur, was if isinstance(was, Node) else None, got, place)
        if kind.name == "map":
            assert kind.item
            held = was if isinstance(was, dict) else {}
            if got is not UNSEEN:
                self.equal(
                    sorted(cur), sorted(got) if isinstance(got, dict) else got, f"{place} keys"
                )
            found = {}
            for key, item in cur.items():
                one = UNSEEN if got is UNSEEN else got[key]
                old = held.get(key, ABSENT)
                found[key] = self.value(kind.item, item, old, one, from_, to, f"{place}/{key}")
            for key, item in held.items():
                if key not in cur:
                    self.bury(kind.item, item, from_, f"{place}/{key}")
            return found
        if kind.name == "list" and not (kind.bent and from_.bent):
            return self.elements(kind, cur, was, got, from_, to, place)
        if kind.name == "list":
            return self.first(kind, cur, was, got, from_, to, place)
        if got is not UNSEEN:
            assert to is not None
            self.equal(show(kind, cur, self.goal, to, self.court.crds), got, place)
        return cur

    def as_object(self, kind: Kind, cur: Node, got: Any, to: Face | None, place: str) -> Any:
        """Judge an object that the goal shows as a string, of which nothing else is seen."""
        if got is UNSEEN or to is None or not (kind.bent and to.bent):
            return got
        self.equal(show(kind, cur, self.goal, to, self.court.crds), got, place)
        return UNSEEN

    def known(self, cur: Node, was: Node | None, got: Any, place: str) -> Node:
        """Judge an object whose place tells which one it is; it may be in doubt from before."""
        if was is None or (was.id == cur.id and not was.doubtful):
            return self.object(cur, was, got, place)
        first: Wrong | None = None
        for one in (was, *was.others, None):
            lost = Counter(self.court.lost)
            try:
                found = self.object(cur, one, got, place)
                if one is None:
                    self.bury_node(was, place)
                return found
            except Wrong as error:
                self.court.lost = lost
                if first is None or error.rule == "vanished":
                    first = error
        assert first is not None
        raise first

    def first(
        self, kind: Kind, cur: Row, was: Value, got: Any, from_: Face, to: Face | None, place: str
    ) -> Row:
        """Judge a list of which the source shows the first element."""
        assert kind.item
        if not cur.items:
            self.equal(ABSENT if to is None or to.bent else [], got, place)
            return cur
        old = was.items[0] if isinstance(was, Row) and was.items else ABSENT
        if (to is not None and to.bent) or got is UNSEEN:
            head = self.value(kind.item, cur.items[0], old, got, from_, to, place)
            return Row([head, *cur.items[1:]], cur.id)
        if not isinstance(got, list) or not got:
            raise Wrong("value", f"{place}: a list is {short(got)}")
        assert to is not None
        head = self.value(kind.item, cur.items[0], old, got[0], from_, to, f"{place}/0")
        shown = [show(kind.item, item, self.goal, to, self.court.crds) for item in cur.items[1:]]
        if self.is_lenient and is_doubtful(cur) and words(got[1:]) <= words(shown):
            found = absorb(kind, cur, got, self.goal, to, self.court.crds)
            assert isinstance(found, Row)
            return found
        self.equal(shown, got[1:], f"{place} after the first")
        return Row([head, *cur.items[1:]], cur.id)

    def elements(
        self, kind: Kind, cur: Row, was: Value, got: Any, from_: Face, to: Face | None, place: str
    ) -> Row:
        """Judge a list whose elements the source shows."""
        inner = kind.item
        assert inner
        if got is not UNSEEN and to is not None and kind.bent and to.bent:
            got = (
                [got, *[UNSEEN] * (len(cur.items) - 1)]
                if cur.items
                else ([] if got is ABSENT else got)
            )
        if got is not UNSEEN and (not isinstance(got, list) or len(got) != len(cur.items)):
            raise Wrong("value", f"{place}: {len(cur.items)} elements are {short(got)}")
        if not may_hide(inner):
            for number, item in enumerate(cur.items):
                if got is not UNSEEN and got[number] is not UNSEEN:
                    assert to is not None
                    shown = show(inner, item, self.goal, to, self.court.crds)
                    self.equal(shown, got[number], f"{place}/{number}")
            return cur
        owners = was.items if isinstance(was, Row) else []
        before = [self.element(kind, item, from_, number) for number, item in enumerate(owners)]
        after = [
            self.element(kind, item, from_, -1 - number) for number, item in enumerate(cur.items)
        ]
        by_value = inner.bend() is not None and from_.bent
        all_claims = claims(before, after, keyed=bool(from_.keys), by_value=by_value)
        used: set[int] = set()
        certain = {claim.own for claim in all_claims if claim.certain}
        found = []
        for number, (item, claim) in enumerate(zip(cur.items, all_claims, strict=True)):
            one = UNSEEN if got is UNSEEN else got[number]
            spot = f"{place}/{number}"
            ways: Ways = []
            for place_before in claim.owners():
                if place_before not in used and (claim.certain or place_before not in certain):
                    was_there = owners[place_before]
                    ways.append((place_before, was_there))
                    ways += [(place_before, one) for one in getattr(was_there, "others", [])]
            if not claim.certain or any(is_doubtful(one) for _, one in ways):
                # Of what is not seen, the likeliest is that a new element has nothing hidden.
                ways.insert(0 if one is UNSEEN and claim.own is None else len(ways), (None, ABSENT))
            value, owner = self.one_of_all(inner, item, ways, one, from_, to, spot, by_value)
            if owner is not None:
                used.add(owner)
            if not claim.certain and claim.owners():
                self.put_in_doubt(value, [owners[at] for at in claim.owners()], one)
            found.append(value)
        for number, item in enumerate(owners):
            if number in used or any(
                number in claim.owners() and (got is UNSEEN or got[at] is UNSEEN)
                for at, claim in enumerate(all_claims)
            ):
                continue
            shows = before[number].shows
            left = sum(one.shows == shows for one in after)
            if left >= sum(one.shows == shows for one in before) and self.hides(inner, item, from_):
                raise Wrong("lost", f"{place}/{number} as it was: who has it now can be told")
            if not by_value:
                self.bury(inner, item, from_, f"{place}/{number} as it was")
        return Row(found, cur.id)

    def one_of_all(self, kind: Kind, cur: Value, ways: Ways, *rest: Any) -> Found:
        """Judge an element by each owner that it may have: exactly, then with what is in doubt."""
        was_lenient = self.is_lenient
        try:
            self.is_lenient = False
            return self.one_of(kind, cur, ways, *rest)
        except Wrong:
            if not was_lenient:
                raise
            self.is_lenient = True
            return self.one_of(kind, cur, ways, *rest)
        finally:
            self.is_lenient = was_lenient

    def one_of(
        self,
        kind: Kind,
        cur: Value,
        ways: Ways,
        got: Any,
        from_: Face,
        to: Face | None,
        place: str,
        by_value: bool,
    ) -> Found:
        """Judge an element by each owner that it may have, the likeliest first."""
        first: Wrong | None = None
        crds = self.court.crds
        for owner, was in ways:
            lost = Counter(self.court.lost)
            item = cur
            shown = show(kind, cur, self.source, from_, crds)
            if by_value or getattr(was, "id", -1) != getattr(cur, "id", -1):
                # What the source does not show is the owner's, or there is none.
                item = absorb(kind, was, shown, self.source, from_, self.court.crds)
                if item is was:
                    item = clone(was)
                align(item, cur)
            try:
                if isinstance(was, Node) and not by_value:
                    seen = self.as_object(kind, item, got, to, place)
                    made: Value = self.object(item, was, seen, place)
                else:
                    made = self.value(kind, item, was, got, from_, to, place)
                fresh = absorb(kind, ABSENT, shown, self.source, from_, crds)
                is_own = getattr(was, "id", -1) == getattr(cur, "id", -1)
                if not is_own and content(made) == content(fresh):
                    owner = None  # nothing but what is shown, so nothing was taken from anybody
                    self.court.lost = lost
                return made, owner
            except Wrong as error:
                self.court.lost = lost
                if first is None or error.rule == "vanished":
                    first = error
        if first is None:
            raise Wrong("value", f"{place}: nothing fits {short(got)}")
        raise first

    def put_in_doubt(self, value: Value, owners: list[Value], got: Any) -> None:
        """Mark the objects in an element whose hidden part may be another's and was not seen."""
        others = [node for owner in owners for node in nodes_in(owner)]
        if isinstance(value, Row) and got is UNSEEN:
            value.doubtful = True
        for node in nodes_in(value):
            if got is UNSEEN or self.leaves_unseen(node.type):
                node.doubtful, node.others = True, others

    def leaves_unseen(self, type: Type) -> bool:
        """Tell whether an object may have a part that neither version shows."""
        return bool(type.keeping) or any(
            not {self.source, self.goal} & set(item.faces)
            or any(self.leaves_unseen(inner) for inner in types_of(item.kind))
            for item in type.properties
        )

    def hides(self, kind: Kind, value: Value, face: Face) -> bool:
        """Tell whether the source hides something of a value."""
        shown = show(kind, value, self.source, face, self.court.crds)
        bare = absorb(kind, ABSENT, shown, self.source, face, self.court.crds)
        return content(bare) != content(value) and not is_doubtful(value)

    def element(self, kind: Kind, item: Value, face: Face, otherwise: int) -> Element:
        """Return what is known of an element at the source's version."""
        inner = kind.item
        assert inner
        crds = self.court.crds
        shown = show(inner, item, self.source, face, crds)
        guess = None
        if inner.name == "obj" and isinstance(shown, dict):
            names = [key for key in GUESSABLE if isinstance(shown.get(key), str | int)]
            guess = f"{names[0]}={shown[names[0]]}" if names else None
        declared = ""
        if isinstance(item, Node) and item.extras:
            plain = replace(item, extras={})
            declared = fingerprint(inner, plain, self.source, face, crds)
        return Element(
            item.id if isinstance(item, Node | Row) else otherwise,
            fingerprint(inner, item, self.source, face, crds),
            key_of(kind, item, self.source, face, crds) if face.keys else None,
            guess,
            declared,
        )

    def bury(self, kind: Kind, value: Value, face: Face, place: str) -> None:
        """Demand reports of what was hidden in something that the client has removed."""
        if isinstance(value, Node):
            if not (kind.bent and face.bent):
                self.bury_node(value, place)
        elif isinstance(value, Row):
            assert kind.item
            for item in value.items[:1] if kind.bent and face.bent else value.items:
                self.bury(kind.item, item, face, place)
        elif isinstance(value, dict) and kind.name == "map":
            assert kind.item
            for item in value.values():
                self.bury(kind.item, item, face, place)

    def bury_node(self, node: Node, place: str) -> None:
        for item in node.type.properties:
            if item.id not in node.values or node.doubtful:
                continue
            face = item.faces.get(self.source)
            if face is None:
                self.court.lose(item.names(), place)
            else:
                self.bury(item.kind, node.values[item.id], face, place)


def content(value: Value) -> Any:
    """Return all that there is to a value, without identities."""
    if isinstance(value, Node):
        return {id: content(item) for id, item in value.values.items()}, text(value.extras)
    if isinstance(value, Row):
        return [content(item) for item in value.items]
    if isinstance(value, dict):
        return {key: content(item) for key, item in value.items()}
    return value if value is ABSENT else text(value)


def is_doubtful(value: Value) -> bool:
    """Tell whether some object in a value is not known for certain."""
    if isinstance(value, Node):
        return value.doubtful or any(map(is_doubtful, value.values.values()))
    if isinstance(value, Row):
        return value.doubtful or any(map(is_doubtful, value.items))
    return isinstance(value, dict) and any(map(is_doubtful, value.values()))


def nodes_in(value: Value) -> list[Node]:
    """Return an object, or the objects in a list or map."""
    if isinstance(value, Node):
        return [value]
    items = value.items if isinstance(value, Row) else ()
    items = tuple(value.values()) if isinstance(value, dict) else items
    return [node for item in items for node in nodes_in(item)]


def types_of(kind: Kind) -> list[Type]:
    """Return the type of the objects that a value holds, if it holds any."""
    return [kind.type] if kind.type else types_of(kind.item) if kind.item else []


def doubts(value: Value, version: str, crds: bool) -> list[Json]:
    """Return what those show that doubtful objects in a value may have been taken for."""
    found: list[Json] = []
    if isinstance(value, Node):
        found += [show_node(one, version, crds) for one in value.others]
        for item in value.values.values():
            found += doubts(item, version, crds)
    elif isinstance(value, Row | dict):
        for item in value.items if isinstance(value, Row) else value.values():
            found += doubts(item, version, crds)
    return found


def words(value: Json) -> set[str]:
    """Return all scalars in a value."""
    if isinstance(value, dict | list):
        items = value.values() if isinstance(value, dict) else value
        return set().union(*map(words, items)) if items else set()
    return set() if value is ABSENT else {text(value)}


def may_hide(kind: Kind) -> bool:
    """Tell whether a value may have a part that some version hides."""
    return kind.name in ("obj",) or kind.bent or (kind.item is not None and may_hide(kind.item))


def align(made: Value, like: Value) -> None:
    """Give a value that was made anew the identities of the one that it was made from."""
    if isinstance(made, Node) and isinstance(like, Node):
        made.id = like.id
        for id, item in made.values.items():
            align(item, like.values.get(id, ABSENT))
    elif isinstance(made, Row) and isinstance(like, Row):
        made.id = like.id
        for one, other in zip(made.items, like.items, strict=False):
            align(one, other)
    elif isinstance(made, dict) and isinstance(like, dict):
        for key, item in made.items():
            align(item, like.get(key, ABSENT))


def short(value: Json) -> str:
    """Return a value as text for a message."""
    shown = value if value is ABSENT or value is UNSEEN else json.dumps(value, ensure_ascii=False)
    return str(shown)[:300]
