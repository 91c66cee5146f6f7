"""WC-01 to WC-18: the protocol of reviews, and HTTP around them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from holdall.kubernetes.conform.client import Connection, Disconnected, Response
from holdall.kubernetes.conform.exchanges import Exchange
from holdall.kubernetes.conform.listing import check
from holdall.kubernetes.conform.trial import (
    FAILURE,
    UID,
    V1,
    V1BETA1,
    Reply,
    Trial,
    read_reply,
    review_body,
)
from holdall.kubernetes.conform.values import compare
from holdall.kubernetes.conform.verdicts import Failed, NotChecked, demand
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, is_json_object

MAX_MESSAGE: Final = 1024
HUGE: Final = 1 << 30
_MANY: Final = 500
_GLANCE: Final = 0.001
_CANARY: Final = "canary-4711"
_LONE: Final = "the-place-of-a-lone-surrogate"


@check(1)
def v1_gets_v1(trial: Trial) -> str:
    """Send one object."""
    return _replies_in(trial, V1)


@check(2)
def v1beta1_gets_v1beta1(trial: Trial) -> str:
    """Send one object, if a CRD lists that version: an API server sends no other."""
    listed = [version for kind in trial.kinds for version in kind.reviews]
    if "v1beta1" not in listed:
        raise NotChecked("no CRD lists v1beta1 in conversionReviewVersions")
    return _replies_in(trial, V1BETA1)


@check(3)
def uid_is_echoed(trial: Trial) -> str:
    """Send objects that convert and some that cannot, under several uids."""
    obj, desired = trial.sample()
    for uid in (UID, "x", "0" * 200):
        for item in (obj, {**obj, "kind": "NoSuchKind"}):
            trial.begin()
            reply = trial.post(review_body([item], desired, uid=uid))
            if item is obj or reply.status_or_none is not None:
                found = reply.answer.get("uid")
                demand(found == uid, f"uid {found!r}, not {uid!r}")
    return "3 uids, in successes and failures"


@check(4)
def stub_is_ignored(trial: Trial) -> str:
    """Send the stub as an API server does, and a wrong one."""
    obj, desired = trial.sample()
    review = _json.decode(review_body([obj], desired))
    wrong: JsonObject = {
        "uid": "wrong",
        "result": {"status": FAILURE},
        "convertedObjects": [{}, {}],
    }
    for stub in (None, wrong):
        changed = {**review, "response": stub} if stub and is_json_object(review) else review
        reply = trial.post(_json.encode(changed))
        demand("request" not in reply.document, "the reply repeats the request")
        demand(len(reply.objects) == 1, f"{len(reply.objects)} objects came back of 1")
        demand(reply.answer.get("uid") == UID, "the uid is that of the stub")
    return ""


@check(5)
def statuses_are_exact(trial: Trial) -> str:
    """Send an object that converts, and one of an unknown kind."""
    obj, desired = trial.sample()
    demand(trial.review([obj], desired).objects, "nothing came back")
    reply = trial.review([{**obj, "kind": "NoSuchKind"}], desired)
    if reply.is_refused:
        status = reply.response.status
        demand(status == 200, f"an unknown kind: HTTP {status}, not 200")
        text = f"an unknown kind: status {reply.status!r}, not {FAILURE!r}"
        demand(reply.status == FAILURE, text)
    return ""


@check(6)
def messages_name_the_object(trial: Trial) -> str:
    """Break the second of two objects until the webhook refuses it."""
    found = 0
    for kind, source, target in trial.pairs():
        good = trial.objects(kind, source)[0]
        for path, bad in _broken(good):
            body = review_body([good, bad], kind.api_version(target))
            trial.begin()
            reply = trial.post(body.replace(_LONE.encode(), rb"\ud800"))
            if reply.response.status != 200 or reply.status_or_none != FAILURE:
                continue
            found += 1
            message = reply.message
            names = [kind.api_version(source), kind.name, _metadata(bad, "name"), "1"]
            for name in [*names, *([_metadata(bad, "namespace")] if kind.namespaced else [])]:
                demand(str(name) in message, f"{name!r} is not in {message[:200]!r}")
            demand(path in message.replace(".", "/"), f"no path {path} in {message[:200]!r}")
            size = len(message.encode())
            demand(size <= MAX_MESSAGE, f"a message of {size} bytes")
            demand(_CANARY not in message, "the message shows what the object holds")
        if found:
            return f"{found} failures of {kind.name}"
    raise NotChecked("no object could be made that the webhook refuses")


@check(7)
def failures_have_an_empty_list(trial: Trial) -> str:
    """Send an object of an unknown kind, and none at all: no API server does either."""
    obj, desired = trial.sample()
    sent: list[list[JsonValue]] = [[{**obj, "kind": "NoSuchKind"}], []]
    for objects in sent:
        trial.begin()
        reply = trial.review(objects, desired)
        if reply.is_refused == bool(objects) and reply.status_or_none is not None:
            found = reply.answer.get("convertedObjects", "absent")
            shown = _json.encode(found).decode()[:60]
            demand(found == [], f"of {len(objects)} objects, convertedObjects is {shown}")
    return ""


@check(8)
def order_is_kept(trial: Trial) -> str:
    """Number the objects by their names."""
    obj, desired = trial.sample()
    for count in (1, _MANY):
        sent = [_named(obj, f"n-{index}") for index in range(count)]
        names = [_name(item) for item in trial.convert_all(sent, desired)]
        demand(names == [f"n-{index}" for index in range(count)], f"another order of {count}")
    return ""


@check(9)
def versions_may_be_mixed(trial: Trial) -> str:
    """Send an object of each version at once, once for each target."""
    for kind in trial.kinds:
        for target in kind.versions:
            desired = kind.api_version(target)
            given = [trial.objects(kind, version)[:1] for version in kind.versions]
            sent = [obj for some in given for obj in some]
            for one in trial.convert_all(sent, desired):
                found = one.get("apiVersion")
                demand(found == desired, f"apiVersion {found}, not {desired}")
    return ""


@check(10)
def the_unknown_is_a_failure(trial: Trial) -> str:
    """Ask for an unknown version and group, and send unknown kinds and versions."""
    obj, desired = trial.sample()
    group = trial.first_pair()[0].group
    for what, item, to in (
        ("an unknown desired version", obj, f"{group}/v987"),
        ("an unknown desired group", obj, "unknown.example.org/v1"),
        ("an unknown kind", {**obj, "kind": "NoSuchKind"}, desired),
        ("an unknown source version", {**obj, "apiVersion": f"{group}/v987"}, desired),
        ("an unknown source group", {**obj, "apiVersion": "unknown.example.org/v1"}, desired),
    ):
        trial.begin()
        reply = trial.review([item], to)
        demand(reply.is_refused, f"{what}: HTTP {reply.response.status}, and no failure")
        demand(reply.message, f"{what}: no message")
    return ""


@check(11)
def same_version_is_untouched(trial: Trial) -> str:
    """Send objects of each version to their own version."""
    for kind in trial.kinds:
        for version in kind.versions:
            sent = trial.objects(kind, version)
            if not sent:
                continue
            trial.begin()
            found = trial.convert_all(sent, kind.api_version(version))
            for one, other in zip(sent, found, strict=True):
                wrong = compare(one, other)
                demand(not wrong, f"{kind.name} {version.name}: {wrong}")
    return ""


@check(12)
def bad_bodies_get_a_status(trial: Trial) -> str:
    """Send broken JSON, a review without request, and the announcement of a gigabyte."""
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
    return ""


@check(13)
def paths_are_tolerated(trial: Trial) -> str:
    """Post with `?timeout=30s`, as an API server does; nobody posts to a path below, or should."""
    obj, desired = trial.sample()
    path = trial.endpoint.path
    for used in (f"{path}?timeout=30s", f"{path}?a=b&c=%20"):
        reply = trial.post(review_body([obj], desired), path=used)
        demand(reply.response.status == 200, f"{used}: HTTP {reply.response.status}")
        demand(len(reply.objects) == 1, f"{used}: no object")
    longer = f"{path.rstrip('/')}/more"
    status = trial.post(review_body([obj], desired), path=longer).response.status
    demand(status == 200, f"{longer}: HTTP {status}", "polite")
    return ""


@check(14)
def other_methods_are_refused(trial: Trial) -> str:
    """Ask for the path and for one with a slash at its end."""
    for method in ("GET", "HEAD", "PUT"):
        for path in (trial.endpoint.path, trial.endpoint.path.rstrip("/") + "/"):
            trial.begin()
            with trial.connect() as connection:
                try:
                    status = connection.request(method, path).status
                except (Disconnected, TimeoutError) as error:
                    raise Failed(f"{method} {path}: {error or 'no answer'}") from error
            demand(status == 405, f"{method} {path}: HTTP {status}")
    return ""


@check(15)
def charset_is_accepted(trial: Trial) -> str:
    """Send `application/json; charset=utf-8`."""
    obj, desired = trial.sample()
    headers = {"Content-Type": "application/json; charset=utf-8"}
    return f"{len(trial.post(review_body([obj], desired), headers=headers).objects)} object"


@check(16)
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
    demand(len(reply.objects) == _MANY, "the large reply is not whole")
    return f"a large reply with gzip accepted: {_encoding(reply.response)}"


@check(17)
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


@check(18)
def continue_is_said(trial: Trial) -> str:
    """Send the head, wait a second for the permission, then send the body."""
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

    None if the server ends the connection instead. Failed if it takes all without an answer.
    """
    chunk = b" " * (1 << 20)
    piped = f"head -c {HUGE} /dev/zero"
    seen = Exchange("POST", trial.endpoint.url(), b"", {"Content-Length": str(HUGE)}, piped=piped)
    trial.begin()
    with trial.connect() as connection:
        try:
            connection.send(connection.head("POST", None, HUGE))
            # Whoever refuses by the head alone may reset a connection that sends on.
            answered = connection.receive_interim(1.0)
            for _ in range(HUGE // len(chunk) // 4):
                if answered:
                    break
                connection.send(chunk)
                answered = connection.receive_interim(_GLANCE)
            if not answered and not connection.receive_interim(5.0):
                trial.exchanges.append(replace(seen, error="no answer"))
                raise Failed("a quarter of a body of 1 GiB was taken without an answer")
        except Disconnected:
            pass
        try:
            response = connection.receive()
        except (Disconnected, TimeoutError) as error:
            trial.exchanges.append(replace(seen, error=str(error) or "no answer in time"))
            return None
    trial.exchanges.append(replace(seen, status=response.status, answer=response.body))
    return read_reply(response)


def _replies_in(trial: Trial, version: str) -> str:
    obj, desired = trial.sample()
    reply = trial.review([obj], desired, version=version)
    found = reply.document.get("apiVersion"), reply.document.get("kind")
    demand(found == (version, "ConversionReview"), f"the reply is a {found[0]} {found[1]}")
    demand(reply.objects, "nothing came back")
    return ""


def _demand_status(what: str, reply: Reply, code: int) -> None:
    status, document = reply.response.status, reply.document
    demand(status == code, f"{what}: HTTP {status}, not {code}")
    found = document.get("apiVersion"), document.get("kind")
    demand(found == ("v1", "Status"), f"{what}: the body is no v1 Status")
    demand(reply.message, f"{what}: the Status has no message")


def _broken(obj: JsonObject) -> list[tuple[str, JsonObject]]:
    """Return the object with containers of a wrong kind, or a lone surrogate, each with its path.

    A webhook may convert the former; an API server would replace the latter silently.
    """
    named = _named(obj, "conform-bad")
    spec = named.get("spec")
    broken: list[tuple[str, JsonObject]] = [
        ("/spec", {**named, "spec": [_CANARY]}),
        ("/spec", {**named, "spec": _CANARY}),
    ]
    if is_json_object(spec):
        broken += [
            (f"/spec/{key}", {**named, "spec": {**spec, key: _CANARY}})
            for key, value in spec.items()
            if isinstance(value, dict | list)
        ]
        broken += [
            (f"/spec/{key}", {**named, "spec": {**spec, key: _CANARY + _LONE}})
            for key, value in spec.items()
            if isinstance(value, str)
        ]
    return broken


def _named(obj: JsonObject, name: str) -> JsonObject:
    metadata = obj.get("metadata")
    return {**obj, "metadata": {**(metadata if is_json_object(metadata) else {}), "name": name}}


def _name(obj: JsonObject) -> JsonValue:
    return _metadata(obj, "name")


def _metadata(obj: JsonObject, name: str) -> JsonValue:
    metadata = obj.get("metadata")
    return metadata.get(name) if is_json_object(metadata) else None


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
