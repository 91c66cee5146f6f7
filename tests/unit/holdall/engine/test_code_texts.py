"""The code that kept something is the code that ran, whatever has become of its files."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from holdall.engine import code_texts
from holdall.scheme.scheme import Scheme
from tests.support.notation import schema_text
from tests.support.projects import build_project, config_of, scheme_of

HOOK = """
from {generated}.things.v1.storage import AssignableThingSpec
from holdall import Composed, TwoWay


class Upper(TwoWay):
    older = newer = ("note",)

    def to_newer(self, older):
        from .helpers import upper

        return {name: upper(text) for name, text in older.items()}

    def to_older(self, newer):
        return {name: text.lower() for name, text in newer.items()}


class Hook(Composed, AssignableThingSpec):
    parts = (Upper(),)
"""
EACH = """
from {generated}.things.v1.storage import AssignableThingSpec
from holdall import Composed, EachValue


class Hook(Composed, AssignableThingSpec):
    parts = (EachValue("note", str.upper, str.lower),)
"""
PLAIN = """
from {generated}.things.v1.storage import AssignableThingSpec, ThingSpec
from {generated}.things.v2 import storage as v2
from holdall import BagView, claims


class Hook(AssignableThingSpec):
    @claims(reads=["note"], writes=["note"])
    def assign_properties_to(
        self, source: ThingSpec, destination: v2.ThingSpec, bag: BagView
    ) -> None:
        destination.note = source.note

    @claims(reads=["note"], writes=["note"])
    def assign_properties_from(
        self, source: v2.ThingSpec, destination: ThingSpec, bag: BagView
    ) -> None:
        destination.note = source.note
"""
HELPERS = (
    "def upper(text):\n    return text.upper()\n\n\ndef lower(text):\n    return text.lower()\n"
)
_NAMES = itertools.count()


def thing(note: str) -> Any:
    head = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}}
    return {**head, "spec": {"note": note}}


def project(root: Path, hook: str = "", functions: str = "") -> tuple[Scheme, Path]:
    """Return the scheme of a project with hooks or functions, and the file that helps them."""
    schema = schema_text("{metadata: {'*': true}, spec: {note: string}}")
    files = {"v1.yaml": schema, "v2.yaml": schema}
    more, helpers = "", root / f"noted_{next(_NAMES)}.py"
    if hook:
        files |= {"hooks/notes.py": hook, "hooks/helpers.py": HELPERS}
    if functions:
        files[helpers.name] = functions
        note = f"upgrade_with: {helpers.stem}:upper, downgrade_with: {helpers.stem}:lower"
        more = f"between: {{v1 -> v2: {{ThingSpec: {{note: {{{note.replace(': ', ': ')}}}}}}}}}"
    config = config_of("Thing", group="things", api_group="example.com", more=more)
    built = build_project(root, config, files)
    found = [*built.rglob("helpers.py"), helpers]
    return scheme_of(built), found[0]


def stamp(scheme: Scheme) -> str:
    """Return what the envelope of a thing says about the code of its entries."""
    made: Any = scheme.convert(thing("Some Text"), to="v2")
    assert made["spec"]["note"] == "SOME TEXT"
    found: str = json.loads(made["metadata"]["annotations"]["holdall.dev/bag"])["plan"]
    return found.rpartition(".")[2]


def replace(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("upper()", "upper().strip()"), encoding="utf-8")


def test_what_replaces_a_module_has_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """None keeps one from being imported, and an object may be there instead of itself."""
    for number, loaded in enumerate((ModuleType("own"), None, SimpleNamespace())):
        monkeypatch.setitem(sys.modules, f"own_{number}", loaded)
        code_texts.keep_texts(f"own_{number}")
        assert code_texts.text_of(f"own_{number}") is None


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of modules of which the text is read."""
    names: list[str] = []
    usual = code_texts._read

    def reading(name: str) -> Any:
        names.append(name)
        return usual(name)

    monkeypatch.setattr(code_texts, "_read", reading)
    return names


@pytest.mark.parametrize("is_strict", [False, True])
def test_hooks_that_are_replaced_later_are_not_those_that_run(
    is_strict: bool, tmp_path: Path
) -> None:
    scheme, path = project(tmp_path / "one", HOOK)
    scheme.load()
    replace(path)
    scheme.load(strict_hooks=is_strict)
    same, _ = project(tmp_path / "two", HOOK)
    assert stamp(scheme) == stamp(same)
    other, path = project(tmp_path / "three", HOOK)
    replace(path)
    assert stamp(scheme) != stamp(other)


def test_functions_that_are_replaced_later_are_not_those_that_run(tmp_path: Path) -> None:
    scheme, path = project(tmp_path / "one", functions=HELPERS)
    scheme.convert(thing("text"), to="v2")
    replace(path)
    same, _ = project(tmp_path / "two", functions=HELPERS)
    assert stamp(scheme) == stamp(same)


def test_the_code_of_holdall_is_not_part_of_a_hook(tmp_path: Path, read: list[str]) -> None:
    """A release would make another hook of each."""
    scheme, _ = project(tmp_path, EACH)
    assert stamp(scheme)
    assert [name for name in read if name.startswith("holdall")] == []
    assert read


@pytest.mark.parametrize("hook", ["", PLAIN])
def test_where_nothing_is_judged_nothing_is_read(
    hook: str, tmp_path: Path, read: list[str]
) -> None:
    scheme, _ = project(tmp_path, hook)
    assert scheme.convert(thing("a"), to="v2")["apiVersion"] == "example.com/v2"
    assert read == []
