"""The audit: what it finds in carriers and stored bags, and how it explains it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import holdall
from generated import batch
from generated.batch.v20240701 import BatchAccount
from holdall.errors import DecodeError
from holdall.explain.audit import Finding
from holdall.objects.bag import PropertyBag
from holdall.scheme.scheme import Scheme
from holdall.types import JsonObject, JsonValue
from tests.support.commands import run
from tests.support.objects import resource
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of

pytestmark = pytest.mark.usefixtures("own_path")

OBJECT: JsonObject = resource(
    "example.com/v1",
    "Thing",
    "a",
    spec={
        "color": "red",
        "box": {"k": [1, None]},
        "parts": [{"name": "p", "weight": 3}, {"name": "q"}],
    },
)
COLOR = ("/spec", "color", "v1", 5, "red")
BOX = ("/spec", "box", "v1", 14, {"k": [1, None]})


def parts(findings: list[Finding]) -> list[tuple[object, ...]]:
    """Return the findings without their reasons."""
    return [(f.path, f.property, f.origin, f.size, f.value) for f in findings]


def test_an_annotation_is_read(scheme: Scheme) -> None:
    """The entries in an API document's annotation are found, list elements by their keys."""
    document = scheme.convert(OBJECT, to="v2")
    weight = ('/spec/parts/[0:name="p"]', "weight", "v1", 1, 3)
    assert parts(holdall.audit(document)) == [BOX, COLOR, weight]


def test_a_compressed_annotation_is_read(scheme: Scheme) -> None:
    """Bags that travel compressed are found as well."""
    document = scheme.convert({**OBJECT, "spec": {"color": "x" * 5000}}, to="v2")
    assert document["metadata"]["annotations"]["holdall.dev/bag"].startswith("zlib:")  # type: ignore[index,call-overload,union-attr]
    assert [f.size for f in holdall.audit(document)] == [5002]


