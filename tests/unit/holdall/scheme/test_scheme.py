"""The scheme: finding the way, keeping the form of what comes in, and saying what went wrong."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import kopf
import pytest
import yaml

import holdall as h
from generated import fleet
from generated.fleet.v2 import Vehicle
from holdall.errors import ConversionError, DecodeError, SchemeError, UnknownKindError
from holdall.scheme.entries import Kind, Version
from holdall.version import VERSION
from tests.property.specimens import Specimen, specimen_of
from tests.support.objects import resource
from tests.support.projects import group_of

STRING: Any = {"type": "string"}


def kind(spec: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "apiVersion": STRING,
            "kind": STRING,
            "metadata": {"type": "object"},
            "spec": {"$ref": "#/$defs/ShopSpec"},
        },
        "$defs": {"ShopSpec": {"type": "object", "properties": spec}, **definitions},
    }


def schema(version: str) -> dict[str, Any]:
    """Return a version: v1 has `old`, v2 a `level` of integers, v3 a `fresh` of its own."""
    level = {"type": "integer" if version == "v2" else "number"}
    part: dict[str, Any] = {"name": STRING, "level": level}
    part |= {"v1": {"old": {"$ref": "#/$defs/Inner"}}, "v3": {"fresh": STRING}}.get(version, {})
    spec: dict[str, Any] = {
        "name": STRING,
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
        "byName": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Part"}},
    }
    definitions = {
        "Part": {"type": "object", "properties": part},
        "Inner": {"type": "object", "properties": {"x": STRING}},
    }
    return kind(spec, definitions)


VERSIONS = ("v1", "v2", "v3")
STRICT = {"v2 -> v3": {"Part": {"level": {"misfit": "error"}}}}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Specimen:
    """A chain of three versions; a level that v2 cannot hold is an error from v3, kept from v1."""
    schemas = {name: schema(name) for name in VERSIONS}
    group = group_of(schemas, "Shop", group="shop", api_group="shop.example.com", between=STRICT)
    return specimen_of(tmp_path_factory.mktemp("shop"), *group)


@pytest.fixture(scope="module")
def scheme(shop: Specimen) -> h.Scheme:
    return shop.scheme("shop")


def obj(version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"shop.example.com/{version}", "Shop", "one", "here", spec=spec)


# --- finding the way ---


@pytest.mark.parametrize("to", ["v3", "shop.example.com/v3"])
def test_a_target_is_a_version_or_an_api_version(scheme: h.Scheme, to: str) -> None:
    """Both spellings of `to` mean the same."""
    assert scheme.convert(obj("v1", name="x"), to=to) == obj("v3", name="x")


@pytest.mark.parametrize(
    ("change", "to", "parts"),
    [
        (
            {"kind": "Shopp"},
            "v2",
            ["unknown kind 'Shopp'", 'did you mean "Shop"', "use one of: Shop"],
        ),
        (
            {"apiVersion": "shop.example.com/v4"},
            "v2",
            ["cannot convert from 'shop.example.com/v4', which Shop does not have", "did you mean"],
        ),
        ({"apiVersion": "v1"}, "v2", ["cannot convert from 'v1', which is of another group"]),
        ({"apiVersion": "other.example.com/v1"}, "v2", ["cannot convert from", "did you mean"]),
        (
            {},
            "v22",
            ["cannot convert to 'shop.example.com/v22', which Shop does not have", "did you mean"],
        ),
        (
            {},
            "other.example.com/v1",
            ["cannot convert to 'other.example.com/v1', which is of another group"],
        ),
        ({}, "", ["cannot convert to"]),
        ({}, 2, ["cannot convert to 2, which is of another group"]),
        ({}, h.Scheme, ["cannot convert to holdall.scheme.scheme.Scheme", "v1.Shop, "]),
    ],
)
def test_unknown_names_are_told_with_the_known_ones(
    scheme: h.Scheme, change: dict[str, Any], to: Any, parts: list[str]
) -> None:
    """The error names what is unknown, the nearest name, and all that are known."""
    with pytest.raises(UnknownKindError) as caught:
        scheme.convert({**obj("v1"), **change}, to=to)
    text = str(caught.value)
    assert text.startswith("HA401 ")
    for part in [*parts, "use one of: "]:
        assert part in text


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "/: expected object, found list"),
        ("text", "/: expected object, found string"),
        (None, "/: expected object, found null"),
        ({}, "/apiVersion: the object has no apiVersion"),
        ({"apiVersion": 1, "kind": "Shop"}, "/apiVersion: expected string, found integer"),
        ({"apiVersion": "shop.example.com/v1"}, "/kind: the object has no kind"),
        (
            {"apiVersion": "shop.example.com/v1", "kind": ["Shop"]},
            "/kind: expected string, found list",
        ),
    ],
)
def test_what_is_no_object_is_refused(scheme: h.Scheme, document: Any, message: str) -> None:
    """Text, lists and objects that do not say what they are have a plain message."""
    with pytest.raises(ConversionError) as caught:
        scheme.convert(document, to="v2")
    assert str(caught.value) == message
    with pytest.raises(ConversionError) as caught:
        scheme.convert_bytes(json.dumps(document), to="v2")
    assert str(caught.value) == message


def test_a_scheme_with_holes_is_refused_at_load() -> None:
    """A hub that is no version and a version no edge reaches are told together."""
    broken = h.Scheme(
        release=VERSION,
        package="nowhere",
        hooks="nohooks",
        group="g",
        versions=tuple(Version(name, module=name) for name in ("v1", "v2", "v3")),
        hub="v33",
        kinds=(
            Kind(
                "Shop",
                types=dict.fromkeys(("v1", "v2", "v3"), "Shop"),
                edges=(("v1", "v2"),),
                carrier="none",
            ),
        ),
    )
    with pytest.raises(SchemeError) as caught:
        broken.load()
    text = str(caught.value)
    assert "HA402 nowhere: the hub 'v33' is not a version; did you mean \"v3\"?" in text
    assert "HA403 nowhere: Shop v3 is not reachable from v1" in text


# --- the form of what comes in ---


def test_typed_in_typed_out(shop: Specimen, scheme: h.Scheme) -> None:
    """An API type gives the API type of the other version, with what it could not hold."""
    v1, v3 = shop.module("shop.v1"), shop.module("shop.v3")
    old = v1.Shop.from_dict(obj("v1", parts=[{"name": "a", "old": {"x": "y"}}], more=1))
    new = scheme.convert(old, to="v3")
    assert type(new) is v3.Shop
    assert new.api_version == "shop.example.com/v3"
    assert scheme.convert(new, to="v1") == old


def test_twin_in_twin_out(shop: Specimen, scheme: h.Scheme) -> None:
    """A root twin gives a root twin, with its bags on it and no carrier."""
    v1, v2 = shop.module("shop.v1.storage"), shop.module("shop.v2.storage")
    old = v1.Shop.from_dict(obj("v1", parts=[{"old": {"x": "y"}}]))
    new = scheme.convert(old, to="v2")
    assert type(new) is v2.Shop
    assert new.to_dict() == obj("v2", parts=[{"$propertyBag": {"v1": {"old": {"x": "y"}}}}])
    assert scheme.convert(new, to="v1") == old
    same = scheme.convert(old, to="v1")
    assert same == old
    assert same is not old


@pytest.mark.parametrize("is_typed", [True, False])
def test_a_class_names_the_target_and_what_comes_out(
    shop: Specimen, scheme: h.Scheme, is_typed: bool
) -> None:
    """Whatever comes in: the result is of the class, also of one that derives from it."""
    v1, v3 = shop.module("shop.v1"), shop.module("shop.v3")
    document = obj("v1", parts=[{"name": "a", "old": {"x": "y"}}], more=1)
    given = v1.Shop.from_dict(document) if is_typed else MappingProxyType(document)
    report: list[Any] = []
    new = scheme.convert(given, to=v3.Shop, report=report, tolerant=True)
    assert type(new) is v3.Shop
    assert (new.to_dict(), report) == (scheme.convert(document, to="v3"), [])
    assert scheme.convert(new, to=v1.Shop) == v1.Shop.from_dict(document)
    assert scheme.convert(given, to=v1.Shop).to_dict() == document

    class Mine(v3.Shop):  # type: ignore[misc, name-defined]
        """A user's own."""

    assert type(scheme.convert(given, to=Mine)) is Mine
    assert list(scheme.convert_each([given], to=v3.Shop)) == [new]


