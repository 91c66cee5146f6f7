"""The interface of dataclasses-json: its own path and the generated one agree, or differ as told.

Library path: dataclasses-json walks the fields, as it does when a user's class holds the type.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from dataclasses_json import DataClassJsonMixin
from dataclasses_json.core import _asdict, _decode_dataclass
from hypothesis import given, settings
from hypothesis import strategies as st

import holdall as h
from holdall.objects.shapes import ValueShape, shape_of
from holdall.text.json import same
from tests.property.specimens import Specimen, specimen_of
from tests.support.notation import schema_of
from tests.support.projects import group_of

# The library's own path, reached without the methods that generated types define.
read_by_library: Callable[[type[Any], Any, bool], Any] = _decode_dataclass
write_by_library: Callable[[Any], Any] = _asdict

RESERVED = {"$propertyBag", "$originalVersion", "$created"}

PORT = schema_of("{containerPort!: integer, hostIP: string, ratio: number}")
SHOP = {
    "title": "Shop",
    "type": "object",
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "required": ["main"],
            "properties": {
                "main": {"$ref": "#/$defs/Port"},
                "spare": {"$ref": "#/$defs/Port"},
                "ports": {"type": "array", "items": {"$ref": "#/$defs/Port"}},
                "byName": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Port"}},
                "table": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": {"$ref": "#/$defs/Port"},
                    },
                },
                "names": {"type": "array", "items": {"type": "string"}},
                "open": {"type": "boolean"},
                "size": {"enum": ["S", "M", "L"], "type": "string"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "weights": {"type": "object", "additionalProperties": {"type": "number"}},
                "target": {"x-kubernetes-int-or-string": True},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "tree": {"$ref": "#/$defs/Tree"},
            },
        },
    },
    "$defs": {
        "Port": PORT,
        "Tree": {
            "type": "object",
            "properties": {
                "label": {"type": "string"},
                "left": {"$ref": "#/$defs/Tree"},
                "branches": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            },
        },
    },
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Specimen:
    """A small project of two equal versions with every kind of member."""
    versions = {"v1": SHOP, "v2": SHOP}
    group = group_of(versions, "Shop", group="shop", api_group="shop.example.com")
    return specimen_of(tmp_path_factory.mktemp("shop"), *group)


@pytest.fixture(scope="module")
def emissary(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Specimen:
    """The types of fourteen real CRDs."""
    root = tmp_path_factory.mktemp("emissary")
    config = "groups: {emissary: {sources: [{crds: crds/*.yaml}], versions: [v1, v2, v3alpha1]}}\n"
    schemas = sorted((shared / "emissary/schemas/internal").glob("*.yaml"))
    files = {f"crds/{file.name}": file.read_text(encoding="utf-8") for file in schemas}
    return specimen_of(root, config, files)


@pytest.fixture(scope="module", params=["shop", "emissary"])
def specimen(request: pytest.FixtureRequest) -> Specimen:
    """A small project, and a real one."""
    found: Specimen = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def types(specimen: Specimen) -> list[type[h.Object]]:
    """All API types of one project: dataclasses."""
    return [item for item in specimen.types() if not issubclass(item, h.StorageObject)]


@pytest.fixture(scope="module")
def twins(specimen: Specimen) -> list[type[h.Object]]:
    """All storage twins of one project: views of members."""
    found: list[type[h.Object]] = []
    found += [item for item in specimen.types() if issubclass(item, h.StorageObject)]
    assert any(issubclass(item, h.StorageRoot) for item in found)
    return found


@pytest.fixture(scope="module")
def port(shop: Specimen) -> Any:
    """The API type Port."""
    return shop.module("shop.v1").Port


@pytest.fixture(scope="module")
def stored_port(shop: Specimen) -> Any:
    """The twin of Port."""
    return shop.module("shop.v1.storage").Port


# --- documents of a type ---

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    int: st.integers(),
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    Any: JSON.filter(lambda value: value is not None),
}


def attributes(cls: type) -> set[str]:
    return {field.name for field in dataclasses.fields(cls)}


def values(hint: Any, depth: int) -> st.SearchStrategy[Any]:
    """Return well typed values for an annotation; optional members are left out, not null."""
    if hint in SCALARS:
        return SCALARS[hint]
    if get_origin(hint) in (Union, UnionType):
        return st.one_of(*(values(item, depth) for item in get_args(hint) if item is not NoneType))
    if get_origin(hint) is list:
        return st.lists(values(get_args(hint)[0], depth), max_size=2 if depth else 0)
    if get_origin(hint) is dict:
        return st.dictionaries(TEXT, values(get_args(hint)[1], depth), max_size=2 if depth else 0)
    return documents(hint, depth - 1)


@st.composite
def documents(draw: st.DrawFn, cls: type[h.Object], depth: int = 3) -> dict[str, Any]:
    """Draw a document in the domain where both paths agree."""
    hints = get_type_hints(cls)
    document: dict[str, Any] = {}
    for name, member in shape_of(cls).members.items():
        if member.said:
            document[name] = member.said[0]
        elif member.required or (depth > 0 and draw(st.booleans())):
            document[name] = draw(values(hints[member.attribute], depth))
    taken = set(document) | shape_of(cls).names | attributes(cls) | RESERVED
    document |= draw(st.dictionaries(TEXT.filter(lambda name: name not in taken), JSON, max_size=2))
    return document


def full(hint: Any, depth: int = 4) -> Any:
    """Return a value with every member there is, down to a depth."""
    simple: dict[Any, Any] = {str: "s", int: 7, bool: False, float: 1.5, Any: {"a": [1, None]}}
    if hint in simple:
        return simple[hint]
    if get_origin(hint) in (Union, UnionType):
        return full(next(item for item in get_args(hint) if item is not NoneType), depth)
    if get_origin(hint) is list:
        return [full(get_args(hint)[0], depth)] * 2
    if get_origin(hint) is dict:
        return {"k": full(get_args(hint)[1], depth), "": full(get_args(hint)[1], depth)}
    hints = get_type_hints(hint)
    document = {
        name: member.said[0] if member.said else full(hints[member.attribute], depth - 1)
        for name, member in shape_of(hint).members.items()
        if depth > 0 or member.required
    }
    document["unknownMember"] = {"deep": [None, 0, ""]}
    return document


def full_view(cls: Any, depth: int = 4) -> Any:
    """Return members of a twin with everything that it can have, down to a depth."""

    def value(shape: ValueShape) -> Any:
        if shape.type is not None:
            return full_view(shape.type, depth - 1)
        if shape.item is None:
            return {"a": [1, None]}
        inner = value(shape.item)
        return [inner, None, inner] if shape.container == "list" else {"k": inner, "": None}

    declared = shape_of(cls).members if depth else {}
    document = {name: value(member.value) for name, member in declared.items()}
    document |= dict.fromkeys([*declared][:1])
    document["unknownMember"] = {"deep": [None, 0, ""]}
    document["$propertyBag"] = {"v0": {"gone": None, "kept": {"x": [1]}}}
    if cls.RECORDS_VERSION:
        document["$originalVersion"] = "v0"
    return document


def members(obj: h.Object) -> dict[str, Any]:
    """Encode by generated code, without what the class of a root twin adds."""
    return obj.write_members()


def documents_of(
    types: list[type[h.Object]], twins: list[type[h.Object]]
) -> Iterator[tuple[type[h.Object], dict[str, Any]]]:
    """Yield API types and twins, each with a full document."""
    yield from ((cls, full(cls)) for cls in types)
    yield from ((cls, full_view(cls)) for cls in twins)


def check_agreement(cls: type[h.Object], document: dict[str, Any]) -> None:
    before = copy.deepcopy(document)
    ours = cls.from_dict(document)
    theirs = read_by_library(cls, document, False)
    assert theirs == ours, cls
    assert same(document, before)
    assert same(members(ours), before)
    assert same(write_by_library(ours), before)
    assert same(write_by_library(theirs), before)
    assert same(members(theirs), before)


def test_both_paths_agree_on_full_documents(types: list[type[h.Object]]) -> None:
    """Every member of every generated type is read and written alike by both paths."""
    for cls in types:
        check_agreement(cls, full(cls))


@given(data=st.data())
@settings(max_examples=150)
def test_both_paths_agree(types: list[type[h.Object]], data: st.DataObject) -> None:
    """Any well typed document without declared nulls and attribute names is read alike."""
    cls = data.draw(st.sampled_from(types))
    check_agreement(cls, data.draw(documents(cls)))


@given(data=st.data())
@settings(max_examples=60)
def test_schema_loads_what_from_dict_reads(
    types: list[type[h.Object]], data: st.DataObject
) -> None:
    """`schema().load` gives the object that `from_dict` gives."""
    cls = data.draw(st.sampled_from(types))
    document = data.draw(documents(cls, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns of itself and of recursive members
        loaded = cls.schema().load(document)
    assert loaded == cls.from_dict(document)


def test_schema_loads_full_documents(types: list[type[h.Object]]) -> None:
    """`schema().load` knows every member of every generated type."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cls in types:
            assert cls.schema().load(full(cls)) == cls.from_dict(full(cls))


