"""The order of an installation: deploy, wait, check, and only then change the CRDs.

Server-side apply writes the stanza into CRDs, each field with the manager that owns it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from time import sleep
from typing import Literal

from holdall.errors import Problem
from holdall.kubernetes.install.checks import (
    Case,
    Sleep,
    cases_for,
    cases_of,
    check_reviews,
    choose_way,
    probe,
    wait_ready,
)
from holdall.kubernetes.install.cluster import (
    CA_MANAGER,
    CRDS,
    MANAGER,
    Cluster,
    InstallError,
    apply,
    crd_path,
    merge,
)
from holdall.kubernetes.install.manifests import deploy, wait_available
from holdall.kubernetes.install.plan import (
    CrdChange,
    Scope,
    conflict_problems,
    plan_changes,
    select_crds,
)
from holdall.kubernetes.install.target import Target
from holdall.scheme.scheme import Scheme
from holdall.types import JsonObject, JsonValue, get, members, text
from holdall.words import counted

Ways = Literal["auto", "direct", "proxy", "none"]
_ADDRESSES = ("url", "service")


def write_change(cluster: Cluster, change: CrdChange, target: Target) -> None:
    """Make one planned change. Raises InstallError; a CRD that changed meanwhile is refused.

    The plan has checked conflicts, so it uses `force`; the resource version excludes later ones.
    The CA is in the same request, because the stanza is not valid without it; then its own manager
    takes it over, so that a later rotation touches nothing else.
    """
    path = crd_path(change.name)
    bundle = get(change.after, "webhook", "clientConfig", "caBundle")
    ca: JsonObject = {"webhook": {"clientConfig": {"caBundle": bundle}}}
    if change.is_ca_only:
        _apply(cluster, change.name, ca, CA_MANAGER, change.resource_version)
        return
    before = members(change.before, "webhook", "clientConfig")
    after = members(change.after, "webhook", "clientConfig")
    gone: JsonObject = {name: None for name in _ADDRESSES if name in before and name not in after}
    if gone:
        # Applying cannot remove a field of another manager, and servers refuse both together.
        patch: JsonValue = {
            "metadata": {"resourceVersion": change.resource_version},
            "spec": {
                "conversion": {"webhook": {"clientConfig": {**gone, **after}}},
            },
        }
        merge(cluster, path, patch)
        change = replace(change, resource_version="")
    elif change.has_loose_bundle:
        _apply(cluster, change.name, ca, CA_MANAGER, change.resource_version)
        change = replace(change, resource_version="")
    _apply(cluster, change.name, target.stanza(), MANAGER, change.resource_version)
    if target.ca:
        _apply(cluster, change.name, ca, CA_MANAGER, "")
        _apply(cluster, change.name, target.stanza(with_ca=False), MANAGER, "")


def _apply(
    cluster: Cluster, name: str, stanza: JsonObject, manager: str, resource_version: str
) -> None:
    metadata: JsonObject = {"name": name}
    if resource_version:
        metadata["resourceVersion"] = resource_version
    value: JsonObject = {
        "apiVersion": CRDS.removeprefix("/apis/").rpartition("/")[0],
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": {"conversion": stanza},
    }
    apply(cluster, crd_path(name), value, manager=manager, force=True)


@dataclass(frozen=True, slots=True)
class Options:
    """What an installation may do, and how long it waits (seconds).

    `way` is how to reach the webhook from here; `takes_over` overrides other owners of fields.
    """

    scope: Scope = "all"
    crds: tuple[str, ...] = ()
    way: Ways = "auto"
    probes: bool = True
    takes_over: bool = False
    seconds: float = 120.0


def with_bundle_of(changes: Sequence[CrdChange], target: Target) -> Target:
    """Return a target with the CA that all CRDs already have, if it has none itself."""
    bundles = {text(change.before, "webhook", "clientConfig", "caBundle") for change in changes}
    if target.ca or len(bundles) != 1 or not (bundle := bundles.pop()):
        return target
    return replace(target, ca=base64.b64decode(bundle))


@dataclass(slots=True)
class Installation:
    """One run: its task, and its findings and steps so far, for the report."""

    cluster: Cluster
    target: Target
    schemes: Sequence[Scheme]
    options: Options
    tell: Callable[[str], None] = lambda _: None
    pause: Sleep = sleep
    changes: list[CrdChange] = field(default_factory=list, init=False)
    steps: list[str] = field(default_factory=list, init=False)
    installed: list[str] = field(default_factory=list, init=False)

    def prepare(self) -> list[CrdChange]:
        """Plan the changes and return them. Raises InstallError with all problems."""
        self.target.check(ca_only=self.options.scope == "ca")
        crds, problems = select_crds(self.cluster, self.schemes, self.options.crds)
        changes = plan_changes(crds, self.target, scope=self.options.scope)
        if not self.options.takes_over:
            problems += conflict_problems(changes)
        if problems:
            raise InstallError(problems)
        return changes

    def install(self, objects: Sequence[JsonObject] = ()) -> None:
        """Install step by step; a problem ends it before the next step.

        So CRDs never depend on an unchecked webhook. Repeating it does what is left. Raises
        InstallError.
        """
        self.changes = self.prepare()
        if objects:
            self._step(
                f"applied {counted(len(objects), 'manifest')}", deploy(self.cluster, objects)
            )
            seconds, pause = self.options.seconds, self.pause
            faults = wait_available(self.cluster, objects, seconds, pause=pause)
            self._step("rolled out", faults)
        if self.options.scope == "ca":
            # Whether the webhook answers correctly does not depend on its CA.
            stanzas = [Target.of(change.before, self.target.ca) for change in self.changes]
            for asked in dict.fromkeys(stanzas):
                self._check(asked, (), "none")
        else:
            cases = dict.fromkeys([*cases_of(self.schemes), *cases_for(self.changes)])
            asked = with_bundle_of(self.changes, self.target)
            self._check(asked, cases.keys(), self.options.way)
        # Deploying may have taken long, so the changes are planned again.
        self.changes = self.prepare()
        problems: list[Problem] = []
        for change in (change for change in self.changes if change.is_needed):
            try:
                write_change(self.cluster, change, self.target)
            except InstallError as error:
                problems += error.problems
            else:
                self.installed.append(change.name)
                self._step(f"{change.name} uses the webhook", ())
        if problems:
            raise InstallError(problems)

    def _step(self, done: str, problems: Sequence[Problem]) -> None:
        if problems:
            raise InstallError(problems)
        self.steps.append(done)
        self.tell(done)

    def _check(self, target: Target, cases: Collection[Case], way: Ways) -> None:
        """Check the webhook in every way that the options allow."""
        seconds, pause = self.options.seconds, self.pause
        faults = wait_ready(self.cluster, target, seconds, pause=pause)
        if not target.url or faults:
            self._step("the webhook is served", faults)
        if way != "none":
            way = choose_way(target) if way == "auto" else way
            shown = "directly" if way == "direct" else "through the API server's proxy"
            reviews = counted(len(cases), "synthetic review is", "synthetic reviews are")
            done = f"{reviews} answered ({shown})"
            self._step(done, check_reviews(self.cluster, target, cases, way))
        if self.options.probes:
            faults = probe(self.cluster, target, seconds, pause=pause)
            self._step("the API server reaches and trusts the webhook", faults)
