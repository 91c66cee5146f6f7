"""The grammar of version names, and their order.

Source: docs/declared.md, "Versions".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_VERSION: Final = re.compile(r"v(\d+)([a-z0-9][a-z0-9-]{0,60}[a-z0-9])?", re.ASCII)
_LEVEL: Final = re.compile(r"([a-z]+)(\d+)", re.ASCII)
_LEVELS: Final = ("alpha", "beta", "")
_LIMIT: Final = 1 << 64


@dataclass(frozen=True, slots=True, order=True)
class VersionName:
    """A version, ordered by major, then alpha, beta and none, then number.

    `level` is 0 for alpha, 1 for beta and 2 for none. The text has no leading zeros.
    """

    major: int
    level: int
    number: int = 0

    def __str__(self) -> str:
        level = _LEVELS[self.level]
        return f"v{self.major}{level}{self.number if level else ''}"

    @property
    def enum_member(self) -> str:
        """The member of the version enum: `V1Alpha1`."""
        level = _LEVELS[self.level].capitalize()
        return f"V{self.major}{level}{self.number if level else ''}"


class NotAVersion(ValueError):
    """A text that is not a version; `code` is that of its problem."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def parse_version(text: str) -> VersionName:
    """Read a version name. Raises NotAVersion."""
    found = _VERSION.fullmatch(text)
    if found is None:
        raise NotAVersion("version_invalid_format", "it must be like v1, v1alpha1 or v1beta1")
    major, rest = found[1], found[2]
    if int(major) >= _LIMIT:
        raise NotAVersion("version_invalid_format", "its number is beyond 64 bits")
    if rest is None:
        return VersionName(int(major), _LEVELS.index(""))
    level = _LEVEL.fullmatch(rest)
    if level is None:
        raise NotAVersion("version_level", f'the level "{rest}" must be like alpha1 or beta1')
    if level[1] not in _LEVELS:
        raise NotAVersion("version_level", f'the level "{level[1]}" is neither alpha nor beta')
    if int(level[2]) >= _LIMIT:
        raise NotAVersion("version_level", "the number of its level is beyond 64 bits")
    return VersionName(int(major), _LEVELS.index(level[1]), int(level[2]))
