"""Starting a project: the configuration that `holdall init` writes."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest
import yaml

from holdall.errors import SourceError
from holdall_codegen.config.keys import CrdSource
from holdall_codegen.config.reader import read_config
from holdall_codegen.output.starter import start_config, write_declared_starter, write_starter
from holdall_codegen.output.starter_groups import order_versions
from holdall_codegen.project import emit_project, load_project
from tests.support.closed import close_folder
from tests.support.crds import crd_of, struct


def _crd(group: str, kind: str, *versions: str, stored: str = "") -> str:
    listed = "\n".join(
        f'  - {{name: "{name}", served: true, storage: {str(name == stored).lower()}}}'
        for name in versions
    )
    return (
        "kind: CustomResourceDefinition\n"
        f"spec:\n  group: {group}\n  names: {{kind: {kind}}}\n  versions:\n{listed}\n"
    )


def _write(folder: Path, name: str, *documents: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("---\n".join(documents), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("newest_first", "form"),
    [
        ("v12alpha1 v11beta2 v11alpha2 v10 v10beta3 v3beta1 v2 v1", "Kubernetes"),
        ("v3alpha1 v2 v1 v2beta1.x v1x", "mixed"),
        ("2026-11-02 2026-2-10 2026-2-9 2025-12-31", "dates"),
        ("v20230501 v20220601 v20210101", "date-like"),
        ("v4.10 v4.5 v4.0 v3 v2.9.1", "dotted"),
        ("2.0 2.0-rc 1.0.0 1.0.0-rc.1 1.0.0-beta.11 1.0.0-beta.2 1.0.0-alpha", "semantic"),
    ],
)
def test_order(newest_first: str, form: str) -> None:
    """A stable version comes after its beta and alpha ones, numbers count as numbers."""
    expected = newest_first.split()[::-1]
    for names in list(permutations(expected))[:500]:
        assert order_versions(names) == expected, form


def test_start_is_read_back(tmp_path: Path) -> None:
    """What is written for a CRD is a configuration that needs no edit to be read."""
    crds = _write(
        tmp_path, "crds/pools.yaml", _crd("batch.example.com", "Pool", "v1", "v1beta1", stored="v1")
    )
    write_starter(crds, tmp_path / "holdall.yaml")
    (group,) = read_config(tmp_path / "holdall.yaml").groups
    assert (group.name, group.api_group) == ("batch", "batch.example.com")
    assert [version.name for version in group.versions] == ["v1beta1", "v1"]
    assert [source.pattern for source in group.sources] == ["crds/pools.yaml"]
    assert group.hub is None


def test_start_is_golden(tmp_path: Path) -> None:
    """The text asks to check the order and shows, as comments, what else can be said."""
    crds = _write(
        tmp_path, "pool.yaml", _crd("a.example.com", "Pool", "v1", "v2", "v3", stored="v2")
    )
    assert start_config(crds, tmp_path) == (
        "# The configuration of holdall: the sources of schemas, the order of their versions, and\n"
        "# the declared differences. Commented lines show what else you can declare.\n"
        "\n"
        "# output: generated   # the package for generated code; only holdall writes there\n"
        "# hooks: hooks        # the package for hand-written hooks\n"
        "groups:\n"
        "  a:\n"
        "    # package: a   # below output; by default the group's name\n"
        "    api_group: a.example.com\n"
        "    sources:\n"
        "      - crds: pool.yaml\n"
        "    # Oldest first. CHECK THIS ORDER: it was guessed from the names"
        " (by number, then alpha,\n"
        "    # beta, stable), and every conversion depends on it.\n"
        "    versions:\n"
        "      - v1\n"
        "      - v2\n"
        "      - v3\n"
        "    hub: v2   # the version that the CRDs store\n"
        "    # edges: chain   # or star, around the hub, or pairs such as [[v1, v2], [v2, v3]]\n"
        "    # carrier: annotation   # or field, or none:"
        " where values travel that a version cannot hold\n"
        "    # What differs between two versions, as the older one sees it:\n"
        "    # between:\n"
        "    #   v2 -> v3:\n"
        "    #     PoolSpec:\n"
        "    #       oldName: {rename: newName}\n"
        "    #       group/member: {move: member}\n"
        "    #       sameNameOtherMeaning: not_same\n"
    )


def test_comments_are_true(tmp_path: Path) -> None:
    """With every commented key taken in, the text is still a configuration."""
    crds = _write(tmp_path, "pool.yaml", _crd("a.example.com", "Pool", "v1", "v2"))
    lines = start_config(crds, tmp_path).splitlines()
    keys = ("output:", "hooks:", "package:", "hub:", "edges:", "carrier:", "between:", "  ")
    taken = [
        line.replace("# ", "", 1) if line.partition("# ")[2].startswith(keys) else line
        for line in lines
    ]
    path = _write(tmp_path, "holdall.yaml", "\n".join(taken) + "\n")
    (group,) = read_config(path).groups
    assert (group.hub, group.carrier) == ("v2", "annotation")
    assert [len(facts.properties) for facts in group.facts[0].types] == [3]


def test_an_old_crd_without_a_list_of_versions(tmp_path: Path) -> None:
    """CRDs of v1beta1 may name their only version beside the schema."""
    text = (
        "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nspec:\n"
        "  group: old.example.com\n  version: v1\n  names: {kind: Pool, plural: pools}\n"
        "  validation: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}\n"
    )
    write_starter(_write(tmp_path, "crds/pool.yaml", text), tmp_path / "holdall.yaml")
    (plan,) = load_project(tmp_path).plans.values()
    assert [version.name for version in plan.versions] == ["v1"]


def test_groups_and_folders(tmp_path: Path) -> None:
    """Each API group of a folder becomes a group with its own files and a name of its own."""
    _write(tmp_path, "crds/a.yaml", _crd("if.example.com", "A", "v1"))
    _write(tmp_path, "crds/b.yaml", _crd("x.example.com", "B", "v1"), "kind: Other\n")
    _write(tmp_path, "crds/c.json", '{"kind": "List", "items": []}')
    _write(tmp_path, "crds/d.yaml", _crd("x.example.org", "D", "y", "v2alpha1"))
    path = tmp_path / "sub" / "holdall.yaml"
    path.parent.mkdir()
    write_starter(tmp_path / "crds", path)
    assert [
        (group.name, [source.pattern for source in group.sources])
        for group in read_config(path).groups
    ] == [
        ("group_if", ["../crds/a.yaml"]),
        ("x_example_com", ["../crds/b.yaml"]),
        ("x_example_org", ["../crds/d.yaml"]),
    ]


def test_whole_folder(tmp_path: Path) -> None:
    """A folder of one group is one pattern, so that new files are taken in."""
    _write(tmp_path, "crds/a.yaml", _crd("x.example.com", "A", "v1"))
    _write(tmp_path, "crds/b.yaml", _crd("x.example.com", "B", "v2"))
    text = start_config(tmp_path / "crds", tmp_path)
    assert "      - crds: crds/*.yaml\n" in text.replace('"', "")


def test_folders_in_folders(tmp_path: Path) -> None:
    """Files are found at any depth; hidden ones, and texts that no YAML reader takes, are not."""
    _write(tmp_path, "crds/a.yaml", _crd("x.example.com", "A", "v1"))
    _write(tmp_path, "crds/more/b.yaml", _crd("x.example.com", "B", "v2"))
    _write(tmp_path, "crds/.git/c.yaml", _crd("z.example.com", "C", "v2"))
    _write(tmp_path, "crds/templates/d.yaml", "kind: {{ .Values.kind }}: [\n")
    text = start_config(tmp_path / "crds", tmp_path)
    assert [line.strip() for line in text.splitlines() if "crds: " in line] == [
        "- crds: crds/**/*.yaml".replace("crds/**/*.yaml", '"crds/**/*.yaml"')
    ]
    assert "z.example.com" not in text
    _write(tmp_path, "crds/templates/d.yaml", "kind: CustomResourceDefinition {{ }}: [\n")
    with pytest.raises(SourceError, match=r"d\.yaml"):
        start_config(tmp_path / "crds", tmp_path)


def test_an_install_bundle(tmp_path: Path) -> None:
    """One file with CRDs of several groups and all else: what is written can be generated."""
    documents = [
        crd_of(kind, {"v1": struct(), "v2": struct()}, group=group)
        for group, kind in (("a.example.com", "A"), ("b.example.com", "B"), ("b.example.com", "C"))
    ]
    other = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "all"}}
    bundle = _write(tmp_path, "install.yaml", yaml.safe_dump_all([other, *documents]))
    write_starter(bundle, tmp_path / "holdall.yaml")
    plans = load_project(tmp_path).plans
    assert {name: [kind.name for kind in plan.kinds] for name, plan in plans.items()} == {
        "a": ["A"],
        "b": ["B", "C"],
    }


@pytest.mark.parametrize(
    ("source", "kinds", "problem"),
    [
        ("group: b.example.com, kinds: [C]", ["C"], ""),
        ("kinds: [A]", ["A"], ""),
        ("kinds: [D]", [], "HA141"),
        ("group: c.example.com", [], "HA141"),
        ("kinds: [A, B]", [], "HA142"),
    ],
)
def test_a_filtered_source(tmp_path: Path, source: str, kinds: list[str], problem: str) -> None:
    """A source takes what its filter names; a filter that takes nothing is a mistake."""
    test_an_install_bundle(tmp_path)
    (tmp_path / "holdall.yaml").write_text(
        f"groups:\n  x:\n    sources: [{{crds: install.yaml, {source}}}]\n    versions: [v1, v2]\n"
    )
    if not problem:
        (plan,) = load_project(tmp_path).plans.values()
        assert [kind.name for kind in plan.kinds] == kinds
    else:
        with pytest.raises(SourceError) as error:
            load_project(tmp_path)
        assert [item.code for item in error.value.problems if item.code != "HA144"] == [problem]


def test_many_schemas_in_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of them are kinds nobody can tell; the line that says so is read as it is."""
    monkeypatch.chdir(tmp_path)
    order = {"type": "object", "properties": {"id": {"type": "string"}}}
    api = {"openapi": "3.0.0", "components": {"schemas": {"Order": order}}}
    Path("api.json").write_text(json.dumps(api))
    with pytest.raises(SourceError) as caught:
        start_config(Path("api.json"), Path())
    line = caught.value.problems[0].fix.partition(" with a source such as ")[2]
    assert line == '{schemas: api.json, version: v1, kinds: {Order: "/components/schemas/Order"}}'
    Path("holdall.yaml").write_text(f"groups: {{a: {{sources: [{line}], versions: [v1]}}}}")
    (plan,) = load_project(tmp_path).plans.values()
    assert [kind.name for kind in plan.kinds] == ["Order"]


