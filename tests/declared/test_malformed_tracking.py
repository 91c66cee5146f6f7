"""Tracking data that anybody may have written: dropped with a warning, or a located error, never a
crash; and nothing else is lost by it. Source: docs/declared.md, "Tracking"."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from holdall.carriers.reports import Dropped
from holdall.errors import ConversionError, HoldallError, TrackedValueError
from tests.support.declared import Declared, Declaring

FLEET = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"), tracking={})


def to_short(tons: int) -> int:
    return min(tons, 65535)


@obj
class Mast:
    name: str
    height: Annotated[U8, added("v1beta1")]


@obj
class Flag:
    color: str
    crest: Annotated[str, added("v1beta1")]


@union
class Cargo:
    Nothing: Unit
    Held: Flag
    Two: tuple[Flag, str]
    Deep: Annotated[Flag, added("v1beta1", fallback="Nothing")]


@obj
class FleetStatus:
    ready: bool
    seen: Annotated[str, added("v1beta1")]


@resource(group="sea.example.com", status=FleetStatus)
class FleetSpec:
    crew: Annotated[U16, added("v1beta1")]
    tons: Annotated[
        U32, changed("v1beta1", from_name="weight", from_type=U16, downgrade_with=to_short)
    ]
    masts: list[Mast]
    flags: list[Flag]
    log: dict[str, Flag]
    grid: list[list[Flag]]
    tags: list[str]
    held: Cargo
    pair: Cargo
    lost: Cargo
    motto: Annotated[str | None, added("v1beta1")]
"""
NEW: dict[str, Any] = {
    "crew": 40,
    "tons": 70000,
    "masts": [{"name": "main", "height": 30}, {"name": "fore", "height": 7}],
    "flags": [{"color": "red", "crest": "lion"}, {"color": "blue", "crest": "bear"}],
    "log": {"monday": {"color": "white", "crest": "owl"}, "a.b'c": {"color": "x", "crest": "y"}},
    "grid": [[{"color": "g", "crest": "h"}]],
    "tags": ["t"],
    "held": {"Held": {"color": "c", "crest": "d"}},
    "pair": {"Two": [{"color": "c", "crest": "e"}, "s"]},
    "lost": {"Deep": {"color": "deep", "crest": "sea"}},
    "motto": "onward",
}


def deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


WRONG: list[Any] = [
    *(None, True, False, 5, -1, 1.5, 10**30, "", "x", "$", [], ["x"], {}, {"a": 1}, [None]),
    *({"value": 1}, [{}], [[]], deep(200)),
]
PATHS = [
    *("", "$", "$.", "$..crew", "crew", "$.nothing", "$.crew.x", "$.crew[0]", "$[0]", "$.tags[0]"),
    *("$.tags[0].x", "$.masts[*].height", "$.masts[0:1].height", "$.masts[-1].height", "$.*"),
    *("$.masts[0]", "$.masts.height", "$.masts.main.height", "$.masts[9].height"),
    *(f"$.masts[{10**30}].height", f"$.masts[{'9' * 5000}].height", "$.masts[?@.name==main].x"),
    *("$.masts[?@.name=='none'].height", "$.masts[?@.nope=='main'].height", "$.masts[?@.name=="),
    *("$.masts[?@.name==5].height", f"$.masts[?@.name=={'9' * 5000}].height", "$.masts[?(@)]"),
    *("$.masts[?@.name=='main' && @.color=='x'].height", "$.masts[?@.height==30].height"),
    *("$.log[0].crest", "$.log.nobody.crest", "$.log", "$.log.monday", "$.log.monday.x.y"),
    *("$.grid[0].crest", "$.grid[0][9].crest", "$.grid[0][0]", "$.grid[0][0][0].crest"),
    *("$.held.Held", "$.held.Two[0].crest", "$.held.Nothing.crest", "$.held.Held.nope"),
    *("$.pair.Two[2].crest", "$.pair.Two.crest", "$.pair.Two[1].crest", "$.pair[0].crest"),
    *("$.lost.Deep", "$.lost.Deep.crest", "$.lost['$unit']", "$['$unit']", "$['$absent']"),
    *("$['$became']", "$['$value']", "$['$user']", "$['$originalVersion']", "$['$propertyBag']"),
    *("$.extra_", "$.property_bag", "$.metadata.name", "$.spec.crew", "$.status.seen", "$ .crew"),
    *("$" + ".a" * 3000, "$" + "[0]" * 3000, "$['", "$[''", "$['\\u12'].x", "$.\u0000", "$['']"),
]
GUARDS: list[Any] = [
    *(["x"], [""], ["2:"], [":"], ["2:zzzzzzzzzzzzzzzz"], ["2:0123456789abcdef"], ["99:"]),
    *([f"{'9' * 5000}:0123456789abcdef"], ["2:0123456789abcdef]"], ["/"], ["~"], [5], [["x"]]),
    *(["2:0123456789abcdef"] * 3, "2:0123456789abcdef", {"0": "x"}, None, 5, True),
]


