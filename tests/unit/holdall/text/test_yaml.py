"""YAML in the runtime: what readers agree on, refusals with places, and writing for all readers."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import Any, Literal, NoReturn

import pytest
import yaml as stock
from hypothesis import example, given
from hypothesis import strategies as st

from holdall.errors import DecodeError, SourceError
from holdall.text import yaml
from holdall.text.documents import MAX_DEPTH
from holdall.text.json import same
from holdall.types import JsonValue
from tests.support.work import steps_of

Mode = Literal["strict", "kubernetes"]

TRICKY = [
    *("yes", "No", "y", "N", "on", "OFF", "true", "null", "~", "", "=", "<<", "NaN", "nan"),
    *("012", "08", "007", "1_000", "0x1F", "0b11", "0o12", "0X1f", "1:30", "8080:80", "1:30.5"),
    *("1e3", "1.0e3", "1e+3", "12e4567", "1.5e+400", "-.5", ".5", "1.", ".inf", "-.INF", ".nan"),
    *("2026-01-02", "2026-01-02T03:04:05Z", "1.2.3", "10.0.0.1", "+1", "-0", "0_", "0x_", "_1"),
    *("a: b", "a #b", "#", "- a", "-", "--- a", "---", "...", "? a", "&a", "*a", "!t", "%d", "@a"),
    *("a\nb", "a\n", "a\n\n", "\na", " a\nb", "a \nb", "a\n b", "a\tb", "a\n\tb", "a\r\nb", "\t"),
    *("\x85", "a\x85b", "a\u2028b", "\ufeff", "a\ufeff\nb", "\x00", "\x7f", "\xa0", "é", "😀\nx"),
    *("---\nx", "a\n---\nb", "a\n...\nb", "#a\nb", "a\n#b", "'", '"', "\\", "|", ">", "a" * 200),
]
TEXT = (
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(TRICKY)
    | st.text(alphabet="0123456789_+-.:eExXobyYnN~aAfF", max_size=8)
    | st.text(alphabet="ab \n\t#:-\r\x85\u2028", max_size=12)
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**63, 2**64, -(2**70), 1e16, 1e-7, 5e-324, -0.0, 1.5e300, 0.1])
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)
)


def load(text: bytes | str, scalars: Mode = "strict") -> JsonValue:
    (document,) = yaml.load_all(text, "w.yaml", scalars=scalars)
    return document.value


def problems(text: bytes | str, scalars: Mode = "strict") -> list[str]:
    with pytest.raises(SourceError) as caught:
        yaml.load_all(text, "w.yaml", scalars=scalars)
    return [f"{p.code} {p.where}: {p.message}" for p in caught.value.problems]


# The rows of the table of plain scalars. Text; what Kubernetes makes of it; what YAML 1.1 makes
# of it (as in the message), what the other reader of the message makes of it.
REJECTED: list[tuple[str, JsonValue, str]] = [
    *(
        (word, word.lower() in ("yes", "on"), f'{reading} in YAML 1.1 and the string "{word}"')
        for reading, words in (
            ("true", "yes Yes YES on On ON"),
            ("false", "no No NO off Off OFF"),
        )
        for word in words.split()
    ),
    ("y", True, 'the string "y" for PyYAML and true for Kubernetes'),
    ("Y", True, 'the string "Y" for PyYAML and true for Kubernetes'),
    ("n", False, 'the string "n" for PyYAML and false for Kubernetes'),
    ("N", False, 'the string "N" for PyYAML and false for Kubernetes'),
    ("012", 10, "10 in YAML 1.1 and 12 in YAML 1.2"),
    ("-012", -10, "-10 in YAML 1.1 and -12 in YAML 1.2"),
    ("08", 8.0, 'the string "08" in YAML 1.1 and 8 in YAML 1.2'),
    ("007", 7, "7 in YAML 1.1 and 7 in YAML 1.2, but is not written as a JSON number"),
    ("00", 0, "0 in YAML 1.1 and 0 in YAML 1.2, but is not written as a JSON number"),
    ("1_000", 1000, '1000 in YAML 1.1 and the string "1_000" in YAML 1.2'),
    ("1_0.5", 10.5, '10.5 in YAML 1.1 and the string "1_0.5" in YAML 1.2'),
    ("0x1F", 31, "31 in YAML 1.1 and 31 in YAML 1.2, but is not written as a JSON number"),
    ("0X1F", 31, 'the string "0X1F" for PyYAML and 31 for Kubernetes'),
    ("0b11", 3, '3 in YAML 1.1 and the string "0b11" in YAML 1.2'),
    ("-0b11", -3, '-3 in YAML 1.1 and the string "-0b11" in YAML 1.2'),
    ("0o12", 10, 'the string "0o12" in YAML 1.1 and 10 in YAML 1.2'),
    ("1:30", "1:30", '90 in YAML 1.1 and the string "1:30" in YAML 1.2'),
    ("22:22", "22:22", '1342 in YAML 1.1 and the string "22:22" in YAML 1.2'),
    ("1:30.5", "1:30.5", '90.5 in YAML 1.1 and the string "1:30.5" in YAML 1.2'),
    ("1e3", 1000.0, 'the string "1e3" in YAML 1.1 and 1000.0 in YAML 1.2'),
    ("1.0e3", 1000.0, 'the string "1.0e3" in YAML 1.1 and 1000.0 in YAML 1.2'),
    ("1e+3", 1000.0, 'the string "1e+3" in YAML 1.1 and 1000.0 in YAML 1.2'),
    ("12e4567", "12e4567", 'the string "12e4567" in YAML 1.1 and infinity in YAML 1.2'),
    ("-.5", -0.5, 'the string "-.5" in YAML 1.1 and -0.5 in YAML 1.2'),
    ("+.5", 0.5, 'the string "+.5" in YAML 1.1 and 0.5 in YAML 1.2'),
]

AS_READ: list[tuple[str, JsonValue]] = [
    *((word, None) for word in ("", "~", "null", "Null", "NULL")),
    *((word, True) for word in ("true", "True", "TRUE")),
    *((word, False) for word in ("false", "False", "FALSE")),
    *(("0", 0), ("-0", 0), ("7", 7), ("+12", 12), ("-12", -12), (str(2**70), 2**70)),
    *(("1.5", 1.5), ("1.", 1.0), (".5", 0.5), ("-1.5", -1.5), ("01.5", 1.5)),
    *(("1.0e+3", 1000.0), ("1.5E-3", 0.0015)),
    *((text, text) for text in ("2026-01-02", "2026-01-02T03:04:05Z", "2026-01-02 03:04:05")),
    *((text, text) for text in ("=", "8080:80", "1.2.3", "v1", "tRue", "yEs", "nope", "--", "+")),
    *((text, text) for text in (".", "..", "1-2", "10Gi", "100m", "0abc", "_1", "9.e", "0xyz")),
]


@pytest.mark.parametrize(("text", "kubernetes", "readings"), REJECTED, ids=lambda v: repr(v))
def test_scalars_that_readers_take_differently(
    text: str, kubernetes: JsonValue, readings: str
) -> None:
    """Strict reading refuses them with place and both readings; the other reads as kubectl."""
    (found,) = problems(f"a:\n  b: {text}\n")
    assert found.startswith(f"HA104 w.yaml:2:6: {text} is {readings}")
    assert same(load(f"a: {text}", "kubernetes"), {"a": kubernetes})


@pytest.mark.parametrize(("text", "value"), AS_READ, ids=lambda v: repr(v))
def test_scalars_that_readers_take_alike(text: str, value: JsonValue) -> None:
    """What all readers agree on is read so in both modes; dates and = are strings."""
    assert same(load(f"a: {text}"), {"a": value})
    assert same(load(f"a: {text}", "kubernetes"), {"a": value})


@pytest.mark.parametrize("text", [".inf", "-.Inf", "+.INF", ".nan", ".NaN"])
@pytest.mark.parametrize("mode", ["strict", "kubernetes"])
def test_numbers_that_json_lacks(text: str, mode: Mode) -> None:
    """Infinities and NaN are refused in both modes."""
    (found,) = problems(f"a: {text}", mode)
    assert found.startswith(f"HA105 w.yaml:1:4: {text} is ")
    assert found.endswith(", which JSON does not have")


def test_numbers_out_of_range() -> None:
    """A float beyond the range of doubles is refused; Kubernetes takes it as text."""
    (found,) = problems("a: 1.5e+400")
    assert found.startswith("HA105 w.yaml:1:4: 1.5e+400 is out of the range of JSON numbers")
    assert load("a: 1.5e+400", "kubernetes") == {"a": "1.5e+400"}
    assert problems("a: " + "9" * 5000)[0].startswith("HA105 w.yaml:1:4: a number of 5000")
    assert problems("a: 0x" + "f" * 4300)[0].startswith("HA105 w.yaml:1:4: a number of 4302")
    for sign in ("", "-", "+"):
        assert load(f"a: {sign}{'9' * 4300}") == {"a": int(sign + "9" * 4300)}


@pytest.mark.parametrize("text", ["3.14159265358979323846", "1.0e-400", "!!float 9007199254740993"])
@pytest.mark.parametrize("mode", ["strict", "kubernetes"])
def test_numbers_that_would_change(text: str, mode: Mode) -> None:
    """A number that a float does not hold is refused, and never rounded."""
    number = text.rpartition(" ")[2]
    (found,) = problems(f"a: {text}", mode)
    assert found.startswith(f"HA107 w.yaml:1:4: {number} does not fit a 64-bit number")
    assert load(f"a: {2**70}", mode) == {"a": 2**70}


def test_the_message_says_how_to_mend() -> None:
    """The fix offers the quoted text and the number."""
    with pytest.raises(SourceError) as caught:
        yaml.load_all("\n\n\n\n\n\nports: [012]", "w.yaml")
    (problem,) = caught.value.problems
    assert problem.where == "w.yaml:7:9"
    assert problem.message == "012 is 10 in YAML 1.1 and 12 in YAML 1.2"
    assert problem.fix == 'write "012" or 10'


@pytest.mark.parametrize("text", [row[0] for row in REJECTED])
@pytest.mark.parametrize("form", ['"{}"', "'{}'", "!!str {}", "! {}"])
def test_quotes_and_tags_settle_ambiguity(text: str, form: str) -> None:
    """A quoted scalar and one tagged as string are strings, as values and as keys."""
    shown = form.format(text)
    for mode in ("strict", "kubernetes"):
        assert load(f"a: {shown}", mode) == {"a": text}
        assert load(f"{shown} : 1", mode) == {text: 1}


@given(TEXT)
def test_unquoted_text_is_what_the_stock_reader_says_or_refused(text: str) -> None:
    """Whatever strict mode accepts unquoted, YAML 1.1 accepts with the same value, dates apart."""
    source = f"a: {text}"
    try:
        value = load(source)
    except (SourceError, ValueError):
        return
    try:
        expected = stock.load(source, Loader=stock.CSafeLoader)
    except (stock.YAMLError, ValueError):
        # The stock reader has no value for `=` and `<<`, and none for the 99th of a month.
        return
    found = expected.get("a") if isinstance(expected, dict) else None
    if isinstance(found, str | bool | int | float):
        assert same(value, expected)


@pytest.mark.parametrize("mode", ["strict", "kubernetes"])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1: a", "HA105 w.yaml:1:1: the key 1 is an integer, not a string"),
        ("1.5: a", "HA105 w.yaml:1:1: the key 1.5 is a number, not a string"),
        ("a: {true: b}", "HA105 w.yaml:1:5: the key true is a boolean, not a string"),
        ("~: a", "HA105 w.yaml:1:1: the key null is null, not a string"),
        ("? [a, b]\n: c", "HA105 w.yaml:1:3: a key is a list, not a string"),
        ("? {a: b}\n: c", "HA105 w.yaml:1:3: a key is an object, not a string"),
        ("a: 1\nb: 2\na: 3", 'HA103 w.yaml:3:1: the key "a" appears twice; first on line 1'),
        ("a: 1\n'a': 3", 'HA103 w.yaml:2:1: the key "a" appears twice; first on line 1'),
        (
            "{a: 1, <<: {}, <<: {}}",
            'HA103 w.yaml:1:16: the key "<<" appears twice; first on line 1',
        ),
        ("a: !!binary aGk=", "HA105 w.yaml:1:4: JSON has no type for the tag !!binary"),
        ("!!timestamp 2026-01-02", "HA105 w.yaml:1:1: JSON has no type for the tag !!timestamp"),
        ("!!set {a, b}", "HA105 w.yaml:1:1: JSON has no type for the tag !!set of a mapping"),
        ("!!omap [a: b]", "HA105 w.yaml:1:1: JSON has no type for the tag !!omap of a sequence"),
        ("!!map [a]", "HA105 w.yaml:1:1: JSON has no type for the tag !!map of a sequence"),
        ("a: !mine b", "HA105 w.yaml:1:4: JSON has no type for the tag !mine"),
        (
            "!!python/object/apply:os.getcwd []",
            "HA105 w.yaml:1:1: JSON has no type for the tag"
            " !!python/object/apply:os.getcwd of a sequence",
        ),
        ("a: !!int x", 'HA105 w.yaml:1:4: the tag !!int does not fit "x"'),
        ("a: *b", "HA102 w.yaml:1:4: the alias *b has no anchor before it"),
        (
            "&a [1, *a]",
            "HA106 w.yaml:1:8: the alias *a is inside its own anchor, so the data is cyclic",
        ),
        (
            "a: &x\n  b: {c: *x}",
            "HA106 w.yaml:2:10: the alias *x is inside its own anchor, so the data is cyclic",
        ),
        (
            "<<: 3",
            "HA105 w.yaml:1:5: the merge key << has an integer, not a mapping",
        ),
        (
            "<<: [{a: 1}, b]",
            "HA105 w.yaml:1:14: the merge key << has a string, not a mapping",
        ),
        ("[" * 501, "HA106 w.yaml:1:501: nodes are nested deeper than 500 levels"),
        ("- " * 501, "HA106 w.yaml:1:1001: nodes are nested deeper than 500 levels"),
        ('a: "\x07"', "HA102 w.yaml:1:5: the character U+0007 is not allowed in YAML text"),
        (b"a: \xc3\xa9\nb: \xff", "HA101 w.yaml:2:4: byte 0xff is not UTF-8"),
        ("a: \ud800", "HA101 w.yaml:1:4: the text contains a lone surrogate"),
    ],
    ids=lambda v: "" if isinstance(v, bytes) or not v.isprintable() or len(v) > 90 else v,
)
def test_refusals_name_reason_and_place(text: bytes | str, found: str, mode: Mode) -> None:
    """What no mode accepts is refused with file, line, column and reason."""
    assert problems(text, mode) == [found]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a: [1", "w.yaml:1:"),
        ("a: 1\n b: 2", "w.yaml:2:3"),
        ("a: |\n x\n\ty", "w.yaml:3:1"),
        ('a: "\\ud800"', "w.yaml:1:7"),
        ("a: b: c", "w.yaml:1:5"),
        ("ok: 1\n---\n}", "w.yaml:3:1"),
    ],
)
def test_malformed_text_is_located(text: str, where: str) -> None:
    """The parser's complaints come with file, line and column."""
    (found,) = problems(text)
    assert found.startswith(f"HA102 {where}")
    assert "malformed YAML: " in found


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("a: |\n x\n\ty", "indent with spaces, not with tabs"),
        (
            "{{- if .Values.crds }}\na: 1\n",
            "if this is a template, render it first, such as with `helm template`",
        ),
        ("a: 1\n b: 2", "correct the text here, or the quotes, brackets and indentation before it"),
    ],
)
def test_what_helps_malformed_text(text: str, fix: str) -> None:
    """Mistakes that are made often."""
    with pytest.raises(SourceError) as caught:
        load(text)
    assert [problem.fix for problem in caught.value.problems] == [fix]


