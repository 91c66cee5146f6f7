"""Converters say with each statement what becomes of a property, and why."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from unittest.mock import ANY

import pytest

from tests.support.notation import expanded
from tests.support.projects import build_project, group_of, scheme_of
from tests.support.work import steps_of

_GENERATED = Path(__file__).parents[4] / "generated"
_LOSSY = re.compile(
    r"\bh\.(stash|keep|take|pull|pull_linked|put)\(|\.(stash|pull|carry)\(|S\.\w+\(bag\)"
)
"""What may put something into a bag, or take it out."""
_MODULES = sorted(_GENERATED.glob("*/*/storage.py"))


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_what_may_lose_something_says_why(path: Path) -> None:
    """Behind the statement or above it is a comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    bare = [
        line
        for above, line in pairwise(lines)
        if _LOSSY.search(line) and not re.search(r"# \w", line) and not re.search(r"^ +# \w", above)
    ]
    assert bare == []


def test_the_sample_has_all_of_them() -> None:
    """What the other test looks for is there."""
    text = "".join(path.read_text(encoding="utf-8") for path in _MODULES)
    found = {name for groups in _LOSSY.findall(text) for name in groups if name}
    assert {"stash", "keep", "take", "pull", "pull_linked", "put", "carry"} <= found
    assert "# left to the hook: controlPlaneOverrides" in text
    assert "_VARIANTS.to(bag)  # trainee to deprecatedTrainee; v1 has no seasonal" in text


def test_pairs_without_a_value_take_no_steps(tmp_path: Path) -> None:
    """Most properties of a large type are absent, also those that may lose something."""

    def work(count: int) -> int:
        schemas = {
            version: expanded({"n": kind, **{f"a{index}": kind for index in range(count)}})
            for version, kind in {"v1": "number", "v2": "integer"}.items()
        }
        scheme = scheme_of(build_project(tmp_path / str(count), *group_of(schemas, api_group=None)))

        def convert() -> object:
            return scheme.convert_plain({"n": 1.5}, "Thing", "v1", to="v2")

        assert convert() == {"$propertyBag": ANY}
        return steps_of(convert)

    assert work(30) == work(1)
