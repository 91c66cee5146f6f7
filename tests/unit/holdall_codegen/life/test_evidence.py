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
from tests.support.projects import build_project

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
