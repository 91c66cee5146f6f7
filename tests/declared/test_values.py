"""What becomes of single values over a declared edge: functions, defaults, variants."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.errors import ConversionError
from tests.support.declared import Declared, Declaring
from tests.support.objects import resource

GARDEN = """
VERSIONS = Versions(Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="bag"))


def seven() -> int:
    return 7


def to_pot(liters: int | None) -> str:
    return "none" if liters is None else f"{liters} l"


def to_liters(pot: str) -> int | None:
    if pot == "none":
        return None
    if not pot.endswith(" l"):
        raise ValueError("no amount")
    return int(pot.removesuffix(" l"))


def label_of(bed: dict[str, object]) -> str:
    return f"bed {bed.get('row')}"


def bloom_of(color: str) -> dict[str, object]:
    return {"color": color}


def color_of(bloom: dict[str, object]) -> str:
    return str(bloom.get("color", ""))


def nearest(soil: dict[str, object] | str) -> str:
    return "Sand"


@obj
class Bloom:
    color: str
    scent: str | None = None


@obj
class Water:
    liters: U8
    source: Annotated[str, added("v3")]


@union
class Soil:
    Sand: Unit
    Loam: Annotated[Unit, changed("v3", from_name="Clay")]
    Mixed: Annotated[Water, changed("v2", from_name="Mix")]
    Layers: tuple[Water, int]
    Peat: Annotated[Unit, added("v2", fallback="Sand")]
    Lava: Annotated[Water, added("v3", downgrade_with=nearest)]


@union
class Sun:
    Full: Unit
    Half: Annotated[Unit, added("v2", fallback="Full")]
    Shade: Annotated[Unit, added("v3", fallback=FAIL)]


@resource(group="garden.example.com")
class BedSpec:
    row: I64
    label: Annotated[str, added("v2", default_from=label_of)]
    pot: Annotated[
        str,
        changed("v2", from_type="U8 | None", upgrade_with=to_pot, downgrade_with=to_liters),
    ]
    bloom: Annotated[
        Bloom, changed("v3", from_type=str, upgrade_with=bloom_of, downgrade_with=color_of)
    ]
    depth: Annotated[U32, changed("v2", from_type=U16)]
    grown: Annotated[int, changed("v2", from_type=str)]
    soil: Soil
    sun: Sun
    suns: list[Sun]
    old: Annotated[str, removed("v3")]
    older: Annotated[int, removed("v2", default=seven)]
