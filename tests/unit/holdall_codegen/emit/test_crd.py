"""The CRDs that are emitted for kinds read from other sources say what those sources say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.kubernetes.crds.findings import CrdError
from holdall.text.yaml import load_all
from holdall_codegen.config.reader import read_config
from holdall_codegen.emit.crd import emit_crds
from holdall_codegen.model import Group, ListOf, MapOf, Opaque, Ref, Type, Union
from holdall_codegen.plan import plan_group
from holdall_codegen.read import read_group
from tests.support.projects import config_of, with_spec

SCHEMA = """
type: object
description: A thing.
required: [spec]
properties:
  spec:
    type: object
    required: [name]
    properties:
      name: {type: string, enum: [a, b], description: Its name.}
      port: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}
      flag: {oneOf: [{type: boolean}, {type: string}]}
      limit: {type: integer, format: int32, default: 3}
      note: {type: string, nullable: true}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true}
      tags: {type: object, additionalProperties: {type: string}}
      parts:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [key]
        items:
          type: object
          required: [key]
          properties: {key: {type: string}, sizes: {type: array, items: {type: number}}}
      tree: {$ref: '#/definitions/Tree'}
  status: {type: object, properties: {ready: {type: boolean}}}
definitions:
  Tree:
    type: object
    properties: {label: {type: string}, below: {type: array, items: {$ref: '#/definitions/Tree'}}}
"""

CONFIG = config_of("Thing", {"v1": "thing.yaml"}, api_group="things.example.com")

FROM_CRDS = """
groups:
  again:
    sources: [{crds: "*.yaml"}]
    versions: VERSIONS
"""


def read(root: Path, group: str) -> tuple[Group, dict[str, str]]:
    """Return the model of a project's group and the manifests emitted for it."""
    config = next(g for g in read_config(root / "holdall.yaml").groups if g.name == group)
    model = read_group(config, root)
    return model, dict(emit_crds(plan_group(model, config)))


def read_again(model: Group, manifests: dict[str, str], root: Path) -> Group:
    """Return the model that the emitted manifests give."""
    root.mkdir()
    for name, text in manifests.items():
        (root / name).write_text(text, encoding="utf-8")
    versions = [version.name for version in model.versions]
    target = root / "config"
    target.mkdir()
    config = FROM_CRDS.replace("VERSIONS", str(versions)).replace("*.yaml", "../*.yaml")
    (target / "holdall.yaml").write_text(config, encoding="utf-8")
    return read_group(read_config(target / "holdall.yaml").groups[0], target)


def doc_of(group: Group, version: str, type_: Type) -> str:
    """Return what a type says of itself: a CRD has one description for it and its property."""
    return group.version(version).types[type_.type_name].doc if isinstance(type_, Ref) else ""


def tree(
    group: Group,
    version: str,
    type_: Type,
    above: tuple[str, ...] = (),
    keys: tuple[str, ...] = (),
) -> Any:
    """Return what a type says, without type names; recursion and unions as a CRD can state them.

    The `keys` of a list of type map are required in a CRD, whether or not its source says so.
    """
    types = group.version(version).types
    match type_:
        case Ref(type_name=name) if name in above:
            return "any"
        case Ref(type_name=name):
            return {
                item.name: (
                    tree(group, version, item.type, (*above, name)),
                    item.required or item.name in keys,
                    item.nullable,
                    item.default,
                    item.doc or doc_of(group, version, item.type),
                )
                for item in sorted(types[name].properties, key=lambda item: item.name)
            }
        case ListOf():
            item = tree(group, version, type_.item, above, type_.map_keys)
            return "list", item, type_.list_type, type_.map_keys
        case MapOf():
            return "map", tree(group, version, type_.value, above)
        case Union(members=("integer", "string")):
            return type_
        case Union() | Opaque():
            return "any"
        case _:
            return type_


def compare(first: Group, second: Group) -> None:
    for version in first.versions:
        for kind in version.kinds:
            again = next(k for k in second.version(version.name).kinds if k.name == kind.name)
            assert tree(first, version.name, Ref(kind.type_name)) == tree(
                second, version.name, Ref(again.type_name)
            )


def test_every_construct_is_stated(tmp_path: Path) -> None:
    """Reading the manifest gives the same properties, types, defaults, keys and docs."""
    (tmp_path / "thing.yaml").write_text(SCHEMA, encoding="utf-8")
    (tmp_path / "holdall.yaml").write_text(CONFIG, encoding="utf-8")
    model, manifests = read(tmp_path, "things")
    assert list(manifests) == ["things.yaml"]
    compare(model, read_again(model, manifests, tmp_path / "again"))


