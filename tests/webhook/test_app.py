"""The webhook as an ASGI application, without a server and with a reviewer of its own."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.carriers.reports import Report
from holdall.objects.tolerance import Unused
from holdall.review.reviewer import Degradation, Oddity, Reviewed
from holdall.scheme.scheme import Scheme
from holdall.webhook.app import Webhook
from holdall.webhook.limits import Limits
from holdall.webhook.logs import LineFormatter
from tests.support.asgi import Got, request
from tests.support.clock import Clock
from tests.support.objects import resource
from tests.support.reviews import body_of, converted
from tests.support.serving import PATIENCE

SMALL = Limits(body=1000, held=1500, bodies=3, in_loop=100, time=30)


class Stub:
    """A reviewer that says what it was given, after `act`."""

    def __init__(self, act: Callable[[bytes], object] = len, body: bytes = b"") -> None:
        self.act = act
        self.body = body

    def review(self, body: bytes) -> Reviewed:
        self.act(body)
        return Reviewed(200, self.body or b"reply to %d" % len(body), objects=1)


class Slow(Stub):
    """A reviewer whose large reviews begin, and do not end before `go`."""

    def __init__(self) -> None:
        super().__init__(self._wait)
        self.begun, self.go = threading.Event(), threading.Event()

    def _wait(self, body: bytes) -> None:
        if len(body) > SMALL.in_loop:
            self.begun.set()
            assert self.go.wait(PATIENCE)

    async def begin(self, webhook: Webhook, query: str = "") -> asyncio.Task[Got]:
        """Send a large review, and return once it is being converted."""
        task = asyncio.create_task(request(webhook, body=b"x" * 200, query=query))
        assert await asyncio.to_thread(self.begun.wait, PATIENCE)
        return task


def loaded(reviewer: Any = None, limits: Limits = SMALL, path: str = "/convert") -> Webhook:
    webhook = Webhook((), reviewer=reviewer or Stub(), limits=limits, path=path)
    webhook.load()
    return webhook


def ask(app: Any, *arguments: Any, **options: Any) -> Got:
    return asyncio.run(request(app, *arguments, **options))


THING = resource("example.com/v1", "Thing", "a", spec={"size": 3, "color": "secret-red"})


# --- where and how ---


@pytest.mark.parametrize("path", ["/convert", "/convert/", "/convert/example.com/things"])
def test_reviews_are_answered_on_the_path_and_below(path: str) -> None:
    """The path of the webhook may go on, and its query is ignored."""
    got = ask(loaded(), "POST", path, b"1234", query="a=b&timeout=nonsense")
    assert (got.status, got.body) == (200, b"reply to 4")
    assert got.headers[b"content-type"] == b"application/json"


@pytest.mark.parametrize(
    ("path", "asked", "status"),
    [
        ("/", "/anything/at/all", 200),
        ("/", "/healthz", 405),
        ("a/b/", "/a/b", 200),
        ("/a", "/ab", 404),
        ("/convert", "/other", 404),
    ],
)
def test_another_path_can_be_configured(path: str, asked: str, status: int) -> None:
    """Any path will do; the probes keep theirs."""
    assert ask(loaded(path=path), "POST", asked, b"1").status == status


def test_it_can_be_mounted() -> None:
    """Below a mount point the path is what follows `root_path`."""
    assert ask(loaded(), "POST", "/hooks/convert", b"1", root_path="/hooks").status == 200
    assert ask(loaded(), "POST", "/hooks/other", b"1", root_path="/hooks").status == 404


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_other_methods_are_refused_without_redirect(method: str) -> None:
    """WC-14: 405 with Allow, and a Status as body."""
    got = ask(loaded(), method)
    assert (got.status, got.headers[b"allow"]) == (405, b"POST")
    assert b"location" not in got.headers
    assert got.document["kind"] == "Status"


def test_a_content_type_does_not_matter() -> None:
    """WC-15: a charset, or no content type at all, changes nothing."""
    headers = {"content-type": "application/json; charset=utf-8"}
    assert ask(loaded(), body=b"1", headers=headers).status == 200


# --- bodies ---


def test_a_body_in_pieces_is_one_body() -> None:
    """WC-17: without Content-Length, and in several messages."""
    assert ask(loaded(), body=[b"12", b"", b"345"]).body == b"reply to 5"
    pieces = {"headers": {"content-length": "5"}}
    assert ask(loaded(), body=[b"12", b"345"], **pieces).body == b"reply to 5"


def test_a_body_at_the_limit_passes_and_one_beyond_does_not() -> None:
    """WC-79: announced or not, 413 with a Status; no more is kept than the limit allows."""
    assert ask(loaded(), body=b"x" * 1000).status == 200
    announced = ask(loaded(), body=b"x" * 1001)
    chunked = ask(loaded(), body=[b"x" * 500] * 3)
    for got in (announced, chunked):
        assert got.status == got.document["code"] == 413
        assert (got.document["apiVersion"], got.document["kind"]) == ("v1", "Status")
        assert got.headers[b"connection"] == b"close"


def test_an_endless_body_is_cut_off() -> None:
    """What exceeds the limit is read on, so that the answer arrives, but not forever."""
    read = 0

    def parts() -> Iterator[bytes]:
        nonlocal read
        for _ in range(1000):
            read += 1
            yield b"x" * 100

    source = parts()

    async def receive() -> Any:
        return {"type": "http.request", "body": next(source), "more_body": True}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/convert", "headers": []}
    asyncio.run(loaded()(scope, receive, send))
    assert sent[0]["status"] == 413
    assert read < 30


def test_nothing_is_read_of_a_refused_body_that_waits_to_be_asked_for() -> None:
    """WC-18: with `Expect: 100-continue` a body that is too large is refused before it is sent."""
    headers = {"expect": "100-continue", "content-length": "99999"}

    async def receive() -> Any:
        raise AssertionError("the body was asked for")

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    pairs = [(k.encode(), v.encode()) for k, v in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/convert", "headers": pairs}
    asyncio.run(loaded()(scope, receive, send))
    assert sent[0]["status"] == 413


@pytest.mark.parametrize("length", ["-1", "abc", "9" * 30, ""])
def test_a_length_that_is_none_is_a_bad_request(length: str) -> None:
    """A server lets such a request through rarely, but then it is an answer, not an exception."""
    assert ask(loaded(), body=b"x", headers={"content-length": length}).status == 400


def test_an_encoded_request_is_refused() -> None:
    """No API server compresses requests; a Status says so to whoever does."""
    got = ask(loaded(), body=b"x", headers={"content-encoding": "gzip"})
    assert got.status == got.document["code"] == 415


def test_a_client_that_leaves_is_no_error() -> None:
    """A connection that ends within a body leaves nothing behind."""
    webhook = loaded()

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        raise AssertionError(message)

    scope = {"type": "http", "method": "POST", "path": "/convert", "headers": []}
    asyncio.run(webhook(scope, receive, send))
    assert (webhook.gate.bodies, webhook.gate.held) == (0, 0)


# --- overload, time ---


def test_too_much_at_once_is_answered_503() -> None:
    """WC-75: whatever has no room, by number or by bytes, gets `Retry-After` as an integer."""

    async def run(count: int, size: int) -> list[Got]:
        webhook = loaded()
        go = asyncio.Event()
        tasks = [
            asyncio.create_task(request(webhook, body=[b"x" * size, b"x"], then=go))
            for _ in range(count)
        ]
        await asyncio.sleep(0)
        go.set()
        answers = await asyncio.gather(*tasks)
        assert (webhook.gate.bodies, webhook.gate.held) == (0, 0)
        return answers

    for answers in (asyncio.run(run(5, 10)), asyncio.run(run(3, 700))):
        refused = [got for got in answers if got.status == 503]
        assert refused and len(refused) < len(answers)
        for got in refused:
            assert int(got.headers[b"retry-after"]) >= 1
            assert got.document["reason"] == "ServiceUnavailable"


@pytest.mark.parametrize("body", [[b"x", b"y"], b"x"], ids=["in pieces", "announced"])
def test_a_body_that_does_not_come_is_answered_408(clock: Clock, body: list[bytes] | bytes) -> None:
    """A slow body is given up at the deadline; `?timeout` makes that sooner (WC-77)."""

    async def run() -> Got:
        task = asyncio.create_task(
            request(loaded(), body=body, query="timeout=10s", then=asyncio.Event())
        )
        await asyncio.sleep(0)
        clock.advance(9.9)
        for _ in range(10):
            await asyncio.sleep(0)
        assert not task.done()
        clock.advance(0.2)
        return await task

    assert asyncio.run(run()).status == 408


def test_a_conversion_that_takes_too_long_is_answered_504(clock: Clock) -> None:
    """WC-77: the deadline ends the waiting, and the bytes are held until the thread is done."""
    slow = Slow()
    webhook = loaded(slow)

    async def run() -> None:
        task = await slow.begin(webhook, query="timeout=10s")
        clock.advance(10.1)
        got = await task
        assert (got.status, got.document["reason"]) == (504, "Timeout")
        assert webhook.gate.held == 200
        slow.go.set()
        while webhook.gate.held:
            await asyncio.sleep(0)

    asyncio.run(run())
    assert webhook.gate.bodies == 0


def test_a_large_review_does_not_keep_others_waiting() -> None:
    """While a large body is converted, probes and small reviews are answered."""
    slow = Slow()
    webhook = loaded(slow)

    async def run() -> None:
        large = await slow.begin(webhook)
        assert (await request(webhook, "GET", "/readyz")).status == 200
        assert (await request(webhook, body=b"1")).body == b"reply to 1"
        assert not large.done()
        slow.go.set()
        assert (await large).body == b"reply to 200"

    asyncio.run(run())


# --- replies ---


@pytest.mark.parametrize(
    ("accept", "packed"),
    [("gzip", True), ("deflate, gzip;q=0.5", True), ("*", True), ("gzip;q=0", False), ("", False)],
)
def test_a_large_reply_is_compressed_for_who_accepts_it(accept: str, packed: bool) -> None:
    """WC-16: gzip only if it is accepted, and only for a large body."""
    large = b"y" * (200 << 10)
    limits = Limits(in_loop=100)
    headers = {"accept-encoding": accept}
    got = ask(loaded(Stub(body=large), limits), body=b"x" * 200, headers=headers)
    assert (got.headers.get(b"content-encoding") == b"gzip") is packed
    assert (gzip.decompress(got.body) if packed else got.body) == large
    small = ask(loaded(Stub(), limits), body=b"x" * 200, headers=headers)
    assert b"content-encoding" not in small.headers


def test_a_small_body_with_a_packed_bag_is_converted_aside() -> None:
    """It may be a thousand times as large when it is unpacked."""
    where: list[bool] = []
    webhook = loaded(Stub(lambda _: where.append(threading.current_thread() is main)))
    main = threading.current_thread()
    for body in (b"small", b'"zlib:eJw', b"x" * 200):
        assert ask(webhook, body=body).status == 200
    assert where == [True, False, False]


def test_logs_name_long_things_by_their_beginning(caplog: pytest.LogCaptureFixture) -> None:
    long = "/spec/" + "a" * 1_000_000

    class Odd(Stub):
        def review(self, body: bytes) -> Reviewed:
            entries: Report = [Unused(long, "v1", f"k{at}", "why") for at in range(100)]
            found = (Degradation(0, "an object", entries), Degradation(1, "another", entries))
            odd = (Oddity("a thing", (long,)),)
            return Reviewed(200, b"", unused=found, dropped=found, degradations=found, oddities=odd)

    assert ask(loaded(Odd()), body=b"x").status == 200
    lines = [json.loads(LineFormatter().format(record)) for record in caplog.records]
    named = [
        text
        for line in lines
        for key in ("unused", "lost", "quarantined")
        if key in line
        for text in line[key]
    ]
    assert len(named) == 21
    assert all(len(text) <= 400 and text.endswith("...") for text in named)
    assert [line["entries"] for line in lines if "unused" in line] == [200]


def test_a_reviewer_that_raises_is_an_answer_and_a_log_without_contents(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """WC-78: what no rule foresees is a 500 with a Status; the log has type and place only."""

    def fail(body: bytes) -> None:
        raise RuntimeError("the password is swordfish")

    for size in (10, 200):
        got = ask(loaded(Stub(fail)), body=b"x" * size)
        assert got.status == got.document["code"] == 500
        assert b"swordfish" not in got.body
    texts = [LineFormatter().format(record) for record in caplog.records]
    assert len(texts) == 2
    assert all("swordfish" not in text and "RuntimeError" in text for text in texts)


def test_a_line_of_the_log_is_no_longer_than_it_has_to_be(
    scheme: Scheme, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever a client writes into a review, or into the annotations of an object."""
    webhook, long = Webhook([scheme]), "x" * 300_000
    bag = {"bags": {f"/spec/{long}": {long: {long: 1}}}, "group": "example.com", "kind": "Thing"}
    annotation = json.dumps({**bag, "version": "v1", "v": 2})
    forged = {**THING, "metadata": {"name": long, "annotations": {SPEC_ANNOTATION: annotation}}}
    for obj in (forged, {**forged, "kind": long}, {**forged, "spec": []}):
        for to in ("example.com/v2", long):
            ask(webhook, body=body_of([obj], to, uid=long))
    lines = [LineFormatter().format(record) for record in caplog.records]
    assert len(lines) > 4
    assert max(map(len, lines)) < 10_000