def test_a_twin_becomes_a_twin_and_nothing_else_does(shop: Specimen, scheme: h.Scheme) -> None:
    """Classes of the other form are refused, with the class that can be named."""
    old, new = shop.module("shop.v1.storage"), shop.module("shop.v2.storage")
    twin = old.Shop.from_dict(obj("v1", parts=[{"old": {"x": "y"}}]))
    assert scheme.convert(twin, to=new.Shop) == scheme.convert(twin, to="v2")
    for given, cls, one, other in (
        (twin, shop.module("shop.v2").Shop, "a storage twin", "v2.storage.Shop"),
        (obj("v1"), new.Shop, "an object that is not a storage twin", "shop.v2.Shop"),
    ):
        with pytest.raises(ConversionError) as caught:
            scheme.convert(given, to=cls)
        assert str(caught.value).startswith(f"/: {one} cannot become {cls.__module__}.Shop; name ")
        assert str(caught.value).endswith(other)


def test_a_class_of_another_kind_or_of_a_part_is_refused(shop: Specimen, scheme: h.Scheme) -> None:
    """It is never taken for the version that it is of."""
    part = shop.module("shop.v3").Part
    with pytest.raises(UnknownKindError, match=r"cannot convert to \S+\.v3\.Part"):
        scheme.convert(obj("v1"), to=part)
    depot = {"apiVersion": "fleet.example.com/v1", "kind": "Depot"}
    with pytest.raises(UnknownKindError) as caught:
        fleet.SCHEME.convert(depot, to=Vehicle)
    text = "HA401 cannot convert Depot to generated.fleet.v2.Vehicle, which is Vehicle\n"
    assert str(caught.value) == f"{text}    fix: name the class of Depot in v2"


