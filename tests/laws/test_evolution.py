"""L13: objects stored under the plan of yesterday, read under today's, for every schema edit."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdall import Scheme
from holdall.cli import main
from holdall.errors import ConversionError
from holdall.testing.laws import evolution
from holdall.testing.laws.subjects import Subject
from holdall.text.json import decode, encode
from holdall_codegen.project import load_project
from tests.support.projects import build_project, config_of, scheme_of, write_generated
from tests.support.repositories import commit

CONFIG = config_of("Thing", "v1 v2 v3", api_group="example.com")

HEAD = """
type: object
properties:
  metadata: {type: object, additionalProperties: true}
  spec:
    type: object
    properties:
      size: {type: integer}
      mode: {type: string}
"""
V1 = (
    HEAD
    + """
      tier: {type: string}
      box: {type: object, properties: {depth: {type: integer}}}
      parts:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items:
          type: object
          properties: {name: {type: string}, port: {type: integer}, secret: {type: string}}
"""
)
V2 = (
    HEAD
    + """
      shade: {type: integer}
      level: {type: string}
      parts:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items: {type: object, properties: {name: {type: string}, port: {type: integer}}}
"""
)
FILES = {"v1.yaml": V1, "v2.yaml": V2, "v3.yaml": V2}

Files = dict[str, str]


def exchange(file: str, before: str, after: str) -> Callable[[Files], None]:
    """Return an edit of one text in one file."""

    def edit(files: Files) -> None:
        assert before in files[file]
        files[file] = files[file].replace(before, after)

    return edit


def add(line: str, *names: str) -> Callable[[Files], None]:
    """Return an edit that adds a property to the spec of some versions."""

    def edit(files: Files) -> None:
        for name in names:
            files[name] = f"{files[name]}      {line}\n"

    return edit


def fact(text: str) -> Callable[[Files], None]:
    """Return an edit that adds a fact about the spec between the first two versions."""
    between = f"    between: {{v1 -> v2: {{ThingSpec: {text}}}}}\n"
    return exchange("holdall.yaml", "    versions:", f"{between}    versions:")


def both(one: Callable[[Files], None], other: Callable[[Files], None]) -> Callable[[Files], None]:
    """Return two edits as one."""

    def edit(files: Files) -> None:
        one(files)
        other(files)

    return edit


def change_keys(files: Files) -> None:
    for name in FILES:
        files[name] = files[name].replace("list-map-keys: [name]", "list-map-keys: [port]")


def insert_version(files: Files) -> None:
    files["v1b.yaml"] = V1
    source = '      - {schemas: v1b.yaml, version: v1b, kinds: {Thing: ""}}\n'
    text = files["holdall.yaml"].replace("    versions: [v1,", f"{source}    versions: [v1, v1b,")
    files["holdall.yaml"] = text


def remove_version(files: Files) -> None:
    source = '      - {schemas: v3.yaml, version: v3, kinds: {Thing: ""}}\n'
    files["holdall.yaml"] = files["holdall.yaml"].replace(source, "").replace(", v3]", "]")


EDITS: dict[str, Callable[[Files], None]] = {
    "nothing": lambda files: None,
    "property added": add("tier: {type: string}", "v2.yaml"),
    "property added, of another type": both(
        add("tier: {type: integer}", "v2.yaml"), fact("{tier: {strategy: stash}}")
    ),
    "property removed": exchange("v1.yaml", "      tier: {type: string}\n", ""),
    "property renamed": exchange("v1.yaml", "      tier:", "      rank:"),
    "property added under another name": both(
        add("rank: {type: string}", "v2.yaml"), fact("{tier: rank}")
    ),
    "property moved": both(
        add("depth: {type: integer}", "v2.yaml"), fact("{box/depth: {move: depth}}")
    ),
    "property retyped": exchange("v2.yaml", "shade: {type: integer}", "shade: {type: number}"),
    "list keys changed": change_keys,
    "version inserted": insert_version,
    "version removed": remove_version,
    "fact added": fact("{tier: level}"),
    "default changed": exchange(
        "v2.yaml", "mode: {type: string}", "mode: {type: string, default: rw}"
    ),
}


def change(root: Path, edit: Callable[[Files], None]) -> None:
    """Edit a project, and generate it again."""
    files = {name: (root / name).read_text() for name in ("holdall.yaml", *FILES)}
    edit(files)
    for name, text in files.items():
        (root / name).write_text(text)
    for folder in root.glob("generated_*"):
        shutil.rmtree(folder)
    write_generated(load_project(root))


def report(root: Path, against: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    options = ("--against", str(against), "--examples", "10", "--json")
    code = main(["--project", str(root), "laws", *options])
    return code, decode(capsys.readouterr().out)


@pytest.mark.parametrize("name", EDITS)
def test_stored_objects_are_served(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is live stays, and each stored entry is used, kept or reported."""
    root = build_project(tmp_path / "today", CONFIG, FILES)
    shutil.copytree(root, tmp_path / "yesterday")
    change(root, EDITS[name])
    code, found = report(root, tmp_path / "yesterday", capsys)
    assert [(it["from"], it["to"], it["claim"], it["differences"]) for it in found["lapses"]] == []
    assert code == 0
    assert found["objects"] >= 80
    assert (found["unknown"] > 0) == (name == "version removed")


