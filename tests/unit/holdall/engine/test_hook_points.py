"""Running hooks: claims prune, the view is limited, failures are wrapped and located."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import holdall as h
from holdall.engine.hook_points import bind
from holdall.engine.hooks import BagView, Claims, Composed, SharedHook, claims
from holdall.engine.member_ways import Way
from holdall.engine.members import finish, pull, start, stash
from holdall.errors import BagError, ConversionError, DecodeError
from holdall.text.json import copy
from tests.support.objects import resource
from tests.support.projects import THING_CONFIG, build_project, group_of, scheme_of, written_hook
from tests.unit.twins import edge, twin

Older = twin("v1", "Older", {"name": str, "old": str})
Newer = twin("v2", "Newer", {"name": str, "new": str})
Act = Callable[[Any, Any, BagView], None]


def nothing(source: Any, destination: Any, bag: BagView) -> None:
    """Do nothing."""


def run(
    act: Act,
    *,
    reads: tuple[str, ...] = (),
    writes: tuple[str, ...] = (),
    document: dict[str, Any],
    strict: bool = False,
) -> dict[str, Any]:
    """Convert an Older with a hook, and return what was written of the Newer."""

    class OlderHooks:
        @claims(reads=reads, writes=writes)
        def assign_properties_to(self, source: Any, destination: Any, bag: BagView) -> None:
            act(source, destination, bag)

    return convert(OlderHooks(), document, strict=strict)


def convert(hook: object, document: dict[str, Any], *, strict: bool = False) -> dict[str, Any]:
    crossing, _ = edge(Older, Newer, only_older=("old",), only_newer=("new",))
    bind(crossing, hook, "to", strict=strict)
    crossing.prepare(same=False)
    old = copy(document)
    new = start(old, crossing)
    if "old" in new:
        stash(new, "v1", "old")
    if "$propertyBag" in old:
        pull(new, old, crossing, "new")
    return finish(crossing, old, new, Way())


# --- claims ---


def test_an_unclaimed_property_stays_in_the_bag() -> None:
    """Without a claim a hook has no influence on the bag."""
    assert run(nothing, document={"old": "o"}) == {"$propertyBag": {"v1": {"old": "o"}}}


def test_a_property_that_is_read_leaves_the_bag() -> None:
    """What generated code stashed for a claimed property is the hook's now."""
    assert run(nothing, reads=("old",), document={"old": "o"}) == {}


def test_a_property_that_is_kept_by_hand_stays() -> None:
    """A hook that puts a claimed property under its own name keeps what it put."""

    def act(source: Any, destination: Any, bag: BagView) -> None:
        bag.put("old", "kept")

    found = run(act, reads=("old",), writes=("bag:old",), document={"old": "o"})
    assert found == {"$propertyBag": {"v1": {"old": "kept"}}}


def test_what_an_earlier_way_back_did_not_use_is_no_hint() -> None:
    """Only the hook knows when its entry is right: what it does not put again is gone."""
    document = {"$propertyBag": {"v1": {"hint": 1, "other": 2}}}
    kept = run(nothing, writes=("bag:hint",), document=document)
    assert kept == {"$propertyBag": {"v1": {"other": 2}}}


def test_a_written_property_supersedes_its_entry() -> None:
    """An entry of the destination's version that could be pulled later is gone."""

    def act(source: Any, destination: Any, bag: BagView) -> None:
        destination.new = source.old

    bag = {"v2": {"new": "stale"}, "v9": {"new": "foreign"}}
    found = run(act, reads=("old",), writes=("new",), document={"old": "o", "$propertyBag": bag})
    assert found == {"new": "o", "$propertyBag": {"v9": {"new": "foreign"}}}


@pytest.mark.parametrize(
    ("reads", "writes", "expected"),
    [
        ((), (), {"more": 1, "other": 2}),
        (("extra:more",), (), {"other": 2}),
        (("extra:more",), ("extra:more",), {"more": 1, "other": 2}),
    ],
)
def test_a_claimed_extra_does_not_pass(
    reads: tuple[str, ...], writes: tuple[str, ...], expected: dict[str, Any]
) -> None:
    """An extra that the hook reads is taken away, unless the hook writes it too."""
    document = {"more": 1, "other": 2}
    assert run(nothing, reads=reads, writes=writes, document=document) == expected


