"""What is imported from a folder is forgotten afterwards, whatever kind of package it is in."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from holdall_codegen.declared.source import importing_from


def test_packages_without_init_are_forgotten(tmp_path: Path) -> None:
    """Folders without `__init__.py` are packages, too, one inside the other."""
    module = tmp_path / "unmarked_hooks/farm/plants.py"
    module.parent.mkdir(parents=True)
    module.write_text("NAME = 'rose'\n", encoding="utf-8")
    with importing_from(tmp_path):
        assert importlib.import_module("unmarked_hooks.farm.plants").NAME == "rose"
    assert [name for name in sys.modules if name.startswith("unmarked_hooks")] == []
