"""Checks of converted values: samples, reviews and merged CRDs, on the generated code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from holdall.errors import HoldallError
from holdall_codegen.declared.types import Named
from tests.acceptance.declared.cases import FormError, items, node, refuse_unknown
from tests.acceptance.declared.generated import generated
from tests.acceptance.declared.neutral_values import filled
from tests.acceptance.declared.subject import Checks, Subject

CHECKS: Final = Checks()


@CHECKS.add("samples")
def check_samples(subject: Subject, expected: object) -> Iterable[str]:
    """Each sample is converted edge by edge; nothing is tracked, and null is as good as absent."""
    listed = items(expected, "samples")
    if not listed:
        return
    group = generated(subject)
    for number, entry in enumerate(listed):
        sample = node(entry, f"samples[{number}]")
        refuse_unknown(sample, ("container", "from", "to", "input", "expect", "note"), "samples")
        outcome = node(sample.get("expect"), f"samples[{number}].expect")
        refuse_unknown(outcome, ("value", "error"), f"samples[{number}].expect")
        if len(outcome) != 1:
            raise FormError(f"samples[{number}].expect has to say either value or error")
        container, source, target = (str(sample.get(key)) for key in ("container", "from", "to"))
        where = f"samples[{number}] {container} {source} -> {target}"
        try:
            given = filled(group.declaration, Named(container), source, sample.get("input"))
            found = group.convert(container, source, target, given)
        except HoldallError as error:
            if "value" in outcome:
                yield f"{where}: expected {outcome['value']!r}, failed: {error}"
            continue
        if "error" in outcome:
            yield f"{where}: expected the error {outcome['error']!r}, found {found!r}"
        elif not _same(_bare(outcome["value"]), _bare(found)):
            yield f"{where}: expected {outcome['value']!r}, found {found!r}"


@CHECKS.add("reviews")
@CHECKS.add("expect.reviews")
def check_reviews(subject: Subject, expected: object) -> Iterable[str]:
    """Each review is answered by the kind of its objects; tracked values count as written."""
    group = generated(subject)
    for number, entry in enumerate(items(expected, "reviews")):
        review = node(entry, f"reviews[{number}]")
        refuse_unknown(
            review, ("kind", "review", "request", "expect", "response", "note"), "reviews"
        )
        sent = review.get("review", review.get("request"))
        wanted = node(review.get("expect", review.get("response")), f"reviews[{number}].expect")
        kinds = [
            item.resource.kind for item in group.declaration.containers if item.resource is not None
        ]
        kind = str(review.get("kind", kinds[0] if kinds else ""))
        answer = group.kind(kind).try_convert(sent)
        response = node(answer["response"], "response")
        for key, value in wanted.items():
            found = answer.get(key, response.get(key))
            if not _same(_unspelled(_bare(value)), _unspelled(_bare(found))):
                yield f"reviews[{number}].{key}: expected {value!r}, found {found!r}"


@CHECKS.add("merged_crds")
@CHECKS.add("expect.merged_crds")
def check_merged_crds(subject: Subject, expected: object) -> Iterable[str]:
    """The merged CRD by kind and stored version; what the expectation leaves out is not looked
    at."""
    group = generated(subject)
    for name, by_version in node(expected, "merged_crds").items():
        kind = group.kind(name)
        for version, wanted in node(by_version, f"merged_crds.{name}").items():
            found = kind.merged_crd(kind.Version(version))
            yield from _covers(f"merged_crds.{name}.{version}", wanted, found)


def _covers(where: str, wanted: Any, found: Any) -> Iterable[str]:
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in wanted.items():
            yield from _covers(f"{where}.{key}", value, found.get(key))
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for number, (one, other) in enumerate(zip(wanted, found, strict=True)):
            yield from _covers(f"{where}[{number}]", one, other)
    elif not _same(wanted, found):
        yield f"{where}: expected {wanted!r}, found {found!r}"


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same JSON; an integral number is as good as an integer."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _bare(value: Any) -> Any:
    """Return a value without null members: an option is absent or null."""
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_bare(item) for item in value]
    return value


def _unspelled(value: Any) -> Any:
    """Return a value without what an implementation may spell otherwise: empty tracking data."""
    if isinstance(value, list):
        return [_unspelled(item) for item in value]
    if not isinstance(value, dict):
        return value
    members = {key: _unspelled(item) for key, item in value.items()}
    changed = members.get("changedValues")
    if isinstance(changed, dict):
        kept = {key: item for key, item in changed.items() if item}
        if kept:
            members["changedValues"] = kept
        else:
            del members["changedValues"]
    if members.get("status") == {}:
        del members["status"]
    return members