def test_a_claimed_extra_that_was_stashed_leaves_the_bag() -> None:
    """An extra whose name the destination declares waits in the bag, unless claimed."""
    document = {"new": "extra"}
    assert run(nothing, document=document) == {"$propertyBag": {"v1": {"new": "extra"}}}
    assert run(nothing, reads=("extra:new",), document=document) == {}


# --- the bag view ---


def test_the_view_puts_under_the_source_and_reads_under_the_destination() -> None:
    """A hook never names origins."""
    seen: list[Any] = []

    def act(source: Any, destination: Any, bag: BagView) -> None:
        seen.append(("key" in bag, bag.get("key"), bag.get("none", "default")))
        bag.put("key", {"x": None})

    document = {"$propertyBag": {"v2": {"key": [1]}, "v1": {"key": "older"}}}
    found = run(act, reads=("bag:key", "bag:none"), writes=("bag:key",), document=document)
    assert seen == [(True, [1], "default")]
    # The entry that was read belongs to the hook: it does not stay behind.
    assert found == {"$propertyBag": {"v1": {"key": {"x": None}}}}


def test_the_view_copies() -> None:
    """Neither what was put nor what was got is the bag's own value."""
    value: dict[str, Any] = {"x": [1]}

    def act(source: Any, destination: Any, bag: BagView) -> None:
        bag.put("key", value)
        value["x"].append(2)
        got: Any = bag.get("other")
        got.append(3)
        assert bag.pull("other") == [1]
        assert "other" not in bag
        assert bag.pull("other", "gone") == "gone"

    found = run(
        act,
        reads=("bag:other",),
        writes=("bag:key",),
        document={"$propertyBag": {"v2": {"other": [1]}}},
    )
    assert found == {"$propertyBag": {"v1": {"key": {"x": [1]}}}}


def test_null_is_an_entry() -> None:
    """An explicit null is put, found, and got as null."""

    def act(source: Any, destination: Any, bag: BagView) -> None:
        assert "key" in bag
        assert bag.get("key", "default") is None
        bag.put("key", None)

    found = run(
        act,
        reads=("bag:key",),
        writes=("bag:key",),
        document={"$propertyBag": {"v2": {"key": None}}},
    )
    assert found == {"$propertyBag": {"v1": {"key": None}}}


@pytest.mark.parametrize(
    "act",
    [
        lambda source, destination, bag: bag.get("key"),
        lambda source, destination, bag: bag.pull("key"),
        lambda source, destination, bag: bag.drop("key"),
        lambda source, destination, bag: "key" in bag,
    ],
)
def test_reading_needs_a_claim(act: Act) -> None:
    """The message tells which claim is missing."""
    with pytest.raises(
        h.HookFailure, match=r'does not claim the bag key .key.; add "bag:key" to reads'
    ):
        run(act, writes=("bag:key",), document={})


def test_putting_needs_a_claim() -> None:
    """A key that is only read cannot be put."""
    with pytest.raises(h.HookFailure, match='add "bag:key" to writes'):
        run(lambda source, destination, bag: bag.put("key", 1), reads=("bag:key",), document={})


@pytest.mark.parametrize("value", [{1}, float("nan"), object(), (1,), {1: 2}])
def test_only_json_is_put(value: Any) -> None:
    """What JSON cannot say does not enter a bag."""
    with pytest.raises(h.HookFailure) as caught:
        run(
            lambda source, destination, bag: bag.put("key", value), writes=("bag:key",), document={}
        )
    assert isinstance(caught.value.__cause__, DecodeError)


def test_an_emptied_bag_is_none() -> None:
    """A hook that consumes the last entry leaves no empty bag."""
    found = run(
        lambda source, destination, bag: bag.drop("key"),
        reads=("bag:key",),
        document={"$propertyBag": {"v2": {"key": 1}}},
    )
    assert found == {}


# --- presence ---


