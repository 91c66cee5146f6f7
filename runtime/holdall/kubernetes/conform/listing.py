"""The conformance list: claims about a webhook, their levels and sources, and their checks.

`docs/conform.md` prints the table, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Final, TypeAlias

from holdall.kubernetes.conform.trial import NO_OBJECTS, Trial
from holdall.kubernetes.conform.verdicts import LEVELS, Level, NotChecked, demand
from holdall.words import counted

SOURCES: Final = {
    "converter": "the API server's converter: apiextensions-apiserver, `webhook_converter.go`",
    "docs": "Kubernetes documentation, “Versions in CustomResourceDefinitions”",
    "client": "the API server's HTTP client: client-go `rest`, Go's `net/http`",
    "fields": "managed fields: server-side apply converts fragments and pruned objects",
    "store": "pruning, defaulting and the strategies of writes: apiextensions-apiserver",
    "api": "Kubernetes API conventions and limits",
    "json": "RFC 8259, and how Go reads JSON",
    "http": "RFC 9110, RFC 9112",
    "practice": "incidents of public projects, and manners of Kubernetes components",
}
"""The sources in the table."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What one check claims: its level, its source, and what a violation costs a user."""

    title: str
    level: Level
    source: str
    costs: str


def _parse(table: str) -> dict[int, Claim]:
    found = {}
    levels: dict[str, Level] = {level: level for level in LEVELS}
    lines = (line.strip() for line in table.strip().splitlines())
    for head, title, costs in zip(lines, lines, lines, strict=True):
        number, level, source = head.split()
        found[int(number)] = Claim(title, levels[level], source, costs)
    return found


