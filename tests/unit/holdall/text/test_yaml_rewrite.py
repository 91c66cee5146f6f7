"""Texts brought to other values: what stays the same keeps its characters, comments included."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.text import json, yaml
from holdall.types import JsonValue
from tests.support.work import steps_of

KUSTOMIZE = """\
# Who: the post team. Why: https://example.com/parcels

apiVersion: post.example.com/v1   # bumped by the release job
kind: Parcel
metadata:
    name:   books          # four spaces, as the team likes it
    labels: { app: post,  "tier": 'gold' }

spec:
    # grams, not kilos
    weight: 500
    address:  &home
        street: "Main St. 1"
        zip: '01234'       # a text, for its zero

    sender: *home
    stops:
    # first the depot
    - name: depot
      days: [mon, tue]     # closed on other days

    # then the shop
    - name: shop
      note: |
          Ring twice.

          Then wait.
    -   {name: home, days: []}
    # - name: moon
    fragile: yes it is
# the end
"""

HELM = """\
## @section Global parameters
##
image:
  repository: nginx
  tag: "1.27"
  ## @param image.pullPolicy one of Always, IfNotPresent
  pullPolicy: IfNotPresent
resources: {}
  # We usually recommend not to specify default resources.
  # limits:
  #   cpu: 100m
tolerations: []
defaults: &defaults
  replicas: 2
  drain: true
blue:
  <<: *defaults
  color: blue
"""


def rewritten(text: str, *values: JsonValue) -> str:
    done = yaml.rewrite(text, [[value] for value in values], scalars="kubernetes")
    assert not done.lost
    assert same([item.value for item in yaml.load_all(done.text, "", scalars="kubernetes")], values)
    return done.text


def same(one: object, other: object) -> bool:
    return json.encode(one) is not None and json.same(list(one), list(other))  # type: ignore[call-overload]


def value_of(text: str) -> dict[str, JsonValue]:
    (document,) = yaml.load_all(text, "", scalars="kubernetes")
    assert isinstance(document.value, dict)
    return document.value


def diff(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines that only one of two texts has."""
    old, new = before.splitlines(), after.splitlines()
    gone = [line for line in old if line not in new]
    return gone, [line for line in new if line not in old]


@pytest.mark.parametrize(
    "text",
    [
        KUSTOMIZE,
        HELM,
        "",
        "# only a comment\n",
        "---\n...\n",
        "? a  # not cut\n: 1\n",
    ],
)
def test_the_same_values_change_nothing(text: str) -> None:
    """A text that says already what it should stays to the byte."""
    values = [item.value for item in yaml.load_all(text, "", scalars="kubernetes")]
    assert rewritten(text, *values) == text


def test_what_is_copied_keeps_its_style() -> None:
    """A renamed, an edited, a removed and two new members: four lines differ."""
    value = value_of(KUSTOMIZE)
    spec = value["spec"]
    assert isinstance(spec, dict) and isinstance(spec["stops"], list)
    value["apiVersion"] = "post.example.com/v2"
    stops: list[JsonValue] = [
        stop for stop in spec["stops"] if isinstance(stop, dict) and stop["name"] != "shop"
    ]
    stops[0] = {"name": "depot", "days": ["mon", "tue", "wed"]}
    new = {("grams" if key == "weight" else key): item for key, item in spec.items()}
    new |= {"stops": stops, "speed": {"days": 2, "via": ["air"]}, "note": "two\nlines\n"}
    del new["fragile"]
    after = rewritten(KUSTOMIZE, {**value, "spec": new})
    assert after == (
        KUSTOMIZE.replace("com/v1 ", "com/v2 ")
        .replace("weight:", "grams:")
        .replace("[mon, tue]", "[mon, tue, wed]")
        .replace(KUSTOMIZE[KUSTOMIZE.index("    # then") : KUSTOMIZE.index("    -   {")], "")
        .replace(
            "    # - name: moon\n    fragile: yes it is\n",
            "    speed:\n      days: 2\n      via:\n      - air\n"
            "    note: |\n      two\n      lines\n",
        )
    )


