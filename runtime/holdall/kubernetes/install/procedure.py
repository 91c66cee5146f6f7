"""The order of an installation: serve, wait, check, and only then let CRDs depend on it."""

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
from holdall.kubernetes.install.cluster import Cluster, InstallError
from holdall.kubernetes.install.manifests import deploy, wait_available
from holdall.kubernetes.install.plan import (
    CrdChange,
    Scope,
    conflict_problems,
    plan_changes,
    select_crds,
)
from holdall.kubernetes.install.target import Target
from holdall.kubernetes.install.writing import write_change
from holdall.scheme.scheme import Scheme
from holdall.types import JsonObject, text
from holdall.words import counted


@dataclass(frozen=True, slots=True)
class Options:
    """What an installation may do, and how long it waits (seconds).

    `way` is how the webhook is asked from here; `takes_over` overrides other owners of fields.
    """

    scope: Scope = "all"
    crds: tuple[str, ...] = ()
    way: Literal["auto", "direct", "proxy", "none"] = "auto"
    probes: bool = True
    takes_over: bool = False
    seconds: float = 120.0


@dataclass(slots=True)
class Installation:
    """One run: what it found and did so far, for the report."""

    changes: list[CrdChange] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    installed: list[str] = field(default_factory=list)


def prepare(
    cluster: Cluster, target: Target, schemes: Sequence[Scheme], options: Options
) -> list[CrdChange]:
    """Return the planned changes; nothing is changed. Raises InstallError with all problems."""
    if options.scope == "ca":
        target.check_ca()
    else:
        target.check()
    crds, problems = select_crds(cluster, schemes, options.crds)
    changes = plan_changes(crds, target, scope=options.scope)
    if not options.takes_over:
        problems += conflict_problems(changes)
    if problems:
        raise InstallError(problems)
    return changes


_Step = Callable[[str, Sequence[Problem]], None]


def _check(
    cluster: Cluster,
    target: Target,
    options: Options,
    cases: Collection[Case],
    step: _Step,
    pause: Sleep,
) -> None:
    """Ask the webhook in every way that the options allow."""
    faults = wait_ready(cluster, target, options.seconds, pause=pause)
    if not target.url or faults:
        step("the webhook is served", faults)
    if options.way != "none":
        way = choose_way(target) if options.way == "auto" else options.way
        shown = "directly" if way == "direct" else "through the API server's proxy"
        reviews = counted(len(cases), "synthetic review is", "synthetic reviews are")
        done = f"{reviews} answered ({shown})"
        step(done, check_reviews(cluster, target, cases, way))
    if options.probes:
        faults = probe(cluster, target, options.seconds, pause=pause)
        step("the API server reaches and trusts the webhook", faults)


def with_bundle_of(changes: Sequence[CrdChange], target: Target) -> Target:
    """Return a target with the CA that all CRDs have already, if it has none of its own."""
    bundles = {text(change.before, "webhook", "clientConfig", "caBundle") for change in changes}
    if target.ca or len(bundles) != 1 or not (bundle := bundles.pop()):
        return target
    return replace(target, ca=base64.b64decode(bundle))


def install(
    cluster: Cluster,
    target: Target,
    schemes: Sequence[Scheme],
    options: Options,
    *,
    objects: Sequence[JsonObject] = (),
    tell: Callable[[str], None] = lambda _: None,
    pause: Sleep = sleep,
) -> Installation:
    """Install, in order; a problem ends it before the next step, so CRDs never depend on less.

    Repeating it does what is left to do. Raises InstallError.
    """
    run = Installation(prepare(cluster, target, schemes, options))

    def step(done: str, problems: Sequence[Problem]) -> None:
        if problems:
            raise InstallError(problems)
        run.steps.append(done)
        tell(done)

    if objects:
        step(f"applied {counted(len(objects), 'manifest')}", deploy(cluster, objects))
        step("rolled out", wait_available(cluster, objects, options.seconds, pause=pause))
    if options.scope == "ca":
        # Whether the webhook answers correctly does not depend on its CA.
        stanzas = [Target.of(change.before, target.ca) for change in run.changes]
        for asked in dict.fromkeys(stanzas):
            _check(cluster, asked, replace(options, way="none"), (), step, pause)
    else:
        cases = dict.fromkeys([*cases_of(schemes), *cases_for(run.changes)])
        _check(cluster, with_bundle_of(run.changes, target), options, cases.keys(), step, pause)
    # Deploying may have taken long: what was planned before is looked at again.
    run.changes = prepare(cluster, target, schemes, options)
    problems: list[Problem] = []
    for change in (change for change in run.changes if change.is_needed):
        try:
            write_change(cluster, change, target)
        except InstallError as error:
            problems += error.problems
        else:
            run.installed.append(change.name)
            step(f"{change.name} converts by the webhook", ())
    if problems:
        raise InstallError(problems)
    return run
