"""Whether a class can be used as a hook: how it is made, and the parts that it is made of."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import FunctionType

from holdall.engine.functions import describe
from holdall.engine.hooks import Composed, SharedHook
from holdall.errors import Problem
from holdall.suggest import closest, did_you_mean
from holdall.verification.composed import check_composed, parts_of
from holdall.verification.found import OF_SHARED, OF_TWO_WAY, FoundClass, Verdict, is_left
from holdall.verification.methods import is_scaffold
from holdall.verification.mistakes import UNWRITTEN, contrast, mistake
from holdall.verification.places import Places
from holdall.verification.protocols import METHODS
from holdall.words import with_article


def check_usable(found: FoundClass) -> Iterator[Problem]:
    """Yield why a hook cannot be made, or would be another one than it seems."""
    cls = found.cls
    for name in ("__init__", "__new__"):
        if isinstance(made := vars(cls).get(name), FunctionType) and _needs(made):
            text = f"{name} takes arguments, and a hook is made without any"
            fix = "give them defaults, or make it a SharedHook and compose it"
            yield found.mistake("HA319", name, fix=fix, reason=text)
    if (name := "__getattribute__") in vars(cls):
        reason = f"{name} can replace its methods"
        yield found.mistake("HA319", name, fix="remove it", reason=reason)
    if found.is_composed and not issubclass(cls.__bases__[0], Composed):
        fix = "write Composed as the first base"
        yield found.mistake("HA319", fix=fix, reason="Composed comes after another base")


def _needs(function: FunctionType) -> bool:
    _, *others = inspect.signature(function).parameters.values()
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(one.default is one.empty and one.kind not in variadic for one in others)


def check_parts(found: FoundClass) -> Iterator[Problem]:
    own = vars(found.cls)
    if not found.is_composed:
        if "parts" in own:
            text = "it has `parts` but does not derive from Composed"
            name = found.name
            detail = contrast(f"class {name}(...): ...", f"class {name}(Composed, ...): ...")
            yield found.mistake("HA321", "parts", detail=detail, reason=text)
        return
    parts: object = getattr(found.cls, "parts", ())
    reasons = []
    if is_left(found.cls, "parts"):
        near = closest("parts", [name for name in own if not name.startswith("__")])
        reasons.append(f"it has no `parts`{did_you_mean(near)}")
    elif not isinstance(parts, tuple):
        reasons.append("its `parts` are not a tuple")
    elif not parts:
        reasons.append("its `parts` are empty")
    for part in parts if isinstance(parts, tuple) else ():
        if isinstance(part, type):
            name = part.__name__
            reasons.append(f"`{name}` is a class, not a hook made from it; write `{name}()`")
        elif not isinstance(part, SharedHook):
            reasons.append(f"{with_article(type(part).__name__)} is not a shared hook")
    detail = contrast("parts = First()", "parts = (First(),)")
    for reason in reasons:
        yield found.mistake("HA321", "parts", detail=detail, reason=reason)


def make(found: FoundClass, verdict: Verdict, places: Mapping[str, Places]) -> Iterator[Problem]:
    """Make the hook, and yield what only that shows: what its parts claim, and what they lack.

    `places` are those of the modules of hooks, by their names.
    """
    try:
        verdict.instance = instance = found.cls()
        if isinstance(instance, Composed) and (
            lacking := [*_check_parts_of(found, instance, places)]
        ):
            yield from lacking
            return
        parts = parts_of(found, instance, places) if isinstance(instance, Composed) else []
    except (Exception, SystemExit) as error:  # noqa: BLE001 - users' code; reported
        fix = "correct the constructor, or what its parts claim"
        yield found.mistake("HA305", fix=fix, reason=describe(error))
        return
    for point in verdict.points if parts else ():
        yield from check_composed(found, point, parts)


def _check_parts_of(
    found: FoundClass, hook: Composed, places: Mapping[str, Places]
) -> Iterator[Problem]:
    """Yield the methods that parts lack, and those that only raise NotImplementedError."""
    for part in hook.parts:
        for name in (*OF_SHARED, *METHODS, *OF_TWO_WAY[:2]):
            function = getattr(type(part), name, None)
            parts = {"hook": type(part).__name__, "method": name}
            if function is getattr(SharedHook, name, part):
                fix = "define it; a part says what it claims, and what it does in both directions"
                yield mistake("HA331", found.where, fix=fix, nearest="", **parts)
            elif isinstance(function, FunctionType) and is_scaffold(function):
                yield _unwritten(found, part, name, function, places)
        for function in _functions_of(part):
            if is_scaffold(function):
                yield _unwritten(found, part, function.__name__, function, places)


def _functions_of(part: SharedHook) -> Iterator[FunctionType]:
    """Yield the functions that a part was made with."""
    for value in vars(part).values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, FunctionType):
                yield one


def _unwritten(
    found: FoundClass,
    part: SharedHook,
    name: str,
    function: FunctionType,
    places: Mapping[str, Places],
) -> Problem:
    own = places.get(function.__module__)
    where = f"{own.file}:{function.__code__.co_firstlineno}" if own is not None else found.where
    said = {"hook": type(part).__name__, "method": name}
    return mistake(UNWRITTEN, where, fix="write what it does", **said)
