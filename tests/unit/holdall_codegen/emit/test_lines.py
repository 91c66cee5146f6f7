"""Python text of any width is laid out as ruff lays it out."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from holdall.plan.plans import TypeRef
from holdall_codegen.emit.lines import WIDTH, CodeLines, definition_order, prose
from holdall_codegen.model import ObjectType, Property, Ref
from holdall_codegen.plan.model import PlannedType
from tests.property.specimens import Specimen, specimen_of

pytestmark = pytest.mark.slow

LENGTHS = range(24, 58, 3)
DEPRECATED = (
    'This "version" is deprecated,  and it will be removed in a later release: use v2. ' * 2
)


def text(*values: str) -> dict[str, Any]:
    return {"type": "string", **({"enum": [*values]} if values else {})}


def shape(other: str) -> dict[str, Any]:
    """Return a schema whose names have all these lengths, in each place that has a name."""
    members: dict[str, Any] = {}
    for length in LENGTHS:
        name = ("preferredDuringScheduling" * 3)[:length]
        inner = {"type": "object", "properties": {name: text(name), other: text()}}
        members |= {
            name: inner,
            f"l{name}": {"type": "array", "items": inner},
            f"m{name}": {"type": "object", "additionalProperties": inner},
            f"r{name}": {**inner, "required": [name]},
            f"s{name}": {"type": "array", "items": text()},
            f"w{name}": text() if other == "old" else {"type": "array", "items": text()},
        }
        # One type of the older version, and two of the newer one: a union of both.
        for holder, more in (("x", {}), ("y", {other: text()})):
            held = {"type": "object", "properties": {"old": text(), **more}}
            place = members.setdefault(holder, {"type": "object", "properties": {}})
            place["properties"][f"u{name}"] = held
    required = [name for name in members if name[0] in "rm"]
    return {"type": "object", "properties": members, "required": required}


@pytest.fixture(scope="module")
def long_names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Specimen]:
    """Yield a group whose names come near the width of a line, and exceed it with others."""
    wraps = {f"w{('preferredDuringScheduling' * 3)[:length]}": {"wrap": True} for length in LENGTHS}
    group = {
        "api_group": "group.whose.name.is.about.as.long.as.the.names.of.things.example.com",
        "sources": [
            {"schemas": f"{version}.json", "version": version, "kinds": {"Thing": ""}}
            for version in ("v1", "v2")
        ],
        "versions": [{"name": "v1", "deprecated": DEPRECATED}, "v2"],
        "between": {"v1 -> v2": {"Thing": wraps}},
    }
    files = {"v1.json": json.dumps(shape("old")), "v2.json": json.dumps(shape("new"))}
    root = tmp_path_factory.mktemp("long")
    yield specimen_of(root, f"groups: {json.dumps({'wide': group})}\n", files)


def test_long_names_are_broken_as_ruff_breaks_them(long_names: Specimen) -> None:
    """Annotations, targets, calls and constants, where a name leaves little room or none."""
    pytest.importorskip("ruff")
    options = ["--isolated", "--no-cache", "--quiet", "--diff", f"--line-length={WIDTH}"]
    run = subprocess.run(
        [sys.executable, "-m", "ruff", "format", *options, long_names.output],
        capture_output=True,
        text=True,
        cwd=long_names.root,
    )
    assert (run.stdout + run.stderr, run.returncode) == ("", 0)


def test_texts_and_unions_are_broken(long_names: Specimen) -> None:
    """Why a version is deprecated, and the types that an older one may become."""
    output = long_names.root / long_names.output / "wide"
    for module in (output / "__init__.py", output / "v1/__init__.py"):
        lines = module.read_text(encoding="utf-8").splitlines()
        assert any("deprecated," in line for line in lines)
        assert all(len(line) <= WIDTH for line in lines if "deprecated" in line)
    storage = (output / "v1/storage.py").read_text(encoding="utf-8")
    assert re.search(r"\n        destination: v2\.\w*XU\w+\n        \| v2\.\w*YU\w+,\n", storage)


def test_a_docstring_keeps_the_layout_of_its_text() -> None:
    """Indents stay, tabs are four columns, and neither ends a line; all lines may be indented."""
    out = CodeLines()
    with out.block("class A:"):
        out.docstring(
            "Values: \n\n- one, which\n  goes on\n\n\ttype T struct{\n\t    B bool\n\t}\n"
        )
        out.docstring("First.\n    Second.\n      Third.")
    assert (
        out.text()
        == '''\
class A:
    """Values:

    - one, which
      goes on

        type T struct{
            B bool
        }
    """
    """First.
    Second.
      Third.
    """
'''
    )


def test_prose_is_the_same_text() -> None:
    """Its parts together are the text, blanks included."""
    for text in (DEPRECATED, "a\n\nb  c\td" * 20, "", "x" * 200):
        assert "".join(map(ast.literal_eval, prose(text).parts)) == text


def test_the_title_of_a_module_is_wrapped(long_names: Specimen) -> None:
    """It has the name of the group, which may be long."""
    for module in (long_names.root / long_names.output).rglob("*.py"):
        title, _, _ = module.read_text(encoding="utf-8").partition("\n\n")
        assert max(map(len, title.splitlines())) <= WIDTH


def test_types_come_after_those_that_they_hold() -> None:
    """However many are inside each other; in a circle the first by name comes last."""
    held = {f"T{depth:04}": f"T{depth + 1:04}" for depth in range(2000)}
    held |= {"T2000": "", "A": "B", "B": "A"}
    types = {
        name: PlannedType(
            TypeRef("v1", name), ObjectType(name, (Property("x", Ref(inner)),) if inner else ()), ()
        )
        for name, inner in held.items()
    }
    names = [type_.ref.name for type_ in definition_order(types)]
    assert names == ["B", "A", *(f"T{depth:04}" for depth in range(2000, -1, -1))]
