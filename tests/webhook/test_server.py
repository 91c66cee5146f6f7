"""`holdall serve` as a process, over real sockets and TLS."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.support.objects import resource
from tests.support.reviews import body_of, converted
from tests.support.serving import (
    PATIENCE,
    Served,
    exchange,
    read_announcement,
    serving,
    start,
    until,
    write_certificates,
)

THING = resource("example.com/v1", "Thing", "a", spec={"size": 3, "color": "red"})
BODY = body_of([THING], "example.com/v2")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")


def head_of(length: int, extra: str = "") -> bytes:
    """Return the head of a POST."""
    return (
        f"POST /convert?timeout=30s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n"
        f"{extra}\r\n"
    ).encode()


def read_answer(connection: socket.socket) -> tuple[int, bytes]:
    """Return status and body of the answer on a raw connection."""
    response = http.client.HTTPResponse(connection, method="POST")
    response.begin()
    return response.status, response.read()


def is_fine(served: Served) -> bool:
    """Tell whether a review is converted."""
    status, body = served.ask("POST", "/convert?timeout=30s", BODY)
    return status == 200 and converted(body)[0]["apiVersion"] == "example.com/v2"


@pytest.fixture(scope="module")
def served(things: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that all tests use which leave it as it was."""
    with serving(things, tmp_path_factory.mktemp("keys"), "--body-limit", "1") as found:
        yield found


# --- HTTP ---


def test_a_review_is_converted(served: Served) -> None:
    """A review over TLS is answered, again and again on one connection."""
    client = served.client()
    for _ in range(3):
        status, body, headers = exchange(client, "POST", "/convert?timeout=30s", BODY)
        assert status == 200
        assert headers["Content-Type"] == "application/json"
        assert converted(body)[0]["apiVersion"] == "example.com/v2"
    client.close()


def test_probes_and_metrics_are_on_the_same_port(served: Served) -> None:
    """Beside the reviews there are /healthz, /readyz and /metrics."""
    assert served.ask("GET", "/healthz") == (200, b"ok")
    assert served.ask("GET", "/readyz") == (200, b"ok")
    status, body = served.ask("GET", "/metrics")
    assert status == 200
    assert b"holdall_webhook_certificate_expiry_timestamp_seconds 1." in body


def test_a_head_gets_no_body(served: Served) -> None:
    """WC-14: HEAD is refused like GET, and the connection goes on."""
    client = served.client()
    assert exchange(client, "HEAD", "/convert")[:2] == (405, b"")
    assert exchange(client, "POST", "/convert", BODY)[0] == 200
    client.close()


def test_the_client_is_asked_to_continue(served: Served) -> None:
    """WC-18: a body that waits for `100 Continue` is asked for."""
    with served.connect() as connection:
        connection.sendall(head_of(len(BODY), "Expect: 100-continue\r\n"))
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.sendall(BODY)
        assert read_answer(connection)[0] == 200


def test_a_chunked_body_is_read(served: Served) -> None:
    """WC-17."""
    client = served.client()
    parts = (BODY[at : at + 50] for at in range(0, len(BODY), 50))
    client.request("POST", "/convert", parts, encode_chunked=True)
    response = client.getresponse()
    assert (response.status, len(converted(response.read()))) == (200, 1)
    client.close()