def test_the_same_version_comes_back_verbatim(scheme: h.Scheme) -> None:
    """Nothing is read, corrected or reordered where there is nothing to convert."""
    document = {**obj("v2"), "spec": "wrong", "metadata": None}
    assert scheme.convert(document, to="v2") == document
    text = b'{"kind":"Shop","spec":[1.0,-0.0],"apiVersion":"shop.example.com/v2"}'
    assert scheme.convert_bytes(text, to="v2") == text


@pytest.mark.parametrize("version", VERSIONS)
def test_the_input_is_neither_changed_nor_shared(scheme: h.Scheme, version: str) -> None:
    """Changing the result changes nothing of what was given."""
    document = obj(version, parts=[{"old": {"x": ["deep"]}, "e": {"x": [1]}}], unknown={"a": [1]})
    document["metadata"]["labels"] = {"a": "b"}
    before = copy.deepcopy(document)
    for to in VERSIONS:
        result = scheme.convert(document, to=to)
        _spoil(result)
        assert document == before


def _spoil(value: Any) -> None:
    if isinstance(value, dict):
        for item in list(value.values()):
            _spoil(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            _spoil(item)
        value.clear()


def test_one_bad_object_stays_alone(scheme: h.Scheme) -> None:
    """A batch yields an error in the place of each bad object and goes on."""
    bad: list[Any] = [obj("v9"), {}, obj("v1", parts=5), None]
    good = obj("v1", name="x")
    results = list(scheme.convert_each([good, *bad, good], to="v2"))
    assert results[0] == results[-1] == obj("v2", name="x")
    assert [type(item) for item in results[1:-1]] == [
        UnknownKindError,
        ConversionError,
        ConversionError,
        ConversionError,
    ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "/spec/x/0: nan is not a JSON number"),
        (float("inf"), "/spec/x/0: inf is not a JSON number"),
        ((1,), "/spec/x/0: tuple is not a JSON type"),
        ({1: 2}, "/spec/x/0: the key 1 is not a string"),
        ("\ud800", "/spec/x/0: the string contains a lone surrogate"),
        (b"x", "/spec/x/0: bytes is not a JSON type"),
    ],
)
def test_what_is_no_json_is_refused(scheme: h.Scheme, value: Any, message: str) -> None:
    """Python data that JSON cannot say is refused with its place."""
    with pytest.raises(DecodeError) as caught:
        scheme.convert(obj("v1", x=[value]), to="v2")
    assert str(caught.value) == message


