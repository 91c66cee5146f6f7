"""Which lines of a file run, by the cases for which they do."""

from __future__ import annotations

import importlib
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from holdall.testing.laws.marking import ALL, Lines

CODE = '''\
"""A module."""
from __future__ import annotations
LIMIT = (
    3
)
def turned(values, way):
    """Say what becomes of values."""
    if way == "up":
        return [
            value + 1 for value in values
        ]
    elif way == "down":
        for value in values:
            yield_it(
                value
            )
    else:
        try:
            return values["x"]
        except KeyError:
            return None
    return LIMIT
yield_it = (
    lambda value: value
)
def todo():
    raise NotImplementedError
'''


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lines:
    """What ran of a module of its own, which is imported."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "marked_code.py").write_text(textwrap.dedent(CODE), encoding="utf-8")
    monkeypatch.delitem(sys.modules, "marked_code", raising=False)
    return Lines(str(tmp_path), ["marked_code.py"])


def test_each_line_knows_its_cases(lines: Lines) -> None:
    """Whole statements; what is not within one that runs is not."""
    code: Any = importlib.import_module("marked_code")
    for bits, arguments in ((1, ([1], "up")), (2, ([1], "down")), (4, ({}, "")), (8, ({}, ""))):
        lines.bits = bits
        code.turned(*arguments)
    (ran,) = lines.by_file().values()
    assert {line for line, bits in ran.items() if bits == ALL} == {3, 4, 5, 6, 23, 24, 25, 26}
    assert {line: bits for line, bits in ran.items() if bits != ALL} == {
        8: 15,
        **dict.fromkeys((9, 10, 11), 1),
        **dict.fromkeys((12, 17), 14),
        **dict.fromkeys((13, 14, 15, 16, 22), 2),
        **dict.fromkeys((18, 19, 20, 21), 12),
    }


def test_code_does_what_it_did(lines: Lines) -> None:
    """Its names, lines and texts are those of the file; a method to be overridden is one."""
    code: Any = importlib.import_module("marked_code")
    assert (code.__doc__, code.turned.__doc__) == ("A module.", "Say what becomes of values.")
    assert (code.turned([1], "up"), code.turned({"x": 5}, "")) == ([2], 5)
    assert code.turned.__code__.co_firstlineno == 6
    assert code.todo.__code__.co_names == ("NotImplementedError",)
    assert not [name for name in vars(code) if "lines" in name]
