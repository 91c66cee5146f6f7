"""Reading schemas: what each construct becomes in the model, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdall.errors import SourceError
from holdall_codegen.config.keys import SchemaSource, VersionConfig
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.model import (
    Group,
    ListOf,
    Location,
    MapOf,
    ObjectType,
    Opaque,
    Property,
    Ref,
    Scalar,
    Type,
    Union,
)
from holdall_codegen.project import read_project
from holdall_codegen.read import read_group
from holdall_codegen.read.open_values import BY_PATTERN, BY_POSITION

AT = Location("holdall.yaml", 1)
STRING = {"type": "string"}
OBJECT = {"type": "object", "properties": {"a": STRING}}
EMPTY: object = {}


def read(root: Path, schema: object, **kinds: str) -> Group:
    """Read one JSON schema file as version v1 of a plain group; its root is the kind Order."""
    (root / "order.json").write_text(json.dumps(schema), encoding="utf-8")
    source = SchemaSource("order.json", "v1", AT, kinds or {"Order": ""})
    return read_group(
        GroupConfig("orders", "orders", AT, (source,), (VersionConfig("v1", AT),)), root
    )


def types_of(group: Group) -> dict[str, ObjectType]:
    return dict(group.versions[0].types)


def read_property(root: Path, schema: object, **more: object) -> Property:
    """Read an object with the one property `x`; `more` stands beside its properties."""
    group = read(root, {"type": "object", "properties": {"x": schema}, **more})
    found = types_of(group)["Order"].property("x")
    assert found is not None
    return found


def problems_of(root: Path, schema: object, **kinds: str) -> list[str]:
    with pytest.raises(SourceError) as caught:
        read(root, schema, **kinds)
    return [str(problem) for problem in caught.value.problems]


def problem_of(root: Path, schema: object) -> str:
    """Read an object with the one property `x`, which must bring exactly one problem."""
    [problem] = problems_of(root, {"type": "object", "properties": {"x": schema}})
    return problem


TYPES: list[tuple[object, Type]] = [
    (STRING, Scalar("string")),
    ({"type": "integer", "format": "int64"}, Scalar("integer", "int64")),
    ({"type": "string", "enum": ["a", "b"]}, Scalar("string", enum=("a", "b"))),
    ({"enum": [1, 2]}, Scalar("integer", enum=(1, 2))),
    ({"const": True}, Scalar("boolean", enum=(True,))),
    ({"enum": ["a", 1]}, Union(("integer", "string"))),
    ({"enum": [{}]}, Opaque()),
    ({"type": ["string", "boolean"]}, Union(("boolean", "string"))),
    ({"type": ["integer", "number"]}, Scalar("number")),
    ({"x-kubernetes-int-or-string": True}, Union(("integer", "string"))),
    ({"anyOf": [{"type": "integer"}, STRING]}, Union(("integer", "string"))),
    ({"type": "string", "oneOf": [STRING, {"type": "boolean"}]}, Union(("boolean", "string"))),
    ({"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}, Scalar("string")),
    ({"type": "string", "not": {"enum": ["a"]}}, Scalar("string")),
    ({"oneOf": [{"enum": ["a"]}, {"const": "b"}]}, Scalar("string", enum=("a", "b"))),
    ({"oneOf": [STRING, {"type": "object"}]}, Opaque("oneOf of object and string")),
    ({"items": STRING, "oneOf": [STRING, {"type": "array"}]}, Opaque("oneOf of list and string")),
    ({"type": ["string", "object"]}, Opaque("type of object and string")),
    ({"oneOf": [OBJECT, {"type": "object", "properties": {"b": {}}}]}, Opaque("oneOf of objects")),
    ({"anyOf": [STRING, {}]}, Opaque("anyOf of untyped schemas")),
    (EMPTY, Opaque()),
    (True, Opaque()),
    ({"format": "date"}, Opaque()),
    ({"type": "object"}, Opaque()),
    ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, Opaque()),
    ({"x-kubernetes-preserve-unknown-fields": True}, Opaque()),
    ({"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"kind": STRING}},
     Opaque()),
    ({"type": "object", "additionalProperties": True}, MapOf(Opaque())),
    ({"type": "object", "additionalProperties": {}}, MapOf(Opaque())),
    ({"type": "object", "additionalProperties": False}, Opaque()),
    ({"additionalProperties": STRING}, MapOf(Scalar("string"))),
    ({"type": "object", "additionalProperties": {"type": ["integer", "null"]}},
     MapOf(Scalar("integer"), value_nullable=True)),
    ({"type": "array"}, ListOf(Opaque())),
    ({"items": {"type": "string", "nullable": True}}, ListOf(Scalar("string"), item_nullable=True)),
    ({"type": "array", "items": STRING, "x-kubernetes-list-type": "set"},
     ListOf(Scalar("string"), list_type="set")),
    ({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"],
      "items": OBJECT}, ListOf(Ref("X"), list_type="map", map_keys=("a",))),
    ({"type": "object", "additionalProperties": {"type": "array", "items": {
        "type": "object", "additionalProperties": OBJECT}}}, MapOf(ListOf(MapOf(Ref("X"))))),
    ({"allOf": [STRING, {"minLength": 1}]}, Scalar("string")),
    ({"allOf": [{"type": "number"}, {"type": "integer"}]}, Scalar("integer")),
    ({"type": "null"}, Opaque()),
    ({"additionalProperties": True}, Opaque()),
    ({"prefixItems": [STRING, OBJECT]}, ListOf(Opaque(BY_POSITION))),
    ({"items": [STRING], "additionalItems": STRING}, ListOf(Opaque(BY_POSITION))),
    ({"type": "array", "items": []}, ListOf(Opaque())),
    ({"patternProperties": {"^x": STRING}, "additionalProperties": False},
     MapOf(Scalar("string"))),
    ({"patternProperties": {"^x": STRING}}, Opaque(BY_PATTERN)),
    ({"properties": {"a": {}}, "patternProperties": {"^x": STRING}}, Ref("OrderX")),
    (OBJECT, Ref("OrderX")),
    ({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, Ref("OrderX")),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected"), TYPES, ids=[json.dumps(s) for s, _ in TYPES])
def test_each_construct_has_its_type(tmp_path: Path, schema: object, expected: Type) -> None:
    """A schema node becomes the model type that holds exactly its values."""
    found = read_property(tmp_path, schema).type
    if isinstance(expected, Opaque) and not expected.why and isinstance(found, Opaque):
        expected = found if found.why.startswith("type of object") else expected
    assert found == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "nullable": True},
        {"type": ["string", "null"]},
        {"anyOf": [STRING, {"type": "null"}]},
        {"oneOf": [{"const": None}, STRING]},
        {"type": "string", "enum": ["a", None]},
        {"$ref": "#/definitions/N"},
    ],
)
def test_null_beside_one_type_makes_it_nullable(tmp_path: Path, schema: object) -> None:
    """All spellings of "a string or null" are one nullable string, never a union."""
    definitions = {"N": {"type": ["string", "null"]}}
    found = read_property(tmp_path, schema, definitions=definitions)
    assert isinstance(found.type, Scalar)
    assert (found.type.kind, found.nullable) == ("string", True)


def test_property_carries_its_facts(tmp_path: Path) -> None:
    """Docs, required, default, deprecated and the line of the schema reach the property."""
    schema = {"type": "string", "description": " Says. \n", "default": None, "deprecated": True}
    found = read_property(tmp_path, schema, required=["x"])
    assert (found.doc, found.required, found.default, found.has_default, found.deprecated) == (
        "Says.",
        True,
        None,
        True,
        "deprecated",
    )
    assert found.location == Location("order.json", 1, "/properties/x")


def test_extras_beside_properties_are_kept(tmp_path: Path) -> None:
    """Properties with additionalProperties are an object type that preserves unknown members."""
    group = read(tmp_path, {"properties": {"x": {**OBJECT, "additionalProperties": STRING}}})
    assert types_of(group)["OrderX"].preserve_unknown


def test_union_members_that_add_properties_leave_the_object_open(tmp_path: Path) -> None:
    """Properties that only some members of a union declare arrive as unknown members."""
    schema = {**OBJECT, "oneOf": [{"properties": {"b": STRING}}, {"required": ["a"]}]}
    group = read(tmp_path, {"properties": {"x": schema}})
    found = types_of(group)["OrderX"]
    assert ([item.name for item in found.properties], found.preserve_unknown) == (["a"], True)


def test_embedded_resource_keeps_its_type_meta(tmp_path: Path) -> None:
    """An embedded resource with a spec keeps apiVersion and kind; its metadata is opaque."""
    properties = {"apiVersion": STRING, "kind": STRING, "metadata": OBJECT, "spec": OBJECT}
    schema = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": properties}
    found = types_of(read(tmp_path, {"properties": {"x": schema}}))["OrderX"]
    assert {item.name: item.type for item in found.properties} == {
        "apiVersion": Scalar("string"),
        "kind": Scalar("string"),
        "metadata": Opaque(),
        "spec": Ref("Spec"),
    }


def test_plain_document_keeps_its_own_metadata(tmp_path: Path) -> None:
    """Without an API group, `metadata` is a property like any other, and none is added."""
    with_it = types_of(read(tmp_path, {"properties": {"metadata": OBJECT, "kind": STRING}}))
    without = types_of(read(tmp_path, {"properties": {"x": STRING}}))
    assert [item.type for item in with_it["Order"].properties] == [Ref("OrderMetadata")]
    assert [item.name for item in without["Order"].properties] == ["x"]


def test_definition_names_its_type(tmp_path: Path) -> None:
    """Objects behind `$ref` are one type of the definition's name, wherever they stand."""
    schema = {
        "properties": {
            "a": {"$ref": "#/definitions/Foo_Bar"},
            "b": {"type": "array", "items": {"allOf": [{"$ref": "#/definitions/Foo_Bar"}]}},
            "c": {"anyOf": [{"$ref": "#/$defs/alias"}, {"type": "null"}]},
            "d": {"$ref": "#/definitions/io.example.v1.some-thing"},
        },
        "definitions": {"Foo_Bar": OBJECT, "io.example.v1.some-thing": OBJECT},
        "$defs": {"alias": {"$ref": "#/definitions/Foo_Bar"}},
    }
    found = types_of(read(tmp_path, schema))
    assert [(p.type, p.nullable) for p in found["Order"].properties] == [
        (Ref("Foo_Bar"), False),
        (ListOf(Ref("Foo_Bar")), False),
        (Ref("Foo_Bar"), True),
        (Ref("SomeThing"), False),
    ]
    assert found["Foo_Bar"].paths == ("Order/a", "Order/b/*", "Order/c")


