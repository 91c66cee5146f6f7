"""Envelopes: what their text says is what its JSON says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdall.carriers.envelope import Contents
from holdall.errors import DecodeError
from holdall.text.json import decode

USUAL: dict[str, Any] = {
    "v": 2,
    "group": "shop.example.com",
    "kind": "Order",
    "version": "v2",
    "plan": "c866a234",
    "bags": {"/spec": {"v1": {"note": None, "size": 1.5}}, "": {"v1": {"$gone": ["a"]}}},
}


def _read(read: Any, value: Any) -> Any:
    try:
        return read(value)
    except DecodeError as error:
        return error.path, error.message


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"kept": None},
        {"kept": {"a": 1}, "before": "annotations {}", "omitted": 3},
        {"lists": {"/spec/items": "abcdef"}, "residues": {"/spec": {"v1": ["size"]}}},
        {"lists": {"/spec/items": 5}},
        {"residues": {"/spec": {"v1": ["size", 5]}}},
        {"bags": {"/spec": {"v1": 5}, "/x": [1]}},
        {"bags": None},
        {"v": 1},
        {"v": 3},
        {"before": "gone"},
        {"omitted": 1.5},
        {"plan": None},
        {"more": 1},
    ],
    ids=str,
)
def test_a_text_is_read_as_its_value(more: dict[str, Any]) -> None:
    """Usual ones at once, all others part by part, with the same errors."""
    text = json.dumps({**USUAL, **more})
    assert _read(Contents.read_text, text) == _read(Contents.read, decode(text))
    assert _read(Contents.read_text, text.encode()) == _read(Contents.read, decode(text))


@pytest.mark.parametrize("text", ["", "{", "[]", "5", '{"v": 2}', b"\xff"])
def test_a_text_that_is_not_an_envelope_is_refused(text: str | bytes) -> None:
    """It may be anything that someone wrote into an annotation."""
    with pytest.raises(DecodeError):
        Contents.read_text(text)
