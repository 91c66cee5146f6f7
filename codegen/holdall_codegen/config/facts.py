"""What `between` declares about types and properties; contradictions are found here, use is not.

Whether a type or property exists, and whether a declaration bites, only the plan can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from holdall.suggest import nearest
from holdall_codegen.config.graph import VersionOrder, read_neighbours
from holdall_codegen.config.model import (
    Constant,
    EdgeFacts,
    Fallback,
    Function,
    Implicit,
    PropertyFacts,
    RetypedFacts,
    Step,
    TypeFacts,
    VariantFacts,
)
from holdall_codegen.config.names import (
    FUNCTION,
    PROPERTY,
    PROPERTY_PATH,
    TYPE_NAME,
    TYPE_PATTERN,
    join_path,
    split_path,
)
from holdall_codegen.config.node import (
    CONTRADICTION,
    LISTED_TWICE,
    MALFORMED_NAME,
    NO_EFFECT,
    UNKNOWN_KEY,
    WRONG_TYPE,
    Node,
)

TYPE_KEYS: Final = ("$type", "$skip", "$hook")
PROPERTY_KEYS: Final = (
    "rename",
    "move",
    "not_same",
    "values",
    "wrap",
    "reference",
    "strategy",
    "misfit",
    "upgrade_with",
    "downgrade_with",
    "variants",
    "default",
    "default_with",
)
VARIANT_KEYS: Final = ("older", "newer")
STRATEGIES: Final[tuple[Literal["stash", "hook"], ...]] = ("stash", "hook")
MISFITS: Final[tuple[Literal["keep", "error"], ...]] = ("keep", "error")
_BY_STRATEGY: Final = "a strategy takes the place of every generated conversion"
_BY_FUNCTION: Final = "a function converts the whole value"
_FUNCTIONS: Final = ("upgrade_with", "downgrade_with")
_DEFAULTS: Final = ("default", "default_with")
_CONTRADICTIONS: Final[Mapping[tuple[str, str], str]] = {
    **{
        ("not_same", key): "not_same says that no partner exists"
        for key in PROPERTY_KEYS
        if key != "not_same"
    },
    ("rename", "move"): "move states the whole newer path, its last name included",
    ("values", "reference"): "values maps strings, reference makes objects of them",
    **{
        ("strategy", key): _BY_STRATEGY
        for key in ("values", "wrap", "reference", "misfit", "variants", *_FUNCTIONS)
    },
    **{
        (function, key): _BY_FUNCTION
        for function in _FUNCTIONS
        for key in ("move", "values", "wrap", "reference", "variants")
    },
    ("variants", "reference"): "variants maps strings, reference makes objects of them",
    **{
        (default, key): "a property with a default has no partner"
        for default in _DEFAULTS
        for key in PROPERTY_KEYS
        if key not in (default, "not_same")
    },
}


def read_between(node: Node, order: VersionOrder) -> tuple[EdgeFacts, ...]:
    """The declared facts, one entry per pair of versions, in the order of the file."""
    edges: dict[tuple[str, str], EdgeFacts] = {}
    for key, child in node.members("between").items():
        types = _read_types(child)
        pair = read_neighbours(key, child, order)
        if pair is None:
            continue
        if pair in edges:
            child.report(
                LISTED_TWICE,
                f"the facts between {pair[0]} and {pair[1]} stand in two places, "
                f"first in line {edges[pair].location.line}",
                "join them",
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
            child.report(
                MALFORMED_NAME,
                f'"{pattern}" is not a type name',
                "write the older version's type name, * in it for any text",
            )
    return tuple(types)


def _read_type(pattern: str, node: Node) -> TypeFacts:
    members = node.members(f"the type {pattern}")
    name: str | None = None
    if (child := members.pop("$type", None)) is not None:
        name = child.matching("$type", TYPE_NAME, "a type name")
        if name is not None and "*" in pattern:
            child.report(
                CONTRADICTION, f"$type renames one type, and {pattern} names many", "name one type"
            )
        elif name == pattern:
            child.report(NO_EFFECT, f"{pattern} is renamed to itself", "remove $type")
    skip = (child := members.pop("$skip", None)) is not None and child.true("$skip")
    if child is not None and members:
        child.report(
            CONTRADICTION,
            f"$skip leaves all of {pattern} to a hook, and {', '.join(members)} is declared too",
            "remove $skip or the properties",
        )
    hooked = members.pop("$hook", None)
    properties = [
        facts for key, child in members.items() if (facts := _read_property(key, child)) is not None
    ]
    if hooked is not None:
        properties += _read_hooked(hooked, members)
    _report_shared_targets(members, properties)
    return TypeFacts(pattern, node.location, name, skip, tuple(properties))


def _read_hooked(node: Node, members: Mapping[str, Node]) -> list[PropertyFacts]:
    """Read the names of properties that a hook converts: each as with `strategy: hook`."""
    properties: dict[str, PropertyFacts] = {}
    for child in node.items("$hook"):
        name = child.matching("a name in $hook", PROPERTY, "the wire name of one property")
        if name is None:
            continue
        if name in properties or name in members:
            child.report(LISTED_TWICE, f"{name} is declared twice", "leave it in one place")
        path = split_path(name)
        properties[name] = PropertyFacts(path, child.location, strategy="hook")
    return [*properties.values()]


def _read_property(key: str, node: Node) -> PropertyFacts | None:
    if key.startswith("$"):
        node.report(
            UNKNOWN_KEY,
            f'a type has no key "{key}"{nearest(key, TYPE_KEYS)}',
            f"known keys are {', '.join(TYPE_KEYS)} and property names",
        )
        return None
    if not PROPERTY_PATH.fullmatch(key):
        node.report(
            MALFORMED_NAME,
            f'"{key}" is not a property path',
            "write wire names with a slash between them, ~1 for a slash in a name, ~0 for ~",
        )
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
            f"{key} is a member of a nested object, and only move takes such a path",
            "declare it under the type of the nested object, or write {move: NEWER_PATH}",
        )
    return facts


def _has_move(node: Node) -> bool:
    return isinstance(node.value, dict) and "move" in node.value


def _read_options(path: tuple[str, ...], node: Node) -> PropertyFacts:
    what = f"the property {join_path(path)}"
    options = node.known_members(what, PROPERTY_KEYS)
    _report_contradictions(what, options)
    rename = move = reference = strategy = None
    misfit: Literal["keep", "error"] = "keep"
    if (child := options.get("rename")) is not None:
        rename = _read_rename(path, child)
    if (child := options.get("move")) is not None:
        move = _read_move(path, child)
    if (child := options.get("reference")) is not None:
        member = child.matching("reference", PROPERTY, "the name of one member")
        reference = None if member is None else split_path(member)[0]
    if (child := options.get("strategy")) is not None:
        strategy = child.choice("strategy", STRATEGIES)
    if (child := options.get("misfit")) is not None:
        misfit = child.choice("misfit", MISFITS) or "keep"
    values = {} if (child := options.get("values")) is None else _read_values(child)
    variants = options.get("variants")
    return PropertyFacts(
        path,
        node.location,
        rename=rename,
        move=move,
        not_same=(child := options.get("not_same")) is not None and child.true("not_same"),
        values=values if variants is None else {},
        wrap=(child := options.get("wrap")) is not None and child.true("wrap"),
        reference=reference,
        strategy=strategy,
        misfit=misfit,
        retyped=_read_retyped(options),
        variants=None if variants is None else _read_variants(variants, values),
        default=_read_default(options),
    )


def _read_rename(path: tuple[str, ...], node: Node) -> str | None:
    text = node.matching(
        "a new name", PROPERTY, "the wire name of one property (for a path use move)"
    )
    if text is None:
        return None
    name = split_path(text)[0]
    if (name,) == path:
        node.report(NO_EFFECT, f"{name} is renamed to itself", "remove it")
    return name


def _read_move(path: tuple[str, ...], node: Node) -> tuple[str, ...] | None:
    text = node.matching("move", PROPERTY_PATH, "a path of wire names")
    if text is None:
        return None
    target = split_path(text)
    if target == path:
        node.report(NO_EFFECT, f"{text} is moved to itself", "remove it")
    elif len(target) == len(path) == 1:
        node.report(
            CONTRADICTION,
            f"{join_path(path)} stays on its level, and move is for another level",
            f"write {{rename: {text}}}",
        )
    return target


def _read_values(node: Node) -> Mapping[str, str]:
    values: dict[str, str] = {}
    for old, child in node.members("values").items():
        new = child.text("a new value")
        if new == old:
            child.report(NO_EFFECT, f'the value "{old}" is mapped to itself', "remove it")
        elif new is not None:
            values[old] = new
    return values


def _read_retyped(options: Mapping[str, Node]) -> RetypedFacts | None:
    given = {key: options[key] for key in _FUNCTIONS if key in options}
    if not given:
        return None
    steps: dict[str, Step] = {
        key: Function(_read_function(child, key)) for key, child in given.items()
    }
    implicit = Implicit()
    return RetypedFacts(steps.get("upgrade_with", implicit), steps.get("downgrade_with", implicit))


def _read_default(options: Mapping[str, Node]) -> Function | Constant | None:
    if (child := options.get("default_with")) is not None:
        return Function(_read_function(child, "default_with"))
    if (child := options.get("default")) is None:
        return None
    if child.value is None:
        child.report(WRONG_TYPE, "without a default a property is absent", "remove default")
    return Constant(child.value)


def _read_function(node: Node, what: str) -> str:
    return node.matching(what, FUNCTION, "a function as package.module:name") or ""


def _read_variants(node: Node, names: Mapping[str, str]) -> VariantFacts:
    members = node.known_members("variants", VARIANT_KEYS)
    lone: dict[str, dict[str, Fallback]] = {"older": {}, "newer": {}}
    for side, child in members.items():
        for value, item in child.members(side).items():
            lone[side][value] = item.text("a value of the other version") or ""
    return VariantFacts(names, lone["older"], lone["newer"])


def _report_contradictions(what: str, options: Mapping[str, Node]) -> None:
    for (first, second), why in _CONTRADICTIONS.items():
        if first in options and second in options:
            options[second].report(
                CONTRADICTION,
                f"{what} has both {first} and {second}, and {why}",
                f"remove {first} or {second}",
            )
    if (strategy := options.get("strategy")) is not None and strategy.value == "stash":
        for key in ("rename", "move"):
            if key in options:
                strategy.report(
                    CONTRADICTION,
                    f"{what} has both {key} and strategy: stash, and stash keeps both sides apart",
                    f"remove {key} or strategy",
                )


def _report_shared_targets(
    members: Mapping[str, Node], properties: Iterable[PropertyFacts]
) -> None:
    """Two properties cannot have one partner: property-conversion contract, matching."""
    sources: dict[tuple[str, ...], str] = {}
    for facts in properties:
        target = facts.move if facts.rename is None else (facts.rename,)
        if target is None:
            continue
        key = join_path(facts.path)
        first = sources.setdefault(target, key)
        if first != key:
            members[key].report(
                LISTED_TWICE,
                f"{first} and {key} both go to {join_path(target)}",
                "leave one of them",
            )
