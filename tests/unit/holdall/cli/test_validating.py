"""`convert --validate` and `audit --valid`: objects against the schemas of the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import plain_documents
from tests.support.commands import run
from tests.support.crds import crd_of, struct
from tests.support.objects import resource
from tests.support.projects import build_project

_SPEC: dict[str, Any] = {
    "mode": {"type": "string", "enum": ["on", "off"]},
    "size": {"type": "integer", "minimum": 1, "default": 3},
    "port": {"x-kubernetes-int-or-string": True},
    "note": {"type": "string", "nullable": True},
    "host": {"type": "string"},
    "rest": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "names": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    "low": {"type": "integer"},
    "high": {"type": "integer"},
}
CRD = crd_of(
    "Box",
    {
        name: struct(spec=struct(**{**_SPEC, **more}))
        for name, more in (("v1", {"mode": {"type": "string"}}), ("v2", {}))
    },
)
_V2_SPEC = CRD["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["properties"]["spec"]
_V2_SPEC |= {
    "required": ["mode", "size"],
    "x-kubernetes-validations": [
        {"rule": "!has(self.low) || !has(self.high) || self.low <= self.high"},
        {"rule": "self.size == oldSelf.size"},
    ],
}
CRD_CONFIG = """
groups:
  boxes:
    sources: [{crds: crd.yaml}]
    versions: [v1, v2]
"""
PLAIN_CONFIG = """
groups:
  boxes:
    sources:
      - {schemas: schemas/v1.yaml, version: v1, kinds: {Box: ""}}
      - {schemas: schemas/v2.yaml, version: v2, kinds: {Box: /definitions/Box}}
    versions: [v1, v2]
"""
PLAIN = {
    "schemas/v1.yaml": """
$id: https://example.com/v1
type: object
properties:
  mode: {type: string}
  size: {type: integer}
  note: {type: string}
""",
    "schemas/v2.yaml": """
definitions:
  Box:
    type: object
    additionalProperties: false
    required: [size]
    properties:
      mode: {$ref: "shared.yaml#/Mode"}
      size: {type: integer, minimum: 1, exclusiveMinimum: true}
      note: {type: string, nullable: true, enum: [a]}
      point: {type: array, items: [{type: integer}, {type: string}], additionalItems: false}
      part: {$ref: "https://example.com/part"}
      code: {$ref: "#code"}
  Part:
    $id: https://example.com/part
    $defs: {Name: {type: string}}
    additionalProperties: {$ref: "#/$defs/Name"}
  Code: {$anchor: code, type: integer}
