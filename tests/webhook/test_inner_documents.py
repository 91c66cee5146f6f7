"""Inner documents through `holdall serve`: reviews convert them, and no check finds fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from holdall.kubernetes.conform import Endpoint, Trial, read_kinds, run_checks
from holdall.kubernetes.conform.run import select_checks
from holdall.text import yaml
from tests.support.crds import crd_of, struct
from tests.support.projects import build_project
from tests.support.reviews import body_of, converted
from tests.support.serving import serving

KEY = "parts.example.com/list"
STREAM = """\
---
apiVersion: shop.example.com/v1  # as of old
kind: Part
spec: {size: 2, color: red}
---
apiVersion: shop.example.com/v2
kind: Part
spec: {size: 3, shade: 4}
--- # not ours
kind: Other
"""


def crd(kind: str, **members: dict[str, Any]) -> dict[str, Any]:
    schemas = {
        name: struct(spec=struct(size={"type": "integer"}, **members[own]))
        for name, own in (("v1", "old"), ("v2", "new"))
    }
    return crd_of(kind, schemas, group="shop.example.com")


CONFIG = f"""
groups:
  shop:
    sources: [{{crds: crds/*.json}}]
    versions: [v1, v2]
    inner_documents:
      - {{in: [Shelf], annotation: {KEY}}}
      - {{in: [Shelf], path: spec/part, format: json}}
"""
TEXT = {"part": {"type": "string"}}
FILES = {
    "crds/parts.json": json.dumps(
        crd("Part", old={"color": {"type": "string"}}, new={"shade": {"type": "integer"}})
    ),
    "crds/shelves.json": json.dumps(crd("Shelf", old=TEXT, new=TEXT)),
}
PART = {"apiVersion": "shop.example.com/v1", "kind": "Part", "spec": {"size": 1, "color": "blue"}}
SHELF = {
    "apiVersion": "shop.example.com/v1",
    "kind": "Shelf",
    "metadata": {"name": "s", "namespace": "n", "uid": "u", "annotations": {KEY: STREAM}},
    "spec": {"size": 1, "part": json.dumps(PART)},
}
LAWS = {f"WC-{number}" for number in (*range(30, 39), *range(51, 62))}


def test_reviews_and_conform(tmp_path: Path) -> None:
    """There and back over HTTP is the same; no check of the contract finds fault."""
    project = build_project(tmp_path / "project", CONFIG, FILES)
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects/shelf.json").write_text(json.dumps(SHELF))
    with serving(project, tmp_path / "served") as served:

        def convert(document: dict[str, Any], version: str) -> dict[str, Any]:
            sent = body_of([document], f"shop.example.com/{version}")
            status, body = served.ask("POST", "/convert", sent)
            assert status == 200
            found: dict[str, Any] = converted(body)[0]
            return found

        there = convert(SHELF, "v2")
        texts = yaml.load_all(there["metadata"]["annotations"][KEY], "")
        versions: list[Any] = [text.value for text in texts]
        assert [item.get("apiVersion", "").rpartition("/")[2] for item in versions] == [
            "v2",
            "v2",
            "",
        ]
        assert json.loads(there["spec"]["part"])["spec"] == {"size": 1}
        assert convert(there, "v1") == SHELF
        endpoint = Endpoint.of(
            f"https://127.0.0.1:{served.port}/convert", ca=str(served.folder / "ca.crt")
        )
        kinds = read_kinds([project / "crds"], [tmp_path / "objects"])
        verdicts = run_checks(Trial(endpoint, kinds), select_checks(LAWS))
        assert [(item.id, item.reason) for item in verdicts if item.outcome == "fail"] == []
        assert sum(item.outcome == "pass" for item in verdicts) > 12
