"""The result of converting a value that the other side cannot hold."""

from __future__ import annotations

from typing import Final


class _Misfit:
    __slots__ = ()

    def __repr__(self) -> str:
        return "MISFIT"


MISFIT: Final = _Misfit()