def test_ambiguous_keys() -> None:
    """Ambiguous keys are refused as ambiguous in strict mode, as non-strings for Kubernetes."""
    assert problems("y: 1") == [
        'HA104 w.yaml:1:1: the key y is the string "y" for PyYAML and true for Kubernetes'
    ]
    assert problems("y: 1", "kubernetes") == [
        "HA105 w.yaml:1:1: the key true is a boolean, not a string"
    ]
    assert problems("012: 1") == [
        "HA104 w.yaml:1:1: the key 012 is 10 in YAML 1.1 and 12 in YAML 1.2"
    ]


def test_findings_of_a_file_are_reported_together() -> None:
    """All documents are read before the problems are raised, up to where the text breaks off."""
    text = "a: yes\nb: 012\n---\nc: {d: 1, d: *no}\n---\ne: [1:30\n"
    assert [p.split(": ")[0] for p in problems(text)] == [
        "HA104 w.yaml:1:4",
        "HA104 w.yaml:2:4",
        "HA103 w.yaml:4:11",
        "HA102 w.yaml:4:14",
        "HA104 w.yaml:6:5",
        "HA102 w.yaml:7:1",
    ]


def test_documents_of_a_file() -> None:
    """Each document knows its line; empty ones are skipped, an explicit null is not empty."""
    text = "# only a comment\n---\n---\n\na: 1\n---\n~\n---\n# nothing\n...\n---\n- x\n"
    found = [(d.value, d.file, d.line) for d in yaml.load_all(text, "w.yaml")]
    assert found == [({"a": 1}, "w.yaml", 5), (None, "w.yaml", 7), (["x"], "w.yaml", 12)]
    assert yaml.load_all("", "w.yaml") == []


