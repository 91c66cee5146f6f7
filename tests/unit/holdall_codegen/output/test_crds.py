"""`holdall crd`: one manifest per kind, with what is declared of it, and nothing lost of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.cli import main
from holdall.kubernetes.crds.findings import CrdError
from holdall.kubernetes.crds.rules import check_crd
from holdall.text.yaml import dump, load_all
from holdall_codegen.output.crds import CrdSet, make_crds
from holdall_codegen.project import load_project
from tests.support.projects import config_of

CONFIG = config_of("Box", "v1alpha1 v1", group="shop.example.com")

V1ALPHA1 = """
type: object
description: A box.
properties:
  spec:
    type: object
    properties:
      size: {type: integer, description: How large it is.}
      description: {type: string}
"""

V1 = """
type: object
properties:
  spec: {type: object, properties: {size: {type: integer}, lid: {type: string}}}
  status: {type: object, properties: {filled: {type: integer}, selector: {type: string}}}
"""

FROM_CRDS = """
groups:
  shop:
    sources: [{crds: "crds/*.yaml"}]
    versions: [v1alpha1, v1]
"""

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boxes.shop.example.com
  labels: {team: shop}
  annotations: {controller-gen.kubebuilder.io/version: v0.14.0}
spec:
  group: shop.example.com
  scope: Cluster
  futureField: {kept: true}
  names: {kind: Box, listKind: BoxList, plural: boxes, singular: box, shortNames: [bx]}
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
      subresources: {status: {}}
      selectableFields: [{jsonPath: .spec.size}]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              x-kubernetes-validations: [{rule: "self.size > 0"}]
              properties: {size: {type: integer, minimum: 1}, lid: {type: string}}
            status: {type: object, properties: {filled: {type: integer}}}
"""

OLD_CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.shop.example.com}
spec:
  group: shop.example.com
  scope: Cluster
  names: {kind: Box, listKind: BoxList, plural: boxes, singular: box}
  versions:
    - name: v1alpha1
      served: true
      storage: false
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
        size: {type: integer}}}}}}
"""


def write(root: Path, extra: str = "", **files: str) -> Path:
    """Write a project, with more lines for its group, and return its folder."""
    texts = {"holdall.yaml": CONFIG + extra, "v1alpha1.yaml": V1ALPHA1, "v1.yaml": V1} | files
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def write_crds(root: Path, extra: str = "", **files: str) -> Path:
    """Write a project that is read from CRDs."""
    crds = {"crds/a.yaml": CRD, "crds/b.yaml": OLD_CRD} | files
    return write(root, **{"holdall.yaml": FROM_CRDS + extra, **crds})


def made(root: Path) -> Any:
    """Return the one CRD of a project."""
    (manifest,) = make_crds(load_project(root)).manifests
    return manifest.value


def make(root: Path) -> CrdSet:
    """Make the CRDs of a project."""
    return make_crds(load_project(root))


def loaded(path: Path) -> list[Any]:
    """Return the documents of a file."""
    return [document.value for document in load_all(path.read_bytes(), path.name)]


def called(root: Path, *arguments: str) -> int:
    """Run `holdall crd`."""
    return main(["--project", str(root), "crd", *arguments])


# --- what a manifest says ---

DECLARED = """
    crd:
      conversion: {service: {namespace: ops, name: hook}}
      kinds:
        Box:
          plural: boxen
          list_kind: Boxen
          scope: Cluster
          short_names: [bx]
          categories: [all]
          unserved: [v1alpha1]
          status_slot: true
          scale: {spec: .spec.size, status: .status.filled, selector: .status.selector}
          columns:
            - {name: Size, path: .spec.size, type: integer, versions: [v1]}
            - {name: Age, path: .metadata.creationTimestamp, type: date, priority: 1}
