"""`holdall convert` on JSON lines and tables: a piece at a time, whole files or none."""

from __future__ import annotations

import gc
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import Result
from pyarrow import parquet

from holdall.bulk import drafts, runs, sources
from holdall.bulk.drafts import Draft
from holdall.scheme.projects import load_schemes
from tests.support import commands
from tests.support.projects import THING_CONFIG, THING_FILES, build_project
from tests.support.serving import PATIENCE

pytestmark = pytest.mark.usefixtures("own_folder")


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of about two lines, and a record after each of them."""
    monkeypatch.setattr(sources, "BLOCK", 128)
    monkeypatch.setattr(runs, "_SECONDS", -1.0)


def run(project: Path, *arguments: str, stdin: str | bytes | None = None) -> Result:
    """Convert to v2 in this process."""
    return commands.run(project, "convert", "--to", "v2", *arguments, stdin=stdin)


def thing(number: int = 0, version: str = "v1", **spec: Any) -> str:
    head = {"apiVersion": f"example.com/{version}", "kind": "Thing"}
    return json.dumps({**head, "spec": {"size": number, **spec}}, separators=(",", ":"))


def things(count: int, version: str = "v1") -> str:
    return "".join(f"{thing(number, version)}\n" for number in range(count))


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if ".part" in path.name)


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.JSONL"])
def test_lines_stay_lines(project: Path, tmp_path: Path, name: str) -> None:
    """Every line is a document; compact in, compact out, as `convert_bytes` makes it."""
    (tmp_path / name).write_text(things(3) + thing(3, color="red"))
    result = run(project, name)
    scheme = load_schemes(project)[0]
    last = scheme.convert_bytes(thing(3, color="red"), to="v2").decode()
    assert (result.exit_code, result.stdout) == (0, things(3, "v2") + last + "\n")


def test_lines_by_request(project: Path, tmp_path: Path) -> None:
    """--jsonl reads lines from standard input, and from files of any name."""
    for arguments in ((), ("-",)):
        result = run(project, "--jsonl", *arguments, stdin=things(3))
        assert (result.exit_code, result.stdout) == (0, things(3, "v2"))
    (tmp_path / "a.log").write_text(things(2))
    assert run(project, "--jsonl", "a.log").stdout == things(2, "v2")
    assert "neither JSON nor YAML" in run(project, "a.log").stderr


def test_empty_lines_and_line_ends(project: Path) -> None:
    """Blank lines are left out, carriage returns too, and the last line needs no end."""
    text = f"\n{thing(1)}\r\n  \n\r\n{thing(2)}"
    result = run(project, "--jsonl", stdin=text)
    assert result.stdout == f"{thing(1, 'v2')}\n{thing(2, 'v2')}\n"
    assert run(project, "--jsonl", stdin="").stdout == ""


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("source", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"])
@pytest.mark.parametrize("target", ["b.jsonl", "b.jsonl.gz", "b.jsonl.zst"])
def test_compressed_lines(project: Path, tmp_path: Path, source: str, target: str) -> None:
    """The suffix says how a file is compressed, read or written; several parts are one file."""
    write(tmp_path / source, things(5), things(5))
    result = run(project, source, "-o", target)
    assert result.exit_code == 0, result.stderr
    assert read(tmp_path / target) == things(5, "v2") * 2
    assert left_over(tmp_path) == []


@pytest.mark.parametrize(("suffix", "magic"), [(".gz", b"\x1f\x8b"), (".zst", b"\x28\xb5\x2f\xfd")])
def test_compressed_files_of_nothing(
    project: Path, tmp_path: Path, suffix: str, magic: bytes
) -> None:
    """Where no document is left a file is still what its name says, in a folder, too."""
    (tmp_path / "in").mkdir()
    write(tmp_path / f"in/none.jsonl{suffix}", "")
    write(tmp_path / f"in/bad.jsonl{suffix}", "{")
    write(tmp_path / f"in/one.jsonl{suffix}", things(1))
    assert run(project, "in", "-o", "out").exit_code == 1
    assert run(project, f"in/bad.jsonl{suffix}", "-o", f"bad.jsonl{suffix}").exit_code == 1
    for name in ("out/none", "out/bad", "bad"):
        path = tmp_path / f"{name}.jsonl{suffix}"
        assert (path.read_bytes()[: len(magic)], read(path)) == (magic, "")
    assert read(tmp_path / f"out/one.jsonl{suffix}") == things(1, "v2")


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
def test_a_compressed_file_without_a_byte(project: Path, tmp_path: Path, name: str) -> None:
    """It is what a writer leaves that never began; even nothing has a header."""
    (tmp_path / name).write_bytes(b"")
    result = run(project, name, "-o", "b.jsonl")
    assert (result.exit_code, left_over(tmp_path)) == (2, [])
    assert f"HA414 {name}: the file ends early, or is damaged: it is empty" in (result.stderr)


def write(path: Path, *parts: str) -> None:
    """Write text in parts, each compressed by itself."""
    for text in parts:
        data = text.encode()
        if path.suffix == ".gz":
            data = gzip.compress(data)
        elif path.suffix == ".zst":
            data = pa.Codec("zstd").compress(data, asbytes=True)
        path.parent.mkdir(exist_ok=True)
        with path.open("ab") as file:
            file.write(data)


def errors() -> list[Any]:
    """Return what was collected in e.jsonl."""
    return [json.loads(line) for line in Path("e.jsonl").read_text().splitlines()]


def read(path: Path) -> str:
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode()
    if path.suffix == ".zst":
        with pa.input_stream(str(path), compression="zstd") as stream:
            return bytes(stream.read()).decode()
    return path.read_text()


BAD_LINES = [
    (thing(1)[:40], "HA501", ""),
    ("[1]", "HA502", ""),
    (thing(1).replace("Thing", "Thong"), "HA401", ""),
    (thing(1, parts=[5]), "HA502", "/spec/parts/0"),
    (thing(1).replace(":1}", ":1e999}"), "HA501", ""),
    ('{"apiVersion":"example.com/v1","kind":"Thing","a":1,', "HA501", ""),
]


@pytest.mark.usefixtures("small_blocks")
def test_bad_lines_are_collected(project: Path, tmp_path: Path) -> None:
    """--errors takes line, code, path, reason and text; the other lines are written; code 1."""
    text = "".join(f"{thing(n)}\n{bad}\n" for n, (bad, _, _) in enumerate(BAD_LINES))
    (tmp_path / "a.jsonl").write_text(text)
    result = run(project, "a.jsonl", "-o", "b.jsonl", "--errors", "e.jsonl")
    assert result.exit_code == 1
    assert (tmp_path / "b.jsonl").read_text() == things(len(BAD_LINES), "v2")
    found = errors()
    assert [(e["line"], e["code"], e["path"], e["document"]) for e in found] == [
        (2 * n + 2, code, path, bad) for n, (bad, code, path) in enumerate(BAD_LINES)
    ]
    assert all(e["message"] for e in found) and found[0]["where"] == "a.jsonl:2"
    assert result.stderr == "6 converted, 6 failed: see e.jsonl\n"


def test_bad_lines_are_told(project: Path) -> None:
    """Without --errors each goes to standard error; bytes that are no text, too."""
    text = thing(1).encode() + b'\n{"a":"\xff"}\n' + thing(2).encode()
    result = run(project, "--jsonl", stdin=text)
    assert (result.exit_code, result.stdout) == (1, f"{thing(1, 'v2')}\n{thing(2, 'v2')}\n")
    assert result.stderr.startswith("HA501 <stdin>:2: malformed JSON at byte 6: not UTF-8")


def test_errors_of_documents_are_collected(project: Path, tmp_path: Path) -> None:
    """--errors takes those of YAML, too."""
    text = "apiVersion: example.com/v1\nkind: Thing\nspec: 1\n"
    result = run(project, "--errors", "e.jsonl", stdin=text)
    (error,) = errors()
    assert (error["line"], error["code"], error["path"]) == (3, "HA502", "/spec")
    assert error["document"] == '{"apiVersion":"example.com/v1","kind":"Thing","spec":1}'
    assert (result.exit_code, result.stderr) == (1, "0 converted, 1 failed: see e.jsonl\n")


def test_a_list_in_a_line(project: Path) -> None:
    """The items of a list are converted one by one, as in other files."""
    value = {"apiVersion": "v1", "kind": "List", "items": [json.loads(thing(1)), 5]}
    result = run(project, "--jsonl", stdin=json.dumps(value))
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["items"] == [json.loads(thing(1, "v2"))]
    assert (result.exit_code, "HA502 <stdin>:1" in result.stderr) == (1, True)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_item_of_a_list_is_named(project: Path, tmp_path: Path, jobs: str) -> None:
    """Which one failed, or lost data, also in a list of lists: their line has all of them."""
    lost = json.loads(thing(1, color="red")) | {"metadata": 5}
    bad, good = json.loads(thing(2, parts=[5])), json.loads(thing(3))
    inner = {"apiVersion": "v1", "kind": "List", "items": [bad, good]}
    outer = {"apiVersion": "v1", "kind": "List", "items": [good, good, lost, good, inner, bad]}
    (tmp_path / "a.jsonl").write_text(f"{thing()}\n\n{json.dumps(outer)}\n")
    result = run(project, "a.jsonl", "-o", "b.jsonl", "--jobs", jobs)
    places = re.findall(r"a\.jsonl:(\S+): Thing", result.stderr)
    assert (result.exit_code, places) == (1, ["3:items[2]", "3:items[4]:items[0]", "3:items[5]"])
    result = run(project, "a.jsonl", "-o", "b.jsonl", "--errors", "e.jsonl")
    told = [(error["line"], error["where"].rpartition("a.jsonl:")[2]) for error in errors()]
    assert told == [(3, "3:items[4]:items[0]"), (3, "3:items[5]")]


@pytest.mark.parametrize("kind", ["List", "ThingList"])
def test_items_of_a_list_that_fail_are_collected(project: Path, tmp_path: Path, kind: str) -> None:
    """Each with its text: a list that is converted in its place has it no more."""
    bad = thing(2, parts=[5])
    items = [json.loads(text) for text in (thing(1), bad)]
    value = {"apiVersion": "example.com/v1", "kind": kind, "items": items}
    (tmp_path / "a.jsonl").write_text(json.dumps(value))
    result = run(project, "a.jsonl", "-o", "a.jsonl", "--errors", "e.jsonl")
    assert (result.exit_code, result.stderr) == (1, "1 converted, 1 failed: see e.jsonl\n")
    (error,) = errors()
    assert (error["line"], error["path"], error["document"]) == (1, "/spec/parts/0", bad)


def test_a_list_of_documents_that_need_not_say_what_they_are(tmp_path: Path) -> None:
    """Beside kinds of an API the items of a list may be of a default version."""
    head, _, rest = THING_CONFIG.partition("  things:\n")
    own = rest.replace("api_group: example.com", "version_at: {member: edition, default: v1}")
    config = f"{head}  things:\n{rest.rstrip()}\n  notes:\n{own.replace('Thing', 'Note')}"
    project = build_project(tmp_path / "project", config, THING_FILES)
    text = '{"apiVersion":"v1","kind":"List","items":[{"spec":{"size":1}}]}'
    for arguments in (("--jsonl",), ()):
        result = run(project, *arguments, stdin=text)
        (item,) = json.loads(result.stdout)["items"]
        assert (result.exit_code, item) == (0, {"edition": "v2", "spec": {"size": 1}})


def test_unknown_kinds_pass_on_request(project: Path) -> None:
    """As they are, byte for byte."""
    foreign = '{"apiVersion": "v1",  "kind": "Pod"}'
    result = run(project, "--jsonl", "--pass-unknown", stdin=f"{foreign}\n{thing(1)}\n")
    assert (result.exit_code, result.stdout) == (0, f"{foreign}\n{thing(1, 'v2')}\n")


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_documents_that_are_too_deep(project: Path, version: str) -> None:
    """Refused at every version, also at the one that is asked for."""
    text = thing(1, version, more=None).replace("null", "[" * 499 + "]" * 499)
    result = run(project, "--jsonl", stdin=f"{text}\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the list is nested deeper than 500 levels" in result.stderr


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_file_that_ends_early(project: Path, tmp_path: Path, name: str, jobs: str) -> None:
    """What is there of it is not written: what, where and the fix; nothing is left behind."""
    write(tmp_path / name, things(20000))
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    (tmp_path / "b.jsonl").write_text("before")
    result = run(project, name, "-o", "b.jsonl", "--jobs", jobs)
    assert result.exit_code == 2
    assert f"HA414 {name}: the file ends early, or is damaged" in result.stderr
    assert "fix: " in result.stderr
    assert (tmp_path / "b.jsonl").read_text() == "before"
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "a.parquet"])
def test_a_file_that_is_not_what_its_name_says(project: Path, tmp_path: Path, name: str) -> None:
    """Plain text under a name of compressed text or of a table."""
    (tmp_path / name).write_text(things(3))
    result = run(project, name, "-o", f"b{name}", *(["--column", "d"] if "parq" in name else []))
    assert (result.exit_code, f"HA414 {name}: " in result.stderr) == (2, True), result.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_damaged_table(project: Path, tmp_path: Path, jobs: str) -> None:
    """What Arrow cannot unpack is not a defect, and nothing waits for it."""
    parquet.write_table(pa.table({"doc": [thing(n) for n in range(3000)]}), tmp_path / "a.parquet")
    data = bytearray((tmp_path / "a.parquet").read_bytes())
    data[200:4000] = b"\xff" * 3800
    (tmp_path / "a.parquet").write_bytes(data)
    result = run(project, "a.parquet", "-o", "b.parquet", "--column", "doc", "--jobs", jobs)
    assert (result.exit_code, left_over(tmp_path)) == (2, [])
    assert result.stderr.startswith("HA414 a.parquet: the file ends early, or is damaged: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_under_a_table(project: Path, tmp_path: Path) -> None:
    """The place is named, as for lines."""
    parquet.write_table(pa.table({"doc": [thing()]}), tmp_path / "a.parquet")
    result = run(project, "a.parquet", "-o", "/dev/full", "--column", "doc")
    assert (result.exit_code, result.stderr) == (2, "/dev/full: No space left on device\n")


def test_a_table_that_does_not_end(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its end is not written to a closed file: Python said so whenever it noticed."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("holdall.bulk.tables._told", interrupt)
    parquet.write_table(pa.table({"doc": [thing()]}), tmp_path / "a.parquet")
    result = run(project, "a.parquet", "-o", "b.parquet", "--column", "doc")
    assert result.exit_code != 0
    assert not (tmp_path / "b.parquet").exists()
    del result
    gc.collect()


def test_names_that_are_not_utf_8(project: Path, tmp_path: Path) -> None:
    """Messages, files of errors and records of runs spell them out."""
    name = os.fsdecode(b"\xff.jsonl")
    (tmp_path / name).write_text(things(1) + "{")
    result = run(project, name, "-o", "b.jsonl", "--errors", "e.jsonl")
    assert (result.exit_code, read(tmp_path / "b.jsonl")) == (1, things(1, "v2")), result.stderr
    assert errors()[0]["where"] == "\\xff.jsonl:2"
    result = run(project, name, "--json")
    assert json.loads(result.stderr.splitlines()[0])["where"] == "\\xff.jsonl:2"


def test_processes_keep_the_order(project: Path, tmp_path: Path) -> None:
    """Two processes write the same bytes as one, failures in their order."""
    lines = [thing(n) if n % 1000 else "{" for n in range(60000)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    results = [
        run(project, "a.jsonl", "-o", f"{jobs}.jsonl", "--errors", f"e{jobs}", "--jobs", jobs)
        for jobs in ("1", "2")
    ]
    assert [result.exit_code for result in results] == [1, 1]
    for one, two in (("1.jsonl", "2.jsonl"), ("e1", "e2")):
        assert (tmp_path / one).read_bytes() == (tmp_path / two).read_bytes()
    assert len((tmp_path / "e1").read_text().splitlines()) == 60


Begin = Callable[..., Result]


@pytest.fixture
def begin(project: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Begin a run that a full disk ends at a call of a function, that which writes to drafts."""

    def begin(
        *arguments: str,
        at: int = 3,
        owner: Any = drafts,
        name: str = "write_all",
        stdin: str | None = None,
    ) -> Result:
        real, calls = getattr(owner, name), iter(range(1000))

        def fail(first: Any, *given: Any) -> None:
            if next(calls) == at:
                if owner is drafts:
                    first.write(given[0][:3])
                raise OSError(28, "No space left on device")
            real(first, *given)

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, fail)
            result = run(project, *arguments, stdin=stdin)
        assert result.exit_code == 2
        return result

    return begin


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("target", ["b.jsonl", "b.jsonl.gz"])
@pytest.mark.parametrize("at", [1, 4, 7])
def test_resume(project: Path, tmp_path: Path, begin: Begin, target: str, at: int) -> None:
    """A full disk ends the run; --resume goes on, and the result is that of a single run."""
    text = "".join(f"{thing(n)}\n" + ("{\n" if n % 3 == 0 else "") for n in range(20))
    (tmp_path / "a.jsonl").write_text(text)
    arguments = ("a.jsonl", "-o", target, "--errors", "e.jsonl")
    run(project, "a.jsonl", "-o", "whole.jsonl", "--errors", "whole.errors")
    result = begin(*arguments, at=at)
    assert "No space left on device" in result.stderr and "--resume" in result.stderr
    assert not (tmp_path / target).exists() and not (tmp_path / "e.jsonl").exists()
    result = run(project, *arguments, "--resume")
    assert result.exit_code == 1, result.stderr
    assert read(tmp_path / target) == (tmp_path / "whole.jsonl").read_text()
    assert (tmp_path / "e.jsonl").read_text() == (tmp_path / "whole.errors").read_text()
    assert "20 converted, 7 failed" in result.stderr
    assert left_over(tmp_path) == []


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("left", [False, True])
def test_a_draft_is_as_private_as_its_file(
    project: Path, tmp_path: Path, begin: Begin, left: bool
) -> None:
    """Also one that begins again where an earlier run left one that all could read."""
    (tmp_path / "a.jsonl").write_text(things(20))
    write(tmp_path / "b.jsonl", "")
    (tmp_path / "b.jsonl").chmod(0o440)
    if left:
        write(tmp_path / "b.jsonl.part", things(1))
        (tmp_path / "b.jsonl.part").chmod(0o644)
    begin("a.jsonl", "-o", "b.jsonl")
    assert (tmp_path / "b.jsonl.part").stat().st_mode & 0o777 == 0o640
    assert run(project, "a.jsonl", "-o", "b.jsonl", "--resume").exit_code == 0
    assert (tmp_path / "b.jsonl").stat().st_mode & 0o777 == 0o440


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["b.jsonl", "e.jsonl"])
@pytest.mark.parametrize("size", [None, 0, 3])
def test_a_draft_that_is_not_what_it_was(
    project: Path, tmp_path: Path, begin: Begin, name: str, size: int | None
) -> None:
    """One that is gone or shorter is never filled up: the run begins again."""
    (tmp_path / "a.jsonl").write_text("{\n" + things(20))
    whole = ("a.jsonl", "-o", "b.jsonl", "--errors", "e.jsonl")
    begin(*whole, at=5)
    if size is None:
        (tmp_path / f"{name}.part").unlink()
    else:
        os.truncate(tmp_path / f"{name}.part", size)
    before = left_over(tmp_path)
    result = run(project, *whole, "--resume")
    assert (result.exit_code, left_over(tmp_path)) == (2, before)
    assert f"the draft of {name} is missing, or shorter than it was" in result.stderr
    assert run(project, *whole).exit_code == 1
    assert read(tmp_path / "b.jsonl") == things(20, "v2")


