"""Reading CRDs: documents, groups, versions, roots, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdall.errors import SourceError
from holdall.text.documents import Scalars
from holdall_codegen.config.keys import CrdSource, SchemaSource, Source, VersionConfig
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.model import Group, Location, Opaque, Ref, Scalar
from holdall_codegen.read import read_group
from tests.support.closed import close_folder

AT = Location("holdall.yaml", 7)
STRING = {"type": "string"}
SPEC = {"type": "object", "properties": {"size": {"type": "integer"}}}


def crd(kind: str = "Pool", group: str = "x.example.com", **versions: object) -> dict[str, object]:
    """Return a CRD; each version's value is the schema of its spec."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": kind.lower() + "s"},
            "versions": [
                {
                    "name": name,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {
                                "apiVersion": STRING,
                                "kind": STRING,
                                "metadata": {"type": "object"},
                                "spec": spec,
                            },
                        }
                    },
                }
                for name, spec in (versions or {"v1": SPEC}).items()
            ],
        },
    }


def read(
    root: Path,
    *documents: object,
    versions: tuple[VersionConfig, ...] = (VersionConfig("v1", AT),),
    sources: tuple[Source, ...] = (CrdSource("*.yaml", AT),),
    api_group: str | None = None,
) -> Group:
    """Read documents, one file for each, named a0.yaml and so on; JSON is YAML."""
    for number, document in enumerate(documents):
        text = document if isinstance(document, str) else json.dumps(document)
        (root / f"a{number}.yaml").write_text(text, encoding="utf-8")
    return read_group(GroupConfig("g", "g", AT, sources, versions, api_group=api_group), root)


def problems_of(root: Path, *documents: object, **options: object) -> list[str]:
    with pytest.raises(SourceError) as caught:
        read(root, *documents, **options)  # type: ignore[arg-type]
    return [str(problem) for problem in caught.value.problems]


def test_root_has_metadata_and_spec_only(tmp_path: Path) -> None:
    """A root drops apiVersion and kind; its metadata is opaque, its spec a type of its own."""
    group = read(tmp_path, crd())
    root = group.versions[0].types["Pool"]
    assert {item.name: item.type for item in root.properties} == {
        "metadata": Opaque(),
        "spec": Ref("PoolSpec"),
    }
    assert group.api_group == "x.example.com"
    assert group.versions[0].kinds[0].plural == "pools"


def test_metadata_stands_even_if_the_schema_leaves_it_out(tmp_path: Path) -> None:
    """Every Kubernetes object has metadata, so its root type has, too."""
    (tmp_path / "s.json").write_text(json.dumps(SPEC), encoding="utf-8")
    source = SchemaSource("s.json", "v1", AT, {"Pool": ""})
    group = read(tmp_path, sources=(source,), api_group="x.example.com")
    assert [item.name for item in group.versions[0].types["Pool"].properties] == [
        "metadata",
        "size",
    ]


def test_documents_lists_and_other_objects_share_a_file(tmp_path: Path) -> None:
    """A file may hold several CRDs, lists of them, and other Kubernetes objects."""
    wrapped = {"apiVersion": "v1", "kind": "List", "items": [crd("B"), crd("C")]}
    other = {"apiVersion": "v1", "kind": "Namespace"}
    text = "\n---\n".join(json.dumps(item) for item in (crd("D"), other, wrapped))
    group = read(tmp_path, text, crd("A"))
    assert [kind.name for kind in group.versions[0].kinds] == ["A", "B", "C", "D"]
    assert list(group.crds) == ["A", "B", "C", "D"]
    assert group.crds["B"] == crd("B")


def test_versions_follow_the_configuration(tmp_path: Path) -> None:
    """The order is that of the configuration, kinds may be missing, shapes may be borrowed."""
    group = read(
        tmp_path,
        crd("A", v10=SPEC, v2=SPEC),
        crd("B", v2=SPEC),
        versions=(
            VersionConfig("v2", AT, deprecated="use v10"),
            VersionConfig("v10", AT),
            VersionConfig("hub", AT, internal=True, like="v2"),
        ),
    )
    assert [(v.name, [k.name for k in v.kinds], v.internal) for v in group.versions] == [
        ("v2", ["A", "B"], False),
        ("v10", ["A"], False),
        ("hub", ["A", "B"], True),
    ]
    assert group.versions[2].types == group.versions[0].types
    assert [v.deprecated for v in group.versions] == ["use v10", "", ""]


