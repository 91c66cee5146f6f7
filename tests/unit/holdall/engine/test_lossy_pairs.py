"""Pairs that may lose something, and skip links: residue, agreement, merge, misfits.

The cases are the rows of the property-conversion table, by number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from holdall.engine.computed import computed, constant, scalar
from holdall.engine.conversions import (
    Conversion,
    chain,
    each,
    flipped,
    kinds,
    opened,
    renamed_values,
    same,
    values,
    wrap,
)
from holdall.engine.hops import ABSENT, Hop
from holdall.engine.keyed import keyed
from holdall.engine.lossy_pairs import Link, Linked, Pair
from holdall.engine.misfit import MISFIT
from holdall.engine.object_values import reference
from holdall.engine.zero_values import hides_zero
from holdall.errors import BagError, MisfitError
from holdall.objects.bag import PropertyBag, WaitingBag
from holdall.objects.bag_forms import PLAIN, EachForm, ObjectForm
from holdall.objects.codec import WrongKind
from holdall.text.json import copy
from holdall.text.json import same as same_json
from holdall.types import JsonValue
from tests.support.tables import named
from tests.unit.twins import edge, open_bag, twin

Reference = twin("v2", "Reference", {"id": str, "name": str})
Older = twin("v1", "Older", {"a": Any})
Newer = twin("v2", "Newer", {"b": Any})

WIDEN = kinds(("integer",), ("number",))
INT_OR_STRING = kinds(("integer", "string"), ("string",))
SKU = renamed_values({"Basic": "Base", "Paid": "Standard"})
MERGED = renamed_values({"x": "z", "y": "z"})
WRAP = wrap(same())
ID = reference(Reference, "id")
KEYED = keyed(Reference, "id", same(), "name")
OPENED = opened(ObjectForm(Reference))
OPEN_LIST, OPEN_MAP = opened(EachForm(PLAIN, list)), opened(EachForm(PLAIN, dict))
OPEN_LISTS = opened(EachForm(EachForm(PLAIN, list), list))


def cross(
    conversion: Conversion, value: Any, bag: Any = None, *, to: bool = True, strict: bool = False
) -> tuple[JsonValue, JsonValue]:
    """Send the JSON of one property over the edge; return that of the other side, and the bag."""
    edge_to, _ = edge(Older, Newer, renamed={"a": "b"})
    pair = Pair(edge_to, "a", "b", conversion, misfit_is_error=strict)
    here, there = (conversion.older, conversion.newer)[:: 1 if to else -1]
    source, name = (Older(), "a") if to else (Newer(), "b")
    if value is None:
        source.extra_[name] = None
    if value is not None and value is not ABSENT:
        source.members_[name] = here.read(copy(value))
    opened_bag = open_bag(source, Newer() if to else Older(), bag)
    (pair.to if to else pair.back)(opened_bag)
    result = opened_bag.new.get("b" if to else "a")
    return None if result is None else there.write(result), {**opened_bag}


def kept(value: Any, *, origin: str) -> Any:
    return {origin: {"a" if origin == "v1" else "b": value}}


@pytest.mark.parametrize(
    ("conversion", "older", "newer"),
    [
        pytest.param(WIDEN, 2, 2, id="2 widening keeps the text"),
        pytest.param(WIDEN, 2**70, 2**70, id="2 beyond doubles"),
        pytest.param(flipped(WIDEN), 2, 2, id="3 integers narrow as they are"),
        pytest.param(SKU, "Basic", "Base", id="5 renamed"),
        pytest.param(SKU, "Other", "Other", id="5 unlisted"),
        pytest.param(SKU, "basic", "basic", id="5 letter case"),
        pytest.param(INT_OR_STRING, "80", "80", id="14 no parsing"),
        pytest.param(WRAP, "x", ["x"], id="16 wrapped"),
        pytest.param(WRAP, "", [""], id="16 empty string"),
        pytest.param(WRAP, False, [False], id="16 false"),
        pytest.param(ID, "x", {"id": "x"}, id="18 reference"),
        pytest.param(ID, "", {"id": ""}, id="18 empty string"),
        pytest.param(OPENED, {"id": "x", "more": [1]}, {"id": "x", "more": [1]}, id="13 extras"),
        pytest.param(each(SKU), ["Basic", None, "?"], ["Base", None, "?"], id="7 nulls stay"),
        pytest.param(each(SKU), [], [], id="7 empty list"),
        pytest.param(values(SKU), {"b": "Paid", "a": None}, {"b": "Standard", "a": None}, id="8"),
        pytest.param(values(SKU), {}, {}, id="8 empty map"),
        pytest.param(wrap(ID), "x", [{"id": "x"}], id="16 with 18"),
        pytest.param(chain(SKU, WRAP), "Paid", ["Standard"], id="5 with 16"),
    ],
)
def test_what_nothing_is_lost_of(conversion: Conversion, older: Any, newer: Any) -> None:
    """Such a value comes back by itself: no bag either way."""
    for one, other, to in ((older, newer, True), (newer, older, False)):
        found, bag = cross(conversion, one, to=to)
        assert same_json(found, other)
        assert bag == {}


@pytest.mark.parametrize(
    ("conversion", "newer", "older"),
    [
        pytest.param(WIDEN, 2.0, 2, id="3 integral numbers"),
        pytest.param(WIDEN, -0.0, 0, id="3 minus zero"),
        pytest.param(WIDEN, 1.5, None, id="3 misfit"),
        pytest.param(flipped(MERGED), "y", "z", id="5 not one-to-one"),
        pytest.param(SKU, "Basic", "Basic", id="5 an old name on the newer side"),
        pytest.param(flipped(INT_OR_STRING), 80, None, id="14 misfit"),
        pytest.param(flipped(INT_OR_STRING), True, None, id="14 true is not 1"),
        pytest.param(WRAP, ["x", "y"], "x", id="17 tail"),
        pytest.param(WRAP, [], None, id="17 empty"),
        pytest.param(WRAP, [None, "x"], None, id="17 null first"),
        pytest.param(ID, {"id": "x", "name": "n"}, "x", id="19 more members"),
        pytest.param(ID, {"id": "x", "extra": 1}, "x", id="19 extras"),
        pytest.param(ID, {"id": None}, None, id="19 null member"),
        pytest.param(ID, {}, None, id="19 no member"),
        pytest.param(ID, {"id": "x", "$propertyBag": {"v3": {"q": 1}}}, "x", id="19 bag"),
        pytest.param(
            OPENED,
            {"id": "x", "$propertyBag": {"v3": {"q": 1}}},
            {"id": "x"},
            id="12 opaque without bags",
        ),
        pytest.param(flipped(OPENED), "text", None, id="13 does not decode"),
        pytest.param(each(WIDEN), [1, 2.5], None, id="7 one misfit is one of the list"),
        pytest.param(values(WIDEN), {"a": 1.0, "b": None}, {"a": 1, "b": None}, id="8"),
    ],
)
def test_residue(conversion: Conversion, newer: Any, older: Any) -> None:
    """What would not come back is kept, unedited comes back exactly, and leaves nothing."""
    found, bag = cross(conversion, newer, to=False)
    assert same_json(found, older)
    assert bag == kept(newer, origin="v2")
    again, rest = cross(conversion, ABSENT if older is None else older, bag)
    assert same_json(again, newer)
    assert rest == {}


@pytest.mark.parametrize("conversion", [WIDEN, SKU, WRAP, ID, OPENED, each(SKU)])
@pytest.mark.parametrize("to", [True, False])
def test_absent_and_null_pass(conversion: Conversion, to: bool) -> None:
    """Neither is converted, and both supersede a kept value."""
    earlier = kept(None, origin="v2" if to else "v1")
    for state in (ABSENT, None):
        assert cross(conversion, state, to=to) == (None, {})
        assert cross(conversion, state, earlier, to=to) == (None, {})


@pytest.mark.parametrize(
    ("conversion", "stale", "edited", "expected"),
    [
        pytest.param(WRAP, ["x", "y"], "new", ["new", "y"], id="17 the tail survives an edit"),
        pytest.param(WRAP, [None, "y"], "new", ["new", "y"], id="17 also after a null"),
        pytest.param(ID, {"id": "x", "name": "n"}, "new", {"id": "new"}, id="19 no merge"),
        pytest.param(WIDEN, 2.0, 3, 3, id="3"),
        pytest.param(flipped(MERGED), "y", "other", "other", id="5"),
        pytest.param(
            each(ID),
            [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}],
            ["a", "new"],
            [{"id": "a", "name": "A"}, {"id": "new"}],
            id="7 elements that agree are used",
        ),
    ],
)
def test_an_edit_wins(conversion: Conversion, stale: Any, edited: Any, expected: Any) -> None:
    """A residue that disagrees is merged where the table says how, else dropped."""
    found, rest = cross(conversion, edited, kept(stale, origin="v2"))
    assert found == expected
    assert rest == {}


_WRAPS = each(WRAP)
_MERGED = {
    "each wrap": _WRAPS,
    "values wrap": values(WRAP),
    "each values each wrap": each(values(_WRAPS)),
    "wrap each wrap": wrap(_WRAPS),
    "of one": flipped(wrap(each(flipped(ID)))),
}


@pytest.mark.parametrize(
    ("conversion", "stale", "edited", "expected"),
    named("""
