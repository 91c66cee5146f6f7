"""Reads `between`: the facts about types and properties, with their contradictions.

Whether a type or property exists, and whether a declaration has an effect, is checked by the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from holdall.suggest import nearest
from holdall.text.pointer import escape
from holdall_codegen.config.fact_keys import (
    ALONE,
    EXCLUDED,
    FUNCTIONS,
    NewName,
    PropertyKeys,
    TypeKeys,
    ZeroKeys,
)
from holdall_codegen.config.graph import VersionOrder, read_neighbours
from holdall_codegen.config.model import (
    Constant,
    EdgeFacts,
    Function,
    Implicit,
    PropertyFacts,
    RetypedFacts,
    TypeFacts,
    VariantFacts,
)
from holdall_codegen.config.names import PROPERTY_PATH, TYPE_PATTERN, join_path, split_path
from holdall_codegen.config.node import (
    CONTRADICTION,
    LISTED_TWICE,
    MALFORMED_NAME,
    NO_EFFECT,
    UNKNOWN_KEY,
    WRONG_TYPE,
    Node,
)
from holdall_codegen.config.tables import read, read_members, read_value
from holdall_codegen.model import NOWHERE

_CONTRADICTIONS: Mapping[tuple[str, str], str] = {
    **{
        (alone, key): why
        for alone, why in ALONE.items()
        for key in PropertyKeys.table()
        if key not in (alone, "not_same")
    },
    **EXCLUDED,
}


def read_between(node: Node, order: VersionOrder) -> tuple[EdgeFacts, ...]:
    """Return the declared facts, one entry per pair of versions, in the order of the file."""
    edges: dict[tuple[str, str], EdgeFacts] = {}
    for key, child in node.members("between").items():
        types = _read_types(child)
        pair = read_neighbours(key, child, order)
        if pair is None:
            continue
        if pair in edges:
            child.report(
                LISTED_TWICE,
                f"the facts between {pair[0]} and {pair[1]} are in two places, "
                f"first on line {edges[pair].location.line}",
                "merge the two entries",
            )
            continue
        edges[pair] = EdgeFacts(pair[0], pair[1], child.location, types)
    return tuple(edges.values())


def _read_types(node: Node) -> tuple[TypeFacts, ...]:
    types = []
    for pattern, child in node.members("a pair of versions").items():
        if TYPE_PATTERN.fullmatch(pattern):
            types.append(_read_type(pattern, child))
        else:
            fix = "write the name of a type of the older version; * matches any text"
            child.report(MALFORMED_NAME, f'"{pattern}" is not a type name', fix)
    return tuple(types)


def _read_type(pattern: str, node: Node) -> TypeFacts:
    members = node.members(f"the type {pattern}")
    at = {key: members.pop(key) for key in TypeKeys.table() if key in members}
    said = read_members(TypeKeys, at)
    if said.newer is not None and "*" in pattern:
        text = f"$type renames one type, but {pattern} may match several"
        at["$type"].report(CONTRADICTION, text, "name one type")
    elif said.newer == pattern:
        at["$type"].report(NO_EFFECT, f"{pattern} is renamed to itself", "remove $type")
    declared = [*members, *(key for key in ("$hook", "$hides_zero") if key in at)]
    if "$skip" in at and declared:
        at["$skip"].report(
            CONTRADICTION,
            f"$skip leaves all of {pattern} to a hook, but {', '.join(declared)} is declared too",
            "remove $skip or the properties",
        )
    properties = [
        facts for key, child in members.items() if (facts := _read_property(key, child)) is not None
    ]
    for node_, key, names, facts in _listed(said, at):
        known = {join_path(it.path): it for it in properties}
        properties += _read_listed(node_, key, names, {**members, **known}, facts)
    _report_shared_targets(members, properties)
    return TypeFacts(pattern, node.location, said.newer, bool(said.skip), tuple(properties))


def _listed(
    said: TypeKeys, at: Mapping[str, Node]
) -> Iterator[tuple[Node, str, Iterable[str], PropertyFacts]]:
    """Yield the lists of names in a type's facts, each with what it declares about them."""
    if said.hook and "$hook" in at:
        yield at["$hook"], "$hook", said.hook, PropertyFacts((), NOWHERE, strategy="hook")
    if "$hides_zero" in at:
        sides, nodes = read(ZeroKeys, at["$hides_zero"], "$hides_zero")
        given: dict[Literal["older", "newer", "both"], list[str] | None]
        given = {"older": sides.older, "newer": sides.newer, "both": sides.both}
        for side, names in given.items():
            if names:
                facts = PropertyFacts((), NOWHERE, hides_zero=side)
                yield nodes[side], side, names, facts


def _read_listed(
    node: Node, key: str, names: Iterable[str], members: Mapping[str, object], facts: PropertyFacts
) -> list[PropertyFacts]:
    """Read a list of properties about which the same is declared."""
    properties: dict[str, PropertyFacts] = {}
    for child in node.items(key):
        name = child.value
        if not isinstance(name, str) or name not in names:
            continue
        if name in properties or name in members:
            child.report(LISTED_TWICE, f"{name} is declared twice", "keep one of the two")
        properties[name] = replace(facts, path=split_path(name), location=child.location)
    return [*properties.values()]


