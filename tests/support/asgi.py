"""Calling an ASGI application without a server: one request in, one answer out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from holdall.text.json import decode
from holdall.types import JsonObject


@dataclass(frozen=True)
class Got:
    """The answer to one request."""

    status: int
    headers: Mapping[bytes, bytes]
    body: bytes

    @property
    def document(self) -> JsonObject:
        """The body as a JSON object."""
        value = decode(self.body)
        assert isinstance(value, dict)
        return value


async def request(
    app: Any,
    method: str = "POST",
    path: str = "/convert",
    body: bytes | Iterable[bytes] = b"",
    *,
    headers: Mapping[str, str] | None = None,
    query: str = "",
    root_path: str = "",
    then: asyncio.Event | None = None,
) -> Got:
    """Send a request, in one piece or in several; `then` is awaited before the last of them."""
    parts = [body] if isinstance(body, bytes) else list(body)
    given = {"host": "localhost", **(headers or {})}
    if isinstance(body, bytes):
        given.setdefault("content-length", str(len(body)))
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": root_path,
        "query_string": query.encode(),
        "headers": [(k.lower().encode(), v.encode()) for k, v in given.items()],
    }
    sent: list[Any] = []

    async def receive() -> Any:
        if not parts:
            return {"type": "http.disconnect"}
        if len(parts) == 1 and then is not None:
            await then.wait()
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    if not sent:
        raise ConnectionResetError
    start, *rest = sent
    found = dict(start["headers"])
    whole = b"".join(message["body"] for message in rest)
    assert int(found[b"content-length"]) == len(whole)
    return Got(start["status"], found, whole)