def test_a_definition_that_is_named_by_its_address(tmp_path: Path) -> None:
    """In a bundle each definition has the `$id` of the file that it was, with its version."""
    names = [
        f"https://example.com/{path}"
        for path in ("defs/1.0.0/part.json", "defs/v1/line.schema.json", "box/0.2.0/part.json", "")
    ]
    schema = {
        "properties": {f"p{at}": {"$ref": name} for at, name in enumerate(names)},
        "definitions": {
            name: {"$id": name, "properties": {f"q{at}": STRING}} for at, name in enumerate(names)
        },
    }
    found = [item.type for item in types_of(read(tmp_path, schema))["Order"].properties]
    assert found == [Ref("DefsPart"), Ref("Line"), Ref("Part"), Ref("ExampleCom")]


def test_recursive_definitions_terminate(tmp_path: Path) -> None:
    """Types may contain themselves: directly, through the root, or through a combination."""
    schema = {
        "properties": {
            "tree": {"$ref": "#/definitions/Tree"},
            "order": {"$ref": "#"},
            "loose": {"$ref": "#/definitions/Json"},
            "more": {"allOf": [{"$ref": "#/definitions/Tree"}, {"properties": {"z": STRING}}]},
        },
        "definitions": {
            "Tree": {
                "properties": {
                    "children": {"type": "array", "items": {"$ref": "#/definitions/Tree"}},
                    "both": {"allOf": [{"$ref": "#/definitions/Tree"}, OBJECT]},
                }
            },
            "Json": {"anyOf": [STRING, {"type": "array", "items": {"$ref": "#/definitions/Json"}}]},
        },
    }
    found = types_of(read(tmp_path, schema))
    assert [item.type for item in found["Order"].properties] == [
        Ref("Tree"),
        Ref("Order"),
        Opaque("anyOf of array and string".replace("array", "list")),
        Ref("OrderMore"),
    ]
    both = found["Both"].property("both")
    assert both is not None
    assert both.type == Ref("Both")