# --- bytes ---


METADATA = [
    {"name": "x"},
    {"name": 'a\\b"c'},
    {"name": "ü名\U0001f600"},
    {"annotations": {"a": "ü", "holdall.dev/x": "mine"}},
    {"annotations": {}},
    {"annotations": None},
    {},
    None,
    [1, 2],
    "text",
]


@pytest.mark.parametrize("metadata", METADATA, ids=str)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_bytes_and_dicts_agree(scheme: h.Scheme, metadata: Any, ascii_only: bool) -> None:
    """The hot path gives what the dict path gives, whatever stands in metadata."""
    document = {**obj("v1", parts=[{"old": {"x": "ü"}}]), "metadata": metadata}
    data = json.dumps(document, ensure_ascii=ascii_only, indent=1).encode()
    for path in (["v2"], ["v3"], ["v3", "v1"], ["v2", "v3", "v2", "v1"]):
        expected, result = _outcome(scheme, document, path), data
        try:
            for to in path:
                result = scheme.convert_bytes(result, to=to)
        except ConversionError as error:
            assert str(error) == expected
        else:
            assert json.loads(result) == expected


def _outcome(scheme: h.Scheme, document: Any, path: list[str]) -> Any:
    try:
        for to in path:
            document = scheme.convert(document, to=to)
    except ConversionError as error:
        return str(error)
    return document


@pytest.mark.parametrize("metadata", METADATA, ids=str)
def test_metadata_survives(scheme: h.Scheme, metadata: Any) -> None:
    """There and back gives the metadata that was there, carrier or not."""
    document = {**obj("v1", parts=[{"old": {"x": "y"}}]), "metadata": metadata}
    if metadata is None or isinstance(metadata, dict):
        there = scheme.convert(document, to="v2")
        assert scheme.convert(there, to="v1") == document


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf{"kind":"Shop"}',
        b'{"kind":"Shop",}',
        b'{"kind":"\\ud800"}',
        b'{"metadata":{"name":"\xff"},"apiVersion":"shop.example.com/v1","kind":"Shop"}',
        b'{"metadata":{"n":NaN},"apiVersion":"shop.example.com/v1","kind":"Shop"}',
        b'{"metadata":{"n":01},"apiVersion":"shop.example.com/v1","kind":"Shop"}',
        b'{"spec":{"n":1e400},"apiVersion":"shop.example.com/v1","kind":"Shop"}',
        b"",
        b"[" * 100_000,
        b'{"metadata":' + b"[" * 100_000,
    ],
    ids=lambda data: repr(data[:30]),
)
def test_bad_bytes_are_a_decode_error(scheme: h.Scheme, data: bytes) -> None:
    """Malformed text, wherever it is, is told as such, and never a crash."""
    with pytest.raises(DecodeError):
        scheme.convert_bytes(data, to="v2")


