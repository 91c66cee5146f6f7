"""Hand-written names that the module of a version hands on, under their own names or others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from holdall_codegen.declared.problems import DeclarationError
from holdall_codegen.declared.reading import read_source
from tests.support.declared import Declaring, declare

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
    ("text", "message"),
    [
        ("json:lods", '"json" has no lods; did you mean "loads"?'),
        ("json:nothing_of_this as Other", '"json" has no nothing_of_this'),
        ("email:no_such_part", '"email" has no no_such_part'),
        ("no_such_module as Other", '"no_such_module" cannot be imported: ModuleNotFoundError: '),
    ],
)
def test_what_is_not_there_is_refused(text: str, message: str, declared: Declaring) -> None:
    """It would fail when the generated module is imported."""
    with pytest.raises(DeclarationError) as caught:
        declared(DECLARATION.format(texts=f'"{text}",'))
    assert f"versions[0].reexport: {message}" in str(caught.value)


def test_a_module_of_a_package_is_handed_on(declared: Declaring) -> None:
    """Even if the package does not import it by itself."""
    api = declared(DECLARATION.format(texts='"xml.dom:pulldom",')).api("v1")
    assert api.pulldom is sys.modules["xml.dom.pulldom"]


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
