"""Names of object types: how they are made, shared, qualified, pinned, and that they stay."""

from __future__ import annotations

import json
import keyword
import random
import tempfile
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.errors import SourceError
from holdall_codegen.config.keys import SchemaSource, VersionConfig
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.model import Group, Location, Version
from holdall_codegen.read import read_group
from holdall_codegen.read.class_names import class_name, free_name, is_class_name, singular

AT = Location("holdall.yaml", 7)
Schema: TypeAlias = "dict[str, object]"


def obj(**properties: object) -> Schema:
    return {"type": "object", "properties": properties}


def array(items: object) -> Schema:
    return {"type": "array", "items": items}


A = obj(a={"type": "string"})
B = obj(b={"type": "string"})


def read(root: Path, *versions: dict[str, Schema], **pins: str) -> Group:
    """Read kinds with their specs, as `{kind: schema of spec}`, one file for each version."""
    sources = []
    for number, kinds in enumerate(versions, 1):
        schema = {"definitions": {kind: obj(spec=spec) for kind, spec in kinds.items()}}
        (root / f"v{number}.json").write_text(json.dumps(schema), encoding="utf-8")
        pointers = {kind: f"/definitions/{kind}" for kind in kinds}
        sources.append(SchemaSource(f"v{number}.json", f"v{number}", AT, pointers))
    names = tuple(VersionConfig(f"v{number}", AT) for number in range(1, len(versions) + 1))
    return read_group(GroupConfig("g", "g", AT, tuple(sources), names, type_names=pins), root)


def names_by_path(version: Version) -> dict[str, str]:
    return {path: name for name, found in version.types.items() for path in found.paths}


def names(root: Path, *, pins: dict[str, str] | None = None, **kinds: Schema) -> dict[str, str]:
    """Return the names of all types below the specs of one version, by path."""
    found = names_by_path(read(root, kinds, **(pins or {})).versions[0])
    return {path: name for path, name in found.items() if path.count("/") > 1}


def problems_of(root: Path, *versions: dict[str, Schema], **pins: str) -> list[str]:
    with pytest.raises(SourceError) as caught:
        read(root, *versions, **pins)
    return [str(problem) for problem in caught.value.problems]


def test_kinds_and_their_members_have_fixed_names(tmp_path: Path) -> None:
    """A root is named by its kind, an object right below it by kind and property."""
    found = names_by_path(read(tmp_path, {"Pool": A}).versions[0])
    assert found == {"Pool": "Pool", "Pool/spec": "PoolSpec"}


def test_deeper_objects_are_named_by_their_property(tmp_path: Path) -> None:
    """Objects take the property's name, list elements and map values its singular."""
    spec = obj(
        network=A,
        pools=array(B),
        policies={"type": "object", "additionalProperties": array(obj(c={}))},
    )
    assert names(tmp_path, Batch=spec) == {
        "Batch/spec/network": "Network",
        "Batch/spec/pools/*": "Pool",
        "Batch/spec/policies/*/*": "Policy",
    }


def test_equal_objects_of_one_name_share_a_type(tmp_path: Path) -> None:
    """Equal objects share one type across places and kinds; docs and defaults do not count."""
    documented = obj(a={"type": "string", "description": "A.", "default": "x", "format": "date"})
    found = names(tmp_path, One=obj(network=A), Two=obj(x=obj(networks=array(documented))))
    assert {path: name for path, name in found.items() if "network" in path} == {
        "One/spec/network": "Network",
        "Two/spec/x/networks/*": "Network",
    }


def test_default_of_a_shared_type_must_hold_everywhere(tmp_path: Path) -> None:
    """Where equal objects differ in a default, their shared type has none."""
    with_default = obj(a={"type": "string", "default": "x"})
    group = read(tmp_path, {"One": obj(net=with_default), "Two": obj(net=A)})
    [found] = group.versions[0].types["Net"].properties
    assert not found.has_default


def test_different_objects_of_one_name_are_qualified(tmp_path: Path) -> None:
    """Objects that differ bear the name of the type they stand in, all of them alike."""
    found = names(tmp_path, One=obj(network=A), Two=obj(network=B), Three=obj(pool=obj(network=A)))
    assert found["Two/spec/network"] == "TwoSpecNetwork"
    assert names(tmp_path, One=obj(network=A), Two=obj(network=B)) == {
        "One/spec/network": "OneSpecNetwork",
        "Two/spec/network": "TwoSpecNetwork",
    }


def test_equal_objects_that_are_most_keep_the_name(tmp_path: Path) -> None:
    """An edit of one of several equal objects renames that one only."""
    three = obj(x=obj(net=A))
    before = names(tmp_path, One=obj(net=A), Two=obj(net=A), Three=three)
    assert set(before.values()) == {"Net", "X"}
    assert names(tmp_path, One=obj(net=B), Two=obj(net=A), Three=three) == {
        "One/spec/net": "OneSpecNet",
        "Two/spec/net": "Net",
        "Three/spec/x": "X",
        "Three/spec/x/net": "Net",
    }


