"""What says that a version is in use, among documents that say their version themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.text.documents import Document
from holdall.text.streams import require_objects
from holdall_codegen.life.evidence import uses_of
from holdall_codegen.plan.model import GroupPlan
from holdall_codegen.project import load_project
from tests.support.plain_documents import CONFIG, FILES
from tests.support.projects import build_project, config_of, scheme_of

ORDER = {"type": "Order", "id": "a"}
BAG = {"metadata": {"$propertyBag": {"v1": {"clerk": "Eve"}}}}


def uses_in(documents: list[Any], plan: GroupPlan) -> list[str]:
    """Return what of the documents uses v1."""
    objects = require_objects([Document(value, "a.json", 1) for value in documents])
    return [use for _, use in uses_of(objects, plan, "v1")]


@pytest.mark.parametrize(
    ("document", "uses"),
    [
        (ORDER, ["Order is of this version"]),
        ({**ORDER, "schemaVersion": 2}, []),
        (
            {**ORDER, "schemaVersion": 3, **BAG},
            ["Order holds entries of it in its bag: /metadata/clerk"],
        ),
        ({**ORDER, "schemaVersion": 9}, []),
        ({**ORDER, "type": "Other"}, []),
        ({"apiVersion": "v1", "kind": "Order"}, []),
    ],
)
def test_documents(tmp_path: Path, document: dict[str, Any], uses: list[str]) -> None:
    (plan,) = load_project(build_project(tmp_path, CONFIG, FILES)).plans.values()
    assert uses_in([json.loads(json.dumps(document))], plan) == uses


def test_plain_groups(tmp_path: Path) -> None:
    """Where they say apiVersion and kind, that is looked at; not what others call by that."""
    config = CONFIG.replace(
        "    version_at: {member: schemaVersion, default: v1, kind_at: type}\n", ""
    )
    (plan,) = load_project(build_project(tmp_path, config, FILES)).plans.values()
    documents = [{"apiVersion": "v1", "kind": kind, "id": "a"} for kind in ("Order", "Pod")]
    assert uses_in(documents, plan) == ["Order is of this version"]


MOVED = config_of(
    "Parcel",
    group="post.example.com",
    more="between: {v1 -> v2: {ParcelSpec: {street: {move: to/street}}}}",
)
SCHEMA = "type: object\nproperties: {{spec: {{type: object, properties: {{{}}}}}}}\n"
MOVED_FILES = {
    "v1.yaml": SCHEMA.format("street: {type: string}, stamp: {type: string}"),
    "v2.yaml": SCHEMA.format("to: {type: object, properties: {street: {type: string}}}"),
}


@pytest.mark.parametrize(
    ("spec", "uses"),
    [
        ({"street": "a"}, []),
        (
            {"street": "a", "stamp": "blue"},
            ["Parcel holds entries of it in its bag: /spec/stamp"],
        ),
    ],
)
def test_marks_hold_nothing_up(tmp_path: Path, spec: dict[str, Any], uses: list[str]) -> None:
    """That a move made an object matters to the version without it, and ends with that."""
    root = build_project(tmp_path, MOVED, MOVED_FILES)
    old = {"apiVersion": "post.example.com/v1", "kind": "Parcel", "spec": spec, "metadata": {}}
    new = scheme_of(root).convert(old, to="v2")
    assert "$created" in json.dumps(new)
    (plan,) = load_project(root).plans.values()
    assert uses_in([new], plan) == uses


@pytest.mark.parametrize(
    ("place", "text", "uses"),
    [
        (
            "data",
            '{"apiVersion":"post/v1","kind":"Parcel","name":"b"}',
            ["Parcel b is of this version"],
        ),
        ("data", '{"apiVersion":"post.example.com/v2","kind":"Parcel"}', []),
        ("data", '{"apiVersion":"other.example.com/v1","kind":"Parcel"}', []),
        ("data", "[1]", []),
        ("data", "{", []),
        ("note", "a: [", []),
        ("note", "kind: Parcel\napiVersion: post.example.com/v1\n", ["Parcel is of this version"]),
        (
            "note",
            "apiVersion: post.example.com/v2\nkind: Parcel\n---\napiVersion: post.example.com/v2\n"
            "kind: Parcel\nspec: {$propertyBag: {v1: {stamp: blue}}}\n",
            ["Parcel holds entries of it in its bag: /spec/stamp"],
        ),
    ],
)
def test_documents_as_text(tmp_path: Path, place: str, text: str, uses: list[str]) -> None:
    """Without the version they could not be read any more either; whoever holds them."""
    config = f"""{MOVED}
    inner_documents:
      - {{in: [v1/ConfigMap], path: data/parcel, format: json, folded: true, aliases: [post]}}
      - {{in: [v1/ConfigMap, Parcel], annotation: note}}
"""
    (plan,) = load_project(build_project(tmp_path, config, MOVED_FILES)).plans.values()
    held = {"metadata": {"name": "a", "annotations": {"note": text}}, "data": {"parcel": text}}
    names = [{"apiVersion": "v1", "kind": "ConfigMap"}]
    if place == "note":
        held["data"] = {}
        names.append({"apiVersion": "post.example.com/v2", "kind": "Parcel"})
    else:
        held["metadata"] = {"name": "a"}
    for head in names:
        found = uses_in([{**head, **held}], plan)
        assert found == [f"{head['kind']} a has as text: {use}" for use in uses]
