"""Fates: what happens to every field of one object on its way to another version.

The plan says what happens to properties; the conversion runs edge by edge, and each field is looked
up in every twin on the way. So a fate is what really happened to this object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from holdall.carriers.pruning import hide_in_bags
from holdall.carriers.reports import Dropped, Lost, Report
from holdall.engine.hook_points import declared_claims
from holdall.engine.members import assign
from holdall.explain.audit import audit
from holdall.explain.fate_hops import (
    CARRIED,
    DROPPED,
    MISSING,
    MOVED,
    RECURSED,
    Edges,
    HookPart,
    Hop,
    Place,
    value_at,
)
from holdall.objects.bag import (
    BAG_MEMBER,
    CREATED_KEY,
    MARKS,
    ORIGINAL_VERSION_MEMBER,
    RESIDUE_PREFIX,
    key_of,
)
from holdall.objects.wire_forms import UNIT
from holdall.plan import plans
from holdall.plan.plans import TypeRef
from holdall.scheme.routes import Route
from holdall.scheme.scheme import Scheme
from holdall.text import json as _json
from holdall.text.pointer import join, split
from holdall.types import JsonObject, JsonValue, is_json_object, members

FRAMEWORK = "set by holdall"
UNCHANGED = "stays as it is"
_OF_TWINS = (BAG_MEMBER, ORIGINAL_VERSION_MEMBER)
_PLAIN = ("copied", RECURSED, CARRIED)


@dataclass(frozen=True, slots=True)
class Step:
    """What one edge did with a field.

    `places` are JSON Pointers into the stored form of the object in the version `to`: where the
    field is shown, or its entry below `$propertyBag`. `hooks` are `Class file:line`.
    """

    start: str
    to: str
    fate: str
    reason: str
    hooks: tuple[str, ...]
    places: tuple[str, ...]

    def __str__(self) -> str:
        kept = [str(_entry(split(item))) for item in self.places if BAG_MEMBER in split(item)]
        shown = [item for item in self.places if BAG_MEMBER not in split(item)]
        under = f"under {', '.join(kept)}"
        if self.hooks:
            text = f"claimed by {', '.join(self.hooks)}"
            return f"{text}, kept {under}" if kept else text
        match self.fate:
            case "dropped":
                return f"dropped: {self.reason}"
            case "carried":
                return "stays in the bag"
            case "stashed":
                return f"stashed {under}"
            case "extra":
                return "extra, kept" if shown else f"extra, stashed {under}"
            case "pulled":
                text = "pulled from the bag"
            case "renamed" | "moved":
                text = f"{self.fate} to {shown[0]}" if shown else self.fate
            case "recursed":
                text = "recursed into"
            case _:
                text = self.fate
        also = "also " if shown else ""
        return f"{text}, {also}kept {under}" if kept else text

    def to_json(self) -> JsonObject:
        """Return the step as JSON."""
        value: JsonObject = {
            "from": self.start,
            "to": self.to,
            "fate": self.fate,
            "reason": self.reason,
            "places": list(self.places),
        }
        if self.hooks:
            value["hooks"] = list(self.hooks)
        return value


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the bag of the object at the JSON Pointer `path`."""

    path: str
    origin: str
    key: str

    def __str__(self) -> str:
        return f"{self.origin}/{self.key}"


@dataclass(frozen=True, slots=True)
class FieldFate:
    """What happens to one field: a leaf of the object or of its bags.

    `path` is its JSON Pointer, which leads into a bag through `$propertyBag`, origin and property.
    `shown` are the JSON Pointers where it ends up, `waiting` the entries that keep it. `lost` says
    why the document cannot carry it, or what is kept beside the shown value; a stale entry is not
    lost, but dropped. If no object takes an entry, its path begins as in the carrier.
    """

    path: str
    value: JsonValue
    steps: tuple[Step, ...]
    shown: tuple[str, ...]
    waiting: tuple[Entry, ...]
    lost: str = ""

    @property
    def fate(self) -> str:
        """What happens on the way, in one line: the versions where it is not just copied."""
        steps = [step for step in self.steps if step.fate not in _PLAIN] or self.steps
        texts = [(step.to, str(step)) for step in steps]
        if self.lost:
            texts.append((self.steps[-1].to, f"lost: {self.lost}"))
        if len(texts) == len(self.steps) and len({text for _, text in texts}) == 1:
            return texts[0][1]
        return "; ".join(f"{version}: {text}" for version, text in texts) or UNCHANGED

    def to_json(self) -> JsonObject:
        """Return the fate as JSON."""
        value: JsonObject = {
            "path": self.path,
            "fate": self.fate,
            "shown": list(self.shown),
            "bag": [
                {"path": item.path, "origin": item.origin, "property": item.key}
                for item in self.waiting
            ],
            "steps": [step.to_json() for step in self.steps],
        }
        if self.lost:
            value["lost"] = self.lost
        return value


