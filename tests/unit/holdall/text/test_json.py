"""JSON in the runtime: the fast path, the strict reader, copies and equality."""

from __future__ import annotations

import datetime
import json as stdlib
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.errors import DecodeError, SourceError
from holdall.text import json
from holdall.text.documents import MAX_DEPTH, Document
from holdall.text.loading import load_file
from holdall.types import JsonValue
from tests.random_groups.apiserver import without_fractions

INEXACT = ("3.14159265358979323846", "1e-400", "-1.0E-330", "0.1000000000000000055", "4.9e-324")
EXACT = ("0.1", "-0.0", "0e-999", "1.10", "1E+2", "5e-324", "1e22", "-0", "2.5")
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, 1, 0.0, -0.0, 1.0, 2**63, 2**64, -(2**70), 1e16, 5e-324])
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)
)
# A few values from a small pool, so that pairs are often nearly equal.
POOL = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 0.0, -0.0, 1.0, "", "a"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=3,
)


def oracle(value: object) -> str:
    """The slow canonical text: equal exactly for values that are the same."""
    return stdlib.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def nested(depth: int) -> Any:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def containers(value: object) -> list[int]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [id(value)] if isinstance(value, dict | list) else []
    return own + [found for item in inner for found in containers(item)]


def problems(text: bytes | str) -> list[str]:
    with pytest.raises(SourceError) as caught:
        json.load(text, "f.json")
    return [f"{p.code} {p.where}: {p.message}" for p in caught.value.problems]


@given(VALUES)
def test_what_is_encoded_is_decoded_unchanged(value: JsonValue) -> None:
    """encode, encode_pretty and encode_sorted all write what stdlib, decode and load read back."""
    for data in (json.encode(value), json.encode_sorted(value), json.encode_pretty(value).encode()):
        assert oracle(stdlib.loads(data)) == oracle(value)
        assert oracle(json.decode(data)) == oracle(value)
        assert oracle(json.load(data, "f.json").value) == oracle(value)


@given(VALUES)
def test_canonical_text_sorts_keys_at_every_level(value: JsonValue) -> None:
    """The members of each object stand in the order of their code points."""

    def check(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert [key for key, _ in pairs] == sorted(key for key, _ in pairs)
        return dict(pairs)

    for text in (json.canonical(value), json.encode_sorted(value)):
        stdlib.loads(text, object_pairs_hook=check)


def test_texts_have_the_promised_form() -> None:
    """Compact, canonical and pretty text, literally."""
    value: JsonValue = {"b": [1, {}], "a": "é"}
    assert json.encode(value) == '{"b":[1,{}],"a":"é"}'.encode()
    assert json.canonical(value) == '{"a":"é","b":[1,{}]}'.encode()
    assert json.encode_pretty(value) == '{\n  "b": [\n    1,\n    {}\n  ],\n  "a": "é"\n}\n'


@given(st.lists(VALUES))
def test_many_canonical_texts_are_those_of_each(values: list[JsonValue]) -> None:
    """At once or one by one, also where a sealed value brings its own line breaks."""
    mixed: list[Any] = [*values, msgspec.Raw(b'{"a":\n1}')]
    for given_values in (values, mixed):
        expected = [json.canonical(value) for value in given_values]
        assert json.canonical_each(given_values) == expected


def test_many_canonical_texts_name_what_is_none() -> None:
    """The error is that of `canonical`."""
    with pytest.raises(DecodeError, match=r"^/a: "):
        json.canonical_each([1, {"a": object()}])  # type: ignore[dict-item]


@given(VALUES)
def test_copies_are_the_same_and_share_no_container(value: JsonValue) -> None:
    """copy and copy_checked return equal data of equal types in containers of their own."""
    for copied in (json.copy(value), json.copy_checked(value)):
        assert oracle(copied) == oracle(value)
        assert not set(containers(copied)) & set(containers(value))


@given(POOL, POOL)
def test_same_and_equal_agree_with_texts(a: JsonValue, b: JsonValue) -> None:
    """Key order does not matter; types of numbers do for `same`, and do not for `equal`."""
    assert json.same(a, b) == (oracle(a) == oracle(b))
    assert json.same(a, b) == (json.encode_sorted(a) == json.encode_sorted(b))
    assert json.equal(a, b) == (oracle(without_fractions(a)) == oracle(without_fractions(b)))
    assert json.equal(a, b) == (json.canonical(a) == json.canonical(b))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("3.0", "3"), ("-0.0", "-0"), ("[1e0, {\"a\": 2.50}]", "[1, {\"a\": 2.5}]"),
        ("1e15", "1000000000000000"), ("9007199254740994.0", "9007199254740994"),
        ("1e16", "10000000000000000"), ("-1.5e16", "-15000000000000000"),
        ("1.2345678901234567e+20", "123456789012345670000"), ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"), ("5e-324", "5e-324"), ("[\"1.0\", 2.0]", "[\"1.0\", 2]"),
    ],
)  # fmt: skip
def test_numbers_are_equal_however_they_are_written(written: str, read: str) -> None:
    """What Go's encoding/json writes for a float is equal to it, also as an element of a list."""
    one, other = json.decode(written), json.decode(read)
    assert json.equal(one, other)
    assert json.canonical(one) == json.canonical(other)
    assert json.canonical_each([one, 1]) == json.canonical_each([other, 1])


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (0.0, False), (3, 3.5), (1, "1"), (10**400, 1e308), (2**53, 2**53 + 1)],
)  # fmt: skip
def test_other_values_are_not_equal(one: JsonValue, other: JsonValue) -> None:
    """Also deep inside."""
    assert not json.equal(one, other)
    assert not json.equal({"a": [one]}, {"a": [other]})


