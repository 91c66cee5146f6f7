"""Conversions of single values, perhaps not reversible, composed by generated code.

A conversion maps the value of an older property to that of its newer partner (`to`) and back
(`back`). It does not get None: absent and null pass unchanged. A value that the other side cannot
hold becomes `MISFIT`. Source: docs/conversions.md, "What converts into what".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

from holdall.engine.alike import are_alike
from holdall.engine.element_merging import Act, merge_each
from holdall.engine.merging import Merge
from holdall.engine.misfit import MISFIT
from holdall.engine.opened_merging import with_bags
from holdall.errors import DecodeError
from holdall.objects.bag_forms import PLAIN, EachForm, Form, over_container
from holdall.objects.stored_forms import has_wire_forms
from holdall.text import json as _json
from holdall.types import json_kind

Made: TypeAlias = tuple[tuple[Any, ...], str]
"""The keys and indexes of a part of a value, and the function that makes it."""


class Conversion:
    """A pair of functions between two forms, not always inverse to each other.

    `merge_newer(kept, converted, live)` returns the newer value for an older `live` value that
    was edited since the newer value `kept` was stored; `converted` is `to(live)`. `merge_older` is
    its mirror. None means that nothing of `kept` survives an edit. `null_to` and `null_back` say
    that nulls are converted, too, and `makes_null_to` and `makes_null_back` that a None result is a
    null of any JSON, and not absence. `is_exact` says that every value comes back by itself,
    `of_variants` that it only renames. `calls_to` and `calls_back` say that users' functions may
    make values: `made` says which. `is_declared` says that a function or a constant makes the whole
    value in some direction.
    """

    older: Form = PLAIN
    newer: Form = PLAIN
    null_to: bool = False
    null_back: bool = False
    makes_null_to: bool = False
    makes_null_back: bool = False
    calls_to: bool = False
    calls_back: bool = False
    merge_newer: Merge | None = None
    merge_older: Merge | None = None
    is_exact: bool = False
    of_variants: bool = False
    is_declared: bool = False

    @property
    def calls(self) -> bool:
        """Whether users' functions make values, in any direction and any nested conversion."""
        inner = [it for it in vars(self).values() if isinstance(it, Conversion)]
        return self.calls_to or self.calls_back or any(it.calls for it in inner)

    def to(self, value: Any) -> Any:
        raise NotImplementedError(type(self))

    def back(self, value: Any) -> Any:
        raise NotImplementedError(type(self))

    def alike(self, one: Any, other: Any, upward: bool) -> bool:
        """Return whether two values converted `upward` differ only in the origins of their bags.

        They do if the objects in them become the same: then what one bag kept of a version is what
        the other one kept of its partner.
        """
        return False

    def made(self, value: Any, upward: bool) -> Iterator[Made]:
        """Yield the parts of a value that functions convert."""
        return iter(())

    def surely(self, value: Any, upward: bool) -> Any:
        """Return the converted value, if it surely comes back, else MISFIT."""
        return MISFIT

    def surely_loses(self, value: Any, upward: bool) -> bool:
        """Return whether a value surely does not come back."""
        return False

    def is_more(self, value: Any, upward: bool) -> bool:
        """Return whether a value that became zero was rounded, and is not zero."""
        return False


class same(Conversion):
    """The same JSON value on both sides."""

    is_exact = True

    def to(self, value: Any) -> Any:
        return _json.copy(value)

    back = to

    def surely(self, value: Any, upward: bool) -> Any:
        return _json.copy(value)


class chain(Conversion):
    """Two conversions one after the other."""

    def __init__(self, first: Conversion, second: Conversion) -> None:
        self.first, self.second = first, second
        self.older, self.newer = first.older, second.newer

    def to(self, value: Any) -> Any:
        value = self.first.to(value)
        return value if value is MISFIT or value is None else self.second.to(value)

    def back(self, value: Any) -> Any:
        value = self.second.back(value)
        return value if value is MISFIT or value is None else self.first.back(value)

    def surely(self, value: Any, upward: bool) -> Any:
        one, other = (self.first, self.second) if upward else (self.second, self.first)
        made = one.surely(value, upward)
        return made if made is MISFIT else other.surely(made, upward)


