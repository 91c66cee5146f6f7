"""`holdall generate`, `check` and `init`: results, exit codes, and what bad input does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holdall_codegen.output.checking import check
from holdall_codegen.output.generation import CACHE, generate, recall
from tests.support.closed import close_folder
from tests.support.small_project import (
    CONFIG,
    FILES,
    HOOK,
    SHOWING,
    V1,
    V2,
    run,
    tree,
    write_hook,
    write_project,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is not generated yet."""
    return write_project(tmp_path)


def _names(root: Path) -> list[str]:
    return sorted(name for name in tree(root) if not name.endswith("manifest.json"))


DECLARED = """\
from typing import Annotated
from holdall.declare import *

VERSIONS = Versions(Version("v1"), Version("v2"))


@obj
class Box:
    width: Annotated[int, changed("v2", from_type=str)]
    height: Annotated[int, added("v1")]
"""
WARNINGS = """
Warnings:
  unconvertible boxes.py:{0}:27: Box.width.changed[0]: str cannot become int without \
`upgrade_with`; without tracking the value is lost, unless a hook converts it
    fix: add a function
  unconvertible boxes.py:{0}:27: Box.width.changed[0]: int cannot become str without \
`downgrade_with`; without tracking the value is lost, unless a hook converts it
    fix: add a function
  no_effect boxes.py:{1}:28: Box.height.added: changes nothing: v1 is the first version
    fix: remove it, or name a later version
"""


# --- generate ----------------------------------------------------------------------------------


def test_generate_writes_all_files(project: Path) -> None:
    """A first run writes every file, a second none."""
    assert generate(project).written == FILES
    assert tuple(_names(project)) == tuple(sorted(FILES))
    again = generate(project)
    assert (again.written, again.removed, again.unchanged) == ((), (), len(FILES))


def test_plan_json_names_no_lines(project: Path) -> None:
    """A comment above a property changes no generated file, though every line moves."""
    generate(project)
    (project / "schemas/v1.yaml").write_text("# moved\n" + V1)
    (project / "holdall.yaml").write_text("# moved\n" + CONFIG)
    assert generate(project).written == ()


def test_nothing_is_read_again_without_a_change(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run plans nothing, and still reports the same suggestions."""
    first = generate(project)
    monkeypatch.delattr("holdall_codegen.output.generation.read_project")
    second = generate(project)
    assert second.suggestions == first.suggestions
    assert first.suggestions


def test_warnings_of_a_declaration_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By each run and by the plan, with their lines; generated files do not name these."""
    (tmp_path / "holdall.yaml").write_text("groups: {boxes: {sources: [{declared: boxes.py}]}}")
    for above, lines in (("", (9, 10)), ("", (9, 10)), ("# moved\n", (10, 11))):
        (tmp_path / "boxes.py").write_text(above + DECLARED)
        for command in ("generate", "plan"):
            run(tmp_path, command)
            assert capsys.readouterr().out.endswith(WARNINGS.format(*lines))
    assert generate(tmp_path).written == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("holdall.yaml", CONFIG + "hooks: rules\n"),
        ("schemas/v1.yaml", V1 + "# comment\n"),
        ("hooks/order.py", HOOK + "# comment\n"),
        ("hooks/order.PY", HOOK),
        ("hooks/.hid.py", ""),
        ("generated/shop/v1/storage.py", "edited = True\n"),
        ("generated/shop/plan.json", None),
        ("generated/.holdall-manifest.json", "{}\n"),
        ("generated/.a.py.1.holdall-new", "half"),
    ],
)
def test_every_change_is_noticed(project: Path, name: str, text: str | None) -> None:
    """A change of any input or output, by content, ends the short cut."""
    write_hook(project)
    generate(project)
    assert recall(project) is not None
    path = project / name
    path.unlink() if text is None else path.write_text(text)
    assert recall(project) is None


@pytest.mark.parametrize("importer", ["boxes.py", "hooks/__init__.py"])
def test_a_change_of_an_imported_module_is_noticed(tmp_path: Path, importer: str) -> None:
    """Declarations and hooks may import modules of the project, whose values count."""
    (tmp_path / "holdall.yaml").write_text("groups: {boxes: {sources: [{declared: boxes.py}]}}")
    (tmp_path / "boxes.py").write_text(DECLARED)
    (tmp_path / "hooks").mkdir()
    file = tmp_path / importer
    known = file.read_text() if file.exists() else ""
    file.write_text(f"from measures_of_boxes import SIZE\n{known}")
    (tmp_path / "measures_of_boxes.py").write_text("SIZE = 1\n")
    generate(tmp_path)
    assert recall(tmp_path) is not None
    (tmp_path / "measures_of_boxes.py").write_text("SIZE = 2\n")
    assert recall(tmp_path) is None