def test_list_that_contains_itself_is_opaque(tmp_path: Path) -> None:
    """A definition that never reaches an object has no finite type, so its values are opaque."""
    definitions = {"L": {"type": "array", "items": {"$ref": "#/definitions/L"}}}
    found = read_property(tmp_path, {"$ref": "#/definitions/L"}, definitions=definitions)
    assert found.type == ListOf(Opaque("a definition that contains itself"))


def test_all_of_merges_objects(tmp_path: Path) -> None:
    """Plain object schemas in allOf become one object with the properties and facts of all."""
    schema = {
        "allOf": [OBJECT, {"properties": {"b": {"type": "integer"}}, "required": ["a"]}],
        "description": "Both.",
    }
    found = types_of(read(tmp_path, {"properties": {"x": schema}}))["OrderX"]
    assert [(item.name, item.required) for item in found.properties] == [("a", True), ("b", False)]
    assert found.doc == "Both."


def test_references_reach_other_files(tmp_path: Path) -> None:
    """A relative `$ref` names a definition in a file beside the schema."""
    (tmp_path / "common").mkdir()
    common = {"definitions": {"Sku": {"properties": {"tier": {"$ref": "#/definitions/Tier"}}},
                              "Tier": STRING}}  # fmt: skip
    (tmp_path / "common/sku.json").write_text(json.dumps(common), encoding="utf-8")
    schema = {"properties": {"x": {"$ref": "common/sku.json#/definitions/Sku"}}}
    found = types_of(read(tmp_path, schema))
    assert found["Sku"].properties[0].type == Scalar("string")
    assert found["Sku"].location.file == "common/sku.json"


