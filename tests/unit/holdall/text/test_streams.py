"""Streams of objects: what is found, how it is read, how it is written."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from holdall.errors import DecodeError, SourceError
from holdall.text import streams
from holdall.text.streams import (
    find_inputs,
    guess_form,
    join_texts,
    list_items,
    objects_of,
    read_documents,
    read_inputs,
    read_pipe,
    write_documents,
)
from holdall.types import JsonValue
from tests.support.closed import close_folder
from tests.support.work import steps_of

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
OBJECTS = st.dictionaries(st.text(), st.recursive(SCALARS, lambda v: st.lists(v), max_leaves=5))


@pytest.mark.parametrize("form", ["yaml", "json"])
@given(values=st.lists(OBJECTS, max_size=4))
def test_what_is_written_is_read(form: streams.Form, values: list[JsonValue]) -> None:
    """Any number of documents come back from their text, in order, in both forms."""
    data = write_documents(values, form)
    assert [document.value for document in read_documents(data, "f", form)] == values


@given(values=st.lists(OBJECTS, min_size=1, max_size=4), form=st.sampled_from(["yaml", "json"]))
def test_a_pipe_tells_its_form(values: list[JsonValue], form: streams.Form) -> None:
    """Standard input is read in the form in which holdall writes it, empty objects aside."""
    stream = read_pipe(write_documents([{"a": value} for value in values], form))
    assert stream.form == form
    assert [document.value for document in stream.documents] == [{"a": v} for v in values]


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b' \n{"a":1}', "json"),
        (b"[1]", "json"),
        (b"--- {a: 1}", "yaml"),
        (b"a: 1", "yaml"),
        (b"", "yaml"),
    ],
)
def test_the_first_character_decides(data: bytes, form: str) -> None:
    """A brace or a bracket begins JSON, everything else YAML."""
    assert guess_form(data) == form


@pytest.mark.parametrize("data", [b"", b" \n", b"# nothing\n", b"---\n---\n"])
def test_empty_input_has_no_documents(data: bytes) -> None:
    """Input without documents is no error."""
    assert read_pipe(data).documents == ()


def test_json_documents_know_their_lines() -> None:
    """Each of several JSON documents says where it begins, strings with braces aside."""
    data = b'{"a": "}{\\""}\n\n {"b": [{}]} {"c": 1}\n'
    documents = read_documents(data, "f.json", "json")
    assert [(d.value, d.line) for d in documents] == [
        ({"a": '}{"'}, 1),
        ({"b": [{}]}, 3),
        ({"c": 1}, 3),
    ]


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b'{"a": 1}\n{"b": 1,}\n', "f:2:9"),
        (b'{"a": 1}\n{"b":', "f:2:6"),
        (b'{"a": 1}\n  {"b": NaN}{"c": 1}', "f:2:9"),
        (b'{"a": 1}\n]', "f:2:1"),
        (b'{"a": 1}, {"b": 1}', "f:1:9"),
        (b'{"a": "x\n{"b": 1}', "f:1:9"),
    ],
)
def test_bad_json_documents_are_located_in_the_whole_text(data: bytes, where: str) -> None:
    """A fault in a later document is reported with its line and column in the stream."""
    with pytest.raises(SourceError) as caught:
        read_documents(data, "f", "json")
    assert caught.value.problems[0].where == where


def test_ambiguous_scalars_name_both_readings() -> None:
    """A scalar that readers disagree about is refused with file:line and both readings."""
    with pytest.raises(SourceError, match="f:2:4") as caught:
        read_documents(b"a: 1\nb: off\n", "f", "yaml")
    text = str(caught.value)
    assert '"off"' in text and "false" in text


def test_inputs_keep_their_order(tmp_path: Path) -> None:
    """Files stand in the order of the arguments, those of a folder sorted with their folders."""
    for name in ("z.yaml", "dir/b.yml", "dir/a/x.JSON", "dir/readme.md", "dir/c.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    found = find_inputs([tmp_path / "z.yaml", tmp_path / "dir"])
    assert [str(item.relative) for item in found] == ["z.yaml", "a/x.JSON", "b.yml", "c.yaml"]


def test_all_bad_paths_are_reported(tmp_path: Path) -> None:
    """Missing paths, foreign suffixes and empty folders are listed together."""
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError) as caught:
        find_inputs([tmp_path / name for name in ("none.yaml", "a.txt", "empty")])
    assert [problem.code for problem in caught.value.problems] == ["HA101"] * 3


@pytest.mark.parametrize(
    ("name", "meant"), [("depot.yml", "depot.yaml"), ("sampels", "samples"), ("x", ""), ("n/x", "")]
)
def test_a_misspelt_path(tmp_path: Path, name: str, meant: str) -> None:
    """The file or folder that is probably meant is beside it."""
    (tmp_path / "depot.yaml").write_text("{}")
    (tmp_path / "samples").mkdir()
    with pytest.raises(SourceError) as caught:
        find_inputs([tmp_path / name])
    (problem,) = caught.value.problems
    hint = f'; did you mean "{(tmp_path / meant).as_posix()}"?' if meant else ""
    assert problem.message == f"no such file or folder{hint}"


def test_a_folder_that_nobody_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in it is not left out as if it were not there."""
    closed = tmp_path / "closed"
    closed.mkdir()
    for folder in (tmp_path, closed):
        (folder / "a.yaml").write_text("a: 1\n", encoding="utf-8")
    close_folder(closed, monkeypatch)
    with pytest.raises(SourceError, match=f"HA101 {closed}: it cannot be read: Permission denied"):
        find_inputs([tmp_path])


