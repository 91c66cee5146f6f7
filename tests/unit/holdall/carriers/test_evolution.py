"""Objects that were stored under an earlier plan, read under the plan of today."""

from __future__ import annotations

import json
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.carriers.reports import Dropped
from holdall.errors import ConversionError
from holdall.objects.bag import PropertyBag
from holdall.scheme.scheme import Scheme
from tests.support.declared import Declaring
from tests.support.objects import resource
from tests.support.projects import build_project, config_of, scheme_of
from tests.support.tables import named

_HEAD = "type: object\nproperties:\n  metadata: {type: object, additionalProperties: true}\n"


def schema(**members: str) -> str:
    """Return the schema of a kind whose spec, and each element of its `parts`, has some members."""
    listed = ", ".join(f"{name}: {{type: {type_}}}" for name, type_ in members.items())
    listed = listed.replace("type: strings", "type: array, items: {type: string}")
    parts = f"type: array, items: {{type: object, properties: {{key: {{type: string}}, {listed}}}}}"
    return f"{_HEAD}  spec:\n    type: object\n    properties: {{{listed}, parts: {{{parts}}}}}\n"


def build(root: Path, facts: str = "", *, hook: str = "", **versions: str) -> Scheme:
    """Return the scheme of a kind with these versions, oldest first."""
    config = config_of("Thing", " ".join(versions), api_group="example.com") + facts
    files = {f"{name}.yaml": text for name, text in versions.items()}
    if hook:
        files |= {"hooks/spec.py": hook}
    return scheme_of(build_project(root, config, files))


def thing(version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"example.com/{version}", "Thing", "a", spec=spec)


def both(value: dict[str, Any]) -> dict[str, Any]:
    """Return a spec that has members itself and in an element of a list."""
    return {**value, "parts": [{"key": "k", **value}]}


V1 = schema(size="integer", tier="string")
_BOXES: list[dict[str, Any]] = [
    {"box": {"size": 1, "tier": "gold"}},
    {"box": {"tier": "gold"}},
    {"box": {}},
]
WITHOUT = schema(size="integer")


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    """An object that was stored at v2 when v2 had no `tier`."""
    yesterday = build(tmp_path / "old", v1=V1, v2=WITHOUT)
    found: Any = yesterday.convert(thing("v1", **both({"size": 1, "tier": "gold"})), to="v2")
    assert "tier" not in found["spec"]
    return found


def converted(scheme: Scheme, document: Any, to: str) -> tuple[Any, list[Any]]:
    report: list[Any] = []
    return scheme.convert(document, to=to, report=report)["spec"], report


def test_a_property_that_a_version_gained_takes_what_was_put_away(
    tmp_path: Path, stored: dict[str, Any]
) -> None:
    today = build(tmp_path / "new", v1=V1, v2=V1, v3=V1)
    for to in ("v1", "v3"):
        assert converted(today, stored, to) == (both({"size": 1, "tier": "gold"}), [])
    there: Any = today.convert(stored, to="v1")
    assert today.convert(there, to="v2") == thing("v2", **both({"size": 1, "tier": "gold"}))


def test_a_property_that_a_version_gained_under_another_name(
    tmp_path: Path, stored: dict[str, Any]
) -> None:
    facts = "    between: {v1 -> v2: {'*': {tier: level}}}\n"
    level = schema(size="integer", level="string")
    today = build(tmp_path / "new", facts, v1=V1, v2=level, v3=level)
    assert converted(today, stored, "v1") == (both({"size": 1, "tier": "gold"}), [])
    assert converted(today, stored, "v3") == (both({"size": 1, "level": "gold"}), [])


@pytest.mark.parametrize(("origin", "inner"), [("v1", False), ("v2", True)])
def test_entries_that_are_gone_are_marked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: str, inner: bool
) -> None:
    """Marked one by one, the tens of thousands of a forged bag of some kilobytes take seconds."""
    scheme = build(tmp_path, v1=V1, v2=WITHOUT, v3=V1)
    document: Any = scheme.convert(thing("v1", **both({"tier": "gold"})), to="v2")
    annotations = document["metadata"]["annotations"]
    envelope = json.loads(annotations[SPEC_ANNOTATION])
    names = [f"k{number}" for number in range(50)]
    entries: Any = {**dict.fromkeys(names, 0), "$gone": names[:25]}
    if inner:
        entries = {"parts": [{"$propertyBag": {"v3": entries}}]}
    envelope |= {"plan": "12345678", "bags": {"/spec": {origin: entries}}}
    annotations[SPEC_ANNOTATION] = json.dumps(envelope)
    mark, count = PropertyBag.mark_gone, 0

    def counted(*args: Any) -> None:
        nonlocal count
        count += 1
        mark(*args)

    monkeypatch.setattr(PropertyBag, "mark_gone", counted)
    scheme.convert(document, to="v3", tolerant=True, report=[])
    assert count < 5


_KEY = "{type: object, properties: {name: {type: string}, note: {type: string}}}"
_TEXT = "{type: string}"
_WHOLE = {"name": "n", "note": "beside it"}


def keyed(member: str, held: str) -> str:
    """Return the schema of a kind whose spec has a member beside another one."""
    return f"{_HEAD}  spec: {{type: object, properties: {{a: {_TEXT}, {member}: {held}}}}}\n"


def between(**edges: str) -> str:
    """Return what is declared of edges: `v1_v2="key: {reference: name}"`."""
    texts = [
        f"{edge.replace('_', ' -> ')}: {{ThingSpec: {{{said}}}}}" for edge, said in edges.items()
    ]
    return f"    between: {{{', '.join(texts)}}}\n"


_BOXED = keyed("box", f"{{type: object, properties: {{key: {_KEY}}}}}")


def test_what_moved_and_does_not_any_more_is_in_its_object_again(tmp_path: Path) -> None:
    """Nothing looks for it under the path that it had."""
    facts = between(v1_v2="ref: {move: box/key, reference: name}")
    yesterday = build(tmp_path / "old", facts, v1=keyed("ref", _TEXT), v2=_BOXED)
    found: Any = yesterday.convert(thing("v2", box={"key": _WHOLE}), to="v1")
    assert found["spec"] == {"ref": "n"}
    today = build(tmp_path / "new", v1=keyed("b", _TEXT), v2=_BOXED, v3=_BOXED)
    for to in ("v2", "v3"):
        assert converted(today, found, to) == ({"ref": "n", "box": {"key": _WHOLE}}, [])


def test_what_moved_and_is_shown_by_another_name_now_is_reported(tmp_path: Path) -> None:
    """What is live has the former name, and so the new one says that it was deleted."""
    said = "box/key: {{move: {}, reference: name}}"
    old, new = (between(v1_v2=said.format(name)) for name in ("ref", "key"))
    yesterday = build(tmp_path / "old", old, v1=_BOXED, v2=keyed("ref", _TEXT))
    found: Any = yesterday.convert(thing("v1", box={"key": _WHOLE}), to="v2")
    today = build(tmp_path / "new", new, v1=_BOXED, v2=keyed("key", _TEXT))
    _, report = converted(today, found, "v1")
    why = "v2 has it now, with another value"
    assert report == [Dropped("/spec", "v1", "box/key", why)]


