"""What the plan is told about items that have one name on the wire, and about variants."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.types import JsonObject
from holdall_codegen.declared import DeclarationError
from tests.support.declared import Declaring, declare
from tests.support.objects import resource

VERSIONS = """
VERSIONS = Versions(Version("v1"), Version("v2"), Version("v3"), tracking=Tracking())

@resource(group="example.com")
class FooSpec:
    part: Part | None
    gap: Gap | None

@obj
class Gap:
    x: str

"""


@pytest.mark.parametrize("later", ["Unit", "str"])
@pytest.mark.parametrize("earlier", ["Unit", "str"])
def test_a_variant_may_get_the_name_of_an_earlier_one(
    tmp_path: Path, earlier: str, later: str
) -> None:
    """They are two, whatever they hold and whether there are versions without both."""
    classes = "\n\n".join(
        f"""@union
class {name}:
    A: Annotated[{earlier}, removed("v2", fallback="B")]
    Other: Annotated[{later}, added("{after}", fallback="B"), json_name("A")]
    B: Unit
"""
        for name, after in (("Part", "v2"), ("Gap", "v3"))
    )
    declared = declare(tmp_path, VERSIONS.partition("@obj")[0] + classes)
    for member in ("part", "gap"):
        for held, near, far in ((earlier, "v1", "v3"), (later, "v3", "v1")):
            spec = {member: "A" if held == "Unit" else {"A": "x"}}
            document = resource(f"example.com/{near}", "Foo", "foo", spec=spec)
            there = declared.convert(document, to=far)
            assert there["spec"] == {member: "B"}
            assert declared.convert(there, to=near) == document


def test_fields_of_one_name_in_a_class_without_converters(tmp_path: Path) -> None:
    """Nothing joins them, so nothing has to keep them apart."""
    declared = declare(
        tmp_path,
        f"""{VERSIONS}
@obj(skip=Skip.FROM)
class Part:
    a: Annotated[str, removed("v2")]
    b: Annotated[str, added("v3"), json_name("a")]
""",
    )
    document = resource("example.com/v1", "Foo", "foo", spec={"gap": {"x": "y"}})
    assert declared.convert(document, to="v3")["spec"] == {"gap": {"x": "y"}}


@pytest.mark.parametrize(
    ("fields", "older", "newer"),
    [
        (
            ('a: Annotated[str, changed("v2", from_name="a"), changed("v3", from_name="b")]',),
            {"a": "x"},
            {"a": "x"},
        ),
        (
            (
                'a: Annotated[str, changed("v2", from_name="c"), changed("v3", from_name="d")]',
                'b: Annotated[str, changed("v2", from_name="a"), changed("v3", from_name="e")]',
            ),
            {"c": "x", "a": "y"},
            {"a": "x", "b": "y"},
        ),
    ],
)
def test_a_name_that_returns_is_of_an_item_that_was_never_gone(
    tmp_path: Path, fields: tuple[str, ...], older: JsonObject, newer: JsonObject
) -> None:
    """All versions have it under some name, so no gap is there to keep two items apart."""
    body = "\n    ".join(fields)
    declared = declare(tmp_path, f"{VERSIONS}\n@obj\nclass Part:\n    {body}\n")
    document = resource("example.com/v1", "Foo", "foo", spec={"part": older})
    there = declared.convert(document, to="v3")
    assert there["spec"] == {"part": newer}
    assert declared.convert(there, to="v1") == document


@pytest.mark.parametrize(("earlier", "later"), [("Unit", "str"), ("str", "Unit")])
def test_a_variant_has_a_payload_in_all_versions_or_in_none(
    declared: Declaring, earlier: str, later: str
) -> None:
    with pytest.raises(DeclarationError) as caught:
        declared(
            f"""{VERSIONS}
@union
class Part:
    A: Annotated[{later}, changed("v2", from_type={earlier})]
    B: Unit
""",
        )
    (problem,) = caught.value.problems
    text = f"Part.A.changed[0]: a variant cannot change from {earlier} to {later}"
    assert (problem.code, problem.message) == ("argument_invalid", text)
    assert problem.fix == 'declare two: one with removed("v2", …), one with added("v2", …)'
