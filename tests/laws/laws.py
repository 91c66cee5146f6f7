"""The laws of conversion, each a function that fails with a readable difference.

A law looks at one object and walks through versions; it knows a group only through its plan and
its scheme. Stored documents show every bag; API documents travel with their carriers.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from holdall.errors import HoldallError
from holdall.routes import Report
from holdall_codegen.plan.model import TypeRef
from tests.laws.differences import require_same, same
from tests.laws.json_form import BAG, CREATED, ORIGINAL
from tests.laws.meanings import Meanings
from tests.laws.strategies import single_edits
from tests.laws.subjects import Subject

Json = dict[str, Any]
Walk = list[str]


def walks(subject: Subject, kind: str, start: str) -> Iterator[Walk]:
    """Yield every walk from a version to each other one, over the edges of the kind."""
    for end in subject.versions(kind):
        if end != start:
            yield subject.path(kind, start, end)


# --- stored documents: bags are in sight, hooks run ---


def returns(subject: Subject, kind: str, walk: Walk, document: Json) -> None:
    """L1, L2, L9, L10: there and back is the identity, bags, extras and foreign entries included.

    Entries that skip links join may change their shape on the way; what they mean may not.
    """
    there = subject.convert_stored(kind, walk, document)
    back = subject.convert_stored(kind, walk[::-1], there)
    if not same(document, back):
        ref, meanings = subject.root(kind, walk[0]), Meanings(subject.plan)
        claim = f"{kind} {' -> '.join(walk)} and back is not the same"
        require_same(meanings.of(ref, document), meanings.of(ref, back), claim, document)
    foreign_passes(walk, document, there)


def foreign_passes(walk: Walk, document: Json, there: Json) -> None:
    """L10: what no version knows is in the root's bag before and after."""
    known = set(walk)
    before, after = document.get(BAG, {}), there.get(BAG, {})
    foreign = {origin: before[origin] for origin in before if origin not in known}
    kept = {origin: after.get(origin) for origin in foreign}
    require_same(foreign, kept, f"{' -> '.join(walk)}: a foreign entry changed", document)


def shows_the_same(subject: Subject, kind: str, start: str, document: Json) -> None:
    """L3: a detour ends with the same declared values and extras as the shortest way."""
    for walk in walks(subject, kind, start):
        for end in walk[1:-1]:
            detour = [*walk, *subject.path(kind, walk[-1], end)[1:]]
            direct = subject.path(kind, start, end)
            require_same(
                shown(subject.convert_stored(kind, direct, document)),
                shown(subject.convert_stored(kind, detour, document)),
                f"{kind} {' -> '.join(detour)} shows something else than {' -> '.join(direct)}",
                document,
            )


def edits_stand(
    subject: Subject, kind: str, walk: Walk, document: Json, edit: Callable[[TypeRef, Json], Json]
) -> None:
    """L4: what was edited or deleted at the far end is so after a trip to the start and back."""
    there = subject.convert_stored(kind, walk, document)
    edit_stands(subject, kind, walk, edit(subject.root(kind, walk[-1]), there))


def single_edits_stand(subject: Subject, kind: str, walk: Walk, document: Json) -> None:
    """L4 for every declared member that the far end shows, one at a time."""
    there = subject.convert_stored(kind, walk, document)
    for edited in single_edits(subject.plan, subject.root(kind, walk[-1]), there):
        edit_stands(subject, kind, walk, edited)


def edit_stands(subject: Subject, kind: str, walk: Walk, edited: Json) -> None:
    """L4 for an object that was edited at the far end of a walk."""
    home = subject.convert_stored(kind, walk[::-1], edited)
    again = subject.convert_stored(kind, walk, home)
    require_same(
        shown(edited),
        shown(again),
        f"{kind}: an edit at {walk[-1]} does not stand after {' -> '.join(walk)}",
        edited,
    )


def is_pure(subject: Subject, start: TypeRef, end: TypeRef, document: Json) -> None:
    """L6, L7, L8: same input same bytes, the source stays, and results share nothing."""
    before = copy.deepcopy(document)
    source = subject.twin(start).from_dict(document)
    first, second = (subject.cross(start, end, source) for _ in range(2))
    text = json.dumps(second.to_dict())
    require_same(json.loads(text), first.to_dict(), f"{start} -> {end} is not determined", before)
    require_same(before, subject.stored(start, source), f"{start} -> {end} changed it", before)
    _spoil(first.to_dict())
    require_same(before, document, f"{start} -> {end} shares with its input", before)
    require_same(json.loads(text), second.to_dict(), f"{start} -> {end}: results share", before)


