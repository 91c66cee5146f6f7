"""What another converter left in stored objects: read once, and replaced by the bag.

A converter that holdall takes the place of may have kept whole objects, in the storage version, in
an annotation. Converting such an object down gives the bag that holdall would have written then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from holdall.carriers.annotations import ANNOTATIONS
from holdall.errors import ConversionError, DecodeError
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, is_json_object


class WayBack(Protocol):
    """The route from the storage version to the one of a document."""

    source: str
    source_kind: str

    def convert(self, document: JsonObject) -> JsonObject:
        """Return a document of the storage version in the other one."""
        ...


class Earlier:
    """Takes an annotation out of documents; `plan_back` plans the way from the storage version."""

    def __init__(self, annotation: str, plan_back: Callable[[], WayBack]) -> None:
        self._annotation, self._plan_back = annotation, plan_back
        self._needle = annotation.encode()

    def replace(self, document: JsonObject) -> None:
        """Replace the annotation by a bag, unless there is one already.

        Raises ConversionError if the annotation cannot be read.
        """
        sealed = document.get("metadata")
        if _json.is_sealed(sealed) and self._needle not in _json.encode(sealed):
            return
        metadata: Any = _json.unseal(sealed)
        annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
        if not isinstance(annotations, dict) or self._annotation not in annotations:
            return
        rest = {name: text for name, text in annotations.items() if name != self._annotation}
        document["metadata"] = metadata = {**metadata, "annotations": rest}
        if not rest:
            del metadata["annotations"]
        if not rest.keys().isdisjoint(ANNOTATIONS.values()):
            return
        kept = self._read(annotations[self._annotation])
        route = self._plan_back()
        head: JsonObject = {"apiVersion": route.source, "kind": route.source_kind}
        older = route.convert({**kept, **head, "metadata": _json.copy(metadata)})
        document["metadata"] = older["metadata"]

    def _read(self, text: Any) -> JsonObject:
        path = join("/metadata/annotations", self._annotation)
        try:
            kept = _json.decode(text.encode()) if isinstance(text, str) else None
        except DecodeError as error:
            raise ConversionError(
                f"what another converter kept is not JSON: {error}", path=path
            ) from error
        if not is_json_object(kept):
            raise ConversionError("what another converter kept is not an object", path=path)
        return kept
