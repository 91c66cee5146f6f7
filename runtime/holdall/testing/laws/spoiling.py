"""Ways to spoil a value that is copied: right for most values, and wrong for some."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
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


def attribute_kinds(cls: ast.ClassDef) -> Mapping[str, str]:
    """Return the kinds of the attributes of a generated class: `int`, `list`, by their names."""
    return {
        item.target.id: ast.unparse(item.annotation).partition("[")[0].partition(" ")[0]
        for item in cls.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    }


def spoiled(
    target: ast.Attribute, value: ast.expr, kinds: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield what may be spoiled of a value that is assigned as it is or copied, and how.

    `kinds` are those of the attributes of `self`, on whichever side of the assignment that is.
    """
    given = value
    match value:
        case ast.Call(func=ast.Attribute(attr=called), args=[ast.Attribute() as inner]) if (
            called.startswith("copy")
        ):
            given = inner
    own = next((it for it in (target, given) if _is_of_self(it)), None)
    if isinstance(given, ast.Attribute) and isinstance(own, ast.Attribute):
        text = ast.unparse(value)
        for what, form in _SPOILED.get(kinds.get(own.attr, ""), ()):
            yield what, form.format(text)


def _is_of_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"