def test_v1beta1_keeps_its_schema_above_the_versions(tmp_path: Path) -> None:
    """A CRD of v1beta1 may have one schema for all versions, and one version without a list."""
    document = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": "x.example.com",
            "version": "v1",
            "names": {"kind": "Pool", "plural": "pools"},
            "validation": {"openAPIV3Schema": {"properties": {"spec": SPEC}}},
        },
    }
    group = read(tmp_path, document)
    assert group.versions[0].types["PoolSpec"].properties[0].type == Scalar("integer")


def test_two_documents_may_define_one_kind(tmp_path: Path) -> None:
    """The versions of a kind may come from several CRDs, but each only once."""
    versions = (VersionConfig("v1", AT), VersionConfig("v2", AT))
    group = read(tmp_path, crd(v1=SPEC), crd(v2=SPEC), versions=versions)
    assert [len(version.kinds) for version in group.versions] == [1, 1]
    [problem] = problems_of(tmp_path, crd(v1=SPEC), crd(v1=SPEC, v2=SPEC), versions=versions)
    assert "HA145" in problem
    assert "a0.yaml:1" in problem


@pytest.mark.parametrize("pattern", ["crds", "crds/"])
def test_a_folder_is_no_pattern(tmp_path: Path, pattern: str) -> None:
    """Whoever names the folder with the CRDs learns what to write."""
    (tmp_path / "crds").mkdir()
    versions = (VersionConfig("v1", AT),)
    config = GroupConfig("x", "x", AT, (CrdSource(pattern, AT),), versions)
    with pytest.raises(SourceError) as caught:
        read_group(config, tmp_path)
    (problem, *_) = caught.value.problems
    assert problem.message == f'"{pattern}" is a folder, not a file or a pattern of files'
    assert problem.fix == 'write a pattern for its files, such as "crds/*.yaml"'


def test_locations_are_relative_to_the_project(tmp_path: Path) -> None:
    """Types and properties say where they stand, by path below the project, line and pointer."""
    (tmp_path / "deep").mkdir()
    text = json.dumps(crd(), indent=1)
    (tmp_path / "deep/pool.yaml").write_text(text, encoding="utf-8")
    group = read(tmp_path, sources=(CrdSource("deep/*.yaml", AT),))
    [size] = group.versions[0].types["PoolSpec"].properties
    assert size.location == Location(
        "deep/pool.yaml",
        next(n for n, line in enumerate(text.splitlines(), 1) if '"size"' in line),
        "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size",
    )


def without(*path: str) -> dict[str, object]:
    """Return a CRD without the member at a path."""
    document = crd()
    holder: dict[str, object] = document
    for name in path[:-1]:
        inner = holder[name]
        assert isinstance(inner, dict)
        holder = inner
    del holder[path[-1]]
    return document


REFUSED: list[tuple[object, str]] = [
    ({"apiVersion": "v1", "kind": "Service"}, 'HA141 a0.yaml:1:1: the file has no Custom'),
    ({"apiVersion": "a/v1", "kind": "CustomResourceDefinitoin"}, "did you mean"),
    ([1], "a list without apiVersion and kind is not a CRD"),
    ("", "the file has no document"),
    ("a: [", "HA10"),
    ({**crd(), "apiVersion": "apiextensions.k8s.io/v2"}, "cannot be"),
    (without("spec"), "`spec.group` of a CustomResourceDefinition must be a string"),
    (without("spec", "group"), "`spec.group` of a CustomResourceDefinition must be a string"),
    (without("spec", "names"), "`spec.names.kind` of a CustomResourceDefinition must be"),
    (without("spec", "versions"), "`spec.versions` of a CustomResourceDefinition must be a list"),
    (crd(v1={"type": "object", "properties": []}), "`properties` must be an object"),
    (crd(v1=SPEC, v1beta=SPEC), 'Pool has the version "v1beta"'),
]  # fmt: skip