def test_an_entry_that_a_conversion_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook may refuse objects without it: then it is used."""
    scheme = scheme_of(build_project(tmp_path, CONFIG, FILES))
    spec = {"size": 1, "tier": "gold"}
    head = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
    stored = scheme.convert({**head, "spec": spec}, to="v2")
    convert = scheme.convert

    def refusing(document: Any, *, to: str, report: Any = None) -> Any:
        if document["apiVersion"] == "example.com/v2" and b"gold" not in encode(document):
            raise ConversionError("it has no tier")
        return convert(document, to=to, report=report)

    found = evolution.Evolution()
    monkeypatch.setattr(scheme, "convert", refusing)
    found.add(Subject(scheme), stored)
    assert (found.objects, found.lapses) == (1, {})


def test_a_git_revision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A revision is as good as a folder; one that git does not know is an error."""
    root = build_project(tmp_path, CONFIG, FILES)
    commit(root)
    change(root, EDITS["property removed"])
    code, found = report(root, "HEAD", capsys)
    assert (code, found["lapses"]) == (0, [])
    assert main(["--project", str(root), "laws", "--against", "no-such-revision"]) == 2
    assert "HA709" in capsys.readouterr().err


def test_an_entry_that_vanishes_is_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A converter that loses entries of one name without a word is found out."""
    root = build_project(tmp_path / "today", CONFIG, FILES)
    shutil.copytree(root, tmp_path / "yesterday")
    convert = Scheme.convert

    def lossy(self: Scheme, obj: Any, *, to: str, report: Any = None) -> Any:
        for address, origin, key in [*evolution._entries(obj)]:
            if key == "tier":
                obj = evolution._changed(obj, address, origin, key, dict.pop)
        return convert(self, obj, to=to, report=report)

    monkeypatch.setattr(Scheme, "convert", lossy)
    code, found = report(root, tmp_path / "yesterday", capsys)
    assert code == 1
    assert {(it["from"], it["claim"]) for it in found["lapses"]} >= {
        (version, "an entry is neither used nor kept nor reported") for version in ("v2", "v3")
    }


@pytest.mark.parametrize("live", ["gold", "silver"])
def test_what_is_kept_and_live_alike_is_no_lapse(tmp_path: Path, live: str) -> None:
    """Two properties of one name become one: what the bag keeps may say what is live by chance."""
    files = dict.fromkeys(FILES, f"{HEAD}      tier: {{type: string}}\n")
    apart = "    between: {v1 -> v2: {ThingSpec: {tier: {strategy: stash}}}}\n"
    before = scheme_of(build_project(tmp_path / "before", CONFIG + apart, files))
    after = scheme_of(build_project(tmp_path / "after", CONFIG, files))
    head = {"kind": "Thing", "metadata": {"name": "a"}}
    thing: Any = {"apiVersion": "example.com/v1", **head, "spec": {"tier": "gold"}}
    stored: Any = before.convert(thing, to="v2")
    stored["spec"]["tier"] = live
    found = evolution.Evolution()
    found.add(Subject(after), stored)
    assert [lapse.claim for lapse in found.lapses.values()] == []
