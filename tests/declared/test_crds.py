"""The CRDs of declared kinds say what the declaration says, as API servers accept it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import HoldallError, UnknownApiVersion
from holdall.kubernetes.conform.validity import flaws, prune
from holdall.kubernetes.crds.findings import CrdError
from holdall.kubernetes.crds.rules import check_crd
from holdall.text import yaml
from holdall_codegen.project import emit_project, load_project
from tests.support.declared import HEAD, Declared, Declaring, declare

LAMPS = """
VERSIONS = Versions(Version("v1alpha1", deprecated="use v1"), Version("v1"))


@resource(group="light.example.com", shortnames=("la",))
class LampSpec:
    \"\"\"A lamp.\"\"\"

    watts: Annotated[U16, changed("v1", from_name="power")]
    \"\"\"What it takes.\"\"\"
    dimmed: bool = False
    deprecated_socket: Annotated[str | None, deprecated("v1", note="all are alike")]
"""

LAMP_CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: lamps.light.example.com
spec:
  group: light.example.com
  names:
    kind: Lamp
    listKind: LampList
    plural: lamps
    singular: lamp
    shortNames: [la]
  scope: Cluster
  versions:
    - name: v1alpha1
      served: true
      storage: false
      deprecated: true
      deprecationWarning: use v1
      schema:
        openAPIV3Schema:
          type: object
          description: A lamp.
          required: [spec]
          properties:
            apiVersion: {type: string}
            kind: {type: string}
            metadata: {type: object}
            spec:
              type: object
              description: A lamp.
              required: [power]
              properties:
                power:
                  type: integer
                  format: uint16
                  minimum: 0
                  maximum: 65535
                  description: What it takes.
                dimmed: {type: boolean, default: false}
                socket: {type: string, nullable: true}
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          description: A lamp.
          required: [spec]
          properties:
            apiVersion: {type: string}
            kind: {type: string}
            metadata: {type: object}
            spec:
              type: object
              description: A lamp.
              required: [watts]
              properties:
                watts:
                  type: integer
                  format: uint16
                  minimum: 0
                  maximum: 65535
                  description: What it takes.
                dimmed: {type: boolean, default: false}
                deprecated_socket:
                  type: string
                  nullable: true
                  description: "Deprecated since v1: all are alike"
"""

PORTS = """
VERSIONS = Versions(
    Version("v1alpha1", deprecated=True, doc="First draft.", served=False),
    Version("v1beta1"),
    Version("v1"),
)


def to_u16(number: int) -> int:
    return min(number, 65535)


@obj
class Nothing:
    pass


@obj
class Berth:
    number: Annotated[U16, added("v1beta1"), changed("v1", from_name="no")]
    tides: list[float | None]


@union(rename_all="camelCase")
class Rope:
    Loose: Unit
    Tied: Berth


@union(rename_all="camelCase")
class Cargo:
    Crate: U32
    Pair: tuple[Berth, U8]
    \"\"\"Two at once.\"\"\"


@union
class Mood:
    Calm: Unit
    Stormy: Annotated[Unit, added("v1", fallback="Calm")]


@obj
class Crane:
    below: list["Crane"]
    lifts: dict[str, I64]


@obj
class PortStatus:
    berths_used: Annotated[U32, changed("v1", from_name="used")]
    selector: str


@resource(
    group="sea.example.com",
    namespaced=True,
    singular="haven",
    plural="havens",
    categories=("sea",),
    status=PortStatus,
    scale=scale(
        spec_replicas_path=".spec.berth_count",
        status_replicas_path=".status.berths_used",
        label_selector_path=".status.selector",
    ),
    print_columns=(
        print_column("Berths", json_path=".spec.berth_count", type="integer", priority=1),
        print_column("Town", json_path=".spec.town", description="Where."),
        print_column("Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
    selectable_fields=(".spec.town",),
    labels={"team": "sea"},
    annotations={"example.com/note": "x"},
    doc="A port, in short.",
)
class PortSpec:
    \"\"\"A port.\"\"\"

    town: Annotated[str, changed("v1beta1", from_name="city")]
    berth_count: Annotated[
        U32,
        added("v1beta1"),
        changed("v1", from_name="places", from_type=U16, downgrade_with=to_u16),
    ]
    berths: Annotated[list[Berth], list_key("number")]
    rope: Rope
    cargo: Cargo | None
    mood: Mood
    crane: Crane
    nothing: Nothing
    depth: I8
    anything: Json
"""