@given(st.lists(VALUES))
def test_text_in_strings_is_not_a_number(values: list[JsonValue]) -> None:
    """A string with text like that of a number stays as it is."""
    value: JsonValue = {"a": "1.0, 2.0]", "b": values}
    assert json.canonical(value) == json.canonical({"b": values, "a": "1.0, 2.0]"})
    assert json.canonical(value) != json.canonical({"a": "1, 2]", "b": values})


@given(VALUES)
def test_a_value_is_the_same_as_its_reordered_copy(value: JsonValue) -> None:
    """Reversing the members of all objects changes nothing."""
    reordered = stdlib.loads(stdlib.dumps(value), object_pairs_hook=lambda p: dict(reversed(p)))
    assert json.same(value, reordered)


@pytest.mark.parametrize(
    ("a", "b"),
    [(True, 1), (1, 1.0), (0, False), (0.0, -0.0), (None, False), ([1, 2], [2, 1]), ({}, [])],
    ids=repr,
)
def test_near_values_are_not_the_same(a: JsonValue, b: JsonValue) -> None:
    """Values that Python calls equal, or that differ in order only, are told apart at any depth."""
    assert not json.same(a, b)
    assert not json.same({"x": [a]}, {"x": [b]})


def test_missing_and_additional_members_are_not_the_same() -> None:
    """A null is not an absent member, and the number of members counts."""
    assert not json.same({"a": None}, {"b": None})
    assert not json.same({"a": 1}, {"a": 1, "b": 1})
    assert not json.same([1], [1, 2])


def test_depth_up_to_the_limit_works_everywhere() -> None:
    """At MAX_DEPTH nothing fails, one level more is refused where checks are promised."""
    deep = nested(MAX_DEPTH)
    assert json.same(json.copy_checked(deep), nested(MAX_DEPTH))
    assert json.same(json.load("[" * MAX_DEPTH + "]" * MAX_DEPTH, "f.json").value, deep)
    with pytest.raises(DecodeError, match="nested deeper than 500 levels"):
        json.copy_checked(nested(MAX_DEPTH + 1))


def test_depth_does_not_use_the_call_stack() -> None:
    """Checked copies and comparisons work for a caller that is itself deep in calls."""

    def descend(levels: int) -> bool:
        if levels:
            return descend(levels - 1)
        deep = json.copy_checked(nested(MAX_DEPTH))
        return json.same(deep, nested(MAX_DEPTH)) and json.equal(whole, fraction)

    text = json.encode(nested(MAX_DEPTH))
    whole, fraction = (json.decode(text.replace(b"[]", part)) for part in (b"[1]", b"[1.0]"))
    assert json.canonical(whole) == json.canonical(fraction)
    assert descend(700)


class Text(str):
    """A string of its own type."""


