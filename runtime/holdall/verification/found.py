"""A class of a hook module, and findings about it."""

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
    """A class of a hook module; `pretenders` are bases that look like protocols but are not.

    `around` are the places in all modules of hooks, by module name.
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
        """Return a problem of the class, or of one of its members."""
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
        """The members whose names are nearly those of a hook's methods, with the right names."""
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
    """The findings about one class. `claims` has the directions of a hook without parts.

    `points` are the edges to which it is bound: one, or any number if it is composed.
    """

    problems: list[Problem]
    points: Sequence[HookPoint] = ()
    claims: dict[Way, Claims] = field(default_factory=dict)
    instance: object = None


def near_method(name: str, methods: Sequence[str] | dict[str, Way]) -> str:
    """Return the method with nearly this name; "" if there is none, or it is exactly that."""
    if name in methods or name.startswith("__"):
        return ""
    exact = [method for method in methods if fold(method) == fold(name)]
    return exact[0] if exact else closest(name, methods, 0.82)


def is_left(cls: type, member: str) -> bool:
    """Return whether a member is inherited unchanged from holdall's own class."""
    owner = next((base for base in cls.__mro__ if member in vars(base)), None)
    return owner is None or owner in _OURS
