"""`holdall version`: every step edits all files that say something of the version, or none."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from holdall.text import yaml
from holdall_codegen.breaking.gate import find_breaking
from holdall_codegen.breaking.reading import read_api
from tests.support.objects import resource
from tests.support.small_project import run

SCHEMAS = """\
# The post office.
groups:
  post:
    api_group: post.example.com  # as in DNS
    sources:
      - {schemas: schemas/v1.yaml, version: v1, kinds: {Parcel: ""}}
      # The one that is stored.
      - schemas: schemas/v2.yaml
        version: v2
        kinds:
          Parcel: ""
    versions: [v1, v2]
    overlays:
      - {path: spec, versions: [v2], properties: {more: {type: string}}}
    crd:
      kinds:
        Parcel:
          columns:
            - {name: Grams, path: .spec.grams, type: integer, versions: [v2]}
    between:
      v1 -> v2: {ParcelSpec: {weight: grams}}  # renamed
"""
V1 = """\
type: object
properties:
  metadata: {type: object}
  spec: {type: object, properties: {weight: {type: integer}}}
"""
V2 = """\
# v2 of the post office
type: object
properties:
  metadata: {type: object}
  spec: {$ref: "parts.yaml#/Spec"}
"""
PARTS = "Spec: {type: object, properties: {grams: {type: integer}}}\n"

CRD = """\
# Applied by the release.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: parcels.post.example.com
spec:
  group: post.example.com
  scope: Namespaced
  names: {kind: Parcel, plural: parcels}
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1]}}
  versions:
  - name: v1
    # The first one.
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {weight: {type: integer}}}
    served: true
    storage: false
  - name: v2
    schema:
      openAPIV3Schema:
        type: object
        properties:
          # What it weighs.
          spec: {type: object, properties: {grams: {type: integer}}}
    served: true
    storage: true
