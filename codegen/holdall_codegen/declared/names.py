"""Names that follow from a declaration: kinds, plurals, JSON names, generated types.

Source: docs/declared.md, "Classes".
"""

from __future__ import annotations

from typing import Final

from holdall_codegen.declared.grammar import parse_version
from holdall_codegen.declared.model import Form

SPEC_SUFFIX: Final = "Spec"
IMPORTED_NAMES: Final = frozenset(
    """
    Any ClassVar Final Literal Protocol SCHEME TypeAlias TYPE_CHECKING abstractmethod collections
    dataclass field h overload storage bool dict float int list str
    """.split()  # noqa: SIM905 - a list of names
)
"""Names that generated modules of versions use, which a class must not hide."""
KIND_NAMES: Final = IMPORTED_NAMES | frozenset(
    """
    Converts DeclaredKind KindVersion MergesCrd NotImplementedError TriesConversions TypeVar Unpack
    """.split()  # noqa: SIM905 - as above
)
"""More names that the generated module of kinds uses, which a kind must not hide."""
DEPRECATION_PREFIXES: Final[dict[Form, str]] = {"object": "deprecated_", "union": "Deprecated"}


def kind_of(class_name: str) -> str:
    """Return the kind of a resource class: its name without one `Spec` at the end."""
    return class_name.removesuffix(SPEC_SUFFIX)


def plural_of(singular: str) -> str:
    """Return the plural of a lower-case word: `foos`, `boxes`, `policies`, `days`."""
    if singular.endswith(("s", "x", "z", "ch", "sh")):
        return singular + "es"
    if len(singular) > 1 and singular[-1] == "y" and singular[-2] not in "aeiou":
        return singular[:-1] + "ies"
    return singular + "s"


def camel_case(name: str, form: Form) -> str:
    """Apply `rename_all="camelCase"` to the name of a field or a variant."""
    if form == "object":
        name = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return name[:1].lower() + name[1:]


def has_deprecation_prefix(name: str, form: Form) -> bool:
    """Tell whether a name has the prefix of deprecated items, and more."""
    prefix = DEPRECATION_PREFIXES[form]
    return name.startswith(prefix) and len(name) > len(prefix)


def version_enum_member(version: str) -> str:
    """Return the member of the version enum: `V1Alpha1` of `v1alpha1`."""
    return parse_version(version).enum_member


def tracked_status(kind: str) -> str:
    """Return the name of the status type that holds `changedValues` too."""
    return f"{kind}StatusWithChangedValues"


def generated_names(kind: str, *, tracking: bool) -> dict[str, str]:
    """Return the names of all generated types of a kind, each with a description."""
    names = {
        kind: "the kind",
        f"Any{kind}": "the union of its versions",
        f"{kind}Version": "its version enum",
    }
    if tracking:
        names[tracked_status(kind)] = "its status with tracked values"
    return names
