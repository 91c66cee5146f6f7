"""`holdall convert` on files, folders and pipes, and the frame that all commands share."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest
from click.testing import Result

from holdall.cli import outputs
from holdall.cli.common import table
from holdall.text.yaml import load_all
from tests.support.commands import run
from tests.support.objects import resource
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, written_hook

pytestmark = pytest.mark.usefixtures("own_folder")

THING = "apiVersion: example.com/v1\nkind: Thing\n"


def convert(project: Path, text: str | bytes, *arguments: str) -> Result:
    """Convert standard input to v2."""
    return run(project, "convert", "--to", "v2", *arguments, stdin=text)


def test_yaml_documents_keep_order_and_form(project: Path) -> None:
    """A multi-document YAML stream comes out as YAML documents in the same order."""
    names = ("b", "a", "c")
    text = "---\n".join(f"{THING}metadata: {{name: {name}}}\n" for name in names)
    result = convert(project, text)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "---\n".join(
        f"apiVersion: example.com/v2\nkind: Thing\nmetadata: {{name: {name}}}\n" for name in names
    )


COMMENTED = """\
# Who owns it: the colour team
apiVersion: example.com/v1  # raised with every release
kind: Thing
metadata:
  labels: {team: 'colour'}
  name: "a"
spec:
  # as measured
  size:   1
---
# left alone
apiVersion: v1
kind: ConfigMap
data: { color: "red" }
"""


def test_comments_stay(project: Path, tmp_path: Path) -> None:
    """A YAML file differs where its object does; all else is its owner's, there and back."""
    file = tmp_path / "thing.yaml"
    file.write_bytes(COMMENTED.replace("\n", "\r\n").encode())
    options = ("--pass-unknown", "thing.yaml", "-o", "thing.yaml")
    assert run(project, "convert", "--to", "v2", *options).exit_code == 0
    there = file.read_bytes().decode().replace("\r\n", "\n")
    assert there == COMMENTED.replace("example.com/v1", "example.com/v2")
    assert run(project, "convert", "--to", "example.com/v1", *options).exit_code == 0
    assert file.read_bytes().decode() == COMMENTED.replace("\n", "\r\n")


def test_comments_that_cannot_stay(project: Path) -> None:
    """A form that is not edited is written from scratch, with a warning that says where."""
    text = "? apiVersion\n: example.com/v1\n? kind\n: Thing\nspec: {color: red}  # nice\n"
    result = convert(project, text)
    assert result.exit_code == 0
    assert "warning: <stdin>:1: comments and style are not kept" in result.stderr
    (document,) = load_all(result.stdout, "")
    assert isinstance(document.value, dict)
    assert document.value["apiVersion"] == "example.com/v2"


def test_several_files_as_one_stream(project: Path, tmp_path: Path) -> None:
    """Files that go to standard output are documents of one stream, each with its comments."""
    for name, text in {"a": f"# a\n{THING}", "b": f"---\n# b\n{THING}...\n", "c": THING}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    result = run(project, "convert", "--to", "v2", "a.yaml", "b.yaml", "c.yaml")
    thing = THING.replace("v1", "v2")
    assert result.stdout == f"# a\n{thing}---\n# b\n{thing}...\n---\n{thing}"


@pytest.mark.parametrize("output", ["a.yaml", "."])
def test_what_failed_would_be_nowhere(project: Path, tmp_path: Path, output: str) -> None:
    """A file with an object that fails is not written in its place."""
    text = f"{THING}---\n{THING.replace('Thing', 'Thong')}"
    (tmp_path / "a.yaml").write_text(text)
    result = run(project, "convert", "--to", "v2", "a.yaml", "-o", output)
    message = "HA419 a.yaml: it stays as it is: 1 document of the input cannot"
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert (tmp_path / "a.yaml").read_text() == text
    assert run(project, "convert", "--to", "v2", "a.yaml", "-o", "b.yaml").exit_code == 1
    assert (tmp_path / "b.yaml").read_text() == THING.replace("v1", "v2")