"""


def test_everything_that_is_declared(tmp_path: Path) -> None:
    """Names, scope, flags, subresources, columns, slots and conversion stand in the manifest."""
    v1 = V1ALPHA1 + V1.partition("properties:\n")[2].partition("\n")[2]
    crd = made(write(tmp_path, DECLARED, **{"v1alpha1.yaml": v1}))
    spec = crd["spec"]
    assert crd["metadata"]["name"] == "boxen.shop.example.com"
    assert spec["names"] == {
        "kind": "Box",
        "listKind": "Boxen",
        "plural": "boxen",
        "singular": "box",
        "shortNames": ["bx"],
        "categories": ["all"],
    }
    assert spec["scope"] == "Cluster"
    assert spec["conversion"] == {
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {
                "service": {"namespace": "ops", "name": "hook", "path": "/convert", "port": 443}
            },
        },
    }
    newer, older = spec["versions"]
    assert [(v["name"], v["served"], v["storage"]) for v in (newer, older)] == [
        ("v1", True, True),
        ("v1alpha1", False, False),
    ]
    assert (
        newer["subresources"]
        == older["subresources"]
        == {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.size",
                "statusReplicasPath": ".status.filled",
                "labelSelectorPath": ".status.selector",
            },
        }
    )
    age = {
        "name": "Age",
        "type": "date",
        "jsonPath": ".metadata.creationTimestamp",
        "priority": 1,
    }
    assert newer["additionalPrinterColumns"] == [
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        age,
    ]
    assert older["additionalPrinterColumns"] == [age]
    status = newer["schema"]["openAPIV3Schema"]["properties"]["status"]
    assert status["properties"]["$propertyBag"] == {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "x-kubernetes-map-type": "atomic",
    }
    assert [item for item in check_crd(crd) if item.level == "error"] == []


def test_equal_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs print the same, in whatever order versions were listed."""
    root = write(tmp_path)
    assert called(root) == 0
    first = capsys.readouterr().out
    turned = CONFIG.replace("[v1alpha1, v1]", "[v1alpha1, v1]\n    hub: v1")
    (root / "holdall.yaml").write_text(turned)
    assert called(root) == 0
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("declared", "warning"),
    [
        (
            "versions: [{name: v1alpha1, deprecated: it will go in June}, v1]",
            "shop.example.com/v1alpha1 Box is deprecated; it will go in June",
        ),
        (
            "versions: [v1alpha1, v1]\n    crd: {kinds: {Box: {deprecated: [v1alpha1]}}}",
            "shop.example.com/v1alpha1 Box is deprecated; use shop.example.com/v1 Box",
        ),
        (
            "versions: [v1alpha1, v1]\n"
            "    crd: {kinds: {Box: {deprecated: [v1alpha1, v1], storage: v1}}}",
            "shop.example.com/v1alpha1 Box is deprecated",
        ),
        (
            f"versions: [{{name: v1alpha1, deprecated: {'x' * 250}}}, v1]",
            "x" * 250,
        ),
    ],
    ids=["text", "default", "no better one", "long"],
)
def test_deprecation(tmp_path: Path, declared: str, warning: str) -> None:
    """A deprecated version warns with its text, else with the version to use instead."""
    root = write(tmp_path, **{"holdall.yaml": CONFIG.replace("versions: [v1alpha1, v1]", declared)})
    older = made(root)["spec"]["versions"][1]
    assert (older["deprecated"], older["deprecationWarning"]) == (True, warning)


def test_descriptions_are_stripped(tmp_path: Path) -> None:
    """Descriptions go from versions that are not stored; properties of that name stay."""
    root = write(tmp_path, "    crd: {strip_descriptions: true}\n")
    schema = made(root)["spec"]["versions"][1]["schema"]["openAPIV3Schema"]
    assert schema["properties"]["spec"] == {
        "type": "object",
        "properties": {"description": {"type": "string"}, "size": {"type": "integer"}},
    }
    assert "description" not in schema


def test_the_field_carrier_has_its_slot(tmp_path: Path) -> None:
    """Where bags travel in a field, every version declares it, and reading it back ignores it."""
    root = write(tmp_path, "    carrier: field\n")
    for version in made(root)["spec"]["versions"]:
        assert "$propertyBag" in version["schema"]["openAPIV3Schema"]["properties"]
    (root / "crds").mkdir()
    (root / "crds/box.yaml").write_text(dump(made(root)))
    (root / "holdall.yaml").write_text(FROM_CRDS + "    carrier: field\n")
    assert made(root) == loaded(root / "crds/box.yaml")[0]


