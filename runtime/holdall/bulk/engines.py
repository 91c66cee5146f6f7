"""Documents on engines that spread work over machines: what is sent to a worker, and how it gets
ready. Packages are sent by name, so a worker has to have them, and the same ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

from holdall.bulk.arrow import Columns, documents_for, import_arrow
from holdall.bulk.documents import Documents
from holdall.errors import HoldallError, Problem, ProblemsError
from holdall.scheme.projects import import_scheme
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.verification.sources import digest_of, find_sources
from holdall.version import VERSION

_SENT: Final = "send the packages that the driver has"


class WorkerUnready(ProblemsError):
    """Workers of an engine that cannot convert: each problem says what one of them lacks."""

    code = "HA417"


class Group(NamedTuple):
    """The packages of a scheme, and the digests that tell them from others of their names."""

    package: str
    plan: str
    hooks: str
    hooks_digest: str


class Work(NamedTuple):
    """What every worker does, in words that can be sent to it."""

    groups: tuple[Group, ...]
    to: str
    columns: Columns
    version: str = VERSION


def work_of(schemes: Scheme | Iterable[Scheme], to: str, columns: Columns) -> Work:
    """Return the work, which has been seen to be possible here.

    Raises UnknownKindError, what loading a scheme does, and NotInstalled without pyarrow.
    """
    import_arrow()
    every = [schemes] if isinstance(schemes, Scheme) else list(schemes)
    documents_for(every, to, columns)
    return Work(groups_of(every), to, columns)


def groups_of(schemes: Iterable[Scheme]) -> tuple[Group, ...]:
    """Return what tells schemes, and the hooks that they have, from others."""
    return tuple(Group(one.package, one.plan, one.hooks, _digest(one.hooks)) for one in schemes)


def documents_of(work: Work) -> Documents:
    """Return what converts, on a worker; it is loaded once in a process.

    Raises WorkerUnready.
    """
    return _documents(work.groups, work.to, work.version)


def prober(work: Work) -> Callable[[], str]:
    """Return a function that tells what keeps a worker from its work; "" if it is ready.

    It refers to nothing of holdall, so that it also runs where that is not installed.
    """
    name = __name__
    parts = tuple(tuple(group) for group in work.groups), work.to, tuple(work.columns), work.version

    def probe() -> str:
        try:
            found: str = import_module(name).unready(*parts)
        except Exception as error:  # noqa: BLE001 - of whatever kind, the driver is told
            return f"{type(error).__name__}: {error}"
        return found

    return probe


def unready(
    groups: Iterable[tuple[str, ...]], to: str, columns: tuple[str, ...], version: str
) -> str:
    """Return what keeps this process from the work; "" if it is ready."""
    work = Work(tuple(Group(*group) for group in groups), to, Columns(*columns), version)
    try:
        import_arrow()
        documents_of(work)
    except ProblemsError as error:
        # Their fixes are those of the driver's machine.
        return "; ".join(problem.message for problem in error.problems)
    except HoldallError as error:
        return str(error)
    return ""


def raise_if_unready(found: Iterable[str], fix: str) -> None:
    """Raise WorkerUnready for what probes found."""
    problems = [
        Problem("HA417", "a worker", f"it is not ready: {text}", fix)
        for text in sorted({*found} - {""})
    ]
    if problems:
        raise WorkerUnready(problems)


@cache
def _documents(groups: tuple[Group, ...], to: str, version: str) -> Documents:
    if version != VERSION:
        text = f"it has holdall {VERSION}, the driver {version}"
        raise WorkerUnready([Problem("HA417", "holdall", text, "install the driver's version")])
    documents = Documents(Schemes([import_scheme(group.package) for group in groups]), to)
    problems = []
    for group, scheme in zip(groups, documents.schemes.schemes, strict=True):
        if scheme.plan != group.plan:
            text = f"its package {group.package} is not the driver's: it was generated from others"
            problems.append(Problem("HA417", group.package, text, _SENT))
        elif (found := _digest(group.hooks)) != group.hooks_digest:
            state = "is not the driver's: its text differs" if found else "is missing"
            text = f"its package of hooks, {group.hooks}, {state}"
            problems.append(Problem("HA417", group.hooks, text, _SENT))
    if problems:
        raise WorkerUnready(problems)
    return documents


def _digest(package: str) -> str:
    """Return a digest of a package's texts, wherever it lies; "" if there is none.

    Without this a package that is missing would be one without hooks.
    """
    return digest_of(find_sources(package))
