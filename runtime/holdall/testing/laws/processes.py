"""Whether equal input gives equal bytes in processes with different hash seeds (L6)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from holdall.errors import WorkerLost
from holdall.scheme.answers import answer
from holdall.testing.laws.cases import Violation, given_case
from holdall.testing.laws.choices import Everything, Seeded
from holdall.testing.laws.running import Finding
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.types import JsonObject

_Request: TypeAlias = tuple[Subject, str, str, str, JsonObject]
"""The group, kind and version of an object, the target version, and the object."""
_SEEDS = ("1", "2")
_DRAWN = 10


def check_processes(
    subjects: Sequence[Subject], seed: int, kinds: Collection[str] = ()
) -> list[Finding]:
    """Convert full and drawn objects in this process and in others; return what differs.

    With `kinds`, only objects of these.
    """
    requests = [request for subject in subjects for request in _requests(subject, seed, kinds)]
    answers = [answer(subject.scheme, document, to) for subject, _, _, to, document in requests]
    found = []
    for hash_seed in _SEEDS:
        others = _run(requests, hash_seed)
        for (_, kind, start, to, given), mine, other in zip(requests, answers, others, strict=True):
            if mine != other:
                text = f"here {mine}; with PYTHONHASHSEED={hash_seed} {other}"
                claim = "two processes give different bytes"
                violation = Violation("L6", kind, start, to, claim, (text,))
                found.append(Finding(violation, given_case(kind, start, given, given)))
    return found


def _requests(subject: Subject, seed: int, kinds: Collection[str]) -> Iterator[_Request]:
    for kind in subject.kinds():
        for start in subject.served(kind) if kind in kinds or not kinds else ():
            documents = [subject.documents.root(Everything(turn), kind, start) for turn in range(3)]
            documents += [
                subject.documents.root(Seeded(f"{kind}/{start}/{seed + number}"), kind, start)
                for number in range(_DRAWN)
            ]
            for to in subject.served(kind):
                if to != start:
                    yield from ((subject, kind, start, to, document) for document in documents)


def _run(requests: Sequence[_Request], hash_seed: str) -> list[str]:
    """Return the answers of a process that has a hash seed."""
    lines = b"".join(
        _json.encode([subject.scheme.package, document, to]) + b"\n"
        for subject, _, _, to, document in requests
    )
    answers = lines_of("holdall.scheme.answers", given=lines, PYTHONHASHSEED=hash_seed)
    return [str(_json.decode(line)) for line in answers]


def lines_of(
    module: str,
    *arguments: str,
    path: Sequence[str] = (),
    given: bytes = b"",
    **environment: str,
) -> list[bytes]:
    """Return what a module writes in a process of its own, which imports from a path first.

    Raises WorkerLost if the process does not end well.
    """
    entries = os.pathsep.join([*path, *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-P", "-m", module, *arguments],
        input=given,
        stdout=subprocess.PIPE,
        check=False,
        env={**os.environ, "PYTHONPATH": entries, **environment},
    )
    if done.returncode:
        raise WorkerLost
    return done.stdout.splitlines()