# --- mistakes ---

MISTAKES = """
    crd:
      conversion: {url: "https://a.example.com", ca_bundle: ca.crt}
      kinds:
        Box:
          storage: v1
          scale: {spec: .spec.count, status: .status.filled}
          columns:
            - {name: Lid, path: .spec.lid, type: string}
        Crate: {scope: Cluster}
"""


def test_mistakes_are_located(tmp_path: Path) -> None:
    """All mistakes are reported at once, each with its line in the file that made it."""
    root = write(tmp_path, MISTAKES, **{"ca.crt": "no certificate"})
    with pytest.raises(CrdError) as error:
        make(root)
    found = [(problem.code, problem.where) for problem in error.value.problems]
    lines = (root / "holdall.yaml").read_text().splitlines()
    scale = 1 + next(index for index, line in enumerate(lines) if "scale:" in line)
    crate = 1 + next(index for index, line in enumerate(lines) if "Crate:" in line)
    column = 1 + next(index for index, line in enumerate(lines) if "name: Lid" in line)
    assert sorted(found) == [
        ("HA164", f"holdall.yaml:{crate}"),
        ("HA854", f"holdall.yaml:{column}"),
        ("HA855", f"holdall.yaml:{scale}"),  # .spec.count, in v1
        ("HA855", f"holdall.yaml:{scale}"),  # .spec.count, in v1alpha1
        ("HA855", f"holdall.yaml:{scale}"),  # .status.filled, in v1alpha1
        ("HA862", "ca.crt"),
    ]


def test_mistakes_in_schemas_name_the_schema(tmp_path: Path) -> None:
    """What a server would refuse in a schema leads to the line of the source."""
    bad = V1.replace("lid: {type: string}", "lid: {type: string, default: 5}")
    with pytest.raises(CrdError) as error:
        make(write(tmp_path, **{"v1.yaml": bad}))
    (problem,) = error.value.problems
    assert (problem.code, problem.where) == ("HA860", "v1.yaml:4")


def test_mistakes_in_crds_name_the_crd(tmp_path: Path) -> None:
    """The same for a kind that is read from CRDs, also if it is the second of two files."""
    bad = OLD_CRD.replace("size: {type: integer}", "size: {type: integer, default: x}")
    with pytest.raises(CrdError) as error:
        make(write_crds(tmp_path, **{"crds/b.yaml": bad}))
    (problem,) = error.value.problems
    assert (problem.code, problem.where) == ("HA860", "crds/b.yaml:14:40")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("scope: Cluster", "scope: Namespaced", "HA864"),
        ("singular: box", "singular: bok", "HA864"),
        ("storage: false", "storage: true", "HA852"),
    ],
)
def test_contradicting_crds(tmp_path: Path, old: str, new: str, code: str) -> None:
    """Two CRDs of one kind must agree, and only one version can be stored."""
    with pytest.raises(CrdError) as error:
        make(write_crds(tmp_path, **{"crds/b.yaml": OLD_CRD.replace(old, new)}))
    (problem,) = error.value.problems
    assert problem.code == code
    assert "crds/a.yaml" in str(problem) and "crds/b.yaml" in str(problem)


# --- kinds that are read from CRDs ---


def test_crds_are_kept(tmp_path: Path) -> None:
    """Two CRDs become one; what nobody declares stays, unknown fields included."""
    crd = made(write_crds(tmp_path))
    source: Any = load_all(CRD, "a")[0].value
    old: Any = load_all(OLD_CRD, "b")[0].value
    assert crd["metadata"] == source["metadata"]
    assert crd["spec"]["futureField"] == {"kept": True}
    assert crd["spec"]["names"] == source["spec"]["names"]
    assert crd["spec"]["versions"] == [*source["spec"]["versions"], *old["spec"]["versions"]]


def test_the_stored_version_stays(tmp_path: Path) -> None:
    """What a CRD stores is stored, though the hub is another version, until it is declared."""
    old = OLD_CRD.replace("storage: false", "storage: true")
    new = CRD.replace("storage: true", "storage: false")
    files = {"crds/a.yaml": new, "crds/b.yaml": old}
    for declared, stored in (("", "v1alpha1"), ("    crd: {kinds: {Box: {storage: v1}}}\n", "v1")):
        versions = made(write_crds(tmp_path, declared, **files))["spec"]["versions"]
        assert [version["name"] for version in versions if version["storage"]] == [stored]


