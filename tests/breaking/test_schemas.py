"""`holdall breaking`: every rule about CRDs has a change that breaks and one that does not."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from holdall.text import yaml
from holdall_codegen.breaking.gate import find_breaking
from holdall_codegen.breaking.ignoring import Sifted
from holdall_codegen.breaking.reading import read_api
from holdall_codegen.breaking.schema_changes import compare_schemas
from tests.support.crds import crd_of, struct

Edit = Callable[[dict[str, Any]], object]

SPEC = """
type: object
required: [name]
properties:
  name: {type: string, minLength: 2, maxLength: 20, pattern: "^[a-z]+$"}
  size: {type: integer, minimum: 1, maximum: 10, format: int64, default: 3}
  mode: {type: string, enum: [fast, slow]}
  note: {type: string, nullable: true}
  when: {type: string}
  tags: {type: array, maxItems: 5, x-kubernetes-list-type: set, items: {type: string}}
  ports:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [port]
    items:
      type: object
      required: [port]
      properties: {port: {type: integer}, protocol: {type: string, default: TCP}}
  lines: {type: array, items: {type: string}}
  labels: {type: object, additionalProperties: {type: string}}
  named: {patternProperties: {"^a": {type: string}}, additionalProperties: false}
  free: {type: object, x-kubernetes-preserve-unknown-fields: true}
  either: {x-kubernetes-int-or-string: true}
  choice:
    type: object
    properties: {a: {type: string}, b: {type: string}}
    anyOf: [{required: [a]}, {required: [b]}]
    x-kubernetes-validations: [{rule: "has(self.a)", message: a is needed}]
"""


def crd(*versions: str) -> dict[str, Any]:
    """Return a CRD with these versions, the last one stored."""
    spec = yaml.load_all(SPEC, "spec")[0].value
    crd = crd_of(
        "Box",
        {name: deepcopy(struct(spec=spec)) for name in versions},
        subresources={"status": {}},
        selectableFields=[{"jsonPath": ".spec.mode"}],
    )
    crd["spec"]["names"]["shortNames"] = ["bx"]
    return crd


def version(value: dict[str, Any], index: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = value["spec"]["versions"][index]
    return found


def properties(value: dict[str, Any], index: int = 0) -> dict[str, Any]:
    schema = version(value, index)["schema"]["openAPIV3Schema"]
    found: dict[str, Any] = schema["properties"]["spec"]["properties"]
    return found


def spec(value: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = version(value)["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return found


def set_to(path: str, said: object) -> Edit:
    """Return the edit that sets a member below the properties of the spec, `None` removes it."""

    def edit(value: dict[str, Any]) -> None:
        *above, last = path.split(".")
        place = properties(value)
        for name in above:
            place = place[name]
        if said is None:
            del place[last]
        else:
            place[last] = said

    return edit


def compared(folder: Path, before: dict[str, Any], after: dict[str, Any]) -> Sifted:
    """Compare two CRDs."""
    apis = []
    for name, value in (("before", before), ("after", after)):
        path = folder / f"{name}.yaml"
        path.write_text(yaml.dump(value), encoding="utf-8")
        apis.append(read_api(path))
    return find_breaking(*apis, today=date(2030, 1, 1))


def found(folder: Path, before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the findings as tuples of rule, version and path."""
    sifted = compared(folder, before, after)
    return [(item.name, item.version, item.path) for item in sifted.findings]


def after(edit: Edit, *versions: str) -> dict[str, Any]:
    value = crd(*(versions or ("v1",)))
    edit(value)
    return value


