"""The conversion webhook as an ASGI 3 application, independent of web servers and frameworks."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from holdall.errors import HoldallError, SchemeError
from holdall.review.request import may_be_packed
from holdall.review.reviewer import Reviewer
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.webhook import counts as names
from holdall.webhook.answers import (
    CLOSE,
    TEXT,
    Answer,
    Header,
    Headers,
    Message,
    Receive,
    Refused,
    Scope,
    Send,
    busy,
    refusal,
    send_answer,
)
from holdall.webhook.bodies import (
    Disconnected,
    announced_size,
    discard_body,
    next_part,
    read_body,
    seconds_asked,
)
from holdall.webhook.conversions import Conversions
from holdall.webhook.counts import Counts
from holdall.webhook.limits import Gate, Limits
from holdall.webhook.logs import LOG, facts
from holdall.webhook.self_test import Reviews, self_test
from holdall.webhook.traces import find_tracing

HEALTHY: Final = "/healthz"
METRICS: Final = "/metrics"
PROBES: Final = frozenset({HEALTHY, "/readyz", METRICS})

_UNUSUAL: Final = frozenset({b"expect", b"content-encoding", b"transfer-encoding", b"upgrade"})
_DEFAULT: Final = Limits()


class Webhook:
    """Answers conversion reviews on `path` and everything below it, and the probes beside it.

    An ASGI 3 application: serve it with `holdall serve`, mount it in another application, or run
    it in an operator. The converters are loaded by the lifespan event, by `load`, or by the first
    request. `read_counts` returns what `/metrics` shows, by default the counts of this process.
    """

    def __init__(
        self,
        schemes: Iterable[Scheme],
        *,
        path: str = "/convert",
        limits: Limits = _DEFAULT,
        reviewer: Reviews | None = None,
    ) -> None:
        self.schemes = tuple(schemes)
        self.limits = limits
        self.counts = Counts()
        self.gate = Gate(limits)
        self.read_counts: Callable[[], Counts] = lambda: self.counts
        self._path = "/" + path.strip("/")
        self._url = self._path.encode()
        self._below = self._path.rstrip("/") + "/"
        self._reviewer: Reviews = reviewer or Reviewer(self.schemes)
        self._conversions = Conversions(self._reviewer, limits, self.counts)
        self._loading = threading.Lock()
        self._loaded = False
        self._problem: HoldallError | None = None

    # --- life ---

    def load(self) -> None:
        """Load and bind all converters, and run the self-test; once.

        Raises SchemeError or HookError with all problems; a later call raises the same.
        """
        with self._loading:
            if self._loaded:
                return
            if self._problem is None:
                try:
                    Schemes(self.schemes).load()
                    if problems := self_test(self._reviewer, self.schemes):
                        raise SchemeError(problems)
                except HoldallError as error:
                    self._problem = error
            if self._problem is not None:
                # Without the former traceback, which would grow with every request.
                raise self._problem.with_traceback(None)
            self._conversions.tracing = find_tracing(self.schemes)
            self._loaded = True

    @property
    def ready(self) -> bool:
        """Whether reviews are answered: everything is loaded, and the server is not draining."""
        return self._loaded and not self.gate.draining

    @property
    def stuck(self) -> bool:
        """Whether a large review does not end; a small one would block the process itself."""
        return self._conversions.stuck

    def drain(self) -> None:
        """Stop accepting: not ready, new reviews are answered 503, and connections end."""
        self.gate.draining = True

    def close(self) -> None:
        """Release the thread for large reviews, without waiting for it."""
        self._conversions.close()

    # --- requests ---

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection scope of ASGI 3."""
        if scope["type"] == "http":
            path: str = scope["path"]
            root: str = scope.get("root_path", "")
            if root:
                path = path.removeprefix(root) or "/"
            if path == self._path or (path.startswith(self._below) and path not in PROBES):
                await self._convert(scope, receive, send)
            else:
                await self._probe(path, scope, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def probes(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve only probes and metrics: an ASGI application for their own port."""
        if scope["type"] == "http":
            await self._probe(scope["path"], scope, send)

    def is_plain(self, method: bytes, url: bytes, headers: list[Header]) -> bool:
        """Return whether `answer_plain` may answer a request: a small review, now, without a trace.

        For a server that already has the whole request; the answers are the same as over ASGI.
        """
        if not self._loaded or self.gate.draining or method != b"POST":
            return False
        if url.partition(b"?")[0] != self._url or self._conversions.tracing:
            return False
        size = b""
        for name, value in headers:
            if name == b"content-length":
                size = value
            elif name in _UNUSUAL:
                return False
        return size.isdigit() and len(size) < 10 and int(size) <= self.limits.in_loop

    def is_quick(self, body: bytes) -> bool:
        """Return whether a body is small enough to be converted in the event loop.

        A compressed bag may be many times as large as its text.
        """
        return len(body) <= self.limits.in_loop and not may_be_packed(body)

    def answer_plain(self, body: bytes) -> Answer:
        """Return the answer to a small review; raises nothing."""
        return self._conversions.now({}, body)

    async def _convert(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = dict(scope["headers"])
        until = self._deadline(scope)
        try:
            if not self._loaded or self.gate.draining or scope["method"] != "POST":
                await self._admit(scope["method"])
            if b"content-encoding" in headers:
                text = "the request body must have no Content-Encoding"
                raise Refused(refusal(415, text, CLOSE), unread=True)
            size = announced_size(headers)
            if size is not None and size <= self.limits.in_loop and b"expect" not in headers:
                part, more = await next_part(receive, until)
                if not more and self.is_quick(part):
                    answer = self._conversions.now(headers, part)
                    await send_answer(send, answer, *self._endings())
                    return
                receive = _replayed(part, more, receive)
            answer = await self._convert_aside(headers, receive, until)
        except Refused as refused:
            answer = refused.answer
            self.counts.codes[answer.status] += 1
            if answer.status == 503:
                self.counts.totals[names.SHED] += 1
            if refused.unread:
                try:
                    await discard_body(receive, headers, self.limits, until)
                except Disconnected:
                    return
        except Disconnected:
            return
        await send_answer(send, answer, *self._endings())

    async def _admit(self, method: str) -> None:
        """Raise Refused unless a review may be answered now."""
        if method != "POST":
            raise Refused(refusal(405, "only POST is allowed here", (b"allow", b"POST")))
        if self.gate.draining:
            text = "the server is shutting down"
            raise Refused(busy(text, self.limits.retry_after), unread=True)
        try:
            await asyncio.to_thread(self.load)
        except HoldallError as error:
            LOG.error("the converters cannot be loaded", extra=facts(problem=str(error)))
            text = "the converters cannot be loaded; see the log of the webhook"
            raise Refused(busy(text, self.limits.retry_after), unread=True) from error

    def _deadline(self, scope: Scope) -> float:
        """Return the deadline of a request, as a time of `time.monotonic`."""
        query: bytes = scope.get("query_string", b"")
        asked = seconds_asked(query) if query else None
        return time.monotonic() + min(asked or self.limits.time, self.limits.time)

    async def _convert_aside(self, headers: Headers, receive: Receive, until: float) -> Answer:
        """Read a body that is large or arrives in pieces; convert it without blocking others."""
        body, held = await read_body(receive, headers, self.limits, self.gate, until)
        if self.is_quick(body):
            self.gate.leave(held)
            return self._conversions.now(headers, body)
        release = partial(self.gate.leave, held)
        return await self._conversions.aside(headers, body, until, release)

    async def _probe(self, path: str, scope: Scope, send: Send) -> None:
        if path not in PROBES:
            answer = refusal(404, "there is nothing here; reviews are answered elsewhere")
        elif scope["method"] not in ("GET", "HEAD"):
            answer = refusal(405, "only GET is allowed here", (b"allow", b"GET, HEAD"))
        elif path == METRICS:
            from holdall.webhook.metrics import expose

            accept: bytes = dict(scope["headers"]).get(b"accept", b"")
            body, media_type = expose(self.read_counts, accept.decode("latin-1"))
            answer = Answer(200, body, ((b"content-type", media_type.encode()),))
        elif self.stuck:
            answer = Answer(503, b"stuck in a conversion", (TEXT,))
        elif path == HEALTHY or self.ready:
            answer = Answer(200, b"ok", (TEXT,))
        else:
            text = b"draining" if self.gate.draining else b"not loaded"
            answer = Answer(503, text, (TEXT,))
        await send_answer(send, answer, *self._endings())

    def _endings(self) -> tuple[Header, ...]:
        """Return the header that closes connections while draining, so that none stays idle."""
        return (CLOSE,) if self.gate.draining else ()

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            event = (await receive())["type"]
            if event == "lifespan.startup":
                try:
                    await asyncio.to_thread(self.load)
                except HoldallError as error:
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            elif event == "lifespan.shutdown":
                self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return


def _replayed(part: bytes, more: bool, receive: Receive) -> Receive:
    """Return a `receive` that first returns a part that was already received."""
    waiting: list[Message] = [{"type": "http.request", "body": part, "more_body": more}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
