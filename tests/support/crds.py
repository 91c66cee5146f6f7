"""CRDs for tests and benchmarks, from the schemas of their versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def struct(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with these properties."""
    return {"type": "object", "properties": properties}


def crd_of(
    kind: str,
    schemas: Mapping[str, Any],
    *,
    group: str = "example.com",
    stored: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return a namespaced CRD; `schemas` has the whole schema of each version by its name.

    All versions are served. The last one is stored, or the one that is named; each has the members
    `more`, too.
    """
    plural = kind.lower() + ("es" if kind.endswith("x") else "s")
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": kind.lower(),
            },
            "versions": [
                {
                    "name": name,
                    "served": True,
                    "storage": name == (stored or list(schemas)[-1]),
                    **more,
                    "schema": {"openAPIV3Schema": schema},
                }
                for name, schema in schemas.items()
            ],
        },
    }