def test_a_byte_order_mark_is_no_content() -> None:
    """YAML allows a byte order mark at the start."""
    assert load(b"\xef\xbb\xbfa: 1") == {"a": 1}


def test_positions_are_those_of_the_nodes() -> None:
    """Columns count characters; aliases stand where they are used, their members where defined."""
    text = 'é: &x {k: [1, 22]}\nb:\n  - "q"\n  - *x\nc:\n  <<: *x\n  d: |\n    text\ne:\n'
    (document,) = yaml.load_all(text, "w.yaml")
    pointers = ["", "/é", "/é/k/1", "/b", "/b/0", "/b/1", "/b/1/k/1", "/c", "/c/k", "/c/d", "/c/z"]
    assert [document.position(pointer) for pointer in pointers] == [
        (1, 1),
        (1, 4),
        (1, 15),
        (3, 3),
        (3, 5),
        (4, 5),
        (1, 15),
        (6, 3),
        (1, 11),
        (7, 6),
        (6, 3),
    ]


def test_aliases_become_independent_copies() -> None:
    """Changing one copy does not change another."""
    value: Any = load("a: &x {k: [1]}\nb: *x\nc: {<<: *x}\n&s str: *s\nt: *s\n")
    value["b"]["k"].append(2)
    value["c"]["k"].append(3)
    expected = {"a": {"k": [1]}, "b": {"k": [1, 2]}, "c": {"k": [1, 3]}, "str": "str", "t": "str"}
    assert value == expected


