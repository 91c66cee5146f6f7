"""Overlays: what they add to schemas, where it is said to stand, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import SourceError
from holdall.text import yaml
from holdall_codegen.config.reader import read_config
from holdall_codegen.emit.crd import emit_crds
from holdall_codegen.model import Group, ListOf, MapOf, Opaque, Ref, Scalar, Type, Union
from holdall_codegen.output.generation import generate
from holdall_codegen.plan import plan_group
from holdall_codegen.read import read_group

STRING = {"type": "string"}
SWITCH = {"oneOf": [STRING, {"type": "boolean"}]}

POOL = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.example.com}
spec:
  group: example.com
  names: {kind: Pool, plural: pools}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: &old {
      type: object, properties: {spec: {
        type: object, x-kubernetes-preserve-unknown-fields: true, properties: {
          size: {type: integer},
          free: {type: object, x-kubernetes-preserve-unknown-fields: true},
          mounts: {type: array, items: {type: object, properties: {name: {type: string}}}}}}}}}}
  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {
      type: object, properties: {spec: {
        type: object, properties: {
          size: {type: integer}, tls: {type: string},
          mounts: {type: array, items: {
            type: object, properties: {name: {type: string}, read: {type: boolean}}}}}}}}}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobs.example.com}
spec:
  group: example.com
  names: {kind: Job, plural: jobs}
  scope: Namespaced
  versions:
  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {
      type: object, properties: {spec: {type: object, properties: {pool: {type: string}}}}}}}
"""


def project(root: Path, *overlays: object) -> Path:
    """Write a project with two kinds and the given overlays, one per line from line 5."""
    (root / "crds.yaml").write_text(POOL, encoding="utf-8")
    lines = [f"    - {json.dumps(overlay)}" for overlay in overlays]
    text = "groups:\n  batch:\n    sources: [{crds: crds.yaml}]\n    overlays:\n"
    text += "\n".join([*lines, "    versions: [v1, v2]\n"])
    (root / "holdall.yaml").write_text(text, encoding="utf-8")
    return root


def read(root: Path, *overlays: object) -> Group:
    """Read the group of the project with overlays."""
    config = read_config(project(root, *overlays) / "holdall.yaml")
    return read_group(config.groups[0], root)


def problems(root: Path, *overlays: object) -> list[str]:
    """Return code, file and line, and message of each problem that reading brings."""
    with pytest.raises(SourceError) as caught:
        read(root, *overlays)
    return [
        f"{found.code} {':'.join(found.where.split(':')[:2])} {found.message}"
        for found in caught.value.problems
    ]


def types_of(group: Group, version: str, name: str) -> dict[str, Type]:
    """Return the types of the properties of an object type."""
    return {item.name: item.type for item in group.version(version).types[name].properties}


def place_of(group: Group, version: str, name: str, member: str) -> str:
    """Return where a property is said to stand."""
    found = group.version(version).types[name].property(member)
    assert found is not None
    return str(found.location)


def inline(properties: object, path: str = "spec", **more: object) -> dict[str, object]:
    """Return an overlay of v1."""
    return {"versions": ["v1"], "path": path, **more, "properties": properties}


ADDED: list[tuple[object, str, str, Type]] = [
    (inline({"tls": SWITCH}), "PoolSpec", "tls", Union(("boolean", "string"))),
    (inline({"size": STRING}), "PoolSpec", "size", Scalar("string")),
    (inline({"size": {}}), "PoolSpec", "size", Opaque()),
    (inline({"size": {"type": "integer", "format": "int64"}}), "PoolSpec", "size",
     Scalar("integer", "int64")),
    (inline({"free": {"additionalProperties": SWITCH}}), "PoolSpec", "free",
     MapOf(Union(("boolean", "string")))),
    (inline({"free": {"properties": {"a": STRING}}}), "PoolSpec", "free", Ref("Free")),
    (inline({"free": STRING}), "PoolSpec", "free", Scalar("string")),
    (inline({"mounts": {"items": {"properties": {"read": STRING}}}}), "Mount", "read",
     Scalar("string")),
    (inline({"mounts": {"items": STRING}}), "PoolSpec", "mounts", ListOf(Scalar("string"))),
    (inline({"mounts": {"type": "array", "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"]}}), "PoolSpec", "mounts",
     ListOf(Ref("Mount"), list_type="map", map_keys=("name",))),
    (inline({"read": STRING}, "spec/mounts/*"), "Mount", "read", Scalar("string")),
]  # fmt: skip


