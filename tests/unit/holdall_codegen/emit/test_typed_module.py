"""What type checkers see of a scheme whose versions and kinds are not all alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.property.specimens import specimen_of
from tests.support.checkers import mypy_says, ruff_says

pytestmark = pytest.mark.slow

OBJECT: Any = {"type": "object", "properties": {"spec": {"type": "object"}}}
LONG = "v1beta1withanamethatneedsmuchofaline"


def source(version: str, *kinds: str) -> dict[str, Any]:
    return {"schemas": "any.json", "version": version, "kinds": dict.fromkeys(kinds, "")}


GROUP = {
    "package": "mixed",
    "api_group": "mixed.example.com",
    "sources": [
        source("v1", "Thing", "Early", "order-line"),
        source(LONG, "Thing"),
        source("v2", "Thing", "order-line"),
    ],
    "versions": ["v1", LONG, "v2", {"name": "hub", "internal": True, "like": "v2"}],
    "hub": "hub",
}
USE = """
from typing import assert_type

import holdall as h
from {output}.mixed import SCHEME, MixedVersion, v1, v2


def use(thing: v1.Thing, early: v1.Early, line: v1.OrderLine) -> None:
    assert_type(SCHEME.convert(line, to=v2.OrderLine), v2.OrderLine)
    assert_type(SCHEME.convert(thing, to="v2"), v2.Thing)
    assert_type(SCHEME.convert(thing, to=MixedVersion.V2), v2.Thing)
    assert_type(SCHEME.convert(early, to="v1"), v1.Early)
    assert_type(SCHEME.convert(early, to=v1.Early), v1.Early)
    assert_type(SCHEME.convert({{}}, to=v2.Thing), v2.Thing)
    assert_type(SCHEME.convert(early, to="v2"), h.Object)  # where the kind does not exist
    assert_type(SCHEME.convert(thing, to="hub"), h.Object)  # where there are no API types
"""


def test_each_kind_has_the_types_of_its_versions(tmp_path: Path) -> None:
    """A kind may be missing in a version or have a hyphen; an internal one has no API types."""
    config = f"groups: {json.dumps({'mixed': GROUP})}\n"
    specimen = specimen_of(tmp_path, config, {"any.json": json.dumps(OBJECT)})
    (tmp_path / "use.py").write_text(USE.format(output=specimen.output), encoding="utf-8")
    module = f"{specimen.output}/mixed/typed.py"
    assert mypy_says(tmp_path, "use.py", module) == ""
    assert ruff_says(tmp_path, module) == ""