def test_a_name_never_goes_to_another_object(tmp_path: Path) -> None:
    """A new object, nearer to its kind than that of its name, does not take the name over."""
    before = names(tmp_path, One=obj(x=obj(net=A)))
    after = names(tmp_path, One=obj(net=B, x=obj(net=A)))
    assert before["One/spec/x/net"] == "Net"
    assert {after["One/spec/net"], after["One/spec/x/net"]} == {"OneSpecNet", "XNet"}


def test_difference_far_below_counts(tmp_path: Path) -> None:
    """Types are equal only if all that they contain is equal."""
    found = names(tmp_path, One=obj(net=obj(x=obj(y=A))), Two=obj(net=obj(x=obj(y=B))))
    assert found["One/spec/net"] == "OneSpecNet"
    assert found["One/spec/net/x"] == "OneSpecNetX"
    assert found["Two/spec/net/x/y"] == "TwoSpecNetXY"


def test_names_that_are_taken_are_qualified(tmp_path: Path) -> None:
    """A property named like a kind, a spec or a definition does not take that name."""
    found = names(tmp_path, Pool=obj(pool=A, poolSpec=B), Net=obj(pools=array(B)))
    assert found == {
        "Pool/spec/pool": "PoolSpecPool",
        "Pool/spec/poolSpec": "PoolSpecPoolSpec",
        "Net/spec/pools/*": "NetSpecPool",
    }


def test_names_that_differ_in_case_only_are_qualified(tmp_path: Path) -> None:
    """`TlsContext` beside `TLSContext` would mislead readers and collide in functions' names."""
    assert names(tmp_path, TLSContext=A, Host=obj(tlsContext=B)) == {
        "Host/spec/tlsContext": "HostSpecTlsContext"
    }


def test_names_that_collide_within_one_object_stay_apart(tmp_path: Path) -> None:
    """Properties whose names become equal get names of their own, whatever their order."""
    one = names(tmp_path, K=obj(pool=A, pools=array(B), **{"a-b": A, "aB": B}))
    two = names(tmp_path, K=obj(**{"aB": B, "a-b": A}, pools=array(B), pool=A))
    assert one == two
    assert len(set(one.values())) == 4


def test_qualified_names_are_made_unique(tmp_path: Path) -> None:
    """A qualified name that is taken is qualified further."""
    spec = obj(x=obj(net=A), y=obj(net=B), xNet=obj(c={}))
    assert names(tmp_path, K=spec) == {
        "K/spec/x": "X",
        "K/spec/y": "Y",
        "K/spec/xNet": "XNet",
        "K/spec/x/net": "KSpecXNet",
        "K/spec/y/net": "YNet",
    }


def test_pin_names_a_type_in_all_versions_that_have_it(tmp_path: Path) -> None:
    """A pinned name holds wherever the path exists, for the type that stands there."""
    specs = (obj(pools=array(A)), obj(pools=array(B)), obj(other=A))
    group = read(tmp_path, *({"K": spec} for spec in specs), **{"K/spec/pools/*": "Thing"})
    assert ["Thing" in version.types for version in group.versions] == [True, True, False]


def test_pin_renames_a_shared_type_at_all_places(tmp_path: Path) -> None:
    """A pin names a type, so all places that share it follow."""
    found = names(tmp_path, K=obj(net=A), L=obj(net=A), pins={"K/spec/net": "Thing"})
    assert set(found.values()) == {"Thing"}


def test_different_pins_part_a_shared_type(tmp_path: Path) -> None:
    """Two pins of one shared type part it; places without a pin keep the plain name."""
    pins = {"K/spec/net": "One", "L/spec/net": "Two"}
    found = names(tmp_path, K=obj(net=A), L=obj(net=A), M=obj(net=A), pins=pins)
    assert found == {"K/spec/net": "One", "L/spec/net": "Two", "M/spec/net": "Net"}


def test_one_pin_may_join_equal_types(tmp_path: Path) -> None:
    """Equal objects of different names become one type by one pinned name."""
    pins = {"K/spec/a": "Thing", "K/spec/b": "Thing"}
    assert set(names(tmp_path, K=obj(a=A, b=A), pins=pins).values()) == {"Thing"}


