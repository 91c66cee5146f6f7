"""The documentation is true: what it prints runs, its links lead somewhere, its lists are whole.

`tests/support/playing.py` says what the words of blocks mean. A page with
`<!-- project: sample -->` starts from a copy of the sample project; one with `<!-- needs: … -->` is
played where these packages are.
"""

from __future__ import annotations

import ast
import compileall
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest

import holdall
import holdall_codegen
from holdall.cli.root import root as command_line
from holdall_codegen.breaking.ignoring import Accepted, Ignore
from holdall_codegen.config.crd import ColumnConfig, ConversionConfig, CrdConfig, KindConfig
from holdall_codegen.config.fact_keys import ALONE, EXCLUDED, FUNCTIONS, PropertyKeys, TypeKeys
from holdall_codegen.config.keys import (
    CarrierKeys,
    CrdSource,
    DeclaredSource,
    GroupKeys,
    ProjectKeys,
    SchemaSource,
    VersionConfig,
)
from holdall_codegen.config.overlays import InnerConfig, OverlayConfig
from holdall_codegen.config.tables import Keys
from holdall_codegen.output.generation import generate
from tests.support.pages import (
    LINKED,
    PAGES,
    ROOT,
    blocks_of,
    name_of,
    read,
    sections_of,
    without_blocks,
)
from tests.support.playing import play

SAMPLE = ("holdall.yaml", "schemas", "hooks", "samples")

_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"\bHA[0-9]{3}")
_MACHINE = re.compile(r"(?:^|[\s\"'(=])/(?:home|tmp|work|Users|root|opt|mnt)/", re.MULTILINE)


# --- what is printed runs --------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A freshly generated copy of the sample project."""
    folder = tmp_path_factory.mktemp("sample")
    for name in SAMPLE:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(place, folder)
    assert not generate(folder).problems
    compileall.compile_dir(folder, quiet=1)  # not again in every command
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, prepared: Path) -> Mapping[str, str]:
    """An environment in which `holdall`, `python` and `pytest` are those of this run."""
    commands = tmp_path_factory.mktemp("bin")
    script = commands / "pytest"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pytest "$@"\n')
    script.chmod(0o755)
    roots = [str(Path(next(iter(m.__path__))).parent) for m in (holdall, holdall_codegen)]
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(commands), str(prepared), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(roots),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "PYTEST_ADDOPTS": "-p no:cacheprovider -p no:randomly",
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_a_page_prints_is_what_happens(
    page: Path, tmp_path: Path, sample: Path, environment: Mapping[str, str]
) -> None:
    """Every marked block of a page works, in the order of the page, and prints what it shows."""
    if needs := re.search(r"<!-- needs: (.*) -->", read(page)):
        for package in needs[1].split():
            pytest.importorskip(package, reason=f"needs {package}: `make engines`")
    folder = tmp_path / "project"
    if "<!-- project: sample -->" in read(page):
        shutil.copytree(sample, folder)
    else:
        folder.mkdir()
    play(page, folder, environment)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_is_python(page: Path) -> None:
    """Every Python block that is no excerpt of a file compiles, also where it is not run."""
    for block in blocks_of(read(page)):
        if block.language == "python" and block.word("excerpt") is None:
            try:
                ast.parse(block.text)
            except SyntaxError as error:
                pytest.fail(f"{name_of(page)}:{block.line + (error.lineno or 0)}: {error}")


def test_the_excerpt_of_generated_code_is_true(sample: Path) -> None:
    """Blocks marked `excerpt=FILE` stand in that file of the sample project, `…` for omissions."""
    excerpts = [
        (page, block)
        for page in PAGES
        for block in blocks_of(read(page))
        if block.word("excerpt") is not None
    ]
    assert excerpts
    for page, block in excerpts:
        text = (sample / str(block.word("excerpt"))).read_text(encoding="utf-8")
        for part in re.split(r"^ *# …\n", block.text, flags=re.MULTILINE):
            assert part.strip("\n") in text, (
                f"{name_of(page)}:{block.line} is no such text:\n{part}"
            )


# --- links -----------------------------------------------------------------------------------


