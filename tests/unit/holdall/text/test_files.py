"""Files are written whole or not at all, through links, with errors that name them."""

from __future__ import annotations

import errno
import io
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
from typing_extensions import Buffer

from holdall.text import files
from holdall.text.files import create_file, path_from, replace_file, replace_files
from tests.support.disk import fill_disk, tree


def test_unbuffered_pipes_get_everything() -> None:
    """A pipe that takes a few bytes at a time gets all of them, in order."""

    class Narrow(io.BytesIO):
        def write(self, data: Buffer, /) -> int:
            return super().write(bytes(data)[:3])

    pipe = Narrow()
    files.write_all(pipe, b"0123456789")
    assert pipe.getvalue() == b"0123456789"


def test_replacing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the last step fails the old text stands and no draft is left."""
    file = tmp_path / "a.yaml"
    file.write_text("before")

    def fail(*_: object) -> None:
        raise OSError("odd")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="odd"):
        replace_file(file, b"after")
    assert tree(tmp_path) == {"a.yaml": "before"}


@pytest.mark.parametrize("write", [replace_file, create_file])
def test_a_full_disk_names_the_file_and_leaves_nothing(
    write: Callable[[Path, bytes], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system names no file, and nothing half-written is left behind."""
    fill_disk(monkeypatch)
    with pytest.raises(OSError) as caught:
        write(tmp_path / "a.yaml", b"after")
    assert (caught.value.errno, caught.value.filename) == (
        errno.ENOSPC,
        str(tmp_path / "a.yaml"),
    )
    assert tree(tmp_path) == {}


def test_several_files_change_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full at the last one, the first ones are as they were."""
    (tmp_path / "a").write_text("before")
    fill_disk(monkeypatch, room=1)
    with pytest.raises(OSError, match="No space left"):
        replace_files([(tmp_path / "a", b"after"), (tmp_path / "b", b"after")])
    assert tree(tmp_path) == {"a": "before"}


@pytest.mark.parametrize("before", ["before", None])
@pytest.mark.parametrize("chain", [1, 2])
def test_a_link_is_written_through(before: str | None, chain: int, tmp_path: Path) -> None:
    """Its target is replaced or made, beside the target, and every link stays as it was."""
    real, links = tmp_path / "real/deep", tmp_path / "links"
    real.mkdir(parents=True)
    links.mkdir()
    if before is not None:
        (real / "a.yaml").write_text(before)
    (links / "1").symlink_to("../real/deep/a.yaml")
    (links / "2").symlink_to(links / "1")
    replace_file(links / str(chain), b"after")
    assert tree(tmp_path) == {
        "links/1": "-> ../real/deep/a.yaml",
        "links/2": f"-> {links / '1'}",
        "real/deep/a.yaml": "after",
    }


def test_the_draft_lies_beside_the_target_of_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only within one file system a file takes another's place in one step."""
    (tmp_path / "real").mkdir()
    (tmp_path / "a").symlink_to("real/a")
    moved: list[tuple[Path, Path]] = []
    replace = os.replace

    def keep(draft: Path, target: Path) -> None:
        moved.append((draft, target))
        replace(draft, target)

    monkeypatch.setattr(os, "replace", keep)
    replace_file(tmp_path / "a", b"after")
    ((draft, target),) = moved
    assert draft.parent == target.parent == (tmp_path / "real").resolve()


@pytest.mark.parametrize("write", [replace_file, create_file])
def test_links_that_lead_nowhere(write: Callable[[Path, bytes], None], tmp_path: Path) -> None:
    """A link to itself is an error that names it, and stays as it was."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError) as caught:
        write(tmp_path / "loop", b"after")
    assert caught.value.filename == str(tmp_path / "loop")
    assert tree(tmp_path) == {"loop": "-> loop"}


def test_a_dangling_link_to_a_missing_folder(tmp_path: Path) -> None:
    """Folders are made as needed, those of the target, too."""
    (tmp_path / "a").symlink_to("missing/folder/a")
    replace_file(tmp_path / "a", b"after")
    assert tree(tmp_path) == {"a": "-> missing/folder/a", "missing/folder/a": "after"}


@pytest.mark.parametrize("name", ["folder", "link"])
def test_a_folder_is_not_replaced(name: str, tmp_path: Path) -> None:
    """A folder, or a link to one, is an error that names it, and not its draft."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    with pytest.raises(IsADirectoryError) as caught:
        replace_file(tmp_path / name, b"after")
    assert caught.value.filename == str(tmp_path / name)
    assert list((tmp_path / "folder").iterdir()) == []