def test_json_stays_json(project: Path) -> None:
    """JSON comes out as JSON with two spaces of indentation, several documents one by one."""
    one = '{"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"size": 1}}'
    expected = (
        '{\n  "apiVersion": "example.com/v2",\n  "kind": "Thing",\n'
        '  "spec": {\n    "size": 1\n  }\n}\n'
    )
    result = convert(project, f"{one}\n{one}\n")
    assert (result.exit_code, result.stdout) == (0, expected * 2)


def test_output_format_changes_the_form(project: Path) -> None:
    """--output-format json turns YAML into JSON."""
    result = convert(project, THING, "--output-format", "json")
    assert json.loads(result.stdout) == {"apiVersion": "example.com/v2", "kind": "Thing"}


def test_there_and_back_loses_nothing(project: Path) -> None:
    """What v2 lacks returns when the output is converted back to v1."""
    text = f"{THING}metadata:\n  name: a\nspec:\n  color: red\n  size: 1\n"
    there = convert(project, text)
    back = run(project, "convert", "--to", "example.com/v1", "-", stdin=there.stdout)
    (before,), (after,) = load_all(text, ""), load_all(back.stdout, "")
    assert after.value == before.value
    assert load_all(there.stdout, "")[0].value != before.value


LIST = """apiVersion: v1
kind: List
metadata: {resourceVersion: "7"}
items:
- {apiVersion: example.com/v1, kind: Thing, metadata: {name: first}}
- {apiVersion: example.com/v1, kind: Thing, metadata: {name: bad, namespace: ns},
   spec: {parts: [{weight: 1}, 5]}}
- {apiVersion: example.com/v1, kind: Thing, metadata: {name: last}}
"""


def test_a_bad_item_affects_itself_only(project: Path) -> None:
    """The neighbours of an item that fails are written in order; exit code 1."""
    result = convert(project, LIST)
    assert result.exit_code == 1
    (document,) = load_all(result.stdout, "")
    value = document.value
    assert isinstance(value, dict) and isinstance(value["items"], list)
    assert {**value, "items": []} == resource(
        "v1", "List", metadata={"resourceVersion": "7"}, items=[]
    )
    names = [item["metadata"]["name"] for item in value["items"]]  # type: ignore[index,call-overload]
    assert names == ["first", "last"]


def test_an_error_says_where_and_what(project: Path, tmp_path: Path) -> None:
    """An error names file:line:column of the value, the object, the path and the fault."""
    (tmp_path / "list.yaml").write_text(LIST)
    result = run(project, "convert", "--to", "v2", "list.yaml")
    line = "HA502 list.yaml:7:32: Thing ns/bad: /spec/parts/1: expected object, found integer"
    assert result.stderr.splitlines() == [
        line,
        "    fix: correct the document there",
        "2 converted, 1 failed",
    ]


def test_errors_as_json(project: Path) -> None:
    """--json prints each error as one JSON object per line, its parts apart."""
    result = run(project, "--quiet", "convert", "--to", "v2", "--json", "-", stdin=LIST)
    (error,) = [json.loads(line) for line in result.stderr.splitlines()]
    assert (error["subject"], error["path"], error["where"]) == (
        "Thing ns/bad",
        "/spec/parts/1",
        "<stdin>:7:32",
    )


def test_a_typed_list_converts_with_its_head(project: Path) -> None:
    """Items of a ThingList may leave out apiVersion and kind; the head gets the new apiVersion."""
    text = "apiVersion: example.com/v1\nkind: ThingList\nitems: [{spec: {color: red}}, {}]\n"
    result = convert(project, text)
    (document,) = load_all(result.stdout, "")
    value = document.value
    assert isinstance(value, dict) and isinstance(value["items"], list)
    assert (value["apiVersion"], value["kind"]) == ("example.com/v2", "ThingList")
    assert [sorted(item) for item in value["items"]] == [["metadata", "spec"], []]  # type: ignore[arg-type,type-var]