@pytest.mark.parametrize(("overlay", "type_", "name", "expected"), ADDED)
def test_an_overlay_adds_or_replaces(
    tmp_path: Path, overlay: object, type_: str, name: str, expected: Type
) -> None:
    """A property of an overlay has the type that the overlay says; the others keep theirs."""
    group = read(tmp_path, overlay)
    if type_ == "PoolSpecSpec":
        type_ = next(
            key for key in group.version("v1").types if key.endswith("Spec") and key != "PoolSpec"
        )
    assert types_of(group, "v1", type_)[name] == expected
    assert types_of(group, "v2", "PoolSpec")["size"] == Scalar("integer")
    assert {"size", "free", "mounts"} <= types_of(group, "v1", "PoolSpec").keys()


def test_without_a_path_it_begins_at_the_kind(tmp_path: Path) -> None:
    """Properties of the root are declared as those of any other object."""
    group = read(tmp_path, {"versions": ["v1"], "properties": {"status": {"type": "object"}}})
    assert types_of(group, "v1", "Pool")["status"] == Opaque()


def test_the_place_of_a_property_is_its_overlay(tmp_path: Path) -> None:
    """What an overlay says stands where it says it; objects that it completes stay where they are.

    So `holdall plan` and errors of the planner show the overlay.
    """
    (tmp_path / "pool.yaml").write_text(
        "type: object\nproperties:\n  spec:\n    properties:\n"
        "      zone: {$ref: '#/definitions/Z'}\n"
        "definitions:\n  Z:\n    properties: {name: {type: string}}\n",
        encoding="utf-8",
    )
    group = read(
        tmp_path,
        inline({"tls": SWITCH, "free": {"additionalProperties": SWITCH}}),
        {"kinds": ["Pool"], "versions": ["v1"], "file": "pool.yaml"},
    )
    places = {name: place_of(group, "v1", "PoolSpec", name) for name in ("tls", "free", "zone")}
    assert places == {"tls": "holdall.yaml:5", "free": "holdall.yaml:5", "zone": "pool.yaml:5"}
    assert place_of(group, "v1", "PoolSpec", "size") == "crds.yaml:12"
    assert place_of(group, "v1", "Pool", "spec").startswith("crds.yaml:")
    assert place_of(group, "v1", "Z", "name") == "pool.yaml:8"


def test_overlays_of_one_object_add_up(tmp_path: Path) -> None:
    """Several overlays may complete one kind, and one overlay several kinds and versions."""
    group = read(
        tmp_path,
        {"path": "spec", "properties": {"zone": STRING}},
        inline({"tls": SWITCH}),
        inline({"free": {"properties": {"a": STRING}}}),
        inline({"free": {"properties": {"b": STRING}}}),
    )
    assert types_of(group, "v1", "PoolSpec").keys() == {"size", "free", "mounts", "zone", "tls"}
    assert types_of(group, "v1", "Free").keys() == {"a", "b"}
    assert "zone" in types_of(group, "v2", "PoolSpec")
    assert "zone" in types_of(group, "v2", "JobSpec")


def test_declared_alike_in_one_place_is_fine(tmp_path: Path) -> None:
    """An overlay of several versions may repeat what one of them has, if it adds it to another."""
    group = read(tmp_path, {"kinds": ["Pool"], "path": "spec", "properties": {"tls": STRING}})
    assert types_of(group, "v1", "PoolSpec")["tls"] == Scalar("string")


