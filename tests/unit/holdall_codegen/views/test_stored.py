"""What schema edits mean for stored objects: two states of a schema for every kind of edit."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import holdall
from holdall_codegen.output.generation import new_plans
from holdall_codegen.project import load_project
from holdall_codegen.views.stored import Touched
from holdall_codegen.views.stored_report import classes, lines, report_stored
from tests.support.projects import build_project, scheme_of
from tests.support.schema_states import (
    INTEGER,
    STRING,
    Properties,
    State,
    both,
    box,
    items,
    keyed,
    sample,
)


def touched(root: Path, before: State, after: State) -> tuple[Touched, ...]:
    """Return what the way from one state to another touches."""
    old = new_plans(load_project(before.write(root / "before")))
    project = load_project(after.write(root / "after"))
    return report_stored(project, old, new_plans(project)).get("shop", ())


BASE = State({"v1": {"size": INTEGER, "tier": STRING}, "v2": {"size": INTEGER}})
TIER, PLAIN = BASE.versions["v1"], BASE.versions["v2"]
RENAMED = "v1 -> v2: {OrderSpec: {tier: level}}"
PORT = {"port": INTEGER, "protocol": STRING}
LIST = State({"v1": {"items": items({**PORT, "secret": STRING})}, "v2": {"items": items(PORT)}})


MAP = {"type": "object"}


def values(**properties: Any) -> Properties:
    """Return what makes an object a map of objects."""
    return {"additionalProperties": box(**properties)}


def lists(item: Properties, **more: Any) -> State:
    """Return `LIST` with other elements in v2, and other keys in both versions."""
    return State(
        {
            "v1": {"items": items({**item, "secret": STRING}, **more)},
            "v2": {"items": items(item, **more)},
        }
    )


OPEN: Properties = {"x-kubernetes-preserve-unknown-fields": True}
DEEP, SHALLOW = box(a=STRING, b=STRING), {"box": box(a=STRING), "b": STRING}
OWNER = "v1 -> v2: {OrderSpec: {owner: {reference: %s}}}"
WRAPPED = "v1 -> v2: {OrderSpec: {box: {wrap: true}}}"
GAP = {"v1": TIER, "v2": PLAIN, "v3": TIER}
EDITS: dict[str, tuple[State, State, list[str]]] = {
    "nothing": (BASE, BASE, []),
    "a property of no stored entry": (
        BASE,
        State({"v1": {"size": INTEGER, "tier": STRING, "new": STRING}, "v2": PLAIN}),
        [],
    ),
    "a version gains the property": (
        BASE,
        State(both(**TIER)),
        ["used: Order stored at v2: /spec v1/tier: v2.OrderSpec has it now"],
    ),
    "a version gains it renamed": (
        BASE,
        State({"v1": TIER, "v2": {"size": INTEGER, "level": STRING}}, between=RENAMED),
        ["used: Order stored at v2: /spec v1/tier: v2.OrderSpec has level now"],
    ),
    "a rename is declared": (
        State({"v1": TIER, "v2": {"size": INTEGER, "level": STRING}}),
        State({"v1": TIER, "v2": {"size": INTEGER, "level": STRING}}, between=RENAMED),
        [
            "used: Order stored at v1: /spec v2/level: v1.OrderSpec has tier now",
            "used: Order stored at v2: /spec v1/tier: v2.OrderSpec has level now",
        ],
    ),
    "another member stands for an object": (
        State({"v1": {"owner": STRING}, "v2": {"owner": DEEP}}, between=OWNER % "a"),
        State({"v1": {"owner": STRING}, "v2": {"owner": DEEP}}, between=OWNER % "b"),
        [
            "checked: Order stored at v1: /spec v2/owner: it is converted in another way now",
            "checked: Order stored at v2: /spec v1/owner: it is converted in another way now",
        ],
    ),
    "the first element of a list becomes open JSON": (
        State({"v1": {"box": items({"a": STRING})}, "v2": {"box": box(a=STRING)}}, WRAPPED),
        State({"v1": {"box": items({"a": STRING})}, "v2": {"box": OPEN}}),
        [
            "checked: Order stored at v1: /spec v2/box: it is converted in another way now",
            "checked: Order stored at v2: /spec v1/box: it is converted in another way now",
        ],
    ),
    "a property less in what a bag keeps": (
        State({"v1": {"box": box(a=STRING, b=STRING)}, "v2": PLAIN}),
        State({"v1": {"box": box(a=STRING)}, "v2": PLAIN}),
        [
            "pruned: Order stored at v1: /spec/box b: v1.Box does not declare it now",
            "extra: Order stored at v2: /spec/$propertyBag/v1/box b:"
            " v1.Box does not declare it now",
        ],
    ),
    "a rename is no longer declared": (
        State({"v1": TIER, "v2": {"size": INTEGER, "level": STRING}}, between=RENAMED),
        State({"v1": TIER, "v2": {"size": INTEGER, "level": STRING}}),
        [],
    ),
    "a move is declared": (
        State(
            {
                "v1": {"box": box(a=STRING, b=STRING)},
                "v2": {"box": box(a=STRING), "b": STRING},
            }
        ),
        State(
            {
                "v1": {"box": box(a=STRING, b=STRING)},
                "v2": {"box": box(a=STRING), "b": STRING},
            },
            between="v1 -> v2: {OrderSpec: {box/b: {move: b}}}",
        ),
        [
            "used: Order stored at v1: /spec v2/b: v1.OrderSpec has box/b now",
            "used: Order stored at v2: /spec/box v1/b: v2.OrderSpec has it now",
        ],
    ),
    "a move within elements is declared": (
        State({"v1": {"items": items({"box": DEEP})}, "v2": {"items": items(SHALLOW)}}),
        State(
            {"v1": {"items": items({"box": DEEP})}, "v2": {"items": items(SHALLOW)}},
            between="v1 -> v2: {Item: {box/b: {move: b}}}",
        ),
        [
            "used: Order stored at v1: /spec/items/* v2/b: v1.Item has box/b now",
            "used: Order stored at v2: /spec/items/*/box v1/b: v2.Item has it now",
        ],
    ),
    "a version that has it is put in between": (
        BASE,
        State({"v1": TIER, "v1b": TIER, "v2": PLAIN}),
        ["used: Order stored at v2: /spec v1/tier: v1b.OrderSpec has it now"],
    ),
    "a version that lacks it is put in between": (
        BASE,
        State({"v1": TIER, "v1b": PLAIN, "v2": PLAIN}),
        [],
    ),
    "a version with it comes last": (
        BASE,
        State({**BASE.versions, "v3": TIER}),
        [],
    ),
    "of three versions the last one gains it": (
        State({**BASE.versions, "v3": PLAIN}),
        State({**BASE.versions, "v3": TIER}),
        ["used: Order stored at v3: /spec v1/tier: v3.OrderSpec has it now"],
    ),
    "of three versions the middle one gains it": (
        State({**BASE.versions, "v3": PLAIN}),
        State({"v1": TIER, "v2": TIER, "v3": PLAIN}),
        ["used: Order stored at v2, v3: /spec v1/tier: v2.OrderSpec has it now"],
    ),
    "the origin loses the property": (
        BASE,
        State({"v1": PLAIN, "v2": PLAIN}),
        [
            "pruned: Order stored at v1: /spec tier: v1.OrderSpec does not declare it now",
            "kept: Order stored at v2: /spec v1/tier: v1.OrderSpec does not have it any more",
        ],
    ),
    "the origin gives it another type": (
        BASE,
        State({"v1": {"size": INTEGER, "tier": INTEGER}, "v2": PLAIN}),
        [
            "unfit: Order stored at v1: /spec tier: v1.OrderSpec has another type for it now",
            "unfit: Order stored at v2: /spec v1/tier: v1.OrderSpec has another type for it now",
        ],
    ),
    "a wider type": (
        State({"v1": {"tier": INTEGER}, "v2": {"other": STRING}}),
        State({"v1": {"tier": {"type": "number"}}, "v2": {"other": STRING}}),
        [],
    ),
    "a version loses a property": (
        BASE,
        State({"v1": TIER, "v2": {"other": STRING}}),
        ["pruned: Order stored at v2: /spec size: v2.OrderSpec does not declare it now"],
    ),
    "a version that keeps unknown members loses one": (
        State(BASE.versions, spec={"x-kubernetes-preserve-unknown-fields": True}),
        State(
            {"v1": TIER, "v2": {"other": STRING}},
            spec={"x-kubernetes-preserve-unknown-fields": True},
        ),
        ["extra: Order stored at v2: /spec size: v2.OrderSpec does not declare it now"],
    ),
    "a plain document loses a property": (
        State(BASE.versions, api_group=""),
        State({"v1": TIER, "v2": {"other": STRING}}, api_group=""),
        ["extra: Order stored at v2: /spec size: v2.OrderSpec does not declare it now"],
    ),
    "a version is removed": (
        BASE,
        State({"v2": PLAIN}),
        [
            "unread: Order stored at v1: all objects: the version is gone",
            "kept: Order stored at v2: /spec v1/tier: v1 is gone",
        ],
    ),
    "a version is for conversions only from now on": (
        BASE,
        State({"v2": PLAIN}, internal=", {name: v1, internal: true, like: v2}"),
        [
            "unread: Order stored at v1: all objects: the version is internal now",
            "kept: Order stored at v2: /spec v1/tier: v1.OrderSpec does not have it any more",
        ],
    ),
    "the kind is gone": (
        BASE,
        State(BASE.versions, kind="Basket"),
        ["unread: Order stored at v1, v2: all objects: the kind is gone"],
    ),
    "the carrier changes": (
        BASE,
        State(BASE.versions, more="    carrier: field\n"),
        ["unread: Order stored at v1, v2: all bags: the carrier was annotation and is field now"],
    ),
    "the carrier is given up": (
        BASE,
        State(BASE.versions, more="    carrier: none\n"),
        ["unread: Order stored at v1, v2: all bags: the carrier was annotation and is none now"],
    ),
    "the carrier of kinds without entries changes": (
        State(both(size=INTEGER)),
        State(both(size=INTEGER), more="    carrier: field\n"),
        [],
    ),
    "there was no carrier": (
        State(BASE.versions, more="    carrier: none\n"),
        State(both(**TIER), more="    carrier: none\n"),
        [],
    ),
    "the group has another name": (
        BASE,
        State(BASE.versions, api_group="store.example.com"),
        [
            "dropped: Order stored at v1, v2: all bags: they were written for the group"
            " shop.example.com, which is store.example.com now"
        ],
    ),
    "an object becomes open JSON": (
        State(
            {
                "v1": {"box": box(a=STRING, b=STRING)},
                "v2": {"box": box(a=STRING)},
            }
        ),
        State(
            {
                "v1": {"box": box(a=STRING, b=STRING)},
                "v2": {"box": OPEN},
            }
        ),
        ["dropped: Order stored at v2: /spec/box v1/b: v2 has no such object any more"],
    ),
    "members of open JSON are declared": (
        State({"v1": {"box": OPEN}, "v2": {"box": box(a=STRING)}}),
        State({"v1": {"box": OPEN}, "v2": {"box": box(a=STRING, b=STRING, c=box(d=STRING))}}),
        [
            "used: Order stored at v2: /spec/box v2/b, v2/c: v2.Box declares it now",
        ],
    ),
    "an object becomes open JSON on both sides": (
        State({"v1": {"box": OPEN}, "v2": {"box": box(a=STRING)}}),
        State({"v1": {"box": OPEN}, "v2": {"box": OPEN}}),
        [
            "checked: Order stored at v1: /spec v2/box: it is converted in another way now",
            "checked: Order stored at v2: /spec v1/box: it is converted in another way now",
            "dropped: Order stored at v2: /spec/box v2/*: v2 has no such object any more",
        ],
    ),
    "an object keeps all members of open JSON": (
        State({"v1": {"box": OPEN}, "v2": {"box": box(a=STRING)}}),
        State({"v1": {"box": OPEN}, "v2": {"box": {**box(a=STRING), **OPEN}}}),
        ["used: Order stored at v2: /spec/box v2/*: v2.Box takes all now"],
    ),
    "members are declared where nothing is pruned": (
        State({"v1": {"box": OPEN}, "v2": {"box": box(a=STRING)}}, api_group=""),
        State({"v1": {"box": OPEN}, "v2": {"box": box(a=STRING, b=STRING)}}, api_group=""),
        [],
    ),
    "values are renamed in another way": (
        State(
            both(sku={**STRING, "enum": ["a", "b"]}),
            between="v1 -> v2: {OrderSpec: {sku: {values: {a: b}}}}",
        ),
        State(
            both(sku={**STRING, "enum": ["a", "b"]}),
            between="v1 -> v2: {OrderSpec: {sku: {values: {b: a}}}}",
        ),
        [
            "checked: Order stored at v1: /spec v2/sku: it is converted in another way now",
            "checked: Order stored at v2: /spec v1/sku: it is converted in another way now",
        ],
    ),
    "a property that returned is another one now": (
        State(GAP),
        State(GAP, between="v1 -> v3: {OrderSpec: {tier: {not_same: true}}}"),
        [],
    ),
    "a property that was another one returns": (
        State(GAP, between="v1 -> v3: {OrderSpec: {tier: {not_same: true}}}"),
        State(GAP),
        [
            "used: Order stored at v1: /spec v3/tier: v1.OrderSpec has it now",
            "used: Order stored at v3: /spec v1/tier: v3.OrderSpec has it now",
        ],
    ),
    "a property is kept apart no longer": (
        State(both(tier=STRING), between="v1 -> v2: {OrderSpec: {tier: {strategy: stash}}}"),
        State(both(tier=STRING)),
        [
            "used: Order stored at v1: /spec v2/tier: v1.OrderSpec has it now",
            "used: Order stored at v2: /spec v1/tier: v2.OrderSpec has it now",
        ],
    ),
    "a hook claims a property": (
        State(both(tier=STRING), between="v1 -> v2: {OrderSpec: {tier: {strategy: stash}}}"),
        State(both(tier=STRING), between="v1 -> v2: {OrderSpec: {tier: {strategy: hook}}}"),
        [
            "kept: Order stored at v1: /spec v2/tier: a hook claims it now",
            "kept: Order stored at v2: /spec v1/tier: a hook claims it now",
        ],
    ),
    "what was converted with a loss has no partner any more": (
        State(
            {"v1": {"size": {"type": "number"}}, "v2": {"size": INTEGER}},
        ),
        State({"v1": {"size": {"type": "number"}}, "v2": {"count": INTEGER}}),
        [
            "kept: Order stored at v1: /spec v2/size: v2.OrderSpec does not have it any more",
            "pruned: Order stored at v2: /spec size: v2.OrderSpec does not declare it now",
            "used: Order stored at v2: /spec v1/size: v2 has no partner of it any more",
        ],
    ),
    "the versions are joined in another way": (
        State({**BASE.versions, "v3": PLAIN}),
        State({**BASE.versions, "v3": PLAIN}, more="    edges: star\n"),
        [],
    ),
    "a type has another name": (
        State({"v1": {"box": box(a=STRING, b=STRING)}, "v2": {"box": box(a=STRING)}}),
        State(
            {
                "v1": {"box": {**box(a=STRING, b=STRING), "title": "Case"}},
                "v2": {"box": {**box(a=STRING), "title": "Case"}},
            }
        ),
        [],
    ),
    "objects in a map, and objects at two places": (
        State(
            {
                "v1": {
                    "one": box(a=STRING, b=STRING),
                    "map": {**MAP, **values(a=STRING, b=STRING)},
                },
                "v2": {"one": box(a=STRING), "map": {**MAP, **values(a=STRING)}},
            }
        ),
        State(both(one=box(a=STRING, b=STRING), map={**MAP, **values(a=STRING, b=STRING)})),
        [
            "used: Order stored at v2: /spec/map/* v1/b: v2.Map has it now",
            "used: Order stored at v2: /spec/one v1/b: v2.One has it now",
        ],
    ),
    "the keys of a list change": (
        lists(PORT, **keyed("port")),
        lists(PORT, **keyed("port", "protocol")),
        ["found: Order stored at v2: /spec/items: its keys were port, and are port, protocol now"],
    ),
    "a list gets keys": (
        lists(PORT),
        lists(PORT, **keyed("port")),
        ["found: Order stored at v2: /spec/items: its keys were none, and are port now"],
    ),
    "the keys of a list without entries change": (
        State(both(items=items(PORT, **keyed("port")))),
        State(both(items=items(PORT))),
        [],
    ),
    "the default of an element's member changes": (
        lists({"port": INTEGER, "mode": {"type": "string", "default": "rw"}}),
        lists({"port": INTEGER, "mode": {"type": "string", "default": "ro"}}),
        [
            "found: Order stored at v2: /spec/items: its elements are known by what they show,"
            " and v2.Item mode has another default now"
        ],
    ),
    "the default of a member in an element's object changes": (
        lists({"box": box(mode={**STRING, "default": "rw"})}),
        lists({"box": box(mode=STRING)}),
        [
            "found: Order stored at v2: /spec/items: its elements are known by what they show,"
            " and v2.Box mode has another default now"
        ],
    ),
    "the default of another member than the key changes": (
        lists({"port": INTEGER, "mode": {**STRING, "default": "rw"}}, **keyed("port")),
        lists({"port": INTEGER, "mode": {**STRING, "default": "ro"}}, **keyed("port")),
        [],
    ),
    "the default of a key changes": (
        lists({"port": INTEGER, "mode": {**STRING, "default": "rw"}}, **keyed("port", "mode")),
        lists({"port": INTEGER, "mode": {**STRING, "default": "ro"}}, **keyed("port", "mode")),
        ["found: Order stored at v2: /spec/items: the default of its key mode is another one now"],
    ),
    "elements lose a member": (
        lists(PORT),
        lists({"port": INTEGER}),
        [
            "pruned: Order stored at v1: /spec/items/* protocol: v1.Item does not declare it now",
            "pruned: Order stored at v2: /spec/items/* protocol: v2.Item does not declare it now",
            "found: Order stored at v2: /spec/items: its elements are known by what they show,"
            " and v2.Item has no protocol now",
        ],
    ),
}


@pytest.mark.parametrize(("before", "after", "expected"), EDITS.values(), ids=EDITS)
def test_edits(tmp_path: Path, before: State, after: State, expected: list[str]) -> None:
    """Each edit names what is stored and touched by it, what becomes of it, and nothing else."""
    assert list(classes({"shop": touched(tmp_path, before, after)})) == expected


# --- what is said is what happens ---


def place_of(path: str) -> tuple[str, ...]:
    """Return the place of an address or of a touched entry, for a comparison of both."""
    steps = path.strip("/").split("/")
    return tuple("*" if step.startswith("[") or step == "k" else step for step in steps)


def found_at(spec: Any, place: tuple[str, ...], name: str) -> list[Any]:
    """Return the values of a property of all objects at a place."""
    found = [{"spec": spec}]
    for step in place:
        if step == "*":
            found = [
                item for one in found for item in (one.values() if isinstance(one, dict) else one)
            ]
        else:
            found = [one[step] for one in found if step in one]
    return [one.get(name) for one in found if isinstance(one, dict)]


@pytest.mark.parametrize(
    ("before", "after"),
    [pytest.param(*edit[:2], id=name) for name, edit in EDITS.items() if "hook" not in name],
)
def test_what_is_said_happens(tmp_path: Path, before: State, after: State) -> None:
    """Every entry that the older code put away is, under the newer one, what is said of it.

    What nothing is said of comes back as it was, or passes through if its version did so before.
    """
    said = touched(tmp_path, before, after)
    old, new = (
        scheme_of(build_project(tmp_path / name, state.config(), state.files()))
        for name, state in (("older", before), ("newer", after))
    )
    group = f"{before.api_group}/" if before.api_group else ""
    for origin, stored in permutations(before.versions, 2):
        document = {
            "apiVersion": f"{group}{origin}",
            "kind": before.kind,
            "metadata": {"name": "a"},
            "spec": sample(before.schema(origin)["properties"]["spec"]),
        }
        kept = old.convert(document, to=stored)
        entries = [entry for entry in holdall.audit(kept) if entry.origin == origin]
        alike = [item for item in said if stored in item.stored]
        if stored not in after.versions or any(
            item.subject in ("objects", "bags") for item in alike
        ):
            continue
        to = origin if origin in after.versions else stored
        for entry in entries:
            words = {
                item.becomes
                for item in alike
                if (item.origin, item.property) == (origin, entry.property)
                and place_of(item.path) == place_of(entry.path)
            }
            report: list[Any] = []
            result = new.convert(kept, to=to, report=report)
            still = {(one.origin, one.property) for one in holdall.audit(result)}
            place = place_of(entry.path)
            ends = [found_at(one["spec"], place, entry.property) for one in (document, result)]
            in_report = [one for one in report if one.key == entry.property]
            lost_elements = any(item.subject == "elements" for item in alike)
            if words == {"kept"}:
                assert (origin, entry.property) in still
            elif words == {"dropped"}:
                assert in_report
            elif words == {"checked"} or lost_elements:
                assert ends[0] == ends[1] or in_report
            else:
                assert words <= {"used", "unfit"}
                assert ends[0] == ends[1]


def test_alike_in_one_line(tmp_path: Path) -> None:
    """What is touched alike is one line, which names a few and counts the others."""
    more = {f"p{number}": STRING for number in range(6)}
    before = State({"v1": {**TIER, **more}, "v2": PLAIN, "v3": PLAIN})
    after = State({"v2": PLAIN, "v3": PLAIN})
    assert list(classes({"shop": touched(tmp_path, before, after)})) == [
        "unread: Order stored at v1: all objects: the version is gone",
        "kept: Order stored at v2, v3: /spec v1/p0, v1/p1, v1/p2, v1/p3, 3 more: v1 is gone",
    ]


def test_internal_versions_store_nothing(tmp_path: Path) -> None:
    """No object is stored at a version that is for conversions only."""
    internal = ", {name: v2, internal: true, like: v1}"
    before, after = (State({"v1": spec}, internal=internal) for spec in (TIER, PLAIN))
    assert {item.stored for item in touched(tmp_path, before, after)} == {("v1",)}


def test_every_word_has_a_remedy(tmp_path: Path) -> None:
    """Below the lines stands what each first word means, when to act, and what to run."""
    found = touched(tmp_path, BASE, State(both(**TIER)))
    assert list(lines({"shop": found})) == [
        "used: Order stored at v2: /spec v1/tier: v2.OrderSpec has it now",
        "(used) used where the live object says nothing of it, else dropped and reported;"
        " after the change: holdall migrate --apply",
    ]


def test_as_json(tmp_path: Path) -> None:
    """As JSON, each entry has its versions, its place, and what to run."""
    (found,) = touched(tmp_path, BASE, State(both(**TIER)))
    assert found.value() == {
        "subject": "entry",
        "kind": "Order",
        "stored": ["v2"],
        "path": "/spec",
        "type": "OrderSpec",
        "origin": "v1",
        "property": "tier",
        "becomes": "used",
        "why": "v2.OrderSpec has it now",
        "when": "after",
        "run": ["holdall migrate --apply"],
    }


@pytest.mark.parametrize("value", [2.5, 2.0, "text", None])
def test_values_that_the_place_of_a_move_cannot_show(tmp_path: Path, value: Any) -> None:
    """An older entry that a move takes along stays whole, whatever its new place can show."""
    number = {"type": "number"}
    versions = {
        "v1": {"box": box(a=STRING, b=number)},
        "v2": {"box": box(a=STRING), "b": INTEGER},
    }
    before = State(versions)
    after = State(versions, between="v1 -> v2: {OrderSpec: {box/b: {move: b}}}")
    old, new = (
        scheme_of(build_project(tmp_path / name, state.config(), state.files()))
        for name, state in (("older", before), ("newer", after))
    )
    spec = {"box": {"a": "x", "b": value}}
    document = {"apiVersion": "shop.example.com/v1", "kind": "Order", "spec": spec}
    # The first entry must not decide about those after it.
    for other in ("unfit", 7.5, value):
        spec["box"]["b"] = other
        assert new.convert(old.convert(document, to="v2"), to="v1")["spec"] == spec