@pytest.mark.parametrize("member", ["apiVersion", "kind"])
def test_schema_refuses_what_from_dict_refuses(shop: Specimen, member: str) -> None:
    """A document of another version or kind."""
    cls = shop.module("shop.v1").Shop
    document = {**full(cls), member: "another"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [*cls.schema().validate(document)] == [member]
    with pytest.raises(h.DecodeError, match=f"^/{member}: expected "):
        cls.from_dict(document)


@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        lambda obj: pickle.loads(pickle.dumps(obj)),
        lambda obj: type(obj).from_json(obj.to_json()),
        lambda obj: type(obj).from_json(obj.to_json().encode()),
        lambda obj: type(obj).from_json(obj.to_json(indent=1), parse_int=int),
        lambda obj: type(obj).from_dict(obj.to_dict(encode_json=True), infer_missing=True),
    ],
    ids=["copy", "deepcopy", "pickle", "json", "bytes", "options", "dict"],
)
def test_duplicates_are_complete(
    types: list[type[h.Object]],
    twins: list[type[h.Object]],
    duplicate: Callable[[h.Object], h.Object],
) -> None:
    """Copying, pickling and writing keep unknown members, bags and all else."""
    for cls, document in documents_of(types, twins):
        obj = cls.from_dict(document)
        other = duplicate(obj)
        assert other == obj
        assert type(other) is cls
        assert same(members(other), document)


