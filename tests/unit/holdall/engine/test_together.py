"""The two-way hooks of one object: copied and checked at once, with the results of each alone."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import pytest

from holdall.errors import ConversionError
from holdall.scheme.scheme import Scheme
from holdall.text import json
from tests.laws.projects import STRING, Specimen, built_specimen, many

Json = dict[str, Any]
NAMES = ("one", "two", "three", "four")
HOOKS = '''
from {generated}.things.v1.storage import AssignableThing
from holdall import Composed, Members, RefusedError, TwoWay

KEPT = []


class Lower(TwoWay):
    """Texts in lower case; some are not shown, and "mute" does not come back."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.older = self.newer = (name,)

    def to_newer(self, older: Members) -> Members:
        texts = older.get(self.name)
        if texts is None:
            return {"four": ["none"]} if self.name == "four" else {}
        made = {self.name: [text.lower() for text in texts if text != "hidden"]}
        if "refuse" in texts:
            raise RefusedError("it cannot be shown")
        if "tuple" in texts:
            made[self.name] = tuple(texts)
        if "other" in texts:
            made["five"] = texts
        if "text" in texts:
            made[self.name] = "text"
        KEPT.extend((older, made))
        return made

    def to_older(self, newer: Members) -> Members:
        if newer == {"four": ["none"]}:
            return {}
        if "mute" in newer.get(self.name, ()):
            raise RefusedError("it does not come back")
        KEPT.append(newer)
        return newer


class Things(Composed, AssignableThing):
    parts = tuple(map(Lower, ("one", "two", "three", "four")))
'''
counter = itertools.count()


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    types = {"Thing": {name: many(STRING) for name in NAMES}}
    between = {"v1 -> v2": {"Thing": {"$hook": [*NAMES]}}}
    specimen = Specimen({"v1": types, "v2": types}, between)
    return built_specimen(specimen, tmp_path_factory.mktemp("together"), HOOKS).scheme


def thing(version: str = "v1", /, **members: Any) -> Json:
    return {"apiVersion": version, "kind": "Thing", **members}


def new() -> str:
    """Return a text that no test has used."""
    return f"x{next(counter)}"


def test_what_all_functions_return_is_checked_at_once(
    scheme: Scheme, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the way back, what was kept of one of them goes with the others."""
    checked: list[Any] = []
    check = json.copy_checked

    def counted(value: Any, path: str = "") -> Any:
        checked.append(value)
        return check(value, path)

    document = thing(**{name: [new()] for name in NAMES})
    monkeypatch.setattr(json, "copy_checked", counted)
    there = scheme.convert_bytes(json.encode(document), to="v2")
    assert json.decode(there) == {**document, "apiVersion": "v2"}
    assert len(checked) == 1
    document["two"].append("Upper")
    there = scheme.convert_bytes(json.encode(document), to="v2")
    checked.clear()
    assert json.decode(scheme.convert_bytes(there, to="v1")) == document
    assert len(checked) == 2  # also what comes back of the kept one


def test_each_gets_its_own_result(scheme: Scheme) -> None:
    """Whatever the others do: return, lose, keep, refuse the way back, or have nothing."""
    values: list[Any] = [None, [], ["plain"], ["Upper", "low"], ["hidden"], ["mute", "x"]]
    for mixed in itertools.product(values, repeat=3):
        document = thing(
            **{
                name: [*value, new()] if value else value
                for name, value in zip(NAMES, mixed, strict=False)
                if value is not None
            }
        )
        there: Any = scheme.convert(document, to="v2")
        assert [name for name in there if name in NAMES] == [
            name for name in NAMES if name in document or name == "four"
        ]
        assert scheme.convert(there, to="v1") == document
        for name, value in [*document.items()]:
            if name in NAMES:
                alone: Any = scheme.convert(thing(**{name: value}), to="v2")
                assert alone[name] == there[name]
                assert scheme.convert(alone, to="v1") == thing(**{name: value})
                there[name] = edited = [new()]
                assert scheme.convert(there, to="v1") == {**document, name: edited}
                document[name] = edited


def test_a_hook_may_keep_and_change_what_it_got_and_returned(scheme: Scheme) -> None:
    (bound,) = scheme.bound_hooks()
    kept: list[Any] = sys.modules[type(bound.instance).__module__].KEPT
    kept.clear()
    document = thing(one=[new()], two=["Upper", new()], three=["hidden", new()])
    before = json.copy(document)
    there = scheme.convert(document, to="v2")
    back = scheme.convert(there, to="v1")
    copies = json.copy([there, back])
    assert kept
    for members in kept:
        for texts in members.values():
            texts.append("changed")
    assert [document, there, back] == [before, *copies]


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ("tuple", "Things: /three: tuple is not a JSON type"),
        ("other", "Things: Lower.to_newer returned five without a claim; add it to the members"),
        ("refuse", "Things raised RefusedError: it cannot be shown"),
    ],
)
def test_what_one_does_wrong_is_said_of_it(scheme: Scheme, wrong: str, rule: str) -> None:
    document = thing(one=["Upper", new()], two=[new()], three=[wrong], four=["mute", new()])
    with pytest.raises(ConversionError) as caught:
        scheme.convert(document, to="v2")
    assert caught.value.rule.startswith(rule)


def test_what_is_not_of_its_type_leaves_the_others_alone(scheme: Scheme) -> None:
    """It is kept, and the others are converted as ever."""
    document = thing(one=["Upper", new()], three=["text"], four=["Low", new()])
    there: Any = scheme.convert(document, to="v2")
    assert there["one"][0] == "upper"
    assert "three" not in there
    assert scheme.convert(there, to="v1") == document
