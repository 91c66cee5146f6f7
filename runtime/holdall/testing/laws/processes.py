"""Whether equal input gives equal bytes in any process (L6): other hash seeds, other bytes?

`python -m holdall.testing.laws.processes PACKAGE` is such a process: it reads requests and writes
a line for each.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from holdall.errors import HoldallError
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.cases import Violation, given_case
from holdall.testing.laws.choices import Everything, Seeded
from holdall.testing.laws.running import Finding
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.types import JsonObject

_SEEDS = ("1", "2")
_DRAWN = 10


def check_processes(subject: Subject, seed: int) -> list[Finding]:
    """Convert full and drawn objects in this process and in others; return what differs."""
    requests = list(_requests(subject, seed))
    answers = [_answer(subject.scheme, document, to) for _, _, to, document in requests]
    found = []
    for hash_seed in _SEEDS:
        others = _run(subject.scheme, requests, hash_seed)
        for (kind, start, to, given), mine, other in zip(requests, answers, others, strict=True):
            if mine != other:
                text = f"here {mine}; with PYTHONHASHSEED={hash_seed} {other}"
                claim = "two processes give different bytes"
                violation = Violation("L6", kind, start, to, claim, (text,))
                found.append(Finding(violation, given_case(kind, start, given, given)))
    return found


def _requests(subject: Subject, seed: int) -> Iterator[tuple[str, str, str, JsonObject]]:
    for kind in subject.kinds():
        for start in subject.served(kind):
            documents = [subject.documents.root(Everything(turn), kind, start) for turn in range(3)]
            documents += [
                subject.documents.root(Seeded(f"{kind}/{start}/{seed + number}"), kind, start)
                for number in range(_DRAWN)
            ]
            for to in subject.served(kind):
                if to != start:
                    yield from ((kind, start, to, document) for document in documents)


def _answer(scheme: Scheme, document: JsonObject, to: str) -> str:
    try:
        return scheme.convert_bytes(_json.encode(document), to=to).decode()
    except HoldallError as error:
        return f"{type(error).__name__}: {error}"


def _run(
    scheme: Scheme, requests: list[tuple[str, str, str, JsonObject]], hash_seed: str
) -> list[str]:
    lines = b"".join(_json.encode([document, to]) + b"\n" for _, _, to, document in requests)
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-P", "-m", __name__, scheme.package],
        input=lines,
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
    )
    return [str(_json.decode(line)) for line in done.stdout.splitlines()]


def main(package: str) -> None:
    """Answer the requests of standard input: lines with an object and a version."""
    scheme: Scheme = importlib.import_module(package).SCHEME
    for line in sys.stdin.buffer:
        request: Any = _json.decode(line)
        answer = _answer(scheme, request[0], request[1])
        sys.stdout.buffer.write(_json.encode(answer) + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
