"""A few random groups of the long run, and the random test's own tests.

`python -m tests.random_groups --help` tells how to run tens of thousands of them.
"""

from __future__ import annotations

import ast
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.random_groups.apiserver import admit
from tests.random_groups.case import describe, run_case, shrink
from tests.random_groups.clients import copied
from tests.random_groups.config import parts
from tests.random_groups.dice import Dice
from tests.random_groups.draw import GroupDrawer
from tests.random_groups.elements import Claim, Element, claims
from tests.random_groups.evolve import without
from tests.random_groups.hooked import HOOKABLE
from tests.random_groups.judge import Court, Judge
from tests.random_groups.lists import Elements
from tests.random_groups.model import (
    ABSENT,
    Face,
    Group,
    Kind,
    Property,
    Type,
    types_below,
)
from tests.random_groups.pairs import pairs
from tests.random_groups.tool import Reported
from tests.random_groups.truth import (
    Node,
    Row,
    Value,
    absorb,
    absorb_node,
    keep_order,
    number,
    show,
)
from tests.random_groups.values import UNSEEN, Wrong, align, doubts, mark_made, plain_in, words
from tests.support.notation import schema_of

HERE = Path(__file__).parent
GROUPS = 24


@pytest.mark.parametrize("part", range(4))
def test_random_groups(part: int) -> None:
    """Nothing is lost silently and nothing is in a wrong place, whatever clients do."""
    for group in range(part, GROUPS, 4):
        outcome = run_case(f"test-{group}")
        assert not outcome.rule, describe(shrink(outcome, 100))


def test_what_is_drawn() -> None:
    """Hooks on chains, stars and links, beside moves; open JSON; lists in maps and in lists."""
    found = Counter[str]()
    for place in range(600):
        group = GroupDrawer(Dice(f"drawn-{place}")).group()
        below = [one for root in group.kinds.values() for one in types_below(root)]
        hooked = [pair for pair in pairs(group) if pair.is_hooked]
        found.update({f"hooked {pair.item.kind.name}" for pair in hooked})
        found[f"{group.edges} of hooks"] += bool(hooked)
        found["link"] += any(pair.is_link for pair in hooked)
        found["completing"] += "Within" in str(parts(group))
        faces = [
            face for type, _, _ in below for one in type.properties for face in one.faces.values()
        ]
        moves = any(face.inside for face in faces)
        found["moves and hooks"] += bool(hooked) and moves
        found["open"] += any(type.free for type, _, _ in below)
        for type, _, _ in below:
            for one in type.properties:
                item = one.kind.item
                found[f"{one.kind.name} of {item.name if item else 'nothing'}"] += 1
    wanted = ["chain of hooks", "star of hooks", "link", "completing", "moves and hooks", "open"]
    wanted += [f"hooked {name}" for name in HOOKABLE]
    wanted += ["list of list", "map of list", "list of map", "map of map"]
    assert [name for name in wanted if not found[name]] == []


def test_the_oracle_shares_nothing_with_the_tool() -> None:
    """One module uses the tool, by the function behind `holdall generate` and the public scheme."""
    found = {}
    for path in HERE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            if any(name.startswith("holdall") for name in names):
                found[path.name] = names
    assert found == {"tool.py": ["holdall_codegen.output.generation"]}


def test_a_case_repeats_itself() -> None:
    """The same seed, and the choices that it took, give the same case."""
    once, again = run_case("repeat"), run_case("repeat")
    assert (once.choices, once.checks, once.trace) == (again.choices, again.checks, again.trace)


SCHEMA = schema_of("""
items:
  - mode: {$: string, $default: rw}
    note: string
    may: {$: string~, $default: x}
    deep: {size: {$: integer, $default: 1}, $default: {}}
open: open
""")


def test_the_server_defaults_and_prunes() -> None:
    """The server of the random test does what Kubernetes documents."""
    given = {
        "kind": "K",
        "items": [{"mode": None, "note": None, "may": None, "other": 1}],
        "open": {"x": {"y": None}},
        "other": 1,
    }
    assert admit(given, SCHEMA) == {
        "kind": "K",
        "items": [{"mode": "rw", "may": None, "deep": {"size": 1}}],
        "open": {"x": {"y": None}},
    }


def elements(text: str) -> list[Element]:
    """Return elements of a text such as `1a 2b`: identity, then what it shows."""
    return [Element(int(word[0]), word[1:]) for word in text.split()]


