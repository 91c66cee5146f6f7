"""Checks of generated names: kinds, entry unions, version enums, CRD names, status types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from holdall_codegen.declared.model import Container, Resource
from holdall_codegen.declared.names import tracked_status, version_enum, version_enum_member
from holdall_codegen.declared.types import External, Named
from tests.acceptance.declared.cases import FormError, Node, items, node, refuse_unknown
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


@CHECKS.add("expect.generated")
def check_generated(subject: Subject, expected: object) -> Iterable[str]:
    """What is generated for each resource."""
    if subject.declaration is None:
        return
    rows = node(expected, "expect.generated")
    found = {item.name: item for item in subject.declaration.containers}
    for name, entry in rows.items():
        container = found.get(name)
        if container is None or container.resource is None:
            yield f"generated.{name}: there is no such resource"
            continue
        row = node(entry, name)
        refuse_unknown(row, _KEYS, f"generated.{name}")
        where = f"generated.{name}"
        for key, value in row.items():
            yield from _CHECK_KEY[key](
                subject, container, container.resource, value, f"{where}.{key}"
            )


def _kind(
    subject: Subject, container: Container, resource: Resource, value: Any, where: str
) -> Iterable[str]:
    yield from compare(where, value, resource.kind)


def _entry_enum(
    subject: Subject, container: Container, resource: Resource, value: Any, where: str
) -> Iterable[str]:
    """One type per version; a preserved module may stand before it."""
    row = node(value, where)
    refuse_unknown(row, ("name", "variants"), where)
    yield from compare(f"{where}.name", row.get("name"), resource.kind)
    wanted = [
        [str(part).replace("::", ".") for part in items(variant, where)]
        for variant in items(row.get("variants"), where)
    ]
    wanted = [[*names[:-1], ".".join(names[-1].split(".")[-2:])] for names in wanted if names]
    found = [[version_enum_member(v), f"{v}.{resource.kind}"] for v in _versions(subject)]
    yield from compare(f"{where}.variants", wanted, found)


def _version_enum(
    subject: Subject, container: Container, resource: Resource, value: Any, where: str
) -> Iterable[str]:
    row = node(value, where)
    refuse_unknown(row, ("name", "variants", "display"), where)
    yield from compare(f"{where}.name", row.get("name"), version_enum(resource.kind))
    found = {
        version_enum_member(version): {
            "version_str": version,
            "api_version_str": f"{resource.group}/{version}",
        }
        for version in _versions(subject)
    }
    yield from compare(f"{where}.variants", row.get("variants"), found)
    if "display" in row:
        yield from compare(f"{where}.display", row["display"], "version_str")


def _crd(
    subject: Subject, container: Container, resource: Resource, value: Any, where: str
) -> Iterable[str]:
    row = node(value, where)
    refuse_unknown(
        row, ("name", "group", "scope", "names", "root_description", "status", "scale"), where
    )
    names: dict[str, Any] = {
        "kind": resource.kind,
        "singular": resource.singular,
        "plural": resource.plural,
    }
    if resource.shortnames:
        names["shortNames"] = list(resource.shortnames)
    scale = resource.scale
    found: dict[str, Any] = {
        "name": f"{resource.plural}.{resource.group}",
        "group": resource.group,
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "names": names,
        "root_description": resource.doc or None,
        "status": _status(subject, resource),
        "scale": None,
    }
    if scale is not None:
        found["scale"] = {
            "spec_replicas_path": scale.spec_replicas_path,
            "status_replicas_path": scale.status_replicas_path,
            "label_selector_path": scale.label_selector_path or None,
        }
    for key, wanted in row.items():
        if (
            key == "root_description"
            and wanted is None
            and not _crd_arguments(subject, container).get("doc")
        ):
            continue  # The original had no default for it; ours is the documentation of the class.
        if key == "scale" and isinstance(wanted, dict):
            yield from _check_scale(f"{where}.scale", wanted, found["scale"])
        else:
            yield from compare(f"{where}.{key}", wanted, found[key])


def _check_scale(where: str, wanted: Node, found: Any) -> Iterator[str]:
    if found is None:
        yield f"{where}: expected {wanted!r}, found none"
        return
    spelled = {
        "specReplicasPath": "spec_replicas_path",
        "statusReplicasPath": "status_replicas_path",
        "labelSelectorPath": "label_selector_path",
    }
    rows = {spelled.get(key, key): value for key, value in wanted.items()}
    refuse_unknown(rows, spelled.values(), where)
    for key in spelled.values():
        yield from compare(f"{where}.{key}", rows.get(key), found[key])


def _status(subject: Subject, resource: Resource) -> str | None:
    declaration = subject.declaration
    if declaration is not None and declaration.options.tracking is not None:
        return tracked_status(resource.kind)
    match resource.status:
        case Named(name):
            return name
        case External(target):
            return target.rpartition(":")[2]
        case _:
            return None


def _crd_arguments(subject: Subject, container: Container) -> Node:
    for entry in subject.case.declaration.get("containers", []):
        if entry.get("name") == container.name:
            return node(entry.get("crd") or {}, "crd")
    return {}


def _flag(
    subject: Subject, container: Container, resource: Resource, value: Any, where: str
) -> Iterable[str]:
    if len(_versions(subject)) < 2 and value is False:
        return  # Nothing to convert: the original leaves functions out, ours do nothing.
    flag = where.rpartition(".")[2]
    skipped = "object_from" if flag == "object_conversions" else flag
    yield from compare(where, value, skipped not in container.skip)


def _status_struct(
    subject: Subject, container: Container, resource: Resource, value: Any, where: str
) -> Iterable[str]:
    """The fields are those of the user's status, and the tracked values."""
    declaration = subject.declaration
    if declaration is None or declaration.options.tracking is None:
        yield from compare(where, value, None)
        return
    row = node(value, where)
    refuse_unknown(row, ("name", "fields"), where)
    yield from compare(f"{where}.name", row.get("name"), tracked_status(resource.kind))
    own: set[str] = set()
    if isinstance(resource.status, Named):
        latest = declaration.versions[-1].name
        shape = declaration.container(resource.status.container).shapes.get(latest, ())
        own = {item.json_name for item in shape}
    found = {str(name) for name in row.get("fields", [])}
    known = {"changedValues"} | own
    # The user's status is flattened: the form names its fields, or the original's field for it.
    if found != known and not (
        resource.status is not None and found == {"changedValues", "status"}
    ):
        yield f"{where}.fields: expected {sorted(found)}, found {sorted(known)}"