def holds_nothing_of_its_own(subject: Subject, kind: str, walk: Walk, document: Json) -> None:
    """L9: no bag holds what its own version declares, nor an empty origin."""
    there = subject.convert_stored(kind, walk, document)
    ref = subject.root(kind, walk[-1])
    own = there.get(BAG, {}).get(ref.version, {})
    declared = {member.name for member in subject.plan.type(ref).members}
    if declared & set(own) or there.get(BAG, 0) == {}:
        raise AssertionError(f"{kind} {' -> '.join(walk)}: {there[BAG]} holds its own, {document}")


# --- API documents ---


def api_returns(subject: Subject, kind: str, walk: Walk, document: Json) -> None:
    """L1, L2, L5, L7 at the API: dicts and bytes travel there and back with their carrier."""
    before = copy.deepcopy(document)
    current = document
    for version in [*walk[1:], *walk[-2::-1]]:
        current = subject.scheme.convert(current, to=version)
    require_same(before, document, f"{kind}: SCHEME.convert changed its input", before)
    require_same(document, current, f"{kind} {' -> '.join(walk)} and back at the API", document)
    data = json.dumps(document).encode()
    there = subject.scheme.convert_bytes(data, to=walk[-1])
    back = subject.scheme.convert_bytes(there, to=walk[0])
    require_same(document, json.loads(back), f"{kind} {walk[-1]} and back as bytes", document)
    if subject.scheme.convert_bytes(data, to=walk[-1]) != there:
        raise AssertionError(f"{kind} -> {walk[-1]}: bytes differ from run to run for {document}")


def api_hops_compose(subject: Subject, kind: str, walk: Walk, document: Json) -> None:
    """L3 at the API: hop by hop, through carriers, gives what the direct conversion gives."""
    current = document
    for version in walk[1:]:
        current = subject.scheme.convert(current, to=version)
    direct = subject.scheme.convert(document, to=walk[-1])
    hops = " -> ".join(walk)
    require_same(api_shown(direct), api_shown(current), f"{kind} {hops} against direct", document)


def converts_or_explains(subject: Subject, kind: str, walk: Walk, document: Json) -> None:
    """L5, L7 for broken input: it comes back, or fails with an error of holdall's own.

    Metadata that is no object holds no carrier; then the report says what is lost.
    """
    before = copy.deepcopy(document)
    report: Report = []
    try:
        there = subject.scheme.convert(document, to=walk[-1], report=report)
    except HoldallError as error:
        if not str(error) or "Traceback" in str(error):
            raise AssertionError(f"an error that says nothing, for {document}") from error
    else:
        back = subject.scheme.convert(there, to=walk[0])
        if not report:
            require_same(before, back, f"{kind} {walk} and back, broken", before)
    require_same(before, document, f"{kind}: a failed conversion changed its input", before)


# --- what a version shows ---


def shown(value: Any) -> Any:
    """Return a stored document without bags and recorded versions: values and extras.

    An empty parent that a move made is shown as what it goes back to: absent or null.
    """
    if isinstance(value, dict):
        members = {}
        for key, item in value.items():
            mark = _made_for_a_move(item)
            if key not in (BAG, ORIGINAL) and mark != "absent":
                members[key] = None if mark == "null" else shown(item)
        return members
    if isinstance(value, list):
        return [shown(item) for item in value]
    return value


def api_shown(document: Json) -> Json:
    """Return an API document without metadata, where its carrier is, and without `$propertyBag`."""
    return {key: value for key, value in document.items() if key not in ("metadata", BAG)}


def _made_for_a_move(value: Any) -> str:
    """Return the mark of an object that holds nothing else, and nothing but such objects."""
    if not isinstance(value, dict) or not isinstance(value.get(BAG), dict):
        return ""
    if any(_made_for_a_move(item) != "absent" for key, item in value.items() if key != BAG):
        return ""
    origins = [origin for origin in value[BAG].values() if isinstance(origin, dict)]
    entries = [item for origin in origins for item in origin.items()]
    return str(entries[0][1]) if len(entries) == 1 and entries[0][0] == CREATED else ""


def _spoil(value: Any) -> None:
    """Change every container of a value in place."""
    if isinstance(value, dict):
        for item in value.values():
            _spoil(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            _spoil(item)
        value.clear()
