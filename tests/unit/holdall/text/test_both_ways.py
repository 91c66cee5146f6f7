"""A text that is decoded once for both: exactly, and with its metadata sealed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.errors import DecodeError
from holdall.text import json
from holdall.text.documents import MAX_DEPTH
from holdall.types import JsonValue

MARK = b"example.io"
SPELLINGS = ('"metadata"', '"metadata" ', r'"met\u0061data"')
PADDING = '"' + "x" * 600 + '"'
NAMES = ("apiVersion", "kind", "metadata", "spec", "status", "other", r"met\u0061data")
INEXACT = "3.14159265358979323846"
VALUES = (
    '"v1"',
    "1",
    "2.50",
    INEXACT,
    "1e400",
    "-" + "9" * 40,
    "null",
    "[]",
    "{}",
    '{"name": "a", "labels": {}}',
    '{"metadata":{"a":1}}',
    '{"metadata":' + INEXACT + "}",
    r'{"name": "\u00e4", "generation": 1.0}',
    '{"annotations": {"example.io/bag": "1"}, "generation": 1.0}',
    '{"generation": ' + INEXACT + "}",
    "[" * MAX_DEPTH + "]" * MAX_DEPTH,
    "{]",
)
MEMBERS = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(("", " ", "  ")), st.sampled_from(VALUES)
)


def _usual(metadata: str, space: str = "") -> bytes:
    return f'{{"apiVersion":"v1","kind":{PADDING},"metadata":{space}{metadata},"spec":1}}'.encode()


def _exact(data: bytes) -> JsonValue | str:
    try:
        return json.decode_exactly(data)
    except DecodeError as error:
        return str(error)


@given(st.lists(MEMBERS, max_size=6), st.booleans())
def test_it_is_decoded_as_each_way_alone_does(
    members: list[tuple[str, str, str]], small: bool
) -> None:
    """With the same errors, whatever the names, their order, and how often they come."""
    texts = [f'"{name}":{space}{value}' for name, space, value in members]
    texts += [] if small else [f'"status":{PADDING}']
    data = ("{" + ",".join(texts) + "}").encode()
    exact = _exact(data)
    try:
        value, is_sealed = json.decode_both_ways(data, MARK)
    except DecodeError as error:
        assert str(error) == exact
        return
    assert json.same(json.unseal(value), exact)
    if is_sealed:
        sealed = json.decode_sealed(data, MARK)
        assert json.encode(value) == json.encode(sealed)
        assert isinstance(value, dict)
        assert isinstance(sealed, dict)
        assert {name: type(item) for name, item in value.items()} == {
            name: type(item) for name, item in sealed.items()
        }


@pytest.mark.parametrize("space", ["", " "])
@pytest.mark.parametrize("metadata", ['{"name":"a"}', '{"annotations":{"example.io/bag":"1"}}'])
def test_most_documents_are_decoded_once(metadata: str, space: str) -> None:
    """Whatever writes them: with or without spaces, with bags or without."""
    value, is_sealed = json.decode_both_ways(_usual(metadata, space), MARK)
    assert is_sealed
    assert isinstance(value, dict)
    assert json.is_sealed(value["metadata"]) == (MARK.decode() not in metadata)


def test_numbers_of_sealed_metadata_are_looked_at() -> None:
    """Also of one that another one follows, which is the one that counts, however spelt."""
    single = _usual(f'{{"a":{INEXACT}}}')
    doubled = _usual(f'{{"a":{INEXACT}}},"metadata":{{}}')
    hidden = [_usual(f"{{}},{name}:{INEXACT},{name}:{{}}") for name in SPELLINGS]
    for data in (single, doubled, *hidden):
        with pytest.raises(DecodeError, match="would become"):
            json.decode_both_ways(data, MARK)