def fates(document: Mapping[str, Any], scheme: Scheme, to: str) -> list[FieldFate]:
    """Return the fate of every field of an API document on its way to a version.

    Fields of the document come first, in its order, then those of bags.
    Raises UnknownKindError or ConversionError if it cannot be converted.
    """
    report: Report = []
    converted = scheme.convert(document, to=to, report=report)  # raises located errors
    route = scheme.route(*scheme.names_of(document), to)
    walk = _Walk(scheme, route, document)
    own: JsonObject = {**document}
    texts = {
        place.path
        for place in route.inner
        if value_at(own, place.path) != value_at(converted, place.path)
    }
    lost = {
        Entry(item.path, item.origin, item.key): item.reason
        for item in report
        if isinstance(item, Lost)
    }
    head = [
        FieldFate(f"/{name}", document[name], walk.framework(name), (f"/{name}",), ())
        for name in route.head_in(document)
    ]
    order = {place: index for index, (place, _) in enumerate(_leaves((), own))}
    fields = sorted(walk.fields(), key=lambda item: order.get(_closed(item[0]), len(order)))
    found = [
        _with_text(fate) if place in texts else fate
        for place, value in fields
        for fate in (walk.fate(place, value, lost),)
    ]
    for entry, why in lost.items():
        if entry.key == CREATED_KEY:
            found = _with_lost_mark(found, entry.path, why)
    return [*head, *found, *walk.dropped()]


def _with_text(fate: FieldFate) -> FieldFate:
    """Return the fate of a text that an edge copies, with the conversion of documents in it."""
    *before, last = fate.steps
    if last.fate != "copied":
        return fate
    converted = replace(last, fate="converted", reason="there are documents in it")
    return replace(fate, steps=(*before, converted))


def _with_lost_mark(found: Sequence[FieldFate], path: str, why: str) -> list[FieldFate]:
    """Return fates with the loss of a mark, which says that a move made the object at a path.

    It belongs to the null that was there, or else to what moved into the object.
    """
    below = f"{path}/"
    inside = [one for one in found if any(at.startswith(below) for at in one.shown)]
    moved = [one for one in inside if any(step.fate == MOVED for step in one.steps)]
    concerned = [one for one in found if path in one.shown] or moved or inside
    return [
        replace(one, lost=one.lost or why) if any(one is it for it in concerned) else one
        for one in found
    ]


class _Walk:
    """One object during a conversion: its twins in stored form, and the edges between them."""

    def __init__(self, scheme: Scheme, route: Route, document: Mapping[str, Any]) -> None:
        plan = plans.load(scheme.package)
        self._versions = route.versions
        self._audited = audit(document)
        self._dropped: list[Dropped] = []

        def read() -> Any:
            own = {name: _json.copy_checked(value) for name, value in document.items()}
            twin, found = route.opened(own)
            self._dropped = [item for item in found if isinstance(item, Dropped)]
            return twin

        twin: Any = read()
        stored = [_json.copy(twin.write_members())]
        self._given: JsonValue = None
        self._hidden: JsonValue = None
        if route.pruned_source is not None:
            given: Any = read()
            hide_in_bags(route.pruned_source, type(given), given.settled_())
            self._given = given.write_members()
        for cls in route.twins[1:]:
            destination: Any = cls()
            assign(twin, destination)
            twin = destination
            stored.append(_json.copy(twin.write_members()))
        if route.pruned is not None:
            hide_in_bags(route.pruned, type(twin), twin.settled_())
            self._hidden = _json.copy(twin.write_members())
        refs = [
            TypeRef(version, cls.__name__)
            for version, cls in zip(route.versions, route.twins, strict=True)
        ]
        self._start: JsonValue = stored[0]
        self._edges = [
            Edges(
                plan, refs[i], refs[i + 1], stored[i], stored[i + 1], _hooks(scheme, upward=upward)
            )
            for i, upward in enumerate(route.upward)
        ]

    def fields(self) -> Iterator[tuple[Place, JsonValue]]:
        """Yield every leaf, including those in bags, except the engine's marks.

        A hook's residue is one leaf, because its contents are the hook's own. The object itself is
        not a leaf, even without members.
        """
        yield from (leaf for leaf in _leaves((), self._start) if leaf[0])

    def dropped(self) -> Iterator[FieldFate]:
        """Yield the fates of entries that no object of the document takes."""
        values = {(item.path, item.origin, item.property): item.value for item in self._audited}
        if not self._edges:
            return
        start, to = self._versions[:2]
        for item in self._dropped:
            entry = item.address, item.origin, item.key
            if item.key and item.key not in MARKS:
                path = f"{item.address}{join('', BAG_MEMBER, item.origin, item.key)}"
                step = Step(start, to, DROPPED, item.reason, (), ())
                yield FieldFate(path, values.get(entry), (step,), (), ())

    def framework(self, name: str) -> tuple[Step, ...]:
        """Return the steps of a member that no edge touches."""
        return tuple(
            Step(start, to, FRAMEWORK, "", (), (f"/{name}",))
            for start, to in zip(self._versions, self._versions[1:], strict=False)
        )

    def fate(self, place: Place, value: JsonValue, lost: Mapping[Entry, str]) -> FieldFate:
        """Follow a field over all edges."""
        given = place if self._given is None else _hidden(self._given, self._versions[0], place)
        places: tuple[Place, ...] = (place if self._edges else given,)
        steps: list[Step] = []
        for i, edges in enumerate(self._edges):
            hop = _joined([edges.follow(item) for item in places])
            places = hop.places
            if self._hidden is not None and i == len(self._edges) - 1:
                places = tuple(_hidden(self._hidden, self._versions[-1], item) for item in places)
            pointers = tuple(join("", *item) for item in places)
            start, to = self._versions[i : i + 2]
            steps.append(Step(start, to, hop.fate, hop.reason, hop.hooks, pointers))
            if not places:
                break
        entries = tuple(dict.fromkeys(_entry(item) for item in places if BAG_MEMBER in item))
        shown = tuple(join("", *_closed(item)) for item in places if BAG_MEMBER not in item)
        waiting = tuple(entry for entry in entries if entry not in lost)
        why = ""
        if entries and not waiting:
            why = lost[entries[0]]
        elif steps and steps[-1].fate == DROPPED and BAG_MEMBER not in place:
            why = "it is in no place of the plan"
        return FieldFate(join("", *_closed(given)), value, tuple(steps), shown, waiting, why)


