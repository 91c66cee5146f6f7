"""The objects on which laws are checked, and the violations that are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from holdall.objects.heads import head_members
from holdall.plan.plans import Ref
from holdall.testing.laws.branches import DEPTH, Parts
from holdall.testing.laws.choices import Crowded, Everything, Extremes, Seeded, Share, pick
from holdall.testing.laws.edits import Edit, draw_damage, single_edits
from holdall.testing.laws.subjects import Subject
from holdall.testing.laws.texts import with_texts
from holdall.testing.laws.values import EXTREMES
from holdall.text import json as _json
from holdall.types import JsonObject

PART: Final = "part"
"""The name of cases with a single member."""

LAWS: Final[Mapping[str, str]] = {
    "L0": "what the plan says is carried over arrives unchanged",
    "L1": "older to newer and back is the same object",
    "L2": "newer to older and back is the same object",
    "L3": "every way to a version shows the same",
    "L4": "an edit stands, and nothing else moves",
    "L5": "every object converts to one of its type, or is refused with its place",
    "L6": "equal input gives equal bytes",
    "L7": "the source is not changed",
    "L8": "nothing is shared between objects",
    "L9": "a bag holds only what its version cannot express",
    "L10": "what nobody knows passes through",
    "L11": "every hook is needed",
    "L12": "an API server in between changes nothing else",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One object, drawn at one version and checked from another one.

    `stored` and `api` are its two forms at the version `drawn`; the laws begin after converting it
    to `start`. Further choices follow from `seed`, unless `edits` (by the version where they are
    made) and `damage` determine them. `thorough` makes every single edit, and removes every entry;
    with a `share`, only those of it.
    """

    kind: str
    start: str
    drawn: str
    stored: JsonObject
    api: JsonObject
    seed: str
    stale: bool = False
    thorough: bool = False
    share: Share | None = None
    edits: Mapping[str, Edit] = field(default_factory=dict)
    damage: Edit | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """A law that does not hold for a case, between two versions.

    `differences` are lines by JSON Pointer. `edit` is what was edited at `end`, if that matters;
    `damaged` says that the object was damaged.
    """

    law: str
    kind: str
    start: str
    end: str
    claim: str
    differences: tuple[str, ...] = ()
    edit: Edit | None = None
    damaged: bool = False

    @property
    def cell(self) -> tuple[str, str, str, str]:
        """The law, the kind and the pair of versions: what one check of the table is."""
        return self.law, self.kind, self.start, self.end


def drawn_case(subject: Subject, kind: str, start: str, seed: int) -> Case:
    """Return the case of a seed: the same on every machine."""
    text = f"{kind}/{start}/{seed}"
    choices = Seeded(text)
    # One in four comes from another version, with bags that agree with it.
    versions = subject.served(kind) if start in subject.served(kind) else subject.versions(kind)
    drawn = start if choices.below(4) else pick(choices, versions)
    crowded = Crowded(text) if choices.rarely(4) else choices
    draft = subject.documents.draft(crowded, kind, drawn)
    api = with_texts(choices, subject.documents, subject.scheme, draft.api)
    damage = draw_damage(choices, api, head_members(subject.scheme.head))
    return Case(kind, start, drawn, draft.stored, api, text, stale=draft.stale, damage=damage)