BREAKING: list[tuple[str, str, Edit]] = [
    ("property-removed", "spec/when", set_to("when", None)),
    ("property-removed", "spec/ports/*/protocol", set_to("ports.items.properties.protocol", None)),
    ("type-changed", "spec/when", set_to("when.type", "integer")),
    ("type-changed", "spec/labels/*", set_to("labels.additionalProperties.type", "integer")),
    ("type-changed", "spec/named/*", set_to("named.patternProperties.^a.type", "integer")),
    ("schema-changed", "spec/named", set_to("named.patternProperties", {"^b": {"type": "string"}})),
    ("type-changed", "spec/tags/*", set_to("tags.items.type", "integer")),
    ("type-changed", "spec/lines/*", set_to("lines.items", None)),
    ("type-changed", "spec/either", set_to("either", {"type": "string"})),
    (
        "type-changed",
        "spec/labels",
        set_to("labels", {"type": "object", "properties": {"a": {"type": "string"}}}),
    ),
    (
        "list-type-changed",
        "spec/tags",
        set_to("tags.x-kubernetes-list-type", "atomic"),
    ),
    (
        "list-type-changed",
        "spec/labels",
        set_to("labels.x-kubernetes-map-type", "atomic"),
    ),
    (
        "list-keys-changed",
        "spec/ports",
        set_to("ports.x-kubernetes-list-map-keys", ["port", "protocol"]),
    ),
    ("members-closed", "spec/free", set_to("free", {"type": "object"})),
    ("default-changed", "spec/size", set_to("size.default", 4)),
    ("default-changed", "spec/size", set_to("size.default", None)),
    ("default-changed", "spec/when", set_to("when.default", "now")),
    ("not-additive", "spec/mode", set_to("mode.enum", ["fast", "slow", "idle"])),
    ("not-additive", "spec/mode", set_to("mode.enum", None)),
    ("not-additive", "spec/when", set_to("when.nullable", True)),
    ("not-additive", "spec/name", lambda value: spec(value).pop("required")),
    ("required-added", "spec/when", lambda value: spec(value).update(required=["name", "when"])),
    (
        "required-added",
        "spec/fresh",
        lambda value: (
            spec(value).update(required=["name", "fresh"]),
            properties(value).update(fresh={"type": "string"}),
        ),
    ),
    ("enum-narrowed", "spec/mode", set_to("mode.enum", ["fast"])),
    ("enum-narrowed", "spec/when", set_to("when.enum", ["now"])),
    ("range-narrowed", "spec/size", set_to("size.minimum", 2)),
    ("range-narrowed", "spec/size", set_to("size.maximum", 9)),
    ("range-narrowed", "spec/size", set_to("size.exclusiveMaximum", True)),
    ("length-narrowed", "spec/name", set_to("name.minLength", 3)),
    ("length-narrowed", "spec/name", set_to("name.maxLength", 19)),
    ("length-narrowed", "spec/when", set_to("when.maxLength", 100)),
    ("length-narrowed", "spec/tags", set_to("tags.maxItems", 4)),
    ("length-narrowed", "spec/tags", set_to("tags.minItems", 1)),
    ("length-narrowed", "spec/labels", set_to("labels.maxProperties", 9)),
    ("length-narrowed", "spec/labels", set_to("labels.minProperties", 1)),
    ("length-narrowed", "spec/tags", set_to("tags.uniqueItems", True)),
    ("pattern-changed", "spec/name", set_to("name.pattern", "^[a-c]+$")),
    ("pattern-changed", "spec/when", set_to("when.pattern", "now")),
    ("pattern-changed", "spec/mode", set_to("mode.pattern", "^.{1,99999999999}$")),
    ("pattern-changed", "spec/mode", set_to("mode.pattern", "^[[:alpha:]]+$")),
    ("format-changed", "spec/size", set_to("size.format", "int32")),
    ("format-changed", "spec/when", set_to("when.format", "date")),
    ("nullable-removed", "spec/note", set_to("note.nullable", None)),
    (
        "rule-added",
        "spec/choice",
        set_to("choice.x-kubernetes-validations", [{"rule": "has(self.b)"}]),
    ),
    (
        "rule-added",
        "spec/choice",
        set_to("choice.x-kubernetes-validations", [{"rule": "(" * 5000 + "true" + ")" * 5000}]),
    ),
    (
        "schema-changed",
        "spec/choice",
        set_to("choice.anyOf", [{"required": ["a"]}, {"minProperties": 2}]),
    ),
    ("required-added", "spec/choice/a", set_to("choice.anyOf", [{"required": ["a"]}])),
    ("schema-changed", "spec/choice", set_to("choice.oneOf", [{"required": ["a"]}] * 2)),
    ("schema-changed", "spec/size", set_to("size.multipleOf", 2)),
    ("schema-changed", "spec/when", set_to("when.not", {"enum": ["never"]})),
    ("schema-changed", "spec/choice", set_to("choice.dependencies", {"title": ["a"]})),
    ("schema-changed", "spec/choice", set_to("choice.not", {"enum": [{"title": "a"}]})),
]