@pytest.mark.parametrize(
    "text",
    [
        "b: &b {x: 1, y0: 2}\nc: {<<: *b, x: 3}",
        "b: &b {x: 1, y0: 2}\nc: {x: 3, <<: *b}",
        "c: {<<: [{x: 1}, {x: 2, z: 3}], w: 4}",
        "c: {<<: {<<: {x: 1}, z: 2}, x: 3}",
        "c: {<<: []}",
        "c: {'<<': 1, <<: {x: 1}}",
    ],
)
def test_merge_keys_do_what_the_stock_reader_does(text: str) -> None:
    """Own keys win, earlier mappings of a list win, a quoted << is an ordinary key."""
    if "'<<'" in text:
        assert load(text) == {"c": {"<<": 1, "x": 1}}
    else:
        assert load(text) == stock.load(text, Loader=stock.CSafeLoader)
    assert load("a: {!!merge <<: {x: 1}}\nb: <<") == {"a": {"x": 1}, "b": "<<"}


def test_explicit_tags_of_json_are_read() -> None:
    """Tags of the JSON set are allowed where they fit."""
    text = "!!map {a: !!seq [!!int 1, !!float 1, !!bool true, !!null '', !!int '2']}"
    assert same(load(text), {"a": [1, 1.0, True, None, 2]})


