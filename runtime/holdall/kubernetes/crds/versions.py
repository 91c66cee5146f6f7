"""The discovery order of versions, and the warnings of deprecated ones.

Source: the API server's validation of CustomResourceDefinitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_KUBERNETES = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_RANKS = {None: 0, "beta": 1, "alpha": 2}


def by_priority(names: Iterable[str]) -> list[str]:
    """Return version names in discovery priority, most preferred first.

    `v2` comes before `v1` before `v1beta1` before `v1alpha1`; all other names come last, sorted.
    """
    return sorted(names, key=_priority)


def _priority(name: str) -> tuple[int, int, int, str]:
    match = _KUBERNETES.fullmatch(name)
    if match is None:
        return 3, 0, 0, name
    number = int(match[3]) if match[3] else 0
    return _RANKS[match[2]], -int(match[1]), -number, name


def replacement_for(name: str, candidates: Sequence[str]) -> str:
    """Return the version to use instead of a deprecated one, empty if none is better."""
    preferred = by_priority([name, *candidates])
    return preferred[0] if preferred[0] != name else ""


def deprecation_warning(
    group: str, version: str, kind: str, replacement: str, text: str = ""
) -> str:
    """Return the warning for users of a deprecated version.

    `text` replaces the advice to use `replacement`.
    """
    warning = f"{group}/{version} {kind} is deprecated"
    if not text and replacement:
        text = f"use {group}/{replacement} {kind}"
    return f"{warning}; {text}" if text else warning
