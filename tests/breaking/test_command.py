"""`holdall breaking` as a command: what it compares with, how it reports, how it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from holdall.text import yaml
from holdall.text.loading import load_file
from tests.breaking.test_schemas import crd, properties
from tests.support.repositories import commit, git
from tests.support.small_project import CONFIG, V1, run, write_project

Ended = tuple[int, str, str]
NARROWER = V1.replace("        note: {type: string}\n", "")
TOMORROW = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run `holdall breaking` on a project; return its exit code and what it printed."""

    def ask(root: Path, *arguments: str) -> Ended:
        capsys.readouterr()
        code = run(root, "breaking", *arguments)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return ask


def write_crd(path: Path, value: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.dump(value), encoding="utf-8")
    return path


def entry(**members: str) -> str:
    """Return `breaking` with one entry of ignore, for the end of a configuration."""
    given = {"rule": "property-removed", "until": TOMORROW, "reason": "nobody has it"} | members
    return f"breaking:\n  ignore:\n    - {json.dumps(given)}\n"


# --- what is compared with -------------------------------------------------------------------


def test_a_revision_of_a_project_in_a_subfolder(
    tmp_path: Path, ask: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git knows the older state, wherever in its repository the project lies."""
    root = write_project(tmp_path / "deep/project")
    commit(tmp_path)
    monkeypatch.chdir(root)
    assert ask(root, "--against", "HEAD") == (0, "", "0 breaking changes since HEAD\n")
    write_project(root, v1=NARROWER)
    code, out, err = ask(root, "--against", "HEAD")
    assert code == 1
    assert out.startswith(
        "wire: property-removed schemas/v1.yaml:5:7: Order v1 spec/note: removed;"
    )
    assert err == "1 breaking change since HEAD: 1 wire\n"


def test_what_lies_beside_at_a_revision(
    tmp_path: Path, ask: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sources of a project may be beside its folder, and CRDs beside the current one."""
    root = write_project(tmp_path / "deep/src", config=CONFIG.replace("schemas/", "../schemas/"))
    (root / "schemas").rename(root.parent / "schemas")
    write_crd(tmp_path / "crds/box.yaml", crd("v1"))
    commit(tmp_path)
    monkeypatch.chdir(root)
    assert ask(root, "--against", "HEAD") == (0, "", "0 breaking changes since HEAD\n")
    assert ask(root, "../../crds", "--against", "HEAD")[0] == 0
    (root.parent / "schemas/v1.yaml").write_text(NARROWER)
    code, out, _ = ask(root, "--against", "HEAD")
    assert (code, out.startswith("wire: property-removed ../schemas/v1.yaml:")) == (1, True)


def test_a_folder_and_a_configuration(tmp_path: Path, ask: Callable[..., Ended]) -> None:
    """A project may be named by its folder or by its holdall.yaml."""
    old = write_project(tmp_path / "old")
    new = write_project(tmp_path / "new", v1=NARROWER)
    for against in (old, old / "holdall.yaml"):
        assert ask(new, "--against", str(against))[0] == 1
        assert ask(old, "--against", str(against))[0] == 0


def test_crds_in_place_of_a_project(tmp_path: Path, ask: Callable[..., Ended]) -> None:
    """CRDs are compared with CRDs, in files or folders, other documents passed over."""
    before, after = crd("v1"), crd("v1")
    del properties(after)["when"]
    old = write_crd(tmp_path / "old/box.yaml", before)
    new = write_crd(tmp_path / "new/deep/box.yaml", after)
    (tmp_path / "new/kustomization.yaml").write_text("resources: [deep/box.yaml]\n")
    for judged in (new, tmp_path / "new"):
        for against in (old, tmp_path / "old"):
            code, out, _ = ask(tmp_path, str(judged), "--against", str(against))
            assert (code, out.count("property-removed"), "Box v1 spec/when" in out) == (1, 1, True)
    assert ask(tmp_path, str(old), "--against", str(new))[0] == 0


def test_crds_at_a_revision(
    tmp_path: Path, ask: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path of CRDs is looked up at the revision, too."""
    path = write_crd(tmp_path / "config/crds/box.yaml", crd("v1"))
    commit(tmp_path)
    monkeypatch.chdir(tmp_path / "config")
    after = crd("v1")
    del properties(after)["when"]
    write_crd(path, after)
    assert ask(Path(), "crds", "--against", "HEAD")[0] == 1
    assert ask(Path(), "crds/box.yaml", "--against", "HEAD")[0] == 1
    git(tmp_path, "commit", "-qam", "two")
    assert ask(Path(), "crds", "--against", "HEAD")[0] == 0


def test_one_crd_in_two_files(tmp_path: Path, ask: Callable[..., Ended]) -> None:
    """Nobody can tell which of two counts, so neither is judged in silence."""
    before, after = crd("v1"), crd("v1")
    del properties(after)["when"]
    old = write_crd(tmp_path / "old/box.yaml", before)
    write_crd(tmp_path / "new/a.yaml", after)
    write_crd(tmp_path / "new/b.yaml", before)
    code, out, err = ask(tmp_path, str(tmp_path / "new"), "--against", str(old))
    assert (code, out) == (2, "")
    assert f"HA145 {tmp_path}/new/b.yaml:1:1: the CRD of Box is in two places, first at" in err


def test_a_project_of_crds(tmp_path: Path, ask: Callable[..., Ended]) -> None:
    """The sources of a project may be CRDs, and so may what users have."""
    config = "groups:\n  box:\n    sources: [{crds: box.yaml}]\n    versions: [v1]\n"
    before, after = crd("v1"), crd("v1")
    del properties(after)["when"]
    old = write_crd(tmp_path / "old/box.yaml", before)
    write_crd(tmp_path / "new/box.yaml", after)
    for name in ("old", "new"):
        (tmp_path / name / "holdall.yaml").write_text(config)
    for against in (old, tmp_path / "old"):
        code, out, _ = ask(tmp_path / "new", "--against", str(against))
        assert code == 1
        assert out.startswith("wire: property-removed box.yaml:")


def test_a_declaration(tmp_path: Path, ask: Callable[..., Ended], project_root: Path) -> None:
    """The versions of a declaration are compared with those that it declared."""
    line = '    absent: Annotated[U32 | None, added("v1")]\n'
    text = (project_root / "schemas/people.py").read_text(encoding="utf-8")
    assert line in text
    for name, source in {
        "old": text,
        "less": text.replace(line, ""),
        "more": text.replace(line, f"{line}{line.replace('absent', 'fresh')}"),
        "other": text.replace("number, 65535", "number, 9"),
    }.items():
        path = tmp_path / name / "schemas/people.py"
        path.parent.mkdir(parents=True)
        path.write_text(source, encoding="utf-8")
        config = "groups:\n  people:\n    sources: [{declared: schemas/people.py}]\n"
        (tmp_path / name / "holdall.yaml").write_text(config)
    old = str(tmp_path / "old")
    code, out, _ = ask(tmp_path / "less", "--against", old)
    assert code == 1
    assert "wire: property-removed schemas/people.py:" in out
    assert "Team v1 status/absent: removed" in out
    code, out, _ = ask(tmp_path / "other", "--against", old)
    assert code == 1
    assert out.startswith("conversion: function-changed schemas/people.py:")
    assert "PersonSpec v1beta1 -> v1 badge: the code of schemas.people:to_u16 has changed" in out
    assert ask(tmp_path / "more", "--against", old)[:2] == (0, "")


def test_the_own_crds_in_a_cluster(
    tmp_path: Path, ask: Callable[..., Ended], project_root: Path
) -> None:
    """What `holdall crd` adds to the sources is in both: members for bags and tracked values."""
    for name in ("holdall.yaml", "schemas", "hooks"):
        (tmp_path / name).symlink_to(project_root / name)
    cluster = tmp_path / "cluster"
    assert run(tmp_path, "crd", "--output", str(cluster)) == 0
    assert ask(tmp_path, "--against", str(cluster))[:2] == (0, "")
    file = cluster / "vehicles.fleet.example.com.yaml"
    [document] = load_file(file)
    more: Any = document.value
    properties(more)["horn"] = {"type": "string"}
    write_crd(file, more)
    code, out, _ = ask(tmp_path, "--against", str(cluster))
    assert code == 1
    (line,) = [line for line in out.splitlines() if line.startswith("wire:")]
    assert line.startswith("wire: property-removed schemas/fleet/")
    assert "Vehicle v2 spec/horn: removed" in line


# --- bad input -------------------------------------------------------------------------------


def test_an_unknown_revision(tmp_path: Path, ask: Callable[..., Ended]) -> None:
    """A name that is no file, no folder and no revision is an error with git's reason."""
    root = write_project(tmp_path)
    code, out, err = ask(root, "--against", "nowhere")
    assert (code, out) == (2, "")
    assert err.startswith("HA709 nowhere: fatal: not a git repository")
    commit(root)
    assert "HA709 nowhere: fatal: not a valid object name" in ask(root, "--against", "nowhere")[2]
    assert ask(root, "--against", "--output=x")[0] == 2


def test_no_git(tmp_path: Path, ask: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git a revision cannot be read, and the message says so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = ask(write_project(tmp_path), "--against", "HEAD")
    assert (code, err.startswith("HA709 HEAD: git cannot be run: No such file")) == (2, True)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "HA180 {old}: there is neither holdall.yaml nor a CustomResourceDefinition"),
        ({"a.txt": ""}, "HA101 {old}: the folder contains no file to read"),
        ({"a.yaml": "kind: Pod\n"}, "HA180 {old}: there is neither"),
        ({"holdall.yaml": "groups: 1\n"}, "HA123 holdall.yaml:1: groups must be a mapping"),
        ({"holdall.yaml": CONFIG}, 'HA140 holdall.yaml:4: no file matches "schemas/v1.yaml"'),
        ({"a.yaml": "{"}, "HA102 {old}/a.yaml:"),
    ],
)
def test_an_older_state_that_is_none(
    files: dict[str, str], message: str, tmp_path: Path, ask: Callable[..., Ended]
) -> None:
    """What keeps the older state from being read is said with its place, below what was named."""
    old = tmp_path / "old"
    old.mkdir()
    for name, text in files.items():
        (old / name).write_text(text)
    code, out, err = ask(write_project(tmp_path / "new"), "--against", str(old))
    assert (code, out) == (2, "")
    title, _, problem = err.partition("\n")
    assert title == f"cannot compare with the older state {old}:"
    assert problem.startswith(message.format(old=old))