def fleet(version: str, spec: Any, status: Any = None, metadata: Any = None) -> dict[str, Any]:
    return {
        "apiVersion": f"sea.example.com/{version}",
        "kind": "Fleet",
        "metadata": metadata or {"name": "f"},
        "spec": spec,
        "status": status or {"ready": True, "seen": "now"},
    }


@pytest.fixture(scope="module", params=["status", "annotation"])
def fleets(request: pytest.FixtureRequest, declared: Declaring) -> Fleets:
    tolerant = f'Tracking(carrier="{request.param}", on_bad_value="tolerant")'
    return Fleets(
        declared(FLEET.format(f'Tracking(carrier="{request.param}")')),
        declared(FLEET.format(tolerant)),
        request.param == "annotation",
    )


class Fleets:
    """A group and its tolerant twin; an old document of it with all its entries."""

    def __init__(self, strict: Declared, tolerant: Declared, in_annotation: bool) -> None:
        self.strict, self.tolerant, self.in_annotation = strict, tolerant, in_annotation
        self.new = fleet("v1", NEW)
        old = strict.convert(self.new, to="v1alpha1")
        self.entries = self.take(old)
        self.old = old

    def take(self, document: dict[str, Any]) -> list[dict[str, Any]]:
        """Take the entries out of a document: for v1beta1, where all of them are."""
        entries = document["status"].pop("changedValues", {}).get("upgrades", {}).get("v1beta1", [])
        if self.in_annotation:
            text = document["metadata"].pop("annotations")["sea.example.com/changed-values"]
            entries = json.loads(text)["upgrades"]["v1beta1"] + entries
        found: list[dict[str, Any]] = entries
        return found

    def with_sections(self, sections: Any) -> dict[str, Any]:
        """Return the old document with whatever stands where tracked values do."""
        document: dict[str, Any] = copy.deepcopy(self.old)
        if self.in_annotation:
            text = sections if isinstance(sections, str) else json.dumps(sections)
            document["metadata"]["annotations"] = {"sea.example.com/changed-values": text}
        else:
            document["status"]["changedValues"] = copy.deepcopy(sections)
        return document

    def with_entries(self, entries: Any) -> dict[str, Any]:
        return self.with_sections({"upgrades": {"v1beta1": entries}})

    def without(self, index: int) -> dict[str, Any]:
        """Return what becomes of the document if one entry is not there."""
        rest = [entry for at, entry in enumerate(self.entries) if at != index]
        converted: dict[str, Any] = self.strict.convert(self.with_entries(rest), to="v1")
        return converted

    def outcome(self, document: dict[str, Any], *, tolerant: bool = False) -> tuple[Any, list[Any]]:
        """Return the result, or the error; and the warnings. Anything but a located error of a
        tracked value is a failure of the test."""
        group = self.tolerant if tolerant else self.strict
        before = copy.deepcopy(document)
        report: list[Any] = []
        try:
            found: Any = group.convert(document, to="v1", report=report)
        except ConversionError as error:
            assert isinstance(error.__cause__, TrackedValueError), error
            assert 'tracked value for "v1beta1" at $' in str(error)
            assert not tolerant
            found = error
        assert document == before
        return found, [item for item in report if isinstance(item, Dropped)]


def test_the_specimen_is_complete(fleets: Fleets) -> None:
    """Each entry restores what it belongs to, and all of them everything."""
    assert fleets.strict.convert(fleets.with_entries(fleets.entries), to="v1") == fleets.new
    assert len(fleets.entries) == 14
    for index, entry in enumerate(fleets.entries):
        assert fleets.without(index) != fleets.new, entry


def test_a_warning_says_which_entry_is_dropped_and_why(fleets: Fleets) -> None:
    """The place is that of the entry, or of its property."""
    unknown = {"jsonPath": "$.crows", "value": 1}
    _, warnings = fleets.outcome(fleets.with_entries([{"value": 1}, unknown]))
    assert [*map(str, warnings)] == [
        "/status/changedValues/upgrades/v1beta1/0: there is no jsonPath: the entry for v1beta1"
        " is dropped",
        "$.crows: there is no property 'crows': the entry for v1beta1 is dropped",
    ]


