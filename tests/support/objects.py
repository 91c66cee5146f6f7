"""Objects as clients write them, for tests."""

from __future__ import annotations

from typing import Any


def resource(
    api_version: str, kind: str, name: str = "", namespace: str = "", **members: Any
) -> dict[str, Any]:
    """Return an object; with a name it has metadata, unless they are among the members."""
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    head = {"apiVersion": api_version, "kind": kind}
    return {**head, **({"metadata": metadata} if name else {}), **members}