def test_an_older_state_without_a_plan(tmp_path: Path, ask: Callable[..., Ended]) -> None:
    """A base that was refused is wrong input; a state of today that is refused is a finding."""
    clash = V1.replace("amount: {type: integer}", "amount: {type: object, properties: {a: {}}}")
    refused = write_project(tmp_path / "refused", v1=clash)
    sound = write_project(tmp_path / "sound")
    code, _, err = ask(sound, "--against", str(refused))
    assert code == 2
    assert "HA201 schemas/v1.yaml:7" in err
    assert ask(refused, "--against", str(sound))[0] == 1


def test_a_revision_before_the_project(tmp_path: Path, ask: Callable[..., Ended]) -> None:
    """At a revision a project is looked for, not any file that may be a CRD."""
    (tmp_path / "template.yaml").write_text("{{ broken }}: [")
    commit(tmp_path)
    code, _, err = ask(write_project(tmp_path), "--against", "HEAD")
    assert (code, "HA120 holdall.yaml: there is no such file" in err) == (2, True)


def test_links_that_lead_elsewhere(tmp_path: Path, ask: Callable[..., Ended]) -> None:
    """A link out of the repository is left out of its older state."""
    root = write_project(tmp_path / "project")
    (root / "out").symlink_to(tmp_path / "elsewhere")
    commit(root)
    assert ask(root, "--against", "HEAD")[0] == 0


