"""Field metadata: what dataclasses-json reads, and what holdall reads."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from dataclasses_json import DataClassJsonMixin, Undefined

from holdall.objects.base import Object
from holdall.objects.serialization import member, nested
from holdall.objects.shapes import objects_within, shape_of
from holdall.objects.views import StorageObject
from tests.unit.twins import twin

Part = twin("v1", "Part", {"size": int})
LIST: Any = list.__class_getitem__(Part)
MAP: Any = dict.__class_getitem__((str, Part))
Whole = twin("v1", "Whole", {"part": Part, "parts": LIST, "by-name": MAP})


def test_unknown_members_are_kept() -> None:
    """The library is told to collect what it does not know."""
    assert Object.dataclass_json_config == {"undefined": Undefined.INCLUDE}


@pytest.mark.parametrize(
    ("value", "expected"), [(None, True), (0, False), ("", False), ([], False)]
)
def test_only_none_is_left_out(value: object, expected: bool) -> None:
    """Empty and zero values are written."""
    metadata = member("hostIP")["dataclasses_json"]
    assert metadata["exclude"](value) is expected


def test_a_member_has_its_wire_name_in_both_readings() -> None:
    """The name stands in the library's part and in ours; what else is known only in ours."""
    metadata = member("hostIP", required=True, map_keys=("port", "verb"))
    assert metadata["dataclasses_json"]["letter_case"]("whatever") == "hostIP"
    assert metadata["holdall"] == {
        "name": "hostIP",
        "map_keys": ("port", "verb"),
        "required": True,
        "alone": "",
        "says": None,
    }


def test_a_required_member_is_always_written() -> None:
    """The library asks for None alone whether something is left out."""
    assert member("hostIP", required=True)["dataclasses_json"].get("exclude") is None


def test_generated_bases_are_virtual_subclasses() -> None:
    """They count as the mixin's without inheriting, so that slots stay slots."""
    assert issubclass(StorageObject, DataClassJsonMixin)
    assert DataClassJsonMixin not in StorageObject.__mro__
    assert Object.__slots__ == ()
    assert not hasattr(StorageObject.view_({}), "__dict__")


def test_the_shape_of_a_type() -> None:
    """Members are found by wire name, objects inside lists and maps by pointer."""
    shape = shape_of(Whole)
    assert shape.attributes == {"part": "part", "parts": "parts", "by-name": "by_name"}
    whole = Whole.from_dict(
        {"part": {}, "parts": [{"size": 1}, None], "by-name": {"a/b": {"size": 2}}}
    )
    found = {path: getattr(obj, "size", None) for path, obj in objects_within(whole)}
    assert found == {"": None, "/part": None, "/parts/0": 1, "/by-name/a~1b": 2}


def test_nested_may_have_a_name_of_its_own() -> None:
    """Without a name the field's own is used."""
    fields: list[Any] = [
        ("one", Any, dataclasses.field(metadata=nested(Part))),
        ("two", Any, dataclasses.field(metadata=nested(LIST, name="deux"))),
    ]
    user: Any = dataclasses.make_dataclass("User", fields, bases=(DataClassJsonMixin,))
    document = {"one": {"size": None, "x": 1}, "deux": [{"size": 3}, None]}
    obj = user.from_dict(document)
    assert isinstance(obj.one, Part)
    assert obj.to_dict() == document