@pytest.mark.parametrize("size", [50, 200])
@pytest.mark.parametrize("error", [asyncio.CancelledError, GeneratorExit, SystemExit])
def test_no_exception_of_a_review_ends_more_than_that(
    error: type[BaseException], size: int, clock: Clock
) -> None:
    """In the loop or in the thread, which is not taken for stuck afterwards."""

    def fail(_: bytes) -> NoReturn:
        raise error

    webhook = loaded(Stub(fail))

    async def run() -> None:
        assert (await request(webhook, body=b"x" * size)).status == 500
        clock.advance(100)
        assert (await request(webhook, "GET", "/healthz")).status == 200

    asyncio.run(run())


# --- readiness, draining ---


def test_a_review_without_an_end_fails_the_liveness_probe(clock: Clock) -> None:
    """Nothing can interrupt it, so the process asks to be replaced; it is well again if it ends."""
    slow = Slow()
    webhook = loaded(slow, Limits(in_loop=100, time=10, stuck=5))

    async def run() -> None:
        stuck = await slow.begin(webhook)
        clock.advance(4.9)
        assert (await request(webhook, "GET", "/healthz")).status == 200
        clock.advance(0.2)
        for path in ("/healthz", "/readyz"):
            assert (await request(webhook, "GET", path)).status == 503
        slow.go.set()
        assert (await stuck).status == 200
        assert (await request(webhook, "GET", "/healthz")).status == 200

    asyncio.run(run())


