"""An HTTP/1.1 client over TLS that sees every read of the socket: segments, pauses, half-closes.

The checks need these details, which ordinary clients hide. Standard library only.
"""

from __future__ import annotations

import contextlib
import select
import shlex
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

from holdall.errors import HoldallError
from holdall.kubernetes.conform.exchanges import Exchange

TIMEOUT: Final = 30.0
"""Seconds that an API server waits for a reply."""

_CHUNK: Final = 65536
_HEAD_END: Final = b"\r\n\r\n"
_USER_AGENT: Final = "holdall-conform"


class ConnectError(HoldallError):
    """The webhook cannot be reached, or its certificate is not trusted."""

    code = "HA801"


class Disconnected(Exception):
    """The server closed the connection, or violated HTTP."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a webhook listens: `https://host[:port]/path`, and how to verify its certificate.

    `trust` are the options that make curl trust the same certificates.
    """

    host: str
    port: int
    path: str
    tls: ssl.SSLContext = field(repr=False)
    trust: str = ""

    @classmethod
    def of(cls, url: str, *, ca: str | None = None, insecure: bool = False) -> Endpoint:
        """Return the endpoint of a URL; `ca` is a PEM file, by default the system's roots.

        Raises ConnectError for a URL that an API server would refuse, or an unreadable `ca`.
        """
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise ConnectError(f"{url}: {error}") from error
        if parts.scheme != "https" or not parts.hostname:
            raise ConnectError(f"{url}: expected https://host[:port]/path")
        if parts.query or parts.fragment or parts.username:
            raise ConnectError(f"{url}: the URL must not have a query, a fragment or a user")
        try:
            tls = ssl.create_default_context(cafile=ca)
        except (OSError, ssl.SSLError) as error:
            raise ConnectError(f"{ca}: no readable PEM certificates: {error}") from error
        if insecure:
            tls.check_hostname = False
            tls.verify_mode = ssl.CERT_NONE
        trust = "-k" if insecure else f"--cacert {shlex.quote(ca)}" if ca else ""
        return cls(parts.hostname, port or 443, parts.path or "/", tls, trust)

    def url(self, path: str | None = None) -> str:
        """Return the full URL of a path."""
        return f"https://{self.authority}{path or self.path}"

    @property
    def authority(self) -> str:
        """Host and port, as URLs and heads of requests have them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def connect(
        self, timeout: float = TIMEOUT, log: Callable[[Exchange], None] = lambda _: None
    ) -> Connection:
        """Return a new connection; `log` gets what is exchanged. Raises ConnectError."""
        try:
            return Connection(self, timeout, log)
        except (OSError, Disconnected, UnicodeError) as error:  # a name may be none that there is
            raise ConnectError(f"{self.host}:{self.port}: {error}") from error


@dataclass(frozen=True, slots=True)
class Response:
    """One answer. `reads` counts its socket reads, `seconds` is the time since the last write.

    Header names are in lower case.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    reads: int
    seconds: float

    @property
    def closes(self) -> bool:
        """Whether the server ends the connection after this answer."""
        return self.headers.get("connection", "").lower() == "close"