def shown(found: list[Claim]) -> str:
    """Return claims as text: `!` is for certain, else the owners that are allowed."""
    texts = [",".join(dict.fromkeys(map(str, one.owners()))) for one in found]
    marks = ["!" * one.certain for one in found]
    return " ".join(text + mark or "-" for text, mark in zip(texts, marks, strict=True))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("1a 2b", "2b 3new", "1! -"),
        ("1a 2b 3c", "3c 1a 2b", "2! 0! 1!"),
        ("1a 2a", "1a 2x", "0! 1!"),
        ("1a 2a", "1a 2x 3y", "0,1 1,0 -"),
        ("1a 2b 3c", "1a 2x 3c", "0! 1! 2!"),
        ("1a 2b 3c", "1a 2x 3c 4d", "0! 1! 2! -"),
        ("1a 2b", "1a 2x 3d", "0! 1 -"),
        ("1a 2b", "3x 2b", "0 1!"),
        ("1a", "1a 2a", "0 0"),
        ("1a 2b 3c", "1a 4a 3c", "0 0,1 2!"),
        ("1a 2a 3b", "1a 2a 3x", "0! 1! 2!"),
        ("1a 2a", "2a 1a", "1,0 0,1"),
    ],
)
def test_what_the_oracle_accepts(before: str, after: str, expected: str) -> None:
    """`!` is for certain; else the owners that are allowed, the likeliest first, or none."""
    assert shown(claims(elements(before), elements(after), keyed=False)) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("1a 2b", "2b 1a", "1! 0!"),
        ("1a 2b 3c", "1a 2x 3c", "0! - 2!"),
        ("1a", "1x", "-"),
        ("1a 2a", "1a 2x", "0,1 -"),
    ],
)
def test_what_the_oracle_accepts_in_strict_lists(before: str, after: str, expected: str) -> None:
    """An element that shows something new has nothing from before."""
    assert shown(claims(elements(before), elements(after), keyed=False, strict=True)) == expected


def test_what_a_name_and_undeclared_members_make_uncertain() -> None:
    """The name that one had is another's now; some may have lost their undeclared members."""
    named = [Element(1, "a", guess="id=a"), Element(2, "b", guess="id=b")]
    renamed = [Element(3, "c", guess="id=b"), named[0], Element(2, "d", guess="id=d")]
    assert shown(claims(named, renamed, keyed=False)) == "1 0! 1"
    assert shown(claims(named, renamed[1:], keyed=False)) == "0! 1!"
    pruned = [Element(1, "a"), Element(2, "a+x", declared="a")]
    assert shown(claims(pruned, [Element(1, "a")], keyed=False)) == "0,1"
    keyed = [Element(1, "a", key="k")]
    assert shown(claims(keyed, [Element(1, "a", key="other")], keyed=True)) == "-"


def test_what_the_oracle_knows_of_quantities_and_of_lists_that_are_maps() -> None:
    """Texts that conversions make of numbers; the order of a list of which another one is kept."""
    assert number(Kind("amount", unit="", bent=True), "1024") == 1024
    key = Property(1, Kind("str"), {"v1": Face("key"), "v2": Face("key", folded=True)})
    item = Kind(
        "obj", type=Type([key, Property(2, Kind("str"), {"v1": Face("x"), "v2": Face("x")})])
    )
    table = Kind("table", item=item, bent=True)
    face, keys = Face("t", bent=True), []
    for order in ("ab", "ba"):
        rows = Row(
            [Row([Node(item.type or Type(), {1: one}) for one in two]) for two in ("ac", order)]
        )
        lists = Kind("list", item=table)
        keep_order(lists, rows, "v2", face, crds=True)
        edited = {**show(table, rows.items[0], "v2", face, True), "B": {}}
        found = absorb(table, rows.items[0], edited, "v2", face, True)
        keys.append("".join(one.values[1] for one in found.items))
    assert keys == ["Bac", "acB"]


