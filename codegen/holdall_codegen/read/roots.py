"""The root schemas that sources declare: one per kind and version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from holdall.types import JsonValue, get, is_json_object
from holdall_codegen.read.nodes import Node

_V1BETA1: Final = "apiextensions.k8s.io/v1beta1"


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """The root schema of one kind in one version, and what its source says beside it.

    `api_group` is None where the source does not name one; `crd` is the whole CRD document.
    """

    kind: str
    version: str
    node: Node
    api_group: str | None = None
    plural: str = ""
    deprecated: str = ""
    crd: JsonValue = None

    @property
    def is_pruned(self) -> bool:
        """Whether an API server removes what the schema does not declare."""
        if not is_json_object(self.crd):
            return False
        keeps = get(self.crd, "spec", "preserveUnknownFields")
        # The default of v1beta1 was to keep all.
        return keeps is False if self.crd.get("apiVersion") == _V1BETA1 else keeps is not True