def test_draining_ends_connections_and_sends_requests_elsewhere() -> None:
    """WC-74: not ready, new reviews 503 with `Retry-After`, what is in flight is finished."""
    slow = Slow()
    webhook = loaded(slow)

    async def run() -> None:
        before = await slow.begin(webhook)
        webhook.drain()
        assert (await request(webhook, "GET", "/readyz")).status == 503
        assert (await request(webhook, "GET", "/healthz")).status == 200
        refused = await request(webhook, body=[b"1", b"2"])
        assert (refused.status, refused.headers[b"retry-after"]) == (503, b"1")
        assert refused.headers[b"connection"] == b"close"
        slow.go.set()
        got = await before
        assert (got.status, got.headers[b"connection"]) == (200, b"close")

    asyncio.run(run())


def test_readiness_comes_with_the_lifespan_or_the_first_request(scheme: Scheme) -> None:
    """A mounted application gets no lifespan event: the first review loads what it needs."""
    webhook = Webhook([scheme])
    assert ask(webhook, "GET", "/readyz").status == 503
    got = ask(webhook, body=body_of([THING], "example.com/v2"))
    assert converted(got.body)[0]["apiVersion"] == "example.com/v2"
    assert ask(webhook, "GET", "/readyz").body == b"ok"


def lifespan_of(webhook: Webhook) -> list[Any]:
    events = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return events.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(webhook({"type": "lifespan"}, receive, send))
    return sent


