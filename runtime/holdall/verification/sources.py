"""Hooks found and verified from the text of their modules; nothing of them is run."""

from __future__ import annotations

import ast
import importlib.util
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path

from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import Claims
from holdall.errors import Problem
from holdall.verification.claims import check_composed
from holdall.verification.classes import FoundClass, HookChecks, Verdict
from holdall.verification.files import looks_like_a_hook, python_files
from holdall.verification.mistakes import mistake
from holdall.verification.names import HookModule, HookNames, HookSource
from holdall.verification.outside_classes import check_loose
from holdall.verification.protocols import Protocols, Way, dotted

__all__ = ["HookClass", "HookSource", "find_sources", "verify_composed", "verify_hooks"]


@dataclass(frozen=True, slots=True)
class HookClass:
    """A hook that was found and has no mistakes.

    The claims are None for a hook composed of parts: they are computed at run time.
    """

    module: str
    name: str
    file: str
    line: int
    point: HookPoint
    claims_to: Claims | None
    claims_from: Claims | None


def find_sources(package: str, *, root: Path | None = None) -> list[HookSource]:
    """Return the texts of a package and all modules below it, by file; none if it is missing.

    With `root` they are read from the folder `root/<package path>`, without it from where Python
    would import the package. No module is run. A file that cannot be read is returned with its
    problem, which `verify_hooks` passes on.
    """
    parts = package.split(".")
    if root is not None:
        return list(_below(root, root.joinpath(*parts), package))
    try:
        spec = importlib.util.find_spec(parts[0])
    except ValueError:  # a module that was made by hand and has no spec
        spec = None
    if spec is None:
        return []
    found: list[HookSource] = []
    if spec.submodule_search_locations is None:
        origin = Path(spec.origin or "")
        return (
            [_read(origin, origin.name, package)] if len(parts) == 1 and spec.has_location else []
        )
    for location in spec.submodule_search_locations:
        folder = Path(location)
        if folder.is_dir():
            found += _below(folder.parent, folder.joinpath(*parts[1:]), package)
        else:
            found += _packed(spec, folder.parent, package)
    return found


def _below(root: Path, folder: Path, package: str) -> Iterator[HookSource]:
    failed: list[OSError] = []
    for path, ignored in python_files(folder, failed.append):
        shown = path.relative_to(root).as_posix()
        below = path.relative_to(folder).with_suffix("").parts if folder in path.parents else ()
        parts = below[:-1] if below[-1:] == ("__init__",) else below
        module = ".".join((package, *parts))
        alien = [part for part in parts if not part.isidentifier()]
        if ignored:
            yield from _ignored(path, shown, module, ignored)
        elif alien:
            fix = "rename it with letters, digits and underscores"
            yield HookSource(
                module, shown, "", mistake("HA303", f"{shown}:1", fix=fix, part=alien[0])
            )
        else:
            yield _read(path, shown, module)
    for error in failed:
        shown = Path(error.filename).relative_to(root).as_posix()
        yield _unreadable(package, shown, error.strerror or str(error))


def _ignored(path: Path, shown: str, module: str, reason: str) -> Iterator[HookSource]:
    try:
        if looks_like_a_hook(path):
            fix = "move it to where Python imports it from, or remove it"
            problem = mistake("HA307", f"{shown}:1", fix=fix, reason=reason)
            yield HookSource(module, shown, "", problem)
    except OSError as error:
        yield _unreadable(module, shown, error.strerror or str(error))


def _read(path: Path, shown: str, module: str) -> HookSource:
    try:
        return HookSource(module, shown, _decode(path.read_bytes()))
    except OSError as error:
        return _unreadable(module, shown, error.strerror or str(error))
    except (SyntaxError, UnicodeDecodeError) as error:
        return _undecodable(module, shown, error)


def _decode(data: bytes) -> str:
    try:
        return importlib.util.decode_source(data)
    except SyntaxError as error:
        if "unknown encoding" not in str(error):
            data.decode("utf-8-sig")  # tells where the text is broken
        raise


def _undecodable(module: str, shown: str, error: SyntaxError | UnicodeDecodeError) -> HookSource:
    if isinstance(error, UnicodeDecodeError):
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        return _unreadable(module, f"{shown}:{line}:{column}", f"no {error.encoding} text")
    return _unreadable(module, f"{shown}:1:1", error.msg)


def _unreadable(module: str, where: str, reason: str) -> HookSource:
    file = re.sub(r"(:\d+)+$", "", where)
    where = where if where != file else f"{file}:1:1"
    fix = "make it readable, as UTF-8 text"
    return HookSource(module, file, "", mistake("HA301", where, fix=fix, reason=reason))


