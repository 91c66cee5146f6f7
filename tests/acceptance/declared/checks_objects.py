"""Whole objects through the functions of a generated kind: conversions, reviews, statuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from holdall.errors import HoldallError
from holdall_codegen.declared.model import Container, Declaration
from holdall_codegen.declared.types import External, Named, parts
from tests.acceptance.declared.generated import Generated
from tests.acceptance.declared.generated_classes import hints
from tests.acceptance.declared.neutral_names import UNTOLD
from tests.acceptance.declared.neutral_values import Values, values
from tests.acceptance.declared.subject import Subject

# What a skipped edge says, wherever it is met.
SKIPPED: Final = "nothing is generated between"
_FOREIGN: Final = {"mood": "good"}
_KEPT_KEY: Final = "v9999"


@dataclass(frozen=True, slots=True)
class Step:
    """One way between two neighbouring versions.

    `must_fail` says that it is skipped, `may_fail` that something inside could be.
    """

    source: str
    target: str
    is_upgrade: bool
    must_fail: bool
    may_fail: bool


def steps(declaration: Declaration, group: Generated, container: Container) -> Iterator[Step]:
    """Yield all steps of a kind, up and down."""
    for older, newer in pairwise(group.versions):
        edge = container.edges[older, newer]
        must_fail = bool(edge.skip & {"from", "object_from"})
        may_fail = skips_inside(declaration, container, older, newer)
        yield Step(older, newer, True, must_fail, may_fail)
        yield Step(newer, older, False, must_fail, may_fail)


def skips_inside(declaration: Declaration, container: Container, older: str, newer: str) -> bool:
    """Tell whether an edge of a container, or of one inside it, is left to hooks."""
    edges = [item.edges.get((older, newer)) for item in _reachable(declaration, container)]
    return any(edge is not None and "from" in edge.skip for edge in edges)


def _reachable(declaration: Declaration, container: Container) -> Iterable[Container]:
    found: dict[str, Container] = {}
    waiting = [container]
    while waiting:
        item = waiting.pop()
        if item.name in found:
            continue
        found[item.name] = item
        for shape in item.shapes.values():
            for field in shape:
                held = field.type if isinstance(field.type, tuple) else (field.type,)
                for part in (inner for type_ in held if type_ for inner in parts(type_)):
                    if isinstance(part, Named):
                        waiting.append(declaration.container(part.container))
    return found.values()


def converting(
    subject: Subject, group: Generated, cls: Any, container: Container, where: str
) -> Iterator[str]:
    """Yield what is wrong with `convert`: every step converts, but for those that are skipped."""
    if subject.declaration is None:
        return
    for step in steps(subject.declaration, group, container):
        place = f"{where} {step.source} -> {step.target}"
        outcome = _attempt(subject, cls, container, step, lambda o, s: cls.convert(o, _to(cls, s)))
        if isinstance(outcome, HoldallError):
            yield from _judge(step, str(outcome), place)
        elif step.must_fail:
            yield f"{place}: is to be skipped, but converts"
        else:
            given, found = outcome
            spec = group.convert(container.name, step.source, step.target, given["spec"])
            wanted = {**given, "apiVersion": _to(cls, step).as_api_version_str(), "spec": spec}
            if {**found, "status": None} != {**wanted, "status": None}:
                yield f"{place}: expected {wanted!r}, found {found!r}"


def reviewing(
    subject: Subject, group: Generated, cls: Any, container: Container, where: str
) -> Iterator[str]:
    """Yield what is wrong with `try_convert`: it answers good reviews and bad ones."""
    bad = cls.try_convert({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"})
    if bad["response"]["result"].get("code") != 400:
        yield f"{where}: a review without a request got {bad!r}"
    if subject.declaration is None:
        return
    for step in steps(subject.declaration, group, container):
        place = f"{where} {step.source} -> {step.target}"

        def review(given: Any, step: Step = step) -> Any:
            answer = cls.try_convert(
                {
                    "apiVersion": "apiextensions.k8s.io/v1",
                    "kind": "ConversionReview",
                    "request": {
                        "uid": "u",
                        "desiredAPIVersion": _to(cls, step).as_api_version_str(),
                        "objects": [given],
                    },
                }
            )["response"]
            if answer["uid"] != "u" or answer["result"]["status"] != "Success":
                raise HoldallError(str(answer["result"].get("message")))
            return answer["convertedObjects"][0]

        outcome = _attempt(subject, cls, container, step, lambda given, _: review(given))
        if isinstance(outcome, HoldallError):
            skipped = "object_from" in container.skip
            if not skipped:
                yield from _judge(step, str(outcome), place)
            continue
        given, found = outcome
        if found != group.scheme.convert(given, to=step.target):
            yield f"{place}: the review of {given!r} gave {found!r}"


def _judge(step: Step, text: str, place: str) -> Iterator[str]:
    if SKIPPED in text and (step.must_fail or step.may_fail):
        return
    if step.must_fail and SKIPPED not in text:
        yield f"{place}: is to be skipped, but fails otherwise: {text}"
    elif not step.must_fail and UNTOLD not in text:
        yield f"{place}: fails: {text}"


def _attempt(
    subject: Subject,
    cls: Any,
    container: Container,
    step: Step,
    convert: Callable[[Any, Step], Any],
) -> tuple[Any, Any] | HoldallError:
    """Return the first object that converts and what it becomes, else the first failure.

    Functions of a case may refuse a value that nobody expects of them.
    """
    failure: HoldallError | None = None
    for given in _objects(subject, cls, container, step.source):
        try:
            return given, convert(given, step)
        except HoldallError as error:
            failure = failure or error
    return failure or HoldallError("there is no value")


def _objects(
    subject: Subject, cls: Any, container: Container, version: str
) -> Iterator[dict[str, Any]]:
    if subject.declaration is None:
        return
    api_version = cls.Version(version).as_api_version_str()
    for spec in values(subject.case, subject.declaration, container.name, version):
        head = {"apiVersion": api_version, "kind": cls.NAME, "metadata": {"name": "n"}}
        yield {**head, "spec": spec}


def _to(cls: Any, step: Step) -> Any:
    return cls.Version(step.target)


def treatments(
    subject: Subject, group: Generated, cls: Any, container: Container
) -> dict[tuple[str, str], str]:
    """Return what becomes of the status in every step: `copied`, `absent` or `tracked`.

    Anything else is said in words. Skipped steps are left out.
    """
    if subject.declaration is None:
        return {}
    return {
        (step.source, step.target): _treatment(subject, group, cls, container, step)
        for step in steps(subject.declaration, group, container)
        if not step.must_fail
    }


def _treatment(
    subject: Subject, group: Generated, cls: Any, container: Container, step: Step
) -> str:
    """A tracking step takes out entries that the object has passed by, and leaves others."""
    stale = [{"jsonPath": "$.x", "value": 1}]
    section = "upgrades" if step.is_upgrade else "downgrades"
    changed = {section: {step.source: stale, _KEPT_KEY: stale}}
    status = _status(subject, container, step.source)

    def convert(given: Any, _: Step) -> Any:
        probe = {**given, "status": {**(status or {}), "changedValues": changed}}
        return group.scheme.convert(probe, to=step.target)

    outcome = _attempt(subject, cls, container, step, convert)
    if isinstance(outcome, HoldallError):
        return f"failed: {outcome}"
    after = dict(outcome[1].get("status") or {})
    entries = after.pop("changedValues", None)
    if after != (_converted_status(group, container, step, status) or {}):
        return f"the status {status!r} became {after!r}"
    if entries != changed:
        left = entries.get(section) if isinstance(entries, dict) else None
        is_tracked = left == {_KEPT_KEY: stale}
        restored = is_tracked and _comes_back(subject, group, cls, container, step)
        return "tracked" if restored else f"not tracked, the entries became {entries!r}"
    root = getattr(group.api(step.source), cls.NAME)
    return "copied" if "status" in hints(root) else "absent"


def _converted_status(group: Generated, container: Container, step: Step, status: Any) -> Any:
    """Return what a status is to become; one of somebody else stays as it is."""
    resource = container.resource
    if resource is None or not isinstance(resource.status, Named):
        return status
    return group.convert(resource.status.container, step.source, step.target, status)


def _comes_back(
    subject: Subject, group: Generated, cls: Any, container: Container, step: Step
) -> bool:
    """Tell whether an object that goes a step and back is as it was."""

    def there_and_back(given: Any, step: Step) -> Any:
        there = group.scheme.convert(given, to=step.target)
        return group.scheme.convert(there, to=step.source)

    outcome = _attempt(subject, cls, container, step, there_and_back)
    return isinstance(outcome, HoldallError) or outcome[0] == outcome[1]


def _status(subject: Subject, container: Container, version: str) -> Any:
    resource = container.resource
    if subject.declaration is None or resource is None or resource.status is None:
        return None
    if isinstance(resource.status, External):
        return dict(_FOREIGN)
    return Values(subject.case, subject.declaration, version, rich=True).of(resource.status)