REFUSED: list[tuple[list[object], list[str]]] = [
    ([{"kinds": ["Pol"], "properties": {"a": {}}}],
     ['HA170 holdall.yaml:5 the overlay names the unknown kind "Pol"; did you mean "Pool"?']),
    ([inline({"a": {}}, kinds=["Job"])],
     ["HA170 holdall.yaml:5 no version that the overlay names has Job",
      "HA170 holdall.yaml:5 v1 has no kind that the overlay names"]),
    ([inline({"a": {}}, "spec/mount/*")],
     ['HA171 holdall.yaml:5 the path "spec/mount/*" of the overlay leads nowhere in Pool v1: '
      'Pool/spec has no property "mount"; did you mean "mounts"?']),
    ([inline({"a": {}}, "spec/size")],
     ['HA171 holdall.yaml:5 the path "spec/size" of the overlay leads nowhere in Pool v1: '
      "Pool/spec/size is not an object"]),
    ([inline({"a": {}}, "spec/*")],
     ['HA171 holdall.yaml:5 the path "spec/*" of the overlay leads nowhere in Pool v1: '
      "Pool/spec has no elements or values"]),
    ([{"kinds": ["Pool", "Job"], "path": "spec/mounts/*", "properties": {"a": {}}}],
     ['HA171 holdall.yaml:5 the path "spec/mounts/*" of the overlay leads nowhere in Job v2: '
      'Job/spec has no property "mounts"']),
    ([inline({"size": {"type": "integer"}, "tls": SWITCH})],
     ["HA172 holdall.yaml:5 the overlay declares spec/size, but crds.yaml:12 declares the same"]),
    ([inline({"free": {"type": "object"}})],
     ["HA172 holdall.yaml:5 the overlay declares spec/free, but this changes nothing"]),
    ([inline({"mounts": {"items": {"properties": {"name": STRING}}}})],
     ["HA172 holdall.yaml:5 the overlay declares spec/mounts/*/name, but crds.yaml:14 "
      "declares the same"]),
    ([inline({"mounts": {"items": {"additionalProperties": STRING}}})],
     ["HA172 holdall.yaml:5 the overlay declares spec/mounts/*/*, but this changes nothing"]),
    ([{"versions": ["v1"], "properties": {"metadata": {"type": "object"}}}],
     ["HA172 holdall.yaml:5 the overlay declares metadata, but this changes nothing"]),
    ([{"kinds": ["Pool"], "versions": ["v1", "v2"], "path": "spec", "properties": {"tls": STRING}}],
     ["HA172 holdall.yaml:5 the overlay changes nothing in v2, whose schemas declare all of it"]),
    ([inline({"tls": SWITCH}), inline({"tls": STRING})],
     ["HA173 holdall.yaml:6 this property is declared by two overlays, the first at "
      "holdall.yaml:5"]),
    ([{"file": "pol.yaml"}],
     ['HA140 holdall.yaml:5 there is no file "pol.yaml"; did you mean "pool.yaml"?']),
    ([{"file": "pool.yaml"}],
     ["HA150 pool.yaml:1 an overlay's file must be one schema of an object, with `properties`"]),
    ([inline({"tls": 5})], ["HA150 holdall.yaml:5 a schema must be an object, found integer"]),
    ([inline({"tls": {"type": "text"}})],
     ['HA150 holdall.yaml:5 "text" is not a type of JSON Schema']),
]  # fmt: skip


@pytest.mark.parametrize(("overlays", "expected"), REFUSED)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, overlays: list[object], expected: list[str]
) -> None:
    """An overlay without effect is a problem with its place, what stands there, and a name."""
    (tmp_path / "pool.yaml").write_text("type: object\n", encoding="utf-8")
    assert problems(tmp_path, *overlays) == expected


def test_a_version_without_schemas_has_no_overlays(tmp_path: Path) -> None:
    """A version that takes the shape of another one takes its overlays too."""
    root = project(tmp_path, inline({"tls": SWITCH}))
    text = (root / "holdall.yaml").read_text(encoding="utf-8")
    text = text.replace("[v1, v2]", "[v1, v2, {name: memory, internal: true, like: v1}]")
    (root / "holdall.yaml").write_text(text, encoding="utf-8")
    group = read_group(read_config(root / "holdall.yaml").groups[0], root)
    assert types_of(group, "memory", "PoolSpec")["tls"] == Union(("boolean", "string"))
    (root / "holdall.yaml").write_text(text.replace('["v1"]', '["memory"]'), encoding="utf-8")
    with pytest.raises(SourceError, match=r"HA170 .* memory has no schemas of its own"):
        read_group(read_config(root / "holdall.yaml").groups[0], root)


