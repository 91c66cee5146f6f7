"""WC-70 to WC-79: how the server behaves under load, in time, at its end and at its limits."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Final

from holdall.kubernetes.conform.checks.protocol import announce_a_gigabyte
from holdall.kubernetes.conform.client import ConnectError, Connection, Disconnected, Response
from holdall.kubernetes.conform.listing import check
from holdall.kubernetes.conform.specimens import make_bare
from holdall.kubernetes.conform.trial import FAILURE, SUCCESS, Reply, Trial, read_reply, review_body
from holdall.kubernetes.conform.verdicts import Failed, NotChecked, demand
from holdall.types import JsonObject, JsonValue, is_json_object

IDLE_SECONDS: Final = 121
LEAST_LIMIT: Final = 64 << 20
_ROTATION_SECONDS: Final = 90.0
_DRAIN_SECONDS: Final = 60.0
_SLOW_SECONDS: Final = 0.25
_LARGEST: Final = 32 << 20
_PARALLEL: Final = 48
_PAUSE: Final = 0.01


@check(70, "how long objects of 2 kB, 10 kB and 1 MB take", informs=True)
def durations(trial: Trial) -> str:
    """Send each over a connection that is kept; the figures are for information."""
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
    return "; ".join(parts)


@check(71, "10 and 40 connections are served at once")
def many_connections(trial: Trial) -> str:
    """Every connection sends its reviews while all others do."""
    body = review_body([_padded(trial, 2_000)], _target(trial))
    parts = []
    for number in (10, 40):
        start = time.monotonic()
        wrong = Counter(_in_parallel(number, lambda: _one_of_many(trial, body)))
        seconds = time.monotonic() - start
        good = wrong.pop("", 0)
        demand(not wrong, f"{number} connections: {dict(wrong)}")
        parts.append(f"{number}: {good * 10 / seconds:.0f} reviews/s")
    return ", ".join(parts)


@check(72, "an idle connection stays open for at least 120 s")
def idle_connections_stay(trial: Trial) -> str:
    """Send a review, wait, and send another one on the same connection."""
    if not trial.options.slow:
        raise NotChecked(f"it takes {IDLE_SECONDS} s: say --slow")
    body = review_body([_padded(trial, 2_000)], _target(trial))
    with trial.connect() as connection:
        _demand_success(_exchange(connection, body))
        time.sleep(IDLE_SECONDS)
        demand(connection.is_open(), f"the server closed it within {IDLE_SECONDS} s")
        _demand_success(_exchange(connection, body))
    return f"{IDLE_SECONDS} s"


@check(73, "head and body of a reply leave in one segment")
def replies_are_one_segment(trial: Trial) -> str:
    """Count the reads of the socket that small replies need; the smallest decides."""
    body = review_body([], _target(trial))
    reads, seconds = [], []
    with trial.connect() as connection:
        for _ in range(20):
            response = _exchange(connection, body).response
            reads.append(response.reads)
            seconds.append(response.seconds)
    usual = statistics.median(reads)
    half = statistics.median(seconds) * 1000
    demand(usual < 2, f"usually {usual:.0f} reads, {half:.1f} ms: head and body come apart")
    return f"p50 {half:.2f} ms"


@check(77, "?timeout is honoured as a deadline")
def deadlines_are_kept(trial: Trial) -> str:
    """Find a review that takes a quarter of a second, then send it with an eighth of its time.

    A server may give up as long as the body comes (408), or later (5xx).
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
            text = f"{number // 2} objects take {seconds:.2f} s: too fast for a deadline to show"
            raise NotChecked(text)
    limit = max(1, round(seconds * 125))
    late = trial.post(body, path=f"{trial.endpoint.path}?timeout={limit}ms").response
    what = f"{seconds:.2f} s of work with {limit} ms left took {late.seconds:.2f} s"
    gave_up = late.status >= 500 or late.status == 408
    demand(gave_up or late.seconds * 1000 <= limit * 1.5, f"{what}: HTTP {late.status}")
    return f"{what}: HTTP {late.status}"


@check(78, "no failure closes the connection")
def failures_keep_connections(trial: Trial) -> str:
    """Send what fails and what is malformed, with a good review behind each."""
    bare = make_bare(trial.kind, trial.kind.hub)
    desired = _target(trial)
    odd: list[JsonValue] = [
        {**bare, "spec": "text"},
        {**bare, "spec": {"free": [None]}},
        {**bare, "kind": "NoSuchKind"},
        {**bare, "apiVersion": 5},
        {**bare, "metadata": []},
        {},
        None,
        "text",
    ]
    good = review_body([bare], desired)
    with trial.connect() as connection:
        for item in odd:
            reply = _exchange(connection, review_body([item], desired))
            status = reply.response.status
            demand(status in (200, 400), f"HTTP {status} for {str(item)[:60]}")
            known = reply.status_or_none in (SUCCESS, FAILURE, None)
            demand(known, f"status {reply.status_or_none!r}")
            demand(not reply.response.closes, f"the server closed after {str(item)[:60]}")
            _demand_success(_exchange(connection, good))
    return f"{len(odd)} odd objects on one connection"


