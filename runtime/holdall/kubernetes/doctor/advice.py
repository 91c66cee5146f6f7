"""Advice about a valid CRD that does not need its project: versions, status, conversion.

Source: docs/operations.md.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from holdall.kubernetes.crds import findings as codes
from holdall.kubernetes.crds.access import schema_of, version_names, versions_are_alike, versions_of
from holdall.kubernetes.crds.certificates import read_bundle
from holdall.kubernetes.crds.conversion import CLIENT, STANZA
from holdall.kubernetes.crds.findings import BAD_CA_BUNDLE, BAD_CONVERSION, Findings, Level
from holdall.kubernetes.crds.versions import by_priority
from holdall.text.pointer import join
from holdall.types import JsonValue, get, items, members, text

EXPIRES_SOON: Final = timedelta(days=30)


def advise(crd: JsonValue, findings: Findings, *, now: datetime | None = None) -> None:
    """Record what will cause trouble for users of a CRD. `now` (UTC) is for certificates."""
    _check_storage(crd, findings)
    _check_stored(crd, findings)
    _check_status(crd, findings)
    _check_conversion(crd, findings)
    _check_bundle(crd, findings, now or datetime.now(UTC))


def _check_storage(crd: JsonValue, findings: Findings) -> None:
    served = [
        text(version, "name") for _, version in versions_of(crd) if version.get("served") is True
    ]
    for pointer, version in versions_of(crd):
        if version.get("storage") is not True:
            continue
        name = text(version, "name")
        if name not in served:
            message = f"{name} is stored but not served, so every request is converted"
            fix = f"serve {name}, or store a version that is served, and migrate"
            at = join(pointer, "served")
            findings.add(codes.STORAGE_NOT_NEWEST, at, message, fix, "warning")
        elif (newest := by_priority(served)[0]) != name:
            message = (
                f"{name} is stored, but clients prefer {newest}: their requests, garbage "
                "collection and the deletion of namespaces need the webhook"
            )
            fix = f"store {newest} once older releases of the webhook cannot return, and migrate"
            at = join(pointer, "storage")
            findings.add(codes.STORAGE_NOT_NEWEST, at, message, fix, "warning")


def _check_stored(crd: JsonValue, findings: Findings) -> None:
    versions = {text(version, "name"): version for _, version in versions_of(crd)}
    for index, name in enumerate(items(crd, "status", "storedVersions")):
        version = versions.get(name) if isinstance(name, str) else None
        if version is None or version.get("storage") is True:
            continue
        unserved = "" if version.get("served") is True else ", and it is not served"
        message = f"objects may still be stored as {name}{unserved}: it cannot be removed"
        fix = "rewrite all objects, then shrink status.storedVersions: `holdall migrate`"
        place = join("/status/storedVersions", index)
        findings.add(codes.LEFT_OVER, place, message, fix, "warning")


def _check_status(crd: JsonValue, findings: Findings) -> None:
    for pointer, version in versions_of(crd):
        has_status = "status" in members(schema_of(version), "properties")
        if has_status and get(version, "subresources", "status") is None:
            message = (
                f"{text(version, 'name')} has a status but no status subresource: anyone who may "
                "write the spec can write the status and its bag, too"
            )
            fix = "add `subresources: {status: {}}`"
            findings.add(codes.NO_STATUS_SUBRESOURCE, pointer, message, fix, "warning")


def _check_conversion(crd: JsonValue, findings: Findings) -> None:
    names = version_names(crd)
    strategy = get(crd, "spec", "conversion", "strategy") or "None"
    if strategy == "None" and len(names) > 1 and not versions_are_alike(crd):
        message = (
            f"{len(names)} versions differ but are not converted: reading at one that is not "
            "stored only changes apiVersion, and prunes what that version does not declare"
        )
        fix = "serve the webhook and run `holdall install`"
        place = STANZA if get(crd, "spec", "conversion") is not None else "/spec"
        findings.add(codes.NO_CONVERSION, place, message, fix, "warning")
    if strategy == "Webhook":
        webhook = members(crd, "spec", "conversion", "webhook")
        reviews = items(webhook, "conversionReviewVersions")
        if "v1" not in reviews and "v1beta1" in reviews:
            message = "conversionReviewVersions has only v1beta1, which newer servers do not send"
            place = f"{STANZA}/webhook/conversionReviewVersions"
            findings.add(BAD_CONVERSION, place, message, "write [v1, v1beta1]", "warning")
        if len(names) == 1:
            message = "there is only one version, so the webhook is never called"
            fix = "write `strategy: None`"
            findings.add(BAD_CONVERSION, f"{STANZA}/strategy", message, fix, "note")


def _check_bundle(crd: JsonValue, findings: Findings, now: datetime) -> None:
    client = members(crd, "spec", "conversion", "webhook", "clientConfig")
    if text(crd, "spec", "conversion", "strategy") != "Webhook":
        return
    place = f"{CLIENT}/caBundle"
    if not client.get("caBundle"):
        message = "there is no caBundle, so the server trusts only its system's roots"
        fix = "write the CA of the webhook, or let cert-manager inject it"
        level: Level = "note" if "url" in client else "warning"
        findings.add(BAD_CA_BUNDLE, CLIENT, message, fix, level)
        return
    _, facts = read_bundle(client["caBundle"])
    for one in facts:
        end = one.end.strftime("%Y-%m-%d")
        if one.end <= now:
            message = f"{one.subject} in the caBundle expired on {end}"
            level = "error" if len(facts) == 1 else "warning"
        elif one.begin > now:
            begin = one.begin.strftime("%Y-%m-%d")
            message = f"{one.subject} in the caBundle is not valid before {begin}"
            level = "error" if len(facts) == 1 else "note"
        elif one.end - now <= EXPIRES_SOON:
            message = f"{one.subject} in the caBundle expires on {end}"
            level = "warning"
        elif not one.authority:
            message = f"{one.subject} in the caBundle is not a CA: it can only verify itself"
            level = "note"
        else:
            continue
        fix = "make a new CA, and install a bundle with both: `holdall install --ca-only`"
        findings.add(BAD_CA_BUNDLE, place, message, fix, level)
