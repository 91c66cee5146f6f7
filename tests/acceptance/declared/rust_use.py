"""The `use` declarations of the original, as import paths."""

from __future__ import annotations

import re

from tests.acceptance.declared.cases import FormError


def import_paths(text: str) -> list[str]:
    """Return the import paths of a Rust `use`; private ones re-export nothing."""
    found = re.fullmatch(r"\s*(pub(?:\([a-z ]+\))?)?\s*use\s+([^;]+);?\s*", text)
    if found is None:
        return [text]
    if found[1] is None:
        return []
    tree = re.sub(r"\s*(::|[{},])\s*", r"\1", found[2].strip())
    return _use_tree("", tree.removeprefix("::"))


def _use_tree(prefix: str, tree: str) -> list[str]:
    group = re.fullmatch(r"((?:\w+::)*)\{(.*)\}", tree)
    if group is not None:
        inner = _split(group[2])
        return [path for part in inner for path in _use_tree(prefix + group[1], part)]
    if re.search(r"\bas\b|\bself$", tree):
        raise FormError(f"a re-export under another name, {prefix}{tree}, has no Python form")
    path = (prefix + tree).split("::")
    module = ".".join(path[:-1])
    return [module if path[-1] == "*" else f"{module}:{path[-1]}"]


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for char in text:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if part]
