"""Exchanges with a webhook, kept as evidence: request, answer, and how to repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from holdall.errors import DecodeError
from holdall.text import json as _json
from holdall.types import JsonObject, is_json_object, items, members
from holdall.words import counted

_INLINE: Final = 1500
_LARGEST: Final = 8 << 20
_SHOWN: Final = 160


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer; `error` says why there was none.

    `headers` are those that differ from an API server's. `piped` is a command that prints the body,
    if that is too large to keep.
    """

    method: str
    url: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 0
    answer: bytes = b""
    error: str = ""
    piped: str = ""

    @property
    def sent(self) -> str:
        """Return a short description of the request."""
        head = f"{self.method} {self.url}"
        review = _decoded(self.body)
        request = review.get("request")
        if not is_json_object(request):
            return f"{head}, {self.piped or f'{len(self.body):,} bytes'}"
        objects = items(request, "objects")
        names = [_name(item) for item in objects[:1] if is_json_object(item)]
        more = f" and {len(objects) - 1} more" if len(objects) > 1 else ""
        what = "".join(names) + more or counted(len(objects), "object")
        return f"{what}, to {request.get('desiredAPIVersion')} ({len(self.body):,} bytes)"

    @property
    def got(self) -> str:
        """Return a short description of the answer."""
        if self.error:
            return self.error
        reply = _decoded(self.answer)
        response = reply.get("response")
        if not is_json_object(response):
            text = self.answer[:_SHOWN].decode(errors="replace")
            return f"HTTP {self.status}" + (f": {text}" if text else "")
        own = members(response, "result")
        objects = response.get("convertedObjects")
        number = f", {counted(len(objects), 'object')}" if isinstance(objects, list) else ""
        message = f": {str(own.get('message'))[:_SHOWN]}" if own.get("message") else ""
        return f"HTTP {self.status}, {own.get('status')}{message or number}"

    def curl(self, trust: str, file: Path | None = None) -> str:
        """Return a command that repeats the request; "" if its body is too large for a line.

        `trust` are curl's options for the certificate, `file` holds the body.
        """
        words = ["curl", "-sS", "-i" if self.method != "HEAD" else "-I"]
        if self.method not in ("POST", "HEAD"):
            words += ["-X", self.method]
        headers = {"Content-Type": "application/json", **self.headers}
        for name, value in headers.items() if self.method == "POST" else ():
            words += ["-H", shlex.quote(f"{name}: {value}")]
        if self.piped:
            words += ["-X POST -T -", trust, shlex.quote(self.url)]
            return f"{self.piped} | {' '.join(words)}"
        if self.method == "POST" and file is not None:
            words += ["--data-binary", shlex.quote(f"@{file}")]
        elif self.method == "POST":
            text = self.body.decode(errors="replace")
            if len(text) > _INLINE or not text.isprintable() or "\ufffd" in text:
                return ""
            words += ["--data-binary", shlex.quote(text)]
        return " ".join([*words, trust, shlex.quote(self.url)])


def keep_exchanges(
    folder: Path | None, name: str, exchanges: Sequence[Exchange]
) -> list[tuple[Exchange, Path | None]]:
    """Write requests and answers as `NAME.1.request.json`, and so on; return the requests' paths.

    Skips what is too large to read; without a folder, everything.
    """
    if folder is None:
        return [(exchange, None) for exchange in exchanges]
    folder.mkdir(parents=True, exist_ok=True)
    found: list[tuple[Exchange, Path | None]] = []
    for number, exchange in enumerate(exchanges, 1):
        request = folder / f"{name}.{number}.request.json"
        kept = 0 < len(exchange.body) <= _LARGEST
        if kept:
            request.write_bytes(exchange.body)
        if len(exchange.answer) <= _LARGEST:
            answer = exchange.answer or exchange.got.encode()
            (folder / f"{name}.{number}.answer.json").write_bytes(answer)
        found.append((exchange, request if kept else None))
    return found


def _decoded(text: bytes) -> JsonObject:
    try:
        return members(_json.decode(text))
    except DecodeError:
        return {}


def _name(obj: JsonObject) -> str:
    own = members(obj, "metadata")
    name = "/".join(str(own[key]) for key in ("namespace", "name") if own.get(key))
    return " ".join(str(word) for word in (obj.get("apiVersion"), obj.get("kind"), name) if word)
