"""The line filter: one reply for each line, in order, whatever the line holds."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.scheme.json_lines import answer, serve_lines
from holdall.scheme.projects import load_schemes
from holdall.scheme.schemes import Schemes

GOOD = b'{"to":"v2","object":{"apiVersion":"example.com/v1","kind":"Thing","spec":{"size":1}}}'
REPLY = {"object": {"apiVersion": "example.com/v2", "kind": "Thing", "spec": {"size": 1}}}


@pytest.fixture(scope="module")
def schemes(project: Path) -> Schemes:
    """The project's schemes."""
    return Schemes(load_schemes(project))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "empty"),
        (b"\t", "empty"),
        (b"{", "malformed JSON at byte 1"),
        (GOOD + b" {}", "malformed JSON"),
        (b"[1]", "found list"),
        (b"null", "found null"),
        (b'{"to":"v2"}', "no 'object'"),
        (b'{"object":{}}', "no 'to'"),
        (b'{"to":2,"object":{}}', "/to: expected string, found integer"),
        (b'{"to":"v2","object":[]}', "expected object, found list"),
        (b'{"to":"v2","object":{}}', "the object has no apiVersion"),
        (b'{"to":"v2","object":{"apiVersion":1,"kind":"Thing"}}', "/apiVersion: expected string"),
        (GOOD.replace(b'"v2"', b'"v7"'), "example.com/v7"),
        (GOOD.replace(b"Thing", b"Thyng"), 'did you mean \\"Thing\\"?'),
        (GOOD.replace(b'{"size":1}', b"[]"), "/spec: expected object, found list"),
        (b'{"to":"v2","object":{"a":"\xff"}}', "not UTF-8"),
        (b"\xef\xbb\xbf" + GOOD, "malformed JSON at byte 0"),
        (b'{"to":"v2","object":{"a":"\\ud800"}}', "lone surrogate"),
        (b'{"to":"\\udc00","object":{}}', "surrogate"),
        (b'{"to":"v2","object":{"a":NaN}}', "malformed JSON at byte"),
        (b'{"to":"v2","object":{"a":1e999}}', "out of the range"),
        (b'{"to":"v2","object":{"\xc3\xa4":[1.5,1e-400]}}', "byte 31: 1e-400 does not fit"),
        (b'{"to":"v2","object":{"a": -3.14159265358979323846}}', "byte 26: -3.141592"),
        (b'{"to":"v2","object":' + b'{"a":' * 100_000, "nested too deeply"),
        (b"[" * 200_000 + b"]" * 200_000, "nested too deeply"),
        (b"\0\0\0", "malformed JSON at byte 0"),
    ],
)
def test_garbage_gets_an_error_in_its_place(schemes: Schemes, line: bytes, message: str) -> None:
    """A line that is no good request is answered with an error, and the next one is served."""
    replies = io.BytesIO()
    serve_lines(schemes, io.BytesIO(GOOD + b"\n" + line + b"\n" + GOOD), replies)
    first, second, third, end = replies.getvalue().split(b"\n")
    assert json.loads(first) == json.loads(third) == REPLY
    assert message in second.decode()
    assert list(json.loads(second)) == ["error"]
    assert end == b""


@given(line=st.binary())
def test_any_bytes_get_one_line(line: bytes) -> None:
    """Whatever bytes a line holds, the reply is one line of JSON with an error."""
    reply = answer(Schemes(()), line)
    assert reply.count(b"\n") == 1
    assert list(json.loads(reply)) == ["error"]


def test_what_is_lost_is_a_warning(schemes: Schemes) -> None:
    """Beside the object that was converted all the same."""
    metadata = {"annotations": {"full": "x" * 262140}}
    obj = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": metadata}
    line = json.dumps({"to": "v2", "object": {**obj, "spec": {"color": "red"}}}).encode()
    reply = json.loads(answer(schemes, line))
    assert reply["object"]["spec"] == {}
    assert reply["warnings"] == ["/spec: v1/color is lost: the annotations are full"]


def test_large_integers_stay_exact(schemes: Schemes) -> None:
    """Integers beyond 64 bits come through digit by digit."""
    number = b"1" * 40
    assert b'"size":' + number in answer(schemes, GOOD.replace(b":1}", b":" + number + b"}"))


def test_a_defect_does_not_stop_the_filter(
    schemes: Schemes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unexpected exception is answered with its type."""

    def fail(*_: object, **__: object) -> None:
        raise LookupError("odd \ud800")

    monkeypatch.setattr(schemes, "convert", fail)
    text = json.loads(answer(schemes, GOOD))["error"]
    assert text == "LookupError: odd \\ud800; this is a bug in holdall"


@contextmanager
def _filter(project: Path, project_root: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the filter; one that hangs is killed, which its exit code shows."""
    paths = os.pathsep.join(str(project_root / source) for source in ("runtime", "codegen"))
    environment = {**os.environ, "PYTHONPATH": paths}
    environment.pop("PYTHONUNBUFFERED", None)  # it would flush for the filter
    with subprocess.Popen(
        [sys.executable, "-m", "holdall", "--project", ".", "convert", "--requests"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=project,
        env=environment,
    ) as process:
        alarm = threading.Timer(60, process.kill)
        alarm.start()
        try:
            yield process
        finally:
            alarm.cancel()


def test_each_reply_is_flushed(project: Path, project_root: Path) -> None:
    """A reply arrives before the next request is sent; the end of the input is exit code 0."""
    with _filter(project, project_root) as process:
        assert process.stdin and process.stdout and process.stderr
        for line, expected in ((GOOD, REPLY), (b"", None), (GOOD, REPLY)):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            reply = json.loads(process.stdout.readline())
            assert reply == expected or (expected is None and "error" in reply)
        process.stdin.close()
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
        assert process.wait() == 0


def test_a_closed_output_ends_quietly(project: Path, project_root: Path) -> None:
    """When the reader of the replies goes away the filter ends without a message."""
    with _filter(project, project_root) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(GOOD + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write((GOOD + b"\n") * 10)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