@pytest.mark.parametrize("tolerant", [False, True])
def test_what_its_version_cannot_hold_any_more_is_reported(tmp_path: Path, tolerant: bool) -> None:
    """The object shows the rest of it: nothing on the way would take the whole, or say so."""
    facts = between(
        v1_v2="ref: {rename: key, reference: name}", v2_v3="key: {rename: ref, reference: name}"
    )
    whole, text = keyed("ref", _KEY), keyed("ref", _TEXT)
    yesterday = build(tmp_path / "old", facts, v1=whole, v2=keyed("key", _TEXT), v3=whole)
    found: Any = yesterday.convert(thing("v1", ref=_WHOLE), to="v3")
    assert found["spec"] == {"ref": {"name": "n"}}
    facts = between(v2_v3="ref: {reference: name}")
    today = build(tmp_path / "new", facts, v1=text, v2=text, v3=whole)
    report: list[Any] = []
    back: Any = today.convert(found, to="v1", tolerant=tolerant, report=report)
    assert back["spec"] == {"ref": "n"}
    assert report == [Dropped("/spec", "v1", "ref", "v3 has it now, with another value")]


HOOK = """
from holdall import Composed, EachValue
from {generated}.things.v1 import storage as v1


class Rank(Composed, v1.AssignableThingSpecToV3ThingSpec):
    parts = (EachValue("rank", lambda text: text and int(text), lambda rank: rank and str(rank)),)
"""


def test_a_link_that_got_a_hook_and_what_is_kept_beside_it(tmp_path: Path) -> None:
    """The edge of the hook leads to the same version, and only what is linked goes over it."""
    without, tier = schema(size="integer"), schema(size="integer", tier="string")
    yesterday = build(tmp_path / "old", v1=without, v2=without, v3=tier)
    found: Any = yesterday.convert(thing("v3", **both({"size": 1, "tier": "gold"})), to="v1")
    today = build(
        tmp_path / "new",
        "    between: {v1 -> v3: {ThingSpec: {rank: {strategy: hook}}, Part: {rank: not_same}}}\n",
        hook=HOOK,
        v1=schema(size="integer", rank="string"),
        v2=without,
        v3=schema(size="integer", tier="string", rank="integer"),
    )
    assert converted(today, found, "v3") == (both({"size": 1, "tier": "gold"}), [])
    there: Any = today.convert(found, to="v2")
    assert converted(today, there, "v3") == (both({"size": 1, "tier": "gold"}), [])


def test_a_version_that_was_put_in_between(tmp_path: Path, stored: dict[str, Any]) -> None:
    today = build(tmp_path / "new", v1=V1, v1b=V1, v2=WITHOUT)
    for to in ("v1", "v1b"):
        assert converted(today, stored, to) == (both({"size": 1, "tier": "gold"}), [])


def test_what_is_written_while_a_version_in_between_is_rolled_back_counts(tmp_path: Path) -> None:
    """The release before does not show what that version keeps, so whoever writes, writes anew."""
    before = build(tmp_path / "before", v1=WITHOUT, v2=V1)
    after = build(tmp_path / "after", v1=WITHOUT, mid=V1, v2=V1)
    found = after.convert(thing("v2", **both({"size": 1, "tier": "gold"})), to="v1")
    seen: Any = before.convert(found, to="v2")
    assert seen["spec"] == both({"size": 1})
    unedited = before.convert(seen, to="v1")
    assert converted(after, unedited, "v2") == (both({"size": 1, "tier": "gold"}), [])
    seen["spec"] = both({"size": 1, "tier": "silver"})
    written = before.convert(seen, to="v1")
    for to in ("mid", "v2"):
        spec, report = converted(after, written, to)
        assert spec == both({"size": 1, "tier": "silver"})
        assert [*map(str, report)] == [
            f"{at}: mid/tier is dropped: v2 has it now, with another value"
            for at in ("/spec", '/spec/parts/[0:key="k"]')
        ]


@pytest.mark.parametrize("home", ["late", "mid", "v1"])
def test_a_version_in_between_beyond_one_that_lacks_it(tmp_path: Path, home: str) -> None:
    """It is linked with the one that has the entry: it sees it, and may lose it again."""
    yesterday = build(tmp_path / "old", v1=V1, v2=WITHOUT, v3=WITHOUT)
    found: Any = yesterday.convert(thing("v1", **both({"size": 1, "tier": "gold"})), to="v3")
    today = build(tmp_path / "new", v1=V1, v2=WITHOUT, mid=V1, late=V1, v3=WITHOUT)
    assert converted(today, found, home) == (both({"size": 1, "tier": "gold"}), [])
    shown: Any = today.convert(found, to="mid")
    del shown["spec"]["tier"]
    assert "tier" not in converted(today, shown, "v1")[0]


def test_a_version_in_between_and_another_type(tmp_path: Path) -> None:
    """The kept value is no value of any version now: it is kept, told, and there for its version.

    The new version shows nothing of it, so that is not what was deleted there.
    """
    yesterday = build(tmp_path / "old", v1=WITHOUT, v2=V1)
    entries = {"tier": "gold"}
    given = thing("v2", **both({"size": 1, **entries}))
    kept: Any = yesterday.convert(given, to="v1")
    lists = schema(size="integer", tier="strings")
    today = build(tmp_path / "new", v1=WITHOUT, middle=lists, v2=lists)
    document = kept
    for to in ("v2", "middle", "v1", "v2", "v1"):
        with (
            pytest.raises(ConversionError, match="v2/tier: expected list, found string")
            if (to == "v2")
            else nullcontext()
        ):
            today.convert(document, to=to)
        report: list[Any] = []
        document = today.convert(document, to=to, tolerant=True, report=report)
        assert document["spec"] == both({"size": 1})
        told = [(one.origin, one.key) for one in report]
        assert told == ([("v2", "tier")] * 2 if to == "v2" else [])
    assert yesterday.convert(document, to="v2") == given


def test_what_was_shown_by_another_name_is_reported(tmp_path: Path) -> None:
    """A server has pruned it: it looks as if a client had deleted it, but the plan is another."""
    lists = schema(size="integer", tier="strings")

    def facts(name: str) -> str:
        return f"    between: {{v1 -> v2: {{'*': {{tier: {{rename: {name}, wrap: true}}}}}}}}\n"

    v2 = [schema(size="integer", **{name: "string"}) for name in ("level", "grade")]
    yesterday = build(tmp_path / "old", facts("level"), v1=lists, v2=v2[0])
    today = build(tmp_path / "new", facts("grade"), v1=lists, v2=v2[1])
    given = thing("v1", **both({"size": 1, "tier": ["gold", "silver"]}))
    kept: Any = yesterday.convert(given, to="v2")
    for holder in (kept["spec"], kept["spec"]["parts"][0]):
        assert holder.pop("level") == "gold"
    spec, report = converted(today, kept, "v1")
    assert spec == both({"size": 1})
    assert [(one.origin, one.key) for one in report] == [("v1", "tier")] * 2
    back: Any = today.convert(today.convert(kept, to="v1"), to="v2")
    assert converted(today, back, "v1") == (both({"size": 1}), [])