def test_some_assignment_of_owners_explains_what_is_seen() -> None:
    """What an early element could have lost may be with a later one, so the loss is another's."""
    look = Property(1, Kind("str"), {"v1": Face("look"), "v2": Face("look")})
    hidden = Property(2, Kind("str"), {"v2": Face("hidden")})
    item = Kind("obj", type=Type([look, hidden]))
    kind = Kind("list", item=Kind("list", item=item))

    def row(text: str) -> Row:
        nodes = []
        for shown in text.split():
            values: dict[int, Value] = dict(zip((1, 2), shown.split(":"), strict=False))
            nodes.append(Node(item.type or Type(), values))
        return Row(nodes)

    was = Row([row("x b:B"), row("a:A1 a:A2 c:C")])
    edited, shorter, copy = row("x x"), row("a c"), row("x b")
    edited.id, shorter.id = (one.id for one in was.items)
    found = [
        [{"look": "x"}, {"look": "x"}],
        [{"look": "a", "hidden": "A1"}, {"look": "c", "hidden": "C"}],
        [{"look": "x"}, {"look": "b", "hidden": "B"}],
    ]
    face = Face("list")
    for told in ([Reported("", "v2", "hidden")], []):
        court = Court(crds=True)
        court.hear(told)
        judge = Judge(court, "v1", "v2")
        try:
            judge.elements(kind, Row([edited, shorter, copy]), was, found, face, face, "")
        except Wrong as error:
            assert (error.rule, told) == ("vanished", [])
        else:
            assert told


NAME = Property(1, Kind("str"), {"v1": Face("name"), "v2": Face("name")})
LOOK = Property(2, Kind("str"), {"v1": Face("look"), "v2": Face("look")})
HIDDEN = Property(3, Kind("str"), {"v2": Face("hidden")})
FIRST = Kind("list", item=Kind("obj", type=Type([NAME, LOOK, HIDDEN])), bent=True)
ALL = Face("list")


def lists(text: str) -> Row:
    """Return lists of a text such as `1:a.x:A+r`: identity, what the first has, and the rest."""
    found = Row([])
    for word in text.split():
        id, shown, *hidden = word.partition("+")[0].split(":")
        values = dict(zip((NAME.id, LOOK.id), shown.split("."), strict=False))
        values |= dict.fromkeys([HIDDEN.id] * len(hidden), "".join(hidden))
        rest = [Node(nodes_of(FIRST), {NAME.id: one}) for one in word.split("+")[1:]]
        found.items.append(Row([Node(nodes_of(FIRST), values, id=int(id)), *rest], int(id)))
    return found


def nodes_of(kind: Kind) -> Type:
    """Return the type of the objects in lists."""
    assert kind.item and kind.item.type
    return kind.item.type


@pytest.mark.parametrize(
    ("before", "after", "got", "told", "rule"),
    [
        # The first has the name of another now: what it hides is reported, and the rest stays.
        ("1:a:A+r 2:b:B+s 3:c:C", "1:b 2:b 3:c", "1:b+r 2:b:B+s 3:c:C", "hidden", ""),
        ("1:a:A+r 2:b:B+s 3:c:C", "1:b 2:b 3:c", "1:b+r 2:b:B+s 3:c:C", "", "vanished"),
        ("1:a:A+r 2:b:B+s 3:c:C", "1:b 2:b 3:c", "1:b+t 2:b:B+s 3:c:C", "hidden", "value"),
        ("1:a:A+r 2:b:B+s 3:c:C", "1:b 2:b 3:c", "1:b+s 2:b:B+r 3:c:C", "hidden", "stranger"),
        ("1:a:A+r 2:b:B+s 3:c:C", "1:b 2:b 3:c", "1:b+r 2:b:B+s 3:c", "hidden hidden", "gone"),
        # A list is found again by the name of its first element.
        ("1:a+r 2:b:B+s", "2:a.new", "2:a.new+r", "hidden", ""),
        ("1:a+r 2:b:B+s", "2:a.new", "2:a.new:B+s", "", ""),
        ("1:a+r 2:b:B+s", "2:a.new", "2:a.new+r", "", "vanished"),
        ("1:a+r 2:b:B+s", "2:a.new", "2:a.new+t", "hidden", "gone"),
        # What comes between the list's end and one that has its name takes over its place.
        ("1:a:A 2:b:B", "3:n 2:b.new", "3:n:A 2:b.new:B", "", ""),
        ("1:a:A 2:b:B", "3:n 2:b.new", "3:n:B 2:b.new:A", "", "value"),
        # What is left of both lists may be an edited element; what was only deleted is not.
        ("1:a+r 2:b 3:c+s", "3:c 4:x 5:y", "3:c+s 4:x 5:y", "all", ""),
        ("1:a+r 2:b 3:c+s", "3:c 4:x 5:y", "3:c+s 4:x 5:y", "", "vanished"),
        ("1:a+r 2:b 3:c+s", "3:c 4:x", "3:c+s 4:x", "", ""),
        ("1:a+r 2:b", "2:b", "2:b", "", ""),
    ],
)
def test_what_the_oracle_knows_of_lists_shown_as_their_first_element(
    before: str, after: str, got: str, told: str, rule: str
) -> None:
    kind = Kind("list", item=FIRST)
    shown = show(kind, lists(got), "v2", ALL, True)
    court = Court(crds=True)
    court.hear([Reported("", "v2", name) for name in told.split()])
    owners, one = lists(before), Face("list", bent=True)
    current = absorb(kind, owners, show(kind, lists(after), "v1", one, True), "v1", one, True)
    for item, like in zip(current.items, lists(after).items, strict=True):
        item.id = item.items[0].id = like.id
    try:
        judge = Judge(court, "v1", "v2", names={"all"})
        judge.elements(kind, current, owners, shown, one, ALL, "")
    except Wrong as error:
        assert error.rule == rule
    else:
        assert not rule