in a list: [each wrap, [[a, 1], [b, 2]], [a, x], [[a, 1], [x, 2]]]
in a map: [values wrap, {k: [a, 1], l: [b]}, {k: x, m: b}, {k: [x, 1], m: [b]}]
at any depth: [each values each wrap, [{k: [[a, 1], [b, 2]]}], [{k: [x, b], l: [a]}],
  [{k: [[x, 1], [b, 2]], l: [[a]]}]]
in the first element: [wrap each wrap, [[[a, 1], [b, 2]], [[c]]], [x, b],
  [[[x, 1], [b, 2]], [[c]]]]
of a single value: [of one, [{id: a, name: 1}, {id: b, name: 2}], [[x, b]],
  [{id: x}, {id: b, name: 2}]]
all edited or replaced: [each wrap, [[a, 1], [b, 2]], [x, y], [[x], [y]]]
edited and appended: [each wrap, [[a, 1], [b, 2]], [x, b, c], [[x, 1], [b, 2], [c]]]
deleted and appended: [each wrap, [[a, 1], [b, 2]], [b, new], [[b, 2], [new]]]
which one was edited is not known: [each wrap, [[a, 1], [b, 2], [c, 3]], [x, c, new],
  [[x], [c, 3], [new]]]
a neighbour was moved: [each wrap, [[a, 1], [b, 2], [c, 3]], [b, x, c], [[b, 2], [x], [c, 3]]]
where one was that was moved away: [each wrap, [[a, 1], [b, 2], [c, 3]], [b, a, x, c],
  [[b, 2], [a, 1], [x], [c, 3]]]
