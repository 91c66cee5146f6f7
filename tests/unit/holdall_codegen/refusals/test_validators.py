"""Validators of the schemas that projects state: how their files are named to each other."""

from __future__ import annotations

import os
from pathlib import Path, PureWindowsPath
from urllib.parse import urljoin

from holdall_codegen.refusals import validators


def test_files_have_uris_whatever_they_are_called() -> None:
    """A name need not be text, and files that refer to each other lie on one drive of Windows."""
    place = Path(os.fsdecode(b"/a b/#%41\xff.yaml"))
    assert validators._path_of(validators._uri_of(place)) == place
    found = urljoin(validators._uri_of(PureWindowsPath("C:\\a\\b.yaml")), "c.yaml")
    assert found == "file:///C%3A/a/c.yaml"
