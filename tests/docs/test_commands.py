"""Commands, options, targets and codes that pages name exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from holdall.cli.root import root as command_line
from tests.support.pages import LINKED, ROOT, blocks_of, name_of, read, without_blocks

_SPAN = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"(?:^|(?<=[\s$;&|(`]))holdall (?=[a-z-])(.*)")
_END = re.compile(r"[|;&>#`)]|\$\(| # ")
_OPTION = re.compile(r"(?<!\S)--[a-z][a-z-]*\b")

# Options of other programs that pages name without the program.
_FOREIGN = {
    "--converted": "the script that repeats docs/breaking-history.md",
    "--hypothesis-seed": "pytest",
    "--archives": "spark-submit",
    "--py-files": "spark-submit",
    "--randomly-seed": "pytest",
    "--server-side": "kubectl apply",
    "--update-goldens": "pytest, in this repository",
    "--walk-seed": "pytest, in this repository",
}


def commands_in(page: Path) -> Iterator[str]:
    """Yield what follows `holdall` in the code spans and shell blocks of a page."""
    text = read(page)
    blocks = [b.text for b in blocks_of(text) if b.language in {"console", "sh", "bash", "shell"}]
    lines = [line for block in blocks for line in re.sub(r"\\\n\s*", "", block).splitlines()]
    for piece in [*_SPAN.findall(without_blocks(text)), *lines]:
        if found := _COMMAND.search(piece):
            yield _END.split(found[1])[0]


def options_of(command: click.Command) -> dict[str, bool]:
    """Return the options of a command, and which of them take a value."""
    options = [param for param in command.params if isinstance(param, click.Option)]
    return {
        name: not option.is_flag and not option.count
        for option in options
        for name in (*option.opts, *option.secondary_opts)
    }


def wrong_in(words: str) -> str | None:
    """Say what of a command line does not exist."""
    command: click.Command = command_line
    context = click.Context(command_line)
    options = {"--help": False, **options_of(command)}
    left = iter(re.findall(r"\"[^\"]*\"|'[^']*'|\S+", words))  # a text in quotes is one word
    for word in left:
        if word.startswith("-") and word != "-":
            name, _, value = word.partition("=")
            if name not in options:
                return f"{command.name} has no option {name}"
            if options[name] and not value:
                next(left, None)
        elif isinstance(command, click.Group):
            inner = command.get_command(context, word)
            if inner is None:
                return f"{command.name} has no command {word}"
            command = inner
            options |= options_of(inner)
    return None


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("plan --all", None),
        ("--project shop plan", None),
        ("certs create keys --ip 127.0.0.1", None),
        ("plan --al", "plan has no option --al"),
        ("plane", "holdall has no command plane"),
        ("certs make", "certs has no command make"),
    ],
)
def test_what_does_not_exist_is_found(words: str, wrong: str | None) -> None:
    """The search follows groups and skips the values of options."""
    assert wrong_in(words) == wrong


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    """Each `holdall …` is a command with options that it has."""
    wrong = {words: problem for words in commands_in(page) if (problem := wrong_in(words))}
    assert not wrong


def all_options(command: click.Command) -> Iterator[str]:
    """Yield the options of a command and of those below it."""
    yield from options_of(command)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from all_options(inner)


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_every_option_that_a_page_names_exists(page: Path) -> None:
    """An option in a code span of its own belongs to some command, or to a known other program."""
    spans = [span for span in _SPAN.findall(without_blocks(read(page))) if span.startswith("-")]
    named = {option for span in spans for option in _OPTION.findall(span)}
    assert named <= {*all_options(command_line), *_FOREIGN}


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    """Each `make …` in a code span is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z0-9-]+):", read(ROOT / "Makefile"), re.MULTILINE))
    named = re.findall(r"`make ([a-z0-9-]+)", read(page))
    assert {*named} <= targets


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_every_code_that_a_page_names_is_documented(page: Path) -> None:
    """A code in a page is one of docs/errors.md or docs/hook-mistakes.md, or one that is gone."""
    tables = read(ROOT / "docs/errors.md") + read(ROOT / "docs/hook-mistakes.md")
    documented = set(re.findall(r"^(?:\| |### )(HA[0-9]{3})", tables, re.MULTILINE))
    gone = set(re.findall(r"\((HA[0-9]{3}) is gone\)", read(page)))
    assert {*re.findall(r"\bHA[0-9]{3}\b", read(page))} <= documented | gone
