"""The laws of lossless conversion, checked on any scheme: in pytest, or with `holdall laws`.

Needs nothing but a generated package: its scheme, and the plan beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdall.errors import import_extra
from holdall.testing.laws.cases import LAWS

if TYPE_CHECKING:
    from holdall.testing.laws.in_pytest import suite
    from holdall.testing.laws.strategies import api_objects

__all__ = ["LAWS", "api_objects", "suite"]

_OF_EXTRA = {"api_objects": "strategies", "suite": "in_pytest"}


def __getattr__(name: str) -> Any:
    # The command needs neither pytest nor Hypothesis.
    if name in _OF_EXTRA:
        return getattr(import_extra(f"{__name__}.{_OF_EXTRA[name]}", "testing"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