""",
    "schemas/shared.yaml": 'Mode: {type: string, enum: ["on", "off"]}\n',
}


@pytest.fixture(scope="module")
def crd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of a CRD."""
    files = {"crd.yaml": yaml.safe_dump(CRD)}
    return build_project(tmp_path_factory.mktemp("crd"), CRD_CONFIG, files)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of JSON Schemas in several files."""
    return build_project(tmp_path_factory.mktemp("plain"), PLAIN_CONFIG, PLAIN)


def _box(version: str = "v1", **spec: Any) -> dict[str, Any]:
    return resource(f"example.com/{version}", "Box", "a", "here", spec=spec)


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"mode": "on"}, ""),
        ({"mode": "on", "port": "http", "note": None, "rest": {"a": [1]}}, ""),
        ({"mode": "on", "host": None}, ""),
        ({"mode": "on", "unknown": 5}, ""),
        ({"mode": "auto"}, '/spec/mode: "auto" is not one of "on", "off"'),
        ({}, "/spec: lacks mode"),
        ({"mode": "on", "size": 0}, "/spec/size: less than 1"),
        ({"mode": "on", "port": True}, "/spec/port: boolean instead of integer or string"),
        ({"mode": "on", "names": ["a", "a"]}, "/spec/names: has equal elements"),
        ({"mode": "on", "low": 2, "high": 1}, "/spec: breaks the rule `!has(self.low)"),
        ({"mode": 5}, "/spec/mode: integer instead of string"),
    ],
)
def test_an_object_of_a_crd(crd: Path, spec: dict[str, Any], wrong: str) -> None:
    """It is judged as an API server would: pruned, with defaults, nulls, and rules in CEL."""
    text = json.dumps(_box("v2", **spec), indent=1)
    result = run(crd, "audit", "--valid", "--json", stdin=text)
    assert result.exit_code == (1 if wrong else 0)
    found = [f"{item['path']}: {item['message']}" for item in json.loads(result.stdout)]
    assert len(found) == (1 if wrong else 0)
    assert all(one.startswith(wrong) for one in found)
    if wrong:
        (failure,) = json.loads(result.stdout)
        assert failure["code"] == "HA418"
        assert failure["subject"] == "Box here/a"
        assert failure["fix"]
        assert int(failure["where"].split(":")[1]) > 1


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"size": 2, "mode": "on"}, []),
        ({"size": 2, "note": None}, []),
        ({"size": 1}, ["/size"]),
        ({"mode": "up", "size": 2}, ["/mode"]),
        ({"size": 2, "note": "b"}, ["/note"]),
        ({}, [""]),
        ({"size": 2, "other": 1}, [""]),
        ({"size": 2, "point": [1, "a"], "part": {"a": "b"}, "code": 1}, []),
        ({"size": 2, "point": ["a"]}, ["/point/0"]),
        ({"size": 2, "point": [1, "a", 2]}, ["/point"]),
        ({"size": 2, "part": {"a": 1}}, ["/part/a"]),
        ({"size": 2, "code": "a"}, ["/code"]),
    ],
)
def test_an_object_of_json_schemas(plain: Path, value: dict[str, Any], wrong: list[str]) -> None:
    """References lead to other files and to parts by their names; `nullable` means what it does in
    OpenAPI, and a list of schemas in `items` what it does in older drafts."""
    text = json.dumps({"apiVersion": "v2", "kind": "Box", **value})
    result = run(plain, "audit", "--valid", "--json", stdin=text)
    assert [item["path"] for item in json.loads(result.stdout)] == wrong


def test_after_a_conversion(crd: Path) -> None:
    """With --to objects are judged where they go, if there is such a version."""
    text = yaml.safe_dump_all([_box(mode="auto"), _box(mode="on")])
    assert run(crd, "audit", "--valid", stdin=text).exit_code == 0
    result = run(crd, "audit", "--valid", "--to", "v2", stdin=text)
    assert result.exit_code == 1
    assert result.stdout.startswith("HA418 <stdin>:7:9: Box here/a: /spec/mode: ")
    assert "1 of 2 objects is valid" in result.stderr
    assert run(crd, "audit", "--valid", "--to", "v9", stdin=text).exit_code == 2


def test_the_bag_is_not_judged(plain: Path) -> None:
    """What a converted document carries is none of its members."""
    text = json.dumps({"apiVersion": "v1", "kind": "Box", "size": 2, "note": "a"})
    converted = run(plain, "convert", "--to", "v2", stdin=text)
    assert run(plain, "audit", "--valid", stdin=converted.stdout).exit_code == 0


@pytest.mark.parametrize("text", ["5", "[]", "{}", '{"apiVersion": "x/v1", "kind": "Box"}', ""])
def test_what_is_no_object_of_the_project(crd: Path, text: str) -> None:
    """It is reported as everywhere; never a traceback."""
    result = run(crd, "audit", "--valid", stdin=text)
    assert "Traceback" not in result.output
    assert "defect" not in result.output
    assert result.exit_code == (1 if text.startswith("{") else 2)


def test_bad_json(crd: Path) -> None:
    """What cannot be read is exit code 2."""
    assert run(crd, "audit", "--valid", stdin="{").exit_code == 2


@pytest.mark.parametrize("other", ["--fate", "--fail-on-residue"])
def test_valid_stands_alone(crd: Path, other: str) -> None:
    """--valid and another question are wrong usage."""
    assert run(crd, "audit", "--valid", other, stdin="{}").exit_code == 2


def test_convert_leaves_out_what_is_refused(crd: Path, tmp_path: Path) -> None:
    """The others are written, the exit code is 1, and the file of errors has it."""
    source, target, errors = (tmp_path / name for name in ("in.yaml", "out.yaml", "errors.jsonl"))
    source.write_text(yaml.safe_dump_all([_box(mode="auto"), _box(mode="on")]), "utf-8")
    result = run(
        crd,
        *("convert", "--validate", "--to", "v2", "-o", str(target), "--errors", str(errors)),
        str(source),
    )
    assert result.exit_code == 1
    assert [item["spec"]["mode"] for item in yaml.safe_load_all(target.read_text())] == ["on"]
    (line,) = errors.read_text().splitlines()
    failure = json.loads(line)
    assert (failure["code"], failure["path"], failure["line"]) == ("HA418", "/spec/mode", 7)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_lines(crd: Path, tmp_path: Path, jobs: str) -> None:
    """Lines are judged in every process, those of the target version, and items of lists, too."""
    items = [_box(mode="auto"), _box("v2", mode="auto"), _box(mode="on"), {"kind": "List"}]
    items[3] |= {"apiVersion": "v1", "items": [_box(mode="off"), _box(mode="auto")]}
    source, errors = tmp_path / "in.jsonl", tmp_path / "errors.jsonl"
    source.write_text("".join(f"{json.dumps(item)}\n" for item in items), "utf-8")
    result = run(
        crd,
        *("convert", "--validate", "--to", "v2", "--jobs", jobs, "--errors", str(errors)),
        *("-o", str(tmp_path / "out.jsonl"), str(source)),
    )
    assert result.exit_code == 1
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert written[0]["spec"]["mode"] == "on"
    assert [item["spec"]["mode"] for item in written[1]["items"]] == ["off"]
    failures = [json.loads(line) for line in errors.read_text().splitlines()]
    assert [(item["code"], item["line"]) for item in failures] == [("HA418", n) for n in (1, 2, 4)]


def test_a_table(crd: Path, tmp_path: Path) -> None:
    """Rows that are refused stay as they are, with the outcome and the error beside them."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    documents = [json.dumps(_box(mode=mode)) for mode in ("auto", "on")]
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet.write_table(pyarrow.table({"doc": documents}), source)
    result = run(
        crd,
        *("convert", "--validate", "--to", "v2", "--column", "doc", "-o", str(target)),
        str(source),
    )
    assert result.exit_code == 1
    rows = parquet.read_table(target).to_pylist()
    assert rows[0]["doc"] == documents[0]
    assert json.loads(rows[1]["doc"])["apiVersion"] == "example.com/v2"


