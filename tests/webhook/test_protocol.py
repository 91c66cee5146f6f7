"""One connection of the server, on a transport that only listens and under a clock of the test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any
from unittest.mock import MagicMock

import pytest
import uvicorn
from uvicorn.server import ServerState

from holdall.review.reviewer import Reviewed
from holdall.webhook.app import Webhook
from holdall.webhook.limits import Limits
from holdall.webhook.protocol import WebhookProtocol
from tests.support.clock import Clock

PROBE = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"


class Connection:
    """A connection to the application, what was written to it, and the time."""

    def __init__(self, clock: Clock, limits: Limits, reviews: Webhook | None = None) -> None:
        bounds = {"limits": limits, "reviews": reviews}
        protocol: type[WebhookProtocol] = type("_P", (WebhookProtocol,), bounds)
        config = uvicorn.Config(
            reviews or Webhook((), limits=limits),
            http=protocol,
            lifespan="off",
            log_config=None,
            timeout_keep_alive=limits.keep_alive,
        )
        config.load()
        self.clock = clock
        self.transport = MagicMock()
        self.transport.is_closing.side_effect = lambda: self.transport.close.called
        self.transport.get_extra_info.return_value = None
        self.protocol = protocol(config, ServerState(), {}, asyncio.get_running_loop())
        self.protocol.connection_made(self.transport)

    async def send(self, data: bytes) -> None:
        """Let bytes arrive, and everything that follows from them happen."""
        self.protocol.data_received(data)
        await asyncio.gather(*self.protocol.tasks)

    async def after(self, seconds: float) -> list[bytes]:
        """Let time pass; return the answers so far, by their status line."""
        self.clock.advance(seconds)
        for _ in range(3):
            await asyncio.sleep(0)
        written = b"".join(call.args[0] for call in self.transport.write.call_args_list)
        return [part.split(b" ")[0] for part in written.split(b"HTTP/1.1 ")[1:]]

    @property
    def ended(self) -> bool:
        """Whether the server has closed the connection."""
        return bool(self.transport.close.called)


Play = Callable[[Connection], Coroutine[Any, Any, None]]


@pytest.fixture
def play(clock: Clock) -> Iterator[Callable[[Play], None]]:
    """Run something with a new connection."""

    async def run(act: Play) -> None:
        await act(Connection(clock, Limits(head=10, keep_alive=180)))

    yield lambda act: asyncio.run(run(act))


def test_a_connection_that_was_reset_leaves_no_timer(play: Callable[[Play], None]) -> None:
    """Else each one that a client cut off would stay in memory for minutes."""

    async def act(connection: Connection) -> None:
        await connection.send(PROBE)
        timer = connection.protocol.timeout_keep_alive_task
        assert timer is not None
        connection.protocol.connection_lost(ConnectionResetError())
        assert timer.cancelled()

    play(act)


@pytest.mark.parametrize("before", [b"", PROBE], ids=["the first head", "a later head"])
def test_a_head_has_its_time(play: Callable[[Play], None], before: bytes) -> None:
    """However it trickles in, a head that is not whole after 10 s is answered 408."""

    async def act(connection: Connection) -> None:
        answers = []
        if before:
            await connection.send(before)
            assert await connection.after(100) == [b"200"]  # idle time is something else
            answers = [b"200"]
        await connection.send(b"POST /conv")
        for _ in range(9):
            assert await connection.after(1) == answers
            await connection.send(b"e")
        assert await connection.after(0.9) == answers
        assert not connection.ended
        assert await connection.after(0.2) == [*answers, b"408"]
        assert connection.ended

    play(act)


def test_a_connection_that_says_nothing_ends(play: Callable[[Play], None]) -> None:
    """Before the first head it has the time of a head, between requests that of keep-alive."""

    async def silent(connection: Connection) -> None:
        assert await connection.after(9.9) == []
        assert await connection.after(0.2) == [b"408"]
        assert connection.ended

    async def idle(connection: Connection) -> None:
        await connection.send(PROBE)
        await connection.after(179.9)
        assert not connection.ended
        await connection.after(0.2)
        assert connection.ended

    play(silent)
    play(idle)


@pytest.mark.parametrize("begun", [b"", PROBE[:20]])
def test_at_the_end_a_request_that_has_begun_has_a_last_chance(
    play: Callable[[Play], None], begun: bytes
) -> None:
    """A second; what comes in that time is answered, and what does not is cut off."""

    async def late(connection: Connection) -> None:
        connection.protocol.data_received(begun)
        connection.protocol.shutdown()
        await connection.after(0.9)
        assert not connection.ended
        await connection.after(0.2)
        assert connection.ended

    async def in_time(connection: Connection) -> None:
        connection.protocol.data_received(begun)
        connection.protocol.shutdown()
        await connection.after(0.9)
        await connection.send(PROBE[len(begun) :])
        assert await connection.after(10) == [b"200"]

    play(late)
    play(in_time)


def test_at_the_end_an_idle_connection_is_closed_at_once(play: Callable[[Play], None]) -> None:
    """Nobody waits for anything there."""

    async def act(connection: Connection) -> None:
        await connection.send(PROBE)
        connection.protocol.shutdown()
        assert connection.ended

    play(act)


def test_a_packed_bag_is_not_converted_between_two_reads(clock: Clock) -> None:
    """Other connections are served meanwhile, and the next request of this one has its turn."""
    where: list[bool] = []
    main = threading.current_thread()

    class Looking:
        def review(self, body: bytes) -> Reviewed:
            where.append(threading.current_thread() is main)
            return Reviewed(200, body)

    async def act() -> None:
        webhook = Webhook((), reviewer=Looking())
        webhook.load()
        connection = Connection(clock, Limits(), webhook)
        for body in (b"plain", b"zlib:packed", b"plain"):
            head = b"POST /convert HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body)
            await connection.send(head + body)
        assert await connection.after(0) == [b"200"] * 3
        assert not connection.ended

    asyncio.run(act())
    assert where == [True, False, True]


def test_a_head_behind_many_requests_is_not_too_large(play: Callable[[Play], None]) -> None:
    """They come in one read, and only the head counts."""

    async def act(connection: Connection) -> None:
        await connection.send(PROBE * 3000 + PROBE[:10])
        for _ in range(3000):
            await asyncio.sleep(0)
        assert b"431" not in await connection.after(1)
        assert not connection.ended
        await connection.send(b"x" * 66_000)
        assert connection.ended

    play(act)