def prose_of(page: Path) -> str:
    """Return a page without its fenced blocks and code spans."""
    return re.sub(r"`[^`\n]*`", "code", without_blocks(read(page)))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    text = without_blocks(read(page))
    anchors: set[str] = set()
    for title in re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = 1
        anchor = slug
        while anchor in anchors:
            anchor, number = f"{slug}-{number}", number + 1
        anchors.add(anchor)
    return anchors


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    """Relative links name files of the repository, and anchors name headings."""
    for target in _LINK.findall(prose_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        place = (page.parent / name).resolve() if name else page
        assert place.exists(), f"{name_of(page)}: {target} leads nowhere"
        if anchor:
            assert anchor in anchors_of(place), f"{name_of(page)}: {target} has no such heading"


def test_every_page_is_reached_from_the_index() -> None:
    """The README links docs/index.md, and that links every page of docs/ once."""
    assert "docs/index.md" in _LINK.findall(read(ROOT / "README.md"))
    linked = _LINK.findall(read(ROOT / "docs/index.md"))
    assert len(linked) == len({*linked})
    assert {page.name for page in PAGES[1:]} - {"index.md"} <= {*linked}


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_no_page_names_a_machine(page: Path) -> None:
    """No page holds an absolute path."""
    assert not _MACHINE.search(read(page))


# --- lists are whole -------------------------------------------------------------------------


def test_the_readme_names_what_a_fresh_machine_needs() -> None:
    """The two commands stand on the first screen, and the Makefile has them."""
    first_screen = "\n".join(read(ROOT / "README.md").splitlines()[:40])
    makefile = read(ROOT / "Makefile")
    for target in ("demo", "test"):
        assert f"make {target}" in first_screen
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_every_code_is_documented_once() -> None:
    """docs/errors.md and docs/hook-mistakes.md explain each code of the source, and no other.

    Each has a fix, but for the base of all classes.
    """
    used = {
        code
        for folder in ("runtime", "codegen")
        for module in (ROOT / folder).rglob("*.py")
        for code in _CODE.findall(read(module))
    }
    table = re.findall(
        r"^\| (HA[0-9]{3}) \|.*\|(.*)\|$", read(ROOT / "docs/errors.md"), re.MULTILINE
    )
    rows = [code for code, _ in table]
    assert [code for code, fix in table if not fix.strip()] == ["HA000"]
    headings = re.findall(r"^### (HA[0-9]{3})$", read(ROOT / "docs/hook-mistakes.md"), re.MULTILINE)
    documented = [*rows, *headings]
    assert sorted(documented) == sorted(set(documented))
    assert set(documented) == used


def keys_in(text: str) -> dict[str, str]:
    """Return the keys that begin the rows of a section's tables, with the rest of the row."""
    return dict(re.findall(r"^\| `([^`|]+)` \|(.*)$", text, re.MULTILINE))


CONFIGURED: dict[str, type[Keys]] = {
    "The file": ProjectKeys,
    "A group": GroupKeys,
    "CRDs": CrdSource,
    "JSON Schema and OpenAPI": SchemaSource,
    "Declarations": DeclaredSource,
    "Overlays": OverlayConfig,
    "Inner documents": InnerConfig,
    "Versions": VersionConfig,
    "Carriers": CarrierKeys,
    "The CRDs of a group": CrdConfig,
    "The conversion webhook": ConversionConfig,
    "The CRD of a kind": KindConfig,
    "Columns": ColumnConfig,
    "Facts about a type": TypeKeys,
    "Facts about a property": PropertyKeys,
    "Accepted refusals": Accepted,
    "Known breaking changes": Ignore,
}
_TABLE = re.compile(r"^\| key \|.*\n(?:\|.*\n)+", re.MULTILINE)


def table_of(keys: type[Keys]) -> str:
    """Return a table of the documentation, as the structs of the configuration have it."""
    rows = [f"| `{n}` | {key.shown} | {key.meaning} |\n" for n, key in keys.table().items()]
    return "| key | default | meaning |\n|---|---|---|\n" + "".join(rows)


@pytest.mark.parametrize("title", CONFIGURED)
def test_every_key_of_the_configuration_is_documented(title: str, update_goldens: bool) -> None:
    """The tables of docs/configuration.md are those of the structs that read holdall.yaml."""
    page = ROOT / "docs/configuration.md"
    section = sections_of(page)[title]
    expected = table_of(CONFIGURED[title])
    (table,) = _TABLE.findall(section)
    if update_goldens:
        page.write_text(read(page).replace(section, section.replace(table, expected)), "utf-8")
        table = expected
    assert table == expected


@pytest.mark.parametrize("keys", CONFIGURED.values())
def test_the_defaults_that_are_documented_are_those_that_are_used(keys: type[Keys]) -> None:
    """Whatever default a field has, the documentation names it; else it says what follows."""
    for key in keys.table().values():
        if key.required:
            assert key.shown == "required"
        elif key.default not in (None, ""):
            assert key.shown.strip("`") == str(key.default).replace("False", "false")


def test_the_options_that_exclude_each_other_are_documented() -> None:
    """The table of docs/configuration.md has the pairs that the reader refuses."""
    section = sections_of(ROOT / "docs/configuration.md")["Facts about a property"]
    table = section.split("| option | does not go with |\n|---|---|\n")[1]
    alone: set[str] = set()
    pairs: set[frozenset[str]] = set()
    for first, second in re.findall(r"^\| (.*?) \| (.*?) \|$", table, re.MULTILINE):
        if second == "any other key":
            alone |= set(_options(first))
        else:
            pairs |= {frozenset((a, b)) for a in _options(first) for b in _options(second)}
    assert alone == ALONE.keys()
    assert pairs == {*map(frozenset, EXCLUDED), frozenset(("rename", "strategy: stash"))}


def _options(cell: str) -> list[str]:
    return [*re.findall(r"`([^`]+)`", cell), *(FUNCTIONS if "functions" in cell else ())]


def commands_of(group: click.Group, prefix: str = "holdall") -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its full name."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands_of(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def test_every_option_is_documented() -> None:
    """docs/cli.md has a section for each command with exactly its options."""
    sections = sections_of(ROOT / "docs/cli.md")
    commands = dict(commands_of(command_line))
    assert {title for title in sections if title.startswith("holdall ")} == commands.keys()
    commands["Options of every command"] = command_line
    for name, command in commands.items():
        options = {
            max(option.opts, key=len)
            for option in command.params
            if isinstance(option, click.Option) and option.name != "help"
        }
        documented = {key.split()[0] for key in keys_in(sections[name]) if key.startswith("-")}
        assert documented == options, name