def test_a_copy_of_an_element_that_is_gone_has_what_nobody_sees() -> None:
    """Of its list v1 shows the first elements, and v2 nothing: what is behind them is not lost."""
    rows = Kind("list", item=FIRST)
    held = Property(4, rows, {"v1": Face("held", bent=True)})
    item = Kind("obj", type=Type([NAME, held]))
    kind = Kind("list", item=item)
    owner = Node(item.type or Type(), {NAME.id: "a", held.id: lists("1:x+r 2:x")})
    shown = show(kind, Row([owner]), "v1", ALL, True)
    copy = absorb(kind, ABSENT, shown, "v1", ALL, True)
    court = Court(crds=True)
    [made] = (
        Judge(court, "v1", "v2")
        .elements(kind, copy, Row([owner]), [{"name": "a"}], ALL, ALL, "")
        .items
    )
    assert made.doubtful and owner in made.others


def test_a_version_that_shows_no_difference_leaves_an_element_in_doubt() -> None:
    """It was taken for one with a text that is no number, and v2 would show nothing of that."""
    faces = {"v2": Face("size", bent=True), "v3": Face("size")}
    size = Property(5, Kind("amount", unit="m", bent=True), faces)
    item = Kind("obj", type=Type([NAME, size, HIDDEN]))
    kind = Kind("list", item=item)
    own, other = (
        Node(item.type or Type(), {NAME.id: "a"} | more) for more in ({3: "H"}, {5: "soon"})
    )
    own.doubtful, own.others = True, [other]
    court = Court(crds=True)
    [made] = (
        Judge(court, "v1", "v2")
        .elements(kind, Row([copied(own)]), Row([own]), [{"name": "a"}], ALL, ALL, "")
        .items
    )
    assert made.doubtful and made.others == [other]


@pytest.mark.parametrize(
    ("default", "written", "is_right"),
    [("a", {}, True), ("b", {}, False), ("a", {2: None}, True)],
)
def test_what_is_kept_beside_a_list_knows_the_defaults_of_all_versions(
    default: str, written: dict[int, Value], is_right: bool
) -> None:
    """Where one version fills in what another one's client has left out, both say the same."""
    faces = {"v1": Face("look", nullable=True), "v2": Face("look", default=default)}
    look = Property(2, Kind("str"), faces)
    first = Kind("list", item=Kind("obj", type=Type([NAME, look])), bent=True)

    def row(values: dict[int, Value], *rest: str) -> Row:
        nodes = [Node(nodes_of(first), values), *(Node(nodes_of(first), {1: one}) for one in rest)]
        return Row(nodes)

    owners = Row([row({2: "a"}, "r"), row({1: "x"}, "s")])
    court = Court(crds=True)
    court.hear([Reported("", "v2", "all")] * 2)
    shown = {"look": written[2]} if written else {}
    got = [[shown, {"name": "r"}], [{"name": "n"}], [{"name": "m"}]]
    cur = Row([row(written), row({1: "n"}), row({1: "m"})])
    with nullcontext() if is_right else pytest.raises(Wrong):
        judge = Judge(court, "v1", "v2", names={"all"})
        judge.elements(Kind("list", item=first), cur, owners, got, Face("l", bent=True), ALL, "")


@pytest.mark.parametrize("free", [set[str](), {"v1"}])
def test_what_was_only_deleted_from_open_json_is_not_reported(free: set[str]) -> None:
    node = Node(Type([NAME, HIDDEN], free=free), {NAME.id: "a", HIDDEN.id: "H"})
    with nullcontext() if free else pytest.raises(Wrong, match="no report"):
        Judge(Court(crds=True), "v1", "v2").bury_node(node, "")


