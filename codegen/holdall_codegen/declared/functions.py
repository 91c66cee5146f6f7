"""Functions that a declaration names: found by import path, checked against the types."""

from __future__ import annotations

import importlib
import inspect
import sys
import types
import typing
from collections.abc import Callable
from functools import reduce
from typing import Annotated, Any, Final, cast

from holdall.suggest import nearest
from holdall_codegen.declared.raw import ItemType, RawFunction
from holdall_codegen.declared.source import Failed, Source
from holdall_codegen.declared.types import DictOf, FunctionRef, ListOf, OptionalOf, Scalar
from holdall_codegen.model import Location

_FIX: Final = "use a function at the top level of a module, or its import path `pkg.mod:name`"
_ANY: Final = frozenset({"object"})


def find_function(value: object, location: Location, source: Source) -> RawFunction | None:
    """Return the function that an argument names; report one that cannot be imported."""

    def refuse(message: str) -> None:
        source.findings.add("function_not_importable", location, message, _FIX)

    if isinstance(value, Failed):
        functions = [name for name, item in source.namespace.items() if inspect.isroutine(item)]
        refuse(f"{value.error}{value.meant(functions)}")
        return None
    if isinstance(value, str):
        return _import_function(value, location, source, refuse)
    if not callable(value):
        refuse(f"{value!r} is not a function")
        return None
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        refuse(f"{value!r} has no name by which it can be imported")
        return None
    if "<lambda>" in name or "<locals>" in name:
        what = "a lambda" if name.endswith("<lambda>") else f"`{name}`, a local function,"
        refuse(f"{what} cannot be imported")
        return None
    if _look_up(module, name, source) is not value:
        refuse(f"`{module}:{name}` is not this function")
        return None
    return RawFunction(FunctionRef(module, name, location), value)


def _import_function(
    text: str, location: Location, source: Source, refuse: Callable[[str], None]
) -> RawFunction | None:
    module, separator, name = text.partition(":")
    if not separator and name == "":
        module, name = source.module, text
    if not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
        refuse(f'"{text}" is not an import path')
        return None
    if wrong := find_nothing(module, name, source, "function"):
        refuse(wrong)
        return None
    found = _look_up(module, name, source)
    if not callable(found):
        refuse(f"`{module}:{name}` is not a function")
        return None
    return RawFunction(FunctionRef(module, name, location), found)


def find_nothing(module: str, name: str, source: Source, what: str = "type") -> str:
    """Return why a name cannot be imported from a module; "" if it can."""
    if module != source.module:
        try:
            importlib.import_module(module)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - users' code; reported
            return f'"{module}:{name}" cannot be imported: {type(error).__name__}: {error}'
    if _look_up(module, name, source) is not None:
        return ""
    names = source.namespace if module == source.module else vars(sys.modules[module])
    return f"`{module}` has no {what} `{name}`{nearest(name, list(names))}"


def _look_up(module: str, name: str, source: Source) -> object:
    first, *rest = name.split(".")
    if module == source.module:
        start = source.namespace.get(first)
    else:
        start = getattr(sys.modules.get(module), first, None)
    return reduce(lambda found, part: getattr(found, part, None), rest, start)


def check_signature(
    function: RawFunction, takes: ItemType | str, gives: ItemType, source: Source
) -> None:
    """Report a function whose parameters or annotations contradict the types.

    `takes` is "nothing", "anything", or the type of its argument. Declared containers contradict no
    annotation, as their classes at run time are not known here.
    """

    def refuse(message: str, fix: str) -> None:
        text = f"`{function.ref.qualname}` {message}"
        source.findings.add("function_signature", function.ref.location, text, fix)

    if inspect.iscoroutinefunction(function.call):
        refuse("is asynchronous; conversions are not", "write it with `def`")
        return
    try:
        signature = inspect.signature(function.call)
    except Exception:  # noqa: BLE001 - a builtin without a signature, or names for type checkers only
        return
    given = () if takes == "nothing" else (None,)
    try:
        bound = signature.bind(*given)
    except TypeError:
        number = "no argument" if takes == "nothing" else "one argument"
        shown = f"{function.ref.qualname}{signature}".replace("'", "")
        refuse(f"is called with {number}, but is declared as {shown}", f"make it take {number}")
        return
    hints = _hints(function.call, source)
    if takes not in ("nothing", "anything") and bound.arguments:
        name = next(iter(bound.arguments))
        wanted, offered = _bases(cast(ItemType, takes)), _annotated(hints.get(name, object))
        if not _admits(offered, wanted):
            message = f"gets {_say(wanted)}, but its parameter `{name}` is {_say(offered)}"
            refuse(message, f"make it take {_say(wanted)}, or name another function")
    wanted, offered = _bases(gives), _annotated(hints.get("return", object))
    is_wider = wanted == {"float"} and offered == {"int"}
    if not (is_wider or wanted & offered or (wanted | offered) & _ANY):
        message = f"has to return {_say(wanted)}, but returns {_say(offered)}"
        refuse(message, f"make it return {_say(wanted)}, or name another function")


def _hints(call: Callable[..., object], source: Source) -> dict[str, Any]:
    """Return the annotations that can be evaluated."""
    try:
        found = dict(getattr(call, "__annotations__", {}))
    except Exception:  # noqa: BLE001 - since Python 3.14 they are evaluated only now
        return {}
    names = getattr(call, "__globals__", source.namespace)
    for name, hint in list(found.items()):
        if isinstance(hint, str):
            try:
                found[name] = eval(hint, dict(names))
            except (Exception, SystemExit):  # noqa: BLE001 - then it contradicts nothing
                del found[name]
    return found


def _bases(type_: ItemType) -> frozenset[str]:
    """Return the Python types of the values of a declared type, by name."""
    match type_:
        case Scalar(width):
            return frozenset({width if width in ("bool", "str", "float") else "int"})
        case OptionalOf(inner):
            return _bases(inner) | {"None"}
        case ListOf():
            return frozenset({"list"})
        case DictOf():
            return frozenset({"dict"})
        case None:
            return frozenset({"None"})
        case _:
            return _ANY


def _annotated(hint: Any) -> frozenset[str]:
    """Return the Python types that an annotation allows, by name; `object` for any."""
    if hint is None or hint is type(None):
        return frozenset({"None"})
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _annotated(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return frozenset().union(*(_annotated(argument) for argument in arguments))
    if origin is typing.Literal:
        return frozenset({type(value).__name__ for value in arguments})
    base = origin or hint
    if base in (bool, str, float, int):
        return frozenset({base.__name__})
    if isinstance(base, type) and issubclass(base, (str, int)):
        return frozenset({"str" if issubclass(base, str) else "int"})
    if isinstance(base, type):
        if issubclass(base, list):
            return frozenset({"list"})
        if issubclass(base, dict):
            return frozenset({"dict", "an object"})
        if base is object or base.__module__ in ("typing", "collections.abc"):
            return _ANY
        return frozenset({"an object"})
    return _ANY


def _admits(offered: frozenset[str], wanted: frozenset[str]) -> bool:
    wider = {"bool": {"int", "float"}, "int": {"float"}}
    return bool(offered & _ANY or wanted & _ANY) or all(
        base in offered or wider.get(base, set()) & offered for base in wanted
    )


def _say(bases: frozenset[str]) -> str:
    return " or ".join(sorted(bases))
