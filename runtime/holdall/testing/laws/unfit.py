"""Drawn bag entries that do not fit their declared type, marked as a conversion marks them."""

from __future__ import annotations

from typing import Any

from holdall.objects.bag import UNFIT_KEY, WHOLE_KEY
from holdall.plan.declared import declared_types
from holdall.plan.misfits import WHOLE, misfit_of
from holdall.plan.parse import StoredParser
from holdall.plan.plans import TypeRef
from holdall.types import JsonObject


class Unfit:
    """Knows the declared types of one group."""

    def __init__(self, package: str) -> None:
        self._types = declared_types(package)
        self._parser = StoredParser(self._types)

    def mark(self, entries: JsonObject, ref: TypeRef, name: str) -> None:
        """Mark the entry of a property, or the whole of a union, if it does not fit its type."""
        declared = self._types.types[ref]
        key = WHOLE if name == WHOLE_KEY else name
        marked: Any = {*entries.pop(UNFIT_KEY, ())} - {name}  # type: ignore[misc]
        if misfit_of(self._parser, declared, key, entries[name]) is not None:
            marked.add(name)
        if marked:
            entries[UNFIT_KEY] = sorted(marked)