def test_replacing_keeps_what_is_not_replaced(types: list[type[h.Object]]) -> None:
    """API types are dataclasses."""
    for cls in types:
        obj: Any = cls.from_dict(full(cls))
        assert dataclasses.replace(obj) == obj


def test_every_type_has_the_interface(
    types: list[type[h.Object]], twins: list[type[h.Object]]
) -> None:
    """Generated objects are instances of the mixin, with slots only and no positional arguments."""
    for cls, document in documents_of(types, twins):
        obj: Any = cls.from_dict(document)
        assert isinstance(obj, DataClassJsonMixin)
        assert not hasattr(obj, "__dict__")
        with pytest.raises(TypeError):
            cls(*["positional"])


def test_a_twin_has_no_schema_of_the_library(stored_port: Any) -> None:
    """It is no dataclass, and the message says where there is a schema."""
    with pytest.raises(TypeError, match=r"Port is a storage twin .* use that of the API type"):
        stored_port.schema()


def test_a_deep_copy_shares_nothing(
    types: list[type[h.Object]], twins: list[type[h.Object]]
) -> None:
    """Changing the values of a deep copy leaves the original as it was."""
    for cls, document in documents_of(types, twins):
        obj = cls.from_dict(document)
        other = copy.deepcopy(obj)
        other.extra_["unknownMember"]["deep"].clear()
        if isinstance(other, h.StorageObject) and other.property_bag is not None:
            other.property_bag.clear()
        assert same(members(obj), document)