CLAIMS: Final = _parse(
    """
1 must converter
    a v1 request gets a v1 ConversionReview
    every request at a version that is not stored fails
2 must converter
    a v1beta1 request gets a v1beta1 ConversionReview
    every conversion fails where the CRD lists v1beta1 first
3 must converter
    the uid is echoed, also in failures
    every conversion fails; of a failure the user sees only that the uid is wrong
4 polite docs
    the reply has no request, and the stub response of the request is ignored
    replies are twice as large; nothing else
5 must converter
    the status is exactly Success or Failure, and failures are HTTP 200
    successes count as failures, and reasons of failures are lost
6 operations practice
    a failure names object, index and path in at most 1 kB, and never shows the object
    nobody finds the object that makes a LIST fail; secrets are in logs
7 polite docs
    convertedObjects is [] without objects, not null
    clients other than the API server stumble
8 must converter
    as many objects come back as were sent, in their order
    requests fail, or get the data of other objects
9 must docs
    one review may hold objects of several versions
    lists of objects stored at several versions fail
10 operations practice
    unknown versions, kinds and groups are failures with a text
    a CRD that is newer than the webhook breaks without a reason, or returns objects unconverted
11 polite docs
    an object at the desired version comes back as it is
    tools that convert everything change objects that need nothing
12 polite http
    malformed or oversized bodies get 400 or 413 with a v1 Status
    whoever tries the webhook by hand gets no reason
13 must client
    a query string is tolerated
    every conversion fails: API servers send `?timeout=30s`
14 polite http
    GET and HEAD get 405, and nothing redirects
    probes and people get wrong answers
15 polite http
    a content type with a charset is accepted
    clients other than the API server are refused
16 must client
    a large reply is whole, compressed or not; it is compressed only if that is accepted
    large lists cannot be read
17 polite http
    a chunked request body is read
    proxies that send chunks are refused
18 polite http
    Expect: 100-continue is answered
    clients that ask first wait a second for each request
20 must converter
    the fields of metadata that an API server compares are in the reply
    every conversion fails: `must have the same UID`
21 lossless converter
    labels and annotations come back byte for byte
    labels and annotations are lost, of all clients and controllers
22 polite api
    absent labels and annotations stay absent
    each read shows members that nobody wrote
23 polite api
    labels and annotations that are null are tolerated
    hand-written reviews fail
24 polite converter
    metadata that is null or missing gives a Success with {}
    hand-written reviews fail
25 must converter
    annotations of 262144 bytes pass, and no conversion makes them more
    the object cannot be read at that version any more, nor any list with it
26 lossless practice
    foreign keys below the webhook's own annotation prefix are harmless
    annotations of other tools are lost
30 must fields
    an object without spec is converted
    server-side apply and updates fail as soon as a manager owns no spec
31 must store
    an object without status is converted
    creating objects fails
32 must fields
    a spec that is null is converted; a value of a wrong kind does not crash it, and is not lost
    updates fail as soon as a manager owns the spec as a whole
33 must fields
    an object of apiVersion, kind and metadata is converted, and nothing is added
    every update fails as soon as another version's manager owns metadata only
34 operations fields
    objects without their required fields are converted
    one object older than a field that became required makes every LIST fail
35 polite store
    unknown fields do not crash it
    none from an API server, which prunes them
36 polite store
    objects that their schema forbids do not crash it
    objects stored under a laxer schema make every LIST fail
37 lossless api
    absent, null and empty collections stay distinct
    `[]` that means "none" becomes absent, that means "default"
38 operations practice
    a bag that is damaged, foreign or of a newer toolkit is harmless
    whoever may edit annotations can make every LIST fail
40 lossless json
    integers are exact to 2^63-1
    large numbers change when an object is read
41 lossless json
    1.0 counts as 1, and -0.0 as 0
    whole numbers in a number are refused or changed
42 lossless json
    floats keep their value, in their shortest form
    numbers drift with every update
43 polite json
    NaN and infinities are never accepted and never written
    none from an API server, which cannot send them
44 polite json
    lone surrogates are rejected, with their path
    none from an API server, which replaces them before
45 lossless json
    <, > and & mean the same whether they are escaped or not
    texts with these characters change
46 polite json
    duplicate keys do not crash it, and the last one wins
    none from an API server, which sends none
47 must json
    two hundred levels of nesting are converted
    deep objects cannot be read
48 must api
    an object of 1.5 MB is converted
    large objects cannot be read
49 polite json
    the order of keys is irrelevant
    clients other than the API server are refused
50 operations practice
    the same bytes in give the same bytes out
    every no-op update writes, and watches never rest
51 lossless practice
    objects do not affect each other, and the input is not mutated
    objects of one list get the data of each other
52 lossless docs
    a stored object read at a version and written back is what it was
    each read and write of an old client loses data
53 lossless docs
    round trips from the other versions by every version are the identity
    what a client writes at its version is not what it reads there
54 lossless practice
    all paths between two versions agree
    data depends on the version in which it was last stored
55 lossless docs
    edits at another version win, and unrelated data survives them
    clients of that version cannot change what they see, or destroy what they do not see
56 lossless docs
    what is deleted at another version stays deleted
    clients of that version cannot delete: it comes back
57 lossless docs
    elements of lists with keys keep what is theirs when lists are edited
    a removed element leaves its data to its neighbour
58 lossless practice
    a stale or foreign bag never overrides live data
    an object that was copied gets the data of another one
59 polite practice
    a bag disappears where it is not needed
    annotations grow and show in every diff
60 lossless store
    nothing is lost by the pruning of both schemas
    what the webhook hides where no schema declares it is gone after one write
61 lossless store
    what clients of other versions do loses nothing that they cannot see
    data of one version is lost when a client of another one writes
70 operations practice
    how long objects of 2 kB, 10 kB and 1 MB take
    lists and watch caches are as slow as the webhook
71 operations client
    10 and 40 connections are served at once
    lists of several clients fail
72 operations client
    an idle connection stays open for at least 120 s
    now and then a request ends with EOF: API servers keep connections for 90 s
73 operations practice
    head and body of a reply leave in one segment
    with Nagle's algorithm 40 ms more for each object
74 operations practice
    SIGTERM ends the server without a lost request
    requests fail at each rollout
75 operations client
    under overload nothing is cut off, and whoever is sent away is told when to return
    requests fail that would succeed a second later
76 operations practice
    the rotation of the certificate keeps connections
    requests fail at each rotation
77 operations client
    ?timeout is honoured as a deadline
    the webhook works on for clients that have gone
78 operations practice
    no failure closes the connection
    a bad object makes good requests on the same connection fail
79 operations practice
    the limit of bodies is bounded, and at least 64 MiB
    whoever reaches the port can fill the memory; or large lists fail
"""
)


Run: TypeAlias = Callable[[Trial], str | None]


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its number in the conformance list, its claim, and the function that tries it.

    The function returns remarks, if there are any; `informs` says that they are measurements, not a
    verdict. It raises Failed or NotChecked.
    """

    id: str
    claim: Claim
    run: Run
    informs: bool = False

    @property
    def title(self) -> str:
        """The claim in words."""
        return self.claim.title


CHECKS: list[Check] = []
"""All checks, in the order of the list; filled by the modules that define them."""


def check(number: int, *, informs: bool = False) -> Callable[[Run], Run]:
    """Register a function as the check WC-`number`; its docstring says what it does."""

    def register(run: Run) -> Run:
        CHECKS.append(Check(f"WC-{number:02}", CLAIMS[number], run, informs))
        return run

    return register


def check_tries(
    number: int, noun: str, unless: str = NO_OBJECTS
) -> Callable[[Callable[[Trial], Iterator[str]]], Run]:
    """Register a generator as the check WC-`number`: it yields the fault of each try, or "".

    The check ends with the first fault, or with the number of tries, each of which is a `noun`.
    Without any try it is not checked, for the reason `unless`.
    """

    def register(tries: Callable[[Trial], Iterator[str]]) -> Run:
        @check(number)
        @wraps(tries)
        def run(trial: Trial) -> str:
            tried = 0
            for fault in tries(trial):
                demand(not fault, fault)
                tried += 1
            if not tried:
                raise NotChecked(unless)
            return counted(tried, noun)

        return run

    return register