def test_head_and_body_of_an_answer_are_one_segment(served: Served) -> None:
    """WC-73: the whole answer is there at the first read of the socket below TLS."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = served.trust().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    with served.dial() as connection:
        connection.settimeout(PATIENCE)
        for act in (tls.do_handshake, lambda: tls.write(head_of(len(BODY)) + BODY)):
            while True:
                try:
                    act()
                    break
                except ssl.SSLWantReadError:
                    connection.sendall(outgoing.read())
                    incoming.write(connection.recv(65536))
        connection.sendall(outgoing.read())
        text = b""
        reads = 0
        while not text:
            incoming.write(connection.recv(65536))
            reads += 1
            try:
                # Session tickets may come first; they hold no answer.
                while True:
                    text += tls.read(65536)
            except ssl.SSLWantReadError:
                continue
        head, _, body = text.partition(b"\r\n\r\n")
        assert f"content-length: {len(body)}".encode() in head


BAD = body_of([{**THING, "spec": []}], "example.com/v2")
MANY = body_of([THING] * 1000, "example.com/v2")


def read_answers(connection: ssl.SSLSocket, count: int) -> list[bytes]:
    """Return so many answers of a connection, without their dates."""
    file = connection.makefile("rb")
    found = []
    for _ in range(count):
        head: dict[bytes, bytes] = {}
        text = file.readline()
        while (line := file.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            head[name] = value.strip()
            if name != b"date":
                text += line
        found.append(text + file.read(int(head[b"content-length"])))
    return found


@pytest.mark.parametrize(
    "sent",
    [
        head_of(len(BODY)) + BODY,
        head_of(len(BODY), "Connection: close\r\n") + BODY,
        head_of(len(BAD)) + BAD,
        head_of(1) + b"{",
        head_of(0),
    ],
    ids=["good", "last", "failing", "malformed", "empty"],
)
def test_a_request_in_pieces_gets_the_answer_of_a_whole_one(served: Served, sent: bytes) -> None:
    """Both ways through the server give the same bytes, and leave the connection alike."""
    answers: set[bytes] = set()
    for cut in (len(sent), len(sent) - 1, 30):
        with served.connect() as connection:
            connection.sendall(sent[:cut])
            if sent[cut:]:
                time.sleep(0.05)
                connection.sendall(sent[cut:])
            answers.add(*read_answers(connection, 1))
            if b"Connection: close" in sent:
                assert connection.recv(1) == b""
            else:
                connection.sendall(sent)
                answers.add(*read_answers(connection, 1))
    assert len(answers) == 1


def test_requests_on_the_heels_of_others_are_answered_in_order(served: Served) -> None:
    """Pipelined requests, short ones behind long ones: each answer stands in its place."""
    large = head_of(len(MANY)) + MANY
    small, bad = head_of(len(BODY)) + BODY, head_of(1) + b"{"
    chunked = (
        b"POST /convert HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
    )
    with served.connect() as connection:
        connection.sendall(small + bad + chunked + small + large + small + bad + small)
        statuses = [(got[9:12], len(got) > 100_000) for got in read_answers(connection, 8)]
    one, none, much = (b"200", False), (b"400", False), (b"200", True)
    assert statuses == [one, none, one, one, much, one, none, one]


def test_an_oversized_body_is_refused_and_the_answer_arrives(served: Served) -> None:
    """413 with a Status, announced or chunked, though the client still sends."""
    large = b"x" * (3 << 20)
    for body in (large, iter([large])):
        client = served.client()
        client.request("POST", "/convert", body, encode_chunked=not isinstance(body, bytes))
        response = client.getresponse()
        assert response.status == 413
        assert json.loads(response.read())["reason"] == "RequestEntityTooLarge"
        client.close()
    assert is_fine(served)


@pytest.mark.parametrize(
    "garbage", [b"\x16\x03\x01\x02\x00\xff" * 50, b"hello\r\n\r\n", b"\x80" * 64]
)
def test_garbage_instead_of_tls_ends_only_its_connection(served: Served, garbage: bytes) -> None:
    """Bytes that are no TLS: the connection is closed, others are served."""
    with served.dial() as connection:
        connection.sendall(garbage)
        connection.shutdown(socket.SHUT_WR)
        try:
            while connection.recv(4096):
                pass
        except ConnectionResetError:
            pass
    assert is_fine(served)


@pytest.mark.parametrize(
    "garbage", [b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"POST / SMTP/9\r\n\r\n"]
)
def test_garbage_instead_of_http_is_answered_400(served: Served, garbage: bytes) -> None:
    """Bytes that are no HTTP: 400 with a Status, then the end of the connection."""
    with served.connect() as connection:
        connection.sendall(garbage)
        status, body = read_answer(connection)
        assert (status, json.loads(body)["kind"]) == (400, "Status")
        assert connection.recv(1) == b""
    assert is_fine(served)


def test_garbage_instead_of_json_is_answered_400(served: Served) -> None:
    """WC-12: a body that is no review is a bad request, and the connection goes on."""
    client = served.client()
    for body in (b"\xff\xfe", b"[]", b"null", b'{"kind": "Pod"}', b"{" * 5000):
        status, answer, _ = exchange(client, "POST", "/convert", body)
        assert (status, json.loads(answer)["code"]) == (400, 400)
    assert exchange(client, "POST", "/convert", BODY)[0] == 200
    client.close()


def test_an_endless_head_is_refused(served: Served) -> None:
    """A head beyond 64 KiB is answered 431 with a Status."""
    with served.connect() as connection:
        connection.sendall(b"POST /convert HTTP/1.1\r\n")
        for _ in range(80):
            connection.sendall(b"X-Filler: " + b"x" * 1000 + b"\r\n")
        status, body = read_answer(connection)
    assert (status, json.loads(body)["code"]) == (431, 431)
    assert is_fine(served)


def test_half_closed_and_broken_connections_leave_nothing_behind(served: Served) -> None:
    """A client that stops sending, or vanishes, in the middle of anything: its connection ends,
    without an answer to what is not whole, and others are served.
    """
    for sent in (b"", b"POST /con", head_of(1000), head_of(1000) + b"x" * 10):
        with served.connect() as connection:
            connection.sendall(sent)
            socket.socket.shutdown(connection, socket.SHUT_WR)
            assert connection.recv(1) == b""
        with served.connect() as connection:
            connection.sendall(sent)
            # No lingering: the server sees a reset.
            linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    assert is_fine(served)


SHORT = (
    "import functools, holdall.cli.serve as s; "
    "s.Limits = functools.partial(s.Limits, head=1, time=2)"
)


def test_slow_clients_are_given_up(things: Path, tmp_path: Path) -> None:
    """A head that trickles in, a body that stalls: each ends; `test_protocol` says when."""
    with serving(things, tmp_path, settings=SHORT) as served:
        with served.connect() as connection:
            stop = threading.Event()

            def trickle() -> None:
                try:
                    for byte in b"POST /convert HTTP/1.1\r\nX-Slow: " + b"x" * 10000:
                        if stop.wait(0.05):
                            return
                        connection.sendall(bytes([byte]))
                except OSError:
                    return

            thread = threading.Thread(target=trickle)
            thread.start()
            assert read_answer(connection)[0] == 408
            stop.set()
            thread.join()
        for begun in (b"x", b""):
            with served.connect() as connection:
                connection.sendall(head_of(1000) + begun)
                assert read_answer(connection)[0] == 408
        assert is_fine(served)


def test_many_stalled_clients_do_not_keep_others_waiting(things: Path, tmp_path: Path) -> None:
    """A hundred connections that stall in handshake, head or body: reviews are answered."""
    with serving(things, tmp_path) as served:
        stalled: list[socket.socket] = [served.dial() for _ in range(40)]
        for sent in (b"POST /convert HTTP/1.1\r\nX-", head_of(1000) + b"x"):
            for _ in range(30):
                connection = served.connect()
                connection.sendall(sent)
                stalled.append(connection)
        assert is_fine(served)
        for one in stalled:
            one.close()


# --- logs, clocks ---


def test_a_full_disk_for_logs_changes_nothing(things: Path, tmp_path: Path) -> None:
    """Log lines that cannot be written are counted, and requests are answered."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    write_certificates(tmp_path)
    files = ("--cert", str(tmp_path / "tls.crt"), "--key", str(tmp_path / "tls.key"))
    with full.open("w") as errors:
        process = start(things, *files, "--drain", "0", errors=errors)
    served = Served(process, read_announcement(process), tmp_path, tmp_path / "none")
    try:
        assert served.ask("POST", "/convert", b"no review")[0] == 400
        assert is_fine(served)
        lines = served.ask("GET", "/metrics")[1].decode().splitlines()
        (dropped,) = [x for x in lines if x.startswith("holdall_webhook_logs_dropped_total ")]
        assert float(dropped.split()[1]) >= 2
        assert served.end() == 0
    finally:
        process.kill()
        process.wait(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()


def test_logs_are_lines_of_json(things: Path, tmp_path: Path) -> None:
    """Every line of standard error is a JSON object with time, level and message."""
    with serving(things, tmp_path) as served:
        served.ask("POST", "/convert", b"no review")
        assert served.end() == 0
        lines = served.logged()
    assert [line["message"] for line in lines] == [
        "serving",
        "a review failed",
        "draining",
        "ended",
    ]
    assert all(line["time"].endswith("+00:00") and line["level"] for line in lines)


JUMP = (
    "import time, itertools; real = time.time; jumps = itertools.cycle([0, -4e8, 4e8, 1e9]); "
    "time.time = lambda: real() + next(jumps)"
)


def test_clock_jumps_change_nothing(things: Path, tmp_path: Path) -> None:
    """The wall clock leaps by years at each reading: requests, and the end, take no notice."""
    with serving(things, tmp_path, settings=JUMP) as served:
        client = served.client()
        for _ in range(5):
            assert exchange(client, "POST", "/convert?timeout=30s", BODY)[0] == 200
            time.sleep(0.15)
        client.close()
        assert served.end() == 0


# --- workers, end ---


def test_a_killed_worker_is_replaced_and_costs_no_request(things: Path, tmp_path: Path) -> None:
    """Workers are killed one after the other under a load of new connections: none fails that
    was not in flight in the one killed, and counts are kept.
    """
    with serving(things, tmp_path, "--workers", "2") as served:
        before = until(lambda: len(served.workers()) == 2 and served.workers())

        def others_know(victim: int, number: int) -> bool:
            """Stop a worker; let it go on unless the other one knows what it counted."""
            os.kill(victim, signal.SIGSTOP)
            text = served.ask("GET", "/metrics")[1].decode()
            if f'holdall_webhook_requests_total{{code="200"}} {number}.0\n' in text:
                return True
            os.kill(victim, signal.SIGCONT)
            return False

        def is_replaced(victim: int) -> bool:
            return victim not in served.workers() and len(served.workers()) == 2

        for number, victim in enumerate(before, 1):
            for _ in range(10):
                assert is_fine(served)
            until(partial(others_know, victim, 10 * number))
            os.kill(victim, signal.SIGKILL)
            for _ in range(10):
                assert served.ask() == (200, b"ok")
            until(partial(is_replaced, victim))
        assert not set(before) & set(served.workers())
        assert served.end() == 0
        died = [line["pid"] for line in served.logged() if "died" in line["message"]]
        assert sorted(died) == sorted(before)


STUCK = (
    "import functools, time; import holdall.webhook.limits as l, holdall.review.reviewer as r; "
    "import holdall.webhook.server as s; s._HEARTBEAT = 0.1; "
    "l.Limits = functools.partial(l.Limits, stuck=3); review = r.Reviewer.review; "
    "r.Reviewer.review = lambda self, body: "
    "time.sleep(3600) if b'endless' in body else review(self, body)"
)


@pytest.mark.parametrize("size", [1, 100 << 10])
def test_a_worker_that_is_stuck_is_replaced(things: Path, tmp_path: Path, size: int) -> None:
    """A conversion that does not end, in the event loop or beside it, costs its worker only."""
    endless = {**THING, "metadata": {"name": "endless", "annotations": {"a": "x" * size}}}
    with serving(things, tmp_path, "--workers", "2", settings=STUCK) as served:
        before = set(until(lambda: len(served.workers()) == 2 and served.workers()))
        body = body_of([endless], "example.com/v2")
        connection = served.connect()
        connection.sendall(head_of(len(body)) + body)
        until(lambda: len(before & set(served.workers())) == 1)
        connection.close()
        until(lambda: len(served.workers()) == 2)
        for _ in range(10):
            assert is_fine(served)
        (stuck,) = (line["pid"] for line in served.logged() if "stuck" in line["message"])
        assert {stuck} == before - set(served.workers())
        assert served.end() == 0


def test_workers_end_with_their_supervisor(things: Path, tmp_path: Path) -> None:
    """A supervisor that is killed leaves nobody behind on its port."""
    with serving(things, tmp_path, "--workers", "2") as served:
        workers = until(lambda: len(served.workers()) == 2 and served.workers())
        served.process.kill()
        until(lambda: not any(Path(f"/proc/{pid}/cwd").exists() for pid in workers))


def end_under_load(served: Served, load: Callable[[], None], seen: Sequence[object]) -> None:
    """End a server in order while four clients load it, once some answers were seen."""
    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: len(seen) > 50)
    served.process.send_signal(signal.SIGTERM)
    for thread in threads:
        thread.join(PATIENCE)
    assert served.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_end_loses_no_request(things: Path, tmp_path: Path, workers: str) -> None:
    """SIGTERM under load: each request is answered 200, or 503 with Retry-After to be sent
    elsewhere; the connections that were open end in order, and the process ends with 0.
    """
    arguments = ("--workers", workers, "--drain", "1.5")
    with serving(things, tmp_path, *arguments) as served:
        answers: list[tuple[int, str | None]] = []
        faults: list[Exception] = []
        draining = threading.Event()

        def load() -> None:
            client = served.client()
            refused = 0
            try:
                while refused < 3:
                    status, _, headers = exchange(client, "POST", "/convert", BODY)
                    answers.append((status, headers["Retry-After"]))
                    if status == 503:
                        refused += 1
                        draining.set()
                    if headers["Connection"] == "close":
                        client.close()
            except (OSError, http.client.HTTPException) as error:
                faults.append(error)
            client.close()

        end_under_load(served, load, answers)
        assert not faults
        assert {status for status, _ in answers} == {200, 503}
        assert all(after == "1" for status, after in answers if status == 503)


