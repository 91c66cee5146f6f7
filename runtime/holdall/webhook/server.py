"""Serving a webhook with uvicorn, uvloop and httptools: sockets, TLS, and an orderly end.

The only module, beside `protocol`, that knows uvicorn.
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
"""Seconds between two signs of life."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How one process serves. Times are seconds.

    `drain` is how long after SIGTERM new requests are still answered, 503 with `Retry-After`:
    as long as API servers may still be sent here. `grace` is how long requests in flight may
    take after that. `poll` is how often the certificate's files are looked at.
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
    """What one process serves, where and how. Without a certificate: plain HTTP."""

    webhook: Webhook
    listeners: Listeners
    certificate: ServingCertificate | None = None
    options: ServerOptions = ServerOptions()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening TCP socket; "::" takes IPv4 as well. Raises SourceError (HA824)."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server(
            (host, port), family=family, backlog=_BACKLOG, dualstack_ipv6=host == "::"
        )
    except (OSError, OverflowError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        text = f"cannot listen: {reason}"
        fix = "choose another --host or --port, or end what listens there"
        raise SourceError([Problem("HA824", f"{host}:{port}", text, fix)]) from error
    bound.set_inheritable(True)
    return bound


class _Server(uvicorn.Server):
    """uvicorn's server, but who starts it decides when it ends, and no peer can delay that."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End in order, without waiting for peers that do not take part."""
        sweeping = asyncio.create_task(self._sweep())
        try:
            await super().shutdown(sockets)
        finally:
            sweeping.cancel()

    async def _sweep(self) -> None:
        """Cut off connections whose peer does not answer the end of TLS within a second."""
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

    Handles no signals, so it runs beside anything else in a loop, an operator for example.
    `started` is called once requests are taken, `tick` every second from then on and at the end.
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
    """Serve in an event loop of its own until SIGTERM or SIGINT; a second signal ends at once.

    `parent` is a file descriptor that becomes readable when there is nobody left to serve for.
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
    except NotImplementedError:  # on Windows, where a loop wakes up for any handler
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
        lifespan="off",  # `serve` loads and closes the webhook itself
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=webhook.limits.keep_alive,
        timeout_graceful_shutdown=round(options.grace),
    )
    config.load()
    # Not by file names: the context must stay within reach, to be given a new certificate.
    config.ssl = certificate.context if certificate else None
    return _Server(config)


async def _repeat(act: Callable[[], object], seconds: float) -> None:
    while True:
        act()
        await asyncio.sleep(seconds)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ModuleNotFoundError:  # there is none for Windows
        return None
    return uvloop.new_event_loop