def _packed(spec: ModuleSpec, base: Path, package: str) -> Iterator[HookSource]:
    """Yield the modules of a package that lies in an archive; `base` holds the whole package."""
    name = spec.name
    if f"{name}.".startswith(f"{package}."):
        shown = Path(spec.origin or name)
        shown = shown.relative_to(base) if shown.is_relative_to(base) else shown
        get_source = getattr(spec.loader, "get_source", None)
        try:
            text = get_source(name) if get_source else None
        except (ImportError, OSError, SyntaxError, UnicodeDecodeError) as error:
            yield _unreadable(name, shown.as_posix(), str(error))
        else:
            if text is not None:
                yield HookSource(name, shown.as_posix(), text)
            elif spec.loader is not None:
                yield _unreadable(name, shown.as_posix(), "it has no source text")
    for info in pkgutil.iter_modules(spec.submodule_search_locations or [], f"{name}."):
        below = info.module_finder.find_spec(info.name, None)
        if below is not None:
            yield from _packed(below, base, package)


def verify_hooks(
    sources: Sequence[HookSource],
    points: Sequence[HookPoint],
    group_packages: Sequence[str],
    is_foreign: Callable[[str], bool] = lambda _: False,
) -> tuple[list[HookClass], list[Problem]]:
    """Return the hooks without mistakes, and all mistakes, ordered by file and line.

    `points` are all hook points of the groups whose generated packages `group_packages` names
    and whose hooks lie in these sources. `is_foreign` tells which dotted names belong to groups
    that are verified apart: their hooks are passed over. Nothing is imported or run; nothing is
    raised.
    """
    problems: list[Problem] = []
    modules = list(_parse(sources, problems))
    names, protocols = HookNames(modules), Protocols(points, group_packages, is_foreign)
    checks = HookChecks(names, protocols)
    found = [cls for module in modules for cls in checks.find_classes(module)]
    judged = [(cls, checks.judge(cls)) for cls in found]
    for module in modules:
        own = [cls for cls in found if cls.module is module]
        shared = {cls.node for cls in own if checks.is_shared(cls)}
        problems += check_loose(module, own, shared, names, protocols)
    for _, verdict in judged:
        problems += verdict.problems
    bound = [(cls, verdict, point) for cls, verdict in judged for point in verdict.points]
    problems += _check_single(bound)
    attempted = {dotted(point) for cls in found for point in cls.points}
    problems += _check_needed(points, attempted)
    order = {source.file: index for index, source in enumerate(sources)}
    problems.sort(key=lambda problem: _position(problem, order))
    hooks = [
        HookClass(
            cls.module.name,
            cls.name,
            cls.module.file,
            cls.node.lineno,
            point,
            verdict.claims.get("to"),
            verdict.claims.get("from"),
        )
        for cls, verdict, point in bound
        if not verdict.problems
    ]
    return hooks, problems


def verify_composed(hook: HookClass, to: Sequence[Claims], back: Sequence[Claims]) -> list[Problem]:
    """Return what is wrong with the claims that the parts of a composed hook compute.

    `to` and `back` are the claims of its parts in running order, for each direction.
    """
    ways: dict[Way, Sequence[Claims]] = {"to": to, "from": back}
    return list(check_composed(hook.name, hook.file, hook.line, hook.point, ways))


def _parse(sources: Sequence[HookSource], problems: list[Problem]) -> Iterator[HookModule]:
    for source in sources:
        if source.problem is not None:
            problems.append(source.problem)
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # Python says it at import
                tree = ast.parse(source.text, filename=source.file)
            yield HookModule(source, tree)
        except SyntaxError as error:
            where = f"{source.file}:{error.lineno or 1}:{error.offset or 1}"
            problems.append(mistake("HA302", where, fix="mend the text", reason=error.msg))
        except (ValueError, RecursionError, MemoryError) as error:
            reason = str(error) or "it is nested too deeply"
            where = f"{source.file}:1:1"
            problems.append(mistake("HA302", where, fix="mend the text", reason=reason))


def _check_single(bound: list[tuple[FoundClass, Verdict, HookPoint]]) -> Iterator[Problem]:
    first: dict[str, FoundClass] = {}
    for cls, verdict, point in bound:
        other = first.setdefault(dotted(point), cls)
        if other is not cls:
            problem = mistake(
                "HA314",
                cls.where,
                fix="keep one; several concerns of one edge are composed of shared hooks",
                hook=cls.name,
                point=point.title,
                first=other.name,
                place=other.where,
            )
            verdict.problems.append(problem)
            yield problem


def _check_needed(points: Sequence[HookPoint], attempted: set[str]) -> Iterator[Problem]:
    for point in points:
        wanted = [
            f"{name} of {version}"
            for names, version in (
                (point.must_claim_older, point.older_version),
                (point.must_claim_newer, point.newer_version),
            )
            for name in sorted(names)
        ]
        if wanted and dotted(point) not in attempted:
            yield mistake(
                "HA316",
                point.module,
                fix="write the hook, or choose another strategy for them in holdall.yaml;"
                " `holdall hooks scaffold` writes a start",
                point=point.title,
                properties=", ".join(wanted),
            )


def _position(problem: Problem, order: dict[str, int]) -> tuple[int, int, str]:
    found = re.match(r"(.*?):(\d+)(?::\d+)?$", problem.where)
    if not found:
        return len(order), 0, problem.where
    return order.get(found[1], len(order)), int(found[2]), problem.code