def test_lines_are_json_whatever_they_begin_with(tmp_path: Path) -> None:
    """A byte order mark is told as in other JSON, and what follows it is not read as YAML."""
    for text in ('\ufeff{"a": 1}\n', '\ufeff{"a": 1}\n{"a": 2}\n'):
        path = tmp_path / "a.jsonl"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(SourceError, match=r"HA101 .*a\.jsonl:1:1: .* byte order mark"):
            read_inputs([streams.Input(path, PurePosixPath("a.jsonl"))])


def test_a_file_that_vanishes_is_an_error(tmp_path: Path) -> None:
    """A file that cannot be read is named."""
    item = streams.Input(tmp_path / "gone.yaml", PurePosixPath("gone.yaml"))
    with pytest.raises(SourceError, match=r"gone\.yaml: the file cannot be read: No such file"):
        read_inputs([item])


def test_lists_are_unfolded() -> None:
    """The objects of lists are visited one by one, those of nested lists too."""
    inner: JsonValue = {"kind": "ThingList", "items": [{"kind": "Thing"}, 5]}
    value: JsonValue = {"kind": "List", "items": [{"kind": "A"}, inner]}
    assert list(objects_of(value)) == [
        ("/items/0", {"kind": "A"}),
        ("/items/1/items/0", {"kind": "Thing"}),
    ]
    assert list_items({"kind": "AllowList", "items": {}}) is None


def test_values_that_are_no_json_are_not_written() -> None:
    """Writing refuses NaN with its path."""
    with pytest.raises(DecodeError, match="/a/0"):
        write_documents([{"a": [float("nan")]}], "json")


def test_each_bad_line_costs_the_same() -> None:
    def steps(count: int) -> int:
        data = b'{"a":1,"a":[]}\n' * count

        def read() -> None:
            with pytest.raises(SourceError) as caught:
                read_documents(data, "w.jsonl", "json")
            assert caught.value.problems[-1].where == f"w.jsonl:{count}:8"

        return steps_of(read)

    assert steps(1000) < 10.1 * steps(100)
    data = b'{"a":1,"a":[]}\n' * 100_000  # whose lines are read again in hours
    with pytest.raises(SourceError):
        read_documents(data, "w.jsonl", "json")


@pytest.mark.parametrize("end", ["", "\\"])
def test_a_string_without_end_is_read_once(end: str) -> None:
    """What takes the square of its length would take hours."""
    data = ('{"a": "' + '\\"' * 500_000 + end).encode()
    with pytest.raises(SourceError, match=r"no closing quote|JSON does not have this escape"):
        read_documents(data, "w.json", "json")


def test_texts_are_joined_whatever_they_begin_with() -> None:
    """What takes twice as long with each blank line would take years."""
    blank = b"\n" * 100
    comments = b"# a\n" * 100
    texts = [b"a: 1", blank + b"b: 1\n", comments + b" # ---\nc: 1\n", comments + b"---\nd: 1\n"]
    assert join_texts(texts, "yaml") == (b"a: 1\n---\n" + texts[1] + b"---\n" + texts[2] + texts[3])


@pytest.mark.parametrize(
    "first", ["a: |\n  x\n  y", "a: &b >2\n   x", "- |+\n  x\n\n  ", "--- |\n x", "a: 1"]
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_joined_texts_say_what_they_said(first: str, mark: str) -> None:
    """A block at the end gets no line break, and a mark of one file is not in another."""
    texts = [first.encode(), f"{mark}---\nb: 1".encode()]
    values = [read_documents(text, "f.yaml", "yaml")[0].value for text in texts]
    joined = read_documents(join_texts(texts, "yaml"), "f.yaml", "yaml")
    assert [document.value for document in joined] == values


@pytest.mark.parametrize(
    "first", [b"a: 1", b"a: |\n  x", b"a: 1\n...\n# c\n", b"\xef\xbb\xbf# c\n"]
)
@pytest.mark.parametrize("before", [b"", b"\n# c\n"])
def test_a_directive_follows_the_end_of_a_document(first: bytes, before: bytes) -> None:
    """Readers take what follows `---` for a part of a document."""
    texts = [first, before + b"%YAML 1.1\n---\nb: 1\n", b"c: 1\n"]
    joined = join_texts(texts, "yaml")
    whole = [document.value for document in read_documents(joined, "f.yaml", "yaml")]
    assert whole[-2:] == [{"b": 1}, {"c": 1}]
    assert [*yaml.safe_load_all(joined)] == whole
    assert b"---\n" + texts[1] not in joined
    assert (b"...\n" + texts[1] in joined) is (b": " in first)
