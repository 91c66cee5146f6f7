"""What is known of a package is that of its last import."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import ConversionError
from holdall.plan.per_package import per_package
from holdall.plan.plans import load
from holdall.scheme.projects import load_schemes
from holdall_codegen.project import load_project
from tests.support.declared import HEAD
from tests.support.objects import resource
from tests.support.projects import new_packages, with_packages, write_generated

BOXES = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking())


@resource(group="boxes.example.com")
class BoxSpec:
    size: Annotated[TYPE, added("v2")]
"""
CONFIG = "groups: {boxes: {sources: [{declared: boxes.py}]}}\n"


@pytest.mark.usefixtures("own_path")
def test_a_project_of_the_same_names(tmp_path: Path) -> None:
    """A value is judged by the types of the project that was imported last."""
    output, hooks = new_packages()
    entry = {"jsonPath": "$.size", "value": 300}
    box: dict[str, Any] = resource("boxes.example.com/v1", "Box", "a", spec={})
    box["status"] = {"changedValues": {"upgrades": {"v2": [entry]}}}
    for type_ in ("U8", "U16"):
        root = tmp_path / type_
        root.mkdir()
        (root / "boxes.py").write_text(HEAD + BOXES.replace("TYPE", type_), "utf-8")
        (root / "holdall.yaml").write_text(with_packages(CONFIG, output, hooks), "utf-8")
        write_generated(load_project(root))
        for name in [name for name in sys.modules if name.split(".")[0] == output]:
            del sys.modules[name]
        importlib.invalidate_caches()
        (scheme,) = load_schemes(root)
        if type_ == "U8":
            with pytest.raises(ConversionError, match="300 is out of the range of U8"):
                scheme.convert(box, to="v2")
        else:
            assert scheme.convert(box, to="v2")["spec"] == {"size": 300}
    assert load(f"{output}.boxes") is load(f"{output}.boxes")


def test_a_reload_is_an_import(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    @per_package
    def read(package: str) -> int:
        reads.append(package)
        return len(reads)

    assert (read("generated.fleet"), read("generated.fleet"), read("holdall")) == (1, 1, 2)
    module = importlib.import_module("generated.fleet")
    monkeypatch.setattr(module, "SCHEME", object())
    assert (read("generated.fleet"), read("holdall")) == (3, 2)
