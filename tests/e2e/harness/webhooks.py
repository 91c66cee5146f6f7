"""A small conversion webhook for tests, behaving well or badly, that records what it was asked."""

from __future__ import annotations

import copy
import json
import ssl
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeAlias

from tests.e2e.harness.certificates import Authority, Pair


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer; a body that is no bytes is written as JSON."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def data(self) -> bytes:
        """Return the bytes of the body."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Behaviour: TypeAlias = Callable[[Any], Answer | None]
"""From the parsed review to the answer; None closes the connection without one."""

Convert: TypeAlias = Callable[[dict[str, Any], str], Any]
"""From a copy of an object and the desired apiVersion to the converted object."""


def converting(convert: Convert) -> Behaviour:
    """Answer Success with every object converted."""

    def respond(review: Any) -> Answer:
        request = review["request"]
        desired = request["desiredAPIVersion"]
        done = [convert(copy.deepcopy(item), desired) for item in request["objects"]]
        return Answer(success(review, done))

    return respond


def success(review: Any, converted: Any) -> Any:
    """Return the review that answers Success with these objects."""
    return respond_with(review, {"result": {"status": "Success"}, "convertedObjects": converted})


def respond_with(review: Any, response: Mapping[str, Any]) -> Any:
    """Return the review that answers with this response; the uid is that of the request."""
    return {
        "apiVersion": review["apiVersion"],
        "kind": review["kind"],
        "response": {"uid": review["request"]["uid"], **response},
    }


def failing(message: str) -> Behaviour:
    """Answer Failure with a message."""
    result = {"status": "Failure", "message": message}
    return lambda review: Answer(respond_with(review, {"result": result, "convertedObjects": []}))


def relabel(item: dict[str, Any], desired: str) -> dict[str, Any]:
    """Convert by changing the apiVersion only."""
    return {**item, "apiVersion": desired}


class Webhook:
    """The webhook's server. `behave` may be replaced at any time; `reviews` holds the last 500."""

    def __init__(self, authority: Authority, pair: Pair, behave: Behaviour | None = None) -> None:
        """Listen on a free port of 127.0.0.1."""
        self.behave = behave or converting(relabel)
        self.reviews: deque[Any] = deque(maxlen=500)
        self.bundle = authority.bundle
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(pair.certificate, pair.key)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.webhook = self
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self._server.server_port}/convert"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def asked(self, name: str) -> list[tuple[str, str]]:
        """Return (from, to) of the recorded conversions of the objects of a name."""
        return [
            (item["apiVersion"], review["request"]["desiredAPIVersion"])
            for review in list(self.reviews)
            for item in review["request"]["objects"]
            if item.get("metadata", {}).get("name") == name
        ]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    webhook: Webhook

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: a peer that goes away is no news, and behaviours have their own test."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one segment
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        """Record the review and answer as told."""
        webhook = self.server.webhook
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        webhook.reviews.append(review)
        answer = webhook.behave(review)
        if answer is None:
            self.close_connection = True
            return
        data = answer.data()
        self.send_response(answer.status)
        headers = {"Content-Type": "application/json", **answer.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""