def test_pins_that_cannot_be_are_problems(tmp_path: Path) -> None:
    """Unknown paths, impossible names and clashes are told together with their remedy."""
    [unknown, malformed] = problems_of(
        tmp_path, {"K": obj(pools=array(A))}, **{"K/spec/pool/*": "X", "K/spec/pools/*": "class"}
    )
    assert "HA156 holdall.yaml:7" in unknown
    assert 'did you mean "K/spec/pools/*"' in unknown
    assert '"class" (`type_names` for K/spec/pools/*)' in malformed
    [clash] = problems_of(
        tmp_path, {"K": obj(a=A, b=B)}, **{"K/spec/a": "Thing", "K/spec/b": "Thing"}
    )
    assert "two different types would be named Thing: K/spec/a and K/spec/b" in clash
    [clash] = problems_of(tmp_path, {"K": obj(a=A), "L": B}, **{"K/spec/a": "L"})
    assert "two different types would be named L: K/spec/a and L" in clash


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("circuit_breakers", "CircuitBreakers"),
        ("publicNetworkAccess", "PublicNetworkAccess"),
        ("v2ExplicitTLS", "V2ExplicitTLS"),
        ("3scale", "T3scale"),
        ("a-b", "AB"),
        ("$x", "X"),
        ("__init__", "Init"),
        ("größe", "Größe"),
        ("ﬁle", "File"),
        ("$", "T24"),
        ("a.b/c d", "ABCD"),
    ],
)
def test_names_become_pascal_case(text: str, expected: str) -> None:
    """A wire name gives a class name with its inner capitals."""
    assert class_name(text) == expected


@given(st.text(min_size=1))
def test_every_text_gives_a_valid_class_name(text: str) -> None:
    """Whatever a property is called, its type has a valid Python name that hides nothing."""
    name = free_name(class_name(text))
    assert name.isidentifier()
    assert not keyword.iskeyword(name)
    assert not name.startswith("_")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("none", "NoneObject"), ("warning", "WarningObject"), ("object", "ObjectType"),
     ("type", "Type"), ("list", "List"), ("protocol", "ProtocolObject")],
)  # fmt: skip
def test_reserved_names_get_a_suffix(text: str, expected: str) -> None:
    """Keywords, builtins and the runtime's names are not hidden by a generated class."""
    assert free_name(class_name(text)) == expected
    assert is_class_name(expected)


@pytest.mark.parametrize(
    ("plural", "expected"),
    [("Pools", "Pool"), ("Policies", "Policy"), ("Status", "Status"), ("Statuses", "Status"),
     ("Address", "Address"), ("IpAddresses", "IpAddress"), ("Classes", "Class"),
     ("Branches", "Branch"), ("Prefixes", "Prefix"), ("Caches", "Cache"), ("Databases", "Database"),
     ("PodCIDRs", "PodCIDR"), ("IDs", "ID"), ("Tls", "Tls"), ("Https", "Https"), ("Dns", "Dns"),
     ("TLS", "TLS"), ("Aliases", "Alias"), ("Children", "Child"), ("Series", "Series"),
     ("Users", "User"), ("Uses", "Use"), ("Data", "Data"), ("Analysis", "Analysis"), ("S", "S"),
     ("Größen", "Größen")],
)  # fmt: skip
def test_regular_plurals_become_singular(plural: str, expected: str) -> None:
    """Elements are named by the singular, where the plural is regular."""
    assert singular(plural) == expected


_NAMES = st.sampled_from(["net", "nets", "Net", "pool", "pools", "a-b", "aB", "spec", "k", "3x"])
_LEAVES = st.sampled_from([{"type": "string"}, {"type": "integer"}, {"type": "object"}])
_OBJECTS = st.recursive(
    st.dictionaries(_NAMES, _LEAVES, min_size=1, max_size=3).map(lambda found: obj(**found)),
    lambda inner: st.dictionaries(
        _NAMES, inner | inner.map(array) | _LEAVES, min_size=1, max_size=4
    ).map(lambda found: obj(**found)),
    max_leaves=12,
)


def _shuffled(schema: object, source: random.Random) -> object:
    if isinstance(schema, dict):
        items = [(key, _shuffled(value, source)) for key, value in schema.items()]
        source.shuffle(items)
        return dict(items)
    return schema


def _read_names(*kinds: tuple[str, object]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        found = {kind: spec for kind, spec in kinds if isinstance(spec, dict)}
        version = read(Path(folder), found).versions[0]
    by_path = names_by_path(version)
    assert len(by_path) == sum(len(item.paths) for item in version.types.values())
    return by_path


@given(_OBJECTS, _OBJECTS, st.randoms(use_true_random=False))
def test_names_do_not_depend_on_order(one: Schema, two: Schema, source: random.Random) -> None:
    """Kinds and properties in any order give the same names at the same paths."""
    straight = _read_names(("K", one), ("L", two))
    assert _read_names(("L", _shuffled(two, source)), ("K", _shuffled(one, source))) == straight


@given(_OBJECTS, _OBJECTS)
def test_unrelated_properties_rename_nothing(one: Schema, two: Schema) -> None:
    """A new property of a new name leaves the names of all other types alone."""
    before = _read_names(("K", one), ("L", two))
    wider = obj(**{**one["properties"], "unrelated": obj(fresh=A)})  # type: ignore[dict-item]
    after = _read_names(("K", wider), ("L", two))
    assert {path: after[path] for path in before} == before