def test_root_folder(tmp_path: Path) -> None:
    """The root folder is listed file by file, because the configuration will lie there too."""
    _write(tmp_path, "a.yaml", _crd("x.example.com", "A", "v1"))
    text = start_config(tmp_path, tmp_path)
    assert "      - crds: a.yaml\n" in text


def test_ambiguous_crd(tmp_path: Path) -> None:
    """A CRD that only Kubernetes reads without doubt gets the option that reads it so."""
    crds = _write(tmp_path, "a.yaml", _crd("x.example.com", "A", "v1") + "  note: yes\n")
    write_starter(crds, tmp_path / "holdall.yaml")
    (group,) = read_config(tmp_path / "holdall.yaml").groups
    (source,) = group.sources
    assert isinstance(source, CrdSource)
    assert source.yaml == "kubernetes"


def test_existing_configuration_is_kept(tmp_path: Path) -> None:
    """An existing configuration is refused and left as it was."""
    crds = _write(tmp_path, "a.yaml", _crd("x.example.com", "A", "v1"))
    config = _write(tmp_path, "holdall.yaml", "mine\n")
    with pytest.raises(SourceError, match=r"HA133 .*there is a configuration already"):
        write_starter(crds, config)
    assert config.read_text(encoding="utf-8") == "mine\n"


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    """What is in the way is called what it is, whichever start is asked for."""
    crds = _write(tmp_path, "a.yaml", _crd("x.example.com", "A", "v1"))
    config = tmp_path / "holdall.yaml"
    config.mkdir()
    with pytest.raises(SourceError, match=r"HA133 .*this is a folder.*\n    fix: move it away$"):
        write_starter(crds, config)
    with pytest.raises(SourceError, match=r"HA133 .*this is a folder"):
        write_declared_starter(tmp_path / "widgets.py", config)


