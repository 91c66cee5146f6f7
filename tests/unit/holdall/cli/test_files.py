"""What every command does that writes files: links are followed, a full disk is said plainly."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.disk import fill_disk, tree
from tests.support.small_project import CONFIG, run, write_hook, write_project

THING = """\
apiVersion: v1
kind: Order
spec: {amount: 1, note: x}
"""
FULL = Path("/dev/full")
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.example.com}
spec:
  group: example.com
  names: {kind: Order, plural: orders}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A generated project, with files beside it that commands read."""
    root = write_project(tmp_path / "p", config=CONFIG + "    api_group: example.com\n")
    others = _take_modules()  # the sample project has packages of these names
    write_hook(root)
    assert run(root, "generate") == 0
    (tmp_path / "in.yaml").write_text(THING.replace("v1", "example.com/v1"))
    (tmp_path / "crd.yaml").write_text(CRD)
    monkeypatch.chdir(tmp_path)
    yield root
    _take_modules()
    sys.modules.update(others)


def _take_modules() -> dict[str, ModuleType]:
    """Take the packages `generated` and `hooks` out of what is imported."""
    names = [name for name in sys.modules if name.split(".")[0] in ("generated", "hooks")]
    return {name: sys.modules.pop(name) for name in names}


WRITERS: dict[str, tuple[tuple[str, ...], str]] = {
    "convert to a file": (("convert", "--to", "v2", "in.yaml", "-o", "new.yaml"), "new.yaml"),
    "convert to a folder": (("convert", "--to", "v2", "in.yaml", "-o", "p"), "p/in.yaml"),
    "crd to a folder": (("crd", "-o", "crds"), "crds/orders.example.com.yaml"),
    "init": (("init", "crd.yaml", "-o", "new.yaml"), "new.yaml"),
    "init of a declaration": (
        ("init", "--declared", "p/schemas/widgets.py", "-o", "p/new.yaml"),
        "p/schemas/widgets.py",
    ),
    "scaffold": (
        ("hooks", "scaffold", "Line", "v1..v2", "-o", "p/hooks/lines.py"),
        "p/hooks/lines.py",
    ),
    "generate": (("generate",), "generated/shop/v1/storage.py"),
    "certs": (("certs", "create", "keys", "--dns", "a.example.com"), "keys/.gitignore"),
}


def change(root: Path) -> None:
    """Change a schema, so that `generate` has something to write."""
    schema = root / "schemas/v1.yaml"
    schema.write_text(schema.read_text().replace("sku:", "more: {type: string}\n    sku:"))


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_said_plainly(
    project: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 with the name of the file; every file is as it was."""
    change(project)
    before = tree(project.parent)
    fill_disk(monkeypatch)
    capsys.readouterr()
    arguments, file = WRITERS[name]
    assert run(project, *arguments) == 2
    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert file in said or "manifest" in said
    assert "defect" not in said
    left = {path: text for path, text in tree(project.parent).items() if "__pycache__" not in path}
    assert left == before


@pytest.mark.parametrize("name", WRITERS)
def test_a_link_is_written_through(project: Path, name: str) -> None:
    """What a link leads to is written, though it is not there yet, and the link stays."""
    change(project)
    arguments, file = WRITERS[name]
    link = project / file if name == "generate" else project.parent / file
    real = project.parent / "real" / link.name
    real.parent.mkdir()
    if name == "generate":  # a file that it does not own, it does not touch
        link.rename(real)
        before = real.read_text()
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(real)
    assert run(project, *arguments) == 0
    assert link.readlink() == real
    assert real.read_text() != (before if name == "generate" else "")


def test_a_link_to_a_folder_is_a_folder(project: Path) -> None:
    """Files go into the folder that it leads to."""
    (project.parent / "out").mkdir()
    (project.parent / "link").symlink_to("out")
    assert run(project, "convert", "--to", "v2", "in.yaml", "-o", "link") == 0
    assert (project.parent / "out/in.yaml").read_text().startswith("apiVersion: example.com/v2")
    assert (project.parent / "link").is_symlink()


def test_a_limit_of_the_system_leaves_nothing(project: Path) -> None:
    """In a process of its own, with a real limit: the old text stands, and no draft is left."""
    (project.parent / "out.yaml").write_text("before")
    before = tree(project.parent)
    done = holdall(
        *("convert", "--to", "v2", "in.yaml", "-o", "out.yaml"),
        prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)),
    )
    assert (done.returncode, done.stderr) == (2, "out.yaml: File too large\n")
    assert tree(project.parent) == before


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "--to", "v2", "in.yaml"),
        ("convert", "--to", "v2", "in.yaml", "-o", "/dev/stdout"),
        ("plan",),
        ("crd",),
        ("audit", "in.yaml", "--json"),
        ("--help",),
        ("convert", "--help"),
        ("--version",),
    ],
)
def test_a_full_standard_output_is_said_plainly(project: Path, arguments: tuple[str, ...]) -> None:
    """Exit code 2, one line, and nothing from the interpreter when it ends."""
    with FULL.open("w") as full:
        done = holdall(*arguments, stdout=full.fileno())
    name = "/dev/stdout" if "-o" in arguments else "standard output"
    assert (done.returncode, done.stderr) == (2, f"{name}: No space left on device\n")


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_a_full_standard_error_changes_no_exit_code(project: Path) -> None:
    """There is nothing left to say it to."""
    with FULL.open("w") as full:
        assert holdall("convert", "--to", "v9", "in.yaml", stderr=full.fileno()).returncode == 2


@pytest.mark.parametrize("source", ["in.yaml", "in.jsonl"])
def test_standard_output_is_not_replaced(project: Path, source: str) -> None:
    """What others write to the same file before and after stays there."""
    (project.parent / "in.jsonl").write_text('{"apiVersion": "example.com/v1", "kind": "Order"}\n')
    with (project.parent / "log").open("w") as log:
        log.write("before\n")
        log.flush()
        done = holdall(
            "-q", "convert", "--to", "v2", source, "-o", "/dev/stdout", stdout=log.fileno()
        )
        log.seek(0, os.SEEK_END)
        log.write("after\n")
    assert done.returncode == 0
    lines = (project.parent / "log").read_text().splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert "example.com/v2" in lines[1]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_standard_streams_that_are_closed(project: Path, jobs: str) -> None:
    """Files are written all the same, and none of them is taken for a stream; results cannot be."""
    (project.parent / "in.jsonl").write_text('{"apiVersion": "example.com/v1", "kind": "Order"}\n')
    convert = ("convert", "--to", "v2", "in.jsonl", "--jobs", jobs)
    done = holdall(*convert, "-o", "out.jsonl", prepare=lambda: os.closerange(0, 2))
    assert (done.returncode, done.stderr) == (0, "1 converted, 0 failed\n")
    assert "example.com/v2" in (project.parent / "out.jsonl").read_text()
    done = holdall(*convert, prepare=lambda: os.closerange(0, 2))
    assert (done.returncode, done.stderr) == (2, "standard output: Bad file descriptor\n")
    done = holdall(*convert, "-o", "new.jsonl", prepare=lambda: os.closerange(0, 3))
    assert (done.returncode, (project.parent / "new.jsonl").exists()) == (0, True)


def holdall(
    *arguments: str,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    prepare: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "holdall", "--project", "p", *arguments],
        stdout=stdout,
        stderr=stderr,
        text=True,
        check=False,
        preexec_fn=prepare,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
