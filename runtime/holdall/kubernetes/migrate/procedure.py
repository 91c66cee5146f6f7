"""The order of a migration: check every object, rewrite, shrink storedVersions, clear managers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from time import monotonic, sleep
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

from holdall.errors import HoldallError, Problem, ProblemsError
from holdall.kubernetes.install.cluster import CONNECTION, REFUSED, Answer, Cluster, InstallError
from holdall.kubernetes.migrate.resources import Resource, cleared
from holdall.kubernetes.migrate.returning import Returning, not_returning
from holdall.kubernetes.migrate.state import Progress, State
from holdall.kubernetes.migrate.writing import Outcome, Writer
from holdall.types import JsonObject, get, is_json_object, items, text

PAGE: Final = 500
"""Objects per page, as `kubectl get` has them."""

_GONE: Final = 410
_TRIES: Final = 5


class Listing:
    """The objects of a resource at its storage version, starting at a continue token.

    `token` is where the current page begins, `total` how many objects follow from there, if the
    server says so. An expired token is replaced by the inconsistent one that the server offers, or
    else the listing starts again: so an object may occur twice.
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
            fix = "see the message of the server; then run `holdall migrate` again"
            raise InstallError([Problem(REFUSED, self._resource.name, message, fix)])
        self.token = token
        self._page = answer.value

    def _ask(self, token: str) -> Answer:
        query = {"limit": str(PAGE), **({"continue": token} if token else {})}
        return self._cluster.send("GET", f"{self._resource.path}?{urlencode(query)}")


Show: TypeAlias = Callable[..., AbstractContextManager[Iterable[Any]]]
"""Shows the progress of a pass over objects: returns a context in which to iterate them. `label`
says what the pass does, `length` is their number."""


@dataclass(slots=True)
class Tally:
    """The findings and results for one CRD, as numbers of objects.

    `objects` counts existing ones, `to_rewrite`, `older_bags` (with entries of an older plan) and
    `to_clear` those with work left, `checked` those whose round trips were checked. `gone` were
    deleted, `conflict` written by others meanwhile. `check` also settles entries of an older plan.
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
        """Whether objects must be rewritten, because of their version or their bags."""
        return not self.resource.is_rewritten or self.older_bags > 0


@dataclass(frozen=True, slots=True)
class Migration:
    """A migration of some CRDs of a cluster; the state records its progress.

    `settle` are seconds between reading the CRDs and the first write, by when every API server must
    know the storage version.
    """

    cluster: Cluster
    state: State
    via_status: bool = False
    settle: float = 0.0
    show: Show = lambda objects, **_: nullcontext(objects)
    clock: Callable[[], float] = monotonic
    pause: Callable[[float], None] = sleep

    def examine(self, resource: Resource, check: Returning | None) -> Tally:
        """Check every object: what is left to do, and whether it comes back from every version.

        Writes nothing. Raises InstallError if objects cannot be listed, MigrateError if the state
        belongs to another CRD.
        """
        tally = Tally(resource, stored=resource.stored)
        progress = self.state.progress_of(resource)
        if check is not None:
            tally.problems += check.missing()
            if tally.problems:
                check = None
        tally.check = None if self.via_status else check
        listing = Listing(self.cluster, resource)
        label = f"examining {resource.name}"
        with self.show(listing, label=label, length=listing.total) as objects:
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

    def migrate(self, tallies: Sequence[Tally], since: float) -> None:
        """Migrate what was examined, and record results and failures in the tallies.

        `since` is when the CRDs were read, on the clock. Problems of one CRD do not stop others.
        Raises InstallError if the cluster does not answer; whatever ends the run, the state has its
        progress.
        """
        self.state.save()  # fails before the first write if the file cannot be written
        if any(tally.is_to_write for tally in tallies):
            self.pause(max(0.0, since + self.settle - self.clock()))
        try:
            for tally in tallies:
                self._is_fine(tally, partial(self._migrate, tally))
        finally:
            self.state.save()
        if all(tally.is_finished for tally in tallies):
            self.state.forget()

    def _migrate(self, tally: Tally) -> None:
        """Run the phases for one CRD; an error in one ends it before the next."""
        resource = tally.resource
        writer = Writer(self.cluster, resource)
        progress = self.state.progress_of(resource)
        writer.ensure_unchanged()
        if progress.phase != "objects" and tally.is_to_write:
            # The CRD was restored from a backup, or the plan is new.
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
                    outcome = writer.settle(obj, settled)
                    if outcome is None:
                        if resource.is_rewritten:
                            return
                        outcome = writer.rewrite(obj, via_status=self.via_status)
                    tally.rewritten[outcome] = tally.rewritten.get(outcome, 0) + 1

                if not self._pass(writer, tally, f"rewriting {resource.name}", write):
                    return
                writer.shrink_stored_versions()
                tally.stored = (resource.storage,)
            progress.enter("managedFields")
        if progress.phase == "managedFields":

            def clear(obj: JsonObject) -> None:
                tally.fields_cleared += writer.clear_fields(obj) == "written"

            if not self._pass(writer, tally, f"clearing managers of {resource.name}", clear):
                return
            progress.enter("finished")
        tally.is_finished = True

    def _pass(
        self, writer: Writer, tally: Tally, label: str, act: Callable[[JsonObject], None]
    ) -> bool:
        """Act on every object that is not done, and return whether all succeeded.

        The CRD is checked once per page. Problems of single objects are collected.
        """
        progress = self.state.progress_of(tally.resource)
        progress.begin_pass()
        listing = Listing(self.cluster, tally.resource, progress.token)
        with self.show(listing, label=label, length=listing.total) as objects:
            for obj in objects:
                if listing.token != progress.token:
                    progress.token = listing.token
                    writer.ensure_unchanged()
                if _is_done(progress, obj):
                    continue
                if self._is_fine(tally, partial(act, obj)):
                    progress.done.add(_uid(obj))
                else:
                    progress.failed = True
                self.state.save(if_due=True)
        return not progress.failed

    @staticmethod
    def _is_fine(tally: Tally, act: Callable[[], None]) -> bool:
        """Act, record what is refused, and return whether nothing was. Raises if nobody answers."""
        try:
            act()
        except ProblemsError as error:
            if any(problem.code == CONNECTION for problem in error.problems):
                raise
            tally.problems += error.problems
            return False
        return True


def _is_done(progress: Progress, obj: JsonObject) -> bool:
    return _uid(obj) in progress.done


def _uid(obj: JsonObject) -> str:
    return text(obj, "metadata", "uid")
