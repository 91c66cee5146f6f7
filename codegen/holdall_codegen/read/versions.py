"""From the roots of one version to the version: drafts, names, types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from holdall_codegen.config.keys import VersionConfig
from holdall_codegen.model import Kind, ListOf, MapOf, ObjectType, Property, Ref, Type, Version
from holdall_codegen.read.drafts import Draft, find_paths, follow_path
from holdall_codegen.read.files import Files
from holdall_codegen.read.nodes import Root
from holdall_codegen.read.overlays import Overlays
from holdall_codegen.read.root_heads import RootHead, Said
from holdall_codegen.read.schema import SchemaReader
from holdall_codegen.read.type_names import NameClash, name_types


@dataclass(frozen=True, slots=True)
class VersionDraft:
    """One version as it was read, before its object types have names."""

    roots: tuple[Root, ...]
    drafts: Mapping[str, Draft]
    paths: Mapping[str, Sequence[str]]
    said: tuple[Said, ...] = ()


def draft_version(
    roots: Sequence[Root],
    files: Files,
    overlays: Overlays,
    *,
    has_object_meta: bool,
    head: RootHead,
) -> VersionDraft:
    """Read the schemas of all kinds of one version; the order of `roots` does not matter."""
    ordered = tuple(sorted(roots, key=lambda root: root.kind))
    reader = SchemaReader(files, overlays, head)
    kinds = [reader.add_root(root, has_object_meta=has_object_meta) for root in ordered]
    reader.finish(has_object_meta=has_object_meta)
    paths = {} if files.findings else find_paths(reader.drafts, kinds)
    return VersionDraft(ordered, reader.drafts, paths, tuple(reader.said))


def name_version(
    draft: VersionDraft, config: VersionConfig, pins: Mapping[str, str]
) -> tuple[Version, list[NameClash]]:
    """Return the version with all types named; `pins` are names by path, foreign paths ignored.

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
        Kind(
            root.kind,
            names[root.kind],
            plural=root.plural,
            location=root.node.location,
        )
        for root in draft.roots
    )
    version = Version(
        config.name,
        kinds,
        types,
        internal=config.internal,
        deprecated=config.deprecated or _deprecated(draft.roots),
    )
    return version, [
        NameClash(clash.name, draft.paths[clash.one][0], draft.paths[clash.other][0])
        for clash in clashes
    ]


def _object_type(
    name: str,
    drafts: Sequence[Draft],
    names: Mapping[str, str],
    paths: Mapping[str, Sequence[str]],
) -> ObjectType:
    """Make one type of equal drafts; order, docs and places are those of the first by path."""
    first = drafts[0]
    return ObjectType(
        name,
        tuple(_property(item, drafts, names) for item in first.properties),
        doc=first.doc,
        preserve_unknown=first.preserve_unknown,
        has_slot=first.has_slot,
        paths=tuple(sorted(path for draft in drafts for path in paths[draft.id])),
        location=first.location,
    )


def _property(item: Property, drafts: Sequence[Draft], names: Mapping[str, str]) -> Property:
    alike = [other for draft in drafts for other in draft.properties if other.name == item.name]
    # A default that does not hold at all places of a shared type is none.
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