def versions_of(crd: Any) -> dict[str, Any]:
    return {version["name"]: version for version in crd["spec"]["versions"]}


def spec_of(version: Any) -> Any:
    return version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]


@pytest.fixture(scope="module")
def ports(declared: Declaring) -> Declared:
    return declared(PORTS)


@pytest.fixture(scope="module")
def port(ports: Declared) -> dict[str, Any]:
    """The versions of the CRD of ports."""
    kind = ports.kinds.Port
    return versions_of(kind.merged_crd(kind.Version.V1))


def test_a_small_crd(declared: Declaring) -> None:
    """The whole CRD of a kind: names, deprecation, formats, defaults, nulls, documentation."""
    lamp = declared(LAMPS).kinds.Lamp
    found = lamp.merged_crd(lamp.Version.V1)
    assert found == yaml.load_all(LAMP_CRD, "lamp.yaml")[0].value
    assert list(check_crd(found)) == []


def test_a_large_crd_is_accepted(ports: Declared) -> None:
    """A CRD with every construct breaks no rule of API servers, whatever version is stored."""
    kind = ports.kinds.Port
    for stored in kind.Version:
        assert list(check_crd(kind.merged_crd(stored))) == []


def test_names_and_metadata(ports: Declared) -> None:
    """Names, scope, categories, labels and annotations are those of the resource."""
    crd: Any = ports.kinds.Port.merged_crd(ports.kinds.PortVersion.V1)
    assert crd["metadata"] == {
        "name": "havens.sea.example.com",
        "labels": {"team": "sea"},
        "annotations": {"example.com/note": "x"},
    }
    assert crd["spec"]["scope"] == "Namespaced"
    assert crd["spec"]["names"] == {
        "kind": "Port",
        "listKind": "PortList",
        "plural": "havens",
        "singular": "haven",
        "categories": ["sea"],
    }


def test_a_version_without_a_note_has_no_warning(port: dict[str, Any]) -> None:
    """A deprecated version without a note has no deprecationWarning; served is as declared."""
    flags = {
        name: {key: version.get(key) for key in ("served", "deprecated", "deprecationWarning")}
        for name, version in port.items()
    }
    assert flags == {
        "v1alpha1": {"served": False, "deprecated": True, "deprecationWarning": None},
        "v1beta1": {"served": True, "deprecated": None, "deprecationWarning": None},
        "v1": {"served": True, "deprecated": None, "deprecationWarning": None},
    }


def test_documentation(port: dict[str, Any]) -> None:
    """The documentation of a version stands before that of each class, in that version only."""
    root = {name: version["schema"]["openAPIV3Schema"] for name, version in port.items()}
    assert {item["description"] for item in root.values()} == {"A port, in short."}
    texts = {name: item["properties"]["spec"]["description"] for name, item in root.items()}
    assert texts == {
        "v1alpha1": "First draft.\n\nA port.",
        "v1beta1": "A port.",
        "v1": "A port.",
    }


def test_paths_follow_renames(port: dict[str, Any]) -> None:
    """Paths have the names of each version, and are left out where the field is missing."""
    scales = {name: version["subresources"].get("scale") for name, version in port.items()}
    assert scales == {
        "v1alpha1": None,
        "v1beta1": {
            "specReplicasPath": ".spec.places",
            "statusReplicasPath": ".status.used",
            "labelSelectorPath": ".status.selector",
        },
        "v1": {
            "specReplicasPath": ".spec.berth_count",
            "statusReplicasPath": ".status.berths_used",
            "labelSelectorPath": ".status.selector",
        },
    }
    columns = {
        name: [column["jsonPath"] for column in version["additionalPrinterColumns"]]
        for name, version in port.items()
    }
    age = ".metadata.creationTimestamp"
    assert columns == {
        "v1alpha1": [".spec.city", age],
        "v1beta1": [".spec.places", ".spec.town", age],
        "v1": [".spec.berth_count", ".spec.town", age],
    }
    assert port["v1"]["additionalPrinterColumns"][0] == {
        "name": "Berths",
        "type": "integer",
        "jsonPath": ".spec.berth_count",
        "priority": 1,
    }
    selectable = {name: version["selectableFields"] for name, version in port.items()}
    assert selectable == {
        "v1alpha1": [{"jsonPath": ".spec.city"}],
        "v1beta1": [{"jsonPath": ".spec.town"}],
        "v1": [{"jsonPath": ".spec.town"}],
    }


