"""Each extra brings what its part imports: the part works where nothing else is installed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from holdall.cli.command_table import COMMANDS
from tests.support.commands import python

ROOT = Path(__file__).parents[2]

BLOCK = """
import importlib, sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

blocked = set(sys.argv[1].split(","))
sys.meta_path.insert(0, Block())
for name in sys.argv[2].split(","):
    importlib.import_module(name)
"""

# What only a part imports when it is used, not when it is loaded.
AT_NEED = {
    "arrow": ("holdall.bulk.arrow", "pyarrow"),
    "cli": ("rich.console",),
    "conform": ("rstr", "cel_expr_python", "holdall.kubernetes.conform.rules"),
    "ray": ("holdall.bulk.ray",),
    "spark": ("holdall.bulk.spark",),
    "otel": ("opentelemetry.trace", "holdall.review.tracer"),
    "testing": ("holdall.testing.plugin", "holdall.testing.laws"),
    "validate": ("jsonschema", "holdall.cli.validating", "holdall.kubernetes.conform.validity"),
    "webhook": (
        "holdall.webhook.server",
        "holdall.webhook.metrics",
        "holdall.webhook.certificates",
    ),
    "k8s": ("holdall.kubernetes.install.client", "holdall.kubernetes.migrate"),
}


requires = cache(metadata.requires)
distributions = cache(metadata.packages_distributions)


def extras() -> list[str]:
    lines = requires("holdall") or ()
    found = {match[1] for line in lines if (match := re.search(r"extra == ['\"](\w+)", line))}
    return sorted(found)


def closure(extra: str) -> set[str]:
    """Return the distributions that an extra of holdall installs, as the metadata says.

    Those that are not installed here are named without what they bring.
    """
    found: set[str] = set()
    waiting = [("holdall", extra)]
    while waiting:
        name, wanted = waiting.pop()
        for line in requires(name) or ():
            needed, _, marker = line.partition(";")
            match = re.search(r"extra == ['\"]([\w-]+)", marker)
            if match is not None and match[1] != wanted:
                continue
            base = normal(re.split(r"[^\w.-]", needed.strip())[0])
            inner = re.search(r"\[([\w,-]+)\]", needed)
            if base in found:
                continue
            found.add(base)
            if base in installed():
                waiting += [(base, each) for each in (inner[1].split(",") if inner else [""])]
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def installed() -> set[str]:
    return {normal(each) for names in distributions().values() for each in names}


def blocked(kept: set[str]) -> str:
    """Return the packages of all distributions but those."""
    own = {"holdall", "holdall_codegen", *sys.stdlib_module_names}
    return ",".join(
        sorted(
            package
            for package, names in distributions().items()
            if package not in own and not any(normal(name) in kept for name in names)
        )
    )


def load(modules: Iterable[str], kept: set[str]) -> str:
    """Import modules where only some distributions are; return what goes wrong."""
    return python("-c", BLOCK, blocked(kept), ",".join(modules)).stderr


def modules_of(extra: str) -> list[str]:
    commands = [each.target.partition(":")[0] for each in COMMANDS.values() if each.extra == extra]
    return [*commands, *AT_NEED.get(extra, ())]


@pytest.mark.parametrize("extra", extras())
def test_a_part_needs_its_extra_only(extra: str) -> None:
    """All commands of an extra, and what they load later, need no other extra."""
    modules = modules_of(extra) or [f"holdall.{extra}"]
    assert not load(modules, closure(extra))


def test_the_generator_needs_nothing() -> None:
    """As a library the generator needs no extra, and neither do converters and reviews."""
    rooms = (ROOT / "codegen/holdall_codegen").iterdir()
    names = {
        f"holdall_codegen.{room.name}"
        for room in rooms
        if (room / "__init__.py").exists() and room.name not in ("commands", "explore")
    }
    others = (
        "holdall",
        "holdall.generated",
        "holdall.review",
        "holdall.kubernetes",
        "holdall.bulk",
    )
    assert not load([*sorted(names), *others], closure(""))


def test_extras_differ() -> None:
    """No two extras install the same, and only one brings the Kubernetes client."""
    brought = {extra: frozenset(closure(extra) - closure("")) for extra in extras()}
    assert len(set(brought.values())) == len(brought), brought
    assert [extra for extra, found in brought.items() if "kubernetes" in found] == ["k8s"]


@pytest.mark.parametrize(
    ("code", "missing", "extra"),
    [
        ("import holdall.webhook.embedded", "uvicorn", "webhook"),
        ("from holdall.testing.laws import suite", "pytest", "testing"),
        ("from holdall.testing.laws import api_objects", "hypothesis", "testing"),
    ],
)
def test_what_is_missing_is_named_with_its_extra(
    code: str, missing: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where an import of the library needs an extra, as commands do."""
    (tmp_path / "user_of_holdall.py").write_text(f"{code}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    said = load(["user_of_holdall"], closure(""))
    assert f"{missing} is not installed\n    fix: pip install 'holdall[{extra}]'" in said


def test_the_test_would_see_it() -> None:
    """Without click no command loads."""
    assert "No module named 'click'" in load(["holdall.cli.convert"], closure(""))
