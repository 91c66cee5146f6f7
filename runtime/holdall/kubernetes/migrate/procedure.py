"""The order of a migration: check every object, rewrite, shrink storedVersions, clear managers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

from holdall.errors import HoldallError, Problem, ProblemsError
from holdall.kubernetes.install.cluster import CONNECTION, REFUSED, Answer, Cluster, InstallError
from holdall.kubernetes.migrate.resources import Resource, cleared
from holdall.kubernetes.migrate.returning import Returning, not_returning
from holdall.kubernetes.migrate.state import Progress, State
from holdall.kubernetes.migrate.writing import (
    Outcome,
    clear_fields,
    ensure_unchanged,
    rewrite,
    settle,
    shrink_stored_versions,
)
from holdall.types import JsonObject, get, is_json_object, items, text

PAGE: Final = 500
"""Objects of one page. Source: webhook contract, section 10."""

_GONE: Final = 410
_TRIES: Final = 5


class Listing:
    """The objects of a resource at its storage version, from the page at a continue token on.

    `token` is where the page in hand begins, `total` how many objects there are from there on, as
    far as the server says. A token that is too old is replaced by the inconsistent one that the
    server offers, and where it offers none, everything is listed again from the start: whoever
    iterates must be prepared to see an object twice.
    """

    def __init__(self, cluster: Cluster, resource: Resource, token: str = "") -> None:
        """Get the first page. Raises InstallError."""
        self._cluster = cluster
        self._resource = resource
        self.token = token
        self._page: JsonObject = {}
        self._get(token)
        remaining = get(self._page, "metadata", "remainingItemCount")
        self.total = len(items(self._page, "items"))
        self.total += remaining if isinstance(remaining, int) else 0

    def __iter__(self) -> Iterator[JsonObject]:
        while True:
            for item in items(self._page, "items"):
                if is_json_object(item):
                    yield item
            following = text(self._page, "metadata", "continue")
            if not following:
                return
            self._get(following)

    def _get(self, token: str) -> None:
        answer = self._ask(token)
        for _ in range(_TRIES):
            if answer.status != _GONE:
                break
            token = text(answer.value, "metadata", "continue")
            answer = self._ask(token)
        if not answer.is_fine:
            message = f"the objects cannot be listed: {answer.message}"
            fix = "see the message of the server; `holdall migrate` can then be run again"
            raise InstallError([Problem(REFUSED, self._resource.name, message, fix)])
        self.token = token
        self._page = answer.value

    def _ask(self, token: str) -> Answer:
        query = {"limit": str(PAGE), **({"continue": token} if token else {})}
        return self._cluster.send("GET", f"{self._resource.path}?{urlencode(query)}")


Show: TypeAlias = Callable[..., AbstractContextManager[Iterable[Any]]]
"""Shows how far a pass is over the objects given, and returns a context in which they are to be
iterated; `label` says what it does, `length` how many there are."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a migration goes about it. `settle` are seconds between the first look at the CRDs and
    the first write: until then every API server has to know the storage version."""

    via_status: bool = False
    settle: float = 0.0
    show: Show = lambda objects, **_: nullcontext(objects)
    clock: Callable[[], float] = monotonic
    pause: Callable[[float], None] = sleep


@dataclass(slots=True)
class Tally:
    """What was found and done of one CRD. Units: objects.

    `objects` are those that exist, `to_rewrite`, `older_bags` (with entries of an older plan) and
    `to_clear` those with something left to do, `checked` those of which the law was checked.
    `gone` were deleted, `conflict` written by someone else meanwhile. `check` also knows
    how entries of an older plan settle.
    """

    resource: Resource
    check: Returning | None = None
    objects: int = 0
    checked: int = 0
    to_rewrite: int = 0
    older_bags: int = 0
    to_clear: int = 0
    rewritten: dict[Outcome, int] = field(default_factory=dict)
    fields_cleared: int = 0
    stored: tuple[str, ...] = ()
    is_finished: bool = False
    problems: list[Problem] = field(default_factory=list)

    def settled(self, obj: JsonObject) -> JsonObject | None:
        """Return an object with its older entries settled, None if it has none."""
        return None if self.check is None else self.check.settled(obj)

    @property
    def is_needed(self) -> bool:
        """Whether anything is left to do."""
        return self.is_to_write or self.to_clear > 0

    @property
    def is_to_write(self) -> bool:
        """Whether objects are to be rewritten, for their version or for what is in their bags."""
        return not self.resource.is_rewritten or self.older_bags > 0


def examine(
    cluster: Cluster,
    resources: Sequence[Resource],
    checks: dict[str, Returning],
    state: State,
    settings: Settings,
) -> list[Tally]:
    """Look at every object: what is to be done, and does it come back from every version.

    Nothing is written. Raises InstallError if objects cannot be listed, MigrateError if the state
    is not that of these CRDs.
    """
    return [
        _examine(cluster, resource, checks.get(resource.name), state, settings)
        for resource in resources
    ]


def _examine(
    cluster: Cluster,
    resource: Resource,
    check: Returning | None,
    state: State,
    settings: Settings,
) -> Tally:
    tally = Tally(resource, stored=resource.stored)
    progress = state.progress_of(resource)
    if check is not None:
        tally.problems += check.missing()
        if tally.problems:
            check = None
    tally.check = None if settings.via_status else check
    listing = Listing(cluster, resource)
    with settings.show(
        listing, label=f"examining {resource.name}", length=listing.total
    ) as objects:
        for obj in objects:
            tally.objects += 1
            if not resource.is_rewritten and not _is_done(progress, obj):
                tally.to_rewrite += 1
            if cleared(obj, resource) is not None:
                tally.to_clear += 1
            if check is not None:
                tally.checked += 1
                found = [*check.check(obj)]
                tally.problems += found
                tally.older_bags += not found and tally.settled(obj) is not None
    if check is not None and tally.is_to_write:
        tally.problems += check.pruned()
    return tally


def migrate(
    cluster: Cluster, tallies: Sequence[Tally], state: State, settings: Settings, since: float
) -> None:
    """Migrate what was examined, and record in the tallies what was done and what failed.

    `since` is when the CRDs were read, on the clock of the settings. Problems of one CRD do not
    keep others from being migrated. Raises InstallError if the cluster does not answer; what was
    done until then is in the state, whatever ends the run.
    """
    state.save()  # a file that cannot be written shall be known before the first write
    if any(tally.is_to_write for tally in tallies):
        settings.pause(max(0.0, since + settings.settle - settings.clock()))
    try:
        for tally in tallies:
            try:
                _migrate(cluster, tally, state, settings)
            except ProblemsError as error:
                if any(problem.code == CONNECTION for problem in error.problems):
                    raise
                tally.problems += error.problems
    finally:
        state.save()
    if all(tally.is_finished for tally in tallies):
        state.forget()


def _migrate(cluster: Cluster, tally: Tally, state: State, settings: Settings) -> None:
    """Take one CRD through its phases; an error in one ends it before the next."""
    resource = tally.resource
    progress = state.progress_of(resource)
    ensure_unchanged(cluster, resource)
    if progress.phase != "objects" and tally.is_to_write:
        # The CRD was restored from a backup, or there is a new plan.
        progress.enter("objects")
    elif progress.phase == "finished" and tally.to_clear:
        progress.enter("managedFields")
    if progress.phase == "objects":
        if tally.is_to_write:

            def settled(obj: JsonObject) -> JsonObject | None:
                try:
                    return tally.settled(obj)
                except HoldallError as error:
                    raise not_returning(resource.label_of(obj), str(error)) from error

            def write(obj: JsonObject) -> None:
                outcome = settle(cluster, resource, obj, settled)
                if outcome is None:
                    if resource.is_rewritten:
                        return
                    outcome = rewrite(cluster, resource, obj, via_status=settings.via_status)
                tally.rewritten[outcome] = tally.rewritten.get(outcome, 0) + 1

            if not _pass(cluster, tally, state, settings, f"rewriting {resource.name}", write):
                return
            shrink_stored_versions(cluster, resource)
            tally.stored = (resource.storage,)
        progress.enter("managedFields")
    if progress.phase == "managedFields":

        def clear(obj: JsonObject) -> None:
            tally.fields_cleared += clear_fields(cluster, resource, obj) == "written"

        label = f"clearing managers of {resource.name}"
        if not _pass(cluster, tally, state, settings, label, clear):
            return
        progress.enter("finished")
    tally.is_finished = True


def _pass(
    cluster: Cluster,
    tally: Tally,
    state: State,
    settings: Settings,
    label: str,
    act: Callable[[JsonObject], None],
) -> bool:
    """Act on every object that is not done, and tell whether all went well.

    The CRD is looked at once for each page. Problems of single objects are collected.
    """
    resource = tally.resource
    progress = state.progress_of(resource)
    progress.begin_pass()
    listing = Listing(cluster, resource, progress.token)
    with settings.show(listing, label=label, length=listing.total) as objects:
        for obj in objects:
            if listing.token != progress.token:
                progress.token = listing.token
                ensure_unchanged(cluster, resource)
            if _is_done(progress, obj):
                continue
            try:
                act(obj)
            except ProblemsError as error:
                if any(problem.code == CONNECTION for problem in error.problems):
                    raise
                tally.problems += error.problems
                progress.failed = True
            else:
                progress.done.add(_uid(obj))
            state.save(if_due=True)
    return not progress.failed


def _is_done(progress: Progress, obj: JsonObject) -> bool:
    return _uid(obj) in progress.done


def _uid(obj: JsonObject) -> str:
    return text(obj, "metadata", "uid")