Change = tuple[str, Callable[[dict[str, Any]], None]]


def changes() -> Iterator[Change]:
    """Yield what may have become of an entry: each part missing, or another thing."""
    for key in ("jsonPath", "value", "downgradedValue", "guards", "root", "absent"):
        yield f"no {key}", lambda entry, key=key: entry.pop(key, None)  # type: ignore[misc]
        for number, wrong in enumerate([*WRONG, *(GUARDS if key == "guards" else ())]):
            yield (
                f"{key} {number}",
                lambda entry, key=key, wrong=wrong: entry.update({key: wrong}),  # type: ignore[misc]
            )
    for path in PATHS:
        yield path[:40], lambda entry, path=path: entry.update(jsonPath=path)  # type: ignore[misc]
    for root in ("object", "metadata", "spec", "status", "Spec"):
        yield root, lambda entry, root=root: entry.update(root=root)  # type: ignore[misc]
    yield "fieldName", lambda entry: entry.update(jsonPath=None, fieldName="nothing")
    yield "wrong fieldName", lambda entry: entry.update(jsonPath=None, fieldName=5)


def test_whatever_became_of_an_entry_only_it_is_lost(fleets: Fleets) -> None:
    """It still restores its value, or is dropped with a warning, or is a located error of a value
    that does not fit, which the tolerant option drops."""
    for index, entry in enumerate(fleets.entries):
        without = fleets.without(index)
        for name, change in changes():
            made = copy.deepcopy(fleets.entries)
            change(made[index])
            document = fleets.with_entries(made)
            where = f"{entry['jsonPath']}: {name}"
            found, warnings = fleets.outcome(document)
            if isinstance(found, ConversionError):
                lenient, warnings = fleets.outcome(document, tolerant=True)
                assert lenient == without, where
                assert warnings, where
            else:
                is_harmless = found == fleets.new and not warnings
                is_dropped = found == without and warnings
                assert is_harmless or is_dropped or fits(entry, made[index]), where


def fits(entry: dict[str, Any], made: dict[str, Any]) -> bool:
    """Tell whether a changed entry is a sound one: another value of the type at its place, null as
    partial objects may hold it, an absent one, or the trace of an edit, which wins."""
    if made == {**entry, "downgradedValue": made.get("downgradedValue")}:
        return True
    if made == {**entry, "absent": True} or made == {**entry, "value": None}:
        return True
    value, path = made.get("value"), made["jsonPath"]
    if path in ("$['$originalVersion']", "$['$propertyBag']"):  # Members of the user's own.
        return True
    if made != {**entry, "value": value}:
        return False
    if path == "$.lost":  # Variants that are not known may occur, in any object.
        return type(value) is str or (type(value) is dict and len(value) == 1)
    if path.endswith((".crest", ".motto", ".seen")):
        return type(value) is str
    limit = {"$.crew": 2**16, "$.tons": 2**32}.get(path, 2**8)
    return type(value) is int and 0 <= value < limit


def sections() -> Iterator[tuple[str, Callable[[list[Any]], Any], bool]]:
    """Yield wrong things instead of sections, made with the right entries, and whether these are
    still where they belong; the entries of another, unknown version are always kept."""
    for number, wrong in enumerate([item for item in WRONG if item not in ({}, None)]):
        yield f"all {number}", lambda entries, wrong=wrong: wrong, False  # type: ignore[misc]
        yield (
            f"upgrades {number}",
            lambda entries, wrong=wrong: {"upgrades": wrong},  # type: ignore[misc]
            False,
        )
        yield (
            f"list {number}",
            lambda entries, wrong=wrong: {"upgrades": {"v1beta1": wrong}},  # type: ignore[misc]
            False,
        )
        yield (
            f"entry {number}",
            lambda entries, wrong=wrong: {  # type: ignore[misc]
                "upgrades": {"v1beta1": [wrong, *entries, wrong]}
            },
            True,
        )
        yield (
            f"beside {number}",
            lambda entries, wrong=wrong: {  # type: ignore[misc]
                "downgrades": wrong,
                "upgrades": {"v1beta1": entries, "v1": wrong},
            },
            True,
        )