def test_without_validate_nothing_is_judged(crd: Path) -> None:
    """Conversions do not validate unless they are asked to."""
    text = json.dumps(_box(mode="auto"))
    assert run(crd, "convert", "--to", "v2", stdin=text).exit_code == 0
    assert run(crd, "convert", "--validate", "--to", "v2", stdin=text).exit_code == 1


def test_requests_take_no_validation(crd: Path) -> None:
    """A filter answers what it is asked."""
    assert run(crd, "convert", "--requests", "--validate").exit_code == 2


def test_documents_that_say_their_version_elsewhere(tmp_path: Path) -> None:
    """Their schema need not declare what says the version, and a data member `kind` is judged."""
    files = {
        name: text.replace('"type": "object"', '"type": "object", "additionalProperties": false', 1)
        for name, text in plain_documents.FILES.items()
    }
    shop = build_project(tmp_path, plain_documents.CONFIG, files)
    order = {"type": "Order", "id": "a", "kind": "rush"}
    result = run(shop, "convert", "--to", "v2", "--validate", stdin=json.dumps(order))
    assert (result.exit_code, json.loads(result.stdout)["schemaVersion"]) == (0, 2)
    wrong = json.dumps({**order, "schemaVersion": 2, "kind": 5})
    result = run(shop, "audit", "--valid", stdin=wrong)
    assert result.exit_code == 1
    assert "Order: /kind: 5 is not of type 'string'" in result.stdout
