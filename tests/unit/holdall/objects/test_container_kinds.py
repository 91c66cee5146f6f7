"""Kinds of containers: told of members with any name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import ConversionError
from tests.laws.projects import STRING, Specimen, built_specimen, many, ref


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "a\x7fb", "a/b", "ä", ""])
def test_members_with_any_name(name: str, tmp_path: Path) -> None:
    """The decoder that checks shapes refuses some of them."""
    part = {name: many(STRING)}
    specimen = Specimen(
        {
            "v1": {"Thing": {name: ref("Part")}, "Part": part},
            "v2": {"Thing": {name: ref("Part")}, "Part": {**part, "size": STRING}},
        }
    )
    group = built_specimen(specimen, tmp_path)
    thing = {"apiVersion": "v2", "kind": "Thing", name: {name: ["x"], "size": "big"}}
    older: Any = group.scheme.convert(thing, to="v1")
    assert older[name][name] == ["x"]
    assert "size" not in older[name]
    assert group.scheme.convert(older, to="v2") == thing
    older[name][name] = "x"
    with pytest.raises(ConversionError, match="expected list, found string"):
        group.scheme.convert(older, to="v2")