def test_the_lifespan_loads_and_tests_everything(scheme: Scheme) -> None:
    """After the start event it is ready."""
    webhook = Webhook([scheme])
    kinds = [message["type"] for message in lifespan_of(webhook)]
    assert kinds == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert webhook.ready


class Wrong:
    """A reviewer that returns every object as it is."""

    def review(self, body: bytes) -> Reviewed:
        asked = json.loads(body)["request"]
        response = {
            "uid": asked["uid"],
            "result": {"status": "Success"},
            "convertedObjects": asked["objects"],
        }
        return Reviewed(200, json.dumps({"response": response}).encode())


def test_a_self_test_that_fails_prevents_readiness(scheme: Scheme) -> None:
    """All pairs of versions that fail are listed, and nothing is served."""
    webhook = Webhook([scheme], reviewer=Wrong())
    (failed,) = lifespan_of(webhook)
    assert failed["type"] == "lifespan.startup.failed"
    assert failed["message"].count("HA825") == 2
    assert "Thing from v1 to v2" in failed["message"]
    assert ask(webhook, body=b"{}").status == 503
    assert ask(webhook, "GET", "/readyz").status == 503


# --- metrics ---


def test_metrics_say_what_was_converted(scheme: Scheme) -> None:
    """Objects by kind, versions and outcome; answers by status; sizes, times, bags."""
    webhook = Webhook([scheme])
    good = body_of([THING, {**THING, "apiVersion": "example.com/v2"}], "example.com/v2")
    ask(webhook, body=good)
    odd = body_of([{**THING, "spec": []}], "example.com/v2")
    ask(webhook, body=odd)
    ask(webhook, body=b"{")
    text = ask(webhook, "GET", "/metrics").body.decode()
    to = 'to="example.com/v2"'
    for line in (
        f'objects_total{{from="example.com/v1",kind="Thing",outcome="converted",{to}}} 1.0',
        f'objects_total{{from="example.com/v2",kind="Thing",outcome="unchanged",{to}}} 1.0',
        f'objects_total{{from="example.com/v1",kind="Thing",outcome="quarantined",{to}}} 1.0',
        'requests_total{code="200"} 2.0',
        'requests_total{code="400"} 1.0',
        "review_seconds_count 3.0",
        f"request_bytes_sum {float(len(good) + len(odd) + 1)}",
    ):
        assert f"holdall_webhook_{line}\n" in text
    assert "holdall_webhook_bag_bytes_total 0.0" not in text
    assert "secret-red" not in text