class Number(int):
    """An integer of its own type."""


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        ({"a": [0, math.nan]}, "/a/1", "nan is not a JSON number"),
        ({"a": -math.inf}, "/a", "-inf is not a JSON number"),
        ({"a": {1: 2}}, "/a", "the key 1 is not a string"),
        ({Text("k"): 2}, "", "the key 'k' is not a string"),
        ({"a": (1, 2)}, "/a", "tuple is not a JSON type"),
        ([{1}], "/0", "set is not a JSON type"),
        ([datetime.date(2026, 1, 2)], "/0", "date is not a JSON type"),
        ([b""], "/0", "bytes is not a JSON type"),
        ([Text("x")], "/0", "Text is a subclass of str, not a JSON type"),
        ([Number(1)], "/0", "Number is a subclass of int, not a JSON type"),
        ({"a~b/c": ["\ud800"]}, "/a~0b~1c/0", "the string contains a lone surrogate"),
        ([{"\udc00": 1}], "/0", "the key '\\udc00' contains a lone surrogate"),
        ([10**5000], "/0", "the integer has more than 4300 digits"),
        (object(), "", "object is not a JSON type"),
        ([[[]], [[0, [0, 0, {"k": ()}]]]], "/1/0/1/2/k", "tuple is not a JSON type"),
    ],
    ids=lambda v: v if isinstance(v, str) and v.isprintable() else "",
)
def test_what_is_not_json_is_refused_with_its_path(value: object, path: str, message: str) -> None:
    """copy_checked names the culprit by JSON Pointer, appended to the path it is given."""
    with pytest.raises(DecodeError) as caught:
        json.copy_checked(value, "/spec")
    assert (caught.value.path, caught.value.message) == ("/spec" + path, message)


def test_cyclic_data_is_refused() -> None:
    """A container that holds itself is called cyclic, whatever else it holds."""
    cycle: dict[str, Any] = {"a": [1]}
    cycle["a"] += [cycle, cycle]
    with pytest.raises(DecodeError, match="cyclic"):
        json.copy_checked(cycle)
    with pytest.raises(DecodeError, match="cyclic"):
        json.encode(cycle)


@pytest.mark.parametrize(
    ("value", "path"),
    [({"a": [object()]}, "/a/0"), ({"a": "\ud800"}, "/a"), ([Text("x")], "/0"), ([1j], "/0")],
    ids=["object", "surrogate", "subclass", "complex"],
)
def test_values_that_cannot_be_encoded_are_located(value: object, path: str) -> None:
    """encode and canonical raise DecodeError with the path, never a bare TypeError."""
    for encode in (json.encode, json.encode_sorted, json.canonical):
        with pytest.raises(DecodeError) as caught:
            encode(value)
        assert caught.value.path == path


def test_pretty_text_refuses_nan() -> None:
    """What people read is checked: NaN does not silently become null."""
    with pytest.raises(DecodeError, match="nan is not a JSON number"):
        json.encode_pretty([math.nan])


@pytest.mark.parametrize(
    ("data", "byte"),
    [
        (b"", 0),
        (b"[1,x]", 3),
        (b'{"a": ', 6),
        (b"[1] x", 4),
        (b"[1,1e400]", 3),
        ('["é", "\\ud800"]'.encode(), 7),
        (b'["\xff"]', 2),
        ('["\ud800"]', 2),
        (b"\xef\xbb\xbf1", 0),
        (b"[" + b"9" * 5000 + b"]", 1),
    ],
    ids=lambda v: str(v) if isinstance(v, int) else "",
)
def test_bad_text_is_refused_with_its_byte(data: bytes | str, byte: int) -> None:
    """decode names the position in bytes, also where its parser does not."""
    with pytest.raises(DecodeError, match=r"^malformed JSON at byte [0-9]+: ") as caught:
        json.decode(data)
    found = int(caught.value.message.split()[4].rstrip(":"))
    assert found in (byte, byte + 1)


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("utf-8-sig", "the text starts with a byte order mark"),
        ("utf-16", "the text is UTF-16, not UTF-8"),
        ("utf-16-be", "the text is UTF-16, not UTF-8"),
    ],
)
def test_what_editors_write(encoding: str, message: str) -> None:
    """Text in another encoding is named as such."""
    data = ("\ufeff" if encoding == "utf-16-be" else "") + '{"a":1}'
    with pytest.raises(DecodeError, match=f"^malformed JSON at byte 0: {message}$"):
        json.decode_exactly(data.encode(encoding))


