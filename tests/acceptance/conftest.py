"""What several acceptance tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.emissary import data_folder


@pytest.fixture(scope="module")
def emissary_data(shared: Path) -> Path:
    """The folder with Emissary's schemas, cases and scorer."""
    return data_folder(shared)
