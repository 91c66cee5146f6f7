"""Real CRDs: every property of every version arrives, as an independent walk counts them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdall.text.loading import load_file
from holdall.types import JsonValue, is_json_object
from holdall_codegen.config.keys import CrdSource, VersionConfig
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.model import Group, ListOf, Location, MapOf, Opaque, Ref, Type, Union, Version
from holdall_codegen.read import read_group

AT = Location("holdall.yaml", 1)
NAMES = ("v1", "v2", "v3alpha1")


def read(shared: Path, folder: str) -> Group:
    source = CrdSource(f"emissary/schemas/{folder}/*.yaml", AT)
    versions = tuple(VersionConfig(name, AT) for name in NAMES)
    return read_group(GroupConfig("emissary", "emissary", AT, (source,), versions), shared)


def walk_schema(node: JsonValue, path: str) -> Iterator[tuple[str, str]]:
    """Yield each place of a schema with `union` or `plain`, straight from the document.

    Below a union nothing is yielded, for its values are opaque.
    """
    assert is_json_object(node)
    union = "oneOf" in node or "anyOf" in node
    yield path, "union" if union else "plain"
    if union:
        return
    properties = node.get("properties")
    if is_json_object(properties):
        for name, inner in properties.items():
            yield from walk_schema(inner, f"{path}/{name}")
    elif is_json_object(node.get("additionalProperties")):
        yield from walk_schema(node["additionalProperties"], f"{path}/*")
    if node.get("type") == "array":
        yield from walk_schema(node.get("items", {}), f"{path}/*")


def walk_type(version: Version, found: Type, path: str) -> Iterator[tuple[str, str]]:
    """Yield the same from the model."""
    union = isinstance(found, Union) or (isinstance(found, Opaque) and bool(found.why))
    yield path, "union" if union else "plain"
    if isinstance(found, Ref):
        for item in version.types[found.type_name].properties:
            yield from walk_type(version, item.type, f"{path}/{item.name}")
    elif isinstance(found, ListOf):
        yield from walk_type(version, found.item, f"{path}/*")
    elif isinstance(found, MapOf):
        yield from walk_type(version, found.value, f"{path}/*")


def expected_places(shared: Path, folder: str) -> dict[str, list[tuple[str, str]]]:
    places: dict[str, list[tuple[str, str]]] = {name: [] for name in NAMES}
    for file in sorted((shared / "emissary/schemas" / folder).glob("*.yaml")):
        [document] = load_file(file)
        crd: JsonValue = document.value
        assert is_json_object(crd)
        spec = crd["spec"]
        assert is_json_object(spec)
        kind_names, versions = spec["names"], spec["versions"]
        assert is_json_object(kind_names)
        assert isinstance(versions, list)
        kind = kind_names["kind"]
        for version in versions:
            assert is_json_object(version)
            schema = version["schema"]
            assert is_json_object(schema)
            found = walk_schema(schema["openAPIV3Schema"], str(kind))
            dropped = (f"{kind}/apiVersion", f"{kind}/kind")
            places[str(version["name"])] += [item for item in found if item[0] not in dropped]
    return {name: sorted(found) for name, found in places.items()}


@pytest.mark.parametrize("folder", ["internal", "installable"])
def test_every_property_arrives(shared: Path, folder: str) -> None:
    """The model has exactly the places of the schemas; unions are unions or opaque with reason."""
    group = read(shared, folder)
    found = {
        version.name: sorted(
            item
            for kind in version.kinds
            for item in walk_type(version, Ref(kind.type_name), kind.name)
        )
        for version in group.versions
    }
    assert found == expected_places(shared, folder)
    assert sum(len(places) for places in found.values()) > 1000


def test_kinds_may_be_missing_in_versions(shared: Path) -> None:
    """All kinds arrive with their CRDs, each in the versions that have it."""
    group = read(shared, "internal")
    assert [len(version.kinds) for version in group.versions] == [12, 13, 14]
    assert len(group.crds) == 14


def test_reading_is_repeatable(shared: Path) -> None:
    """How long it takes is measured by `bench/generation.py`."""
    assert read(shared, "internal") == read(shared, "internal")