def _closed(place: Place) -> Place:
    """Return where a value is in a document, where variants that are texts are not opened."""
    return place[:-1] if place[-1:] == (UNIT,) else place


def _hidden(form: JsonValue, version: str, place: Place) -> Place:
    """Return where a value of a twin is in the form with hidden extras."""
    for depth, name in enumerate(place):
        entry = (*place[:depth], BAG_MEMBER, version, key_of(name))
        if value_at(form, place[: depth + 1]) is MISSING:
            return (*entry, *place[depth + 1 :]) if value_at(form, entry) is not MISSING else place
    return place


def _leaves(place: Place, value: JsonValue) -> Iterator[tuple[Place, JsonValue]]:
    inner: list[tuple[str, JsonValue]] = []
    if is_json_object(value):
        inner = [(name, item) for name, item in value.items() if name not in _OF_TWINS]
        for origin, entries in members(value, BAG_MEMBER).items():
            for key, item in members(entries).items():
                if key.startswith(RESIDUE_PREFIX):
                    yield (*place, BAG_MEMBER, origin, key), item
                elif key not in MARKS:
                    yield from _leaves((*place, BAG_MEMBER, origin, key), item)
        value = dict(inner)
    elif isinstance(value, list):
        inner = [(str(index), item) for index, item in enumerate(value)]
    for name, item in inner:
        yield from _leaves((*place, name), item)
    if not inner:
        yield place, value


def _hooks(scheme: Scheme, *, upward: bool) -> dict[tuple[TypeRef, TypeRef], list[HookPart]]:
    """Return the parts of all hooks of one direction, by source and destination type."""
    found: dict[tuple[TypeRef, TypeRef], list[HookPart]] = {}
    for hook in scheme.bound_hooks():
        point = hook.point
        older = TypeRef(point.older_version, point.older_type)
        newer = TypeRef(point.newer_version, point.newer_type)
        found[(older, newer) if upward else (newer, older)] = [
            HookPart(_title(hook.name, part, f"{hook.file}:{hook.line}"), claims)
            for part, claims in declared_claims(hook.instance, "to" if upward else "from")
        ]
    return found


def _title(name: str, act: Any, where: str) -> str:
    part = type(getattr(act, "__self__", None))
    return f"{name} {where}" if part.__name__ == name else f"{name} ({part.__name__}) {where}"


def _joined(hops: Sequence[Hop]) -> Hop:
    """Combine what an edge did with all places of a field: the most significant fate."""
    if len(hops) == 1:
        return hops[0]
    ranked = sorted(hops, key=lambda hop: (hop.fate == CARRIED, hop.fate == DROPPED))
    places = tuple(dict.fromkeys(place for hop in hops for place in hop.places))
    hooks = tuple(dict.fromkeys(name for hop in hops for name in hop.hooks))
    return Hop(ranked[0].fate, places, ranked[0].reason, hooks)


def _entry(place: Place) -> Entry:
    """Return the outermost entry that contains a place in a bag."""
    depth = place.index(BAG_MEMBER)
    return Entry(join("", *place[:depth]), place[depth + 1], place[depth + 2])