def test_what_was_shown_in_another_way_is_reported(tmp_path: Path) -> None:
    """The rest of an object that another member stands for now is dropped and reported."""
    team = "{type: object, properties: {name: {type: string}, id: {type: string}}}"
    texts = {
        "v1": schema(tier="string"),
        "v2": schema(tier="string").replace("tier: {type: string}", f"tier: {team}"),
    }
    facts = '    between: {v1 -> v2: {"*": {tier: {reference: %s}}}}\n'
    yesterday = build(tmp_path / "old", facts % "name", **texts)
    today = build(tmp_path / "new", facts % "id", **texts)
    kept = yesterday.convert(thing("v2", tier={"name": "n", "id": "i"}), to="v1")
    dropped = Dropped("/spec", "v2", "tier", "v1 has it now, with another value")
    assert converted(today, kept, "v2") == ({"tier": {"id": "n"}}, [dropped])


def test_what_is_shown_no_longer_is_reported(tmp_path: Path) -> None:
    """An object that is open JSON now is no text: what it showed stays, the rest is reported."""
    texts = {name: schema(tier="string") for name in ("v1", "v2")}
    team, free = "{type: object, properties: {name: {type: string}}}", "{type: object}"
    facts = '    between: {v1 -> v2: {"*": {tier: {reference: name}}}}\n'
    v2 = texts["v2"].replace("tier: {type: string}", "tier: %s")
    yesterday = build(tmp_path / "old", facts, v1=texts["v1"], v2=v2 % (team, team))
    today = build(tmp_path / "new", v1=texts["v1"], v2=v2 % (free, free))
    kept = yesterday.convert(thing("v2", tier={"name": "n", "more": 1}), to="v1")
    dropped = Dropped("/spec", "v2", "tier", "v1 has it now, with another value")
    assert converted(today, kept, "v2") == ({"tier": "n"}, [dropped])


def test_the_live_value_wins_and_the_entry_is_reported(
    tmp_path: Path, stored: dict[str, Any]
) -> None:
    today = build(tmp_path / "new", v1=V1, v2=V1)
    stored["spec"]["tier"] = "silver"
    spec, report = converted(today, stored, "v1")
    assert (spec["tier"], spec["parts"][0]["tier"]) == ("silver", "gold")
    assert report == [Dropped("/spec", "v1", "tier", "v2 has it now, with another value")]
    stored["spec"]["tier"] = None
    assert converted(today, stored, "v1")[0]["tier"] is None
    stored["spec"]["tier"] = "gold"
    assert converted(today, stored, "v1") == (both({"size": 1, "tier": "gold"}), [])


def test_a_default_is_not_a_value_that_wins(tmp_path: Path, stored: dict[str, Any]) -> None:
    """An API server fills in the default of a property that a version gained wherever it reads."""
    default = "tier: {type: string, default: none}"
    today = build(tmp_path / "new", v1=V1, v2=V1.replace("tier: {type: string}", default))
    for part in (stored["spec"], stored["spec"]["parts"][0]):
        part["tier"] = "none"
    assert converted(today, stored, "v1") == (both({"size": 1, "tier": "gold"}), [])


EITHER = "tier: {type: [integer, string]}"
EITHERS = "tier: {type: array, items: {type: [integer, string]}}"


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("tier: {type: integer}", EITHER, "gold"),
        ("tier: {type: string}", EITHER, 7),
        ("tier: {type: integer}", "tier: {type: number}", 1.5),
        ("tier: {type: array, items: {type: integer}}", EITHERS, [1, "gold"]),
    ],
)
def test_what_did_not_fit_is_used_once_it_does(
    tmp_path: Path, before: str, after: str, kept: Any
) -> None:
    """It was not shown, so nobody deleted it; what was set in its place wins."""
    was, newest = (V1.replace("tier: {type: string}", each) for each in (before, after))
    yesterday = build(tmp_path / "old", v1=was, v2=newest)
    today = build(tmp_path / "new", v1=newest, v2=newest)
    stored: Any = yesterday.convert(thing("v2", **both({"tier": kept})), to="v1")
    assert "tier" not in stored["spec"]
    assert converted(today, stored, "v2") == (both({"tier": kept}), [])
    stored["spec"]["tier"] = other = [5] if type(kept) is list else 5
    spec, report = converted(today, stored, "v2")
    assert (spec["tier"], spec["parts"][0]["tier"]) == (other, kept)
    assert report == [Dropped("/spec", "v2", "tier", "v1 has it now, with another value")]


def test_a_default_in_place_of_what_did_not_fit_is_not_put_in_its_place(tmp_path: Path) -> None:
    """The value moves on; in the object that it left, the bag knows what the default became."""
    kind = f"{_HEAD}  spec: {{type: object, properties: {{%s}}}}"
    box = kind % "box: {type: object, properties: {%s}}"
    flat = kind % "tier: {type: integer, default: 8}%s"
    older, newer = (
        box % "size: {type: integer}, tier: {type: integer, default: 9}",
        box % f"size: {{type: integer}}, {EITHER}",
    )
    facts = "    between: {v2 -> v3: {ThingSpec: {box/tier: {move: tier}}}}\n"
    yesterday = build(tmp_path / "old", facts, v1=older, v2=newer, v3=flat % "")
    today = build(tmp_path / "new", facts, v1=older, v2=newer, v3=flat % ", new: {type: string}")
    spec = {"box": {"tier": "gold"}}
    found: Any = yesterday.convert(thing("v2", **spec), to="v1")
    assert found["spec"] == {"box": {}}
    found["spec"]["box"]["tier"] = 9
    found = yesterday.convert(found, to="v3")
    assert "tier" not in found["spec"]
    found["spec"]["tier"] = 8
    assert converted(today, found, "v2")[0] == spec


def test_what_did_fit_and_was_deleted_stays_so(tmp_path: Path) -> None:
    was, newest = (
        V1.replace("tier: {type: string}", f"tier: {{type: {each}}}")
        for each in ("integer", "number")
    )
    yesterday = build(tmp_path / "old", v1=was, v2=newest)
    today = build(tmp_path / "new", v1=newest, v2=newest)
    stored: Any = yesterday.convert(thing("v2", tier=2.0), to="v1")
    assert stored["spec"].pop("tier") == 2
    assert converted(today, stored, "v2")[0] == {}


def test_what_was_settled_by_a_conversion_does_not_come_back(
    tmp_path: Path, stored: dict[str, Any]
) -> None:
    today = build(tmp_path / "new", v1=V1, v2=V1)
    there: Any = today.convert(stored, to="v1")
    del there["spec"]["tier"]
    again: Any = today.convert(there, to="v2")
    assert "annotations" not in again["metadata"]
    assert "tier" not in converted(today, again, "v1")[0]


