"""What an earlier converter kept in stored objects: read once, and replaced by the bag.

A converter that holdall replaces may have kept whole objects, in the storage version, in an
annotation. Converting such an object down gives the bags that holdall would have written. They come
from no carrier, so none needs room for them.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any, Final, Protocol

from holdall.carriers.annotations import ANNOTATIONS
from holdall.carriers.boundary import Load
from holdall.errors import ConversionError, DecodeError
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, is_json_object, members

_BAGS: Final = frozenset(ANNOTATIONS.values())


class Way(Protocol):
    """The route between the version of a document and the storage version."""

    source: str
    source_kind: str

    def convert(self, document: JsonObject) -> JsonObject:
        """Return a document of one version in the other one."""
        ...

    def bags_of(self, document: JsonObject) -> Load | None:
        """Return the bags that a document has once it is converted, whatever carries them."""
        ...


class Earlier:
    """Takes an annotation out of documents; the routes to and from its version are planned late.

    The object's metadata in that version is the live metadata, converted.
    """

    def __init__(
        self, annotation: str, plan_there: Callable[[], Way], plan_back: Callable[[], Way]
    ) -> None:
        self._annotation, self._plan_there, self._plan_back = annotation, plan_there, plan_back
        self._needle = annotation.encode()

    def take(self, document: JsonObject) -> tuple[Any, ...]:
        """Take the annotation out of a document; return its value, as a tuple of none or one."""
        sealed = document.get("metadata")
        if _json.is_sealed(sealed) and self._needle not in _json.encode(sealed):
            return ()
        metadata: Any = _json.unseal(sealed)
        annotations = members(metadata, "annotations")
        if self._annotation not in annotations:
            return ()
        document["metadata"] = _without(metadata, {self._annotation})
        return (annotations[self._annotation],)

    def load(self, said: Any, document: JsonObject) -> Load | None:
        """Return the bags that a document would have, given the value of its annotation.

        Raises ConversionError if it cannot be read.
        """
        kept = self._read(said)
        route = self._plan_back()
        head: JsonObject = {"apiVersion": route.source, "kind": route.source_kind}
        newer = self._plan_there().convert(_json.copy(document))
        try:
            return route.bags_of({**kept, **head, "metadata": _without(newer["metadata"], _BAGS)})
        except ConversionError as error:
            where = error.path or "/"
            raise self._wrong(f"cannot be converted: {where}: {error.rule}") from error

    def _read(self, text: Any) -> JsonObject:
        try:
            kept = _json.decode(text.encode()) if isinstance(text, str) else None
        except DecodeError as error:
            raise self._wrong(f"is not JSON: {error}") from error
        if not is_json_object(kept):
            raise self._wrong("is not an object")
        return kept

    def _wrong(self, what: str) -> ConversionError:
        path = join("/metadata/annotations", self._annotation)
        return ConversionError(f"what another converter kept {what}", path=path)


def _without(metadata: Any, names: AbstractSet[str]) -> Any:
    """Return metadata without some annotations, and without `annotations` if none is left."""
    annotations = metadata.get("annotations")
    if not isinstance(annotations, dict) or annotations.keys().isdisjoint(names):
        return metadata
    rest = {name: text for name, text in annotations.items() if name not in names}
    if rest:
        return {**metadata, "annotations": rest}
    return {name: value for name, value in metadata.items() if name != "annotations"}
