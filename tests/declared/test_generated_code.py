"""Code generated from declarations passes the checks that handwritten code has to pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.declared.test_malformed_tracking import FLEET
from tests.declared.test_reviews import PEOPLE
from tests.declared.test_tracking import SHIPS
from tests.support.checkers import mypy_says, pyright_says, ruff_says
from tests.support.declared import Declared, declare

pytestmark = pytest.mark.slow

# What the other specimens do not have.
MUCH = """
import dataclasses
from typing import Generic, TypeVar

T = TypeVar("T")
VERSIONS = Versions(
    Version("v1alpha1", deprecated="use v2, the only one that will stay for longer than a year"),
    Version("v1beta1", doc="A draft."),
    Version("v2"),
    imports={"otel": "opentelemetry"},
    tracing=True,
)


def first_word(parent: object) -> str:
    return str(parent).split()[0]


def seconds(text: str) -> int:
    return int(text)


@obj
class Page(Generic[T]):
    entries: list[T]
    more: Annotated[bool, added("v2")]


@obj
class Nothing:
    pass


@obj
class Leaf:
    '''LONG'''
    size: U8 = 3
    from_: Annotated[str, json_name("from"), Doc("Where it comes from.")]
    leaves: list[Leaf]


@union
class Season:
    Warm: Annotated[Unit, default_variant]
    Cold: Annotated[Unit, added("v2", fallback="Warm")]


@union(rename_all="camelCase")
class Growth:
    Plain: Unit
    Leafy: Leaf
    Both: tuple[Leaf, Season | None]
    Sudden: Annotated[Nothing, added("v2", fallback=FAIL)]


@obj(since="v1beta1")
class Gardener:
    name: str
    tools: dict[str, list[Leaf | None]]


@resource(group="g.example.com", status="PlantStatus", skip=(Skip.MERGED_CRD,))
class PlantSpec:
    '''A plant.'''
    pages: Page[Leaf]
    numbers: Page[int]
    anything: Json
    growth: Growth
    season: Annotated[Season, added("v1beta1")]
    seasons: list[Season]
    nested: dict[str, list[list[Growth]]]
    gardener: Annotated[Gardener | None, added("v1beta1")]
    age: Annotated[int, changed("v2", from_name="old", from_type=str, upgrade_with=seconds,
                                downgrade_with=str)]
    label: Annotated[str, added("v2", default_from=first_word)]
    gone: Annotated[float, removed("v2")]
    deprecated_pot: Annotated[str, deprecated("v1beta1", note="it is planted")]
    tags: list[str] = dataclasses.field(default_factory=list)


@resource(group="g.example.com", skip=(Skip.TRY_CONVERT, Skip.OBJECT_FROM, Skip.FROM))
class WeedThatGrowsInEveryOtherGardenSpec:
    height: Annotated[float, added("v2")]


# Its name is what the enum of Plant's versions is called elsewhere.
@resource(group="g.example.com")
class PlantVersionSpec:
    latin: str


@obj
class PlantStatus:
    watered: Annotated[bool, added("v2")]
""".replace("LONG", f"A leaf, {'which is long, ' * 8}and ends here.")
# Classes without a kind, and versions that have none of them.
LOOSE = """
VERSIONS = Versions(
    Version("v1alpha1", deprecated=True),
    Version("v1", reexport=("collections:Counter",)),
    Version("v2"),
    Version("v3"),
)


@obj(since="v2")
class Peg:
    length: U8
    color: Annotated[str, added("v3")]
"""
# Versions of a kind are told apart by their apiVersion.
USAGE = """
from typing_extensions import assert_type

from {package} import kinds, v1, v1alpha1, v1beta1


def tell(fleet: kinds.AnyFleet) -> str | None:
    if fleet.api_version == "sea.example.com/v1alpha1":
        assert_type(fleet, v1alpha1.Fleet)
        return None
    if fleet.api_version == "sea.example.com/v1":
        assert_type(fleet, v1.Fleet)
        return fleet.spec.motto
    assert_type(fleet, v1beta1.Fleet)
    return fleet.spec.motto


def renew(fleet: v1alpha1.Fleet) -> object:
    assert_type(kinds.Fleet.convert({{}}, v1.Fleet), v1.Fleet)
    assert_type(kinds.Fleet.convert(fleet, v1beta1.Fleet), v1beta1.Fleet)
    return kinds.Fleet.convert(fleet, kinds.FleetVersion.V1)


def report(fleet: v1beta1.Fleet) -> bool | None:
    status = fleet.status
    assert_type(status, v1beta1.FleetStatusWithChangedValues | None)
    changed = None if status is None else status.changed_values
    fleet.status = v1beta1.FleetStatusWithChangedValues(
        ready=True, seen="today", changed_values=changed
    )
    assert_type(fleet.status.seen, str | None)
    return fleet.status.ready
"""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the generated packages of all specimens."""
    root = tmp_path_factory.mktemp("generated")
    fleet = declare(root, FLEET.format("Tracking()"))
    for text in (SHIPS, PEOPLE, MUCH, LOOSE):
        declare(root, text)
    (root / "usage.py").write_text(USAGE.format(package=fleet.package))
    return root


def checked(folder: Path) -> list[str]:
    found = [path.name for path in folder.glob("generated_*")]
    assert len(found) >= 5
    return found


def test_mypy_agrees(generated: Path) -> None:
    """mypy --strict, on the code and on its use."""
    assert mypy_says(generated, "usage.py", *checked(generated)) == ""


def test_basedpyright_agrees(generated: Path) -> None:
    """basedpyright in strict mode."""
    assert pyright_says(generated, ["usage.py", *checked(generated)]) == ""


def test_ruff_agrees(generated: Path) -> None:
    """The rules and the format of this project."""
    assert ruff_says(generated, *checked(generated)) == ""


def test_the_types_hold_what_they_say(generated: Path) -> None:
    """The specimen for the checks is one that works."""
    group = declare(generated, MUCH)
    assert isinstance(group, Declared)
    plant = group.api("v2").Plant.from_dict(
        {
            "apiVersion": "g.example.com/v2",
            "kind": "Plant",
            "metadata": {"name": "p"},
            "spec": {
                "pages": {"entries": [{"size": 1, "from": "x", "leaves": []}], "more": True},
                "numbers": {"entries": [1], "more": False},
                "anything": {"a": [None]},
                "growth": {"both": [{"size": 1, "from": "y", "leaves": []}, "Cold"]},
                "season": "Cold",
                "seasons": ["Warm"],
                "nested": {"a": [["plain"]]},
                "age": 5,
                "label": "l",
                "deprecated_pot": "q",
                "tags": [],
            },
        }
    )
    assert plant.spec.growth.both.n0.from_ == "y"
    old = group.scheme.convert(plant, to="v1alpha1")
    assert (old.spec.old, old.spec.pot, old.spec.gone) == ("5", "q", 0.0)
    kind, cls = group.kinds.Plant, group.api("v1alpha1").Plant
    assert kind.convert(plant, cls) == kind.convert(plant.to_dict(), cls) == old