def test_a_property_that_is_gained_with_a_loss(tmp_path: Path) -> None:
    """The list's tail waits in the bag; what a client deleted later stays deleted."""
    lists = schema(size="integer", tier="strings")
    yesterday = build(tmp_path / "old", v1=lists, v2=WITHOUT)
    one = {"size": 1, "tier": ["a", "b"]}
    stored: Any = yesterday.convert(thing("v1", **both(one)), to="v2")
    facts = "    between: {v1 -> v2: {'*': {tier: {wrap: true}}}}\n"
    today = build(tmp_path / "new", facts, v1=lists, v2=V1, v3=V1)
    assert converted(today, stored, "v1") == (both(one), [])
    assert converted(today, stored, "v3")[0] == both({"size": 1, "tier": "a"})
    # From here on the entry is a residue, and the plan changes once more.
    shown: Any = today.convert(today.convert(stored, to="v1"), to="v2")
    assert shown["spec"] == both({"size": 1, "tier": "a"})
    later = build(tmp_path / "later", facts, v1=lists, v2=V1, v3=schema(size="integer"))
    assert converted(later, shown, "v1") == (both(one), [])
    del shown["spec"]["tier"], shown["spec"]["parts"][0]["tier"]
    for scheme in (today, later):
        assert converted(scheme, shown, "v1")[0] == both({"size": 1})


def test_an_edge_that_has_nothing_to_do_with_a_residue_passes_it_on_as_one(tmp_path: Path) -> None:
    """So a value that was deleted stays deleted after a change of the plan."""
    facts = "    between: {v1 -> v2: {'*': {tier: {wrap: true}}}}\n"
    flat = _HEAD + "  spec: {type: object, properties: {size: {type: integer}%s}}\n"
    v1 = flat % ", tier: {type: array, items: {type: string}}"
    v2, v3 = flat % ", tier: {type: string}", flat % ", tier: {type: string}, more: {}"
    today = build(tmp_path / "today", facts, v1=v1, v2=v2, v3=v3)
    document = thing("v1", size=1, tier=["a", "b"])
    over_v3: Any = today.convert(today.convert(document, to="v3"), to="v2")
    assert over_v3 == today.convert(document, to="v2")
    del over_v3["spec"]["tier"]
    later = build(tmp_path / "later", facts, v1=v1, v2=v2, v3=flat % "")
    assert converted(later, over_v3, "v1")[0] == {"size": 1}


def test_a_residue_outlives_what_its_version_showed_of_it(tmp_path: Path) -> None:
    """The server prunes what was shown; a version between shows it again, and may change it."""
    facts = "    between: {v1 -> v2: {'*': {tier: {wrap: true}}}}\n"
    lists = schema(size="integer", tier="strings")
    yesterday = build(tmp_path / "old", facts, v1=lists, v2=V1, v3=V1)
    whole = both({"size": 1, "tier": ["a", "b"]})
    stored: Any = yesterday.convert(thing("v1", **whole), to="v3")
    del stored["spec"]["tier"], stored["spec"]["parts"][0]["tier"]
    today = build(tmp_path / "new", facts, v1=lists, v2=V1, v3=WITHOUT)
    assert converted(today, stored, "v1") == (whole, [])
    there: Any = today.convert(stored, to="v2")
    assert there["spec"] == both({"size": 1, "tier": "a"})
    assert converted(today, there, "v1") == (whole, [])
    again = today.convert(there, to="v3")
    assert converted(today, again, "v1") == (whole, [])
    there["spec"]["tier"] = "edited"
    del there["spec"]["parts"][0]["tier"]
    edited = {"size": 1, "tier": ["edited", "b"], "parts": [{"key": "k", "size": 1}]}
    for document in (there, today.convert(there, to="v3")):
        assert converted(today, document, "v1")[0] == edited


@pytest.mark.parametrize("side", ["older", "newer"])
def test_what_is_hidden_in_an_object_that_one_version_hides_as_a_whole_stays_in_it(
    tmp_path: Path, side: str
) -> None:
    """Alone, the entry would be of an object that is not shown; the live one says more."""
    facts = f"    between: {{v1 -> v2: {{'*': {{box: {{hides_zero: {side}}}}}}}}}\n"
    box = _HEAD + "  spec: {type: object, properties: {box: {type: object, properties: {%s}}%s}}\n"
    has, lacks = "size: {type: integer}, tier: {type: string}", "size: {type: integer}"
    v2 = box % (has, "")
    yesterday = build(tmp_path / "old", facts, v1=box % (lacks, ""), v2=v2)
    today = build(tmp_path / "new", facts, v1=box % (lacks, ", more: {}"), v2=v2)
    for spec in _BOXES:
        stored: Any = yesterday.convert(thing("v2", **spec), to="v1")
        assert converted(today, stored, "v2") == (spec, [])
    stored = yesterday.convert(thing("v2", box={"size": 1, "tier": "gold"}), to="v1")
    stored["spec"]["box"]["size"] = 2
    assert converted(today, stored, "v2") == ({"box": {"size": 2, "tier": "gold"}}, [])


def test_what_is_hidden_stays_in_an_object_that_is_hidden_after_a_version_between(
    tmp_path: Path,
) -> None:
    """The bag above keeps the object as the version between has it, with the entry in its bag."""
    facts = "    between: {v2 -> v3: {'*': {box: {hides_zero: newer}}}}\n"
    box = _HEAD + "  spec: {type: object, properties: {box: {type: object, properties: {%s}}%s}}\n"
    has, lacks = "size: {type: integer}, tier: {type: string}", "size: {type: integer}"
    v1, v2 = box % (has, ""), box % (lacks, "")
    yesterday = build(tmp_path / "old", facts, v1=v1, v2=v2, v3=v2)
    today = build(tmp_path / "new", facts, v1=v1, v2=v2, v3=box % (lacks, ", more: {}"))
    for spec in _BOXES:
        stored: Any = yesterday.convert(thing("v1", **spec), to="v3")
        assert converted(today, stored, "v1") == (spec, [])


def test_entries_of_an_unchanged_plan_are_not_looked_at(tmp_path: Path) -> None:
    """The digest of the plan travels with the entries."""
    scheme = build(tmp_path / "one", v1=V1, v2=WITHOUT)
    again = build(tmp_path / "two", v1=V1, v2=WITHOUT)
    other = build(tmp_path / "three", v1=V1, v2=schema(size="integer", shape="string"))
    assert scheme.plan == again.plan != other.plan
    stored: Any = scheme.convert(thing("v1", size=1, tier="gold"), to="v2")
    assert f'"plan":"{scheme.plan}"' in stored["metadata"]["annotations"][SPEC_ANNOTATION]
    assert again.convert(stored, to="v1") == other.convert(stored, to="v1")


SHOWN = "{type: object, properties: {shown: {type: string}}}"
ROWS = (
    "rows: {type: array, items: {type: object, properties: "
    f"{{key: {{type: string}}, more: {{type: string}}, value: {SHOWN}}}}}}}"
)
INSIDE = f"in: {{type: object, properties: {{name: {{type: string}}, {ROWS}}}}}"
MAP = f"rows: {{type: object, additionalProperties: {SHOWN}}}"