@pytest.mark.usefixtures("small_blocks")
def test_a_draft_that_waits_for_the_others(project: Path, tmp_path: Path, begin: Begin) -> None:
    """A file that was whole when the run was ended has to be there when it goes on."""
    for name in "ab":
        write(tmp_path / f"in/{name}.jsonl", things(6))
    begin("in", "-o", "out", at=5)
    (tmp_path / "out/a.jsonl.part").unlink()
    result = run(project, "in", "-o", "out", "--resume")
    assert (result.exit_code, "the draft of out/a.jsonl is missing" in result.stderr) == (2, True)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_a_folder_onto_itself(
    project: Path, tmp_path: Path, begin: Begin, resume: tuple[str, ...]
) -> None:
    """The record of a run that was ended there is not a document."""
    for name in "ab":
        write(tmp_path / f"in/{name}.jsonl", things(6))
    begin("in", "-o", "in", at=5)
    assert (tmp_path / "in/.holdall-convert.json").exists()
    result = run(project, "in", "-o", "in", *resume)
    assert (result.exit_code, result.stderr) == (0, "12 converted, 0 failed\n")
    assert {path.name for path in (tmp_path / "in").iterdir()} == {"a.jsonl", "b.jsonl"}
    begin("in", "-o", "in/c.jsonl", at=5)
    result = run(project, "in", "-o", "in/c.jsonl", *resume)
    assert (result.exit_code, result.stderr) == (0, "0 converted, 12 unchanged, 0 failed\n")


