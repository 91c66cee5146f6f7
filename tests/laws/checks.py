"""Comparing generated code with the interpreter, and checking the laws, on Hypothesis examples."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdall.plan.plans import TypeRef
from holdall.testing.laws.choices import Everything
from holdall.testing.laws.differences import differences, lines
from holdall.testing.laws.documents import Documents
from holdall.testing.laws.edits import draw_edit
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.reporting import explain
from holdall.testing.laws.running import check_kind
from holdall.testing.laws.strategies import Drawn
from holdall.types import JsonObject
from holdall_codegen.plan.model import GroupPlan
from tests.laws.interpreter import Interpreter
from tests.laws.subjects import Json, Subject, without_hooks

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def examples(count: int) -> Callable[[Any], Any]:
    """Return settings with so many examples in the usual profile, more in a thorough one."""
    return settings(
        max_examples=scaled(count), suppress_health_check=_QUIET, print_blob=True, deadline=None
    )


def scaled(count: int) -> int:
    """Return so many in the usual profile, more in a thorough one."""
    usual = settings.get_profile("ci").max_examples
    return max(1, count * settings().max_examples // usual)


@st.composite
def stored_objects(
    draw: st.DrawFn, documents: Documents, ref: TypeRef, *, depth: int = 3
) -> JsonObject:
    """Return stored objects of a type, with bags of foreign entries."""
    return documents.object(Drawn(draw), ref, depth=depth)


@st.composite
def edited(draw: st.DrawFn, documents: Documents, ref: TypeRef, document: JsonObject) -> JsonObject:
    """Return edited copies of an object: one thing that its version shows is set or deleted."""
    return draw_edit(Drawn(draw), documents, ref, document).apply(document)


def check_interpreter(subject: Subject, count: int) -> None:
    """Compare generated code with the interpreter: every edge, both directions, then edited."""
    interpreter = Interpreter(subject.plan)
    documents = subject.own.documents
    edges = [(e.older, e.newer) for e in subject.plan.edges]
    ends = [*edges, *((newer, older) for older, newer in edges)]

    @examples(count * max(1, len(ends) // 4))
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        start, end = data.draw(st.sampled_from(ends))
        document = data.draw(stored_objects(documents, start))
        there = _compare(subject, interpreter, start, end, document)
        back = _compare(subject, interpreter, end, start, there)
        if not any(edge.must_claim_older or edge.must_claim_newer for edge in subject.plan.edges):
            require_same(document, back, f"{start} -> {end} and back, without hooks", document)
        changed = data.draw(edited(documents, end, there))
        _compare(subject, interpreter, end, start, changed)

    with without_hooks(subject):
        for start, end in ends:
            for turn in range(3):
                full = documents.object(Everything(turn), start, depth=2)
                _compare(subject, interpreter, start, end, full)
        agree()


def check_chains(subject: Subject, count: int) -> None:
    """Compare whole walks of a kind with the interpreter, with an edit at the far end."""
    interpreter = Interpreter(subject.plan)
    own = subject.own

    @examples(count)
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from(own.kinds()))
        start, end = data.draw(
            st.lists(st.sampled_from(own.versions(kind)), min_size=2, max_size=2, unique=True)
        )
        walk = own.path(kind, start, end)
        document = data.draw(_roots(own.documents, kind, start))
        there = subject.convert_stored(kind, walk, document)
        claim = f"{kind} {' -> '.join(walk)}: interpreter and generated code differ"
        require_same(interpreter.convert(kind, walk, document), there, claim, document)
        changed = data.draw(edited(own.documents, own.root(kind, end), there))
        back = subject.convert_stored(kind, walk[::-1], changed)
        require_same(interpreter.convert(kind, walk[::-1], changed), back, claim, changed)

    if own.kinds():
        with without_hooks(subject):
            agree()


@st.composite
def _roots(draw: st.DrawFn, documents: Documents, kind: str, version: str) -> JsonObject:
    return documents.root(Drawn(draw), kind, version)


def check_laws(subject: Subject, count: int) -> None:
    """Check the laws on fixed objects and on so many drawn ones, of each kind and version."""
    tools = Tools.of(subject.own)
    first = random.getrandbits(32)
    for kind in subject.own.kinds():
        for start in subject.own.versions(kind):
            outcome = check_kind(tools, kind, start, range(first, first + scaled(count)))
            for finding in outcome.findings.values():
                raise AssertionError(explain(tools, finding).text())


def import_all(subject: Subject) -> None:
    """Import every generated module of a group."""
    for version in subject.plan.versions:
        importlib.import_module(f"{subject.scheme.package}.{version.module}")
        importlib.import_module(f"{subject.scheme.package}.{version.module}.storage")


def require_fates(plan: GroupPlan) -> None:
    """Fail unless every property of both types of every edge has a decision."""
    for edge in plan.edges:
        for side, ref in (("older", edge.older), ("newer", edge.newer)):
            decided = {d.name for d in edge.decisions if d.side == side}
            missing = {member.name for member in plan.type(ref).members} - decided
            if missing:
                raise AssertionError(f"{edge.older} -> {edge.newer}: no fate for {side} {missing}")


def require_same(expected: Any, actual: Any, claim: str, origin: object) -> None:
    """Fail with a readable difference unless two values are the same."""
    found = lines(differences(expected, actual))
    if found:
        text = "\n    ".join(found)
        raise AssertionError(f"{claim}\n    {text}\n  for {origin!r}")


def _compare(
    subject: Subject, interpreter: Interpreter, start: TypeRef, end: TypeRef, document: Json
) -> Json:
    expected = interpreter.cross(start, end, document)
    actual = subject.cross_stored(start, end, document)
    require_same(expected, actual, f"{start} -> {end}: interpreter and code differ", document)
    return expected