@check(79, "the limit of bodies is bounded, and at least 64 MiB")
def bodies_have_a_limit(trial: Trial) -> str:
    """Send a review that is padded to 64 MiB, and announce one of a gigabyte."""
    body = review_body([], _target(trial))
    padded = body[:-1] + b" " * (LEAST_LIMIT - len(body)) + body[-1:]
    reply = trial.post(padded)
    demand(reply.response.status != 413, f"{LEAST_LIMIT >> 20} MiB are refused")
    demand(reply.objects == [], "a padded review is not answered")
    status = announce_a_gigabyte(trial).response.status
    demand(status == 413, f"HTTP {status} for a body of 1 GiB")
    return ""


@check(75, "overload is answered by 503 with Retry-After, and nothing times out")
def overload_is_answered(trial: Trial) -> str:
    """Send far more large reviews at once than a server has hands for."""
    body = review_body([_padded(trial, 10_000)] * 100, _target(trial))

    def act() -> str:
        try:
            with trial.connect() as connection:
                return _calm(connection.request("POST", None, body))
        except (Disconnected, ConnectError, TimeoutError) as error:
            return f"{type(error).__name__}: {error}"

    seen = Counter(_in_parallel(_PARALLEL, act))
    wrong = {text: number for text, number in seen.items() if text not in ("200", "503")}
    demand(not wrong, f"of {_PARALLEL} at once: {wrong}")
    return f"{seen['200']} answered, {seen['503']} sent away"


@check(76, "the rotation of the certificate keeps connections")
def rotation_keeps_connections(trial: Trial) -> str:
    """Run the command that rotates, and use a connection from before and one from after."""
    if not trial.options.rotate:
        raise NotChecked("name a command that rotates the server's certificate with --rotate")
    body = review_body([_padded(trial, 2_000)], _target(trial))
    with trial.connect() as connection:
        _demand_success(_exchange(connection, body))
        before = connection.certificate
        done = subprocess.run(
            shlex.split(trial.options.rotate), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NotChecked(f"the command ended with {done.returncode}: {done.stderr[:200]}")
        start = time.monotonic()
        while _certificate(trial) == before:
            _demand_success(_exchange(connection, body))
            late = time.monotonic() - start > _ROTATION_SECONDS
            demand(not late, f"the old certificate is served {_ROTATION_SECONDS:.0f} s later")
            time.sleep(0.2)
        seconds = time.monotonic() - start
        _demand_success(_exchange(connection, body))
    return f"the new certificate is served after {seconds:.1f} s"


@check(74, "SIGTERM ends the server without a lost request")
def the_end_loses_nothing(trial: Trial) -> str:
    """Send reviews from four connections all the while; each gets its reply or a 503."""
    pid = trial.options.pid
    if pid is None:
        raise NotChecked("name the server's process with --pid: this check ends it")
    body = review_body([_padded(trial, 2_000)], _target(trial))
    ended = Event()

    def act() -> list[str]:
        found: list[str] = []
        while not ended.is_set():
            try:
                connection = trial.connect()
            except ConnectError:
                # Nobody listens any more: an API server would be sent elsewhere.
                return found
            with connection:
                while not ended.is_set():
                    try:
                        response = connection.request("POST", None, body)
                    except Disconnected as error:
                        found.append(f"lost: {error}")
                        break
                    except TimeoutError:
                        found.append("no answer")
                        break
                    found.append(_calm(response))
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
        seen = Counter(text for task in work for text in task.result())
    wrong = {text: number for text, number in seen.items() if text not in ("200", "503")}
    demand(not wrong, f"{wrong} of {sum(seen.values())}")
    return f"{seen['200']} answered, {seen['503']} sent away"


def _target(trial: Trial) -> str:
    kind, _, spoke = trial.first_pair()
    return kind.api_version(spoke)


def _padded(trial: Trial, size: int) -> JsonObject:
    """Return a bare object of about a size; managedFields carry what is missing."""
    bare = make_bare(trial.kind, trial.kind.hub)
    metadata = bare["metadata"]
    own = metadata if is_json_object(metadata) else {}
    fields: JsonObject = {f"f:field{n:04}": {} for n in range(max(0, size - 400) // 19)}
    entry: JsonValue = {"manager": "conform", "operation": "Update", "fieldsV1": fields}
    return {**bare, "metadata": {**own, "managedFields": [entry]}}


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
    """Return what an answer under pressure came to: its status if that is right."""
    if response.status == 200:
        return "200"
    if response.status == 503 and response.headers.get("retry-after", "").isdigit():
        return "503"
    retry = "with" if "retry-after" in response.headers else "without"
    return f"HTTP {response.status} {retry} Retry-After"


def _in_parallel(number: int, act: Callable[[], str]) -> list[str]:
    with ThreadPoolExecutor(number) as pool:
        return [task.result() for task in [pool.submit(act) for _ in range(number)]]


def _one_of_many(trial: Trial, body: bytes) -> str:
    with contextlib.ExitStack() as stack:
        try:
            connection = stack.enter_context(trial.connect())
            for _ in range(10):
                reply = _exchange(connection, body)
                if reply.status_or_none != SUCCESS:
                    return f"HTTP {reply.response.status}"
        except (ConnectError, Failed) as error:
            return str(error)
    return ""


def _certificate(trial: Trial) -> bytes:
    try:
        with trial.connect() as connection:
            return connection.certificate
    except ConnectError as error:
        raise Failed(f"no new connection after the rotation: {error}") from error
