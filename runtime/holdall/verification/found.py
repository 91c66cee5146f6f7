"""A class of a hook module, and what is found out about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import Claims, Composed, SharedHook
from holdall.engine.two_way import EachValue, TwoWay
from holdall.errors import Problem
from holdall.suggest import closest, fold
from holdall.verification.mistakes import mistake
from holdall.verification.places import Places
from holdall.verification.protocols import METHODS, Way

OF_SHARED = ("claims_to", "claims_from")
OF_TWO_WAY = ("to_newer", "to_older", "older", "newer")
_OURS = (SharedHook, Composed, TwoWay, EachValue)


@dataclass(slots=True)
class FoundClass:
    """A class of a hook module; `pretenders` are bases that pose as protocols and are none.

    `around` are the places in all modules of hooks, by their names.
    """

    cls: type
    module: ModuleType
    places: Places
    around: Mapping[str, Places]
    points: list[HookPoint] = field(default_factory=list)
    pretenders: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.cls.__name__

    @property
    def where(self) -> str:
        return self.places.of_class(self.cls)

    def mistake(
        self, code: str, member: str = "", *, fix: str = "", detail: str = "", **parts: object
    ) -> Problem:
        """Return a problem of the class, at one of its members if that is named."""
        where = self.places.of_member(self.cls, member) if member else self.where
        return mistake(code, where, fix=fix, detail=detail, hook=self.name, **parts)

    @property
    def is_composed(self) -> bool:
        return issubclass(self.cls, Composed)

    @property
    def is_shared(self) -> bool:
        return issubclass(self.cls, SharedHook)

    @property
    def near_methods(self) -> dict[str, str]:
        """The members that are nearly those of a hook, with the right names."""
        found = {n: m for n in vars(self.cls) if (m := near_method(n, METHODS))}
        if self.is_shared:
            theirs = OF_SHARED + (OF_TWO_WAY if issubclass(self.cls, TwoWay) else ())
            found |= {
                n: m
                for n in vars(self.cls)
                if (m := near_method(n, theirs)) and is_left(self.cls, m)
            }
        return found


@dataclass(slots=True)
class Verdict:
    """What was found about one class. `claims` has the directions of a hook without parts.

    `points` are the edges that it is bound to: one, or any number if it is composed.
    """

    problems: list[Problem]
    points: Sequence[HookPoint] = ()
    claims: dict[Way, Claims] = field(default_factory=dict)
    instance: object = None


def near_method(name: str, methods: Sequence[str] | dict[str, Way]) -> str:
    """Return the method that a name nearly is; "" if it is one or none."""
    if name in methods or name.startswith("__"):
        return ""
    exact = [method for method in methods if fold(method) == fold(name)]
    return exact[0] if exact else closest(name, methods, 0.82)


def is_left(cls: type, member: str) -> bool:
    """Return whether a member is still that of the library's own class."""
    owner = next((base for base in cls.__mro__ if member in vars(base)), None)
    return owner is None or owner in _OURS
