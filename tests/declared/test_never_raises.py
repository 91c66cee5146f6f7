"""`try_convert` answers whatever it is given, and whatever the functions of a declaration do.

Source: docs/declared.md, "Reviews".
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from random import Random
from types import FrameType
from typing import Any

import pytest

from holdall.errors import ConversionError
from holdall.text.json import encode
from tests.support.declared import Declared, Declaring
from tests.support.objects import resource
from tests.support.reviews import review_of

ACTS: dict[str, Callable[[Any], Any]] = {}
"""What the function of the declaration does with its argument."""

TEXT = """
from typing import Any
from tests.declared.test_never_raises import ACTS

VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(carrier="CARRIER"))


def act(value: Any) -> Any:
    return ACTS["now"](value) if "now" in ACTS else "fine"


@obj
class Node:
    below: list[Node]
    size: U8


@union
class Kind:
    Plain: Unit
    Held: Node
    New: Annotated[Node, added("v2", downgrade_with=act)]


@resource(group="n.example.com")
class ThingSpec:
    name: Annotated[str, changed("v2", from_type=Json, upgrade_with=act)]
    note: Annotated[str, added("v2", default_from=act)]
    node: Node | None
    kind: Kind | None
    any: Json
    tags: dict[str, list[str]] | None
"""
GROUP = "n.example.com"


@pytest.fixture(scope="module", params=["status", "annotation", "bag"])
def things(request: pytest.FixtureRequest, declared: Declaring) -> Declared:
    return declared(TEXT.replace("CARRIER", request.param))


@pytest.fixture(autouse=True)
def _no_act() -> Iterator[None]:
    yield
    ACTS.clear()


def thing(version: str = "v1", **spec: Any) -> dict[str, Any]:
    return resource(f"{GROUP}/{version}", "Thing", "t", spec={"name": "n", "any": None, **spec})


def review(*objects: Any, to: str = "v2") -> dict[str, Any]:
    return review_of([*objects], f"{GROUP}/{to}")


def answer(things: Declared, sent: Any) -> Any:
    """Return the result of the reply, which has its form in every profile."""
    results = []
    for profile in ("strict", "server"):
        for unknown in (None, "drop", "keep", "error"):
            reply = things.kinds.Thing.try_convert(sent, profile=profile, unknown=unknown)
            assert set(reply) == {"apiVersion", "kind", "response"}
            assert all(type(reply[name]) is str for name in ("apiVersion", "kind"))
            response = reply["response"]
            assert set(response) == {"uid", "result", "convertedObjects"}
            result = response["result"]
            assert result["status"] in ("Success", "Failure")
            if result["status"] == "Failure":
                assert response["convertedObjects"] == []
                assert result["code"] in (400, 422, 500)
                assert result["reason"] == result["message"] != ""
            json.loads(encode(reply), parse_constant=pytest.fail)
            results.append(result)
    return results[0]


def deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"below": [value], "size": 1}
    return value


def cyclic() -> Any:
    value: dict[str, Any] = {"size": 1}
    value["below"] = [value]
    return value


class Broken(Mapping[str, Any]):
    """A mapping whose members cannot be had."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise SystemExit(3)

    def __len__(self) -> int:
        return 1


class Loud(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class Texts(str):
    __slots__ = ()


VALUES: list[Any] = [
    *(None, True, 0, -1, 10**30, 10**5000, 1.5, 1e999, -1e999, float("nan"), "", "\ud800", "\0"),
    *([], [[]], {}, {"": None}, {"\ud800": 1}, {1: 2}, {None: 1}, (1,), {1}, b"x", object()),
    *(Texts("x"), Broken(), Loud(), int, len, sys, cyclic(), deep(5), deep(3000), [deep(300)]),
    *(
        {"size": 1, "below": [None]},
        {"Held": None},
        {"Held": {}, "New": {}},
        "New",
        bytearray(b"{"),
    ),
]


@pytest.mark.parametrize("index", range(len(VALUES)))
def test_any_value_anywhere(things: Declared, index: int) -> None:
    """As the review, in each place of it, and in each of an object."""
    value = VALUES[index]
    answer(things, value)
    for name in ("apiVersion", "kind", "request", "response"):
        answer(things, {**review(thing()), name: value})
    for name in ("uid", "desiredAPIVersion", "objects"):
        sent = review(thing())
        sent["request"][name] = value
        answer(things, sent)
    answer(things, review(value))
    answer(things, review(thing(), value))
    for name in ("apiVersion", "kind", "metadata", "spec", "status", "more"):
        answer(things, review({**thing(), name: value}))
    for version in ("v1", "v2"):
        for name in ("name", "note", "node", "kind", "any", "tags", "more"):
            for to in ("v1", "v2"):
                answer(things, review(thing(version, **{name: value}), to=to))
    for text in (value, {"upgrades": value}, {"upgrades": {"v2": value}}):
        tracked = {**thing(), "status": {"changedValues": text}}
        answer(things, review(tracked))
        for entry in (
            value,
            {"jsonPath": value, "value": 1},
            {"jsonPath": "$.note", "value": value},
        ):
            tracked = {**thing(), "status": {"changedValues": {"upgrades": {"v2": [entry]}}}}
            answer(things, review(tracked))
    for key in (f"{GROUP}/changed-values", "holdall.dev/bag", "holdall.dev/quarantine"):
        annotated = thing()
        annotated["metadata"] = {"annotations": {key: value}}
        answer(things, review(annotated))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"null",
        b"5",
        b"[]",
        b"\xff\xfe",
        b'"\\ud800"',
        b"[" * 100_000,
        b'{"request":' * 5000,
        b'{"request":{"uid":"\\ud800","desiredAPIVersion":"x","objects":[]}}',
        b'{"apiVersion":{"a":1},"request":{"uid":"u","desiredAPIVersion":"x","objects":[]}}',
        b'{"request":{"uid":"u","desiredAPIVersion":"n.example.com/v2","objects":[1e400]}}',
        b'{"request":{"uid":"u","desiredAPIVersion":"n.example.com/v2","objects":[%b]}}'
        % (b"9" * 6000),
    ],
)
def test_any_bytes(things: Declared, data: bytes) -> None:
    assert answer(things, data)["status"] == "Failure"
    answer(things, bytearray(data))
    answer(things, memoryview(data))


