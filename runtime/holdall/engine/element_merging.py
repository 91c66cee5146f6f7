"""Merging a kept list or map, whose elements convert, with the edited live one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from holdall.engine.alike import are_alike
from holdall.engine.element_names import guessed_names
from holdall.engine.far_defaults import without_any_defaults
from holdall.engine.merging import NULL, Merge, Pair, Shown, merge_list, merge_map
from holdall.engine.misfit import MISFIT
from holdall.errors import FunctionFailure
from holdall.objects.bag import BAG_MEMBER
from holdall.objects.bag_forms import Form, Strip
from holdall.objects.implied import without_defaults
from holdall.objects.shapes import Shaped, object_shape
from holdall.text import json as _json

Act: TypeAlias = Callable[[Any], Any]
Alike: TypeAlias = Callable[[Any, Any], bool]


def merge_each(
    forms: tuple[Form, Form],
    ways: tuple[Act, Act, Alike],
    merge: Merge | None,
    kept: Any,
    converted: Any,
    live: Any,
) -> Any:
    """Merge a live list or map with a kept one, element by element.

    `forms` are those of a live and of a kept element, `ways` the conversions of a kept one to a
    live one and back, and their comparison. A kept value with a misfit in it was not shown, so the
    live one has nothing of it.
    """
    (form, own), (cross, back, alike) = forms, ways
    if type(kept) is not type(live) or _has_misfit(cross, kept):
        return converted
    if type(live) is dict:

        def shows(old: Any, item: Any) -> bool:
            return _text(form, cross, old) == _json.canonical(form.write(item))

        return merge_map(kept, converted, live, shows, merge)
    crossed = [_made(cross, item) for item in kept]

    def stripped(strip: Strip) -> Pair:
        def act(item: Any) -> Any:
            return None if item is None else back(form.stripped(item, strip))

        was = [
            NULL if item is None else _text(own, act, made)
            for item, made in zip(kept, crossed, strict=True)
        ]
        return was, [NULL if item is None else _text(own, act, item) for item in live]

    def plain() -> Pair:
        whole = stripped(without_any_defaults)
        declared = stripped(_declared)
        is_new = whole[0] == declared[0] and _in_both(*declared) > _in_both(*whole)
        return declared if is_new else whole

    def names() -> tuple[Mapping[str, int], Mapping[str, int]]:
        for side, was, now in ((form, crossed, live), (own, kept, converted)):
            held = getattr(side, "cls", None)
            if held is not None:
                return guessed_names(was, held), guessed_names(now, held)
        return {}, {}

    before = [
        NULL if item is None else None if made is None else _json.canonical(form.write(made))
        for item, made in zip(kept, crossed, strict=True)
    ]
    now = [NULL if item is None else _json.canonical(form.write(item)) for item in live]

    def hides(old: Any) -> bool:
        try:
            shown = None if old is None else cross(old)
            again = None if shown is None or shown is MISFIT else back(shown)
        except FunctionFailure:
            return True
        if again is None or again is MISFIT:
            return old is not None
        return not are_alike(own, alike, [again], [old])

    return merge_list(kept, converted, live, (before, now), plain, names, merge, hides)


def _declared(cls: type[Shaped], members: dict[str, Any]) -> dict[str, Any]:
    """Return an object without undeclared members and servers' defaults, but with its bag."""
    bare: dict[str, Any] = without_defaults(
        without_any_defaults(cls, members), object_shape(cls), []
    )
    return bare | {BAG_MEMBER: members[BAG_MEMBER]} if BAG_MEMBER in members else bare


def _in_both(old: Sequence[Shown], new: Sequence[Shown]) -> int:
    both = Counter(old) & Counter(new)
    return both.total() - both[None]


def _has_misfit(cross: Act, kept: Any) -> bool:
    for item in kept.values() if type(kept) is dict else kept:
        try:
            if item is not None and cross(item) in (None, MISFIT):
                return True
        except FunctionFailure:  # the edge says so
            continue
    return False


def _text(form: Form, act: Act, item: Any) -> Shown:
    """Return the converted element as comparable text; None for nothing."""
    made = _made(act, item)
    return None if made is None else _json.canonical(form.write(made))


def _made(act: Act, item: Any) -> Any:
    """Return the converted element; None for nothing."""
    try:
        made = None if item is None else act(item)
    except FunctionFailure:  # the edge says so
        return None
    return None if made is MISFIT else made
