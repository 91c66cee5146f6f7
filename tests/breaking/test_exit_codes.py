"""`generate --check`, `diff` and `breaking` of one edit: what each exit code means."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.breaking.test_projects import write
from tests.support.small_project import run

NOTE = "      note: {type: string}\n"
MODE = "mode: {type: string, enum: [Fast, Slow]}"

EDITS: dict[str, tuple[str, str, str, tuple[int, int, int]]] = {
    "nothing": ("v1.yaml", NOTE, NOTE, (0, 0, 0)),
    "a comment": ("v1.yaml", NOTE, f"      # notes\n{NOTE}", (0, 0, 0)),
    "a description": ("v1.yaml", "note: {", "note: {description: A note., ", (1, 1, 0)),
    "an optional property": ("v1.yaml", NOTE, f"{NOTE}      fresh: {{type: string}}\n", (1, 1, 0)),
    "a larger limit": (
        "v1.yaml",
        "amount: {type: integer, maximum: 9}",
        "amount: {type: integer, maximum: 10}",
        (0, 1, 0),
    ),
    "a smaller limit": (
        "v1.yaml",
        "amount: {type: integer, maximum: 9}",
        "amount: {type: integer, maximum: 8}",
        (0, 1, 1),
    ),
    "a removed enum value": ("v1.yaml", MODE, MODE.replace(", Slow", ""), (1, 1, 1)),
    "a required member": ("v1.yaml", "    properties:\n      buyer", "    required: [note]\n"
        "    properties:\n      buyer", (1, 1, 1)),
    "a removed property": ("v1.yaml", NOTE, "", (1, 1, 1)),
}  # fmt: skip


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, generated, whose amounts have a limit."""
    root = write(tmp_path_factory.mktemp("released"))
    path = root / "v1.yaml"
    amount = "amount: {type: integer"
    path.write_text(path.read_text().replace(f"{amount}}}", f"{amount}, maximum: 9}}"))
    assert run(root, "generate") == 0
    return root


@pytest.mark.parametrize("what", EDITS)
def test_exit_codes(
    released: Path, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`diff` agrees with `generate --check`; with a state it also sees schemas; what breaks is
    always a difference."""
    file, old, new, (files, schemas, breaks) = EDITS[what]
    root = shutil.copytree(released, tmp_path / "project")
    text = (root / file).read_text()
    assert old in text
    (root / file).write_text(text.replace(old, new, 1))
    assert run(root, "generate", "--check") == files
    assert run(root, "diff") == files
    assert run(root, "diff", "--against", str(released / "generated")) == files
    capsys.readouterr()
    assert run(root, "diff", str(released)) == schemas
    out, err = capsys.readouterr()
    assert ("no differences" in err) == (not schemas)
    assert (" (breaks " in out) == bool(breaks)
    assert run(root, "breaking", "--against", str(released)) == breaks


def test_the_page_has_the_table(project_root: Path) -> None:
    """docs/breaking.md says of each edit what the three commands end with."""
    page = (project_root / "docs/breaking.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| ([01]) \| ([01]) \| ([01]) \|$", page, re.MULTILINE)
    assert {what: tuple(map(int, codes)) for what, *codes in rows} == {
        what: codes for what, (_, _, _, codes) in EDITS.items() if what != "nothing"
    }
