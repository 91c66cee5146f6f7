"""Objects of files: what is none is told with its place, what no API server sends is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import SourceError
from holdall.kubernetes.conform.subjects import read_subjects
from tests.support.objects import resource
from tests.support.reference_webhook import CRD, GROUP


@pytest.fixture
def crds(tmp_path: Path) -> list[Path]:
    """The CRD, in a list as API servers print it: without the names of its items."""
    item = {key: value for key, value in CRD.items() if key not in ("apiVersion", "kind")}
    listed = resource("apiextensions.k8s.io/v1", "CustomResourceDefinitionList", items=[item])
    (tmp_path / "crds.json").write_text(json.dumps(listed))
    return [tmp_path / "crds.json"]


def widget(**members: Any) -> dict[str, Any]:
    metadata = {"name": "a", **members.pop("metadata", {})}
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": metadata, **members}


def read(crds: list[Path], tmp_path: Path, *objects: Any) -> Any:
    file = tmp_path / "objects.json"
    file.write_text("\n".join(map(json.dumps, objects)))
    return read_subjects(crds, [file])


def test_objects_of_lists_count(crds: list[Path], tmp_path: Path) -> None:
    """In `List` and in `WidgetList`, whose items may leave out their names."""
    bare = {"metadata": {"name": "b"}}
    found = read(
        crds,
        tmp_path,
        {"apiVersion": "v1", "kind": "List", "items": [widget()]},
        {"apiVersion": f"{GROUP}/v1", "kind": "WidgetList", "items": [bare]},
    )
    [kind] = found.kinds
    assert [item["metadata"]["name"] for item in kind.samples] == ["a", "b"]
    assert kind.samples[0]["metadata"]["namespace"] == "default"


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        ({"apiVersion": f"{GROUP}/v1", "kind": "Widget"}, "/metadata/name: is not a lower-case"),
        (widget(metadata={"name": None}), "/metadata/name: is not a lower-case"),
        (widget(metadata={"name": "Not A Name"}), "/metadata/name: is not a lower-case"),
        (widget(metadata={"namespace": 5}), "/metadata/namespace: is not a lower-case"),
        (widget(metadata={"labels": {"a": 1}}), "metadata.labels[a] must be a string"),
        (widget(metadata={"annotations": {"ä": ""}}), "metadata.annotation: Invalid value"),
        (widget(spec={"size": "large"}), "/spec/size: string instead of integer"),
        (widget(spec=None), "/spec: null instead of object"),
    ],
)
def test_what_an_api_server_refuses_is_left_out(
    crds: list[Path], tmp_path: Path, obj: Any, text: str
) -> None:
    """With its place; the other objects are used."""
    found = read(crds, tmp_path, obj, widget())
    [problem] = found.refused
    assert problem.code == "HA804"
    assert problem.where.endswith("objects.json:1:1")
    assert text in problem.message
    assert len(found.kinds[0].samples) == 1


@pytest.mark.parametrize(
    ("document", "where"),
    [(5, "objects.json:1:1"), ({"apiVersion": "v1", "kind": "List", "items": [7]}, "json:1:48")],
)
def test_what_is_no_object_is_told(
    crds: list[Path], tmp_path: Path, document: Any, where: str
) -> None:
    """With its place."""
    with pytest.raises(SourceError) as caught:
        read(crds, tmp_path, document)
    [problem] = caught.value.problems
    assert (problem.code, problem.message) == ("HA110", "expected an object, found integer")
    assert problem.where.endswith(where)


def test_objects_are_as_an_api_server_sends_them(crds: list[Path], tmp_path: Path) -> None:
    """What the schema does not declare is pruned."""
    found = read(crds, tmp_path, widget(spec={"size": 1, "zz": 2}))
    assert found.kinds[0].samples[0]["spec"] == {"size": 1}