@pytest.mark.parametrize("number", ["9" * 5000, "1e400"], ids=["digits", "range"])
def test_an_error_names_its_object_whatever_numbers_metadata_has(
    scheme: h.Scheme, number: str
) -> None:
    """What was never decoded is decoded for the name: that must not be another error."""
    metadata = f'{{"name": "a", "labels": [{number}], "annotations": {{"long": "{"x" * 600}"}}}}'
    head = '"apiVersion": "shop.example.com/v1", "kind": "Shop"'
    with pytest.raises(ConversionError, match=r"^Shop a: /spec: expected object, found integer$"):
        scheme.convert_bytes(f'{{{head}, "metadata": {metadata}, "spec": 1}}', to="v2")


def review_of(text: str) -> bytes:
    asked = f'{{"uid": "u", "desiredAPIVersion": "shop.example.com/v2", "objects": [{text}]}}'
    head = '"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"'
    return f'{{{head}, "request": {asked}}}'.encode()


NUMBERS = {
    "9" * 4300: "",
    "-" + "9" * 4300: "",
    "9" * 4301: "the integer has more than 4300 digits",
    "-" + "9" * 4301: "the integer has more than 4300 digits",
    "9" * 200_000: "the integer has more than 4300 digits",
    "1e999": "inf is not a JSON number",
}


@pytest.mark.parametrize(
    ("number", "wrong"), NUMBERS.items(), ids=lambda text: text[:9] + text[-3:]
)
@pytest.mark.parametrize("long", ["", "x" * 600], ids=["short", "long"])
def test_a_number_is_taken_or_refused_wherever_it_comes_from(
    scheme: h.Scheme, number: str, wrong: str, long: str
) -> None:
    text = json.dumps(obj("v1", name=long, x="HERE")).replace('"HERE"', number)
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        document = json.loads(text)
    finally:
        sys.set_int_max_str_digits(before)
    review = json.loads(scheme.review(review_of(text)))
    if not wrong:
        converted = scheme.convert(document, to="v2")
        assert json.loads(scheme.convert_bytes(text, to="v2")) == converted
        assert review["response"]["convertedObjects"] == [converted]
        return
    with pytest.raises(DecodeError, match=f"^/spec/x: {wrong}$"):
        scheme.convert(document, to="v2")
    with pytest.raises(DecodeError, match=r"has more than 4300 digits|out of the range"):
        scheme.convert_bytes(text, to="v2")
    assert f"/spec/x: {wrong}" in review["response"]["result"]["message"]


@pytest.mark.parametrize(
    "twice",
    [
        f'"x": {"9" * 5000}, "x": 1',
        '"x": NaN, "x": 1',
        '"x": [{"a": "\\ud800"}], "x": 1',
        '"x": {"a": 1e999, "a": 2}',
    ],
    ids=["digits", "NaN", "surrogate", "range"],
)
@pytest.mark.parametrize("long", ["", "x" * 600], ids=["short", "long"])
def test_what_a_second_member_of_a_name_replaces_must_be_json(
    scheme: h.Scheme, twice: str, long: str
) -> None:
    text = json.dumps(obj("v1", name=long, x="HERE")).replace('"x": "HERE"', twice)
    with pytest.raises(DecodeError):
        scheme.convert_bytes(text, to="v2")
    assert json.loads(scheme.review(review_of(text)))["response"]["result"]["status"] == "Failure"
    text = text.replace('"spec": {', f'"spec": {{"x": {"9" * 5000}}}, "spec": {{').replace(
        twice, '"x": 1'
    )
    with pytest.raises(DecodeError):
        scheme.convert_bytes(text, to="v2")


class Sub(str):
    __slots__ = ()