class flipped(Conversion):
    """A conversion seen from the other side."""

    def __init__(self, inner: Conversion) -> None:
        self.inner = inner
        self.older, self.newer = inner.newer, inner.older
        self.merge_older, self.merge_newer = inner.merge_newer, inner.merge_older

    def to(self, value: Any) -> Any:
        return self.inner.back(value)

    def back(self, value: Any) -> Any:
        return self.inner.to(value)

    def surely(self, value: Any, upward: bool) -> Any:
        return self.inner.surely(value, not upward)

    def surely_loses(self, value: Any, upward: bool) -> bool:
        return self.inner.surely_loses(value, not upward)

    def alike(self, one: Any, other: Any, upward: bool) -> bool:
        return self.inner.alike(one, other, not upward)

    def is_more(self, value: Any, upward: bool) -> bool:
        return self.inner.is_more(value, not upward)


class _Each(Conversion):
    container: type[Any]

    def __init__(self, inner: Conversion) -> None:
        self.inner = inner
        self.older = EachForm(inner.older, self.container)
        self.newer = EachForm(inner.newer, self.container)
        self.calls_to, self.calls_back = inner.calls_to, inner.calls_back
        self.is_exact, self.of_variants = inner.is_exact, inner.of_variants
        self.merge_newer = partial(
            merge_each,
            (inner.older, inner.newer),
            (inner.back, inner.to, partial(inner.alike, upward=False)),
            inner.merge_newer,
        )
        self.merge_older = partial(
            merge_each,
            (inner.newer, inner.older),
            (inner.to, inner.back, partial(inner.alike, upward=True)),
            inner.merge_older,
        )

    def to(self, value: Any) -> Any:
        return self._over(value, self.inner.to)

    def back(self, value: Any) -> Any:
        return self._over(value, self.inner.back)

    def alike(self, one: Any, other: Any, upward: bool) -> bool:
        form = self.inner.older if upward else self.inner.newer
        return are_alike(form, partial(self.inner.alike, upward=upward), one, other)

    def made(self, value: Any, upward: bool) -> Iterator[Made]:
        if type(value) is self.container:
            items = value.items() if self.container is dict else enumerate(value)
            for key, item in items:
                yield from (((key, *path), by) for path, by in self.inner.made(item, upward))

    def surely(self, value: Any, upward: bool) -> Any:
        act = self.inner.surely
        return self._over(value, lambda item: act(item, upward))

    def _over(self, value: Any, act: Act) -> Any:
        if type(value) is not self.container:
            return MISFIT

        def present(item: Any) -> Any:
            converted = act(item)
            return MISFIT if converted is None else converted  # no element can be absent

        result = over_container(self.container, value, present)
        members = result if self.container is list else result.values()
        return MISFIT if any(item is MISFIT for item in members) else result


class each(_Each):
    """A list, element by element; one misfit makes the whole list a misfit."""

    container = list


class values(_Each):
    """A map, value by value; one misfit makes the whole map a misfit."""

    container = dict


class kinds(Conversion):
    """A scalar or scalar union, kept if the other side allows its JSON kind."""

    def __init__(self, older: tuple[str, ...], newer: tuple[str, ...]) -> None:
        self.older_kinds, self.newer_kinds = frozenset(older), frozenset(newer)

    def to(self, value: Any) -> Any:
        return _fit(value, self.newer_kinds)

    def back(self, value: Any) -> Any:
        return _fit(value, self.older_kinds)

    def surely(self, value: Any, upward: bool) -> Any:
        kind = json_kind(value)
        return value if kind in self.older_kinds and kind in self.newer_kinds else MISFIT


