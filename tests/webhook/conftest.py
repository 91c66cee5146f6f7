"""What the tests of the server share: one small project, generated once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.support.clock import Clock
from tests.support.projects import THING_CONFIG, THING_FILES, build_project


@pytest.fixture(scope="session")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one kind in two versions."""
    return build_project(tmp_path_factory.mktemp("things"), THING_CONFIG, THING_FILES)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The monotonic clock, which stands still from now on."""
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock
