"""What surely fits a declared type is what the parser accepts."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest

from holdall.errors import DecodeError
from holdall.plan.declared import declared_types
from holdall.plan.fits import Fits
from holdall.plan.parse import StoredParser
from holdall.plan.plans import Opaque
from tests.declared.random_declarations import Declarations, Objects
from tests.support.declared import declare

_ODD: list[Any] = [
    *[None, True, 0, 300, -1, 2**64, 1.5, "", "Red", "Plain", "?"],
    *[
        [],
        [None],
        ["x"],
        [{}, 1],
        {},
        {"a": None},
        {"Filled": {}},
        {"Filled": None},
        {"x": 1, "y": 2},
    ],
    *[{"$propertyBag": {}}, {"Plain": {}}, {"$unit": "Plain"}],
]


@pytest.mark.parametrize("seed", range(6))
def test_fits_agree_with_the_parser(seed: int) -> None:
    """Where no bags are inside they also know all that fits."""
    random = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        group = declare(Path(folder), Declarations(random, "tracking=Tracking()").text())
        types = declared_types(group.package)
    fits, parser = Fits(types), StoredParser(types)
    for ref, declared in types.types.items():
        objects = Objects(random, types, partial=False)
        if any(isinstance(member.type, Opaque) for member in declared.members.values()):
            continue
        whole = fits.of_type(ref)
        for value in [objects.named(ref, 0), *_ODD]:
            is_sure = type(value) in whole.kinds or whole.passes(value)
            assert is_sure == _accepts(parser.whole, declared, value) or _has_bag(value), (
                ref,
                value,
            )
        for name, fit in fits.of_members(declared).items():
            member = declared.members[name]
            for value in [objects.value(member.type, 0), *_ODD]:
                is_sure = type(value) in fit.kinds or fit.passes(value)
                accepted = _accepts(parser.member, member, value)
                assert is_sure == accepted or _has_bag(value), (ref, name, value)


def _accepts(check: Any, what: Any, value: Any) -> bool:
    try:
        check(what, value)
    except DecodeError:
        return False
    return True


def _has_bag(value: Any) -> bool:
    return type(value) is dict and "$propertyBag" in value