def test_metrics_count_what_was_refused() -> None:
    """Refusals count by their status, and 503 counts as shed."""
    webhook = loaded()
    webhook.drain()
    ask(webhook, body=b"1")
    text = ask(webhook, "GET", "/metrics").body.decode()
    assert 'holdall_webhook_requests_total{code="503"} 1.0' in text
    assert "holdall_webhook_shed_total 1.0" in text


def test_a_port_of_its_own_has_the_probes_only() -> None:
    """The second application serves probes and metrics, and no reviews."""
    webhook = loaded()
    assert ask(webhook.probes, "GET", "/metrics").status == 200
    assert ask(webhook.probes, "GET", "/readyz").status == 200
    assert ask(webhook.probes, "POST", "/convert", b"1").status == 404


def test_failures_are_logged_without_contents(
    scheme: Scheme, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A failed review is a warning with uid and reason; it does not show the object."""
    webhook = Webhook([scheme])
    bad = {**THING, "spec": {"size": 1, "labels": "secret-\ud800", "color": "secret-red"}}
    with caplog.at_level(logging.INFO, "holdall.webhook"):
        ask(webhook, body=body_of([bad], "example.com/v2"))
    (line,) = [LineFormatter().format(record) for record in caplog.records]
    said = json.loads(line)
    assert said["level"] == "warning"
    assert "/spec/labels" in said["reason"]
    assert "secret" not in line
