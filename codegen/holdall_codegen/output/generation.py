"""Generating a project: read, plan, emit, write changes; or recognize that nothing changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import holdall
import holdall_codegen
from holdall.errors import DecodeError, Problem, SourceError
from holdall.plan.plans import MANIFEST_FILE
from holdall.text import json
from holdall.text.files import as_written, path_from
from holdall.text.folders import matches
from holdall.types import JsonValue, get, items, members, text
from holdall.verification import python_files
from holdall_codegen.declared.source import noting_imports
from holdall_codegen.output.files import inspect_output, unfinished_files, write_output
from holdall_codegen.output.manifest import Manifest, OutputError, digest_of, read_manifest
from holdall_codegen.plan.serialize import plan_value
from holdall_codegen.project import (
    CONFIG_FILE,
    Project,
    Reading,
    emit_project,
    plan_project,
    read_project,
)
from holdall_codegen.views.hook_report import HookNote, compare_hooks, report_hooks
from holdall_codegen.views.plan_view import PlanView, read_plan, view_plan
from holdall_codegen.views.proposals import group_title, proposal_lines, propose_all
from holdall_codegen.views.renamed_types import RenamedType, renamed_types
from holdall_codegen.views.stored_report import StoredReport, report_stored


@dataclass(frozen=True, slots=True)
class GenerateResult:
    """What a generation did, or with `check` would do. Paths are relative to the project's root.

    `problems` are the mistakes in hooks; the files are generated all the same, because hooks are
    written against them. `diff` is only made with `check`.
    """

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    unchanged: int = 0
    diff: str = ""
    notes: tuple[HookNote, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    stored: StoredReport = field(default_factory=dict)
    renamed: tuple[RenamedType, ...] = ()

    @property
    def is_current(self) -> bool:
        """Tell whether the files on disk were what would be generated."""
        return not self.written and not self.removed


def generate(root: Path, *, check: bool = False, force: bool = False) -> GenerateResult:
    """Generate the project in the folder `root`; with `check` nothing is written.

    `force` overwrites files that were edited by hand, after saving each as `<file>.edited`.
    Raises SourceError and PlanError for what cannot be read or planned, OutputError for files
    that cannot be written, InternalError for a bug in the generator.
    """
    known = None if check else _result(recall(root))
    if known is not None:
        return known
    with noting_imports() as imported:
        return _generate(root, imported, check=check, force=force)


def _generate(root: Path, imported: Set[Path], *, check: bool, force: bool) -> GenerateResult:
    reading = read_project(root)
    project = plan_project(reading)
    output = inspect_output(root, project.output, emit_project(project), force=force)
    old, new = old_plans(project), new_plans(project)
    written, removed, edited = (
        tuple(f"{output.shown}/{path}" for path in paths)
        for paths in (output.written, output.removed, output.edited)
    )
    result = GenerateResult(
        written,
        removed,
        edited,
        unchanged=len(output.unchanged),
        diff=output.diff() if check else "",
        warnings=tuple(text for plan in project.plans.values() for text in plan.warnings),
        stored=report_stored(project, old, new),
        renamed=renamed_types(old, new),
    )
    if check:
        return result
    write_output(output)
    hooks = report_hooks(project)
    notes = compare_hooks(project, hooks, old, new)
    suggestions = _suggestions(reading)
    result = replace(result, notes=notes, problems=hooks.problems, suggestions=suggestions)
    if not result.problems:
        remember(project, imported, _report(result))
    return result


def _suggestions(reading: Reading) -> tuple[str, ...]:
    """Return the lines that could be added to the configuration."""
    found = propose_all(reading)
    return tuple(
        line
        for package, items in found.items()
        for line in proposal_lines(
            [item for item in items if item.is_declarable], group_title(reading.config, package)
        )
    )


def old_plans(project: Project) -> dict[str, PlanView]:
    """Return the plans that were generated last, by package.

    A plan that cannot be read is left out; the file itself is compared and reported elsewhere.
    """
    found: dict[str, PlanView] = {}
    for package in project.plans:
        shown = project.plan_file(package)
        try:
            plan = read_plan(project.root / shown, shown)
        except SourceError:
            continue
        if plan is not None:
            found[package] = plan
    return found


def new_plans(project: Project) -> Mapping[str, PlanView]:
    """Return the plans of a project as plan.json would state them, by package."""
    return {
        package: view_plan(plan_value(plan, locations=False))
        for package, plan in project.plans.items()
    }


def _report(result: GenerateResult) -> JsonValue:
    """Return what a run without changes has to report again."""
    return {
        "files": result.unchanged + len(result.written),
        "warnings": list(result.warnings),
        "suggestions": list(result.suggestions),
    }


def _result(report: JsonValue) -> GenerateResult | None:
    files = get(report, "files")
    if not isinstance(files, int):
        return None
    warnings, suggestions = (map(str, items(report, name)) for name in ("warnings", "suggestions"))
    return GenerateResult(unchanged=files, warnings=tuple(warnings), suggestions=tuple(suggestions))


# --- what is remembered ---------------------------------------------------------------------------
#
# It is kept in `.holdall_cache`, which is not part of the project: it may be removed at any time,
# and a cache that cannot be read or written costs time only.


CACHE: Final = ".holdall_cache"
_FILE: Final = "generate.json"


def remember(project: Project, imported: Iterable[Path], report: JsonValue) -> None:
    """Keep the fingerprint of a generation that had no findings, and what it reported.

    `imported` are the files of modules that declarations and hooks imported.
    """
    root = project.root
    sources = project.sources | {path_from(file, root) for file in imported}
    patterns = {source.pattern for group in project.config.groups for source in group.sources}
    value: JsonValue = {
        "tool": _tool_digest(),
        "config": _digest(root / CONFIG_FILE),
        "patterns": {it: [*sorted(matches(it, root))] for it in sorted(patterns)},
        "sources": {name: _digest(root / name) for name in sorted(sources)},
        "hooks": project.config.hooks,
        "hooks_digest": _hooks_digest(root, project.config.hooks),
        "output": project.output,
        "manifest": _digest(root / project.output / MANIFEST_FILE),
        "report": report,
    }
    folder = root / CACHE
    with suppress(OSError):  # without the cache the next run is only slower
        folder.mkdir(exist_ok=True)
        # like the caches of other tools, it ignores itself in version control
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        (folder / _FILE).write_text(json.encode_pretty(value), encoding="utf-8")


def recall(root: Path) -> JsonValue:
    """Return the report of the last generation if nothing has changed since, else None.

    Compared by content: holdall itself, the configuration, the files that match its patterns and
    all other schemas read, the hooks and all modules imported, and every generated file.
    """
    try:
        value = json.decode((root / CACHE / _FILE).read_bytes())
        patterns = {it: sorted(matches(it, root)) for it in members(value, "patterns")}
    except (OSError, DecodeError):  # reading the schemas reports what is wrong with a folder
        return None
    output, hooks = text(value, "output"), text(value, "hooks")
    sources = members(value, "sources")
    is_same = (
        get(value, "config") == _digest(root / CONFIG_FILE)
        and get(value, "manifest") == _digest(root / output / MANIFEST_FILE)
        and "" != get(value, "tool") == _tool_digest()
        and get(value, "patterns") == patterns
        and all(_digest(root / name) == digest for name, digest in sources.items())
        and get(value, "hooks_digest") == _hooks_digest(root, hooks)
        and _is_intact(root / output, output)
    )
    return get(value, "report") if is_same else None


def _is_intact(folder: Path, shown: str) -> bool:
    try:
        manifest: Manifest = read_manifest(folder, shown)
    except OutputError:
        return False
    if manifest.pending or unfinished_files(folder):
        return False
    return all(_digest(folder / path) == digest for path, digest in manifest.files.items())


def _digest(path: Path) -> str:
    """Return the digest of a file, empty if it cannot be read."""
    try:
        return digest_of(as_written(path.read_bytes()))
    except OSError:
        return ""


def _tool_digest() -> str:
    """Return the digest of holdall itself; "" if its sources cannot be read, as in an archive."""
    folders = [Path(path) for package in (holdall, holdall_codegen) for path in package.__path__]
    texts = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return _digest_all(texts) if texts else ""


def _hooks_digest(root: Path, package: str) -> str:
    unreadable: list[OSError] = []
    files = python_files(root.joinpath(*package.split(".")), unreadable.append)
    return _digest_all(file.path for file in files)


def _digest_all(paths: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(f"{path.name}\0{path.parent.name}\0{_digest(path)}\n".encode())
    return total.hexdigest()