@pytest.mark.parametrize(("document", "text"), REFUSED)
def test_what_is_no_usable_crd_is_located(tmp_path: Path, document: object, text: str) -> None:
    """Each file that cannot be read is named with the reason, never with a machine's path."""
    problems = problems_of(tmp_path, document)
    assert any(text in problem for problem in problems), problems
    assert not any(str(tmp_path) in problem for problem in problems)
    assert all("fix: " in problem or "HA10" in problem for problem in problems)


def test_schema_is_needed(tmp_path: Path) -> None:
    """A CRD version without a schema is refused, since nothing is known of its properties."""
    document = json.loads(json.dumps(crd()))
    del document["spec"]["versions"][0]["schema"]
    assert any("Pool v1 has no schema" in text for text in problems_of(tmp_path, document))


def test_groups_must_agree(tmp_path: Path) -> None:
    """CRDs of two API groups cannot make one group; nor can the configuration name another."""
    [problem] = problems_of(tmp_path, crd("A"), crd("B", "y.example.com"))
    assert "HA142 a1.yaml:1: B is of the group" in problem
    [problem] = problems_of(tmp_path, crd("A"), crd("B"), api_group="z.example.com")
    assert "HA142 holdall.yaml:7: `api_group` is" in problem


def test_versions_must_agree_with_the_configuration(tmp_path: Path) -> None:
    """A version of a CRD that is not listed, and a listed one without source, are problems."""
    unlisted, missing = problems_of(
        tmp_path,
        crd("A", v1beta2=SPEC),
        crd("B", v1beta2=SPEC),
        versions=(VersionConfig("v1beta1", AT),),
    )
    assert 'HA143 a0.yaml:1: A, B has the version "v1beta2"' in unlisted
    assert 'did you mean "v1beta1"' in unlisted
    assert 'HA144 holdall.yaml:7: no source of the group "g" has the version "v1beta1"' in missing


@pytest.mark.parametrize("text", ["a: yes\n", "a: [\n", ""])
def test_a_file_that_cannot_be_read_may_have_any_version(tmp_path: Path, text: str) -> None:
    """What is wrong with it is all that is reported."""
    versions = (VersionConfig("v1", AT), VersionConfig("v2", AT))
    [problem] = problems_of(tmp_path, crd("A"), text, versions=versions)
    assert " a1.yaml" in problem


def test_files_of_all_sources_report_together(tmp_path: Path) -> None:
    """Malformed text, a malformed schema and a missing file come in one error."""
    texts = problems_of(
        tmp_path,
        "a: [",
        crd(v1={"type": "objekt"}),
        sources=(CrdSource("*.yaml", AT), CrdSource("no/*.yaml", AT)),
    )
    assert len(texts) == 3


def test_a_folder_that_nobody_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The versions in it are not left out as if they were not there."""
    (tmp_path / "crds/closed").mkdir(parents=True)
    (tmp_path / "crds/a.yaml").write_text(json.dumps(crd()), encoding="utf-8")
    close_folder(tmp_path / "crds/closed", monkeypatch)
    [problem] = problems_of(tmp_path, sources=(CrdSource("crds/**/*.yaml", AT),))
    assert problem.startswith("HA101 crds/closed: it cannot be read: Permission denied")


@pytest.mark.parametrize("first", ["strict", "kubernetes"])
def test_each_source_reads_a_file_in_its_own_way(tmp_path: Path, first: Scalars) -> None:
    """Whichever comes first: what only one of them reads is a problem of the other."""
    second: Scalars = "kubernetes" if first == "strict" else "strict"
    sources = CrdSource("*.yaml", AT, yaml=first), CrdSource("a0.yaml", AT, yaml=second)
    assert len(read(tmp_path, crd(), sources=sources).versions[0].kinds) == 1
    odd = json.dumps(crd())[:-1] + ', "on": yes}'
    [problem] = problems_of(tmp_path, odd, sources=sources)
    assert " a0.yaml:1" in problem
