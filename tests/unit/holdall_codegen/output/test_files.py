"""Writing generated files: what is touched, what is refused, and what an interruption leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from holdall.errors import InternalError
from holdall.plan.plans import MANIFEST_FILE
from holdall_codegen.output import files as module
from holdall_codegen.output.files import inspect_output, write_output
from holdall_codegen.output.manifest import Manifest, OutputError, read_manifest

OLD = {"generated/a.py": "A = 1\n", "generated/v1/b.py": "B = 1\n", "generated/plan.json": "{}\n"}
NEW = {"generated/a.py": "A = 2\n", "generated/v2/c.py": "C = 1\n", "generated/plan.json": "{}\n"}


def _write(root: Path, files: Mapping[str, str], *, force: bool = False) -> module.Output:
    output = inspect_output(root, "generated", files, force=force)
    write_output(output)
    return output


def _texts(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != MANIFEST_FILE
    }


def _codes(error: OutputError) -> list[str]:
    return [problem.code for problem in error.problems]


def test_first_write(tmp_path: Path) -> None:
    """A first write makes every file, and the manifest lists exactly these."""
    output = _write(tmp_path, OLD)
    assert _texts(tmp_path) == OLD
    manifest = read_manifest(tmp_path / "generated", "generated")
    assert sorted(manifest.files) == ["a.py", "plan.json", "v1/b.py"]
    assert (output.written, output.unchanged) == (("a.py", "plan.json", "v1/b.py"), ())


def test_only_changed_files_are_rewritten(tmp_path: Path) -> None:
    """An unchanged file keeps its inode and its time; a file no longer generated goes."""
    _write(tmp_path, OLD)
    before = (tmp_path / "generated/plan.json").stat()
    _write(tmp_path, NEW)
    after = (tmp_path / "generated/plan.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert _texts(tmp_path) == NEW
    assert not (tmp_path / "generated/v1").exists()


def test_bytecode_of_removed_modules_goes_with_its_folder(tmp_path: Path) -> None:
    """Stale bytecode does not keep a folder alive, but anything of the user does."""
    for name in ("v1", "v0"):
        _write(tmp_path, {**OLD, f"generated/{name}/b.py": "B = 1\n"})
    _write(tmp_path, {"generated/v0/b.py": "B = 1\n", **OLD})
    for folder, stem in (("v1", "b"), ("v0", "mine")):
        cached = tmp_path / "generated" / folder / "__pycache__"
        cached.mkdir()
        (cached / f"{stem}.cpython-311.pyc").write_bytes(b"")
    _write(tmp_path, NEW)
    assert not (tmp_path / "generated/v1").exists()
    assert (tmp_path / "generated/v0/__pycache__/mine.cpython-311.pyc").exists()


def test_files_of_others_stay(tmp_path: Path) -> None:
    """A file in the output folder that is not generated is never touched."""
    _write(tmp_path, OLD)
    mine = tmp_path / "generated/v1/notes.txt"
    mine.write_text("mine")
    _write(tmp_path, NEW)
    assert mine.read_text() == "mine"


def test_hand_edited_file_is_refused(tmp_path: Path) -> None:
    """An edited file stops the run before anything is written."""
    _write(tmp_path, OLD)
    (tmp_path / "generated/a.py").write_text("A = 'edited'\n")
    before = _texts(tmp_path)
    with pytest.raises(OutputError) as caught:
        _write(tmp_path, NEW)
    assert _codes(caught.value) == ["HA160"]
    assert "--force" in caught.value.problems[0].fix
    assert _texts(tmp_path) == before


def test_hand_edited_file_of_a_removed_version_is_refused(tmp_path: Path) -> None:
    """An edit is not lost because its file is no longer generated."""
    _write(tmp_path, OLD)
    (tmp_path / "generated/v1/b.py").write_text("B = 'edited'\n")
    with pytest.raises(OutputError) as caught:
        _write(tmp_path, NEW)
    assert caught.value.problems[0].where == "generated/v1/b.py"


def test_force_keeps_a_copy_of_every_edit(tmp_path: Path) -> None:
    """With force the file is new, and each edit lies beside it under a name of its own."""
    _write(tmp_path, OLD)
    for number in (1, 2):
        (tmp_path / "generated/a.py").write_text(f"A = 'edit {number}'\n")
        _write(tmp_path, NEW, force=True)
    texts = _texts(tmp_path)
    assert texts["generated/a.py"] == NEW["generated/a.py"]
    assert texts["generated/a.py.edited"] == "A = 'edit 1'\n"
    assert texts["generated/a.py.edited2"] == "A = 'edit 2'\n"


@pytest.mark.parametrize("force", [False, True])
def test_hand_written_file_is_refused(tmp_path: Path, force: bool) -> None:
    """A file that holdall never wrote is refused, by force, too."""
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated/a.py").write_text("mine = True\n")
    with pytest.raises(OutputError) as caught:
        _write(tmp_path, OLD, force=force)
    assert _codes(caught.value) == ["HA161"]
    assert _texts(tmp_path) == {"generated/a.py": "mine = True\n"}


def test_equal_file_is_adopted(tmp_path: Path) -> None:
    """Without a manifest, files that are what would be written become holdall's own."""
    _write(tmp_path, OLD)
    (tmp_path / "generated" / MANIFEST_FILE).unlink()
    _write(tmp_path, OLD)
    _write(tmp_path, NEW)
    assert _texts(tmp_path) == NEW


