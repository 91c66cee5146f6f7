"""Changing values in YAML text: exact for every reader, and as few lines as possible."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.text import json, yaml

TEXT = """\
# head
a: 1   # one
b:  # two
    c: 'x'   # three

    # of d
    d: |
      text

      more
    e: [1, 2]  # four
f: {g: h}
list:
- p: 1  # five
- q
last: ~
# tail
"""


def read(text: str) -> Any:
    (document,) = yaml.load_all(text, "")
    return document.value


def rewritten(**changes: Any) -> str:
    old = read(TEXT)
    new = {**old, **changes}
    found = yaml.rewrite(TEXT, old, {key: value for key, value in new.items() if value != "gone"})
    assert read(found) == {key: value for key, value in new.items() if value != "gone"}
    return found


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({}, "", ""),
        ({"a": 2}, "a: 1   # one", "a: 2   # one"),
        ({"a": "1"}, "a: 1   # one", 'a: "1"   # one'),
        ({"a": "gone"}, "a: 1   # one\n", ""),
        ({"last": "gone"}, "last: ~\n", ""),
        ({"a": [1]}, "a: 1   # one\n", "a:\n- 1\n"),
        ({"new": {"x": 1}}, "last: ~\n", "last: ~\nnew:\n  x: 1\n"),
        ({"f": {"g": "i"}}, "f: {g: h}\n", "f:\n  g: i\n"),
        ({"list": []}, "list:\n- p: 1  # five\n- q\n", "list: []\n"),
        ({"b": {"c": "z", "d": "text\n\nmore\n", "e": [1, 2]}}, "'x'   # three", "z   # three"),
        (
            {"b": {"c": "x", "d": "other\nlines\n", "e": [1, 2]}},
            "      text\n\n      more\n",
            "      other\n      lines\n",
        ),
        (
            {"b": {"c": "x", "d": "text\n\nmore\n", "e": [1, 2], "z": None}},
            "    e: [1, 2]  # four\n",
            "    e: [1, 2]  # four\n    z: null\n",
        ),
    ],
)
def test_only_what_changed_is_written(changes: Any, old: str, new: str) -> None:
    assert rewritten(**changes) == TEXT.replace(old, new, 1)


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
        found = yaml.rewrite(text, read(text), new)
        assert json.same(read(found), new), found
        assert ("\n---" in f"\n{found}") == ("\n---" in f"\n{text}")
        assert read(yaml.rewrite(found, new, read(text))) == read(text)


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
    found = yaml.rewrite(text, old, new)
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
