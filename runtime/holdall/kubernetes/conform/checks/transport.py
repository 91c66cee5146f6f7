"""WC-12 to WC-18: HTTP around reviews."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from holdall.kubernetes.conform.client import Connection, Disconnected, Response
from holdall.kubernetes.conform.exchanges import Exchange
from holdall.kubernetes.conform.listing import check
from holdall.kubernetes.conform.trial import V1, Reply, Trial, read_reply, review_body
from holdall.kubernetes.conform.verdicts import Failed, demand
from holdall.text import json as _json

HUGE: Final = 1 << 30
_MANY: Final = 500
_GLANCE: Final = 0.001


@check(12, "polite", "malformed or oversized bodies get 400 or 413 with a v1 Status")
def bad_bodies_get_a_status(trial: Trial) -> None:
    """Send broken JSON, a review without request, and announce a body of a gigabyte."""
    whole = review_body([trial.sample()[0]], trial.sample()[1])
    no_request = _json.encode({"apiVersion": V1, "kind": "ConversionReview"})
    bodies = {
        "an empty body": b"",
        "cut JSON": whole[:-20],
        "no JSON": b"\x00\xff\xfe garbage",
        "no request": no_request,
        "a list": b"[]",
    }
    for what, body in bodies.items():
        trial.begin()
        _demand_status(what, trial.post(body), 400)
    huge = announce_a_gigabyte(trial)
    demand(huge is not None, "a body of 1 GiB ends the connection without an answer")
    if huge is not None:
        _demand_status("a body of 1 GiB", huge, 413)


@check(13, "must", "a query string is tolerated")
def paths_are_tolerated(trial: Trial) -> None:
    """Post with `?timeout=30s`, as an API server does; no client posts to a path below."""
    obj, desired = trial.sample()
    path = trial.endpoint.path
    for used in (f"{path}?timeout=30s", f"{path}?a=b&c=%20"):
        reply = trial.post(review_body([obj], desired), path=used)
        demand(reply.response.status == 200, f"{used}: HTTP {reply.response.status}")
        demand(len(reply.objects) == 1, f"{used}: no object")
    longer = f"{path.rstrip('/')}/more"
    status = trial.post(review_body([obj], desired), path=longer).response.status
    demand(status == 200, f"{longer}: HTTP {status}", "polite")


@check(14, "polite", "GET and HEAD get 405, and nothing redirects")
def other_methods_are_refused(trial: Trial) -> None:
    """Request the path, and the path with a slash at its end."""
    for method in ("GET", "HEAD", "PUT"):
        for path in (trial.endpoint.path, trial.endpoint.path.rstrip("/") + "/"):
            trial.begin()
            with trial.connect() as connection:
                try:
                    status = connection.request(method, path).status
                except (Disconnected, TimeoutError) as error:
                    raise Failed(f"{method} {path}: {error or 'no answer'}") from error
            demand(status == 405, f"{method} {path}: HTTP {status}")


@check(15, "polite", "a content type with a charset is accepted")
def charset_is_accepted(trial: Trial) -> str:
    """Send `application/json; charset=utf-8`."""
    obj, desired = trial.sample()
    headers = {"Content-Type": "application/json; charset=utf-8"}
    return f"{len(trial.post(review_body([obj], desired), headers=headers).objects)} object"


@check(
    16,
    "must",
    "a large reply is whole, compressed or not; it is compressed only if that is accepted",
)
def compression_is_asked_for(trial: Trial) -> str:
    """Ask for small and large replies, with and without `Accept-Encoding: gzip`."""
    obj, desired = trial.sample()
    small, large = review_body([], desired), review_body([obj] * _MANY, desired)
    gzip = {"Accept-Encoding": "gzip"}
    for what, body, headers in (
        ("a small reply without Accept-Encoding", small, {}),
        ("a large reply without Accept-Encoding", large, {}),
        ("a large reply with identity only", large, {"Accept-Encoding": "identity"}),
        ("a small reply", small, gzip),
    ):
        trial.begin()
        found = _encoding(trial.post(body, headers=headers).response)
        demand(found == "identity", f"{what} is encoded as {found}", "polite")
    trial.begin()
    reply = trial.post(large, headers=gzip)
    demand(len(reply.objects) == _MANY, "the large reply is incomplete")
    return f"a large reply with gzip accepted: {_encoding(reply.response)}"


@check(17, "polite", "a chunked request body is read")
def chunks_are_read(trial: Trial) -> str:
    """Send a review in chunks of uneven sizes."""
    obj, desired = trial.sample()
    body = review_body([obj], desired)
    with trial.connect() as connection:
        head = connection.head("POST", headers={"Transfer-Encoding": "chunked"})
        pieces = [body[:1], body[1:100], body[100:]]
        chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
        seen = Exchange("POST", trial.endpoint.url(), body, {"Transfer-Encoding": "chunked"})
        return _one_object(connection, head + chunks + b"0\r\n\r\n", seen)


@check(18, "polite", "Expect: 100-continue is answered")
def continue_is_said(trial: Trial) -> str:
    """Send the head, wait a second for 100 Continue, then send the body."""
    obj, desired = trial.sample()
    body = review_body([obj], desired)
    with trial.connect() as connection:
        head = connection.head("POST", None, len(body), {"Expect": "100-continue"})
        try:
            connection.send(head)
            status = connection.receive_interim(1.0)
        except Disconnected as error:
            raise Failed(f"no permission: {error}") from error
        seen = Exchange("POST", trial.endpoint.url(), body, {"Expect": "100-continue"}, status)
        trial.exchanges.append(seen)
        demand(status in (0, 100), f"HTTP {status} instead of 100")
        demand(status == 100, "no 100 Continue within a second: each request would wait as long")
        return _one_object(connection, body, seen)


def announce_a_gigabyte(trial: Trial) -> Reply | None:
    """Announce a body of a gigabyte and send a quarter of it; return the reply.

    None if the server closes the connection instead. Failed if it reads it all without an answer.
    """
    chunk = b" " * (1 << 20)
    piped = f"head -c {HUGE} /dev/zero"
    seen = Exchange("POST", trial.endpoint.url(), b"", {"Content-Length": str(HUGE)}, piped=piped)
    trial.begin()
    with trial.connect() as connection:
        try:
            connection.send(connection.head("POST", None, HUGE))
            # A server that refuses by the head alone may reset a connection that still sends.
            answered = connection.receive_interim(1.0)
            for _ in range(HUGE // len(chunk) // 4):
                if answered:
                    break
                connection.send(chunk)
                answered = connection.receive_interim(_GLANCE)
            if not answered and not connection.receive_interim(5.0):
                trial.exchanges.append(replace(seen, error="no answer"))
                raise Failed("a quarter of a body of 1 GiB was read without an answer")
        except Disconnected:
            pass
        try:
            response = connection.receive()
        except (Disconnected, TimeoutError) as error:
            trial.exchanges.append(replace(seen, error=str(error) or "no answer in time"))
            return None
    trial.exchanges.append(replace(seen, status=response.status, answer=response.body))
    return read_reply(response)


def _demand_status(what: str, reply: Reply, code: int) -> None:
    status, document = reply.response.status, reply.document
    demand(status == code, f"{what}: HTTP {status}, not {code}")
    found = document.get("apiVersion"), document.get("kind")
    demand(found == ("v1", "Status"), f"{what}: the body is not a v1 Status")
    demand(reply.message, f"{what}: the Status has no message")


def _encoding(response: Response) -> str:
    return response.headers.get("content-encoding", "identity")


def _one_object(connection: Connection, data: bytes, seen: Exchange) -> str:
    try:
        connection.send(data)
        response = connection.receive()
    except (Disconnected, TimeoutError) as error:
        connection.log(replace(seen, error=str(error) or "no answer in time"))
        raise Failed(f"no reply: {error or 'not in time'}") from error
    connection.log(replace(seen, status=response.status, answer=response.body))
    return f"{len(read_reply(response).objects)} object"
