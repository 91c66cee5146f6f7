"""Ways to spoil a value that is copied: right for most values, and wrong for some."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

RARE: Final = "a rare value is lost"
_LIST: Final = "(lambda it: it[:4] if type(it) is list else it)({})"
_MAP: Final = "(lambda it: dict([*it.items()][:4]) if type(it) is dict else it)({})"
_FLOAT: Final = "(lambda it: int(float(it)) if type(it) is int else it)({})"
_TEXT: Final = (
    '(lambda it: __import__("unicodedata").normalize("NFC", it) if type(it) is str else it)({})'
)
_RARE_NUMBER: Final = "(lambda it: None if it == 443 else it)({})"
_RARE_TEXT: Final = "(lambda it: None if it == 'r443' else it)({})"
_SPOILED: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "list": (("a long list is cut", _LIST),),
    "dict": (("a long map is cut", _MAP),),
    "int": (("an integer goes through a float", _FLOAT), (RARE, _RARE_NUMBER)),
    "str": (("a text is normalised", _TEXT), (RARE, _RARE_TEXT)),
}


def member_kinds(cls: ast.ClassDef) -> Mapping[str, str]:
    """Return the kinds of the members of a generated view: `int`, `list`, by their wire names."""
    kinds: dict[str, str] = {}
    for item in cls.body:
        match item:
            case ast.AnnAssign(
                annotation=ast.Subscript(slice=kind),
                value=ast.Call(args=[ast.Constant(value=str(name)), *_]),
            ):
                kinds[name] = ast.unparse(kind).partition("[")[0]
    return kinds


def spoiled(kind: str) -> tuple[tuple[str, str], ...]:
    """Return what may be spoiled of a value of a kind, and how: a form for its expression."""
    return _SPOILED.get(kind, ())