def bomb(levels: int) -> str:
    """Return a text that is nine times as large with each level, if aliases are written out."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]")
    return "\n".join(lines)


def test_alias_bombs_are_refused_at_the_limit() -> None:
    """A few hundred bytes that expand to millions of nodes, or to many more, cost the same."""
    small, large = bomb(8), bomb(16)
    for text in (small, large):
        (found,) = problems(text)
        assert re.search(
            r"HA106 w\.yaml:\d+:\d+: the aliases of the file expand to more than", found
        )
    assert steps_of(lambda: problems(large)) < 1.1 * steps_of(lambda: problems(small))


@pytest.mark.parametrize("long", ["x" * 20_000, "{" + "k" * 1000 + ": 1}", "[[" + "x" * 900 + "]]"])
def test_long_texts_are_not_repeated_without_end(long: str) -> None:
    """Two hundred kilobytes could ask for gigabytes."""
    assert load(f"- &a {long}\n" + "- *a\n" * 100)
    (found,) = problems(f"- &a {long}\n" + "- *a\n" * 60_000)
    assert "the aliases of the file expand to more than 100000 nodes" in found


def test_aliases_count_for_the_depth() -> None:
    """What an alias brings along is as deep as if it were written out."""
    half = "- &a " + "[" * 250 + "]" * 250 + "\n- "
    assert load(half + "[" * 249 + "*a" + "]" * 249)
    assert problems(half + "[" * 250 + "*a" + "]" * 250) == [
        "HA106 w.yaml:2:253: the alias *a makes nodes nested deeper than 500 levels"
    ]


def test_nesting_bombs_are_refused_quickly() -> None:
    """Bottomless nesting ends at the limit, in flow and block style and in keys."""
    for text in ("[" * 100_000, "{a: " * 100_000, "- " * 100_000, "? " * 100_000):
        assert "nested deeper than 500 levels" in problems(text)[0]
    assert same(
        load("[" * MAX_DEPTH + "]" * MAX_DEPTH), load(yaml.dump(load("[" * 500 + "]" * 500)))
    )


def test_nesting_that_the_parser_itself_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newer parsers have a limit, too: it is said as ours."""

    def parse(*_: object, **__: object) -> NoReturn:
        mark = stock.Mark("", 4, 0, 4, None, 0)
        what = "while increasing flow level", mark, "exceeded maximum nesting depth", mark
        raise stock.scanner.ScannerError(*what)

    monkeypatch.setattr(stock, "parse", parse)
    assert problems("[[[[[") == ["HA106 w.yaml:1:5: nodes are nested deeper than 500 levels"]