@pytest.mark.parametrize("name", ["a", "link"])
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o751])
def test_a_file_keeps_its_mode(name: str, mode: int, tmp_path: Path) -> None:
    """Also behind a link; a new file has the usual one, a private one is its owner's alone."""
    (tmp_path / "a").write_text("before")
    (tmp_path / "a").chmod(mode)
    (tmp_path / "link").symlink_to("a")
    replace_file(tmp_path / name, b"after")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode
    replace_file(tmp_path / name, b"secret", private=True)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    mask = os.umask(0o027)
    try:
        replace_file(tmp_path / "new", b"after")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    """What is no regular file is not replaced by one: pipes and devices get the text."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to("pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    replace_file(tmp_path / "link", b"x" * 100_000)
    reader.join()
    assert got == [b"x" * 100_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device_is_named(tmp_path: Path) -> None:
    """And stays what it is."""
    (tmp_path / "link").symlink_to("/dev/full")
    for path in (Path("/dev/full"), tmp_path / "link"):
        with pytest.raises(OSError, match="No space left") as caught:
            replace_file(path, b"after")
        assert caught.value.filename == str(path)
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_new_file_replaces_none(tmp_path: Path) -> None:
    """What is there stays, also behind a link; a link to nothing gets its target."""
    (tmp_path / "a").write_text("before")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "dangling").symlink_to("b")
    for name in ("a", "link"):
        with pytest.raises(FileExistsError):
            create_file(tmp_path / name, b"after")
    create_file(tmp_path / "dangling", b"after")
    assert tree(tmp_path) == {"a": "before", "b": "after", "dangling": "-> b", "link": "-> a"}


def test_a_long_name_has_a_draft(tmp_path: Path) -> None:
    """The name of the draft is never longer than the system allows."""
    for name in ("n" * 255, "ü" * 127):
        replace_file(tmp_path / name, b"after")
        assert (tmp_path / name).read_text() == "after"


def test_the_way_to_another_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two drives of Windows there is no relative path: the file's own is what is left."""
    assert path_from(tmp_path / "a" / "b", tmp_path / "c") == "../a/b"

    def refuse(path: object, start: object) -> str:
        raise ValueError(f"path is on mount 'D:', start on mount 'C:': {path}, {start}")

    monkeypatch.setattr(os.path, "relpath", refuse)
    assert path_from(tmp_path / "a", tmp_path / "c") == (tmp_path / "a").as_posix()


def test_what_was_begun_is_closed_before_it_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows removes no open file, and would say so instead of what went wrong."""
    begun: list[BinaryIO] = []

    def fail(file: BinaryIO, _: bytes) -> None:
        begun.append(file)
        raise OSError(errno.ENOSPC, "full")

    def unlink(path: Path, *, missing_ok: bool = False) -> None:
        assert [file.closed for file in begun] == [True]
        os.remove(path)  # noqa: PTH107 - what this replaces is called by the other way

    monkeypatch.setattr(files, "write_all", fail)
    monkeypatch.setattr(Path, "unlink", unlink)
    with pytest.raises(OSError, match="full"):
        create_file(tmp_path / "new", b"text")
    assert not (tmp_path / "new").exists()


def test_devices_without_numbers_are_not_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows numbers neither NUL nor pipes: what is for the one must not go to the other."""
    nowhere = os.stat_result((stat.S_IFCHR, 0, 0, 1, 0, 0, 0, 0, 0, 0))
    monkeypatch.setattr(os, "fstat", lambda _: nowhere)
    assert files._own_stream(nowhere) is None


@pytest.mark.parametrize("folds", [True, False])
def test_file_systems_that_fold_names(tmp_path: Path, folds: bool) -> None:
    """Those of macOS and Windows, mostly; the folder need not be there yet."""
    (tmp_path / "Out").mkdir()
    if folds:  # what lies there is found by another spelling of its name
        (tmp_path / "oUT").symlink_to("Out")
        (tmp_path / "Out" / "123").mkdir()
        assert files.folds_names(tmp_path / "Out" / "123" / "new")
    assert files.folds_names(tmp_path / "Out") is folds
