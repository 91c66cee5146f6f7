"""Python names for wire names: attributes, modules, enum members, constants."""

from __future__ import annotations

import keyword
import re
from collections.abc import Container, Iterable, Mapping
from functools import cache

# Names that a class attribute must not hide: what generated modules import, and every attribute
# and method of the runtime's base classes. A property of this name is renamed.
_MODULE_NAMES = frozenset(
    {"h", "abstractmethod", "dataclass", "field", "storage", "SCHEME"}
    | {"Any", "ClassVar", "Final", "Protocol"}
)
# Names of parameters and variables in generated functions: they must not hide the module of a
# version, which the functions use.
_LOCALS = frozenset(
    """
    bag cls destination get hook item known lifted members moved new old rest self source stored
    this value way
    """.split()  # noqa: SIM905 - a list of names, and nothing else
)
_METHODS = frozenset(
    """
    assign_properties_from assign_properties_to API_VERSION KIND close_wire
    dataclass_json_config extra_ from_dict from_json open_wire original_version property_bag
    read_members schema to_dict to_json write_members adopt_ crossings_ declared_
    is_converted_alone_ lineage_ members_ replace_ settle_ settled_ view_
    """.split()  # noqa: SIM905 - a list of names, and nothing else
)
# Written out: `builtins` differs between interpreters, but output must not.
_BUILTINS = frozenset(
    """
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod
    compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter
    float format frozenset getattr globals hasattr hash help hex id input int isinstance
    issubclass iter len license list locals map max memoryview min next object oct open ord pow
    print property quit range repr reversed round set setattr slice sorted staticmethod str sum
    super tuple type vars zip
    """.split()  # noqa: SIM905 - seventy quoted names would hide what the list is
)
_RESERVED = _BUILTINS | frozenset(keyword.kwlist) | _MODULE_NAMES | _METHODS

_ACRONYM = re.compile(r"([A-Z]+)([A-Z][a-z])")
_BOUNDARY = re.compile(r"([a-z0-9])([A-Z])")
_NO_WORD = re.compile(r"[^0-9A-Za-z_]+")


@cache
def snake_case(name: str) -> str:
    """Return a wire name in snake_case, acronyms in one piece: `hostIPs` gives `host_ips`."""
    text = re.sub(r"([A-Z]{2,})s(?=$|[A-Z_])", lambda found: found[1].capitalize() + "s", name)
    text = _BOUNDARY.sub(r"\1_\2", _ACRONYM.sub(r"\1_\2", text))
    text = _NO_WORD.sub("_", text).strip("_").lower()
    if not text:
        return "member"
    return f"n{text}" if text[0].isdigit() else text


def attribute_names(names: Iterable[str], reserved: Iterable[str] = ()) -> dict[str, str]:
    """Return the attribute of every wire name of one type.

    A name that is a valid attribute keeps it; the others take free ones in code-point order, with
    underscores appended.
    """
    ordered = sorted(names, key=lambda name: (snake_case(name) != name, name))
    return _distinct({name: snake_case(name) for name in ordered}, {*_RESERVED, *reserved})


def free_name(wanted: str, taken: Container[str]) -> str:
    """Return `wanted`, with underscores appended until it is free."""
    while wanted in taken:
        wanted += "_"
    return wanted


def _distinct(wanted: Mapping[str, str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a free name for each key, in their order."""
    known = {*taken}
    found: dict[str, str] = {}
    for key, name in wanted.items():
        found[key] = free_name(name, known)
        known.add(found[key])
    return found


def module_names(versions: Iterable[str]) -> dict[str, str]:
    """Return the module name of every version."""
    return _distinct({version: _module_name(version) for version in versions})


def _module_name(version: str) -> str:
    name = _NO_WORD.sub("_", version).strip("_").lower() or "version"
    name = f"v{name}" if name[0].isdigit() else name
    is_used = keyword.iskeyword(name) or name in _MODULE_NAMES | _BUILTINS | _LOCALS
    return f"{name}_" if is_used else name


def enum_members(modules: Mapping[str, str]) -> dict[str, str]:
    """Return the member of the version enum for every version, by the modules of all versions."""
    return _distinct({version: name.rstrip("_").upper() for version, name in modules.items()})


def constant_names(values: Iterable[str]) -> dict[str, str]:
    """Return the constant of every enum value: `ReadOnly` gives `READ_ONLY`."""
    return _distinct({value: _constant_name(value) for value in values})


def _constant_name(value: str) -> str:
    name = snake_case(value).upper() if value else "EMPTY"
    if value and name == "MEMBER" and not re.search(r"[0-9A-Za-z]", value):
        return "VALUE_" + "_".join(f"{ord(letter):X}" for letter in value)
    return name


def natural(name: str) -> list[tuple[int, str]]:
    """Return the key that sorts names with their numbers as numbers: v2 before v10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
