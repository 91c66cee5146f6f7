"""Names for object types: readable, stable, and shared by equal types.

In order of precedence: pinned names; a kind's own name; `<Kind><Property>` for the objects right
below a kind; the names of definitions; and for anonymous objects the property's name. If objects
of one candidate name differ, equal ones that are more than half of all get it. The others, and all
if there is no such majority or the name is taken, are qualified by the type they are in, and
further by the types above until they are unique. So an edit in one place seldom renames types
elsewhere, and a new object takes no name from another. No rule depends on the order of files or
properties.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import TypeAlias

from holdall_codegen.model import ListOf, MapOf, Ref, Scalar, Type, innermost
from holdall_codegen.read.class_names import class_name, free_name
from holdall_codegen.read.drafts import Draft

_Group: TypeAlias = "tuple[int, str]"
"""A class, and the parent of its drafts: its id, or its type name once it is named."""


@dataclass(frozen=True, slots=True)
class NameClash:
    """Two different types that would share a name because of a pin."""

    name: str
    one: str
    other: str


def name_types(
    drafts: Mapping[str, Draft], pins: Mapping[str, str]
) -> tuple[dict[str, str], list[NameClash]]:
    """Return the type name of each draft, by id, and the clashes that pins (by id) cause.

    Drafts of one name are equal in structure.
    """
    return _Naming(drafts, pins).run()


class _Naming:
    def __init__(self, drafts: Mapping[str, Draft], pins: Mapping[str, str]) -> None:
        self._drafts = sorted(drafts.values(), key=lambda draft: (_depth(draft), draft.id))
        self._classes, self._pins = _apply_pins(drafts, pins)
        self._names: dict[str, str] = {}
        self._owners: dict[str, Draft] = {}
        self._folded: set[str] = set()
        self._clashes: list[NameClash] = []
        self._structures: dict[str, int] = {}

    def run(self) -> tuple[dict[str, str], list[NameClash]]:
        for draft in self._drafts:
            if draft.id in self._pins:
                self._pin(draft, self._pins[draft.id])
        for draft in self._drafts:
            if draft.role == "kind":
                self._fix(draft, [draft.candidate])
        for draft in self._drafts:
            if draft.role == "member" and draft.parent is not None:
                self._fix(draft, [draft.parent.candidate + draft.candidate])
        self._name_definitions()
        self._name_anonymous()
        return self._names, self._clashes

    def _pin(self, draft: Draft, name: str) -> None:
        owner = self._owners.get(name)
        if owner is not None and not self._is_same(owner, draft):
            self._clashes.append(NameClash(name, owner.id, draft.id))
        self._take(draft, name)

    def _is_same(self, one: Draft, other: Draft) -> bool:
        """Compare the structure of drafts of any candidate and role."""
        found = self._structures
        if not found:
            drafts = (replace(d, role="anonymous", candidate="", spare="") for d in self._drafts)
            found = self._structures = classify({draft.id: draft for draft in drafts}, {})
        return found[one.id] == found[other.id]

    def _fix(self, draft: Draft, candidates: list[str]) -> None:
        """Name a draft whose name does not depend on others."""
        if draft.id in self._names:
            return
        name = free_name(candidates[0])
        owner = self._owners.get(name)
        if owner is not None and owner.id in self._pins:
            self._clashes.append(NameClash(name, owner.id, draft.id))
        self._take(draft, self._first_free(candidates))

    def _name_definitions(self) -> None:
        known: dict[int, str] = {}
        for draft in self._drafts:
            if draft.role != "definition" or draft.id in self._names:
                continue
            # copies of a definition in several files are one type
            number = self._classes[draft.id]
            if number in known:
                self._names[draft.id] = known[number]
                continue
            stem = class_name(draft.id.split("#")[0].rsplit("/", 1)[-1].split(".")[0])
            self._fix(draft, [draft.candidate, draft.spare, stem + draft.candidate])
            known[number] = self._names[draft.id]

    def _name_anonymous(self) -> None:
        unnamed = [d for d in self._drafts if d.role == "anonymous" and d.id not in self._names]
        rivals: dict[str, dict[int, list[Draft]]] = defaultdict(lambda: defaultdict(list))
        for draft in unnamed:
            rivals[_fold(draft.candidate)][self._classes[draft.id]].append(draft)
        for candidate, found in rivals.items():
            half = sum(map(len, found.values())) / 2
            most = next((drafts for drafts in found.values() if len(drafts) > half), [])
            if candidate not in self._folded:
                for draft in most:
                    self._take(draft, free_name(draft.candidate))
        # Level by level: the parents' names are known when their children are named.
        levels: dict[int, dict[_Group, list[Draft]]] = defaultdict(lambda: defaultdict(list))
        for draft in unnamed:
            if draft.id not in self._names and draft.parent is not None:
                levels[_depth(draft)][self._classes[draft.id], draft.parent.id].append(draft)
        known: dict[_Group, str] = {}
        for level in sorted(levels):
            self._qualify(levels[level], known)

    def _qualify(self, level: Mapping[_Group, list[Draft]], known: dict[_Group, str]) -> None:
        """Name drafts of one depth; equal drafts in the same parent type share a name."""
        pending: dict[_Group, list[Draft]] = defaultdict(list)
        for (number, parent), drafts in level.items():
            group = (number, self._names[parent])
            if group in known:
                self._names.update((draft.id, known[group]) for draft in drafts)
            else:
                pending[group].extend(drafts)
        attempts = {group: self._attempts(drafts[0]) for group, drafts in pending.items()}
        # Drafts that want one name all try the next; if that never separates them, one gets it.
        patience = 4 * max((_depth(drafts[0]) for drafts in pending.values()), default=0)
        while pending:
            patience -= 1
            wanted: dict[str, list[_Group]] = defaultdict(list)
            for group in pending:
                wanted[next(attempts[group])].append(group)
            for name, groups in wanted.items():
                if (len(groups) > 1 and patience > 0) or name.casefold() in self._folded:
                    continue
                known[groups[0]] = name
                for draft in pending.pop(groups[0]):
                    self._take(draft, name)

    def _attempts(self, draft: Draft) -> Iterator[str]:
        """Yield names for a draft: below its parent, below the types above, numbered."""
        below = draft.candidate
        above = draft.parent
        while above is not None:
            yield free_name(self._names[above.id] + below)
            if above is draft.parent:
                yield free_name(self._names[above.id] + draft.spare)
            below = above.candidate + below
            above = above.parent
        # only the property's name distinguishes such drafts
        alike = [
            other.id
            for other in self._drafts
            if other.parent is draft.parent and _fold(other.candidate) == _fold(draft.candidate)
        ]
        name = self._names[draft.parent.id] if draft.parent else ""
        first = alike.index(draft.id) + 1
        yield from (f"{name}{draft.candidate}{number}" for number in count(first, len(alike)))

    def _first_free(self, candidates: list[str]) -> str:
        names = [free_name(name) for name in candidates]
        numbered = (f"{names[-1]}{number}" for number in count(2))
        return next(name for name in chain(names, numbered) if name not in self._owners)

    def _take(self, draft: Draft, name: str) -> None:
        self._names[draft.id] = name
        self._owners.setdefault(name, draft)
        self._folded.add(name.casefold())


def _fold(candidate: str) -> str:
    """Fold case: `TlsContext` and `TLSContext` count as one name."""
    return free_name(candidate).casefold()


def _depth(draft: Draft) -> int:
    depth = 0
    while draft.parent is not None:
        draft = draft.parent
        depth += 1
    return depth


def _apply_pins(
    drafts: Mapping[str, Draft], pins: Mapping[str, str]
) -> tuple[dict[str, int], dict[str, str]]:
    """Return the classes of the drafts, and the pins with those that follow from them.

    A pin names the type at its path, so all drafts of the class take it. If the pins of one class
    differ, they split it, and drafts without a pin keep their name.
    """
    classes = classify(drafts, {})
    by_class: dict[int, set[str]] = defaultdict(set)
    for name, pin in pins.items():
        by_class[classes[name]].add(pin)
    split = {name: pin for name, pin in pins.items() if len(by_class[classes[name]]) > 1}
    if split:
        classes = classify(drafts, split)
        by_class = defaultdict(set)
        for name, pin in pins.items():
            by_class[classes[name]].add(pin)
    return classes, {
        name: next(iter(by_class[number])) for name, number in classes.items() if number in by_class
    }


# --- which types are one --------------------------------------------------------------------------


def classify(drafts: Mapping[str, Draft], pins: Mapping[str, str]) -> dict[str, int]:
    """Return the class of each draft, by id; drafts of one class may share one type.

    Structure is: wire names, types with enums and list keys, required, nullable, whether unknown
    members are kept. Docs, defaults and formats do not count. Kinds and their members have classes
    of their own. `pins` are names that split equal drafts. Classes are refined until nothing
    changes, so recursive types compare as the infinite trees they represent.
    """
    ordered = sorted(drafts.values(), key=lambda draft: draft.id)
    classes = _number({d.id: (_own(d), pins.get(d.id, "")) for d in ordered})
    children = {draft.id: _children(draft) for draft in ordered}
    while True:
        refined = _number(
            {
                draft.id: (
                    classes[draft.id],
                    tuple(classes[child] for child in children[draft.id]),
                )
                for draft in ordered
            }
        )
        if len(set(refined.values())) == len(set(classes.values())):
            return refined
        classes = refined


def _number(keys: Mapping[str, object]) -> dict[str, int]:
    numbers: dict[object, int] = {}
    return {name: numbers.setdefault(key, len(numbers)) for name, key in keys.items()}


def _own(draft: Draft) -> tuple[object, ...]:
    alone = draft.id if draft.role in ("kind", "member") else ""
    properties = sorted(draft.properties, key=lambda item: item.name)
    return (
        draft.role,
        alone,
        draft.candidate,
        draft.preserve_unknown,
        draft.has_slot,
        tuple((p.name, _outline(p.type), p.required, p.nullable) for p in properties),
    )


def _outline(value: Type) -> tuple[object, ...]:
    if isinstance(value, Scalar):
        return ("scalar", value.kind, tuple(repr(item) for item in value.enum))
    if isinstance(value, ListOf):
        return ("list", value.list_type, value.map_keys, value.item_nullable, _outline(value.item))
    if isinstance(value, MapOf):
        return ("map", value.value_nullable, _outline(value.value))
    if isinstance(value, Ref):
        return ("ref",)
    return ("other", value)


def _children(draft: Draft) -> list[str]:
    properties = sorted(draft.properties, key=lambda item: item.name)
    held = (innermost(item.type)[0] for item in properties)
    return [value.type_name for value in held if isinstance(value, Ref)]
