"""What `protocol` and `server` rely on in uvicorn: a version of it that breaks that fails here.

uvicorn promises nothing about most of it, so pyproject.toml bounds its version. To raise the bound,
install the new version, and run this file and `make e2e`.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import uvicorn
from packaging.requirements import Requirement
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from holdall.webhook import protocol, server
from holdall.webhook.protocol import WebhookProtocol

ROOT = Path(__file__).parents[2]
REQUEST = (
    b"POST /convert?a=b HTTP/1.1\r\nHost: here\r\nX-Some: Thing\r\nContent-Length: 4\r\n\r\nbody"
)
READ: dict[str, type | tuple[type, ...]] = {
    "cycle": type(None),
    "expect_100_continue": bool,
    "flow": object,
    "headers": type(None),
    "loop": asyncio.AbstractEventLoop,
    "parser": object,
    "server_state": ServerState,
    "timeout_keep_alive_task": type(None),
    "transport": object,
    "url": bytes,
}
"""The attributes of uvicorn's protocol that ours reads or sets, as they are before a head."""


def overridden(module: Any, name: str) -> list[str]:
    """List the methods of a class of ours that are uvicorn's, too."""
    cls = getattr(module, name)
    base = cls.__mro__[1]
    return [n for n, f in vars(cls).items() if inspect.isfunction(f) and hasattr(base, n)]


def recording(*names: str) -> tuple[type[HttpToolsProtocol], list[tuple[Any, ...]]]:
    """Return uvicorn's protocol, and a list of the calls of some of its methods to come."""
    calls: list[tuple[Any, ...]] = []

    def recorder(name: str) -> Any:
        def record(self: HttpToolsProtocol, *arguments: Any) -> None:
            calls.append((name, *arguments))
            getattr(HttpToolsProtocol, name)(self, *arguments)

        return record

    return type("_Recording", (HttpToolsProtocol,), {n: recorder(n) for n in names}), calls


def connect(cls: type[HttpToolsProtocol], app: Any) -> HttpToolsProtocol:
    """Return a connection to an application."""
    config = uvicorn.Config(app, http=cls, lifespan="off", log_config=None)
    config.load()
    connection = cls(config, ServerState(), {}, asyncio.get_running_loop())
    transport = MagicMock()
    transport.is_closing.return_value = False
    transport.get_extra_info.return_value = None
    connection.connection_made(transport)
    return connection


async def empty(scope: Any, receive: Any, send: Any) -> None:
    """Answer anything with nothing."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def test_the_version_is_bounded_on_both_sides() -> None:
    """An open bound would let a version in that nobody tried."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extra = pyproject["project"]["optional-dependencies"]["webhook"]
    (found,) = (r for r in map(Requirement, extra) if r.name == "uvicorn")
    assert {one.operator for one in found.specifier} == {">=", "<"}
    assert version("uvicorn") in found.specifier, "see above how to raise the bound"


@pytest.mark.parametrize(
    ("module", "name", "methods"),
    [
        (
            protocol,
            "WebhookProtocol",
            [
                *("__init__", "connection_made", "connection_lost", "data_received", "shutdown"),
                *("on_message_begin", "on_headers_complete", "on_body", "on_message_complete"),
                "send_400_response",
            ],
        ),
        (server, "_Server", ["capture_signals", "shutdown"]),
    ],
)
def test_what_is_overridden_is_there_with_the_same_parameters(
    module: Any, name: str, methods: list[str]
) -> None:
    """A method that uvicorn renames would never be called again, without any error."""
    cls = getattr(module, name)
    assert overridden(module, name) == methods
    for method in methods:
        own, theirs = (
            list(inspect.signature(getattr(c, method)).parameters) for c in cls.mro()[:2]
        )
        assert own == theirs, f"uvicorn has other parameters for {method}"


def test_what_is_read_is_there_and_of_its_kind() -> None:
    """The table above is complete, and holds for the version that is installed."""
    tree = ast.parse(Path(protocol.__file__).read_text(encoding="utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }
    read = {name for name in used - vars(WebhookProtocol).keys() if not name.startswith("_")}
    assert read == {*READ, "on_response_complete"}

    async def run() -> None:
        connection = connect(HttpToolsProtocol, empty)
        connection.url, connection.expect_100_continue = b"", False
        for name, kind in READ.items():
            assert isinstance(getattr(connection, name), kind), f"uvicorn has another {name}"
        assert connection.flow.write_paused is False
        assert connection.parser.get_http_version is not None

    asyncio.run(run())


def test_a_request_goes_through_the_methods_in_order() -> None:
    """A head in parts, then its body, then the answer, which starts the time of keep-alive."""
    callbacks = (
        *("on_message_begin", "on_url", "on_header", "on_headers_complete"),
        *("on_body", "on_message_complete", "on_response_complete"),
    )
    cls, calls = recording(*callbacks)

    async def run() -> None:
        connection = connect(cls, empty)
        connection.data_received(REQUEST)
        assert calls[-1] == ("on_message_complete",)
        await asyncio.gather(*connection.tasks)
        assert calls == [
            ("on_message_begin",),
            ("on_url", b"/convert?a=b"),
            ("on_header", b"Host", b"here"),
            ("on_header", b"X-Some", b"Thing"),
            ("on_header", b"Content-Length", b"4"),
            ("on_headers_complete",),
            ("on_body", b"body"),
            ("on_message_complete",),
            ("on_response_complete",),
        ]
        assert connection.cycle.response_complete is True
        assert connection.server_state.total_requests == 1
        assert connection.timeout_keep_alive_task is not None

    asyncio.run(run())


def test_a_head_may_be_begun_late() -> None:
    """Ours reads a head into `url` and `headers` first, and lets uvicorn begin it after that."""

    async def run() -> None:
        connection = connect(HttpToolsProtocol, empty)
        connection.data_received(REQUEST[:-4])
        assert connection.url == b"/convert?a=b"
        assert connection.headers[1] == (b"x-some", b"Thing"), "names are in lower case"
        assert connection.scope["headers"] is connection.headers
        connection.on_message_begin()
        assert (connection.url, connection.headers) == (b"", [])
        assert connection.scope["headers"] is connection.headers
        assert connection.expect_100_continue is False
        await asyncio.gather(*connection.tasks)

    asyncio.run(run())


def test_what_is_no_http_is_answered_by_one_method() -> None:
    """Ours answers with a Status in its place."""
    cls, calls = recording("send_400_response")

    async def run() -> None:
        connect(cls, empty).data_received(b"no http\r\n\r\n")
        assert [name for name, _ in calls] == ["send_400_response"]

    asyncio.run(run())


def test_a_server_makes_new_headers_and_looks_at_its_switches() -> None:
    """Heads of answers are kept as long as `default_headers` is the same list."""

    async def run() -> None:
        config = uvicorn.Config(empty, lifespan="off", log_config=None, server_header=False)
        config.load()
        running = uvicorn.Server(config)
        assert (running.started, running.should_exit, running.force_exit) == (False, False, False)
        assert await running.on_tick(0) is False
        first = running.server_state.default_headers
        assert [name for name, _ in first] == [b"date"]
        assert await running.on_tick(10) is False
        assert running.server_state.default_headers is not first
        running.should_exit = True
        assert await running.on_tick(1) is True

    asyncio.run(run())
