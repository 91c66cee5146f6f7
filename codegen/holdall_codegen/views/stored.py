"""What a change of the plan means for objects that are stored already.

Under the old plan some properties had no place in the version that was stored: the bags of stored
objects keep them. The objects themselves may have members that the new schema does not declare.
Both are read under the new plan. Source: docs/schema-changes.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from holdall.explain.standing import Standing, Standings, type_at
from holdall.objects.bag import RESIDUE_PREFIX
from holdall.plan.plans import (
    GroupPlan,
    ListOf,
    MapOf,
    Opaque,
    PlannedKind,
    Ref,
    Scalar,
    Type,
    TypeRef,
    object_within,
)
from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonValue
from holdall_codegen.views.stored_places import Entry, Path, Place, Plans, find_entries, places_of

Subject = Literal["entry", "value", "elements", "objects", "bags"]
Becomes = Literal[
    "used", "checked", "unfit", "kept", "extra", "found", "dropped", "unread", "pruned"
]
When = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """What happens to something stored, in words; what to run, and whether that has to be done
    before the new code and schemas are rolled out."""

    meaning: str
    when: When
    run: tuple[str, ...]


_AUDIT: Final = ("holdall audit FILES",)
_MIGRATE: Final = ("holdall migrate --apply",)
REMEDIES: Final[Mapping[Becomes, Remedy]] = {
    "used": Remedy(
        "used if the live object has no value there, else dropped and reported",
        "after",
        _MIGRATE,
    ),
    "checked": Remedy(
        "kept beside a live value: used while both agree, else dropped and reported",
        "after",
        _AUDIT,
    ),
    "unfit": Remedy("kept as it is, though the schema does not allow its type", "after", _AUDIT),
    "kept": Remedy("passes through unchanged, and nothing shows it", "after", _AUDIT),
    "extra": Remedy("stays, as a member that its version does not declare", "after", _AUDIT),
    "found": Remedy(
        "goes to the element that it belongs to; if none is certain, it is reported",
        "after",
        _AUDIT,
    ),
    "dropped": Remedy("dropped and reported by the next conversion", "before", _AUDIT),
    "unread": Remedy("stays as it is, and nothing reads it", "before", (*_AUDIT, *_MIGRATE)),
    "pruned": Remedy(
        "removed by an API server as soon as it reads the object; store a version that has it",
        "before",
        _MIGRATE,
    ),
}


@dataclass(frozen=True, slots=True)
class Touched:
    """Something stored that a change touches, and what happens to it.

    `stored` are the versions of the objects that may hold it, `path` the place in them: wire names
    with `*` for list elements and map values. Of an `entry` of a bag, `origin` is the version that
    it came from. A `value` is a live one; `elements` are those of a list, as carriers name them;
    `objects` are all of a kind, `bags` all of their bags.
    """

    subject: Subject
    kind: str
    stored: tuple[str, ...]
    becomes: Becomes
    why: str
    path: str = ""
    type: str = ""
    origin: str = ""
    property: str = ""

    def value(self) -> dict[str, JsonValue]:
        """Return it as JSON."""
        place: dict[str, JsonValue] = {
            name: text
            for name in ("path", "type", "origin", "property")
            if (text := getattr(self, name))
        }
        remedy = REMEDIES[self.becomes]
        return {
            "subject": self.subject,
            "kind": self.kind,
            "stored": list(self.stored),
            **place,
            "becomes": self.becomes,
            "why": self.why,
            "when": remedy.when,
            "run": list(remedy.run),
        }


def find_touched(before: GroupPlan, after: GroupPlan, *, is_served: bool) -> tuple[Touched, ...]:
    """Return what a change of a plan touches, in the order of the older plan.

    The same change in objects of several versions is reported once. From an object that `is_served`
    an API server removes undeclared members.
    """
    found: dict[Touched, list[str]] = {}
    is_known = before.facts is not None and after.facts is not None
    old, new = (Standings(plan, plan.facts if is_known else None) for plan in (before, after))
    plans = Plans(old, new, is_served)
    for kind in before.kinds:
        for item in _of_kind(plans, kind):
            found.setdefault(replace(item, stored=()), []).extend(item.stored)
    return tuple(
        replace(item, stored=tuple(dict.fromkeys(stored))) for item, stored in found.items()
    )


def _touched(
    place: Place, subject: Subject, becomes: Becomes, why: str, property: str, origin: str = ""
) -> Touched:
    return Touched(
        subject=subject,
        kind=place.kind,
        stored=(place.stored,),
        becomes=becomes,
        why=why,
        path=join("", *place.path) or "/",
        type=place.before.name,
        origin=origin,
        property=property,
    )


def _of_kind(plans: Plans, kind: PlannedKind) -> Iterator[Touched]:
    now = next((item for item in plans.after.plan.kinds if item.name == kind.name), None)
    stored = tuple(name for name in kind.types if name not in plans.before.plan.internal)
    if now is None:
        yield Touched("objects", kind.name, stored, "unread", "the kind is gone")
        return
    places = {version: list(places_of(plans, kind, now, version)) for version in stored}
    entries: dict[Place, list[Entry]] = {}
    if kind.carrier != "none":
        for found in places.values():
            find_entries(plans, found, entries)
    if any(entries.values()):
        yield from _bags(plans, kind, now, stored)
    for version in stored:
        if version not in now.types:
            yield Touched("objects", kind.name, (version,), "unread", "the version is gone")
            continue
        if version in plans.after.plan.internal:
            yield Touched("objects", kind.name, (version,), "unread", "the version is now internal")
            continue
        for place in places[version]:
            if place.is_kept and place.after is None:
                continue  # it is an undeclared member, with all that is in it
            yield from _values(plans, place)
            if kind.carrier != "none" and not place.is_kept:
                yield from _hidden(plans, place)
                yield from _undeclared(plans, place)
            for origin, name, standing in entries.get(place, ()):
                yield from _entry(plans, place, origin, name, standing)
        held = [it.path for it in places[version] if entries.get(it) and not it.is_kept]
        yield from _lists(plans, kind, now, version, held)


def _bags(
    plans: Plans, kind: PlannedKind, now: PlannedKind, stored: tuple[str, ...]
) -> Iterator[Touched]:
    before, after = plans.before.plan.group, plans.after.plan.group
    if before != after:
        why = f"they were written for the group {before}, which is now {after}"
        yield Touched("bags", kind.name, stored, "dropped", why)
    if kind.carrier != now.carrier:
        why = f"the carrier was {kind.carrier} and is now {now.carrier}"
        yield Touched("bags", kind.name, stored, "unread", why)


def _entry(plans: Plans, place: Place, origin: str, name: str, was: Standing) -> Iterator[Touched]:
    """Yield what happens to an entry, unless it stays the same."""

    def touched(becomes: Becomes, why: str) -> Touched:
        return _touched(place, "entry", becomes, why, name, origin)

    plan, holder = plans.after, place.after
    if origin not in plan.plan.versions:
        yield touched("kept", f"{origin} is gone")
        return
    if holder is None:
        yield touched("dropped", f"{place.before.version} has no object of this type now")
        return
    ways = plan.ways(holder, origin)
    if not ways:
        yield touched("kept", f"{holder} is no longer converted to or from {origin}")
        return
    is_residue = name.startswith(RESIDUE_PREFIX)
    of = was.name if is_residue else name
    found = ((way, plan.standing(way, of)) for way in ways)
    own, now = next(((way[0], one) for way, one in found if one is not None), (ways[0][0], None))
    if is_residue:
        if now is None or now.fate != "claimed":
            yield touched("kept", "no hook claims its property any more")
        elif any(passed.fate != "copied" for passed in now.decisions[:-1]):
            yield touched("kept", f"its hook claims what {now.at} now has")
    elif now is None:
        yield touched("kept", f"{own} no longer has it")
    elif now.fate == "claimed" and was.fate == "waits":
        yield touched("used", "a hook now claims it")
    elif now.fate != "waits" and was.fate == "waits":
        shown = "it" if now.name == name else now.name
        yield touched("used", f"{now.at} now has {shown}")
    elif now.fate != "waits":
        if was.conversion != now.conversion:
            yield touched("checked", "it is now converted differently")
    elif was.fate != "waits":
        yield touched("used", f"{place.before.version} no longer has a partner of it")
    else:
        types = plans.before.plan.types[was.at][name], plan.plan.types[now.at][name]
        if not _still_fits(*types):
            yield touched("unfit", f"{now.at} now has another type for it")


def _values(plans: Plans, place: Place) -> Iterator[Touched]:
    """Yield what happens to the live members of an object whose type changed."""
    if place.after is None:
        return
    before = plans.before.plan.types[place.before]
    after = plans.after.plan.types[place.after]
    for name, type_ in before.items():
        if name in after:
            if not _still_fits(type_, after[name]):
                why = f"{place.after} now has another type for it"
                yield _touched(place, "value", "unfit", why, name)
        elif (
            plans.is_served and not place.is_kept and place.after not in plans.after.plan.open_types
        ):
            yield _touched(place, "value", "pruned", f"{place.after} no longer declares it", name)
        else:
            yield _touched(place, "value", "extra", f"{place.after} no longer declares it", name)


def _hidden(plans: Plans, place: Place) -> Iterator[Touched]:
    """Yield what bags kept because a server would have pruned it, and what is now shown."""
    if place.before not in plans.before.plan.pruned:
        return
    before, after = place.before, place.after
    if after is None:
        why = f"{before.version} has no object of this type now"
        yield _touched(place, "entry", "dropped", why, "*", before.version)
        return
    for name in plans.after.plan.types[after]:
        if name not in plans.before.plan.types[before]:
            yield _touched(place, "entry", "used", f"{after} now declares it", name, before.version)
    if after in plans.after.plan.open_types:
        yield _touched(
            place, "entry", "used", f"{after} now keeps all members", "*", before.version
        )


def _undeclared(plans: Plans, place: Place) -> Iterator[Touched]:
    """Yield what bags keep of members that a removed version did not declare.

    They were shown until a version on the way declared their names.
    """
    plan = plans.before.plan
    for origin in plan.versions:
        if origin in plans.after.plan.versions or origin == place.before.version:
            continue
        names: dict[str, None] = {}
        for own, declaring, *_ in plans.before.ways(place.before, origin):
            if not plans.is_served or own in plan.open_types:
                names |= dict.fromkeys(plan.types[declaring].keys() - plan.types[own].keys())
        for name in sorted(names):
            yield _touched(place, "entry", "kept", f"{origin} is gone", name, origin)


def _still_fits(before: Type, after: Type) -> bool:
    """Tell whether the other type allows the JSON kind of every value of the first."""
    match before, after:
        case _, Opaque():
            return True
        case Scalar(kinds=was), Scalar(kinds=is_):
            return set(was) <= {*is_, *(("integer",) if "number" in is_ else ())}
        case (ListOf(item=was), ListOf(item=is_)) | (MapOf(value=was), MapOf(value=is_)):
            return _still_fits(was, is_)
        case ((Ref() | MapOf()), (Ref() | MapOf())):
            return True
        case _:
            return False


# --- lists -----------------------------------------------------------------------------------


def _lists(
    plans: Plans, kind: PlannedKind, now: PlannedKind, version: str, held: list[Path]
) -> Iterator[Touched]:
    """Yield the lists with entries below them whose elements may be matched differently."""
    roots = kind.root(version), now.root(version)
    lists = dict.fromkeys(
        path[:depth] for path in held for depth, name in enumerate(path) if name == "*"
    )
    for path in lists:
        was = type_at(plans.before.plan, roots[0], path)
        is_ = type_at(plans.after.plan, roots[1], path)
        if isinstance(was, ListOf) and isinstance(is_, ListOf) and kind.carrier != "none":
            why = other_elements(plans.before.plan, was, plans.after.plan, is_)
            if why:
                item = object_within(was)
                yield Touched(
                    "elements",
                    kind.name,
                    (version,),
                    "found",
                    why,
                    join("", *path) or "/",
                    item.name if item is not None else "",
                )


# --- elements of lists ----------------------------------------------------------------------------


def other_elements(before: GroupPlan, was: ListOf, after: GroupPlan, is_: ListOf) -> str:
    """Return why elements of a list may be matched differently; empty if they are not."""
    if was.keys != is_.keys:
        return f"its keys were {_named(was.keys)}, and are now {_named(is_.keys)}"
    ends = object_within(was), object_within(is_)
    if ends[0] is None or ends[1] is None:
        return ""
    if was.keys:
        ends_of = before, ends[0], after, ends[1]
        keys = [key for key in was.keys if _has_other_default(*ends_of, key)]
        return f"the default of its key {keys[0]} has changed" if keys else ""
    return next(_other_content(before, ends[0], after, ends[1]), "")


def _other_content(
    before: GroupPlan, was: TypeRef, after: GroupPlan, is_: TypeRef
) -> Iterator[str]:
    """Yield what makes an element look different under another plan, at any depth."""
    work, seen = deque([(was, is_)]), {was}
    while work:
        one, other = work.popleft()
        for name, type_ in before.types[one].items():
            now = after.types[other].get(name)
            if now is None:
                yield f"its elements are matched by content, and {other} no longer has {name}"
                continue
            if _has_other_default(before, one, after, other, name):
                yield (
                    "its elements are matched by content,"
                    f" and the default of {other} {name} has changed"
                )
            inner = object_within(type_), object_within(now)
            if inner[0] is not None and inner[1] is not None and inner[0] not in seen:
                seen.add(inner[0])
                work.append((inner[0], inner[1]))


def _has_other_default(
    before: GroupPlan, was: TypeRef, after: GroupPlan, is_: TypeRef, name: str
) -> bool:
    if before.defaults is None or after.defaults is None:
        return False
    return not json.same(
        before.defaults.get(was, {}).get(name), after.defaults.get(is_, {}).get(name)
    )


def _named(keys: tuple[str, ...]) -> str:
    return ", ".join(keys) or "none"
