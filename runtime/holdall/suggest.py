"""The nearest real name to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Say `; did you mean "x"?` for the candidate most like `name`, or nothing if none is like it.

    Letter case, hyphens and underscores do not count. Among equals the first in code-point
    order is taken, so that the answer does not depend on the order of the candidates.
    """
    folded: dict[str, str] = {}
    for candidate in sorted(candidates):
        folded.setdefault(_fold(candidate), candidate)
    found = get_close_matches(_fold(name), list(folded), n=1)
    return f'; did you mean "{folded[found[0]]}"?' if found else ""


def _fold(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")
