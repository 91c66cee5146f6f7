"""A union of bare names whose converters are skipped is converted by a hook, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import ConversionError
from tests.support.declared import Declared, declare
from tests.support.objects import resource

TEXT = """
VERSIONS = Versions(Version("v1"), Version("v2"), Version("v3"), tracking=Tracking())


@union(skip=(Skip.FROM,))
class Mode:
    Plain: Annotated[Unit, default_variant]
    Fancy: Annotated[Unit, changed("v2", from_name="Posh")]
    Wild: Annotated[Unit, added("v3", fallback="Plain")]


@resource(group="m.example.com")
class ThingSpec:
    name: str
    mode: Mode | None
    modes: list[Mode] | None
    named: dict[str, Mode] | None
"""
HOOKS = '''
"""Converts modes between all versions."""

import holdall as h
{imports}


class FirstModes(v1.AssignableMode):
    """Reads Posh and Fancy as one."""

    @h.claims(reads=["$unit"], writes=["$unit"])
    def assign_properties_to(self, source: v1.Mode, destination: v2.Mode, bag: h.BagView) -> None:
        destination.unit = "Fancy" if source.unit == "Posh" else source.unit

    @h.claims(reads=["$unit"], writes=["$unit"])
    def assign_properties_from(self, source: v2.Mode, destination: v1.Mode, bag: h.BagView) -> None:
        destination.unit = "Posh" if source.unit == "Fancy" else source.unit


class LaterModes(v2.AssignableMode):
    """Tames what is wild."""

    @h.claims(reads=["$unit"], writes=["$unit"])
    def assign_properties_to(self, source: v2.Mode, destination: v3.Mode, bag: h.BagView) -> None:
        destination.unit = source.unit

    @h.claims(reads=["$unit"], writes=["$unit"])
    def assign_properties_from(self, source: v3.Mode, destination: v2.Mode, bag: h.BagView) -> None:
        destination.unit = "Plain" if source.unit == "Wild" else source.unit
'''


def thing(version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"m.example.com/{version}", "Thing", "t", spec={"name": "n", **spec})


@pytest.fixture
def things(tmp_path: Path) -> Declared:
    return declare(tmp_path, TEXT)


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ({"mode": "Plain"}, "/spec/mode"),
        ({"modes": ["Plain"]}, "/spec/modes/0"),
        ({"named": {"a": "Plain"}}, "/spec/named/a"),
    ],
)
def test_without_a_hook_its_objects_do_not_convert(
    things: Declared, spec: dict[str, Any], place: str
) -> None:
    """The error names the place; objects without such a value do convert."""
    for source, target in (("v1", "v2"), ("v2", "v1"), ("v1", "v3"), ("v3", "v2")):
        with pytest.raises(ConversionError, match="nothing is generated between") as caught:
            things.convert(thing(source, **spec), to=target)
        assert caught.value.path == place
        assert "of Mode" in caught.value.rule
        assert things.convert(thing(source), to=target) == thing(target)


def test_it_is_the_same_on_the_wire(things: Declared) -> None:
    """A name among those of its version, in API types and in the CRD."""
    typed = things.api("v1").Thing.from_dict(thing("v1", mode="Posh", modes=["Plain"]))
    assert (typed.spec.mode.unit, typed.spec.modes[0].unit) == ("Posh", "Plain")
    assert typed.to_dict() == thing("v1", mode="Posh", modes=["Plain"])
    crd = things.kinds.Thing.merged_crd(things.kinds.ThingVersion.V3)
    for version, names in zip(
        crd["spec"]["versions"],
        (["Plain", "Posh"], ["Plain", "Fancy"], ["Plain", "Fancy", "Wild"]),
        strict=True,
    ):
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        assert spec["mode"]["enum"] == names
        assert spec["modes"]["items"]["enum"] == names


def test_a_hook_converts_it_wherever_it_stands(things: Declared) -> None:
    """The rest of the object is converted by generated code, as around any type with a hook."""
    hooks = things.root / things.scheme.hooks
    hooks.mkdir()
    imports = "\n".join(
        f"from {things.package}.{version} import storage as {version}"
        for version in ("v1", "v2", "v3")
    )
    (hooks / "modes.py").write_text(HOOKS.format(imports=imports))
    old = thing("v1", mode="Posh", modes=["Plain", "Posh"], named={"a": "Posh"})
    new = thing("v3", mode="Fancy", modes=["Plain", "Fancy"], named={"a": "Fancy"})
    assert things.convert(old, to="v3") == new
    assert things.convert(new, to="v1") == old
    assert things.convert(thing("v3", mode="Wild"), to="v1") == thing("v1", mode="Plain")