def test_folders_are_read_in_order_and_written_by_name(project: Path, tmp_path: Path) -> None:
    """A folder is searched recursively; an output folder gets the same relative names and forms."""
    files = {"b.yaml": THING, "sub/a.json": '{"apiVersion":"example.com/v1","kind":"Thing"}'}
    for name, text in {**files, "note.txt": "no object"}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    result = run(project, "convert", "--to", "v2", "in", "-o", "out")
    assert result.exit_code == 0, result.stderr
    written = {p.relative_to("out").as_posix() for p in Path("out").rglob("*") if p.is_file()}
    assert written == set(files)
    assert (tmp_path / "out/b.yaml").read_text() == THING.replace("v1", "v2")
    assert json.loads((tmp_path / "out/sub/a.json").read_text())["apiVersion"] == "example.com/v2"


@pytest.mark.parametrize("names", [("A.yaml", "a.yaml"), ("e\u0301.yaml", "\xe9.yaml")])
def test_two_spellings_of_one_place_are_refused(
    names: tuple[str, str], project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On macOS and Windows the second file would take the place of the first."""
    paths = [tmp_path / folder / name for folder, name in zip(("one", "two"), names, strict=True)]
    for path in paths:
        path.parent.mkdir()
        path.write_text(THING)
    words = ("convert", "--to", "v2", *map(str, paths), "-o", "out")
    with monkeypatch.context() as patch:
        patch.setattr(outputs, "folds_names", lambda _: True)
        result = run(project, *words)
    assert (result.exit_code, "HA108 out/" in result.stderr) == (2, True), result.stderr
    assert not (tmp_path / "out").exists()
    assert run(project, *words).exit_code == 0


def test_two_files_for_one_place_are_refused(project: Path, tmp_path: Path) -> None:
    """Inputs that would overwrite each other's output are an error before anything is written."""
    for name in ("one/a.yaml", "two/a.yaml"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(THING)
    result = run(project, "convert", "--to", "v2", "one/a.yaml", "two/a.yaml", "-o", "out")
    assert result.exit_code == 2
    assert "HA108 out/a.yaml" in result.stderr
    assert not (tmp_path / "out").exists()


def test_unreadable_input_leaves_the_output_alone(project: Path, tmp_path: Path) -> None:
    """With one malformed file nothing is written, and all bad files are reported."""
    (tmp_path / "good.yaml").write_text(THING)
    (tmp_path / "bad.yaml").write_text("a: [1\n")
    (tmp_path / "worse.json").write_text("{")
    (tmp_path / "out.yaml").write_text("before")
    files = ("good.yaml", "bad.yaml", "worse.json")
    result = run(project, "convert", "--to", "v2", *files, "-o", "out.yaml")
    assert result.exit_code == 2
    assert "bad.yaml:" in result.stderr and "worse.json:" in result.stderr
    assert (tmp_path / "out.yaml").read_text() == "before"


def test_an_output_file_is_replaced_in_one_step(project: Path, tmp_path: Path) -> None:
    """Converting a file onto itself works, keeps its mode, and leaves no other file."""
    file = tmp_path / "a.yaml"
    file.write_text(THING)
    file.chmod(0o640)
    assert run(project, "convert", "--to", "v2", "a.yaml", "-o", "a.yaml").exit_code == 0
    assert file.read_text() == THING.replace("v1", "v2")
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_unknown_kinds_pass_on_request(project: Path) -> None:
    """With --pass-unknown foreign objects come out as they are, in their place."""
    foreign = "apiVersion: v1\nkind: Pod\nspec:\n  x: 1\n"
    result = convert(project, f"{foreign}---\n{THING}", "--pass-unknown")
    assert (result.exit_code, result.stdout) == (0, f"{foreign}---\n{THING.replace('v1', 'v2')}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("apiVersion: example.com/v1\nkind: Thingy\n", 'did you mean "Thing"?'),
        ("apiVersion: exampel.com/v1\nkind: Thing\n", 'did you mean "example.com"?'),
        ("apiVersion: example.com/v3\nkind: Thing\n", "'example.com/v3'"),
        ("kind: Thing\n", "the object has no apiVersion"),
        ("apiVersion: 1\nkind: Thing\n", "/apiVersion: expected string, found integer"),
        ("apiVersion: example.com/v1\nkind: [Thing]\n", "/kind: expected string, found list"),
        ("- 1\n", "expected object, found list"),
        ("text\n", "expected object, found string"),
        (f"{THING}spec: 1\n", "<stdin>:3:7: Thing: /spec: expected object, found integer"),
        (f"{THING}spec: {{parts: {{}}}}\n", "/spec/parts: expected list, found object"),
        (f"{THING}spec: {{labels: [a]}}\n", "/spec/labels: expected object, found list"),
        (f"{THING}spec: {{parts: [[]]}}\n", "/spec/parts/0: expected object, found list"),
    ],
)
def test_bad_objects(project: Path, text: str, message: str) -> None:
    """An object that is none of a known kind and shape is reported; the next one is written."""
    result = convert(project, f"{text}---\n{THING}")
    assert message in result.stderr
    assert result.exit_code == 1
    assert result.stdout == THING.replace("v1", "v2")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("a: [1", ["HA102 <stdin>:"]),
        ('{"a": 1', ["HA102 <stdin>:1:"]),
        ("1: a\n", ["<stdin>:1:1", "key"]),
        ("{? [a] : b}", ["<stdin>:1:"]),
        ("--- \na: 1\na: 2\n", ["HA103 <stdin>:3:1"]),
        ('{"a": 1, "a": 2}', ["HA103 <stdin>:1:"]),
        ("a: yes\n", ["<stdin>:1:4", '"yes"', "true"]),
        ("a: 0777\n", ["<stdin>:1:4", "0777", "511"]),
        (b"a: \xff\n", ["HA101 <stdin>:1:4"]),
        ('{"a": "\\ud800"}', ["HA105 <stdin>:1:"]),
        ('a: "\\ud800"\n', ["<stdin>:1:"]),
        ('{"a": NaN}', ["HA105 <stdin>:1:7"]),
        ('{"a": 3.14159265358979323846}', ["HA107 <stdin>:1:7", "would become 3.141592653589793"]),
        ("a: 1.0e-400\n", ["HA107 <stdin>:1:4", "would become 0.0"]),
        ("[" * 5000, ["HA106 <stdin>:1:501"]),
        ("--- \n" + "[" * 5000 + "]" * 5000, ["HA106"]),
        ("- " * 5000 + "1", ["HA106"]),
        (
            "a: &a [x,x,x,x,x,x,x,x,x]\n"
            + "".join(
                f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n"
                for a, b in zip("abcdefgh", "bcdefghi", strict=True)
            ),
            ["<stdin>:"],
        ),
        ('{"a": 1}\n{"b": 2, "b": 3}\n', ["HA103 <stdin>:2:"]),
        ('{"a": 1} x', ["HA102 <stdin>:1:10"]),
    ],
)
def test_unreadable_text(project: Path, text: str | bytes, messages: list[str]) -> None:
    """Text that is no unambiguous YAML or JSON is refused with its place; nothing is written."""
    result = convert(project, text)
    assert (result.exit_code, result.stdout) == (2, "")
    for message in messages:
        assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_kubernetes_scalars_on_request(project: Path) -> None:
    """--yaml kubernetes reads `yes` as kubectl does."""
    text = f"{THING}metadata: {{flag: yes}}\n"
    assert convert(project, text).exit_code == 2
    result = convert(project, text, "--yaml", "kubernetes", "--output-format", "json")
    assert json.loads(result.stdout)["metadata"] == {"flag": True}


