"""A running `holdall serve`, with certificates of its own, and raw connections to it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any, TypeAlias

from holdall.webhook.key_files import write_keyring
from holdall.webhook.keyring import Lives, create
from tests.support.prepared import Forked

Process: TypeAlias = Forked | subprocess.Popen[str]

PATIENCE = 30.0
"""Seconds that anything may take on a loaded machine before a test gives up."""


def write_certificates(
    folder: Path, *names: str, now: datetime | None = None, days: int = 30
) -> Path:
    """Write a new authority and a certificate, for 127.0.0.1 and localhost by default."""
    lives = Lives(server=timedelta(days=days))
    keyring = create(names or ("127.0.0.1", "localhost"), now or datetime.now(UTC), lives)
    write_keyring(folder, keyring)
    return folder


@dataclass
class Served:
    """A running server: what it said of itself, and how to talk to it."""

    process: Process
    said: dict[str, Any]
    folder: Path
    log: Path
    contexts: list[ssl.SSLContext] = field(default_factory=list)

    @property
    def port(self) -> int:
        """Where reviews are answered."""
        found: int = self.said["port"]
        return found

    def trust(self) -> ssl.SSLContext:
        """Return a client context that trusts what lies in the folder of certificates now."""
        return ssl.create_default_context(cafile=str(self.folder / "ca.crt"))

    def dial(self) -> socket.socket:
        """Return a TCP connection without TLS."""
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def connect(self) -> ssl.SSLSocket:
        """Return a TLS connection."""
        return self.trust().wrap_socket(self.dial(), server_hostname="127.0.0.1")

    def client(self) -> http.client.HTTPSConnection:
        """Return an HTTP connection."""
        return http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=PATIENCE, context=self.trust()
        )

    def ask(
        self, method: str = "GET", path: str = "/readyz", body: bytes | None = None
    ) -> tuple[int, bytes]:
        """Send one request on a connection of its own."""
        client = self.client()
        try:
            return exchange(client, method, path, body)[:2]
        finally:
            client.close()

    def workers(self) -> list[int]:
        """Return the processes below the server's."""
        pid = self.process.pid
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        return [int(one) for one in text.split()]

    def end(self) -> int:
        """Send SIGTERM, and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def logged(self) -> list[dict[str, Any]]:
        """Return the lines of the log."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


def exchange(
    client: http.client.HTTPConnection, method: str, path: str, body: bytes | None = None
) -> tuple[int, bytes, http.client.HTTPMessage]:
    """Send a request on a connection, and return status, body and headers of the answer."""
    client.request(method, path, body)
    response = client.getresponse()
    return response.status, response.read(), response.headers


def until(happens: Callable[[], Any]) -> Any:
    """Return the first true result of a function; fail if there is none in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if result := happens():
            return result
        time.sleep(0.02)
    raise AssertionError("it does not happen")


def start(project: Path, *arguments: str, errors: IO[str], settings: str = "") -> Process:
    """Start `holdall serve` on some free port, in a forked process.

    `settings` is Python that runs before it, and before anything of holdall is imported: then an
    interpreter is started.
    """
    roots = [str(Path(p).resolve()) for p in sys.path if p and Path(p).is_dir()]
    code = f"import sys; from holdall.cli import main; {settings or 'pass'}; sys.exit(main())"
    words = [code, "--project", str(project), "serve"]
    words += ["--host", "127.0.0.1", "--port", "0", "--json", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots)}
    if not settings:
        return Forked(words, environment, errors)
    return subprocess.Popen(
        [sys.executable, "-c", *words],
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env=environment,
    )


def read_announcement(process: Process, log: Path | None = None) -> dict[str, Any]:
    """Return what a server says of itself once it serves; else fail with what is in its log."""
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if line == "}\n":
            found: dict[str, Any] = json.loads(text)
            return found
    errors = log.read_text(encoding="utf-8") if log else ""
    raise AssertionError(f"the server ended with {process.wait(PATIENCE)}:\n{errors}")


@contextmanager
def serving(project: Path, folder: Path, *arguments: str, settings: str = "") -> Iterator[Served]:
    """Serve a project with the certificates of a folder, made if there are none."""
    if not (folder / "tls.crt").exists():
        write_certificates(folder)
    folder.mkdir(exist_ok=True)
    log = folder / "log"
    files = ("--cert", str(folder / "tls.crt"), "--key", str(folder / "tls.key"))
    with log.open("w", encoding="utf-8") as errors:
        process = start(
            project, *files, "--drain", "0", *arguments, errors=errors, settings=settings
        )
        try:
            yield Served(process, read_announcement(process, log), folder, log)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(PATIENCE)
            assert process.stdout is not None
            process.stdout.close()