def test_kind_that_is_referred_to_is_one_type(tmp_path: Path) -> None:
    """A definition that is a kind and a property of another kind makes one type."""
    schema = {
        "components": {"schemas": {
            "Line": OBJECT,
            "Order": {"properties": {"lines": {"items": {"$ref": "#/components/schemas/Line"}}}},
        }}
    }  # fmt: skip
    group = read(
        tmp_path, schema, Order="/components/schemas/Order", Line="/components/schemas/Line"
    )
    assert types_of(group)["Order"].properties[0].type == ListOf(Ref("Line"))
    assert list(types_of(group)) == ["Line", "Order"]


REFUSED: list[tuple[object, str]] = [
    ({"type": "strin"}, 'did you mean "string"'),
    ({"type": 3}, "integer is not a type of JSON Schema"),
    ([], "a schema must be an object, found list"),
    ("string", "a schema must be an object, found string"),
    ({"properties": "a"}, "`properties` must be an object"),
    ({"properties": {"a": 1}}, "a schema must be an object, found integer"),
    ({"items": "x"}, "a schema must be an object, found string"),
    ({"items": [1]}, "a schema must be an object, found integer"),
    ({"prefixItems": STRING}, "`prefixItems` must be a list"),
    ({"patternProperties": [STRING]}, "`patternProperties` must be an object"),
    ({"$dynamicRef": "#node"}, 'nothing has the `$anchor` "node"'),
    ({"$dynamicRef": "#twin"}, "is ambiguous"),
    ({"$dynamicRef": "none.json#twin"}, "there is no file none.json"),
    ({"$recursiveRef": "#"}, "is ambiguous"),
    ({"$ref": 1}, "`$ref` must be a string"),
    ({"$ref": "#/definitions/Othr"}, 'did you mean "Other"'),
    ({"$ref": "#Other"}, 'nothing has the `$anchor` "Other"'),
    ({"$ref": "oder.json#/definitions/Other"}, 'did you mean "order.json"'),
    ({"$ref": "https://example.com/s.json"}, "holdall fetches nothing"),
    ({"$ref": "#/definitions/Loop"}, "the references form a circle"),
    ({"allOf": [STRING, {"type": "object"}]}, "no value can be"),
    ({"allOf": STRING}, "`allOf` must be a list"),
    ({"enum": "a"}, "`enum` must be a list"),
    ({"required": True}, "`required` must be a list"),
    ({"properties": {"$propertyBag": {}}}, 'the property "$propertyBag"'),
    ({"type": "array", "x-kubernetes-list-type": "sett"}, 'did you mean "set"'),
    ({"type": "array", "items": OBJECT, "x-kubernetes-list-type": "map"}, "list-map-keys"),
    ({"type": "array", "items": OBJECT, "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["b"]}, 'list-map key "b"'),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "text"), REFUSED, ids=[json.dumps(s) for s, _ in REFUSED])
def test_what_cannot_be_read_is_located(tmp_path: Path, schema: object, text: str) -> None:
    """Malformed and unsupported schemas are one problem each, with place and fix."""
    definitions = {
        "Other": OBJECT,
        "Loop": {"$ref": "#/definitions/Loop"},
        "One": {"$dynamicAnchor": "twin", "$recursiveAnchor": True},
        "Two": {"$id": "two.json", "$dynamicAnchor": "twin"},
        "Three": {"$id": "three.json", "$recursiveAnchor": True},
    }
    root = {"properties": {"x": schema}, "definitions": definitions}
    [problem] = problems_of(tmp_path, root)
    assert text in problem
    assert " order.json:1" in problem
    assert "fix: " in problem


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    """One run reports the problems of all properties and of all roots."""
    schema = {"properties": {"a": {"type": "x"}, "b": {"$ref": "//x.org/s"}, "c": {"$ref": "#/no"}}}
    assert [text[:5] for text in problems_of(tmp_path, schema)] == ["HA150", "HA151", "HA152"]


@pytest.mark.parametrize("schema", [[], "x", 1, None, {"type": "string"}, {"type": "array"}])
def test_root_must_be_an_object(tmp_path: Path, schema: object) -> None:
    """A kind whose schema is no object's is refused."""
    assert len(problems_of(tmp_path, schema)) == 1


def test_union_as_root_is_open(tmp_path: Path) -> None:
    """Documents of one kind may have one of several forms; what these declare is in extras."""
    group = read(tmp_path, {"anyOf": [OBJECT, {"properties": {"b": STRING}}]})
    [order] = types_of(group).values()
    assert (order.properties, order.preserve_unknown) == ((), True)
    assert group.warnings == (
        "order.json:1:12, and 1 other place of v1: members of a union of objects as root are open"
        " JSON: they stay as they are, and nothing inside is converted",
    )


def test_lists_that_an_object_cannot_be_say_nothing(tmp_path: Path) -> None:
    """`items` beside a reference to an object does not make it another type."""
    again = {"$ref": "#/definitions/D", "type": "object", "items": {"properties": {"b": STRING}}}
    definitions = {"D": {"properties": {"x": again, "y": again}}}
    found = read_property(tmp_path, {"$ref": "#/definitions/D"}, definitions=definitions)
    assert found.type == Ref("D")
    group = read(tmp_path, {"properties": {"d": again}, "definitions": definitions})
    assert list(types_of(group)) == ["D", "Order"]


@pytest.mark.parametrize("length", [50, 3000])
def test_long_chains_end(tmp_path: Path, length: int) -> None:
    """Definitions that contain one another in a long row are read without recursion."""
    definitions: dict[str, object] = {
        f"D{i}": {"properties": {"next": {"$ref": f"#/definitions/D{i + 1}"}}}
        for i in range(length)
    }
    definitions[f"D{length}"] = OBJECT
    schema = {"properties": {"x": {"$ref": "#/definitions/D0"}}, "definitions": definitions}
    assert len(types_of(read(tmp_path, schema))) == length + 2


def test_unions_that_double_at_every_step_are_read_at_once(tmp_path: Path) -> None:
    """Definitions that mention the next one twice cost no more than those that do so once."""
    definitions: dict[str, object] = {
        f"D{i}": {"anyOf": [{"$ref": f"#/definitions/D{i + 1}"}] * 2} for i in range(60)
    }
    definitions["D60"] = {"type": ["string", "boolean"]}
    found = read_property(tmp_path, {"$ref": "#/definitions/D0"}, definitions=definitions)
    assert found.type == Union(("boolean", "string"))


def test_combinations_that_contain_each_other_have_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is one type for each combination, not for each way to it; too many are a problem."""
    definitions: dict[str, object] = {
        f"D{i}": {
            "properties": {
                f"p{j}": {"allOf": [{"$ref": f"#/definitions/D{j}"}, {"properties": {f"q{i}": {}}}]}
                for j in range(8)
            }
        }
        for i in range(8)
    }
    schema = {"properties": {"x": {"$ref": "#/definitions/D0"}}, "definitions": definitions}
    assert len(types_of(read(tmp_path, schema))) == 1 + 1 + 8 * 8
    monkeypatch.setattr("holdall_codegen.read.schema.MAX_TYPES", 60)
    assert any("HA155" in problem for problem in problems_of(tmp_path, schema))


@pytest.mark.parametrize("member", ["items", "$ref", "allOf"])
def test_endless_rows_without_objects_are_refused(tmp_path: Path, member: str) -> None:
    """Rows of lists, aliases or combinations that are too long are a problem, not a crash."""
    definitions: dict[str, object] = {}
    for i in range(3000):
        target = {"$ref": f"#/definitions/D{i + 1}"}
        definitions[f"D{i}"] = {
            "items": {"items": target},
            "$ref": target,
            "allOf": {"allOf": [target, target]},
        }[member]
    definitions["D3000"] = STRING
    schema = {"properties": {"x": {"$ref": "#/definitions/D0"}}, "definitions": definitions}
    assert any("HA155" in problem for problem in problems_of(tmp_path, schema))


def test_title_names_the_kind(tmp_path: Path) -> None:
    """Without `kinds`, the root schema is the kind that its title names."""
    (tmp_path / "a.json").write_text(json.dumps({"title": "purchase order", **OBJECT}))
    source = SchemaSource("a.json", "v1", AT)
    config = GroupConfig("o", "o", AT, (source,), (VersionConfig("v1", AT),))
    assert read_group(config, tmp_path).versions[0].kinds[0].name == "PurchaseOrder"


def test_missing_title_pointer_and_file_are_problems(tmp_path: Path) -> None:
    """A schema of no kind, a pointer to nothing and a pattern without files say what to do."""
    (tmp_path / "a.json").write_text(json.dumps(OBJECT), encoding="utf-8")
    sources = (
        SchemaSource("a.json", "v1", AT),
        SchemaSource("a.json", "v1", AT, {"Order": "/propertys"}),
        SchemaSource("a.json", "v1", AT, {"Order": "a"}),
        SchemaSource("b.json", "v1", AT),
    )
    config = GroupConfig("o", "o", AT, sources, (VersionConfig("v1", AT),))
    with pytest.raises(SourceError) as caught:
        read_group(config, tmp_path)
    texts = [str(problem) for problem in caught.value.problems]
    assert [text[:5] for text in texts] == ["HA146", "HA146", "HA146", "HA140"]
    assert 'did you mean "properties"' in texts[1]
    assert 'did you mean "a.json"' in texts[3]


def test_a_pointer_to_nothing_is_named_where_it_is(tmp_path: Path) -> None:
    """A source may list many kinds: the line is that of the wrong one."""
    (tmp_path / "a.json").write_text(json.dumps(OBJECT), encoding="utf-8")
    (tmp_path / "holdall.yaml").write_text(
        "groups:\n  orders:\n    sources:\n      - schemas: a.json\n        version: v1\n"
        '        kinds:\n          Order: ""\n          Bill: /propertys\n    versions: [v1]\n'
    )
    with pytest.raises(SourceError) as caught:
        read_project(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("HA146", "holdall.yaml:8")


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_empty_file_is_named(tmp_path: Path, text: str) -> None:
    """The version has a source; what it lacks is a schema, and that is the one problem."""
    (tmp_path / "v1.yaml").write_text(text)
    source = SchemaSource("v1.yaml", "v1", AT, {"Order": ""})
    config = GroupConfig("orders", "orders", AT, (source,), (VersionConfig("v1", AT),))
    with pytest.raises(SourceError) as caught:
        read_group(config, tmp_path)
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("HA150", "v1.yaml")
    assert "it has no schema" in problem.message


@pytest.mark.parametrize("text", ["a: yes\n", "a: 0777\n", "{" * 2000, "[*x]"])
def test_file_that_cannot_be_read_has_its_version(tmp_path: Path, text: str) -> None:
    """No other problem follows from it, whatever other sources of the group have."""
    (tmp_path / "v1.yaml").write_text(text)
    (tmp_path / "v2.yaml").write_text("type: object\n")
    sources = tuple(SchemaSource(f"{v}.yaml", v, AT, {"Order": ""}) for v in ("v1", "v2"))
    versions = tuple(VersionConfig(name, AT) for name in ("v1", "v2", "v3"))
    with pytest.raises(SourceError) as caught:
        read_group(GroupConfig("orders", "orders", AT, sources, versions), tmp_path)
    first, *others = caught.value.problems
    assert first.where.startswith("v1.yaml:")
    assert [problem.code for problem in others] == ["HA144"]
    assert '"v3"' in others[0].message