class Cases:
    """The cases of a kind from one version on: fixed ones, and those of seeds.

    The fixed cases of a small kind have each member alone, and each edit of a full object. Of a
    large kind, they have a share, and each seed has a share of the others.
    """

    def __init__(self, subject: Subject, kind: str, start: str) -> None:
        self._subject, self._kind, self._start = subject, kind, start

    def fixed(self, *, parts: bool) -> Iterator[Case]:
        """Yield the fixed cases, of single members only with `parts`."""
        for case in whole_cases(self._subject, self._kind, self._start):
            yield replace(case, share=Share())
        if parts:
            yield from Share().of(self._parts)

    def of(self, seed: int, number: int, *, shares: bool = True) -> Iterator[Case]:
        """Yield the cases of a seed: the same on every machine.

        `number` seeds were before it: if these had all `shares`, it has none.
        """
        yield drawn_case(self._subject, self._kind, self._start, seed)
        if shares and number < Share.turns_of(len(self._parts)):
            yield from Share(seed).of(self._parts)
        if shares and number < self._turns_of_edits:
            yield replace(self._full, share=Share(seed))

    @cached_property
    def _parts(self) -> Sequence[Case]:
        return [*part_cases(self._subject, self._kind, self._start)]

    @cached_property
    def _full(self) -> Case:
        return next(whole_cases(self._subject, self._kind, self._start))

    @cached_property
    def _turns_of_edits(self) -> int:
        documents, most = self._subject.documents, 0
        for version in self._subject.versions(self._kind):
            full = documents.root(Everything(), self._kind, version)
            edits = single_edits(documents, self._subject.root(self._kind, version), full)
            most = max(most, sum(1 for _ in edits))
        return Share.turns_of(most)


def fixed_cases(subject: Subject, kind: str, start: str) -> Iterator[Case]:
    """Yield all fixed cases, which do not depend on a seed."""
    yield from whole_cases(subject, kind, start)
    yield from part_cases(subject, kind, start)


def whole_cases(subject: Subject, kind: str, start: str) -> Iterator[Case]:
    """Yield full objects, some with entries that contradict them, and empty objects; the same
    where branches end."""
    documents = subject.documents
    full = documents.root(Everything(), kind, start)
    yield _fixed(kind, start, "full", full, thorough=True)
    for turn in range(1, 4):
        yield _fixed(kind, start, f"full {turn}", documents.root(Everything(turn), kind, start))
    for number, values in enumerate((*EXTREMES, *documents.told.alone())):
        extreme = documents.root(Extremes(values), kind, start)
        yield _fixed(kind, start, f"extreme {number}", extreme)
    for number, draft in enumerate(documents.stale(kind, start)):
        seed = f"{kind}/{start}/stale {number}"
        yield Case(kind, start, start, draft.stored, draft.api, seed, stale=True)
    yield _fixed(kind, start, "empty", {**subject.scheme.twin(kind, start).HEAD})
    extremes = [Extremes(values) for values in (*EXTREMES, *documents.told.alone())]
    for index, branch in enumerate(documents.branches(kind, start)):
        for number, choices in enumerate((Everything(), *extremes)):
            document = documents.root(choices, kind, start, branch)
            yield _fixed(kind, start, f"branch {index} {number}", document)


def part_cases(subject: Subject, kind: str, start: str) -> Iterator[Case]:
    """Yield objects with each member alone, also where branches end."""
    documents = subject.documents
    base = {**subject.scheme.twin(kind, start).HEAD}
    alone = Parts(documents.plan)
    full = documents.root(Everything(), kind, start)
    for number, part in enumerate(alone.objects(subject.root(kind, start), full, depth=3)):
        if part != {"metadata": None}:
            yield _fixed(kind, start, f"{PART} {number}", {**base, **part})
    for index, branch in enumerate(documents.branches(kind, start)):
        end = Ref(branch.end)
        full_end = documents.value(Everything(), end, depth=DEPTH + 1)
        for number, value in enumerate(alone.values(end, full_end, depth=DEPTH)):
            part = {**base, **branch.bearing(value)}
            yield _fixed(kind, start, f"{PART} {index}/{number}", part)


def given_case(kind: str, version: str, stored: JsonObject, api: JsonObject) -> Case:
    """Return the case of a given object."""
    return Case(kind, version, version, stored, api, "given", thorough=True)


def _fixed(
    kind: str, start: str, seed: str, document: JsonObject, *, thorough: bool = False
) -> Case:
    api = _json.copy(document)
    return Case(kind, start, start, document, api, f"{kind}/{start}/{seed}", thorough=thorough)