"""
CRDS = """\
groups:
  post:
    sources: [{crds: crds/*.yaml}]
    versions: [v1, v2]
    between:
      v1 -> v2: {ParcelSpec: {weight: grams}}
"""

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Run `holdall version` on a project; return its exit code and what it printed."""

    def ask(root: Path, *arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(root, "version", *arguments)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return ask


def write(root: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def schemas(tmp_path: Path) -> Path:
    """A project of JSON Schemas."""
    return write(
        tmp_path / "schemas-project",
        holdall_yaml=SCHEMAS,
        schemas__v1_yaml=V1,
        schemas__v2_yaml=V2,
        schemas__parts_yaml=PARTS,
    )


@pytest.fixture
def crds(tmp_path: Path) -> Path:
    """A project of CRDs."""
    return write(tmp_path / "crds-project", holdall_yaml=CRDS, crds__parcels_yaml=CRD)


def texts_of(root: Path) -> dict[str, str]:
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text() for path in files}


def versions_of(root: Path) -> dict[str, dict[str, Any]]:
    value: Any = yaml.load_all((root / "crds/parcels.yaml").read_text(), "crd")[0].value
    return {item["name"]: item for item in value["spec"]["versions"]}


# --- add -------------------------------------------------------------------------------------


def test_add_to_schemas(schemas: Path, ask: Ask) -> None:
    """The schemas are copied, what is narrowed to the copied version is widened, comments stay."""
    before = read_api(schemas)
    code, out, err = ask(schemas, "add", "v3", "--from", "v2")
    assert (code, out) == (0, "wrote holdall.yaml\nwrote schemas/v3.yaml\n")
    assert "next: change what is new in v3" in err
    assert (schemas / "schemas/v3.yaml").read_text() == V2
    assert (schemas / "holdall.yaml").read_text() == (
        SCHEMAS.replace(
            "    versions: [v1, v2]\n",
            "      - schemas: schemas/v3.yaml\n        version: v3\n        kinds:\n"
            '          Parcel: ""\n    versions: [v1, v2, v3]\n    hub: v2\n',
        ).replace("versions: [v2]", "versions: [v2, v3]")
    )
    after = read_api(schemas)
    assert find_breaking(before, after, today=date(2030, 1, 1)).findings == ()
    assert run(schemas, "generate") == 0


def test_documents_that_say_their_version_elsewhere(tmp_path: Path, ask: Ask) -> None:
    """A new version says its own; what the configuration says about a retired one goes with it."""
    text = """groups:
  post:
    version_at: {member: v, values: {v1: 1}, default: v1}
    sources:
      - {schemas: s/v1.json, version: v1, kinds: {Parcel: ""}}
      - {schemas: s/v2.yaml, version: v2, kinds: {Parcel: /parcel}}
    versions: [v1, v2]
"""
    write(tmp_path, holdall_yaml=text)
    (tmp_path / "s").mkdir()
    (tmp_path / "s/v1.json").write_text(
        '{"type": "object", "properties": {"a": {"type": "string"}}}'
    )
    v2 = "parcel: {type: object, properties: {v: {const: 2}, a: {type: string}}}  # two\n"
    (tmp_path / "s/v2.yaml").write_text(v2)
    code, _, err = ask(tmp_path, "add", "v3", "--from", "v2")
    assert code == 0, err
    assert (tmp_path / "s/v3.yaml").read_text() == v2.replace("const: 2", "const: 3")
    code, _, err = ask(tmp_path, "unserve", "v1")
    assert code == 1
    assert "post has no API group, so no server serves v1" in err
    assert "holdall version retire v1 --stored FILES" in err
    code, _, err = ask(tmp_path, "retire", "v1", "--dry-run")
    assert code == 0
    assert "check the stored documents" in err
    assert "kubectl" not in err
    stored = '{"v": 3, "a": "x"}\n{"a": "y"}\n'
    (tmp_path / "stored.jsonl").write_text(stored)
    code, _, err = ask(tmp_path, "retire", "v1", "--stored", str(tmp_path / "stored.jsonl"))
    assert code == 1
    assert "stored.jsonl:2:1: Parcel is of this version" in err
    assert "fix: run `holdall rewrite` or `holdall convert` until no object does" in err
    (tmp_path / "stored.jsonl").write_text(stored.partition("\n")[0])
    code, _, err = ask(tmp_path, "retire", "v1", "--stored", str(tmp_path / "stored.jsonl"))
    assert code == 0, err
    assert "    version_at: {member: v}\n" in (tmp_path / "holdall.yaml").read_text()
    (tmp_path / "s/v3.yaml").write_text(v2.replace("const: 2", "enum: ['third']"))
    before = (tmp_path / "holdall.yaml").read_text()
    code, _, err = ask(tmp_path, "add", "v4", "--from", "v3")
    assert code != 0
    assert 'v3.yaml:1:48: `v` is "third" in v3, but its value in v4 is unclear' in err
    assert (tmp_path / "holdall.yaml").read_text() == before
    (tmp_path / "s/v3.yaml").write_text(v2.replace("{const: 2}", "{type: integer}"))
    write(tmp_path, holdall_yaml=before.replace("{member: v}", "{member: v, values: {v3: 3}}"))
    code, _, err = ask(tmp_path, "add", "v4", "--from", "v3")
    assert code == 0, err
    assert "values: {v3: 3, v4: 4}" in (tmp_path / "holdall.yaml").read_text()


def test_add_to_crds(crds: Path, ask: Ask) -> None:
    """The version's part of the CRD is copied with its comments; the old one stays stored."""
    before = read_api(crds)
    assert ask(crds, "add", "v3", "--from", "v2")[0] == 0
    text = (crds / "crds/parcels.yaml").read_text()
    assert text.startswith(CRD)
    added = text.removeprefix(CRD)
    copied = CRD[CRD.index("  - name: v2") :].replace("name: v2", "name: v3")
    assert added == copied.replace("storage: true", "storage: false")
    config = (crds / "holdall.yaml").read_text()
    assert config == CRDS.replace("[v1, v2]\n", "[v1, v2, v3]\n    hub: v2\n")
    assert find_breaking(before, read_api(crds), today=date(2030, 1, 1)).findings == ()


def test_add_begins_clean(crds: Path, ask: Ask) -> None:
    """What marks the copied version for its end is not copied."""
    text = CRD.replace("  - name: v2\n", "  - name: v2\n    deprecated: true\n")
    write(crds, crds__parcels_yaml=text)
    assert ask(crds, "add", "v3", "--from", "v2")[0] == 0
    assert "deprecated" not in versions_of(crds)["v3"]
    assert versions_of(crds)["v2"]["deprecated"] is True


def test_add_to_listed_edges(crds: Path, ask: Ask) -> None:
    """Where edges are listed, the new one is written; any version can be copied."""
    write(crds, holdall_yaml=CRDS.replace("[v1, v2]\n", "[v1, v2]\n    edges: [[v1, v2]]\n"))
    assert ask(crds, "add", "v3", "--from", "v1")[0] == 0
    config = (crds / "holdall.yaml").read_text()
    assert "edges: [[v1, v2], [v1, v3]]" in config


def test_add_in_a_folder_of_the_version(schemas: Path, ask: Ask) -> None:
    """A folder named after the version is copied with all files that are read of it."""
    config = SCHEMAS.replace("schemas/v2.yaml", "schemas/v2/api.yaml")
    (schemas / "schemas/v2").mkdir()
    write(
        schemas,
        holdall_yaml=config,
        schemas__v2__api_yaml=V2.replace("parts.yaml", "../v2/parts.yaml"),
        schemas__v2__parts_yaml=PARTS,
    )
    assert ask(schemas, "add", "v3", "--from", "v2")[0] == 0
    assert (schemas / "schemas/v3/parts.yaml").read_text() == PARTS
    assert '"../v3/parts.yaml#/Spec"' in (schemas / "schemas/v3/api.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "config", "message"),
    [
        (("v2", "--from", "v2"), "", '"v2" is taken, or is not a version name'),
        (("V 3", "--from", "v2"), "", '"V 3" is taken, or is not a version name'),
        (("v3", "--from", "v1"), "", "with edges: chain, v3 is joined to v2, not to v1"),
        (
            ("v3", "--from", "v2"),
            SCHEMAS.replace("schemas/v2.yaml", "schemas/new.yaml"),
            '"schemas/new.yaml" does not contain v2',
        ),
    ],
)
def test_what_cannot_be_added(
    arguments: tuple[str, ...], config: str, message: str, schemas: Path, ask: Ask
) -> None:
    """A refusal names what to do instead, and writes nothing."""
    if config:
        write(schemas, holdall_yaml=config, schemas__new_yaml=V2)
    before = texts_of(schemas)
    code, out, err = ask(schemas, "add", *arguments)
    assert (code, out) == (1, "")
    assert message in err
    assert "fix: " in err
    assert texts_of(schemas) == before


@pytest.mark.parametrize("source", ["crds", "schemas"])
@pytest.mark.parametrize("name", ["V3", "v3.0", "3", "v1_1"])
def test_names_that_servers_refuse(
    name: str, source: str, request: pytest.FixtureRequest, ask: Ask
) -> None:
    """A CRD takes labels only, whether it is the source or made from schemas."""
    root = request.getfixturevalue(source)
    before = texts_of(root)
    code, _, err = ask(root, "add", name, "--from", "v2")
    assert code == 1
    assert f'"{name}" cannot name a version of a CRD' in err
    assert texts_of(root) == before


@pytest.mark.parametrize("older", ["", "V2"])
def test_names_that_no_server_sees(older: str, schemas: Path, ask: Ask) -> None:
    """Plain documents take more, and so do groups whose versions cannot be those of a CRD."""
    config = SCHEMAS.partition("    overlays:")[0]
    if older:
        config = config.replace("v2", older)
        write(schemas, **{f"schemas__{older}_yaml": V2})
    else:
        config = config.replace("    api_group: post.example.com  # as in DNS\n", "")
    write(schemas, holdall_yaml=config)
    assert ask(schemas, "add", "V3", "--from", older or "v2")[0] == 0


def test_unknown_version(schemas: Path, ask: Ask) -> None:
    """A name that the project does not have is wrong use."""
    before = texts_of(schemas)
    for arguments in (("add", "v3", "--from", "v0"), ("deprecate", "v0"), ("retire", "v0")):
        code, out, err = ask(schemas, *arguments)
        assert (code, out) == (2, "")
        assert "HA164 there is no version 'v0'" in err
    assert texts_of(schemas) == before


def test_a_copy_does_not_take_the_place_of_a_file(schemas: Path, ask: Ask) -> None:
    """A file that is there already is not overwritten, and nothing else is written."""
    write(schemas, schemas__v3_yaml="mine")
    before = texts_of(schemas)
    code, _, err = ask(schemas, "add", "v3", "--from", "v2")
    assert code == 2
    assert "HA137 schemas/v3.yaml: a file of this name exists already" in err
    assert texts_of(schemas) == before


def test_declared_versions_are_edited_in_python(tmp_path: Path, ask: Ask) -> None:
    """A declaration is code, which is not edited."""
    assert run(tmp_path, "init", "--declared", str(tmp_path / "widgets.py")) == 0
    code, _, err = ask(tmp_path, "deprecate", "v1", "--warning", "x")
    assert code == 1
    assert "are declared in Python" in err


# --- deprecate and unserve -------------------------------------------------------------------


def test_deprecate(crds: Path, ask: Ask) -> None:
    """The CRD warns its users, and the API types are marked; else the newest is named."""
    assert ask(crds, "deprecate", "v1")[0] == 0
    assert (
        "  - name: v1\n    deprecated: true\n    deprecationWarning: "
        in (crds / "crds/parcels.yaml").read_text()
    )
    assert versions_of(crds)["v1"]["deprecationWarning"] == "v1 is deprecated; use v2"
    config = (crds / "holdall.yaml").read_text()
    assert 'versions: [{name: v1, deprecated: "v1 is deprecated; use v2"}, v2]' in config
    assert ask(crds, "deprecate", "v1", "--warning", "go on: v2")[0] == 0
    assert versions_of(crds)["v1"]["deprecationWarning"] == "go on: v2"
    assert '{name: v1, deprecated: "go on: v2"}' in (crds / "holdall.yaml").read_text()
    assert ask(crds, "deprecate", "v2")[0] == 2


def test_unserve(schemas: Path, crds: Path, ask: Ask) -> None:
    """The file of a CRD says it, and where there is none the configuration."""
    assert ask(schemas, "unserve", "v1")[0] == 0
    assert "\n          unserved: [v1]\n" in (schemas / "holdall.yaml").read_text()
    assert not read_api(schemas).kinds["post.example.com", "Parcel"].versions["v1"].is_served
    assert ask(crds, "unserve", "v1")[0] == 0
    unserved = CRD.replace("served: true", "served: false", 1)
    assert (crds / "crds/parcels.yaml").read_text() == unserved
    assert (crds / "holdall.yaml").read_text() == CRDS


def test_what_is_stored_stays_served(crds: Path, ask: Ask) -> None:
    """A version that is stored, or the only one that is served, cannot be unserved."""
    code, _, err = ask(crds, "unserve", "v2")
    assert code == 1
    assert "HA138 holdall.yaml:3: Parcel is stored at v2" in err
    assert ask(crds, "unserve", "v1")[0] == 0
    code, _, err = ask(crds, "unserve", "v2")
    assert code == 1
    assert "Parcel has no other served version" in err


# --- retire ----------------------------------------------------------------------------------


def test_retire(schemas: Path, crds: Path, ask: Ask) -> None:
    """What names the version goes; what is between it and its neighbour goes, too."""
    code, _, err = ask(schemas, "retire", "v1")
    assert code == 1
    assert "Parcel is served at v1" in err
    assert ask(schemas, "unserve", "v1")[0] == 0
    assert ask(schemas, "deprecate", "v1")[0] == 0
    code, _, err = ask(schemas, "retire", "v1")
    assert code == 0
    assert "kubectl get crds -o yaml > crds.yaml" in err
    first = '      - {schemas: schemas/v1.yaml, version: v1, kinds: {Parcel: ""}}\n'
    between = "    between:\n      v1 -> v2: {ParcelSpec: {weight: grams}}  # renamed\n"
    assert (schemas / "holdall.yaml").read_text() == (
        SCHEMAS.replace(first, "").replace(between, "").replace("[v1, v2]", "[v2]")
    )
    assert ask(crds, "unserve", "v1")[0] == 0
    assert ask(crds, "retire", "v1")[0] == 0
    start, end = CRD.index("  - name: v1"), CRD.index("  - name: v2")
    assert (crds / "crds/parcels.yaml").read_text() == CRD[:start] + CRD[end:]


def test_what_names_it_goes_with_it(tmp_path: Path, ask: Ask) -> None:
    """Refusals of its objects that are accepted, and the documents that its objects held."""
    kept = """\
groups:
  post:
    sources:
SOURCE      - {schemas: v2.yaml, version: v2, kinds: {Parcel: ""}}
    versions: VERSIONS
    inner_documents:
      - {in: [Parcel], path: spec/text, format: json, versions: MAPPING}
    accept_refusals:
REFUSED      - {rule: enum-narrowed, way: v2 -> v3, reason: x}
"""
    before = (
        kept.replace("SOURCE", '      - {schemas: v1.yaml, version: v1, kinds: {Parcel: ""}}\n')
        .replace("REFUSED", "      - {rule: enum-narrowed, way: v1->v2, reason: x}\n")
        .replace("VERSIONS", "[v1, v2]")
        .replace("MAPPING", "{v1: v2, v2: v2}")
    )
    spec = "{type: object, properties: {text: {type: string}}}"
    schema = f"type: object\nproperties: {{spec: {spec}}}\n"
    write(tmp_path, holdall_yaml=before, v1_yaml=schema, v2_yaml=schema)
    assert ask(tmp_path, "retire", "v1")[0] == 0
    after = kept.replace("SOURCE", "").replace("REFUSED", "")
    expected = after.replace("VERSIONS", "[v2]").replace("MAPPING", "{v2: v2}")
    assert (tmp_path / "holdall.yaml").read_text() == expected


@pytest.mark.parametrize(
    ("mapping", "added"),
    [
        ("{v1: v1, v2: v1}", "{v1: v1, v2: v1, v3: v1}"),
        ("{v1: v2, v2: v2}", "{v1: v2, v2: v2}"),
        ("{v1: v2}", "{v1: v2}"),
    ],
)
def test_documents_inside_a_copy(mapping: str, added: str, tmp_path: Path, ask: Ask) -> None:
    """Objects of the new version hold documents of the version that those of its model hold."""
    config = """\
groups:
  post:
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Parcel: ""}}
      - {schemas: v2.yaml, version: v2, kinds: {Parcel: ""}}
    versions: [v1, v2]
    hub: v2
    inner_documents:
      - {in: [Parcel], path: spec/text, format: json, versions: MAPPING}
"""
    schema = (
        "type: object\nproperties: {spec: {type: object, properties: {text: {type: string}}}}\n"
    )
    before = config.replace("MAPPING", mapping)
    write(tmp_path, holdall_yaml=before, v1_yaml=schema, v2_yaml=schema)
    assert ask(tmp_path, "add", "v3", "--from", "v2")[0] == 0
    source = '      - {schemas: v3.yaml, version: v3, kinds: {Parcel: ""}}\n'
    after = config.replace("    versions: [v1, v2]", source + "    versions: [v1, v2, v3]")
    assert (tmp_path / "holdall.yaml").read_text() == after.replace("MAPPING", added)


def test_versions_that_others_are_reached_through(crds: Path, ask: Ask) -> None:
    """What is declared on both sides of a version would be lost with it."""
    assert ask(crds, "add", "v3", "--from", "v2")[0] == 0
    text = (crds / "crds/parcels.yaml").read_text()
    head, _, tail = text.replace("storage: true", "storage: false").rpartition("storage: false")
    write(crds, crds__parcels_yaml=f"{head}storage: true{tail}")
    config = (crds / "holdall.yaml").read_text().replace("hub: v2", "hub: v3")
    write(crds, holdall_yaml=config)
    assert ask(crds, "unserve", "v2")[0] == 0
    code, _, err = ask(crds, "retire", "v2")
    assert code == 1
    assert "v1 and v3 are converted through v2, with facts under `between`" in err
    assert "{name: v2, internal: true}" in err


@pytest.fixture
def unserved(crds: Path, ask: Ask) -> Path:
    assert ask(crds, "unserve", "v1")[0] == 0
    return crds


OBJECT = resource("post.example.com/v2", "Parcel", "a", spec={"grams": 5})


def managed(*versions: str) -> dict[str, Any]:
    """Return the object as a cluster shows it, with who wrote it at which version."""
    entries = [
        {"manager": f"m-{version}", "apiVersion": f"post.example.com/{version}"}
        for version in versions
    ]
    return {**OBJECT, "metadata": {"name": "one", "uid": "u", "managedFields": entries}}


WAITING = {**OBJECT, "spec": {"grams": 5, "$propertyBag": {"v1": {"note": "fragile"}}}}


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (
            f"{CRD}status: {{storedVersions: [v1, v2]}}\n",
            "parcels.post.example.com lists it as stored",
        ),
        (json.dumps({**OBJECT, "apiVersion": "post.example.com/v1"}), "is of this version"),
        (
            json.dumps({"apiVersion": "v1", "kind": "List", "items": [OBJECT, WAITING]}),
            "holds entries of it in its bag: /spec/note",
        ),
        (json.dumps(managed("v2", "v1")), "names it in its managedFields: m-v1"),
    ],
)
def test_what_uses_a_version(stored: str, message: str, unserved: Path, ask: Ask) -> None:
    """A cluster's CRDs and objects are looked at; what uses the version is named."""
    (unserved / "stored.yaml").write_text(stored)
    before = texts_of(unserved)
    code, _, err = ask(unserved, "retire", "v1", "--stored", str(unserved / "stored.yaml"))
    assert code == 1
    assert message in err
    assert "stored.yaml:" in err
    assert "1 place uses v1" in err
    assert "holdall migrate --apply" in err
    assert texts_of(unserved) == before


def test_nothing_uses_it(unserved: Path, ask: Ask) -> None:
    """Other versions, groups and kinds do not hold it up."""
    others = [OBJECT, {**OBJECT, "apiVersion": "other.example.com/v1"}]
    (unserved / "stored.yaml").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": others})
    )
    code, _, err = ask(unserved, "retire", "v1", "--stored", str(unserved / "stored.yaml"))
    assert code == 0
    assert "only the project was checked" not in err
    assert "who manages them" not in err


def test_hidden_managers(unserved: Path, ask: Ask) -> None:
    """`kubectl get` leaves managedFields out unless it is told: that is said, and no more."""
    hidden = {**OBJECT, "metadata": {"name": "one", "uid": "u"}}
    stored = {"apiVersion": "v1", "kind": "List", "items": [managed("v2"), hidden]}
    (unserved / "stored.yaml").write_text(json.dumps(stored))
    code, _, err = ask(unserved, "retire", "v1", "--stored", str(unserved / "stored.yaml"))
    assert code == 0
    assert "1 object does not show managedFields" in err


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_a_dump_without_a_document_shows_nothing(unserved: Path, ask: Ask, text: str) -> None:
    """A `kubectl get` that failed leaves an empty file; a list without items is an answer."""
    before = texts_of(unserved)
    (unserved / "stored.yaml").write_text(text)
    (unserved / "crds.yaml").write_text(CRD)
    files = (str(unserved / name) for name in ("crds.yaml", "stored.yaml"))
    words = [word for file in files for word in ("--stored", file)]
    code, _, err = ask(unserved, "retire", "v1", *words)
    assert code == 2
    assert "stored.yaml: there is no document" in err
    (unserved / "crds.yaml").unlink()
    (unserved / "stored.yaml").unlink()
    assert texts_of(unserved) == before
    (unserved / "stored.json").write_text('{"apiVersion": "v1", "kind": "List", "items": []}')
    code, _, err = ask(unserved, "retire", "v1", "--stored", str(unserved / "stored.json"))
    assert code == 0
    assert "checked 0 objects: none uses v1" in err


# --- all steps -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [("add", "v3", "--from", "v2"), ("deprecate", "v1"), ("unserve", "v1")]
)
def test_dry_run(arguments: tuple[str, ...], crds: Path, ask: Ask) -> None:
    """--dry-run prints the diff that the step makes, and writes nothing."""
    before = texts_of(crds)
    code, diff, _ = ask(crds, *arguments, "--dry-run")
    assert code == 0
    assert "--- a/crds/parcels.yaml\n+++ b/crds/parcels.yaml\n" in diff
    assert texts_of(crds) == before
    code, out, _ = ask(crds, *arguments, "--json")
    found = json.loads(out)
    assert (found["diff"], found["written"]) == (diff, True)
    assert {name for name, text in texts_of(crds).items() if before.get(name) != text} == set(
        found["files"]
    )


def test_sources_beside_the_project(schemas: Path, ask: Ask) -> None:
    """What is tried is tried in a folder of its own, the sources beside a project included."""
    (schemas / "schemas").rename(schemas.parent / "beside")
    write(schemas, holdall_yaml=SCHEMAS.replace("schemas/", "../beside/"))
    before = texts_of(schemas.parent)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", folder)
        code, out, _ = ask(schemas, "add", "v3", "--from", "v2", "--dry-run")
        assert [*Path(folder).iterdir()] == []
    assert (code, "+++ b/../beside/v3.yaml\n" in out) == (0, True)
    assert texts_of(schemas.parent) == before


def test_what_cannot_be_planned_is_not_written(schemas: Path, ask: Ask) -> None:
    """The project is planned with the edits before anything is written."""
    old = "properties: {weight: {type: integer}, old: {type: object, properties: {a: {}}}}"
    v1 = V1.replace("properties: {weight: {type: integer}}", old)
    pinned = "    type_names: {Parcel/spec/old: Old}\n    between:\n"
    write(schemas, schemas__v1_yaml=v1, holdall_yaml=SCHEMAS.replace("    between:\n", pinned))
    assert ask(schemas, "unserve", "v1")[0] == 0
    before = texts_of(schemas)
    code, _, err = ask(schemas, "retire", "v1")
    assert code == 2
    assert "HA156" in err
    assert texts_of(schemas) == before


def test_a_form_that_cannot_be_edited(crds: Path, ask: Ask) -> None:
    """JSON, and YAML that lines cannot be changed in, are refused whole."""
    value = yaml.load_all(CRD, "a")[0].value
    (crds / "crds/parcels.yaml").unlink()
    (crds / "crds/parcels.json").write_text(json.dumps(value))
    write(crds, holdall_yaml=CRDS.replace("*.yaml", "*.json"))
    before = texts_of(crds)
    code, _, err = ask(crds, "add", "v3", "--from", "v2")
    assert code == 2
    assert "HA137 crds/parcels.json: holdall does not edit JSON files" in err
    assert texts_of(crds) == before


def test_several_groups(schemas: Path, ask: Ask) -> None:
    """With several groups one has to be named."""
    second = SCHEMAS.partition("  post:\n")[2].replace("post.example", "mail.example")
    write(schemas, holdall_yaml=f"{SCHEMAS}  mail:\n{second}")
    code, _, err = ask(schemas, "deprecate", "v1")
    assert code == 2
    assert "there are several groups; add --group post" in err
    assert ask(schemas, "deprecate", "v1", "--group", "mail")[0] == 0
    head, _, tail = (schemas / "holdall.yaml").read_text().partition("  mail:\n")
    assert "deprecated" not in head
    assert "deprecated" in tail
