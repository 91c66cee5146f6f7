"""What is imported from a folder is forgotten afterwards, whatever kind of package it is in."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from holdall_codegen.declared.problems import DeclarationError
from holdall_codegen.declared.reading import read_declaration
from holdall_codegen.declared.source import importing_from
from holdall_codegen.project import load_project
from tests.support.declared import HEAD


def test_packages_without_init_are_forgotten(tmp_path: Path) -> None:
    """Folders without `__init__.py` are packages, too, one inside the other."""
    module = tmp_path / "unmarked_hooks/farm/plants.py"
    module.parent.mkdir(parents=True)
    module.write_text("NAME = 'rose'\n", encoding="utf-8")
    with importing_from(tmp_path):
        assert importlib.import_module("unmarked_hooks.farm.plants").NAME == "rose"
    assert [name for name in sys.modules if name.startswith("unmarked_hooks")] == []


DECLARATION = """
VERSIONS = Versions(Version("v1"), Version("v2"MORE))


@obj
class Box:
    size: Annotated[int, added("v2"ITEM)]
"""


@pytest.mark.parametrize(
    ("more", "item", "message"),
    [
        (
            "",
            ", default=sys.exit(3)",
            ":14:38: Box.size.added.default: it exits the process, with 3",
        ),
        ("", ', default="quits:one"', '"quits:one" cannot be imported: SystemExit: 3'),
        (', reexport=("quits",)', "", '"quits" cannot be imported: SystemExit: 3'),
    ],
)
def test_a_module_that_ends_the_process_is_a_mistake(
    more: str, item: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "quits.py").write_text("import sys\n\nsys.exit(3)\n", "utf-8")
    text = f"{HEAD}import sys\n{DECLARATION.replace('MORE', more).replace('ITEM', item)}"
    (tmp_path / "boxes.py").write_text(text, "utf-8")
    (tmp_path / "holdall.yaml").write_text(
        "groups: {boxes: {sources: [{declared: boxes.py}]}}", "utf-8"
    )
    with pytest.raises(DeclarationError) as caught:
        load_project(tmp_path)
    assert message in str(caught.value)


def test_what_a_module_prints_is_no_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands write theirs to standard output, such as JSON."""
    text = DECLARATION.replace("MORE", "").replace("ITEM", "")
    (tmp_path / "boxes.py").write_text(f"{HEAD}print('boxes')\n{text}", "utf-8")
    read_declaration("boxes.py", root=tmp_path)
    assert capsys.readouterr() == ("", "boxes\n")