def test_a_large_file_costs_no_more_than_many_small_ones() -> None:
    """That is so for reading with positions and checks, and for asking where something is."""
    item = "- name: spec\n  type: object\n  items: {a: [1, 2.5, true, null], b: 'text'}\n"
    small, large = item * 100, item * 1000
    steps = steps_of(lambda: yaml.load_all(small, "w.yaml"))
    assert steps_of(lambda: yaml.load_all(large, "w.yaml")) < 10.1 * steps
    (document,) = yaml.load_all(large, "w.yaml")
    first, last = (steps_of(partial(document.position, f"/{at}/items/a/1")) for at in (0, 999))
    assert first == last


@given(VALUES)
@example(TRICKY)
@example({text: text for text in TRICKY})
@example([[text] for text in TRICKY])
def test_every_reader_takes_back_what_is_written(value: JsonValue) -> None:
    """Both modes of the own reader and both stock readers return the value with equal types."""
    text = yaml.dump(value)
    assert same(load(text), value)
    assert same(load(text, "kubernetes"), value)
    assert same(stock.load(text, Loader=stock.CSafeLoader), value)
    assert same(stock.load(text, Loader=stock.SafeLoader), value)


@given(st.lists(VALUES, max_size=4))
def test_every_reader_takes_back_several_documents(values: list[JsonValue]) -> None:
    """The documents come back in number and order."""
    text = yaml.dump_all(values)
    for mode in ("strict", "kubernetes"):
        assert same([d.value for d in yaml.load_all(text, "w.yaml", scalars=mode)], values)
    if values:
        assert same(list(stock.load_all(text, Loader=stock.CSafeLoader)), values)


@pytest.mark.parametrize("text", sorted({row[0] for row in REJECTED} | {".inf", ".nan", "1.2.3"}))
def test_text_that_could_be_retyped_is_quoted(text: str) -> None:
    """Strings that are refused unquoted, and what looks like them, are written in quotes."""
    assert yaml.dump({"a": text}) == f'a: "{text}"\n'
    assert yaml.dump({text: 1}) == f'"{text}": 1\n'


def test_text_has_the_promised_form() -> None:
    """Block style, the members' order, blocks for lines, long lines whole, no aliases."""
    shared: JsonValue = {"k": [1]}
    long = "word " * 60 + "end"
    value: JsonValue = {
        "z": shared,
        "a": shared,
        "lines": "one\n  two\n\nthree\n",
        "open": "one\ntwo",
        "long": long,
        "date": "2026-01-02",
        "umlaut": "grün",
        "f": [1e16, 1.0, {}, [], None, True],
    }
    assert yaml.dump(value) == (
        "z:\n  k:\n  - 1\na:\n  k:\n  - 1\n"
        "lines: |\n  one\n    two\n\n  three\n"
        "open: |-\n  one\n  two\n"
        f"long: {long}\n"
        'date: "2026-01-02"\numlaut: grün\n'
        "f:\n- 1.0e+16\n- 1.0\n- {}\n- []\n- null\n- true\n"
    )
    assert yaml.dump_all([{"a": 1}, [2]]) == "a: 1\n---\n- 2\n"
    assert yaml.dump_all([]) == ""


@pytest.mark.parametrize(
    ("value", "path"),
    [({"a": [math.nan]}, "/a/0"), ([math.inf], "/0"), ({"a": {1: 2}}, "/a"), ([(1,)], "/0")],
    ids=["nan", "inf", "key", "tuple"],
)
def test_what_is_not_json_is_not_written(value: object, path: str) -> None:
    """The path leads to what YAML could write but JSON does not have."""
    with pytest.raises(DecodeError) as caught:
        yaml.dump(value)
    assert caught.value.path == path
