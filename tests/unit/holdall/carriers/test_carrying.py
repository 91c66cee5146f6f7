"""Bags are taken off the objects of a tree: what is worked out for its types is bounded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.diamonds import at_the_bottom, diamond_group
from tests.support.projects import build_project, scheme_of


def test_types_that_are_held_twice(tmp_path: Path) -> None:
    """They have more places than could be worked out; a bag comes from any of them."""
    scheme = scheme_of(build_project(tmp_path, *diamond_group()))
    spec = at_the_bottom({"text": "x", "more": "y"})
    document: dict[str, Any] = {"apiVersion": "v2", "kind": "Thing", "spec": spec}
    older: Any = scheme.convert(document, to="v1")
    assert older["spec"] == at_the_bottom({"text": "x"})
    place = "/spec" + "/b/a" * 20
    assert [*older["$propertyBag"]["spec"]["bags"].items()] == [(place, {"v2": {"more": "y"}})]
    assert scheme.convert(older, to="v2") == document