def test_what_is_in_maps_in_lists_that_may_be_others() -> None:
    node = Node(Type(), {}, {"look": "x"})
    row = Row([{"a": Row(["b", node]), "c": "d"}, {"e": node}])
    assert plain_in(row) == ["b", "d"]
    held = Row([], doubtful=True, others=[row])
    assert set().union(*map(words, doubts(held, "v1", False))) == {'"b"', '"d"', '"x"'}


def test_what_is_in_doubt_keeps_what_nobody_sees() -> None:
    """The rest of a list came back from another one; its first element hides what it hid."""
    rows = Kind("list", item=FIRST.item)
    held = Row([Node(nodes_of(FIRST), {NAME.id: "a", HIDDEN.id: "H"})])
    judge = Judge(Court(crds=True), "v2", "v1")
    found = judge.taken(rows, held, [{"name": "a"}, {"name": "r"}], ALL)
    assert [one.values for one in found.items] == [{1: "a", 3: "H"}, {1: "r"}]


def test_elements_move_up_where_one_is_carried() -> None:
    """What an edit of the schema hides is carried as a whole; all others keep their order."""
    shown = [{"id": "k-1-k", "x": {"o": 1}}, {"id": "k-2-k"}, {"id": "k-3-k", "y": "y-4-y"}, {}]
    assert without({"t": shown}, {"k-1-k"}) == {"t": shown[1:]}
    assert without({"t": shown}, {"k-3-k"}) == {"t": shown}
    assert without(shown, set()) == shown


def test_an_element_that_an_earlier_carrier_brings_back_is_another_one() -> None:
    """A client has deleted the first element; the carrier has the second as the rest as well."""
    cur, made = lists("2:b").items[0], lists("1:a+r").items[0]
    cur.items[0].id = made.items[1].id
    align(made, cur)
    assert [one.id == cur.items[0].id for one in made.items] == [True, False]


def moving() -> tuple[Type, Property, Property]:
    """Return an object with a number as text, which is within another one at v1."""
    holder = Property(1, Kind("obj", type=Type()), {"v1": Face("holder")})
    moved = Property(
        2,
        Kind("amount", unit="m", bent=True),
        {"v1": Face("size", bent=True, inside=1), "v2": Face("size")},
    )
    return Type([holder, moved]), holder, moved


@pytest.mark.parametrize(
    ("got", "told", "is_right"),
    [
        ({"size": "soon"}, False, True),
        ({}, True, True),
        ({}, False, False),
        ({"size": "late"}, True, False),
    ],
)
def test_what_nobody_could_see_stays_or_is_reported(
    got: dict[str, str], told: bool, is_right: bool
) -> None:
    """A client deletes the object that would show a number, if it were one."""
    type, holder, moved = moving()
    was = Node(type, {holder.id: Node(holder.kind.type or Type()), moved.id: "soon"})
    cur = Node(type, {moved.id: "soon"}, id=was.id)
    court = Court(crds=True)
    court.hear([Reported("", "v2", "size")] * told)
    try:
        Judge(court, "v1", "v2").object(cur, was, got, "")
    except Wrong:
        assert not is_right
    else:
        assert is_right


@pytest.mark.parametrize(
    ("got", "told", "is_right"), [("1000m", 1, True), ("1000m", 0, False), ("1", 0, True)]
)
def test_what_was_kept_of_a_value_ends_with_the_object_that_it_moves_into(
    got: str, told: int, is_right: bool
) -> None:
    """The bag of that object has it, so it is gone with the object, and reported."""
    type, holder, moved = moving()
    holder.faces["v2"] = Face("holder")
    moved.faces = {"v1": Face("size", inside=1), "v2": Face("size", bent=True), "v3": Face("size")}
    was = Node(type, {holder.id: Node(holder.kind.type or Type()), moved.id: "1"})
    court = Court(crds=True)
    court.hear([Reported("", "v1", "size")] * told)
    cur = Node(type, {moved.id: "1"}, id=was.id)
    with nullcontext() if is_right else pytest.raises(Wrong):
        Judge(court, "v2", "v3").object(cur, was, {"size": got}, "")


