"""The real name nearest to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def fold(name: str) -> str:
    """Return a name without letter case, hyphens and underscores."""
    return name.casefold().replace("_", "").replace("-", "")


def closest(name: str, candidates: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the candidate most like a name, "" if none is like it; `fold` is applied to all names.

    Among equals the first in code-point order is taken, so that the answer does not depend on the
    order of the candidates.
    """
    folded: dict[str, str] = {}
    for candidate in sorted(candidates):
        folded.setdefault(fold(candidate), candidate)
    wanted, longest = fold(name), max(map(len, folded), default=0)
    if (len(wanted) + longest) * cutoff > 2 * longest:
        return ""  # too long for any candidate; a client may send a name as long as a body
    found = get_close_matches(wanted, list(folded), n=1, cutoff=cutoff)
    return folded[found[0]] if found else ""


def did_you_mean(candidate: str) -> str:
    """Return `; did you mean "x"?`, or "" without a candidate."""
    return f'; did you mean "{candidate}"?' if candidate else ""


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Return `; did you mean "x"?` with the candidate most like a name, "" if none is like it."""
    return did_you_mean(closest(name, candidates))