def test_unions(port: dict[str, Any]) -> None:
    """Bare variants are an enum, payloads an object with one member, both together anything."""
    spec = spec_of(port["v1"])
    pair = {
        "type": "array",
        "items": {"x-kubernetes-preserve-unknown-fields": True},
        "minItems": 2,
        "maxItems": 2,
        "description": "Two at once.",
    }
    assert spec["rope"] == {"x-kubernetes-preserve-unknown-fields": True}
    assert spec["mood"] == {"type": "string", "enum": ["Calm", "Stormy"]}
    assert spec_of(port["v1beta1"])["mood"]["enum"] == ["Calm"]
    assert spec["cargo"] == {
        "type": "object",
        "nullable": True,
        "properties": {
            "crate": {"type": "integer", "format": "uint32", "minimum": 0},
            "pair": pair,
        },
        "oneOf": [{"required": ["crate"]}, {"required": ["pair"]}],
    }
    assert "$unit" not in str(port)


def test_other_types(port: dict[str, Any]) -> None:
    """Closed, recursive and free values, each as narrow as a structural schema can be."""
    spec = spec_of(port["v1"])
    anything = {"x-kubernetes-preserve-unknown-fields": True}
    assert spec["nothing"] == {"type": "object"}
    assert spec["anything"] == anything
    assert spec["depth"] == {"type": "integer", "format": "int8", "minimum": -128, "maximum": 127}
    assert spec["crane"] == {
        "type": "object",
        "required": ["below", "lifts"],
        "properties": {
            "below": {"type": "array", "items": {"type": "object", **anything}},
            "lifts": {
                "type": "object",
                "additionalProperties": {"type": "integer", "format": "int64"},
            },
        },
    }


def test_list_keys_follow_renames(port: dict[str, Any]) -> None:
    """The key of a list has the name of each version; without the key, the list has none."""
    keys = {
        name: spec_of(version)["berths"].get("x-kubernetes-list-map-keys")
        for name, version in port.items()
    }
    assert keys == {"v1alpha1": None, "v1beta1": ["no"], "v1": ["number"]}


# --- tracked values --------------------------------------------------------------------------

TRACKED = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1"), tracking=Tracking(carrier="{carrier}"))


@obj
class BoxStatus:
    ready: bool
    phase: str | None


@resource(group="box.example.com", status=BoxStatus)
class BoxSpec:
    size: Annotated[int, added("v1")]


@resource(group="box.example.com")
class LidSpec:
    size: Annotated[int, added("v1")]
"""


def status_of(version: Any) -> Any:
    return version["schema"]["openAPIV3Schema"]["properties"].get("status")


def tracked(root: Path, carrier: str, kind: str) -> dict[str, Any]:
    kinds = declare(root, TRACKED.replace("{carrier}", carrier)).kinds
    found = getattr(kinds, kind)
    crd = found.merged_crd(found.Version.V1)
    assert list(check_crd(crd)) == []
    return versions_of(crd)


def test_list_keys_are_declared_where_a_recursion_ends(declared: Declaring) -> None:
    """API servers ask for them at every depth, with the names of the version."""
    group = declared(
        """
VERSIONS = Versions(Version("v1"), Version("v2"))


@obj
class Branch:
    label: Annotated[str, changed("v2", from_name="name")]
    age: U8
    branches: Annotated[list[Branch], list_key("label")]


@resource(group="wood.example.com")
class TreeSpec:
    trunk: Branch
