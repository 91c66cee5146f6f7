"""Reading a state of an API: a project, or CRDs in a file or a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.kubernetes.crds.access import versions_of
from holdall.kubernetes.crds.versions import by_priority
from holdall.kubernetes.doctor.examination import crds_in
from holdall.objects.heads import API_HEAD, head_members
from holdall.text.documents import Document
from holdall.text.streams import find_inputs, read_inputs
from holdall.types import JsonValue, get, items, members, text
from holdall_codegen.breaking.schema_changes import OBJECT_META, SchemaSide
from holdall_codegen.breaking.schema_facts import FactsReader, Prunes
from holdall_codegen.config.keys import SchemaSource
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.emit.crd import Manifest, build_manifest, is_resource
from holdall_codegen.emit.crd_schema import Places, root_schema
from holdall_codegen.output.crds import read_crd_documents
from holdall_codegen.plan.model import GroupPlan, PlannedKind
from holdall_codegen.project import CONFIG_FILE, Project, load_project
from holdall_codegen.read.crd import read_crd, read_crds
from holdall_codegen.read.files import Files
from holdall_codegen.read.json_schema import read_schemas
from holdall_codegen.read.nodes import Node, Root, SourceFile
from holdall_codegen.read.overlays import Overlays
from holdall_codegen.read.problems import DEFINED_TWICE

KindKey = tuple[str, str]
"""An API group and a kind."""


@dataclass(frozen=True, slots=True)
class VersionView:
    """One version of a kind. Without a CRD it is served, and has no subresources."""

    name: str
    schema: SchemaSide
    where: str
    is_served: bool = True
    subresources: frozenset[str] = frozenset()
    selectable: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KindView:
    """One kind, versions oldest first.

    `names` are those that paths and commands use, such as `plural`. `storage` is the version that
    is written, `stored` are all at which objects may be stored; both are empty without a CRD.
    `is_converted` says that something converts between the versions.
    """

    key: KindKey
    where: str
    versions: Mapping[str, VersionView]
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    scope: str = ""
    storage: str = ""
    stored: frozenset[str] = frozenset()
    is_converted: bool = True

    @property
    def name(self) -> str:
        return self.key[1]


@dataclass(frozen=True, slots=True)
class Api:
    """All kinds of one state, and its project if it is one."""

    kinds: Mapping[KindKey, KindView]
    where: str
    project: Project | None = None


NO_API: Final = "HA180"

_PATH_NAMES: Final = ("plural", "singular", "listKind", "shortNames", "categories")


def read_api(path: Path) -> Api:
    """Read a folder with holdall.yaml, the configuration itself, or CRDs in a file or a folder.

    Raises SourceError or PlanError for what cannot be read or planned.
    """
    if path.name == CONFIG_FILE:
        return read_project_api(path.parent)
    if (path / CONFIG_FILE).is_file():
        return read_project_api(path)
    return _crd_api(path)


def read_project_api(root: Path) -> Api:
    """Read the project in a folder. Raises SourceError or PlanError as `load_project` does."""
    return project_api(load_project(root))


# --- CRDs ------------------------------------------------------------------------------------


def _crd_api(path: Path) -> Api:
    files = Files(path if path.is_dir() else path.parent)
    reader = FactsReader(files)
    kinds: dict[KindKey, KindView] = {}
    for number, (document, pointer, crd) in enumerate(crds_in(_documents(path))):
        source = SourceFile(document.file, number, document, "kubernetes")
        roots = read_crd(Node(source, pointer, crd), files.findings)
        if roots:
            schemas = {root.version: _side_of(root, reader, [root.node]) for root in roots}
            view = _kind_view(crd, schemas, partial(document.where, pointer))
            if (other := kinds.setdefault(view.key, view)) is not view:
                text = f"the CRD of {view.name} is in two places, first at {other.where}"
                files.findings.add(DEFINED_TWICE, view.where, text, "leave one of them")
    files.findings.raise_any()
    if not kinds:
        message = f"there is neither {CONFIG_FILE} nor a CustomResourceDefinition"
        fix = "name a project, or a file or folder with CRDs"
        raise SourceError([Problem(NO_API, path.as_posix(), message, fix)])
    return Api(kinds, path.as_posix())


def _documents(path: Path) -> list[Document]:
    if path.is_dir() and not any(path.iterdir()):
        return []
    streams = read_inputs(find_inputs([path]), scalars="kubernetes")
    return [document for stream in streams for document in stream.documents]


def _side_of(root: Root, reader: FactsReader, nodes: list[Node]) -> SchemaSide:
    return SchemaSide(reader, nodes, "all" if root.is_pruned else "nothing", OBJECT_META)


def _kind_view(
    crd: JsonValue,
    schemas: Mapping[str, SchemaSide],
    where: Callable[[], str],
    *,
    is_converted: bool = False,
) -> KindView:
    """Return what a CRD says about its kind; `schemas` are those of its versions, as read."""
    strategy = text(crd, "spec", "conversion", "strategy")
    entries = {text(entry, "name"): entry for _, entry in versions_of(crd)}
    if not entries and (name := text(crd, "spec", "version")):
        entries = {name: {"name": name, "served": True, "storage": True}}
    storage = next((name for name, entry in entries.items() if entry.get("storage")), "")
    listed = {name for name in items(crd, "status", "storedVersions") if isinstance(name, str)}
    return KindView(
        (text(crd, "spec", "group"), text(crd, "spec", "names", "kind")),
        where(),
        {
            name: VersionView(
                name,
                schemas[name],
                schemas[name].nodes[0].where,
                entries[name].get("served") is not False,
                # v1beta1 of the CRD API has those of all versions in one place.
                frozenset(
                    members(entries[name], "subresources") or members(crd, "spec", "subresources")
                ),
                frozenset(
                    text(item, "jsonPath") for item in items(entries[name], "selectableFields")
                ),
            )
            for name in reversed(by_priority(entries))
            if name in schemas
        },
        {what: _words(get(crd, "spec", "names", what)) for what in _PATH_NAMES},
        text(crd, "spec", "scope") or "Namespaced",
        storage,
        frozenset({*listed, storage} - {""}),
        strategy == "Webhook" or (is_converted and strategy != "None"),
    )


def _words(value: JsonValue) -> frozenset[str]:
    values = value if isinstance(value, list) else [value]
    return frozenset(item for item in values if isinstance(item, str) and item)


# --- projects --------------------------------------------------------------------------------


def project_api(project: Project, *, as_crds: bool = False) -> Api:
    """Return the API of a project, by its sources; or by its CRDs, with what is added to them."""
    kinds: dict[KindKey, KindView] = {}
    for config in project.config.groups:
        plan = project.plans[config.package]
        schemas = schemas_of(config, project)
        documents = read_crd_documents(config, project)
        for kind in plan.kinds:
            own = schemas.get(kind.name, {})
            if is_resource(plan, kind):
                # What a server would refuse is reported by `holdall crd`.
                manifest = build_manifest(plan, kind, documents.get(kind.name, []), [])
                if as_crds:
                    own = _emitted_schemas(manifest)
                facts = config.crd.kind(kind.name).location
                where = str(facts if facts.file else config.location)
                view = _kind_view(manifest.value, own, partial(str, where), is_converted=True)
            else:
                view = _plain_view(plan, kind, own, str(config.location))
            kinds[view.key] = view
    return Api(kinds, project.config.file, project)


def schemas_of(config: GroupConfig, project: Project) -> dict[str, dict[str, SchemaSide]]:
    """Return the schemas of a group's kinds by version, from its sources and overlays or its
    declaration."""
    plan = project.plans[config.package]
    if config.declaration is not None:
        return _declared_schemas(plan)
    files = Files(project.root, project.loaded)
    roots = read_crds(config.crd_sources, files)
    for source in config.sources:
        if isinstance(source, SchemaSource):
            roots += read_schemas(source, files)
    overlays = Overlays(config, files)
    reader = FactsReader(files, overlays.choose)
    found: dict[str, dict[str, SchemaSide]] = {}
    for root in roots:
        prunes: Prunes = "all" if root.is_pruned else "undeclared" if plan.api_group else "nothing"
        skipped = OBJECT_META if plan.api_group else head_members(plan.head or API_HEAD)
        nodes = [root.node, *overlays.above(root)]
        side = SchemaSide(reader, nodes, prunes, frozenset(skipped))
        found.setdefault(root.kind, {})[root.version] = side
    files.findings.raise_any()
    return found


def _emitted_schemas(manifest: Manifest) -> dict[str, SchemaSide]:
    """Return the schemas of a CRD of a project by version."""
    files = Files(Path())
    crd = manifest.value
    source = _Built(manifest.name, 0, Document(crd, "", 1), "kubernetes", manifest.places)
    roots = read_crd(Node(source, "", crd), files.findings)
    files.findings.raise_any()
    reader = FactsReader(files)
    return {root.version: _side_of(root, reader, [root.node]) for root in roots}


def _plain_view(
    plan: GroupPlan, kind: PlannedKind, schemas: Mapping[str, SchemaSide], where: str
) -> KindView:
    return KindView(
        (plan.api_group or plan.name, kind.name),
        where,
        {
            version.name: VersionView(
                version.name, schemas[version.name], schemas[version.name].nodes[0].where
            )
            for version in plan.versions
            if version.name in schemas and not version.internal
        },
    )


def _declared_schemas(plan: GroupPlan) -> dict[str, dict[str, SchemaSide]]:
    reader = FactsReader(Files(Path()))
    found: dict[str, dict[str, SchemaSide]] = {}
    for kind in plan.kinds:
        for version in plan.versions:
            if version.internal or version.name not in kind.types:
                continue
            root = version.types[kind.types[version.name]]
            places = Places(str(root.type.location))
            schema = root_schema(version, root.ref.name, places, "", is_closed=True)
            source = _Built(
                f"{version.name}/{kind.name}", 0, Document(schema, "", 1), "strict", places
            )
            side = SchemaSide(reader, [Node(source, "", schema)], "all", OBJECT_META)
            found.setdefault(kind.name, {})[version.name] = side
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Built(SourceFile):
    """A generated schema; places know the lines that it comes from."""

    places: Places

    def where(self, pointer: str) -> str:
        return self.places.where(pointer)