HARMLESS: list[tuple[str, Edit]] = [
    ("a new optional property", set_to("fresh", {"type": "string"})),
    (
        "a new object with a member that it requires",
        set_to(
            "fresh",
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
        ),
    ),
    (
        "a new member that is required and has a default",
        lambda value: (
            spec(value).update(required=["name", "fresh"]),
            properties(value).update(fresh={"type": "string", "default": "x"}),
        ),
    ),
    ("a description", set_to("when.description", "when it was packed")),
    ("type-changed: an equal type", set_to("when", {"type": "string", "title": "When"})),
    ("list-type-changed: so it was", set_to("labels.x-kubernetes-map-type", "granular")),
    ("list-keys-changed: another order", set_to("ports.x-kubernetes-list-map-keys", ["port"])),
    ("list-type-changed: the default is said", set_to("lines.x-kubernetes-list-type", "atomic")),
    ("members-closed: opened", set_to("choice.x-kubernetes-preserve-unknown-fields", True)),
    ("default-changed: the same", set_to("size.default", 3)),
    ("enum-narrowed: another order", set_to("mode.enum", ["slow", "fast"])),
    ("range-narrowed: wider", set_to("size.maximum", 11)),
    ("range-narrowed: no limit", set_to("size.minimum", None)),
    ("length-narrowed: wider", set_to("name.maxLength", 21)),
    ("length-narrowed: no limit", set_to("tags.maxItems", None)),
    ("nullable-removed: it may be null", set_to("note.nullable", True)),
    ("pattern-changed: any text", set_to("name.pattern", None)),
    ("format-changed: none", set_to("size.format", None)),
    ("rule-added: removed", set_to("choice.x-kubernetes-validations", None)),
    (
        "rule-added: another message",
        set_to("choice.x-kubernetes-validations", [{"rule": "has(self.a)", "message": "a!"}]),
    ),
    (
        "schema-changed: one more alternative",
        set_to("choice.anyOf", [{"required": ["a"]}, {"required": ["b"]}, {}]),
    ),
    (
        "schema-changed: a text in an alternative",
        set_to("choice.anyOf", [{"required": ["a"], "description": "a"}, {"required": ["b"]}]),
    ),
    (
        "schema-changed: a hint in an alternative",
        set_to("choice.anyOf", [{"required": ["a"], "x-order": 1}, {"required": ["b"]}]),
    ),
    (
        "schema-changed: what a document says about itself",
        set_to("when.x-kubernetes-group-version-kind", [{"group": "", "version": "v1"}]),
    ),
    ("schema-changed: a hint for editors", set_to("when.markdownDescription", "*when*")),
]
IDS = [f"{number} {rule} {path}" for number, (rule, path, _) in enumerate(BREAKING)]


@pytest.mark.parametrize(("rule", "path", "edit"), BREAKING, ids=IDS)
def test_what_breaks_is_found(rule: str, path: str, edit: Edit, tmp_path: Path) -> None:
    """The rule is named with its place, and no other rule is."""
    assert found(tmp_path, crd("v1"), after(edit)) == [(rule, "v1", path)]


@pytest.mark.parametrize(("rule", "path", "edit"), BREAKING, ids=IDS)
def test_what_the_base_had_is_not_reported(
    rule: str, path: str, edit: Edit, tmp_path: Path
) -> None:
    """A state that is compared with itself has no findings, whatever is in it."""
    assert found(tmp_path, after(edit), after(edit)) == []


@pytest.mark.parametrize(("what", "edit"), HARMLESS, ids=[what for what, _ in HARMLESS])
def test_what_is_harmless_is_not_found(what: str, edit: Edit, tmp_path: Path) -> None:
    """What adds, widens or explains breaks nobody."""
    assert found(tmp_path, crd("v1"), after(edit)) == []


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        (set_to("mode.enum", ["fast", "slow", "idle"]), "spec/mode"),
        (set_to("when.nullable", True), "spec/when"),
        (lambda value: spec(value).pop("required"), "spec/name"),
    ],
)
def test_versions_that_are_not_stable_may_answer_more(
    edit: Edit, path: str, tmp_path: Path
) -> None:
    """What a beta version did not answer yet, its clients have to expect."""
    assert found(tmp_path, crd("v1beta1"), after(edit, "v1beta1")) == []
    assert found(tmp_path, crd("v1"), after(edit, "v1")) == [("not-additive", "v1", path)]