def test_places_are_taken_one_by_one(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What failed is safe first; who goes on does not ask for sources that were replaced."""
    for name in "ab":
        write(tmp_path / f"in/{name}.jsonl", things(2) + "{\n")
    real, calls = Draft.place, iter(range(9))

    def place(draft: Draft) -> None:
        if next(calls) == 2:
            raise KeyboardInterrupt
        real(draft)

    whole = ("in", "-o", "in", "--errors", "e.jsonl")
    with monkeypatch.context() as patch:
        patch.setattr(Draft, "place", place)
        assert run(project, *whole).exit_code == 1
    assert len(errors()) == 2
    assert read(tmp_path / "in/a.jsonl") == things(2, "v2")
    result = run(project, *whole, "--resume")
    assert (result.exit_code, "4 converted, 2 failed" in result.stderr) == (1, True), result.stderr
    assert read(tmp_path / "in/b.jsonl") == things(2, "v2")
    assert len(errors()) == 2


@pytest.mark.usefixtures("small_blocks")
def test_resume_takes_no_other_run(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begin: Begin
) -> None:
    """Other options and a changed source are refused; so is a record that is none."""
    (tmp_path / "a.jsonl").write_text(things(20))
    begin("a.jsonl", "-o", "b.jsonl")
    assert left_over(tmp_path) == ["b.jsonl.part", "b.jsonl.part.json"]
    again = ("a.jsonl", "-o", "b.jsonl", "--resume")
    for other in (("--pass-unknown",), ("--errors", "e.jsonl")):
        result = run(project, *again, *other)
        assert (result.exit_code, "has other options" in result.stderr) == (2, True)
    with monkeypatch.context() as patch:
        patch.setattr(runs, "groups_of", lambda _: [("things", "another plan", "", "")])
        result = run(project, *again)
    assert (result.exit_code, "or another project" in result.stderr) == (2, True)
    (tmp_path / "a.jsonl").write_text(things(21))
    result = run(project, *again)
    assert (result.exit_code, "has changed since" in result.stderr) == (2, True)
    assert "HA416 b.jsonl.part.json" in result.stderr and "fix: " in result.stderr
    (tmp_path / "b.jsonl.part.json").write_text("{}")
    assert "not the record of a run" in run(project, *again).stderr
    assert left_over(tmp_path) == ["b.jsonl.part", "b.jsonl.part.json"]
    assert run(project, *again[:-1]).exit_code == 0
    assert (tmp_path / "b.jsonl").read_text() == things(21, "v2")
    assert left_over(tmp_path) == []


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("current", "1"),
        ("read", None),
        ("line", 1.5),
        ("written", -1),
        ("errors", True),
        ("counts", {"converted": "4"}),
        ("counts", []),
        ("sources", [[]]),
        ("sources", 1),
        ("settings", []),
        ("placing", 0),
        ("more", 1),
    ],
)
def test_a_record_that_was_edited(
    name: str, value: object, project: Path, tmp_path: Path, begin: Begin
) -> None:
    """The refusal names the member, and nothing changes."""
    (tmp_path / "a.jsonl").write_text(things(20))
    begin("a.jsonl", "-o", "b.jsonl")
    record = tmp_path / "b.jsonl.part.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), name: value}))
    draft = (tmp_path / "b.jsonl.part").read_bytes()
    result = run(project, "a.jsonl", "-o", "b.jsonl", "--resume")
    assert result.exit_code == 2
    assert "HA416 b.jsonl.part.json" in result.stderr and f"/{name}" in result.stderr
    assert "fix: run it without --resume" in result.stderr
    assert (tmp_path / "b.jsonl.part").read_bytes() == draft


@pytest.mark.usefixtures("small_blocks")
def test_standard_input_begins_again(project: Path, tmp_path: Path, begin: Begin) -> None:
    """Another one could follow on what was written: nothing is left of a run that was ended."""
    result = begin("--jsonl", "-o", "b.jsonl", stdin=things(20))
    assert "--resume" not in result.stderr
    assert (left_over(tmp_path), (tmp_path / "b.jsonl").exists()) == ([], False)


def test_resume_without_anything_begun(project: Path, tmp_path: Path) -> None:
    """A script may always say --resume."""
    (tmp_path / "a.jsonl").write_text(things(3))
    assert run(project, "a.jsonl", "-o", "b.jsonl", "--resume").exit_code == 0
    assert (tmp_path / "b.jsonl").read_text() == things(3, "v2")


KILLED = """\
import os, random, signal, sys
from holdall.bulk import runs, sources
from holdall.cli import main

sources.BLOCK, runs._SECONDS = 2**14, -1.0
save, write, left = runs.Record.save, runs.Run._write, -1

def saving_once(self, progress):
    global left
    save(self, progress)
    runs._SECONDS, left = 3600.0, random.randrange(10)

def killing_write(self, *given):
    global left
    write(self, *given)
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1

runs.Record.save, runs.Run._write = saving_once, killing_write
sys.exit(main(sys.argv[1:]))
"""


def test_a_run_that_is_killed(project: Path, tmp_path: Path, project_root: Path) -> None:
    """kill -9 leaves a draft and its record, and no half file; --resume goes on.

    The process kills itself, some pieces after its record: a piece may take as long as it likes.
    """
    count = 20_000
    (tmp_path / "a.jsonl").write_text(things(count))
    paths = os.pathsep.join(str(project_root / source) for source in ("runtime", "codegen"))
    command = [sys.executable, "-c", KILLED, "--project", str(project), "convert", "--to", "v2"]
    command += ["a.jsonl", "-o", "b.jsonl", "--jobs", "2"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, check=False)
    assert done.returncode == -signal.SIGKILL
    record = tmp_path / "b.jsonl.part.json"
    assert record.exists() and not (tmp_path / "b.jsonl").exists()
    assert json.loads(record.read_text())["read"] < (tmp_path / "a.jsonl").stat().st_size
    result = run(project, "a.jsonl", "-o", "b.jsonl", "--resume")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "b.jsonl").read_text() == things(count, "v2")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("a.jsonl", "-o", "b.jsonl"), ("a.jsonl", "-o", "b.jsonl")),
        (("a.jsonl", "-o", "b.jsonl"), ("a.jsonl", "-o", "b.jsonl", "--resume")),
        (("a.jsonl", "-o", "b.jsonl"), ("--jsonl", "-o", "b.jsonl")),
        (("in", "-o", "out"), ("other", "-o", "out")),
        (("a.jsonl", "--errors", "e.jsonl"), ("in/a.jsonl", "--errors", "e.jsonl")),
    ],
)
@pytest.mark.usefixtures("small_blocks")
def test_two_runs_at_once(
    project: Path,
    prepared: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: tuple[str, ...],
    second: tuple[str, ...],
) -> None:
    """The second one is refused, and changes nothing of the first one's."""
    for name in ("a.jsonl", "in/a.jsonl", "in/b.jsonl", "other/b.jsonl", "other/c.jsonl"):
        write(tmp_path / name, things(20) + "{\n")
    command = [str(prepared / "holdall"), "--project", str(project), "convert", "--to", "v2"]
    write_piece = runs.Run._write
    meanwhile: list[subprocess.CompletedProcess[str]] = []

    def write_and_begin(*given: Any) -> None:
        write_piece(*given)
        if not meanwhile:
            text = things(3) if "--jsonl" in second else ""
            meanwhile.append(
                subprocess.run(
                    [*command, *second], input=text, capture_output=True, text=True, check=False
                )
            )

    with monkeypatch.context() as patch:
        patch.setattr(runs.Run, "_write", write_and_begin)
        result = run(project, *first)
    (refused,) = meanwhile
    assert (refused.returncode, "HA434" in refused.stderr) == (2, True), refused.stderr
    assert result.exit_code == 1
    written = result.stdout or read(tmp_path / ("b.jsonl" if "b.jsonl" in first else "out/a.jsonl"))
    assert written == things(20, "v2")
    assert left_over(tmp_path) == []


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("b.jsonl.part", ("-o", "b.jsonl")),
        ("b.jsonl.part.json", ("-o", "b.jsonl")),
        ("e.part", ("--errors", "e")),
    ],
)
def test_a_source_that_has_the_name_of_a_draft(
    project: Path, tmp_path: Path, source: str, output: tuple[str, ...]
) -> None:
    """It would be overwritten before it is read."""
    write(tmp_path / source, things(3))
    result = run(project, "--jsonl", source, *output)
    assert (result.exit_code, f"{source}: a file of this name" in result.stderr) == (2, True)
    assert read(tmp_path / source) == things(3)


