"""A CRD whose schemas are not those of the project: what differs is named, with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdall.kubernetes.doctor import examine
from holdall.scheme.scheme import Scheme
from holdall.text.yaml import dump, load_all
from tests.support.commands import run
from tests.support.projects import build_project

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gates.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gate, listKind: GateList, plural: gates, singular: gate}
  versions:
    - name: v2
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: &spec
              type: object
              properties:
                size: {type: integer}
                ratio: {type: number}
                port: {x-kubernetes-int-or-string: true}
                labels: {type: object, additionalProperties: {type: string}}
                anything: {type: object, x-kubernetes-preserve-unknown-fields: true}
                open:
                  type: object
                  x-kubernetes-preserve-unknown-fields: true
                  properties: {known: {type: string}}
                parts:
                  type: array
                  items:
                    type: object
                    properties: {name: {type: string, enum: [a, b]}}
            status: {type: object, properties: {ready: {type: boolean}}}
    - name: v1
      served: true
      storage: false
      schema: {openAPIV3Schema: {type: object, properties: {spec: *spec}}}
"""
CONFIG = """
groups:
  gates:
    sources: [{crds: crd.yaml}]
    versions: [v1, v2]
"""


def crd() -> Any:
    """Return the CRD that the project was read from."""
    value = load_all(CRD, "crd.yaml")[0].value
    return json.loads(json.dumps(value))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with Gate v1 and v2."""
    return build_project(tmp_path_factory.mktemp("gates"), CONFIG, {"crd.yaml": CRD})


def found(value: Any, scheme: Scheme) -> list[tuple[str, str, str]]:
    """Return level, code and message of what is said about schemas that are not the project's."""
    return [
        (item.level, item.problem.code, item.problem.message)
        for item in examine(load_all(dump(value), "crd.yaml"), [scheme])
        if item.problem.code in ("HA847", "HA848", "HA849")
    ]


def test_the_project_s_own_crd(scheme: Scheme, project: Path, tmp_path: Path) -> None:
    """Nothing differs: neither in what was read, nor in what `holdall crd` makes of it."""
    assert found(crd(), scheme) == []
    assert run(project, "crd", "--output", str(tmp_path / "crds")).exit_code == 0
    (file,) = (tmp_path / "crds").iterdir()
    assert found(load_all(file.read_text(), "crd.yaml")[0].value, scheme) == []


def test_what_does_not_matter(scheme: Scheme) -> None:
    """Enums, ranges, formats and texts; what is open in the CRD; holdall's own members."""
    changed = crd()
    properties = changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    spec = properties["spec"]["properties"]
    spec["size"] |= {"minimum": 1, "format": "int64", "description": "Its size."}
    spec["parts"]["items"]["properties"]["name"]["enum"] = ["c"]
    spec["anything"] = {"type": "string"}
    spec["open"]["properties"] = {}
    spec["ratio"] = {"x-kubernetes-preserve-unknown-fields": True}
    slot = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    properties["$propertyBag"] = properties["status"]["properties"]["changedValues"] = slot
    changed["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["properties"]["status"] = {
        "type": "object",
        "properties": {"changedValues": slot},
    }
    assert found(changed, scheme) == []


def _set(name: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda spec: spec.update({name: value})


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (_set("size", TEXT), "HA847", "v2 /spec/size is string, but the project converts integer"),
        (_set("ratio", {"type": "integer"}), "HA847", "/spec/ratio is integer, but the project co"),
        (_set("port", TEXT), "HA847", "/spec/port is string, but the project converts integer or"),
        (_set("labels", {"type": "object"}), "HA847", "/spec/labels is object, but the project co"),
        (
            _set("labels", {"type": "object", "additionalProperties": {"type": "integer"}}),
            "HA847",
            "v2 /spec/labels/* is integer, but the project converts string",
        ),
        (_set("parts", {"type": "array", "items": TEXT}), "HA847", "/spec/parts/* is string, but"),
        (lambda spec: spec.pop("size"), "HA848", "v2 has no /spec/size, which the project conver"),
        (
            lambda spec: spec["parts"]["items"]["properties"].clear(),
            "HA848",
            "v2 has no /spec/parts/*/name, which the project converts",
        ),
        (_set("new", TEXT), "HA849", "v2 has /spec/new, which the project does not know"),
        (
            lambda spec: spec["open"]["properties"].update(new=TEXT),
            "HA849",
            "v2 has /spec/open/new, which the project does not know",
        ),
    ],
)
def test_what_differs(
    scheme: Scheme, change: Callable[[dict[str, Any]], object], code: str, message: str
) -> None:
    """Each difference is one finding, of its version only."""
    changed = crd()
    properties = changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    change(properties["spec"]["properties"])
    ((level, found_code, text),) = found(changed, scheme)
    assert (level, found_code) == ("warning" if code == "HA849" else "error", code)
    assert message in text


def test_the_command(project: Path, tmp_path: Path) -> None:
    """Two other types and a property that is gone: exit code 1, with lines and a fix."""
    changed = crd()
    spec = changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["size"] = spec["properties"]["ratio"] = TEXT
    del spec["properties"]["port"]
    file = tmp_path / "crd.yaml"
    file.write_text(dump(changed))
    result = run(project, "doctor", str(file), "--json")
    assert result.exit_code == 1
    values = [one for one in json.loads(result.stdout) if one["code"] in ("HA847", "HA848")]
    assert sorted(value["code"] for value in values) == ["HA847", "HA847", "HA848"]
    lines = file.read_text().splitlines()
    named = {lines[value["line"] - 2].strip() for value in values if value["code"] == "HA847"}
    assert named == {"size:", "ratio:"}
    assert all("`holdall crd`" in value["fix"] for value in values)


def test_a_project_without_its_plan(tmp_path: Path) -> None:
    """It is said that nothing was compared."""
    copied = build_project(tmp_path / "copied", CONFIG, {"crd.yaml": CRD})
    (plan,) = copied.glob("*/gates/plan.json")
    plan.write_text("{}")
    result = run(copied, "doctor", str(copied / "crd.yaml"))
    assert result.exit_code == 1
    assert "so the CRDs are not compared with it" in result.stderr


def test_a_server_that_prunes_nothing(scheme: Scheme) -> None:
    """CRDs from before 1.16 may preserve all unknown members: a property that they lack stays."""
    value = crd()
    del value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    assert [code for _, code, _ in found(value, scheme)] == ["HA848"]
    value["spec"]["preserveUnknownFields"] = True
    assert found(value, scheme) == []