@pytest.mark.parametrize("long", ["", "x" * 600], ids=["short", "long"])
def test_text_comes_in_many_types(scheme: h.Scheme, long: str) -> None:
    document = obj("v1", name=long)
    data = json.dumps(document).encode()
    bare = json.dumps({name: document[name] for name in ("metadata", "spec")}).encode()
    for make in (
        bytearray,
        memoryview,
        lambda whole: memoryview(whole + whole)[: len(whole)],
        lambda whole: Sub(whole.decode()),
    ):
        for to in ("v1", "v2"):
            assert scheme.convert_bytes(make(data), to=to) == scheme.convert_bytes(data, to=to)
        plain = scheme.convert_plain(make(bare), "Shop", "v1", to="v2")
        assert plain == scheme.convert_plain(bare, "Shop", "v1", to="v2")
    for odd in (None, 3, document, [data]):
        name = type(odd).__name__
        with pytest.raises(
            DecodeError, match=f"^expected JSON text as bytes or str, found {name}$"
        ):
            scheme.convert_bytes(odd, to="v2")  # type: ignore[arg-type]


# --- where it went wrong ---


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"parts": 5}, "/spec/parts: expected list, found integer"),
        ({"parts": {}}, "/spec/parts: expected list, found object"),
        ({"parts": [{}, "x"]}, "/spec/parts/1: expected object, found string"),
        ({"parts": [{"old": []}]}, "/spec/parts/0/old: expected object, found list"),
        ({"byName": {"a/b": {"old": 1}}}, "/spec/byName/a~1b/old: expected object, found integer"),
        (
            {"parts": [1], "byName": {"k": 2}},
            "/spec/byName/k: expected object, found integer; "
            "also /spec/parts/0: expected object, found integer",
        ),
    ],
)
def test_wrong_shapes_are_located(scheme: h.Scheme, spec: dict[str, Any], message: str) -> None:
    """All wrong members are told, by their pointers, with the object's name."""
    for convert in (
        lambda document: scheme.convert(document, to="v2"),
        lambda document: scheme.convert_bytes(json.dumps(document).encode(), to="v2"),
    ):
        with pytest.raises(ConversionError) as caught:
            convert(obj("v1", **spec))
        assert str(caught.value) == f"Shop here/one: {message}"
        assert caught.value.subject == "Shop here/one"


@pytest.mark.parametrize(
    ("version", "to", "spec", "message"),
    yaml.safe_load("""
- [v3, v2, {parts: [{}, {level: 1.5}]}, "v3 -> v2 /spec/parts/1/level: v2 cannot hold this value"]
- [v3, v1, {byName: {a/b: {level: 1.5}}},
  "v3 -> v2 /spec/byName/a~1b/level: v2 cannot hold this value"]
"""),
)
def test_misfits_are_located(
    scheme: h.Scheme, version: str, to: str, spec: dict[str, Any], message: str
) -> None:
    """A misfit names the edge, the place and the property, deep in lists and maps."""
    with pytest.raises(ConversionError) as caught:
        scheme.convert(obj(version, **spec), to=to)
    assert str(caught.value) == f"Shop here/one: {message}"
    assert caught.value.edge == ("v3", "v2")
    assert caught.value.direction == "from"


@pytest.mark.parametrize(
    ("version", "to", "bag", "message"),
    yaml.safe_load("""
- [v2, v1, {v1: {old: 5}},
  "v2 -> v1 /spec/parts/0: bag entry v1/old: expected object, found integer"]
- [v3, v1, {v1: {old: []}},
  "v2 -> v1 /spec/parts/0: bag entry v1/old: expected object, found list"]
"""),
)
def test_wrong_bag_entries_are_located(
    shop: Specimen, scheme: h.Scheme, version: str, to: str, bag: Any, message: str
) -> None:
    """A bag entry of a wrong shape names object, origin and key, on the edge that needs it."""
    cls = shop.module(f"shop.{version}.storage").Shop
    twin = cls.from_dict(obj(version, parts=[{"$propertyBag": bag}]))
    with pytest.raises(ConversionError) as caught:
        scheme.convert(twin, to=to)
    assert str(caught.value) == f"Shop here/one: {message}"
    assert twin.spec.parts[0].property_bag == bag


