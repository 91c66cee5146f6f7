"""The pytest plugin: the assertions about property bags as fixtures.

Loaded in every run of pytest where holdall is installed, so it imports when a fixture is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdall.objects.base import Object
    from holdall.testing.bags import Document, Expected


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