def test_ends_of_lines_are_no_change(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """git for Windows ends lines with CR and LF when it checks files out, those of hooks, too."""
    write_hook(project)
    assert run(project, "generate") == 0
    for file in (file for file in project.rglob("*.*") if file.suffix in (".json", ".py", ".yaml")):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert recall(project) is not None
    (project / CACHE / "generate.json").unlink()
    (old := project / "old").mkdir()
    shutil.copytree(project / "generated", old / "generated")
    for command in (
        ["generate", "--check"],
        ["diff"],
        ["diff", "--against", str(old / "generated")],
    ):
        assert run(project, *command) == 0, "".join(capsys.readouterr())


@pytest.mark.parametrize("name", ["hooks/order.PY", "hooks/.hid/order.py"])
def test_a_hook_that_no_import_finds_is_reported(
    project: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if nothing else changed since the last run; `generate` and `check` say the same."""
    assert run(project, "generate") == 0
    file = write_hook(project)
    (project / name).parent.mkdir(exist_ok=True)
    file.rename(project / name)
    for command in ("generate", "check"):
        capsys.readouterr()
        assert run(project, command) == 1
        assert f"HA307 {name}:1: " in "".join(capsys.readouterr())


def test_new_file_of_a_pattern_is_noticed(project: Path) -> None:
    """A file that a pattern matches from now on ends the short cut."""
    config = CONFIG.replace("schemas/v1.yaml", "schemas/v1*.yaml")
    (project / "holdall.yaml").write_text(config)
    generate(project)
    assert recall(project) is not None
    (project / "schemas/v1b.yaml").write_text(V1)
    assert recall(project) is None


def test_a_folder_of_a_pattern_that_nobody_may_read_any_more(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was generated is not taken for current: there may be schemas in it."""
    config = project / "holdall.yaml"
    config.write_text(CONFIG.replace("schemas/v1.yaml", "schemas/**/v1.yaml"), encoding="utf-8")
    (project / "schemas/more").mkdir()
    assert run(project, "generate") == 0
    assert recall(project) is not None
    close_folder(project / "schemas/more", monkeypatch)
    assert run(project, "generate") == 2
    assert "HA101 schemas/more: it cannot be read" in capsys.readouterr().err


def test_referenced_file_is_noticed(project: Path) -> None:
    """A file that only a `$ref` names is an input, too."""
    (project / "schemas/line.yaml").write_text("type: object\nproperties: {sku: {type: string}}\n")
    (project / "schemas/v1.yaml").write_text(V1.replace('"#/Line"', '"line.yaml"'))
    generate(project)
    assert recall(project) is not None
    (project / "schemas/line.yaml").write_text("type: object\nproperties: {sku: {type: integer}}\n")
    assert recall(project) is None


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"patterns": 1}'])
def test_broken_cache_costs_time_only(project: Path, text: str) -> None:
    """A cache that is none is as good as no cache."""
    generate(project)
    (project / CACHE / "generate.json").write_text(text)
    assert generate(project).unchanged == len(FILES)


def test_removed_version_removes_its_files(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A version that leaves the configuration takes its own files along, and a single one needs
    no overloads.
    """
    generate(project)
    head, _, _ = CONFIG.partition("      - schemas: schemas/v1.yaml")
    config = head + CONFIG[CONFIG.index("      - schemas: schemas/v2.yaml") :]
    (project / "holdall.yaml").write_text(config.replace("[v1, v2]", "[v2]"))
    assert run(project, "generate") == 0
    assert "removed  generated/shop/v1/storage.py" in capsys.readouterr().out
    assert _names(project) == [name for name in FILES if "/v1/" not in name and "typed" not in name]


def test_check_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--check prints a diff and exits 1 where files differ, and 0 where they do not."""
    assert run(project, "generate", "--check") == 1
    assert not (project / "generated").exists()
    assert "+++ b/generated/shop/v1/storage.py" in capsys.readouterr().out
    run(project, "generate")
    capsys.readouterr()
    assert run(project, "generate", "--check") == 0
    assert capsys.readouterr().out == ""
    (project / "generated/shop/__init__.py").write_text("edited = True\n")
    before = tree(project)
    assert run(project, "generate", "--check") == 1
    assert "-edited = True\n" in capsys.readouterr().out
    assert tree(project) == before


def test_hooks_are_verified_after_writing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake in a hook is a finding; the files it needs are written all the same."""
    write_hook(project, HOOK.replace('reads=["note"]', 'reads=["nota"]'))
    assert run(project, "generate") == 1
    assert "HA342 hooks/order.py:8" in capsys.readouterr().err
    assert tuple(_names(project)) == tuple(sorted(FILES))
    assert run(project, "generate") == 1, "the finding does not vanish in the short cut"


def test_needed_hook_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A property that is left to a hook is needed until one claims it, and an error."""
    facts = "    between:\n      v1 -> v2:\n        Line: {sku: {strategy: hook}}\n"
    (project / "holdall.yaml").write_text(CONFIG + facts)
    assert run(project, "generate") == 1
    shown = capsys.readouterr()
    assert "needed: generated.shop.v1.storage" in shown.out
    assert "HA316" in shown.err


def test_kinds_that_share_no_version_are_told(project: Path) -> None:
    """A kind by another name in each version has nothing that it could convert to."""
    config = CONFIG.replace("{Order: /Order}", "{OrderV1: /Order}", 1)
    (project / "holdall.yaml").write_text(config)
    (warning,) = generate(project).warnings
    assert warning.startswith("nothing converts: no kind is in two versions, only ")
    assert warning.endswith('give it one name in all sources, such as `kinds: {OrderV1: ""}`')


def test_what_to_do_with_a_declaration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has a module need not write one; in a new one there are examples."""
    monkeypatch.chdir(tmp_path)
    assert run(tmp_path, "init", "--declared", "new.py") == 0
    text = capsys.readouterr().err
    assert text == "next: write your own types in new.py, then run `holdall generate`\n"
    assert run(tmp_path, "init", "--declared", "new.py", "-o", "again.yaml") == 0
    assert capsys.readouterr().err == "next: run `holdall generate`\n"


def test_newly_unmatched_properties_are_listed(project: Path) -> None:
    """After an edit, properties without a partner are listed, apart from claimed and old ones."""
    generate(project)
    (project / "schemas/v2.yaml").write_text(V2.replace("amount", "quantity"))
    notes = [str(note) for note in generate(project).notes]
    assert notes == [
        "possible: v1.OrderSpec -> v2.OrderSpec: without a partner, kept in the bag: "
        "amount of v1; quantity of v2"
    ]


@pytest.mark.parametrize(
    ("more", "listed"), [("", []), (", currency: {type: string}", ["amount of v2"])]
)
def test_objects_whose_members_all_move_are_not_listed(
    project: Path, more: str, listed: list[str]
) -> None:
    """Nothing of them is without a partner, unless they have a member that stays."""
    generate(project)
    move = "    between:\n      v1 -> v2:\n        OrderSpec: {amount: {move: amount/units}}\n"
    (project / "holdall.yaml").write_text(CONFIG + move)
    parts = f"{{type: object, properties: {{units: {{type: integer}}{more}}}}}"
    (project / "schemas/v2.yaml").write_text(
        V2.replace("amount: {type: integer}", f"amount: {parts}")
    )
    found = [str(note).rpartition("bag: ")[2] for note in generate(project).notes]
    assert found == listed


def test_comments_deny_no_property_that_is_there(project: Path) -> None:
    """A property whose name another one has over there has no partner of that name."""
    facts = "    between:\n      v1 -> v2:\n        OrderSpec: {buyer_name: note}\n"
    (project / "holdall.yaml").write_text(CONFIG + facts)
    (project / "schemas/v2.yaml").write_text(V2.replace("buyerName", "note"))
    generate(project)
    text = (project / "generated/shop/v1/storage.py").read_text()
    assert 'h.stash(new, "v1", "note")  # note of v2 is a different property' in text
    assert (
        'h.pull(new, old, _ORDER_SPEC_BACK, "note")  # note of v2 is a different property' in text
    )
    assert "\n\n    Not the same in both: note.\n" in text


def test_obsolete_hooks_are_named(project: Path) -> None:
    """A hook whose claimed property is gone is obsolete, with its line."""
    write_hook(project)
    generate(project)
    (project / "schemas/v1.yaml").write_text(V1.replace("        note: {type: string}\n", ""))
    result = generate(project)
    assert [str(note) for note in result.notes] == [
        "obsolete: hooks/order.py:7: OrderSpecHooks: "
        "it claims properties that are gone: v1.OrderSpec note"
    ]
    assert {problem.code for problem in result.problems} == {"HA342"}


def test_hook_of_a_vanished_edge_is_obsolete(project: Path) -> None:
    """A hook whose type is gone is obsolete, and an error."""
    write_hook(project)
    generate(project)
    (project / "holdall.yaml").write_text(CONFIG + "    type_names: {Order/spec: OrderForm}\n")
    result = generate(project)
    assert any(note.urgency == "obsolete" and "is gone" in note.message for note in result.notes)
    assert result.problems


def test_affected_hooks_are_named(project: Path) -> None:
    """A hook is affected if a property that it claims has another fate, and no other hook is."""
    write_hook(project)
    generate(project)
    facts = "    between:\n      v1 -> v2:\n        OrderSpec: {buyer_name: buyerName}\n"
    (project / "holdall.yaml").write_text(CONFIG + facts)
    assert [str(note) for note in generate(project).notes] == []
    (project / "holdall.yaml").write_text(CONFIG)
    write_hook(project, SHOWING)
    generate(project)
    facts = "    between:\n      v1 -> v2:\n        OrderSpec: {buyer_name: buyerName}\n"
    (project / "holdall.yaml").write_text(CONFIG + facts)
    assert [str(note) for note in generate(project).notes] == [
        "affected: hooks/order.py:7: OrderSpecHooks: "
        "the fate of v1.OrderSpec buyer_name, v2.OrderSpec buyerName has changed"
    ]


def test_generate_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--json gives every part of the summary."""
    assert run(project, "generate", "--json") == 0
    value = json.loads(capsys.readouterr().out)
    assert value["written"] == list(FILES)
    assert value["suggestions"] == ["between: v1 -> v2: OrderSpec: buyer_name: buyerName"]


def test_touched_objects_are_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """When a package is overwritten, it is said what that means for stored objects; once."""
    run(project, "generate")
    assert "Stored objects" not in capsys.readouterr().out
    text = V2.replace("        amount", "        note: {type: string}\n        amount")
    (project / "schemas/v2.yaml").write_text(text)
    assert run(project, "generate", "--check", "--json") == 1
    (found,) = json.loads(capsys.readouterr().out)["stored"]["shop"]
    assert (found["origin"], found["property"], found["becomes"]) == ("v1", "note", "used")
    run(project, "generate")
    assert _stored(capsys) == [
        "  used: Order stored at v2: /spec v1/note: v2.OrderSpec now has it",
        "  `holdall diff REVISION` lists all, and the commands to run",
    ]
    run(project, "generate")
    assert _stored(capsys) == []


def test_many_touched_objects_are_counted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some lines are shown, the others are counted."""
    properties = [f"        p{number}: {{type: string}}\n" for number in range(7)]
    text = V1.replace("        amount", "".join(properties) + "        amount")
    (project / "schemas/v1.yaml").write_text(text)
    run(project, "generate")
    others = "".join(properties).replace("        p", "        q")
    (project / "schemas/v2.yaml").write_text(
        V2.replace("        amount", others + "        amount")
    )
    renames = ", ".join(f"p{number}: q{number}" for number in range(7))
    between = f"    between:\n      v1 -> v2:\n        OrderSpec: {{{renames}}}\n"
    (project / "holdall.yaml").write_text(CONFIG + between)
    capsys.readouterr()
    run(project, "generate")
    noted = _stored(capsys)
    assert len(noted) == 6
    assert noted[-1] == "  2 more; `holdall diff REVISION` lists all, and the commands to run"


def _stored(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines about stored objects in what was printed."""
    noted = capsys.readouterr().out.partition("\nStored objects:\n")[2]
    return noted.partition("\n\n")[0].splitlines()


# --- bad input ---------------------------------------------------------------------------------


def test_missing_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without holdall.yaml every command names it and exits 2."""
    for arguments in (["generate"], ["plan"], ["check"], ["diff"], ["graph"], ["hooks", "list"]):
        assert run(tmp_path, *arguments) == 2
        assert "holdall.yaml" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["groups: [\n", "groups: {a: 1, a: 2}\n", "grops: {}\n", ""])
def test_malformed_configuration(
    project: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A configuration that cannot be read is an error of the input; nothing is written."""
    (project / "holdall.yaml").write_text(text)
    assert run(project, "generate") == 2
    assert "HA1" in capsys.readouterr().err
    assert not (project / "generated").exists()


def test_refused_property(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A property that cannot be converted is a finding; nothing is written."""
    (project / "schemas/v2.yaml").write_text(V2.replace("{type: integer}", "{type: string}"))
    assert run(project, "generate") == 1
    assert "HA201" in capsys.readouterr().err
    assert not (project / "generated").exists()


def test_output_is_a_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in the place of the output folder is named, and stays."""
    (project / "generated").write_text("mine")
    assert run(project, "generate") == 2
    assert "HA162 generated: " in capsys.readouterr().err
    assert (project / "generated").read_text() == "mine"


def test_unwritable_output(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that cannot be made is an error with its place, and leaves nothing half-written."""

    def refuse(self: Path, *given: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert run(project, "generate") == 2
    assert "HA162 generated: it cannot be written: Permission denied" in capsys.readouterr().err
    assert not (project / "generated").exists()


@pytest.mark.parametrize("name", ["order.py", "__init__.py"])
def test_broken_hooks_package(project: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A module of hooks that is no Python is a finding with its line."""
    write_hook(project)
    (project / "hooks" / name).write_text("class (:\n")
    assert run(project, "generate") == 1
    assert f"HA302 hooks/{name}:1" in capsys.readouterr().err


def test_hand_edited_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An edited file is a finding that names the way out; --force keeps a copy."""
    generate(project)
    path = project / "generated/shop/v1/storage.py"
    text = path.read_text()
    path.write_text(text + "edited = True\n")
    assert run(project, "generate") == 1
    assert "HA160 generated/shop/v1/storage.py" in capsys.readouterr().err
    assert run(project, "generate", "--force") == 0
    assert path.read_text() == text
    assert path.with_name("storage.py.edited").read_text().endswith("edited = True\n")


def test_internal_error_saves_the_text(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text that is no Python is saved and named; nothing is written."""
    monkeypatch.setattr(
        "holdall_codegen.output.generation.emit_project", lambda _: {"generated/x.py": "def f(:\n"}
    )
    assert run(project, "generate") == 2
    message = capsys.readouterr().err
    assert "HA900" in message
    saved = Path(message.split("saved as ")[1].strip())
    assert saved.read_text() == "def f(:\n"
    assert not (project / "generated").exists()
    saved.unlink()
    saved.parent.rmdir()


# --- check -------------------------------------------------------------------------------------


def test_check_finds_everything_at_once(project: Path) -> None:
    """Stale files and mistakes in hooks are reported together."""
    generate(project)
    (project / "generated/shop/v1/storage.py").write_text("edited = True\n")
    (project / "generated/shop/v2/__init__.py").unlink()
    write_hook(project, HOOK.replace('reads=["note"]', 'reads=["nota"]'))
    found = [(problem.code, problem.where) for problem in check(project).problems]
    assert found == [
        ("HA160", "generated/shop/v1/storage.py"),
        ("HA167", "generated/shop/v2/__init__.py"),
        ("HA342", "hooks/order.py:8"),
    ]


def test_check_is_silent_when_all_is_well(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A project without findings prints none and exits 0."""
    write_hook(project)
    generate(project)
    assert run(project, "check") == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "0 findings, 1 group, 3 edges, 1 hook\n"


def test_check_reports_the_plan(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Problems of sources and plan are findings, as JSON with their places."""
    (project / "schemas/v2.yaml").write_text(V2.replace("{type: integer}", "{type: string}"))
    assert run(project, "check", "--json") == 1
    problem = json.loads(capsys.readouterr().out)["problems"][0]
    assert (problem["code"], problem["file"], problem["line"]) == ("HA201", "schemas/v1.yaml", 7)


def test_check_for_github(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Annotations have one line each, with files relative to the current folder."""
    generate(project)
    write_hook(project, HOOK.replace('reads=["note"]', 'reads=["nota"]'))
    monkeypatch.chdir(project.parent)
    assert run(project, "check", "--format", "github") == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"::error file={project.name}/hooks/order.py,line=8,title=HA342::")
    assert "%0Afix: " in lines[0]


def test_hook_of_a_removed_group_is_found(project: Path) -> None:
    """A hook for a group that is gone is a mistake, though no group looks for it."""
    generate(project)
    write_hook(project, HOOK.replace("generated.shop", "generated.store"))
    assert check(project).problems


# --- init --------------------------------------------------------------------------------------


def test_init_writes_a_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A CRD becomes a configuration that generates; a second run refuses to overwrite it."""
    crd = tmp_path / "crd.yaml"
    schema = "{type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}"
    crd.write_text(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: orders.shop.example.com}\nspec:\n  group: shop.example.com\n"
        "  names: {kind: Order, plural: orders}\n  scope: Namespaced\n  versions:\n"
        "  - name: v1\n    served: true\n    storage: true\n"
        f"    schema: {{openAPIV3Schema: {schema}}}\n"
    )
    assert run(tmp_path, "init", str(crd)) == 0
    assert run(tmp_path, "generate") == 0
    capsys.readouterr()
    assert run(tmp_path, "init", str(crd)) == 2
    assert "HA133" in capsys.readouterr().err


def test_init_writes_a_declaration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --declared there is a module and a configuration, and they generate."""
    module = tmp_path / "schemas/widgets.py"
    assert run(tmp_path, "init", "--declared", str(module), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "written": (tmp_path / "holdall.yaml").as_posix(),
        "declaration": module.as_posix(),
    }
    assert run(tmp_path, "generate") == 0
    assert run(tmp_path, "check") == 0


def test_init_needs_one_source(tmp_path: Path) -> None:
    """Neither source is wrong use, and both are, too."""
    assert run(tmp_path, "init") == 2
    assert run(tmp_path, "init", str(tmp_path), "--declared", str(tmp_path / "w.py")) == 2
    assert not list(tmp_path.iterdir())


# --- determinism -------------------------------------------------------------------------------


def _interpreters() -> list[str]:
    """Return this interpreter and all others on the machine that can run holdall."""
    found = [sys.executable]
    for pattern in ("3.11", "3.12", "3.13", "3.14"):
        for path in sorted(Path.home().glob(f".pyenv/versions/{pattern}.*/bin/python")):
            needs = "import msgspec, yaml, dataclasses_json, typing_extensions, click"
            if (
                subprocess.run([path, "-c", needs], capture_output=True, check=False).returncode
                == 0
            ):
                found.append(str(path))
    return found


def _generated(
    python: str, root: Path, folder: Path, seed: str, project_root: Path, **more: str
) -> dict[str, str]:
    path = os.pathsep.join(str(project_root / name) for name in ("runtime", "codegen"))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed, **more}
    where = os.path.relpath(root, folder)
    arguments = [python, "-m", "holdall", "--project", where, "generate"]
    subprocess.run(arguments, cwd=folder, env=environment, check=True, capture_output=True)
    return tree(root)


def test_output_depends_on_the_project_only(tmp_path: Path, project_root: Path) -> None:
    """Neither hash seed nor folder changes a byte, the manifest included."""
    results = []
    for number, seed in enumerate(("0", "1", "4242")):
        root = write_project(tmp_path / f"project{number}")
        folder = (root, tmp_path, root / "schemas")[number]
        results.append(_generated(sys.executable, root, folder, seed, project_root))
    assert results[0] == results[1] == results[2]
    assert len(results[0]) == len(FILES) + 1


def test_output_is_the_same_where_python_drops_docstrings(
    tmp_path: Path, project_root: Path
) -> None:
    """`python -OO` generates, too: what keys of the configuration are is in docstrings."""
    results = []
    for level in ("", "2"):
        root = write_project(tmp_path / f"project{level}")
        results.append(
            _generated(sys.executable, root, root, "0", project_root, PYTHONOPTIMIZE=level)
        )
    assert results[0] == results[1]


def test_output_is_the_same_on_every_interpreter(tmp_path: Path, project_root: Path) -> None:
    """Every interpreter that can run holdall writes the same bytes."""
    interpreters = _interpreters()
    if len(interpreters) < 2:
        pytest.skip("no second interpreter with the dependencies of holdall is installed")
    results = []
    for number, python in enumerate(interpreters):
        root = write_project(tmp_path / f"project{number}")
        results.append(_generated(python, root, root, "0", project_root))
    assert all(result == results[0] for result in results)
