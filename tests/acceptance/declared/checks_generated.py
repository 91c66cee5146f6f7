"""Checks of generated kinds: entry unions, version enums, CRDs and status types, as imported."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from holdall_codegen.declared.model import Container, Resource
from holdall_codegen.declared.types import External
from tests.acceptance.declared.cases import Node, items, node, refuse_unknown, text_of
from tests.acceptance.declared.checks_objects import converting, reviewing
from tests.acceptance.declared.generated import Generated, generated
from tests.acceptance.declared.generated_classes import hints, lines, wire_fields
from tests.acceptance.declared.subject import Checks, Subject, compare

CHECKS: Final = Checks()
_KEYS: Final = [
    "kind",
    "entry_enum",
    "version_enum",
    "crd",
    "merged_crd",
    "try_convert",
    "object_conversions",
    "status_struct",
    "roundtrip_tests",
    "kube_arguments",
]
_SCALE: Final = {
    "specReplicasPath": "spec_replicas_path",
    "statusReplicasPath": "status_replicas_path",
    "labelSelectorPath": "label_selector_path",
}
Schema = Mapping[str, Any]
ObjectCheck = Callable[[Subject, Generated, Any, Container, str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class GeneratedKind:
    """The generated class of a resource. `container` and `resource` only say what to look for."""

    subject: Subject
    group: Generated
    container: Container
    resource: Resource
    cls: Any

    @property
    def name(self) -> str:
        return str(self.cls.__name__)

    @property
    def tracks(self) -> bool:
        declaration = self.subject.declaration
        return declaration is not None and declaration.options.tracking is not None

    @property
    def has_domain(self) -> bool:
        """Whether the group is one that servers take."""
        return "." in self.resource.group

    def crds(self) -> list[Schema]:
        """Return the CRD, merged once for each stored version."""
        return self.group.once(("crds", self.name), self._crds)

    def _crds(self) -> list[Schema]:
        merge = getattr(self.cls, "merged_crd", None)
        if merge is None or not self.has_domain:
            # Not generated where it is skipped, and for a group that no server takes.
            return [self.group.manifest(self.name)]
        return [merge(version) for version in self.cls.Version]

    def of_objects(self, what: str, check: ObjectCheck, where: str) -> list[str]:
        """Return what a check of whole objects finds, which is done once."""
        given = (self.subject, self.group, self.cls, self.container, where)
        return self.group.once((what, self.name), lambda: list(check(*given)))

    def schema(self, version: str) -> Schema:
        """Return the entry of a version in the CRD."""
        spec: Schema = self.crds()[0]["spec"]
        return next(item for item in spec["versions"] if item["name"] == version)


@CHECKS.add("expect.generated")
def check_generated(subject: Subject, expected: object) -> Iterable[str]:
    """What is generated for each resource."""
    if subject.declaration is None:
        return
    rows = node(expected, "expect.generated")
    found = {item.name: item for item in subject.declaration.containers}
    group = generated(subject)
    for name, entry in rows.items():
        container = found.get(name)
        if container is None or container.resource is None:
            yield f"generated.{name}: there is no such resource"
            continue
        cls = find_kind(group, name)
        if cls is None:
            yield f"generated.{name}: there is no kind with this spec"
            continue
        kind = GeneratedKind(subject, group, container, container.resource, cls)
        row = node(entry, name)
        refuse_unknown(row, _KEYS, f"generated.{name}")
        for key, value in row.items():
            yield from _CHECK_KEY[key](kind, value, f"generated.{name}.{key}")


def find_kind(group: Generated, container: str) -> Any:
    """Return the class of the kind whose objects have a container as their spec, if it is there."""
    kinds = group.kinds()
    for name in getattr(kinds, "__all__", ()):
        cls = getattr(kinds, name, None)
        if cls is None or not hasattr(cls, "NAME"):
            continue
        root = getattr(group.api(group.versions[-1]), cls.NAME, None)
        spec = hints(root).get("spec") if isinstance(root, type) else None
        if getattr(spec, "__name__", "") == container:
            return cls
    return None


def _kind(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    yield from compare(where, value, kind.cls.NAME)
    yield from compare(f"{where} (class)", value, kind.name)


def _entry_enum(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    """One type per version; a preserved module may stand before it."""
    row = node(value, where)
    refuse_unknown(row, ("name", "variants"), where)
    yield from compare(f"{where}.name", row.get("name"), kind.name)
    wanted = []
    for variant in items(row.get("variants"), where):
        *names, path = [str(part).replace("::", ".") for part in items(variant, where)] or [""]
        wanted.append([*names, path])
    found = []
    names_of = {item.as_api_version_str(): item.name for item in kind.cls.Version}
    longest = max((len(item[-1].split(".")) for item in wanted), default=2)
    for member in _entries(kind):
        tags = typing.get_args(hints(member)["api_version"])
        place = f"{member.__module__}.{member.__qualname__}".split(".")[1:]
        found.append([*(names_of.get(tag, tag) for tag in tags), ".".join(place[-longest:])])
    yield from compare(f"{where}.variants", wanted, found)


def _entries(kind: GeneratedKind) -> list[Any]:
    union = getattr(kind.group.kinds(), f"Any{kind.name}", None)
    return [] if union is None else list(typing.get_args(union) or (union,))


def _version_enum(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    row = node(value, where)
    refuse_unknown(row, ("name", "variants", "display"), where)
    enum = kind.cls.Version
    yield from compare(f"{where}.name", row.get("name"), enum.__name__)
    if getattr(kind.group.kinds(), enum.__name__, None) is not enum:
        yield f"{where}: {enum.__name__} is not exported"
    found = {
        member.name: {
            "version_str": member.as_version_str(),
            "api_version_str": member.as_api_version_str(),
        }
        for member in enum
    }
    variants = node(row.get("variants"), f"{where}.variants")
    yield from compare(f"{where}.variants", list(variants.items()), list(found.items()))
    for member in enum:
        if enum.from_api_version(member.as_api_version_str()) is not member:
            yield f"{where}: {member} is not found by its apiVersion"
    if "display" in row:
        shown = "version_str" if all(str(m) == m.as_version_str() for m in enum) else None
        yield from compare(f"{where}.display", row["display"], shown)


def _crd(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    row = node(value, where)
    refuse_unknown(
        row, ("name", "group", "scope", "names", "root_description", "status", "scale"), where
    )
    for crd in kind.crds():
        spec = crd["spec"]
        names = {
            key: spec["names"][key]
            for key in ("kind", "singular", "plural", "shortNames")
            if key in spec["names"]
        }
        found = {
            "name": crd["metadata"]["name"],
            "group": spec["group"],
            "scope": spec["scope"],
            "names": names,
        }
        for key in found.keys() & row.keys():
            yield from compare(f"{where}.{key}", row[key], found[key])
    if "root_description" in row:
        yield from _check_description(kind, row["root_description"], f"{where}.root_description")
    if "status" in row:
        yield from _check_status(kind, row["status"], f"{where}.status")
    if "scale" in row:
        yield from _check_scale(kind, row["scale"], f"{where}.scale")


def _check_description(kind: GeneratedKind, wanted: Any, where: str) -> Iterator[str]:
    if wanted is None and not _crd_arguments(kind).get("doc"):
        return  # The original had no default for it; ours is the documentation of the class.
    for version in kind.group.versions:
        found = kind.schema(version)["schema"]["openAPIV3Schema"].get("description")
        yield from compare(f"{where}.{version}", lines(text_of(wanted)), lines(found))


def _crd_arguments(kind: GeneratedKind) -> Node:
    entries = items(kind.subject.case.declaration.get("containers"), "containers")
    entry = next(item for item in entries if item.get("name") == kind.container.name)
    return node(entry["crd"], "crd")


def _check_status(kind: GeneratedKind, wanted: Any, where: str) -> Iterator[str]:
    """The type of the status in its class, and the status of each version in the CRD."""
    for version in kind.group.versions:
        entry = kind.schema(version)
        schema = entry["schema"]["openAPIV3Schema"]["properties"].get("status")
        has_subresource = "status" in entry.get("subresources", {})
        place = f"{where}.{version}"
        if wanted is None:
            if schema is not None or has_subresource:
                yield f"{place}: expected none, found {schema}"
            continue
        found = _status_type(kind, version)
        if found is None or wanted not in (found, re.split(r"\W+", found)[-1]):
            yield f"{place}: expected {wanted!r}, found {found!r}"
        if schema is None or not has_subresource:
            yield f"{place}: the CRD has no status"
        elif kind.tracks and "changedValues" not in schema.get("properties", {}):
            yield f"{place}: the CRD has no changedValues"


def _status_type(kind: GeneratedKind, version: str) -> str | None:
    """Return the name of the type of a status; an opaque one has it only in the declaration."""
    module = kind.group.api(version)
    tracked = getattr(module, f"{kind.name}StatusWithChangedValues", None)
    if tracked is not None:
        return str(tracked.__name__)
    held = hints(getattr(module, kind.name)).get("status")
    parts = [part for part in typing.get_args(held) if part is not type(None)]
    status = kind.resource.status
    if isinstance(status, External) and parts == [Any]:
        return str((_crd_arguments(kind)).get("status")).removeprefix("ext:")
    return str(parts[0].__name__) if parts else None


def _check_scale(kind: GeneratedKind, wanted: Any, where: str) -> Iterator[str]:
    """The paths of the latest version are those of the declaration; all lead somewhere."""
    for version in kind.group.versions:
        entry = kind.schema(version)
        found = entry.get("subresources", {}).get("scale")
        place = f"{where}.{version}"
        if wanted is None or found is None:
            yield from compare(place, wanted, found)
            continue
        schema = entry["schema"]["openAPIV3Schema"]
        for key, path in found.items():
            if not _leads_somewhere(schema, path):
                yield f"{place}.{key}: {path} leads nowhere"
        if version == kind.group.versions[-1]:
            rows = {_SCALE.get(key, key): path for key, path in node(wanted, where).items()}
            refuse_unknown(rows, _SCALE.values(), where)
            for key, name in _SCALE.items():
                yield from compare(f"{place}.{name}", rows.get(name), found.get(key))


def _leads_somewhere(schema: Schema, path: str) -> bool:
    for name in path.strip(".").split("."):
        if schema.get("x-kubernetes-preserve-unknown-fields") and "properties" not in schema:
            return True
        if name not in schema.get("properties", {}):
            return False
        schema = schema["properties"][name]
    return True


def _merged_crd(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    if not _says_nothing(kind, value):
        yield from compare(where, value, hasattr(kind.cls, "merged_crd"))
    if value is not True or not hasattr(kind.cls, "merged_crd") or not kind.has_domain:
        return
    for stored, crd in zip(kind.cls.Version, kind.crds(), strict=True):
        listed = {item["name"]: item["storage"] for item in crd["spec"]["versions"]}
        wanted = {version: version == stored.value for version in kind.group.versions}
        yield from compare(f"{where}.{stored}", wanted, listed)
        if "conversion" in crd["spec"]:
            yield f"{where}.{stored}: there is a conversion"


def _try_convert(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    if not _says_nothing(kind, value):
        yield from compare(where, value, hasattr(kind.cls, "try_convert"))
    if value is True and hasattr(kind.cls, "try_convert"):
        yield from kind.of_objects("reviews", reviewing, where)


def _object_conversions(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    if not _says_nothing(kind, value):
        yield from compare(where, value, hasattr(kind.cls, "convert"))
    if value is True and hasattr(kind.cls, "convert"):
        yield from kind.of_objects("conversions", converting, where)


def _says_nothing(kind: GeneratedKind, value: Any) -> bool:
    """Of one version the original leaves functions out, where ours do nothing."""
    return len(kind.group.versions) < 2 and value is False


def _status_struct(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    """The fields are those of the user's status, and the tracked values, in every version."""
    name = f"{kind.name}StatusWithChangedValues"
    if value is None or value is False:
        for version in kind.group.versions:
            if hasattr(kind.group.api(version), name):
                yield f"{where}: expected none, found {name} in {version}"
        return
    row = node(value, where)
    refuse_unknown(row, ("name", "fields"), where)
    wanted = {_field_name(field) for field in row.get("fields", [])}
    for version in kind.group.versions:
        module = kind.group.api(version)
        cls = getattr(module, str(row.get("name")), None)
        if cls is None or str(row.get("name")) not in module.__all__:
            yield f"{where}.{version}: there is no class {row.get('name')}"
            continue
        found = set(wire_fields(cls))
        # The original's field for the user's status is flattened: ours are the fields inside.
        is_short = kind.resource.status is not None and wanted == {"changedValues", "status"}
        if version == kind.group.versions[-1] and not is_short:
            yield from compare(f"{where}.{version}.fields", sorted(wanted), sorted(found))
        elif "changedValues" not in found:
            yield f"{where}.{version}.fields: there are no changedValues"


