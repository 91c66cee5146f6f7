"""Sources to model: CRDs, JSON Schema and OpenAPI files of one group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from holdall.suggest import nearest
from holdall_codegen.config.keys import SchemaSource, VersionConfig
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.model import (
    Group,
    Kind,
    ListOf,
    MapOf,
    ObjectType,
    Property,
    Ref,
    Type,
    Version,
)
from holdall_codegen.read.class_names import is_class_name
from holdall_codegen.read.crd import keep_crds, read_crds
from holdall_codegen.read.drafts import Draft, find_paths, follow_path
from holdall_codegen.read.files import Files, Loaded
from holdall_codegen.read.json_schema import read_schemas
from holdall_codegen.read.nodes import Root
from holdall_codegen.read.open_values import LeftOpen
from holdall_codegen.read.overlays import Overlays
from holdall_codegen.read.problems import (
    OTHER_GROUP,
    TYPE_NAME_CLASH,
    UNKNOWN_TYPE_PATH,
    UNLISTED_VERSION,
    VERSION_WITHOUT_SOURCE,
    Findings,
)
from holdall_codegen.read.root_heads import RootHead, Said, find_head, root_head
from holdall_codegen.read.schema import SchemaReader
from holdall_codegen.read.spare_names import spare_names, unlike_names
from holdall_codegen.read.type_names import NameClash, name_types

__all__ = ["read_group"]


def read_group(config: GroupConfig, root: Path, loaded: Loaded | None = None) -> Group:
    """Read all sources of a group, found relative to `root`, into its versions.

    All files that are read, including those named by `$ref`, are added to `loaded`. Raises
    SourceError with the problems of all files at once. Names of types and pins are checked once all
    schemas can be read.
    """
    files = Files(root, loaded)
    findings = files.findings
    roots = read_crds(config.crd_sources, files)
    sourced = {one.version for one in config.sources if isinstance(one, SchemaSource)}
    if findings:  # a CRD that cannot be read may have any version
        sourced |= {version.name for version in config.versions}
    for source in config.sources:
        if isinstance(source, SchemaSource):
            roots.extend(read_schemas(source, files))
    kept = keep_crds(roots, findings)
    api_group = _api_group(config, roots, findings)
    _check_versions(config, roots, sourced, findings)
    overlays = Overlays(config, files)
    drafts = {
        version.name: draft_version(
            [item for item in roots if item.version == version.name],
            files,
            overlays,
            has_object_meta=api_group != "",
            head=root_head(config.head, version.name),
        )
        for version in config.versions
        if version.like is None
    }
    said = {name: draft.said for name, draft in drafts.items()}
    head = find_head(config, said, api_group, findings)
    overlays.check(roots)
    findings.raise_any()
    _check_pins(config, drafts, findings)
    named: dict[str, Version] = {}
    for version in config.versions:
        if version.like is not None:
            continue
        named[version.name], clashes = name_version(
            drafts[version.name], version, config.type_names
        )
        for clash in clashes:
            findings.add(
                TYPE_NAME_CLASH,
                config.location,
                f"in {version.name}, two different types would be named {clash.name}: "
                f"{clash.one} and {clash.other}",
                "choose another name in `type_names`",
            )
    versions = [
        named[version.name] if version.like is None else _alike(version, version.like, named)
        for version in config.versions
    ]
    findings.raise_any()
    left_open = [text for name, draft in drafts.items() for text in draft.left_open.warnings(name)]
    spare = [x for name, draft in drafts.items() for x in spare_names(draft.drafts, named[name])]
    warnings = (*left_open, *unlike_names(spare))
    return Group(config.name, api_group, tuple(versions), kept, head, warnings=warnings)


def _api_group(config: GroupConfig, roots: Sequence[Root], findings: Findings) -> str:
    found = next((root for root in roots if root.api_group is not None), None)
    if config.api_group is None:
        return found.api_group or "" if found else ""
    if found is not None and found.api_group != config.api_group:
        findings.add(
            OTHER_GROUP,
            config.location,
            f'`api_group` is "{config.api_group}", but {found.kind} ({found.node.location}) '
            f'is of "{found.api_group}"',
            "leave `api_group` out, or correct it or the CRD",
        )
    return config.api_group


def _check_versions(
    config: GroupConfig, roots: Sequence[Root], sourced: Collection[str], findings: Findings
) -> None:
    """Compare the listed versions with those of the roots.

    Problems with the sources of the versions `sourced` have been reported where they are.
    """
    listed = {version.name: version for version in config.versions}
    unlisted: dict[str, list[Root]] = {}
    for item in roots:
        version = listed.get(item.version)
        if version is None:
            unlisted.setdefault(item.version, []).append(item)
        elif version.like is not None:
            findings.add(
                VERSION_WITHOUT_SOURCE,
                version.location,
                f"{version.name} takes its shape from {version.like}, but {item.node.location} "
                f"defines {item.kind} of {version.name}",
                "remove `like`, or the source",
            )
    for name, items in unlisted.items():
        kinds = ", ".join(dict.fromkeys(item.kind for item in items))
        findings.add(
            UNLISTED_VERSION,
            items[0].node.location,
            f'{kinds} has the version "{name}", which `versions` of the group '
            f'"{config.name}" does not list{nearest(name, listed)}',
            f"add {name} to `versions` ({config.location}) at its place in the order",
        )
    present = {item.version for item in roots}
    for version in config.versions:
        if version.like is None and version.name not in {*present, *sourced}:
            findings.add(
                VERSION_WITHOUT_SOURCE,
                version.location,
                f'no source of the group "{config.name}" has the version "{version.name}"'
                f"{nearest(version.name, present)}",
                "add a source for it, or remove it from `versions`",
            )


def _check_pins(
    config: GroupConfig, drafts: Mapping[str, VersionDraft], findings: Findings
) -> None:
    known = {path for draft in drafts.values() for found in draft.paths.values() for path in found}
    for path, name in sorted(config.type_names.items()):
        if not any(follow_path(draft.drafts, path) for draft in drafts.values()):
            findings.add(
                UNKNOWN_TYPE_PATH,
                config.location,
                f'`type_names` has the path "{path}", but no version has an object there'
                f"{nearest(path, known)}",
                "correct the path, such as `Kind/spec/pools/*` for the elements of a list or map",
            )
        if not is_class_name(name):
            text = f'"{name}" (`type_names` for {path}) cannot be the name of a generated class'
            fix = "use letters and digits, a capital first, and no name of Python or the runtime"
            findings.add(TYPE_NAME_CLASH, config.location, text, fix)


def _alike(version: VersionConfig, like: str, named: Mapping[str, Version]) -> Version:
    """Return the version named by `like` under the name of `version`."""
    return replace(
        named[like],
        name=version.name,
        internal=version.internal,
        deprecated=version.deprecated,
        location=version.location,
    )


# --- one version ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VersionDraft:
    """One version as it was read, before its object types have names."""

    roots: tuple[Root, ...]
    drafts: Mapping[str, Draft]
    paths: Mapping[str, Sequence[str]]
    said: tuple[Said, ...]
    left_open: LeftOpen


def draft_version(
    roots: Sequence[Root],
    files: Files,
    overlays: Overlays,
    *,
    has_object_meta: bool,
    head: RootHead,
) -> VersionDraft:
    """Read the schemas of all kinds of one version, in any order of `roots`."""
    ordered = tuple(sorted(roots, key=lambda root: root.kind))
    reader = SchemaReader(files, overlays, head)
    kinds = [reader.add_root(root, has_object_meta=has_object_meta) for root in ordered]
    reader.finish(has_object_meta=has_object_meta)
    paths = {} if files.findings else find_paths(reader.drafts, kinds)
    return VersionDraft(ordered, reader.drafts, paths, tuple(reader.said), reader.left_open)


def name_version(
    draft: VersionDraft, config: VersionConfig, pins: Mapping[str, str]
) -> tuple[Version, list[NameClash]]:
    """Return the version with all types named; `pins` are names by path, for any version.

    A clash names the paths of both types.
    """
    reachable = {name: draft.drafts[name] for name in draft.paths}
    pinned = {
        found: name
        for path, name in sorted(pins.items())
        if (found := follow_path(reachable, path)) is not None
    }
    names, clashes = name_types(reachable, pinned)
    members: dict[str, list[Draft]] = defaultdict(list)
    for item in sorted(reachable.values(), key=lambda item: (draft.paths[item.id][0], item.id)):
        members[names[item.id]].append(item)
    types = {
        name: _object_type(name, drafts, names, draft.paths)
        for name, drafts in sorted(members.items())
    }
    kinds = tuple(
        Kind(root.kind, names[root.kind], plural=root.plural, location=root.node.location)
        for root in draft.roots
    )
    version = Version(
        config.name,
        kinds,
        types,
        internal=config.internal,
        deprecated=config.deprecated or _deprecated(draft.roots),
        location=config.location,
    )
    return version, [
        NameClash(clash.name, draft.paths[clash.one][0], draft.paths[clash.other][0])
        for clash in clashes
    ]


def _object_type(
    name: str, drafts: Sequence[Draft], names: Mapping[str, str], paths: Mapping[str, Sequence[str]]
) -> ObjectType:
    """Make one type of equal drafts; order, docs and places are those of the first by path."""
    first = drafts[0]
    alike: dict[str, list[Property]] = defaultdict(list)
    for draft in drafts:
        for item in draft.properties:
            alike[item.name].append(item)
    return ObjectType(
        name,
        tuple(_property(item, alike[item.name], names) for item in first.properties),
        doc=first.doc,
        preserve_unknown=first.preserve_unknown,
        has_slot=first.has_slot,
        paths=tuple(sorted(path for draft in drafts for path in paths[draft.id])),
        location=first.location,
    )


def _property(item: Property, alike: Sequence[Property], names: Mapping[str, str]) -> Property:
    # A default that differs between places of a shared type is dropped.
    shared = all(
        other.has_default == item.has_default and repr(other.default) == repr(item.default)
        for other in alike
    )
    return replace(
        item,
        type=_named(item.type, names),
        default=item.default if shared else None,
        has_default=item.has_default and shared,
        defaults=tuple({repr(value): value for one in alike for value in one.defaults}.values()),
    )


def _named(value: Type, names: Mapping[str, str]) -> Type:
    if isinstance(value, Ref):
        return Ref(names[value.type_name])
    if isinstance(value, ListOf):
        return replace(value, item=_named(value.item, names))
    if isinstance(value, MapOf):
        return replace(value, value=_named(value.value, names))
    return value


def _deprecated(roots: Sequence[Root]) -> str:
    texts = [root.deprecated for root in roots]
    return texts[0] if texts and all(texts) else ""