@pytest.mark.parametrize("number", ["9223372036854775808", "-18446744073709551617", "1" * 40])
def test_large_integers_stay_exact(project: Path, number: str) -> None:
    """Integers beyond 64 bits come through digit by digit, in YAML and in JSON."""
    for form in ("yaml", "json"):
        result = convert(project, f"{THING}spec: {{size: {number}}}\n", "--output-format", form)
        assert (result.exit_code, number in result.stdout) == (0, True), result.stderr


def test_all_items_of_an_alias_are_converted(project: Path) -> None:
    """Objects that share one YAML node are converted one by one."""
    text = (
        "apiVersion: v1\nkind: List\nitems:\n"
        "- &a {apiVersion: example.com/v1, kind: Thing, spec: {color: red}}\n- *a\n"
    )
    result = convert(project, text, "--output-format", "json")
    assert result.exit_code == 0, result.stderr
    first, second = json.loads(result.stdout)["items"]
    assert first == second != {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("convert",), "pass --to VERSION"),
        (("convert", "--to", "v9"), "no group has the version 'v9'"),
        (("convert", "--to", "V2"), 'did you mean "v2"?'),
        (("convert", "--to", "v2", "missing.yaml"), "missing.yaml: no such file"),
        (("convert", "--to", "v2", "."), "contains no file to read"),
        (("convert", "--to", "v2", "-", "a.yaml"), "or files, not both"),
        (("convert", "--to", "v2", "-", "-o", "."), "has no name for a file"),
        (("convert", "--requests", "--to", "v2"), "--requests takes no"),
        (("convrt",), 'did you mean "convert"?'),
        (("convert", "--two", "v2"), "--to"),
    ],
)
def test_wrong_use(project: Path, arguments: tuple[str, ...], message: str) -> None:
    """Wrong use is exit code 2 with one clear sentence."""
    result = run(project, *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


def test_a_project_without_configuration(tmp_path: Path) -> None:
    """Without holdall.yaml the error names the file that is missing."""
    for command in (("convert", "--to", "v2"), ("laws",), ("plan",)):
        result = run(tmp_path, *command)
        assert result.exit_code == 2
        assert re.match(r"HA120 \S*holdall\.yaml: there is no such file\n", result.stderr)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("output: gone_x\ngroups: {a: {}}", "gone_x.a does not exist"),
        ("groups: [a]", "holdall.yaml:1:9: /groups: expected object, found list"),
        ("output: 'a b'\ngroups: {}", "is not a package name"),
        ("groups: {a: {package: 1}}", "is not a package name"),
        ("a: 1\n---\nb: 2", "expected one document, found 2"),
    ],
)
def test_projects_that_cannot_be_loaded(tmp_path: Path, config: str, message: str) -> None:
    """A configuration or a package that is missing or wrong is exit code 2, with the place."""
    (tmp_path / "holdall.yaml").write_text(config)
    result = run(tmp_path, "convert", "--to", "v2")
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("__init__.py", "SCHEME = (", "SyntaxError"),
        ("__init__.py", "import missing_x_y", "No module named 'missing_x_y'"),
        ("__init__.py", "", "has no SCHEME"),
        ("v1/storage.py", "1 / 0", "ZeroDivisionError"),
    ],
)
def test_broken_generated_packages(tmp_path: Path, file: str, text: str, message: str) -> None:
    """A generated package that does not import says so and how to mend it."""
    project = build_project(tmp_path / "p", THING_CONFIG, THING_FILES)
    (folder,) = project.glob("generated_*")
    (folder / "things" / file).write_text(text)
    result = run(project, "convert", "--to", "v2")
    assert result.exit_code == 2
    assert message in result.stderr
    assert "fix: run `holdall generate`" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_failing_hook_is_an_error_of_its_object(tmp_path: Path) -> None:
    """An exception in a hook is reported with object, edge and path; the others are converted."""
    files = {
        **THING_FILES,
        "hooks/specs.py": written_hook('raise KeyError("boom")'),
    }
    project = build_project(tmp_path / "p", THING_CONFIG, files)
    result = convert(project, f"{THING}metadata: {{name: a}}\nspec: {{}}\n---\n{THING}")
    assert result.stdout == THING.replace("v1", "v2")
    assert "Thing a: v1 -> v2 /spec: " in result.stderr
    assert "boom" in result.stderr
    assert result.exit_code == 1


