"""The laws of lossless conversion, checked on any scheme: in pytest, or with `holdall laws`.

Needs nothing but a generated package: its scheme, and the plan beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdall.testing.laws.cases import LAWS

if TYPE_CHECKING:
    from holdall.testing.laws.in_pytest import suite
    from holdall.testing.laws.strategies import api_objects

__all__ = ["LAWS", "api_objects", "suite"]


def __getattr__(name: str) -> Any:
    # The command needs neither pytest nor Hypothesis.
    if name == "suite":
        from holdall.testing.laws.in_pytest import suite

        return suite
    if name == "api_objects":
        from holdall.testing.laws.strategies import api_objects

        return api_objects
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
