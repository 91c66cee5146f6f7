"""One limit for the depth of documents, whatever way they come."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import DecodeError, HoldallError
from holdall.scheme.scheme import Scheme
from holdall.text.documents import MAX_DEPTH
from tests.laws.projects import OPAQUE, STRING, Specimen, built_specimen, many, ref
from tests.support.commands import run

MESSAGE = f"nested deeper than {MAX_DEPTH} levels"
GROUP = "deep.example.com"
PROJECT = Specimen(
    {
        "v1": {
            "Thing": {"metadata": OPAQUE, "spec": ref("Spec"), "plain": OPAQUE},
            "Spec": {"open": OPAQUE, "old": STRING, "list": many(OPAQUE)},
        },
        "v2": {
            "Thing": {"metadata": OPAQUE, "spec": ref("Spec"), "plain": OPAQUE},
            "Spec": {"open": OPAQUE, "new": STRING, "list": many(OPAQUE)},
        },
    },
    api_group=GROUP,
)
PLACES = ("spec/open", "spec/old", "spec/list/0", "spec/extra", "plain", "metadata/x", "extra")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scheme, Path]:
    group = built_specimen(PROJECT, tmp_path_factory.mktemp("deep"))
    return group.scheme, group.root


FORMS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    '{"a":X,"b":{}}': ('{"a":1}', lambda value: {"a": value, "b": {}}),
    "[X,{}]": ("[1]", lambda value: [value, {}]),
    "[X]": ("[]", lambda value: [value]),
}
"""How each container looks, what is innermost, and the same as a function."""


def document(place: str, depth: int, form: str) -> tuple[Any, bytes]:
    """Return a document with so many containers inside each other, beside others; and its text."""
    names = place.split("/")
    count = depth - len(names) - 1
    innermost, around = FORMS[form]
    value = json.loads(innermost)
    for _ in range(count):
        value = around(value)
    opening, closing = form.split("X")
    text = opening * count + innermost + closing * count
    for name in reversed(names):
        value = [value] if name == "0" else {name: value}
        text = f"[{text}]" if name == "0" else f'{{"{name}":{text}}}'
    head = {"apiVersion": f"{GROUP}/v1", "kind": "Thing"}
    return {**head, **value}, (json.dumps(head)[:-1] + "," + text[1:]).encode()


def ways(scheme: Scheme, root: Path, deep: tuple[Any, bytes], to: str) -> dict[str, str]:
    """Return what every way of converting says of a document."""
    document, text = deep
    head = '"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"'
    asked = b'{%b,"request":{"uid":"u","desiredAPIVersion":"%b","objects":[%b,%b]}}'

    def review() -> None:
        reply = json.loads(
            scheme.review(asked % (head.encode(), f"{GROUP}/{to}".encode(), text, text))
        )
        message = reply["response"]["result"].get("message") if "response" in reply else str(reply)
        if message:
            raise HoldallError(message)

    def command(*options: str, stdin: bytes = text) -> None:
        result = run(root, "convert", *options, stdin=stdin)
        if result.exit_code or result.stdout.startswith('{"error"'):
            raise HoldallError(result.stderr + result.stdout)

    def typed() -> None:
        scheme.convert(scheme.api_type("Thing", "v1").from_dict(document), to=to)

    calls: dict[str, Any] = {
        "dict": lambda: scheme.convert(document, to=to),
        "bytes": lambda: scheme.convert_bytes(text, to=to),
        "text": lambda: scheme.convert_bytes(text.decode(), to=to),
        "object": typed,
        "review": review,
        "file": lambda: command("--to", to),
        "line": lambda: command(
            "--requests", stdin=b'{"to":"%b","object":%b}' % (to.encode(), text)
        ),
    }
    outcomes = {}
    for name, call in calls.items():
        try:
            call()
            outcomes[name] = "ok"
        except HoldallError as error:
            outcomes[name] = str(error)
    return outcomes


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("to", ["v1", "v2"])
@pytest.mark.parametrize("place", PLACES)
def test_all_ways_have_one_limit(
    project: tuple[Scheme, Path], place: str, to: str, form: str
) -> None:
    """At the limit all convert, one level above it all refuse, with one message."""
    fits = ways(*project, document(place, MAX_DEPTH, form), to)
    assert set(fits.values()) == {"ok"}, fits
    for depth in (MAX_DEPTH + 1, 700, 100_000 if place == "spec/open" else 5000):
        outcomes = ways(*project, document(place, depth, form), to)
        assert all(MESSAGE in text for text in outcomes.values()), (depth, outcomes)
        if depth < 1000:
            assert outcomes["dict"] == outcomes["bytes"] == outcomes["text"]
            assert outcomes["dict"].startswith("/" + place.partition("/")[0])


def test_a_text_that_is_no_unicode_is_told_as_such(project: tuple[Scheme, Path]) -> None:
    """Its depth is looked at before it is decoded."""
    with pytest.raises(DecodeError, match="lone surrogate"):
        project[0].convert_bytes('{"a":"\ud800"}' + " " * 2000, to="v2")


def test_many_containers_are_not_deep(project: tuple[Scheme, Path]) -> None:
    """Nor are brackets in texts."""
    scheme, _ = project
    wide = {"a": [{"b": [[]]} for _ in range(MAX_DEPTH)], "c": "[{" * MAX_DEPTH}
    metadata = {"name": "x", "labels": wide}
    head = {"apiVersion": f"{GROUP}/v1", "kind": "Thing"}
    for obj in (
        {**head, "metadata": metadata, "spec": {"open": wide}},
        {**head, "metadata": metadata, "extra": wide},
    ):
        there = json.loads(scheme.convert_bytes(json.dumps(obj), to="v2"))
        assert there == scheme.convert(obj, to="v2") == {**obj, "apiVersion": f"{GROUP}/v2"}