def _roundtrip_tests(
    subject: Subject, container: Container, resource: Resource, value: Any, where: str
) -> Iterable[str]:
    """Informative: the names of the original's generated tests belong to this class."""
    known = {f"{container.name}_roundtrip_{way}" for way in ("down_up", "up_down")}
    names = {str(name) for name in value}
    if not names <= known:
        yield f"{where}: expected {sorted(names)}, found {sorted(known)}"


def _kube_arguments(
    subject: Subject, container: Container, resource: Resource, value: Any, where: str
) -> Iterable[str]:
    """Informative: arguments of the original's own generator, by version; versions are checked."""
    if isinstance(value, dict):
        unknown = sorted(set(value) - set(_versions(subject)))
        if unknown:
            yield f"{where}: {unknown} are no versions"


def _versions(subject: Subject) -> list[str]:
    if subject.declaration is None:
        return []
    return [version.name for version in subject.declaration.versions]


@CHECKS.add("expect.object_conversions")
def check_object_conversions(subject: Subject, expected: object) -> Iterable[str]:
    """How the status is treated per step, wherever the words stand in the expectation."""
    if subject.declaration is None:
        return
    resources = {c.name: c.resource for c in subject.declaration.containers if c.resource}
    tracking = subject.declaration.options.tracking is not None
    treatments = {
        name: "tracked" if tracking else "copied" if resource.status is not None else "absent"
        for name, resource in resources.items()
    }
    yield from _words(expected, treatments, next(iter(treatments), ""), "object_conversions")


def _words(value: Any, known: dict[str, str], name: str, where: str) -> Iterator[str]:
    if isinstance(value, str):
        if value not in ("copied", "absent", "tracked"):
            raise FormError(f"{where} has the unknown treatment {value}")
        yield from compare(where, value, known.get(name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _words(item, known, name, f"{where}[{index}]")
    elif isinstance(value, dict):
        name = str(value.get("container", name))
        for key, item in value.items():
            if key not in ("from", "to", "direction", "container", "kind"):
                inner = key if key in known else name
                yield from _words(item, known, inner, f"{where}.{key}")


_CHECK_KEY: Final = {
    "kind": _kind,
    "entry_enum": _entry_enum,
    "version_enum": _version_enum,
    "crd": _crd,
    "merged_crd": _flag,
    "try_convert": _flag,
    "object_conversions": _flag,
    "status_struct": _status_struct,
    "roundtrip_tests": _roundtrip_tests,
    "kube_arguments": _kube_arguments,
}