def test_a_byte_order_mark_is_named_in_text_as_in_bytes() -> None:
    """It is one letter of a text that was decoded as plain UTF-8."""
    with pytest.raises(DecodeError, match=r"at byte 0: the text starts with a byte order mark$"):
        json.decode('\ufeff{"a":1}')


@pytest.mark.parametrize("number", ["9" * 5000, "1e400"], ids=["digits", "range"])
def test_a_sealed_number_is_refused_where_it_is_opened(number: str) -> None:
    """Skipping it took no look at it; members beside it are read all the same."""
    text = f'{{"name":"a","n":[{number}],"long":"{"x" * 600}"}}'
    document = json.decode_sealed(f'{{"apiVersion":"v1","kind":"K","metadata":{text}}}', b"mark")
    assert isinstance(document, dict)
    metadata = document["metadata"]
    with pytest.raises(DecodeError, match=r"^malformed JSON at byte"):
        json.unseal(metadata)
    for value in (metadata, json.unseal_for_annotations(metadata)):
        assert json.named_members(value, "n", "name", "none") == {"name": "a", "none": None}
    assert json.named_members(["name"], "name") == {}


def test_a_nesting_bomb_is_refused() -> None:
    """Bottomless nesting gives an error, in both readers."""
    with pytest.raises(DecodeError, match="nested too deeply"):
        json.decode(b"[" * 100_000)
    assert problems("[" * 100_000) == [
        "HA106 f.json:1:501: containers are nested deeper than 500 levels"
    ]
    assert problems('{"a":' * 501)[0].startswith("HA106 f.json:1:2501: ")


def test_all_kinds_of_buffers_are_decoded() -> None:
    """bytes, bytearray, memoryview and str."""
    for data in (b'{"a":1}', bytearray(b'{"a":1}'), memoryview(b'{"a":1}'), '{"a":1}'):
        assert json.decode(data) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "HA102 f.json:1:1: expected a value, found the end of the text"),
        ("{", "HA102 f.json:1:2: expected a key in double quotes, found the end of the text"),
        ("{1: 2}", 'HA102 f.json:1:2: expected a key in double quotes, found "1"'),
        ('{"a"}', 'HA102 f.json:1:5: expected a colon after the key, found "}"'),
        ('{"a": 1,}', 'HA102 f.json:1:9: expected a key in double quotes, found "}"'),
        ("[1,\n]", "HA102 f.json:2:1: a value is missing after the comma"),
        ("[1 2]", 'HA102 f.json:1:4: expected a comma or ], found "2"'),
        ('{"a": 1]', 'HA102 f.json:1:8: expected a comma or }, found "]"'),
        ("[1]\n x", 'HA102 f.json:2:2: expected the end of the text, found "x"'),
        ("[01]", "HA102 f.json:1:2: a number starts with a superfluous zero"),
        ("[1.]", 'HA102 f.json:1:3: expected a comma or ], found "."'),
        ("[+1]", 'HA102 f.json:1:2: expected a value, found "+"'),
        ("[True]", 'HA102 f.json:1:2: expected a value, found "T"'),
        ("['a']", """HA102 f.json:1:2: expected a value, found "'\""""),
        ('["a\\x"]', "HA102 f.json:1:4: JSON does not have this escape"),
        ('["a\tb"]', "HA102 f.json:1:4: the control character U+0009 must be escaped"),
        ('["a', "HA102 f.json:1:2: a string has no closing quote"),
        ("[NaN]", "HA105 f.json:1:2: NaN is not a JSON number"),
        ("[-Infinity]", "HA105 f.json:1:2: -Infinity is not a JSON number"),
        ("[1e400]", "HA105 f.json:1:2: 1e400 is out of the range of JSON numbers"),
        *(
            (
                f"[{text}]",
                f"HA107 f.json:1:2: {text} does not fit a 64-bit number, and would become"
                f" {float(text)}",
            )
            for text in INEXACT
        ),
        ("9" * 5000, "HA105 f.json:1:1: an integer has more than 4300 digits"),
        ("-" + "9" * 4301, "HA105 f.json:1:1: an integer has more than 4300 digits"),
        ('["\\ud800"]', "HA105 f.json:1:2: a string contains a lone surrogate"),
        ('{"\\ud800": 1}', "HA105 f.json:1:2: a string contains a lone surrogate"),
        ("\ufeff1", "HA101 f.json:1:1: the text starts with a byte order mark"),
        (b"\xef\xbb\xbf1", "HA101 f.json:1:1: the text starts with a byte order mark"),
        (b'{"a":\n "\xc3\xa9\xff"}', "HA101 f.json:2:4: byte 0xff is not UTF-8"),
        ('["\ud800"]', "HA101 f.json:1:3: the text contains a lone surrogate"),
    ],
    ids=lambda v: "" if isinstance(v, bytes) or not v.isprintable() or len(v) > 90 else v,
)
def test_the_strict_reader_names_reason_and_place(text: bytes | str, found: str) -> None:
    """load refuses with file, line, column and reason."""
    assert problems(text) == [found]


