"""Checks of errors, versions, shapes and re-exports."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any, Final

from holdall_codegen.declared.model import Container, Item, Reexport
from holdall_codegen.declared.problems import WARNINGS, DeclarationProblem
from holdall_codegen.declared.types import DeclType, Named
from tests.acceptance.declared.cases import FormError, Node, items, node, refuse_unknown
from tests.acceptance.declared.generated import Generated, generated
from tests.acceptance.declared.generated_classes import ClassCheck, lines
from tests.acceptance.declared.neutral_types import declared_type, parse_type
from tests.acceptance.declared.subject import Checks, Subject, compare

CHECKS: Final = Checks()

# Codes of the form that stand for one of ours at some places, each with the codes it may be.
CODES: Final[Mapping[str, tuple[str, ...]]] = {
    "version_invalid_format": (
        "added_unknown_version",
        "changed_unknown_version",
        "deprecated_unknown_version",
    ),
    "version_level": (
        "added_unknown_version",
        "changed_unknown_version",
        "deprecated_unknown_version",
    ),
    "unknown_argument": ("argument_invalid",),
}
# Codes whose place the form spells after the original's arguments, which Python lacks.
PLACED_FREELY: Final = frozenset(
    [
        "submodule_not_a_version",
        "submodule_item_not_use",
        "item_not_allowed",
        "crate_override_conflict",
        "crate_override_unknown",
        "missing_argument",
        "unknown_argument",
        "unknown_type",
        "sub_struct_skip",
        "unknown_hint",
        "hint_mismatch",
        "argument_invalid",
    ]
)


@CHECKS.add("expect.outcome")
def check_outcome(subject: Subject, expected: object) -> Iterable[str]:
    """`ok` or `error`."""
    if expected not in ("ok", "error"):
        raise FormError(f"expect.outcome is {expected!r}")
    found = "error" if subject.errors else "ok"
    if found != expected:
        yield f"outcome: expected {expected}, found {found}"
        yield from (f"  found {_show(problem)}" for problem in _errors(subject))


@CHECKS.add("expect.errors")
def check_errors(subject: Subject, expected: object) -> Iterable[str]:
    """Every error of the list is found by code and place; complete ones hold no others."""
    remaining = _errors(subject)
    complete = bool(subject.case.expect.get("all_errors_reported"))
    for entry in items(expected, "expect.errors"):
        row = node(entry, "error")
        refuse_unknown(row, ("code", "message", "at"), "error")
        found = next((problem for problem in remaining if _is_same(row, problem)), None)
        if found is not None:
            remaining.remove(found)
        else:
            yield f"errors: {row.get('code')} at {row.get('at')} is not reported"
    if complete:
        yield from (f"errors: {_show(problem)} is not expected" for problem in remaining)


@CHECKS.add("expect.all_errors_reported")
def check_completeness(subject: Subject, expected: object) -> Iterable[str]:
    """A complete list names each error; it is compared by `errors`."""
    listed = len(items(subject.case.expect.get("errors"), "expect.errors"))
    if expected is True and listed != len(_errors(subject)):
        yield f"all_errors_reported: expected {listed} errors, found {len(_errors(subject))}"


@CHECKS.add("expect.version_order")
def check_version_order(subject: Subject, expected: object) -> Iterable[str]:
    """Versions from oldest to newest."""
    found = generated(subject).versions if subject.declaration else []
    yield from compare("version_order", expected, found)


@CHECKS.add("expect.version_modules")
def check_version_modules(subject: Subject, expected: object) -> Iterable[str]:
    """One module per version, with its marker of deprecation."""
    if subject.declaration is None:
        return
    rows = node(expected, "expect.version_modules")
    group = generated(subject)
    yield from compare("version_modules", sorted(rows), sorted(group.versions))
    is_preserved = subject.declaration.options.preserve_module
    visibility = subject.case.declaration.get("visibility", "private")
    for version in subject.declaration.versions:
        row = node(rows.get(version.name, {}), version.name)
        refuse_unknown(row, ("visibility", "deprecated", "docs", "doc"), "version_modules")
        where = f"version_modules.{version.name}"
        if "visibility" in row:
            # Python has none: this only says that the form is understood.
            wanted = "pub" if is_preserved else visibility
            yield from compare(f"{where}.visibility", row["visibility"], wanted)
        wanted = row.get("deprecated") or ""
        for found, place in _markers(group, version.name):
            yield from compare(f"{where}.deprecated ({place})", wanted, found)
        for key in {"docs", "doc"} & set(row):
            yield from compare(f"{where}.{key}", lines(row[key]), lines(version.doc))


def _markers(group: Generated, version: str) -> Iterator[tuple[str, str]]:
    """Yield the markers of deprecation of a version and of its classes, each with its place."""
    known = next(item for item in group.scheme.versions if item.name == version)
    yield known.deprecated, "scheme"
    module = group.api(version)
    for name in module.__all__:
        cls = getattr(module, name)
        if is_dataclass(cls) and cls.__module__ == module.__name__:
            yield getattr(cls, "__deprecated__", ""), name


@CHECKS.add("expect.containers")
def check_containers(subject: Subject, expected: object) -> Iterable[str]:
    """Fields and variants of every container in every version."""
    if subject.declaration is None:
        return
    rows = node(expected, "expect.containers")
    found = {item.name: item for item in subject.declaration.containers}
    visible = sorted(set(found) - set(subject.rendering.payloads))
    yield from compare("containers", sorted(rows), visible)
    for name, versions in rows.items():
        if name not in found:
            continue
        container = found[name]
        by_version = node(versions, name)
        yield from compare(f"containers.{name}", sorted(by_version), sorted(container.shapes))
        for version, shape in by_version.items():
            if version in container.shapes:
                yield from _check_shape(subject, container, version, node(shape, version))


def _check_shape(
    subject: Subject, container: Container, version: str, shape: Node
) -> Iterable[str]:
    where = f"containers.{container.name}.{version}"
    refuse_unknown(shape, ("fields", "variants", "docs", "doc", "deprecated"), where)
    member = "fields" if container.form == "object" else "variants"
    if member not in shape:
        yield f"{where}: expected {sorted(shape)}, found {member}"
        return
    if "docs" in shape or "doc" in shape:
        wanted = lines(shape.get("docs", shape.get("doc")))
        declaration = subject.declaration
        found = lines(declaration.class_doc(container, version)) if declaration else []
        yield from compare(f"{where}.docs", list(filter(None, wanted)), list(filter(None, found)))
    rows = [node(row, where) for row in items(shape[member], where)]
    yield from ClassCheck(subject, generated(subject), container, version, where).differences(rows)
    present = container.shapes[version]
    yield from compare(where, [str(row.get("name")) for row in rows], [i.name for i in present])
    for row, item in zip(rows, present, strict=False):
        yield from _check_item(subject, container, f"{where}.{item.name}", row, item)


def _check_item(
    subject: Subject, container: Container, where: str, row: Node, item: Item
) -> Iterable[str]:
    refuse_unknown(row, ("name", "type", "data", "deprecated", "docs", "json_name"), where)
    yield from compare(f"{where}.deprecated", row.get("deprecated", False), item.deprecated)
    yield from compare(f"{where}.docs", lines(row.get("docs")), lines(item.doc))
    if "json_name" in row:
        yield from compare(f"{where}.json_name", row["json_name"], item.json_name)
    parameters = subject.rendering.parameters.get(container.name, ())
    if container.form == "object":
        wanted = declared_type(parse_type(str(row.get("type"))), parameters)
        yield from compare(f"{where}.type", wanted, item.type)
        return
    payload = item.type
    if isinstance(payload, Named) and payload.container in subject.rendering.payloads:
        yield from compare(f"{where}.data", _named(row.get("data")), _fields(subject, payload))
    else:
        yield from compare(f"{where}.data", _data(row.get("data"), parameters), payload)


def _data(data: Any, parameters: tuple[str, ...]) -> DeclType | tuple[DeclType, ...] | str | None:
    match data:
        case None:
            return None
        case {"newtype": str(text)} | {"tuple": [str(text)]}:
            return declared_type(parse_type(text), parameters)
        case {"tuple": list(texts)}:
            return tuple(declared_type(parse_type(str(text)), parameters) for text in texts)
        case _:
            return f"{data!r}"


def _named(data: Any) -> object:
    match data:
        case {"named": list(rows)}:
            return [(row["name"], declared_type(parse_type(row["type"]))) for row in rows]
        case _:
            return repr(data)


def _fields(subject: Subject, payload: Named) -> object:
    if subject.declaration is None:
        return None
    shape = next(iter(subject.declaration.container(payload.container).shapes.values()))
    return [(item.name, item.type) for item in shape]


@CHECKS.add("expect_reexports")
def check_reexports(subject: Subject, expected: object) -> Iterable[str]:
    """What each version module exports besides its classes."""
    if subject.declaration is None:
        return
    rows = node(expected, "expect_reexports")
    group = generated(subject)
    known = {version.name: version for version in subject.declaration.versions}
    yield from compare("expect_reexports", sorted(rows), sorted(group.versions))
    for name, listed in rows.items():
        if name not in known:
            continue
        wanted = sorted(str(row).replace("::", ".").lstrip(".") for row in listed)
        found = sorted(_spelled(item, wanted) for item in known[name].reexports)
        yield from compare(f"expect_reexports.{name}", wanted, found)
        module = group.api(name)
        for item in known[name].reexports:
            for exported, origin in _exported(item):
                here = getattr(module, exported, None)
                if exported not in module.__all__ or _origin(here) != origin:
                    yield f"expect_reexports.{name}: {exported} is not that of {origin}"


def _spelled(item: Reexport, wanted: Collection[str]) -> str:
    """Return how a re-export may be listed; one under another name as a path or by the name."""
    path = ".".join(part for part in (item.module, item.name) if part)
    if item.exported in (item.name, path):
        return path
    return item.exported if item.exported in wanted else f"{path} as {item.exported}"


def _exported(item: Reexport) -> Iterator[tuple[str, str]]:
    """Yield the names that a re-export gives a module, each with what it names."""
    if item.name == "*":
        name = f"In_{item.module.replace('.', '_')}"
        yield name, f"{item.module}.{name}"
    else:
        yield item.exported, ".".join(part for part in (item.module, item.name) if part)


def _origin(value: Any) -> str:
    if isinstance(value, ModuleType):
        return value.__name__
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}"


CHECKS.add("expect.reexports")(check_reexports)


def _errors(subject: Subject) -> list[DeclarationProblem]:
    return [problem for problem in subject.errors if problem.code not in WARNINGS]


def _is_same(row: Node, problem: DeclarationProblem) -> bool:
    code, at = str(row.get("code")), row.get("at")
    if problem.code != code and problem.code not in CODES.get(code, ()):
        return False
    return at is None or at == problem.path or code in PLACED_FREELY


def _show(problem: DeclarationProblem) -> str:
    return f"{problem.code} at {problem.path} ({problem.message})"
