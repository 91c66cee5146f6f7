"""Emissary's resources in annotations of Services: converted as those outside, and lossless.

The oracle is the conversion of the same object outside of an annotation, which the scorer judges.
How Emissary reads what is in an annotation is written down here once more, from its description.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from holdall.text import yaml
from tests.support.emissary import build_emissary, cases

Json = dict[str, Any]
KEY = "getambassador.io/config"
TEXT = "holdall.dev/text"
AT_TOP = ("name", "namespace", "generation")


@pytest.fixture(scope="module")
def project(emissary_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Emissary project."""
    return build_emissary(tmp_path_factory.mktemp("emissary"), emissary_data)


def service(text: str) -> Json:
    metadata = {"name": "quote", "annotations": {KEY: text}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata}


def text_of(document: Json) -> str:
    found: str = document["metadata"]["annotations"][KEY]
    return found


def folded(document: Json, group: str) -> Json:
    """Return an object as people write it into an annotation."""
    metadata = document.get("metadata", {})
    rest = {key: value for key, value in metadata.items() if key not in (*AT_TOP, "labels")}
    version = document["apiVersion"].partition("/")[2]
    return {
        "apiVersion": f"{group}/{version}",
        "kind": document["kind"],
        **{key: metadata[key] for key in AT_TOP if key in metadata},
        **({"metadata_labels": metadata["labels"]} if "labels" in metadata else {}),
        **({"metadata": rest} if rest else {}),
        **document.get("spec", {}),
        **({"status": document["status"]} if "status" in document else {}),
    }


def as_read(document: Json) -> Json:
    """Return the object that Emissary takes a document in an annotation for."""
    found: Json = {"metadata": {}, "spec": {}}
    for name in ("apiVersion", "kind", "metadata", "spec", "status"):
        if name in document:
            found[name] = document[name]
    for name, value in document.items():
        if name in AT_TOP:
            found["metadata"] = {**found["metadata"], name: value}
        elif name == "metadata_labels":
            found["metadata"] = {**found["metadata"], "labels": value}
        elif name not in found:
            found["spec"] = {**found["spec"], name: value}
    version = found["apiVersion"].partition("/")[2]
    return {**found, "apiVersion": f"getambassador.io/{version}"}


def without_mark(document: Json) -> Json:
    metadata = document["metadata"]
    annotations = {k: v for k, v in metadata.get("annotations", {}).items() if k != TEXT}
    rest = {k: v for k, v in metadata.items() if k != "annotations"}
    return {
        **document,
        "metadata": {**rest, **({"annotations": annotations} if annotations else {})},
    }


def convertible(scheme: Scheme, emissary_data: Path) -> list[tuple[Json, str]]:
    """Return the objects of all cases, each with a version that its kind has."""
    kinds = {kind.name: kind.types for kind in scheme.kinds}
    return [
        (case["input"], to)
        for case in cases(emissary_data)
        for to in kinds.get(case["input"]["kind"], ())
        if case["input"]["apiVersion"].partition("/")[2] in kinds[case["input"]["kind"]]
    ]


@pytest.mark.parametrize(
    ("style", "group"),
    [
        *itertools.product(("block", "flow"), ("getambassador.io", "ambassador")),
        ("whole", "getambassador.io"),
    ],
)
def test_every_case_in_an_annotation(
    scheme: Scheme, emissary_data: Path, style: str, group: str
) -> None:
    """It is what it is outside, and its text comes back byte for byte."""
    seen = 0
    for document, to in convertible(scheme, emissary_data):
        written = document if style == "whole" else folded(document, group)
        body = json.dumps(written) if style == "flow" else yaml.dump(written)
        text = f"# one\n---  # and more\n{body}"
        source = service(text)
        there = scheme.convert(source, to=to)
        (found,) = yaml.load_all(text_of(there), "")
        expected = scheme.convert(as_read(written), to=to)
        assert isinstance(found.value, dict)
        assert as_read(without_mark(as_read(found.value))) == as_read(without_mark(expected))
        own = document["apiVersion"].partition("/")[2]
        assert (text_of(there) == text) == (own == to)
        assert scheme.convert(there, to=own) == source
        seen += 1
    assert seen > 500


def test_an_edit_in_an_annotation_is_one_outside(scheme: Scheme, emissary_data: Path) -> None:
    """After an edit at the other version both come back with the same."""
    for document, to in convertible(scheme, emissary_data):
        own = document["apiVersion"].partition("/")[2]
        if own == to:
            continue
        there = scheme.convert(service(yaml.dump(folded(document, "getambassador.io"))), to=to)
        (found,) = yaml.load_all(text_of(there), "")
        edited = {**as_read(found.value), "spec": {**as_read(found.value)["spec"], "edited": 1}}  # type: ignore[arg-type]
        text = yaml.dump(folded(edited, "getambassador.io"))
        (back,) = yaml.load_all(text_of(scheme.convert(service(text), to=own)), "")
        expected = scheme.convert(without_mark(edited), to=own)
        assert without_mark(as_read(back.value)) == without_mark(expected)  # type: ignore[arg-type]


STREAM = """\
---
apiVersion: ambassador/v1   # the oldest
kind:  Mapping
name:  quote_mapping
prefix: /backend/
service: quote:5000   # the port
---
apiVersion: getambassador.io/v2
kind: TLSContext
name: tls
hosts: ["*"]
ambassador_id: [ one ]
# Somebody else's:
---
apiVersion: example.com/v1
kind: Other
"""


def test_files(project: Path, tmp_path: Path) -> None:
    """`holdall convert` takes a Service like any object, there and back."""
    path = tmp_path / "service.yaml"
    path.write_text(yaml.dump(service(STREAM)), encoding="utf-8")

    def convert(source: Path, to: str) -> tuple[str, str]:
        command = [sys.executable, "-m", "holdall", "--project", str(project), "convert"]
        run = subprocess.run(
            [*command, "--to", to, str(source)], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        return run.stdout, run.stderr

    there, told = convert(path, "v3alpha1")
    (found,) = yaml.load_all(there, "")
    assert found.value["kind"] == "Service"  # type: ignore[index,call-overload]
    text = text_of(found.value)  # type: ignore[arg-type]
    assert "apiVersion: getambassador.io/v3alpha1   # the oldest\nkind:  Mapping\n" in text
    assert "service: quote:5000   # the port\n" in text
    assert "hostname: '*'" in text
    assert "document 3: unknown apiVersion and kind example.com/v1 Other; it is kept" in told
    (tmp_path / "there.yaml").write_text(there, encoding="utf-8")
    back, _ = convert(tmp_path / "there.yaml", "v1")
    (returned,) = yaml.load_all(back, "")
    first = STREAM[: STREAM.index("---\napiVersion: getambassador")]
    assert text_of(returned.value).startswith(first)  # type: ignore[arg-type]


def test_any_way_through_the_versions_gives_the_text_back(scheme: Scheme) -> None:
    first = STREAM[: STREAM.index("---\napiVersion: getambassador")]
    for way in itertools.permutations(("v2", "v3alpha1")):
        current = service(first)
        for to in (*way, "v1"):
            current = scheme.convert(current, to=to)
        assert current == service(first)
