"""The webhook within somebody else's program: its loop, its application."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import SchemeError, SourceError
from holdall.review.reviewer import Reviewed
from holdall.scheme.projects import load_schemes
from holdall.scheme.scheme import Scheme
from holdall.webhook.app import Webhook
from holdall.webhook.embedded import EmbeddedServer
from holdall.webhook.server import ServerOptions, listen
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


async def run(schemes: Sequence[Scheme], keys: Path) -> None:
    """Serve in this very loop, beside a task of its own, until it is told to stop."""
    server = embedded(schemes, keys)
    port = await server.start()
    context = ssl.create_default_context(cafile=str(keys / "ca.crt"))
    for _ in range(2):
        answer = await ask(port, context)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b'"example.com/v2"' in answer
    await server.stop()
    with pytest.raises(ConnectionRefusedError):
        await ask(port, context)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with listen("127.0.0.1", 0) as probe:
        port: int = probe.getsockname()[1]
        return port


def embedded(schemes: Sequence[Scheme], keys: Path, port: int = 0) -> EmbeddedServer:
    return EmbeddedServer(
        schemes,
        certificate=keys / "tls.crt",
        key=keys / "tls.key",
        host="127.0.0.1",
        port=port,
        options=ServerOptions(drain=0),
    )


def test_it_runs_in_a_loop_of_somebody_else(things: Path, tmp_path: Path) -> None:
    """In any loop and thread: it takes no signals, and ends on demand."""
    write_certificates(tmp_path)
    schemes, faults = load_schemes(things), list[BaseException]()

    def act() -> None:
        try:
            asyncio.run(run(schemes, tmp_path))
        except BaseException as error:
            faults.append(error)
            raise

    thread = threading.Thread(target=act)
    thread.start()
    thread.join(60)
    assert not faults


def test_it_is_a_block_that_ends_with_its_program(things: Path, tmp_path: Path) -> None:
    """Its port is free after the block, and it has one life."""
    write_certificates(tmp_path)
    schemes = load_schemes(things)

    async def main() -> None:
        port = free_port()
        server = embedded(schemes, tmp_path, port)
        async with server:
            with pytest.raises(SourceError, match="HA824"):
                listen("127.0.0.1", port)
            with pytest.raises(RuntimeError, match="was already started"):
                await server.start()
        with pytest.raises(RuntimeError, match="was already started"):
            await server.start()
        listen("127.0.0.1", port).close()

    asyncio.run(main())


def test_what_keeps_it_from_starting_is_raised(things: Path, tmp_path: Path) -> None:
    """A port in use, no certificate, converters that do not load: nothing stays open."""
    schemes = load_schemes(things)

    async def main() -> None:
        port = free_port()
        with pytest.raises(SourceError, match=r"tls\.crt"):
            await embedded(schemes, tmp_path, port).start()
        write_certificates(tmp_path)
        held = listen("127.0.0.1", port)
        with pytest.raises(SourceError, match="HA824"):
            await embedded(schemes, tmp_path, port).start()
        held.close()
        broken = embedded(schemes, tmp_path, port)
        broken.webhook = Webhook(schemes, reviewer=Broken())
        with pytest.raises(SchemeError, match="HA825"):
            await broken.start()
        await broken.stop()
        listen("127.0.0.1", port).close()

    asyncio.run(main())


class Broken:
    """A reviewer that answers nothing sensible."""

    def review(self, body: bytes) -> Reviewed:
        """Return no review."""
        return Reviewed(200, b"{}")


def test_it_is_mounted_in_another_application(things: Path) -> None:
    """An application that hands over what is below a path, without lifespan events."""
    webhook = Webhook(load_schemes(things))

    async def outer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/hooks/"):
            await webhook({**scope, "root_path": "/hooks"}, receive, send)

    got = asyncio.run(request(outer, path="/hooks/convert", body=BODY))
    assert (got.status, b'"example.com/v2"' in got.body) == (200, True)
