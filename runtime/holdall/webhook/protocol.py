"""HTTP/1.1 connections: uvicorn's, with limits that it lacks, and a fast path for reviews."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, Final

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from holdall.webhook.answers import JSON, Answer, Header, refusal
from holdall.webhook.app import Webhook
from holdall.webhook.limits import Limits

_STATUS: Final = {
    status.value: b"HTTP/1.1 %d %b\r\n" % (status.value, status.phrase.encode())
    for status in HTTPStatus
}

_USUAL: Final = (JSON,)
_LAST_CHANCE: Final = 1.0
"""Seconds that a connection has during shutdown to send the head of its request."""


class WebhookProtocol(HttpToolsProtocol):
    """A connection that is closed unless it sends a request head within limits of time and size.

    The application limits bodies, and uvicorn the idle time between requests.

    A review that arrives whole, as nearly all do, is answered at once and in one write: a task, a
    scope and an exchange of events would take a third of the time. All other requests go through
    ASGI, with the same answers.
    """

    limits = Limits()
    reviews: Webhook | None = None

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._timer: asyncio.TimerHandle | None = None
        self._in_head = True
        self._seen = 0
        self._is_shared = False
        self._plain: list[bytes] | None = None
        self._head = b""
        self._head_of: object = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the timer for the first head, so that a silent connection ends, too."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers, which would keep a reset connection alive for minutes."""
        self._disarm()
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
            self.timeout_keep_alive_task = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data, and check heads and bodies that arrive in pieces."""
        self._is_shared = False
        super().data_received(data)
        if (parts := self._plain) is not None:
            # The body is incomplete, so the application has to read it.
            self._plain = None
            self._begin_scope()
            for part in parts:
                super().on_body(part)
        elif self._in_head:
            # After other requests, the rest of a read is within the limit.
            self._seen += 0 if self._is_shared else len(data)
            if self._seen > self.limits.head_bytes:
                self._refuse(431, "the head of the request is too large")
            elif self._timer is None:
                self._arm()

    def shutdown(self) -> None:
        """Shut down; a request whose head is expected or incomplete still gets an answer."""
        if self._in_head:
            self.loop.call_later(_LAST_CHANCE, self._end_waiting)
        else:
            super().shutdown()

    def on_message_begin(self) -> None:
        """Begin a head; what only ASGI needs of it is delayed until it is needed."""
        self._in_head = True
        self._seen = 0
        self.url = b""
        self.headers = []
        self.expect_100_continue = False

    def on_headers_complete(self) -> None:
        """End a head."""
        self._in_head = False
        if self._timer is not None:
            self._disarm()
        parser: Any = self.parser
        if (
            self.reviews is not None
            and (self.cycle is None or self.cycle.response_complete)
            and not self.flow.write_paused
            and not self.transport.is_closing()
            and parser.get_http_version() == "1.1"
            and self.reviews.is_plain(parser.get_method(), self.url, self.headers)
        ):
            self._plain = []
        else:
            self._begin_scope()

    def on_body(self, body: bytes) -> None:
        """Add a part of a body."""
        if self._plain is not None:
            self._plain.append(body)
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._is_shared = True
        reviews = self.reviews
        if self._plain is None or reviews is None:
            super().on_message_complete()
            return
        body = b"".join(self._plain)
        self._plain = None
        if not reviews.is_quick(body):
            self._begin_scope()
            super().on_body(body)
            super().on_message_complete()
            return
        parser: Any = self.parser
        keep: bool = parser.should_keep_alive()
        self._write(reviews.answer_plain(body), keep=keep)
        if keep:
            self.on_response_complete()
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Answer data that is not HTTP, and close."""
        self._refuse(400, msg)

    def _end_waiting(self) -> None:
        if self._in_head:
            self.transport.close()

    def _begin_scope(self) -> None:
        """Run uvicorn's own handlers for the begin and the end of a head."""
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers.extend(headers)
        super().on_headers_complete()

    def _write(self, answer: Answer, *, keep: bool) -> None:
        if answer.status == HTTPStatus.OK and answer.headers == _USUAL:
            defaults = self.server_state.default_headers
            if self._head_of is not defaults:  # uvicorn makes new ones every second
                self._head, self._head_of = self._head_for(HTTPStatus.OK, _USUAL), defaults
            head = self._head
        else:
            head = self._head_for(answer.status, answer.headers)
        end = b"\r\n" if keep else b"connection: close\r\n\r\n"
        size = len(answer.body)
        self.transport.write(b"%bcontent-length: %d\r\n%b%b" % (head, size, end, answer.body))

    def _head_for(self, status: int, headers: tuple[Header, ...]) -> bytes:
        """Return the head of an answer up to its Content-Length."""
        lines = [_STATUS[status]]
        for name, value in (*self.server_state.default_headers, *headers):
            lines += (name, b": ", value, b"\r\n")
        return b"".join(lines)

    def _arm(self) -> None:
        self._timer = self.loop.call_later(self.limits.head, self._expire)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        self._timer = None
        if self._in_head:
            self._refuse(408, "the head of the request did not arrive in time")

    def _refuse(self, code: int, message: str) -> None:
        """Answer without the application, and close: what follows cannot be parsed."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            # Otherwise an earlier request of the connection still waits for its answer.
            self._write(refusal(code, message), keep=False)
        self.transport.close()
