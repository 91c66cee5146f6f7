"""The pytest plugin: the assertions about property bags as fixtures, the project on the path.

Loaded in every run of pytest where holdall is installed, so it imports when a fixture is used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdall.objects.base import Object
    from holdall.testing.bags import Document, Expected


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Let tests import `generated` and `hooks` as holdall's commands do: from the project's folder.

    `python -m pytest` in that folder does so, too; `pytest`, and pytest in another folder, do not.
    """
    start = early_config.rootpath
    for folder in (start, *start.parents):
        if (folder / "holdall.yaml").is_file():
            if str(folder) not in sys.path:
                sys.path.insert(0, str(folder))
            return


@pytest.fixture(scope="session")
def assert_bags() -> Callable[[Document | Object, Expected], None]:
    """The function holdall.testing.assert_bags(obj, expected)."""
    from holdall.testing import bags

    return bags.assert_bags


@pytest.fixture(scope="session")
def assert_no_residue() -> Callable[[Document | Object], None]:
    """The function holdall.testing.assert_no_residue(obj)."""
    from holdall.testing import bags

    return bags.assert_no_residue