def test_nothing_to_judge(tmp_path: Path, ask: Callable[..., Ended]) -> None:
    """Without a project and without CRDs there is nothing to compare."""
    code, _, err = ask(tmp_path, "--against", str(tmp_path))
    assert (code, err.startswith("HA120 holdall.yaml: there is no such file")) == (2, True)


# --- reports ---------------------------------------------------------------------------------


@pytest.fixture
def states(tmp_path: Path) -> tuple[Path, str]:
    """A project that lost a property, and the state before."""
    old = write_project(tmp_path / "old")
    return write_project(tmp_path / "new", v1=NARROWER), str(old)


def test_json(states: tuple[Path, str], ask: Callable[..., Ended]) -> None:
    """JSON has every part of a finding."""
    root, old = states
    code, out, _ = ask(root, "--against", old, "--json")
    assert code == 1
    assert ask(root, "--against", old, "--format", "json")[1] == out
    found = json.loads(out)
    assert found == {
        "against": old,
        "findings": [
            {
                "rule": "property-removed",
                "level": "wire",
                "kind": "Order",
                "version": "v1",
                "path": "spec/note",
                "others": [],
                "what": "removed",
                "reason": "what clients write is removed or refused, and what they read is missing",
                "fix": found["findings"][0]["fix"],
                "where": "schemas/v1.yaml:5:7",
                "file": "schemas/v1.yaml",
                "line": 5,
                "column": 7,
            }
        ],
        "ignored": [],
        "expired": [],
        "unused": [],
    }