def test_differences_are_told_before_they_are_judged(tmp_path: Path) -> None:
    """What is harmless is a difference, too: with its aspect, its place and its line."""
    sides = []
    for name, value in (("a", crd("v1")), ("b", after(set_to("fresh", {"type": "string"})))):
        path = tmp_path / f"{name}.yaml"
        path.write_text(yaml.dump(value), encoding="utf-8")
        sides.append(read_api(path).kinds["example.com", "Box"].versions["v1"].schema)
    (change,) = compare_schemas(*sides)
    assert (change.aspect, change.paths, change.name) == ("added", (("spec",),), "fresh")
    line = int(change.where.split(":")[-2])
    assert (tmp_path / "b.yaml").read_text().splitlines()[line - 2].strip() == "fresh:"


@pytest.mark.parametrize(
    ("edit", "is_breaking"),
    [
        (set_to("size.multipleOf", 2), False),
        (set_to("when.not", {"enum": ["never"]}), False),
        (set_to("free.x-kubernetes-embedded-resource", True), True),
        (set_to("free.if", {"required": ["a"]}), True),
    ],
)
def test_keywords_that_are_gone(edit: Edit, is_breaking: bool, tmp_path: Path) -> None:
    """What only refused may go; what else a keyword that is gone did, nobody knows."""
    rules = [rule for rule, _, _ in found(tmp_path, after(edit), crd("v1"))]
    assert rules == ["schema-changed"] * is_breaking


TEXTS: list[tuple[Edit, str]] = [
    (set_to("lines.items", None), "typed elements or values -> any JSON"),
    (set_to("labels.additionalProperties", None), "map -> any object"),
    (set_to("either", {"type": "string"}), "integer or string -> string"),
    (set_to("mode.enum", ["fast"]), 'without "slow"'),
    (set_to("when.enum", list("abcde")), 'only "a", "b", "c", "d" and 1 more is allowed'),
    (set_to("size.maximum", 9), "maximum 10 -> 9"),
    (set_to("size.exclusiveMaximum", True), "maximum 10 -> 10 (excluded)"),
    (set_to("when.maxLength", 9), "maxLength none -> 9"),
    (set_to("when.pattern", "now"), "none -> now"),
    (set_to("size.default", None), "3 -> none"),
    (set_to("ports.x-kubernetes-list-map-keys", ["protocol"]), "port -> protocol"),
    (set_to("size.multipleOf", 2), "multipleOf has changed"),
]