PATIENT = f"import holdall.webhook.protocol as p; p._LAST_CHANCE = {PATIENCE}"


@pytest.mark.parametrize("begun", [0, 20])
def test_a_connection_made_at_the_end_is_answered(things: Path, tmp_path: Path, begun: int) -> None:
    """Who came before the door was shut is sent away with an answer, not cut off."""
    request = head_of(len(BODY)) + BODY
    with serving(things, tmp_path, "--drain", "0", settings=PATIENT) as served:
        connection = served.connect()
        connection.sendall(request[:begun])
        served.process.send_signal(signal.SIGTERM)

        def is_shut() -> bool:
            try:
                served.dial().close()
            except ConnectionError:
                return True
            return False

        until(is_shut)
        time.sleep(0.3)
        with connection:
            connection.sendall(request[begun:])
            assert read_answer(connection)[0] == 503
        assert served.process.wait(PATIENCE) == 0


def test_a_rolling_restart_fails_no_call(things: Path, tmp_path: Path) -> None:
    """The new server is ready, the old one gets SIGTERM: clients that try again after 503, as an
    API server does, get every review converted.
    """
    with (
        serving(things, tmp_path / "old", "--workers", "2", "--drain", "1.5") as old,
        serving(things, tmp_path / "new", "--workers", "2") as new,
    ):
        done: list[int] = []
        faults: list[Exception] = []

        def load() -> None:
            served, client = old, old.client()
            try:
                while served is old or len(done) < 2000:
                    status, _, _ = exchange(client, "POST", "/convert", BODY)
                    if status == 503:
                        client.close()
                        served, client = new, new.client()
                    else:
                        done.append(status)
            except (OSError, http.client.HTTPException) as error:
                faults.append(error)
            client.close()

        end_under_load(old, load, done)
        assert not faults
        assert set(done) == {200}


