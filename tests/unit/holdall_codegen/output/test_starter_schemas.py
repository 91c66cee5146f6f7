"""A first `holdall.yaml` from JSON Schemas: versions, kinds, and what says the version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from holdall.errors import SourceError
from holdall_codegen.output.starter import start_config, write_starter
from holdall_codegen.project import load_project
from tests.support.crds import crd_of, struct


def schema(title: str = "", **constants: Any) -> dict[str, Any]:
    said = {name: {"const": value} for name, value in constants.items()}
    declared = {"type": "object", "properties": {**said, "id": {"type": "string"}}}
    return {"title": title, **declared} if title else declared


def started(root: Path, files: Mapping[str, Any]) -> dict[str, Any]:
    """Return the groups of the configuration for files, which has to generate as it is."""
    for name, value in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(json.dumps(value), encoding="utf-8")
    write_starter(root / "schemas", root / "holdall.yaml")
    load_project(root)
    groups: dict[str, Any] = yaml.safe_load((root / "holdall.yaml").read_text())["groups"]
    return groups


def source(schemas: str, version: str, *kinds: str) -> dict[str, Any]:
    return {"schemas": schemas, "version": version, "kinds": dict.fromkeys(kinds, "")}


def test_files_of_versions(tmp_path: Path) -> None:
    """The name of a file says the version, its title the kind, a constant where it is said."""
    files = {
        "schemas/order.v2.schema.json": schema("Order", edition=2),
        "schemas/order.v10.schema.json": schema("Order", edition=10),
    }
    assert started(tmp_path, files) == {
        "order": {
            "version_at": "edition",
            "sources": [
                source("schemas/order.v2.schema.json", "v2", "Order"),
                source("schemas/order.v10.schema.json", "v10", "Order"),
            ],
            "versions": ["v2", "v10"],
        }
    }


@pytest.mark.parametrize(
    ("versions", "titles", "kinds"),
    [
        (("v1", "v2"), ("OrderV1", "OrderV2"), ("Order", "Order")),
        (("v1", "v2"), ("Order", "OrderV2"), ("Order", "Order")),
        (("1", "2"), ("Order_v1", "Order_v2"), ("Order", "Order")),
        (("1.0", "1.1"), ("Order1_0", "Order1_1"), ("Order", "Order")),
        (("v4", "v6"), ("Ipv4", "Ipv4"), ("Ipv4", "Ipv4")),
        (("v1", "v2"), ("OrderV1", "BillV2"), ("OrderV1", "BillV2")),
    ],
)
def test_titles_with_versions(
    tmp_path: Path, versions: tuple[str, str], titles: tuple[str, str], kinds: tuple[str, str]
) -> None:
    """Classes of Python are often called so; they are versions of one kind."""
    named = zip(versions, titles, strict=True)
    (group,) = started(
        tmp_path, {f"schemas/order.{version}.json": schema(title) for version, title in named}
    ).values()
    assert [next(iter(item["kinds"])) for item in group["sources"]] == [*kinds]


def test_an_example_says_where_the_version_is(tmp_path: Path) -> None:
    """Some schemas allow any text there, and name the version as an example."""
    files = {}
    for version in ("1.4", "1.5"):
        root = schema("Bill")
        root["properties"] |= {"spec": {"type": "string", "examples": [version]}}
        root["properties"] |= {"tool": {"type": "string", "examples": [f"v{version}", "2"]}}
        files[f"schemas/bill-{version}.schema.json"] = root
    (group,) = started(tmp_path, files).values()
    assert (group["versions"], group["version_at"]) == (["1.4", "1.5"], "spec")


def test_folders_of_versions(tmp_path: Path) -> None:
    """Folders say the version, names of files the kind; one member says which kind it is."""
    files = {
        f"schemas/{version}/{name}.json": schema(**said, type=name.capitalize())
        for version, said in (("1.0", {}), ("1.1", {"form": "1.1"}), ("2.0", {"form": "2.0"}))
        for name in ("order", "bill")
    }
    groups = started(tmp_path, files)
    assert groups["schemas"]["version_at"] == {
        "member": "form",
        "default": "1.0",
        "kind_at": "type",
    }
    assert groups["schemas"]["versions"] == ["1.0", "1.1", "2.0"]
    assert groups["schemas"]["sources"][:2] == [
        source("schemas/1.0/bill.json", "1.0", "Bill"),
        source("schemas/1.0/order.json", "1.0", "Order"),
    ]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({}, {}),
        ({"v": 1}, {"v": 1}),
        ({"v": 1}, {}),
    ],
)
def test_nothing_says_the_version(
    tmp_path: Path, older: dict[str, Any], newer: dict[str, Any]
) -> None:
    """Then a comment shows how to say it."""
    files = {
        "schemas/a-2024-01-31.json": schema(**older),
        "schemas/a-2024-12-01.json": schema(**newer),
    }
    groups = started(tmp_path, files)
    assert groups["a"]["versions"] == ["2024-01-31", "2024-12-01"]
    assert "version_at" not in groups["a"]
    assert "    # version_at: schemaVersion\n" in (tmp_path / "holdall.yaml").read_text()


def test_parts_are_no_kinds(tmp_path: Path) -> None:
    """A file with definitions for others is read by those that refer to it."""
    address = {"$defs": {"address": {"type": "object", "properties": {"zip": {"type": "string"}}}}}
    order = schema("Order")
    order["properties"]["to"] = {"$ref": "parts.json#/$defs/address"}
    files = {"schemas/v1.json": order, "schemas/v2.json": order, "schemas/parts.json": address}
    assert [item["version"] for item in started(tmp_path, files)["order"]["sources"]] == [
        "v1",
        "v2",
    ]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """Beside CRDs they are none of our business; else a schema may be among them."""
    broken = tmp_path / "templates/values.yaml"
    broken.parent.mkdir()
    broken.write_text("properties: {{ .Values.all }}\nx: [\n")
    (tmp_path / "a.v1.json").write_text(json.dumps(schema("Order")))
    with pytest.raises(SourceError, match=r"values\.yaml"):
        start_config(tmp_path, tmp_path)
    crd = crd_of("Thing", {"v1": struct()})
    (tmp_path / "crd.json").write_text(json.dumps(crd))
    assert "crds: crd.json" in start_config(tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        ({"order.json": schema("Order")}, "HA147", "says which version this is"),
        (
            {"a.v1.json": schema("Order"), "b.v1.json": schema("Order")},
            "HA147",
            "b.v1.json: this is Order v1, but so is ",
        ),
        ({"a.v1.json": {"$defs": {}}}, "HA134", "nor a JSON Schema of an object"),
        ({"a.v1.json": [1]}, "HA134", "nor a JSON Schema of an object"),
    ],
)
def test_what_cannot_be_told(tmp_path: Path, files: dict[str, Any], code: str, said: str) -> None:
    for name, value in files.items():
        (tmp_path / name).write_text(json.dumps(value))
    with pytest.raises(SourceError) as caught:
        start_config(tmp_path, tmp_path)
    (problem,) = caught.value.problems
    assert problem.code == code
    assert said in str(problem)
    assert problem.fix


def test_root_that_refers_to_a_definition(tmp_path: Path) -> None:
    """What some generators write: the root of the file is a reference into it."""
    files = {
        f"schemas/order.v{number}.json": {
            "$ref": "#/definitions/Order",
            "definitions": {"Order": schema(edition=number)},
        }
        for number in (1, 2)
    }
    (group,) = started(tmp_path, files).values()
    assert group["version_at"] == "edition"
    assert group["sources"][0] == source("schemas/order.v1.json", "v1", "Order")


@pytest.mark.parametrize("shared", ["parts.json", "parts-0.8.json"])
def test_parts_of_all_versions_are_not_kinds(tmp_path: Path, shared: str) -> None:
    """A file that others refer to, and that is of none of their versions, is not a source."""
    order = {"type": "object", "properties": {"line": {"$ref": f"{shared}#/definitions/Line"}}}
    files = {
        "schemas/order.v1.json": order,
        "schemas/order.v2.json": {**order, "title": "Order"},
        f"schemas/{shared}": {**schema(), "definitions": {"Line": schema()}},
    }
    (group,) = started(tmp_path, files).values()
    assert [item["schemas"] for item in group["sources"]] == [
        "schemas/order.v1.json",
        "schemas/order.v2.json",
    ]


def test_parts_alone_are_not_a_start(tmp_path: Path) -> None:
    """A schema that refers to itself by its file, and says no version, is a problem as others."""
    (tmp_path / "order.json").write_text(json.dumps({"$ref": "order.json#/definitions/A"}))
    with pytest.raises(SourceError, match="HA134"):
        start_config(tmp_path, tmp_path)