def test_folders(project: Path, tmp_path: Path) -> None:
    """A folder may hold lines, tables and documents; each has its file in the output."""
    (tmp_path / "in/sub").mkdir(parents=True)
    (tmp_path / "in/a.jsonl").write_text(things(2))
    write(tmp_path / "in/sub/b.jsonl.gz", things(3))
    (tmp_path / "in/c.yaml").write_text("apiVersion: example.com/v1\nkind: Thing\n")
    parquet.write_table(pa.table({"doc": [thing(1)]}), tmp_path / "in/d.parquet")
    (tmp_path / "in/empty.jsonl").write_text("")
    result = run(project, "in", "-o", "out", "--column", "doc")
    assert result.exit_code == 0, result.stderr
    out = tmp_path / "out"
    assert read(out / "a.jsonl") == things(2, "v2") and read(out / "empty.jsonl") == ""
    assert read(out / "sub/b.jsonl.gz") == things(3, "v2")
    assert (out / "c.yaml").read_text() == "apiVersion: example.com/v2\nkind: Thing\n"
    assert parquet.read_table(out / "d.parquet")["doc"].to_pylist() == [thing(1, "v2")]
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert names == {"a.jsonl", "sub/b.jsonl.gz", "c.yaml", "d.parquet", "empty.jsonl"}


