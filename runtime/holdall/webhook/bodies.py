"""Reading request bodies, with limits on size, time and total memory.

The deadline of a request is in its query, `?timeout=`, as a Go duration.
"""

from __future__ import annotations

import asyncio
import re
import time
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qs

from holdall.webhook.answers import CLOSE, Headers, Receive, Refused, busy, refusal
from holdall.webhook.limits import Gate, Limits

_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")
_WHOLE: Final = re.compile(rf"(?:{_PART.pattern})+")


@lru_cache(maxsize=64)
def seconds_asked(query: bytes) -> float | None:
    """Return the seconds of `timeout` in a query string; None without a readable one.

    As for the API server, zero is not a deadline. Source: docs/conform.md, WC-77.
    """
    if len(query) > 1024:
        return None
    values = parse_qs(query.decode("latin-1"), encoding="utf-8", errors="replace").get("timeout")
    if not values or not _WHOLE.fullmatch(values[-1]):
        return None
    parts = _PART.findall(values[-1])
    return sum(float(number) * _UNITS[unit] for number, unit in parts) or None


class Disconnected(Exception):
    """The client disconnected before its body was complete."""


def announced_size(headers: Headers) -> int | None:
    """Return the Content-Length, None without one. Raises Refused if it is not a number."""
    text = headers.get(b"content-length")
    if text is None:
        return None
    if text.isdigit() and len(text) < 20:
        return int(text)
    raise Refused(refusal(400, "Content-Length is not a number", CLOSE))


async def read_body(
    receive: Receive, headers: Headers, limits: Limits, gate: Gate, until: float
) -> tuple[bytes, int]:
    """Read a body; return it and the bytes that the gate counts until `Gate.leave`.

    `until` is a time of `time.monotonic`. Raises Refused for a body that is too large or too slow,
    or exceeds the gate; Disconnected if the client disconnects.
    """
    announced = announced_size(headers)
    if announced is not None and announced > limits.body:
        raise _too_large(limits)
    if not gate.enter():
        raise _busy(f"{gate.bodies} requests are in flight", limits)
    held = 0
    try:
        parts: list[bytes] = []
        size = 0
        more = True
        while True:
            if max(size, announced or 0) > held:
                if not gate.hold(max(size, announced or 0) - held):
                    raise _busy(f"{gate.held >> 20} MiB of requests are in flight", limits)
                held = max(size, announced or 0)
            if not more:
                return b"".join(parts), held
            part, more = await next_part(receive, until)
            parts.append(part)
            size += len(part)
            if size > limits.body:
                raise _too_large(limits, unread=more)
    except BaseException:
        gate.leave(held)
        raise


async def discard_body(receive: Receive, headers: Headers, limits: Limits, until: float) -> None:
    """Read and discard a body, within the same limits of size and time."""
    if b"expect" in headers:
        return  # the client waits for the answer before it sends the body
    seen = 0
    more = True
    try:
        while more and seen <= limits.body:
            part, more = await next_part(receive, until)
            seen += len(part)
    except Refused:
        return


async def next_part(receive: Receive, until: float) -> tuple[bytes, bool]:
    """Return the next part of a body, and whether there are more. Raises as `read_body` does."""
    try:
        async with asyncio.timeout(until - time.monotonic()):
            message = await receive()
    except TimeoutError:
        text = "the request body did not arrive in time"
        raise Refused(refusal(408, text, CLOSE)) from None
    if message["type"] == "http.disconnect":
        raise Disconnected
    return message.get("body", b""), message.get("more_body", False)


def _too_large(limits: Limits, *, unread: bool = True) -> Refused:
    text = f"the request body exceeds {limits.body} bytes"
    return Refused(refusal(413, text, CLOSE), unread=unread)


def _busy(text: str, limits: Limits) -> Refused:
    answer = busy(text, limits.retry_after)
    return Refused(answer._replace(headers=(*answer.headers, CLOSE)), unread=True)
