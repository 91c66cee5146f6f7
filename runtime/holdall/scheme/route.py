"""Walking one object along the edges between two versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, NoReturn

from holdall.carriers import (
    Cargo,
    Entry,
    Envelope,
    Evolution,
    Load,
    Places,
    hide_extras,
    lift,
    mark_shown_extras,
    pruned_places,
    put_bags,
    restore,
    unload,
)
from holdall.carriers.envelope import Bag
from holdall.carriers.reports import Report
from holdall.errors import (
    ConversionError,
    DecodeError,
    Direction,
    FunctionFailure,
    HoldallError,
    HookFailure,
    MisfitError,
    ValueProblem,
)
from holdall.objects.base import Lifted, StorageObject, StorageRoot, explain, new
from holdall.objects.shapes import Shaped, objects_within, shape_of, type_at
from holdall.objects.tolerance import Search, Tolerance, Unused
from holdall.plan.bag_limits import BagLimits
from holdall.scheme.json_extras import GuardedRoute
from holdall.scheme.json_route import PlainRoute
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject

MISSING = object()
_DEFAULT_LIMITS = BagLimits()


class _Crossed(NamedTuple):
    """A converted object with its bags, and what is to be reported."""

    twin: StorageRoot
    members: JsonObject
    lifted: Lifted
    found: Report


class Route:
    """How objects of one kind get from one version to another: the shortest path of edges.

    `is_tracked` says that documents carry `changedValues`.
    """

    is_tracked = False

    def __init__(
        self,
        *,
        kind: str,
        source_kind: str,
        target_kind: str,
        group: str,
        carrier: Literal["annotation", "field", "none"],
        versions: tuple[str, ...],
        upward: tuple[bool, ...],
        twins: tuple[type[StorageRoot], ...],
        source: str,
        target: str,
        root_has_hook: bool,
        limits: BagLimits = _DEFAULT_LIMITS,
        plain: PlainRoute | GuardedRoute | None = None,
        plan: str = "",
        evolution: Evolution | None = None,
    ) -> None:
        self.kind = kind
        self.source_kind = source_kind
        self.target_kind = target_kind
        self.versions = versions
        self.upward = upward
        self.twins = twins
        self.source = source
        self.target = target
        self._envelope = Envelope(carrier, group, kind, limits, plan)
        self._evolution = evolution
        self._steps = tuple(zip(twins[1:], upward, strict=True))
        self.plain = plain
        self.pruned_source: Places | None = None
        self.pruned: Places | None = None
        if group and carrier != "none":
            self.pruned_source, self.pruned = pruned_places(twins[0]), pruned_places(twins[-1])
        self._version_attribute = _version_attribute(twins[0])
        # Metadata is the same in every version; only a hook of the root type could look at it.
        self._metadata_travels_apart = not root_has_hook and all(
            "metadata" in shape_of(twin).attributes for twin in twins
        )

    def convert(
        self,
        document: JsonObject,
        report: Report | None = None,
        *,
        sealed: bool = False,
        tolerant: bool = False,
        is_plain: bool = False,
    ) -> JsonObject:
        """Return the document in the target version.

        The document must be owned by the caller's caller alone: its values are reused. One that
        is of the target version already is returned as it is. With `sealed` the result is only to
        be encoded: parts of it may be JSON texts. With `tolerant` bag entries that cannot be used
        are kept and reported, and the document is converted without them. `is_plain` says that
        no name in it begins with a dollar sign.
        """
        if not self._steps:
            return document
        if not self._metadata_travels_apart and "metadata" in document:
            document["metadata"] = _json.unseal(document["metadata"])
        del document["apiVersion"], document["kind"]
        load = unload(self._envelope, document)
        metadata = document.get("metadata", MISSING)
        if self._metadata_travels_apart and metadata is not MISSING:
            del document["metadata"]
        made = None if self.plain is None else self.plain.convert(document, load, sealed=sealed)
        if made is not None:
            result = self._headed(metadata, made[0])
            if made[1]:
                self._unseal(result)
                # A text shares nothing with what hooks keep in mind.
                shared = self._envelope.carrier == "field" and not sealed
                bags = _json.copy(made[1]) if shared else made[1]
                lost = put_bags(self._envelope, self.versions[-1], self._cargo(bags, load), result)
                if report is not None:
                    report.extend(lost)
            return result
        if load is not None and load.has_unused():
            load = load.returned(self.versions[0])
        if tolerant:
            crossed = self._walk_tolerantly(document, metadata, load)
        else:
            crossed = self._walk(document, metadata, load, None)
        result = self._headed(metadata, crossed.members)
        found = crossed.found
        if crossed.lifted:
            self._unseal(result)
            version, (twin, _, lifted, _) = self.versions[-1], crossed
            found.extend(lift(self._envelope, version, twin, lifted, result, self._evolution))
        if report is not None:
            report.extend(found)
        return result

    def _walk(
        self, document: JsonObject, metadata: Any, load: Load | None, tolerance: Tolerance | None
    ) -> _Crossed:
        """Return the object that a document and its bags describe, converted step by step."""
        found: Report = []
        twin: StorageRoot | None = None
        try:
            twin = self.twins[0].read_members(document, False)
            if self.pruned_source is not None:
                mark_shown_extras(self.pruned_source, self.versions[0], twin)
            if load is not None:
                strict = self._envelope.limits.strict
                restored = restore(load, self.versions[0], twin, strict, self._evolution, document)
                found.extend(restored)
            holder: Any = (
                getattr(twin, self._version_attribute) if self._version_attribute else twin
            )
            if holder is not None:
                holder.original_version = self.versions[0]
            is_returning = load is not None and load.has_unused()
            for (cls, upward), version in zip(self._steps, self.versions[1:], strict=True):
                if tolerance is not None:
                    tolerance.look_at(twin)
                destination = new(cls)
                if upward:
                    twin.assign_properties_to(destination)  # type: ignore[attr-defined]
                else:
                    destination.assign_properties_from(twin)  # type: ignore[attr-defined]
                twin = destination
                if is_returning:
                    _put_back(twin, version, damaged_marks=False)
            lifted: Lifted = []
            if self.pruned is not None:
                lifted = hide_extras(self.pruned, self.versions[-1], twin)
            if is_returning:
                _put_back(twin, self.versions[-1], damaged_marks=True)
            members = twin.write_members(lifted)
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail(error, metadata, document, twin)
        return _Crossed(twin, members, lifted, found)

    def _walk_tolerantly(self, document: JsonObject, metadata: Any, load: Load | None) -> _Crossed:
        """Do the same without entries that cannot be used."""

        def cross(given: Load | None) -> _Crossed:
            with Tolerance() as tolerance:
                crossed = self._walk(document, metadata, given, tolerance)
            crossed.found.extend(tolerance.found)
            return crossed

        if load is None:
            return cross(None)
        entries = load.entries()

        def cross_with(accepted: Sequence[Entry]) -> _Crossed:
            return cross(load.without({*entries} - {*accepted}, self.versions[0]))

        try:
            return cross(load)
        except Exception as error:  # noqa: BLE001 - raised again if no entry is at fault
            # An entry of the right shape may be what a hook or a function fails on.
            search = Search(entries, cross_with)
            crossed = search.run(error)
        crossed.found.extend(Unused(*entry, reason(cause)) for entry, cause in search.refused)
        return crossed

    def _cargo(self, bags: Mapping[str, Bag], load: Load | None) -> Cargo:
        """Return bags by the address of their object, without lists on the way, as they travel.

        Residues among them are as old as the document: this executor makes none.
        """
        cargo = Cargo(dict(bags))
        if self._evolution is None or load is None or not load.cargo.residues:
            return cargo
        for address, bag in bags.items():
            holder: Any = type_at(self.twins[-1], address)
            found = self._evolution.residues(address, holder, self.versions[-1], bag)
            cargo.residues.update(found)
        return cargo

    def _headed(self, metadata: Any, members: JsonObject) -> JsonObject:
        """Return a converted document, with what is not a part of the twins."""
        if metadata is MISSING or not self._metadata_travels_apart:
            return {"apiVersion": self.target, "kind": self.target_kind, **members}
        return {
            "apiVersion": self.target,
            "kind": self.target_kind,
            "metadata": metadata,
            **members,
        }

    def _unseal(self, result: JsonObject) -> None:
        if "metadata" in result:
            result["metadata"] = _json.unseal_for_annotations(result["metadata"])

    def convert_twin(self, twin: StorageRoot) -> StorageRoot:
        """Return a root twin in the target version; a copy if it is of that version already."""
        source = twin
        try:
            if not self._steps:
                return type(twin).from_dict(_json.copy(twin.to_dict()))
            for cls, upward in self._steps:
                destination = new(cls)
                if upward:
                    twin.assign_properties_to(destination)  # type: ignore[attr-defined]
                else:
                    destination.assign_properties_from(twin)  # type: ignore[attr-defined]
                twin = destination
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail(error, getattr(source, "metadata", None), {}, twin)
        return twin

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


def reason(error: Exception) -> str:
    """Return why an object cannot be converted with an entry; nothing of what that holds."""
    cause = error.__cause__
    if isinstance(cause, HookFailure):
        raised = cause.__cause__
        return (
            str(cause)
            if isinstance(raised, HoldallError)
            else f"{cause.hook} raised {type(raised).__name__}"
        )
    return error.rule if isinstance(error, ConversionError) else type(error).__name__


def _put_back(root: StorageRoot, version: str, *, damaged_marks: bool) -> None:
    """Put entries back that could not be used when their object was of `version`."""
    for _, obj in objects_within(root):
        if isinstance(obj, StorageObject) and obj.property_bag is not None:
            obj.property_bag.put_back(version, damaged_marks=damaged_marks)


def _path(root: StorageRoot, error: Exception) -> str:
    """Return where in the source the failing object stands, found by identity."""
    culprit = error.source if isinstance(error, ValueProblem) else None
    name = (error.name,) if isinstance(error, (MisfitError, FunctionFailure)) else ()
    if isinstance(culprit, StorageObject):
        for path, obj in objects_within(root):
            # Moves convert shallow copies of parents: they share their extras with the original.
            # Views of the same members are the same object.
            if obj is culprit or _identity(obj) is _identity(culprit):
                return join(path, *name)
    return error.path if isinstance(error, DecodeError) else ""


def _identity(obj: Shaped) -> object:
    return getattr(obj, "members_", obj.extra_)


def subject_of(kind: str, metadata: Any) -> str:
    metadata = _json.unseal(metadata)
    if not isinstance(metadata, dict):
        return kind
    name = "/".join(str(metadata[key]) for key in ("namespace", "name") if metadata.get(key))
    return f"{kind} {name}" if name else kind


def _version_attribute(twin: type[StorageRoot]) -> str:
    """Return the attribute of the twin that records the original version; empty for the root."""
    if hasattr(twin, "original_version"):
        return ""
    return shape_of(twin).attributes["spec"]