def _read_property(key: str, node: Node) -> PropertyFacts | None:
    if key.startswith("$") and not isinstance(node.value, str | dict):
        fix = f"known keys are {', '.join(TypeKeys.table())} and property names"
        node.report(UNKNOWN_KEY, f'a type has no key "{key}"{nearest(key, TypeKeys.table())}', fix)
        return None
    if not PROPERTY_PATH.fullmatch(key):
        fix = "write wire names with / between them; in a name, write ~1 for / and ~0 for ~"
        node.report(MALFORMED_NAME, f'"{key}" is not a property path', fix)
        return None
    path = split_path(key)
    if node.value == "not_same":
        facts = PropertyFacts(path, node.location, not_same=True)
    elif isinstance(node.value, str):
        facts = PropertyFacts(path, node.location, rename=_read_rename(path, node))
    else:
        facts = _read_options(path, node)
    if len(path) > 1 and facts.move is None and not _has_move(node):
        node.report(
            CONTRADICTION,
            f"{key} is a member of a nested object, and only move takes a path",
            "declare it under the type of the nested object, or write {move: NEWER_PATH}; if it is"
            f" one name with a slash, write {escape('/'.join(path))}",
        )
    return facts


def _has_move(node: Node) -> bool:
    return isinstance(node.value, dict) and "move" in node.value


def _read_options(path: tuple[str, ...], node: Node) -> PropertyFacts:
    what = f"the property {join_path(path)}"
    said, at = read(PropertyKeys, node, what)
    _report_contradictions(what, at, path, said)
    values = said.values or {}
    for old, new in values.items():
        if new == old:
            text = f'the value "{old}" is mapped to itself'
            at["values"].members("values")[old].report(NO_EFFECT, text, "remove it")
    return PropertyFacts(
        path,
        node.location,
        rename=_read_rename(path, at["rename"]) if "rename" in at else None,
        move=_read_move(path, said.move, at["move"]) if said.move is not None else None,
        not_same=bool(said.not_same),
        values={} if "variants" in at else values,
        wrap=bool(said.wrap),
        reference=None if said.reference is None else split_path(said.reference)[0],
        duration=said.duration,
        unit=said.unit,
        keyed=None if said.keyed is None else _keyed(*split_path(said.keyed)),
        lenient=bool(said.lenient),
        hides_zero=said.hides_zero,
        strategy=said.strategy,
        misfit=said.misfit,
        retyped=_retyped(said, at),
        variants=VariantFacts(values, said.variants.older or {}, said.variants.newer or {})
        if said.variants
        else None,
        default=_read_default(said, at),
    )


def _read_rename(path: tuple[str, ...], node: Node) -> str | None:
    text = read_value(node, NewName, "rename")
    if text is None:
        return None
    name = split_path(text)[0]
    if (name,) == path:
        node.report(NO_EFFECT, f"{name} is renamed to itself", "remove it")
    return name


def _read_move(path: tuple[str, ...], text: str, node: Node) -> tuple[str, ...]:
    target = split_path(text)
    if target == path:
        node.report(NO_EFFECT, f"{text} is moved to itself", "remove it")
    elif len(target) == len(path) == 1:
        message = f"{join_path(path)} stays on its level, but move is for values that change it"
        node.report(CONTRADICTION, message, f"write {{rename: {text}}}")
    return target


def _keyed(key: str, value: str = "") -> tuple[str, str]:
    return key, value


def _retyped(said: PropertyKeys, at: Mapping[str, Node]) -> RetypedFacts | None:
    if not any(key in at for key in FUNCTIONS):
        return None
    up, down = said.upgrade_with, said.downgrade_with
    return RetypedFacts(
        Function(up) if up else Implicit(),
        Function(down) if down else Implicit(),
        may_raise="misfit" in at and said.misfit == "keep",
    )


def _read_default(said: PropertyKeys, at: Mapping[str, Node]) -> Function | Constant | None:
    if said.default_with:
        return Function(said.default_with)
    if (child := at.get("default")) is None:
        return None
    if child.value is None:
        child.report(
            WRONG_TYPE,
            "default cannot be null: without a default the property is absent",
            "remove default",
        )
    return Constant(child.value)


def _report_contradictions(
    what: str, options: Mapping[str, Node], path: tuple[str, ...], said: PropertyKeys
) -> None:
    for (first, second), why in _CONTRADICTIONS.items():
        if first in options and second in options:
            fix = f"remove {first} or {second}"
            if first == "move" and said.move is not None and said.strategy == "hook":
                fix = f"remove strategy, or write {_whole(path, split_path(said.move))}"
            options[second].report(
                CONTRADICTION, f"{what} has both {first} and {second}: {why}", fix
            )
    if said.strategy == "stash" and "rename" in options:
        text = f"{what} has both rename and strategy: stash, which keeps both sides apart"
        options["strategy"].report(CONTRADICTION, text, "remove rename or strategy")


def _whole(path: tuple[str, ...], target: tuple[str, ...]) -> str:
    """Return the line that leaves the first properties of two paths to a hook."""
    rename = "" if path[0] == target[0] else f"rename: {join_path(target[:1])}, "
    return f"{join_path(path[:1])}: {{{rename}strategy: hook}}"


def _report_shared_targets(
    members: Mapping[str, Node], properties: Iterable[PropertyFacts]
) -> None:
    """Report properties with the same partner: a property has one at most."""
    sources: dict[tuple[str, ...], str] = {}
    for facts in properties:
        target = facts.move if facts.rename is None else (facts.rename,)
        if target is None:
            continue
        key = join_path(facts.path)
        first = sources.setdefault(target, key)
        if first != key:
            text = f"{first} and {key} both become {join_path(target)}"
            members[key].report(
                LISTED_TWICE, text, "give one of them another partner, or remove it"
            )