@pytest.mark.parametrize(
    ("text", "fix", "corrected"),
    [
        (
            "[True]",
            "write a JSON value: {…}, […], text in double quotes, a number, true, false or null",
            "[true]",
        ),
        ("{a: 1}", "write the key in double quotes, without a comma before }", '{"a": 1}'),
        ('{"a": 1,}', "write the key in double quotes, without a comma before }", '{"a": 1}'),
        ('{"a"}', "write a colon and the value of the key", '{"a": 1}'),
        ("[1,]", "remove the comma, or write the value", "[1]"),
        ("[1 2]", "check whether ], a comma or a quote is missing before this place", "[1, 2]"),
        ("1 2", "keep one value in the text; name files of JSON lines `.jsonl`", "1"),
        ("[01]", "remove the zero, or write a string", "[1]"),
        ('["a', "close it", '["a"]'),
        (
            r'["\d"]',
            r"""write a backslash as \\; JSON has \" \/ \b \f \n \r \t \uXXXX""",
            r'["\\d"]',
        ),
        ('["a\tb"]', r"write it as \u0009", r'["a\u0009b"]'),
    ],
)
def test_what_helps_malformed_text(text: str, fix: str, corrected: str) -> None:
    """Whoever follows the fix has text that can be read."""
    with pytest.raises(SourceError) as caught:
        json.load(text, "f.json")
    assert [problem.fix for problem in caught.value.problems] == [fix]
    json.load(corrected, "f.json")


def test_findings_of_a_file_are_reported_together() -> None:
    """Duplicates and non-finite numbers do not hide each other, and come in the file's order."""
    text = '{"a": 1,\n "b": {"c": NaN, "c": 2},\n "a": 1e999}'
    assert problems(text) == [
        "HA105 f.json:2:13: NaN is not a JSON number",
        'HA103 f.json:2:18: the key "c" appears twice; first on line 2',
        'HA103 f.json:3:2: the key "a" appears twice; first on line 1',
        "HA105 f.json:3:7: 1e999 is out of the range of JSON numbers",
    ]


@given(st.text(alphabet='{}[],:"\\u0189dDe+-.truefalsn \n', max_size=30))
def test_load_accepts_what_stdlib_accepts(text: str) -> None:
    """On arbitrary text both readers agree, except for what load refuses by promise."""
    try:
        expected = oracle(stdlib.loads(text))
        expected.encode()
    except ValueError:
        expected = None
    try:
        value: object = json.load(text, "f.json").value
    except SourceError as error:
        promised = {"HA103", "HA105", "HA106", "HA107"}
        assert expected is None or {p.code for p in error.problems} <= promised
    else:
        assert oracle(value) == expected


def test_positions_are_those_of_the_nodes() -> None:
    """A pointer leads to line and column; one that leads nowhere to the nearest ancestor."""
    text = '{"a": [1,\n   {"b/c": "é", "d": null}],\r\n "e": {}}'
    document = json.load(text, "f.json")
    places = {p: document.position(p) for p in ("", "/a", "/a/1", "/a/1/b~1c", "/a/1/d", "/e")}
    assert places == {
        "": (1, 1),
        "/a": (1, 7),
        "/a/1": (2, 4),
        "/a/1/b~1c": (2, 12),
        "/a/1/d": (2, 22),
        "/e": (3, 7),
    }
    nowhere = ["/x", "/a/7", "/a/-", "/a/1/b~1c/y", "/e/f/g", "/a/0x"]
    assert [document.position(p)[0] for p in nowhere] == [1, 1, 1, 2, 3, 1]
    assert document.where("/e") == "f.json:3:7"
    assert Document(1, "f.json", 9).position("/a") == (9, 1)