def test_presence_of_members() -> None:
    """Absent, null and value are told apart and set."""
    obj = Older.from_dict({"name": None, "unknown": None, "other": 0})
    assert [h.is_null(obj, name) for name in ("name", "unknown")] == [True, True]
    assert [h.is_null(obj, name) for name in ("old", "other", "nowhere")] == [False] * 3
    h.set_null(obj, "old")
    h.set_absent(obj, "name")
    h.set_absent(obj, "unknown")
    assert obj.to_dict() == {"old": None, "other": 0}
    obj.old = "x"
    assert not h.is_null(obj, "old")
    h.set_null(obj, "old")
    assert obj.to_dict() == {"old": None, "other": 0}
    h.set_absent(obj, "nowhere")


OPEN_SPEC_HOOK = written_hook(
    """
    if source.spec is not None:
        destination.spec = v2.ThingSpec.from_dict(source.spec)
    """,
    """
    if source.spec is not None:
        destination.spec = source.spec.to_dict()
    """,
    reads="spec",
    writes="spec",
    older="v1.Thing",
    newer="v2.Thing",
)


def test_an_open_spec_never_shows_in_which_version_it_was_written(tmp_path: Path) -> None:
    """What `to_dict` returns says it; only a spec with a type has a place for that."""
    files = {
        "v1.yaml": "properties: {metadata: {type: object}, spec: {}}",
        "v2.yaml": "properties: {metadata: {type: object}, spec: {properties: {size: {}}}}",
        "hooks/things.py": OPEN_SPEC_HOOK,
    }
    config = f"{THING_CONFIG}    between: {{v1 -> v2: {{Thing: {{spec: {{strategy: hook}}}}}}}}\n"
    scheme = scheme_of(build_project(tmp_path, config, files))
    newer = resource("example.com/v2", "Thing", spec={"size": 1})
    older = scheme.convert(newer, to="v1")
    assert older["spec"] == {"size": 1}
    assert scheme.convert(older, to="v2") == newer


# --- composed hooks ---


class Keep(SharedHook):
    """Moves text from one member to another and keeps a copy under a key of its own."""

    def __init__(self, key: str, log: list[str]) -> None:
        self.key, self.log = key, log

    def claims_to(self) -> Claims:
        return Claims(reads=("old",), writes=("new", f"bag:{self.key}"))

    def claims_from(self) -> Claims:
        return Claims()

    def assign_properties_to(self, source: Any, destination: Any, bag: BagView) -> None:
        self.log.append(self.key)
        bag.put(self.key, source.old)
        destination.new = f"{destination.new or ''}{self.key}"
        with pytest.raises(BagError):
            bag.put("other", 1)


def test_parts_run_in_order_with_views_of_their_own() -> None:
    """Each part of a composed hook sees its own keys only, and what the part before it wrote."""
    log: list[str] = []

    class Both(Composed):
        parts = (Keep("a", log), Keep("b", log))

    assert convert(Both(), {"old": "o"}) == {
        "new": "ab",
        "$propertyBag": {"v1": {"a": "o", "b": "o"}},
    }
    assert log == ["a", "b"]


# --- strict running ---


def test_strict_refuses_what_is_not_claimed() -> None:
    """Under the laws a hook may write what it claims, and never to its source."""

    def write(source: Any, destination: Any, bag: BagView) -> None:
        destination.new = "x"

    def spoil(source: Any, destination: Any, bag: BagView) -> None:
        source.name = "x"

    assert run(write, writes=("new",), document={}, strict=True) == {"new": "x"}
    with pytest.raises(h.HookFailure, match="the hook changed 'new' without a claim"):
        run(write, document={}, strict=True)
    with pytest.raises(h.HookFailure, match="the hook changed its source"):
        run(spoil, document={}, strict=True)


BAG: dict[str, Any] = {"v9": {"other": 1}, "v2": {"mine": 2, "theirs": 3}}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("bag", [None, h.PropertyBag(), h.PropertyBag(BAG), "text"])
def test_a_hook_cannot_put_another_bag_in_place(bag: Any, strict: bool) -> None:
    """All that earlier versions left in the bag would go; it fails with and without `strict`."""

    def act(source: Any, destination: Any, view: BagView) -> None:
        destination.property_bag = bag

    with pytest.raises(h.HookFailure):
        run(act, document={"name": "n", "$propertyBag": BAG}, strict=strict)


