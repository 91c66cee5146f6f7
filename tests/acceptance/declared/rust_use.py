"""The `use` declarations of the original, as import paths."""

from __future__ import annotations

import re
from typing import Final

_USE: Final = re.compile(
    r"\s*(?:#\[[^\]]*\]\s*)*(?P<public>pub\b(?:\s*\([^)]*\))?)?\s*use\s+(?P<tree>[^;]+?)\s*"
)


def import_paths(text: str) -> list[str]:
    """Return the import paths of a Rust `use`; private ones re-export nothing.

    What is no `use` is returned as it is, to be refused.
    """
    found = [_USE.fullmatch(part) for part in text.split(";") if part.strip()]
    paths: list[str] = []
    for match in found:
        if match is None:
            return [text]
        if match["public"]:
            tree = re.sub(r"\s*(::|[{},])\s*", r"\1", match["tree"].replace("r#", ""))
            paths += _use_tree("", tree.removeprefix("::"))
    return paths or ([] if found else [text])


def _use_tree(prefix: str, tree: str) -> list[str]:
    group = re.fullmatch(r"((?:\w+::)*)\{(.*)\}", tree)
    if group is not None:
        inner = _split(group[2])
        return [path for part in inner for path in _use_tree(prefix + group[1], part)]
    path, _, alias = re.sub(r"\s+as\s+", " as ", tree).partition(" as ")
    if alias == "_":
        return []  # Without a name nothing is handed on.
    # In a group `self` is the module before it.
    *modules, name = (prefix + path).removesuffix("::self").split("::")
    if name == "*":
        return [".".join(modules)]
    suffix = f" as {alias}" if alias else ""
    if not modules:
        return [f"{name}{suffix or f' as {name}'}"]
    return [f"{'.'.join(modules)}:{name}{suffix}"]


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for char in text:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if part]