def test_a_damaged_carrier_stays_in_place(scheme: h.Scheme) -> None:
    """An annotation of ours that cannot be read is neither lost nor a reason to fail."""
    there: Any = scheme.convert(obj("v1", parts=[{"old": {"x": "y"}}]), to="v2")
    annotations = there["metadata"]["annotations"]
    assert list(annotations) == ["holdall.dev/bag"]
    annotations["holdall.dev/bag"] = "{broken"
    back: Any = scheme.convert(there, to="v1")
    assert back["metadata"]["annotations"] == {"holdall.dev/bag": "{broken"}
    assert back["spec"] == {"parts": [{}]}


DOCUMENT: dict[str, Any] = resource(
    "shop.example.com/v1",
    "Shop",
    metadata={"name": "corner", "labels": {"é": "1"}},
    spec={"parts": [{"name": "lamp", "level": 2, "old": {"x": "y"}}], "byName": {}},
)


@pytest.mark.parametrize(
    "mapping",
    [
        MappingProxyType(DOCUMENT),
        OrderedDict(DOCUMENT),
        kopf.Body(DOCUMENT),  # type: ignore[arg-type]
        {**DOCUMENT, "spec": MappingProxyType(DOCUMENT["spec"])},
        {
            **DOCUMENT,
            "metadata": kopf.Body(DOCUMENT).metadata,  # type: ignore[arg-type]
            "spec": {**DOCUMENT["spec"], "parts": [OrderedDict(DOCUMENT["spec"]["parts"][0])]},
        },
    ],
    ids=["proxy", "ordered", "kopf", "inside", "deeper"],
)
def test_any_mapping_is_taken(scheme: h.Scheme, mapping: Mapping[str, Any]) -> None:
    """Whatever mappings a document is made of, it converts as its dicts do, and gives dicts."""
    converted = scheme.convert(mapping, to="v3")
    assert json.dumps(converted) == json.dumps(scheme.convert(DOCUMENT, to="v3"))
    plain = {key: item for key, item in mapping.items() if key not in ("apiVersion", "kind")}
    given = MappingProxyType(plain)
    assert json.dumps(scheme.convert_plain(given, "Shop", "v1", to="v3")) == json.dumps(
        {key: item for key, item in converted.items() if key not in ("apiVersion", "kind")}
    )
    assert DOCUMENT["spec"]["parts"] == [{"name": "lamp", "level": 2, "old": {"x": "y"}}]
    v1, v3 = scheme.api_type("Shop", "v1"), scheme.api_type("Shop", "v3")
    typed = v1.from_dict(mapping)
    assert json.dumps(scheme.convert(typed, to=v3).to_dict(), sort_keys=True) == json.dumps(
        converted, sort_keys=True
    )


def test_what_mappings_hold_is_checked(scheme: h.Scheme) -> None:
    """Mappings that are nested too deeply, or hold what is not JSON, are errors with a path."""
    with pytest.raises(DecodeError) as caught:
        scheme.convert(
            MappingProxyType({**DOCUMENT, "spec": MappingProxyType({"a": {1}})}), to="v3"
        )
    assert (caught.value.path, caught.value.message) == ("/spec/a", "set is not a JSON type")
    deep: Mapping[str, Any] = {}
    for _ in range(600):
        deep = MappingProxyType({"deeper": deep})
    with pytest.raises(DecodeError, match="nested deeper than 500 levels"):
        scheme.convert({**DOCUMENT, "spec": deep}, to="v3")


def test_a_scheme_goes_to_other_processes_by_its_name() -> None:
    """Pools of processes pickle what they call, and closures of engines are copied."""
    scheme = fleet.SCHEME
    document = resource("fleet.example.com/v2", "Vehicle", "van", spec={"seats": 3})
    convert = partial(scheme.convert, to="v1alpha1")
    expected = convert(document)
    assert pickle.loads(pickle.dumps(convert))(document) == expected
    assert pickle.loads(pickle.dumps(scheme)) is scheme
    assert copy.deepcopy({"scheme": scheme})["scheme"] is scheme
