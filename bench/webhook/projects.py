"""Projects for the benchmarks of the webhook, generated into a folder."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from bench.specimen import account
from holdall_codegen.project import emit_project, load_project
from tests.support.crds import crd_of, struct


def review_of(count: int, desired: str = "v2") -> bytes:
    """Return a review of some of the specimen's accounts at v1, as an API server sends it."""
    review = {
        "kind": "ConversionReview",
        "apiVersion": "apiextensions.k8s.io/v1",
        "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
            "desiredAPIVersion": f"bench.example.com/{desired}",
            "objects": [account()] * count,
        },
        "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
    }
    return json.dumps(review, separators=(",", ":")).encode()


def build_many(root: Path, count: int) -> Path:
    """Generate a project with many kinds in two versions, each with a spec of six properties."""
    names = [f"Kind{number:03}" for number in range(count)]
    lines = ["groups:", "  many:", "    sources:", "      - crds: schemas/kinds.json"]
    files = {
        "holdall.yaml": "\n".join([*lines, "    versions: [v1, v2]", ""]),
        "schemas/kinds.json": json.dumps(
            {
                "apiVersion": "v1",
                "kind": "List",
                "items": [_crd(name) for name in names],
            }
        ),
        "hooks/__init__.py": "",
    }
    _write(root, files)
    _write(root, emit_project(load_project(root)))
    return root


def _crd(kind: str) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "string"}
    spec: dict[str, Any] = {
        "type": "object",
        "properties": {
            "host": text,
            "port": {"type": "integer"},
            "labels": {"type": "object", "additionalProperties": text},
            "zones": {"type": "array", "items": text},
            "enabled": {"type": "boolean"},
            "mode": text,
        },
    }
    newer = copy.deepcopy(spec)
    newer["properties"]["tier"] = text
    del newer["properties"]["mode"]
    schemas = {
        version: struct(metadata={"type": "object"}, spec=shape)
        for version, shape in (("v1", spec), ("v2", newer))
    }
    return crd_of(kind, schemas, group="many.example.com")


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
