"""Edits of YAML texts: what was asked for changes, every other character stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.errors import SourceError
from holdall.text import yaml
from holdall.types import JsonValue
from holdall_codegen.output.yaml_edits import YamlText

Edit = Callable[[YamlText], None]

CASES: dict[str, tuple[str, Edit, str]] = {
    "a plain scalar": (
        "a: 1 # one\nb: two words # two\n",
        lambda text: text.set("", "b", "three"),
        "a: 1 # one\nb: three # two\n",
    ),
    "a quoted scalar": (
        'a: "x # y" # z\n',
        lambda text: text.set("", "a", "no"),
        'a: "no" # z\n',
    ),
    "a scalar in brackets": (
        "a: {b: x y, c: [1, 2]} # d\n",
        lambda text: text.set("/a", "b", False),
        "a: {b: false, c: [1, 2]} # d\n",
    ),
    "a list for a list": (
        "a: [1, 2] # of a\nb: 3\n",
        lambda text: text.set("", "a", [2]),
        "a: [2] # of a\nb: 3\n",
    ),
    "what an alias says, too": (
        "a: &x {b: 1}\nc: *x\n",
        lambda text: text.set("/a", "b", 2),
        "a: &x {b: 2}\nc:\n  b: 1\n",
    ),
    "folded lines": (
        "a: > # why\n  b\n  c\nd: 1\n",
        lambda text: text.set("", "a", "d"),
        "a: d\nd: 1\n",
    ),
    "a plain scalar of two lines": (
        "a: b\n  c # d\n",
        lambda text: text.set("", "a", "d"),
        "a: d # d\n",
    ),
    "null": (
        "a: null\nb: 1\n",
        lambda text: text.set("/a", "c", 1),
        "a:\n  c: 1\nb: 1\n",
    ),
    "a new member at the end of a block": (
        "a:\n  b: 1\n  # of b\n\n# of c\nc: 2\n",
        lambda text: text.set("/a", "d", "e f"),
        'a:\n  b: 1\n  # of b\n  d: "e f"\n\n# of c\nc: 2\n',
    ),
    "a new member behind another": (
        "- name: v1\n  schema:\n    x: z\n  served: true\n",
        lambda text: text.set("/0", "deprecated", True, after="name"),
        "- name: v1\n  deprecated: true\n  schema:\n    x: z\n  served: true\n",
    ),
    "a new member in brackets": (
        "a: {b: 1, c: {d: '}'} }\n",
        lambda text: text.set("/a", "e", "f"),
        "a: {b: 1, c: {d: '}'}, e: f }\n",
    ),
    "a new member of an empty mapping": (
        "a: {}\n",
        lambda text: text.set("/a", "e", "f"),
        "a: {e: f}\n",
    ),
    "mappings that are not there": (
        "a:\n  b: 1\n",
        lambda text: text.set("/a/c/d", "e", ["f"]),
        "a:\n  b: 1\n  c:\n    d:\n      e: [f]\n",
    ),
    "a key without a value": (
        "- a: # of a\n  b: 1\n",
        lambda text: text.set("/0/a", "c", 2),
        "- a: # of a\n    c: 2\n  b: 1\n",
    ),
    "members at several places": (
        "a:\n  b: {c: 1, d: {e: 2}} # b\nf: {g: 1}\n",
        lambda text: text.add({"a": {"b": {"d": {"x": 1}, "x": 2}, "x": 3}, "f": {"x": 4}}),
        "a:\n  b: {c: 1, d: {e: 2, x: 1}, x: 2} # b\n  x: 3\nf: {g: 1, x: 4}\n",
    ),
    "no end of the last line": (
        "a:\n  b: 1",
        lambda text: text.set("/a", "c", 2),
        "a:\n  b: 1\n  c: 2\n",
    ),
    "ends of lines as they are": (
        "a:\r\n  b: 1\r\n",
        lambda text: text.set("/a", "c", 2),
        "a:\r\n  b: 1\r\n  c: 2\r\n",
    ),
    "an element in brackets": (
        "a: [ v1, v2 ] # all\n",
        lambda text: text.append("/a", "v3"),
        "a: [ v1, v2, v3 ] # all\n",
    ),
    "an element over several lines": (
        "a: [\n  v1,\n  v2\n]\n",
        lambda text: text.append("/a", "v3"),
        "a: [\n  v1,\n  v2, v3\n]\n",
    ),
    "an element of a block": (
        "a:\n- v1 # old\n\n- v2\n# of b\nb: 1\n",
        lambda text: text.append("/a", {"name": "v3"}),
        "a:\n- v1 # old\n\n- v2\n- {name: v3}\n# of b\nb: 1\n",
    ),
    "a copy of an element": (
        "a:\n  - b: 1\n    # why\n    c: |\n      x\n\n      y\n  - b: 2\nd: 1\n",
        lambda text: text.repeat("/a", 0),
        "a:\n  - b: 1\n    # why\n    c: |\n      x\n\n      y\n  - b: 2\n"
        "  - b: 1\n    # why\n    c: |\n      x\n\n      y\nd: 1\n",
    ),
    "a copy of the last line": (
        "a:\n  - {b: 1}",
        lambda text: text.repeat("/a", 0),
        "a:\n  - {b: 1}\n  - {b: 1}\n",
    ),
    "a copy in brackets": (
        "a: [{b: [1]}, {b: 2}]\n",
        lambda text: text.repeat("/a", 0),
        "a: [{b: [1]}, {b: 2}, {b: [1]}]\n",
    ),
    "an element less": (
        "a:\n  - b: 1\n    c: 2\n  - b: 2 # two\n",
        lambda text: text.remove("/a/0"),
        "a:\n  - b: 2 # two\n",
    ),
    "the last in brackets less": (
        "a: [1, {b: 2}]\n",
        lambda text: text.remove("/a/1"),
        "a: [1]\n",
    ),
    "the first in brackets less": (
        "a: [1, {b: 2}]\n",
        lambda text: text.remove("/a/0"),
        "a: [{b: 2}]\n",
    ),
    "a member less": (
        "a:\n  b: 1\n  c:\n  - 1\n  - 2\n  d: 3\n",
        lambda text: text.remove("/a/c"),
        "a:\n  b: 1\n  d: 3\n",
    ),
    "a member in brackets less": (
        'a: {b: 1, "c": [1, 2], d: 3}\n',
        lambda text: text.remove("/a/c"),
        "a: {b: 1, d: 3}\n",
    ),
    "the first member of an element less": (
        "- a: 1\n  b: 2\n",
        lambda text: text.remove("/0/a"),
        "- b: 2\n",
    ),
    "what is left empty goes, too": (
        "a:\n  b:\n    c: [1]\nd: 1\n",
        lambda text: text.remove("/a/b/c/0"),
        "d: 1\n",
    ),
    "another document": (
        "a: 1\n---\n# two\na: 2\n---\na: 3\n",
        lambda text: text.set("", "b", 1, document=1),
        "a: 1\n---\n# two\na: 2\nb: 1\n---\na: 3\n",
    ),
    "a key in quotes": (
        '"a/b":\n  c: 1\n',
        lambda text: text.remove("/a~1b/c"),
        "",
    ),
}


@pytest.mark.parametrize("what", [what for what in CASES if CASES[what][2]])
def test_an_edit(what: str) -> None:
    """The text is the expected one, to the character."""
    before, edit, expected = CASES[what]
    text = YamlText(before, "a.yaml")
    edit(text)
    assert text.text == expected


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        ("a: {<<: {b: 1}}\n", lambda text: text.remove("/a/b")),
        ("? a\n: 1\nb: 2\n", lambda text: text.remove("/a")),
        (*CASES["a key in quotes"][:2],),
    ],
)
def test_what_cannot_be_edited(before: str, edit: Edit) -> None:
    """A form that lines cannot be changed in is refused with its place; the text stays."""
    text = YamlText(before, "a.yaml")
    with pytest.raises(SourceError, match=r"HA137 a.yaml:\d+:\d+: .* has a form"):
        edit(text)
    assert text.text == before


TREES = st.recursive(
    st.sampled_from(["x", "y z", "#", 1, True]),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c d", "e/f"]), inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["a", "b", "c d"]), TREES, min_size=2, max_size=3),
    st.data(),
)
def test_any_block_can_be_edited(value: dict[str, JsonValue], data: st.DataObject) -> None:
    """In what holdall writes itself, members and elements of any place come and go."""
    text = YamlText(yaml.dump(value), "a.yaml")
    key = data.draw(st.sampled_from(sorted(value)))
    text.set("", "new", [1])
    text.append("/new", {"of": "it"})
    text.repeat("/new", 1)
    text.remove(f"/{key}")
    expected = {name: item for name, item in value.items() if name != key}
    added: list[JsonValue] = [1, {"of": "it"}, {"of": "it"}]
    assert text.documents[0].value == {**expected, "new": added}
