"""Pieces of YAML streams, each brought to another value: exact for every reader."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.text import json, yaml


def read(text: str) -> Any:
    (document,) = yaml.load_all(text, "")
    return document.value


def rewritten(text: str, value: Any) -> str:
    return yaml.rewrite(text, [[value]]).text


@pytest.mark.parametrize(
    "text",
    [
        "{a: 1, b: 2}",
        "--- {a: 1, b: 2} # flow",
        "---\n{a: 1,\n b: 2}\n",
        "? a\n: 1\n? b\n: 2\n",
        "&x a: 1\nb: 2\n",
        '"a": 1\n"b": 2',
        "a: 1\nb: 2\n...\n",
        "# c\n--- # d\na: 1\nb: 2\n# e\n",
        "<<: {a: 1}\nb: 2\n",
        "a: 1\r\nb: 2\r\n",
        "a: !!int 1\nb: 2\n",
        "a:\n  1\nb: 2",
    ],
)
def test_any_spelling_is_read_back(text: str) -> None:
    """Also where nothing can be kept; a document that begins with --- still does."""
    others: list[Any] = [{"a": {"x": [1]}, "b": 2}, {"b": 2}, {"a": 1, "b": 2, "c": "d\ne"}]
    for new in (*others, {}, {"b": "2"}):
        found = rewritten(text, new)
        assert json.same(read(found), new), found
        assert found.startswith("---") == text.startswith("---")
        assert read(rewritten(found, read(text))) == read(text)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(("", "a", "- b", "c: d\n", "1")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcde"), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(("a", "b", "c", "d e", "f#", "1")), VALUES, max_size=4)


@given(old=OBJECTS, new=OBJECTS)
def test_any_value_becomes_any_other(old: Any, new: Any) -> None:
    text = "---\n# head\n" + yaml.dump(old)
    found = rewritten(text, new)
    assert json.same(read(found), new)
    assert found.startswith("---\n")
    assert json.same(old, new) <= (found == text)


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 1), ("a", 1), ("---", 1), ("---\na\n---\nb", 2), ("# c\n---\na", 2), ("--- a\n---b", 1)],
)
def test_cut(text: str, count: int) -> None:
    pieces = yaml.cut(text)
    assert "".join(pieces) == text
    assert len(pieces) == count
