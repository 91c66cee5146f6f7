"""Reading and writing API types by their fields: what the tests of both paths do not draw."""

# No postponed annotations: hints are resolved when the classes are made.

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Literal

import pytest

import holdall.generated as h
from holdall.errors import DecodeError


@dataclass(slots=True, kw_only=True)
class Port(h.Object):
    """A type without types in it."""

    number: int = field(metadata=h.member("number", required=True))
    name: str | None = field(default=None, metadata=h.member("name"))
    extra_: h.UnknownMembers = field(default_factory=dict, repr=False)


@dataclass(slots=True, kw_only=True)
class Pair(h.Tuple):
    """A list on the wire."""

    first: str | None = field(default=None, metadata=h.member("0"))
    second: Port | None = field(default=None, metadata=h.member("1"))
    extra_: h.UnknownMembers = field(default_factory=dict, repr=False)


@dataclass(slots=True, kw_only=True)
class Service(h.Object):
    """A type that holds itself, with its version said in any case."""

    api_version: Literal["a/v1"] = field(default="a/v1", metadata=h.api_version_member())
    ports: Annotated[list[Port] | None, "meant for others"] = field(
        default=None, metadata=h.member("ports")
    )
    table: dict[str, list[Port]] | None = field(default=None, metadata=h.member("table"))
    names: list[str] | None = field(default=None, metadata=h.member("names"))
    pair: Pair | None = field(default=None, metadata=h.member("pair"))
    inner: "Service | None" = field(default=None, metadata=h.member("inner"))
    extra_: h.UnknownMembers = field(default_factory=dict, repr=False)


@dataclass(slots=True, kw_only=True)
class Order(h.Object):
    """A type whose documents say their version by a number."""

    version: int | None = field(default=1, metadata=h.member("version"))
    kind: str | None = field(default="Order", metadata=h.member("kind"))
    size: int = field(metadata=h.member("size", required=True))
    extra_: h.UnknownMembers = field(default_factory=dict, repr=False)


class LoudPort(Port):
    """A subclass of a user's that writes more."""

    __slots__ = ()

    def write_members(self) -> dict[str, Any]:
        return {**Port.write_members(self), "loud": True}


DOCUMENT: dict[str, Any] = {
    "apiVersion": "a/v1",
    "ports": [{"number": 1, "name": None}, None],
    "table": {"a": [{"number": 2, "unknown": {}}], "b": None},
    "names": ["x", None],
    "pair": ["y", {"number": 3}],
    "inner": {"apiVersion": "a/v1", "names": []},
}


def test_a_document_comes_back() -> None:
    service = Service.from_dict(DOCUMENT)
    assert service.ports is not None
    assert service.ports[0] == Port(number=1, extra_={"name": None})
    assert service.pair == Pair(first="y", second=Port(number=3))
    assert service.inner == Service(names=[])
    assert service.to_dict() == DOCUMENT


def test_a_version_that_is_always_said_is_filled_in() -> None:
    assert Service.from_dict({}).to_dict() == {"apiVersion": "a/v1"}


def test_an_object_writes_itself() -> None:
    """A value of a subclass, or of another version, is written by its own type."""
    service = Service(ports=[LoudPort(number=1)])
    assert service.to_dict()["ports"] == [{"number": 1, "loud": True}]


@pytest.mark.parametrize("wrong", [{}, {"names": 5}])
def test_objects_may_be_nested_as_deeply_as_documents(wrong: dict[str, Any]) -> None:
    """Each level takes one call of a function, and what is wrong takes none."""
    document: dict[str, Any] = {"apiVersion": "a/v1", **wrong}
    for _ in range(490):
        document = {"apiVersion": "a/v1", "inner": document}
    if not wrong:
        assert Service.from_dict(document).to_dict() == document
        return
    with pytest.raises(DecodeError, match="expected list, found integer") as caught:
        Service.from_dict(document)
    assert caught.value.path == f"{'/inner' * 490}/names"


@pytest.mark.parametrize(
    ("document", "path", "text"),
    [
        ([], "", "expected object, found list"),
        ({"ports": [{"number": None}]}, "/ports/0/number", "required member is missing or null"),
        ({"ports": {}}, "/ports", "expected list, found object"),
        ({"table": {"a": [{"number": 1}, 5]}}, "/table/a/1", "expected object, found integer"),
        ({"names": "x"}, "/names", "expected list, found string"),
        ({"inner": {"pair": "x"}}, "/inner/pair", "expected tuple, found string"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(document: Any, path: str, text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        Service.from_dict(document)
    assert caught.value.path == path
    assert text in caught.value.message


@dataclass(slots=True, kw_only=True)
class Note(h.Object):
    """A type with any JSON in it."""

    content: Any | None = field(metadata=h.member("content", required=True))
    extra_: h.UnknownMembers = field(default_factory=dict, repr=False)


def test_null_is_any_json_but_not_nothing() -> None:
    assert Note.from_dict({"content": None}).to_dict() == {"content": None}
    assert Note(content=None).to_dict() == {"content": None}
    with pytest.raises(DecodeError, match="required member is missing") as caught:
        Note.from_dict({})
    assert caught.value.path == "/content"


@pytest.mark.parametrize(
    ("cls", "said", "message"),
    [
        (
            Service,
            {"apiVersion": "a/v2"},
            '/apiVersion: expected "a/v1", found "a/v2"; read it with the class that it names, or '
            "convert it: SCHEME.convert(document, to=Service)",
        ),
        (Service, {"apiVersion": None}, '/apiVersion: expected "a/v1", found null'),
        (Service, {"apiVersion": ["a/v1"]}, '/apiVersion: expected "a/v1", found list'),
        (Order, {"version": 2}, "/version: expected 1, found 2; read it "),
        (Order, {"version": True}, "/version: expected 1, found True; read it "),
        (Order, {"version": "1"}, '/version: expected 1, found "1"; read it '),
        (Order, {"version": 1, "kind": "Cart"}, '/kind: expected "Order", found "Cart"; read it '),
        (Order, {"version": 2, "kind": None}, "; also /kind: expected "),
    ],
)
def test_a_document_of_another_version_or_kind_is_refused(
    cls: type[h.Object], said: dict[str, Any], message: str
) -> None:
    """What it says of its members would be read as something else; they are not judged."""
    with pytest.raises(DecodeError) as caught:
        cls.from_dict(said)
    assert message in str(caught.value)
    assert "required" not in str(caught.value)


def test_a_document_that_does_not_say_what_it_is_is_read() -> None:
    """It stays as it is. Numbers are equal as JSON has them."""
    for document in ({"size": 1}, {"version": 1.0, "kind": "Order", "size": 1}):
        assert Order.from_dict(document).to_dict() == document


def test_what_is_wrong_in_mappings_is_named_as_in_dicts() -> None:
    """They are read as the JSON objects that they stand for."""
    wrong = {"ports": [{}], "table": MappingProxyType({"a": 5}), "inner": MappingProxyType({})}
    message = (
        "/ports/0/number: required member is missing or null; "
        "also /table/a: expected list, found integer"
    )
    for document in (wrong, MappingProxyType(wrong)):
        with pytest.raises(DecodeError) as caught:
            Service.from_dict(document)
        assert str(caught.value) == message