@pytest.mark.usefixtures("small_blocks")
def test_folders_are_resumed(project: Path, tmp_path: Path, begin: Begin) -> None:
    """What was converted of several files waits, and no file is there before all are."""
    (tmp_path / "in").mkdir()
    for name in "abc":
        (tmp_path / f"in/{name}.jsonl").write_text(things(6))
    begin("in", "-o", "out", at=5)
    assert not list((tmp_path / "out").glob("*.jsonl"))
    assert run(project, "in", "-o", "out", "--resume").exit_code == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"a.jsonl", "b.jsonl", "c.jsonl"}
    assert all(read(tmp_path / f"out/{name}.jsonl") == things(6, "v2") for name in "abc")


def test_files_reach_the_disk_side_by_side(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes its time for each file, however small."""
    (tmp_path / "in").mkdir()
    for name in "ab":
        (tmp_path / f"in/{name}.jsonl").write_text(things(1))
    both = threading.Barrier(2, timeout=PATIENCE)
    monkeypatch.setattr("holdall.bulk.drafts.os.fsync", lambda _: both.wait())
    assert run(project, "in", "-o", "out").exit_code == 0


@pytest.mark.parametrize(("seconds", "resumed"), [(5.0, 0), (-1.0, 2)])
def test_a_file_that_does_not_reach_the_disk(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, resumed: int
) -> None:
    """No file is in its place then, and the record does not say that this one was done."""
    monkeypatch.setattr(runs, "_SECONDS", seconds)
    (tmp_path / "in").mkdir()
    counts = {"a": 5, "b": 6, "c": 6}
    for name, count in counts.items():
        (tmp_path / f"in/{name}.jsonl").write_text(things(count))

    def lose(file: int) -> None:
        is_first = os.fstat(file).st_size == len(things(5))
        if is_first and threading.current_thread() is not threading.main_thread():
            os.ftruncate(file, 0)
            raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("holdall.bulk.drafts.os.fsync", lose)
        result = run(project, "in", "-o", "out")
    assert (result.exit_code, "out/a.jsonl: Input/output error" in result.stderr) == (2, True)
    assert not list((tmp_path / "out").glob("*.jsonl"))
    result = run(project, "in", "-o", "out", "--resume")
    assert (result.exit_code, "HA416" in result.stderr) == (resumed, resumed == 2)
    assert resumed or all(
        read(tmp_path / f"out/{name}.jsonl") == things(count, "v2")
        for name, count in counts.items()
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_tables(project: Path, tmp_path: Path, jobs: str) -> None:
    """All rows stay, those that failed as they were; three columns say what became of each."""
    texts = [thing(n) if n % 100 else "{" for n in range(1500)]
    table = pa.table({"id": range(1500), "doc": texts})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=400)
    result = run(project, "a.parquet", "-o", "b.parquet", "--column", "doc", "--jobs", jobs)
    assert (result.exit_code, "1,485 converted, 15 failed" in result.stderr) == (1, True)
    assert "HA501 a.parquet:101: malformed JSON" in result.stderr
    found = parquet.read_table(tmp_path / "b.parquet")
    assert found["id"].to_pylist() == list(range(1500))
    assert found["doc"].to_pylist() == [thing(n, "v2") if n % 100 else "{" for n in range(1500)]
    assert found.column_names == ["id", "doc", "outcome", "error", "version_before"]


@pytest.mark.usefixtures("small_blocks")
def test_a_table_that_begins_again(project: Path, tmp_path: Path, begin: Begin) -> None:
    """What was counted and refused of it before the end of the run is forgotten."""
    texts = [thing(n) if n % 100 else "{" for n in range(1500)]
    parquet.write_table(pa.table({"doc": texts}), tmp_path / "b.parquet")
    (tmp_path / "a.jsonl").write_text(things(2) + "{")
    arguments = (*("a.jsonl", "b.parquet", "--column", "doc"), "-o", "out", "--errors", "e.jsonl")
    (tmp_path / "out").mkdir()
    assert "--resume" in begin(*arguments, owner=runs.Run, name="_write").stderr
    result = run(project, *arguments, "--resume")
    assert (result.exit_code, "1,487 converted, 16 failed" in result.stderr) == (1, True)
    assert [error["where"] for error in errors()] == [
        "a.jsonl:3",
        *(f"b.parquet:{n + 1}" for n in range(0, 1500, 100)),
    ]


def test_a_table_among_others_that_lacks_the_column(project: Path, tmp_path: Path) -> None:
    """The message names it."""
    for name, column in (("a", "doc"), ("b", "dok")):
        parquet.write_table(pa.table({column: [thing(1)]}), tmp_path / f"{name}.parquet")
    result = run(project, "a.parquet", "b.parquet", "--column", "doc", "-o", "out")
    assert (result.exit_code, left_over(tmp_path / "out")) == (2, [])
    assert "HA410 b.parquet: column 'doc': there is no such column" in result.stderr


def test_a_table_without_rows(project: Path, tmp_path: Path) -> None:
    """It has the columns all the same."""
    parquet.write_table(pa.table({"doc": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert run(project, "a.parquet", "-o", "b.parquet", "--column", "doc").exit_code == 0
    assert len(parquet.read_table(tmp_path / "b.parquet").column_names) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.parquet", "-o", "b.parquet"), "pass --column"),
        (("a.parquet", "-o", "b.parquet", "--column", "dok"), 'did you mean "doc"?'),
        (("a.parquet", "-o", "b.parquet", "--column", "id"), "found int64"),
        (
            ("a.parquet", "-o", "b.parquet", "--column", "doc", "--kind", "Thong"),
            "no group has the kind 'Thong'; did you mean \"Thing\"?",
        ),
        (("a.parquet", "--column", "doc"), "cannot be written to standard output"),
        (("a.jsonl", "--column", "doc"), "columns are for tables"),
        (("a.jsonl", "--resume"), "--resume needs -o"),
        (("--jsonl", "-o", "b.jsonl", "--resume"), "<stdin> can be read only once"),
        (("--jsonl", "-", "-o", "b.jsonl", "--resume"), "<stdin> can be read only once"),
        (("--jsonl", "/dev/null", "-o", "b.jsonl", "--resume"), "/dev/null can be read only once"),
        (("a.yaml", "--resume"), "are for JSON lines"),
        (("a.yaml", "--jobs", "2"), "are for JSON lines"),
        (("a.yaml", "a.jsonl"), "do not fit one output"),
        (("a.jsonl", "sub/a.jsonl", "-o", "out"), "HA108 out/a.jsonl"),
        (("--jsonl", "-", "a.jsonl"), "or files, not both"),
        (("--jsonl", "-o", "."), "has no name for a file"),
        (("a.jsonl", "-o", "missing/sub/../../a.yaml/b.jsonl"), "a.yaml"),
        (("a.jsonl", "--errors", "a.yaml/x"), "a.yaml/x"),
        (("a.jsonl", "-o", "b.jsonl", "--errors", "./b.jsonl"), "needs a file of its own"),
        (("a.jsonl", "-o", "b.jsonl", "--errors", "a.jsonl"), "needs a file of its own"),
        (("a.yaml", "-o", "b.yaml", "--errors", "b.yaml"), "needs a file of its own"),
        (("a.jsonl", "sub/b.jsonl", "-o", "o", "--errors", "o/a.jsonl"), "needs a file of its own"),
        (("a.yaml", "sub/b.yaml", "-o", "o", "--errors", "o/b.yaml"), "needs a file of its own"),
        (("a.jsonl", "-o", "b.jsonl", "--errors", "b.jsonl.part"), "needs a file of its own"),
        (("a.jsonl", "-o", "b.jsonl", "--errors", "b.jsonl.part.json"), "needs a file of its own"),
        (("a.jsonl", "sub/a.jsonl", "-o", "a.jsonl"), "a.jsonl is an input, but the output of"),
        (("a.yaml", "sub/b.yaml", "-o", "a.yaml"), "a.yaml is an input, but the output of"),
        (("a.yaml", "a.jsonl", "-o", "c.jsonl"), "do not fit one output"),
        (
            ("a.jsonl", "-o", "b.parquet"),
            "is JSON lines, but b.parquet has",
        ),
        (("a.jsonl", "-o", "b.yaml"), "a.jsonl is JSON lines, but b.yaml has"),
        (
            ("a.parquet", "-o", "b.jsonl.gz", "--column", "doc"),
            "is a table, but b.jsonl.gz has",
        ),
        (("a.jsonl", "--output-format", "yaml"), "--output-format is for YAML and JSON"),
        (("a.yaml", "-o", "b.jsonl.gz"), "cannot be written in the form of b.jsonl.gz"),
        (("a.yaml", "-o", "b.parquet"), "cannot be written in the form of b.parquet"),
        (("a.yaml", "-o", "b.jsonl", "--output-format", "yaml"), "contradicts the name b.jsonl"),
        (("a.jsonl", "-o", "circle.jsonl"), "circle.jsonl: Too many levels of symbolic links"),
        (("a.yaml", "-o", "circle.jsonl"), "circle.jsonl: Too many levels of symbolic links"),
        (("a.jsonl", "sub/b.jsonl", "-o", "round"), "round/b.jsonl: Too many levels"),
        (("a.jsonl", "-o", "b.jsonl", "--errors", "circle.jsonl"), "circle.jsonl: Too many levels"),
    ],
)
def test_wrong_use(project: Path, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    """Wrong use is exit code 2 with one clear sentence, and nothing is written."""
    (tmp_path / "a.yaml").write_text("apiVersion: example.com/v1\nkind: Thing\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.yaml").write_text("apiVersion: example.com/v1\nkind: Thing\n")
    for name in ("a.jsonl", "sub/a.jsonl", "sub/b.jsonl"):
        (tmp_path / name).write_text(things(1))
    parquet.write_table(pa.table({"doc": [thing()], "id": [1]}), tmp_path / "a.parquet")
    (tmp_path / "round").mkdir()
    for circle in ("circle.jsonl", "round/b.jsonl"):
        (tmp_path / circle).symlink_to(tmp_path / circle)
    before = sorted(path.as_posix() for path in tmp_path.rglob("*"))
    result = run(project, *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert sorted(path.as_posix() for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("suffix", ["jsonl", "yaml"])
def test_two_places_that_are_one_file(project: Path, tmp_path: Path, suffix: str) -> None:
    """A link in the folder of results: what the first file became was gone, and counted."""
    for folder in ("in", "out"):
        (tmp_path / folder).mkdir()
    for name in "ab":
        (tmp_path / f"in/{name}.{suffix}").write_text(things(1))
    (tmp_path / f"out/a.{suffix}").symlink_to(f"b.{suffix}")
    result = run(project, "in", "-o", "out")
    assert (result.exit_code, f"HA108 out/b.{suffix}" in result.stderr) == (2, True), result.output
    assert not (tmp_path / f"out/b.{suffix}").exists()


def test_onto_itself(project: Path, tmp_path: Path) -> None:
    """A file may be converted in its place, and keeps its mode."""
    (tmp_path / "a.jsonl").write_text(things(3))
    (tmp_path / "a.jsonl").chmod(0o640)
    assert run(project, "a.jsonl", "-o", "a.jsonl").exit_code == 0
    assert (tmp_path / "a.jsonl").read_text() == things(3, "v2")
    assert (tmp_path / "a.jsonl").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("output", ["a.jsonl", "."])
def test_what_failed_would_be_nowhere(project: Path, tmp_path: Path, output: str) -> None:
    """A file with lines that fail stays as it is, unless they are collected elsewhere."""
    text = things(2) + "broken\n"
    (tmp_path / "a.jsonl").write_text(text)
    result = run(project, "a.jsonl", "-o", output)
    message = "HA419 a.jsonl: it stays as it is: 1 document of the input cannot"
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert (tmp_path / "a.jsonl").read_text() == text
    assert sorted(path.name for path in tmp_path.glob("*.part*")) == []
    assert run(project, "a.jsonl", "-o", output, "--errors", "e.jsonl").exit_code == 1
    assert (tmp_path / "a.jsonl").read_text() == things(2, "v2")
    assert errors()[0]["document"] == "broken"


@pytest.mark.parametrize("options", [(), ("--output-format", "json")])
def test_documents_become_lines(project: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Where the file of results is named so; it was YAML, which no one could read as lines."""
    (tmp_path / "a.yaml").write_text("apiVersion: example.com/v1\nkind: Thing\n---\n" + thing(1))
    result = run(project, "a.yaml", "-o", "b.jsonl", *options)
    assert (result.exit_code, result.stderr) == (0, "2 converted, 0 failed\n")
    first = '{"apiVersion":"example.com/v2","kind":"Thing"}'
    assert (tmp_path / "b.jsonl").read_text() == f"{first}\n{thing(1, 'v2')}\n"


def test_compact_documents_stay_compact(project: Path) -> None:
    """JSON without spaces comes out without."""
    assert run(project, stdin=thing(1)).stdout == thing(1, "v2") + "\n"
    assert run(project, stdin=things(2)).stdout == things(2, "v2")


def test_a_bar_on_a_terminal_only(project: Path, tmp_path: Path, project_root: Path) -> None:
    """It has the part that is done, the rate and, at first, the time left; elsewhere is none."""
    (tmp_path / "a.jsonl").write_text(things(20_000))
    paths = os.pathsep.join(str(project_root / source) for source in ("runtime", "codegen"))
    command = [sys.executable, "-m", "holdall", "--project", str(project), "convert"]
    command += ["--to", "v2", "a.jsonl", "-o", "b.jsonl"]
    ours, theirs = os.openpty()
    with open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123 - a descriptor has no path
        environment = {**os.environ, "PYTHONPATH": paths, "TERM": "xterm"}
        done = subprocess.run(command, env=environment, stderr=theirs, check=True)
        os.close(theirs)
        shown = terminal.read(65536).decode()
    assert done.returncode == 0
    assert "converting" in shown and "100%" in shown and "/s" in shown
    assert "converting" not in run(project, "a.jsonl", "-o", "b.jsonl").stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("form", ["lines", "list", "table"])
def test_what_is_lost_is_a_finding(tmp_path: Path, project: Path, form: str, jobs: str) -> None:
    """A document whose carrier has no room for what is hidden is written; the exit code is 1."""
    losing = json.loads(thing(1, color="red")) | {"metadata": 5}
    texts = [thing(0, color="red"), json.dumps(losing)]
    options = ["-o", "b.jsonl"]
    if form == "table":
        parquet.write_table(pa.table({"doc": texts}), tmp_path / "a.parquet")
        options = ["--column", "doc", "-o", "b.parquet"]
    elif form == "list":
        items = {"kind": "List", "apiVersion": "v1", "items": list(map(json.loads, texts))}
        (tmp_path / "a.jsonl").write_text(json.dumps(items) + "\n")
    else:
        (tmp_path / "a.jsonl").write_text("\n".join(texts) + "\n")
    name = "a.parquet" if form == "table" else "a.jsonl"
    result = run(project, name, *options, "--jobs", jobs)
    assert result.exit_code == 1, result.stderr
    assert "/spec: v1/color is lost: metadata is an integer" in result.stderr
    assert "0 failed; 1 of them lost data\n" in result.stderr


def test_lines_that_lose_nothing(project: Path, tmp_path: Path) -> None:
    """A carrier that cannot be read stays as it is: a warning."""
    odd = json.loads(thing()) | {"metadata": {"annotations": {"holdall.dev/bag": "[]"}}}
    (tmp_path / "a.jsonl").write_text(json.dumps(odd) + "\n")
    result = run(project, "a.jsonl")
    assert (result.exit_code, "it stays as it is" in result.stderr) == (0, True)