def test_an_anchor_that_changes_with_its_aliases() -> None:
    """What all of them say still is written once; what one says alone is written out."""
    value = value_of(KUSTOMIZE)
    spec = value["spec"]
    assert isinstance(spec, dict)
    moved: JsonValue = {"street": "Side St. 2", "zip": "01234"}
    together = rewritten(KUSTOMIZE, {**value, "spec": {**spec, "address": moved, "sender": moved}})
    assert diff(KUSTOMIZE, together) == (
        ['        street: "Main St. 1"'],
        ['        street: "Side St. 2"'],
    )
    alone = rewritten(KUSTOMIZE, {**value, "spec": {**spec, "sender": moved}})
    assert diff(KUSTOMIZE, alone) == (
        ["    sender: *home"],
        ["    sender:", "      street: Side St. 2", '      zip: "01234"'],
    )
    first = rewritten(KUSTOMIZE, {**value, "spec": {**spec, "address": moved}})
    assert "    sender:\n      street: Main St. 1\n" in first


def test_an_anchor_that_is_gone() -> None:
    """Its aliases are written out."""
    assert rewritten("a: &x [1]\nb: *x\n", {"b": [1]}) == "b:\n- 1\n"


def test_merged_mappings() -> None:
    """A merge stays while all of its members do; a member of its own overrides it."""
    value = value_of(HELM)
    blue: dict[str, JsonValue] = {"replicas": 3, "drain": True, "color": "blue"}
    changed = rewritten(HELM, {**value, "blue": blue})
    assert changed == HELM + "  replicas: 3\n"
    del blue["drain"]
    changed = rewritten(HELM, {**value, "blue": blue})
    assert changed.endswith("blue:\n  color: blue\n  replicas: 3\n")


def test_values_of_a_chart() -> None:
    """Comments of all columns stay where they are."""
    value = value_of(HELM)
    after = rewritten(HELM, {**value, "resources": {"limits": {"cpu": "1"}}, "tolerations": [1]})
    assert diff(HELM, after) == (
        ["resources: {}", "tolerations: []"],
        ['resources: {limits: {cpu: "1"}}', "tolerations: [1]"],
    )


STREAM = "# first\na: 1\n...\n---   # second\na: 2\n---\n# nothing here\n---\nkind: c # third\n"


def test_documents() -> None:
    """Documents change, go and come one by one; what is around them stays."""
    done = yaml.rewrite(STREAM, [[{"a": 1, "b": 0}], [], [{"kind": "d"}], [{"new": [1]}]])
    assert done == yaml.Rewritten(
        "# first\na: 1\nb: 0\n...\n---\n# nothing here\n---\nkind: d # third\n---\nnew:\n- 1\n", ()
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_document_behind_a_block_that_ends_with_the_text(end: str) -> None:
    """The line break that it needs is not one of the block."""
    text = f"a: |  # c{end}  x{end}  y"
    done = yaml.rewrite(text, [[{"a": "x\ny"}], [{"b": 1}]])
    assert done.text == f"a: |-  # c{end}  x{end}  y{end}---{end}b: 1{end}"
    assert [document.value for document in yaml.load_all(done.text, "")] == [
        {"a": "x\ny"},
        {"b": 1},
    ]


def test_ends_of_lines_and_marks() -> None:
    """Windows' ends of lines, a byte order mark and a missing last end stay."""
    text = "\ufeffa: 1 # one\r\nb:\r\n- one\r\n- two"
    after = rewritten(text, {"a": 2, "b": ["one", "two", "three"], "c": {"d": "e\nf"}})
    assert after == (
        "\ufeffa: 2 # one\r\nb:\r\n- one\r\n- two\r\n- three\r\nc:\r\n  d: |-\r\n    e\r\n    f\r\n"
    )


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("? a\n: 1\n? b\n: 2 # c\n", {"b": 2}, "b: 2\n"),
        ("# c\n[1, 2]\n", {"a": 2}, "a: 2\n"),
        ("--- # c\na\n", "b", "---\nb\n"),
    ],
)
def test_what_cannot_be_kept(text: str, value: JsonValue, expected: str) -> None:
    """A form that is not edited is written from scratch, and it is said which document that is."""
    done = yaml.rewrite(text, [[value]])
    assert (done.text, len(done.lost)) == (expected, 1)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("- - 1 # c\n  - 2\n", [[0, 1, 2]], "- - 0\n  - 1 # c\n  - 2\n"),
        ("a: # c\n# d\n- 1\n- 2\n", {"a": [0, 2]}, "a: # c\n# d\n- 0\n- 2\n"),
        ("a: # c\n  # d\n  - 1\n", {"a": [0, 1]}, "a: # c\n  - 0\n  # d\n  - 1\n"),
        ("a: [1, # c\n  2]\n", {"a": [0, 1, 3]}, "a: [0, 1, # c\n  3]\n"),
        ("a:\n  # of b\n  b: 1\n  # of d\n  d: 1\n", {"a": {"d": 1}}, "a:\n  # of d\n  d: 1\n"),
        ("- # of b\n  b: 1\n  # of d\n  d: 1\n", [{"d": 1}], "- # of b\n  # of d\n  d: 1\n"),
        ("- b: 1\n  # of d\n  d: 1\n", [{"d": 1}], "- # of d\n  d: 1\n"),
        ("a: 1 # c\nb: 2\n", {"a": {"x": "l\nm"}, "b": 2}, "a: # c\n  x: |-\n    l\n    m\nb: 2\n"),
        ("a:\n  b: 1\nc: 1\n", {"a": 1, "c": 1}, "a: 1\nc: 1\n"),
        ("a: &x\n  b: 1\nc: *x\n", {"a": 1, "c": 1}, "a: &x 1\nc: *x\n"),
        ("a: !!str 1 # c\nb: !!int '2'\n", {"a": "2", "b": 2}, "a: \"2\" # c\nb: !!int '2'\n"),
        (
            "a: |+ # c\n  x\n\nb: 1\n",
            {"a": "x\n\n", "new": 1, "b": 2},
            "a: |+ # c\n  x\n\nnew: 1\nb: 2\n",
        ),
    ],
)
def test_forms(text: str, value: JsonValue, expected: str) -> None:
    """Lists that grow in front, first members that go, values that become of another kind."""
    assert rewritten(text, value) == expected


