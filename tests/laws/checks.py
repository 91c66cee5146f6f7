"""Running all laws and the interpreter over a group on Hypothesis examples."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdall_codegen.model import ListOf, Ref
from holdall_codegen.plan.model import GroupPlan, TypeRef
from tests.laws import laws
from tests.laws.differences import require_same, same
from tests.laws.interpreter import Interpreter
from tests.laws.strategies import Documents, Everything, broken, documents, edits, objects
from tests.laws.subjects import Json, Subject, without_hooks

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def examples(count: int) -> Callable[[Any], Any]:
    """Return settings with so many examples in the usual profile, more in a thorough one."""
    usual = settings.get_profile("ci").max_examples
    wanted = max(1, count * settings().max_examples // usual)
    return settings(
        max_examples=wanted, suppress_health_check=_QUIET, print_blob=True, deadline=None
    )


def check_interpreter(subject: Subject, count: int) -> None:
    """Compare generated code with the interpreter: every edge, both directions, then edited."""
    interpreter = Interpreter(subject.plan)
    edges = [(e.older, e.newer) for e in subject.plan.edges]
    ends = [*edges, *((newer, older) for older, newer in edges)]

    @examples(count * max(1, len(ends) // 4))
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        start, end = data.draw(st.sampled_from(ends))
        document = data.draw(objects(subject.plan, start))
        there = _compare(subject, interpreter, start, end, document)
        back = _compare(subject, interpreter, end, start, there)
        if not any(edge.must_claim_older or edge.must_claim_newer for edge in subject.plan.edges):
            require_same(document, back, f"{start} -> {end} and back, without hooks", document)
        _compare(subject, interpreter, end, start, data.draw(edits(subject.plan, end, there)))

    with without_hooks(subject.scheme):
        for start, end in ends:
            generator = Documents(subject.plan)
            for turn in range(3):
                full = generator.object(Everything(turn), start, depth=2, api=False)
                _compare(subject, interpreter, start, end, full)
        agree()


def check_chains(subject: Subject, count: int) -> None:
    """Compare whole walks of a kind with the interpreter, with an edit at the far end."""
    interpreter = Interpreter(subject.plan)

    @examples(count)
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        kind, walk, document = _walk(data, subject, api=False)
        there = subject.convert_stored(kind, walk, document)
        claim = f"{kind} {' -> '.join(walk)}: interpreter and generated code differ"
        require_same(interpreter.convert(kind, walk, document), there, claim, document)
        edited = data.draw(edits(subject.plan, subject.root(kind, walk[-1]), there))
        back = subject.convert_stored(kind, walk[::-1], edited)
        require_same(interpreter.convert(kind, walk[::-1], edited), back, claim, edited)

    if _kinds(subject):
        with without_hooks(subject.scheme):
            agree()


def check_laws(subject: Subject, count: int, *, full: bool = True) -> None:
    """Run the laws on stored documents and on API documents, with hooks.

    `full` adds full objects with every single edit: slow where types have many members.
    """

    @examples(count)
    @given(st.data())
    def stored(data: st.DataObject) -> None:
        kind, walk, document = _walk(data, subject, api=False)
        # A document that came from elsewhere has bags whose entries agree with it.
        document = subject.convert_stored(kind, walk, document)
        start = walk[-1]
        walk = data.draw(st.sampled_from(list(laws.walks(subject, kind, start))))
        laws.returns(subject, kind, walk, document)
        for ends in pairwise(subject.root(kind, version) for version in walk):
            members = {k: v for k, v in document.items() if k not in ("apiVersion", "kind")}
            laws.is_pure(subject, *ends, members)
            document = subject.convert_stored(kind, [e.version for e in ends], document)
        document = subject.convert_stored(kind, walk[::-1], document)
        laws.holds_nothing_of_its_own(subject, kind, walk, document)
        laws.shows_the_same(subject, kind, start, document)

        def edit(ref: TypeRef, there: Json) -> Json:
            edited: Json = data.draw(edits(subject.plan, ref, there))
            return edited

        laws.edits_stand(subject, kind, walk, document, edit)

    @examples(count)
    @given(st.data())
    def api(data: st.DataObject) -> None:
        kind, walk, document = _walk(data, subject, api=True)
        laws.api_returns(subject, kind, walk, document)
        laws.api_hops_compose(subject, kind, walk, document)

    @examples(count)
    @given(st.data())
    def damaged(data: st.DataObject) -> None:
        kind, walk, document = _walk(data, subject, api=True)
        document = data.draw(st.composite(broken)(document))
        laws.converts_or_explains(subject, kind, walk, document)

    if full:
        check_full_objects(subject)
    if _kinds(subject):
        stored()
        api()
        damaged()


def check_full_objects(subject: Subject) -> None:
    """Purity over every edge, and every single edit between two versions, for full objects."""
    generator = Documents(subject.plan)
    for edge in subject.plan.edges:
        for start, end in ((edge.older, edge.newer), (edge.newer, edge.older)):
            for turn in range(4):
                full = generator.object(Everything(turn), start, depth=2, api=False)
                laws.is_pure(subject, start, end, full)
    for kind in _kinds(subject):
        for version in subject.versions(kind):
            full = generator.root(Everything(), kind, version, api=False)
            for walk in laws.walks(subject, kind, version):
                laws.single_edits_stand(subject, kind, walk, full)


def check_partial_objects(subject: Subject) -> None:
    """L5: an empty document, each member alone and null, at every depth, and a full one return."""
    generator = Documents(subject.plan)
    for kind in _kinds(subject):
        for start in subject.served(kind):
            ref = subject.root(kind, start)
            full = generator.root(Everything(), kind, start, api=True)
            base = {name: full[name] for name in ("apiVersion", "kind")}
            for part in ({}, *_sparse(subject, ref, full, depth=3), full):
                for end in subject.served(kind):
                    if end != start:
                        walk = [start, end]
                        laws.api_returns(subject, kind, walk, {**base, **part})


def _sparse(subject: Subject, ref: TypeRef, full: Json, depth: int) -> Iterator[Json]:
    """Yield objects of a type with one member each, at any depth: as in `full`, and null."""
    planned = subject.plan.type(ref)
    for member in planned.members:
        name, value = member.name, full.get(member.name)
        yield {name: value}
        if not (planned.kind and name == "metadata"):
            yield {name: None}
        match member.property.type, value:
            case (Ref(type_name=held), dict()) if depth:
                below = TypeRef(ref.version, held)
                yield from ({name: part} for part in _sparse(subject, below, value, depth - 1))
            case (ListOf(item=Ref(type_name=held)), [dict() as first, *_]) if depth:
                below = TypeRef(ref.version, held)
                yield from ({name: [part]} for part in _sparse(subject, below, first, depth - 1))


def idle_hooks(subject: Subject) -> list[str]:
    """L11: return the directions of edges whose hook changes nothing, for full objects."""
    subject.scheme.load()
    generator, idle = Documents(subject.plan), []
    for entry in subject.scheme._edges:
        names = [TypeRef(version, cls.__name__) for version, cls in (entry.older, entry.newer)]
        for crossing, (start, end) in (
            (entry.edge.to, names),
            (entry.edge.back, names[::-1]),
        ):
            if crossing.hook is None:
                continue
            turns = [generator.object(Everything(n), start, depth=2, api=False) for n in range(20)]
            there = [generator.object(Everything(n), end, depth=2, api=False) for n in range(20)]
            turns += [subject.cross_stored(end, start, full) for full in there]
            if not any(_hook_matters(subject, start, end, full) for full in turns):
                idle.append(f"{start} -> {end}")
    return idle


def _hook_matters(subject: Subject, start: TypeRef, end: TypeRef, document: Json) -> bool:
    hooked = subject.cross_stored(start, end, document)
    with without_hooks(subject.scheme):
        return not same(hooked, subject.cross_stored(start, end, document))


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


def _compare(
    subject: Subject, interpreter: Interpreter, start: TypeRef, end: TypeRef, document: Json
) -> Json:
    expected = interpreter.cross(start, end, document)
    actual = subject.cross_stored(start, end, document)
    require_same(expected, actual, f"{start} -> {end}: interpreter and code differ", document)
    return expected


def _kinds(subject: Subject) -> list[str]:
    return [kind.name for kind in subject.plan.kinds if len(subject.served(kind.name)) > 1]


def _walk(data: st.DataObject, subject: Subject, *, api: bool) -> tuple[str, list[str], Json]:
    kind = data.draw(st.sampled_from(_kinds(subject)))
    versions = subject.served(kind) if api else subject.versions(kind)
    start = data.draw(st.sampled_from(versions))
    end = data.draw(st.sampled_from([version for version in versions if version != start]))
    path = [v for v in subject.path(kind, start, end) if not api or v in versions]
    return kind, path, data.draw(documents(subject.plan, kind, start, api=api))


__all__ = [
    "check_chains",
    "check_full_objects",
    "check_interpreter",
    "check_laws",
    "check_partial_objects",
    "idle_hooks",
    "import_all",
    "require_fates",
]