def test_a_request_in_flight_is_finished(things: Path, tmp_path: Path) -> None:
    """A body that arrives while the server drains is converted: it was let in before."""
    with serving(things, tmp_path, "--drain", "0.5") as served:
        with served.connect() as connection:
            connection.sendall(head_of(len(BODY)) + BODY[:10])
            until(lambda: served.ask()[0] == 200)
            served.process.send_signal(signal.SIGTERM)
            until(lambda: any(line["message"] == "draining" for line in served.logged()))
            connection.sendall(BODY[10:])
            status, body = read_answer(connection)
        assert (status, len(converted(body))) == (200, 1)
        assert served.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_second_signal_ends_it_at_once(things: Path, tmp_path: Path, workers: str) -> None:
    """Whoever sends two signals does not want to wait."""
    patient = ("--workers", workers, "--drain", "3600", "--grace", "3600")
    with serving(things, tmp_path, *patient) as served, served.connect() as connection:
        connection.sendall(head_of(1000))
        served.process.send_signal(signal.SIGTERM)
        until(lambda: any(line["message"] == "draining" for line in served.logged()))
        assert served.end() == 0
        assert not any("lifespan" in line["message"] for line in served.logged())


def test_idle_clients_do_not_delay_the_end(things: Path, tmp_path: Path) -> None:
    """A client that keeps an idle connection and reads nothing is cut off, long before --grace."""
    with serving(things, tmp_path, "--grace", "3600") as served, served.connect() as connection:
        connection.sendall(head_of(len(BODY)) + BODY)
        assert read_answer(connection)[0] == 200
        assert served.end() == 0