""",
    )
    crd = group.kinds.Tree.merged_crd(group.kinds.TreeVersion.V2)
    assert list(check_crd(crd)) == []
    for version, key in zip(crd["spec"]["versions"], ("name", "label"), strict=True):
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        assert spec["properties"]["trunk"]["properties"]["branches"] == {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": [key],
            "items": {
                "type": "object",
                "properties": {key: {"type": "string"}},
                "required": [key],
                "x-kubernetes-preserve-unknown-fields": True,
            },
        }


def test_tracked_values_have_a_place_in_every_version(tmp_path: Path) -> None:
    """A kind without a status gets one for tracked values, with the subresource."""
    for version in tracked(tmp_path, "status", "Lid").values():
        assert version["subresources"] == {"status": {}}
        status = status_of(version)
        assert status["properties"].keys() == {"changedValues"}
        sections = status["properties"]["changedValues"]["properties"]
        anything = {"x-kubernetes-preserve-unknown-fields": True, "nullable": True}
        for section, became in (("upgrades", "downgradedValue"), ("downgrades", "upgradedValue")):
            entry = sections[section]["additionalProperties"]["items"]["properties"]
            assert entry["value"] == entry[became] == anything


def test_required_members_of_a_status_wait_for_its_owner(tmp_path: Path) -> None:
    """A status may hold tracked values alone; anything else needs its required members."""
    for version in tracked(tmp_path, "status", "Box").values():
        status = status_of(version)
        assert "required" not in status
        assert status["anyOf"] == [
            {"required": ["ready"]},
            {"required": ["changedValues"], "maxProperties": 1},
        ]
        wrong = {
            "alone": list(flaws({"changedValues": {}}, status)),
            "whole": list(flaws({"ready": True, "changedValues": {}}, status)),
        }
        assert wrong == {"alone": [], "whole": []}
        assert list(flaws({"phase": "x", "changedValues": {}}, status))


def test_nothing_of_an_entry_is_pruned(tmp_path: Path) -> None:
    """Everything that an entry can have survives the schema of every version."""
    became = {"upgrades": "downgradedValue", "downgrades": "upgradedValue"}
    changed: dict[str, Any] = {
        section: {
            "v1": [
                {
                    "jsonPath": "$.a[0]",
                    "value": {"b": [1, {"c": None}]},
                    name: None,
                    "guards": ["x"],
                },
                {"jsonPath": "$.b", "absent": True, "root": "status"},
                {"fieldName": "c", "value": None},
            ],
            "v9": [],
        }
        for section, name in became.items()
    }
    value: Any = {"changedValues": changed}
    for version in tracked(tmp_path, "status", "Lid").values():
        status = status_of(version)
        assert prune(value, status) == value
        assert list(flaws(value, status)) == []


def test_other_carriers_need_no_place_for_the_spec(tmp_path: Path) -> None:
    """With annotations only a declared status has tracked values of its own; with bags none."""
    assert status_of(tracked(tmp_path, "annotation", "Lid")["v1"]) is None
    status = status_of(tracked(tmp_path, "annotation", "Box")["v1"])
    assert "changedValues" in status["properties"]
    for kind in ("Lid", "Box"):
        assert "changedValues" not in str(tracked(tmp_path, "bag", kind))


# --- merged_crd ------------------------------------------------------------------------------


def test_one_version_is_stored(ports: Declared) -> None:
    """Exactly the chosen version is stored; nothing is said of conversion without a client."""
    kind = ports.kinds.Port
    for stored in kind.Version:
        crd: Any = kind.merged_crd(stored)
        flags = {name: version["storage"] for name, version in versions_of(crd).items()}
        assert flags == {name: name == stored.value for name in ("v1alpha1", "v1beta1", "v1")}
        assert "conversion" not in crd["spec"]


def test_orders(ports: Declared) -> None:
    """Versions ascend, or the stored one comes first and the others descend."""
    kind = ports.kinds.Port
    middle = kind.Version.V1Beta1
    assert list(versions_of(kind.merged_crd(middle))) == ["v1alpha1", "v1beta1", "v1"]
    first = kind.merged_crd(middle, order="stored-first")
    assert list(versions_of(first)) == ["v1beta1", "v1", "v1alpha1"]


def test_a_client_config_makes_a_webhook(ports: Declared) -> None:
    """With a client config the CRD names the webhook, and a server accepts it."""
    kind = ports.kinds.Port
    client = {"service": {"namespace": "sea", "name": "convert", "path": "/convert"}}
    crd: Any = kind.merged_crd(kind.Version.V1, client_config=client)
    assert crd["spec"]["conversion"] == {
        "strategy": "Webhook",
        "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": client},
    }
    assert list(check_crd(crd)) == []


def test_an_unknown_version_cannot_be_stored(ports: Declared) -> None:
    """A version that the kind does not have is refused, with the ones that it has."""
    with pytest.raises(UnknownApiVersion, match=r'Port has no version "v2".*v1alpha1, v1beta1, v1'):
        ports.kinds.Port.merged_crd("v2")


def test_a_group_that_is_no_domain_has_no_crd(declared: Declaring) -> None:
    """Servers refuse a group without a dot, so there is no CRD; asking for it says so."""
    lamp = declared(LAMPS.replace("light.example.com", "light")).kinds.Lamp
    with pytest.raises(HoldallError, match="no CRD of Lamp: its group has to be a domain"):
        lamp.merged_crd(lamp.Version.V1)


def test_the_configuration_adds_to_the_declaration(tmp_path: Path) -> None:
    """What `crd` of the group states counts; what it leaves out is as declared."""
    (tmp_path / "lamps_configured.py").write_text(HEAD + LAMPS)
    (tmp_path / "holdall.yaml").write_text(
        "groups:\n  lights:\n    sources: [{declared: lamps_configured.py}]\n"
        "    crd: {kinds: {Lamp: {categories: [light], scope: Namespaced}}}\n"
    )
    files = emit_project(load_project(tmp_path))
    crd: Any = yaml.load_all(files["generated/lights/crds/lamps.yaml"], "lamps.yaml")[0].value
    assert crd["spec"]["scope"] == "Namespaced"
    assert crd["spec"]["names"]["categories"] == ["light"]
    assert crd["spec"]["names"]["shortNames"] == ["la"]


def test_a_note_that_servers_refuse(tmp_path: Path) -> None:
    """It is not cut: nobody would know what the rest said."""
    (tmp_path / "lamps_noted.py").write_text(HEAD + LAMPS.replace("use v1", "use v1! " * 33))
    config = "groups: {lights: {sources: [{declared: lamps_noted.py}]}}"
    (tmp_path / "holdall.yaml").write_text(config)
    with pytest.raises(CrdError) as caught:
        emit_project(load_project(tmp_path))
    (problem,) = caught.value.problems
    line = f"{HEAD}{LAMPS}".splitlines().index(LAMPS.splitlines()[1]) + 1
    assert (problem.code, problem.where) == ("HA853", f"lamps_noted.py:{line}:21")


def test_a_skipped_crd_is_not_generated(tmp_path: Path) -> None:
    """With Skip.MERGED_CRD there is neither the function nor the file."""
    text = LAMPS.replace('shortnames=("la",)', "skip=(Skip.MERGED_CRD,)")
    declared = declare(tmp_path, text)
    assert not hasattr(declared.kinds.Lamp, "merged_crd")
    assert not list(tmp_path.rglob("lamps.yaml"))


def test_paths_lead_through_generic_classes(declared: Declaring) -> None:
    """What a class holds for its parameter has the names of each version, too."""
    crd = declared(
        """
from typing import Generic, TypeVar

T = TypeVar("T")
VERSIONS = Versions(Version("v1"), Version("v2"))

@resource(group="example.com", selectable_fields=(".spec.box.content.name",))
class FooSpec:
    box: Box[Part]

@obj
class Box(Generic[T]):
    content: T

@obj
class Part:
    name: Annotated[str, changed("v2", from_name="title")]
""",
    ).kinds.Foo.merged_crd("v2")
    assert {name: version["selectableFields"] for name, version in versions_of(crd).items()} == {
        "v1": [{"jsonPath": ".spec.box.content.title"}],
        "v2": [{"jsonPath": ".spec.box.content.name"}],
    }
