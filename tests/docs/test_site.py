"""The check of the built site finds what is dead, and the reference has every public name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest

from docs.site.check import findings, main
from tests.support.pages import ROOT, read

_TABLE = re.compile(r"^<!-- api: (\S+) -->\n\n\| name \|.*\n\|-.*\n((?:\|.*\n)+)", re.MULTILINE)
_ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)
_SOURCE = re.compile(r'\bdocs/([\w-]+\.md)(?:,\s+"([^"]+)"|,\s+(WC-\d+))?')
_REFERENCE = [ROOT / "docs/api.md", ROOT / "docs/api-generated.md"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<a href="#here" id="here">', []),
        ('<a href="other.html#there">', []),
        ('<a href="https://example.com/">', []),
        ('<a href="gone.html">', ["index.html: gone.html leads nowhere"]),
        ('<a href="#gone">', ["index.html: #gone names no such anchor"]),
        ('<a href="other.html#here">', ["index.html: other.html#here names no such anchor"]),
        ('<img src="gone.svg">', ["index.html: gone.svg leads nowhere"]),
        (
            '<script src="//example.com/a.js">',
            ["index.html: loads //example.com/a.js from another host"],
        ),
        (
            '<link href="https://example.com/a.css">',
            ["index.html: loads https://example.com/a.css from another host"],
        ),
    ],
)
def test_what_is_dead_is_found(tmp_path: Path, body: str, expected: list[str]) -> None:
    """Links, anchors and files are followed inside the site; nothing may come from outside."""
    (tmp_path / "index.html").write_text(body)
    (tmp_path / "other.html").write_text('<p id="there">')
    assert [*findings(tmp_path)] == expected
    assert main(tmp_path) == bool(expected)


def test_a_site_without_pages_is_a_finding(tmp_path: Path) -> None:
    """A build that wrote nothing does not pass."""
    assert main(tmp_path) == 1


@pytest.mark.parametrize("package", ["runtime", "codegen"])
def test_sources_of_rules_are_in_the_documentation(package: str) -> None:
    """A docstring names a page, and a heading or a check there."""
    cited = 0
    for path in sorted((ROOT / package).rglob("*.py")):
        for page, heading, check in _SOURCE.findall(path.read_text(encoding="utf-8")):
            text = read(ROOT / "docs" / page)
            heading = " ".join(heading.split())
            assert not heading or f"# {heading}\n" in text, f"{path}: {page} has no {heading!r}"
            assert check in text, f"{path}: {page} has no {check}"
            cited += 1
    assert cited > 8


def documented() -> Mapping[str, dict[str, str]]:
    """Return for each module the names of its tables, with their meanings."""
    found: dict[str, dict[str, str]] = {}
    for page in _REFERENCE:
        for module, table in _TABLE.findall(read(page)):
            for name, meaning in _ROW.findall(table):
                assert name not in found.setdefault(module, {}), f"{module}.{name} twice"
                found[module][name] = meaning
    return found


def meaning_of(value: object) -> str | None:
    """Return the first line of a docstring of holdall's own, as a cell of a table."""
    if not callable(value) or not (getattr(value, "__module__", "") or "").startswith("holdall."):
        return None
    if "__doc__" not in vars(value) or value.__doc__ is None:
        return None
    return value.__doc__.strip().partition("\n")[0].replace("|", "\\|")


@pytest.mark.parametrize(
    "module",
    [
        "holdall",
        "holdall.declare",
        "holdall.generated",
        "holdall.testing",
        "holdall.kubernetes.conform",
    ],
)
def test_every_public_name_is_in_the_reference(module: str) -> None:
    """The tables of the reference list what a module exports, and no other name."""
    assert documented()[module].keys() == {*import_module(module).__all__}


def test_the_reference_says_what_docstrings_say(update_goldens: bool) -> None:
    """The meaning of a class or function is the first line of its docstring."""
    for page in _REFERENCE:
        text = read(page)
        for module, table in _TABLE.findall(text):
            expected = table
            for name, meaning in _ROW.findall(table):
                said = meaning_of(getattr(import_module(module), name))
                row = f"| `{name}` | {said or meaning} |"
                expected = expected.replace(f"| `{name}` | {meaning} |", row)
            if update_goldens:
                page.write_text(read(page).replace(table, expected), encoding="utf-8")
            else:
                assert table == expected