def test_integers_are_exact_and_kinds_are_kept() -> None:
    """Integers of any usual size are exact; 1.0 and -0.0 stay floats."""
    big = 10**4000 + 1
    assert json.load(f"[{big}, -{big}]", "f.json").value == [big, -big]
    value = json.load("[1, 1.0, -0.0, -0, 1E2]", "f.json").value
    assert repr(value) == "[1, 1.0, -0.0, 0, 100.0]"


def test_files_are_read_by_their_suffix(tmp_path: Path) -> None:
    """.json has one document, .yaml and .yml may have several."""
    (tmp_path / "a.json").write_text('{"a": 1}')
    (tmp_path / "b.yml").write_text("a: 1\n---\nb: yes\n")
    assert [d.value for d in load_file(tmp_path / "a.json")] == [{"a": 1}]
    values = [d.value for d in load_file(tmp_path / "b.yml", yaml="kubernetes")]
    assert values == [{"a": 1}, {"b": True}]
    with pytest.raises(SourceError, match=r"HA104 .*b\.yml:3:4: yes is true"):
        load_file(tmp_path / "b.yml")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """A missing file, a folder and an unknown suffix are problems of the source."""
    (tmp_path / "folder.yaml").mkdir()
    for name in ("missing.json", "folder.yaml", "notes.txt"):
        with pytest.raises(SourceError, match=f"HA101 .*{name}: the "):
            load_file(tmp_path / name)


@pytest.mark.parametrize("text", EXACT)
def test_numbers_of_files_are_exact(text: str) -> None:
    """What is read from a file and written again is the same number."""
    value = json.load(text, "f.json").value
    assert Decimal(json.encode(value).decode()) == Decimal(text)


@given(st.decimals(allow_nan=False, allow_infinity=False), st.sampled_from(["{:f}", "{:e}"]))
def test_a_number_is_read_exactly_or_refused(number: Decimal, form: str) -> None:
    """Also where the digits are many, the number is tiny, or it is zero."""
    text = form.format(number)
    try:
        value = json.load(text, "f.json").value
    except SourceError as error:
        assert error.problems[0].code == "HA107"
        assert Decimal(repr(float(text))) != Decimal(text)
    else:
        assert Decimal(json.encode(value).decode()) == Decimal(text)


@pytest.mark.parametrize("text", INEXACT)
@pytest.mark.parametrize("form", ["[%s, %s]", '{"object": [%s, %s]}'])
def test_a_number_is_never_rounded_however_deep_its_neighbours_are(form: str, text: str) -> None:
    """What a request holds may be as deep as a document, and is deeper with the request."""
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    with pytest.raises(DecodeError, match=rf"^byte \d+: {text} does not fit a 64-bit number"):
        json.decode_exactly((form % (deep, text)).encode())


def test_a_shape_is_worked_out_before_threads_can_share_it() -> None:
    """msgspec shows it to all of them while one is at it, which crashes the process."""
    shape = msgspec.defstruct("Shape", [("a", "NotThere | None", None)])
    with pytest.raises(NameError, match="NotThere"):
        json.kinds_checker(shape)


ODD = st.text(st.sampled_from('$"\\a,:{ \u0024'), max_size=6)
ODD_VALUES = st.recursive(
    st.integers() | ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD, inner, max_size=3),
)


def names_in(value: object) -> set[str]:
    if isinstance(value, dict):
        return {*value}.union(*map(names_in, value.values()))
    return set[str]().union(*map(names_in, value)) if isinstance(value, list) else set()


@given(ODD_VALUES, st.sampled_from([None, 1]))
def test_names_with_a_dollar_are_always_noticed(value: JsonValue, indent: int | None) -> None:
    text = stdlib.dumps(value, indent=indent).encode()
    if any(name.startswith("$") for name in names_in(value)):
        assert json.may_hold_dollars(text)
        assert json.may_hold_dollars(text.replace(b"$", b"\\u0024"))


@pytest.mark.parametrize(
    "value",
    [
        {"image": "${IMAGE}"},
        ["$HOME", "$(NAME)"],
        {"command": 'for one in "$@"; do echo "$one"; done'},
        {"in text": '{"$propertyBag": {}}'},
        {"ends with\\": "$"},
    ],
)
def test_values_with_a_dollar_are_not_names(value: JsonValue) -> None:
    assert not json.may_hold_dollars(json.encode(value))