@pytest.mark.parametrize(
    ("v1", "v2", "fact", "at"),
    [
        (MAP, ROWS, "rows: {keyed: key/value}", ()),
        (
            f"{MAP}, in: {{type: object, properties: {{name: {{type: string}}}}}}",
            INSIDE,
            "rows: {move: in/rows, keyed: key/value}",
            ("in",),
        ),
    ],
)
@pytest.mark.parametrize("to", ["mid", "v2"])
def test_a_residue_is_used_at_a_version_that_is_inserted(
    v1: str, v2: str, fact: str, at: tuple[str, ...], to: str, tmp_path: Path
) -> None:
    """As it is at its own: with an edit at the stored version, but not with what was deleted."""
    older, newer = (f"{_HEAD}  spec: {{type: object, properties: {{{each}}}}}" for each in (v1, v2))
    facts = f"    between: {{v1 -> %s: {{ThingSpec: {{{fact}}}}}}}\n"
    old = build(tmp_path / "old", facts % "v2", v1=older, v2=newer)
    new = build(tmp_path / "new", facts % "mid", v1=older, mid=newer, v2=newer)
    rows: list[Any] = [
        {"key": "b", "more": "m", "value": {"shown": "s"}},
        {"key": "hidden", "more": "h"},
        {"key": "a", "value": {"shown": "x"}},
    ]
    spec: Any = {"in": {"name": "n", "rows": rows}} if at else {"rows": rows}
    before: Any = old.convert(thing("v2", **spec), to="v1")
    assert before["spec"]["rows"] == {"b": {"shown": "s"}, "a": {"shown": "x"}}
    assert converted(new, before, to) == (spec, [])
    before["spec"]["rows"]["b"]["shown"] = rows[0]["value"]["shown"] = "edited"
    assert converted(new, before, to) == (spec, [])
    del before["spec"]["rows"]["b"], rows[0]
    assert converted(new, before, to) == (spec, [])
    del before["spec"]["rows"]
    found, report = converted(new, before, to)
    assert found == ({"in": {"name": "n"}} if at else {})
    key = "/".join((*at, "rows"))
    assert report == [Dropped("/spec", "v2", key, "v1 has it now, with another value")]


@pytest.mark.parametrize("rounds", [1, 2])
def test_residues_of_a_version_that_a_build_does_not_know_are_still_that(
    tmp_path: Path, rounds: int
) -> None:
    """As where a release is rolled back for a while: what is edited there is merged or gone."""
    facts = "    between: {v2 -> v3: {'*': {tier: {wrap: true}}}}\n"
    known = build(tmp_path / "new", facts, v1=V1, v2=V1, v3=schema(size="integer", tier="strings"))
    unknown = build(tmp_path / "old", v1=V1, v2=V1)
    whole = both({"size": 1, "tier": ["a", "b"]})
    stored: Any = known.convert(thing("v3", **whole), to="v1")
    for _ in range(rounds):
        stored = unknown.convert(unknown.convert(stored, to="v2"), to="v1")
    there: Any = unknown.convert(stored, to="v2")
    assert known.convert(there, to="v3") == known.convert(stored, to="v3") == thing("v3", **whole)
    assert "$beside" not in str(known.convert(known.convert(there, to="v2"), to="v1"))
    there["spec"]["tier"] = "edited"
    del there["spec"]["parts"][0]["tier"]
    edited = {"size": 1, "tier": ["edited", "b"], "parts": [{"key": "k", "size": 1}]}
    for document in (there, unknown.convert(there, to="v1")):
        assert converted(known, document, "v3")[0] == edited


@pytest.mark.parametrize(
    ("v1", "v2", "v3", "facts"),
    named("""
moved: ["tier: {type: array, items: {type: string}}",
  "in: {type: object, properties: {tier: {type: string}}}", "",
  "v1 -> v2: {ThingSpec: {tier: {move: in/tier, wrap: true}}}"]
linked: ["tier: {type: array, items: {type: string}}", "size: {type: integer}",
  "tier: {type: string}", "v1 -> v3: {ThingSpec: {tier: {wrap: true}}}"]
"""),
)
def test_what_was_shown_of_what_moved_or_is_linked_is_known_after_an_edit_of_the_schema(
    v1: str, v2: str, v3: str, facts: str, tmp_path: Path
) -> None:
    """So an edit is merged, and what was deleted stays so, as under the plan of before."""
    text = _HEAD + "  spec: {type: object, properties: {%s}}\n"
    facts = f"    between: {{{facts}}}\n"
    versions = {name: each for name, each in (("v1", v1), ("v2", v2), ("v3", v3)) if each}
    old = build(tmp_path / "old", facts, **{name: text % each for name, each in versions.items()})
    versions["v2"] += ", other: {type: string}"
    new = build(tmp_path / "new", facts, **{name: text % each for name, each in versions.items()})
    at = "v3" if v3 else "v2"
    stored: Any = old.convert(thing("v1", tier=["a", "b"]), to=at)
    holder = stored["spec"].get("in", stored["spec"])
    holder["tier"] = "edited"
    assert converted(new, stored, "v1") == ({"tier": ["edited", "b"]}, [])
    del holder["tier"]
    assert converted(new, stored, "v1")[0] == {}


@pytest.mark.parametrize("home", ["v1", "v3"])
def test_a_version_between_gains_a_property_with_a_loss(tmp_path: Path, home: str) -> None:
    """It shows what it can, and no one takes the rest for what was deleted there."""
    away = {"v1": "v3", "v3": "v1"}[home]
    text = schema(size="integer", tier="string")
    ends = {home: schema(size="integer", tier="strings"), away: WITHOUT}
    yesterday = build(tmp_path / "old", v1=ends["v1"], v2=WITHOUT, v3=ends["v3"])
    document = thing(home, **both({"size": 1, "tier": ["a", "b"]}))
    found = yesterday.convert(document, to=away)
    edge = {"v1": "v1 -> v2", "v3": "v2 -> v3"}[home]
    facts = f"    between: {{{edge}: {{'*': {{tier: {{wrap: true}}}}}}}}\n"
    for versions in (
        {"v1": ends["v1"], "v2": text, "v3": ends["v3"]},
        {"v1": ends["v1"], "v2": text, "v2b": text, "v3": ends["v3"]},
    ):
        facts = facts.replace("v2 -> v3", "v2b -> v3") if "v2b" in versions else facts
        today = build(tmp_path / f"new{len(versions)}", facts, **versions)
        assert converted(today, found, home) == (document["spec"], [])
        shown: Any = today.convert(found, to="v2")
        assert shown["spec"] == both({"size": 1, "tier": "a"})
        assert converted(today, shown, home) == (document["spec"], [])
        for part in (shown["spec"], shown["spec"]["parts"][0]):
            del part["tier"]
        assert converted(today, shown, home) == (both({"size": 1}), [])


OPEN_BOX = f"""{_HEAD}  spec:
    type: object
    properties:
      box: {{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {{%s}}}}
"""


