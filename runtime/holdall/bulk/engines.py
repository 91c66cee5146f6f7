"""Documents on distributed engines: what is sent to a worker, and how it gets ready.

Packages are sent by name, so each worker must have the same ones.
"""

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

_SENT: Final = "send the driver's packages to the workers"


class WorkerUnready(ProblemsError):
    """Workers of an engine that cannot convert; each problem says what one of them lacks."""

    code = "HA417"


class Group(NamedTuple):
    """The packages of a scheme, and their digests."""

    package: str
    plan: str
    hooks: str
    hooks_digest: str


class Work(NamedTuple):
    """What every worker does, in a form that can be sent to it."""

    groups: tuple[Group, ...]
    to: str
    columns: Columns
    version: str = VERSION


def work_of(schemes: Scheme | Iterable[Scheme], to: str, columns: Columns) -> Work:
    """Return the work, after checking that this process can do it.

    Raises UnknownKindError, what loading a scheme raises, and NotInstalled without pyarrow.
    """
    import_arrow()
    every = [schemes] if isinstance(schemes, Scheme) else list(schemes)
    documents_for(every, to, columns)
    return Work(groups_of(every), to, columns)


def groups_of(schemes: Iterable[Scheme]) -> tuple[Group, ...]:
    """Return the packages and digests of schemes and their hooks."""
    return tuple(Group(one.package, one.plan, one.hooks, _digest(one.hooks)) for one in schemes)


def documents_of(work: Work) -> Documents:
    """Return the converter of a worker, which each process loads once.

    Raises WorkerUnready.
    """
    return _documents(work.groups, work.to, work.version)


def prober(work: Work) -> Callable[[], str]:
    """Return a function that returns why a worker is not ready; "" if it is ready.

    It refers to nothing in holdall, so it also runs where holdall is not installed.
    """
    name = __name__
    parts = tuple(tuple(group) for group in work.groups), work.to, tuple(work.columns), work.version

    def probe() -> str:
        try:
            found: str = import_module(name).unready(*parts)
        except Exception as error:  # noqa: BLE001 - reported to the driver
            return f"{type(error).__name__}: {error}"
        return found

    return probe


def unready(
    groups: Iterable[tuple[str, ...]], to: str, columns: tuple[str, ...], version: str
) -> str:
    """Return why this process is not ready for the work; "" if it is ready."""
    work = Work(tuple(Group(*group) for group in groups), to, Columns(*columns), version)
    try:
        import_arrow()
        documents_of(work)
    except ProblemsError as error:
        # Their fixes are for the driver's machine.
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
        text = f"it has holdall {VERSION}, but the driver has {version}"
        raise WorkerUnready([Problem("HA417", "holdall", text, "install the driver's version")])
    documents = Documents(Schemes([import_scheme(group.package) for group in groups]), to)
    problems = []
    for group, scheme in zip(groups, documents.schemes.schemes, strict=True):
        if scheme.plan != group.plan:
            text = f"its package {group.package} was generated from other schemas than the driver's"
            problems.append(Problem("HA417", group.package, text, _SENT))
        elif (found := _digest(group.hooks)) != group.hooks_digest:
            state = "differs from the driver's" if found else "is missing"
            text = f"its package of hooks, {group.hooks}, {state}"
            problems.append(Problem("HA417", group.hooks, text, _SENT))
    if problems:
        raise WorkerUnready(problems)
    return documents


def _digest(package: str) -> str:
    """Return a digest of a package's sources, wherever it is; "" if there is none.

    Otherwise a missing package would count as one without hooks.
    """
    return digest_of(find_sources(package))