def test_a_loss_is_a_finding(tmp_path: Path) -> None:
    """What no carrier can hold is named, also with --quiet; the exit code tells scripts."""
    config = THING_CONFIG + "    carrier: none\n"
    project = build_project(tmp_path / "p", config, THING_FILES)
    text = f"{THING}spec: {{color: red}}\n"
    result = run(project, "--quiet", "convert", "--to", "v2", "-", stdin=text)
    assert result.exit_code == 1
    assert result.stdout.startswith("apiVersion: example.com/v2\n")
    assert result.stderr.startswith("warning: <stdin>:1:1: Thing: /spec: v1/color is lost: ")
    result = convert(project, f"{text}---\n{THING}")
    assert result.stderr.endswith("\n2 converted, 0 failed; 1 of them lost data\n")


def test_what_is_kept_without_being_used_is_a_warning(project: Path) -> None:
    """Nothing is lost where a carrier that cannot be read stays as it is."""
    text = f"{THING}metadata: {{annotations: {{holdall.dev/bag: '[]'}}}}\n"
    result = convert(project, text)
    assert result.exit_code == 0, result.stderr
    assert "it stays as it is" in result.stderr


def test_a_broken_hook_stops_the_command(tmp_path: Path) -> None:
    """A hooks package that does not parse is exit code 2 with its place; nothing is converted."""
    files = {**THING_FILES, "hooks/specs.py": "class X(\n"}
    project = build_project(tmp_path / "p", THING_CONFIG, files)
    result = convert(project, THING)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "specs.py:1" in result.stderr