def closed_box(*names: str) -> str:
    """Return the schema of a kind with a box of texts."""
    members = ", ".join(f"{name}: {{type: string}}" for name in names)
    return OPEN_BOX.replace("x-kubernetes-preserve-unknown-fields: true, ", "") % members


@pytest.mark.parametrize(
    ("v1", "v2"),
    [
        (closed_box("a", "b"), OPEN_BOX % ""),
        (closed_box("a", "b", "c"), closed_box("a", "b", "c")),
        (closed_box("a", "b"), closed_box("a", "b", "c")),
        (closed_box("a"), OPEN_BOX % "a: {type: string}, c: {type: string}"),
        (OPEN_BOX % "a: {type: string}", OPEN_BOX % ""),
    ],
)
@pytest.mark.parametrize("is_list", [False, True])
def test_what_a_server_would_have_pruned_is_declared_by_now(
    tmp_path: Path, v1: str, v2: str, is_list: bool
) -> None:
    """The older version catches up with the open one; both keep all that was there."""

    def listed(text: str) -> str:
        if not is_list:
            return text
        head, box = text.split("box: ")
        return f"{head}box: {{type: array, items: {box.strip()}}}\n"

    def boxed(box: dict[str, Any]) -> dict[str, Any]:
        return {"box": [{"a": "0"}, box] if is_list else box}

    versions = listed(closed_box("a")), listed(OPEN_BOX % "")
    yesterday = build(tmp_path / "old", v1=versions[0], v2=versions[1])
    box = {"a": "A", "b": "B", "c": "C"}
    found = yesterday.convert(thing("v2", **boxed(box)), to="v1")
    assert found["spec"] == boxed({"a": "A"})
    today = build(tmp_path / "new", v1=listed(v1), v2=listed(v2))
    assert converted(today, found, "v2") == (boxed(box), [])
    there = today.convert(found, to="v2")
    assert today.convert(today.convert(there, to="v1"), to="v2") == there
    edited = thing("v1", **boxed({"a": "A", "b": "new"}))
    edited["metadata"] = found["metadata"]
    if "b:" in v1:
        spec, report = converted(today, edited, "v2")
        assert spec == boxed({**box, "b": "new"})
        assert [str(item).partition(": ")[2] for item in report] == [
            "v1/b is dropped: the live document has another value"
        ]


def test_a_default_is_not_a_value_that_wins_over_what_a_server_would_have_pruned(
    tmp_path: Path,
) -> None:
    yesterday = build(tmp_path / "old", v1=closed_box("a"), v2=OPEN_BOX % "")
    found: Any = yesterday.convert(thing("v2", box={"a": "A", "b": "B"}), to="v1")
    declared = closed_box("a", "b").replace("b: {", "b: {default: none, ")
    today = build(tmp_path / "new", v1=declared, v2=OPEN_BOX % "")
    found["spec"]["box"]["b"] = "none"
    assert converted(today, found, "v2") == ({"box": {"a": "A", "b": "B"}}, [])


def test_what_a_server_would_have_pruned_and_does_not_fit_is_kept(tmp_path: Path) -> None:
    """It is of a kind that the member cannot have."""
    yesterday = build(tmp_path / "old", v1=closed_box("a"), v2=OPEN_BOX % "")
    found: Any = yesterday.convert(thing("v2", box={"a": "A", "b": "B"}), to="v1")
    texts = "a: {type: string}, b: {type: array, items: {type: string}}"
    v1 = OPEN_BOX.replace("x-kubernetes-preserve-unknown-fields: true, ", "") % texts
    today = build(tmp_path / "new", v1=v1, v2=OPEN_BOX % "")
    spec, report = converted(today, found, "v2")
    assert spec == {"box": {"a": "A"}}
    assert [str(item) for item in report] == [
        "/spec/box: v1/b is kept, but not used: expected list, found string"
    ]
    assert '"b":"B"' in today.convert(found, to="v2")["metadata"]["annotations"][SPEC_ANNOTATION]


def _crates(**members: str) -> str:
    """Return a schema whose spec has objects with some members, named `object/member`."""
    held: dict[str, list[str]] = {}
    for path, type_ in members.items():
        name, _, inner = path.partition("__")
        held.setdefault(name, []).append(f"{inner}: {{type: {type_}}}" if inner else "")
    listed = ", ".join(
        f"{name}: {{type: object, properties: {{{', '.join(inner)}}}}}"
        if inner != [""]
        else f"{name}: {{type: string}}"
        for name, inner in held.items()
    )
    return f"{_HEAD}  spec:\n    type: object\n    properties: {{{listed}}}\n"


_BOX = _crates(tier="string", box__depth="string")
_DEPTH, _GRADE = _crates(crate__depth="string"), _crates(crate__grade="string")
_BOX_IS_CRATE = "    between: {v1 -> v2: {ThingSpec: {box: crate}}}\n"
_TIER_MOVES = "    between: {v1 -> v2: {ThingSpec: {tier: {move: crate/grade}}}}\n"
_SPEC = {"tier": "gold", "box": {"depth": "deep"}}


def test_two_edits_at_once_a_member_of_another_object(tmp_path: Path) -> None:
    """What by now is no member of the object that it was stored in is kept there as an extra."""
    yesterday = build(tmp_path / "old", _BOX_IS_CRATE, v1=_BOX, v2=_DEPTH, v3=_crates(a="string"))
    found: Any = yesterday.convert(thing("v1", **_SPEC), to="v3")
    today = build(tmp_path / "new", _TIER_MOVES, v1=_BOX, v2=_GRADE, v3=_GRADE)
    for to in ("v1", "v2"):
        there: Any = today.convert(found, to=to)
        spec, report = converted(today, there, "v3")
        assert (spec, report) == ({"crate": {"grade": "gold", "depth": "deep"}}, [])
    spec, report = converted(today, found, "v1")
    assert (spec, report) == ({"tier": "gold"}, [])


@pytest.mark.parametrize("from_box", [True, False])
def test_two_edits_at_once_and_one_object_for_two_entries(tmp_path: Path, from_box: bool) -> None:
    """The oldest entry makes the object of the version between; what was there is reported."""
    plain = _crates(a="string")
    one, other = (_BOX_IS_CRATE, _DEPTH), (_TIER_MOVES, _GRADE)
    (before, crate), (now, other_crate) = (one, other) if from_box else (other, one)
    yesterday = build(tmp_path / "old", before, v1=_BOX, v2=crate, v3=plain)
    found: Any = yesterday.convert(thing("v1", **_SPEC), to="v3")
    today = build(tmp_path / "new", now, v1=_BOX, v2=other_crate, v3=plain)
    spec, report = converted(today, found, "v1")
    assert spec == ({"tier": "gold"} if from_box else {"box": {"depth": "deep"}})
    assert [(one.origin, one.key) for one in report] == [("v2", "crate")]