SCALARS = st.sampled_from(
    [
        None,
        True,
        0,
        1,
        -2.5,
        "",
        "x",
        "two words",
        "yes",
        "1",
        "a: b",
        "# c",
        "é\n",
        " l\nm\n\n",
        "-",
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "name", "d e", "1", "<"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def commented(text: str, numbers: st.DataObject) -> str:
    """Put comments and empty lines between the lines of a text without blocks of text."""
    lines: list[str] = []
    for line in text.splitlines():
        choice = numbers.draw(st.integers(0, 5))
        indent = re.match(r"[ -]*", line)
        column = len(indent[0]) if indent else 0
        lines += {0: [" " * column + "# above"], 1: [""], 2: ["# top"]}.get(choice, [])
        lines.append(f"{line} # behind" if choice == 3 else line)
    return "\n".join(lines) + "\n"


@given(VALUES, VALUES, st.data())
def test_any_value_becomes_any_other(
    before: JsonValue, after: JsonValue, data: st.DataObject
) -> None:
    """The text says the new value, whatever the two are, and keeps its comments."""
    text = yaml.dump(before)
    if "|" not in text:
        text = commented(text, data)
    if data.draw(st.booleans()):
        text = text.replace("\n", "\r\n") if "|" not in text else text
    done = yaml.rewrite(text, [[after]])
    (document,) = yaml.load_all(done.text, "")
    assert json.same(document.value, after)
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() & after.keys():
        assert not done.lost


@given(VALUES, st.sampled_from(["{", "["]), st.data())
def test_any_value_in_brackets(value: JsonValue, bracket: str, data: st.DataObject) -> None:
    """The same inside brackets, as JSON writes them."""
    text = f"k: 1 # one\nm: {json.encode(value).decode()} # two\n"
    after = data.draw(VALUES)
    done = yaml.rewrite(text, [[{"k": 1, "m": after}]])
    assert not done.lost and done.text.startswith("k: 1 # one\nm:")
    (document,) = yaml.load_all(done.text, "")
    assert json.same(document.value, {"k": 1, "m": after})


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("k{at}: 1 # one\n", lambda count: {f"k{at}": 1 for at in range(count)} | {"k1": 2}),
        ("k{at}: x{at}\n", lambda count: {f"m{at}": f"x{at}" for at in range(count)}),
        ("- {at} # one\n", lambda count: [*range(1, count)]),
        ("- 1 # one\n", lambda count: [1] * (count - 1)),
    ],
    ids=["members", "renamed", "elements", "equal"],
)
def test_each_of_many_members_or_elements_costs_the_same(
    line: str, value: Callable[[int], JsonValue]
) -> None:
    def steps(count: int) -> int:
        text, after = "".join(line.format(at=at) for at in range(count)), value(count)
        return steps_of(lambda: rewritten(text, after))

    assert steps(2000) < 10.5 * steps(200)
