"""What the tests of the server share: one small project, generated once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import THING_CONFIG, THING_FILES, build_project


@pytest.fixture(scope="session")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one kind in two versions."""
    return build_project(tmp_path_factory.mktemp("things"), THING_CONFIG, THING_FILES)