def test_two_edits_at_once_and_an_undeclared_member_of_the_name(tmp_path: Path) -> None:
    """Of a property that is gone and a member of another version nobody needs the first one."""
    facts = "    between: {v1 -> v2: {'*': {tier: rank}}}\n"
    ranked = schema(rank="string", tier="string")
    yesterday = build(tmp_path / "old", facts, v1=V1, v2=ranked, v3=WITHOUT)
    found: Any = yesterday.convert(thing("v2", rank="shown", tier="hidden"), to="v1")
    assert found["spec"] == {"tier": "shown"}
    today = build(tmp_path / "new", v1=WITHOUT, v2=WITHOUT, v3=V1)
    said = "v2/tier is dropped: its version has an undeclared member of its name, and keeps that"
    spec, report = converted(today, found, "v3")
    assert (spec, [*map(str, report)]) == ({}, [f"/spec: {said}"])
    between: Any = today.convert(found, to="v2")
    spec, report = converted(today, between, "v3")
    assert (spec, [*map(str, report)]) == ({}, [f"/spec: {said}"])
    assert converted(today, today.convert(between, to="v3"), "v1") == ({"tier": "shown"}, [])


TIERS = schema(size="integer", tier="strings")


def back_with_another_type(root: Path) -> tuple[Scheme, Scheme, Any]:
    """Return a first group, one whose v2 has another `tier`, and a thing at v2 between: without."""
    first = build(root / "first", v1=WITHOUT, v2=V1, v3=WITHOUT)
    hidden: Any = first.convert(thing("v2", size=1, tier="gold"), to="v3")
    lost = build(root / "lost", v1=V1, v2=WITHOUT, v3=WITHOUT)
    other = build(root / "other", v1=WITHOUT, v2=TIERS, v3=WITHOUT)
    return first, other, lost.convert(hidden, to="v2")


def test_what_is_back_and_has_another_type_by_now_waits_until_it_fits(tmp_path: Path) -> None:
    """Its version lost it, and declares something else under its name: that says nothing of it."""
    first, other, found = back_with_another_type(tmp_path)
    report: list[Any] = []
    there: Any = other.convert(found, to="v3", report=report)
    assert [*map(str, report)] == [
        "/spec: v2/tier is kept, but not used: expected list, found string"
    ]
    assert converted(other, there, "v2") == ({"size": 1}, [])
    assert converted(first, there, "v2") == ({"size": 1, "tier": "gold"}, [])


def test_what_is_back_with_bags_in_it_is_read_under_the_plan_of_today(tmp_path: Path) -> None:
    """A list that a version lost, and has again with a member that its elements hid."""
    poor, rich = "{key: {type: string}}", "{key: {type: string}, port: {type: string}}"
    items = "{type: array, items: {type: object, properties: ITEM}}"
    listed = f"{_HEAD}  spec: {{type: object, properties: {{parts: {items}}}}}\n"
    v1, v2 = (listed.replace("ITEM", item) for item in (rich, poor))
    plain = _HEAD + "  spec: {type: object, properties: {size: {type: integer}}}\n"
    spec = {"parts": [{"key": "a", "port": "x"}, {"key": "b", "port": "y"}]}
    first = build(tmp_path / "first", v1=v1, v2=v2, v3=plain)
    hidden: Any = first.convert(thing("v1", **spec), to="v3")
    lost = build(tmp_path / "lost", v1=plain, v2=plain, v3=plain)
    found: Any = lost.convert(hidden, to="v2")
    again = build(tmp_path / "again", v1=v1, v2=v1, v3=plain)
    assert converted(again, found, "v1") == (spec, [])
    there: Any = again.convert(found, to="v3")
    assert converted(again, there, "v2") == (spec, [])


def test_what_was_set_aside_and_whose_place_was_taken_is_reported(tmp_path: Path) -> None:
    """Its version kept another value of the name while it waited for another plan."""
    _, other, found = back_with_another_type(tmp_path)
    shown: Any = other.convert(other.convert(found, to="v3"), to="v2")
    shown["spec"]["tier"] = ["silver"]
    there: Any = other.convert(shown, to="v3")
    for today, tier in (
        (build(tmp_path / "more", v1=TIERS, v2=TIERS, v3=WITHOUT), {"tier": ["silver"]}),
        (build(tmp_path / "again", v1=TIERS, v2=WITHOUT, v3=WITHOUT), {}),
    ):
        spec, report = converted(today, there, "v2")
        assert spec == {"size": 1, **tier}
        assert [*map(str, report)] == [
            "/spec: v2/tier is dropped: its version kept another value of its name since then"
        ]


def test_what_a_kept_object_hid_is_used_where_its_version_declares_it_again(
    tmp_path: Path,
) -> None:
    """An object came into the bag of another version, which had lost a member of it."""
    poor, rich = _crates(box__depth="string"), _crates(box__width="string")
    plain = _crates(tier="string")
    first = build(tmp_path / "first", v1=poor, v2=rich, v3=rich)
    hidden: Any = first.convert(thing("v2", box={"width": "wide"}), to="v1")
    lost = build(tmp_path / "lost", v1=poor, v2=plain, v3=plain)
    other = build(tmp_path / "other", v1=poor, v2=poor, v3=plain)
    found: Any = other.convert(lost.convert(hidden, to="v2"), to="v3")
    again = build(tmp_path / "again", v1=poor, v2=rich, v3=rich)
    assert converted(again, found, "v2") == ({"box": {"width": "wide"}}, [])
    there: Any = again.convert(found, to="v1")
    assert converted(again, there, "v3") == ({"box": {"width": "wide"}}, [])


def test_what_a_version_lost_does_not_take_the_name_that_another_one_gains(tmp_path: Path) -> None:
    """It is neither an undeclared member nor the property of another version."""
    first = build(tmp_path / "first", v1=WITHOUT, v2=WITHOUT, v3=V1)
    hidden: Any = first.convert(thing("v3", size=1, tier="gold"), to="v2")
    lost = build(tmp_path / "lost", v1=WITHOUT, v2=WITHOUT, v3=WITHOUT)
    found: Any = lost.convert(hidden, to="v3")
    gained = build(tmp_path / "gained", v1=TIERS, v2=TIERS, v3=WITHOUT)
    there: Any = gained.convert(found, to="v2")
    assert there["spec"] == {"size": 1}
    back: Any = gained.convert(there, to="v3")
    assert converted(first, back, "v2")[0] == {"size": 1}
    assert converted(first, first.convert(back, to="v2"), "v3") == ({"size": 1, "tier": "gold"}, [])