@pytest.mark.parametrize(
    ("values", "hides"), [({2: "90m"}, 0), ({1: {}, 2: "90m"}, 0), ({3: "x"}, 1)]
)
def test_an_object_made_for_a_move_hides_nothing(values: dict[int, Any], hides: bool) -> None:
    """Whether it was there without what moved cannot be seen, and nothing of it can be lost."""
    type, holder, _ = moving()
    type.properties.append(Property(3, Kind("str"), {"v2": Face("hidden")}))
    if holder.id in values:
        values = values | {holder.id: Node(holder.kind.type or Type())}
    kind, owner = Kind("list", item=Kind("obj", type=type)), Node(type, values)
    judge = Judge(Court(crds=True), "v1", "v2")
    items = Elements(judge, kind, [owner], [owner], UNSEEN, ALL, ALL, "")
    assert items.hides(0) == hides


@pytest.mark.parametrize("before", [{2: "90m"}, {}])
def test_an_object_made_for_a_move_may_go(before: dict[int, Value]) -> None:
    """A client deletes what moved into it, and a default puts the empty object back."""
    type, holder, _ = moving()
    holder.faces["v2"] = Face("holder")
    was = Node(type, before)
    cur = Node(type, {holder.id: Node(holder.kind.type or Type())}, id=was.id)
    try:
        Judge(Court(crds=True), "v1", "v2").object(cur, was, {}, "")
    except Wrong as error:
        assert (error.rule, before) == ("value", {})
    else:
        assert before


@pytest.mark.parametrize("before", [{2: "90m"}, {}])
def test_an_object_made_for_a_move_may_go_where_nobody_sees_it(before: dict[int, Value]) -> None:
    """The version between does not have the object, so only the way back shows what was kept."""
    type, holder, _ = moving()
    was = Node(type, before)
    cur = Node(type, {holder.id: Node(holder.kind.type or Type())}, id=was.id)
    between = Judge(Court(crds=True), "v1", "v2").object(cur, was, {}, "")
    back = Judge(Court(crds=True), "v2", "v1")
    assert back.object(between, copied(between), {"holder": {}}, "").values
    try:
        back.object(between, copied(between), {}, "")
    except Wrong as error:
        assert (error.rule, before) == ("gone", {})
    else:
        assert before


@pytest.mark.parametrize("got", [{"holder": {"hidden": "H"}}, {"holder": {"hidden": "other"}}, {}])
def test_an_object_made_for_a_move_has_what_an_earlier_carrier_keeps(got: dict[str, Any]) -> None:
    """A client puts the carriers of a document back in which the object had a hidden member."""
    type, holder, _ = moving()
    hidden = Property(3, Kind("str"), {"v2": Face("hidden")})
    inner = Type([hidden])
    holder.kind, holder.faces["v2"] = Kind("obj", type=inner), Face("holder")
    was = Node(type, {holder.id: Node(inner, {hidden.id: "H"})})
    cur = Node(type, {2: "90m"}, id=was.id)
    is_right = got == {"holder": {"hidden": "H"}}
    with nullcontext() if is_right else pytest.raises(Wrong):
        Judge(Court(crds=True), "v1", "v2").object(cur, was, {"size": "90m", **got}, "")


@pytest.mark.parametrize("is_written", [True, False])
def test_an_empty_object_that_nobody_wrote_is_no_loss(is_written: bool) -> None:
    """A conversion shows it for a text that is no number; another version's client deletes all."""
    type, _, moved = moving()
    before = Node(type, {moved.id: "soon"})
    after = absorb_node(before, {"holder": {}}, "v1", True)
    if not is_written:
        mark_made(after, before)
    with pytest.raises(Wrong, match="holder is gone") if is_written else nullcontext():
        Judge(Court(crds=True), "v2", "v1").bury_node(after, "")


@pytest.mark.parametrize("edges", ["chain", "star"])
def test_an_object_made_on_the_way_may_stay_empty(edges: str) -> None:
    """A version in between has the value in it; where none has, an empty object is a stranger."""
    type, holder, moved = moving()
    holder.faces = {version: Face("holder") for version in ("v1", "v2", "v3")}
    moved.faces = {"v1": Face("size"), "v2": Face("size", inside=holder.id), "v3": Face("size")}
    group = Group(["v1", "v2", "v3"], "v2", True, {"Thing": type}, edges)
    assert group.between("v1", "v3") == ["v2"]
    cur = Node(type, {moved.id: "90m"})
    got = {"holder": {}, "size": "90m"}
    Judge(Court(crds=True), "v1", "v3", ["v2"]).object(cur, cur, got, "")
    with pytest.raises(Wrong, match="expected ABSENT"):
        Judge(Court(crds=True), "v1", "v3").object(cur, cur, got, "")
