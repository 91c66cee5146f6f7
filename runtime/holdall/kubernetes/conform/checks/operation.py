"""WC-70 to WC-79: the server under load, its deadlines, its limits and its shutdown."""

from __future__ import annotations

import os
import shlex
import signal
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Final, TypeVar

from holdall.kubernetes.conform.checks.transport import announce_a_gigabyte
from holdall.kubernetes.conform.client import ConnectError, Connection, Disconnected, Response
from holdall.kubernetes.conform.exchanges import Exchange
from holdall.kubernetes.conform.listing import check
from holdall.kubernetes.conform.trial import SUCCESS, Reply, Trial, read_reply, review_body
from holdall.kubernetes.conform.values import with_metadata
from holdall.kubernetes.conform.verdicts import Failed, Measured, NotChecked, demand
from holdall.types import JsonObject, JsonValue

IDLE_SECONDS: Final = 121
LEAST_LIMIT: Final = 64 << 20
_ROTATION_SECONDS: Final = 90.0
_DRAIN_SECONDS: Final = 60.0
_SLOW_SECONDS: Final = 0.25
_LARGEST: Final = 32 << 20
_PARALLEL: Final = 48
_ANSWERED: Final = "answered"
_SENT_AWAY: Final = "sent away"


@check(70, "operations", "how long objects of 2 kB, 10 kB and 1 MB take", informs=True)
def durations(trial: Trial) -> str:
    """Send each over a kept-alive connection; the figures are for information."""
    parts = []
    for size, repeats in ((2_000, 200), (10_000, 100), (1_000_000, 10)):
        body = review_body([_padded(trial, size)], _target(trial))
        seconds = []
        for _ in range(repeats):
            reply = trial.post(body)
            demand(reply.objects, "nothing came back")
            seconds.append(reply.response.seconds * 1000)
        seconds.sort()
        worst = seconds[min(len(seconds) - 1, len(seconds) * 99 // 100)]
        half = statistics.median(seconds)
        parts.append(f"{size // 1000} kB: p50 {half:.2f} ms, p99 {worst:.2f} ms")
    return Measured("; ".join(parts))


@check(71, "operations", "10 and 40 connections are served at once")
def many_connections(trial: Trial) -> str:
    """Every connection sends its reviews while all others do."""
    body = review_body([_padded(trial, 2_000)], _target(trial))
    parts = []
    for number in (10, 40):
        start = time.monotonic()
        _demand_calm(trial, number, _in_parallel(number, lambda: _one_of_many(trial, body)))
        seconds = time.monotonic() - start
        parts.append(f"{number}: {number * 10 / seconds:.0f} reviews/s")
    return Measured(", ".join(parts))


@check(72, "operations", "an idle connection stays open for at least 120 s")
def idle_connections_stay(trial: Trial) -> str:
    """Send a review, wait, and send another one on the same connection."""
    if not trial.options.slow:
        raise NotChecked(f"it takes {IDLE_SECONDS} s: pass --slow to run it")
    body = review_body([_padded(trial, 2_000)], _target(trial))
    with trial.connect() as connection:
        _demand_success(_exchange(connection, body))
        time.sleep(IDLE_SECONDS)
        demand(connection.is_open(), f"the server closed it within {IDLE_SECONDS} s")
        _demand_success(_exchange(connection, body))
    return f"{IDLE_SECONDS} s"


@check(73, "operations", "head and body of a reply leave in one segment")
def replies_are_one_segment(trial: Trial) -> str:
    """Count the socket reads of small replies; the smallest count decides."""
    body = review_body([], _target(trial))
    reads, seconds = [], []
    with trial.connect() as connection:
        for _ in range(20):
            response = _exchange(connection, body).response
            reads.append(response.reads)
            seconds.append(response.seconds)
    usual = statistics.median(reads)
    demand(usual < 2, "usually more than one: head and body are sent separately")
    return Measured(f"p50 {statistics.median(seconds) * 1000:.2f} ms")


@check(77, "operations", "?timeout is honoured as a deadline")
def deadlines_are_kept(trial: Trial) -> str:
    """Find a review that takes a quarter of a second, then send it with an eighth of its time.

    A server may give up while it reads the body (408), or later (5xx).
    """
    obj, desired = _padded(trial, 10_000), _target(trial)
    number = 64
    while True:
        body = review_body([obj] * number, desired)
        seconds = min(_seconds(trial, body, number) for _ in range(2))
        if seconds >= _SLOW_SECONDS:
            break
        number *= 2
        if len(body) * 2 > _LARGEST:
            raise NotChecked("it is too fast for a deadline to show")
    limit = max(1, round(seconds * 125))
    late = trial.post(body, path=f"{trial.endpoint.path}?timeout={limit}ms").response
    gave_up = late.status >= 500 or late.status == 408
    text = f"HTTP {late.status} after the full work, although the deadline was an eighth of it"
    demand(gave_up or late.seconds * 1000 <= limit * 1.5, text)
    return Measured(f"{seconds:.2f} s of work with {limit} ms left took {late.seconds:.2f} s")


@check(78, "operations", "no failure closes the connection")
def failures_keep_connections(trial: Trial) -> str:
    """Send failing and malformed reviews, with a good one after each."""
    kind, source, _ = trial.first_pair()
    good_object = trial.smallest(kind, source)
    desired = _target(trial)
    odd: list[JsonValue] = [
        {**good_object, "spec": "text"},
        {**good_object, "spec": {"free": [None]}},
        {**good_object, "kind": "NoSuchKind"},
        {**good_object, "apiVersion": 5},
        {**good_object, "metadata": []},
        {},
        None,
        "text",
    ]
    good = review_body([good_object], desired)
    with trial.connect() as connection:
        for item in odd:
            trial.begin()
            reply = _exchange(connection, review_body([item], desired))
            demand(not reply.response.closes, f"the server closed after {str(item)[:60]}")
            _demand_success(_exchange(connection, good))
    return f"{len(odd)} odd objects on one connection"


@check(79, "operations", "the limit of bodies is bounded, and at least 64 MiB")
def bodies_have_a_limit(trial: Trial) -> None:
    """Send a review that is padded to 64 MiB, and announce one of a gigabyte.

    Only the limit counts here: any answer to the padded review is fine, and closing the connection
    also shows a limit.
    """
    body = review_body([], _target(trial))
    padded = body[:-1] + b" " * (LEAST_LIMIT - len(body)) + body[-1:]
    try:
        with trial.connect() as connection:
            status = connection.request("POST", None, padded).status
    except (Disconnected, TimeoutError) as error:
        raise Failed(f"{LEAST_LIMIT >> 20} MiB: {error or 'no answer in time'}") from error
    demand(status != 413, f"{LEAST_LIMIT >> 20} MiB are refused")
    huge = announce_a_gigabyte(trial)
    if huge is not None:
        status = huge.response.status
        demand(status >= 400, f"HTTP {status} for a body of 1 GiB")


@check(
    75,
    "operations",
    "under overload nothing is cut off, and whoever is sent away is told when to return",
)
def overload_is_answered(trial: Trial) -> str:
    """Send far more large reviews at once than a server can process.

    Only effects of overload count: no answer, or a refusal without Retry-After. What an API server
    retries (429, or 5xx, with Retry-After) is fine.
    """
    body = review_body([_padded(trial, 10_000)] * 100, _target(trial))

    def act() -> tuple[str, Exchange | None]:
        seen: list[Exchange] = []
        try:
            with trial.endpoint.connect(trial.timeout, seen.append) as connection:
                text = _calm(connection.request("POST", None, body))
        except (Disconnected, ConnectError, TimeoutError) as error:
            text = str(error) or "no answer in time"
        return text, seen[-1] if seen else None

    return _demand_calm(trial, _PARALLEL, _in_parallel(_PARALLEL, act))


@check(76, "operations", "the rotation of the certificate keeps connections")
def rotation_keeps_connections(trial: Trial) -> str:
    """Run the rotation command, and use a connection from before and one from after it."""
    if not trial.options.rotate:
        raise NotChecked("pass --rotate with a command that rotates the server's certificate")
    body = review_body([_padded(trial, 2_000)], _target(trial))
    with trial.connect() as connection:
        _demand_success(_exchange(connection, body))
        before = connection.certificate
        done = subprocess.run(shlex.split(trial.options.rotate), capture_output=True, check=False)
        if done.returncode:
            said = done.stderr.decode(errors="replace")
            raise NotChecked(f"the command exited with {done.returncode}: {said[:200]}")
        start = time.monotonic()
        while _certificate(trial) == before:
            _demand_success(_exchange(connection, body))
            late = time.monotonic() - start > _ROTATION_SECONDS
            demand(not late, f"the old certificate is served {_ROTATION_SECONDS:.0f} s later")
            time.sleep(0.2)
        seconds = time.monotonic() - start
        _demand_success(_exchange(connection, body))
    return Measured(f"the new certificate is served after {seconds:.1f} s")


@check(74, "operations", "SIGTERM ends the server without a lost request")
def the_end_loses_nothing(trial: Trial) -> str:
    """Send reviews on four connections during shutdown; each must get its reply or a 503."""
    pid = trial.options.pid
    if pid is None:
        raise NotChecked("pass --pid with the server's process, which this check ends")
    body = review_body([_padded(trial, 2_000)], _target(trial))
    ended = Event()

    def act() -> list[tuple[str, Exchange | None]]:
        found: list[tuple[str, Exchange | None]] = []
        seen: list[Exchange] = []
        while not ended.is_set():
            try:
                connection = trial.endpoint.connect(trial.timeout, seen.append)
            except ConnectError:
                # It no longer listens: an API server would be routed elsewhere.
                return found
            with connection:
                while not ended.is_set() and not connection.is_stale():
                    try:
                        response = connection.request("POST", None, body)
                    except Disconnected as error:
                        found.append((f"lost: {error}", seen[-1]))
                        break
                    except TimeoutError:
                        found.append(("no answer", seen[-1]))
                        break
                    found.append((_calm(response), seen[-1]))
                    if response.closes:
                        break
        return found

    with ThreadPoolExecutor(4) as pool:
        work = [pool.submit(act) for _ in range(4)]
        time.sleep(0.5)
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + _DRAIN_SECONDS
        while any(not task.done() for task in work) and time.monotonic() < deadline:
            time.sleep(0.05)
        ended.set()
        results = [result for task in work for result in task.result()]
    return _demand_calm(trial, 4, results)


def _target(trial: Trial) -> str:
    kind, _, target = trial.first_pair()
    return kind.api_version(target)


def _padded(trial: Trial, size: int) -> JsonObject:
    """Return an object of about a size, padded in managedFields."""
    kind, source, _ = trial.first_pair()
    obj = trial.smallest(kind, source)
    fields: JsonObject = {f"f:field{n:04}": {} for n in range(max(0, size - 400) // 19)}
    entry: JsonValue = {"manager": "conform", "operation": "Update", "fieldsV1": fields}
    return with_metadata(obj, {"managedFields": [entry]})


def _exchange(connection: Connection, body: bytes) -> Reply:
    try:
        return read_reply(connection.request("POST", None, body))
    except (Disconnected, TimeoutError) as error:
        raise Failed(f"no reply: {error or 'not in time'}") from error


def _seconds(trial: Trial, body: bytes, number: int) -> float:
    reply = trial.post(body)
    demand(len(reply.objects) == number, "not all objects came back")
    return reply.response.seconds


def _demand_success(reply: Reply) -> None:
    demand(len(reply.objects) == 1, "no object came back")


def _calm(response: Response) -> str:
    """Return the outcome of an answer under load: "answered" or "sent away" if that is right."""
    if response.status != 429 and response.status < 500:
        return _ANSWERED
    if response.headers.get("retry-after", "").isdigit():
        return _SENT_AWAY
    retry = "with" if "retry-after" in response.headers else "without"
    return f"HTTP {response.status} {retry} Retry-After"


def _demand_calm(
    trial: Trial, at_once: int, results: Sequence[tuple[str, Exchange | None]]
) -> Measured:
    """Demand that all were answered or sent away properly; the first that was not is reported."""
    for text, exchange in results:
        if text not in (_ANSWERED, _SENT_AWAY):
            trial.begin()
            if exchange is not None:
                trial.exchanges.append(exchange)
            raise Failed(f"of {at_once} at once: {text}")
    seen = Counter(text for text, _ in results)
    return Measured(", ".join(f"{seen[text]} {text}" for text in (_ANSWERED, _SENT_AWAY)))


T = TypeVar("T")


def _in_parallel(number: int, act: Callable[[], T]) -> list[T]:
    with ThreadPoolExecutor(number) as pool:
        return [task.result() for task in [pool.submit(act) for _ in range(number)]]


def _one_of_many(trial: Trial, body: bytes) -> tuple[str, Exchange | None]:
    seen: list[Exchange] = []
    try:
        with trial.endpoint.connect(trial.timeout, seen.append) as connection:
            for _ in range(10):
                reply = _exchange(connection, body)
                if reply.status_or_none != SUCCESS:
                    return f"HTTP {reply.response.status}", seen[-1]
    except (ConnectError, Failed) as error:
        return str(error), seen[-1] if seen else None
    return _ANSWERED, None


def _certificate(trial: Trial) -> bytes:
    try:
        with trial.connect() as connection:
            return connection.certificate
    except ConnectError as error:
        raise Failed(f"no new connection after the rotation: {error}") from error
