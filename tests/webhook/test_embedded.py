"""The webhook within somebody else's program: its loop, its application."""

from __future__ import annotations

import asyncio
import ssl
import threading
from pathlib import Path
from typing import Any

from holdall.scheme.projects import load_schemes
from holdall.webhook.app import Webhook
from holdall.webhook.server import Listeners, ServerOptions, listen, serve
from holdall.webhook.tls import ServingCertificate
from tests.support.asgi import request
from tests.support.reviews import body_of
from tests.support.serving import write_certificates

THING = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
BODY = body_of([THING], "example.com/v2")
HEAD = b"POST /convert HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"


async def ask(port: int, context: ssl.SSLContext | None) -> bytes:
    """Send a review, and return the whole answer."""
    name = "localhost" if context else None
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=context, server_hostname=name
    )
    writer.write(HEAD % len(BODY) + BODY)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


async def run(webhook: Webhook, certificate: ServingCertificate | None, ca: Path) -> None:
    """Serve in this very loop, beside a task of its own, until it is told to stop."""
    listeners = Listeners(listen("127.0.0.1", 0))
    port = listeners.main.getsockname()[1]
    stop, started = asyncio.Event(), asyncio.Event()
    server = asyncio.create_task(
        serve(
            webhook,
            listeners,
            certificate=certificate,
            options=ServerOptions(drain=0),
            stop=stop,
            started=started.set,
        )
    )
    await started.wait()
    context = ssl.create_default_context(cafile=str(ca)) if certificate else None
    for _ in range(2):
        answer = await ask(port, context)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b'"example.com/v2"' in answer
    stop.set()
    await server


def test_it_runs_in_a_loop_of_somebody_else(things: Path, tmp_path: Path) -> None:
    """In any loop and thread, with TLS or without: it takes no signals, and ends on demand."""
    write_certificates(tmp_path)
    certificate = ServingCertificate(tmp_path / "tls.crt", tmp_path / "tls.key")
    faults: list[BaseException] = []

    def act(pair: ServingCertificate | None) -> None:
        try:
            asyncio.run(run(Webhook(load_schemes(things)), pair, tmp_path / "ca.crt"))
        except BaseException as error:
            faults.append(error)
            raise

    for pair in (None, certificate):
        thread = threading.Thread(target=act, args=(pair,))
        thread.start()
        thread.join(60)
    assert not faults


def test_it_is_mounted_in_another_application(things: Path) -> None:
    """An application that hands over what is below a path, without lifespan events."""
    webhook = Webhook(load_schemes(things))

    async def outer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/hooks/"):
            await webhook({**scope, "root_path": "/hooks"}, receive, send)

    got = asyncio.run(request(outer, path="/hooks/convert", body=BODY))
    assert (got.status, b'"example.com/v2"' in got.body) == (200, True)
