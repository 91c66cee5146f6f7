"""Methods that compute each result once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class asked_once(Generic[P, T]):
    """Decorate a method: each object caches its results by arguments."""

    def __init__(self, method: Callable[Concatenate[Any, P], T]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: Any, _: type) -> Callable[P, T]:
        # From now on the object's own attribute is found first.
        answers = cache(partial(self._method, instance))
        return vars(instance).setdefault(self._method.__name__, answers)  # type: ignore[no-any-return]