def test_idle_connections_outlive_the_clients(served: Served) -> None:
    """WC-72: the keep-alive is longer than the 90 seconds after which an API server closes."""
    from holdall.webhook.limits import Limits

    assert Limits().keep_alive >= 120


# --- metrics port ---


def test_probes_have_a_port_of_their_own_on_demand(things: Path, tmp_path: Path) -> None:
    """With --metrics-port, probes and metrics are served without TLS there, and nothing else."""
    with serving(things, tmp_path, "--metrics-port", "0") as served:
        client = http.client.HTTPConnection("127.0.0.1", served.said["metrics_port"])
        assert exchange(client, "GET", "/readyz")[:2] == (200, b"ok")
        assert b"holdall_webhook" in exchange(client, "GET", "/metrics")[1]
        assert exchange(client, "POST", "/convert", BODY)[0] == 404
        client.close()
        assert is_fine(served)
        assert served.end() == 0


# --- the command ---


def run_to_end(project: Path, *arguments: str) -> tuple[int, str]:
    """Run a `holdall serve` that cannot start; return its exit code and what it says."""
    log = project / "said"
    with log.open("w", encoding="utf-8") as errors:
        process = start(project, *arguments, errors=errors)
        code = process.wait(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()
    return code, log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--cert FILE and --key FILE"),
        (("--cert", "a"), "--cert FILE and --key FILE"),
        (("--plain-http", "--cert", "a", "--key", "b"), "--plain-http"),
        (("--cert", "missing.crt", "--key", "missing.key"), "HA820 missing.key"),
        (("--plain-http", "--host", "203.0.113.1"), "HA824 203.0.113.1:0"),
    ],
)
def test_what_cannot_start_says_why(things: Path, arguments: tuple[str, ...], said: str) -> None:
    """Wrong use and what cannot be read or bound: exit code 2 and a message, no traceback."""
    code, text = run_to_end(things, *arguments)
    assert (code, said in text, "Traceback" in text) == (2, True, False), text


def test_a_project_that_is_broken_does_not_start(things: Path, tmp_path: Path) -> None:
    """Everything is loaded before anything is served."""
    copy = tmp_path / "copy"
    shutil.copytree(things, copy)
    (storage,) = copy.glob("generated_*/*/v1/storage.py")
    storage.write_text("import nowhere\n", encoding="utf-8")
    code, text = run_to_end(copy, "--plain-http")
    assert code == 2
    assert "HA404" in text