def test_what_could_not_be_used_and_whose_place_was_taken_is_reported(tmp_path: Path) -> None:
    """It is tried again under each plan, until another value is in its place."""
    stash = "    between: {v1 -> v2: {'*': {tier: {strategy: stash}}}}\n"
    first = build(tmp_path / "first", stash, v1=V1, v2=schema(size="integer", tier="integer"))
    hidden: Any = first.convert(thing("v2", size=1, tier=7), to="v1")
    hidden["spec"]["tier"] = "gold"
    named = schema(size="integer", tier="object, properties: {name: {type: string}}")
    facts = "    between: {v1 -> v2: {'*': {tier: {reference: name}}}}\n"
    there: Any = build(tmp_path / "gained", facts, v1=V1, v2=named).convert(
        hidden, to="v2", tolerant=True
    )
    assert there["spec"] == {"size": 1, "tier": {"name": "gold"}}
    lost = build(tmp_path / "lost", v1=WITHOUT, v2=named)
    report: list[Any] = []
    below: Any = lost.convert(there, to="v1", report=report, tolerant=True)
    assert below["spec"] == {"size": 1}
    assert [*map(str, report)] == [
        "/spec: v2/tier is kept, but not used: expected object, found integer"
    ]
    more = named.replace("size", "more: {type: integer}, size", 1)
    spec, report = converted(build(tmp_path / "later", v1=WITHOUT, v2=more), below, "v2")
    assert spec == {"size": 1, "tier": {"name": "gold"}}
    assert [*map(str, report)] == [
        "/spec: v2/tier is dropped: its version kept another value of its name since then"
    ]


_BOX_SPEC = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="bag")
)


def cut(number: int) -> int:
    return min(number, 99)


def text(number: int) -> str:
    return str(number)


def number(text: str) -> int:
    return int(text)


@resource(group="example.com")
class BoxSpec:
    size: {}
"""
_ADDED, _ADDED_TEXT = ('Annotated[U32, added("v2")', 'Annotated[str, added("v2")]')
_CUT = 'changed("v3", from_type=U8, downgrade_with=cut)]'
_SHOWN = 'Annotated[str, changed("v2", from_type=U32, upgrade_with=text, downgrade_with=number)]'


def test_of_two_entries_for_one_place_one_is_reported(declared: Declaring) -> None:
    """What showed the newer one in part was kept beside it; by now both mean the same."""
    yesterday = declared(_BOX_SPEC.replace("{}", f"{_ADDED}, {_CUT}"))
    start = resource("example.com/v3", "Box", "a", spec={"size": 500})
    found = yesterday.convert(start, to="v1")
    today = declared(_BOX_SPEC.replace("{}", f"{_ADDED}]"))
    spec, report = converted(today.scheme, found, "v2")
    assert spec == {"size": 99}
    assert [*map(str, report)] == ["/spec: v3/size is dropped: v2 has it now, with another value"]


@pytest.mark.parametrize("live", [None, "7"])
def test_what_a_function_fails_on_is_reported(declared: Declaring, live: str | None) -> None:
    """Nothing shows it; it is kept unless a value has been written since then."""
    yesterday = declared(_BOX_SPEC.replace("{}", _ADDED_TEXT))
    start = resource("example.com/v2", "Box", "a", spec={"size": "many"})
    found = yesterday.convert(start, to="v1")
    if live is not None:
        found["spec"]["size"] = int(live)
    today = declared(_BOX_SPEC.replace("{}", _SHOWN))
    spec, report = converted(today.scheme, found, "v2")
    assert spec == ({} if live is None else {"size": live})
    [said] = map(str, report)
    if live is None:
        assert said.startswith("/spec: v2/size is kept, but not used: ")
        assert said.endswith(":number: ValueError: invalid literal for int() with base 10: 'many'")
    else:
        assert said == "/spec: v2/size is dropped: v1 has it now, with another value"
    if live is None:
        there: Any = today.convert(today.convert(found, to="v2"), to="v1")
        assert converted(yesterday.scheme, there, "v2") == ({"size": "many"}, [])


_SHAPES = {
    "s": ("key", "string"),
    "o": ("key", "object, properties: {name: {type: string}, note: {type: string}}"),
    "n": ("key", "object, properties: {name: {type: string}}"),
    "r": ("ref", "object, properties: {name: {type: string}, note: {type: string}}"),
    "q": ("ref", "string"),
    "m": ("box/key", "object, properties: {name: {type: string}, note: {type: string}}"),
}


def _letters(root: Path, plan: str) -> Scheme:
    """Return the scheme of a plan like `nq-`: what each version has, `-` if that is nothing."""
    versions, facts = {}, []
    for number, letter in enumerate(plan, 1):
        name, kind = _SHAPES.get(letter, ("tier", "string"))
        if "/" in name:
            name, kind = "box", f"object, properties: {{key: {{type: {kind}}}}}"
        members = f"size: {{type: integer}}, {name}: {{type: {kind}}}"
        spec = f"  spec:\n    type: object\n    properties: {{{members}}}\n"
        versions[f"v{number}"] = _HEAD + spec
    had = [(number, letter) for number, letter in enumerate(plan, 1) if letter != "-"]
    for (one, before), (other, after) in pairwise(had):
        (name, _), (new, _) = _SHAPES[before], _SHAPES[after]
        said = [f"{'move' if '/' in name + new else 'rename'}: {new}"] if name != new else []
        said += ["reference: name"] if (before in "sq") != (after in "sq") else []
        if said:
            facts.append(f"v{one} -> v{other}: {{ThingSpec: {{{name}: {{{', '.join(said)}}}}}}}")
    between = f"    between: {{{', '.join(facts)}}}\n" if facts else ""
    return build(root / plan, between, **versions)


@pytest.mark.parametrize(
    ("first", "steps", "said"),
    [
        ("nqo 3", "nqo 1, soo 3", "v3/key is dropped: v1 has it now, with another value"),
        ("oqm 1", "oqm 3, sqm 1", "v1/key is dropped: v3 has it now, with another value"),
        ("oqn 1", "oqn 3, sor 2, soo 3", "v1/key is kept, but not used: "),
        ("osr 1", "osr 3, mrm 2, srr 3", "v1/key is kept, but not used: "),
        ("os- 1", "os- 2, q-r 3, srs 1", "v1/key is kept, but not used: "),
        ("sor 2", "sor 1, sqm 3, nsm 2", "v2/key is kept, but not used: "),
    ],
)
def test_what_types_of_today_cannot_hold_is_kept_or_reported(
    tmp_path: Path, first: str, steps: str, said: str
) -> None:
    """A conversion would take it for the rest of a value that a client has edited."""
    report: list[Any] = []
    version = f"v{first[-1]}"
    found: Any = thing(version, key={"name": "TN", "note": "TO"})
    for step in steps.split(", "):
        plan, number = step.split()
        assert not report
        scheme = _letters(tmp_path, plan)
        found = scheme.convert(found, to=f"v{number}", report=report, tolerant=True)
    [one] = map(str, report)
    assert one.startswith(f"/spec: {said}")
    assert ("TO" in json.dumps(found)) == ("kept" in said)


def test_what_moves_is_not_taken_for_what_its_version_lost(tmp_path: Path) -> None:
    """Its key is a path. Of two entries for one place, that of a lost property would give way."""
    spec = {"box": {"key": {"name": "TN", "note": "TO"}}}
    found: Any = _letters(tmp_path, "mqq").convert(thing("v1", **spec), to="v2")
    there: Any = _letters(tmp_path, "mqs").convert(found, to="v3")
    text = there["metadata"]["annotations"][SPEC_ANNOTATION]
    assert json.loads(text)["bags"] == {"/spec": {"v1": {"box": {}, "box/key": spec["box"]["key"]}}}
