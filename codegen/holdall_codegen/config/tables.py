"""Tables of keys: one struct describes one mapping of `holdall.yaml` completely.

Its fields have the names, types and defaults of the keys. Its docstring has a sentence about the
mapping, and an entry `key (default): meaning` for each key, as docs/configuration.md shows it.
Annotations of types give the forms of strings, and their names in messages. A test makes
`holdall.schema.json` from the same structs.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import msgspec

from holdall.text.pointer import split
from holdall.types import JsonObject
from holdall_codegen.config.node import CONTRADICTION, LISTED_TWICE, MISSING_KEY, WRONG_TYPE, Node
from holdall_codegen.model import NOWHERE, Location

More: TypeAlias = Mapping[str, Any]
_LOCATION = "location"
_ENTRY = re.compile(r"^(\S+) \((.*?)\): ", re.MULTILINE)


class Versions(Protocol):
    """The versions that a string may name."""

    def listed(self, node: Node, name: str, what: str) -> bool:
        """Tell whether a version is listed; report it at `node` if it is not."""
        ...


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a string, and its name in messages. `search` is a shorter one for JSON Schema."""

    pattern: re.Pattern[str]
    says: str
    search: str = ""


@dataclass(frozen=True, slots=True)
class Called:
    """The name of a value in messages, if it is not its key; `{}` is its key.

    A mapping with such a name is read together with the mapping around it.
    """

    what: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A version of the group; `what` names it in messages."""

    what: str = ""


@dataclass(frozen=True, slots=True)
class Range:
    """The allowed numbers."""

    low: int
    high: int
    says: str = "a number"


@dataclass(frozen=True, slots=True)
class Unique:
    """A list without duplicates. The JSON Schema says so only of a `strict` one."""

    says: str = "{name} is listed twice"
    strict: bool = True


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON Schema of a value, if it does not follow from its type."""

    value: JsonObject = field(hash=False)


class Key(NamedTuple):
    """One key of a table: the field that holds it, its type, and what the documentation says."""

    attribute: str
    type: Any
    required: bool
    default: Any
    shown: str
    meaning: str


class Keys(msgspec.Struct):
    """The keys of one mapping; a missing or malformed value is None.

    A table assigns its docstring to `__doc__`, because `python -OO` drops ordinary ones. One with a
    field `location` is the configuration itself, and knows where the mapping is. Other fields
    without an entry in the docstring are set elsewhere.
    """

    more: ClassVar[More] = {}
    """The JSON Schema of the mapping, except that of its keys."""

    within: ClassVar[type[Keys] | None] = None
    """The table of its members that are not keys."""

    @classmethod
    @cache
    def table(cls) -> Mapping[str, Key]:
        """Return the keys in their order."""
        texts = _ENTRY.split(_docstring(cls))[1:]
        told = {
            name: (shown, " ".join(meaning.split()))
            for name, shown, meaning in zip(texts[::3], texts[1::3], texts[2::3], strict=True)
        }
        found: dict[str, Key] = {}
        for item in msgspec.structs.fields(cls):
            if (told_of := told.pop(item.encode_name, None)) is not None:
                default = None if item.required else item.default
                key = Key(item.name, item.type, item.required, default, *told_of)
                found[item.encode_name] = key
        if told:
            raise TypeError(f"{cls.__name__} has no {', '.join(told)}")
        return found

    def check(self, node: Node, at: Mapping[str, Node]) -> None:
        """Report problems beyond the forms of values; `at` has the places of the keys."""

    def but(self, **changes: Any) -> Self:
        """Return a copy with changed values."""
        return msgspec.structs.replace(self, **changes)

    @classmethod
    def about(cls) -> str:
        """Return the sentence about the mapping."""
        return _docstring(cls).partition("\n\n")[0].replace("\n", " ")


def _docstring(cls: type[Keys]) -> str:
    """Return the docstring of a table, with `python -OO` from its source."""
    if cls.__doc__ is not None:
        return inspect.cleandoc(cls.__doc__)
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    return (ast.get_docstring(node) if isinstance(node, ast.ClassDef) else None) or ""


def check_one(
    node: Node, at: Mapping[str, Node], keys: tuple[str, str], what: str, fixes: tuple[str, str]
) -> None:
    """Report a mapping with both of two keys, or with neither; `fixes` has a fix for each case."""
    first, second = keys
    if first in at and second in at:
        at[second].report(CONTRADICTION, f"{what} has both {first} and {second}", fixes[0])
    elif at and first not in at and second not in at:
        node.report(MISSING_KEY, f"{what} has neither {first} nor {second}", fixes[1])


K = TypeVar("K", bound=Keys)