def test_declarations_change_crds(tmp_path: Path) -> None:
    """What is declared takes the place of what the CRD says."""
    declared = "    crd: {kinds: {Box: {short_names: [b], status: false, unserved: [v1alpha1]}}}\n"
    spec = made(write_crds(tmp_path, declared))["spec"]
    assert spec["names"]["shortNames"] == ["b"]
    assert "subresources" not in spec["versions"][0]
    assert [version["served"] for version in spec["versions"]] == [True, False]


# --- an existing manifest ---

EXISTING = """
apiVersion: v1
kind: Service
metadata: {name: other}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boxes.shop.example.com
  annotations: {cert-manager.io/inject-ca-from: ops/hook}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Box, listKind: BoxList, plural: boxes, singular: box, categories: [shop]}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig:
        url: https://old.example.com
        caBundle: AAAA
  versions:
    - name: v1beta1
      served: true
      storage: false
      schema: {openAPIV3Schema: {type: object}}
    - name: v1
      served: true
      storage: true
      selectableFields: [{jsonPath: .spec.size}]
      subresources:
        status: {}
        scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.filled}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              x-kubernetes-preserve-unknown-fields: true
              x-kubernetes-validations: [{rule: "self.size > 0"}]
              properties: {size: {type: integer, minimum: 1}, lid: {type: integer, maximum: 3}}
"""