def test_annotations(states: tuple[Path, str], ask: Callable[..., Ended]) -> None:
    """GitHub gets a line for each finding, and warnings for entries that do nothing."""
    root, old = states
    (root / "holdall.yaml").write_text(CONFIG + entry(kind="Invoice"))
    code, out, _ = ask(root, "--against", old, "--format", "github")
    lines = out.splitlines()
    assert (code, len(lines)) == (1, 2)
    place = Path(os.path.relpath(root)).as_posix()
    at = f"file={place}/schemas/v1.yaml,line=5,col=7"
    assert lines[0].startswith(f"::error {at},title=property-removed::Order v1 spec/note: removed")
    assert lines[1].startswith(f"::warning file={place}/holdall.yaml,line=")


def test_levels(states: tuple[Path, str], ask: Callable[..., Ended]) -> None:
    """Only the levels that are asked for count."""
    root, old = states
    assert ask(root, "--against", old, "--level", "stored", "--level", "conversion")[0] == 0
    assert ask(root, "--against", old, "--level", "wire")[0] == 1
    assert ask(root, "--against", old, "--level", "wires")[0] == 2
    (root / "holdall.yaml").write_text(CONFIG + entry(rule="stored-lost"))
    assert "HA182" in ask(root, "--against", old, "--level", "stored")[2]
    assert "HA182" not in ask(root, "--against", old, "--level", "wire")[2]


# --- entries of ignore -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({}, 0),
        ({"kind": "Order", "version": "v1", "path": "spec/note"}, 0),
        ({"path": "spec"}, 0),
        ({"path": "spec/no"}, 1),
        ({"version": "v2"}, 1),
        ({"kind": "Orders"}, 1),
        ({"rule": "type-changed"}, 1),
    ],
)
def test_what_is_ignored(
    members: dict[str, str], code: int, states: tuple[Path, str], ask: Callable[..., Ended]
) -> None:
    """An entry takes the findings that fit all it says; one that fits none is remarked."""
    root, old = states
    (root / "holdall.yaml").write_text(CONFIG + entry(**members))
    ended, _, err = ask(root, "--against", old)
    assert ended == code
    assert ("warning: HA182 holdall.yaml:13: the entry for" in err) == (code == 1)
    assert ("0 breaking changes" in err and "; 1 ignored" in err) == (code == 0)
    found = json.loads(ask(root, "--against", old, "--json")[1])
    assert len(found["ignored"]) == 1 - code
    if found["ignored"]:
        at = {"until": TOMORROW, "reason": "nobody has it", "at": "holdall.yaml:13"}
        assert found["ignored"][0]["ignored"] == at


def test_an_entry_that_is_over(states: tuple[Path, str], ask: Callable[..., Ended]) -> None:
    """After its day an entry hides nothing, and is a finding itself."""
    root, old = states
    (root / "holdall.yaml").write_text(CONFIG + entry(until="2024-02-29"))
    code, out, _ = ask(root, "--against", old)
    assert code == 1
    assert "property-removed" in out
    assert "HA181 holdall.yaml:13: the entry for property-removed expired after 2024-02-29" in out
    (root / "schemas/v1.yaml").write_text(V1)
    assert ask(root, "--against", old)[0] == 1


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"rule": "property-remove"}, 'there is no rule "property-remove"; did you mean "property'),
        ({"until": "soon"}, 'until "soon" is not a date such as 2030-12-31, in quotes'),
        ({"until": "2023-02-29"}, 'until "2023-02-29" is not a valid date'),
        ({"reason": " "}, 'reason " " is not a text'),
        ({"because": "x"}, 'an entry of ignore has no key "because"'),
    ],
)
def test_malformed_entries(
    members: dict[str, str], message: str, states: tuple[Path, str], ask: Callable[..., Ended]
) -> None:
    """What an entry gets wrong is said with its line."""
    root, old = states
    (root / "holdall.yaml").write_text(CONFIG + entry(**members))
    code, _, err = ask(root, "--against", old)
    assert code == 2
    assert message in err
