"""The root schemas that sources declare: one per kind and version."""

from __future__ import annotations

from dataclasses import dataclass

from holdall.types import JsonValue
from holdall_codegen.read.nodes import Node


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