moved and inserted: [each wrap, [[a, 1], [b, 2]], [b, x, a], [[b, 2], [x], [a, 1]]]
one of two equal ones was edited: [each wrap, [[a, 1], [a, 2], [b, 3]], [a, x, b],
  [[a, 1], [x, 2], [b, 3]]]
beside a null: [each wrap, [[a, 1], null, [b, 2]], [x, null, b], [[x, 1], null, [b, 2]]]
to null: [each wrap, [[a, 1], [b, 2]], [null, b], [null, [b, 2]]]
"""),
)
def test_an_edited_element_is_merged_with_what_it_was(
    conversion: str, stale: Any, edited: Any, expected: Any
) -> None:
    """Inside of containers as outside of them, where it is known which one it was."""
    found, rest = cross(_MERGED[conversion], edited, kept(stale, origin="v2"))
    assert found == expected
    assert rest == {}


@pytest.mark.parametrize(
    ("conversion", "stale", "edited"),
    [
        pytest.param(hides_zero(WRAP, "both"), ["b", ""], "", id="a zero value before a tail"),
        pytest.param(hides_zero(KEYED, "older"), [{"id": "a"}], {}, id="an object without a value"),
    ],
)
def test_what_was_merged_is_kept_alike_by_every_later_conversion(
    conversion: Conversion, stale: Any, edited: Any
) -> None:
    """The second conversion in a direction gives the bytes that the first one gave."""
    first, bag = cross(conversion, edited, kept(stale, origin="v2"))
    back, bag_back = cross(conversion, first, bag, to=False)
    assert (back, cross(conversion, back, bag_back)) == (edited, (first, bag))


def test_elements_are_found_again_in_linear_time() -> None:
    """Ten thousand equal elements, all but one as they were."""
    count = 10_000
    stale = [["a", number] for number in range(count)]
    found, _ = cross(each(WRAP), ["x", *["a"] * (count - 1)], kept(stale, origin="v2"))
    assert found == [["x", 0], *stale[1:]]


def test_a_deleted_value_stays_deleted() -> None:
    """Absence disagrees with a residue that has a value here."""
    assert cross(ID, ABSENT, kept({"id": "x", "name": "n"}, origin="v2")) == (None, {})


def test_the_kind_of_a_residue_counts() -> None:
    """True is not 1: a residue of another kind disagrees."""
    both = kinds(("integer", "boolean"), ("number", "boolean"))
    assert cross(both, 1, kept(True, origin="v2")) == (1, {})


ODD: tuple[Any, ...] = (
    *(0, 2, 2**70, 2.0, 1.5, -0.0, True, "", "x", "y", "z", "80", "Basic", "Base", "Paid"),
    *([], ["x"], ["x", "y"], [None], ["Basic", None], [["Base"]], [{"id": "x"}]),
    *({}, {"id": "x"}, {"id": 1}, {"id": "x", "more": [1]}, {"a": "Paid"}, {"$propertyBag": {}}),
)


@pytest.mark.parametrize(
    "conversion",
    [
        *(same(), WIDEN, INT_OR_STRING, SKU, MERGED, WRAP, ID, OPENED),
        *(each(SKU), values(SKU), each(MERGED), each(OPENED), wrap(ID), wrap(OPENED)),
        *(chain(SKU, WRAP), chain(MERGED, wrap(same())), wrap(wrap(SKU))),
        *(hides_zero(same(), "older"), hides_zero(SKU, "newer"), hides_zero(OPENED, "newer")),
        *(OPEN_LIST, OPEN_MAP, OPEN_LISTS, each(OPEN_MAP)),
    ],
)
@pytest.mark.parametrize("value", ODD)
def test_what_is_sure_untried_is_true(conversion: Conversion, value: Any) -> None:
    """Of what surely returns both functions are inverse; what surely does not return is lost."""
    for lens in (conversion, flipped(conversion)):
        try:
            made = lens.to(copy(value))
        except (AttributeError, TypeError, WrongKind):
            continue  # a converter's values have been checked
        known = lens.surely(copy(value), True)
        if known is not MISFIT:
            assert same_json(known, made)
            assert same_json(lens.back(copy(made)), value)
        if lens.surely_loses(value, True):
            assert made is MISFIT or made is None or not same_json(lens.back(copy(made)), value)


def test_a_misfit_may_be_an_error() -> None:
    """With `misfit: error` a value the other side cannot hold raises and names the property."""
    with pytest.raises(MisfitError) as caught:
        cross(WIDEN, 1.5, to=False, strict=True)
    assert caught.value.name == "b"
    assert str(caught.value.message) == "v1 cannot hold this value"
    assert cross(WIDEN, 2.0, to=False, strict=True)[0] == 2


def test_a_scalar_in_a_residue_is_not_checked() -> None:
    """What a twin held comes back, of whatever kind it was; what was tracked has to fit."""
    constants = computed(
        scalar("integer", "int8"), EachForm(scalar("string"), list), constant(["x"]), constant(1)
    )
    odds: tuple[Any, ...] = ("text", 2**70, 1.5, True, {"a": [1]})
    for odd in odds:
        found, bag = cross(constants, odd)
        assert (found, bag) == (["x"], kept(odd, origin="v1"))
        assert same_json(cross(constants, found, bag, to=False)[0], odd)
    source = Newer(b=["x"], property_bag=WaitingBag({"v1": {"a": "text"}}))
    pair = Pair(edge(Older, Newer, renamed={"a": "b"})[0], "a", "b", constants)
    with pytest.raises(BagError, match="expected integer, found string"):
        pair.back(open_bag(source, Older(), {"v1": {"a": "text"}}))


def test_a_residue_of_a_wrong_shape_is_an_error() -> None:
    """An entry that its origin's type cannot decode is refused, and nothing is consumed."""
    with pytest.raises(BagError, match=r"^.*bag entry v2/b: expected object, found integer"):
        cross(ID, "x", kept(5, origin="v2"))


