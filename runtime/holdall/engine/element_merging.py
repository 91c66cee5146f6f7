"""What is left of a kept list or map whose elements convert, once the live one has been edited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from holdall.engine.alike import are_alike
from holdall.engine.element_names import guessed_names
from holdall.engine.far_defaults import without_any_defaults
from holdall.engine.merging import NULL, Merge, Pair, Shown, merge_list, merge_map
from holdall.engine.misfit import MISFIT
from holdall.errors import FunctionFailure
from holdall.objects.bag_forms import Form
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
    """Merge what is live with a kept list or map, element by element.

    `forms` are those of a live and of a kept element, `ways` what a kept one becomes as a live one
    and back, and what compares that with it. A kept value with a misfit in it was not shown, so the
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

    def stripped(item: Any) -> Any:
        return None if item is None else back(form.stripped(item, without_any_defaults))

    def plain() -> Pair:
        was = [
            NULL if item is None else _text(own, stripped, made)
            for item, made in zip(kept, crossed, strict=True)
        ]
        return was, [NULL if item is None else _text(own, stripped, item) for item in live]

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


def _has_misfit(cross: Act, kept: Any) -> bool:
    for item in kept.values() if type(kept) is dict else kept:
        try:
            if item is not None and cross(item) in (None, MISFIT):
                return True
        except FunctionFailure:  # the edge says so
            continue
    return False


def _text(form: Form, act: Act, item: Any) -> Shown:
    """Return what an element becomes as comparable text; None for nothing."""
    made = _made(act, item)
    return None if made is None else _json.canonical(form.write(made))


def _made(act: Act, item: Any) -> Any:
    """Return what an element becomes; None for nothing."""
    try:
        made = None if item is None else act(item)
    except FunctionFailure:  # the edge says so
        return None
    return None if made is MISFIT else made