def test_the_sample_group_is_stated(tmp_path: Path, project_root: Path) -> None:
    """The OpenAPI files of the fleet and the CRDs made of them say the same, in all versions."""
    model, manifests = read(project_root, "fleet")
    assert list(manifests) == ["depots.yaml", "vehicles.yaml"]
    compare(model, read_again(model, manifests, tmp_path / "again"))


def test_a_group_read_from_crds_gets_none(project_root: Path) -> None:
    """What is a CRD already is not written a second time."""
    assert read(project_root, "batch")[1] == {}


@pytest.mark.parametrize(
    ("group", "files"),
    [("things.example.com", ["things.yaml"]), ("things", []), ('""', [])],
)
def test_only_resources_get_one(tmp_path: Path, group: str, files: list[str]) -> None:
    """A kind without an API group that is a domain is no Kubernetes resource."""
    (tmp_path / "thing.yaml").write_text(SCHEMA, encoding="utf-8")
    config = CONFIG.replace("things.example.com", group)
    (tmp_path / "holdall.yaml").write_text(config, encoding="utf-8")
    assert list(read(tmp_path, "things")[1]) == files


def test_what_servers_refuse_has_the_place_of_the_group(tmp_path: Path) -> None:
    """Where nothing is said about the CRD of the kind, the group is what there is to correct."""
    (tmp_path / "thing.yaml").write_text(SCHEMA, encoding="utf-8")
    config = CONFIG.replace("things.example.com", "Things.example.com")
    (tmp_path / "holdall.yaml").write_text(config, encoding="utf-8")
    with pytest.raises(CrdError) as caught:
        read(tmp_path, "things")
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("HA851", "holdall.yaml:3")


def test_a_warning_that_is_too_long_has_the_place_of_its_version(tmp_path: Path) -> None:
    (tmp_path / "thing.yaml").write_text(SCHEMA, encoding="utf-8")
    version = f"versions:\n      - {{name: v1, deprecated: {'use v2! ' * 33}}}"
    assert "versions: [v1]" in CONFIG
    config = CONFIG.replace("versions: [v1]", version)
    (tmp_path / "holdall.yaml").write_text(config, encoding="utf-8")
    with pytest.raises(CrdError) as caught:
        read(tmp_path, "things")
    (problem,) = caught.value.problems
    line = config.splitlines().index(version.splitlines()[1]) + 1
    assert (problem.code, problem.where) == ("HA853", f"holdall.yaml:{line}")


def test_one_version_is_stored(project_root: Path) -> None:
    """The hub is the storage version; a deprecated version says so."""
    _, manifests = read(project_root, "fleet")
    for name, text in manifests.items():
        value: Any = load_all(text, name)[0].value
        versions = value["spec"]["versions"]
        assert [v["name"] for v in versions if v["storage"]] == ["v2"]
        assert [v["name"] for v in versions if v.get("deprecated")] == ["v1alpha1"]


def test_what_is_too_deep_is_any_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more properties than a schema can have, it states those of the levels that have room."""
    monkeypatch.setattr("holdall_codegen.emit.crd_schema.MOST", 11)  # 2 and, below them, 10
    (tmp_path / "holdall.yaml").write_text(CONFIG)
    (tmp_path / "thing.yaml").write_text(SCHEMA)
    _, manifests = read(tmp_path, "things")
    crd: Any = load_all(manifests["things.yaml"], "things.yaml")[0].value
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema["properties"]["spec"] == {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
    }


def test_list_keys_are_stated_of_what_is_too_deep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers refuse a list whose keys its elements do not declare."""
    monkeypatch.setattr("holdall_codegen.emit.crd_schema.MOST", 3)  # metadata, spec and parts
    parts = {
        "type": "array",
        "items": {"type": "object", "properties": {"key": {"type": "string"}, "x": {}}},
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["key"],
    }
    schema = with_spec({"type": "object", "properties": {"parts": parts}})
    (tmp_path / "holdall.yaml").write_text(CONFIG)
    (tmp_path / "thing.yaml").write_text(json.dumps(schema))
    _, manifests = read(tmp_path, "things")
    crd: Any = load_all(manifests["things.yaml"], "things.yaml")[0].value
    root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert root["properties"]["spec"]["properties"]["parts"]["items"] == {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"key": {"type": "string"}},
        "required": ["key"],
    }
