"""Maps that are lists of objects in the other version, with the keys as members."""

from __future__ import annotations

from functools import partial
from typing import Any

from typing_extensions import override

from holdall.engine.alike import are_alike
from holdall.engine.conversions import Conversion
from holdall.engine.misfit import MISFIT
from holdall.objects.bag_forms import EachForm, ObjectForm
from holdall.text import json as _json


class keyed(Conversion):
    """A map on the older side, a list of objects on the newer one, each with its key as a member.

    `inner` converts values of the map to the member `value`, or without that name to all other
    members. The list is sorted by key, because maps have no order. An element without value is not
    shown in the map. Missing keys, keys that are not strings, and duplicate keys make the list a
    misfit. If it is `lenient`, a missing key or value is the empty string, and the last of equal
    keys is shown.
    """

    def __init__(
        self, element: Any, key: str, inner: Conversion, value: str = "", *, lenient: bool = False
    ) -> None:
        self.key, self.value, self.inner, self.lenient = key, value, inner, lenient
        self.element = ObjectForm(element)
        self.older = EachForm(inner.older, dict)
        self.newer = EachForm(self.element, list)
        self.merge_newer = self._merge_list
        self.merge_older = self._merge_map

    @override
    def to(self, value: Any) -> Any:
        if type(value) is not dict:
            return MISFIT
        made = [self._entered(key, value[key]) for key in sorted(value)]
        return MISFIT if any(item is MISFIT for item in made) else made

    @override
    def back(self, value: Any) -> Any:
        if type(value) is not list:
            return MISFIT
        made: dict[str, Any] = {}
        for item in value:
            key = self._key(item)
            if type(key) is not str or (key in made and not self.lenient):
                return MISFIT
            made[key] = self._left(item)
        if any(item is MISFIT for item in made.values()):
            return MISFIT
        return {key: item for key, item in made.items() if item is not _HIDDEN}

    @override
    def surely(self, value: Any, upward: bool) -> Any:
        if not self.value:
            return MISFIT
        if type(value) is list and not upward:
            return self._surely_back(value)
        if type(value) is not dict or not upward:
            return MISFIT
        made = []
        for key in sorted(value):
            part = value[key]
            part = MISFIT if part is None else self.inner.surely(part, True)
            if part is MISFIT or part is None:
                return MISFIT
            made.append({self.key: key, self.value: part})
        return made

    def _surely_back(self, items: list[Any]) -> Any:
        """Do the same for a list: its elements have nothing else, and are sorted by their keys."""
        made: dict[str, Any] = {}
        before = ""
        for item in items:
            if type(item) is not dict or len(item) != 2:
                return MISFIT
            key, part = item.get(self.key), item.get(self.value)
            if type(key) is not str or part is None or (made and key <= before):
                return MISFIT
            part = self.inner.surely(part, False)
            if part is MISFIT or part is None:
                return MISFIT
            made[key], before = part, key
        return made

    @override
    def alike(self, one: Any, other: Any, upward: bool) -> bool:
        if upward:
            return are_alike(self.inner.older, partial(self.inner.alike, upward=True), one, other)
        return are_alike(self.element, self._are_alike, one, other)

    def _key(self, item: Any) -> Any:
        """Return the key of an element, None if it has none."""
        key = item.get(self.key) if type(item) is dict else None
        is_blank = self.lenient and key is None and (item is None or type(item) is dict)
        return "" if is_blank else key

    def _entered(self, key: str, value: Any) -> Any:
        """Return the element for a value of the map."""
        if value is None and self.value and self.lenient:
            return {self.key: key, self.value: ""}
        part = None if value is None else self.inner.to(value)
        if part is MISFIT or (part is None and value is not None):
            return MISFIT
        return self._with_part({self.key: key}, part)

    def _with_part(self, item: Any, part: Any) -> Any:
        """Return an element with another value."""
        if self.value:
            return {**(item or {}), self.value: part}
        own = {self.key: item[self.key]} if item and self.key in item else {}
        return {**own, **(part or {}), **own}

    def _left(self, item: Any) -> Any:
        """Return the value of the map for an element, `_HIDDEN` if it has none."""
        if self.value and self.lenient and self._part(item) is None:
            return ""
        if self.value and self.value not in item:
            return _HIDDEN
        part = self._part(item)
        if part is None:
            return None
        made = self.inner.back(part)
        return MISFIT if made is None else made

    def _part(self, item: Any) -> Any:
        """Return the part of an element that is in the value of the map."""
        if self.value:
            return (item or {}).get(self.value)
        return {name: member for name, member in (item or {}).items() if name != self.key}

    def _are_alike(self, one: Any, other: Any) -> bool:
        parts = self._part(one), self._part(other)
        rest = [self._with_part(item, None) for item in (one, other)]
        is_same = _json.same(*map(self.element.write, rest))
        return is_same and None not in parts and self.inner.alike(*parts, upward=False)

    def _merge_list(self, kept: Any, converted: Any, live: Any) -> Any:
        """Keep the order, the elements that are not shown, and hidden parts of the others."""
        if self.back(kept) is MISFIT:
            return converted
        fresh = {item[self.key]: item for item in converted}
        shown = {self._key(item): place for place, item in enumerate(kept)}
        merged = []
        for place, old in enumerate(kept):
            key = self._key(old)
            if shown[key] != place:
                merged += [old] if key in live else []
                continue
            new = fresh.pop(key, None)
            if new is not None:
                merged.append(self._merged(old, new, live[key]))
            elif self._left(old) is _HIDDEN:
                merged.append(old)
        return [*merged, *fresh.values()]

    def _merged(self, old: Any, new: Any, live: Any) -> Any:
        shown = self._left(old)
        if shown is live or (
            shown is not _HIDDEN
            and None not in (shown, live)
            and _json.equal(self.inner.older.write(shown), self.inner.older.write(live))
        ):
            return old
        before, after = self._part(old), self._part(new)
        if self.inner.merge_newer is not None and None not in (before, live):
            after = self.inner.merge_newer(before, after, live)
        return self._with_part(old, after)

    def _merge_map(self, kept: Any, converted: Any, live: Any) -> Any:
        """Keep the values whose elements show the same, and hidden parts of the others."""
        if self.to(kept) is MISFIT:
            return converted
        for key, item in {self._key(item): item for item in live}.items():
            if key not in kept or key not in converted:
                continue
            old, part = kept[key], self._part(item)
            if _json.same(self.element.write(self._entered(key, old)), self.element.write(item)):
                converted[key] = old
            elif self.inner.merge_older is not None and None not in (old, part):
                converted[key] = self.inner.merge_older(old, converted[key], part)
        return converted


_HIDDEN = object()
"""Stands for the absent value of an element."""
