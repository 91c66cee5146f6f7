"""The versions of a declaring module and its options."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from keyword import iskeyword
from typing import Final, Literal, cast

from holdall.declare import Skip, Tracking, Version, Versions
from holdall.plan import tracking as tracked
from holdall.suggest import nearest
from holdall_codegen.declared import model
from holdall_codegen.declared.calls import Argument, Bound, bind, recall
from holdall_codegen.declared.grammar import NotAVersion, VersionName, parse_version
from holdall_codegen.declared.model import Options, Reexport, SkipFlag
from holdall_codegen.declared.problems import Findings
from holdall_codegen.declared.raw import RawDeclaration, RawVersion
from holdall_codegen.declared.source import Failed, Source
from holdall_codegen.model import Location

# What `imports` may replace, and the parts of `k8s`.
OVERRIDES: Final = (
    *("runtime", "k8s", "k8s_core", "k8s_client", "k8s_types", "schema", "serialization"),
    *("json", "otel"),
)
K8S_PARTS: Final = ("k8s_core", "k8s_client")


def read_versions(source: Source) -> RawDeclaration:
    """Read the `Versions(...)` of a module; check order and duplicates, too."""
    call, node = _find_versions(source)
    if call is None:
        here = Location(source.file, 1, "versions", 1)
        text = "the module has no `Versions(...)`"
        source.findings.add("no_versions", here, text, "add `VERSIONS = Versions(…)`")
        return RawDeclaration((), (), Options())
    bound = bind(call, node, "versions", source, argument_path=lambda name: f"options.{name}")
    versions = tuple(
        _read_version(argument, index, source) for index, argument in enumerate(bound.rest)
    )
    names = [version.name for version in versions if version.name is not None]
    if not bound.rest:
        text = "at least one version must be declared"
        source.findings.add("no_versions", bound.location, text, "add Version(…)")
    ascending = tuple(sorted(set(names)))
    options = _read_options(bound, source)
    _check_order(names, bound.location, options, source.findings)
    versions = _add_reexports(versions, bound)
    rename_all = bound.choice("rename_all", ("camelCase",))
    imports = bound.given("imports")
    at = None if imports is None else imports.location
    return RawDeclaration(versions, ascending, options, rename_all, at)


def read_skip(bound: Bound) -> frozenset[SkipFlag]:
    """Return the flags of an argument `skip`: members of Skip, or their values."""
    argument = bound.given("skip")
    if argument is None:
        return frozenset()
    known = tuple(flag.value for flag in Skip)
    given = argument.value if isinstance(argument.value, (tuple, list)) else (argument.value,)
    if not all(item in known for item in given):
        bound.invalid(argument, "skip", "a tuple of Skip members")
        return frozenset()
    return frozenset(cast(SkipFlag, str(item)) for item in given)


def _find_versions(source: Source) -> tuple[Versions | None, ast.expr]:
    found: list[tuple[Versions, ast.expr]] = []
    for statement in source.tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if any(isinstance(source.namespace.get(name), Versions) for name in names):
                call = recall(statement.value, source)
                if isinstance(call, Versions):
                    found.append((call, statement.value))
    for _, node in found[1:]:
        text = f"versions are declared twice, first on line {found[0][1].lineno}"
        source.report("duplicate_name", node, "versions", text, "keep one `Versions(...)`")
    if found:
        return found[0]
    imported = [item for item in source.namespace.values() if isinstance(item, Versions)]
    first = ast.Constant(None, lineno=1, col_offset=0)
    return (imported[0] if imported else None), first


def _read_version(argument: Argument, index: int, source: Source) -> RawVersion:
    path = f"versions[{index}]"
    node = argument.node or source.at(argument.location)
    call = argument.value
    if not isinstance(call, Version):
        shown = call.error if isinstance(call, Failed) else repr(call)
        message = f"write a version as Version(...), not {shown}"
        source.report("argument_invalid", node, path, message, 'write Version("v1")')
        bound = Bound("Version", {}, (), source.location(node, path), Findings())
        return RawVersion("", None, bound, ())
    bound = bind(call, node, path, source)
    text = bound.text("name")
    name: VersionName | None = None
    if text is not None:
        try:
            name = parse_version(text)
        except NotAVersion as error:
            message = f'"{text}" is not a version: {error}'
            fix = "write it as v1, v1beta2 or v1alpha1"
            source.findings.add(error.code, bound.arguments["name"].location, message, fix)
    reexports = _read_reexports(bound, bound.texts("reexport"))
    return RawVersion(text or "", name, bound, reexports)


def version_of(raw: RawVersion) -> model.DeclaredVersion:
    """Return the resolved version of a readable one."""
    bound = raw.bound
    given = bound.value("deprecated")
    note = given if isinstance(given, str) else ""
    name = str(raw.name)
    doc = "\n".join(line.strip() for line in (bound.text("doc") or "").strip().split("\n"))
    return model.DeclaredVersion(
        name,
        bound.location,
        deprecated=(note or f"Version {name} is deprecated") if given else "",
        note=note,
        doc=doc,
        served=bound.flag("served", True),
        skip=read_skip(bound),
        reexports=tuple(raw.reexports),
    )


def _read_reexports(
    bound: Bound, texts: Iterable[str], location: Location | None = None
) -> tuple[Reexport, ...]:
    argument = bound.given("reexport")
    at = location or (argument.location if argument else bound.location)
    found = []
    for text in texts:
        path, _as, alias = text.partition(" as ")
        module, colon, name = path.partition(":")
        parts = [*module.split("."), *([name] if colon else []), *([alias] if _as else [])]
        if not all(part.isidentifier() and not iskeyword(part) for part in parts):
            message = f'"{text}" is neither a module nor `module:Name`'
            fix = "write it as `pkg.mod`, `pkg.mod:Name` or `pkg.mod:Name as Other`"
            bound.findings.add("submodule_item_not_use", at, message, fix)
            continue
        found.append(Reexport(module, name if colon or _as else "*", at, alias))
    return tuple(found)


def _add_reexports(versions: tuple[RawVersion, ...], bound: Bound) -> tuple[RawVersion, ...]:
    argument = bound.given("reexport")
    if argument is None:
        return versions
    given = argument.value
    if not isinstance(given, Mapping) or not all(
        isinstance(texts, (tuple, list)) and all(isinstance(text, str) for text in texts)
        for texts in given.values()
    ):
        bound.invalid(argument, "reexport", "a mapping of versions to tuples of import paths")
        return versions
    added: dict[str, tuple[Reexport, ...]] = {}
    for version, texts in given.items():
        known = [raw.text for raw in versions]
        if version not in known:
            message = f'"{version}" is not a declared version{nearest(str(version), known)}'
            fix = f"use one of {', '.join(known)}"
            bound.findings.add("submodule_not_a_version", argument.location, message, fix)
        added[version] = _read_reexports(bound, texts, argument.location)
    return tuple(
        RawVersion(raw.text, raw.name, raw.bound, (*raw.reexports, *added.get(raw.text, ())))
        for raw in versions
    )


def _check_order(
    names: list[VersionName], location: Location, options: Options, findings: Findings
) -> None:
    twice = list(dict.fromkeys(str(name) for name in names if names.count(name) > 1))
    if twice:
        text = f"declared more than once: {', '.join(twice)}"
        fix = "remove all but one (leading zeros do not count)"
        findings.add("versions_duplicate", location, text, fix)
    if names != sorted(names) and not options.allow_unsorted:
        right = ", ".join(str(name) for name in sorted(set(names)))
        fix = "put them in this order, or set allow_unsorted=True"
        findings.add("versions_unsorted", location, f"versions must ascend: {right}", fix)


def _read_options(bound: Bound, source: Source) -> Options:
    tracking: tracked.Tracking | None = None
    keeps_all = False
    argument = bound.given("tracking")
    if argument is not None:
        if isinstance(argument.value, Tracking):
            tracking, keeps_all = _read_tracking(argument, source)
        elif argument.value is not False:
            bound.invalid(argument, "tracking", "Tracking(...)")
    answers: tuple[Literal["warn", "error"], ...] = ("warn", "error")
    return Options(
        allow_unsorted=bound.flag("allow_unsorted"),
        preserve_module=bound.flag("preserve_module"),
        tracking=tracking,
        keeps_all=keeps_all,
        tracing=bound.flag("tracing"),
        unconvertible=bound.choice("unconvertible", answers) or "warn",
        imports=_read_imports(bound),
        skip=read_skip(bound),
    )


def _read_tracking(argument: Argument, source: Source) -> tuple[tracked.Tracking, bool]:
    """Return how values are tracked, and whether all values are kept."""
    node = argument.node or source.at(argument.location)
    bound = bind(cast(Tracking, argument.value), node, "options.tracking", source)
    default = tracked.Tracking()
    track = bound.texts("track") if bound.given("track") else default.track
    if not set(track) <= set(default.track):
        known = ", ".join(default.track)
        bound.invalid(bound.arguments["track"], "track", f"a tuple out of {known}")
    keeps_all = bound.choice("entries", ("needed", "all")) == "all"
    carriers: tuple[Literal["status", "annotation", "bag"], ...] = ("status", "annotation", "bag")
    carrier = bound.choice("carrier", carriers) or default.carrier
    tolerant = bound.choice("on_bad_value", ("error", "tolerant")) == "tolerant"
    scope = cast(tuple[tracked.TrackedWhat, ...], track)
    return tracked.Tracking(carrier, scope, tolerant), keeps_all


def _read_imports(bound: Bound) -> dict[str, str]:
    imports = bound.text_map("imports")
    if not imports:
        return {}
    location = bound.arguments["imports"].location
    parts = [part for path in imports.values() for part in path.split(".")]
    if not all(part.isidentifier() and not iskeyword(part) for part in parts):
        bound.invalid(bound.arguments["imports"], "imports", "a mapping of names to import paths")
    for name in imports:
        if name not in OVERRIDES:
            text = f"`{name}` cannot be replaced{nearest(name, OVERRIDES)}"
            bound.findings.add(
                "crate_override_unknown", location, text, f"use {', '.join(OVERRIDES)}"
            )
    parts = [name for name in K8S_PARTS if name in imports]
    if "k8s" in imports and parts:
        text = f"`k8s` already replaces {' and '.join(parts)}"
        bound.findings.add(
            "crate_override_conflict", location, text, f"remove `k8s`, or {' and '.join(parts)}"
        )
    return imports
