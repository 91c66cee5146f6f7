"""Serving a webhook with uvicorn, uvloop and httptools: sockets, TLS, and graceful shutdown.

Besides `protocol`, the only module that knows uvicorn.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from holdall.errors import Problem, SourceError
from holdall.webhook.app import Webhook
from holdall.webhook.collector import spared_collector
from holdall.webhook.logs import LOG, facts
from holdall.webhook.protocol import WebhookProtocol

if TYPE_CHECKING:  # with cryptography, slow to import
    from holdall.webhook.tls import ServingCertificate

_BACKLOG: Final = 2048
_HEARTBEAT: Final = 1.0
"""Seconds between two heartbeats."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How one process serves. Times are seconds.

    `drain` is how long after SIGTERM new requests are still answered, with 503 and `Retry-After`:
    as long as API servers may still connect. `grace` is how long requests in flight may take after
    that. `poll` is the interval of checking the certificate's files.
    """

    drain: float = 5.0
    grace: float = 20.0
    poll: float = 5.0


@dataclass(frozen=True, slots=True)
class Listeners:
    """The sockets of a server: for reviews, and for probes and metrics if they have their own."""

    main: socket.socket
    probes: socket.socket | None = None

    def close(self) -> None:
        """Close both in this process."""
        for one in (self.main, self.probes):
            if one is not None:
                one.close()


@dataclass(frozen=True, slots=True)
class Service:
    """What one process serves, where and how; without a certificate, plain HTTP."""

    webhook: Webhook
    listeners: Listeners
    certificate: ServingCertificate | None = None
    options: ServerOptions = ServerOptions()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening TCP socket; "::" accepts IPv4, too. Raises SourceError (HA824)."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server(
            (host, port), family=family, backlog=_BACKLOG, dualstack_ipv6=host == "::"
        )
    except (OSError, OverflowError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        text = f"cannot listen: {reason}"
        fix = "choose another --host or --port, or stop the process that listens there"
        raise SourceError([Problem("HA824", f"{host}:{port}", text, fix)]) from error
    bound.set_inheritable(True)
    return bound


class _Server(uvicorn.Server):
    """uvicorn's server, except that the caller decides when it ends, and no peer can delay that."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do not handle signals."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down gracefully, without waiting for unresponsive peers."""
        sweeping = asyncio.create_task(self._sweep())
        try:
            await super().shutdown(sockets)
        finally:
            sweeping.cancel()

    async def _sweep(self) -> None:
        """Abort connections whose peer does not answer the TLS shutdown within a second."""
        before: set[Any] = set()
        while True:
            await asyncio.sleep(1.0)
            closing = {c for c in self.server_state.connections if c.transport.is_closing()}
            for connection in before & closing:
                connection.transport.abort()
            before = closing


async def serve(
    service: Service,
    stop: asyncio.Event,
    started: Callable[[], None],
    tick: Callable[[], object] | None = None,
) -> None:
    """Serve until `stop` is set, then drain and end.

    Handles no signals, so it can share a loop with other code, such as an operator. `started` is
    called once requests are accepted, `tick` every second from then on and at the end.
    Raises what `Webhook.load` raises.
    """
    webhook, certificate, options = service.webhook, service.certificate, service.options
    await asyncio.to_thread(webhook.load)
    servers = [(_make_server(webhook, webhook, options, certificate), service.listeners.main)]
    if (probes := service.listeners.probes) is not None:
        servers.append((_make_server(webhook.probes, webhook, options, None), probes))
    tasks = [asyncio.create_task(one.serve(sockets=[place])) for one, place in servers]
    stopping = asyncio.create_task(stop.wait())
    aside: list[asyncio.Task[Any]] = [stopping]
    if certificate is not None:
        poll = partial(certificate.poll, webhook.counts)
        aside.append(asyncio.create_task(_repeat(poll, options.poll)))
    if tick is not None:
        aside.append(asyncio.create_task(_repeat(tick, _HEARTBEAT)))
    try:
        while not all(one.started for one, _ in servers) and not any(t.done() for t in tasks):
            await asyncio.sleep(0.005)
        started()
        await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
        LOG.info("draining", extra=facts(seconds=options.drain))
        webhook.drain()
        await asyncio.wait(tasks, timeout=options.drain)
    except asyncio.CancelledError:
        for one, _ in servers:
            one.force_exit = True
        raise
    finally:
        webhook.drain()
        for one, _ in servers:
            one.should_exit = True
        for task in aside:
            task.cancel()
        await asyncio.gather(*tasks)
        webhook.close()
        if tick is not None:
            tick()
        LOG.info("ended")


def run(
    service: Service,
    started: Callable[[], None],
    tick: Callable[[], object] | None = None,
    parent: int | None = None,
) -> None:
    """Serve in a new event loop until SIGTERM or SIGINT; a second signal ends at once.

    `parent` is a file descriptor that becomes readable when this worker must end.
    """

    async def main() -> None:
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        task = asyncio.current_task()

        def end() -> None:
            if stop.is_set() and task is not None:
                task.cancel()
            stop.set()

        def orphaned(descriptor: int) -> None:
            loop.remove_reader(descriptor)
            stop.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            if signal.getsignal(number) != signal.SIG_IGN:
                _on_signal(loop, number, end)
        if parent is not None:
            loop.add_reader(parent, orphaned, parent)
        await serve(service, stop, started, tick)

    service.webhook.load()
    with (
        spared_collector(),
        asyncio.Runner(loop_factory=_loop_factory()) as runner,
        contextlib.suppress(asyncio.CancelledError),
    ):
        runner.run(main())


def _on_signal(
    loop: asyncio.AbstractEventLoop, number: signal.Signals, act: Callable[[], None]
) -> None:
    try:
        loop.add_signal_handler(number, act)
    except NotImplementedError:  # on Windows, where any handler wakes a loop up
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(act))


def _make_server(
    app: Any, webhook: Webhook, options: ServerOptions, certificate: ServingCertificate | None
) -> _Server:
    settings = {"limits": webhook.limits, "reviews": webhook if app is webhook else None}
    protocol = type("_Protocol", (WebhookProtocol,), settings)
    config = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        interface="asgi3",
        lifespan="off",  # `serve` loads and closes the webhook
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=webhook.limits.keep_alive,
        timeout_graceful_shutdown=round(options.grace),
    )
    config.load()
    # Not by file names: a new certificate is loaded into this context later.
    config.ssl = certificate.context if certificate else None
    return _Server(config)


async def _repeat(act: Callable[[], object], seconds: float) -> None:
    while True:
        act()
        await asyncio.sleep(seconds)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ModuleNotFoundError:  # uvloop does not exist for Windows
        return None
    return uvloop.new_event_loop
