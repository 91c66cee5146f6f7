"""Zero values, which some types cannot distinguish from absence, and one side does not show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import not_
from typing import Any

from holdall.engine.conversions import Conversion
from holdall.engine.element_merging import Act
from holdall.engine.misfit import MISFIT
from holdall.objects.bag import BAG_MEMBER, PropertyBag
from holdall.objects.bag_forms import Form
from holdall.objects.shapes import shape_of


def zero_test(form: Form) -> Callable[[Any], bool]:
    """Return the test whether a value is one that some types cannot distinguish from absence."""
    cls = getattr(form, "cls", None)
    return not_ if cls is None else partial(_holds_nothing, cls)


def _holds_nothing(cls: type, members: Any) -> bool:
    """Return whether an object has only nulls, empty strings and such objects.

    A zero, `false`, an empty list or a map in it is a value.
    """
    if type(members) is not dict:
        return not members
    for name, value in members.items():
        if type(value) is not dict:
            if value is not None and value != "" and name != BAG_MEMBER:
                return False
        elif name != BAG_MEMBER:
            member = shape_of(cls).members.get(name)
            inner = None if member is None else member.value.type
            if inner is None or not _holds_nothing(inner, value):
                return False
    return True


class hides_zero(Conversion):
    """Values whose zero value the `older` side, the `newer` one or `both` do not show.

    With `nulls`, both sides show zero values, but neither shows a null that moves.
    """

    def __init__(self, inner: Conversion, side: str) -> None:
        self.inner = inner
        self.older, self.newer = inner.older, inner.newer
        self._in_older, self._in_newer = side in ("older", "both"), side in ("newer", "both")
        self._older_zero, self._newer_zero = zero_test(self.older), zero_test(self.newer)
        older, newer = (self._in_older, self._older_zero), (self._in_newer, self._newer_zero)
        self._up, self._down = (*older, *newer), (*newer, *older)
        self._of_nulls = side == "nulls"
        self.merge_newer, self.merge_older = inner.merge_newer, inner.merge_older
        if hasattr(inner.older, "cls"):  # open JSON has no bag for hidden values
            self.merge_newer = inner.merge_newer or partial(_with_hidden, inner.back, inner.to)
            self.merge_older = inner.merge_older or partial(_with_hidden, inner.to, inner.back)

    def moving(self) -> hides_zero:
        """Return this for a moved value, whose null would create the objects on its path."""
        self.null_to = self._in_newer or self._of_nulls
        self.null_back = self._in_older or self._of_nulls
        return self

    def to(self, value: Any) -> Any:
        if value is None:
            return MISFIT
        made = self.inner.to(value)
        is_hidden = self._in_newer and self._newer_zero(made)
        return None if is_hidden and not self.inner.is_more(value, upward=True) else made

    def back(self, value: Any) -> Any:
        if value is None:
            return MISFIT
        made = self.inner.back(value)
        is_hidden = self._in_older and self._older_zero(made)
        return None if is_hidden and not self.inner.is_more(value, upward=False) else made

    def alike(self, one: Any, other: Any, upward: bool) -> bool:
        return self.inner.alike(one, other, upward)

    def surely(self, value: Any, upward: bool) -> Any:
        is_in, is_zero, is_out, is_zero_there = self._up if upward else self._down
        if is_in and is_zero(value):
            return MISFIT
        made = self.inner.surely(value, upward)
        return MISFIT if is_out and made is not MISFIT and is_zero_there(made) else made


def _with_hidden(back: Act, to: Act, kept: Any, converted: Any, live: Any) -> Any:
    """Return the converted live value, with everything that was hidden with the kept one."""
    hidden = back(kept)
    if type(live) is not dict or type(hidden) is not dict or BAG_MEMBER not in hidden:
        return converted
    bag = PropertyBag.clone(live.get(BAG_MEMBER))
    for origin, entries in hidden[BAG_MEMBER].items():
        bag.setdefault(origin, {}).update(entries)
    return to({**live, BAG_MEMBER: bag})