def test_random_changes_of_a_review(things: Declared) -> None:
    """Any part of a sound review replaced, removed or doubled."""
    random = Random(7)
    whole = review(
        thing(node=deep(2), kind={"Held": {"below": [], "size": 1}}, tags={"a": ["b"]}),
        thing("v2", note="x"),
        {**thing(), "status": {"changedValues": {"upgrades": {"v2": [{"jsonPath": "$.note"}]}}}},
    )
    for _ in range(300):
        sent = copy.deepcopy(whole)
        for _ in range(random.randint(1, 3)):
            at: Any = sent
            while True:
                keys = list(at) if type(at) is dict else list(range(len(at)))
                if not keys:
                    break
                key = random.choice(keys)
                if type(at[key]) in (dict, list) and random.random() < 0.8:
                    at = at[key]
                    continue
                if random.random() < 0.3:
                    del at[key]
                else:
                    at[key] = random.choice(VALUES)
                break
        answer(things, sent)


def raising(error: BaseException) -> Callable[[Any], Any]:
    def act(value: Any) -> Any:
        raise error

    return act


def endless(value: Any) -> Any:
    return endless(value)


def destroying(value: Any) -> Any:
    if type(value) is dict:
        value.clear()
    return "destroyed"


class Clumsy:
    """A result whose methods fail."""

    def to_dict(self) -> Any:
        raise SystemExit("no dict")


class Elusive:
    def __getattribute__(self, name: str) -> Any:
        raise Loud


DEEDS: dict[str, Callable[[Any], Any]] = {
    "exit": raising(SystemExit(2)),
    "exit with a list": raising(SystemExit([1])),
    "recursion": endless,
    "silent error": raising(Loud()),
    "memory": raising(MemoryError()),
    "stop": raising(StopIteration(1)),
    "generator": raising(GeneratorExit()),
    "assertion": raising(AssertionError()),
    "unicode": raising(ValueError("\ud800")),
    "base": raising(BaseException("rare")),
    "group": raising(BaseExceptionGroup("many", [SystemExit(), ValueError()])),
    "to_dict": lambda value: Clumsy(),
    "attributes": lambda value: Elusive(),
    "nan": lambda value: float("nan"),
    "cyclic": lambda value: cyclic(),
    "deep": lambda value: deep(3000),
    "object": lambda value: object(),
    "large": lambda value: 10**5000,
    "surrogate": lambda value: "\ud800",
    "type": lambda value: Clumsy,
}


@pytest.mark.parametrize("deed", DEEDS)
def test_whatever_a_function_does(things: Declared, deed: str) -> None:
    """It is a located failure that names the function, on every way."""
    ACTS["now"] = DEEDS[deed]
    for document, to, place in (
        (thing(), "v2", "$.spec.name"),
        (thing("v2", note="x", kind={"New": {"below": [], "size": 1}}), "v1", "$.spec.kind"),
    ):
        result = answer(things, review(document, to=to))
        assert result["code"] == 422
        assert result["message"].startswith(f"failed to convert object: {place}")
        assert ":act" in result["message"]
        with pytest.raises(ConversionError, match=":act") as caught:
            things.convert(document, to=to)
        assert caught.value.path.startswith("/spec")


def test_a_function_that_destroys_its_argument_destroys_a_copy(things: Declared) -> None:
    """Not the source, nor what of it stays."""
    ACTS["now"] = destroying
    node = {"below": [], "size": 3}
    for document, to in (
        (thing(name={"deep": {"er": 1}}, node=node), "v2"),
        (thing("v2", note="x", name="n", kind={"New": {"below": [], "size": 1}}), "v1"),
    ):
        before = copy.deepcopy(document)
        answer(things, review(document, to=to))
        try:
            converted = things.convert(document, to=to)
        except ConversionError:
            assert to == "v1"  # the text that it returns is no variant
        else:
            assert converted["spec"]["node"] == node
            assert things.convert(converted, to="v1") == before
        assert document == before


def test_an_interrupt_passes(things: Declared) -> None:
    ACTS["now"] = raising(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        things.kinds.Thing.try_convert(review(thing()))


def test_a_deep_stack_of_the_caller(things: Declared) -> None:
    """Even where hardly anything can be called any more."""
    sent = review(thing(node=deep(40)))

    def call(depth: int) -> Any:
        if depth:
            return call(depth - 1)
        return things.kinds.Thing.try_convert(sent)

    for left in (500, 300, 200, 120, 80, 60):
        frames = 0
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            frames, frame = frames + 1, frame.f_back
        reply = call(sys.getrecursionlimit() - frames - left)
        assert reply["response"]["result"]["status"] in ("Success", "Failure")