def test_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A manifest gets our versions and address; what is its owner's stays, in every node."""
    root = write(tmp_path, "    crd: {conversion: {service: {namespace: ops, name: hook}}}\n")
    file = root / "all.yaml"
    file.write_text(EXISTING)
    assert called(root, "--into", str(file)) == 0
    assert "v1beta1 is removed" in capsys.readouterr().err
    service, crd = loaded(file)
    assert service == load_all(EXISTING, "all")[0].value
    assert crd["metadata"]["annotations"] == {"cert-manager.io/inject-ca-from": "ops/hook"}
    assert crd["spec"]["names"]["categories"] == ["shop"]
    client = crd["spec"]["conversion"]["webhook"]["clientConfig"]
    assert client == {
        "caBundle": "AAAA",
        "service": {"namespace": "ops", "name": "hook", "path": "/convert", "port": 443},
    }
    newer, older = crd["spec"]["versions"]
    assert (newer["name"], older["name"]) == ("v1", "v1alpha1")
    assert newer["selectableFields"] == [{"jsonPath": ".spec.size"}]
    assert newer["subresources"].keys() == {"status", "scale"}
    spec = newer["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["x-kubernetes-validations"] == [{"rule": "self.size > 0"}]
    assert "x-kubernetes-preserve-unknown-fields" not in spec  # ours to say, and not said
    assert spec["properties"] == {
        "lid": {"type": "string"},  # its type changed, so its old rule is gone
        "size": {"type": "integer", "minimum": 1},
    }


def test_into_keeps_comments(tmp_path: Path) -> None:
    """Lines that say the same stay to the character, and a second run changes none."""
    root = write(tmp_path, "    crd: {conversion: {service: {namespace: ops, name: hook}}}\n")
    file = root / "all.yaml"
    commented = EXISTING.replace(
        "categories:", "# as `kubectl get shop` shows them\n    categories:"
    )
    commented = commented.replace("served: true\n", "served: true   # since 2021\n")
    file.write_text(commented)
    assert called(root, "--into", str(file)) == 0
    after = file.read_text()
    head, _, versions = after.partition("  versions:")
    assert "# as `kubectl get shop` shows them\n    categories:" in head
    assert versions.count("served: true   # since 2021\n") == 1  # v1beta1 is gone
    assert 'x-kubernetes-validations: [{rule: "self.size > 0"}]\n' in versions
    file.write_text(EXISTING)
    assert called(root, "--into", str(file)) == 0
    plain = file.read_text()
    assert called(root, "--into", str(file)) == 0
    assert file.read_text() == plain


def test_a_status_that_is_turned_off(tmp_path: Path) -> None:
    """`status: false` takes the subresource out of an existing manifest, and only that one."""
    root = write(tmp_path, "    crd: {kinds: {Box: {status: false}}}\n")
    file = root / "all.yaml"
    file.write_text(EXISTING)
    assert called(root, "--into", str(file)) == 0
    assert loaded(file)[1]["spec"]["versions"][0]["subresources"].keys() == {"scale"}


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_into_twice(tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Updating what is up to date changes no byte, and --check says so."""
    root = write(tmp_path)
    file = root / f"all.{suffix}"
    crd = load_all(EXISTING, "all")[1].value
    file.write_text(json.dumps(crd) if suffix == "json" else dump(crd))
    assert called(root, "--into", str(file), "--check") == 1
    assert "+++ b/" in capsys.readouterr().out
    assert called(root, "--into", str(file)) == 0
    text = file.read_bytes()
    assert called(root, "--into", str(file)) == 0
    assert file.read_bytes() == text
    assert called(root, "--into", str(file), "--check") == 0


def test_into_the_source(tmp_path: Path) -> None:
    """The CRD that a kind is read from can be the manifest that is updated."""
    root = write_crds(tmp_path, "    carrier: field\n", **{"crds/b.yaml": OLD_CRD})
    source = root / "crds/a.yaml"
    (root / "holdall.yaml").write_text(
        FROM_CRDS.replace("*.yaml", "a.yaml") + "    carrier: field\n"
    )
    source.write_text(CRD.replace("  versions:", OLD_CRD[OLD_CRD.index("  versions:") : -1]))
    assert called(root, "--into", str(source)) == 0
    text = source.read_text()
    assert text.count("$propertyBag") == 2
    assert called(root, "--into", str(source)) == 0
    assert source.read_text() == text


def test_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder gets one file per CRD; --json tells what was done."""
    root = write(tmp_path)
    folder = root / "out"
    assert called(root, "--output", str(folder), "--check") == 1
    assert not folder.exists()
    capsys.readouterr()
    assert called(root, "--output", str(folder), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["changed"] == [(folder / "boxes.shop.example.com.yaml").as_posix()]
    assert loaded(folder / "boxes.shop.example.com.yaml") == told["crds"] == [made(root)]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--check",), 2),
        (("--into", "holdall.yaml", "--output", "x"), 2),
        (("--kind", "Bok"), 2),
        (("--group", "shp"), 2),
        (("--kind", "Box"), 0),
        (("--group", "shop"), 0),
    ],
)
def test_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int
) -> None:
    """What contradicts itself is wrong use, and so are unknown names."""
    monkeypatch.chdir(write(tmp_path))
    assert called(tmp_path, *arguments) == code


def test_what_is_no_resource(tmp_path: Path) -> None:
    """A kind without an API group gets no CRD; asked for by name, it is an error that says why."""
    root = write(tmp_path, **{"holdall.yaml": CONFIG.replace("shop.example.com", "shop")})
    assert make(root).manifests == ()
    with pytest.raises(CrdError, match=r"HA865 holdall\.yaml:3: Box cannot be a Kubernetes"):
        make_crds(load_project(root), kinds=["Box"])


KEYED = OLD_CRD.replace(
    "size: {type: integer}",
    "size: {type: integer}, rows: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-"
    "map-keys: [name], items: {type: object, properties: {name: {type: string}}}}",
)


def test_errors_in_crds_of_others_can_be_accepted(tmp_path: Path) -> None:
    """As an API server keeps them in a CRD that has them. The error offers it, and it is told."""
    files = {"crds/b.yaml": KEYED}
    with pytest.raises(CrdError) as error:
        make(write_crds(tmp_path, **files))
    (problem,) = error.value.problems
    assert (problem.code, problem.where.partition(":")[0]) == ("HA858", "crds/b.yaml")
    assert "`crd: {accept: [HA858]}`" in problem.fix
    crds = make(write_crds(tmp_path, "    crd: {accept: [HA858]}\n", **files))
    assert [(item.code, item.message) for item in crds.warnings] == [
        ("HA858", 'the key "name" must be required or have a default')
    ]
