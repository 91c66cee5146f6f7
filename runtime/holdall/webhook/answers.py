"""HTTP answers of the server: status, body, headers; errors as `v1` Status documents."""

from __future__ import annotations

import gzip
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, NamedTuple, TypeAlias

from holdall.review.messages import status_body

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Header: TypeAlias = tuple[bytes, bytes]
Headers: TypeAlias = dict[bytes, bytes]

JSON: Final[Header] = (b"content-type", b"application/json")
TEXT: Final[Header] = (b"content-type", b"text/plain; charset=utf-8")
CLOSE: Final[Header] = (b"connection", b"close")


class Answer(NamedTuple):
    """One HTTP answer; `headers` has no content-length."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = (JSON,)


class Refused(Exception):
    """A request that is answered without being converted.

    `unread` says that its body must be read to its end first: closing a connection with unread
    bytes resets it, and the client may never see the answer.
    """

    def __init__(self, answer: Answer, *, unread: bool = False) -> None:
        super().__init__(answer.status)
        self.answer = answer
        self.unread = unread


def refusal(code: int, message: str, *headers: Header) -> Answer:
    """Return an error answer with a `v1` Status, whose message the API server shows its user."""
    return Answer(code, status_body(code, message), (JSON, *headers))


def busy(message: str, retry_after: int) -> Answer:
    """Return 503 with an integer `Retry-After`, without which API servers do not retry."""
    return refusal(503, message, (b"retry-after", b"%d" % retry_after))


def accepts_gzip(headers: Headers) -> bool:
    """Return whether the client accepts a compressed body."""
    for part in headers.get(b"accept-encoding", b"").split(b","):
        coding, _, parameters = part.partition(b";")
        if coding.strip().lower() in (b"gzip", b"*"):
            return parameters.replace(b" ", b"") not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return False


def compressed(body: bytes) -> bytes:
    """Return a body as gzip; the same bytes for the same body."""
    return gzip.compress(body, compresslevel=1, mtime=0)


async def send_answer(send: Send, answer: Answer, *extra: Header) -> None:
    """Send a whole answer; head and body are sent in one turn of the loop, so in one segment."""
    status, body, headers = answer
    length = (b"content-length", b"%d" % len(body))
    await send(
        {"type": "http.response.start", "status": status, "headers": [*headers, length, *extra]}
    )
    await send({"type": "http.response.body", "body": body})
