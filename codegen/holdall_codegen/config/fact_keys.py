"""The keys of `between`: what is declared about types and properties, and what excludes what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from holdall.types import JsonObject
from holdall_codegen.config import names
from holdall_codegen.config.tables import Called, Form, Keys, More, Schema

Function: TypeAlias = Annotated[
    str, Form(names.FUNCTION, "an import path such as package.module:name")
]
NewName: TypeAlias = Annotated[
    str,
    Form(
        names.PROPERTY,
        "the wire name of one property, where ~1 is a slash and ~0 a tilde (for a path use move)",
    ),
    Called("a new name"),
]
HookedName: TypeAlias = Annotated[
    str,
    Form(names.PROPERTY, "the wire name of one property, where ~1 is a slash and ~0 a tilde"),
    Called("a name in $hook"),
]

DurationUnit: TypeAlias = Literal[
    "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"
]
QuantityUnit: TypeAlias = Literal[
    "n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"
]

_BY_STRATEGY: Final = "a strategy replaces every generated conversion"
_BY_FUNCTION: Final = "a function converts the whole value"
LENSES: Final = (
    "values",
    "wrap",
    "reference",
    "hides_zero",
    "duration",
    "unit",
    "keyed",
    "lenient",
)
FUNCTIONS: Final = ("upgrade_with", "downgrade_with")
ALONE: Final[Mapping[str, str]] = {
    "not_same": "not_same says that no partner exists",
    "default": "a property with a default has no partner",
    "default_with": "a property with a default has no partner",
}
"""Options that exclude all others, and why."""

EXCLUDED: Final[Mapping[tuple[str, str], str]] = {
    ("rename", "move"): "move gives the whole newer path, including the last name",
    ("values", "reference"): "values maps strings to strings, reference turns them into objects",
    ("duration", "unit"): "a string is either a duration or a quantity",
    (
        "variants",
        "reference",
    ): "variants maps strings to strings, reference turns them into objects",
    ("move", "strategy"): "a strategy is for whole properties",
    **{("strategy", key): _BY_STRATEGY for key in (*LENSES, "misfit", "variants", *FUNCTIONS)},
    **{(function, key): _BY_FUNCTION for function in FUNCTIONS for key in (*LENSES, "variants")},
}
"""Options that exclude each other, and why."""


class VariantKeys(Keys):
    __doc__ = """Values of a string that only one version knows, each with its replacement.

    older (none): Values that only the older version knows.
    newer (none): Values that only the newer version knows.
    """

    older: dict[str, Annotated[str, Called("a value of the other version")]] | None = None
    newer: dict[str, Annotated[str, Called("a value of the other version")]] | None = None


class PropertyKeys(Keys):
    __doc__ = """What is declared about one property.

    rename (none): The property's name in the newer version. Crossed renames (`a` to `b`, `b` to
        `a`) are legal.
    move (none): The path in the newer version, from the type's object, for a value that changes its
        nesting level.
    not_same (none): `true`: the property of the same name in the newer version means something
        else. The two are not paired.
    values (none): New names for values of a string: `{Basic: Base}`. Other values pass unchanged.
    wrap (none): `true`: a single value on one side is a list on the other.
    reference (none): A string on one side is an object on the other. The string is the value of
        this member.
    duration (none): A Go duration such as `1m30s` on one side is a number on the other, in this
        unit: `hours`, `minutes`, `seconds`, `milliseconds`, `microseconds` or `nanoseconds`.
    unit (none): A Kubernetes quantity such as `512Mi` on one side is a number on the other, in this
        unit: `n`, `u`, `m`, `""`, `k`, `M`, `G`, `T`, `P`, `E`, `Ki`, `Mi`, `Gi`, `Ti`, `Pi` or
        `Ei`.
    hides_zero (none): `older`, `newer` or `both`: the version that shows nothing where the other
        one has the zero value. That is `""`, `0`, `false`, `[]`, `{}`, or an object with nothing
        but empty texts and such objects in it. `nulls`: both versions show zero values, but hide a
        null that moves.
    keyed (none): A map on one side is a list of objects on the other. `name`: the key becomes this
        member, and all other members are the value. `name/value`: the second member is the value.
    lenient (none): `true`, beside `keyed`: keys and text values may be missing in the list, and
        then count as `""`. A key may occur several times; the map shows the last element.
    strategy (none): `hook`: generated code leaves the pair alone, and a hook must claim it in both
        directions. `stash`: each side is kept in the bag and never shown on the other, with a
        warning.
    misfit (`keep`): What happens to a value that the other side's type cannot hold: `keep` keeps it
        in the bag, `error` refuses the object. Beside functions, `misfit: keep` also keeps a value
        for which a function raises.
    upgrade_with (none): A function, as `package.module:name`, that makes the newer value from the
        older one.
    downgrade_with (none): The same in the other direction. If one of the two is missing, the types
        must convert without it.
    variants (none): Values of a string that only one version knows, below `older` or `newer`, each
        with its replacement in the other version. The bag brings the original back.
    default (absent): The value of a property that only one of the two versions has, if the bag
        keeps none.
    default_with (absent): The same, from a function without arguments.
    """

    rename: NewName | None = None
    move: Annotated[str, Form(names.PROPERTY_PATH, "a path of wire names")] | None = None
    not_same: Literal[True] | None = None
    values: dict[str, Annotated[str, Called("a new value")]] | None = None
    wrap: Literal[True] | None = None
    reference: Annotated[str, Form(names.PROPERTY, "the name of one member")] | None = None
    duration: DurationUnit | None = None
    unit: QuantityUnit | None = None
    hides_zero: Literal["older", "newer", "both", "nulls"] | None = None
    keyed: (
        Annotated[str, Form(names.KEYED, "one member, or two different ones as key/value")] | None
    ) = None
    lenient: Literal[True] | None = None
    strategy: Literal["stash", "hook"] | None = None
    misfit: Literal["keep", "error"] = "keep"
    upgrade_with: Function | None = None
    downgrade_with: Function | None = None
    variants: Annotated[VariantKeys, Called("variants")] | None = None
    default: Annotated[
        Any, Schema({"type": ["boolean", "number", "string", "array", "object"]})
    ] = None
    default_with: Function | None = None

    more: ClassVar[More] = {
        "dependentSchemas": {
            **{key: {"maxProperties": 1} for key in ALONE},
            **{
                first: {"not": {"anyOf": [{"required": [b]} for a, b in EXCLUDED if a == first]}}
                for first in dict.fromkeys(first for first, _ in EXCLUDED)
            },
        },
        "if": {"required": ["strategy"], "properties": {"strategy": {"const": "stash"}}},
        "then": {"not": {"required": ["rename"]}},
    }


_PROPERTY: Final[JsonObject] = {"$ref": "#/$defs/property"}


class ZeroKeys(Keys):
    __doc__ = """Properties whose zero value one version does not show: `hides_zero` for each of
    them.

    older (none): Those whose zero value the older version does not show.
    newer (none): Those whose zero value the newer version does not show.
    both (none): Those whose zero value each version shows only where it was written.
    """

    older: list[HookedName] | None = None
    newer: list[HookedName] | None = None
    both: list[HookedName] | None = None


class TypeKeys(
    Keys,
    rename={"newer": "$type", "skip": "$skip", "hook": "$hook", "hides_zero": "$hides_zero"},
):
    """What is declared about the properties of one type, by wire name.

    $type (none): The name of a kind's root type in the newer version, if the kind was renamed.
        Nested types do not need this: they are paired by the properties that hold them.
    $skip (none): `true`: no conversion is generated between the two shapes of the type. A hook
        converts every property.
    $hook (none): A list of properties that a hook converts: short for `{strategy: hook}` on each of
        them.
    $hides_zero (none): Lists of properties below `older`, `newer` and `both`: short for
        `hides_zero` on each of them.
    """

    newer: Annotated[str, Form(names.TYPE_NAME, "a type name")] | None = None
    skip: Literal[True] | None = None
    hook: list[HookedName] | None = None
    hides_zero: ZeroKeys | None = None

    within: ClassVar[type[Keys] | None] = PropertyKeys

    more: ClassVar[More] = {
        "patternProperties": {
            rf"^(?!\$(?:type|skip|hook|hides_zero)$)(?:{names.PROPERTY.pattern})$": {
                "if": {"type": "string"},
                "then": {"pattern": f"^(?:{names.PROPERTY.pattern})$"},
                "else": {
                    **_PROPERTY,
                    "properties": {"move": {"description": "Another level.", "pattern": "/"}},
                },
            },
            f"^(?!{names.PROPERTY.pattern}$)(?:{names.PROPERTY_PATH.pattern})$": {
                **_PROPERTY,
                "required": ["move"],
            },
        },
        "dependentSchemas": {"$skip": {"propertyNames": {"enum": ["$skip", "$type"]}}},
    }
