"""Whether a class can be used as a hook: how it is made, and the parts that it is made of."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import FunctionType

from holdall.engine.functions import describe
from holdall.engine.hooks import Composed, SharedHook
from holdall.engine.two_way import TwoWay
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

    def fault(reason: str, fix: str, member: str = "") -> Problem:
        where = found.places.of_member(cls, member) if member else found.where
        return mistake("HA319", where, fix=fix, hook=found.name, reason=reason)

    for name in ("__init__", "__new__"):
        if isinstance(made := vars(cls).get(name), FunctionType) and _needs(made):
            text = f"{name} takes arguments, and a hook is made without any"
            fix = "give them defaults, or make it a SharedHook and compose it"
            yield fault(text, fix, name)
    if "__getattribute__" in vars(cls):
        yield fault("__getattribute__ can replace its methods", "remove it", "__getattribute__")
    if found.is_composed and not issubclass(cls.__bases__[0], Composed):
        yield fault("Composed comes after another base", "write Composed as the first base")


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
            yield _fault(found, "parts", text, detail)
        return
    parts: object = getattr(found.cls, "parts", ())
    if is_left(found.cls, "parts"):
        near = closest("parts", [name for name in own if not name.startswith("__")])
        yield _fault(found, "parts", f"it has no `parts`{did_you_mean(near)}")
    elif not isinstance(parts, tuple):
        yield _fault(found, "parts", "its `parts` are not a tuple")
    elif not parts:
        yield _fault(found, "parts", "its `parts` are empty")
    for part in parts if isinstance(parts, tuple) else ():
        if isinstance(part, type):
            text = f"`{part.__name__}` is a class, not a hook made from it;"
            yield _fault(found, "parts", f"{text} write `{part.__name__}()`")
        elif not isinstance(part, SharedHook):
            yield _fault(
                found, "parts", f"{with_article(type(part).__name__)} is not a shared hook"
            )


def _fault(found: FoundClass, member: str, reason: str, detail: str = "") -> Problem:
    return mistake(
        "HA321",
        found.places.of_member(found.cls, member),
        fix="write `parts = (First(...), Second(...))`, a tuple of shared hooks in running order",
        detail=detail or contrast("parts = First()", "parts = (First(),)"),
        hook=found.name,
        reason=reason,
    )


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
        yield mistake("HA305", found.where, fix=fix, hook=found.name, reason=describe(error))
        return
    for point in verdict.points if parts else ():
        yield from check_composed(found, point, parts)


def _check_parts_of(
    found: FoundClass, hook: Composed, places: Mapping[str, Places]
) -> Iterator[Problem]:
    """Yield the methods that parts lack, and those that only raise NotImplementedError."""
    for part in hook.parts:
        if isinstance(part, TwoWay):
            yield from _check_names(found, part, places)
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


def _check_names(
    found: FoundClass, part: TwoWay, places: Mapping[str, Places]
) -> Iterator[Problem]:
    """Yield texts where lists of names belong: each of their letters would be a name."""
    cls, own = type(part), places.get(type(part).__module__)
    for name in ("older", "newer", "given"):
        said: object = getattr(part, name)
        if isinstance(said, str):
            yield mistake(
                "HA319",
                own.of_member(cls, name) if own is not None else found.where,
                fix="write a tuple of names, with a comma also after a single one",
                detail=contrast(f'{name} = ("{said}")', f'{name} = ("{said}",)'),
                hook=cls.__name__,
                reason=f"`{name}` is a text, not a tuple of names",
            )


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
    fix = "write what it does"
    return mistake(UNWRITTEN, where, fix=fix, hook=type(part).__name__, method=name)