def test_manifests_stay_structural(tmp_path: Path) -> None:
    """An overlay changes no manifest that was read, and puts no union into one that is written."""
    group = read(tmp_path, inline({"tls": SWITCH}))
    assert group.crds["Pool"] == yaml.load_all(POOL.encode(), "crds.yaml")[0].value
    schema = {"type": "object", "properties": {"metadata": {}, "spec": {
        "type": "object", "properties": {"size": {"type": "integer"}}}}}  # fmt: skip
    (tmp_path / "v1.json").write_text(json.dumps(schema), encoding="utf-8")
    config: dict[str, Any] = {
        "api_group": "example.com",
        "sources": [{"schemas": "v1.json", "version": "v1", "kinds": {"Pool": ""}}],
        "overlays": [{"path": "spec", "properties": {
            "tls": SWITCH, "size": {"oneOf": [STRING, {"type": "object"}]}}}],
        "versions": ["v1"],
    }  # fmt: skip
    (tmp_path / "holdall.yaml").write_text(json.dumps({"groups": {"a": config}}), encoding="utf-8")
    read_again = read_config(tmp_path / "holdall.yaml").groups[0]
    plan = plan_group(read_group(read_again, tmp_path), read_again)
    [text] = emit_crds(plan).values()
    assert "oneOf" not in text
    [version] = json.loads(json.dumps(yaml.load_all(text.encode(), "x")[0].value))["spec"][
        "versions"
    ]
    written = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert written["tls"] == written["size"] == {"x-kubernetes-preserve-unknown-fields": True}


def test_a_changed_overlay_is_generated_again(tmp_path: Path) -> None:
    """The file of an overlay is an input like any schema: a change of it is noticed."""
    root = project(tmp_path, {"kinds": ["Pool"], "versions": ["v1"], "file": "pool.json"})
    place = root / "pool.json"
    place.write_text('{"properties": {"zone": {"type": "string"}}}', encoding="utf-8")
    assert generate(root).written
    assert not generate(root).written
    place.write_text('{"properties": {"zone": {"type": "integer"}}}', encoding="utf-8")
    assert any("v1" in path for path in generate(root).written)


def test_a_shared_definition_stays_as_it_is(tmp_path: Path) -> None:
    """An overlay completes the object at its path, not others of the same definition."""
    schema = {
        "definitions": {
            "Node": {
                "properties": {"name": STRING, "next": {"$ref": "#/definitions/Node"}},
            }
        },
        "properties": {
            "first": {"$ref": "#/definitions/Node"},
            "last": {"$ref": "#/definitions/Node"},
        },
    }
    (tmp_path / "v1.json").write_text(json.dumps(schema), encoding="utf-8")
    group = {
        "sources": [{"schemas": "v1.json", "version": "v1", "kinds": {"Chain": ""}}],
        "overlays": [{"path": "first", "properties": {"size": {"type": "integer"}}}],
        "versions": ["v1"],
    }
    (tmp_path / "holdall.yaml").write_text(json.dumps({"groups": {"a": group}}), encoding="utf-8")
    found = read_group(read_config(tmp_path / "holdall.yaml").groups[0], tmp_path)
    chain = types_of(found, "v1", "Chain")
    assert chain == {"first": Ref("ChainFirst"), "last": Ref("Node")}
    assert types_of(found, "v1", "Node") == {"name": Scalar("string"), "next": Ref("Node")}
    assert types_of(found, "v1", "ChainFirst") == {
        "name": Scalar("string"),
        "next": Ref("Node"),
        "size": Scalar("integer"),
    }


def test_a_kind_that_holds_itself_is_completed_once(tmp_path: Path) -> None:
    """The overlay of a kind does not reach objects inside it that have the kind's definition."""
    node = {"properties": {"name": STRING, "next": {"$ref": "#/definitions/Node"}}}
    (tmp_path / "v1.json").write_text(json.dumps({"definitions": {"Node": node}}), encoding="utf-8")
    source = {"schemas": "v1.json", "version": "v1", "kinds": {"Node": "/definitions/Node"}}
    group = {
        "sources": [source],
        "overlays": [{"properties": {"size": {"type": "integer"}}}],
        "versions": ["v1"],
    }
    (tmp_path / "holdall.yaml").write_text(json.dumps({"groups": {"a": group}}), encoding="utf-8")
    found = read_group(read_config(tmp_path / "holdall.yaml").groups[0], tmp_path)
    [kind] = found.version("v1").kinds
    whole = types_of(found, "v1", kind.type_name)
    assert whole.keys() == {"name", "next", "size"}
    inner = whole["next"]
    assert isinstance(inner, Ref)
    assert types_of(found, "v1", inner.type_name) == {"name": Scalar("string"), "next": inner}
