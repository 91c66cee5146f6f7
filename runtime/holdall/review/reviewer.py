"""The conversion review: one request of an API server in, one reply out; pure, no I/O, no clock.

Source: docs/conform.md, "The checks".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from holdall.carriers.annotations import ANNOTATIONS, carried_bytes
from holdall.carriers.reports import Dropped, Lost, Report
from holdall.errors import DecodeError, HoldallError
from holdall.objects.heads import API_HEAD
from holdall.review.messages import describe_all, describe_failure, describe_subject, status_body
from holdall.review.quarantine import convert_odd
from holdall.review.request import Request, Unreadable, read_request, write_reply
from holdall.scheme.registry import Registry
from holdall.scheme.routes import Route
from holdall.scheme.schemes import Schemes
from holdall.scheme.steps import MOST, MOST_TEXT, together
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object, json_kind

Outcome: TypeAlias = Literal["converted", "unchanged", "quarantined", "failed"]


class Tally(NamedTuple):
    """The outcome of objects of one kind between two apiVersions: labels for metrics.

    `kind`, `source` and `target` are names that a scheme knows, or "": never text that a client
    chose, so their number is bounded.
    """

    kind: str
    source: str
    target: str
    outcome: Outcome


OK: Final = 200
BAD_REQUEST: Final = 400
UNKNOWN: Final = Tally("", "", "", "failed")


@dataclass(frozen=True, slots=True)
class Degradation:
    """Bag entries that a converted object does not carry, or carries unused.

    `index` and `subject` identify the object. There may be tens of thousands of `entries`.
    """

    index: int
    subject: str
    entries: Report

    @staticmethod
    def count(found: Iterable[Degradation]) -> int:
        """Return how many entries there are."""
        return sum(len(one.entries) for one in found)


@dataclass(frozen=True, slots=True)
class Oddity:
    """An object that was converted although it has values of wrong kinds.

    `subject` is its apiVersion, kind and name; `places` are the JSON Pointers of the values.
    """

    subject: str
    places: tuple[str, ...]


class Reviewed(NamedTuple):
    """The reply to one review, and facts about it without the objects' contents.

    `status` is the HTTP status: 200 for every answered review, even a failed one; 400 for a body
    that is not a review, with a v1 Status as `body`. `bag_bytes` counts the bytes of the carriers
    written. `message` is the text of the failure, "" if there is none: it names the object, the
    path and the cause. `internal` is an unforeseen exception; its traceback is for the log.
    `oddities` are the objects whose outcome is "quarantined". `degradations` had no room in a
    carrier, `dropped` lost their place in the object, `unused` cannot be read or used, and were
    kept.
    """

    status: int
    body: bytes
    uid: str = ""
    desired: str = ""
    objects: int = 0
    outcomes: Mapping[Tally, int] = MappingProxyType({})
    bag_bytes: int = 0
    degradations: tuple[Degradation, ...] = ()
    message: str = ""
    internal: BaseException | None = None
    oddities: tuple[Oddity, ...] = ()
    dropped: tuple[Degradation, ...] = ()
    unused: tuple[Degradation, ...] = ()


class Reviewer:
    """Answers conversion reviews for the kinds of any number of groups."""

    def __init__(self, schemes: Iterable[Registry]) -> None:
        self._schemes = Schemes(schemes)
        self._ways: dict[tuple[object, object, str], _Way] = {}

    def load(self) -> None:
        """Import all storage modules, verify and bind all hooks. Raises SchemeError, HookError."""
        self._schemes.load()

    def review(self, body: bytes) -> Reviewed:
        """Return the reply to one ConversionReview, v1 or v1beta1.

        An object that cannot be converted makes the reply a failure, and so does an exception in
        a conversion. Raises nothing.
        """
        try:
            request = read_request(body)
        except DecodeError as error:
            text = f"{error.path}: {error.message}" if error.path else error.message
            return Reviewed(BAD_REQUEST, status_body(BAD_REQUEST, text), message=text)
        run = _Run()
        self._convert_all(request, run, len(body), is_plain=not _json.may_hold_dollars(body))
        if run.failures:
            self._convert_odd_ones(body, run)
        run.sort()
        failures = run.failures
        message = describe_all(failures[0][1], [at for at, _ in failures[1:]]) if failures else ""
        return Reviewed(
            OK,
            write_reply(request, message, [] if failures else run.texts),
            request.uid,
            request.desired,
            request.size,
            run.outcomes,
            run.bag_bytes,
            tuple(run.degradations),
            message,
            run.internal,
            tuple(run.oddities),
            tuple(run.dropped),
            tuple(run.unused),
        )

    def _convert_all(self, request: Request, run: _Run, size: int, *, is_plain: bool) -> None:
        """Convert the objects, several together, `size` bytes in all.

        A failure does not end the review, so that all failures are found.
        """
        run.texts = [b""] * request.size
        most = max(1, min(MOST, MOST_TEXT * request.size // size))
        objects = enumerate(request.objects)
        while group := [*islice(objects, most)]:
            begun = [self._begin(item, request.desired, is_plain=is_plain) for _, item in group]
            made = together([one.steps for one in begun])
            for (index, _), one, result in zip(group, begun, made, strict=True):
                self._end(one, result, index, request, run)
        run.outcomes.update({way.outcome: number for way, number in run.done.items()})

    def _begin(self, item: JsonObject | Unreadable, desired: str, *, is_plain: bool) -> _Begun:
        """Start the conversion of an object."""
        shown = item.shown if isinstance(item, Unreadable) else item
        # A conversion consumes its document.
        names = shown.get("apiVersion"), shown.get("kind"), shown.get("metadata")
        if isinstance(item, Unreadable):
            return _Begun(names, iter([item.error]))
        try:
            way = self._ways[names[0], names[1], desired]
        except (KeyError, TypeError):
            try:
                way = self._find_way(shown, desired)
            except Exception as error:  # noqa: BLE001 - no object ends a review
                return _Begun(names, iter([error]))
        if way.route is None:
            return _Begun(names, iter([item]), way)
        report: Report = []
        return _Begun(names, way.route.steps(item, report, is_plain=is_plain), way, report)

    def _end(self, begun: _Begun, made: Any, index: int, request: Request, run: _Run) -> None:
        """Record the outcome of an object, given what its steps yielded last or raised."""
        way, report = begun.way, begun.report
        try:
            if way is None or isinstance(made, BaseException):
                raise made
            text = _json.encode(made)
            metadata = made.get("metadata")
            # Sealed metadata contains no carrier, and comes before everything that hooks made.
            if way.route is not None and (
                report
                or not _json.is_sealed(metadata)
                or (way.hooked and text.find(b"null", _json.sealed_size(metadata)) >= 0)
            ):
                text = _looked_at(made, text, report, index, run)
            run.texts[index] = text
            run.done[way] = run.done.get(way, 0) + 1
        except (Exception, SystemExit) as error:  # noqa: BLE001 - no object ends a review
            if not isinstance(error, HoldallError):
                run.internal = run.internal or error
            text_of = describe_failure(error, begun.names, index, request.size, request.desired)
            run.failures.append((index, text_of))
            run.recount(way.outcome._replace(outcome="failed") if way else UNKNOWN, 1)

    def _convert_odd_ones(self, body: bytes, run: _Run) -> None:
        """Convert objects that failed only because they, or their bags, have values of wrong kinds.

        The objects are read again, because a conversion consumes its document.
        """
        request = read_request(body)
        failed, run.failures = dict(run.failures), []
        for index, item in enumerate(request.objects):
            if index in failed and not self._convert_odd(item, index, request.desired, run):
                run.failures.append((index, failed[index]))
        if not run.failures:
            run.internal = None

    def _convert_odd(
        self, item: JsonObject | Unreadable, index: int, desired: str, run: _Run
    ) -> bool:
        """Convert an object with values of wrong kinds; return whether that was possible."""
        if isinstance(item, Unreadable):
            return False
        names = item.get("apiVersion"), item.get("kind"), item.get("metadata")
        report: Report = []
        try:
            way = self._ways[names[0], names[1], desired]
            if way.route is None:
                return False
            odd = convert_odd(way.route, item, report)
            if odd is None:
                return False
            text = _looked_at(odd.document, _json.encode(odd.document), report, index, run)
        except Exception:  # noqa: BLE001 - its first failure is reported
            return False
        run.texts[index] = text
        run.recount(way.outcome._replace(outcome="failed"), -1)
        if odd.places:
            run.oddities.append(Oddity(describe_subject(names), odd.places))
            run.recount(way.outcome._replace(outcome="quarantined"), 1)
        else:
            run.recount(way.outcome, 1)
        return True

    def _find_way(self, item: JsonObject, desired: str) -> _Way:
        """Return the way of an object to the desired apiVersion. Raises HoldallError."""
        api_version, kind = API_HEAD.names(item, lambda _: ())
        if desired.rpartition("/")[0] != api_version.rpartition("/")[0]:
            raise self._schemes.unknown_target(api_version, kind, desired)
        route = self._schemes.route(api_version, kind, desired)
        if route.target != desired:  # a foreign kind that holds documents as text
            raise self._schemes.unknown_target(api_version, kind, desired)
        same = route.source == route.target
        outcome = Tally(
            route.kind, route.source, route.target, "unchanged" if same else "converted"
        )
        scheme = self._schemes.find(api_version, kind)
        hooked = scheme is not None and bool(scheme.bound_hooks())
        way = _Way(None if same else route, outcome, hooked)
        # Only known names get here, so the table is bounded. A review counts by way, so all threads
        # must use the one that was added first.
        return self._ways.setdefault((api_version, kind, desired), way)


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """A route, None if there is nothing to convert, and the tally of its successes.

    `hooked` says that its scheme has hooks, whose results may not be JSON.
    """

    route: Route | None
    outcome: Tally
    hooked: bool


class _Begun(_json.Record):  # it is made several times faster than a dataclass
    """An object whose conversion has begun: its name, and the remaining steps.

    They end with the converted object, or with its error.
    """

    names: tuple[Any, Any, Any]
    steps: Iterator[Any]
    way: _Way | None = None
    report: Report = []  # noqa: RUF012 - each gets its own


class _Run:
    """The facts of one review, gathered object by object."""

    def __init__(self) -> None:
        self.texts: list[bytes] = []
        self.failures: list[tuple[int, str]] = []
        self.done: dict[_Way, int] = {}
        self.outcomes: dict[Tally, int] = {}
        self.bag_bytes = 0
        self.degradations: list[Degradation] = []
        self.internal: BaseException | None = None
        self.oddities: list[Oddity] = []
        self.dropped: list[Degradation] = []
        self.unused: list[Degradation] = []

    def sort(self) -> None:
        """Sort all facts in the order of the objects."""
        self.failures.sort()
        for found in (self.degradations, self.dropped, self.unused):
            found.sort(key=attrgetter("index"))

    def recount(self, tally: Tally, change: int) -> None:
        """Change the number of objects with one outcome; an outcome without objects is removed."""
        self.outcomes[tally] = self.outcomes.get(tally, 0) + change
        if not self.outcomes[tally]:
            del self.outcomes[tally]


def _looked_at(result: JsonObject, text: bytes, report: Report, index: int, run: _Run) -> bytes:
    """Record a conversion's report, and return the object's text, corrected if necessary."""
    metadata = result.get("metadata")
    names = result["apiVersion"], result["kind"], metadata
    forged = _drop_forged(metadata)
    if forged:
        text = _json.encode(result)
    if report or forged:
        subject = describe_subject(names)
        told = run.degradations, run.dropped, run.unused
        for found, entries in zip(told, _by_kind(report, forged), strict=True):
            if entries:
                found.append(Degradation(index, subject, entries))
    if b"null" in text:
        # A hook may have returned NaN or an infinity, which would be written as null.
        _require_finite(result)
    if metadata is None:
        # An API server refuses an object without metadata.
        return _json.encode({**result, "metadata": {}})
    run.bag_bytes += carried_bytes(result)
    return text


def _by_kind(report: Report, forged: Sequence[Dropped]) -> tuple[Report, Report, Report]:
    """Return what is lost, what is dropped, and what is kept unused."""
    lost: Report = [item for item in report if type(item) is Lost]
    dropped: Report = [*forged]
    unused: Report = []
    gone = {item.address for item in forged}  # dropped, so not kept unused
    for item in report if len(lost) < len(report) else ():
        if type(item) is Dropped and (item.origin or item.key):
            dropped.append(item)
        elif not isinstance(item, Lost) and item.address not in gone:
            unused.append(item)
    return lost, dropped, unused


def _drop_forged(metadata: JsonValue) -> list[Dropped]:
    """Drop values of a forged carrier that are not strings, which API servers would refuse."""
    annotations = metadata.get("annotations") if is_json_object(metadata) else None
    if not is_json_object(annotations):
        return []
    forged: list[Dropped] = []
    for key in ANNOTATIONS.values():
        if key in annotations and not isinstance(value := annotations[key], str):
            del annotations[key]
            why = f"it is dropped: annotations must be strings, found {json_kind(value)}"
            forged.append(Dropped(join("/metadata/annotations", key), "", "", why))
    return forged


def _require_finite(document: JsonObject) -> None:
    """Raise DecodeError for NaN and infinities; sealed values were read, so they have none."""
    work: list[JsonValue] = [document]
    while work:
        value = work.pop()
        if isinstance(value, dict):
            work.extend(value.values())
        elif isinstance(value, list):
            work.extend(value)
        elif isinstance(value, float) and not math.isfinite(value):
            _json.copy_checked(_json.unseal(document))