def read(
    keys: type[K], node: Node, what: str, order: Versions | None = None
) -> tuple[K, dict[str, Node]]:
    """Read a mapping; return its values and the places of its keys.

    Unknown, missing and malformed keys are reported. Inner mappings without a `Called` are left to
    the caller, who knows their names.
    """
    at = node.known_members(what, keys.table())
    for name, key in keys.table().items():
        if key.required and name in at:
            at[name] = replace(at[name], required=True)
        elif key.required and at:
            node.report_missing(what, name)
    said = read_members(keys, at, order, node.location)
    said.check(node, at)
    return said, at


def read_members(
    keys: type[K],
    at: Mapping[str, Node],
    order: Versions | None = None,
    location: Location = NOWHERE,
) -> K:
    """Read the members that are keys of a table."""
    values: dict[str, Any] = {_LOCATION: location} if _LOCATION in keys.__struct_fields__ else {}
    for name, key in keys.table().items():
        found = read_value(at[name], key.type, name, order) if name in at else None
        values[key.attribute] = key.default if found is None else found
    return keys(**values)


def parts_of(type_: Any) -> tuple[Any, dict[type, Any]]:
    """Return a type without its annotations and None, and the annotations by class."""
    marks: dict[type, Any] = {}
    while True:
        if get_origin(type_) is Annotated:
            marks = {**{type(mark): mark for mark in type_.__metadata__}, **marks}
            type_ = type_.__origin__
            continue
        if get_origin(type_) in (Union, types.UnionType):
            some = choices_of(type_)
            if len(some) == 1:
                type_ = some[0]
                continue
        return type_, marks


def choices_of(type_: Any) -> tuple[Any, ...]:
    """Return the members of a union, scalars before containers."""
    if get_origin(type_) not in (Union, types.UnionType):
        return ()
    return tuple(one for one in get_args(type_) if one is not types.NoneType)


def read_value(node: Node, type_: Any, what: str, order: Versions | None = None) -> Any:
    """Read a value by its type; None if it is malformed, or left to the caller."""
    type_, marks = parts_of(type_)
    what = marks[Called].what.format(*split(node.pointer)[-1:]) if Called in marks else what
    origin = get_origin(type_)
    if isinstance(type_, type) and issubclass(type_, Keys) and Called in marks:
        return read(type_, node, what, order)[0]
    if choices := choices_of(type_):
        if any(isinstance(node.value, _container(one)) for one in choices[1:]):
            return None
        return read_value(node, choices[0], what, order)
    if origin is Literal:
        allowed = get_args(type_)
        return (node.true(what) or None) if allowed == (True,) else node.choice(what, allowed)
    if type_ is Any:
        return node.value
    if type_ is str:
        return _read_text(node, marks, what, order)
    if type_ is bool:
        return node.boolean(what)
    if type_ is int:
        return _read_number(node, marks[Range], what)
    if origin is list and not _is_apart(get_args(type_)[0]):
        return _read_list(node, get_args(type_)[0], marks.get(Unique), what, order)
    if origin is dict and not _is_apart(get_args(type_)[1]):
        return _read_mapping(node, get_args(type_), what, order)
    return None


def _container(type_: Any) -> type:
    """Return the JSON container of a type: a list or a mapping."""
    return list if get_origin(parts_of(type_)[0]) is list else dict


def _is_apart(type_: Any) -> bool:
    """Tell whether elements are left to the caller, who knows their names."""
    base, marks = parts_of(type_)
    is_plain = base in (str, int, bool) or get_origin(base) is Literal
    return not is_plain and Called not in marks


def _read_text(node: Node, marks: Mapping[type, Any], what: str, order: Versions | None) -> Any:
    form: Form | None = marks.get(Form)
    text = node.matching(what, form.pattern, form.says) if form else node.text(what)
    if text is not None and Listed in marks and order is not None:
        order.listed(node, text, marks[Listed].what or what)
    return text


def _read_number(node: Node, allowed: Range, what: str) -> int | None:
    value = node.value
    if type(value) is int and allowed.low <= value <= allowed.high:
        return value
    text = f"{what} must be {allowed.says} from {allowed.low} to {allowed.high}"
    node.report(WRONG_TYPE, text, "write a number")
    return None


def _read_list(
    node: Node, type_: Any, unique: Unique | None, what: str, order: Versions | None
) -> list[Any]:
    found: list[Any] = []
    for item in node.items(what):
        value = read_value(item, type_, what, order)
        if unique and value in found:
            said = unique.says.format(what=what, name=value)
            item.report(LISTED_TWICE, said, "remove one")
        elif value is not None:
            found.append(value)
    return found


def _read_mapping(
    node: Node, types_: tuple[Any, ...], what: str, order: Versions | None
) -> dict[str, Any]:
    marks = parts_of(types_[0])[1]
    form: Form | None = marks.get(Form)
    found: dict[str, Any] = {}
    for key, child in node.members(what).items():
        if form is not None:
            child.check_key(key, form.pattern.fullmatch(key) is not None, form.says)
        if Listed in marks and order is not None:
            order.listed(child, key, what)
        found[key] = read_value(child, types_[1], what, order)
    return found