class renamed_values(Conversion):
    """An enum some of whose values have other names; unlisted values pass."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)
        self.inverse: dict[str, str] = {}
        for older, newer in names.items():
            self.inverse.setdefault(newer, older)

    def to(self, value: Any) -> Any:
        return self.names.get(value, value) if type(value) is str else _json.copy(value)

    def back(self, value: Any) -> Any:
        return self.inverse.get(value, value) if type(value) is str else _json.copy(value)

    def surely(self, value: Any, upward: bool) -> Any:
        if type(value) is not str:
            return _json.copy(value)
        names, inverse = (self.names, self.inverse) if upward else (self.inverse, self.names)
        made = names.get(value, value)
        return made if inverse.get(made, made) == value else MISFIT


class wrap(Conversion):
    """A single value on the older side, a list on the newer one."""

    def __init__(self, inner: Conversion) -> None:
        self.inner = inner
        self.older = inner.older
        self.newer = EachForm(inner.newer, list)
        self.merge_newer = self._keep_tail
        if inner.merge_older is not None:
            self.merge_older = self._merge_single

    def to(self, value: Any) -> Any:
        value = self.inner.to(value)
        return value if value is MISFIT or value is None else [value]

    def back(self, value: Any) -> Any:
        if type(value) is not list:
            return MISFIT
        if not value or value[0] is None:
            return None
        return self.inner.back(value[0])

    def surely(self, value: Any, upward: bool) -> Any:
        if upward:
            made = self.inner.surely(value, upward)
            return made if made is MISFIT else [made]
        if type(value) is not list or len(value) != 1 or value[0] is None:
            return MISFIT
        return self.inner.surely(value[0], upward)

    def surely_loses(self, value: Any, upward: bool) -> bool:
        return not upward and type(value) is list and len(value) > 1

    def alike(self, one: Any, other: Any, upward: bool) -> bool:
        if upward:
            return self.inner.alike(one, other, upward)
        return are_alike(self.inner.newer, partial(self.inner.alike, upward=False), one, other)

    def _keep_tail(self, kept: Any, converted: Any, live: Any) -> Any:
        if type(kept) is not list:
            return converted
        (first,) = converted
        if self.inner.merge_newer is not None and kept and kept[0] is not None:
            first = self.inner.merge_newer(kept[0], first, live)
        return [first, *kept[1:]]

    def _merge_single(self, kept: Any, converted: Any, live: Any) -> Any:
        merge = self.inner.merge_older
        return converted if merge is None else merge(kept, converted, live[0])


class opened(Conversion):
    """Opaque JSON on the older side, a type on the newer one."""

    def __init__(self, newer: Form) -> None:
        self.newer = newer
        self.merge_newer = self._with_bags

    def _with_bags(self, kept: Any, converted: Any, live: Any) -> Any:
        return with_bags(self.newer.shape, kept, converted)

    def to(self, value: Any) -> Any:
        try:
            return self.newer.read(value, False)
        except (DecodeError, TypeError, ValueError):
            return MISFIT

    def back(self, value: Any) -> Any:
        return self.newer.write(value, False)

    def surely(self, value: Any, upward: bool) -> Any:
        form = self.newer
        if isinstance(form, EachForm) and form.item is PLAIN:
            # Its contents are not interpreted.
            return _json.copy(value) if type(value) is form.container else MISFIT
        cls = getattr(form, "cls", None)
        if cls is None or type(value) is not dict or has_wire_forms(cls):
            return MISFIT
        # Without bags and reserved names both forms are the same.
        made = self.to(value) if upward else self.back(value)
        return made if made == value else MISFIT


def _fit(value: Any, allowed: frozenset[str]) -> Any:
    kind = json_kind(value)
    if kind in allowed or (kind == "integer" and "number" in allowed):
        return value
    if kind == "number" and "integer" in allowed and value.is_integer():
        return int(value)
    return MISFIT
