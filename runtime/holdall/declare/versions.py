"""The versions of a declaration, and its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal

from holdall.declare.calls import Call


class Skip(StrEnum):
    """What is not generated.

    FROM: converters of specs. OBJECT_FROM: converters of whole objects. MERGED_CRD: `merged_crd`.
    TRY_CONVERT: `try_convert`.
    """

    FROM = "from"
    OBJECT_FROM = "object_from"
    MERGED_CRD = "merged_crd"
    TRY_CONVERT = "try_convert"


class Version(Call):
    """One version. `skip` (FROM, OBJECT_FROM) is about the edge between it and the next version.

    `deprecated` is True or a note, `doc` precedes the documentation of every class, and `reexport`
    names what the version's module re-exports: `"pkg.mod"` is all of a module, `"pkg.mod:Name"` or
    `"pkg.mod:Name as Other"` one name, `"pkg.mod as Other"` the module itself.
    """

    def __init__(
        self,
        name: str,
        *,
        deprecated: bool | str = False,
        doc: str = "",
        served: bool = True,
        skip: Sequence[Skip] = (),
        reexport: Sequence[str] = (),
    ) -> None:
        pass


class Tracking(Call):
    """How values are kept that a version cannot hold.

    `entries="all"` also writes what converting back would reproduce.
    """

    def __init__(
        self,
        *,
        entries: Literal["needed", "all"] = "needed",
        track: Sequence[Literal["added", "changed", "removed", "variants"]] = (
            "added",
            "changed",
            "removed",
            "variants",
        ),
        carrier: Literal["status", "annotation", "bag"] = "status",
        on_bad_value: Literal["error", "tolerant"] = "error",
    ) -> None:
        pass


class Versions(Call):
    """All versions of a module, oldest first, and its options.

    `allow_unsorted` accepts any order of versions and changes. `preserve_module` keeps the name of
    the declaration in the package of each version. `imports` replaces import paths in generated
    code. `reexport` has the `reexport` of each `Version`, by version. `rename_all` is the default
    of the classes.
    """

    def __init__(
        self,
        *versions: Version,
        allow_unsorted: bool = False,
        preserve_module: bool = False,
        tracking: Tracking | None = None,
        tracing: bool = False,
        unconvertible: Literal["warn", "error"] = "warn",
        imports: Mapping[str, str] | None = None,
        skip: Sequence[Skip] = (),
        reexport: Mapping[str, Sequence[str]] | None = None,
        rename_all: Literal["camelCase"] | None = None,
    ) -> None:
        pass