@pytest.mark.parametrize(("edit", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_what_a_finding_says(edit: Edit, text: str, tmp_path: Path) -> None:
    """A finding says what was and what is."""
    (finding,) = compared(tmp_path, crd("v1"), after(edit)).findings
    assert finding.what == text


# --- kinds and versions ----------------------------------------------------------------------


def _scope(value: dict[str, Any]) -> None:
    value["spec"]["scope"] = "Cluster"


def _names(**names: Any) -> Edit:
    return lambda value: value["spec"]["names"].update(names)


def _stored(index: int) -> Edit:
    def edit(value: dict[str, Any]) -> None:
        for number, item in enumerate(value["spec"]["versions"]):
            item["storage"] = number == index

    return edit


def _without(index: int) -> Edit:
    return lambda value: value["spec"]["versions"].pop(index)


OF_KINDS: list[tuple[Edit, list[tuple[str, str, str]]]] = [
    (_scope, [("scope-changed", "", "")]),
    (_names(plural="crates"), [("name-changed", "", "")]),
    (_names(shortNames=[]), [("name-changed", "", "")]),
    (_names(kind="Crate"), [("kind-removed", "", "")]),
    (_without(0), [("version-removed", "v1", "")]),
    (lambda value: version(value).update(served=False), [("version-unserved", "v1", "")]),
    (lambda value: version(value).pop("subresources"), [("subresource-removed", "v1", "")]),
    (lambda value: version(value).pop("selectableFields"), [("selectable-removed", "v1", "")]),
    (
        _without(1),
        [
            ("version-removed", "v2", ""),
            ("storage-changed", "", ""),
            ("stored-version-dropped", "v2", ""),
        ],
    ),
]


@pytest.mark.parametrize(("edit", "expected"), OF_KINDS)
def test_kinds_and_versions(
    edit: Edit, expected: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    """What a kind or a version loses is found, once for each that loses it."""
    assert found(tmp_path, crd("v1", "v2"), after(edit, "v1", "v2")) == expected


@pytest.mark.parametrize(
    "edit",
    [
        _names(shortNames=["bx", "b"]),
        _names(categories=["all"]),
        lambda value: version(value).update(deprecated=True, deprecationWarning="use v2"),
        lambda value: version(value)["subresources"].update(scale={}),
        lambda value: value["spec"].update(conversion={"strategy": "None"}),
        lambda value: value["spec"].update(scope="Namespaced"),
        _names(shortNames=["bx"], singular="box"),
        _stored(0),
    ],
)
def test_harmless_changes_of_kinds(edit: Edit, tmp_path: Path) -> None:
    """More names, a deprecation and another subresource break nobody."""
    assert found(tmp_path, crd("v1", "v2"), after(edit, "v1", "v2")) == []


def test_a_new_version_and_a_new_kind_are_harmless(tmp_path: Path) -> None:
    """What was not there before has no users."""
    more = crd("v2", "v1")
    assert found(tmp_path, crd("v1"), more) == []
    (tmp_path / "more").mkdir()
    (tmp_path / "more/boxes.yaml").write_text(yaml.dump(crd("v1")), encoding="utf-8")
    (tmp_path / "one.yaml").write_text(yaml.dump(crd("v1")), encoding="utf-8")
    crate = crd("v1")
    crate["spec"]["names"] = {"kind": "Crate", "plural": "crates"}
    (tmp_path / "more/crates.yaml").write_text(yaml.dump(crate), encoding="utf-8")
    one, two = (read_api(tmp_path / name) for name in ("one.yaml", "more"))
    assert find_breaking(one, two, today=date(2030, 1, 1)).findings == ()
    assert [item.name for item in find_breaking(two, one, today=date(2030, 1, 1)).findings] == [
        "kind-removed"
    ]


def test_a_version_is_served_before_it_is_stored(tmp_path: Path) -> None:
    """Only a version that the release before serves can be read when that release is back."""
    assert found(tmp_path, crd("v1"), crd("v1", "v2")) == [("storage-changed", "v2", "")]
    assert found(tmp_path, crd("v1", "v2"), after(_stored(0), "v1", "v2")) == []
    unserved = after(lambda value: version(value).update(served=False), "v1", "v2")
    assert found(tmp_path, unserved, after(_stored(0), "v1", "v2")) == [
        ("storage-changed", "v1", "")
    ]


def test_stored_versions_of_a_cluster_count(tmp_path: Path) -> None:
    """What `status.storedVersions` lists may be stored, also if another version is written now."""
    before = crd("v1", "v2") | {"status": {"storedVersions": ["v1", "v2"]}}
    assert found(tmp_path, before, after(_without(0), "v1", "v2")) == [
        ("version-removed", "v1", ""),
        ("stored-version-dropped", "v1", ""),
    ]


def test_a_webhook_that_is_gone(tmp_path: Path) -> None:
    """Without conversion a version loses what it lacks; one version needs none."""
    webhook = {"conversion": {"strategy": "Webhook"}}
    before = crd("v1", "v2")
    before["spec"] |= webhook
    assert found(tmp_path, before, crd("v1", "v2")) == [("conversion-dropped", "", "")]
    one = crd("v1")
    one["spec"] |= webhook
    assert found(tmp_path, one, crd("v1")) == []


# --- versions that are served side by side ---------------------------------------------------


def test_served_versions_are_compared(tmp_path: Path) -> None:
    """Where nothing converts, no version may lose what another has, unless it did already."""
    before = crd("v1", "v2")
    new = crd("v1", "v2")
    properties(new, 1)["fresh"] = {"type": "string"}
    assert found(tmp_path, before, new) == [("property-removed", "v2 -> v1", "spec/fresh")]
    assert found(tmp_path, new, new) == []
    version(new, 0)["served"] = False
    assert found(tmp_path, before, new) == [("version-unserved", "v1", "")]


def test_converted_versions_may_differ(tmp_path: Path) -> None:
    """With a webhook it is the conversion's part what becomes of the difference."""
    before, new = crd("v1", "v2"), crd("v1", "v2")
    properties(new, 1)["fresh"] = {"type": "string"}
    for value in (before, new):
        value["spec"]["conversion"] = {"strategy": "Webhook"}
    assert found(tmp_path, before, new) == []