"""


@pytest.fixture(scope="module")
def garden(declared: Declaring) -> Declared:
    return declared(GARDEN)


def bed(version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"garden.example.com/{version}", "Bed", "b", spec=spec)


def converted(group: Declared, document: dict[str, Any], to: str, *names: str) -> Any:
    spec = group.convert(document, to=to)["spec"]
    return tuple(spec.get(name) for name in names) if len(names) > 1 else spec.get(names[0])


@pytest.mark.parametrize(
    ("old", "new"), [(5, "5 l"), (0, "0 l"), (None, "none")], ids=["value", "zero", "null"]
)
def test_functions_get_values_and_nulls(garden: Declared, old: Any, new: str) -> None:
    assert converted(garden, bed("v1", pot=old), "v2", "pot") == new
    start = bed("v1", pot=old)
    assert garden.convert(garden.convert(start, to="v2"), to="v1") == start


def test_absent_values_stay_absent(garden: Declared) -> None:
    """No function is called for what is not there."""
    assert "pot" not in garden.convert(bed("v1", row=1), to="v3")["spec"]


def test_a_failing_function_is_a_located_error(garden: Declared) -> None:
    with pytest.raises(ConversionError, match=r"/spec/pot: .*:to_liters: ValueError: no amount"):
        garden.convert(bed("v2", pot="many"), to="v1")


def test_the_result_of_a_function_is_checked(garden: Declared) -> None:
    with pytest.raises(ConversionError, match="300 is out of the range of U8"):
        garden.convert(bed("v2", pot="300 l"), to="v1")


def test_a_function_may_make_an_object(garden: Declared) -> None:
    start = bed("v3", row=1, label="x", bloom={"color": "red", "scent": "sweet"})
    old = garden.convert(start, to="v2")
    assert old["spec"]["bloom"] == "red"
    assert garden.convert(old, to="v3") == start
    old["spec"]["bloom"] = "blue"
    assert converted(garden, old, "v3", "bloom") == {"color": "blue"}


def test_a_default_may_come_from_the_parent(garden: Declared) -> None:
    new = garden.convert(bed("v1", row=3), to="v2")
    assert new["spec"]["label"] == "bed 3"
    assert "annotations" not in garden.convert(new, to="v1")["metadata"]


def test_widening_is_implicit_and_narrowing_is_not(garden: Declared) -> None:
    """Without a function the older side gets the default of its type, and the value returns."""
    assert converted(garden, bed("v1", depth=7), "v2", "depth") == 7
    old = garden.convert(bed("v2", label="bed None", depth=7), to="v1")
    assert old["spec"]["depth"] == 0
    assert converted(garden, old, "v2", "depth") == 7
    old["spec"]["depth"] = 8
    assert converted(garden, old, "v2", "depth") == 8


def test_types_without_a_conversion_are_kept_apart(garden: Declared) -> None:
    new = garden.convert(bed("v1", grown="tall"), to="v2")
    assert new["spec"]["grown"] == 0
    assert converted(garden, new, "v1", "grown") == "tall"
    new["spec"]["grown"] = 4
    assert converted(garden, new, "v1", "grown") == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Sand", "Sand"),
        ("Clay", "Loam"),
        ({"Mix": {"liters": 3}}, {"Mixed": {"liters": 3, "source": ""}}),
        ({"Layers": [{"liters": 3}, 2]}, {"Layers": [{"liters": 3, "source": ""}, 2]}),
    ],
    ids=["bare", "renamed", "payload", "tuple"],
)
def test_variants_of_both_versions(garden: Declared, old: Any, new: Any) -> None:
    assert converted(garden, bed("v1", soil=old), "v3", "soil") == new
    there = garden.convert(bed("v1", soil=old), to="v3")
    assert converted(garden, there, "v1", "soil") == old


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Peat", "Sand"),
        ({"Lava": {"liters": 1, "source": "deep"}}, "Sand"),
        ({"Mixed": {"liters": 1, "source": "rain"}}, {"Mix": {"liters": 1}}),
        ({"Layers": [{"liters": 1, "source": "rain"}, 2]}, {"Layers": [{"liters": 1}, 2]}),
    ],
    ids=["bare", "function", "payload", "tuple"],
)
def test_variants_that_the_older_version_lacks(garden: Declared, new: Any, old: Any) -> None:
    """They return as long as what took their place was not edited."""
    there = garden.convert(bed("v3", soil=new), to="v1")
    assert there["spec"]["soil"] == old
    assert converted(garden, there, "v3", "soil") == new
    there["spec"]["soil"] = "Clay"
    assert converted(garden, there, "v3", "soil") == "Loam"


def test_bare_variants_are_strings_also_in_lists(garden: Declared) -> None:
    """Each element is found again where it stands now."""
    there = garden.convert(bed("v2", sun="Half", suns=["Full", "Half", "Full"]), to="v1")
    assert (there["spec"]["sun"], there["spec"]["suns"]) == ("Full", ["Full", "Full", "Full"])
    assert converted(garden, there, "v2", "sun", "suns") == ("Half", ["Full", "Half", "Full"])


MIXES = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(carrier="{}"))


@obj
class Water:
    liters: U8 = 4
    source: Annotated[str, added("v2")]


@union(rename_all="camelCase")
class Mix:
    Dry: Unit
    Wet: Water
    Deep: U8
    Both: tuple[Water, int]
    Brook: Annotated[Water, removed("v2", fallback="Both")]
    Moss: Annotated[Unit, added("v2", fallback="Wet")]
    Clay: Annotated[str, added("v2", fallback="Deep")]
    Loam: Annotated[str, added("v2", fallback="Both")]
    Fen: Annotated[Unit, added("v2", fallback="Brook")]


@resource(group="mix.example.com")
class SoilSpec:
    mixes: list[Mix]
"""


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
def test_a_fallback_with_a_payload_has_the_default_of_its_type(
    carrier: str, declared: Declaring
) -> None:
    """What it says is what its version can read, and gives back what it stands for."""
    group = declared(MIXES.format(carrier))
    new = ["moss", {"clay": "red"}, {"loam": "x"}, "fen", "dry"]
    old = [{"wet": {"liters": 4}}, {"deep": 0}, {"both": [{"liters": 4}, 0]}]
    old += [{"brook": {"liters": 4}}, "dry"]
    brook, both = {"brook": {"liters": 9}}, {"both": [{"liters": 4, "source": ""}, 0]}
    for start, mixes, end, shown in (("v2", new, "v1", old), ("v1", [brook], "v2", [both])):
        document = resource(f"mix.example.com/{start}", "Soil", spec={"mixes": mixes})
        there = group.convert(document, to=end)
        assert there["spec"]["mixes"] == shown
        assert group.api(end).Soil.from_dict(there).to_dict() == there
        assert group.convert(there, to=start) == document


def test_a_variant_without_a_fallback_is_an_error(garden: Declared) -> None:
    with pytest.raises(ConversionError, match="/spec/sun: the other version has no such variant"):
        garden.convert(bed("v3", sun="Shade"), to="v2")
    with pytest.raises(ConversionError, match="/spec/suns: the other version has no such variant"):
        garden.convert(bed("v3", suns=["Shade"]), to="v2")


def test_unknown_variants_pass(garden: Declared) -> None:
    """No version knows them, and they come back."""
    for value in ("Gravel", {"Gravel": {"x": 1}}, {"Sand": 1, "Peat": 2}, 5, None, {}):
        start = bed("v1", soil=value, older=1) if value != 5 else bed("v1", soil="Sand", older=1)
        assert garden.convert(garden.convert(start, to="v3"), to="v1") == start