def test_marks_that_name_all_entries_are_read_once(
    scheme: Scheme, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tens of thousands of a forged bag of some kilobytes took minutes."""
    document: Any = scheme.convert(OBJECT, to="v2")
    annotations = document["metadata"]["annotations"]
    envelope = json.loads(annotations["holdall.dev/bag"])
    names = [f"k{number}" for number in range(50)]
    envelope["bags"] = {"/spec": {"v2": {**dict.fromkeys(names, 0), "$gone": names}}}
    annotations["holdall.dev/bag"] = json.dumps(envelope)
    count = 0

    def counting(read: Any) -> Any:
        def counted(*arguments: Any) -> Any:
            nonlocal count
            count += 1
            return read(*arguments)

        return counted

    for name in ("_is_marked", "_marked"):
        monkeypatch.setattr(PropertyBag, name, counting(getattr(PropertyBag, name)))
    assert len(holdall.audit(document, scheme)) == 51
    assert count == 1


def test_a_typed_object_outlives_its_package(tmp_path: Path) -> None:
    """The package may be imported again, or not yet again: reasons are the same."""
    scheme = scheme_of(build_project(tmp_path, THING_CONFIG, THING_FILES))
    twin = scheme.convert(scheme.twin("Thing", "v1").from_dict(OBJECT), to="v2")
    before = holdall.audit(twin)
    assert all(finding.why for finding in before)
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{scheme.package}.")]:
        del sys.modules[name]
    assert holdall.audit(twin) == holdall.audit(twin, scheme) == before


def test_a_twin_and_its_stored_document_are_read(scheme: Scheme) -> None:
    """Stored bags are found at their JSON Pointers, in the twin and in its document."""
    twin = scheme.convert(scheme.twin("Thing", "v1").from_dict(OBJECT), to="v2")
    expected = [BOX, COLOR, ("/spec/parts/0", "weight", "v1", 1, 3)]
    assert parts(holdall.audit(twin)) == expected
    assert parts(holdall.audit(twin.to_dict())) == expected


def test_a_field_carrier_is_read(tmp_path: Path) -> None:
    """Bags in a top-level `$propertyBag` of an API document are told from stored ones."""
    config = THING_CONFIG + "    carrier: field\n"
    scheme = scheme_of(build_project(tmp_path, config, THING_FILES))
    document = scheme.convert({**OBJECT, "spec": {"color": "red"}}, to="v2")
    assert "$propertyBag" in document
    assert parts(holdall.audit(document, scheme)) == [COLOR]


def test_an_object_without_bags_has_no_findings(scheme: Scheme) -> None:
    """Nothing is found in an object that its version expresses."""
    assert holdall.audit(OBJECT, scheme) == []


def test_the_plan_says_why(scheme: Scheme) -> None:
    """With a scheme each entry has the plan's decision about its property in its origin."""
    document = scheme.convert(OBJECT, to="v2")
    assert {f.why for f in holdall.audit(document)} == {""}
    assert {f.property: f.why for f in holdall.audit(document, scheme)} == {
        "box": "stashed: v2.ThingSpec has no such property",
        "color": "stashed: v2.ThingSpec has no such property",
        "weight": "stashed: v2.Part has no such property",
    }


def test_a_typed_object_knows_its_scheme(scheme: Scheme) -> None:
    """An API type and a twin are explained without naming the scheme."""
    document = scheme.convert(OBJECT, to="v2")
    typed = scheme.api_type("Thing", "v2").from_dict(document)
    assert holdall.audit(typed) == holdall.audit(document, scheme)


def test_a_typed_object_knows_what_a_server_would_prune() -> None:
    """As its document does: what is hidden is open JSON in another version."""
    assigned: JsonObject = {"userAssigned": {"a": {"free": {"x": 1}}}}
    document: JsonObject = {
        "apiVersion": "batch.example.com/v20230501",
        "kind": "BatchAccount",
        "status": {"identity": assigned},
    }
    typed = batch.SCHEME.convert(document, to=BatchAccount)
    found = holdall.audit(typed)
    assert found[-1].why == "extra: an API server would prune it at v20240701"
    assert found == holdall.audit(typed.to_dict(), batch.SCHEME)


@pytest.mark.parametrize(
    ("bag", "why"),
    [
        ({"v7": {"a": 1}}, "unknown origin"),
        ({"v1": {"nothing": 1}}, "unknown property"),
        ({"v2": {"shade": 1}}, "stashed: v1.ThingSpec has no such property"),
        (
            {"v1": {"size": "big"}},
            "copied: same wire name; but this value does not fit the other version",
        ),
    ],
)
def test_foreign_entries(scheme: Scheme, bag: JsonObject, why: str) -> None:
    """Entries that this build does not know say so; a misfit says what it is."""
    document = {"apiVersion": "example.com/v2", "kind": "Thing", "spec": {"$propertyBag": bag}}
    (finding,) = holdall.audit(document, scheme)
    assert finding.why == why


OLD_PARTS = THING_FILES["v2.yaml"].partition("      shade")
V1B = """
      - {schemas: v1.yaml, version: v1b, kinds: {Thing: ""}}
    versions: [v1, v1b, v2]
"""


@pytest.mark.parametrize(
    ("config", "v2", "value", "why"),
    [
        (
            THING_CONFIG,
            "      color: {type: string}\n",
            "red",
            "stored under an older plan: v2.ThingSpec has color now",
        ),
        (
            THING_CONFIG,
            "      color: {type: string}\n",
            7,
            "copied: same wire name; but this value does not fit the other version",
        ),
        (
            THING_CONFIG + "    between:\n      v1 -> v2: {ThingSpec: {color: paint}}\n",
            "      paint: {type: string}\n",
            None,
            "stored under an older plan: v2.ThingSpec has paint now",
        ),
        (
            THING_CONFIG + "    between:\n      v1 -> v2: {ThingSpec: {color: {wrap: true}}}\n",
            "      color: {type: array, items: {type: string}}\n",
            "red",
            "converted: same wire name; the other version may not give this value back whole",
        ),
        (
            THING_CONFIG.replace("    versions: [v1, v2]\n", V1B[1:]),
            "",
            "red",
            "stored under an older plan: v1b.ThingSpec has color now",
        ),
    ],
)
def test_entries_of_an_older_plan(
    tmp_path: Path, config: str, v2: str, value: JsonValue, why: str
) -> None:
    """An entry whose property has a partner by now says who has it, not that it does not fit."""
    head, shade, rest = OLD_PARTS
    files = {**THING_FILES, "v2.yaml": head + v2 + shade + rest}
    scheme = scheme_of(build_project(tmp_path, config, files))
    bag = {"v1": {"color": value}}
    document = {"apiVersion": "example.com/v2", "kind": "Thing", "spec": {"$propertyBag": bag}}
    (finding,) = holdall.audit(document, scheme)
    assert finding.why == why


@pytest.mark.parametrize(
    ("marks", "why"),
    yaml.safe_load("""
- [{v: 1}, "converted: same wire name; the other version may not give this value back whole"]
- [{v: 2, plan: "00000000"}, "stored under an older plan: v2.ThingSpec has color now"]
- - {v: 2, plan: "00000000", residues: {/spec: {v1: [color]}}}
  - "converted: same wire name; the other version may not give this value back whole"
- - {v: 2, plan: of today}
  - "converted: same wire name; the other version may not give this value back whole"
"""),
)
def test_the_envelope_tells_residues_apart(tmp_path: Path, marks: JsonObject, why: str) -> None:
    """Where a conversion may keep values, the envelope says whether this one was kept so."""
    head, shade, rest = OLD_PARTS
    v2 = "      color: {type: array, items: {type: string}}\n"
    config = THING_CONFIG + "    between:\n      v1 -> v2: {ThingSpec: {color: {wrap: true}}}\n"
    files = {**THING_FILES, "v2.yaml": head + v2 + shade + rest}
    scheme = scheme_of(build_project(tmp_path, config, files))
    marks = {**marks, **({"plan": scheme.plan} if marks.get("plan") == "of today" else {})}
    bags: JsonObject = {"/spec": {"v1": {"color": "red"}}}
    head_of: JsonObject = {"group": "example.com", "kind": "Thing", "version": "v2", "bags": bags}
    annotations: JsonObject = {"holdall.dev/bag": json.dumps({**head_of, **marks})}
    document: JsonObject = resource(
        "example.com/v2", "Thing", metadata={"annotations": annotations}, spec={}
    )
    (finding,) = holdall.audit(document, scheme)
    assert finding.why == why


def test_the_way_to_the_holder_decides(tmp_path: Path) -> None:
    """That a third version lacks the property is no reason for an entry of another way."""
    plain = THING_FILES["v2.yaml"]
    files = {"v1.yaml": plain, "v2.yaml": THING_FILES["v1.yaml"], "v3.yaml": THING_FILES["v1.yaml"]}
    config = THING_CONFIG.replace(
        "    versions: [v1, v2]",
        '      - {schemas: v3.yaml, version: v3, kinds: {Thing: ""}}\n    versions: [v1, v2, v3]',
    )
    scheme = scheme_of(build_project(tmp_path, config, files))
    bag = {"v2": {"color": "red"}}
    document = {"apiVersion": "example.com/v3", "kind": "Thing", "spec": {"$propertyBag": bag}}
    (finding,) = holdall.audit(document, scheme)
    assert finding.why == "stored under an older plan: v3.ThingSpec has color now"


def test_entries_without_an_object(tmp_path: Path, scheme: Scheme) -> None:
    """Where the type of today has no object at an address, its entries are on their way out."""
    document = scheme.convert(OBJECT, to="v2")
    gone = THING_FILES["v2.yaml"].partition("      parts:")[0] + "      parts: {type: string}\n"
    config = THING_CONFIG + "    between:\n      v1 -> v2: {ThingSpec: {parts: {not_same: true}}}\n"
    now = scheme_of(build_project(tmp_path, config, {**THING_FILES, "v2.yaml": gone}))
    found = {f.property: f.why for f in holdall.audit(document, now)}
    assert found["weight"] == "there is no such object: a conversion drops the entry"


@pytest.mark.parametrize(
    ("config", "why"),
    [
        (THING_CONFIG, "stashed: v2.ThingSpec has no such property"),
        (
            THING_CONFIG + "    carrier: field\n",
            "nothing reads it: the carrier of Thing is field",
        ),
        (
            THING_CONFIG.replace("example.com", "other.example.com"),
            "nothing reads it: it was written for Thing of the group example.com",
        ),
    ],
)
def test_bags_that_nothing_reads(tmp_path: Path, scheme: Scheme, config: str, why: str) -> None:
    """Entries in a carrier that the project has no more, or of another group, say so."""
    document = scheme.convert({**OBJECT, "spec": {"color": "red"}}, to="v2")
    now = scheme_of(build_project(tmp_path, config, THING_FILES))
    document["apiVersion"] = now.api_version("v2")
    (finding,) = holdall.audit(document, now)
    assert finding.why == why


def test_a_damaged_carrier_is_a_finding(scheme: Scheme) -> None:
    """An annotation that cannot be read is reported, not skipped."""
    document: JsonObject = {"metadata": {"annotations": {"holdall.dev/bag": "{"}}}
    (finding,) = holdall.audit(document, scheme)
    assert finding.path == "/metadata/annotations/holdall.dev~1bag"
    assert finding.why.startswith("the carrier cannot be read: malformed JSON")


@pytest.mark.parametrize("damage", [{"v": 99}, {"bags": 5}, {"more": 1}])
def test_a_damaged_member_is_a_finding(tmp_path: Path, damage: JsonObject) -> None:
    """What a conversion does not read is no bag of its members, in the field and in the slot."""
    config = f"{THING_CONFIG}    carrier: {{Thing: field}}\n"
    scheme = scheme_of(build_project(tmp_path, config, THING_FILES))
    document: Any = scheme.convert(resource("example.com/v2", "Thing", spec={"shade": 7}), to="v1")
    envelope = document["$propertyBag"]["spec"]
    assert [found.property for found in holdall.audit(document, scheme)] == ["shade"]
    envelope |= damage
    (finding,) = holdall.audit(document, scheme)
    assert (finding.path, finding.property) == ("/$propertyBag", "")
    assert finding.why.startswith("the carrier cannot be read: /spec/")
    slot = {"status": {"$propertyBag": envelope}}
    assert [found.path for found in holdall.audit(slot)] == ["/status/$propertyBag"]


def test_the_object_is_left_alone(scheme: Scheme) -> None:
    """Auditing changes nothing."""
    document = scheme.convert(OBJECT, to="v2")
    before = json.dumps(document)
    holdall.audit(document, scheme)
    assert json.dumps(document) == before


def test_what_is_no_object_is_refused() -> None:
    """A value that is no JSON object is a DecodeError."""
    with pytest.raises(DecodeError, match="expected object, found list"):
        holdall.audit([])  # type: ignore[arg-type]


def test_deep_documents_are_walked() -> None:
    """Depth does not reach the interpreter's limit."""
    document: JsonObject = {"$propertyBag": {"v1": {"a": 1}}}
    for _ in range(5000):
        document = {"a": document}
    assert len(holdall.audit(document)) == 1


def _audit(project: Path, file: Path, *options: str) -> tuple[int, str]:
    result = run(project, "--quiet", "audit", str(file), *options)
    return result.exit_code, result.stdout


def test_the_command_prints_a_table(project: Path, scheme: Scheme, tmp_path: Path) -> None:
    """`holdall audit` shows each object with its entries, and exits with 0."""
    file = tmp_path / "a.json"
    document = scheme.convert({**OBJECT, "spec": {"color": "red"}}, to="v2")
    file.write_text(json.dumps({"kind": "List", "items": [OBJECT, document]}))
    code, output = _audit(project, file)
    title, head, row = output.splitlines()
    assert code == 0
    assert title == f"{file}:1 Thing a"
    assert head.split() == ["PATH", "PROPERTY", "ORIGIN", "SIZE", "WHY"]
    assert row.split(maxsplit=4) == [
        "/spec",
        "color",
        "v1",
        "5",
        "stashed: v2.ThingSpec has no such property",
    ]


def test_the_command_prints_json(project: Path, scheme: Scheme, tmp_path: Path) -> None:
    """`--json` gives each entry with its file, line and value."""
    file = tmp_path / "a.json"
    file.write_text(json.dumps(scheme.convert({**OBJECT, "spec": {"color": "red"}}, to="v2")))
    code, output = _audit(project, file, "--json")
    assert (code, json.loads(output)) == (
        0,
        [
            {
                "file": str(file),
                "line": 1,
                "object": "Thing a",
                "path": "/spec",
                "property": "color",
                "origin": "v1",
                "size": 5,
                "value": "red",
                "why": "stashed: v2.ThingSpec has no such property",
            }
        ],
    )


@pytest.mark.parametrize(("to", "code"), [("v1", 0), ("v2", 1)])
def test_residue_can_fail_the_command(
    project: Path, scheme: Scheme, tmp_path: Path, to: str, code: int
) -> None:
    """With --fail-on-residue the exit code is 1 if a bag holds anything."""
    file = tmp_path / "a.json"
    file.write_text(json.dumps(scheme.convert(OBJECT, to=to)))
    assert _audit(project, file, "--fail-on-residue")[0] == code


def test_the_command_works_without_a_project(scheme: Scheme, tmp_path: Path) -> None:
    """Outside of a project the entries are listed without reasons."""
    file = tmp_path / "a.json"
    file.write_text(json.dumps(scheme.convert(OBJECT, to="v2")))
    code, output = _audit(tmp_path, file, "--json")
    assert (code, {entry["why"] for entry in json.loads(output)}) == (0, {""})


def test_unreadable_files_are_wrong_input(project: Path, tmp_path: Path) -> None:
    """A malformed file is exit code 2."""
    file = tmp_path / "a.json"
    file.write_text("{")
    assert _audit(project, file) == (2, "")


def test_the_bags_of_documents_as_text(tmp_path: Path) -> None:
    """They are listed with who holds the documents; the fates are those of the documents alone."""
    inner = "    inner_documents: [{in: [v1/ConfigMap, Thing], annotation: things}]\n"
    root = build_project(tmp_path / "inner", THING_CONFIG + inner, THING_FILES)
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"color": "red"}}
    holder = resource(
        "v1", "ConfigMap", metadata={"name": "a", "annotations": {"things": json.dumps(thing)}}
    )
    scheme = scheme_of(root)
    file = tmp_path / "new.json"
    for head, kind in ((holder, "ConfigMap"), ({**holder, **thing}, "Thing")):
        file.write_text(json.dumps(scheme.convert(head, to="v2")))
        code, out = _audit(root, file, "--fail-on-residue")
        assert code == 1
        assert f"{file}:1 {kind} a has as text: Thing\n  PATH   PROPERTY  ORIGIN" in out
        assert out.count("color ") == (1 if kind == "ConfigMap" else 2)
    file.write_text(json.dumps(holder))
    assert _audit(root, file, "--fail-on-residue") == (0, "")
    result = run(root, "audit", str(file), "--fate", "--to", "v2")
    assert result.exit_code == 1
    assert "it has no fates: its group is not in this project" in result.stderr


def test_what_nobody_has_seen_is_told_by_what_its_partner_may_hold_now(tmp_path: Path) -> None:
    """It is used where it fits by now; else it is still a value that may not come back whole."""

    def scheme(name: str, newer: str) -> Scheme:
        texts = ("size: {x-kubernetes-int-or-string: true}", newer)
        files = {
            f"v{number}.yaml": "{type: object, properties: {metadata: {type: object}, spec: "
            f"{{type: object, properties: {{{text}}}}}}}}}"
            for number, text in enumerate(texts, 1)
        }
        return scheme_of(build_project(tmp_path / name, THING_CONFIG, files))

    given: JsonObject = resource("example.com/v1", "Thing", "a", spec={"size": "large"})
    stored = scheme("old", "size: {type: integer}").convert(given, to="v2")
    for name, newer, why in (
        ("wider", "size: {type: string}", "may not give this value back whole"),
        (
            "same",
            "size: {type: integer}, more: {type: string}",
            "may not give this value back whole",
        ),
        ("equal", "size: {x-kubernetes-int-or-string: true}", "stored under an older plan"),
    ):
        (found,) = holdall.audit(stored, scheme(name, newer))
        assert why in found.why, name