def test_a_configuration_goes_into_a_folder_that_is_there(tmp_path: Path) -> None:
    """The folder is named, and is to be made by whoever misspelt it or not."""
    crds = _write(tmp_path, "a.yaml", _crd("x.example.com", "A", "v1"))
    config = tmp_path / "missing/holdall.yaml"
    with pytest.raises(SourceError, match=r"HA162 .*missing/holdall.yaml: .*\n.*create the folder"):
        write_starter(crds, config)
    config = tmp_path / "a.yaml/holdall.yaml"
    with pytest.raises(SourceError, match="HA162"):
        write_starter(crds, config)


@pytest.mark.parametrize("text", ["", "kind: Pod\n", "- 1\n", "kind: CustomResourceDefinition\n"])
def test_no_crd(tmp_path: Path, text: str) -> None:
    """A file without a CRD starts nothing, and nothing is written."""
    crds = _write(tmp_path, "a.yaml", text)
    with pytest.raises(SourceError, match=r"HA134 .*it has neither a CRD nor a JSON Schema"):
        write_starter(crds, tmp_path / "holdall.yaml")
    assert not (tmp_path / "holdall.yaml").exists()


def test_missing_crd(tmp_path: Path) -> None:
    """A path that leads nowhere is a problem, not a traceback."""
    with pytest.raises(SourceError, match=r"none\.yaml"):
        write_starter(tmp_path / "none.yaml", tmp_path / "holdall.yaml")