def test_removed_fields_return(garden: Declared) -> None:
    start = bed("v1", old="x", older=3)
    new = garden.convert(start, to="v3")
    assert not {"old", "older"} & set(new["spec"])
    assert garden.convert(new, to="v1") == start
    fresh = bed("v3", row=1, label="bed 1")
    assert converted(garden, fresh, "v1", "old", "older") == ("", 7)


def test_a_skipped_edge_fails_without_a_hook(declared: Declaring) -> None:
    group = declared(
        """
VERSIONS = Versions(Version("v1", skip=(Skip.FROM,)), Version("v2"), Version("v3"))

@resource(group="g.example.com")
class ThingSpec:
    name: Annotated[str, added("v2")]
""",
    )
    thing = resource("g.example.com/v3", "Thing", metadata={}, spec={"name": "x"})
    assert group.convert(thing, to="v2")["spec"] == {"name": "x"}
    with pytest.raises(
        ConversionError, match="nothing is generated between v2 and v1 of ThingSpec"
    ):
        group.convert(thing, to="v1")


SEEDS = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(carrier="{carrier}"))


def sown(sowing: object) -> str:
    return "Anywhere"


def sowing(place: object) -> str:
    return "Never"


@union
class Sowing:
    Never: Unit
    Month: U8


@union
class Place:
    Anywhere: Unit
    Bed: str


@resource(group="seeds.example.com")
class SeedSpec:
    place: Annotated[
        Place,
        changed(
            "v2", from_name="sowing", from_type=Sowing, upgrade_with=sown, downgrade_with=sowing
        ),
    ]
    other: Annotated[
        Place, changed("v2", from_type="Place | None", upgrade_with=sown, downgrade_with=sown)
    ]
"""


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
def test_a_union_that_a_function_makes_comes_back(declared: Declaring, carrier: str) -> None:
    """It is one value, and not two unions whose variants are paired."""
    seeds = declared(SEEDS.replace("{carrier}", carrier))
    head = {"kind": "Seed", "metadata": {"name": "a"}}
    old = {"sowing": {"Month": 3}, "other": {"Bed": "south"}}
    new = {"place": {"Bed": "north"}, "other": {"Bed": "south"}}
    for version, spec, to in (("v1", old, "v2"), ("v2", new, "v1")):
        start = {"apiVersion": f"seeds.example.com/{version}", **head, "spec": spec}
        there = seeds.convert(start, to=to)
        assert there["spec"]["other"] == "Anywhere"
        assert seeds.convert(there, to=version) == start
        there["spec"]["other"] = {"Bed": "edited"}
        assert seeds.convert(there, to=version)["spec"] == {**spec, "other": "Anywhere"}


PLANKS = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(carrier="annotation"))


def flat(plank: object) -> dict[str, object]:
    return {"above": "", "high": False}


@obj
class Plank:
    above: str
    high: bool


@resource(group="planks.example.com")
class BenchSpec:
    seat: Annotated[Plank | None, changed("v2", from_type=Plank, downgrade_with=flat)]
"""


def test_what_a_value_became_is_written_in_one_order(declared: Declaring) -> None:
    """So the text of an annotation does not depend on the order of members."""
    planks = declared(PLANKS)
    found = set()
    for seat in ({"above": "sky", "high": True}, {"high": True, "above": "sky"}):
        start = {"apiVersion": "planks.example.com/v1", "kind": "Bench", "spec": {"seat": seat}}
        new = planks.convert({**start, "metadata": {"name": "a"}}, to="v2")
        found.add(new["metadata"]["annotations"]["planks.example.com/changed-values"])
    assert len(found) == 1


SHEDS = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(carrier="{carrier}"))


def to_text(number: int) -> str:
    return str(number)


def to_zero(text: str) -> int:
    return 0


def emptied(tools: object) -> dict[str, object]:
    return {"none": []}


@obj
class Tool:
    name: str
    size: Annotated[str, changed("v2", from_type=int, upgrade_with=to_text, downgrade_with=to_zero)]


@resource(group="sheds.example.com")
class ShedSpec:
    tools: Annotated[
        dict[str, list[Tool]] | None,
        changed("v2", from_type="dict[str, list[Tool]]", downgrade_with=emptied),
    ]
"""


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
def test_what_is_within_a_value_that_a_function_makes_has_no_entries(
    declared: Declaring, carrier: str
) -> None:
    """The whole is kept, and comes back as long as it is not edited."""
    sheds = declared(SHEDS.replace("{carrier}", carrier))
    head = {"apiVersion": "sheds.example.com/v1", "kind": "Shed", "metadata": {"name": "s"}}
    start = {**head, "spec": {"tools": {"a": [{"name": "saw", "size": 5}]}}}
    new = sheds.convert(start, to="v2")
    assert new["spec"] == {"tools": {"a": [{"name": "saw", "size": "5"}]}}
    assert sheds.convert(new, to="v1") == start
    new["spec"]["tools"]["a"][0]["name"] = "axe"
    assert sheds.convert(new, to="v1")["spec"] == {"tools": {"none": []}}
