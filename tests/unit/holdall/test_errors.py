"""Errors that one process hands to another."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from functools import partial
from inspect import Parameter, signature
from typing import Any

import pytest

import holdall
import holdall_codegen
from holdall.errors import ConversionError, DecodeError, HoldallError, Problem, ProblemsError
from tests.support.fixes import every_problem_has_a_fix


def _classes(base: type[HoldallError]) -> Iterator[type[HoldallError]]:
    yield base
    for derived in base.__subclasses__():
        yield from _classes(derived)


def _made(cls: type[Any]) -> HoldallError:
    """Return an error with a word for each parameter, and problems for those that take some."""
    if issubclass(cls, ProblemsError):
        made: HoldallError = cls(
            [Problem("HA100", "a.yaml:1", "wrong", "right")], title="two files"
        )
    elif cls is ConversionError:
        made = cls("it is wrong", edge=("v1", "v2"), subject="Pool a/b", path="/spec")
    else:
        needed = [
            [("/spec", "it is wrong")] if name == "flaws" else f"a {name}"
            for name, it in [*signature(cls.__init__).parameters.items()][1:]
            if it.default is it.empty and it.kind is it.POSITIONAL_OR_KEYWORD
        ]
        made = cls(*needed)
    return made


def _errors() -> list[HoldallError]:
    for package in (holdall, holdall_codegen):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    found = dict.fromkeys(_classes(HoldallError))
    return [_made(cls) for cls in found if cls.__module__.startswith("holdall")]


def _sent(protocol: int, error: HoldallError) -> Any:
    return pickle.loads(pickle.dumps(error, protocol))


WAYS: dict[str, Callable[[HoldallError], Any]] = {
    **{f"protocol {number}": partial(_sent, number) for number in range(6)},
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
def test_an_error_survives_the_way_to_another_process(way: str) -> None:
    """Class, text and all that it knows."""
    errors = _errors()
    assert {type(error) for error in errors} >= {ProblemsError, DecodeError, ConversionError}
    for error in errors:
        found = WAYS[way](error)
        assert (type(found), str(found), repr(found)) == (type(error), str(error), repr(error))
        assert vars(found) == vars(error)


def test_no_problem_goes_without_a_fix() -> None:
    """A problem cannot be made without one; the tests refuse one that is empty."""
    assert signature(Problem).parameters["fix"].default is Parameter.empty
    with pytest.raises(AssertionError, match=r"HA100 a\.yaml:1: wrong"), every_problem_has_a_fix():
        Problem("HA100", "a.yaml:1", "wrong", "")