# --- what JSON texts look like ---


def test_json_text_follows_the_options(port: Any) -> None:
    """Without options the text has no spaces; options are those of the standard library."""
    obj = port.from_json('{"containerPort": 1, "hostIP": "ü", "b": [1]}')
    assert json.loads(obj.to_json()) == {"containerPort": 1, "hostIP": "ü", "b": [1]}
    assert obj.to_json() == obj.to_json(encode_json=True)
    assert "ü" in obj.to_json()
    assert "\\u00fc" in obj.to_json(ensure_ascii=True)
    assert obj.to_json(sort_keys=True, separators=(",", ":")).startswith('{"b":[1],')
    assert port.from_json('{"containerPort": 1.5}', parse_float=str).container_port == "1.5"


def test_a_missing_member_is_named_even_when_inferring(port: Any) -> None:
    """`infer_missing` is accepted and invents nothing."""
    with pytest.raises(h.DecodeError, match="/containerPort: required member"):
        port.from_dict({}, infer_missing=True)


def test_a_text_that_is_no_object_is_a_decode_error(port: Any) -> None:
    """`from_json` of another JSON kind says what it found."""
    with pytest.raises(h.DecodeError, match="expected object, found list"):
        port.from_json("[]")


# --- the table of known differences ---


def test_a_null_is_lost_by_the_library(port: Any) -> None:
    """Generated code keeps a null of a declared member, the library loses it."""
    document = {"containerPort": 1, "hostIP": None}
    assert port.from_dict(document).to_dict() == document
    assert write_by_library(read_by_library(port, document, False)) == {"containerPort": 1}


def test_a_value_set_over_a_null_is_lost_by_the_library(port: Any) -> None:
    """Generated code writes the value that was set, the library writes the null that was read."""
    obj = port.from_dict({"containerPort": 1, "hostIP": None})
    obj.host_ip = "x"
    assert obj.to_dict() == {"containerPort": 1, "hostIP": "x"}
    assert write_by_library(obj) == {"containerPort": 1, "hostIP": None}


def test_an_attribute_name_is_a_member_to_the_library(port: Any) -> None:
    """Generated code keeps both keys, the library takes the attribute's name for the member's."""
    document = {"containerPort": 1, "container_port": 2}
    assert port.from_dict(document).to_dict() == document
    assert write_by_library(read_by_library(port, document, False)) == {"containerPort": 2}


def test_a_member_called_like_the_extras_confuses_the_library(port: Any) -> None:
    """Generated code keeps it, the library merges an object and refuses a string."""
    document = {"containerPort": 1, "extra_": {"a": 1}}
    assert port.from_dict(document).to_dict() == document
    assert write_by_library(read_by_library(port, document, False)) == {"containerPort": 1, "a": 1}
    text = {"containerPort": 1, "extra_": "s"}
    assert port.from_dict(text).to_dict() == text
    with pytest.raises(Exception, match="extra_"):
        read_by_library(port, text, False)


def test_a_scalar_of_another_kind_is_coerced_by_the_library(port: Any) -> None:
    """Generated code keeps what arrived, the library makes it fit."""
    document: dict[str, Any] = {"containerPort": "80", "ratio": 2**53 + 1}
    assert same(port.from_dict(document).to_dict(), document)
    library = write_by_library(read_by_library(port, document, False))
    assert same(library, {"containerPort": 80, "ratio": float(2**53)})


def test_an_absent_api_version_is_filled_in_by_the_library(shop: Specimen) -> None:
    """Generated code invents no apiVersion when reading, the library takes the field's default."""
    cls = shop.module("shop.v1").Shop
    assert cls.from_dict({}).to_dict() == {}
    library = write_by_library(read_by_library(cls, {}, False))
    assert library == {"apiVersion": "shop.example.com/v1", "kind": "Shop"}
    assert cls().to_dict() == library


