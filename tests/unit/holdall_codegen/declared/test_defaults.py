"""Defaults, foreign types and re-exported modules of a declaration, against what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall_codegen.declared.problems import DeclarationError
from tests.support.declared import declare
from tests.unit.holdall_codegen.declared.test_problems import problems, read

BEFORE = """
@obj
class Desk:
    room: str
    seats: U8 = 1
    note: str | None

@union
class Mode:
    Plain: Unit
    Held: Desk
    Pair: tuple[int, str]

@obj
class Foo:
    bar: {type} = {value}
"""


@pytest.mark.parametrize(
    ("type_", "value", "why"),
    [
        ("str", "5", "integer is not str"),
        ("int", "True", "boolean is not int"),
        ("bool", "0", "integer is not bool"),
        ("float", '"x"', "string is not float"),
        ("U8", "256", "256 is not within 0 and 255"),
        ("I8 | None", "-129", "-129 is not within -128 and 127"),
        ("list[str]", "field(default_factory=dict)", "object is not list[str]"),
        ("dict[str, int]", "{'a': 'x'}", "string is not int"),
        ("Desk", '{"seats": 2}', 'Desk needs a field "room"'),
        ("Desk", '{"room": "a", "chair": 1}', 'Desk has no field "chair"'),
        ("list[Desk]", '[{"room": 1}]', "integer is not str"),
        ("Mode", '"Held"', '"Held" is not a variant of Mode without a payload'),
        ("Mode", '{"Plain": 1}', '"Plain" is not a variant of Mode with a payload'),
        ("Mode", '{"Pair": [1]}', "list is not a list of 2"),
        ("Mode", '{"Pair": [1, 2]}', "integer is not str"),
        ("Mode", "5", "integer is not Mode"),
    ],
)
def test_a_default_is_a_value_of_its_type(type_: str, value: str, why: str) -> None:
    """Any other is refused, at any depth."""
    found = problems(BEFORE.format(type=type_, value=value))
    assert [(problem.code, problem.path) for problem in found] == [("argument_invalid", "Foo.bar")]
    assert why in found[0].message


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("float", "5"),
        ("str | None", "None"),
        ("Json", '{"any": [1]}'),
        ("Desk", '{"room": "a"}'),
        ("Mode", '"Plain"'),
        ("Mode", '{"Pair": [1, "x"]}'),
        ("dict[str, list[U16]]", '{"a": [1, 65535]}'),
    ],
)
def test_a_default_that_fits_is_accepted(type_: str, value: str) -> None:
    """Values of the wire; what is not required may be left out."""
    assert problems(BEFORE.format(type=type_, value=value)) == []


def test_a_default_belongs_to_the_latest_type() -> None:
    """Versions that had another type have the default of that type."""
    text = """
    def to_text(value: int) -> str:
        return str(value)

    @obj
    class Foo:
        bar: Annotated[str, added("v1beta1"), changed("v1", from_type=int, upgrade_with=to_text,
                                                      downgrade_with=len)] = "x"
    """
    foo = read(text).container("Foo")
    old, new = foo.shapes["v1beta1"][0], foo.shapes["v1"][0]
    assert (old.has_default, new.has_default, new.default) == (False, True, "x")
    assert [lone.name for lone in foo.edges["v1alpha1", "v1beta1"].appears] == [old.name]


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("no.such.module:Type", "ModuleNotFoundError"),
        ("decimal:Decimel", "`decimal` has no type `Decimel`; did you mean"),
        ("specimen:Nothing", "cannot be imported"),
    ],
)
def test_a_foreign_type_can_be_imported(target: str, why: str) -> None:
    """What cannot is no type."""
    found = problems(f'@obj\nclass Foo:\n    bar: Annotated[str, external("{target}")]\n')
    assert [problem.code for problem in found] == ["unknown_type"]
    assert why in found[0].message


def test_functions_and_modules_of_the_project_are_found(tmp_path: Path) -> None:
    """Defaults are made, and re-exported modules looked into, as from the project's folder."""
    (tmp_path / "makers_of_waits.py").write_text(
        "class Wait: pass\n\n\ndef no_wait():\n    return '0s'\n"
    )
    group = declare(
        tmp_path,
        """
from makers_of_waits import no_wait
VERSIONS = Versions(Version("v1"), Version("v2", reexport=("makers_of_waits",)))
Wait = Annotated[str, external("makers_of_waits:Wait", default=no_wait)]

@obj
class Step:
    wait: Wait

@resource(group="w.example.com")
class PlanSpec:
    step: Annotated[Step, added("v2")]
""",
    )
    document = {"apiVersion": "w.example.com/v1", "kind": "Plan", "metadata": {}, "spec": {}}
    assert group.scheme.convert(document, to="v2")["spec"] == {"step": {"wait": "0s"}}
    assert group.api("v2").Wait.__module__ == "makers_of_waits"


def test_a_default_that_cannot_be_made_is_a_located_error(tmp_path: Path) -> None:
    """A function that fails while code is generated ends in no traceback."""
    text = """
VERSIONS = Versions(Version("v1"), Version("v2"))

def broken() -> str:
    raise ValueError("no luck")

@obj
class Step:
    wait: str = field(default_factory=broken)

@resource(group="w.example.com")
class PlanSpec:
    step: Annotated[Step, added("v2")]
"""
    with pytest.raises(DeclarationError, match=r"default_missing .*:\d+:\d+: .*no luck"):
        declare(tmp_path, "from dataclasses import field\n" + text)


def test_a_reexported_module_that_is_missing_is_a_located_error(tmp_path: Path) -> None:
    """It is found out when its names are asked for."""
    versions = 'VERSIONS = Versions(Version("v1", reexport=("no.such.module",)))'
    with pytest.raises(DeclarationError, match=r"submodule_item_not_use .*No module named 'no'"):
        declare(tmp_path, f"{versions}\n@obj\nclass A:\n    b: int\n")
