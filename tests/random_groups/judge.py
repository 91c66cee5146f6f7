"""Judging a conversion: is everything where it belongs, or was its loss reported?

The judge walks over what the destination shows, beside the truth as the source's client left it and
the truth as it was when the source's version was made (its elements are the owners of what is
hidden). It returns the truth as it stands after the conversion, or raises Wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.random_groups.lists import Elements
from tests.random_groups.model import ABSENT, Face, Json, Kind, Property
from tests.random_groups.tool import Reported
from tests.random_groups.truth import (
    Node,
    Row,
    Value,
    absorb,
    clone,
    holds_moved,
    keep_order,
    members,
    same,
    show,
    show_node,
    unfolded,
    unknown,
)
from tests.random_groups.values import (
    UNSEEN,
    Wrong,
    align,
    alternatives,
    doubts,
    hide_again,
    is_doubtful,
    made_for_moves,
    may_hide,
    short,
    without_made,
    words,
)


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

    def is_owed(self, names: set[str]) -> bool:
        """Tell whether a report told of a property more often than it was lost."""
        return sum(self.told[one] for one in names) > self.lost[min(names)]

    def lose(self, names: set[str], where: str) -> None:
        """Demand that a report told of one more loss of a property."""
        names = names or {""}
        name = min(names)
        self.lost[name] += 1
        if sum(self.told[one] for one in names) < self.lost[name]:
            raise Wrong("vanished", f"{where}: {name} is gone, and no report tells of it")


@dataclass
class Judge:
    """Judges one conversion, from a version to another; others may be passed on the way."""

    court: Court
    source: str
    goal: str
    passed: Sequence[str] = ()
    is_lenient: bool = True  # towards what was put in doubt before
    names: set[str] = field(default_factory=set)  # of the property that is judged

    def object(self, cur: Node, was: Node | None, got: Any, where: str) -> Node:
        """Judge an object; `was` is the owner of its hidden part, `got` what the goal shows."""
        if got is not UNSEEN and not isinstance(got, dict):
            raise Wrong("value", f"{where}: an object is {got!r}")
        crds, type = self.court.crds, cur.type
        given = UNSEEN if got is UNSEEN else members(type, got, self.goal)
        found = Node(type, {}, {}, cur.id)
        found.may_go = cur.may_go and (got is UNSEEN or got == {})
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
                    held = {} if was is None else was.values  # a client may have deleted it
                    held = {**held, **given, **cur.values}
                    is_holder = holds_moved(type, item, held, self.goal)
                    value = self.hidden(item, value, here, is_holder, place, in_doubt)
            else:
                value = cur.values.get(item.id, ABSENT)
                old = ABSENT if was is None else was.values.get(item.id, ABSENT)
                if was is not None and from_.inside and self.is_misfit(item.kind, old, from_):
                    holder = type.by_id(from_.inside).faces[self.source].name
                    before, now = (show_node(one, self.source, crds) for one in (was, cur))
                    if holder in before and holder not in now and not self.keeps(item, old, here):
                        # Nobody saw it, and what it was in is deleted.
                        old = ABSENT
                        self.court.lose(item.names(), place)
                if was is not None and self.ends_with_holder(item, cur, was):
                    old = ABSENT
                    self.court.lose(item.names(), place)
                if (
                    value is ABSENT
                    and isinstance(old, Node)
                    and holds_moved(type, item, cur.values, self.source)
                ):
                    # What moves into it shows an object, and its place tells whose it is.
                    value = Node(old.type, id=old.id)
                if (
                    here == {}
                    and value in (ABSENT, None)
                    and (
                        holds_moved(type, item, given, self.goal)
                        # What a value moved out of stays, empty if need be.
                        or self.holds_moved(item, cur)
                    )
                ):
                    here = value
                elif (
                    (here is ABSENT or to is None)
                    and isinstance(value, Node)
                    and show(item.kind, value, self.source, from_, crds) == {}
                    and (
                        self.holds_moved(item, cur)
                        # A conversion made it, for what a client has deleted since.
                        or (old is ABSENT and was and self.holds_moved(item, was))
                    )
                ):
                    # A client or a default wrote it, but it says no more than what moves.
                    value = ABSENT if to else replace(value, may_go=True)
                outer, self.names = self.names, item.names()
                try:
                    value = self.value(item.kind, value, old, here, from_, to, place)
                finally:
                    self.names = outer
            if value is not ABSENT:
                found.values[item.id] = value
        shown_here = type.shows_unknown(self.source, crds)
        owner = cur if shown_here else was
        found.extras = dict(owner.extras) if owner else {}
        if got is not UNSEEN:
            shown_there = type.shows_unknown(self.goal, crds)
            expected = found.extras if shown_there else {}
            extras = unknown(type, got, self.goal)
            if found.doubtful and not shown_here and not extras:
                found.extras = expected = {}
            self.equal(expected, extras, f"{where} unknown members")
        return found

    def holds_moved(self, holder: Property, node: Node) -> bool:
        """Tell whether something has been moved into a property before the goal."""
        passed = (self.source, *self.passed)
        return any(holds_moved(node.type, holder, node.values, version) for version in passed)

    def ends_with_holder(self, item: Property, cur: Node, was: Node) -> bool:
        """Tell whether what was kept of a value ended with an object that it moves into elsewhere.

        A bag ends with its object, and the report says so.
        """
        holders = {face.inside for face in item.faces.values()} - {0}
        return (
            self.court.is_owed(item.names())
            and not item.faces[self.source].inside
            and any(id in was.values and id not in cur.values for id in holders)
        )

    def keeps(self, item: Property, value: Value, here: Json) -> bool:
        """Tell whether the goal shows a value as it was; where nobody sees it, no report does."""
        if here is UNSEEN:
            return not self.court.is_owed(item.names())
        return same(show(item.kind, value, self.goal, item.faces[self.goal], self.court.crds), here)

    def hidden(
        self, item: Property, value: Value, here: Json, is_holder: bool, place: str, in_doubt: bool
    ) -> Value:
        """Judge what the source hid and the goal shows; return it as it stands now.

        It `is_holder` if there is something that has been moved into it, which it may not show.
        If it was put away in doubt, whatever is in it must have been in it, or may be gone.
        """
        to = item.faces[self.goal]
        if here == {} and value in (ABSENT, None) and is_holder:
            here = value
        expected = show(item.kind, value, self.goal, to, self.court.crds)
        # What a value moved out of stays, empty if need be, in a hidden one as well.
        made = made_for_moves(item, self.goal)
        expected, here = without_made(expected, made), without_made(here, made)
        may_go = is_holder or (isinstance(value, Node) and value.may_go)
        if here is ABSENT and expected == {} and may_go:
            return ABSENT  # a conversion made it, for what a client has deleted since
        is_in_doubt = self.is_lenient and (in_doubt or is_doubtful(value))
        if is_in_doubt and here is ABSENT and expected is not ABSENT:
            if any(self.court.told[name] for name in item.names()):
                return ABSENT
        elif is_in_doubt and self.may_be(value, expected, here):
            return self.taken(item.kind, value, here, to)
        self.equal(expected, here, place)
        return value

    def taken(self, kind: Kind, value: Value, here: Json, to: Face) -> Value:
        """Return something in doubt as the goal shows it, with what the goal hides of it."""
        found = absorb(kind, value, here, self.goal, to, self.court.crds)
        hide_again(found, value, self.goal)
        return found

    def may_be(self, value: Value, expected: Json, here: Json) -> bool:
        """Tell whether what is shown of something in doubt is another one that it may have been."""
        known = words(expected).union(*map(words, doubts(value, self.goal, self.court.crds)))
        return not same(expected, here) and words(here) <= known

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
        keep_order(kind, was, self.source, from_, self.court.crds)
        if (kind.bent and from_.bent) or self.is_misfit(kind, cur, from_):
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
        if self.is_misfit(kind, cur, from_):
            if to is not None:
                expected = show(kind, cur, self.goal, to, self.court.crds)
                is_in_doubt = self.is_lenient and is_doubtful(cur) and got is not UNSEEN
                if is_in_doubt and got is not ABSENT and self.may_be(cur, expected, got):
                    return self.taken(kind, cur, got, to)
                self.equal(expected, got, place)
            return cur
        if self.is_misfit(kind, was, from_):
            was = ABSENT  # nobody has seen it
        if to is None:
            got = UNSEEN
        elif got is not UNSEEN and show(kind, cur, self.goal, to, self.court.crds) is ABSENT:
            self.equal(ABSENT, got, place)
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
        if kind.name == "table" or (kind.name == "list" and not (kind.bent and from_.bent)):
            return self.elements(kind, cur, was, got, from_, to, place)
        if kind.name == "list":
            return self.first(kind, cur, was, got, from_, to, place)
        if got is not UNSEEN:
            assert to is not None
            self.equal(show(kind, cur, self.goal, to, self.court.crds), got, place)
        return cur

    def is_misfit(self, kind: Kind, value: Value, face: Face) -> bool:
        """Tell whether the source shows nothing of a value that is there."""
        shown = show(kind, value, self.source, face, self.court.crds)
        return value is not ABSENT and shown is ABSENT

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
        for one in (was, *alternatives(was), None):
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
            return Row([head, *cur.items[1:]], cur.id, cur.doubtful, cur.others)
        if not isinstance(got, list) or not got:
            raise Wrong("value", f"{place}: a list is {short(got)}")
        assert to is not None
        head = self.value(kind.item, cur.items[0], old, got[0], from_, to, f"{place}/0")
        shown = [show(kind.item, item, self.goal, to, self.court.crds) for item in cur.items[1:]]
        if self.is_lenient and is_doubtful(cur) and self.may_be(cur, shown, got[1:]):
            found = self.taken(kind, cur, got, to)
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
        if kind.name == "table" and got is not UNSEEN and to is not None and to.bent:
            got = self.from_map(kind, cur, got, to, place)
        elif got is not UNSEEN and to is not None and kind.bent and to.bent:
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
        elements = Elements(self, kind, cur.items, owners, got, from_, to, place)
        return Row(elements.judged(), cur.id)

    def from_map(self, kind: Kind, cur: Row, got: Any, to: Face, place: str) -> Any:
        """Return the elements that the goal shows as a map, of each what is seen of it."""
        assert kind.item and kind.item.type
        shown = show(kind, cur, self.goal, to, self.court.crds)
        if not isinstance(got, dict):
            self.equal(shown, got, place)
        self.equal(sorted(shown), sorted(got), f"{place} keys")
        type = kind.item.type
        keys = [one.values[type.properties[0].id] for one in cur.items]
        return [unfolded(type, key, got[key], self.goal) if key in got else UNSEEN for key in keys]

    def bury(self, kind: Kind, value: Value, face: Face, place: str) -> None:
        """Demand reports of what was hidden in something that the client has removed."""
        if isinstance(value, Node):
            if not (kind.bent and face.bent):
                self.bury_node(value, place)
        elif isinstance(value, Row) and kind.name == "table":
            assert kind.item
            if not self.is_misfit(kind, value, face):
                for item in value.items:
                    self.bury(kind.item, item, face, place)
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
            value = node.values.get(item.id, ABSENT)
            if value is ABSENT or node.doubtful or (isinstance(value, Node) and value.may_go):
                continue
            face = item.faces.get(self.source)
            if face is None and node.type.is_single(self.source):
                continue  # the rest of an element of which a map shows one value
            if face is None and self.source in node.type.free:
                continue  # kept beside the whole of open JSON, where deleting is not reported
            if face is None:
                self.court.lose(item.names(), place)
            else:
                self.bury(item.kind, value, face, place)
