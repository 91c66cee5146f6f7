"""Tables of cases as YAML, for parametrised tests."""

from __future__ import annotations

from typing import Any

import pytest
import yaml


def named(text: str) -> list[Any]:
    """Return the rows of a table for `pytest.mark.parametrize`, each under its name."""
    return [pytest.param(*row, id=name) for name, row in yaml.safe_load(text).items()]
