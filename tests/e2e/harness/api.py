"""A plain HTTP client for the API: it retries nothing, interprets nothing and keeps every byte."""

from __future__ import annotations

import contextlib
import http.client
import json
import ssl
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Final

JSON: Final = "application/json"
MERGE: Final = "application/merge-patch+json"
JSON_PATCH: Final = "application/json-patch+json"
APPLY: Final = "application/apply-patch+yaml"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the API: status, parsed body (None when it is no JSON) and the bytes."""

    status: int
    json: Any
    body: bytes

    @property
    def message(self) -> str:
        """The message of a `Status`; the text of the body when it is none."""
        if isinstance(self.json, dict) and self.json.get("kind") == "Status":
            return str(self.json.get("message", ""))
        return self.body.decode("utf-8", "replace")

    def expect(self, *statuses: int) -> Any:
        """Return the parsed body. Fails with the answer's message on any other status."""
        assert self.status in statuses, f"{self.status} instead of {statuses}: {self.message}"
        return self.json


class Api:
    """One API server, spoken to as the user of a token."""

    def __init__(self, port: int, context: ssl.SSLContext, token: str) -> None:
        """Remember where the server is; every request opens a connection of its own."""
        self._port = port
        self._context = context
        self._token = token

    def connect(self, *, seconds: float = 60) -> http.client.HTTPSConnection:
        """Open a connection, for requests that shall share one; close it."""
        return http.client.HTTPSConnection(
            "127.0.0.1", self._port, context=self._context, timeout=seconds
        )

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content: str = JSON,
        on: http.client.HTTPSConnection | None = None,
    ) -> Reply:
        """Send one request and return its answer, whatever it is. `body` may be JSON or bytes."""
        with contextlib.ExitStack() as stack:
            if on is None:
                on = stack.enter_context(contextlib.closing(self.connect()))
            on.request(method, path, _encode(body), self._headers(content))
            answer = on.getresponse()
            data = answer.read()
        try:
            parsed = json.loads(data)
        except ValueError:
            parsed = None
        return Reply(answer.status, parsed, data)

    def get(self, path: str) -> Reply:
        """GET."""
        return self.request("GET", path)

    def post(self, path: str, body: Any) -> Reply:
        """POST."""
        return self.request("POST", path, body)

    def put(self, path: str, body: Any) -> Reply:
        """PUT."""
        return self.request("PUT", path, body)

    def patch(self, path: str, body: Any, content: str = MERGE) -> Reply:
        """PATCH; a merge patch unless `content` says otherwise."""
        return self.request("PATCH", path, body, content=content)

    def apply(self, path: str, body: Any, *, manager: str, force: bool = False) -> Reply:
        """Server-side apply."""
        query = f"fieldManager={manager}&force={str(force).lower()}"
        return self.request("PATCH", f"{path}?{query}", body, content=APPLY)

    def delete(self, path: str) -> Reply:
        """DELETE."""
        return self.request("DELETE", path)

    def watch(self, path: str, *, seconds: float = 30) -> Generator[Any]:
        """Yield the events of a watch until the server ends it or is silent for `seconds`."""
        joint = "&" if "?" in path else "?"
        with contextlib.closing(self.connect(seconds=seconds)) as connection:
            connection.request("GET", f"{path}{joint}watch=true", headers=self._headers(JSON))
            answer = connection.getresponse()
            with contextlib.closing(answer):
                assert answer.status == 200, answer.read()
                while line := answer.readline():
                    yield json.loads(line)

    def _headers(self, content: str) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": content,
            "Accept": JSON,
            "User-Agent": "holdall-e2e",
        }


def _encode(body: Any) -> bytes | None:
    if body is None or isinstance(body, bytes):
        return body
    return json.dumps(body).encode()
