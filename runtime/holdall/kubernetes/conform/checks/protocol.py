"""WC-01 to WC-11: the protocol of reviews."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdall.kubernetes.conform.listing import check, check_tries
from holdall.kubernetes.conform.trial import (
    FAILURE,
    UID,
    V1,
    V1BETA1,
    Trial,
    review_body,
)
from holdall.kubernetes.conform.values import compare, with_metadata
from holdall.kubernetes.conform.verdicts import NotChecked, demand
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, get, is_json_object
from holdall.words import counted

MAX_MESSAGE: Final = 1024
_MANY: Final = 500
_CANARY: Final = "canary-4711"
_LONE: Final = "the-place-of-a-lone-surrogate"


@check(1, "must", "a v1 request gets a v1 ConversionReview")
def v1_gets_v1(trial: Trial) -> None:
    """Send one object."""
    _replies_in(trial, V1)


@check(2, "must", "a v1beta1 request gets a v1beta1 ConversionReview")
def v1beta1_gets_v1beta1(trial: Trial) -> None:
    """Send one object, if a CRD lists that version, which API servers need to send it."""
    listed = [version for kind in trial.kinds for version in kind.reviews]
    if "v1beta1" not in listed:
        raise NotChecked("no CRD lists v1beta1 in conversionReviewVersions")
    _replies_in(trial, V1BETA1)


@check(3, "must", "the uid is echoed, also in failures")
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


@check(4, "polite", "the reply has no request, and the stub response of the request is ignored")
def stub_is_ignored(trial: Trial) -> None:
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
        demand(len(reply.objects) == 1, f"{counted(len(reply.objects), 'object')} came back of 1")
        demand(reply.answer.get("uid") == UID, "the uid is that of the stub")


@check(5, "must", "the status is exactly Success or Failure, and failures are HTTP 200")
def statuses_are_exact(trial: Trial) -> None:
    """Send an object that converts, and one of an unknown kind."""
    obj, desired = trial.sample()
    demand(trial.review([obj], desired).objects, "nothing came back")
    reply = trial.review([{**obj, "kind": "NoSuchKind"}], desired)
    if reply.is_refused:
        status = reply.response.status
        demand(status == 200, f"an unknown kind: HTTP {status}, not 200")
        text = f"an unknown kind: status {reply.status!r}, not {FAILURE!r}"
        demand(reply.status == FAILURE, text)


@check(
    6,
    "operations",
    "a failure names object, index and path in at most 1 kB, and never shows the object",
)
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
            names = [kind.api_version(source), kind.name, get(bad, "metadata", "name"), "1"]
            for name in [*names, *([get(bad, "metadata", "namespace")] if kind.namespaced else [])]:
                demand(str(name) in message, f"{name!r} is not in {message[:200]!r}")
            demand(path in message.replace(".", "/"), f"no path {path} in {message[:200]!r}")
            size = len(message.encode())
            demand(size <= MAX_MESSAGE, f"a message of {size} bytes")
            demand(_CANARY not in message, "the message shows contents of the object")
        if found:
            return f"{found} failures of {kind.name}"
    raise NotChecked("the webhook refused no object that was made")


@check(7, "polite", "convertedObjects is [] without objects, not null")
def failures_have_an_empty_list(trial: Trial) -> None:
    """Send an object of an unknown kind, and no object; API servers do neither."""
    obj, desired = trial.sample()
    sent: list[list[JsonValue]] = [[{**obj, "kind": "NoSuchKind"}], []]
    for objects in sent:
        trial.begin()
        reply = trial.review(objects, desired)
        if reply.is_refused == bool(objects) and reply.status_or_none is not None:
            found = reply.answer.get("convertedObjects", "absent")
            shown = _json.encode(found).decode()[:60]
            demand(
                found == [], f"of {counted(len(objects), 'object')}, convertedObjects is {shown}"
            )


@check(8, "must", "as many objects come back as were sent, in their order")
def order_is_kept(trial: Trial) -> None:
    """Number the objects by their names."""
    obj, desired = trial.sample()
    for count in (1, _MANY):
        sent = [_named(obj, f"n-{index}") for index in range(count)]
        names = [get(item, "metadata", "name") for item in trial.convert_all(sent, desired)]
        demand(
            names == [f"n-{index}" for index in range(count)], f"{count} objects in another order"
        )


@check_tries(9, "must", "one review may hold objects of several versions", "object")
def versions_may_be_mixed(trial: Trial) -> Iterator[str]:
    """Send an object of each version at once, once for each target."""
    for kind in trial.kinds:
        for target in kind.versions:
            desired = kind.api_version(target)
            given = [trial.objects(kind, version)[:1] for version in kind.versions]
            sent = [obj for some in given for obj in some]
            for one in trial.convert_all(sent, desired) if sent else ():
                found = one.get("apiVersion")
                yield "" if found == desired else f"apiVersion {found}, not {desired}"


@check(10, "operations", "unknown versions, kinds and groups are failures with a text")
def the_unknown_is_a_failure(trial: Trial) -> None:
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


@check_tries(11, "polite", "an object at the desired version comes back as it is", "object")
def same_version_is_untouched(trial: Trial) -> Iterator[str]:
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
                yield wrong and f"{kind.name} {version.name}: {wrong}"


def _replies_in(trial: Trial, version: str) -> None:
    obj, desired = trial.sample()
    reply = trial.review([obj], desired, version=version)
    found = reply.document.get("apiVersion"), reply.document.get("kind")
    demand(found == (version, "ConversionReview"), f"the reply is a {found[0]} {found[1]}")
    demand(reply.objects, "nothing came back")


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
    return with_metadata(obj, {"name": name})