class Connection:
    """One TLS connection. Every wait ends after `timeout` seconds with TimeoutError.

    `answered` says whether anything was received since the last request began.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        timeout: float = TIMEOUT,
        log: Callable[[Exchange], None] = lambda _: None,
    ) -> None:
        self.endpoint = endpoint
        self.timeout = timeout
        self.log = log
        self.answered = False
        self._buffer = b""
        self._reads = 0
        self._sent = monotonic()
        self._socket = socket.create_connection((endpoint.host, endpoint.port), timeout)
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            self._tls = endpoint.tls.wrap_bio(
                self._incoming, self._outgoing, server_hostname=endpoint.host
            )
            self._shake_hands()
        except BaseException:
            self._socket.close()
            raise

    @property
    def certificate(self) -> bytes:
        """The server's certificate as DER."""
        return self._tls.getpeercert(binary_form=True) or b""

    def send(self, data: bytes) -> None:
        """Send bytes at once. Raises Disconnected if the server has closed the connection."""
        self._sent = monotonic()
        for start in range(0, len(data), _CHUNK):
            self._tls.write(data[start : start + _CHUNK])
            self._flush()

    def send_raw(self, data: bytes) -> None:
        """Send bytes below TLS."""
        self._socket.settimeout(self.timeout)
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise Disconnected(str(error)) from error

    def request(
        self,
        method: str,
        path: str | None = None,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Send a request and wait for its answer.

        A server that refuses a request by its head may answer before the body is sent.
        """
        self.answered = False
        exchange = Exchange(method, self.endpoint.url(path), body, headers or {})
        try:
            with contextlib.suppress(Disconnected):
                self.send(self.head(method, path, len(body), headers) + body)
            response = self.receive(has_body=method != "HEAD")
        except (Disconnected, TimeoutError) as error:
            self.log(replace(exchange, error=str(error) or "no answer in time"))
            raise
        self.log(replace(exchange, status=response.status, answer=response.body))
        return response

    def head(
        self,
        method: str,
        path: str | None = None,
        length: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Return the head of a request as an API server writes it; `length` is that of the body."""
        fields = {
            "Host": self.endpoint.authority,
            "User-Agent": _USER_AGENT,
            "Content-Type": "application/json",
            "Accept": "application/json, */*",
            **({} if length is None else {"Content-Length": str(length)}),
            **(headers or {}),
        }
        lines = [f"{method} {path or self.endpoint.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def receive(self, *, has_body: bool = True) -> Response:
        """Return the next answer. Raises Disconnected if it is cut off, or TimeoutError."""
        self._reads = 0
        while True:
            status, headers = _parse_head(self._until(_HEAD_END))
            if status >= 200 or status == 101:
                break
        body = self._body(status, headers) if has_body else b""
        seconds = monotonic() - self._sent
        return Response(status, headers, body, self._reads, seconds)

    def receive_interim(self, seconds: float) -> int:
        """Return the status of a head that arrives in time, else 0; the head is not consumed."""
        before = self.timeout
        self.timeout = seconds
        try:
            while _HEAD_END not in self._buffer:
                self._read()
        except TimeoutError:
            return 0
        finally:
            self.timeout = before
        return _parse_head(self._buffer.partition(_HEAD_END)[0])[0]

    def is_open(self) -> bool:
        """Return whether the server has not ended the connection."""
        before = self.timeout
        self.timeout = 0.05
        try:
            self._read()
        except TimeoutError:
            return True
        except Disconnected:
            return False
        finally:
            self.timeout = before
        return True

    def is_stale(self) -> bool:
        """Return whether the server has closed the idle connection; does not wait."""
        readable, _, _ = select.select([self._socket], [], [], 0)
        return bool(readable) and not self.is_open()

    def close(self) -> None:
        """End the connection."""
        with contextlib.suppress(OSError):
            self._socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _shake_hands(self) -> None:
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._flush()
                self._fill()
            else:
                self._flush()
                return

    def _flush(self) -> None:
        if self._outgoing.pending:
            self.send_raw(self._outgoing.read())

    def _fill(self) -> None:
        self._socket.settimeout(self.timeout)
        try:
            data = self._socket.recv(_CHUNK * 4)
        except TimeoutError:
            raise
        except OSError as error:
            raise Disconnected(str(error)) from error
        if not data:
            raise Disconnected("the connection was closed")
        self._incoming.write(data)

    def _read(self) -> None:
        """Read from the socket once, and decrypt what arrived."""
        while True:
            found = self._drain()
            if found:
                self._buffer += found
                self.answered = True
                return
            self._fill()
            self._reads += 1

    def _drain(self) -> bytes:
        parts: list[bytes] = []
        while True:
            try:
                part = self._tls.read(_CHUNK)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLError as error:
                if parts:
                    break
                raise Disconnected(str(error)) from error
            if not part:
                if parts:
                    break
                raise Disconnected("the connection was closed")
            parts.append(part)
        return b"".join(parts)

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            self._read()
        found, _, self._buffer = self._buffer.partition(mark)
        return found

    def _exactly(self, size: int) -> bytes:
        parts = [self._buffer]
        left = size - len(self._buffer)
        self._buffer = b""
        while left > 0:
            self._read()
            parts.append(self._buffer)
            left -= len(self._buffer)
            self._buffer = b""
        whole = b"".join(parts)
        self._buffer = whole[size:]
        return whole[:size]

    def _body(self, status: int, headers: Mapping[str, str]) -> bytes:
        if status in (204, 304):
            return b""
        try:
            if headers.get("transfer-encoding", "").lower() == "chunked":
                chunks: list[bytes] = []
                while size := int(self._until(b"\r\n").partition(b";")[0], 16):
                    chunks.append(self._exactly(size))
                    self._until(b"\r\n")
                while self._until(b"\r\n"):
                    pass
                return b"".join(chunks)
            if "content-length" in headers:
                return self._exactly(int(headers["content-length"]))
        except ValueError as error:
            raise Disconnected(f"no HTTP: {error}") from error
        try:
            while True:
                self._read()
        except Disconnected:
            found, self._buffer = self._buffer, b""
            return found


def _parse_head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if not first.startswith("HTTP/1.") or len(words) < 2 or not words[1].isdigit():
        raise Disconnected(f"no HTTP: {first[:60]!r}")
    fields = (line.partition(":") for line in lines)
    return int(words[1]), {name.strip().lower(): value.strip() for name, _, value in fields}