# --- skip links: v1 tier is a string, v2 has none, v3 an object ---

Tier = twin("v3", "Tier", {"name": str, "until": str})
First = twin("v1", "First", {"tier": str})
Second = twin("v2", "Second", {})
Third = twin("v3", "Third", {"tier": Tier})
Fourth = twin("v2", "Fourth", {"tier": str})
LINK = Link(("v1", First, "tier"), ("v3", Third, "tier"), reference(Tier, "name"))
(_, UP, _), (_, DOWN, _) = LINK.ways
FIRST = Linked(("v1", First, "tier"), lambda: LINK.ways)
THIRD = Linked(("v3", Third, "tier"), lambda: LINK.ways)

GOLD = {"name": "gold", "until": "2027"}


def pull(linked: Linked, entries: Any) -> tuple[Any, Any, Any]:
    """Return the pulled value, the bag left, and the extras of the destination."""
    destination = First() if linked is FIRST else Third()
    bag = open_bag(Second(), destination, copy(entries))
    value = linked.pull(bag)
    return value, {**bag}, destination.extra_


def settle(hop: Hop, live: Any, entries: Any) -> Any:
    """Return the bag that is left when a live value was seen at the other end."""
    bag = PropertyBag(copy(entries))
    hop.settle(copy(live) if type(live) is dict else live, bag)
    return {**bag}