def test_apiversion_and_kind_of_a_root_twin_belong_to_its_class(shop: Specimen) -> None:
    """They are no extras, and are written."""
    cls = shop.module("shop.v1.storage").Shop
    document = {"apiVersion": "shop.example.com/v1", "kind": "Shop"}
    assert dict(cls.from_dict(document).extra_) == {}
    assert cls.from_dict(document).to_dict() == document


# --- nested(): generated types in a user's class ---

ROWS: list[dict[str, Any]] = [
    {"containerPort": 1, "hostIP": None},
    {"containerPort": 1, "container_port": 2},
    {"containerPort": 1, "extra_": {"a": 1}},
    {"containerPort": 1, "extra_": "s"},
    {"containerPort": "80"},
    {"containerPort": 1, "ratio": 1},
    {"containerPort": 1, "ratio": 2**53 + 1},
]


def host(annotation: Any, shape: Any) -> Any:
    """Return a user's class with one field of generated types."""
    field = dataclasses.field(default=None, metadata=h.nested(shape, name="thePort"))
    return dataclasses.make_dataclass(
        "Host", [("port", annotation, field)], bases=(DataClassJsonMixin,)
    )


@pytest.mark.parametrize("row", ROWS, ids=str)
@pytest.mark.parametrize("twin", [False, True], ids=["api", "twin"])
def test_nested_round_trips_where_the_library_would_not(
    port: Any, stored_port: Any, row: dict[str, Any], twin: bool
) -> None:
    """Every document of the table survives in a user's class, alone, in lists and in maps."""
    cls: Any = stored_port if twin else port
    cases = [
        (cls | None, cls, row),
        (list[cls] | None, list[cls], [row, None, row]),
        (list[cls] | None, cls, [row, row]),
        (dict[str, cls] | None, dict[str, cls], {"a": row, "": None}),
        (dict[str, list[cls]] | None, dict[str, list[cls]] | None, {"a": [row]}),
        (cls | None, cls | None, row),
    ]
    for annotation, shape, value in cases:
        user = host(annotation, shape)
        document: Any = {"thePort": copy.deepcopy(value)}
        expected: Any = {"thePort": value}
        obj = user.from_dict(document)
        assert same(obj.to_dict(), expected)
        assert same(json.loads(obj.to_json()), expected)
        assert same(document, expected)


def test_nested_writes_a_value_set_over_a_null(port: Any) -> None:
    """A value that was set after reading wins over the null that was read."""
    obj = host(port | None, port).from_dict({"thePort": {"containerPort": 1, "hostIP": None}})
    obj.port.host_ip = "x"
    assert obj.to_dict() == {"thePort": {"containerPort": 1, "hostIP": "x"}}


def test_nested_keeps_none(port: Any) -> None:
    """A field that holds nothing stays so in both directions."""
    user = host(port | None, port)
    assert user.from_dict({"thePort": None}).port is None
    assert user().to_dict() == {"thePort": None}


def test_nested_keeps_the_bag_of_a_twin(stored_port: Any) -> None:
    """The property bag of a twin travels in a user's class."""
    document = {"thePort": {"hostIP": None, "$propertyBag": {"v0": {"x": None}}}}
    assert host(stored_port, stored_port).from_dict(document).to_dict() == document


@pytest.mark.parametrize(
    ("shape", "value", "message"),
    [
        ("one", 5, "expected object, found integer"),
        ("one", {"hostIP": "x"}, "/containerPort: required member is missing or null"),
        ("one", [{"containerPort": 1}, "x"], "/1: expected object, found string"),
        ("list", {"containerPort": 1}, "expected list, found object"),
        ("map", [1], "expected object, found list"),
        ("map", {"a/b": {}}, "/a~1b/containerPort: required member is missing or null"),
    ],
)
def test_nested_says_where_a_value_is_wrong(
    port: Any, shape: str, value: Any, message: str
) -> None:
    """A wrong value is a DecodeError with the path inside the field."""
    shapes: dict[str, Any] = {"one": port, "list": list[port], "map": dict[str, port]}
    with pytest.raises(h.DecodeError) as caught:
        host(shapes[shape], shapes[shape]).from_dict({"thePort": value})
    assert str(caught.value) == message