def _field_name(field: Any) -> str:
    """Return the JSON name of a field, given by either of its names or as a row."""
    name = str(field["name"]) if isinstance(field, dict) else str(field)
    return "changedValues" if name == "changed_values" else name


def _roundtrip_tests(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    """Informative: the names of the original's generated tests belong to this class."""
    known = {f"{kind.container.name}_roundtrip_{way}" for way in ("down_up", "up_down")}
    names = {str(name) for name in items(value, where)}
    if not names <= known:
        yield f"{where}: expected {sorted(names)}, found {sorted(known)}"


def _kube_arguments(kind: GeneratedKind, value: Any, where: str) -> Iterable[str]:
    """Informative: arguments of the original's own generator, by version; versions are checked."""
    if isinstance(value, dict):
        unknown = sorted(set(value) - set(kind.group.versions))
        if unknown:
            yield f"{where}: {unknown} are no versions"


_CHECK_KEY: Final = {
    "kind": _kind,
    "entry_enum": _entry_enum,
    "version_enum": _version_enum,
    "crd": _crd,
    "merged_crd": _merged_crd,
    "try_convert": _try_convert,
    "object_conversions": _object_conversions,
    "status_struct": _status_struct,
    "roundtrip_tests": _roundtrip_tests,
    "kube_arguments": _kube_arguments,
}