def test_ends_of_lines_are_no_edit(tmp_path: Path) -> None:
    """git for Windows ends lines with CR and LF when it checks files out."""
    _write(tmp_path, OLD)
    for path in (tmp_path / "generated").rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert inspect_output(tmp_path, "generated", OLD).is_current
    _write(tmp_path, NEW)
    assert _texts(tmp_path) == NEW


@pytest.mark.parametrize("place", ["generated", "generated/v1", "generated/v1/b.py/x"])
def test_something_in_the_way_is_refused(tmp_path: Path, place: str) -> None:
    """A file for a folder, or a folder for a file, is one clear problem; nothing is written."""
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    before = _texts(tmp_path)
    with pytest.raises(OutputError) as caught:
        _write(tmp_path, OLD)
    assert set(_codes(caught.value)) == {"HA162"}
    assert caught.value.is_unwritable
    assert _texts(tmp_path) == before


@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< HEAD\n",
        "[]",
        '{"files": {"../x": "0"}}',
        '{"files": {"/x": "0"}}',
        '{"files": {"x": 0}}',
        '{"files": []}',
    ],
)
def test_bad_manifest_is_refused(tmp_path: Path, text: str) -> None:
    """A manifest that is none, or that leads out of the folder, is a problem and no permission."""
    _write(tmp_path, OLD)
    (tmp_path / "generated" / MANIFEST_FILE).write_text(text)
    with pytest.raises(OutputError) as caught:
        _write(tmp_path, NEW)
    assert _codes(caught.value) == ["HA163"]
    assert _texts(tmp_path) == OLD


@pytest.mark.parametrize(("name", "text"), [("x.py", "def f(:\n"), ("x.json", "{")])
def test_bad_text_is_an_internal_error(tmp_path: Path, name: str, text: str) -> None:
    """A text that does not parse is kept for the report and written nowhere else."""
    with pytest.raises(InternalError) as caught:
        _write(tmp_path, {**OLD, f"generated/{name}": text})
    assert Path(caught.value.saved).read_text() == text
    assert _texts(tmp_path) == {}
    Path(caught.value.saved).unlink()
    Path(caught.value.saved).parent.rmdir()


def test_refusal_of_the_file_system_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that cannot be written is a problem with its place; nothing is left behind."""
    _write(tmp_path, OLD)
    before = {**_texts(tmp_path)}

    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied", str(source))

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OutputError) as caught:
        _write(tmp_path, NEW)
    assert _codes(caught.value) == ["HA162"]
    assert "Permission denied" in caught.value.problems[0].message
    assert _texts(tmp_path) == before


KILLED = """\
import os, signal, sys
from pathlib import Path
from holdall.text import files
from tests.unit.holdall_codegen.output import test_files as tests

left = 0
replace, unlink, write = os.replace, Path.unlink, files.write_all

def step():
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

def killing_replace(*given):
    step()
    replace(*given)

def killing_unlink(self, missing_ok=False):
    step()
    unlink(self, missing_ok=missing_ok)

def killing_write(file, data):
    step()
    write(file, data[: len(data) // 2])
    step()
    write(file, data[len(data) // 2 :])

os.replace, Path.unlink, files.write_all = killing_replace, killing_unlink, killing_write
for name in sys.argv[1:]:
    left = int(Path(name).name)
    if not (child := os.fork()):
        tests._write(Path(name), tests.NEW)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_interrupted_write_leaves_old_or_new_files(tmp_path: Path, project_root: Path) -> None:
    """Killed at any step, each file is old or new, and the next run completes the work.

    The next run is not the same one: the project changed once more in the meantime.
    """
    path = os.pathsep.join(str(project_root / folder) for folder in ("", "runtime", "codegen"))
    roots = [tmp_path / str(steps) for steps in range(60)]
    for root in roots:
        _write(root, OLD)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *map(str, roots)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    states: set[tuple[str, ...]] = set()
    for root, code in zip(roots, done.stdout.split(), strict=True):
        found = {k: v for k, v in _texts(root).items() if not k.endswith(module.UNFINISHED)}
        assert all(text in (OLD.get(name), NEW.get(name)) for name, text in found.items())
        states.add(tuple(found.values()))
        newest = {**NEW, "generated/a.py": "A = 3\n", "generated/v2/c.py": "C = 3\n"}
        _write(root, newest)
        assert _texts(root) == newest
        assert read_manifest(root / "generated", "generated").pending == {}
        if code == "0":
            break
        assert code == "-9"
    else:
        pytest.fail("the write never completed")
    assert len(states) > 3


def test_diff_shows_new_changed_and_removed_files(tmp_path: Path) -> None:
    """The diff names files from the root, and those on one side only against /dev/null."""
    _write(tmp_path, OLD)
    assert inspect_output(tmp_path, "generated", NEW).diff() == (
        "--- a/generated/a.py\n+++ b/generated/a.py\n@@ -1 +1 @@\n-A = 1\n+A = 2\n"
        "--- a/generated/v1/b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-B = 1\n"
        "--- /dev/null\n+++ b/generated/v2/c.py\n@@ -0,0 +1 @@\n+C = 1\n"
    )


def test_manifest_text_is_sorted() -> None:
    """The manifest does not depend on the order of files."""
    one, other = Manifest({"b": "1", "a": "2"}), Manifest({"a": "2", "b": "1"})
    assert one.text() == other.text()
