"""Types that hold each other twice: their places multiply with each level."""

from __future__ import annotations

import pytest

from holdall_codegen.plan.levels import deepest
from holdall_codegen.plan.model import PlannedVersion
from holdall_codegen.project import load_project
from tests.support.diamonds import diamond_group
from tests.support.projects import build_project


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> PlannedVersion:
    """Twelve levels: `spec`, then twice as many properties each time, and a text at the end."""
    root = build_project(tmp_path_factory.mktemp("diamonds"), *diamond_group(10))
    return load_project(root).plans["things"].version("v1")


@pytest.mark.parametrize(
    ("most", "level"), [(1, 1), (2, 1), (3, 2), (6, 2), (7, 3), (3070, 11), (3071, None)]
)
def test_levels_that_have_room(version: PlannedVersion, most: int, level: int | None) -> None:
    assert deepest(version, "Thing", most) == level
