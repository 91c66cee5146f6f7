"""Reading holdall.yaml: what is understood, what is refused, and that the schema agrees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import holdall_codegen
from holdall.errors import Problem, SourceError
from holdall.suggest import nearest
from holdall.types import JsonValue
from holdall_codegen.config import node
from holdall_codegen.config.keys import CrdSource, DeclaredSource, SchemaSource
from holdall_codegen.config.model import (
    Constant,
    EdgeFacts,
    Function,
    Implicit,
    ProjectConfig,
    PropertyFacts,
    RetypedFacts,
    VariantFacts,
)
from holdall_codegen.config.overlays import OverlayConfig
from holdall_codegen.config.reader import read_config
from tests.support.config_schema import config_schema

FULL = """\
output: generated
hooks: hooks
groups:
  batch:
    package: batch
    api_group: batch.example.com
    sources:
      - crds: schemas/batch/*.yaml
        yaml: kubernetes
      - schemas: schemas/orders/v1.json
        version: v20210101
        kinds: {Order: /definitions/Order, Root: ""}
    overlays:
      - kinds: [BatchAccount, Pool]
        versions: [v20210101]
        path: spec/mounts/*
        properties: {a~1b: {}}
      - {file: overlays/pool.yaml}
    versions:
      - v20210101
      - name: v20220601
        deprecated: use v20230501
      - v20230501
      - {name: internal, internal: true, like: v20230501}
    hub: v20230501
    edges: chain
    type_names: {BatchAccount/spec/encryption: Encryption}
    carrier: annotation
    between:
      v20210101 -> v20220601:
        BatchAccountSpec:
          poolQuota: {rename: quota}
          activeKey/vaultName: {move: vaultName}
          host: not_same
          sku: {values: {Basic: Base}}
          autoscale: {rename: scale, wrap: true}
          subnetId: {rename: subnetReference, reference: id}
          zone: {strategy: hook}
          other: {strategy: stash}
          level: {misfit: error}
          hired: {upgrade_with: "acme.days:to_day", downgrade_with: "acme.days:to_year"}
          mode: {values: {Fast: Quick}, variants: {older: {Odd: Quick}, newer: {New: Fast}}}
          size: {default: 1}
          rooms: {default_with: "acme.rooms:none"}
          legacyName: newName
          $schema: {values: {"urn:v1": "urn:v2"}}
          drainTimeout: {rename: drainSeconds, duration: seconds}
          left: {move: far/left, upgrade_with: "acme.days:left", misfit: keep}
          memoryMB: {move: resources/memory, unit: Mi}
          cpu: {unit: ""}
          args: {keyed: name/value}
          zones: {keyed: id~1a}
          a~1b/c~0d: {move: e~1f}
        Foo_Bar: {$type: FooBar}
        Odd: {$skip: true}
        "*Status": {phase: {misfit: keep}}
      v20210101->v20230501:
        Pool: {tier: {reference: name}}
  orders:
    sources: [{schemas: orders.json, version: v1}, {schemas: orders2.json, version: v2}]
    versions: [v1, v2]
    edges: [[v1, v2]]
    carrier: {Order: none, Invoice: field}
  kebab-case:
    package: kebab
    sources: [{crds: ../crds}]
    versions: [v1]
    edges: star
  declared:
    sources: [{declared: schemas/people.py}]
breaking:
  ignore:
    - {rule: property-removed, until: "2030-12-31", reason: nobody has it}
    - rule: hook-changed
      kind: Pool
      version: v1 -> v2
      path: spec/size
      until: "2030-02-28"
      reason: it mends a mistake
"""

MORE = """\
takes_over: acme.example.com/stored
settings: {cloud: settings/cloud.yaml}
groups:
  boxes:
    api_group: boxes.example.com
    sources: [{crds: boxes.yaml, group: boxes.example.com, kinds: [Box]}]
    versions: [v1, v2]
    carrier:
      Box: {in: field, budget: 1000, drop_first: [status], strict: [spec/rules]}
    inner_documents:
      - {in: [v1/ConfigMap], annotation: example.com/box, format: json, aliases: [old.example.com]}
      - {in: [Box], path: spec/config, folded: true, versions: {v1: v2}}
    crd:
      conversion:
        service: {namespace: ops, name: hook, path: /c, port: 8443}
        review_versions: [v1, v1beta1]
      strip_descriptions: true
      accept: [HA858]
      kinds:
        Box:
          plural: boxen
          scope: Cluster
          short_names: [b, bo]
          unserved: [v1]
          status: true
          status_slot: true
          scale: {spec: .spec.n, status: .status.n}
          columns:
            - {name: Size, path: .spec.size, type: integer, priority: 1, versions: [v2]}
  forms:
    sources: [{schemas: a.yaml, version: v1}, {schemas: b.yaml, version: v2}]
    versions: [v1, v2]
    version_at: {member: form, values: {v1: 1, v2: two}, default: v1, kind_at: type}
"""

SMALL = """\
groups:
  batch:
    sources:
      - crds: crds.yaml
    versions: [v1, v2, v3]
"""

BETWEEN = (
    SMALL
    + """\
    between:
      v1 -> v2:
        Pool:
"""
)


def small(*lines: str) -> str:
    """Return the small file with more lines about its group."""
    return SMALL + "".join(f"    {line}\n" for line in lines)


def pool(*lines: str) -> str:
    """Return it with facts about the type Pool."""
    return BETWEEN + "".join(f"          {line}\n" for line in lines)


def overlay(text: str) -> str:
    """Return it with an overlay."""
    return small("overlays:", f"  - {text}")


def ignored(text: str) -> str:
    """Return it with a finding that is ignored."""
    return f"{SMALL}breaking:\n  ignore:\n    - {text}\n"


def _read(folder: Path, text: str) -> ProjectConfig:
    path = folder / "holdall.yaml"
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def _problems(folder: Path, text: str) -> list[Problem]:
    with pytest.raises(SourceError) as caught:
        _read(folder, text)
    return list(caught.value.problems)


def _facts(config: ProjectConfig, number: int = 0) -> EdgeFacts:
    return config.groups[0].facts[number]


def test_groups(tmp_path: Path) -> None:
    """Every key of a group arrives in its field, and what is left out takes its default."""
    config = _read(tmp_path, FULL)
    batch, orders, kebab, declared = config.groups
    assert (config.root, config.file, config.output) == (tmp_path, "holdall.yaml", "generated")
    assert [version.name for version in batch.versions] == [
        "v20210101",
        "v20220601",
        "v20230501",
        "internal",
    ]
    assert batch.versions[1].deprecated == "use v20230501"
    assert (batch.versions[3].internal, batch.versions[3].like) == (True, "v20230501")
    assert (batch.api_group, batch.hub, batch.edges) == (
        "batch.example.com",
        "v20230501",
        "chain",
    )
    crds, schemas = batch.sources
    assert isinstance(crds, CrdSource)
    assert (crds.pattern, crds.yaml) == ("schemas/batch/*.yaml", "kubernetes")
    assert isinstance(schemas, SchemaSource)
    assert schemas.kinds == {"Order": "/definitions/Order", "Root": ""}
    assert (batch.carrier, batch.carriers) == ("annotation", {})
    assert batch.type_names == {"BatchAccount/spec/encryption": "Encryption"}
    assert (orders.package, orders.api_group, orders.hub) == ("orders", None, None)
    assert orders.edges == (("v1", "v2"),)
    assert (orders.carrier, orders.carriers) == (None, {"Order": "none", "Invoice": "field"})
    assert (kebab.name, kebab.package, kebab.edges) == ("kebab-case", "kebab", "star")
    (source,) = declared.sources
    assert isinstance(source, DeclaredSource)
    assert (source.pattern, declared.versions) == ("schemas/people.py", ())


def test_overlays(tmp_path: Path) -> None:
    """An overlay keeps what it is for; its schema stays where it stands."""
    first, second = _read(tmp_path, FULL).groups[0].overlays
    assert first == OverlayConfig(
        first.location,
        kinds=["BatchAccount", "Pool"],
        versions=["v20210101"],
        path="spec/mounts/*",
    )
    assert (str(first.location), first.location.pointer) == (
        "holdall.yaml:14",
        "/groups/batch/overlays/0",
    )
    assert second == OverlayConfig(second.location, file="overlays/pool.yaml")


def test_property_facts(tmp_path: Path) -> None:
    """Each spelling of a property's facts arrives as the option it stands for."""
    where = _facts(_read(tmp_path, FULL)).types[0].properties[0].location
    found = {facts.path: facts for facts in _facts(_read(tmp_path, FULL)).types[0].properties}
    expected = [
        PropertyFacts(("poolQuota",), where, rename="quota"),
        PropertyFacts(("activeKey", "vaultName"), where, move=("vaultName",)),
        PropertyFacts(("host",), where, not_same=True),
        PropertyFacts(("sku",), where, values={"Basic": "Base"}),
        PropertyFacts(("autoscale",), where, rename="scale", wrap=True),
        PropertyFacts(("subnetId",), where, rename="subnetReference", reference="id"),
        PropertyFacts(("zone",), where, strategy="hook"),
        PropertyFacts(("other",), where, strategy="stash"),
        PropertyFacts(("level",), where, misfit="error"),
        PropertyFacts(
            ("hired",),
            where,
            retyped=RetypedFacts(Function("acme.days:to_day"), Function("acme.days:to_year")),
        ),
        PropertyFacts(
            ("mode",),
            where,
            variants=VariantFacts({"Fast": "Quick"}, {"Odd": "Quick"}, {"New": "Fast"}),
        ),
        PropertyFacts(("size",), where, default=Constant(1)),
        PropertyFacts(("rooms",), where, default=Function("acme.rooms:none")),
        PropertyFacts(("legacyName",), where, rename="newName"),
        PropertyFacts(("$schema",), where, values={"urn:v1": "urn:v2"}),
        PropertyFacts(
            ("left",),
            where,
            move=("far", "left"),
            retyped=RetypedFacts(Function("acme.days:left"), Implicit(), may_raise=True),
        ),
        PropertyFacts(("memoryMB",), where, move=("resources", "memory"), unit="Mi"),
        PropertyFacts(("cpu",), where, unit=""),
        PropertyFacts(("args",), where, keyed=("name", "value")),
        PropertyFacts(("zones",), where, keyed=("id/a", "")),
        PropertyFacts(("drainTimeout",), where, rename="drainSeconds", duration="seconds"),
        PropertyFacts(("a/b", "c~d"), where, move=("e/f",)),
    ]
    for facts in expected:
        actual = found[facts.path]
        assert {
            name: getattr(actual, name) for name in PropertyFacts.__slots__ if name != "location"
        } == {name: getattr(facts, name) for name in PropertyFacts.__slots__ if name != "location"}
    assert len(found) == len(expected)


def test_type_facts(tmp_path: Path) -> None:
    """Type renames, skips, wildcards and skip links are read in the order of the file."""
    config = _read(tmp_path, FULL)
    types = {facts.pattern: facts for facts in _facts(config).types}
    assert types["Foo_Bar"].type == "FooBar"
    assert types["Odd"].skip
    assert list(types) == ["BatchAccountSpec", "Foo_Bar", "Odd", "*Status"]
    assert (_facts(config, 1).older, _facts(config, 1).newer) == ("v20210101", "v20230501")


def test_locations(tmp_path: Path) -> None:
    """A location names the file from the root and the line of the fact."""
    location = _facts(_read(tmp_path, FULL)).types[0].properties[0].location
    assert str(location) == "holdall.yaml:32"
    assert location.pointer == (
        "/groups/batch/between/v20210101 -> v20220601/BatchAccountSpec/poolQuota"
    )


def test_pairs_are_turned(tmp_path: Path) -> None:
    """Listed edges come out older first, whichever way they are written."""
    config = _read(tmp_path, small("edges: [[v3, v2], [v1, v2]]"))
    assert config.groups[0].edges == (("v2", "v3"), ("v1", "v2"))


MISTAKES = [
    # name, text, code and line, words of the message
    ("key", small("hubb: v1"), "HA121:6", 'no key "hubb"; did you mean "hub"'),
    ("top key", "group: {}\n", "HA121:1", 'did you mean "groups"'),
    ("source key", SMALL.replace("crds:", "crd:"), "HA122:4", 'did you mean "crds"'),
    ("no groups", "output: out\n", "HA122:1", "no groups"),
    ("no versions", "groups: {a: {sources: [{crds: x}]}}\n", "HA122:1", "no versions"),
    ("no sources", "groups: {a: {versions: [v1]}}\n", "HA122:1", "no sources"),
    ("a list", "- groups\n", "HA123:1", "must be a mapping, not a list"),
    ("number", SMALL.replace("[v1,", "[1,"), "HA123:5", "must be a string, not an integer"),
    ("null", small("hub:"), "HA123:6", "must be a string, not null"),
    ("null list", SMALL.replace("[v1, v2, v3]", ""), "HA123:5", "versions must be a list"),
    ("empty", SMALL.replace("[v1, v2, v3]", "[]"), "HA123:5", "is empty"),
    (
        "odd version",
        SMALL.replace("v1,", "v 1,"),
        "HA124:5",
        "with . _ + - between them, such as v1b",
    ),
    ("api group", small("api_group: a/b"), "HA124:6", "spaces or /, such as batch.example.com"),
    ("odd kind", small("carrier: {a/b: none}"), "HA124:6", "without spaces, / or *"),
    ("edges", small("edges: stra"), "HA123:6", 'did you mean "star"'),
    ("triple", small("edges: [[v1, v2, v3]]"), "HA123:6", "joins two versions, not 3"),
    ("carrier", small("carrier: anotation"), "HA123:6", 'did you mean "annotation"'),
    ("skip false", pool("$skip: false"), "HA123:9", "must be true, not false"),
    ("keyword", small("package: class"), "HA124:6", "not a Python package name"),
    ("group", SMALL.replace("batch:", "a-b:"), "HA124:3", 'the group "a-b" is not a Python'),
    ("output", "output: src/generated\n" + SMALL, "HA124:1", "src/generated"),
    ("absolute", SMALL.replace("crds.yaml", "/crds.yaml"), "HA124:4", "below the project's root"),
    ("pair", small("between: {v1 to v2: {A: {b: c}}}"), "HA124:6", "a pair of versions"),
    ("escape", pool("a~b: c"), "HA124:9", "not a property path"),
    ("hooked text", pool("$hook: a"), "HA123:9", "$hook must be a list"),
    ("hooked path", pool("$hook: [a/b]"), "HA124:9", "a name in $hook"),
    ("hooked twice", pool("$hook: [a, a]"), "HA126:9", "a is declared twice"),
    ("hooked and", pool("$hook: [a]", "a: b"), "HA126:9", "a is declared"),
    ("type key", pool("$skp: true"), "HA121:9", 'did you mean "$skip"'),
    ("slash", pool("/a/b: {move: b}"), "HA124:9", "not a property path"),
    ("both", SMALL.replace("crds.yaml", "a\n        schemas: b"), "HA125:4", "crds and schemas"),
    ("two ways", pool("a: {rename: b, move: c/d}"), "HA125:9", "rename and move"),
    ("function", pool("a: {upgrade_with: int}"), "HA124:9", "package.module:name"),
    ("null default", pool("a: {default: null}"), "HA123:9", "the property is absent"),
    ("unit of memory", pool("a: {unit: MB}"), "HA123:9", 'did you mean "M"'),
    ("two units", pool("a: {unit: Mi, duration: seconds}"), "HA125:9", "duration and unit"),
    ("three members", pool("a: {keyed: a/b/c}"), "HA124:9", "key/value"),
    ("a member twice", pool("a: {keyed: b/b}"), "HA124:9", "two different ones"),
    ("no member", pool("a: {keyed: /a}"), "HA124:9", "key/value"),
    (
        "function and key",
        pool("a: {keyed: b, downgrade_with: 'm:f'}"),
        "HA125:9",
        "downgrade_with and keyed",
    ),
    ("unit of time", pool("a: {duration: second}"), "HA123:9", '"seconds"'),
    (
        "function and duration",
        pool("a: {duration: hours, upgrade_with: 'm:f'}"),
        "HA125:9",
        "upgrade_with and duration",
    ),
    (
        "strategy and duration",
        pool("a: {duration: hours, strategy: hook}"),
        "HA125:9",
        "strategy and duration",
    ),
    ("variants", pool("a: {variants: {old: {b: c}}}"), "HA121:9", '"older"'),
    (
        "function and",
        pool("a: {upgrade_with: 'm:f', wrap: true}"),
        "HA125:9",
        "upgrade_with and wrap",
    ),
    ("default and", pool("a: {default: 1, rename: b}"), "HA125:9", "default and rename"),
    (
        "declared and more",
        "groups: {a: {sources: [{declared: a.py}, {crds: b}]}}\n",
        "HA125:1",
        "declaration must be the only source",
    ),
    (
        "two members for versions",
        small("api_group: a.example.com", "version_at: v"),
        "HA125:7",
        "say their version in apiVersion",
    ),
    (
        "inner and version_at",
        small("version_at: v", "inner_documents: [{in: [A], path: b}]"),
        "HA125:6",
        "inner documents say their version in apiVersion",
    ),
    (
        "declared and version_at",
        "groups: {a: {sources: [{declared: a.py}], version_at: v}}\n",
        "HA125:1",
        "a declaration says what its documents look like",
    ),
    ("alone", pool("a: {not_same: true, wrap: true}"), "HA125:9", "not_same and"),
    ("maps", pool("a: {values: {x: z}, reference: id}"), "HA125:9", "values and reference"),
    ("hook", pool("a: {strategy: hook, wrap: true}"), "HA125:9", "strategy and"),
    ("move", pool("a: {move: b/c, strategy: stash}"), "HA125:9", "whole"),
    ("stash", pool("a: {strategy: stash, rename: b}"), "HA125:9", "keeps both"),
    ("level", pool("a: {move: b}"), "HA125:9", "stays on its level"),
    ("nested", pool("a/b: not_same"), "HA125:9", "only move takes a path"),
    ("skip and", pool("$skip: true", "a: b"), "HA125:9", "$skip leaves"),
    (
        "many",
        BETWEEN.replace("Pool", '"P*"') + "          $type: Q\n",
        "HA125:9",
        "may match several",
    ),
    ("ignored key", ignored("{rul: x}"), "HA121:8", 'did you mean "rule"'),
    ("ignored", ignored("{rule: type-changed, until: '2030-01-01'}"), "HA122:8", "no reason"),
    (
        "ignored rule",
        ignored("{rule: type-change, until: '2030-01-01', reason: x}"),
        "HA123:8",
        'did you mean "type-changed"',
    ),
    (
        "ignored day",
        ignored("{rule: type-changed, until: '2030-02-30', reason: x}"),
        "HA124:8",
        'until "2030-02-30" is not a date',
    ),
    (
        "ignored number",
        ignored("{rule: type-changed, until: 2030, reason: x}"),
        "HA123:8",
        "until must be a string",
    ),
    ("version twice", SMALL.replace("v3", "v1"), "HA126:5", "v1 is listed twice"),
    ("edge twice", small("edges: [[v1, v2], [v2, v1], [v2, v3]]"), "HA126:6", "[v1, v2]"),
    (
        "pair twice",
        BETWEEN + "          a: b\n      v1->v2:\n        X: {c: d}\n",
        "HA126:11",
        "in two places",
    ),
    ("target", pool("a: c", "b: {rename: c}"), "HA126:10", "both become c"),
    (
        "source twice",
        SMALL.replace("crds.yaml", "x\n      - crds: x"),
        "HA126:5",
        "x has two sources",
    ),
    ("hub", small("hub: v22"), "HA127:6", 'unlisted version "v22"; did you mean "v2"'),
    ("end", small("edges: [[v1, v2], [v2, v4]]"), "HA127:6", 'unlisted version "v4"'),
    ("side", small("between: {v1 -> v9: {A: {b: c}}}"), "HA127:6", '"v9"'),
    ("cycle", small("edges: [[v1, v2], [v2, v3], [v3, v1]]"), "HA128:6", "v1 - v2 - v3"),
    ("unreached", small("edges: [[v1, v2]]"), "HA128:6", "do not lead from v1 to v3"),
    ("loop", small("edges: [[v1, v1]]"), "HA128:6", "joins v1 to itself"),
    (
        "order",
        small("between: {v2 -> v1: {A: {b: c}}}"),
        "HA129:6",
        "the older version comes first, and versions lists v1 before v2",
    ),
    ("one", small("between: {v1 -> v1: {A: {b: c}}}"), "HA129:6", "one version twice"),
    ("like", SMALL.replace("v3]", "{name: v3, like: v2}]"), "HA125:5", "this one is not internal"),
    (
        "all internal",
        SMALL.replace("[v1, v2, v3]", "[{name: v1, internal: true}]"),
        "HA130:5",
        "every version is internal",
    ),
    (
        "like internal",
        SMALL.replace("v2, v3]", "{name: a, internal: true}, {name: b, internal: true, like: a}]"),
        "HA130:5",
        "internal itself",
    ),
    (
        "no source",
        SMALL.replace("crds: crds.yaml", "{schemas: a.json, version: v1}"),
        "HA130:4",
        "the version v2 has no source",
    ),
    (
        "two shapes",
        SMALL.replace("v2, v3]", "{name: v2, internal: true, like: v1}]").replace(
            "crds.yaml", "x\n      - {schemas: y.json, version: v2}"
        ),
        "HA130:4",
        "has schemas of its own, but also like: v1",
    ),
    ("overlay key", overlay("{file: x, kind: A}"), "HA121:7", 'did you mean "kinds"'),
    ("empty overlay", overlay("{kinds: [A]}"), "HA122:7", "neither properties nor file"),
    ("no overlay", overlay("1"), "HA123:7", "an overlay must be a mapping, not an integer"),
    ("no kinds", overlay("{kinds: [], file: x}"), "HA123:7", "kinds is empty"),
    ("no properties", overlay("{properties: {}}"), "HA123:7", "properties is empty"),
    ("kind path", overlay("{kinds: [A/spec], file: x}"), "HA124:7", "the name of a kind"),
    ("overlay path", overlay("{path: /spec, file: x}"), "HA124:7", "as spec/pools/*"),
    ("overlay file", overlay("{file: /x}"), "HA124:7", "below the project's root"),
    ("two schemas", overlay("{file: x, properties: {a: {}}}"), "HA125:7", "properties and file"),
    ("kind twice", overlay("{kinds: [A, A], file: x}"), "HA126:7", "names A twice"),
    ("overlay version", overlay("{versions: [v22], file: x}"), "HA127:7", 'did you mean "v2"'),
    ("itself", pool("a: a"), "HA131:9", "a is renamed to itself"),
    ("type itself", pool("$type: Pool"), "HA131:9", "renamed to itself"),
    ("move itself", pool("a/b: {move: a/b}"), "HA131:9", "moved to itself"),
    ("value itself", pool("a: {values: {x: x}}"), "HA131:9", "mapped to itself"),
    (
        "packages",
        SMALL + "  b: {package: Batch, sources: [{crds: x}], versions: [v1]}\n",
        "HA132:6",
        "overlap: both are in",
    ),
    ("folders", "hooks: generated.hooks\n" + SMALL, "HA132:1", "share a folder"),
    ("tool", "output: holdall.out\n" + SMALL, "HA132:1", "would hide holdall,"),
    ("Python", "output: platform\n" + SMALL, "HA132:1", "would hide platform,"),
    ("dependency", "hooks: yaml.hooks\n" + SMALL, "HA132:1", "would hide yaml,"),
]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [pytest.param(*mistake[1:], id=mistake[0]) for mistake in MISTAKES],
)
def test_mistake(tmp_path: Path, text: str, place: str, words: str) -> None:
    """A mistake is reported with its code, its line, what is wrong and what to do."""
    code, line = place.split(":")
    problems = [problem for problem in _problems(tmp_path, text) if problem.code == code]
    assert [problem.where for problem in problems][:1] == [f"holdall.yaml:{line}"]
    assert words in problems[0].message
    assert problems[0].fix


def test_a_name_with_a_slash(tmp_path: Path) -> None:
    """It reads like a way into an object; the fix says how it is written."""
    (problem,) = _problems(tmp_path, pool("a/b/c~0d: not_same"))
    assert problem.fix.endswith("; if it is one name with a slash, write a~1b~1c~0d")


@pytest.mark.parametrize("fact", ["b: {rename: a/b}", "b: a/b", "$hook: [a/b]"])
def test_one_name_with_a_slash(tmp_path: Path, fact: str) -> None:
    """Where no path can be, the fix says how a slash is written in a name."""
    (problem,) = _problems(tmp_path, pool(fact))
    assert "~1 is a slash" in problem.fix


def test_all_at_once(tmp_path: Path) -> None:
    """All mistakes of a file are reported in one run, in the order of their lines."""
    text = BETWEEN + "          a: a\n          b: {wrap: 1}\n    hub: v9\n    carier: none\n"
    assert [(problem.code, problem.where) for problem in _problems(tmp_path, text)] == [
        ("HA131", "holdall.yaml:9"),
        ("HA123", "holdall.yaml:10"),
        ("HA127", "holdall.yaml:11"),
        ("HA121", "holdall.yaml:12"),
    ]


def test_one_mistake_one_problem(tmp_path: Path) -> None:
    """A version that cannot be read does not make each mention of it a problem of its own."""
    text = SMALL.replace("[v1,", "[{nam: v1},") + "    hub: v1\n    edges: [[v1, v2], [v2, v3]]\n"
    assert [problem.code for problem in _problems(tmp_path, text)] == ["HA121"]


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        (SMALL.replace("[v1, v2, v3]", "[]"), "add an entry"),
        ("groups: {}\n", "add an entry"),
        ("{}\n", "add an entry"),
        ("groups: {a: {versions: [v1], sources: []}}\n", "add an entry"),
        (small("between: {}"), "add an entry, or remove it"),
        (
            "groups: {a: {versions: [], sources: [{declared: a.py}]}}\n",
            "add an entry, or remove it",
        ),
    ],
)
def test_what_is_needed_is_filled(tmp_path: Path, text: str, fix: str) -> None:
    """Nobody is told to remove a key without which the next problem would be that it is missing."""
    fixes = [problem.fix for problem in _problems(tmp_path, text) if problem.code == "HA123"]
    assert fixes == [fix]


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("a: {move: b/c, strategy: hook}", "a: {rename: b, strategy: hook}"),
        ("a/b: {move: c, strategy: hook}", "a: {rename: c, strategy: hook}"),
        ("a/b: {move: a/c, strategy: hook}", "a: {strategy: hook}"),
    ],
)
def test_a_hook_takes_whole_properties(tmp_path: Path, line: str, instead: str) -> None:
    """A move that is left to a hook had no effect but the move; what is meant can be said."""
    (problem,) = _problems(tmp_path, pool(line))
    assert problem.fix == f"remove strategy, or write {instead}"
    assert _facts(_read(tmp_path, pool(instead))).types


@pytest.mark.parametrize("text", ["", "# nothing\n", "groups: {}\n---\ngroups: {}\n"])
def test_one_document(tmp_path: Path, text: str) -> None:
    """A file without a document, or with two, is no configuration."""
    assert {problem.code for problem in _problems(tmp_path, text)} <= {"HA120", "HA123"}


def test_no_file(tmp_path: Path) -> None:
    """A missing file is a problem with a way out, not a traceback."""
    expected = (
        r"HA120 holdall\.yaml: there is no such file\n"
        r"    fix: go to the project's folder, or write one with `holdall init SCHEMAS`"
    )
    with pytest.raises(SourceError, match=expected):
        read_config(tmp_path / "holdall.yaml")


@pytest.mark.parametrize("is_link", [False, True])
def test_no_file_but_something_else(tmp_path: Path, is_link: bool) -> None:
    """A folder, or a link that leads nowhere, is called what it is."""
    path = tmp_path / "holdall.yaml"
    if is_link:
        path.symlink_to("gone/holdall.yaml")
        said = "a broken link to gone/holdall.yaml"
    else:
        path.mkdir()
        said = "a folder"
    with pytest.raises(SourceError, match=f"HA120 .*: this is {said}\n    fix: move it away"):
        read_config(path)


@pytest.mark.parametrize("text", ["groups: [\n", "groups: 1\ngroups: 2\n", "groups: yes\n"])
def test_unreadable_text(tmp_path: Path, text: str) -> None:
    """What the YAML reader refuses is named from the root, like all other problems."""
    for problem in _problems(tmp_path, text):
        assert problem.where.startswith("holdall.yaml:")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("notSame", '; did you mean "not_same"?'),
        ("RENAME", '; did you mean "rename"?'),
        ("reanme", '; did you mean "rename"?'),
        ("zone", ""),
    ],
)
def test_nearest(name: str, said: str) -> None:
    """Case and underscores do not hide the nearest name, and nothing is said if none is near."""
    assert nearest(name, ["rename", "not_same"]) == said
    assert nearest(name, ["not_same", "rename"]) == said


SCHEMA_FILE = Path(holdall_codegen.__file__).parent / "holdall.schema.json"
SCHEMA = config_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
IN_SCHEMA = {
    node.UNKNOWN_KEY,
    node.MISSING_KEY,
    node.WRONG_TYPE,
    node.MALFORMED_NAME,
    node.CONTRADICTION,
}
"""The rules that a JSON Schema can express; all others compare names across the file."""


def _codes(folder: Path, text: str) -> set[str]:
    try:
        _read(folder, text)
    except SourceError as error:
        return {problem.code for problem in error.problems}
    return set()


def _load(folder: Path, text: str) -> JsonValue:
    from holdall.text.loading import load_file

    path = folder / "loaded.yaml"
    path.write_text(text, encoding="utf-8")
    return load_file(path)[0].value


def test_schema_is_a_schema() -> None:
    """The published schema is valid and describes every key."""
    Draft202012Validator.check_schema(SCHEMA)
    definitions: Any = SCHEMA["$defs"]
    for definition in _subschemas(SCHEMA):
        for name, member in definition.get("properties", {}).items():
            target = member.get("$ref", "").removeprefix("#/$defs/")
            text = member if "description" in member else definitions.get(target, member)
            assert "description" in text or set(member) == {"const"}, name


@pytest.mark.parametrize(
    ("text", "code"), [pytest.param(m[1], m[2].split(":")[0], id=m[0]) for m in MISTAKES]
)
def test_schema_refuses_mistakes(tmp_path: Path, text: str, code: str) -> None:
    """The schema refuses each mistake whose rule it can express, and no other."""
    assert code in _codes(tmp_path, text)
    assert VALIDATOR.is_valid(_load(tmp_path, text)) == (code not in IN_SCHEMA)


@pytest.mark.parametrize("text", [FULL, MORE, SMALL])
def test_schema_accepts_good_files(tmp_path: Path, text: str) -> None:
    """The schema accepts what the reader accepts."""
    assert [error.message for error in VALIDATOR.iter_errors(_load(tmp_path, text))] == []


def test_schema_is_that_of_the_keys(update_goldens: bool) -> None:
    """The published schema is made from the structs that the reader reads by."""
    if update_goldens:
        SCHEMA_FILE.write_text(json.dumps(config_schema(), indent=1) + "\n", encoding="utf-8")
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == config_schema()


def _containers(value: JsonValue) -> Iterator[list[JsonValue] | dict[str, JsonValue]]:
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from _containers(member)
    elif isinstance(value, list):
        yield value
        for item in value:
            yield from _containers(item)


def _subschemas(value: JsonValue) -> Iterator[dict[str, dict[str, dict[str, str]]]]:
    names = [
        container.get("properties")
        for container in _containers(value)
        if isinstance(container, dict)
    ]
    for container in _containers(value):
        # A mapping of names to schemas is no schema, though a name may be `properties`.
        if any(container is mapping for mapping in names):
            continue
        if isinstance(container, dict) and isinstance(container.get("properties"), dict):
            yield container  # type: ignore[misc]


VALUES: list[JsonValue] = [
    *(None, True, False, 1, 1.5, "", " ", "v1", "v2", "a/b", "a~b", "$x", "not_same", "chain"),
    *("class", "none", "hook", "stash", "/a", "v1 -> v2", "*"),
    [],
    ["v1"],
    [["v1", "v2"]],
    {},
    {"a": "b"},
    {"name": "v1"},
    {"crds": "x"},
    {"rename": "b"},
]
KEYS = sorted(
    {
        *(key for definition in _subschemas(SCHEMA) for key in definition["properties"]),
        *("a", "a/b", "a~1b", "~", "$x", "v1 -> v2", "v1-v2", "*", "if", "x y", ""),
    }
)


@settings(
    deadline=None,
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_schema_and_reader_agree(tmp_path: Path, data: st.DataObject) -> None:
    """Whatever is changed in a good file, the schema refuses it if and only if the reader does."""
    value = _load(tmp_path, data.draw(st.sampled_from([FULL, MORE])))
    for _ in range(data.draw(st.integers(1, 2))):
        container = data.draw(st.sampled_from(list(_containers(value))))
        new = deepcopy(data.draw(st.sampled_from(VALUES)))
        if isinstance(container, list):
            place = data.draw(st.integers(0, max(len(container) - 1, 0)))
            container[place : place + data.draw(st.integers(0, 1))] = [new]
        else:
            key = data.draw(st.sampled_from([*container, *KEYS]))
            if data.draw(st.booleans()):
                container[key] = new
            else:
                container.pop(key, None)
    text = json.dumps(value)
    path = tmp_path / "holdall.text.json"
    path.write_text(text, encoding="utf-8")
    codes = set()
    try:
        read_config(path)
    except SourceError as error:
        codes = {problem.code for problem in error.problems}
    if VALIDATOR.is_valid(value):
        assert not codes & IN_SCHEMA
    else:
        assert codes
