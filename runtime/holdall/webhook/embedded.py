"""A webhook server inside another program, such as an operator."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from holdall.errors import NotInstalled
from holdall.scheme.scheme import Scheme
from holdall.webhook.app import Webhook

try:
    from holdall.webhook.server import Listeners, ServerOptions, Service, listen, serve
    from holdall.webhook.tls import ServingCertificate
except ModuleNotFoundError as error:
    raise NotInstalled(str(error.name), "webhook") from error

_DEFAULT: Final = ServerOptions()


class EmbeddedServer:
    """Answers conversion reviews for `schemes` in the running event loop, over HTTPS.

    `certificate` and `key` name PEM files, which are watched: a renewed pair is served without a
    restart. It does not handle signals. Start and stop it, or use it in an `async with` statement.

    A review waits while the program's own code runs: run code that keeps the loop busy in a thread.
    """

    def __init__(
        self,
        schemes: Iterable[Scheme],
        *,
        certificate: str | PathLike[str],
        key: str | PathLike[str],
        host: str = "0.0.0.0",
        port: int = 9443,
        options: ServerOptions = _DEFAULT,
    ) -> None:
        self.webhook = Webhook(schemes)
        self._files = Path(certificate), Path(key)
        self._address = host, port
        self._options = options
        self._stop = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> int:
        """Load all converters, test them, and serve; return the port, chosen by the system for 0.

        Raises SourceError for files or an address that cannot be used, and SchemeError for
        converters or hooks that cannot be loaded. Nothing is left open then.
        """
        if self._serving is not None:
            raise RuntimeError("the server was already started; make another one")
        pair = ServingCertificate(*self._files)
        listeners = Listeners(listen(*self._address))
        port: int = listeners.main.getsockname()[1]
        started = asyncio.Event()
        self._stop = asyncio.Event()
        service = Service(self.webhook, listeners, pair, self._options)
        serving = asyncio.create_task(serve(service, self._stop, started.set))
        waiting = asyncio.create_task(started.wait())
        try:
            await asyncio.wait([serving, waiting], return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                await serving  # raises why it could not start
        except BaseException:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            listeners.close()
            raise
        finally:
            waiting.cancel()
        self._serving = serving
        return port

    async def stop(self) -> None:
        """Drain, answer requests in flight, and end. Raises the error of a server that failed."""
        self._stop.set()
        if self._serving is not None:
            await self._serving

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()