@pytest.mark.parametrize(
    "change",
    [
        lambda bag: bag.clear(),
        lambda bag: bag.drop("v9", "other"),
        lambda bag: bag.put("v1", "unclaimed", 1),
        lambda bag: bag["v1"].clear(),
        lambda bag: bag["v1"].update(old="other"),
    ],
)
def test_strict_sees_what_changes_in_the_bag(change: Callable[[Any], object]) -> None:
    """Only the view changes the bag, and only keys that are claimed."""

    def act(source: Any, destination: Any, bag: BagView) -> None:
        change(destination.property_bag)

    document = {"old": "o", "$propertyBag": BAG}
    with pytest.raises(h.HookFailure, match="changed the property bag itself; use its view"):
        run(act, reads=("bag:mine",), writes=("bag:kept",), document=document, strict=True)


@pytest.mark.parametrize(
    "change",
    [
        lambda source: source.property_bag.update(v9={}),
        lambda source: source.property_bag["v9"]["other"].append(2),
        lambda source: source.extra_["unknown"].append(2),
    ],
)
def test_a_hook_changes_only_copies_of_its_source(change: Callable[[Any], object]) -> None:
    """Also of the bag, which source and destination share; `strict` sees it."""

    def act(source: Any, destination: Any, bag: BagView) -> None:
        change(source)
        assert source.to_dict() != document

    document: dict[str, Any] = {"unknown": [1], "$propertyBag": {"v9": {"other": [1]}}}
    assert run(act, document=document) == document
    with pytest.raises(h.HookFailure, match="the hook changed its source"):
        run(act, document=document, strict=True)


def test_strict_lets_the_view_change_the_bag() -> None:
    """What is claimed may be put and taken, also where there was no bag before."""

    def act(source: Any, destination: Any, bag: BagView) -> None:
        bag.put("kept", bag.pull("mine"))

    claimed: dict[str, Any] = {"reads": ("bag:mine",), "writes": ("bag:kept",), "strict": True}
    found = run(act, document={"$propertyBag": BAG}, **claimed)["$propertyBag"]
    assert (found["v1"], found["v9"]) == ({"kept": 2}, {"other": 1})
    assert run(act, document={}, **claimed) == {"$propertyBag": {"v1": {"kept": None}}}


# --- failures, in a generated project ---

STRING: Any = {"type": "string"}
HOOKS = """
import holdall as h
from {generated}.shop.v1 import storage as v1
from {generated}.shop.v2 import storage as v2


class Mute(Exception):
    def __str__(self) -> str:
        return str(self.args[1])


class PartHooks(v1.AssignablePart):
    @h.claims(reads=["name"], writes=["name"])
    def assign_properties_to(self, source: v1.Part, destination: v2.Part, bag: h.BagView) -> None:
        if source.name == "raise":
            raise ZeroDivisionError("no parts")
        if source.name == "exit":
            raise SystemExit("bye")
        if source.name == "mute":
            raise Mute
        if source.name == "interrupt":
            raise KeyboardInterrupt
        if source.name == "key":
            bag.get("key")
        if source.name == "deep":
            destination.size = 1 if source.missing else 2  # type: ignore[attr-defined]
        destination.name = (source.name or "").upper()

    @h.claims(reads=["name"], writes=["name"])
    def assign_properties_from(self, source: v2.Part, destination: v1.Part, bag: h.BagView) -> None:
        if source.name == "RAISE":
            raise ValueError("not\\nback")
        destination.name = (source.name or "").lower()
"""


def schema(version: str) -> dict[str, Any]:
    part = {"type": "object", "properties": {"name": STRING, "size": {"type": "integer"}}}
    spec: dict[str, Any] = {
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
        "byName": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Part"}},
        "one": {"$ref": "#/$defs/Part"},
        f"only{version}": STRING,
    }
    return {
        "type": "object",
        "properties": {
            "metadata": {"type": "object"},
            "spec": {"type": "object", "properties": spec},
        },
        "$defs": {"Part": part},
    }