def test_a_folder_that_nobody_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in it is not left out; what is hidden is nobody's business."""
    for folder in ("crds/.git", "crds/closed"):
        _write(tmp_path, f"{folder}/a.yaml", _crd("a.example.com", "Pool", "v1"))
    crds = _write(tmp_path, "crds/b.yaml", _crd("a.example.com", "Pool", "v1")).parent
    close_folder(crds / ".git", monkeypatch)
    assert "crds/**/*.yaml" in start_config(crds, tmp_path)
    close_folder(crds / "closed", monkeypatch)
    with pytest.raises(SourceError, match=r"HA101 .*/closed: it cannot be read: Permission denied"):
        start_config(crds, tmp_path)


def test_a_declaration_generates_as_it_is(tmp_path: Path) -> None:
    """What is written for a declaration is a project that needs no edit to be generated."""
    module = tmp_path / "schemas/widgets.py"
    assert write_declared_starter(module, tmp_path / "holdall.yaml")
    files = emit_project(load_project(tmp_path))
    assert "generated/widgets/v1/storage.py" in files
    assert "generated/widgets/crds/widgets.yaml" in files


def test_a_declaration_that_is_there_stays(tmp_path: Path) -> None:
    """Only the configuration is written for it."""
    module = _write(tmp_path, "widgets.py", "VERSIONS = None\n")
    assert not write_declared_starter(module, tmp_path / "holdall.yaml")
    assert module.read_text(encoding="utf-8") == "VERSIONS = None\n"
    (group,) = read_config(tmp_path / "holdall.yaml").groups
    assert [source.pattern for source in group.sources] == ["widgets.py"]


@pytest.mark.parametrize("name", ["widgets.txt", "my-types/widgets.py", "../widgets.py", "2.py"])
def test_a_declaration_has_to_be_importable(tmp_path: Path, name: str) -> None:
    """A file that generated code could not import is refused, and nothing is written."""
    root = tmp_path / "project"
    root.mkdir()
    with pytest.raises(SourceError, match="HA135"):
        write_declared_starter(root / name, root / "holdall.yaml")
    assert not list(tmp_path.rglob("*.*"))


def test_a_declaration_overwrites_no_configuration(tmp_path: Path) -> None:
    """With a configuration there, neither file is written."""
    config = _write(tmp_path, "holdall.yaml", "groups: {}\n")
    with pytest.raises(SourceError, match="HA133"):
        write_declared_starter(tmp_path / "widgets.py", config)
    assert [path.name for path in tmp_path.iterdir()] == ["holdall.yaml"]