def test_whatever_became_of_a_section_the_others_are_used(fleets: Fleets) -> None:
    """Wrong sections, lists and entries are dropped, and what stands beside them is not."""
    bare = fleets.strict.convert(fleets.with_sections({}), to="v1")
    for name, make, is_used in sections():
        document = fleets.with_sections(make(copy.deepcopy(fleets.entries)))
        found, _ = fleets.outcome(document)
        if isinstance(found, ConversionError):
            found, _ = fleets.outcome(document, tolerant=True)
        without_leftovers(found)
        assert found == (fleets.new if is_used else bare), name


def without_leftovers(document: dict[str, Any]) -> None:
    """Remove what is kept of sections that no step has looked into."""
    for holder, key in (
        (document["status"], "changedValues"),
        (document["metadata"].get("annotations", {}), "sea.example.com/changed-values"),
    ):
        holder.pop(key, None)
    if document["metadata"].get("annotations") == {}:
        del document["metadata"]["annotations"]


def test_the_last_of_two_entries_wins(fleets: Fleets) -> None:
    """Another spelling of a path is the same path."""
    first = {"jsonPath": "$.crew", "value": 1}
    for path in ("$.crew", "$['crew']", '$["crew"]'):
        document = fleets.with_entries([first, {"jsonPath": path, "value": 2}])
        found, _ = fleets.outcome(document)
        assert found["spec"]["crew"] == 2


@pytest.mark.parametrize("annotations", [None, 5, [], "x", {"other": 5}, {"a/changed-values": {}}])
def test_other_annotations_stay_as_they_are(fleets: Fleets, annotations: Any) -> None:
    """Only the key of the group is looked at."""
    document = fleets.with_sections({})
    document["metadata"]["annotations"] = annotations
    found, _ = fleets.outcome(document)
    assert found["metadata"] == {"name": "f", "annotations": annotations}


@pytest.mark.parametrize(
    "text",
    [
        *(
            None,
            5,
            True,
            [],
            ["x"],
            {},
            {"upgrades": {}},
            "",
            "{",
            "nul",
            "[1",
            '"x"',
            "5",
            r'"\ud800"',
        ),
        *("[" * 5000 + "]" * 5000, '{"upgrades":' * 3000 + "1" + "}" * 3000, '{"upgrades": NaN}'),
        '{"upgrades": {"v1beta1": [], "v1beta1": [{}]}, "upgrades": {"v1beta1": [5]}}',
    ],
    ids=lambda value: repr(value)[:20],
)
def test_an_annotation_may_hold_anything(fleets: Fleets, text: Any) -> None:
    """What is no text, no JSON or no sections is dropped; other annotations stay."""
    document = copy.deepcopy(fleets.old)
    key = "sea.example.com/changed-values"
    document["metadata"]["annotations"] = {"kept": "yes", key: text}
    found, warnings = fleets.outcome(document)
    bare = fleets.strict.convert(fleets.with_sections({}), to="v1")
    assert found["spec"] == bare["spec"]
    assert found["metadata"] == {"name": "f", "annotations": {"kept": "yes"}}
    assert warnings or text in ({}, {"upgrades": {}})


def test_deep_values_are_refused_or_kept_but_crash_nothing(fleets: Fleets) -> None:
    """As deep as a document may be at all."""
    for depth in (50, 500, 5000):
        entry = {"jsonPath": "$.crew", "value": deep(depth)}
        document = {**fleets.old, "status": {"changedValues": {"upgrades": {"v1beta1": [entry]}}}}
        try:
            fleets.strict.convert(document, to="v1")
        except HoldallError as error:
            assert str(error)


def positions(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all values within a JSON value."""
    yield path
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from positions(item, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy with another value at one place."""
    if not path:
        return new
    made = copy.deepcopy(value)
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = new
    return made


def test_a_wrong_bag_crashes_nothing(declared: Declaring) -> None:
    """With bags as carrier, whatever stands at any place of the annotation: the values that need
    no bag arrive, or the error is located."""
    group = declared(FLEET.format('Tracking(carrier="bag")'))
    old = group.convert(fleet("v1", NEW), to="v1alpha1")
    (key, text), *_ = old["metadata"]["annotations"].items()
    content = json.loads(text)
    for path in positions(content):
        for wrong in WRONG:
            document = copy.deepcopy(old)
            document["metadata"]["annotations"][key] = json.dumps(replaced(content, path, wrong))
            try:
                found = group.convert(document, to="v1")
            except ConversionError as error:
                assert error.__cause__ is not None
                assert str(error)
                continue
            assert found["spec"]["tags"] == ["t"], (path, wrong)
            assert [mast["name"] for mast in found["spec"]["masts"]] == ["main", "fore"]