def test_a_defect_is_one_line(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exception is one line with its type, and a traceback on request only."""

    def fail(*_: object) -> None:
        raise LookupError("odd")

    monkeypatch.setattr("holdall.scheme.schemes.Schemes.load", fail)
    expected = "LookupError: odd; this is a bug in holdall; run with --traceback, and report it\n"
    result = convert(project, THING)
    assert (result.exit_code, result.stderr) == (2, expected)
    shown = run(project, "--traceback", "convert", "--to", "v2", "-", stdin=THING)
    assert "Traceback" in shown.stderr


def test_names_of_strangers_fake_no_lines(project: Path) -> None:
    """Nor do they clear a terminal, or write from right to left."""
    name = "a\x1b[2J\r\n1 converted, 0 failed\u202e"
    bad = resource("example.com/v1", "Thing", name, spec=7)
    result = convert(project, json.dumps(bad))
    assert result.exit_code == 1
    assert r"Thing a\x1b[2J\r\n1 converted, 0 failed\u202e: /spec: expected" in result.stderr
    assert len(result.stderr.splitlines()) == 3
    old = run(
        project, "convert", "--to", "v2", "-", stdin=json.dumps({**bad, "spec": {"color": "x"}})
    )
    shown = run(project, "audit", "-", stdin=old.stdout)
    assert r"Thing a\x1b[2J\r\n1 converted, 0 failed\u202e" in shown.stdout


def test_help_imports_no_command(project_root: Path) -> None:
    """The list of commands is printed without click commands, YAML or the generator."""
    code = (
        "import sys; from holdall.cli import main; main(['--help']);"
        "assert not {'holdall_codegen', 'yaml', 'holdall.cli.convert'} & sys.modules.keys()"
    )
    done = _python(project_root, code)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("init", "generate", "plan", "explain", "diff", "check", "graph", "hooks"):
        assert f"\n  {name} " in done.stdout


def test_without_click(project_root: Path) -> None:
    """Without click the command says how to install it and ends with 2."""
    code = "import sys; sys.modules['click'] = None; from holdall.cli import main; sys.exit(main())"
    done = _python(project_root, code)
    assert (done.returncode, "pip install 'holdall[cli]'" in done.stderr) == (2, True)


def test_colour_needs_a_terminal(project: Path) -> None:
    """Output to a pipe has no control sequences."""
    result = convert(project, "- 1")
    assert "\x1b" not in result.stdout + result.stderr


def test_a_table_is_aligned() -> None:
    """Columns are as wide as their widest cell; line breaks are shown, not printed."""
    assert table([("a", "1"), ("long\nname", "22")], ("N", "V")) == (
        "N           V\na           1\nlong\\nname  22"
    )


def test_a_closed_output_ends_quietly(project: Path, project_root: Path, tmp_path: Path) -> None:
    """When the reader of standard output goes away the command ends with 1 and no message."""
    (tmp_path / "many.yaml").write_text(f"{THING}---\n" * 5000)
    arguments = ["--project", str(project), "convert", "--to", "v2", "many.yaml"]
    code = f"import sys; from holdall.cli import main; sys.exit(main({arguments!r}))"
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as nobody:
        done = _python(project_root, code, stdout=nobody)
    assert (done.returncode, done.stderr) == (1, "")


def _python(
    root: Path, code: str, stdout: int | IO[bytes] = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(str(root / source) for source in ("runtime", "codegen"))
    return subprocess.run(
        [sys.executable, "-c", code],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