@pytest.mark.parametrize(
    ("linked", "entries", "value", "rest"),
    [
        (FIRST, {"v3": {"tier": GOLD}}, "gold", {"v3": {"tier": GOLD}}),
        (FIRST, {"v3": {"tier": {"name": "gold"}}}, "gold", {}),
        (FIRST, {"v3": {"tier": {"until": "2027"}}}, None, {"v3": {"tier": {"until": "2027"}}}),
        (FIRST, {}, None, {}),
        (FIRST, {"v9": {"tier": 1}}, None, {"v9": {"tier": 1}}),
        (THIRD, {"v1": {"tier": "gold"}, "v3": {"tier": GOLD}}, GOLD, {}),
        (THIRD, {"v1": {"tier": "gold"}}, {"name": "gold"}, {}),
        (THIRD, {"v1": {"tier": ""}}, {"name": ""}, {}),
        (THIRD, {"v3": {"tier": {}}}, {}, {}),
    ],
)
def test_pulling_over_a_link(linked: Linked, entries: Any, value: Any, rest: Any) -> None:
    """The own entry comes first; a linked one stays where it would not be reproduced."""
    assert pull(linked, entries) == (value, rest, {})


def test_links_may_be_looked_for_by_two_threads_at_once() -> None:
    """Each way over a third version is known once."""
    second = Link(("v1", First, "tier"), ("v2", Fourth, "tier"), same())
    third = Link(("v2", Fourth, "tier"), ("v3", Third, "tier"), reference(Tier, "name"))
    ways = [way for link in (LINK, second, third) for way in link.ways]
    linked: Linked
    others = iter([None])

    def find() -> Iterable[Any]:
        yield from ways
        for _ in others:
            linked.concerns({})

    linked = Linked(("v1", First, "tier"), find)
    linked.concerns({})
    _, overs = linked._ways
    assert {version: len(over) for version, (_, over) in overs.items()} == {"v2": 1, "v3": 1}


@pytest.mark.parametrize("linked", [FIRST, THIRD])
@pytest.mark.parametrize("origin", ["v1", "v3"])
def test_a_null_is_pulled_as_null(linked: Linked, origin: str) -> None:
    """An explicit null in the bag is an explicit null again, over a link too."""
    assert pull(linked, {origin: {"tier": None}}) == (None, {}, {"tier": None})


@pytest.mark.parametrize(
    ("hop", "live", "entries", "rest"),
    [
        (UP, "gold", {"v3": {"tier": GOLD}}, {"v3": {"tier": GOLD}}),
        (UP, "silver", {"v3": {"tier": GOLD}}, {}),
        (UP, ABSENT, {"v3": {"tier": GOLD}}, {}),
        (UP, None, {"v3": {"tier": GOLD}}, {}),
        (UP, ABSENT, {"v3": {"tier": {"until": "x"}}}, {"v3": {"tier": {"until": "x"}}}),
        (DOWN, {"name": "gold"}, {"v1": {"tier": "gold"}}, {"v1": {"tier": "gold"}}),
        (DOWN, {"name": "silver"}, {"v1": {"tier": "gold"}}, {}),
    ],
)
def test_a_linked_entry_lives_while_it_agrees(hop: Hop, live: Any, entries: Any, rest: Any) -> None:
    """The live value wins over entries of other shapes; absence disagrees with a value."""
    assert settle(hop, live, entries) == rest


def test_a_wrong_linked_entry_is_an_error() -> None:
    """An entry that cannot be read names origin, key and kind."""
    with pytest.raises(BagError, match="bag entry v3/tier: expected object, found string"):
        pull(FIRST, {"v3": {"tier": "gold"}})


def test_forms_write_lists_and_maps() -> None:
    """Containers are written and read element by element, null elements kept."""
    form = EachForm(EachForm(ObjectForm(Reference), list), dict)
    value = {"a": [{"id": "x"}, None], "b": None}
    assert form.write(form.read(value)) == value
    assert PLAIN.write(value) is not value
