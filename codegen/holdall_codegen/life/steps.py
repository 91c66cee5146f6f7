"""The steps in the life of a version: what each edits and refuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from holdall.errors import PlanError, Problem
from holdall.kubernetes.crds.dns_names import is_label_1035
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, get, is_json_object, members, text
from holdall_codegen.breaking.reading import KindView, project_api
from holdall_codegen.config.keys import SchemaSource, VersionConfig
from holdall_codegen.config.model import GroupConfig, HeadConfig
from holdall_codegen.config.names import PAIR, VERSION
from holdall_codegen.life.files import VersionFiles
from holdall_codegen.output.yaml_edits import YamlText
from holdall_codegen.plan.graph import choose_hub, version_edges
from holdall_codegen.project import Project
from holdall_codegen.read.files import Files
from holdall_codegen.views.lookup import unknown

_REF: Final = re.compile(r"""(\$ref["']?\s*:\s*["']?)([^\s"'#,}]+)""")


def add_version(project: Project, group: GroupConfig, name: str, source: str) -> VersionFiles:
    """Add a version that begins as a copy of another one, next to it in the graph."""
    files = _files(project, group, source)
    names = [version.name for version in group.versions]
    if not VERSION.fullmatch(name) or name in names:
        message = f'"{name}" is taken, or is not a version name'
        raise _refused(group, message, "choose another name, such as v3")
    config, crds = files.config, list(files.crds(source))
    # Schemas of an API group become CRDs, too, unless its versions have other names already.
    is_served = project.plans[group.package].api_group and is_label_1035(source)
    if (crds or is_served) and not is_label_1035(name):
        message = f'"{name}" cannot name a version of a CRD, which takes a-z, 0-9 and hyphens'
        raise _refused(group, message, "choose another name, such as v3")
    hub = choose_hub(group)
    joined = {"chain": names[-1], "star": hub}.get(str(group.edges), source)
    if joined != source:
        message = f"with edges: {group.edges}, {name} is joined to {joined}, not to {source}"
        raise _refused(group, message, f"use --from {joined}, or list the edges")
    config.append(join(files.place, "versions"), name)
    if not isinstance(group.edges, str):
        config.append(join(files.place, "edges"), [source, name])
    if (
        choose_hub(replace(group, versions=(*group.versions, VersionConfig(name, group.location))))
        != hub
    ):
        config.set(files.place, "hub", hub, after="versions")
    add_value(files, group.head, source, name, _renaming(source, name))
    for place, item in files.listed("sources"):
        if is_json_object(item) and item.get("version") == source:
            _copy_source(files, place, source, name)
    for place, item in _narrowed(files):
        if source in item:
            config.append(place, name)
    for place, item in files.listed("inner_documents"):
        held = text(item, "versions", source)
        if held not in ("", source):
            config.set(join(place, "versions"), name, held)
    for crd in crds:
        new = crd.copy()
        new.set("name", name)
        new.set("served", True)
        new.set("storage", False)
        new.remove("deprecated")
        new.remove("deprecationWarning")
    return files


def deprecate_version(
    project: Project, group: GroupConfig, name: str, warning: str
) -> VersionFiles:
    """Mark a version as deprecated, with a warning for its users."""
    files = _files(project, group, name)
    for place, item in files.listed("versions"):
        if item == name:
            files.config.replace(place, {"name": name, "deprecated": warning})
        elif is_json_object(item) and item.get("name") == name:
            files.config.set(place, "deprecated", warning)
    for crd in files.crds(name):
        crd.set("deprecationWarning", warning, after="name")
        crd.set("deprecated", True, after="name")
    return files


def unserve_version(project: Project, group: GroupConfig, name: str) -> VersionFiles:
    """Stop serving a version; its converters stay."""
    files = _files(project, group, name)
    if not project.plans[group.package].api_group:
        message = f"{group.name} has no API group, so no server serves {name}"
        fix = (
            f"convert documents of {name}, then run `holdall version retire {name} --stored FILES`"
        )
        raise _refused(group, message, fix)
    kinds = _kinds(project, group, name)
    for kind in kinds:
        served = [other for other in kind.versions.values() if other.is_served]
        if [version.name for version in served] == [name]:
            raise _refused(
                group, f"{kind.name} has no other served version", "serve another one first"
            )
        if kind.storage == name:
            message = f"{kind.name} is stored at {name}"
            raise _refused(group, message, "make another version the storage version, and migrate")
    in_files = set()
    for crd in files.crds(name):
        crd.set("served", False)
        in_files.add(crd.kind)
    for kind in kinds:
        declared = group.crd.kind(kind.name).unserved
        place = join(files.place, "crd", "kinds", kind.name)
        if declared is None and kind.name not in in_files and kind.names:
            files.config.set(place, "unserved", [name])
        elif declared is not None and name not in declared:
            files.config.append(join(place, "unserved"), name)
    return files


def retire_version(project: Project, group: GroupConfig, name: str) -> VersionFiles:
    """Remove a version that is neither served nor stored, as far as the project says."""
    files = _files(project, group, name)
    _check_end(project, group, name)
    config = files.config
    for crd in files.crds(name):
        crd.remove()
    for place, names in (*_narrowed(files), *_marked(files)):
        if name in names:
            config.remove(f"{place}/{names.index(name)}")
    for key in ("sources", "edges", "versions"):
        for place, item in files.listed(key):
            if name in (item, get(item, "version"), get(item, "name")) or (
                isinstance(item, list) and name in item
            ):
                config.remove(place)
    forget_value(files, name)
    between = join(files.place, "between")
    for pair in members(config.value(between)):
        if name in _ends(pair):
            config.remove(join(between, pair))
    for place, item in files.listed("accept_refusals"):
        if name in _ends(text(item, "way")):
            config.remove(place)
    for place, item in files.listed("inner_documents"):
        if name in members(item, "versions"):
            config.remove(join(place, "versions", name))
    return files


def _ends(pair: str) -> tuple[str, ...]:
    match = PAIR.fullmatch(pair)
    return match.groups() if match else ()


# --- what is refused -----------------------------------------------------------------------------


def _files(project: Project, group: GroupConfig, name: str) -> VersionFiles:
    names = [version.name for version in group.versions if not version.internal]
    if name not in names:
        raise unknown("version", name, names)
    if group.declaration is not None:
        message = f"the versions of {group.name} are declared in Python"
        raise _refused(group, message, "edit the declaration")
    return VersionFiles(project, group)


def _check_end(project: Project, group: GroupConfig, name: str) -> None:
    """Refuse to remove a version that is in use, or through which others are converted."""
    for kind in _kinds(project, group, name):
        if kind.names and kind.versions[name].is_served:
            message = f"{kind.name} is served at {name}"
            raise _refused(group, message, f"release `holdall version unserve {name}` first")
        if name in kind.stored:
            message = f"{kind.name} may be stored at {name}"
            fix = "run `holdall migrate --apply` until status.storedVersions does not list it"
            raise _refused(group, message, fix)
    if choose_hub(group) == name:
        raise _refused(group, f"{name} is the hub", "set `hub` to another version")
    if copies := [version.name for version in group.versions if version.like == name]:
        text = f"{copies[0]} takes its shape from {name}, by `like`"
        raise _refused(group, text, f"give {copies[0]} schemas of its own")
    around = [
        other
        for edge in version_edges(group, choose_hub(group))
        for other in edge
        if name in edge and other != name
    ]
    facts = [facts for facts in group.facts if name in (facts.older, facts.newer)]
    if len(around) > 1 and facts:
        message = f"{' and '.join(around)} are converted through {name}, with facts under `between`"
        fix = f"keep it as an internal version: {{name: {name}, internal: true}}"
        raise _refused(group, message, fix)


def _kinds(project: Project, group: GroupConfig, name: str) -> list[KindView]:
    plan = project.plans[group.package]
    return [
        kind
        for (api_group, _), kind in project_api(project).kinds.items()
        if api_group == (plan.api_group or plan.name) and name in kind.versions
    ]


def _refused(group: GroupConfig, message: str, fix: str) -> PlanError:
    return PlanError([Problem(REFUSED, str(group.location), message, fix)])


# --- parts of edits ------------------------------------------------------------------------------


def _narrowed(files: VersionFiles) -> list[tuple[str, list[JsonValue]]]:
    """Return the lists of versions in overlays and parts of CRDs, by place."""
    found = [place for place, _ in files.listed("overlays")]
    for kind in members(files.config.value(join(files.place, "crd", "kinds"))):
        found += [place for place, _ in files.listed("crd", "kinds", kind, "columns")]
    return _lists(files, [f"{place}/versions" for place in found])


def _marked(files: VersionFiles) -> list[tuple[str, list[JsonValue]]]:
    """Return the lists of unserved and deprecated versions of kinds, by place."""
    place = join(files.place, "crd", "kinds")
    kinds = [join(place, kind) for kind in members(files.config.value(place))]
    return _lists(files, [f"{kind}/{key}" for kind in kinds for key in ("unserved", "deprecated")])


def _lists(files: VersionFiles, places: Iterable[str]) -> list[tuple[str, list[JsonValue]]]:
    found = ((place, files.config.value(place)) for place in places)
    return [(place, value) for place, value in found if isinstance(value, list)]


def _copy_source(files: VersionFiles, place: str, source: str, name: str) -> None:
    """Copy a source of schemas with the files that it reads, under the new version's name."""
    known = next(
        item
        for index, item in enumerate(files.group.sources)
        if place.endswith(f"/{index}") and isinstance(item, SchemaSource)
    )
    renamed = _renaming(source, name)
    pattern = renamed(known.pattern)
    if pattern == known.pattern:
        message = (
            f'"{known.pattern}" does not contain {source}, so the copy would have the same path'
        )
        fix = f"name the file or its folder after {source}"
        raise PlanError([Problem(REFUSED, str(known.location), message, fix)])
    found = Files(files.project.root).find(known)
    for file in _of_version(files.project.sources, found, renamed):
        text = (files.project.root / file).read_bytes().decode()
        if file in found:
            text = with_own_value(file, text, known, files.group.head, name, renamed)
        files.copies[renamed(file)] = _REF.sub(lambda match: match[1] + renamed(match[2]), text)
    above, _, index = place.rpartition("/")
    files.config.repeat(above, int(index))
    items = files.config.value(above)
    copy = f"{above}/{len(items) - 1 if isinstance(items, list) else 0}"
    files.config.set(copy, "schemas", pattern)
    files.config.set(copy, "version", name)


def _renaming(source: str, name: str) -> Callable[[str], str]:
    word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(source)}(?![A-Za-z0-9])")
    return lambda text: word.sub(name, text)


def _of_version(
    read: Iterable[str], found: Iterable[str], renamed: Callable[[str], str]
) -> set[str]:
    """Return the files of a source, and those of its version's folder that they refer to."""
    folders = {str(PurePosixPath(name).parent) for name in found}
    own = {folder for folder in folders if renamed(folder) != folder}
    return {*found, *(name for name in read if str(PurePosixPath(name).parent) in own)}


# --- what documents say at a version --------------------------------------------------------------


REFUSED: Final = "HA138"
Renamed = Callable[[str], str]


def with_own_value(
    file: str, text: str, source: SchemaSource, head: HeadConfig | None, name: str, renamed: Renamed
) -> str:
    """Return a copied schema with the new version's value for the member that says the version.

    Raises PlanError if that value is unclear.
    """
    if head is None:
        return text
    edited = YamlText(text, file, source.yaml)
    for pointer in dict.fromkeys((source.kinds or {}).values() or ("",)):
        place = join(f"{pointer}/properties", head.member)
        for end in ("/const", "/enum/0"):
            value = edited.value(f"{place}{end}")
            if value is None or edited.value(f"{place}/enum/1") is not None:
                continue
            new = next_value(value, source.version, name, renamed)
            if new is None:
                where = edited.documents[0].where(f"{place}{end}")
                raise _unknown(where, head, value, source.version, name)
            edited.replace(f"{place}{end}", new)
    return edited.text


def add_value(
    files: VersionFiles, head: HeadConfig | None, source: str, name: str, renamed: Renamed
) -> None:
    """Add the value of a new version to the configuration if it has that of the copied one.

    Raises PlanError if that value is unclear.
    """
    if head is None or source not in head.values:
        return
    new = next_value(head.values[source], source, name, renamed)
    if new is None:
        raise _unknown(str(head.location), head, head.values[source], source, name)
    files.config.set(join(files.place, "version_at", "values"), name, new)


def next_value(value: JsonValue, source: str, name: str, renamed: Renamed) -> JsonValue:
    """Return the value of a copied version; None if it is unclear: after 2 of v2 comes 3 of v3, and
    a string has the name or the number of its version."""
    digits, others = (re.sub(r"[^0-9]", "", text) for text in (source, name))
    if isinstance(value, str) and renamed(value) != value:
        return renamed(value)
    if str(value) != digits or not others:
        return None
    return others if isinstance(value, str) else int(others)


def forget_value(files: VersionFiles, name: str) -> None:
    """Remove what the configuration says about the documents of a version."""
    place = join(files.place, "version_at")
    said = files.config.value(place)
    if not is_json_object(said):
        return
    values = said.get("values")
    if is_json_object(values) and name in values:
        files.config.remove(join(f"{place}/values", name))
    if said.get("default") == name:
        files.config.remove(f"{place}/default")


def _unknown(where: str, head: HeadConfig, value: JsonValue, source: str, name: str) -> PlanError:
    shown = _json.encode(value).decode()
    message = f"`{head.member}` is {shown} in {source}, but its value in {name} is unclear"
    fix = f"copy the schema by hand, and add {name} to `versions`"
    return PlanError([Problem(REFUSED, where, message, fix)])
