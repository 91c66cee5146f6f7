"""The law that a migration depends on: a stored object comes back unchanged from each version.

Otherwise the server writes something else than it read, and every no-op update writes. Source:
docs/conform.md, WC-52.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdall.errors import HoldallError, Problem
from holdall.explain.audit import waits_for_a_conversion
from holdall.kubernetes.conform.values import compare, data_of
from holdall.kubernetes.crds.access import versions_of
from holdall.kubernetes.crds.findings import Findings
from holdall.kubernetes.doctor.drift import check_drift, find_kind
from holdall.kubernetes.migrate.resources import NO_CONVERTER, NOT_RETURNING, MigrateError, Resource
from holdall.objects.bag import ANNOTATION_DOMAIN
from holdall.plan.plans import load as load_plan
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.text import json
from holdall.types import JsonObject, members

_OURS = f"{ANNOTATION_DOMAIN}/"


class Returning:
    """The check of one resource: from the storage version to each other version, and back."""

    def __init__(self, resource: Resource, scheme: Scheme) -> None:
        self._resource = resource
        self._scheme = scheme
        self._others = [name for name in resource.versions if name != resource.storage]

    def missing(self) -> Iterator[Problem]:
        """Yield a problem for each version of the CRD that the project cannot convert."""
        for version in self._resource.versions:
            api_version = f"{self._resource.group}/{version}"
            try:
                self._scheme.route(api_version, self._resource.kind, api_version)
            except HoldallError as error:
                message = f"the project does not convert {version}: {error}"
                fix = "add the version to the project, or skip the check with --no-check"
                yield Problem(NO_CONVERTER, self._resource.name, message, fix)

    def pruned(self) -> Iterator[Problem]:
        """Yield a problem for each property of the project that the server does not store.

        Its values from bags would be written, pruned, and lost.
        """
        crd, findings = self._resource.crd, Findings()
        if (known := find_kind(crd, [self._scheme], findings)) is not None:
            check_drift(crd, load_plan(self._scheme.package), known[1].name, findings)
        places = [f"{at}/" for at, version in versions_of(crd) if version.get("storage") is True]
        for finding in findings:
            if finding.level == "error" and finding.pointer.startswith(tuple(places)):
                yield finding.locate(lambda _: self._resource.name)

    def settled(self, obj: JsonObject) -> JsonObject | None:
        """Return an object with the entries of an older plan used or dropped, as in a conversion;
        None if it has none. Raises HoldallError if it cannot be converted."""
        if not waits_for_a_conversion(obj, self._scheme):
            return None
        before = after = _without_managers(obj)
        for version in self._others:
            after = self._round(after, version)
        return None if json.same(before, after) else after

    def check(self, obj: JsonObject) -> Iterator[Problem]:
        """Yield a problem for each version from which an object does not come back."""
        for version in self._others:
            try:
                wrong = self._fault(self.settled(obj) or _without_managers(obj), version)
            except HoldallError as error:
                wrong = str(error)
            if wrong:
                message = f"read at {version} and written back, it is not the same: {wrong}"
                yield from not_returning(self._resource.label_of(obj), message).problems

    def _fault(self, stored: JsonObject, version: str) -> str:
        once = self._round(stored, version)
        if json.same(once, stored):
            return ""
        if not compare(_without_bags(stored), _without_bags(once)):
            # A stale bag may disappear once.
            return compare(once, self._round(once, version))
        return compare(stored, once)

    def _round(self, stored: JsonObject, version: str) -> JsonObject:
        there = self._scheme.convert(stored, to=version)
        return self._scheme.convert(there, to=self._resource.storage)


def _without_managers(obj: JsonObject) -> JsonObject:
    metadata = {**members(obj, "metadata")}
    metadata.pop("managedFields", None)  # the server's own, and most of its size
    return {**obj, "metadata": metadata}


def not_returning(where: str, message: str) -> MigrateError:
    """Return the error of an object that does not come back unchanged."""
    fix = "correct the hook or the object; `holdall laws` shows more"
    return MigrateError([Problem(NOT_RETURNING, where, message, fix)])


def checks_of(resources: Iterable[Resource], schemes: Iterable[Scheme]) -> dict[str, Returning]:
    """Return the checks by CRD name; CRDs that the project does not know have none."""
    known = Schemes(schemes)
    found = ((item, known.find(item.api_version, item.kind)) for item in resources)
    return {item.name: Returning(item, scheme) for item, scheme in found if scheme is not None}


def _without_bags(obj: JsonObject) -> JsonObject:
    metadata = members(obj, "metadata")
    annotations: JsonObject = {
        name: value
        for name, value in members(metadata, "annotations").items()
        if not name.startswith(_OURS)
    }
    return {**data_of(obj), "metadata": {**metadata, "annotations": annotations}}
