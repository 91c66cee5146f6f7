"""`crd` in holdall.yaml: what is understood, what is refused, and that the schema agrees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import holdall_codegen
from holdall.errors import Problem, SourceError
from holdall.text.yaml import load_all
from holdall_codegen.config.crd import (
    ColumnConfig,
    ConversionConfig,
    CrdConfig,
    KindConfig,
    ScaleConfig,
    ServiceConfig,
)
from holdall_codegen.config.reader import read_config

HEAD = """\
groups:
  shop:
    sources: [{crds: a.yaml}]
    versions: [v1, v2]
    crd:
"""

FULL = """\
      conversion:
        service: {namespace: ops, name: hook, path: /c, port: 8443}
        ca_bundle: ca/ca.crt
        review_versions: [v1, v1beta1]
      strip_descriptions: true
      kinds:
        Box:
          plural: boxen
          singular: bx
          list_kind: Boxen
          scope: Cluster
          short_names: [b, bo]
          categories: [all]
          storage: v2
          unserved: [v1]
          deprecated: [v1]
          status: true
          status_slot: true
          scale: {spec: .spec.n, status: .status.n, selector: .status.s}
          columns:
            - {name: Size, path: .spec.size, type: integer, format: int32,
               description: How large., priority: 1, versions: [v2]}
"""

VALIDATOR = Draft202012Validator(
    json.loads((Path(holdall_codegen.__file__).parent / "holdall.schema.json").read_text())
)


def read(folder: Path, text: str) -> CrdConfig:
    """Read the lines below `crd`."""
    file = folder / "holdall.yaml"
    file.write_text(HEAD + text, encoding="utf-8")
    return read_config(file).groups[0].crd


def problems(folder: Path, text: str) -> tuple[Problem, ...]:
    """Return the problems of the lines below `crd`."""
    with pytest.raises(SourceError) as error:
        read(folder, text)
    return tuple(error.value.problems)


def test_everything(tmp_path: Path) -> None:
    """Each key arrives where it belongs."""
    crd = read(tmp_path, FULL)
    assert crd.strip_descriptions is True
    assert crd.conversion is not None
    assert crd.conversion == ConversionConfig(
        ServiceConfig("ops", "hook", "/c", 8443),
        crd.conversion.location,
        ca_bundle="ca/ca.crt",
        review_versions=["v1", "v1beta1"],
    )
    kind = crd.kind("Box")
    assert kind.scale is not None and kind.columns is not None
    assert kind == KindConfig(
        location=kind.location,
        plural="boxen",
        singular="bx",
        list_kind="Boxen",
        scope="Cluster",
        short_names=["b", "bo"],
        categories=["all"],
        storage="v2",
        unserved=["v1"],
        deprecated=["v1"],
        status=True,
        status_slot=True,
        scale=ScaleConfig(".spec.n", ".status.n", kind.scale.location, ".status.s"),
        columns=[
            ColumnConfig(
                "Size",
                ".spec.size",
                "integer",
                kind.columns[0].location,
                format="int32",
                description="How large.",
                priority=1,
                versions=["v2"],
            )
        ],
    )
    assert crd.kind("Other") == KindConfig()


def test_nothing(tmp_path: Path) -> None:
    """A group without `crd` declares nothing."""
    file = tmp_path / "holdall.yaml"
    file.write_text(HEAD.replace("    crd:\n", ""), encoding="utf-8")
    assert read_config(file).groups[0].crd == CrdConfig()


BOX = "      kinds: {Box: %s}\n"
HOOK = "      conversion: %s\n"

MISTAKES = [
    ("unknown key", "      kind: {}\n", "HA121", 'crd has no key "kind"; did you mean "kinds"?'),
    ("unknown option", BOX % "{shortnames: [a]}", "HA121", 'did you mean "short_names"?'),
    ("nothing", "      {}\n", "HA123", "crd is empty"),
    ("no address", HOOK % "{review_versions: [v1]}", "HA122", "exactly one of url or service"),
    (
        "two addresses",
        HOOK % "{url: 'https://a.example.com', service: {namespace: a, name: b}}",
        "HA125",
        "exactly one of url or service",
    ),
    ("plain HTTP", HOOK % "{url: 'http://a.example.com'}", "HA124", "'https' is the only allowed"),
    ("no name", HOOK % "{service: {namespace: a}}", "HA122", "service has no name"),
    ("a wrong port", HOOK % "{service: {namespace: a, name: b, port: 0}}", "HA123", "from 1 to"),
    (
        "a wrong path",
        HOOK % "{service: {namespace: a, name: b, path: c}}",
        "HA124",
        "a path such as",
    ),
    (
        "a wrong review",
        HOOK % "{url: 'https://a.example.com', review_versions: [v2]}",
        "HA123",
        'cannot be "v2"',
    ),
    (
        "a plural in capitals",
        BOX % "{plural: Boxes}",
        "HA124",
        "a lower-case name of letters, digits and -",
    ),
    ("a scope", BOX % "{scope: namespaced}", "HA123", 'did you mean "Namespaced"?'),
    ("a word twice", BOX % "{short_names: [a, a]}", "HA126", "a is listed twice"),
    ("an unlisted version", BOX % "{unserved: [v3]}", "HA127", 'unlisted version "v3"'),
    ("an unlisted storage", BOX % "{storage: v3}", "HA127", 'unlisted version "v3"'),
    ("half a scale", BOX % "{scale: {spec: .spec.n}}", "HA122", "scale has no status"),
    (
        "a path without a dot",
        BOX % "{scale: {spec: size, status: .size}}",
        "HA124",
        "begins with a dot",
    ),
    ("half a column", BOX % "{columns: [{name: A, path: .a}]}", "HA122", "a column has no type"),
    (
        "a type",
        BOX % "{columns: [{name: A, path: .a, type: int}]}",
        "HA123",
        'did you mean "integer"?',
    ),
    ("a slot without its status", BOX % "{status: false, status_slot: true}", "HA125", "needs the"),
    ("a text as a flag", BOX % "{status: 'yes'}", "HA123", "status must be true or false"),
]

# A JSON Schema cannot look elsewhere in the file.
BEYOND_SCHEMA = {"an unlisted version", "an unlisted storage"}


@pytest.mark.parametrize(
    ("title", "text", "code", "words"), MISTAKES, ids=[mistake[0] for mistake in MISTAKES]
)
def test_mistake(tmp_path: Path, title: str, text: str, code: str, words: str) -> None:
    """Each mistake is one problem with its line, its code and words that help."""
    (problem,) = problems(tmp_path, text)
    assert (problem.code, problem.where) == (code, "holdall.yaml:6")
    assert words in problem.message
    assert problem.fix
    is_valid = VALIDATOR.is_valid(load_all(HEAD + text, "holdall.yaml")[0].value)
    assert is_valid == (title in BEYOND_SCHEMA)


def test_the_schema_knows_every_key() -> None:
    """What is read in full is valid by the published schema, too."""
    value = load_all(HEAD + FULL, "holdall.yaml")[0].value
    assert [error.message for error in VALIDATOR.iter_errors(value)] == []


def test_all_at_once(tmp_path: Path) -> None:
    """Mistakes in several places are reported together, in the order of their lines."""
    text = (HOOK % "{url: 'http://a.example.com'}") + (BOX % "{plural: A, storage: v3}")
    found = problems(tmp_path, text)
    assert [problem.where for problem in found] == [
        "holdall.yaml:6",
        "holdall.yaml:7",
        "holdall.yaml:7",
    ]
