"""Walking one object between two versions of a group that tracks changed values.

Source: declared versions, section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any, Literal, NoReturn, TypeAlias

from holdall.carriers import Dropped, Envelope, Load, Lost, lift, restore, unload
from holdall.carriers.quarantine_note import refuse_quarantined
from holdall.carriers.reports import Report
from holdall.carriers.tracking.collecting import Collector
from holdall.carriers.tracking.documents import holds_sections, put_sections, take_sections
from holdall.carriers.tracking.entries import Entry, Section, Sections, read_entry
from holdall.carriers.tracking.errors import TrackedValueError
from holdall.carriers.tracking.exchange import Exchange
from holdall.carriers.tracking.names import Names
from holdall.carriers.tracking.placing import Placed, place_entries, untaken
from holdall.carriers.tracking.unusable import cross_without_unusable, settle
from holdall.engine.edges import EdgeEntry
from holdall.errors import (
    BagError,
    ConversionError,
    DecodeError,
    Direction,
    FunctionFailure,
    HoldallError,
    MisfitError,
    ValueProblem,
)
from holdall.objects.base import explain, identity, new
from holdall.objects.shapes import objects_within, shape_of
from holdall.objects.stored_forms import Lifted
from holdall.objects.views import StorageObject, StorageRoot
from holdall.plan.bag_limits import BagLimits
from holdall.plan.declared import declared_types
from holdall.plan.tracking import Tracking
from holdall.scheme.routes import Route, subject_of
from holdall.text import json as _json
from holdall.text.json_path import Name, format_path, segments_of
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue

_Made: TypeAlias = tuple[StorageRoot, Lifted, JsonObject]
"""A converted root, what was lifted out of it, and its members."""


class TrackedRoute(Route):
    """A route whose documents carry `changedValues`: entries are given back before each step and
    collected after it.

    `twin_of` are the twins of all versions, oldest first; `package` is that of the group. With the
    carrier of bags only what another carrier holds is worked on here, to become bags.
    """

    def __init__(
        self,
        *,
        tracking: Tracking,
        edges: Iterable[EdgeEntry],
        twin_of: Mapping[str, type[StorageRoot]],
        package: str,
        group: str,
        kind: str,
        limits: BagLimits,
        plan: str,
        carrier: Literal["annotation", "none"] = "none",
        **route: Any,
    ) -> None:
        own: dict[str, Any] = {"group": group, "kind": kind, "limits": limits, "plan": plan}
        super().__init__(carrier=carrier, **own, **route)
        self.is_tracked = carrier == "none"
        self._tracking = tracking
        self._group = group
        self._names = Names(edges)
        self._declared = declared_types(package)
        self._twin_of = twin_of
        self._rank = {name: index for index, name in enumerate(twin_of)}
        self._bags = Envelope("annotation", group, kind, limits, plan)

    def convert(
        self,
        document: JsonObject,
        report: Report | None = None,
        *,
        tolerant: bool = False,
        is_plain: bool = False,
    ) -> JsonObject:
        """Return the document in the target version, as `Route.convert` does."""
        if not self._crossings:
            return document
        if not self.is_tracked:
            if holds_sections(self._group, document):
                document = self._with_bags(document, report)
            return super().convert(document, report, tolerant=tolerant)
        warnings: Report = []
        sections, load = self._unload(document, warnings)
        apart = self._metadata_travels_apart and "metadata" in document
        metadata = document.pop("metadata") if apart else None
        cross = partial(self._cross_all, document, metadata, load)
        (twin, lifted, members), sections, found = (
            cross_without_unusable(cross, sections, self.versions[1:])
            if tolerant
            else cross(sections)
        )
        warnings.extend(found)
        settle(sections, self._rank, self.versions[-1])
        result: JsonObject = {"apiVersion": self.target, "kind": self.target_kind}
        if apart:
            result["metadata"] = metadata
        result.update(members)
        lost = put_sections(self._tracking, self._group, result, sections)
        warnings.extend(Lost("", "", "", text) for text in lost)
        if lifted:
            warnings.extend(self._lift(self.versions[-1], twin, lifted, result))
        if report is not None:
            report.extend(warnings)
        return result

    def _unload(self, document: JsonObject, warnings: Report) -> tuple[Sections, Load | None]:
        """Take out of a document what is no member of it: the head and all carriers."""
        if "metadata" in document:
            document["metadata"] = _json.unseal(document["metadata"])
        sections, wrong = take_sections(self._group, document)
        warnings.extend(Dropped(text, "", "", "it is dropped") for text in wrong)
        refuse_quarantined(document)
        self._drop_stale(sections)
        load = unload(self._bags, document)
        del document["apiVersion"], document["kind"]
        return sections, load

    def _open(self, document: JsonObject, load: Load | None, warnings: Report) -> StorageRoot:
        twin = self.twins[0].read_members(document, False)
        if load is not None:
            strict = self._bags.limits.strict
            warnings.extend(restore(load, self.versions[0], twin, strict, self._evolution))
        return twin

    def _lift(
        self, version: str, twin: StorageRoot, lifted: Lifted, result: JsonObject
    ) -> list[Lost]:
        return lift(self._bags, version, twin, lifted, result, self._evolution)

    def _exchange(self, sections: Sections) -> Exchange:
        return Exchange(tuple(self._twin_of), self._step, sections)

    def _with_bags(self, document: JsonObject, report: Report | None) -> JsonObject:
        """Return a document with bags for the entries that it carries."""
        warnings: Report = []
        head = {name: document[name] for name in ("apiVersion", "kind")}
        sections, load = self._unload(document, warnings)
        twin: StorageRoot | None = None
        try:
            twin = self._open(document, load, warnings)
            exchange = self._exchange(sections)
            twin = exchange.to_bags(twin, self.versions[0])
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail(error, document.get("metadata"), document, twin)
        lifted: Lifted = []
        result: JsonObject = {**head, **twin.write_members(lifted)}
        warnings.extend(exchange.report)
        lost = put_sections(self._tracking, self._group, result, sections)
        warnings.extend(Lost("", "", "", text) for text in lost)
        warnings.extend(self._lift(self.versions[0], twin, lifted, result))
        if report is not None:
            report.extend(warnings)
        return result

    def _cross_all(
        self, document: JsonObject, metadata: JsonValue, load: Load | None, sections: Sections
    ) -> tuple[_Made, Sections, Report]:
        """Return the converted object, the entries that it leaves, and warnings."""
        warnings: Report = []
        twin: StorageRoot | None = None
        try:
            twin = self._open(document, load, warnings)
            if load is not None:
                exchange = self._exchange(sections)
                twin = exchange.to_entries(twin, self.versions[0])
                warnings.extend(exchange.report)
            for left, entered in pairwise(self.versions):
                twin = self._step(twin, left, entered, sections, warnings, True)
            lifted: Lifted = []
            members = twin.write_members(lifted)
            return (twin, lifted, members), sections, warnings
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail(error, metadata, document, twin)

    def _fail(
        self,
        error: Exception,
        metadata: Any,
        document: Any,
        twin: StorageRoot | None,
    ) -> NoReturn:
        subject = subject_of(self.source_kind, metadata)
        if twin is None:
            if not isinstance(error, (DecodeError, TypeError, ValueError)):
                raise error
            wrong = explain(self.twins[0], document, error)
            raise ConversionError(wrong.message, path=wrong.path, subject=subject) from error
        if not isinstance(error, (HoldallError, RecursionError)):
            raise error
        position = self.twins.index(type(twin))
        edge = self.versions[position], self.versions[min(position + 1, len(self.versions) - 1)]
        direction: Direction = "to" if self.upward[min(position, len(self.upward) - 1)] else "from"
        rule = (
            "the object is nested too deeply" if isinstance(error, RecursionError) else str(error)
        )
        raise ConversionError(
            rule, edge=edge, direction=direction, path=_path(twin, error), subject=subject
        ) from error

    def _drop_stale(self, sections: Sections) -> None:
        """Drop what the object has passed by already: the version it has needs no entries."""
        here = self._rank[self.versions[0]]
        for version, rank in self._rank.items():
            if rank <= here:
                sections.take("upgrades", version)
            if rank >= here:
                sections.take("downgrades", version)

    def _step(
        self,
        source: StorageRoot,
        left: str,
        entered: str,
        sections: Sections,
        warnings: Report,
        collects: bool,
    ) -> StorageRoot:
        """Return an object in a neighbouring version, with the entries that wait for it.

        What it leaves becomes entries if the step `collects`, and stays in its bags otherwise.
        """
        cls, upward = self._twin_of[entered], self._rank[left] < self._rank[entered]
        section: Section = "upgrades" if upward else "downgrades"
        entries = self._read(sections.take(section, entered), section, entered, warnings)
        placed: Placed = {}

        def refuse(entry: Entry, text: str) -> str:
            what = _wrong_value(entered, entry, text)
            if self._tracking.tolerant:
                return what
            raise TrackedValueError(what, source)

        for text in place_entries(self._names, source, cls, entered, entries, placed, refuse):
            warnings.append(Dropped(text, entered, "", "it is dropped"))
        destination = self._cross(source, cls, upward, entered, placed, warnings)
        for text in untaken(placed):
            warnings.append(Dropped(text, entered, "", "it is dropped"))
        if not collects:
            return destination
        collector = Collector(
            self._names,
            type(source),
            left,
            entered,
            self._tracking.track,
            partial(self._declared.order, left),
            "removed" if upward else "added",
        )
        for text in collector.untaken(destination):
            warnings.append(Dropped(text, entered, "", "it is dropped"))
        collected = collector.collect(destination)
        if self._tracking.carrier == "status":
            collected += _held_status(source, destination, collected)
        sections.put("downgrades" if upward else "upgrades", left, collected)
        return destination

    def _cross(
        self,
        source: StorageRoot,
        cls: type[StorageRoot],
        upward: bool,
        entered: str,
        placed: Placed,
        warnings: Report,
    ) -> StorageRoot:
        while True:
            try:
                return self._converted(source, cls, upward)
            except BagError as error:
                found = placed.get((identity(error.source), (error.entry or ("", ""))[1]))
                if found is None:
                    raise
                cause = error.__cause__
                inside = cause.path if isinstance(cause, DecodeError) else ""
                text = error.message.partition(": ")[2]
                what = _wrong_value(entered, found[1], text, inside)
                if not self._tracking.tolerant or not error.drop():
                    raise TrackedValueError(what, error.source) from error
                warnings.append(Dropped(what, entered, "", "it is dropped"))

    def _converted(self, source: StorageRoot, cls: type[StorageRoot], upward: bool) -> StorageRoot:
        """Return an object in a neighbouring version."""
        destination: Any = new(cls)
        if upward:
            source.assign_properties_to(destination)  # type: ignore[attr-defined]
        else:
            destination.assign_properties_from(source)
        return destination  # type: ignore[no-any-return]

    def _read(
        self, values: list[Any], section: Section, version: str, warnings: Report
    ) -> list[Entry]:
        entries = []
        for position, value in enumerate(values):
            try:
                entries.append(read_entry(value, section))
            except DecodeError as error:
                place = f"/status/changedValues/{section}/{version}/{position}"
                warnings.append(Dropped(place, version, "", f"{error.message}; it is dropped"))
        return entries


def _path(root: StorageRoot, error: Exception) -> str:
    """Return where in the source the failing object stands, found by identity."""
    culprit = error.source if isinstance(error, ValueProblem) else None
    name = (error.name,) if isinstance(error, (MisfitError, FunctionFailure)) else ()
    for path, obj in objects_within(root) if culprit is not None else ():
        if identity(obj) == identity(culprit):
            return join(path, *name)
    return error.path if isinstance(error, DecodeError) else ""


def _held_status(
    source: StorageRoot, destination: StorageRoot, entries: list[Entry]
) -> list[Entry]:
    """Return what keeps a status that the version entered can say nothing of: one of its values.

    Converting back would give them all again, but an empty status is the same as none.
    """
    left, entered = _members_of_status(source), _members_of_status(destination)
    if not left or entered or entered is None or any(item.root == "status" for item in entries):
        return []
    name, value = next(iter(left.items()))
    return [Entry((Name(name),), _json.copy(value), root="status")]


def _members_of_status(root: StorageRoot) -> dict[str, Any] | None:
    """Return the members of a declared status; None if there is none, or it is no object."""
    attribute = shape_of(type(root)).attributes.get("status")
    status = None if attribute is None else getattr(root, attribute)
    members = status.write_members([]) if isinstance(status, StorageObject) else None
    return members if type(members) is dict else None


def _wrong_value(version: str, entry: Entry, text: str, inside: str = "") -> str:
    """Say what is wrong with a tracked value; `inside` is a JSON Pointer into it."""
    path = format_path([*entry.path, *segments_of(inside)])
    return f'tracked value for "{version}" at {path}: {text}'
