"""Running reviews: at once or in a thread, with counts, logs and traces; never raises."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from logging import INFO, WARNING
from typing import Final

from holdall.review.messages import cut
from holdall.review.reviewer import Degradation, Reviewed
from holdall.types import JsonObject, JsonValue
from holdall.webhook.answers import (
    CLOSE,
    JSON,
    Answer,
    Headers,
    Refused,
    accepts_gzip,
    compressed,
    refusal,
)
from holdall.webhook.counts import Counts
from holdall.webhook.limits import Limits
from holdall.webhook.logs import LOG, facts
from holdall.webhook.self_test import Reviews
from holdall.webhook.traces import Tracing

_MOST_SHOWN: Final = 10
_MOST_BYTES: Final = 400
"""Maximum bytes of a name in the log: a forged address or uid may have millions."""
_ZIPPED: Final = (JSON, (b"content-encoding", b"gzip"))


class Conversions:
    """Turns request bodies into answers.

    Small reviews run in the event loop: handing one to a thread costs more than converting it.
    Large ones run in a single thread, so that probes and small reviews are answered meanwhile;
    more threads would only compete for the interpreter.
    """

    def __init__(self, reviewer: Reviews, limits: Limits, counts: Counts) -> None:
        self.tracing: Sequence[Tracing] = ()
        self._review = reviewer.review
        self._limits = limits
        self._counts = counts
        self._thread: ThreadPoolExecutor | None = None
        self._since = 0.0

    @property
    def stuck(self) -> bool:
        """Whether the thread has run one review for longer than any client waits."""
        since = self._since
        return bool(since) and time.monotonic() - since > self._limits.stuck

    def now(self, headers: Headers, body: bytes) -> Answer:
        """Answer a small review."""
        start = time.perf_counter()
        reviewed = self._run(headers, body)
        if reviewed is None:
            return self._defect()
        self._count(reviewed, len(body), time.perf_counter() - start)
        return Answer(reviewed.status, reviewed.body)

    async def aside(
        self, headers: Headers, body: bytes, until: float, release: Callable[[], None]
    ) -> Answer:
        """Answer a large review by a time of `time.monotonic`, or raise Refused.

        `release` is called in the event loop once the thread has released the body, which may be
        later, because a conversion cannot be interrupted.
        """
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "holdall-review")
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._thread, self._run_large, headers, body, until)
        work.add_done_callback(lambda _: release())
        try:
            async with asyncio.timeout(until - time.monotonic()):
                done = await asyncio.shield(work)
        except TimeoutError:
            late = refusal(504, "the conversion did not finish in time", CLOSE)
            raise Refused(late) from None
        if done is None:
            return self._defect()
        answer, reviewed, seconds = done
        self._count(reviewed, len(body), seconds)
        return answer

    def close(self) -> None:
        """End the thread, without waiting for its current review."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
            self._thread = None

    def _run_large(
        self, headers: Headers, body: bytes, until: float
    ) -> tuple[Answer, Reviewed, float] | None:
        """Return the answer, the review and the seconds it took; None if it was not answered."""
        start = time.perf_counter()
        if time.monotonic() >= until:
            raise TimeoutError  # nobody is waiting any more
        self._since = time.monotonic()
        try:
            reviewed = self._run(headers, body)
        finally:
            self._since = 0.0
        if reviewed is None:
            return None
        seconds = time.perf_counter() - start
        answer = Answer(reviewed.status, reviewed.body)
        if len(reviewed.body) >= self._limits.compress and accepts_gzip(headers):
            answer = Answer(reviewed.status, compressed(reviewed.body), _ZIPPED)
        return answer, reviewed, seconds

    def _run(self, headers: Headers, body: bytes) -> Reviewed | None:
        """Run a review; None if the reviewer raises, which it must not do."""
        try:
            act = partial(self._review, body)
            for tracing in self.tracing:
                act = partial(tracing.record, headers, act)
            return act()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - reported; the connection must live on
            LOG.error("a review was not answered: a bug in holdall", exc_info=error)
            return None

    def _defect(self) -> Answer:
        self._counts.codes[500] += 1
        return refusal(500, "the review was not answered; see the log of the webhook")

    def _count(self, reviewed: Reviewed, size: int, seconds: float) -> None:
        self._counts.count_review(reviewed, size, seconds)
        if reviewed.message:
            LOG.warning(
                "a review failed",
                extra=facts(
                    **_names_of(reviewed),
                    objects=reviewed.objects,
                    status=reviewed.status,
                    reason=reviewed.message,
                ),
                exc_info=reviewed.internal,
            )
        if reviewed.oddities:
            LOG.warning("objects have values of wrong kinds", extra=_describe_oddities(reviewed))
        for level, text, name, entries in (
            (WARNING, "a carrier had no room", "lost", reviewed.degradations),
            (INFO, "bag entries were dropped: their places are gone", "dropped", reviewed.dropped),
            (WARNING, "bag entries cannot be used", "unused", reviewed.unused),
        ):
            if entries:
                LOG.log(level, text, extra=_describe_entries(reviewed, name, entries))


def _names_of(reviewed: Reviewed) -> dict[str, str]:
    return {
        "uid": cut(reviewed.uid, _MOST_BYTES),
        "desired": cut(reviewed.desired, _MOST_BYTES),
    }


def _describe_oddities(reviewed: Reviewed) -> JsonObject:
    """Return the first quarantined objects, and the first places in each."""
    shown: list[JsonValue] = [
        cut(f"{oddity.subject}: {', '.join(oddity.places[:_MOST_SHOWN])}", _MOST_BYTES)
        for oddity in reviewed.oddities[:_MOST_SHOWN]
    ]
    return facts(
        **_names_of(reviewed),
        objects=len(reviewed.oddities),
        quarantined=shown,
    )


def _describe_entries(reviewed: Reviewed, name: str, found: Sequence[Degradation]) -> JsonObject:
    """Return the first of some bag entries: objects, paths and keys, no values."""
    named = (f"{one.index}: {one.subject} {entry}" for one in found for entry in one.entries)
    shown: list[JsonValue] = [cut(text, _MOST_BYTES) for text in islice(named, _MOST_SHOWN)]
    entries = Degradation.count(found)
    return facts(**_names_of(reviewed), entries=entries, **{name: shown})
