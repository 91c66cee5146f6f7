"""Hand-written names that the module of a version hands on, under their own names or others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from holdall_codegen.declared import DeclarationError, read_source
from tests.support.declared import declare

DECLARATION = """
VERSIONS = Versions(Version("v1", reexport=({texts})))


@obj
class Boat:
    name: str
"""


def test_names_are_handed_on_under_other_names(tmp_path: Path) -> None:
    """One name, a name under another, all names of a module, and a module itself."""
    (tmp_path / "harbour_of_names.py").write_text(
        "class Pier: pass\n\n\nclass Crane: pass\n", encoding="utf-8"
    )
    texts = (
        '"harbour_of_names:Pier as Jetty", "harbour_of_names", "harbour_of_names as harbour", '
        '"harbour_of_names:Crane"'
    )
    sys.path.insert(0, str(tmp_path))
    api = declare(tmp_path, DECLARATION.format(texts=texts)).api("v1")
    harbour = sys.modules["harbour_of_names"]
    assert api.__all__ == ["Boat", "Crane", "Jetty", "Pier", "harbour"]
    assert (api.Jetty, api.Pier, api.Crane, api.harbour) == (
        harbour.Pier,
        harbour.Pier,
        harbour.Crane,
        harbour,
    )


@pytest.mark.parametrize(
    "text",
    ["a.b:C as", "a.b:C as d.e", "a.b as *", "a.b:C as class", "a:b:c", "a b", " as x", "a:in"],
)
def test_what_is_no_import_is_refused(text: str) -> None:
    source = "from holdall.declare import *\n" + DECLARATION.format(texts=f'"{text}",')
    with pytest.raises(DeclarationError) as caught:
        read_source(source, "boats.py", module="boats")
    assert [getattr(problem, "code", "") for problem in caught.value.problems] == [
        "submodule_item_not_use"
    ]
