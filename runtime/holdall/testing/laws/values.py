"""What objects are made of: scalars, names and metadata that break code that looks right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from holdall.objects.bag import BAG_MEMBER, CREATED_KEY
from holdall.testing.laws.choices import Choices, Extremes, pick
from holdall.types import RANGES, JsonObject, JsonValue

METADATA: Final[tuple[JsonValue, ...]] = (
    {"name": "x"},
    {},
    {"name": "x", "annotations": {}},
    {"name": "x", "annotations": None},
    None,
    {"name": "x", "annotations": {"a": "b"}, "labels": {"ä": ""}},
    {"name": "x", "managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {}}}, {}]},
)
STRANGE_NAMES: Final = (
    "unknown",
    "propertyBag",
    "property_bag",
    "extra_",
    "größe",
    "self",
    "a/b~c",
    "$value",
    "$$value",
)
LONG: Final = "a long text, " * 24 + "with an end"
STRINGS: Final = (
    *("a", "", "unknown value", "80", "Zoë €𝄞", "null", "true", "a,b", " "),
    # Composed, decomposed, and what compatibility forms would change; then blanks, case, length.
    *("Zoe\u0308 \u2460\ufb01", " b\t", "Ab", LONG),
)
MEASURES: Final[Mapping[str, Sequence[str]]] = {
    "duration": (
        *("1m30s", "1h0m0s", "300ms", "90s", "0s", "0", "1.5h", "-1m30s", "+5s", "2.50s", "1ns"),
        *("60m0s", "1m soon", "2562047h47m16.854775807s", "3000000h", "1.5\u00b5s", "12us"),
    ),
    "quantity": (
        *("512Mi", "1Gi", "1.5Gi", "1024", "100m", "1500m", "0", "2k", "-1Mi", "1e3", "0.5", "5."),
        *("1E", "1n", "1536Ki", "8Ei", "512MB", "1G"),
    ),
}
"""Texts with a unit, by the lens that reads them."""
BIG: Final = 2**70
# Where integers of some width end, and those that a float can say.
_EDGES: Final = (2**31, 2**53, 2**63)
_AROUND: Final = tuple(
    sign * edge + more for edge in _EDGES for sign in (1, -1) for more in (-1, 1)
)
SCALARS: Final[Mapping[str, Sequence[JsonValue]]] = {
    "string": STRINGS,
    "integer": (1, 0, -1, 80, 2**31, -(2**63), BIG, 2.0, *_AROUND),
    "number": (0.5, 0, 2.0, 1, -1.25, 1e300, -0.0, 3.14159265358979, 2**53 + 1, 5e-324, -1e22),
    "boolean": (True, False),
}
PLAIN: Final[tuple[JsonValue, ...]] = ("text", 0, None, BIG, 1.5, "", True, False)
MAP_KEYS: Final = ("k", "Key", "", "é.f/g", *(f"k{number}" for number in range(60)))
EXTREMES: Final[Sequence[Mapping[str, Sequence[JsonValue]]]] = (
    {"string": ("Zoe\u0308 \u2460\ufb01",), "integer": (2**53 + 1,), "number": (3.14159265358979,)},
    {"string": (LONG,), "integer": (-(2**63) - 1,), "number": (2**53 + 1,)},
    {"string": (" B\t",), "integer": (0,), "number": (-0.0,), "boolean": (False,)},
)
FOREIGN_ORIGIN: Final = "v0retired"
FOREIGN_KEYS: Final = ("§foreign", "§other")
_ONCE: Final = 1_000_000


def scalar(choices: Choices, kind: str) -> JsonValue:
    """Return a value of a JSON kind; now and then one that hardly occurs a second time."""
    if isinstance(choices, Extremes) and choices.values.get(kind):
        return pick(choices, choices.values[kind])
    if kind != "boolean" and choices.rarely(5):
        number = choices.below(_ONCE)
        if kind == "string":
            return f"once {number}"
        return number if kind == "integer" else number + 0.25
    return pick(choices, SCALARS[kind])


def plain_json(choices: Choices, depth: int) -> JsonValue:
    """Return any JSON value."""
    if depth > 1 and choices.size() > 1:
        turn = 9 + choices.below(3)
    else:
        turn = choices.below(12 if depth else 8)
    if turn < 8:
        return PLAIN[turn]
    if turn == 8:
        return {}
    if turn == 9:
        return [plain_json(choices, depth - 1) for _ in range(choices.size())]
    keys = ("a", BAG_MEMBER, "ü", CREATED_KEY)[: choices.size()]
    return {key: plain_json(choices, depth - 1) for key in keys}


def foreign_entries(choices: Choices, versions: Sequence[str]) -> JsonObject:
    """Return entries that no edge knows: unknown origins, unknown keys of known ones."""
    known = pick(choices, versions)
    origins = choices.some([FOREIGN_ORIGIN, known], 2) or [FOREIGN_ORIGIN]
    return {
        origin: {key: plain_json(choices, 2) for key in FOREIGN_KEYS[: 1 + choices.below(2)]}
        for origin in origins
    }


def integer(choices: Choices, format: str) -> int:
    """Return an integer within the range of a format."""
    least, greatest = RANGES[format]
    if isinstance(choices, Extremes):
        extreme = [n for n in choices.values.get("integer", ()) if isinstance(n, int)]
        fitting = [number for number in extreme if least <= number <= greatest]
        if fitting:
            return pick(choices, fitting)
    if choices.rarely(5):
        return least + choices.below(min(_ONCE, greatest - least + 1))
    return pick(choices, _integers(least, greatest))


@cache
def _integers(least: int, greatest: int) -> tuple[int, ...]:
    """Return small and great integers of a range."""
    known = (item for item in SCALARS["integer"] if isinstance(item, int))
    found = dict.fromkeys((*known, greatest, least, greatest // 2))
    return tuple(item for item in found if least <= item <= greatest)