def project(root: Path, hook: str) -> h.Scheme:
    schemas = {name: schema(name) for name in ("v1", "v2", "v3")}
    group = group_of(schemas, "Shop", group="shop", api_group="shop.example.com", hook=hook)
    return scheme_of(build_project(root, *group))


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> h.Scheme:
    """Three versions of a kind; parts of v1 are in small letters, later ones in capitals."""
    return project(tmp_path_factory.mktemp("hooked"), HOOKS)


def obj(version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"shop.example.com/{version}", "Shop", "one", spec=spec)


def test_hooks_run_in_lists_maps_and_members(scheme: h.Scheme) -> None:
    """A hook is applied wherever its type occurs, in both directions."""
    low: dict[str, Any] = {
        "parts": [{"name": "a"}, {"name": "b", "size": 1}],
        "byName": {"k": {"name": "c"}},
        "one": {"name": "d"},
    }
    high: dict[str, Any] = {
        "parts": [{"name": "A"}, {"name": "B", "size": 1}],
        "byName": {"k": {"name": "C"}},
        "one": {"name": "D"},
    }
    assert scheme.convert(obj("v1", **low), to="v3") == obj("v3", **high)
    assert scheme.convert(obj("v3", **high), to="v1") == obj("v1", **low)


@pytest.mark.parametrize(
    ("version", "to", "spec", "message"),
    [
        (
            "v1",
            "v2",
            {"parts": [{"name": "ok"}, {"name": "raise"}]},
            "v1 -> v2 /spec/parts/1: PartHooks raised ZeroDivisionError: no parts",
        ),
        (
            "v1",
            "v2",
            {"parts": [{"name": "exit"}]},
            "v1 -> v2 /spec/parts/0: PartHooks raised SystemExit: bye",
        ),
        ("v1", "v2", {"one": {"name": "mute"}}, "v1 -> v2 /spec/one: PartHooks raised Mute"),
        (
            "v1",
            "v3",
            {"byName": {"a/b": {"name": "raise"}}},
            "v1 -> v2 /spec/byName/a~1b: PartHooks raised ZeroDivisionError: no parts",
        ),
        (
            "v3",
            "v1",
            {"one": {"name": "RAISE"}},
            "v2 -> v1 /spec/one: PartHooks raised ValueError: not\nback",
        ),
        (
            "v1",
            "v2",
            {"one": {"name": "deep"}},
            "v1 -> v2 /spec/one: PartHooks raised AttributeError: "
            "'Part' object has no attribute 'missing'",
        ),
        (
            "v1",
            "v2",
            {"one": {"name": "key"}},
            "v1 -> v2 /spec/one: PartHooks: the hook does not claim the bag key 'key'; "
            'add "bag:key" to reads',
        ),
    ],
)
def test_a_failing_hook_is_named_and_located(
    scheme: h.Scheme, version: str, to: str, spec: dict[str, Any], message: str
) -> None:
    """The error names the object, the edge, the place, the hook's class and what it raised."""
    with pytest.raises(ConversionError) as caught:
        scheme.convert(obj(version, **spec), to=to)
    failure = caught.value.__cause__
    assert isinstance(failure, h.HookFailure)
    assert re.fullmatch(r"hooks_p\w+/things\.py:\d+ in PartHooks\.\w+", failure.place)
    assert str(caught.value) == f"Shop one: {message} ({failure.place})"
    assert failure.hook == "PartHooks"
    assert failure.__cause__ is not None


def test_an_interrupt_is_no_failure_of_a_hook(scheme: h.Scheme) -> None:
    """Who presses Ctrl-C wants the process to end, not one object to fail."""
    with pytest.raises(KeyboardInterrupt):
        scheme.convert(obj("v1", one={"name": "interrupt"}), to="v2")


def test_a_broken_hooks_package_is_told_at_first_use(tmp_path: Path) -> None:
    """A hook that cannot be imported fails every conversion with file and line."""
    text = HOOKS.replace("import holdall as h", "import holdall as h\nimport nowhere_at_all")
    scheme = project(tmp_path, text)
    for _ in range(2):
        with pytest.raises(
            h.HookError,
            match=r"HA305 .*things.py:\d+: the module \S+ cannot be loaded: .*nowhere_at_all",
        ):
            scheme.convert(obj("v1"), to="v2")
