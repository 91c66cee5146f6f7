"""Objects that a hook on twins makes with converters of their types: nothing of them is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.laws.projects import Specimen, built_specimen, many, ref
from tests.support.projects import written_hook

Json = dict[str, Any]
TEXT: Json = {"type": "string"}
THING: Json = {"part": ref("Part"), "parts": many(ref("Part")), "other": ref("Part")}
# Only v1 has `lost`; no converter looks at `part` and `parts`.
TYPES: dict[str, dict[str, dict[str, Json]]] = {
    "v1": {"Thing": THING, "Part": {"a": TEXT, "lost": TEXT, "inner": ref("Part")}},
    "v2": {"Thing": THING, "Part": {"a": TEXT, "inner": ref("Part")}},
}
HELPERS = """

def newer(part: v1.Part) -> v2.Part:
    made = v2.Part()
    part.assign_properties_to(made)
    return made


def older(part: v2.Part) -> v1.Part:
    made = v1.Part()
    made.assign_properties_from(part)
    return made
"""
HOOKS = written_hook(
    """
    destination.part = source.part and newer(source.part)
    destination.parts = source.parts and [newer(part) for part in source.parts]
    """,
    """
    destination.part = source.part and older(source.part)
    destination.parts = source.parts and [older(part) for part in source.parts]
    """,
    reads="part parts",
    writes="part parts",
    older="v1.Thing",
    newer="v2.Thing",
    code=HELPERS,
)


@pytest.mark.parametrize("strict", [False, True])
def test_what_their_converters_keep_travels_and_returns(tmp_path: Path, strict: bool) -> None:
    """Nothing else of the document leaves a bag."""
    facts = {"v1 -> v2": {"Thing": {"$hook": ["part", "parts"]}}}
    scheme = built_specimen(Specimen(TYPES, between=facts), tmp_path, HOOKS).scheme
    scheme.load(strict_hooks=strict)
    for members, address in (
        ({"part": {"a": "x", "lost": "y"}}, "/part"),
        ({"part": {"inner": {"lost": "y"}}}, "/part/inner"),
        ({"parts": [{"a": "x"}, {"a": "z", "lost": "y"}]}, "/parts/[1]"),
    ):
        document = {"apiVersion": "v1", "kind": "Thing", **members}
        there: Json = scheme.convert(document, to="v2")
        assert "$propertyBag" not in str(there.get("part")) + str(there.get("parts"))
        assert [*there["$propertyBag"]["spec"]["bags"]] == [address]
        assert scheme.convert(there, to="v1") == document
